/* Every operation of the proc and server probes fails once, in every way: a fact stays what it was
 * or becomes unknown, and no server gets lost. */
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

#define LABEL "server:/run/mysqld/mysqld.sock"
#define GROUP "/sys/fs/cgroup/mysql.service"

static const struct {
    enum err_code code; /* E_NONE: half of the reply */
    int sys_errno;
} faults[] = {
    {E_NONE, 0},        {E_ABSENT, ENOENT},     {E_DENIED, EACCES},
    {E_IO, EIO},        {E_TIMEOUT, ETIMEDOUT}, {E_NOT_SUPPORTED, EOPNOTSUPP},
    {E_TOO_BIG, EFBIG},
};

static struct fixture make(struct arena *a)
{
    struct fixture f = fixture_new(a);
    fixture_server(&f, 500, "mysqld", "/run/mysqld/mysqld.sock", "--port=3306");
    fixture_process(&f, 600, "postgres", 9000, 3000, 2000);
    fakehost_file(
        f.host, "/proc/500/limits",
        "Max processes 300 300 processes\nMax open files 1024 2048 files\n"
        "Max locked memory 65536 65536 bytes\nMax address space 1073741824 unlimited bytes\n");
    fakehost_file(f.host, "/proc/500/oom_score_adj", "-600\n");
    fakehost_link(f.host, "/proc/500/ns/mnt", "mnt:[4026531841]");
    fakehost_link(f.host, "/proc/self/ns/mnt", "mnt:[4026531841]");
    fakehost_file(f.host, "/proc/500/cgroup", "0::/mysql.service\n");
    fakehost_file(f.host, "/proc/self/mountinfo",
                  "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    fakehost_stat(f.host, GROUP, &(struct host_stat){.mode = 040755});
    fakehost_file(f.host, GROUP "/memory.max", "1073741824\n");
    fakehost_file(f.host, GROUP "/memory.high", "805306368\n");
    fakehost_file(f.host, GROUP "/memory.events", "oom 1\noom_kill 12\n");
    fakehost_file(f.host, GROUP "/cpu.max", "150000 100000\n");
    fakehost_file(f.host, GROUP "/pids.max", "200\n");
    return f;
}

static void run(struct fixture *f, const struct probe *probe)
{
    static const struct probe_args server = {
        .label = LABEL, .pid = 500, .others_rss = 1u << 20, .others_rss_known = true};
    fixture_run(f, probe, probe == &probe_server ? &server : NULL);
}

/* A server may lose its name, not its existence. */
static const char *server_label(const struct fixture *f)
{
    const char *label = subject_labels(f->store, SUBJECT_SERVER);
    return strcmp(label, "server:127.0.0.1:3306") == 0 || strcmp(label, "server:pid-500") == 0
               ? label
               : LABEL;
}

static void compare(const struct fixture *good, const struct fixture *bad, unsigned n,
                    const char *fault)
{
    for (size_t i = 0; i < store_subjects(good->store); i++) {
        const struct subject *sub = store_subject_at(good->store, i);
        const char *label = sub->kind == SUBJECT_SERVER ? server_label(bad) : sub->label;
        const struct fact_row *rows;
        for (size_t k = 0, count = store_facts(good->store, sub, &rows); k < count; k++) {
            const char *before = fact_text(good->store, sub->label, rows[k].name);
            const char *after = fact_text(bad->store, label, rows[k].name);
            if (strcmp(before, after) != 0 && after[0] != '?') {
                fail_msg("operation %u, %s: %s is '%s', was '%s'", n, fault, rows[k].name, after,
                         before);
            }
        }
    }
}

static void sweep(const struct probe *probe)
{
    ARENA_AUTO all = arena_new();
    struct fixture good = make(all);
    run(&good, probe);
    unsigned calls = fakehost_calls(good.host, HOST_OPS);
    assert_true(calls > 10);
    for (unsigned n = 0; n < calls; n++) {
        for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
            ARENA_AUTO a = arena_new();
            struct fixture bad = make(a);
            fakehost_list(bad.host, "/proc", bad.pids.ptr);
            bad.host = host_fault_new(a, bad.host, n, faults[i].code, faults[i].sys_errno);
            bad.faulty = true;
            run(&bad, probe);
            compare(&good, &bad, n, err_code_name(faults[i].code));
        }
    }
}

static void test_proc(void **state)
{
    (void)state;
    sweep(&probe_proc);
}

static void test_server(void **state)
{
    (void)state;
    sweep(&probe_server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_proc),
        cmocka_unit_test(test_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
