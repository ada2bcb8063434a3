/* What the tests of server_options.h share: words, lists and lines as text. */
#ifndef NVADVISE_TESTS_UNIT_PROBES_OPTION_TEXTS_H
#define NVADVISE_TESTS_UNIT_PROBES_OPTION_TEXTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/server_options.h"

#define WORDS_MAX 16

/* Words of a command line, or "a b c" of a list. */
static inline size_t words(const char *text, struct span list[WORDS_MAX])
{
    struct span rest = span_of(text), one;
    size_t n = 0;
    while (n < WORDS_MAX && span_word(&rest, &one)) {
        list[n++] = one;
    }
    return n;
}

static inline const char *join(struct arena *a, const char *const *list, size_t n)
{
    struct buf b;
    buf_init(&b, a, 65536);
    for (size_t i = 0; i < n; i++) {
        buf_printf(&b, "%s%s", i == 0 ? "" : " ", list[i]);
    }
    return b.ptr;
}

static inline const char *lines_text(struct arena *a, const struct optline *lines, size_t n)
{
    struct buf b;
    buf_init(&b, a, 65536);
    for (size_t i = 0; i < n; i++) {
        buf_add_text(&b, i == 0 ? "" : " ");
        optline_print(&b, &lines[i]);
    }
    return b.ptr;
}

static inline struct version version(const char *text)
{
    struct version v = {{0}, 0};
    if (text[0] != '\0') {
        assert_true(version_parse(span_of(text), &v));
    }
    return v;
}

#endif
