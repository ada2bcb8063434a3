/* The proc probe: which processes are servers, where they listen, which are judged, what is hidden.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "probes/proc_scan.h"
#include "tests/lib/factcheck.h"
#include "tests/unit/probes/proc_fixture.h"

#include "advisor/base/banned.h"

#define SOCK "/run/mysqld/mysqld.sock"
#define LABEL "server:" SOCK
#define CHECK(what, f, label, ...)                                                                 \
    check_facts(what, (f)->store, label, (const struct fact_want[]){__VA_ARGS__},                  \
                sizeof((const struct fact_want[]){__VA_ARGS__}) / sizeof(struct fact_want))

static void check_servers(const char *what, struct fixture *f, const char *labels,
                          const char *count)
{
    const char *got = subject_labels(f->store, SUBJECT_SERVER);
    if (strcmp(got, labels) != 0) {
        fail_msg("%s: servers '%s' instead of '%s'", what, got, labels);
    }
    CHECK(what, f, "host", {"host.server_processes", count});
}

/* ---- who is a server ------------------------------------------------------------------------- */

static void test_one_server(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = fixture_new(a);
    fixture_server(&f, 500, "mysqld", SOCK, "--port=3307");
    fixture_process(&f, 400, "mysqld_safe", 1000, 400, 300);
    fixture_process(&f, 401, "irqbalance", 1000, 40, 30);
    fixture_run(&f, &probe_proc, NULL);
    check_servers("one", &f, LABEL, "1");
    CHECK("one", &f, LABEL, {"server.pid", "500"}, {"server.process.rss", "4000KiB"},
          {"server.process.uid", "101"}, {"server.process.gid", "103"},
          {"server.process.exe", "/usr/sbin/mysqld"}, {"server.process.binary_replaced", "false"},
          {"server.process.cwd", "/var/lib/mysql"}, {"server.process.socket", SOCK},
          {"server.process.port", "3307"}, {"server.process.scratch", "false"});
    /* 8400 KiB of the others, 100 pages of mysqld_safe, 10 of irqbalance */
    CHECK("one", &f, "host", {"host.memory.other_rss", "8840KiB"}, {"host.irqbalance", "true"});
}

struct name_row {
    const char *comm, *exe; /* exe NULL: may not be read */
    bool server;
};

static const struct name_row names[] = {
    {"mysqld", "/usr/sbin/mysqld", true},
    {"mysqld", NULL, true},
    {"mariadbd", "/usr/sbin/mariadbd", true},
    {"mysqld", "/usr/sbin/mariadbd", true},
    {"mysqld", "/usr/sbin/mysqld (deleted)", true},
    {"mysqld-debug", "/opt/mysql/bin/mysqld-debug", true},
    {"mysqld-8.0", "/usr/sbin/mysqld-8.0", true},
    {"mysqld8", "/usr/sbin/mysqld8", true},
    {"mysqld.bin", "/opt/bin/mysqld.bin", true},
    {"mysqld", "/usr/bin/qemu-x86_64", true},
    {"mysqld", "/bin/bash", false},
    {"mysqld_safe", NULL, false},
    {"mysqld_exporter", NULL, false},
    {"mysqld_multi", NULL, false},
    {"mariadbd-safe", NULL, false},
    {"mariadbd-safe-h", NULL, false},
    {"mysqld-", NULL, false},
    {"mysqld-.", NULL, false},
    {"mysqldump", NULL, false},
    {"mysql", NULL, false},
    {"MYSQLD", NULL, false},
    {"(mysqld)", NULL, false},
};

static void test_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        ARENA_AUTO a = arena_new();
        struct fixture f = fixture_new(a);
        fixture_server(&f, 500, names[i].comm, SOCK, "");
        if (names[i].exe != NULL) {
            fakehost_link(f.host, "/proc/500/exe", names[i].exe);
        } else {
            fakehost_fail(f.host, HOST_LINK, "/proc/500/exe", E_DENIED, EACCES);
        }
        fixture_run(&f, &probe_proc, NULL);
        check_servers(names[i].comm, &f, names[i].server ? LABEL : "", names[i].server ? "1" : "0");
    }
}

/* Anybody may start processes of that name: there is an end to what is looked at, and it is told. */
static void test_crowd(void **state)
{
    static const struct {
        unsigned servers;
        const char *count;
    } rows[] = {{PROC_SERVERS_MAX, "256"}, {PROC_SERVERS_MAX + 1, "? unreadable"}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct fixture f = fixture_new(a);
        for (unsigned k = 0; k < rows[i].servers; k++) {
            fixture_server(&f, 1000 + k, "mysqld", arena_printf(a, "/run/%u.sock", k), "");
        }
        fixture_run(&f, &probe_proc, NULL);
        const struct subject *const *servers = NULL;
        assert_int_equal(store_subjects_of(f.store, SUBJECT_SERVER, &servers), PROC_SERVERS_MAX);
        CHECK("crowd", &f, "host", {"host.server_processes", rows[i].count});
    }
}

static void test_zombie(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = fixture_new(a);
    fixture_process(&f, 500, "mysqld", 0, 0, 0);
    fixture_run(&f, &probe_proc, NULL);
    check_servers("zombie", &f, "", "0");
}

static void test_process_that_ends(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = fixture_new(a);
    fixture_server(&f, 500, "mysqld", SOCK, "");
    buf_add_text(&f.pids, " 600 601");
    fixture_process(&f, 601, "bash", 100, 50, 40);
    fakehost_remove(f.host, HOST_READ, "/proc/601/comm");
    fixture_run(&f, &probe_proc, NULL);
    check_servers("ends", &f, LABEL, "1");
}

/* One accident is not the end of a process: it is asked for again. */
static void test_one_bad_read(void **state)
{
    (void)state;
    static const struct fake_row bad[] = {
        FAKE_FAIL(HOST_READ, "/proc/500/statm", E_ABSENT, ENOENT),
        FAKE_FAIL(HOST_READ, "/proc/500/statm", E_DENIED, EACCES),
        FAKE_FILE("/proc/500/statm", "5000 1000"),
        FAKE_FAIL(HOST_READ, "/proc/500/comm", E_IO, EIO),
        FAKE_FILE("/proc/500/comm", "mys"),
        FAKE_REPLY(HOST_LINK, "/proc/500/exe", "/usr/sbi"),
        FAKE_FAIL(HOST_LINK, "/proc/500/exe", E_TIMEOUT, ETIMEDOUT),
        FAKE_FAIL(HOST_READ, "/proc/500/status", E_IO, EIO),
        FAKE_FAIL(HOST_LINK, "/proc/500/root", E_IO, EIO),
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        ARENA_AUTO a = arena_new();
        struct fixture f = fixture_new(a);
        fixture_server(&f, 500, "mysqld", SOCK, "");
        /* The bad row first, then the good one. */
        struct fake_row good = {bad[i].op, bad[i].key, {"", 0}, E_NONE, 0};
        good.bytes = strstr(bad[i].key, "statm") != NULL  ? SPAN_LIT("5000 1000 100 1 0 1 0\n")
                     : strstr(bad[i].key, "comm") != NULL ? SPAN_LIT("mysqld\n")
                                                          : SPAN_LIT("/usr/sbin/mysqld");
        fakehost_remove(f.host, bad[i].op, bad[i].key);
        fakehost_add(f.host, &bad[i], 1);
        fakehost_add(f.host, &good, 1);
        fixture_run(&f, &probe_proc, NULL);
        check_servers(bad[i].key, &f, LABEL, "1");
    }
}

/* ---- where it listens ------------------------------------------------------------------------ */

static void test_sockets(void **state)
{
    (void)state;
    static const struct {
        const char *what, *args, *unix_rows, *label;
        bool root;
    } rows[] = {
        {"relative to the data directory", "--socket=my.sock",
         "0: 2 0 00010000 0001 01 9500 /var/lib/mysql/my.sock\n", "server:/var/lib/mysql/my.sock",
         true},
        {"X protocol beside it", "",
         "0: 2 0 00010000 0001 01 9500 /run/mysqld/mysqlx.sock\n"
         "0: 2 0 00010000 0001 01 8000 /run/other.sock\n",
         "server:/run/mysqld/mysqlx.sock", true},
        {"connected, not listening", "", "0: 3 0 00000000 0001 03 9500 /x.sock\n", "server:pid-500",
         true},
        {"abstract", "", "0: 2 0 00010000 0001 01 9500 @mysql\n", "server:pid-500", true},
        {"blank in the path", "", "0: 2 0 00010000 0001 01 9500 /a b.sock\n", "server:/a b.sock",
         true},
        {"inode twice: forged", "",
         "0: 2 0 00010000 0001 01 9500 /a.sock\n0: 2 0 00010000 0001 01 9500 /evil.sock\n",
         "server:pid-500", true},
        {"command line, no rights", "--socket /c.sock --port 3306", "", "server:/c.sock", false},
        {"command line, short form, no rights", "-S/c.sock", "", "server:/c.sock", false},
        {"last one counts, no rights", "--socket=/a --socket=/b", "", "server:/b", false},
        {"port only, no rights", "-P 3310", "", "server:127.0.0.1:3310", false},
        {"port out of range, no rights", "--port=65536", "", "server:pid-500", false},
        {"usual path where somebody listens, no rights", "",
         "0: 2 0 00010000 0001 01 77 /var/run/mysqld/mysqld.sock\n", LABEL, false},
        {"two usual paths, no rights", "",
         "0: 2 0 00010000 0001 01 77 /tmp/mysql.sock\n"
         "0: 2 0 00010000 0001 01 78 /run/mysqld/mysqld.sock\n",
         "server:pid-500", false},
        {"garbage", "", "\n0:\n0: 2 0 zz 0001 01 9500 /a\n:::\n", "server:pid-500", true},
        {"not UTF-8", "", "0: 2 0 00010000 0001 01 9500 /a\xff.sock\n",
         "server:/a\xef\xbf\xbd.sock", true},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct fixture f = fixture_new(a);
        fixture_server(&f, 500, "mysqld", NULL, rows[i].args);
        fakehost_file(f.host, "/proc/500/net/unix", arena_printf(a, "Num\n%s", rows[i].unix_rows));
        if (!rows[i].root) {
            fixture_hide_links(&f, 500);
        }
        fixture_run(&f, &probe_proc, NULL);
        check_servers(rows[i].what, &f, rows[i].label, "1");
    }
}

static void test_without_rights(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = fixture_new(a);
    fixture_server(&f, 500, "mysqld", NULL, "");
    fixture_hide_links(&f, 500);
    fakehost_who(f.host, 1000, 1000, false);
    fixture_run(&f, &probe_proc, NULL);
    CHECK("rights", &f, "host", {"host.root", "false"}, {"host.server_processes", "1"});
    CHECK("rights", &f, "server:pid-500", {"server.process.exe", "? not permitted"},
          {"server.process.binary_replaced", "? not permitted"},
          {"server.process.cwd", "? not permitted"}, {"server.process.socket", "? not permitted"},
          {"server.process.port", "? absent"}, {"server.process.uid", "101"},
          {"server.process.rss", "4000KiB"});
    const struct fact *socket = store_get(f.store, store_find_subject(f.store, "server:pid-500"),
                                          span_of("server.process.socket"));
    assert_non_null(strstr(socket->remedy, "--socket"));
}

static void test_chroot_and_replaced(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = fixture_new(a);
    fixture_server(&f, 500, "mysqld", SOCK, "");
    fakehost_link(f.host, "/proc/500/root", "/srv/sid");
    fakehost_link(f.host, "/proc/500/cwd", "/srv/sid/var/lib/mysql");
    fakehost_link(f.host, "/proc/500/exe", "/srv/sid/usr/sbin/mysqld (deleted)");
    fixture_run(&f, &probe_proc, NULL);
    CHECK("chroot", &f, LABEL, {"server.process.cwd", "/var/lib/mysql"},
          {"server.process.exe", "/usr/sbin/mysqld"}, {"server.process.binary_replaced", "true"});

    struct fixture g = fixture_new(a);
    fixture_server(&g, 500, "mysqld", SOCK, "");
    fakehost_link(g.host, "/proc/500/cwd", "/var/lib/mysql (deleted)");
    fakehost_link(g.host, "/proc/500/root", "/srv");
    fixture_run(&g, &probe_proc, NULL);
    CHECK("cwd", &g, LABEL, {"server.process.cwd", "? absent"},
          {"server.process.exe", "/usr/sbin/mysqld"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_server),     cmocka_unit_test(test_names),
        cmocka_unit_test(test_crowd),
        cmocka_unit_test(test_zombie),         cmocka_unit_test(test_process_that_ends),
        cmocka_unit_test(test_one_bad_read),   cmocka_unit_test(test_sockets),
        cmocka_unit_test(test_without_rights), cmocka_unit_test(test_chroot_and_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
