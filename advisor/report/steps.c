/* See steps.h. */
#include "advisor/report/steps.h"

#include <string.h>

#include "advisor/report/docread.h"
#include "advisor/report/fileline.h"

#include "advisor/base/banned.h"

#define SYSCTL_FILE "/etc/sysctl.d/90-nvadvise.conf"

/* ---- one step -------------------------------------------------------------------------------- */

static void add_once(struct json *list, struct json *text)
{
    for (size_t i = 0; i < list->n; i++) {
        if (span_eq(list->items[i]->string, text->string)) {
            return;
        }
    }
    json_push(list, text);
}

static void add_all_once(struct json *list, const struct json *from)
{
    for (size_t i = 0; i < from->n; i++) {
        add_once(list, from->items[i]);
    }
}

bool step_serves(const struct step *s, size_t finding)
{
    for (size_t i = 0; i < s->findings->n; i++) {
        if (num_cmp(s->findings->items[i]->number, num_u64(finding)) == 0) {
            return true;
        }
    }
    return false;
}

static void serve(struct arena *a, struct step *s, const struct json *finding, size_t at)
{
    add_once(s->rules, json_str(a, read_text(finding, "rule")));
    if (!step_serves(s, at)) {
        json_push(s->findings, json_int(a, (int64_t)at));
    }
}

static struct step step_new(struct arena *a, enum step_phase phase, const struct json *action)
{
    return (struct step){.phase = phase,
                         .command = read_text(action, "command"),
                         .effect = read_text(action, "effect"),
                         .destroys = read_text(action, "destroys"),
                         .file = "",
                         .mount = "",
                         .lines = json_array(a),
                         .rules = json_array(a),
                         .findings = json_array(a)};
}

static void push(struct steps *all, struct step s)
{
    if (all->n == all->cap) {
        const size_t cap = all->cap * 2 + 16;
        all->items = arena_grow(all->arena, all->items, all->cap * sizeof(*all->items),
                                cap * sizeof(*all->items));
        all->cap = cap;
    }
    all->items[all->n++] = s;
}

/* ---- the same thing asked for twice ---------------------------------------------------------- */

static struct step *same_command(struct steps *all, const struct step *s)
{
    for (size_t i = 0; i < all->n; i++) {
        struct step *old = &all->items[i];
        if (old->phase == s->phase && strcmp(old->command, s->command) == 0) {
            return old;
        }
    }
    return NULL;
}

/* What looks, and what stops a server, stands where it is first needed; everything else where it is last
 * needed: to mount or to start again, or to make something be read anew, counts when all is done. */
static bool stands_first(const struct step *s)
{
    return s->phase == PHASE_LOOK || strncmp(s->command, "systemctl stop ", 15) == 0;
}

static void add_step(struct steps *all, struct step s, const struct json *finding, size_t at)
{
    struct step *old = same_command(all, &s);
    serve(all->arena, old != NULL ? old : &s, finding, at);
    if (old == NULL) {
        push(all, s);
    } else if (!stands_first(&s)) {
        const struct step moved = *old;
        const size_t from = (size_t)(old - all->items);
        memmove(old, old + 1, (all->n - from - 1) * sizeof(*old));
        all->items[all->n - 1] = moved;
    }
}

/* ---- lines of files -------------------------------------------------------------------------- */

/* Places that are not known share a word, and their filesystems may differ. */
static bool same_row(const struct step *old, const struct json *fstab)
{
    return strcmp(old->mount, read_text(fstab, "mount")) == 0 &&
           (old->fstab == NULL || read_is(fstab, "type", read_text(old->fstab, "type")));
}

static struct step *file_step(struct steps *all, const struct json *action, const struct json *fstab)
{
    for (size_t i = 0; i < all->n; i++) {
        struct step *old = &all->items[i];
        if (old->phase == PHASE_FILES && read_is(action, "file", old->file) && same_row(old, fstab)) {
            return old;
        }
    }
    struct step s = step_new(all->arena, PHASE_FILES, action);
    s.file = read_text(action, "file");
    s.mount = read_text(fstab, "mount");
    s.effect = "online";
    push(all, s);
    return &all->items[all->n - 1];
}

/* All findings of one mount point change one line. */
static void merge_fstab(struct arena *a, struct step *s, const struct json *fstab)
{
    if (s->fstab == NULL) {
        s->fstab = json_object(a);
        read_copy(s->fstab, fstab, "source");
        read_copy(s->fstab, fstab, "type");
        read_copy(s->fstab, fstab, "options");
        read_copy(s->fstab, fstab, "numbers");
        json_set(s->fstab, "drop", json_array(a));
        json_set(s->fstab, "add", json_array(a));
    }
    struct json *drop = json_array(a), *add = json_array(a);
    add_all_once(drop, read_list(s->fstab, "drop"));
    add_all_once(drop, read_list(fstab, "drop"));
    add_all_once(add, read_list(s->fstab, "add"));
    add_all_once(add, read_list(fstab, "add"));
    json_set(s->fstab, "drop", drop);
    json_set(s->fstab, "add", add);
    const char *line = fstab_line(a, read_text(s->fstab, "source"), s->mount,
                                  read_text(s->fstab, "type"),
                                  fstab_options(a, read_text(s->fstab, "options"), drop, add),
                                  read_text(s->fstab, "numbers"));
    s->lines = json_array(a);
    json_push(s->lines, json_str(a, line));
    s->command = arena_printf(a, "vi " FSTAB_FILE " # %s", line);
}

static void add_file(struct steps *all, const struct json *action, const struct json *finding,
                     size_t at)
{
    struct arena *a = all->arena;
    const struct json *fstab = json_get(action, "fstab");
    struct step *s = file_step(all, action, fstab);
    serve(a, s, finding, at);
    if (fstab != NULL) {
        merge_fstab(a, s, fstab);
        return;
    }
    add_once(s->lines, json_str(a, read_text(action, "line")));
    s->command = fileline_command(a, s->file, s->lines);
}

/* ---- one finding ----------------------------------------------------------------------------- */

static bool is_file(const struct json *action)
{
    return read_text(action, "file")[0] != '\0';
}

static enum step_phase phase_of(const struct json *action)
{
    static const struct {
        const char *effect;
        enum step_phase phase;
    } phases[] = {{"online", PHASE_ONLINE},
                  {"remount", PHASE_REMOUNT},
                  {"restart", PHASE_RESTART},
                  {"reboot", PHASE_REBOOT}};
    if (read_text(action, "destroys")[0] != '\0') {
        return PHASE_DESTROYS;
    }
    for (size_t i = 0; i < ARRAY_LEN(phases); i++) {
        if (read_is(action, "effect", phases[i].effect)) {
            return phases[i].phase;
        }
    }
    return PHASE_LOOK;
}

/* Settings of the kernel that a rule asks for without an action of its own. */
static struct json *actions_from_settings(struct arena *a, const struct json *finding)
{
    const struct json *settings = read_list(finding, "settings");
    struct json *list = json_array(a);
    for (size_t i = 0; i < settings->n; i++) {
        const struct json *s = settings->items[i];
        const char *line =
            arena_printf(a, "%s=%s", read_text(s, "variable"), read_text(s, "new"));
        struct json *now = json_object(a), *later = json_object(a), *lines = json_array(a);
        json_push(lines, json_str(a, line));
        json_set(now, "command", json_str(a, arena_printf(a, "sysctl -w %s", line)));
        json_set(now, "effect", json_str(a, "online"));
        json_set(later, "command", json_str(a, fileline_command(a, SYSCTL_FILE, lines)));
        json_set(later, "effect", json_str(a, "online"));
        json_set(later, "file", json_str(a, SYSCTL_FILE));
        json_set(later, "line", json_str(a, line));
        json_push(list, now);
        json_push(list, later);
    }
    return list;
}

/* Actions of a finding go on from each other: none may stand before the one that it follows. What only looks
 * before the first change is for the decision; later it shows whether the change worked. */
static void add_finding(struct steps *all, const struct json *finding, size_t at)
{
    const struct json *actions = read_list(finding, "actions");
    if (actions->n == 0) {
        actions = actions_from_settings(all->arena, finding);
    }
    enum step_phase reached = PHASE_LOOK;
    for (size_t i = 0; i < actions->n; i++) {
        const struct json *action = actions->items[i];
        const enum step_phase phase = is_file(action) ? PHASE_ONLINE : phase_of(action);
        reached = phase > reached ? phase : reached;
        if (is_file(action)) {
            add_file(all, action, finding, at);
        } else {
            add_step(all, step_new(all->arena, reached, action), finding, at);
        }
    }
}

struct steps steps_of(struct arena *a, const struct json *findings)
{
    struct steps all = {.arena = a}, sorted = {.arena = a};
    for (size_t i = 0; i < findings->n; i++) {
        add_finding(&all, findings->items[i], i);
    }
    for (unsigned phase = 0; phase < PHASES; phase++) {
        for (size_t i = 0; i < all.n; i++) {
            if ((unsigned)all.items[i].phase == phase) {
                push(&sorted, all.items[i]);
            }
        }
    }
    return sorted;
}
