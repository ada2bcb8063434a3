/* btrfs filesystem show, df and usage: the devices of a filesystem, and how data are laid out over them. */
#include "probes/import/storage.h"

#include <string.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

bool btrfs_begins(struct span line)
{
    const struct span s = span_trim(line);
    return (span_starts(s, "Label: ") && memmem(s.ptr, s.len, " uuid: ", 7) != NULL) ||
           span_starts(s, "Id Path") || (span_starts(s, "Data,") && span_contains(s, ": ") && (span_contains(s, "total=") || span_contains(s, "Size:")));
}

/* "devid    1 size 931.51GiB used 12.03GiB path /dev/nvme0n1": the word behind "path". */
static bool device_line(struct span line, struct span *ret)
{
    struct span word, before = {"", 0};
    bool device = false;
    while (span_word(&line, &word)) {
        device = device || span_eq_text(word, "devid");
        if (device && span_eq_text(before, "path")) {
            *ret = word;
            return span_starts(word, "/");
        }
        before = word;
    }
    return false;
}

/* "Data, RAID1: total=…", "Data,single: Size:…", of a table "Id Path RAID1 …": the profile in lower case. */
static struct span profile_of(struct arena *a, struct span line)
{
    struct span rest = span_trim(line), word;
    if (span_starts(rest, "Id Path")) {
        (void)span_word(&rest, &word);
        (void)span_word(&rest, &word);
        if (!span_word(&rest, &word)) {
            return (struct span){"", 0};
        }
    } else if (!span_starts(rest, "Data,") || !span_split(&rest, ',', &word) || !span_split(&rest, ':', &word)) {
        return (struct span){"", 0};
    }
    char *text = span_dup(a, span_trim(word));
    for (char *c = text; *c != '\0'; c++) {
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    }
    return span_of(text);
}

struct reading {
    struct stack *stack;
    struct stack_node *first, *fs; /* the first device; what stands for a filesystem on several */
    struct span profile;
};

static void add_device(struct reading *r, struct span name)
{
    struct stack_node *n = stack_node(r->stack, name);
    if (r->first == NULL) {
        r->first = n;
    }
    if (n == NULL || n == r->first) {
        return;
    }
    if (r->fs == NULL) {
        r->fs = stack_node(r->stack, span_of(arena_printf(r->stack->arena, "btrfs:%.*s", SPAN_ARG(r->first->name))));
        if (r->fs == NULL) {
            return;
        }
        r->fs->type = SPAN_LIT("btrfs");
        stack_stands_on(r->stack, r->fs, r->first, false);
    }
    stack_stands_on(r->stack, r->fs, n, false);
}

/* "   /dev/nvme0n1\t   1.00GiB" below a kind of data, as usage prints it; " 1 /dev/nvme0n1 64.00MiB …" in its table. */
static bool usage_line(struct span line, struct span *ret)
{
    struct span size, rest = span_trim(line), id = rest, word;
    uint64_t n = 0;
    if (span_word(&id, &word) && parse_u64(word, &n) && n > 0 && n < 65536 && span_word(&id, ret)) {
        return span_starts(*ret, "/dev/") && span_word(&id, &size) && (span_ends(size, "B") || span_eq_text(size, "-"));
    }
    return span_starts(rest, "/dev/") && span_word(&rest, ret) && span_word(&rest, &size) && span_ends(size, "B") &&
           span_trim(rest).len == 0;
}

/* "btrfs filesystem df /srv" names no device: it is that of the mount. */
static struct stack_node *asked_node(struct stack *s)
{
    const struct span path = stack_asked(s);
    const struct stack_mount *m = path.len > 0 ? stack_mount_of(s, path) : NULL;
    struct stack_node *n = m != NULL && span_eq_text(m->fstype, "btrfs") ? stack_node(s, m->source) : NULL;
    for (size_t i = 0; n != NULL && i < s->n_links; i++) {
        struct stack_node *above = &s->nodes[s->links[i].above];
        if (&s->nodes[s->links[i].below] == n && span_eq_text(above->type, "btrfs")) {
            return above;
        }
    }
    return n;
}

static void put_end(struct reading *r, bool named)
{
    struct stack *s = r->stack;
    const struct span path = stack_asked(s);
    struct stack_node *n = r->fs != NULL ? r->fs : r->first;
    if (named && n != NULL && path.len > 0 && !span_starts(path, "/dev/")) {
        const struct stack_mount m = {.target = path, .fstype = SPAN_LIT("btrfs"),
                                      .source = span_of(arena_printf(s->arena, "/dev/%.*s", SPAN_ARG(r->first->name)))};
        stack_add_mount(s, &m);
    }
    if (r->profile.len > 0) {
        stack_key(s, n != NULL ? n : asked_node(s), "raid", r->profile);
    }
}

/* The first device stands for the filesystem in mount tables; so it stands on the others too. */
bool btrfs_read(struct stack *s, struct span text)
{
    struct reading r = {.stack = s};
    struct span line, name;
    bool some = false, named = false;
    while (span_line(&text, &line)) {
        const struct span found = profile_of(s->arena, line);
        r.profile = found.len > 0 ? found : r.profile;
        some = some || found.len > 0;
        if (span_starts(span_trim(line), "Label: ")) {
            put_end(&r, false);
            r = (struct reading){.stack = s};
        } else if (device_line(line, &name)) {
            add_device(&r, name);
            some = true;
        } else if (usage_line(line, &name)) {
            add_device(&r, name);
            named = true;
        }
    }
    put_end(&r, named);
    return some;
}
