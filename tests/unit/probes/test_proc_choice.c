/* The proc probe: several servers, the one that was named, our own scratch instances, hidden
 * processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "tests/lib/factcheck.h"
#include "tests/unit/probes/proc_fixture.h"

#include "advisor/base/banned.h"

#define SCRATCH "--pid-file=/tmp/x/nvadvise-scratch.pid"
#define TCP_HEAD                                                                                   \
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt uid timeout "     \
    "inode\n"
#define CHECK(what, f, label, ...)                                                                 \
    check_facts(what, (f)->store, label, (const struct fact_want[]){__VA_ARGS__},                  \
                sizeof((const struct fact_want[]){__VA_ARGS__}) / sizeof(struct fact_want))

struct row {
    const char *what;
    struct probe_args args;
    const char *labels, *count, *others;
};

/* Two servers (/a.sock, /b.sock port 3307) and a scratch instance (/s.sock), 900 private pages
 * each; 2100 pages of other processes. */
static const struct row rows[] = {
    {"plain run", {.label = "host"}, "server:/a.sock server:/b.sock", "2", "12000KiB"},
    {"socket named",
     {.label = "host", .named = true, .named_socket = "/b.sock"},
     "server:/b.sock",
     "2",
     "15600KiB"},
    {"scratch instance named",
     {.label = "host", .named = true, .named_socket = "/s.sock"},
     "server:/s.sock",
     "3",
     "15600KiB"},
    {"socket that is not there",
     {.label = "host", .named = true, .named_socket = "/n.sock"},
     "",
     "2",
     "19200KiB"},
    {"port of a command line",
     {.label = "host", .named = true, .named_host = "127.0.0.1", .named_port = 3307},
     "server:127.0.0.1:3307",
     "2",
     "15600KiB"},
    {"port of a socket",
     {.label = "host", .named = true, .named_host = "::1", .named_port = 3306},
     "server:::1:3306",
     "2",
     "15600KiB"},
    {"port that nobody has",
     {.label = "host", .named = true, .named_host = "localhost", .named_port = 1},
     "",
     "2",
     "19200KiB"},
    {"other host",
     {.label = "host", .named = true, .named_host = "db9", .named_port = 3307},
     "",
     "2",
     "19200KiB"},
    {"hint of the option files is no name",
     {.label = "host", .named_socket = "/b.sock"},
     "server:/a.sock server:/b.sock",
     "2",
     "12000KiB"},
};

static struct fixture three_servers(struct arena *a)
{
    struct fixture f = fixture_new(a);
    fixture_server(&f, 500, "mysqld", "/a.sock", "");
    fixture_server(&f, 501, "mariadbd", "/b.sock", "--port=3307");
    fixture_server(&f, 502, "mariadbd", "/s.sock", SCRATCH);
    fakehost_file(f.host, "/proc/500/net/tcp",
                  TCP_HEAD "   0: 0100007F:0CEA 00000000:0000 01 0:0 00:0 0 0 0 9500 1\n"
                           "garbage\n   1: 0100007F:0CEA 00000000:0000 0A 0:0 00:0 0 0 0 9501 1\n");
    fakehost_file(f.host, "/proc/500/net/tcp6",
                  TCP_HEAD "   0: 00000000000000000000000000000000:0CEA "
                           "00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 9500 1\n");
    return f;
}

static void test_choice(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct fixture f = three_servers(a);
        fixture_run(&f, &probe_proc, &rows[i].args);
        const char *got = subject_labels(f.store, SUBJECT_SERVER);
        if (strcmp(got, rows[i].labels) != 0) {
            fail_msg("%s: '%s' instead of '%s'", rows[i].what, got, rows[i].labels);
        }
        CHECK(rows[i].what, &f, "host", {"host.server_processes", rows[i].count},
              {"host.memory.other_rss", rows[i].others});
    }
}

static void test_scratch_mark(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = three_servers(a);
    struct probe_args args = {.label = "host", .named = true, .named_socket = "/s.sock"};
    fixture_run(&f, &probe_proc, &args);
    CHECK("scratch", &f, "server:/s.sock", {"server.process.scratch", "true"},
          {"server.pid", "502"});
    /* The mark is the end of an argument, no less. */
    struct fixture g = fixture_new(a);
    fixture_server(&g, 500, "mysqld", "/a.sock", "--pid-file=/x/my-nvadvise-scratch.pid");
    fixture_server(&g, 501, "mysqld", "/b.sock", "--pid-file=/x/nvadvise-scratch.pid.old");
    fixture_run(&g, &probe_proc, NULL);
    CHECK("no mark", &g, "host", {"host.server_processes", "2"});
}

#define ROOT_LINE "20 1 254:0 / / rw - ext4 /dev/vda rw\n"

/* A socket that is named is a file, and a server in a container sees files by other names. */
static void test_named_in_container(void **state)
{
    (void)state;
    static const struct {
        const char *what, *named, *ours, *theirs_500, *theirs_501, *pid;
    } cases[] = {
        {"bound into a container", "/srv/db/s.sock", ROOT_LINE,
         "30 20 254:0 /roots/a / rw - ext4 /dev/vda rw\n"
         "31 30 254:0 /srv/db /data rw - ext4 /dev/vda rw\n",
         "30 20 254:0 /roots/b / rw - ext4 /dev/vda rw\n", "500"},
        {"the same name on another filesystem is another file", "/data/s.sock", ROOT_LINE,
         "30 20 0:50 / / rw - overlay overlay rw\n", ROOT_LINE, "501"},
        {"only others of that name", "/data/s.sock", ROOT_LINE,
         "30 20 0:50 / / rw - overlay overlay rw\n", "30 20 0:51 / / rw - overlay overlay rw\n",
         NULL},
        {"no mount tables: the name must do", "/data/s.sock", "", "", "", "500"},
        {"a link of ours", "/link/s.sock", ROOT_LINE, ROOT_LINE, "", "500"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = arena_new();
        struct fixture f = fixture_new(a);
        fixture_server(&f, 500, "mysqld", "/data/s.sock", "");
        fixture_server(&f, 501, "mysqld", "/data/s.sock", "");
        fakehost_link(f.host, "real /link/s.sock", "/data/s.sock");
        fakehost_file(f.host, "/proc/self/mountinfo", cases[i].ours);
        fakehost_file(f.host, "/proc/500/mountinfo", cases[i].theirs_500);
        fakehost_file(f.host, "/proc/501/mountinfo", cases[i].theirs_501);
        struct probe_args args = {.label = "host", .named = true, .named_socket = cases[i].named};
        fixture_run(&f, &probe_proc, &args);
        const char *label = arena_printf(a, "server:%s", cases[i].named);
        assert_string_equal(subject_labels(f.store, SUBJECT_SERVER),
                            cases[i].pid != NULL ? label : "");
        if (cases[i].pid != NULL) {
            CHECK(cases[i].what, &f, label, {"server.pid", cases[i].pid});
        }
    }
}

static void test_same_socket_twice(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = fixture_new(a);
    fixture_server(&f, 500, "mysqld", "/run/mysqld/mysqld.sock", "");
    fixture_server(&f, 501, "mysqld", "/run/mysqld/mysqld.sock", "");
    fixture_run(&f, &probe_proc, NULL);
    assert_string_equal(subject_labels(f.store, SUBJECT_SERVER),
                        "server:/run/mysqld/mysqld.sock server:pid-501");
    CHECK("second", &f, "server:pid-501", {"server.process.socket", "/run/mysqld/mysqld.sock"});
}

/* Without rights: the socket of the option files, where somebody listens there. */
static void test_hint(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        bool named;
        const char *hint, *unix_rows, *label;
    } hints[] = {
        {"somebody listens", false, "/h.sock", "0: 2 0 00010000 0001 01 7 /h.sock\n",
         "server:/h.sock"},
        {"nobody listens", false, "/h.sock", "", "server:pid-500"},
        {"named, somebody listens", true, "/h.sock", "0: 2 0 00010000 0001 01 7 /h.sock\n",
         "server:/h.sock"},
        {"named, nobody listens", true, "/h.sock", "", ""},
        {"hint before usual paths", false, "/h.sock",
         "0: 2 0 00010000 0001 01 8 /tmp/mysql.sock\n0: 2 0 00010000 0001 01 7 /h.sock\n",
         "server:/h.sock"},
    };
    for (size_t i = 0; i < ARRAY_LEN(hints); i++) {
        ARENA_AUTO a = arena_new();
        struct fixture f = fixture_new(a);
        fixture_server(&f, 500, "mysqld", NULL, "");
        fakehost_file(f.host, "/proc/500/net/unix", arena_printf(a, "Num\n%s", hints[i].unix_rows));
        fixture_hide_links(&f, 500);
        struct probe_args args = {
            .label = "host", .named = hints[i].named, .named_socket = hints[i].hint};
        fixture_run(&f, &probe_proc, &args);
        const char *got = subject_labels(f.store, SUBJECT_SERVER);
        if (strcmp(got, hints[i].label) != 0) {
            fail_msg("%s: '%s' instead of '%s'", hints[i].what, got, hints[i].label);
        }
    }
}

/* ---- hidden processes ------------------------------------------------------------------------ */

enum hide { HIDE_NO_INIT, HIDE_DENIED, HIDE_NAMESPACE, HIDE_BROKEN, HIDE_CUT_LIST };

static void hide(struct fixture *f, enum hide how)
{
    switch (how) {
    case HIDE_NO_INIT: /* hidepid=2: only our own */
        f->pids.len = 0;
        buf_add_text(&f->pids, "self uptime 500");
        break;
    case HIDE_DENIED: /* hidepid=1: names without content */
        fakehost_fail(f->host, HOST_READ, "/proc/300/statm", E_DENIED, EPERM);
        break;
    case HIDE_NAMESPACE: /* a container: its own init, no kernel threads */
        f->pids.len = 0;
        buf_add_text(&f->pids, "self uptime 1 500");
        break;
    case HIDE_BROKEN:
        fakehost_fail(f->host, HOST_READ, "/proc/300/comm", E_IO, EIO);
        break;
    case HIDE_CUT_LIST:
        f->pids.len = 0;
        buf_add_text(&f->pids, "1 2 500");
        break;
    }
}

static void test_hidden(void **state)
{
    (void)state;
    static const struct {
        enum hide how;
        const char *state, *remedy, *servers;
    } cases[] = {
        {HIDE_NO_INIT, "? not permitted", "Run as root", "server:/a.sock"},
        {HIDE_DENIED, "? not permitted", "Run as root", "server:/a.sock"},
        {HIDE_NAMESPACE, "? not permitted", "--pid=host", "server:/a.sock"},
        {HIDE_BROKEN, "? unreadable", "", "server:/a.sock"},
        {HIDE_CUT_LIST, "? unreadable", "", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = arena_new();
        struct fixture f = fixture_new(a);
        fixture_server(&f, 500, "mysqld", "/a.sock", "");
        hide(&f, cases[i].how);
        fixture_run(&f, &probe_proc, NULL);
        CHECK("hidden", &f, "host", {"host.server_processes", cases[i].state},
              {"host.memory.other_rss", cases[i].state}, {"host.irqbalance", cases[i].state});
        assert_string_equal(subject_labels(f.store, SUBJECT_SERVER), cases[i].servers);
        const struct fact *fact = store_get(f.store, store_find_subject(f.store, "host"),
                                            span_of("host.server_processes"));
        assert_non_null(strstr(fact->remedy, cases[i].remedy));
    }
}

/* ---- cost ------------------------------------------------------------------------------------ */

static void test_cost(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture few = fixture_new(a), many = fixture_new(a);
    for (unsigned i = 0; i < 1000; i++) {
        fixture_process(&many, 1000 + i, "worker", 1000, 500, 100);
        fixture_process(&many, 4000 + i, "kworker/0:1", 0, 0, 0);
    }
    fixture_run(&few, &probe_proc, NULL);
    fixture_run(&many, &probe_proc, NULL);
    unsigned more = fakehost_calls(many.host, HOST_OPS) - fakehost_calls(few.host, HOST_OPS);
    /* Two reads a process, one a kernel thread. */
    assert_int_equal(more, 3000);
}

/* A server with very many descriptors: the first ones are looked at. */
static void test_many_descriptors(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = fixture_new(a);
    fixture_server(&f, 500, "mysqld", "/a.sock", "");
    struct buf names;
    buf_init(&names, a, 1 << 20);
    for (unsigned i = 0; i < 20000; i++) {
        buf_printf(&names, "%u ", i);
    }
    fakehost_list(f.host, "/proc/500/fd", names.ptr);
    fixture_run(&f, &probe_proc, NULL);
    assert_string_equal(subject_labels(f.store, SUBJECT_SERVER), "server:/a.sock");
    assert_true(fakehost_calls(f.host, HOST_LINK) < 300);
}

static void test_huge_numbers(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = fixture_new(a);
    static const char max[] = "18446744073709551615 18446744073709551615 0 0 0 0 0\n";
    fixture_server(&f, 500, "mysqld", "/a.sock", "");
    fakehost_file(f.host, "/proc/1/statm", max);
    fakehost_file(f.host, "/proc/300/statm", max);
    fakehost_file(f.host, "/proc/500/statm", "18446744073709551616 1 0 0 0 0 0\n");
    fixture_run(&f, &probe_proc, NULL);
    CHECK("a number that does not fit", &f, "host", {"host.memory.other_rss", "? unreadable"});
    fakehost_file(f.host, "/proc/500/statm", max);
    struct fixture g = fixture_new(a);
    g.host = f.host;
    g.pids = f.pids;
    fixture_run(&g, &probe_proc, NULL);
    CHECK("numbers beyond 64 bits", &g, "host",
          {"host.memory.other_rss", "147573952589676412920KiB"});
    CHECK("page", &g, "server:/a.sock", {"server.process.rss", "73786976294838206460KiB"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_scratch_mark),
        cmocka_unit_test(test_named_in_container),
        cmocka_unit_test(test_same_socket_twice),
        cmocka_unit_test(test_hint),
        cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_many_descriptors),
        cmocka_unit_test(test_huge_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
