/* Arrays of md: /proc/mdstat and mdadm --detail. A spare carries nothing until it is needed. */
#include "probes/import/storage.h"

#include <string.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

/* The number at the front of "512K", "64k", "128M": bytes. */
static bool size_of(struct span s, uint64_t *ret)
{
    size_t n = 0;
    uint64_t v = 0, unit = 1;
    while (n < s.len && s.ptr[n] >= '0' && s.ptr[n] <= '9') {
        n++;
    }
    if (n == 0 || !parse_u64(span_sub(s, 0, n), &v)) {
        return false;
    }
    const char c = n < s.len ? s.ptr[n] : '\0';
    unit = c == 'K' || c == 'k' ? 1024 : c == 'M' ? 1024 * 1024 : 1;
    if (v > UINT64_MAX / unit) {
        return false;
    }
    *ret = v * unit;
    return true;
}

/* ---- /proc/mdstat ---------------------------------------------------------------------------- */

/* "md3 : active raid10 …" */
static bool array_line(struct span line, struct span *ret_name, struct span *ret_rest)
{
    struct span name;
    if (!span_starts(line, "md") || !span_word(&line, &name)) {
        return false;
    }
    line = span_trim(line);
    if (!span_starts(line, ": ") || (!span_contains(line, "active") && !span_contains(line, "inactive"))) {
        return false;
    }
    *ret_name = name;
    *ret_rest = span_sub(line, 2, line.len);
    return true;
}

bool mdstat_begins(struct span line)
{
    struct span name, rest;
    return array_line(line, &name, &rest);
}

static bool is_level(struct span word)
{
    return span_starts(word, "raid") || span_eq_text(word, "linear") || span_eq_text(word, "multipath");
}

/* "nvme5n1[5](S)": S spare, F faulty, J journal, W write-mostly, R replacement. */
static void add_member(struct stack *s, struct stack_node *array, struct span word, bool active)
{
    struct span rest = word, name;
    if (!span_has(word, '[') || !span_split(&rest, '[', &name) || name.len == 0) {
        return;
    }
    struct stack_node *n = stack_node(s, name);
    const bool idle = span_contains(rest, "(S)") || span_contains(rest, "(F)") || span_contains(rest, "(R)");
    if (span_contains(rest, "(F)")) {
        stack_key(s, n, "state", SPAN_LIT("faulty"));
    }
    stack_stands_on(s, array, n, idle && active); /* of an array that is not assembled all are called spares */
}

/* "[6/5]": how many there should be, and are. */
static void add_counts(struct stack *s, struct stack_node *array, struct span word)
{
    struct span rest = word, first;
    uint64_t want = 0, have = 0;
    if (!span_starts(word, "[") || !span_ends(word, "]") || !span_has(word, '/')) {
        return;
    }
    rest = span_sub(word, 1, word.len - 2);
    if (span_split(&rest, '/', &first) && parse_u64(first, &want) && parse_u64(rest, &have) && want >= have) {
        stack_key_u64(s, array, "disks", want);
        stack_key_u64(s, array, "degraded", want - have);
    }
}

/* "7501212320 blocks super 1.2 16K chunks 2 near-copies [4/4] [UUUU]" */
static void add_details(struct stack *s, struct stack_node *array, struct span line)
{
    struct span word, before = {"", 0};
    uint64_t n = 0;
    if (span_starts(span_trim(line), "bitmap:")) {
        return; /* its chunks are others */
    }
    while (span_word(&line, &word)) {
        if ((span_starts(word, "chunk")) && size_of(before, &n)) {
            stack_key_u64(s, array, "chunk", n);
        } else if (span_eq_text(word, "blocks") && parse_u64(before, &n) && n < UINT64_MAX / 1024) {
            stack_key_u64(s, array, "size", n * 1024);
        } else if (span_ends(word, "-copies") && parse_u64(before, &n)) {
            const struct span kind = span_sub(word, 0, word.len - strlen("-copies"));
            stack_key(s, array, "layout",
                      span_of(arena_printf(s->arena, "%.*s=%llu", SPAN_ARG(kind), (unsigned long long)n)));
        }
        add_counts(s, array, word);
        before = word;
    }
}

/* "[===>....]  resync = 12.6% (…) finish=…", "resync=DELAYED" */
static void add_job(struct stack *s, struct stack_node *array, struct span line)
{
    static const char *const jobs[] = {"resync", "recovery", "reshape", "check"};
    for (size_t i = 0; i < ARRAY_LEN(jobs); i++) {
        const char *at = memmem(line.ptr, line.len, jobs[i], strlen(jobs[i]));
        if (at == NULL) {
            continue;
        }
        const char *word = strcmp(jobs[i], "recovery") == 0 ? "recover" : jobs[i];
        struct span rest = {at, (size_t)(line.ptr + line.len - at)}, left, whole;
        stack_key(s, array, "sync", span_of(word));
        uint64_t n = 0;
        if (span_split(&rest, '=', &left) && span_split(&rest, '.', &whole) && parse_u64(span_trim(whole), &n) &&
            n <= 100) {
            stack_key_u64(s, array, "done", n);
        }
        return;
    }
}

bool mdstat_read(struct stack *s, struct span text)
{
    struct stack_node *array = NULL;
    struct span line, name, rest, word;
    bool some = false;
    while (span_line(&text, &line)) {
        if (array_line(line, &name, &rest)) {
            array = stack_node(s, name);
            some = some || array != NULL;
            const bool active = !span_starts(rest, "inactive");
            if (!active) {
                stack_key(s, array, "state", SPAN_LIT("inactive"));
            }
            while (array != NULL && span_word(&rest, &word)) {
                if (is_level(word)) {
                    array->type = array->type.len == 0 ? word : array->type;
                    stack_key(s, array, "raid", word);
                } else {
                    add_member(s, array, word, active);
                }
            }
        } else if (array != NULL && (span_starts(line, " ") || span_starts(line, "\t"))) {
            add_details(s, array, line);
            add_job(s, array, line);
        } else {
            array = NULL;
        }
    }
    return some;
}

/* ---- mdadm --detail -------------------------------------------------------------------------- */

bool mdadm_begins(struct span line)
{
    return span_starts(line, "/dev/md") && span_ends(span_trim(line), ":");
}

static void detail_field(struct stack *s, struct stack_node *array, struct span label, struct span value)
{
    uint64_t n = 0;
    struct span word, rest = value;
    if (!span_word(&rest, &word)) {
        return;
    }
    if (span_eq_text(label, "Raid Level")) {
        array->type = array->type.len == 0 ? word : array->type;
        stack_key(s, array, "raid", word);
    } else if (span_eq_text(label, "Chunk Size") && size_of(word, &n)) {
        stack_key_u64(s, array, "chunk", n);
    } else if (span_eq_text(label, "Raid Devices") && parse_u64(word, &n)) {
        stack_key_u64(s, array, "disks", n);
    } else if (span_eq_text(label, "Layout")) {
        stack_key(s, array, "layout", word);
    } else if (span_eq_text(label, "Array Size") && parse_u64(word, &n) && n < UINT64_MAX / 1024) {
        stack_key_u64(s, array, "size", n * 1024);
    } else if (span_eq_text(label, "Resync Status") || span_eq_text(label, "Rebuild Status")) {
        stack_key(s, array, "sync", span_starts(label, "Resync") ? SPAN_LIT("resync") : SPAN_LIT("recover"));
    }
}

/* "   0   259   0   0   active sync   /dev/nvme0n1"; a missing one has "removed" and no name. */
static void detail_member(struct stack *s, struct stack_node *array, struct span line, uint64_t *missing)
{
    struct span word, last = {"", 0}, rest = line;
    uint64_t n = 0;
    if (!span_word(&rest, &word) || (!parse_u64(word, &n) && !span_eq_text(word, "-"))) {
        return;
    }
    while (span_word(&rest, &word)) {
        last = word;
    }
    if (span_contains(line, "removed")) {
        ++*missing;
    } else if (span_starts(last, "/dev/")) {
        struct stack_node *m = stack_node(s, last);
        const bool active = span_contains(line, "active") || span_contains(line, "rebuilding");
        stack_stands_on(s, array, m, !active);
        *missing += span_contains(line, "rebuilding") ? 1 : 0;
    }
}

static void put_missing(struct stack *s, struct stack_node *array, uint64_t missing)
{
    if (array != NULL && missing > 0) {
        stack_key_u64(s, array, "degraded", missing);
    }
}

bool mdadm_read(struct stack *s, struct span text)
{
    struct stack_node *array = NULL;
    struct span line;
    uint64_t missing = 0;
    bool some = false;
    while (span_line(&text, &line)) {
        if (mdadm_begins(line)) {
            const struct span head = span_trim(line);
            put_missing(s, array, missing);
            array = stack_node(s, span_sub(head, 0, head.len - 1));
            missing = 0;
            some = some || array != NULL;
            continue;
        }
        struct span rest = line, label;
        if (array == NULL) {
            continue;
        }
        if (span_has(line, ':') && span_split(&rest, ':', &label) && !span_starts(span_trim(line), "/")) {
            detail_field(s, array, span_trim(label), span_trim(rest));
        } else {
            detail_member(s, array, line, &missing);
        }
    }
    put_missing(s, array, missing);
    return some;
}
