/* Declarations: lookup, families, duplicates, nearest names, units that names ask for. */
#include "tests/unit/facts/fixture.h"

#include <string.h>

#include "advisor/base/banned.h"

static void test_find(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct decl_set *set = fixture_decls(a);
    assert_int_equal(decl_count(set), ARRAY_LEN(fixture_rows));
    for (size_t i = 0; i < ARRAY_LEN(fixture_rows); i++) {
        assert_ptr_equal(decl_find(set, span_of(fixture_rows[i].name), false), &fixture_rows[i]);
    }
    for (size_t i = 1; i < decl_count(set); i++) {
        assert_true(strcmp(decl_at(set, i - 1)->name, decl_at(set, i)->name) < 0);
    }
    assert_null(decl_at(set, decl_count(set)));
    assert_null(decl_find(set, SPAN_LIT(""), true));
    assert_null(decl_find(set, SPAN_LIT("host.memory"), true));
}

static void test_families(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct decl_set *set = fixture_decls(a);
    assert_ptr_equal(decl_find(set, SPAN_LIT("server.var.anything"), true), &fixture_var);
    assert_null(decl_find(set, SPAN_LIT("server.var.anything"), false));
    assert_null(decl_find(set, SPAN_LIT("server.var."), true));
    /* A row of its own goes before the family, and the longer prefix before the shorter. */
    assert_ptr_not_equal(decl_find(set, SPAN_LIT("server.var.innodb_io_capacity"), true),
                         &fixture_var);
    static const struct fact_decl longer = {.name = "server.var.x.*", .meaning = "longer"};
    struct err err = ERR_INIT;
    assert_true(decl_set_add_family(set, "server.var.x.", &longer, &err));
    assert_ptr_equal(decl_find(set, SPAN_LIT("server.var.x.y"), true), &longer);
    assert_false(decl_set_add_family(set, "server.var.", &longer, &err));
    assert_int_equal(err.code, E_INTERNAL);
}

static void test_twice(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct decl_set *set = fixture_decls(a);
    static const struct fact_decl again[] = {{.name = "host.new", .meaning = "new"},
                                             {.name = "volume.fs.type", .meaning = "second"}};
    struct err err = ERR_INIT;
    assert_false(decl_set_add(set, again, 2, &err));
    assert_int_equal(err.code, E_INTERNAL);
    assert_non_null(strstr(err.text, "volume.fs.type"));
    assert_non_null(strstr(err.text, "second"));
    assert_int_equal(decl_count(set), ARRAY_LEN(fixture_rows));
    assert_null(decl_find(set, SPAN_LIT("host.new"), true));
    assert_true(decl_set_add(set, again, 1, &err));
    assert_non_null(decl_find(set, SPAN_LIT("host.new"), true));
}

static void test_nearest(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct decl_set *set = fixture_decls(a);
    static const struct {
        const char *name, *near;
    } rows[] = {
        {"server.flavor", "server.flavour"},
        {"host.swappiness", "host.vm.swappiness"},
        {"host.vm.swapiness", "host.vm.swappiness"},
        {"fs.type", "volume.fs.type"},
        {"server.fs.free_bytes", "volume.fs.free_bytes"},
        {"zzz", NULL},
        {"", NULL},
        {"x.y.z", NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *near = decl_nearest(set, span_of(rows[i].name));
        if (rows[i].near == NULL) {
            assert_null(near);
        } else {
            assert_non_null(near);
            assert_string_equal(near, rows[i].near);
        }
    }
    char *huge = arena_alloc(a, 100000);
    memset(huge, 'x', 99999);
    assert_null(decl_nearest(set, span_of(huge)));
}

static void test_names(void **state)
{
    (void)state;
    double scale = 0;
    assert_string_equal(subject_kind_name(SUBJECT_VOLUME), "volume");
    assert_string_equal(decl_display_unit("device.smart.percentage_used_pct", &scale), "percent");
    assert_true(scale > 99 && scale < 101);
    assert_string_equal(decl_display_unit("device.smart.power_on_hours", &scale), "hours");
    assert_string_equal(decl_display_unit("x_minutes", &scale), "minutes");
    assert_string_equal(decl_display_unit("device.wctemp_c", &scale), "celsius");
    assert_string_equal(decl_display_unit("server.innodb.hit_rate_per_mille", &scale), "per_mille");
    assert_null(decl_display_unit("server.bp.miss_ratio", &scale));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),  cmocka_unit_test(test_families),
        cmocka_unit_test(test_twice), cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
