/* The variable catalogue: what it says of versions, how it is written, and its mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "rules/catalogue.h"
#include "rules/ruleset.h"

#include "advisor/base/banned.h"

static struct arena *arena;
static const struct catalogue *builtin;

static const struct catalogue *load(const struct rule_text *texts, size_t n)
{
    struct ini_file *files = arena_calloc(arena, n, sizeof(*files));
    struct err err = ERR_INIT;
    struct catalogue *c = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!ini_read(arena, texts[i].name, texts[i].bytes, &files[i], &err))
            fail_msg("%s", err.text);
    }
    if (!catalogue_load(arena, files, n, &c, NULL, &err))
        fail_msg("%s", err.text);
    return c;
}

static int begin(void **state)
{
    (void)state;
    arena = arena_new();
    const struct rule_texts *t = rule_texts_builtin(arena);
    builtin = load(t->catalogue, t->n_catalogue);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static struct version version(const char *text)
{
    struct version v;
    if (!version_parse_exact(span_of(text), &v))
        fail_msg("'%s' is no version", text);
    return v;
}

static const struct variable *find(const char *name)
{
    const struct variable *v = catalogue_find(builtin, span_of(name));
    if (v == NULL)
        fail_msg("'%s' is not in the catalogue", name);
    return v;
}

static const char *literal_text(const struct value *v)
{
    struct buf b;
    buf_init(&b, arena, 200);
    value_print_literal(&b, v);
    return b.ptr;
}

static const char *num_text(struct num n)
{
    struct buf b;
    buf_init(&b, arena, 100);
    num_print(&b, n);
    return b.ptr;
}

static void test_presence(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum flavour f;
        const char *at;
        enum presence want;
    } rows[] = {
        {"innodb_redo_log_capacity", FLAVOUR_MYSQL, "8.0.29", PRESENCE_REFUSED},
        {"innodb_redo_log_capacity", FLAVOUR_MYSQL, "8.0.30", PRESENCE_YES},
        {"innodb_redo_log_capacity", FLAVOUR_MYSQL, "9.7.4", PRESENCE_YES},
        {"innodb_redo_log_capacity", FLAVOUR_MYSQL, "26.7.0", PRESENCE_YES},
        {"innodb_redo_log_capacity", FLAVOUR_PERCONA, "8.0.36", PRESENCE_YES},
        {"innodb_redo_log_capacity", FLAVOUR_MARIADB, "10.11.11", PRESENCE_REFUSED},
        {"innodb_log_file_size", FLAVOUR_MYSQL, "5.7.15", PRESENCE_YES},
        {"innodb_log_file_size", FLAVOUR_MYSQL, "8.0.30", PRESENCE_DEPRECATED},
        {"innodb_log_file_size", FLAVOUR_MYSQL, "9.2.0", PRESENCE_DEPRECATED},
        {"innodb_log_file_size", FLAVOUR_MYSQL, "9.3.0", PRESENCE_REFUSED},
        {"innodb_log_file_size", FLAVOUR_MYSQL, "26.7", PRESENCE_REFUSED},
        {"innodb_log_file_size", FLAVOUR_MARIADB, "11.8.9", PRESENCE_YES},
        {"innodb_log_files_in_group", FLAVOUR_MARIADB, "10.5.1", PRESENCE_YES},
        {"innodb_log_files_in_group", FLAVOUR_MARIADB, "10.5.2", PRESENCE_DEPRECATED},
        {"innodb_log_files_in_group", FLAVOUR_MARIADB, "10.6.0", PRESENCE_IGNORED},
        {"innodb_buffer_pool_instances", FLAVOUR_MARIADB, "10.11.19", PRESENCE_IGNORED},
        {"innodb_buffer_pool_instances", FLAVOUR_MYSQL, "9.7.4", PRESENCE_YES},
        {"innodb_buffer_pool_size_max", FLAVOUR_MYSQL, "9.7.4", PRESENCE_REFUSED},
        /* several release series got it at once */
        {"innodb_buffer_pool_size_max", FLAVOUR_MARIADB, "10.6.99", PRESENCE_REFUSED},
        {"innodb_buffer_pool_size_max", FLAVOUR_MARIADB, "10.11.11", PRESENCE_REFUSED},
        {"innodb_buffer_pool_size_max", FLAVOUR_MARIADB, "10.11.12", PRESENCE_YES},
        {"innodb_buffer_pool_size_max", FLAVOUR_MARIADB, "11.0.9", PRESENCE_REFUSED},
        {"innodb_buffer_pool_size_max", FLAVOUR_MARIADB, "11.4.5", PRESENCE_REFUSED},
        {"innodb_buffer_pool_size_max", FLAVOUR_MARIADB, "11.4.6", PRESENCE_YES},
        {"innodb_buffer_pool_size_max", FLAVOUR_MARIADB, "11.8.1", PRESENCE_REFUSED},
        {"innodb_buffer_pool_size_max", FLAVOUR_MARIADB, "11.8.2", PRESENCE_YES},
        {"innodb_buffer_pool_size_max", FLAVOUR_MARIADB, "12.3.1", PRESENCE_YES},
        {"query_cache_size", FLAVOUR_MYSQL, "5.7.19", PRESENCE_YES},
        {"query_cache_size", FLAVOUR_MYSQL, "5.7.20", PRESENCE_DEPRECATED},
        {"query_cache_size", FLAVOUR_MYSQL, "8.0.3", PRESENCE_REFUSED},
        {"query_cache_size", FLAVOUR_MARIADB, "11.8.9", PRESENCE_YES},
        {"temptable_max_ram", FLAVOUR_MYSQL, "5.7.44", PRESENCE_REFUSED},
        {"temptable_max_ram", FLAVOUR_MARIADB, "11.8.9", PRESENCE_REFUSED},
        {"aria_pagecache_buffer_size", FLAVOUR_PERCONA, "8.4.0", PRESENCE_REFUSED},
        {"innodb_data_file_buffering", FLAVOUR_MARIADB, "10.11.19", PRESENCE_REFUSED},
        {"innodb_data_file_buffering", FLAVOUR_MARIADB, "11.0.1", PRESENCE_YES},
        {"innodb_flush_method", FLAVOUR_MARIADB, "13.0.1", PRESENCE_DEPRECATED},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct version at = version(rows[i].at);
        enum presence got = variable_presence(find(rows[i].name), rows[i].f, &at);
        if (got != rows[i].want)
            fail_msg("%s, %s %s: expected %s, got %s", rows[i].name, flavour_name(rows[i].f),
                     rows[i].at, presence_name(rows[i].want), presence_name(got));
    }
}

static void test_defaults(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum flavour f;
        const char *at;
        const char *want; /* NULL: the server works it out */
    } rows[] = {
        {"innodb_buffer_pool_size", FLAVOUR_MYSQL, "9.7.4", "128MiB"},
        {"innodb_buffer_pool_size", FLAVOUR_MARIADB, "10.5.1", "128MiB"},
        {"innodb_buffer_pool_instances", FLAVOUR_MYSQL, "8.0.36", NULL},
        {"innodb_buffer_pool_size_max", FLAVOUR_MARIADB, "10.11.16", NULL},
        {"innodb_buffer_pool_size_max", FLAVOUR_MARIADB, "10.11.17", "8TiB"},
        {"innodb_buffer_pool_size_max", FLAVOUR_MARIADB, "11.4.10", NULL},
        {"innodb_buffer_pool_size_max", FLAVOUR_MARIADB, "11.8.9", "8TiB"},
        {"innodb_redo_log_capacity", FLAVOUR_MYSQL, "8.0.30", "100MiB"},
        {"innodb_log_file_size", FLAVOUR_MYSQL, "5.7.15", "48MiB"},
        {"innodb_log_file_size", FLAVOUR_MARIADB, "10.4.30", "48MiB"},
        {"innodb_log_file_size", FLAVOUR_MARIADB, "10.5.0", "96MiB"},
        {"innodb_log_files_in_group", FLAVOUR_MYSQL, "8.0.36", "2"},
        {"innodb_log_files_in_group", FLAVOUR_MARIADB, "10.5.23", "1"},
        {"innodb_log_buffer_size", FLAVOUR_MYSQL, "5.7.5", "8MiB"},
        {"innodb_log_buffer_size", FLAVOUR_MYSQL, "5.7.6", "16MiB"},
        {"innodb_log_buffer_size", FLAVOUR_MYSQL, "8.4.0", "64MiB"},
        {"innodb_io_capacity", FLAVOUR_MYSQL, "8.3.0", "200/s"},
        {"innodb_io_capacity", FLAVOUR_MYSQL, "8.4.0", "10000/s"},
        {"innodb_io_capacity", FLAVOUR_PERCONA, "8.4.0", "10000/s"},
        {"innodb_io_capacity", FLAVOUR_MARIADB, "11.8.9", "200/s"},
        {"innodb_io_capacity_max", FLAVOUR_MYSQL, "9.7.4", NULL},
        {"innodb_flush_neighbors", FLAVOUR_MYSQL, "5.7.44", "1"},
        {"innodb_flush_neighbors", FLAVOUR_MYSQL, "8.0.3", "0"},
        {"innodb_flush_neighbors", FLAVOUR_MARIADB, "11.8.9", "1"},
        {"innodb_flush_method", FLAVOUR_MYSQL, "8.0.36", "fsync"},
        {"innodb_flush_method", FLAVOUR_MYSQL, "8.4.0", NULL},
        {"innodb_flush_method", FLAVOUR_MARIADB, "10.6.0", "O_DIRECT"},
        {"sync_binlog", FLAVOUR_MYSQL, "5.7.6", "0"},
        {"sync_binlog", FLAVOUR_MYSQL, "5.7.7", "1"},
        {"sync_binlog", FLAVOUR_MARIADB, "11.8.9", "0"},
        {"log_bin", FLAVOUR_MYSQL, "8.0.10", "false"},
        {"log_bin", FLAVOUR_MYSQL, "8.0.11", "true"},
        {"performance_schema", FLAVOUR_MARIADB, "11.8.9", "false"},
        {"innodb_max_dirty_pages_pct", FLAVOUR_MYSQL, "5.7.44", "75%"},
        {"innodb_max_dirty_pages_pct", FLAVOUR_MARIADB, "10.5.7", "90%"},
        {"sort_buffer_size", FLAVOUR_MYSQL, "9.7.4", "256KiB"},
        {"sort_buffer_size", FLAVOUR_MARIADB, "10.11.19", "2MiB"},
        {"temptable_max_ram", FLAVOUR_MYSQL, "8.0.36", "1GiB"},
        {"key_buffer_size", FLAVOUR_MARIADB, "10.11.19", "128MiB"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct version at = version(rows[i].at);
        struct value v;
        bool has = variable_default(find(rows[i].name), rows[i].f, &at, &v);
        const char *got = has ? literal_text(&v) : "(none)";
        const char *want = rows[i].want != NULL ? rows[i].want : "(none)";
        if (strcmp(got, want) != 0)
            fail_msg("%s, %s %s: expected %s, got %s", rows[i].name, flavour_name(rows[i].f),
                     rows[i].at, want, got);
    }
}

static void test_dynamic(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum flavour f;
        const char *at;
        bool want;
    } rows[] = {
        {"innodb_buffer_pool_size", FLAVOUR_MYSQL, "5.7.4", false},
        {"innodb_buffer_pool_size", FLAVOUR_MYSQL, "5.7.5", true},
        {"innodb_buffer_pool_size_max", FLAVOUR_MARIADB, "11.8.9", false},
        {"innodb_redo_log_capacity", FLAVOUR_PERCONA, "8.0.36", true},
        {"innodb_log_file_size", FLAVOUR_MYSQL, "8.0.36", false},
        {"innodb_log_file_size", FLAVOUR_MARIADB, "10.8.8", false},
        {"innodb_log_file_size", FLAVOUR_MARIADB, "10.9.1", true},
        {"innodb_log_buffer_size", FLAVOUR_MYSQL, "5.7.44", false},
        {"innodb_log_buffer_size", FLAVOUR_MYSQL, "8.0.11", true},
        {"innodb_doublewrite", FLAVOUR_MYSQL, "8.0.29", false},
        {"innodb_doublewrite", FLAVOUR_MYSQL, "8.0.30", true},
        {"innodb_doublewrite", FLAVOUR_MARIADB, "10.11.19", false},
        {"innodb_doublewrite", FLAVOUR_MARIADB, "11.8.9", true},
        {"innodb_flush_method", FLAVOUR_MYSQL, "9.7.4", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct version at = version(rows[i].at);
        if (variable_dynamic(find(rows[i].name), rows[i].f, &at) != rows[i].want)
            fail_msg("%s, %s %s", rows[i].name, flavour_name(rows[i].f), rows[i].at);
    }
}

static void test_ranges(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum flavour f;
        const char *at, *min, *max, *step; /* min NULL: none */
    } rows[] = {
        {"innodb_redo_log_capacity", FLAVOUR_MYSQL, "8.0.30", "8388608", "137438953472", "1048576"},
        {"innodb_redo_log_capacity", FLAVOUR_MYSQL, "9.7.4", "8388608", "549755813888", "1048576"},
        {"innodb_log_file_size", FLAVOUR_MARIADB, "10.5.23", "1048576", "549755813888", "65536"},
        {"innodb_log_file_size", FLAVOUR_MARIADB, "11.8.9", "4194304", "unlimited", "4096"},
        {"innodb_buffer_pool_size", FLAVOUR_MYSQL, "9.7.4", "5242880", "9223372036854775807",
         "1048576"},
        {"innodb_buffer_pool_size", FLAVOUR_MARIADB, "10.11.19", "2097152",
         "18446744073701163008", "1048576"},
        {"innodb_flush_log_at_trx_commit", FLAVOUR_MYSQL, "9.7.4", "0", "2", "0"},
        {"innodb_flush_log_at_trx_commit", FLAVOUR_MARIADB, "10.5.1", "0", "3", "0"},
        {"innodb_io_capacity", FLAVOUR_PERCONA, "8.4.0", "100", "4294967295", "0"},
        {"innodb_doublewrite", FLAVOUR_MYSQL, "9.7.4", NULL, NULL, NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct version at = version(rows[i].at);
        struct num min, max, step;
        bool has = variable_range(find(rows[i].name), rows[i].f, &at, &min, &max, &step);
        assert_int_equal(has, rows[i].min != NULL);
        if (!has)
            continue;
        assert_string_equal(num_text(min), rows[i].min);
        assert_string_equal(num_text(max), rows[i].max);
        assert_string_equal(num_text(step), rows[i].step);
    }
}

static void test_refused_later(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum flavour f;
        const char *at, *want; /* want NULL: no later version refuses it */
    } rows[] = {
        {"innodb_log_file_size", FLAVOUR_MYSQL, "5.7.15", "9.3"},
        {"innodb_log_file_size", FLAVOUR_PERCONA, "8.0.28", "9.3"},
        {"innodb_log_file_size", FLAVOUR_MYSQL, "9.3.0", NULL},
        {"innodb_log_file_size", FLAVOUR_MARIADB, "10.5.1", NULL},
        {"query_cache_size", FLAVOUR_MYSQL, "5.7.15", "8.0.3"},
        {"innodb_redo_log_capacity", FLAVOUR_MYSQL, "8.0.30", NULL},
        {"innodb_log_files_in_group", FLAVOUR_MARIADB, "10.5.1", NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct version at = version(rows[i].at), then, want;
        bool has = variable_refused_after(find(rows[i].name), rows[i].f, &at, &then);
        assert_int_equal(has, rows[i].want != NULL);
        if (!has)
            continue;
        want = version(rows[i].want);
        assert_int_equal(version_cmp(&then, &want), 0);
    }
}

static void test_names(void **state)
{
    (void)state;
    static const char *const same[] = {
        "innodb_io_capacity", "innodb-io-capacity", "INNODB_IO_CAPACITY", "Innodb-Io_capacity",
    };
    static const char *const none[] = {
        "", "innodb", "innodb_io_capacit", "innodb_io_capacity_", "innodb_io_capacity_maxx",
        "innodb io capacity", "\xff", "zzz", "a",
    };
    for (size_t i = 0; i < ARRAY_LEN(same); i++) {
        const struct variable *v = catalogue_find(builtin, span_of(same[i]));
        assert_non_null(v);
        assert_string_equal(variable_name(v), "innodb_io_capacity");
    }
    for (size_t i = 0; i < ARRAY_LEN(none); i++)
        assert_null(catalogue_find(builtin, span_of(none[i])));
    assert_null(catalogue_find(builtin, (struct span){"innodb_io_capacity\0", 19}));
    for (size_t i = 1; i < catalogue_count(builtin); i++)
        assert_true(strcmp(variable_name(catalogue_at(builtin, i - 1)),
                           variable_name(catalogue_at(builtin, i))) < 0);
    struct version newest = catalogue_newest(builtin, FLAVOUR_MARIADB), want = version("12.3");
    assert_int_equal(version_cmp(&newest, &want), 0);
}

static void test_words(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum flavour f;
        const char *at, *want;
    } cases[] = {
        {"innodb_doublewrite", FLAVOUR_MYSQL, "8.0.29", "OFF, ON"},
        {"innodb_doublewrite", FLAVOUR_MYSQL, "8.0.30", "OFF, ON, DETECT_ONLY, DETECT_AND_RECOVER"},
        {"innodb_doublewrite", FLAVOUR_PERCONA, "8.4", "OFF, ON, DETECT_ONLY, DETECT_AND_RECOVER"},
        {"innodb_doublewrite", FLAVOUR_MARIADB, "10.11.6", "OFF, ON"},
        {"innodb_doublewrite", FLAVOUR_MARIADB, "11.8.9", "OFF, ON, fast"},
        {"innodb_io_capacity", FLAVOUR_MYSQL, "8.0.29", NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct version at = version(cases[i].at);
        const char *got = variable_values_at(find(cases[i].name), cases[i].f, &at);
        if ((got == NULL) != (cases[i].want == NULL) ||
            (got != NULL && strcmp(got, cases[i].want) != 0))
            fail_msg("%s %s: %s", cases[i].name, cases[i].at, got);
    }
}

static void test_sources(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum flavour f;
        const char *at;
        size_t want;
    } cases[] = {
        /* my97, params, mymanual */
        {"innodb_old_blocks_pct", FLAVOUR_MYSQL, "9.7.4", 2},
        {"innodb_old_blocks_pct", FLAVOUR_MYSQL, "8.0.23", 2},
        {"innodb_old_blocks_pct", FLAVOUR_MYSQL, "8.0.24", 3}, /* one list on each side */
        {"innodb_old_blocks_pct", FLAVOUR_PERCONA, "8.0.36", 3},
        {"innodb_old_blocks_pct", FLAVOUR_MYSQL, "26.7", 2},   /* as 9.7.4 */
        {"innodb_old_blocks_pct", FLAVOUR_MYSQL, "5.5", 0},
        {"innodb_log_archive", FLAVOUR_MARIADB, "12.3", 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct version at = version(cases[i].at);
        size_t got = variable_sources(builtin, find(cases[i].name), cases[i].f, &at);
        if (got != cases[i].want)
            fail_msg("%s %s: %zu", cases[i].name, cases[i].at, got);
    }
    const struct variable *old = find("expire_logs_days");
    assert_string_equal(variable_replaced_by(old, FLAVOUR_MYSQL), "binlog_expire_logs_seconds");
    assert_string_equal(variable_replaced_by(old, FLAVOUR_PERCONA), "binlog_expire_logs_seconds");
    assert_null(variable_replaced_by(old, FLAVOUR_MARIADB));
}

static void test_judge(void **state)
{
    (void)state;
    static const struct {
        enum flavour f;
        const char *at, *name;
        enum presence want;
        const char *text;
    } rows[] = {
        {FLAVOUR_MARIADB, "10.11.19", "innodb_redo_log_capacity", PRESENCE_REFUSED,
         "not in MariaDB 10.11.19: the server does not start with it"},
        {FLAVOUR_MYSQL, "9.7.4", "innodb-log-file-size", PRESENCE_REFUSED,
         "not in MySQL 9.7.4: the server does not start with it"},
        {FLAVOUR_MYSQL, "9.7.4", "loose_innodb_log_file_size", PRESENCE_IGNORED,
         "without effect in MySQL 9.7.4"},
        {FLAVOUR_MYSQL, "9.7.4", "LOOSE-innodb-log-file-size", PRESENCE_IGNORED,
         "without effect in MySQL 9.7.4"},
        {FLAVOUR_PERCONA, "8.0.36", "innodb_log_file_size", PRESENCE_DEPRECATED,
         "deprecated in Percona Server 8.0.36"},
        {FLAVOUR_MARIADB, "11.8.9", "innodb_buffer_pool_instances", PRESENCE_IGNORED,
         "without effect in MariaDB 11.8.9"},
        {FLAVOUR_MYSQL, "9.7.4", "innodb_buffer_pool_size", PRESENCE_YES, ""},
        {FLAVOUR_MYSQL, "9.7.4", "nobody_knows", PRESENCE_UNKNOWN,
         "not in the catalogue; unknown to us in MySQL 9.7.4"},
        {FLAVOUR_MYSQL, "9.7.4", "loose", PRESENCE_UNKNOWN,
         "not in the catalogue; unknown to us in MySQL 9.7.4"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct version at = version(rows[i].at);
        struct buf b;
        buf_init(&b, arena, 200);
        assert_int_equal(
            catalogue_judge(builtin, rows[i].f, &at, span_of(rows[i].name), &b), rows[i].want);
        assert_string_equal(b.ptr != NULL ? b.ptr : "", rows[i].text);
    }
}

static void test_write(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum kind kind;
        const char *in, *out; /* out NULL: cannot be written */
    } rows[] = {
        {"innodb_buffer_pool_size", KIND_BYTES, "19GiB", "20401094656"},
        {"innodb_buffer_pool_size", KIND_BYTES, "8388608TiB", "9223372036854775808"},
        {"innodb_buffer_pool_size", KIND_BYTES, "unlimited", NULL},
        {"innodb_io_capacity", KIND_RATE, "2000/s", "2000"},
        {"innodb_io_capacity", KIND_RATE, "0.5/s", NULL},
        {"innodb_max_dirty_pages_pct", KIND_RATIO, "90%", "90"},
        {"innodb_flush_neighbors", KIND_COUNT, "0", "0"},
        {"log_bin", KIND_BOOL, "on", "ON"},
        {"log_bin", KIND_BOOL, "0", "OFF"},
        {"innodb_doublewrite", KIND_ENUM, "on", "ON"},
        {"innodb_doublewrite", KIND_ENUM, "detect_only", "DETECT_ONLY"},
        {"innodb_doublewrite", KIND_ENUM, "FAST", "fast"},
        {"innodb_flush_method", KIND_ENUM, "o_direct", "O_DIRECT"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct value v;
        struct err err = ERR_INIT;
        struct buf b;
        buf_init(&b, arena, 200);
        if (!value_read(arena, rows[i].kind, NULL, false, span_of(rows[i].in), &v, &err))
            fail_msg("%s", err.text);
        bool done = variable_write(find(rows[i].name), &v, &b);
        assert_int_equal(done, rows[i].out != NULL);
        if (done)
            assert_string_equal(b.ptr, rows[i].out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presence),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_dynamic),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_refused_later),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_judge),
        cmocka_unit_test(test_write),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
