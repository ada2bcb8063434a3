/* Option files without their secrets: a reader finds the same lines, groups and names, values are
 * as they were or blanked, a second pass changes nothing, and a value of "password" is never among
 * what is left. */
#include <stdlib.h>
#include <string.h>

#include "probes/host/optfile_filter.h"
#include "probes/host/optfile_line.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct span blank(struct arena *a, struct span text)
{
    struct buf b;
    buf_init(&b, a, text.len * 2 + 8);
    optfile_blank_secrets(&b, text, false);
    if (b.full) {
        abort();
    }
    return buf_span(&b);
}

static bool holds(struct span s, const char *part)
{
    const size_t n = strlen(part);
    for (size_t i = 0; i + n <= s.len; i++) {
        if (memcmp(s.ptr + i, part, n) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_filled(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] != 'x') {
            return false;
        }
    }
    return s.len > 0;
}

/* `before` became `after`. */
static void check(const struct optfile_line *before, const struct optfile_line *after)
{
    if (after->kind == OPTFILE_OPTION && is_filled(after->name) && !after->has_value) {
        return;
    }
    if (before->kind != after->kind) {
        abort();
    }
    if (before->kind == OPTFILE_DIRECTIVE || before->kind == OPTFILE_BAD_GROUP ||
        before->kind == OPTFILE_EMPTY) {
        return;
    }
    if (!span_eq(before->name, after->name) && !span_ends(after->name, " ***")) {
        abort();
    }
    if (before->has_value != after->has_value && !span_ends(after->name, " ***")) {
        abort();
    }
    if (!span_eq(before->value, after->value) && !holds(after->value, "***")) {
        abort();
    }
    if (before->kind == OPTFILE_OPTION && span_eq_nocase(before->name, SPAN_LIT("password")) &&
        after->value.len > 0 && !span_starts(after->value, "***")) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 65536) {
        return 0;
    }
    ARENA_AUTO a = arena_new();
    struct span left = {(const char *)data, size}, right = blank(a, left), one, two;
    bool left_split = false, right_split = false;
    while (optfile_next_line(&left, &one, &left_split)) {
        if (!optfile_next_line(&right, &two, &right_split) || left_split != right_split) {
            abort();
        }
        const struct optfile_line before = optfile_lex(a, one), after = optfile_lex(a, two);
        check(&before, &after);
    }
    if (right.len > 0) {
        abort();
    }
    struct buf whole;
    buf_init(&whole, a, size * 2 + 8);
    optfile_blank_secrets(&whole, (struct span){(const char *)data, size}, true);
    if (whole.full) {
        abort();
    }
    struct err err = ERR_INIT;
    struct span doc;
    if (optfile_blank_persisted(a, (struct span){(const char *)data, size}, &doc, &err) &&
        (!optfile_blank_persisted(a, doc, &one, &err) || !span_eq(doc, one))) {
        abort();
    }
    return 0;
}
