/* Arena, spans and buffers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdalign.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "advisor/base/arena.h"
#include "advisor/base/str.h"

#include "advisor/base/banned.h"

static void assert_span(struct span s, const char *expected)
{
    if (!span_eq_text(s, expected))
        fail_msg("\"%.*s\" is not \"%s\"", SPAN_ARG(s), expected);
}

static void test_arena_alloc(void **state)
{
    static const size_t sizes[] = {0, 1, 3, 16, 17, 1000, 65536, 65537, 200000, 5, 1 << 20, 7};
    ARENA_AUTO a = arena_new();
    unsigned char *blocks[ARRAY_LEN(sizes) * 20];
    size_t total = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(blocks); i++) {
        const size_t size = sizes[i % ARRAY_LEN(sizes)];

        blocks[i] = arena_alloc(a, size);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % alignof(max_align_t), 0);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(blocks[i][k], 0);
        memset(blocks[i], (int)(i % 251) + 1, size);
        total += size;
    }
    for (size_t i = 0; i < ARRAY_LEN(blocks); i++) {
        for (size_t k = 0; k < sizes[i % ARRAY_LEN(sizes)]; k++)
            assert_int_equal(blocks[i][k], (int)(i % 251) + 1);
    }
    assert_int_equal(arena_used(a), total);
    arena_free(NULL);
}

static void test_arena_grow(void **state)
{
    ARENA_AUTO a = arena_new();
    char *text = arena_grow(a, NULL, 0, 4);

    (void)state;
    assert_memory_equal(text, "\0\0\0\0", 4);
    memcpy(text, "abcd", 4);
    text = arena_grow(a, text, 4, 8); /* may be in place */
    assert_memory_equal(text, "abcd\0\0\0\0", 8);
    arena_alloc(a, 1);
    char *const moved = arena_grow(a, text, 8, 16); /* no longer the last */

    assert_ptr_not_equal(moved, text);
    assert_memory_equal(moved, "abcd\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    text = arena_grow(a, moved, 16, 300000);
    assert_memory_equal(text, "abcd", 4);
    assert_int_equal(text[299999], 0);
    assert_memory_equal(arena_grow(a, text, 4, 4), "abcd", 4);
}

static void test_arena_text(void **state)
{
    ARENA_AUTO a = arena_new();

    (void)state;
    assert_string_equal(arena_strdup(a, "text"), "text");
    assert_string_equal(arena_strndup(a, "text", 2), "te");
    assert_string_equal(arena_strndup(a, NULL, 0), "");
    assert_string_equal(arena_printf(a, "%s %d", "x", 5), "x 5");
    assert_string_equal(arena_printf(a, "%s", ""), "");
}

/* What each child asks for; every one of them must end with status 2. */
static void ask_too_much(int which, struct arena *a)
{
    switch (which) {
    case 0:
        arena_alloc(a, SIZE_MAX);
        break;
    case 1:
        arena_calloc(a, SIZE_MAX / 2, 3);
        break;
    case 2:
        arena_grow(a, NULL, 0, SIZE_MAX - 8);
        break;
    default:
        arena_strndup(a, "", SIZE_MAX);
        break;
    }
}

static void test_arena_exhausted(void **state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        ARENA_AUTO a = arena_new();
        int out[2];
        char text[64] = "";

        assert_int_equal(pipe(out), 0);
        const pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0) {
            dup2(out[1], STDERR_FILENO);
            ask_too_much(which, a);
            _exit(0);
        }
        int status = 0;

        close(out[1]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 2);
        assert_true(read(out[0], text, sizeof(text) - 1) > 0);
        assert_string_equal(text, "nvadvise: out of memory\n");
        close(out[0]);
    }
}

static void test_span_eq_cmp(void **state)
{
    static const struct {
        const char *a, *b;
        int order;
        bool nocase;
    } rows[] = {
        {"", "", 0, true},     {"a", "", 1, false},     {"a", "a", 0, true},
        {"a", "A", 1, true},   {"ab", "aB", 1, true},   {"a", "ab", -1, false},
        {"b", "ab", 1, false}, {"\xff", "a", 1, false}, {"[", "{", -1, false},
        {"@", "`", -1, false}, {"Z", "z", -1, true},    {"\xc4", "\xe4", -1, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct span a = span_of(rows[i].a);
        const struct span b = span_of(rows[i].b);

        assert_int_equal(span_cmp(a, b), rows[i].order);
        assert_int_equal(span_cmp(b, a), -rows[i].order);
        assert_int_equal(span_eq(a, b), rows[i].order == 0);
        assert_int_equal(span_eq_nocase(a, b), rows[i].nocase);
    }
    assert_true(span_eq(span_of(NULL), (struct span){NULL, 0}));
    assert_int_equal(span_cmp((struct span){NULL, 0}, SPAN_LIT("a")), -1);
    assert_false(span_eq(SPAN_LIT("a\0b"), SPAN_LIT("a\0c")));
}

static void test_span_parts(void **state)
{
    const struct span s = SPAN_LIT("abcdef");

    (void)state;
    assert_true(span_starts(s, "abc") && span_starts(s, "") && span_starts(s, "abcdef"));
    assert_false(span_starts(s, "abcdefg") || span_starts(s, "b"));
    assert_true(span_ends(s, "def") && span_ends(s, "") && span_ends(s, "abcdef"));
    assert_false(span_ends(s, "xabcdef") || span_ends(s, "e"));
    assert_true(span_has(s, 'f') && span_has(SPAN_LIT("a\0"), '\0'));
    assert_false(span_has(s, 'x') || span_has((struct span){NULL, 0}, 'x'));
    assert_span(span_sub(s, 2, 2), "cd");
    assert_span(span_sub(s, 4, SIZE_MAX), "ef");
    assert_span(span_sub(s, 6, 1), "");
    assert_span(span_sub(s, SIZE_MAX, SIZE_MAX), "");
    assert_span(span_sub((struct span){NULL, 0}, 1, 1), "");
    assert_span(span_trim(SPAN_LIT(" \t\r\na b\n ")), "a b");
    assert_span(span_trim(SPAN_LIT(" \n ")), "");
    assert_span(span_trim((struct span){NULL, 0}), "");
}

/* Joins what `take` yields with '|'. */
static const char *pieces(struct arena *a, const char *text, char mode)
{
    struct span rest = span_of(text);
    struct span piece = {"", 0};
    struct buf b;

    buf_init(&b, a, 100);
    while (mode == 'w'   ? span_word(&rest, &piece)
           : mode == 'l' ? span_line(&rest, &piece)
                         : span_split(&rest, mode, &piece)) {
        buf_add_span(&b, piece);
        buf_add_char(&b, '|');
    }
    return b.ptr;
}

static void test_span_pieces(void **state)
{
    static const struct {
        char mode;
        const char *text, *out;
    } rows[] = {
        {',', "", ""},           {',', "a", "a|"},    {',', "a,b", "a|b|"},
        {',', "a,", "a|"},       {',', ",a", "|a|"},  {',', ",,", "||"},
        {'w', "", ""},           {'w', " \t ", ""},   {'w', " ab  c\n", "ab|c|"},
        {'w', "a", "a|"},        {'l', "", ""},       {'l', "a", "a|"},
        {'l', "a\nb\n", "a|b|"}, {'l', "\n\n", "||"}, {'l', "a\r\nb\rc\r", "a|b\rc|"},
    };
    ARENA_AUTO a = arena_new();

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        assert_string_equal(pieces(a, rows[i].text, rows[i].mode), rows[i].out);
}

static void test_span_copies(void **state)
{
    ARENA_AUTO a = arena_new();
    const struct span copy = span_copy(a, SPAN_LIT("a\0b"));

    (void)state;
    assert_int_equal(copy.len, 3);
    assert_memory_equal(copy.ptr, "a\0b\0", 4);
    assert_string_equal(span_dup(a, SPAN_LIT("xyz")), "xyz");
    assert_string_equal(span_dup(a, (struct span){NULL, 0}), "");
}

static void test_buf_limit(void **state)
{
    ARENA_AUTO a = arena_new();
    struct buf b;

    (void)state;
    buf_init(&b, a, 10);
    assert_string_equal(b.ptr, "");
    buf_add_text(&b, "12345");
    buf_add_char(&b, '6');
    buf_add_span(&b, (struct span){NULL, 0});
    buf_printf(&b, "%d", 7890);
    assert_string_equal(b.ptr, "1234567890");
    assert_false(b.full);
    buf_add_text(&b, "");
    assert_false(b.full);
    buf_add_char(&b, 'x');
    assert_true(b.full);
    buf_add_text(&b, "y");
    assert_span(buf_span(&b), "1234567890");

    buf_init(&b, a, 3);
    buf_add_text(&b, "abcd");
    assert_true(b.full);
    assert_string_equal(b.ptr, "abc");

    buf_init(&b, a, 3);
    buf_printf(&b, "%s", "abcd");
    assert_true(b.full);
    assert_string_equal(b.ptr, "abc");
    buf_printf(&b, "%s", "");
    assert_string_equal(b.ptr, "abc");

    buf_init(&b, a, 0);
    buf_add_char(&b, 'x');
    assert_true(b.full);
    assert_string_equal(b.ptr, "");
}

static void test_buf_grows(void **state)
{
    ARENA_AUTO a = arena_new();
    struct buf b;

    (void)state;
    buf_init(&b, a, SIZE_MAX);
    for (int i = 0; i < 50000; i++) {
        buf_add(&b, "\0x", 2);
        if (i % 1000 == 0)
            arena_alloc(a, 8); /* growing in place is no longer possible */
    }
    assert_int_equal(b.len, 100000);
    for (size_t i = 0; i < b.len; i++)
        assert_int_equal(b.ptr[i], i % 2 == 0 ? 0 : 'x');
    assert_false(b.full);
}

static void test_utf8(void **state)
{
    static const struct {
        const char *text;
        bool ok;
        const char *shown;
    } rows[] = {
        {"", true, ""},
        {"plain \\ text", true, "plain \\ text"},
        {"\xc3\xa4", true, "\xc3\xa4"},
        {"\xe2\x82\xac", true, "\xe2\x82\xac"},
        {"\xf0\x9f\x98\x80", true, "\xf0\x9f\x98\x80"},
        {"\xed\x9f\xbf\xee\x80\x80", true, "\xed\x9f\xbf\xee\x80\x80"},
        {"\xf4\x8f\xbf\xbf", true, "\xf4\x8f\xbf\xbf"},
        {"\xf1\x80\x80\x80", true, "\xf1\x80\x80\x80"},
        {"\xe0\xa0\x80", true, "\xe0\xa0\x80"},
        {"a\x1b[31m\n\x7f", true, "a\\x1b[31m\\x0a\\x7f"},
        {"\xc2\x9b"
         "1",
         true, "\\xc2\\x9b1"},
        {"\xc2\xa0", true, "\xc2\xa0"},
        {"\x80", false, "\\x80"},
        {"\xc0\xaf", false, "\\xc0\\xaf"},
        {"\xc1\xbf", false, "\\xc1\\xbf"},
        {"\xe0\x9f\xbf", false, "\\xe0\\x9f\\xbf"},
        {"\xed\xa0\x80", false, "\\xed\\xa0\\x80"},
        {"\xf0\x8f\xbf\xbf", false, "\\xf0\\x8f\\xbf\\xbf"},
        {"\xf4\x90\x80\x80", false, "\\xf4\\x90\\x80\\x80"},
        {"\xf5\x80\x80\x80", false, "\\xf5\\x80\\x80\\x80"},
        {"\xff", false, "\\xff"},
        {"\xc3", false, "\\xc3"},
        {"\xe2\x82", false, "\\xe2\\x82"},
        {"\xe2\x82"
         "a",
         false,
         "\\xe2\\x82"
         "a"},
        {"\xf0\x9f\x98", false, "\\xf0\\x9f\\x98"},
        {"\xc3\xc3\xa4", false, "\\xc3\xc3\xa4"},
        {"\xc3"
         "a",
         false,
         "\\xc3"
         "a"},
    };
    ARENA_AUTO a = arena_new();

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf b;

        buf_init(&b, a, 100);
        buf_add_escaped(&b, span_of(rows[i].text));
        assert_string_equal(b.ptr, rows[i].shown);
        assert_int_equal(span_is_utf8(span_of(rows[i].text)), rows[i].ok);
        assert_true(span_is_utf8(buf_span(&b)));
    }
}

static void test_escaped_limit(void **state)
{
    ARENA_AUTO a = arena_new();
    struct buf b;

    (void)state;
    buf_init(&b, a, 100);
    buf_add_escaped(&b, SPAN_LIT("a\0b"));
    assert_string_equal(b.ptr, "a\\x00b");
    /* No sequence and no escape is cut in the middle, whatever the maximum. */
    for (size_t max = 0; max < 12; max++) {
        buf_init(&b, a, max);
        buf_add_escaped(&b, SPAN_LIT("\xe2\x82\xac\x01\xe2\x82\xac"));
        assert_int_equal(b.full, max < 10);
        assert_int_equal(b.len, max < 3 ? 0 : max < 7 ? 3 : max < 10 ? 7 : 10);
    }
}

static void test_shell(void **state)
{
    static const struct {
        const char *from, *to;
    } rows[] = {
        {"/etc/my.cnf.d", "/etc/my.cnf.d"}, {"", "''"}, {"a b;c$d", "'a b;c$d'"},
        {"it's", "'it'\\''s'"}, {"~", "'~'"},
        {"a\nb'c\\", "$'a\\x0ab\\x27c\\x5c'"},
        {"\n'$(id)'", "$'\\x0a\\x27$(id)\\x27'"},
        {"/srv/donn\xc3\xa9" "es", "'/srv/donn\xc3\xa9" "es'"},
        {"\xc3(", "$'\\xc3('"}, {"\xc2\x9b", "$'\\xc2\\x9b'"},
    };
    ARENA_AUTO a = arena_new();

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf b;

        buf_init(&b, a, 100);
        buf_add_shell(&b, span_of(rows[i].from));
        assert_string_equal(b.ptr, rows[i].to);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_alloc), cmocka_unit_test(test_arena_grow),
        cmocka_unit_test(test_arena_text),  cmocka_unit_test(test_arena_exhausted),
        cmocka_unit_test(test_span_eq_cmp), cmocka_unit_test(test_span_parts),
        cmocka_unit_test(test_span_pieces), cmocka_unit_test(test_span_copies),
        cmocka_unit_test(test_buf_limit),   cmocka_unit_test(test_buf_grows),
        cmocka_unit_test(test_utf8),        cmocka_unit_test(test_escaped_limit),
        cmocka_unit_test(test_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
