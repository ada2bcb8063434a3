/* Option files: which paths are opened, in which directories, and what became of each file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "probes/optfile.h"
#include "tests/lib/fakefiles.h"

#include "advisor/base/banned.h"

/* What strace showed my_print_defaults open. */
static void test_paths(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const struct {
        const char *written, *home, *path;
    } rows[] = {
        {"/etc/my.cnf", NULL, "/etc/my.cnf"},
        {"/tmp//a/./sym/../x.cnf", NULL, "/tmp/a/x.cnf"},
        {"/a/../../b/x", NULL, "/b/x"},
        {"/a/..", NULL, "/a/.."},
        {"/a/.", NULL, "/a/."},
        {"/a/b/..//", NULL, "/a/"},
        {"//", NULL, "/"},
        {"/", NULL, "/"},
        {"~/x.cnf", "/h", "/h/x.cnf"},
        {"~/x.cnf", "/h/", "/h/x.cnf"},
        {"~/x.cnf", "", "/x.cnf"},
        {"~/x.cnf", NULL, "~/x.cnf"},
        {"~/x.cnf", "h", "h/x.cnf"},
        {"~user/x.cnf", "/h", "~user/x.cnf"},
        {"../x.cnf", "/h", "../x.cnf"},
        {"", "/h", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_string_equal(optfile_path(a, span_of(rows[i].written), rows[i].home), rows[i].path);
    }
}

static void test_dirs_and_states(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct fake_file files[] = {
        {"/m", "[a]\n!includedir /d/\n!includedir /e\n!include /d/../i\n!include /none\n", 0},
        {"/d/x.cnf", "[b]\nx=1\n", 0},
        {"/d/y.ini", "[b]\nx=1\n", 0},
        {"/e/x.cnf", NULL, 0},
        {"/i", "[c]\n!includedir /d\n[\n", 0},
        {NULL, NULL, 0}};
    const struct optfile_io io = fakefiles_io(a, files, NULL);
    struct optfile o;
    struct err err = ERR_INIT;
    optfile_init(&o, a);
    assert_true(optfile_read(&o, &io, "/m", false, &err));
    static const struct {
        const char *path;
        enum optfile_file_state state;
        enum err_code code;
    } want[] = {
        {"/m", OPTFILE_READ, E_NONE},           {"/d/x.cnf", OPTFILE_READ, E_NONE},
        {"/d/y.ini", OPTFILE_MISNAMED, E_NONE}, {"/e/x.cnf", OPTFILE_UNREADABLE, E_DENIED},
        {"/i", OPTFILE_BROKEN, E_SYNTAX},       {"/d/x.cnf", OPTFILE_READ, E_NONE},
        {"/d/y.ini", OPTFILE_MISNAMED, E_NONE}, {"/none", OPTFILE_UNREADABLE, E_ABSENT},
    };
    assert_int_equal(o.n_files, ARRAY_LEN(want));
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        assert_string_equal(o.files[i].path, want[i].path);
        assert_int_equal(o.files[i].state, want[i].state);
        assert_int_equal(o.files[i].code, want[i].code);
    }
    assert_int_equal(o.n_dirs, 3);
    assert_string_equal(o.dirs[0].path, "/d");
    assert_string_equal(o.dirs[1].path, "/e");
    assert_string_equal(o.dirs[2].path, "/d");
    assert_string_equal(o.dirs[2].file, "/i");
    assert_int_equal(o.dirs[2].line, 2);
}

static void test_long_paths_are_passed_over(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    char path[OPTFILE_PATH_MAX + 2];
    memset(path, 'x', sizeof(path));
    path[0] = '/';
    for (size_t len = OPTFILE_PATH_MAX; len <= OPTFILE_PATH_MAX + 1; len++) {
        path[len] = '\0';
        const struct fake_file files[] = {
            {"/m", arena_printf(a, "[a]\n!include %s\ny=1\n", path), 0},
            {path, "[a]\nx=1\n", 0},
            {NULL, NULL, 0}};
        const struct optfile_io io = fakefiles_io(a, files, NULL);
        struct optfile o;
        struct err err = ERR_INIT;
        optfile_init(&o, a);
        assert_true(optfile_read(&o, &io, "/m", false, &err));
        assert_int_equal(o.n_options, len == OPTFILE_PATH_MAX ? 2 : 1);
        path[len] = 'x';
    }
}

static void test_text_in_place_of_a_file(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct fake_file files[] = {{"/i", "[a]\nx=1\n", 0}, {NULL, NULL, 0}};
    const struct optfile_io io = fakefiles_io(a, files, NULL);
    const struct optfile_text text = {SPAN_LIT("[a]\n!include /i\ny=1\n"), 0, 0, 0};
    struct optfile o;
    struct err err = ERR_INIT;
    optfile_init(&o, a);
    assert_true(optfile_read_text(&o, &io, "/not/there", &text, &err));
    assert_int_equal(o.n_options, 2);
    assert_string_equal(o.options[1].file, "/not/there");
    assert_int_equal(o.options[1].line, 3);
}

/* What MySQL 9.7 made of such files (--print-defaults). */
static void test_whole_lines(void **state)
{
    (void)state;
    const struct {
        struct span text;
        const char *options; /* "line:name=value " */
    } rows[] = {
        {SPAN_LIT("[a]\nx=1\ny\n"), "2:x=1 3:y "},
        {SPAN_LIT("[a]\nx=1"), "2:x=1 "},
        {SPAN_LIT("[a]\nx=1\0junk\ny=2\nz\n"), "2:x=1y=2 4:z "},
        {SPAN_LIT("[a]\nx=1\0\ny=2\nz\n"), "2:x=1y=2 4:z "},
        {SPAN_LIT("[a]\n\0x=1\ny=2\n"), ""},
        {SPAN_LIT("[a]\nx=1\0"), "2:x=1 "},
        {SPAN_LIT("[a]\n# x\0y\nz\nv\n"), "4:v "},
        {SPAN_LIT("[a]\0z\nx\nv\n"), "3:v "},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        static const struct fake_file none[] = {{NULL, NULL, 0}};
        struct optfile_io io = fakefiles_io(a, none, NULL);
        const struct optfile_text text = {rows[i].text, 0, 0, 0};
        struct optfile o;
        struct err err = ERR_INIT;
        struct buf b;
        buf_init(&b, a, 4096);
        io.whole_lines = true;
        optfile_init(&o, a);
        assert_true(optfile_read_text(&o, &io, "/m", &text, &err));
        for (size_t k = 0; k < o.n_options; k++) {
            buf_printf(&b, "%u:%.*s%s%.*s ", o.options[k].line, SPAN_ARG(o.options[k].name),
                       o.options[k].has_value ? "=" : "", SPAN_ARG(o.options[k].value));
        }
        assert_string_equal(b.ptr, rows[i].options);
    }
}

/* MySQL 9.7 cuts a directive at its '#'; others take it for part of the path. */
static void test_comments_behind_directives(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n, n_cut; /* options, -1: fatal */
    } rows[] = {
        {"[a]\n!include /i # c\ny=1\n", 1, 2},
        {"[a]\n!include /i# c\ny=1\n", 1, 2},
        {"[a]\n  !includedir /d\t#c\ny=1\n", (size_t)-1, 2},
        {"[a]\n!include /i ; c\ny=1\n", 1, 1},
        {"[a]\n!include # c\ny=1\n", 1, (size_t)-1},
        {"[a]\n!include '/i # c'\ny=1\n", 1, 1},
        {"[a]\n!include /i\ny=1 # c\n", 2, 2},
    };
    for (size_t i = 0; i < 2 * ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        const struct fake_file files[] = {
            {"/i", "[a]\nx=1\n", 0}, {"/d/a.cnf", "[a]\nx=2\n", 0}, {NULL, NULL, 0}};
        struct optfile_io io = fakefiles_io(a, files, NULL);
        const struct optfile_text text = {span_of(rows[i / 2].text), 0, 0, 0};
        const size_t want = i % 2 == 0 ? rows[i / 2].n : rows[i / 2].n_cut;
        struct optfile o;
        struct err err = ERR_INIT;
        io.directive_comments = i % 2 == 1;
        optfile_init(&o, a);
        assert_int_equal(optfile_read_text(&o, &io, "/m", &text, &err), want != (size_t)-1);
        if (want != (size_t)-1) {
            assert_int_equal(o.n_options, want);
        }
    }
}

static void test_long_whole_lines(void **state)
{
    (void)state;
    for (size_t len = 4080; len < 8200; len += len == 4110 ? 4060 : 1) {
        ARENA_AUTO a = arena_new();
        static const struct fake_file none[] = {{NULL, NULL, 0}};
        struct optfile_io io = fakefiles_io(a, none, NULL);
        struct optfile o;
        struct err err = ERR_INIT;
        struct buf b;
        buf_init(&b, a, 1 << 16);
        buf_add_text(&b, "[a]\nx=");
        for (size_t i = 0; i < len; i++) {
            buf_add_char(&b, 'v');
        }
        buf_add_text(&b, "\ny\n");
        const struct optfile_text text = {buf_span(&b), 0, 0, 0};
        io.whole_lines = true;
        optfile_init(&o, a);
        assert_true(optfile_read_text(&o, &io, "/m", &text, &err));
        assert_int_equal(o.n_options, 2);
        assert_int_equal(o.options[0].value.len, len);
        assert_int_equal(o.options[1].line, 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_dirs_and_states),
        cmocka_unit_test(test_long_paths_are_passed_over),
        cmocka_unit_test(test_text_in_place_of_a_file),
        cmocka_unit_test(test_whole_lines),
        cmocka_unit_test(test_comments_behind_directives),
        cmocka_unit_test(test_long_whole_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
