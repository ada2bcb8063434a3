/* One option file out of all options: what the servers' reader reads back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "advisor/scratch/flat.h"
#include "probes/optfile.h"

#include "advisor/base/banned.h"

static struct optline line(const char *name, const char *value)
{
    return (struct optline){.file = SPAN_LIT("/f"),
                            .group = SPAN_LIT("mysqld"),
                            .name = span_of(name),
                            .value = span_of(value),
                            .has_value = value != NULL,
                            .line = 1};
}

/* Write it, read it back as the servers do, compare. */
static void round_trip(struct arena *a, const struct optline *lines, size_t n)
{
    struct buf b;
    struct optfile o;
    struct err err = ERR_INIT;
    const struct optfile_io io = {.home = NULL};
    buf_init(&b, a, 1 << 20);
    flat_print(lines, n, NULL, &b);
    optfile_init(&o, a);
    const struct optfile_text text = {buf_span(&b), S_IFREG | 0644, 0, 0};
    if (!optfile_read_text(&o, &io, "/f", &text, &err)) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(o.n_options, n);
    for (size_t i = 0; i < n; i++) {
        assert_true(span_eq_text(o.options[i].group, "mysqld"));
        assert_true(span_eq(o.options[i].name, lines[i].name));
        assert_int_equal(o.options[i].has_value, lines[i].has_value);
        if (!span_eq(o.options[i].value, lines[i].value)) {
            fail_msg("'%.*s' became '%.*s'", SPAN_ARG(lines[i].value),
                     SPAN_ARG(o.options[i].value));
        }
    }
}

static void test_values(void **state)
{
    (void)state;
    static const char *const values[] = {
        NULL,
        "",
        "1G",
        "a b",
        " lead",
        "trail ",
        "a#b",
        "#",
        ";x",
        "it's",
        "\"quoted\"",
        "back\\slash",
        "\\n",
        "tab\there",
        "new\nline",
        "cr\rhere",
        "'",
        "\"",
        "\\",
        "a=b",
        "[x]",
        "!include /x",
        "\\'",
        "\b",
        "caf\xc3\xa9",
        "\x01\x7f",
        "a\\#b",
        "\"#",
        "/var/lib/mysql:/tmp",
    };
    ARENA_AUTO a = arena_new();
    struct optline lines[ARRAY_LEN(values)];
    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        lines[i] = line("some-name", values[i]);
    }
    round_trip(a, lines, ARRAY_LEN(values));
}

/* Every byte but NUL, in every place of a short value. */
static void test_bytes(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    for (unsigned c = 1; c < 256; c++) {
        const char text[4][4] = {
            {(char)c}, {(char)c, 'x'}, {'x', (char)c}, {(char)c, '\\', (char)c}};
        struct optline lines[4];
        for (size_t i = 0; i < 4; i++) {
            lines[i] = line("n2", text[i]);
        }
        round_trip(a, lines, 4);
    }
}

static void test_fates(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    char *const longest = arena_alloc(a, 5000);
    memset(longest, 'x', 4999);
    const struct {
        struct optline line;
        enum flat_fate fate;
    } rows[] = {
        {line("innodb_io_capacity", "1"), FLAT_WRITTEN},
        {line("skip-name-resolve", NULL), FLAT_WRITTEN},
        {line("validate_password.policy", "LOW"), FLAT_WRITTEN},
        {line("initialize-insecure", NULL), FLAT_ACTION},
        {line("Daemonize", NULL), FLAT_ACTION},
        {line("loose_user", "mysql"), FLAT_ACTION},
        {line("ssl_key_password", "***"), FLAT_SECRET},
        {line("u", "mysql"), FLAT_UNWRITABLE},
        {line("a b", "1"), FLAT_UNWRITABLE},
        {line("[mysqld]", NULL), FLAT_UNWRITABLE},
        {line("a\nb", NULL), FLAT_UNWRITABLE},
        {line("", "1"), FLAT_UNWRITABLE},
        {line("long_one", longest), FLAT_UNWRITABLE},
        {{.name = SPAN_LIT("nul"), .value = {"a\0b", 3}, .has_value = true}, FLAT_UNWRITABLE},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (flat_fate(&rows[i].line) != rows[i].fate) {
            fail_msg("'%.*s': %d", SPAN_ARG(rows[i].line.name), (int)flat_fate(&rows[i].line));
        }
    }
}

static void test_left_out(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct optline lines[] = {line("aa", "1"), line("user", "mysql"), line("bb", "2")};
    const bool skip[] = {true, false, false};
    struct buf b;
    buf_init(&b, a, 1000);
    flat_print(lines, 3, skip, &b);
    assert_string_equal(b.ptr, "[mysqld]\nbb=2\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_fates),
        cmocka_unit_test(test_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
