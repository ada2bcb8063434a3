/* A drop-in read back: as the template writes it, and as somebody else left it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "advisor/tune/dropin.h"
#include "templates/template.h"

#include "advisor/base/banned.h"

static const char *const keys[] = {"rule",     "settles",    "mark",     "old_text", "old_origin",
                                   "evidence", "formula", "risk",     "variable", "value"};

static struct json *line(struct arena *a, const char *const texts[])
{
    struct json *j = json_object(a);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        json_set(j, keys[i], json_str(a, texts[i]));
    }
    return j;
}

static struct json *group(struct arena *a, const char *name, struct json *restart,
                          struct json *dynamic)
{
    struct json *g = json_object(a);
    json_set(g, "name", json_str(a, name));
    json_set(g, "restart", restart);
    json_set(g, "has_restart", json_bool(a, restart->n > 0));
    json_set(g, "dynamic", dynamic);
    json_set(g, "has_dynamic", json_bool(a, dynamic->n > 0));
    return g;
}

static struct json *document(struct arena *a)
{
    static const char *const one[] = {"mem-bp-default", "mem-bp-small", "", "128 MiB",
                                      "file /etc/my.cnf", "a = 1, b = 2", "min(1, 2)",
                                      "shrinks (rarely)", "innodb_buffer_pool_size", "19"};
    static const char *const two[] = {"io-capacity-default-200", "", "estimated first step",
                                      "200/s", "compiled", "goes with the line above", "3 * 4",
                                      "", "innodb_io_capacity", "2000"};
    static const char *const three[] = {"x", "", "", "ON", "unknown", "y", "z", "none",
                                        "innodb_log_file_size", "5"};
    static const char *const texts[] = {"file", "tool", "server", "flavour", "version", "profile",
                                        "rules", "confidence_text"};
    static const char *const flags[] = {"overridden", "has_comments", "has_statements"};
    struct json *d = json_object(a), *groups = json_array(a), *restart = json_array(a);
    struct json *dynamic = json_array(a), *versioned = json_array(a);
    json_push(restart, line(a, one));
    json_push(dynamic, line(a, two));
    json_push(versioned, line(a, three));
    json_push(groups, group(a, "mysqld", restart, dynamic));
    json_push(groups, group(a, "mariadb-10.11", versioned, json_array(a)));
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        json_set(d, texts[i], json_str(a, texts[i]));
    }
    for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
        json_set(d, flags[i], json_bool(a, false));
    }
    json_set(d, "has_first_step", json_bool(a, true));
    json_set(d, "groups", groups);
    json_set(d, "comments", json_array(a));
    json_set(d, "statements", json_array(a));
    return d;
}

/* What the template writes comes back member by member. */
static void test_template(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    struct buf out;
    struct dropin_line *l = NULL;
    buf_init(&out, a, TEMPLATE_OUT_MAX);
    const struct template *t = template_builtin(a, "my.cnf", &err);
    assert_non_null(t);
    assert_true(template_render(t, document(a), &out, &err));
    assert_int_equal(dropin_read(a, buf_span(&out), &l), 3);
    assert_string_equal(l[0].group, "mysqld");
    assert_string_equal(l[0].variable, "innodb_buffer_pool_size");
    assert_string_equal(l[0].value, "19");
    assert_string_equal(l[0].rule, "mem-bp-default");
    assert_string_equal(l[0].settles, "mem-bp-small");
    assert_string_equal(l[0].mark, "");
    assert_string_equal(l[0].was, "128 MiB");
    assert_string_equal(l[0].origin, "file /etc/my.cnf");
    assert_string_equal(l[0].facts, "a = 1, b = 2");
    assert_string_equal(l[0].formula, "min(1, 2)");
    assert_string_equal(l[0].risk, "shrinks (rarely)");
    assert_false(l[0].dynamic);
    assert_true(l[1].dynamic);
    assert_string_equal(l[1].mark, "estimated first step");
    assert_string_equal(l[1].risk, "");
    assert_string_equal(l[2].group, "mariadb-10.11");
    assert_false(l[2].dynamic);
}

static void test_others(void **state)
{
    static const char text[] = "# x: made by nvadvise 1\r\n[mysqld]\r\n\r\n# rule\r\na = 1\r\nb=2\n"
                               "  skip-name-resolve\n; c = 3\n!include /x\n# far\n\nd = \"4 # 5\"";
    (void)state;
    ARENA_AUTO a = arena_new();
    struct dropin_line *l = NULL;
    const size_t n = dropin_read(a, span_of(text), &l);
    assert_int_equal(n, 4);
    assert_string_equal(l[0].rule, "rule");
    assert_int_equal(l[0].line, 5);
    assert_string_equal(l[1].variable, "b");
    assert_string_equal(l[1].rule, "");
    assert_string_equal(l[2].variable, "skip-name-resolve");
    assert_string_equal(l[3].rule, "");
    assert_ptr_equal(dropin_find(l, n, "mysqld", "b"), &l[1]);
    assert_null(dropin_find(l, n, "server", "b"));
    assert_int_equal(dropin_read(a, SPAN_LIT(""), &l), 0);
    assert_int_equal(dropin_read(a, SPAN_LIT("="), &l), 1);
}

static void test_same(void **state)
{
    static const struct {
        const char *x, *y;
        bool same;
    } rows[] = {
        {"[m]\na=1\nb=2\n", "# c\n[m]\nb = 2\n# d\na = 1\n", true},
        {"[m]\na=1\n", "[m]\na=2\n", false},
        {"[m]\na=1\n", "[n]\na=1\n", false},
        {"[m]\na=1\n", "[m]\na=1\nb=1\n", false},
        {"", "", true},
    };
    (void)state;
    ARENA_AUTO a = arena_new();
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct dropin_line *x, *y;
        const size_t n_x = dropin_read(a, span_of(rows[i].x), &x);
        const size_t n_y = dropin_read(a, span_of(rows[i].y), &y);
        assert_int_equal(dropin_same_settings(x, n_x, y, n_y), rows[i].same);
        assert_int_equal(dropin_same_settings(y, n_y, x, n_x), rows[i].same);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_template),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
