/* The InnoDB status reader on texts of real servers: every value as it stands beside them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "advisor/base/file.h"
#include "advisor/base/json.h"
#include "probes/innodb_status.h"

#include "advisor/base/banned.h"

static bool is_rate(const char *key)
{
    return span_ends(span_of(key), "_per_sec") || span_ends(span_of(key), "_wait_sec");
}

static void check_value(const struct innodb_status *st, enum innodb_key k, const struct json *want,
                        const char *name)
{
    const char *const key = innodb_key_name(k);
    if (want == NULL) {
        fail_msg("%s: %s is not in the expected values", name, key);
    }
    if (st->known[k] != (want->type == JSON_NUMBER)) {
        fail_msg("%s: %s is %s", name, key, st->known[k] ? "known" : "not known");
    }
    if (!st->known[k]) {
        return;
    }
    const double off = num_to_double(st->value[k]) - num_to_double(want->number);
    if (is_rate(key) ? off > 0.005 || off < -0.005 : num_cmp(st->value[k], want->number) != 0) {
        fail_msg("%s: %s is off by %g", name, key, off);
    }
}

static void check_case(const char *folder, const char *name)
{
    ARENA_AUTO a = arena_new();
    struct err e = ERR_INIT;
    struct span text, expect;
    struct json *doc = NULL;
    struct innodb_status st;
    if (!file_read(a, arena_printf(a, "%s/%s.txt", folder, name), 1u << 20, &text, &e) ||
        !file_read(a, arena_printf(a, "%s/%s.expect.json", folder, name), 1u << 20, &expect, &e) ||
        !json_read(a, name, expect, &doc, &e)) {
        fail_msg("%s", e.text);
    }
    innodb_status_read(a, text, &st);
    const struct json *const values = json_get(doc, "values");
    assert_non_null(values);
    for (enum innodb_key k = 0; k < INNODB_KEYS; k++) {
        check_value(&st, k, json_get(values, innodb_key_name(k)), name);
    }
    const char *const when = json_get_str(values, "captured_at");
    assert_true(span_eq(st.captured_at, span_of(when)));
    assert_int_equal(st.has_deadlock_section, json_get(values, "has_deadlock_section")->boolean);
    assert_int_equal(st.has_foreign_key_section,
                     json_get(values, "has_foreign_key_section")->boolean);
    assert_int_equal(st.has_header && st.has_end, json_get(doc, "complete")->boolean);
}

static const char *const own[] = {
    "i10_mysql57_markdown_mangled", "i16_mariadb_2019_idle",          "i18_mysql80_indented_paste",
    "i20_xtradb_bp_excerpt",        "i23_mariadb_windows_1002_pages", "i26_mariadb1011_live",
};

static const char *const others[] = {
    "r01_mysql55_ten_pools",
    "r02_percona55_age_73pct",
    "r03_mysql56_fk",
    "r04_mysql80_2018",
    "r05_mysql8x_2025_zero_window",
    "r06_percona51_age_86pct",
    "r07_mysql50_two_part_lsn_read_storm",
    "r08_mysql50_fk_and_deadlock",
    "r09_percona51_truncated_64k",
    "r10_percona80_2023_small_log",
};

static void test_recorded(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(own); i++) {
        check_case(NV_SOURCE_DIR "/tests/cases/innodb", own[i]);
    }
}

static void test_others(void **state)
{
    (void)state;
    static const char folder[] = NV_SOURCE_DIR "/../shared/cases/innodb";
    if (access(folder, R_OK) != 0) {
        skip(); /* other people's texts are not part of this project */
    }
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        check_case(folder, others[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
