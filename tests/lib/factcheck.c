/* See factcheck.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tests/lib/factcheck.h"

#include "advisor/base/banned.h"

const char *fact_text(const struct store *s, const char *label, const char *name)
{
    const struct subject *sub = store_find_subject(s, label);
    const struct fact *f = sub != NULL ? store_get(s, sub, span_of(name)) : NULL;
    if (f == NULL) {
        return "(none)";
    }
    struct buf b;
    buf_init(&b, store_arena(s), 65536);
    if (f->state == FACT_KNOWN) {
        value_print_literal(&b, &f->value);
    } else {
        buf_printf(&b, "? %s", fact_state_name(f->state));
        assert_non_null(f->reason);
        assert_true(f->reason[0] != '\0');
    }
    assert_non_null(f->source);
    return b.ptr;
}

const char *subject_labels(const struct store *s, enum subject_kind kind)
{
    const struct subject *const *list;
    struct buf b;
    buf_init(&b, store_arena(s), 65536);
    for (size_t i = 0, n = store_subjects_of(s, kind, &list); i < n; i++) {
        buf_printf(&b, "%s%s", i > 0 ? " " : "", list[i]->label);
    }
    return b.ptr;
}

void check_facts(const char *what, const struct store *s, const char *label,
                 const struct fact_want *wants, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *got = fact_text(s, label, wants[i].name);
        if (strcmp(got, wants[i].text) != 0) {
            fail_msg("%s: %s of %s is '%s' instead of '%s'", what, wants[i].name, label, got,
                     wants[i].text);
        }
    }
}
