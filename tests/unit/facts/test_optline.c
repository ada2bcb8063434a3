/* Option lines as words: what is written reads back byte for byte, and what is no word is refused.
 */
#include "tests/unit/facts/fixture.h"

#include <string.h>

#include "advisor/facts/optline.h"

#include "advisor/base/banned.h"

static const char *word(struct arena *a, const struct optline *l)
{
    struct buf b;
    buf_init(&b, a, 4096);
    optline_print(&b, l);
    return b.ptr;
}

static const char *place(struct arena *a, const struct optline *l)
{
    struct buf b;
    buf_init(&b, a, 4096);
    optline_place(&b, l);
    return b.ptr;
}

static void check_back(struct arena *a, const struct optline *l)
{
    struct optline back;
    const char *text = word(a, l);
    assert_true(span_is_utf8(span_of(text)));
    assert_true(optline_read(a, span_of(text), &back));
    assert_true(span_eq(back.file, l->file));
    assert_true(span_eq(back.group, l->group));
    assert_true(span_eq(back.name, l->name));
    assert_true(span_eq(back.value, l->value));
    assert_int_equal(back.has_value, l->has_value);
    assert_int_equal(back.line, l->line);
}

#define LINE(f, n, g, k, has, v)                                                                   \
    {                                                                                              \
        SPAN_LIT(f), SPAN_LIT(g), SPAN_LIT(k), SPAN_LIT(v), has, n                                 \
    }

static void test_words(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct {
        struct optline line;
        const char *word, *place;
    } rows[] = {
        {LINE("/etc/my.cnf", 12, "mysqld", "innodb_io-capacity", true, "200"),
         "/etc/my.cnf:12:[mysqld]innodb_io-capacity=200", "/etc/my.cnf:12"},
        {LINE("/etc/my.cnf", 1, "mysqld", "log-bin", true, ""),
         "/etc/my.cnf:1:[mysqld]log-bin=", "/etc/my.cnf:1"},
        {LINE("/etc/my.cnf", 1, "mysqld", "log-bin", false, ""), "/etc/my.cnf:1:[mysqld]log-bin",
         "/etc/my.cnf:1"},
        {LINE("/a:b%/c", 4294967295u, "x]%y", "n=%a", true, "a=b]:%41 #\n\x7f"),
         "/a%3Ab%25/c:4294967295:[x%5D%25y]n%3D%25a=a=b]:%2541 #%0A%7F", "/a:b%/c:4294967295"},
        {LINE("/d/\xff.cnf", 3, "m\xc3\xbc", "", true, "\xc3\xbc\xc3"),
         "/d/%FF.cnf:3:[m\xc3\xbc]=%C3%BC%C3", "/d/\xff.cnf:3"},
        {LINE(OPTLINE_COMMAND_LINE, 2, "", "datadir", true, "/srv"),
         "(command line):2:[]datadir=/srv", "command line"},
        {LINE(OPTLINE_ENVIRONMENT, 0, "", "x", false, ""), "(environment):0:[]x", "environment"},
        {LINE("/srv/mysqld-auto.cnf", 0, OPTLINE_PERSISTED, "x", false, ""),
         "/srv/mysqld-auto.cnf:0:[(persisted)]x", "mysqld-auto.cnf"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_string_equal(word(a, &rows[i].line), rows[i].word);
        assert_string_equal(place(a, &rows[i].line), rows[i].place);
        check_back(a, &rows[i].line);
    }
}

static void test_every_byte(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    for (unsigned c = 0; c < 256; c++) {
        char text[3] = {'a', (char)c, 'z'};
        const struct span s = {text, sizeof(text)};
        const struct optline l = {s, s, s, s, true, c};
        check_back(a, &l);
    }
}

static void test_refuses(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const char *const bad[] = {
        "",
        "x",
        "/f",
        "/f:1",
        "/f:1:",
        "/f:1:x=y",
        "/f:1:[mysqld",
        ":1:[mysqld]x",
        "/f:-1:[mysqld]x",
        "/f::[mysqld]x",
        "/f:4294967296:[mysqld]x",
        "/f:1a:[mysqld]x",
        "/f%:1:[mysqld]x",
        "/f%4:1:[mysqld]x",
        "/f:1:[my%zz]x",
        "/f:1:[mysqld]x%a1",
        "/f:1:[mysqld]x=%",
        "/f:1:[mysqld]x=%4",
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct optline l = {.line = 77};
        if (optline_read(a, span_of(bad[i]), &l)) {
            fail_msg("'%s' is no option line", bad[i]);
        }
        assert_int_equal(l.line, 77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_every_byte),
        cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
