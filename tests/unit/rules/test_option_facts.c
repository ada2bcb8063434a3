/* Facts that are counted over option lines, the lists behind them, and what can be assumed of a server that
 * nobody asks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "option_world.h"

#include "advisor/base/banned.h"

static struct arena *arena;
static struct ruleset rules;
static struct store *store;
static struct subject *server;

static int begin(void **state)
{
    (void)state;
    arena = arena_new();
    struct decl_set *decls = decl_set_new(arena);
    struct rule_texts texts = *rule_texts_builtin(arena);
    struct err err = ERR_INIT;
    texts.n_rules = 0;
    texts.settings = texts.derived = (struct rule_text){0};
    if (!ruleset_load(arena, decls, &texts, &rules, NULL, &err))
        fail_msg("%s", err.text);
    store = store_new(arena, decls);
    server = store_subject(store, SUBJECT_SERVER, "server:a");
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static void put_lines(const char *fact, const char *text)
{
    struct optline *lines;
    const size_t n = world_lines(arena, text, &lines);
    struct span *words = arena_calloc(arena, n + 1, sizeof(*words));
    for (size_t i = 0; i < n; i++) {
        struct buf b;
        buf_init(&b, arena, 4096);
        optline_print(&b, &lines[i]);
        words[i] = buf_span(&b);
    }
    store_known(store, server, fact, value_words(arena, KIND_LIST, words, n), "test");
}

static void serve(const char *target, const char *lines, const char *others)
{
    const struct option_target t = world_target(target);
    store_known(store, server, "server.flavour",
                value_text(KIND_ENUM, span_of(flavour_name(t.flavour))), "test");
    store_known(store, server, "server.version", value_version(t.version), "test");
    put_lines("server.option.lines", lines);
    put_lines("server.option.other_lines", others);
    options_derive(&rules, store);
}

static const char *shown(const char *name)
{
    const struct fact *f = store_get(store, server, span_of(name));
    struct buf b;
    buf_init(&b, arena, 8192);
    if (f == NULL)
        return "never set";
    if (f->state != FACT_KNOWN)
        return fact_state_name(f->state);
    value_print_literal(&b, &f->value);
    return b.ptr;
}

static void is_fact(const char *name, const char *literal)
{
    if (strcmp(shown(name), literal) != 0)
        fail_msg("%s is %s, not %s", name, shown(name), literal);
}

static void test_counts_with_places(void **state)
{
    (void)state;
    serve("mysql:8.0.36",
          "query_cache_size=1M|aria_recover_options=OFF|innodb_io_capacity=1e6|"
          "innodb_flush_method=bogus|sync_binlog=2|sync_binlog=1|loose_query_cache_type=0",
          "");
    is_fact("server.option.unknown_count", "2");
    is_fact("server.option.unknown_names",
            "{\"query_cache_size at /etc/my.cnf:1\", \"aria_recover_options at /etc/my.cnf:2\"}");
    is_fact("server.option.foreign_count", "1");
    is_fact("server.option.float_count", "1");
    is_fact("server.option.clamped_count", "0");
    is_fact("server.option.bad_enum_names", "{\"innodb_flush_method at /etc/my.cnf:4\"}");
    is_fact("server.option.duplicate_count", "1");
    is_fact("server.option.conflict_count", "1");
    is_fact("server.option.persisted_count", "0");
    is_fact("server.option.flush_method_set", "true");
    is_fact("server.option.old_redo_pair", "false");
    is_fact("server.option.dropin_wins", "not supported");
}

static void test_layers_are_no_conflict(void **state)
{
    (void)state;
    serve("mysql:8.0.36", "sync_binlog=2|@/etc/conf.d/b.cnf|sync_binlog=1", "");
    is_fact("server.option.duplicate_count", "1");
    is_fact("server.option.conflict_count", "0");
}

static void test_an_unsure_name_is_no_zero(void **state)
{
    (void)state;
    serve("mysql:8.0.36", "validate_password_length=9", "");
    is_fact("server.option.unknown_count", "absent");
    is_fact("server.option.foreign_count", "0");
    /* One that is counted decides. */
    serve("mysql:8.0.36", "validate_password_length=9|query_cache_size=0", "");
    is_fact("server.option.unknown_count", "1");
    /* The server's own list is a witness. */
    store_known(store, server, "server.var.validate_password_length",
                value_u64(KIND_COUNT, 9), "test");
    serve("mysql:8.0.36", "validate_password_length=9", "");
    is_fact("server.option.unknown_count", "0");
    serve("mysql:8.0.36", "loose_validate_password_policy=1", "");
    is_fact("server.option.unknown_count", "0");
}

static void test_what_is_not_known_stays_so(void **state)
{
    (void)state;
    serve("mysql:8.0.36", "sync_binlog=1", "");
    store_unknown(store, server, "server.option.lines", FACT_NOT_PERMITTED, "test", "be root",
                  "no entry");
    options_derive(&rules, store);
    is_fact("server.option.unknown_count", "not permitted");
    assert_string_equal(
        store_get(store, server, SPAN_LIT("server.option.clamped_count"))->remedy, "be root");
    /* What a document states stands. */
    store_known(store, server, "server.option.unknown_count", value_u64(KIND_COUNT, 3), "doc");
    serve("mysql:8.0.36", "sync_binlog=1", "");
    is_fact("server.option.unknown_count", "3");
    is_fact("server.option.clamped_count", "0");
}

static void test_persisted(void **state)
{
    (void)state;
    serve("mysql:8.0.36", "sync_binlog=1|P:sync_binlog=0|P:innodb_io_capacity=900", "");
    is_fact("server.option.persisted_names", "{\"sync_binlog at /etc/my.cnf:1\"}");
    static const char *const planned[] = {"innodb_io_capacity", "sync_binlog", "max_connections"};
    assert_true(options_persisted_plan(&rules, store, server, planned, ARRAY_LEN(planned)));
    is_fact("server.option.persisted_count", "2");
    assert_false(options_persisted_plan(&rules, store, server, planned, ARRAY_LEN(planned)));
    assert_true(options_is_persisted(&rules, store, server, "innodb_io_capacity"));
    assert_false(options_is_persisted(&rules, store, server, "max_connections"));
    serve("mariadb:10.11.19", "sync_binlog=1", "");
    is_fact("server.option.persisted_count", "not supported");
}

static void test_the_dropin(void **state)
{
    (void)state;
    serve("mysql:8.0.36", "@/etc/c/zz-nvadvise.cnf|sync_binlog=1|innodb_io_capacity=900", "");
    is_fact("server.option.dropin_wins", "true");
    serve("mysql:8.0.36", "@/etc/c/zz-nvadvise.cnf|sync_binlog=1|@/etc/c/zzz.cnf|sync_binlog=1", "");
    is_fact("server.option.dropin_wins", "false");
    is_fact("server.option.dropin_lost", "{\"sync_binlog at /etc/c/zzz.cnf:1\"}");
}

static void test_groups_that_nobody_reads(void **state)
{
    (void)state;
    serve("mysql:8.0.36", "sync_binlog=1",
          "[mysqld-5.7]|innodb_io_capacity=1|[mysqld2]|sync_binlog=1|[mysqldump]|max_allowed_packet=1G|"
          "[mysql]|innodb_io_capacity=900|[myslqd]|sync_binlog=1|[mysqld_safe]|open_files_limit=9|"
          "[mariadb]|sync_binlog=1|[client]|port=3306");
    is_fact("server.option.wrong_group_names",
            "{\"innodb_io_capacity at /etc/my.cnf:8\", \"sync_binlog at /etc/my.cnf:10\"}");
}

static void test_items(void **state)
{
    struct option_item *items;
    (void)state;
    serve("mysql:9.7.4", "innodb_log_file_size=1G|query_cache_size=1M|innodb_io_capcity=500", "");
    assert_int_equal(options_items(&rules, store, server, "server.option.unknown_count", arena,
                                   &items), 3);
    assert_string_equal(items[0].advice, "rename");
    assert_non_null(strstr(items[0].text, "innodb_redo_log_capacity"));
    assert_string_equal(items[1].advice, "remove");
    assert_string_equal(items[1].setting, "query_cache_size");
    assert_int_equal(items[1].line, 2);
    assert_string_equal(items[2].advice, "rename");
    assert_non_null(strstr(items[2].text, "innodb_io_capacity"));
    assert_int_equal(options_items(&rules, store, server, "server.version", arena, &items), 0);
    serve("mysql:9.7.4", "key_buffer=16M", ""); /* cut short, as MySQL took it before 5.7 */
    assert_int_equal(options_items(&rules, store, server, "server.option.unknown_count", arena,
                                   &items), 1);
    assert_string_equal(items[0].advice, "rename");
    assert_non_null(strstr(items[0].text, "key_buffer_size"));
}

static void test_assumed(void **state)
{
    (void)state;
    serve("mysql:8.0.36", "innodb_log_file_size=1G|innodb_log_files_in_group=3|innodb_io_capacity=700|"
                          "innodb_buffer_pool_size=2G|skip-innodb_doublewrite|sync_binlog=abc", "");
    store_known(store, server, "server.var.innodb_flush_neighbors", value_u64(KIND_COUNT, 2), "doc");
    options_assume(&rules, store, server);
    is_fact("server.var.innodb_redo_log_capacity", "3GiB");
    is_fact("server.var.innodb_io_capacity_max", "2000/s");
    is_fact("server.var.innodb_buffer_pool_instances", "8");
    is_fact("server.var.innodb_flush_neighbors", "2");
    is_fact("server.doublewrite.mode", "off");
    is_fact("server.binlog.enabled", "true");
    is_fact("server.var.sync_binlog", "unreadable");
    is_fact("server.var.query_cache_size", "not supported");
    is_fact("server.source.innodb_io_capacity", "file");
    is_fact("server.source.innodb_page_size", "compiled");
}

/* One value under two names: a line for either sets both. */
static void test_assumed_of_two_names(void **state)
{
    serve("mariadb:10.11.19", "tmp_table_size=32M|tmp_memory_table_size=64M", "");
    options_assume(&rules, store, server);
    is_fact("server.var.tmp_table_size", "64MiB");
    is_fact("server.var.tmp_memory_table_size", "64MiB");
    is_fact("server.source.tmp_table_size", "file");
    end(state);
    begin(state);
    serve("mysql:8.0.36", "slave_parallel_workers=7|skip_log_bin|log_slave_updates=ON", "");
    options_assume(&rules, store, server);
    is_fact("server.var.replica_parallel_workers", "7");
    is_fact("server.var.slave_parallel_workers", "7");
    is_fact("server.var.log_replica_updates", "true");
}

/* What a server of its own machine works out from its memory is no compiled default. */
static void test_assumed_of_a_dedicated_server(void **state)
{
    serve("mysql:8.4.3", "innodb_dedicated_server=ON", "");
    options_assume(&rules, store, server);
    is_fact("server.var.innodb_buffer_pool_size", "absent");
    is_fact("server.var.innodb_redo_log_capacity", "absent");
    end(state);
    begin(state);
    serve("mysql:8.0.28", "innodb_dedicated_server=ON|innodb_buffer_pool_size=3G", "");
    options_assume(&rules, store, server);
    is_fact("server.var.innodb_buffer_pool_size", "3GiB");
    is_fact("server.var.innodb_log_file_size", "absent");
    is_fact("server.var.innodb_log_files_in_group", "absent");
    is_fact("server.var.innodb_flush_method", "absent");
    end(state);
    begin(state);
    serve("mysql:8.0.28", "innodb_dedicated_server=OFF", "");
    options_assume(&rules, store, server);
    is_fact("server.var.innodb_log_file_size", "48MiB");
}

static void test_assumed_threads(void **state)
{
    serve("mariadb:10.11.19", "max_connections=40", "");
    options_assume(&rules, store, server);
    is_fact("server.var.thread_cache_size", "40");
    end(state);
    begin(state);
    serve("mariadb:10.11.19", "max_connections=400", "");
    options_assume(&rules, store, server);
    is_fact("server.var.thread_cache_size", "256");
    end(state);
    begin(state);
    serve("mariadb:10.1.48", "", "");
    options_assume(&rules, store, server);
    is_fact("server.var.thread_cache_size", "0");
    end(state);
    begin(state);
    serve("mysql:8.0.36", "max_connections=1000", "");
    options_assume(&rules, store, server);
    is_fact("server.var.thread_cache_size", "18");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_counts_with_places, begin, end),
        cmocka_unit_test_setup_teardown(test_layers_are_no_conflict, begin, end),
        cmocka_unit_test_setup_teardown(test_an_unsure_name_is_no_zero, begin, end),
        cmocka_unit_test_setup_teardown(test_what_is_not_known_stays_so, begin, end),
        cmocka_unit_test_setup_teardown(test_persisted, begin, end),
        cmocka_unit_test_setup_teardown(test_the_dropin, begin, end),
        cmocka_unit_test_setup_teardown(test_groups_that_nobody_reads, begin, end),
        cmocka_unit_test_setup_teardown(test_items, begin, end),
        cmocka_unit_test_setup_teardown(test_assumed, begin, end),
        cmocka_unit_test_setup_teardown(test_assumed_of_two_names, begin, end),
        cmocka_unit_test_setup_teardown(test_assumed_of_a_dedicated_server, begin, end),
        cmocka_unit_test_setup_teardown(test_assumed_threads, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
