/* The document that storage.md and storage.sh render: a view of the report document. */
#include "advisor/report/report.h"

#include <string.h>

#include "advisor/report/docread.h"
#include "advisor/report/fileline.h"
#include "advisor/report/steps.h"

#include "advisor/base/banned.h"

#define TEXT_MAX 4096

static const struct {
    const char *title, *note;
} phases[PHASES] = {
    [PHASE_LOOK] = {"Look first", "These commands change nothing."},
    [PHASE_FILES] = {"Lines in files",
                     "Nothing reads them yet: they count from the steps below, or from the next boot, on. "
                     "Keep a copy of each file."},
    [PHASE_ONLINE] = {"Online", "The server goes on."},
    [PHASE_REMOUNT] = {"With a remount", "The server goes on; its filesystem is mounted anew."},
    [PHASE_RESTART] = {"With the server stopped or restarted",
                       "The server stands still for a while: put in zz-nvadvise.cnf with the same restart."},
    [PHASE_REBOOT] = {"With a reboot", "The whole host stands still for a while."},
    [PHASE_DESTROYS] = {"What destroys data",
                        "Only with a backup that was restored once."},
};

/* ---- steps ----------------------------------------------------------------------------------- */

static const char *joined(struct arena *a, const struct json *list)
{
    struct buf b;
    buf_init(&b, a, TEXT_MAX);
    for (size_t i = 0; i < list->n; i++) {
        buf_add_text(&b, i > 0 ? ", " : "");
        buf_add_span(&b, list->items[i]->string);
    }
    return b.len > 0 ? b.ptr : "";
}

static struct json *step_doc(struct arena *a, const struct step *s, size_t number)
{
    const bool looks = strcmp(s->effect, "none") == 0;
    const bool is_fstab = s->mount[0] != '\0';
    struct json *j = json_object(a);
    json_set(j, "number", json_int(a, (int64_t)number));
    json_set(j, "mark", json_str(a, looks ? "looks only" : s->effect));
    json_set(j, "destroys", json_str(a, s->destroys));
    json_set(j, "for", json_str(a, joined(a, s->rules)));
    json_set(j, "command", json_str(a, s->command));
    json_set(j, "file", json_str(a, s->file));
    json_set(j, "lines", s->lines);
    json_set(j, "mount", json_str(a, s->mount));
    json_set(j, "appends", json_bool(a, s->file[0] != '\0' && !is_fstab));
    json_set(j, "is_command", json_bool(a, s->file[0] == '\0'));
    json_set(j, "edits", json_bool(a, is_fstab));
    return j;
}

static struct json *parts_doc(struct arena *a, const struct steps *steps)
{
    struct json *parts = json_array(a);
    for (size_t i = 0; i < steps->n;) {
        const enum step_phase phase = steps->items[i].phase;
        struct json *j = json_object(a), *list = json_array(a);
        for (; i < steps->n && steps->items[i].phase == phase; i++) {
            json_push(list, step_doc(a, &steps->items[i], i + 1));
        }
        json_set(j, "part", json_int(a, (int64_t)parts->n + 1));
        json_set(j, "title", json_str(a, phases[phase].title));
        json_set(j, "note", json_str(a, phases[phase].note));
        json_set(j, "steps", list);
        json_push(parts, j);
    }
    return parts;
}

/* ---- findings -------------------------------------------------------------------------------- */

/* "1, 4, 5" */
static const char *numbers(struct arena *a, const struct steps *steps, size_t finding)
{
    struct buf b;
    buf_init(&b, a, TEXT_MAX);
    for (size_t i = 0; i < steps->n; i++) {
        if (step_serves(&steps->items[i], finding)) {
            buf_printf(&b, "%s%zu", b.len > 0 ? ", " : "", i + 1);
        }
    }
    return b.len > 0 ? b.ptr : "";
}

static struct json *evidence_doc(struct arena *a, const struct json *f)
{
    const struct json *facts = read_list(f, "evidence");
    struct json *evidence = json_array(a);
    for (size_t i = 0; i < facts->n; i++) {
        struct json *e = json_object(a);
        read_copy(e, facts->items[i], "name");
        read_copy(e, facts->items[i], "source");
        json_set(e, "value", json_str(a, read_text(facts->items[i], "text")));
        json_push(evidence, e);
    }
    return evidence;
}

static struct json *item_doc(struct arena *a, const struct json *f, const char *steps)
{
    static const char *const keys[] = {"rule", "severity", "title", "why", "risk", "undo"};
    struct json *j = json_object(a);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        read_copy(j, f, keys[i]);
    }
    json_set(j, "subject", json_str(a, arena_printf(a, "%s%s%s", read_text(f, "subject"),
                                                    read_text(f, "device")[0] != '\0' ? ", " : "",
                                                    read_text(f, "device"))));
    json_set(j, "evidence", evidence_doc(a, f));
    json_set(j, "steps_of", json_str(a, steps));
    return j;
}

/* A finding whose fix is not an option-file line of a server: of the host and what lies below, or a command
 * for the server's unit. */
static bool is_storage(const struct json *f)
{
    const struct span subject = span_of(read_text(f, "subject"));
    return !span_starts(subject, "server:") || read_list(f, "actions")->n > 0;
}

static struct json *unknown_doc(struct arena *a, const struct json *f)
{
    const struct json *missing = read_list(f, "missing");
    const struct json *first = missing->n > 0 ? missing->items[0] : NULL;
    struct json *u = json_object(a);
    read_copy(u, f, "rule");
    read_copy(u, f, "subject");
    read_copy(u, first, "reason");
    read_copy(u, first, "remedy");
    return u;
}

/* The gravest first; the same level in the order of the report. */
static struct json *by_severity(struct arena *a, const struct json *findings)
{
    struct json *sorted = json_array(a);
    for (unsigned level = SEVERITIES; level-- > 0;) {
        for (size_t i = 0; i < findings->n; i++) {
            if (read_is(findings->items[i], "severity", severity_name((enum severity)level))) {
                json_push(sorted, findings->items[i]);
            }
        }
    }
    return sorted;
}

struct json *report_storage_doc(struct arena *a, const struct json *doc)
{
    const struct json *findings = by_severity(a, read_list(doc, "findings"));
    struct json *j = read_head(a, doc), *failed = json_array(a), *items = json_array(a);
    struct json *unknown = json_array(a);
    if (read_text(j, "host")[0] == '\0') {
        json_set(j, "host", json_str(a, "this host"));
    }
    for (size_t i = 0; i < findings->n; i++) {
        const struct json *f = findings->items[i];
        if (!is_storage(f) || read_has(f, "waived")) {
            continue;
        }
        if (read_is(f, "verdict", "fail")) {
            json_push(failed, findings->items[i]);
        } else if (read_is(f, "verdict", "unknown")) {
            json_push(unknown, unknown_doc(a, f));
        }
    }
    const struct steps steps = steps_of(a, failed);
    for (size_t i = 0; i < failed->n; i++) {
        json_push(items, item_doc(a, failed->items[i], numbers(a, &steps, i)));
    }
    json_set(j, "about", json_str(a, arena_printf(a, "storage.sh for %s: as nvadvise wrote it, nothing is done; "
                                                     "only commands whose # was taken away run",
                                                  read_text(j, "host"))));
    json_set(j, "parts", parts_doc(a, &steps));
    json_set(j, "has_steps", json_bool(a, steps.n > 0));
    json_set(j, "items", items);
    json_set(j, "has_items", json_bool(a, items->n > 0));
    json_set(j, "unknown", unknown);
    json_set(j, "has_unknown", json_bool(a, unknown->n > 0));
    return j;
}
