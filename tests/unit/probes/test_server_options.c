/* What a server reads: trees of files, command line, SET PERSIST. The expected values
 * were seen on MariaDB 10.11 and 11.8 and MySQL 9.7 (--help, strace). */
#include "tests/unit/probes/option_texts.h"

#include <string.h>

#include "tests/lib/fakefiles.h"

#include "advisor/base/banned.h"

static const struct fake_file plain[] = {
    {"/etc/my.cnf", "[client]\nport=1\n[mysqld]\na=1\n[mysqld-8.0]\nb=1\n[mariadb-10.11]\nc=1\n",
     0},
    {"/etc/mysql/my.cnf", "[Server]\na=2\n!includedir /d\n[mysqldump]\nx=hush\n", 0},
    {"/d/x.cnf", "[mysqld]\na=3\n", 0},
    {"/r/.my.cnf", "[mysqld_x]\na=4\n[mysqld]\nb=4\n", 0},
    {NULL, NULL, 0},
};

static void read_tree(struct arena *a, const struct fake_file *files,
                      const struct server_options_input *in, const char *args,
                      struct server_options *o)
{
    struct span *list = arena_calloc(a, WORDS_MAX, sizeof(*list));
    struct server_options_input with = *in;
    with.args = list;
    with.n_args = words(args, list);
    const struct optfile_io io = fakefiles_io(a, files, NULL);
    server_options_read(&io, &with, a, o);
}

static void test_order(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct server_options o;
    const struct server_options_input in = {
        .version = version("8.0.36"), .home = "/r", .datadir = "/srv/data/"};
    read_tree(a, plain, &in, "mysqld --a=5", &o);
    assert_int_equal(o.end, SERVER_OPTIONS_WHOLE);
    assert_string_equal(lines_text(a, o.lines, o.n_lines),
                        "/etc/my.cnf:4:[mysqld]a=1 /etc/my.cnf:6:[mysqld-8.0]b=1 "
                        "/etc/mysql/my.cnf:2:[Server]a=2 /d/x.cnf:2:[mysqld]a=3 "
                        "/r/.my.cnf:4:[mysqld]b=4 (command line):1:[]a=5");
    assert_string_equal(lines_text(a, o.other_lines, o.n_other_lines),
                        "/etc/my.cnf:2:[client]port /etc/my.cnf:8:[mariadb-10.11]c=1 "
                        "/etc/mysql/my.cnf:5:[mysqldump]x /r/.my.cnf:2:[mysqld_x]a");
    assert_int_equal(o.n_files, 4);
    assert_string_equal(join(a, o.dirs, o.n_dirs), "/d");
    assert_string_equal(o.persisted, "/srv/data/mysqld-auto.cnf");
    assert_int_equal(o.n_warnings, 0);
}

static void test_ends(void **state)
{
    (void)state;
    static const struct {
        const char *name, *args, *text;
        bool mariadb, as_root;
        const char *version;
        enum server_options_end end;
        const char *why;
    } rows[] = {
        {"whole", "mysqld", "[mysqld]\nx=1\n", false, false, "8.0", SERVER_OPTIONS_WHOLE, ""},
        {"fatal line", "mysqld", "x=1\n", false, false, "8.0", SERVER_OPTIONS_FATAL,
         "/etc/my.cnf:1: an option before the first group"},
        {"no such includedir", "mysqld", "[a]\n!includedir /none\n", false, false, "8.0",
         SERVER_OPTIONS_FATAL, "'/none'"},
        {"named file is not there", "mysqld --defaults-file=/none", "", false, false, "8.0",
         SERVER_OPTIONS_FATAL, "'/none'"},
        {"named extra file is not there", "mysqld --defaults-extra-file=/none", "", true, false,
         "10.11", SERVER_OPTIONS_FATAL, "'/none'"},
        {"named file is closed", "mysqld --defaults-file=/closed", "", false, false, "8.0",
         SERVER_OPTIONS_FATAL, "'/closed'"},
        {"named file is closed, but not to root", "mysqld --defaults-file=/closed", "", false, true,
         "8.0", SERVER_OPTIONS_PART, "'/closed'"},
        {"included file is closed", "mysqld", "[a]\n!include /closed\n", false, false, "8.0",
         SERVER_OPTIONS_WHOLE, ""},
        {"included file is closed, but not to root", "mysqld", "[a]\n!include /closed\n", false,
         true, "8.0", SERVER_OPTIONS_PART, "'/closed' is closed to the server's user"},
        {"named file is relative", "mysqld --defaults-file=x", "", false, false, "8.0",
         SERVER_OPTIONS_PART, "'x' is relative"},
        {"included file is relative", "mysqld", "[a]\n!include x\n", false, false, "8.0",
         SERVER_OPTIONS_PART, "'x' could not be looked at"},
        {"includedir is relative", "mysqld", "[a]\n!includedir x\n", false, false, "8.0",
         SERVER_OPTIONS_PART, "'x' is relative"},
        {"a group of an unknown version", "mysqld", "[mysqld-8.0]\nx=1\n", false, false, "",
         SERVER_OPTIONS_PART, "[mysqld-8.0]"},
        {"a group of another flavour", "mysqld", "[mariadb-10.5]\nx=1\n", false, false, "",
         SERVER_OPTIONS_WHOLE, ""},
        {"a group of an unknown version, MariaDB", "mariadbd", "[mariadb-10.5]\nx=1\n", true, false,
         "", SERVER_OPTIONS_PART, "[mariadb-10.5]"},
        {"an empty group of an unknown version", "mysqld", "[mysqld-8.0]\n", false, false, "",
         SERVER_OPTIONS_WHOLE, ""},
        {"fatal outweighs part", "mysqld", "[a]\n!include x\n[b\n", false, false, "8.0",
         SERVER_OPTIONS_FATAL, "/etc/my.cnf:3:"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct server_options o;
        const struct fake_file files[] = {
            {"/etc/my.cnf", rows[i].text, 0}, {"/closed", NULL, 0}, {NULL, NULL, 0}};
        const struct server_options_input in = {.mariadb = rows[i].mariadb,
                                                .version = version(rows[i].version),
                                                .datadir = "/data",
                                                .started_as_root = rows[i].as_root};
        read_tree(a, files, &in, rows[i].args, &o);
        if (o.end != rows[i].end || strstr(o.why.text, rows[i].why) == NULL) {
            fail_msg("%s: %d '%s'", rows[i].name, (int)o.end, o.why.text);
        }
    }
}

static void test_persisted_path(void **state)
{
    (void)state;
    static const struct {
        const char *args, *version, *datadir, *path;
        bool mariadb;
    } rows[] = {
        {"mysqld", "8.0.36", "/data", "/data/mysqld-auto.cnf", false},
        {"mysqld", "", "/data", "/data/mysqld-auto.cnf", false},
        {"mysqld --datadir=/x/", "8.0.36", "/data", "/x/mysqld-auto.cnf", false},
        {"mysqld --loose-datad=/x --datadir=rel", "8.0.36", "/data", "/data/mysqld-auto.cnf",
         false},
        {"mysqld -h /y", "8.0.36", "/data", "/y/mysqld-auto.cnf", false},
        {"mysqld", "5.7.40", "/data", NULL, false},
        {"mysqld", "10.11.18", "/data", NULL, true},
        {"mysqld", "8.0.36", NULL, NULL, false},
        {"mysqld --no-defaults", "8.0.36", "/data", NULL, false},
        {"mysqld --persisted-globals-load=OFF", "8.0.36", "/data", NULL, false},
        {"mysqld --skip_persisted_globals_load", "8.0.36", "/data", NULL, false},
        {"mysqld --persisted_glob=0", "8.0.36", "/data", NULL, false},
        {"mysqld --persisted_globals_load=0 --persisted_globals_load", "8.0.36", "/data",
         "/data/mysqld-auto.cnf", false},
    };
    static const struct fake_file none[] = {{NULL, NULL, 0}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct server_options o;
        const struct server_options_input in = {.mariadb = rows[i].mariadb,
                                                .version = version(rows[i].version),
                                                .datadir = rows[i].datadir};
        read_tree(a, none, &in, rows[i].args, &o);
        if ((o.persisted == NULL) != (rows[i].path == NULL) ||
            (o.persisted != NULL && strcmp(o.persisted, rows[i].path) != 0)) {
            fail_msg("row %zu: '%s'", i, o.persisted == NULL ? "none" : o.persisted);
        }
        assert_int_equal(o.end,
                         rows[i].datadir == NULL ? SERVER_OPTIONS_PART : SERVER_OPTIONS_WHOLE);
    }
}

static void test_persisted(void **state)
{
    (void)state;
    static const struct {
        const char *text, *lines;
    } rows[] = {
        {"{}", "/f:1:[m]x"},
        {"{\"Version\":1,\"mysql_server\":{\"a\":{\"Value\":\"1\"},"
         "\"mysql_server_static_options\":{\"b\":{\"Value\":\"2\"}},\"c\":7,\"d\":{\"Value\":7}}}",
         "/f:1:[m]x /p:0:[(persisted)]a=1 /p:0:[(persisted)]b=2"},
        {"{\"Version\":2,\"mysql_dynamic_variables\":{\"a\":{\"Value\":null}},"
         "\"mysql_static_variables\":{\"c\":{\"Value\":\"x\\u0000=\"}},\"mysql_sensitive_"
         "variables\":"
         "{\"e\":{\"Value\":\"1\"}}}",
         "/f:1:[m]x /p:0:[(persisted)]c=x%00= /p:0:[(persisted)]a="},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct optline first = {SPAN_LIT("/f"), SPAN_LIT("m"), SPAN_LIT("x"), {"", 0}, false, 1};
        struct optline *lines = &first;
        size_t n = 1;
        struct err err = ERR_INIT;
        assert_true(server_options_persisted(a, "/p", span_of(rows[i].text), &lines, &n, &err));
        assert_string_equal(lines_text(a, lines, n), rows[i].lines);
    }
    static const char *const bad[] = {"", "{x", "[1]", "{\"a\":1} x"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        ARENA_AUTO a = arena_new();
        struct optline *lines = NULL;
        size_t n = 0;
        struct err err = ERR_INIT;
        assert_false(server_options_persisted(a, "/p", span_of(bad[i]), &lines, &n, &err));
        assert_int_equal(err.code, E_SYNTAX);
        assert_int_equal(n, 0);
    }
}

/* A drop-in that is not there yet is read where it would be; one that is there is replaced. */
static void test_overlay(void **state)
{
    (void)state;
    static const struct {
        const char *path, *lines;
    } rows[] = {
        {"/d/zz.cnf", "/d/x.cnf:1:[]a=3 /d/zz.cnf:1:[]new"},
        {"/d//a.cnf", "/d/a.cnf:1:[]new /d/x.cnf:1:[]a=3"},
        {"/d/x.cnf", "/d/x.cnf:1:[]new"},
        {"/d/x.conf", "/d/x.cnf:1:[]a=3"},
        {"/elsewhere/x.cnf", "/d/x.cnf:1:[]a=3"},
    };
    static const struct fake_file files[] = {
        {"/m", "!includedir /d/\n", 0}, {"/d/x.cnf", "[]a\n[]\na=3\n", 0}, {NULL, NULL, 0}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        const struct optfile_io io = fakefiles_io(a, files, NULL);
        const struct optfile_io *with =
            optfile_io_with(a, &io, rows[i].path, SPAN_LIT("[]\nnew\n"));
        struct optfile o;
        struct err err = ERR_INIT;
        struct buf b;
        buf_init(&b, a, 4096);
        optfile_init(&o, a);
        assert_true(optfile_read(&o, with, "/m", false, &err));
        for (size_t k = 0; k < o.n_options; k++) {
            const struct optfile_option *f = &o.options[k];
            const struct optline l = {span_of(f->file), f->group,     f->name,
                                      f->value,         f->has_value, 1};
            buf_add_text(&b, k == 0 ? "" : " ");
            optline_print(&b, &l);
        }
        assert_string_equal(b.ptr, rows[i].lines);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),          cmocka_unit_test(test_ends),
        cmocka_unit_test(test_persisted_path), cmocka_unit_test(test_persisted),
        cmocka_unit_test(test_overlay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
