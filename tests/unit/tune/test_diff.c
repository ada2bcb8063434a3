/* Unified differences, as diff -u makes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "advisor/tune/diff.h"

#include "advisor/base/banned.h"

#define HEAD "--- a\n+++ b\n"

static const struct {
    const char *old_text, *new_text, *want;
} rows[] = {
    {"", "", ""},
    {"x\n", "x\n", ""},
    {"", "x\n", HEAD "@@ -0,0 +1 @@\n+x\n"},
    {"x\n", "", HEAD "@@ -1 +0,0 @@\n-x\n"},
    {"x\n", "y\n", HEAD "@@ -1 +1 @@\n-x\n+y\n"},
    {"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
     HEAD "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"},
    {"a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
     HEAD "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n"},
    {"a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
     HEAD "@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n"},
    {"x", "x\n", HEAD "@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n"},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct buf b;
        buf_init(&b, a, 65536);
        diff_unified(&b, "a", span_of(rows[i].old_text), "b", span_of(rows[i].new_text));
        const char *got = b.len > 0 ? b.ptr : "";
        if (strcmp(got, rows[i].want) != 0) {
            fail_msg("row %zu:\n%s\nwanted\n%s", i, got, rows[i].want);
        }
    }
}

static void test_no_file(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct buf b;
    buf_init(&b, a, 65536);
    diff_unified(&b, NULL, SPAN_LIT(""), "b", SPAN_LIT("x\n"));
    assert_string_equal(b.ptr, "--- /dev/null\n+++ b\n@@ -0,0 +1 @@\n+x\n");
}

/* Past the limit all is replaced; nothing is lost and no table of that size is made. */
static void test_long(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct buf x, b;
    buf_init(&x, a, 1u << 20);
    buf_init(&b, a, 1u << 22);
    for (unsigned i = 0; i < DIFF_LINES_MAX + 5; i++) {
        buf_printf(&x, "%u\n", i);
    }
    diff_unified(&b, "a", buf_span(&x), "b", SPAN_LIT("1\n"));
    assert_int_equal(b.ptr[b.len - 1], '\n');
    assert_non_null(strstr(b.ptr, "\n+1\n"));
    assert_true(b.len > x.len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_no_file),
        cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
