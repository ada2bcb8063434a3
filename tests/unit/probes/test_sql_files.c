/* Whether a server could open as many files as it asked for: what its settings tell, as real servers were
 * seen to set them, and what its log says where they do not. */
#include "tests/unit/probes/sql_fixture.h"

#include "advisor/base/banned.h"

#define FACT "server.process.log_open_files_warning"
#define ORIGINS "name\torigin\tpath\tlow\thigh\n"

/* connections, extra, cache, instances, limit; the origins of max_connections, cache, instances, limit */
struct server {
    const char *what;
    unsigned connections, extra, cache, instances, limit;
    const char *from[4]; /* NULL: not told */
    const char *want;
};

/* MariaDB asks for files of its thread pool, also where none is in use. */
struct pool {
    unsigned groups;
    const char *handling; /* NULL: nothing is told of the pool */
};
static const struct pool two_processors = {2, "one-thread-per-connection"};

static const char *variables(struct arena *a, const struct server *s, const struct pool *pool)
{
    const char *const told =
        pool->handling == NULL ? ""
                               : arena_printf(a, "thread_pool_size\t%u\nthread_handling\t%s\n",
                                              pool->groups, pool->handling);
    return arena_printf(a,
                        "max_connections\t%u\nextra_max_connections\t%u\ntable_open_cache\t%u\n"
                        "table_open_cache_instances\t%u\nopen_files_limit\t%u\n%s",
                        s->connections, s->extra, s->cache, s->instances, s->limit, told);
}

static const char *origins(struct arena *a, const struct server *s)
{
    static const char *const names[] = {"max_connections", "table_open_cache",
                                        "table_open_cache_instances", "open_files_limit"};
    struct buf b;
    buf_init(&b, a, 4096);
    buf_add_text(&b, ORIGINS);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (s->from[i] != NULL) {
            buf_printf(&b, "%s\t%s\t\t0\t0\n", names[i], s->from[i]);
        }
    }
    return b.ptr;
}

static void check_with(const struct server *s, const struct pool *pool, const char *version,
                       const char *log, const char *status)
{
    ARENA_AUTO a = arena_new();
    struct sql_fixture f = sql_fixture_new(a);
    sql_small(&f, version, "", variables(a, s, pool), status);
    sql_reply(&f, "variable-origins", origins(a, s));
    if (log != NULL) {
        sql_reply(&f, "open-files-log", log);
    } else {
        fakehost_fail(f.host, HOST_SQL, "open-files-log", E_DENIED, 0);
    }
    sql_run_probe(&f);
    const struct fact_want want = {FACT, s->want};
    check_facts(s->what, f.store, SQL_LABEL, &want, 1);
}

static void check(const struct server *s, const char *version, const char *log, const char *status)
{
    check_with(s, &two_processors, version, log, status);
}

#define BUILT "COMPILE-TIME"
#define SET "COMMAND-LINE"

static void test_mariadb(void **state)
{
    /* all but the last four were seen with 10.11.19 and 11.8.9 */
    static const struct server rows[] = {
        {"defaults", 151, 1, 2000, 8, 32184, {BUILT, BUILT, BUILT, "AUTO"}, "false"},
        {"1024 files", 151, 1, 421, 1, 1024, {BUILT, "AUTO", "AUTO", "AUTO"}, "true"},
        {"10000 files", 151, 1, 2000, 2, 10000, {BUILT, BUILT, "AUTO", "AUTO"}, "true"},
        {"enough for a small cache", 151, 1, 400, 8, 6584, {BUILT, SET, BUILT, "AUTO"}, "false"},
        {"a limit that was set, and got", 151, 1, 400, 8, 20000, {BUILT, SET, BUILT, SET}, "false"},
        {"a limit that was set, and not got", 151, 1, 400, 8, 10000, {BUILT, SET, BUILT, "AUTO"}, "true"},
        {"one instance", 151, 1, 400, 1, 984, {BUILT, SET, SET, "AUTO"}, "false"},
        {"fewer connections", 370, 1, 200, 1, 800, {"AUTO", SET, SET, "AUTO"}, "true"},
        {"extra connections", 151, 50, 400, 8, 6633, {BUILT, SET, BUILT, "AUTO"}, "false"},
        {"five a connection", 5000, 1, 200, 1, 25005, {SET, SET, SET, "AUTO"}, "false"},
        {"raised since", 500, 1, 2000, 8, 32184, {"SQL", BUILT, BUILT, "AUTO"}, "false"},
        {"one instance, changed since", 151, 1, 300, 1, 984, {BUILT, "SQL", SET, "AUTO"}, "? absent"},
        {"no origins", 151, 1, 2000, 8, 32184, {NULL, NULL, NULL, NULL}, "? absent"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        check(&rows[i], "10.11.19-MariaDB", NULL, "");
    }
}

/* 30 files and one a group; seen with 1, 4, 7 and 10 groups, 10.11.19 and 11.8.9. */
static void test_pool(void **state)
{
    static const struct {
        struct server server;
        struct pool pool;
    } rows[] = {
        {{"four processors", 151, 1, 2000, 8, 32186, {BUILT, BUILT, BUILT, "AUTO"}, "false"},
         {4, "one-thread-per-connection"}},
        {{"64 processors", 151, 1, 2000, 8, 32246, {BUILT, BUILT, BUILT, "AUTO"}, "false"},
         {64, "one-thread-per-connection"}},
        {{"above what 64 ask for", 151, 1, 2000, 8, 32247, {BUILT, BUILT, BUILT, "AUTO"}, "true"},
         {64, "one-thread-per-connection"}},
        {{"one processor, two files above", 151, 1, 100, 8, 1785, {BUILT, SET, BUILT, "AUTO"}, "true"},
         {1, "one-thread-per-connection"}},
        {{"a pool in use asks for none", 151, 1, 100, 8, 1782, {BUILT, SET, BUILT, "AUTO"}, "false"},
         {10, "pool-of-threads"}},
        {{"nothing told of it", 151, 1, 2000, 8, 32184, {BUILT, BUILT, BUILT, "AUTO"}, "? absent"},
         {0, NULL}},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        check_with(&rows[i].server, &rows[i].pool, "10.11.19-MariaDB", NULL, "");
    }
}

static void test_mysql(void **state)
{
    /* what its settings tell: seen with 9.7.4, but for the last six */
    static const struct server rows[] = {
        {"defaults", 151, 0, 4000, 16, 10000, {"COMPILED", "COMPILED", "COMPILED", "COMPILED"}, "false"},
        {"defaults, just enough", 151, 0, 4000, 16, 8161,
         {"COMPILED", "COMPILED", "COMPILED", "COMPILED"}, "false"},
        {"1024 files", 151, 0, 431, 16, 1024, {"COMPILED", "COMPILED", "COMPILED", "COMPILED"}, "true"},
        {"6000 files", 151, 0, 2919, 16, 6000, {"COMPILED", "COMPILED", "COMPILED", "COMPILED"}, "true"},
        {"a small cache, fewer than 5000", 151, 0, 400, 16, 4096,
         {"COMPILED", "COMMAND_LINE", "COMPILED", "COMPILED"}, "true"},
        {"a small cache", 151, 0, 400, 16, 5000, {"COMPILED", "COMMAND_LINE", "COMPILED", "COMPILED"},
         "false"},
        {"fewer than five a connection", 3000, 0, 400, 16, 14999,
         {"GLOBAL", "GLOBAL", "COMPILED", "COMPILED"}, "true"},
        {"a large cache, all of it", 151, 0, 20000, 16, 40163, {"COMPILED", "GLOBAL", "COMPILED", "COMPILED"},
         "false"},
        {"a large cache, perhaps lowered", 151, 0, 20000, 16, 40162,
         {"COMPILED", "GLOBAL", "COMPILED", "COMPILED"}, "? not permitted"},
        {"a limit that was set", 151, 0, 4000, 16, 20000, {"COMPILED", "COMPILED", "COMPILED", "GLOBAL"},
         "? not permitted"},
        {"changed since", 151, 0, 3000, 16, 10000, {"COMPILED", "DYNAMIC", "COMPILED", "COMPILED"},
         "? not permitted"},
        {"no origins", 151, 0, 4000, 16, 10000, {NULL, NULL, NULL, NULL}, "? not permitted"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        check(&rows[i], "9.7.4", NULL, "");
    }
    static const struct server older = {
        "an older default", 151, 0, 2000, 16, 10000, {"COMPILED", "COMPILED", "COMPILED", "COMPILED"},
        "false"};
    check(&older, "5.7.44", NULL, "");
}

static void test_log(void **state)
{
#define SET_LIMIT {"COMPILED", "COMPILED", "COMPILED", "GLOBAL"}
    static const struct {
        struct server server;
        const char *log, *status;
    } rows[] = {
        {{"a line", 151, 0, 4000, 16, 20000, SET_LIMIT, "true"}, "hits\n1\n", ""},
        {{"a line, others dropped", 151, 0, 4000, 16, 20000, SET_LIMIT, "true"},
         "hits\n2\n", "Error_log_expired_events\t700\n"},
        {{"no line of the whole log", 151, 0, 4000, 16, 20000, SET_LIMIT, "false"},
         "hits\n0\n", "Error_log_expired_events\t0\n"},
        {{"no line of what is left", 151, 0, 4000, 16, 20000, SET_LIMIT, "? absent"},
         "hits\n0\n", "Error_log_expired_events\t700\n"},
        {{"nobody says what is left", 151, 0, 4000, 16, 20000, SET_LIMIT, "? absent"}, "hits\n0\n", ""},
        {{"no number", 151, 0, 4000, 16, 20000, SET_LIMIT, "? absent"}, "hits\nx\n", ""},
        {{"no row", 151, 0, 4000, 16, 20000, SET_LIMIT, "? absent"}, "hits\n", ""},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        check(&rows[i].server, "8.0.36", rows[i].log, rows[i].status);
    }
    ARENA_AUTO a = arena_new();
    struct sql_fixture f = sql_fixture_new(a);
    sql_small(&f, "5.7.44", "", variables(a, &rows[0].server, &two_processors), "");
    fakehost_fail(f.host, HOST_SQL, "open-files-log", E_NOT_SUPPORTED, 0);
    sql_run_probe(&f);
    static const struct fact_want want = {FACT, "? absent"};
    check_facts("a version without such a table", f.store, SQL_LABEL, &want, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mariadb),
        cmocka_unit_test(test_pool),
        cmocka_unit_test(test_mysql),
        cmocka_unit_test(test_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
