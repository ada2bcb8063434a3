/* Option files: lines, groups, includes, limits, hostile bytes. The expected values were taken from
 * my_print_defaults of MariaDB 10.11; test_optfile_compare.c asks that program itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "probes/optfile.h"
#include "tests/lib/fakefiles.h"

#include "advisor/base/banned.h"

/* ---- lines ----------------------------------------------------------------------------------- */

struct line_row {
    const char *line;
    enum optfile_line_kind kind;
    const char *name;
    const char *value; /* NULL = none */
};

static const struct line_row line_rows[] = {
    {"", OPTFILE_EMPTY, "", NULL},
    {"\n", OPTFILE_EMPTY, "", NULL},
    {"  \t\r\n", OPTFILE_EMPTY, "", NULL},
    {"# a = b\n", OPTFILE_EMPTY, "", NULL},
    {"   ; a = b\n", OPTFILE_EMPTY, "", NULL},
    {"[mysqld]\n", OPTFILE_GROUP, "mysqld", NULL},
    {" [mysqld] junk # x\n", OPTFILE_GROUP, "mysqld", NULL},
    {"[mysqld  ]\r\n", OPTFILE_GROUP, "mysqld", NULL},
    {"[ mysqld]\n", OPTFILE_GROUP, " mysqld", NULL},
    {"[]\n", OPTFILE_GROUP, "", NULL},
    {"[  ]\n", OPTFILE_GROUP, "", NULL},
    {"[mysqld\n", OPTFILE_BAD_GROUP, "[mysqld\n", NULL},
    {"a\n", OPTFILE_OPTION, "a", NULL},
    {"a", OPTFILE_OPTION, "a", NULL},
    {"  a  \r\n", OPTFILE_OPTION, "a", NULL},
    {"a=\n", OPTFILE_OPTION, "a", ""},
    {"a =  \n", OPTFILE_OPTION, "a", ""},
    {"a = b = c\n", OPTFILE_OPTION, "a", "b = c"},
    {"two words = v\n", OPTFILE_OPTION, "two words", "v"},
    {"a=b#c\n", OPTFILE_OPTION, "a", "b"},
    {"a#=c\n", OPTFILE_OPTION, "a", NULL},
    {"b;c=1;d\n", OPTFILE_OPTION, "b;c", "1;d"},
    {"a=\"b#c\"\n", OPTFILE_OPTION, "a", "b#c"},
    {"a='b#c'\n", OPTFILE_OPTION, "a", "b#c"},
    {"a=\"b#c\n", OPTFILE_OPTION, "a", "\"b#c"},
    {"a=it's # z\n", OPTFILE_OPTION, "a", "it's # z"},
    {"a=\"b'#\"# c\n", OPTFILE_OPTION, "a", "b'#"},
    {"a=\"b\\\"#c\"\n", OPTFILE_OPTION, "a", "b\"#c"},
    {"a=\"\"\n", OPTFILE_OPTION, "a", ""},
    {"a=\"\n", OPTFILE_OPTION, "a", "\""},
    {"a='b\"\n", OPTFILE_OPTION, "a", "'b\""},
    {"a=\" b \"\n", OPTFILE_OPTION, "a", " b "},
    {"a=\\n\\t\\r\\b\\s\\\\\\\"\\'\\x\n", OPTFILE_OPTION, "a", "\n\t\r\b \\\"'\\x"},
    {"a=b\\\n", OPTFILE_OPTION, "a", "b\\"},
    {"a=\"\\\"\n", OPTFILE_OPTION, "a", "\\"},
    {"a=x\xa0\n", OPTFILE_OPTION, "a", "x"},
    {"a=\xc3\xa0\n", OPTFILE_OPTION, "a", "\xc3"},
    {"a=b\vc\v\n", OPTFILE_OPTION, "a", "b\vc"},
    {"=v\n", OPTFILE_OPTION, "", "v"},
    {"!include /a b \n", OPTFILE_INCLUDE, "include", "/a b"},
    {"! \tinclude\t/a#b\n", OPTFILE_INCLUDE, "include", "/a#b"},
    {"!includedir /d/\r\n", OPTFILE_INCLUDEDIR, "includedir", "/d/"},
    {"!include /ab", OPTFILE_INCLUDE, "include", "/a"},
    {"!include a", OPTFILE_BAD_INCLUDE, "include", ""},
    {"!include a\n", OPTFILE_INCLUDE, "include", "a"},
    {"!include", OPTFILE_DIRECTIVE, "include", NULL},
    {"!include\n", OPTFILE_BAD_INCLUDE, "include", ""},
    {"!includedir  \n", OPTFILE_BAD_INCLUDE, "includedir", ""},
    {"!includes /x\n", OPTFILE_DIRECTIVE, "includes /x", NULL},
    {"!INCLUDE /x\n", OPTFILE_DIRECTIVE, "INCLUDE /x", NULL},
    {"!\n", OPTFILE_DIRECTIVE, "", NULL},
};

static void test_lines(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    for (size_t i = 0; i < ARRAY_LEN(line_rows); i++) {
        const struct line_row *r = &line_rows[i];
        struct optfile_line l = optfile_lex(a, span_of(r->line));
        if (l.kind != r->kind || (r->kind != OPTFILE_EMPTY && !span_eq_text(l.name, r->name)) ||
            (r->value != NULL && (!l.has_value || !span_eq_text(l.value, r->value))) ||
            (r->kind == OPTFILE_OPTION && l.has_value != (r->value != NULL))) {
            fail_msg("line %zu '%s': kind %d name '%.*s' value '%.*s'", i, r->line, (int)l.kind,
                     SPAN_ARG(l.name), SPAN_ARG(l.value));
        }
    }
}

static void test_nul_ends_a_line(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct optfile_line l = optfile_lex(a, SPAN_LIT("a\0b=c\n"));
    assert_int_equal(l.kind, OPTFILE_OPTION);
    assert_true(span_eq_text(l.name, "a"));
    assert_false(l.has_value);
    l = optfile_lex(a, SPAN_LIT("\0b=c\n"));
    assert_int_equal(l.kind, OPTFILE_EMPTY);
}

/* ---- trees ----------------------------------------------------------------------------------- */

struct tree_row {
    const char *name;
    const struct fake_file *files; /* the first one is read */
    const char *options;           /* "group.name=value " in order */
    enum err_code code;
    const char *text;    /* part of the error */
    const char *warning; /* part of a warning; NULL = none may be given */
};

static const struct tree_row tree_rows[] = {
    {"order and groups",
     (const struct fake_file[]){{"/m", "[a]\nx=1\n[b]\ny\n[A]\nx=2\n[mysqld-8.0]\nz=\"q\"\n", 0},
                                {NULL, NULL, 0}},
     "a.x=1 b.y A.x=2 mysqld-8.0.z=q ", E_NONE, NULL, NULL},
    {"crlf, last line without newline",
     (const struct fake_file[]){{"/m", "[a]\r\nx = 1 \r\ny=2", 0}, {NULL, NULL, 0}}, "a.x=1 a.y=2 ",
     E_NONE, NULL, NULL},
    {"option before a group", (const struct fake_file[]){{"/m", "\n\nx=1\n", 0}, {NULL, NULL, 0}},
     "", E_SYNTAX, "/m:3: an option before the first group", NULL},
    {"byte order mark",
     (const struct fake_file[]){{"/m", "\xef\xbb\xbf[a]\nx=1\n", 0}, {NULL, NULL, 0}}, "", E_SYNTAX,
     "/m:1: a byte order mark", NULL},
    {"group without end", (const struct fake_file[]){{"/m", "[a]\nx=1\n[b\n", 0}, {NULL, NULL, 0}},
     "a.x=1 ", E_SYNTAX, "/m:3: a group without ']'", NULL},
    {"include: the includer goes on in its own group",
     (const struct fake_file[]){
         {"/m", "[a]\n!include /i\nx=1\n", 0}, {"/i", "[b]\ny=2\n", 0}, {NULL, NULL, 0}},
     "b.y=2 a.x=1 ", E_NONE, NULL, NULL},
    {"include: no group is inherited, a broken one does not end the includer",
     (const struct fake_file[]){
         {"/m", "[a]\n!include /i\nx=1\n", 0}, {"/i", "y=2\n", 0}, {NULL, NULL, 0}},
     "a.x=1 ", E_NONE, NULL, "/i:1: an option before the first group; the rest of that file"},
    {"include: absent is passed over",
     (const struct fake_file[]){{"/m", "[a]\n!include /i\nx=1\n", 0}, {NULL, NULL, 0}}, "a.x=1 ",
     E_NONE, NULL, NULL},
    {"include: denied is passed over",
     (const struct fake_file[]){
         {"/m", "[a]\n!include /i\nx=1\n", 0}, {"/i", NULL, 0}, {NULL, NULL, 0}},
     "a.x=1 ", E_NONE, NULL, "Permission denied"},
    {"includedir: only .cnf, in byte order, hidden ones first",
     (const struct fake_file[]){{"/m", "!includedir /d\n[a]\nx=0\n", 0},
                                {"/d/z.cnf", "[a]\nx=z\n", 0},
                                {"/d/99-x.cnf", "[a]\nx=99\n", 0},
                                {"/d/100-x.cnf", "[a]\nx=100\n", 0},
                                {"/d/_u.cnf", "[a]\nx=u\n", 0},
                                {"/d/A.cnf", "[a]\nx=A\n", 0},
                                {"/d/.h.cnf", "[a]\nx=h\n", 0},
                                {"/d/a.b.cnf", "[a]\nx=ab\n", 0},
                                {"/d/c.CNF", "[a]\nx=no\n", 0},
                                {"/d/c.conf", "[a]\nx=no\n", 0},
                                {"/d/c.cnf.bak", "[a]\nx=no\n", 0},
                                {"/d/cnf", "[a]\nx=no\n", 0},
                                {NULL, NULL, 0}},
     "a.x=h a.x=100 a.x=99 a.x=A a.x=u a.x=ab a.x=z a.x=0 ", E_NONE, NULL,
     "'/d/c.conf' is not read"},
    {"includedir: absent is fatal",
     (const struct fake_file[]){{"/m", "[a]\nx=1\n!includedir /none\ny=1\n", 0}, {NULL, NULL, 0}},
     "a.x=1 ", E_ABSENT, "'/none'", NULL},
    {"includedir: absent in an included file ends that file",
     (const struct fake_file[]){{"/m", "[a]\n!include /i\nx=1\n", 0},
                                {"/i", "[b]\ny=1\n!includedir /none\nz=1\n", 0},
                                {NULL, NULL, 0}},
     "b.y=1 a.x=1 ", E_NONE, NULL, "'/none'"},
    {"directive without a path",
     (const struct fake_file[]){{"/m", "[a]\n!include \n", 0}, {NULL, NULL, 0}}, "", E_SYNTAX,
     "/m:2: a directive without the path", NULL},
    {"unknown directive",
     (const struct fake_file[]){{"/m", "[a]\n!incluse /x\nx=1\n", 0}, {NULL, NULL, 0}}, "a.x=1 ",
     E_NONE, NULL, "/m:2: no such directive"},
    {"directive on a last line without newline",
     (const struct fake_file[]){
         {"/m", "[a]\n!include /ix", 0}, {"/i", "[b]\nx=1", 0}, {NULL, NULL, 0}},
     "b.x=1 ", E_NONE, NULL, "/m:2: without a newline"},
    {"everybody may write it",
     (const struct fake_file[]){
         {"/m", "[a]\n!include /i\nx=1\n", 0}, {"/i", "[a]\ny=1\n", 0666}, {NULL, NULL, 0}},
     "a.x=1 ", E_NONE, NULL, "'/i' is ignored"},
    {"home",
     (const struct fake_file[]){
         {"/m", "!include ~/i\n", 0}, {"/h/i", "[a]\ny=1\n", 0}, {NULL, NULL, 0}},
     "a.y=1 ", E_NONE, NULL, NULL},
    {"relative", (const struct fake_file[]){{"/m", "!include i\n", 0}, {NULL, NULL, 0}}, "", E_NONE,
     NULL, "/m:1: 'i' is relative"},
    {"absent", (const struct fake_file[]){{NULL, NULL, 0}}, "", E_ABSENT, "'/m'", NULL},
};

static struct span print_options(struct arena *a, const struct optfile *o)
{
    struct buf b;
    buf_init(&b, a, 1 << 20);
    for (size_t i = 0; i < o->n_options; i++) {
        buf_add_span(&b, o->options[i].group);
        buf_add_char(&b, '.');
        buf_add_span(&b, o->options[i].name);
        if (o->options[i].has_value) {
            buf_add_char(&b, '=');
            buf_add_span(&b, o->options[i].value);
        }
        buf_add_char(&b, ' ');
    }
    return buf_span(&b);
}

static void check_tree(const struct tree_row *r)
{
    ARENA_AUTO a = arena_new();
    struct optfile_io io = fakefiles_io(a, r->files, "/h");
    struct optfile o;
    struct err err = ERR_INIT;
    optfile_init(&o, a);
    bool ok = optfile_read(&o, &io, "/m", false, &err);
    if (ok != (r->code == E_NONE) || (!ok && err.code != r->code) ||
        (!ok && strstr(err.text, r->text) == NULL)) {
        fail_msg("%s: ok %d, code %d, '%s'", r->name, ok, (int)err.code, err.text);
    }
    struct span got = print_options(a, &o);
    if (!span_eq_text(got, r->options)) {
        fail_msg("%s: '%.*s' instead of '%s'", r->name, SPAN_ARG(got), r->options);
    }
    bool warned = false;
    for (size_t i = 0; i < o.n_warnings; i++) {
        warned = warned || (r->warning != NULL && strstr(o.warnings[i], r->warning) != NULL);
    }
    if (warned != (r->warning != NULL) || (r->warning == NULL && o.n_warnings > 0)) {
        fail_msg("%s: warning '%s'", r->name, o.n_warnings > 0 ? o.warnings[0] : "");
    }
}

static void test_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(tree_rows); i++) {
        check_tree(&tree_rows[i]);
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void test_depth(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct fake_file files[] = {{"/m", "[a]\n!include /m\nx=1\n", 0}, {NULL, NULL, 0}};
    struct optfile_io io = fakefiles_io(a, files, NULL);
    struct optfile o;
    struct err err = ERR_INIT;
    optfile_init(&o, a);
    assert_true(optfile_read(&o, &io, "/m", false, &err));
    assert_int_equal(o.n_options, OPTFILE_DEPTH_MAX + 1);
    assert_int_equal(o.n_files, OPTFILE_DEPTH_MAX + 1);
    assert_int_equal(o.files[OPTFILE_DEPTH_MAX].depth, OPTFILE_DEPTH_MAX);
    assert_int_equal(o.n_warnings, 1);
}

static void test_fan_out_is_bounded(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct fake_file files[] = {
        {"/m", "[a]\n!include /m\n!include /m\n!include /m\n!include /m\n", 0}, {NULL, NULL, 0}};
    struct optfile_io io = fakefiles_io(a, files, NULL);
    struct optfile o;
    struct err err = ERR_INIT;
    optfile_init(&o, a);
    assert_false(optfile_read(&o, &io, "/m", false, &err));
    assert_int_equal(err.code, E_TOO_BIG);
    assert_int_equal(o.n_files, OPTFILE_FILES_MAX);
}

static void test_too_many_options(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    size_t n = OPTFILE_OPTIONS_MAX + 1;
    char *text = arena_alloc(a, 4 + n * 2 + 1);
    memcpy(text, "[a]\n", 4);
    for (size_t i = 0; i < n; i++) {
        memcpy(text + 4 + i * 2, "x\n", 2);
    }
    const struct fake_file files[] = {{"/m", text, 0}, {NULL, NULL, 0}};
    struct optfile_io io = fakefiles_io(a, files, NULL);
    struct optfile o;
    struct err err = ERR_INIT;
    optfile_init(&o, a);
    assert_false(optfile_read(&o, &io, "/m", false, &err));
    assert_int_equal(err.code, E_TOO_BIG);
    assert_int_equal(o.n_options, OPTFILE_OPTIONS_MAX);
}

static void test_long_lines_are_split(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    char *text = arena_alloc(a, 6000);
    memcpy(text, "[a]\nlong=", 9);
    memset(text + 9, 'x', 5000);
    memcpy(text + 5009, "\nnext=1\n", 9);
    const struct fake_file files[] = {{"/m", text, 0}, {NULL, NULL, 0}};
    struct optfile_io io = fakefiles_io(a, files, NULL);
    struct optfile o;
    struct err err = ERR_INIT;
    optfile_init(&o, a);
    assert_true(optfile_read(&o, &io, "/m", false, &err));
    assert_int_equal(o.n_options, 3);
    assert_int_equal(o.options[0].value.len, OPTFILE_LINE_MAX - 5);
    assert_int_equal(o.options[1].name.len, 5000 - (OPTFILE_LINE_MAX - 5));
    assert_true(span_eq_text(o.options[2].name, "next"));
    assert_int_equal(o.options[2].line, 4);
    assert_int_equal(o.n_warnings, 1);
}

/* ---- lookup ---------------------------------------------------------------------------------- */

static void test_last(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct fake_file files[] = {{"/m", "[a]\nx-y=1\n[b]\nX_Y=2\n[c]\nx_y=3\n[A]\nz=1\n", 0},
                                      {NULL, NULL, 0}};
    struct optfile_io io = fakefiles_io(a, files, NULL);
    struct optfile o;
    struct err err = ERR_INIT;
    optfile_init(&o, a);
    assert_true(optfile_read(&o, &io, "/m", false, &err));
    const char *const ab[] = {"a", "B"};
    const struct optfile_option *last = optfile_last(&o, ab, 2, "x_y");
    assert_non_null(last);
    assert_true(span_eq_text(last->value, "2"));
    assert_int_equal(last->line, 4);
    assert_true(span_eq_text(optfile_last(&o, ab, 1, "x-y")->value, "1"));
    assert_null(optfile_last(&o, ab, 2, "x_yz"));
    assert_non_null(optfile_last(&o, ab, 1, "z"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_nul_ends_a_line),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_fan_out_is_bounded),
        cmocka_unit_test(test_too_many_options),
        cmocka_unit_test(test_long_lines_are_split),
        cmocka_unit_test(test_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
