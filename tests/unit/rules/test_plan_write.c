/* From a planned value to the line of this very server, and to the facts after a restart with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "advisor/facts/factdoc.h"
#include "tests/unit/rules/plan_world.h"

#include "advisor/base/banned.h"

static const char redo[] =
    "[innodb_redo_log_capacity]\nkind = bytes\nmeaning = m\nin_force = server.size\n"
    "owners = rule-a\ntarget = server.wish\ngrows_on = redo.free\n"
    "write.mysql = innodb_redo_log_capacity, innodb_log_file_size / innodb_log_files_in_group\n"
    "write.mariadb = innodb_log_file_size / innodb_log_files_in_group\n";

#define REDO "server.a = true\nserver.size = 96MiB\nserver.wish = 4GiB\n"

static void check(const char *settings, const char *facts, bool offline, const char *want,
                  const char *refused)
{
    struct world w;
    if (!world_open(&w, settings))
        fail_msg("%s", w.problems.ptr);
    struct store *s = world_store(&w, facts, offline);
    struct plan p = world_plan(&w, s, false);
    const char *got = world_text(&w, &p);
    if (strcmp(got, want) != 0)
        fail_msg("%s\nexpected\n%sgot\n%s", facts, want, got);
    assert_int_equal(p.n_refused, refused != NULL);
    if (refused != NULL)
        assert_string_equal(p.refused[0], refused);
    arena_free(w.a);
}

static void test_names(void **state)
{
    (void)state;
    static const char none[] = "innodb_redo_log_capacity: this server has no variable for it";
    static const struct {
        const char *facts;
        bool offline;
        const char *want, *refused;
    } rows[] = {
        {"server.flavour = mysql\nserver.version = 9.7.4\n" REDO, true,
         "setting [mysqld] innodb_redo_log_capacity = 4294967296 rule-a\n", NULL},
        {"server.flavour = mysql\nserver.version = 26.7.0\n" REDO, true,
         "setting [mysqld] innodb_redo_log_capacity = 4294967296 rule-a\n", NULL},
        {"server.flavour = percona\nserver.version = 8.0.36\n" REDO, true,
         "setting [mysqld] innodb_redo_log_capacity = 4294967296 rule-a\n", NULL},
        /* several files: the default of the version, or what the server said */
        {"server.flavour = mysql\nserver.version = 8.0.29\n" REDO, true,
         "setting [mysqld-8.0] innodb_log_file_size = 2147483648 rule-a\n", NULL},
        {"server.flavour = mysql\nserver.version = 5.7.44\n"
         "server.var.innodb_log_files_in_group = 4\n" REDO, true,
         "setting [mysqld-5.7] innodb_log_file_size = 1073741824 rule-a\n", NULL},
        {"server.flavour = mysql\nserver.version = 5.7.44\n"
         "server.var.innodb_log_files_in_group = 3\n" REDO, true,
         "setting [mysqld-5.7] innodb_log_file_size = 1431306240 rule-a\n", NULL},
        {"server.flavour = mysql\nserver.version = 5.7.44\n"
         "server.var.innodb_log_files_in_group = unknown\n" REDO, true, "", NULL},
        {"server.flavour = mariadb\nserver.version = 10.11.11\n" REDO, true,
         "setting [mysqld] innodb_log_file_size = 4294967296 rule-a\n", NULL},
        {"server.flavour = mariadb\nserver.version = 10.5.1\n"
         "server.var.innodb_log_files_in_group = 2\n" REDO, true,
         "setting [mysqld] innodb_log_file_size = 2147483648 rule-a\n", NULL},
        /* one document alone says what a version has, or also the server itself */
        {"server.flavour = mariadb\nserver.version = 12.3.1\n" REDO, true, "",
         "innodb_log_file_size is not written: of version 12.3.1 only one source says that it has "
         "it, and 2 are asked for"},
        {"server.flavour = mariadb\nserver.version = 12.3.1\n"
         "server.var.innodb_log_file_size = 96MiB\n" REDO, true,
         "setting [mysqld] innodb_log_file_size = 4294967296 rule-a\n", NULL},
        {"server.flavour = mariadb\nserver.version = 11.4.5\n" REDO, true,
         "setting [mysqld] innodb_log_file_size = 4294967296 rule-a\n", NULL},
        /* a name that the version ignores divides nothing */
        {"server.flavour = mariadb\nserver.version = 10.6.1\n"
         "server.var.innodb_log_files_in_group = 2\n" REDO, true,
         "setting [mysqld] innodb_log_file_size = 4294967296 rule-a\n", NULL},
        /* a server that was asked must have said that it has the variable */
        {"server.flavour = mysql\nserver.version = 9.7.4\n" REDO, false, "", none},
        {"server.flavour = mysql\nserver.version = 9.7.4\n"
         "server.var.innodb_redo_log_capacity = 96MiB\n" REDO, false,
         "setting [mysqld] innodb_redo_log_capacity = 4294967296 rule-a\n", NULL},
        {"server.flavour = mysql\nserver.version = 9.7.4\n"
         "server.var.innodb_redo_log_capacity = unknown\n" REDO, true, "", none},
        {"server.flavour = mysql\nserver.version = 9.7.4\n"
         "server.var.innodb_log_file_size = 48MiB\n" REDO, false, "", none},
        {"server.flavour = mysql\n" REDO, true, "", none},
        {"server.version = 9.7.4\n" REDO, true, "", none},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(redo, rows[i].facts, rows[i].offline, rows[i].want, rows[i].refused);
}

static void test_ranges(void **state)
{
    (void)state;
#define NEW "server.flavour = mysql\nserver.version = 9.7.4\nserver.a = true\nserver.size = 96MiB\n"
#define LINE "setting [mysqld] innodb_redo_log_capacity = "
    static const struct {
        const char *facts, *want, *refused;
    } rows[] = {
        {NEW "server.wish = 600GiB\n", "",
         "innodb_redo_log_capacity = 644245094400 is outside what this server takes: "
         "8388608 to 549755813888"},
        {NEW "server.wish = 1MiB\n", "",
         "innodb_redo_log_capacity = 1048576 is outside what this server takes: "
         "8388608 to 549755813888"},
        {NEW "server.wish = 512GiB\n", LINE "549755813888 rule-a\n", NULL},
        /* what the server says of itself goes before the catalogue */
        {NEW "server.wish = 4GiB\nserver.var_max.innodb_redo_log_capacity = 2147483648\n", "",
         "innodb_redo_log_capacity = 4294967296 is outside what this server takes: "
         "8388608 to 2147483648"},
        {NEW "server.wish = 600GiB\nserver.var_max.innodb_redo_log_capacity = 1099511627776\n",
         LINE "644245094400 rule-a\n", NULL},
        {NEW "server.wish = 1MiB\nserver.var_min.innodb_redo_log_capacity = 4096\n",
         LINE "1048576 rule-a\n", NULL},
        {NEW "server.wish = 1000000001B\n", LINE "999292928 rule-a\n", NULL},
        {NEW "server.wish = 1000000001B\nserver.var_step.innodb_redo_log_capacity = 4096\n",
         LINE "999997440 rule-a\n", NULL},
        {NEW "server.wish = 1000000001B\nserver.var_step.innodb_redo_log_capacity = 0\n",
         LINE "1000000001 rule-a\n", NULL},
        /* a step that would make another value of it, and bounds that are none */
        {NEW "server.wish = 1000000001B\nserver.var_step.innodb_redo_log_capacity = 600000000\n", "",
         "innodb_redo_log_capacity = 1000000001 is too small for the steps of 600000000 "
         "that this server takes"},
        {NEW "server.wish = 1GiB\nserver.var_step.innodb_redo_log_capacity = 9223372036854775808\n",
         "",
         "innodb_redo_log_capacity = 1073741824 is too small for the steps of 9223372036854775808 "
         "that this server takes"},
        {NEW "server.wish = 4GiB\nserver.var_min.innodb_redo_log_capacity = 999999999999\n"
         "server.var_max.innodb_redo_log_capacity = 5\n",
         LINE "4294967296 rule-a\n", NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(redo, rows[i].facts, true, rows[i].want, rows[i].refused);
}

static void test_old_value(void **state)
{
    (void)state;
    static const struct {
        const char *facts, *old, *origin;
        bool dynamic, restart;
    } rows[] = {
        {NEW "server.wish = 4GiB\n", "100663296", "unknown", true, false},
        {NEW "server.wish = 4GiB\nserver.var.innodb_redo_log_capacity = 100MiB\n"
         "server.source.innodb_redo_log_capacity = compiled\n", "104857600", "compiled", true, false},
        {NEW "server.wish = 4GiB\nserver.source.innodb_redo_log_capacity = file\n", "100663296",
         "file", true, false},
        {NEW "server.wish = 4GiB\nserver.var_dynamic.innodb_redo_log_capacity = false\n",
         "100663296", "unknown", false, true},
        {"server.flavour = mysql\nserver.version = 5.7.44\n" REDO, "50331648", "unknown", false,
         true},
        {"server.flavour = mariadb\nserver.version = 10.8.1\n" REDO, "100663296", "unknown", false,
         true},
        {"server.flavour = mariadb\nserver.version = 10.9.1\n" REDO, "100663296", "unknown", true,
         false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct world w;
        assert_true(world_open(&w, redo));
        struct store *s = world_store(&w, rows[i].facts, true);
        struct plan p = world_plan(&w, s, false);
        assert_int_equal(p.n, 1);
        assert_string_equal(p.lines[0].old_text, rows[i].old);
        assert_string_equal(p.lines[0].old_origin, rows[i].origin);
        assert_int_equal(p.lines[0].dynamic, rows[i].dynamic);
        assert_int_equal(p.lines[0].restart, rows[i].restart);
        assert_string_equal(p.lines[0].risk, "risk of rule-a");
        assert_string_equal(p.lines[0].formula, "4 GiB");
        assert_string_equal(p.lines[0].subject->label, "server:default");
        assert_false(p.lines[0].overridden);
        arena_free(w.a);
    }
}

/* The path of the file stands behind the statement that told it. */
static void test_origin_file(void **state)
{
    (void)state;
    struct world w;
    assert_true(world_open(&w, redo));
    struct store *s = world_store(&w, NEW "server.wish = 4GiB\n", true);
    store_known(s, store_find_subject(s, "server:default"), "server.source.innodb_redo_log_capacity",
                value_text(KIND_ENUM, SPAN_LIT("file")),
                "performance_schema.variables_info: /etc/my.cnf");
    struct plan p = world_plan(&w, s, false);
    assert_int_equal(p.n, 1);
    assert_string_equal(p.lines[0].old_origin, "file /etc/my.cnf");
    arena_free(w.a);
}

static const char pair[] =
    "[innodb_io_capacity]\nkind = rate\nmeaning = m\nowners = rule-a, rule-b\n"
    "target = server.rate\nfirst_step_owners = rule-b\nfirst_step.1 = server.mean\n"
    "[innodb_io_capacity_max]\nkind = rate\nmeaning = m\nowners = rule-none\n"
    "target = 2 * plan.innodb_io_capacity\nfollows = innodb_io_capacity\n"
    "follows_when = plan.innodb_io_capacity != 777/s\nset_before = innodb_io_capacity\n";

static void test_pairs(void **state)
{
    (void)state;
#define PAIR(io, max)                                                                              \
    "server.flavour = mysql\nserver.version = 8.0.36\nserver.var.innodb_io_capacity = " io "\n"   \
    "server.var.innodb_io_capacity_max = " max "\n"
    static const struct {
        const char *facts, *want;
        unsigned first; /* line that is set first at run time */
    } rows[] = {
        {PAIR("200/s", "2000/s") "server.a = true\nserver.rate = 5000/s\n",
         "setting [mysqld] innodb_io_capacity = 5000 rule-a\n"
         "setting [mysqld] innodb_io_capacity_max = 10000 rule-a\n", 1},
        {PAIR("9000/s", "18000/s") "server.a = true\nserver.rate = 5000/s\n",
         "setting [mysqld] innodb_io_capacity = 5000 rule-a\n"
         "setting [mysqld] innodb_io_capacity_max = 10000 rule-a\n", 0},
        {PAIR("200/s", "2000/s") "server.a = false\nserver.b = true\nserver.mean = 2000/s\n",
         "first_step [mysqld] innodb_io_capacity = 2000 rule-b\n"
         "first_step [mysqld] innodb_io_capacity_max = 4000 rule-b\n", 1},
        /* a first step does not lower what goes with it */
        {PAIR("200/s", "9000/s") "server.a = false\nserver.b = true\nserver.mean = 2000/s\n",
         "first_step [mysqld] innodb_io_capacity = 2000 rule-b\n", 0},
        {PAIR("200/s", "10000/s") "server.a = true\nserver.rate = 5000/s\n",
         "setting [mysqld] innodb_io_capacity = 5000 rule-a\n", 0},
        {PAIR("200/s", "2000/s") "server.a = true\nserver.rate = 777/s\n",
         "setting [mysqld] innodb_io_capacity = 777 rule-a\n", 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct world w;
        if (!world_open(&w, pair))
            fail_msg("%s", w.problems.ptr);
        struct store *s = world_store(&w, rows[i].facts, true);
        struct plan p = world_plan(&w, s, false);
        assert_string_equal(world_text(&w, &p), rows[i].want);
        for (size_t k = 0; k < p.n; k++) {
            if (k != rows[i].first)
                assert_true(p.lines[rows[i].first].set_order < p.lines[k].set_order);
            assert_true(p.lines[k].set_order < p.n);
        }
        arena_free(w.a);
    }
}

static void test_words_and_host(void **state)
{
    (void)state;
    static const char settings[] =
        "[innodb_doublewrite]\nkind = enum\nmeaning = m\nin_force = server.mode\nowners = rule-a\n"
        "target = on\nrestart_when = server.mode == off\n"
        "[vm.n]\nkind = count\nmeaning = m\nscope = host\nwhere = sysctl\nin_force = host.n\n"
        "owners = rule-host\ntarget = 1\n";
    struct world w;
    if (!world_open(&w, settings))
        fail_msg("%s", w.problems.ptr);
    struct store *s = world_store(&w, "server.flavour = mysql\nserver.version = 9.7.4\n"
                                      "server.a = true\nserver.mode = off\nhost.n = 60\n", true);
    struct plan p = world_plan(&w, s, false);
    assert_string_equal(world_text(&w, &p), "setting [mysqld] innodb_doublewrite = ON rule-a\n"
                                            "setting [] vm.n = 1 rule-host\n");
    assert_false(p.lines[0].dynamic);
    assert_true(p.lines[0].restart);
    assert_string_equal(p.lines[0].old_text, "OFF");
    assert_true(p.lines[1].where == WHERE_SYSCTL);
    assert_string_equal(p.lines[1].old_text, "60");
    assert_string_equal(p.lines[1].subject->label, "host");
    plan_overlay(&p, s);
    const struct subject *server = store_find_subject(s, "server:default");
    const struct subject *host = store_find_subject(s, "host");
    const struct fact *f = store_get(s, server, SPAN_LIT("server.mode"));
    assert_true(span_eq_text(f->value.text, "on"));
    f = store_get(s, server, SPAN_LIT("server.var.innodb_doublewrite"));
    assert_true(span_eq_text(f->value.text, "ON"));
    f = store_get(s, host, SPAN_LIT("host.n"));
    assert_int_equal(num_cmp(f->value.num, num_u64(1)), 0);
    arena_free(w.a);
    /* without any server the host's rows are still planned */
    assert_true(world_open(&w, settings));
    s = world_store(&w, "host.n = 60\n", true);
    p = world_plan(&w, s, false);
    assert_string_equal(world_text(&w, &p), "setting [] vm.n = 1 rule-host\n");
    arena_free(w.a);
}

static void test_overlay(void **state)
{
    (void)state;
    struct world w;
    assert_true(world_open(&w, redo));
    struct store *s = world_store(&w, NEW "server.wish = 4GiB\nserver.mean = 5/s\nredo.free = 10GiB\n",
                                  true);
    const struct subject *server = store_find_subject(s, "server:default");
    const struct subject *volume = store_find_subject(s, "volume:default:data");
    assert_non_null(store_get(s, server, SPAN_LIT("est.rate")));
    struct plan p = world_plan(&w, s, false);
    plan_overlay(&p, s);
    const struct fact *f = store_get(s, server, SPAN_LIT("server.size"));
    assert_int_equal(num_cmp(f->value.num, num_u64(4ull << 30)), 0);
    f = store_get(s, server, SPAN_LIT("server.var.innodb_redo_log_capacity"));
    assert_int_equal(num_cmp(f->value.num, num_u64(4ull << 30)), 0);
    f = store_get(s, volume, SPAN_LIT("volume.free"));
    assert_int_equal(num_cmp(f->value.num, num_u64((6ull << 30) + (96ull << 20))), 0);
    assert_null(store_get(s, server, SPAN_LIT("est.rate")));
    arena_free(w.a);
}

/* A switch, and what else is so once it was set; what is not known stays as it was. */
static void test_effects(void **state)
{
    (void)state;
    static const char settings[] =
        "[innodb_dedicated_server]\nkind = bool\nmeaning = m\nin_force = server.small\nowners = rule-a\n"
        "target = false\nafter.server.b = false\nafter.server.size = server.wish\n"
        "after.server.mode = case(server.c: on, else: detect_only)\n";
    struct world w;
    if (!world_open(&w, settings))
        fail_msg("%s", w.problems.ptr);
    struct store *s = world_store(&w, "server.flavour = mysql\nserver.version = 9.7.4\nserver.a = true\n"
                                      "server.small = true\nserver.b = true\nserver.size = 1GiB\n"
                                      "server.wish = 3GiB\nserver.mode = off\n", true);
    struct plan p = world_plan(&w, s, false);
    assert_string_equal(world_text(&w, &p), "setting [mysqld] innodb_dedicated_server = OFF rule-a\n");
    assert_string_equal(p.lines[0].old_text, "ON");
    plan_overlay(&p, s);
    const struct subject *server = store_find_subject(s, "server:default");
    assert_false(store_get(s, server, SPAN_LIT("server.small"))->value.boolean);
    assert_false(store_get(s, server, SPAN_LIT("server.b"))->value.boolean);
    const struct fact *f = store_get(s, server, SPAN_LIT("server.size"));
    assert_int_equal(num_cmp(f->value.num, num_u64(3ull << 30)), 0);
    f = store_get(s, server, SPAN_LIT("server.mode"));
    assert_true(span_eq_text(f->value.text, "off"));
    arena_free(w.a);
}

static void test_overridden(void **state)
{
    (void)state;
    static const char *const sets[] = {"server.wish=4GiB", "server.a=true", NULL};
    for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
        struct world w;
        assert_true(world_open(&w, redo));
        struct store *s = world_store(&w, NEW "server.wish = 2GiB\nserver.mean = 5/s\n", true);
        if (sets[i] != NULL && !factdoc_set(s, sets[i], &w.err))
            fail_msg("%s", w.err.text);
        struct plan p = world_plan(&w, s, false);
        assert_int_equal(p.n, 1);
        assert_int_equal(p.lines[0].overridden, sets[i] != NULL);
        arena_free(w.a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),          cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_old_value),      cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_words_and_host), cmocka_unit_test(test_overlay),
        cmocka_unit_test(test_overridden),     cmocka_unit_test(test_origin_file),
        cmocka_unit_test(test_effects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
