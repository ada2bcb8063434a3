/* The plans of whole hosts, against plans that were worked by hand: tests/rules/hosts/NAME.plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "advisor/base/file.h"
#include "advisor/facts/factdoc.h"
#include "rules/catalogue.h"
#include "tests/rules/planlib.h"

#include "advisor/base/banned.h"

/* The golden text in two halves, without its comment lines. */
static void read_golden(struct arena *a, const char *host, const char **ret_plan,
                        const char **ret_after)
{
    struct span text, line;
    struct err err = ERR_INIT;
    struct buf halves[2];
    unsigned at = 0;
    buf_init(&halves[0], a, 16384);
    buf_init(&halves[1], a, 16384);
    const char *path = arena_printf(a, NV_SOURCE_DIR "/tests/rules/hosts/%s.plan", host);
    if (!file_read(a, path, 16384, &text, &err))
        fail_msg("%s", err.text);
    while (span_line(&text, &line)) {
        if (span_eq_text(line, "after:"))
            at = 1;
        else if (!span_starts(line, "#"))
            buf_printf(&halves[at], "%.*s\n", SPAN_ARG(line));
    }
    *ret_plan = halves[0].ptr != NULL ? halves[0].ptr : "";
    *ret_after = halves[1].ptr != NULL ? halves[1].ptr : "";
}

static void check(const char *host, const char *what, const char *want, const char *got)
{
    if (strcmp(want, got) != 0)
        fail_msg("%s, %s: expected\n%sgot\n%s", host, what, want, got);
}

/* The same without the lines that are first steps. */
static const char *without_first_steps(struct arena *a, const char *text)
{
    struct span rest = span_of(text), line;
    struct buf b;
    buf_init(&b, a, 16384);
    while (span_line(&rest, &line)) {
        if (!span_starts(line, "first_step "))
            buf_printf(&b, "%.*s\n", SPAN_ARG(line));
    }
    return b.ptr != NULL ? b.ptr : "";
}

static void test_worked_hosts(void **state)
{
    static const char *const hosts[] = {"w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9",
                                        "raidz2", "x1", "x2", "x3", "x4", "x5"};
    const struct rulelib *lib = *state;
    for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
        ARENA_AUTO a = arena_new();
        const char *plan, *after;
        struct plan *p;
        read_golden(a, hosts[i], &plan, &after);
        struct store *s = rulelib_host(lib, a, hosts[i], NULL);
        size_t n = planlib_make(lib, a, s, true, &p, NULL);
        check(hosts[i], "measured only", without_first_steps(a, plan), planlib_text(a, p, n, false));
        n = planlib_make(lib, a, s, false, &p, NULL);
        check(hosts[i], "plan", plan, planlib_text(a, p, n, false));
        for (size_t k = 0; k < n; k++) {
            assert_int_equal(p[k].n_refused, 0);
            plan_overlay(&p[k], s);
        }
        n = planlib_make(lib, a, s, false, &p, NULL);
        check(hosts[i], "after a restart", after, planlib_text(a, p, n, false));
    }
}

/* A worked host with some facts changed, and its plan then. */
static void test_variants(void **state)
{
#define POOL_8_0 "setting [mysqld] innodb_buffer_pool_size = "
    static const struct {
        const char *host, *sets[4];
        const char *want; /* the first lines */
    } rows[] = {
        /* a release that starts with the pool's size as its upper bound */
        {"w8", {"server.version=10.11.13", "server.var.innodb_buffer_pool_size_max=128MiB"},
         "first_step [mysqld] innodb_buffer_pool_size = 6442450944 mem-bp-default, settles "
         "mem-bp-small\nfirst_step [mysqld] innodb_buffer_pool_size_max = 8053063680 "
         "mem-bp-grow-capped-maria\nfirst_step [mysqld] innodb_log_file_size = "},
        {"w6", {"server.version=10.11.13", "server.var.innodb_buffer_pool_size_max=128MiB"},
         "setting [mysqld] innodb_buffer_pool_size = 20401094656 mem-bp-default, settles "
         "mem-bp-small\nsetting [mysqld] innodb_buffer_pool_size_max = 25501368320 "},
        /* what the server takes at most */
        {"x2", {"server.version=8.4.3"},
         POOL_8_0 "481036337152 mem-bp-small\n"
         "setting [mysqld] innodb_redo_log_capacity = 137438953472 redo-too-small-hour\n"},
        {"x2", {"server.version=9.7.1"},
         POOL_8_0 "481036337152 mem-bp-small\n"
         "setting [mysqld] innodb_redo_log_capacity = 290984034304 redo-too-small-hour\n"},
        /* the bound is high enough */
        {"w8", {"server.version=10.11.13", "server.var.innodb_buffer_pool_size_max=6GiB"},
         "first_step [mysqld] innodb_buffer_pool_size = 6442450944 mem-bp-default, settles "
         "mem-bp-small\nfirst_step [mysqld] innodb_log_file_size = "},
        /* a release with room for terabytes, and a kernel that counts them; the bound is lowered with a first step */
        {"w8", {"host.vm.overcommit_memory=2"},
         "first_step [mysqld] innodb_buffer_pool_size = 6442450944 mem-bp-default, settles "
         "mem-bp-small\nfirst_step [mysqld] innodb_buffer_pool_size_max = 8053063680 "
         "mem-bp-sizemax-maria\nfirst_step [mysqld] innodb_log_file_size = "},
        /* the server would round up to whole chunks of every instance: as many as it will have */
        {"w1", {"server.var.innodb_buffer_pool_instances=64",
                "server.var.innodb_buffer_pool_chunk_size=128MiB"},
         POOL_8_0 "59055800320 mem-bp-small\n"
         "setting [mysqld] innodb_buffer_pool_instances = 8 mem-bp-instances\n"},
        {"w1", {"server.var.innodb_buffer_pool_instances=1"},
         POOL_8_0 "59055800320 mem-bp-small\n"
         "setting [mysqld] innodb_buffer_pool_instances = 8 mem-bp-instances\n"},
        {"w1", {"server.var.innodb_buffer_pool_instances=16",
                "server.var.innodb_buffer_pool_chunk_size=128MiB"},
         POOL_8_0 "57982058496 mem-bp-small\nsetting [mysqld] innodb_redo_log_capacity = "},
        /* fewer, where the pool shrinks */
        {"w1", {"server.memory.limit=8GiB", "server.var.innodb_buffer_pool_instances=8"},
         POOL_8_0 "4294967296 mem-over-limit, settles mem-cgroup-ignored\n"
         "setting [mysqld] innodb_buffer_pool_instances = 4 mem-over-limit\n"},
        /* what the report does not tell of F1 */
        {"w5", {"redo.fs.free_bytes=300GiB"},
         "setting [mysqld] tmp_table_size = 67108864 mem-session-buffers\n"
         "setting [mysqld] max_heap_table_size = 67108864 mem-session-buffers\n"
         "first_step [mysqld-5.7] innodb_log_file_size = 1073741824 redo-default-100m\n"},
        /* spinning disks that nobody measured */
        {"w2", {"data.rotational=true", "data.bench.flush.rate=unknown", "server.redo.capacity=8GiB"},
         "setting [mysqld] innodb_io_capacity = 200 io-capacity-over-device\n"
         "setting [mysqld] innodb_io_capacity_max = 400 io-capacity-over-device\n"},
        {"w1", {"server.var.innodb_buffer_pool_instances=8",
                "server.var.innodb_buffer_pool_chunk_size=128MiB"},
         POOL_8_0 "59055800320 mem-bp-small\n"},
        {"w8", {"server.version=10.5.23", "server.var.innodb_buffer_pool_chunk_size=5GiB"},
         "first_step [mysqld] innodb_buffer_pool_size = 5368709120 mem-bp-default, settles "
         "mem-bp-small\n"},
        /* a host that others use as well: half of its memory, and no first step */
        {"w7", {"server.dedicated=false"},
         "setting [mysqld] innodb_buffer_pool_size = 12884901888 mem-bp-default\n"},
        /* memory that is gone: lowered, by whom it is too much for */
        {"w1", {"server.memory.limit=21GiB"},
         POOL_8_0 "17179869184 mem-over-limit, settles mem-cgroup-ignored\n"},
        /* the log follows the free space */
        {"w9", {"redo.fs.free_bytes=3GiB"},
         "first_step [mysqld] innodb_buffer_pool_size = 6442450944 mem-bp-default, settles "
         "mem-bp-small\nfirst_step [mysqld] innodb_redo_log_capacity = 831520768 "},
        {"w9", {"redo.fs.free_bytes=300MiB"},
         "first_step [mysqld] innodb_buffer_pool_size = 6442450944 mem-bp-default, settles "
         "mem-bp-small\n"},
        /* older pairs and other words */
        {"w9", {"server.version=8.0.28", "server.flavour=percona"},
         "first_step [mysqld] innodb_buffer_pool_size = 6442450944 mem-bp-default, settles "
         "mem-bp-small\nfirst_step [mysqld] innodb_buffer_pool_instances = 4 mem-bp-default\n"
         "first_step [mysqld-8.0] innodb_log_file_size = 1073741824 "},
        /* a pool that outgrows the page cache */
        {"w9", {"server.version=8.0.36", "server.data.bytes=20GiB", "server.io.buffered_data=true"},
         "setting [mysqld] innodb_buffer_pool_size = 20401094656 mem-bp-default, settles mem-bp-small\n"
         "first_step [mysqld] innodb_redo_log_capacity = 2147483648 redo-default-100m\n"
         "setting [mysqld] innodb_flush_method = O_DIRECT mem-bp-default\n"},
        {"w7", {"server.doublewrite.mode=off", "server.var.innodb_flush_log_at_trx_commit=2",
                "server.bp.size_in_force=19GiB", "server.redo.capacity=8GiB"},
         "setting [mysqld] innodb_doublewrite = ON dur-doublewrite-off\n"
         "setting [mysqld] innodb_flush_log_at_trx_commit = 1 dur-trx-commit-relaxed\n"},
    };
    const struct rulelib *lib = *state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct plan *p;
        struct err err = ERR_INIT;
        struct store *s = rulelib_host(lib, a, rows[i].host, NULL);
        for (size_t k = 0; k < ARRAY_LEN(rows[i].sets) && rows[i].sets[k] != NULL; k++) {
            if (!factdoc_set(s, rows[i].sets[k], &err))
                fail_msg("%s", err.text);
        }
        size_t n = planlib_make(lib, a, s, false, &p, NULL);
        const char *got = planlib_text(a, p, n, true);
        if (strncmp(got, rows[i].want, strlen(rows[i].want)) != 0)
            fail_msg("%s with %s: expected\n%s\ngot\n%s", rows[i].host, rows[i].sets[0],
                     rows[i].want, got);
    }
}

/* Nobody may read what the performance schema takes: only comments, and none that mends nothing. */
static void test_unseen(void **state)
{
    static const char *const rows[][2] = {
        {"w9", "comment [mysqld] innodb_buffer_pool_size = 6442450944 mem-bp-default\n"},
        {"x4", "setting [] zfs_arc_max = 6442450944 zfs-arc-unbounded\n"
               "comment [mysqld] innodb_buffer_pool_size = 115964116992 mem-bp-small\n"
               "first_step [mysqld] innodb_io_capacity = 500 io-capacity-default-200\n"
               "setting [mysqld] innodb_flush_neighbors = 0 io-flush-neighbors\n"},
    };
    const struct rulelib *lib = *state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct plan *p;
        struct err err = ERR_INIT;
        struct store *s = rulelib_host(lib, a, rows[i][0], NULL);
        if (!factdoc_set(s, "server.memory.pfs=unknown", &err))
            fail_msg("%s", err.text);
        const size_t n = planlib_make(lib, a, s, false, &p, NULL);
        check(rows[i][0], "memory of the performance schema unseen", rows[i][1],
              planlib_text(a, p, n, false));
    }
}

/* Names that a server of this flavour and version would refuse, of the active lines. */
static const char *refused(const struct rulelib *lib, struct arena *a, const char *host,
                           enum flavour f, const char *at)
{
    struct plan *p;
    struct version v;
    struct buf names, why;
    buf_init(&names, a, 4096);
    assert_true(version_parse_exact(span_of(at), &v));
    size_t n = planlib_make(lib, a, rulelib_host(lib, a, host, NULL), false, &p, NULL);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < p[i].n; k++) {
            const struct plan_line *l = &p[i].lines[k];
            if (l->line == LINE_COMMENT || l->where != WHERE_OPTION_FILE)
                continue;
            buf_init(&why, a, 512);
            enum presence there =
                catalogue_judge(lib->rs.catalogue, f, &v, span_of(l->variable), &why);
            if (there == PRESENCE_REFUSED)
                buf_printf(&names, "%s: %s\n", l->variable, why.ptr);
            else if (there == PRESENCE_UNKNOWN || there == PRESENCE_IGNORED)
                fail_msg("%s: %s: %s", host, l->variable, why.ptr);
        }
    }
    return names.ptr != NULL ? names.ptr : "";
}

static void test_other_servers(void **state)
{
    static const char redo[] = "innodb_redo_log_capacity: not in MariaDB ";
    static const char file[] = "innodb_log_file_size: not in MySQL 9.";
    static const struct {
        const char *host;
        enum flavour f;
        const char *at;
        const char *want; /* how the only refusal begins, or NULL */
    } rows[] = {
        {"w6", FLAVOUR_MARIADB, "10.11.11", NULL}, {"w6", FLAVOUR_MARIADB, "11.8.9", NULL},
        {"w6", FLAVOUR_MYSQL, "9.7.4", file},      {"w6", FLAVOUR_MYSQL, "9.2.0", NULL},
        {"w7", FLAVOUR_MYSQL, "9.7.4", NULL},      {"w7", FLAVOUR_MYSQL, "26.7.0", NULL},
        {"w7", FLAVOUR_PERCONA, "8.4.3", NULL},    {"w7", FLAVOUR_MARIADB, "10.11.19", redo},
        {"w7", FLAVOUR_MARIADB, "11.8.9", redo},   {"w8", FLAVOUR_MARIADB, "11.8.9", NULL},
        {"w8", FLAVOUR_MYSQL, "9.7.4", file},      {"w9", FLAVOUR_MARIADB, "10.5.1", redo},
    };
    const struct rulelib *lib = *state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        const char *got = refused(lib, a, rows[i].host, rows[i].f, rows[i].at);
        const char *want = rows[i].want != NULL ? rows[i].want : "";
        const char *end = strchr(got, '\n');
        if (strncmp(got, want, strlen(want)) != 0 || (want[0] == '\0') != (got[0] == '\0') ||
            (end != NULL && end[1] != '\0'))
            fail_msg("%s on %s %s: %s", rows[i].host, flavour_name(rows[i].f), rows[i].at, got);
    }
}

int main(void)
{
    struct rulelib lib;
    rulelib_open(&lib);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_worked_hosts, &lib),
        cmocka_unit_test_prestate(test_variants, &lib),
        cmocka_unit_test_prestate(test_unseen, &lib),
        cmocka_unit_test_prestate(test_other_servers, &lib),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(lib.a);
    return rc;
}
