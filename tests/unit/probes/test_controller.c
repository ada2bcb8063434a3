/* The disks of one controller share a child, with toys: one that does not answer costs its own answers, once,
 * and leaves one child; the second try takes another way; a replay of the capture gives the same store. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/probes/toy.h"

#include "advisor/base/banned.h"

#define PIDS_MAX 16u

/* What the children of a test did, in memory that they share with it. */
struct seen {
    pid_t pids[PIDS_MAX]; /* those that asked a controller */
    unsigned n_pids, runs;
};
static struct seen *seen;

static void note_pid(void)
{
    for (unsigned i = 0; i < seen->n_pids; i++) {
        if (seen->pids[i] == getpid()) {
            return;
        }
    }
    if (seen->n_pids < PIDS_MAX) {
        seen->pids[seen->n_pids++] = getpid();
    }
}

static void host_run(struct probe_ctx *ctx)
{
    const struct span disks[] = {SPAN_LIT("nvme7n1"), SPAN_LIT("nvme7n2"), SPAN_LIT("nvme7n3"),
                                        SPAN_LIT("nvme8n1")};
    struct span text;
    struct err err = ERR_INIT;
    if (!host_read(ctx->host, "/proc/sys/kernel/ostype", 0, &text, &err)) {
        return;
    }
    store_known(ctx->store, ctx->subject, "host.nvme.disks",
                value_words(ctx->arena, KIND_SET, disks, ARRAY_LEN(disks)), "toy");
}

/* Was its controller left aside? Any other failure is what a machine without it gives. */
static bool open_toy(struct probe_ctx *ctx)
{
    const size_t n = strlen("nvme7");
    struct span text;
    struct err *const err = arena_alloc(ctx->arena, sizeof(*err));
    *err = ERR_INIT;
    (void)!host_open(ctx->host, arena_printf(ctx->arena, "nvme %.*s", (int)n, ctx->args->device),
                     &text, err);
    ctx->priv = err;
    return true;
}

static void run_toy(struct probe_ctx *ctx)
{
    struct span text;
    struct err err = ERR_INIT;
    seen->runs++;
    if (host_read(ctx->host, "/proc/sys/kernel/ostype", 0, &text, &err)) {
        toy_count(ctx, "device.a", strlen(ctx->args->device));
    }
}

/* nvme7 hangs when it is asked live: a controller that was not opened is E_USAGE; a replay has no answer at
 * all. Its second disk has another path. */
static void ask_toy(struct probe_ctx *ctx)
{
    const struct err *const opened = ctx->priv;
    const bool second = strcmp(ctx->args->device, "nvme7n2") == 0;
    struct span page;
    struct err err = ERR_INIT;
    if (opened->code == E_TIMEOUT) {
        if (second) {
            toy_count(ctx, "device.b", 5);
        } else {
            store_unknown(ctx->store, ctx->subject, "device.b", FACT_TIMED_OUT, "toy", "", "%s",
                          opened->text);
        }
        return;
    }
    const char *const ctrl = strncmp(ctx->args->device, "nvme7", 5) == 0 ? "nvme7" : "nvme8";
    (void)!host_nvme(ctx->host, ctrl, NVME_ID_CTRL, 0, 0, 4096, &page, &err);
    if (err.code == E_USAGE) {
        note_pid();
        while (ctrl[4] == '7') {
            pause();
        }
    }
    if (ctrl[4] == '8') {
        toy_count(ctx, "device.b", 8);
    }
}

static const struct fact_decl rows[] = {
    {"device.a", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE, "toy", "toy", ""},
    {"device.b", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE, "toy", "toy", ""},
};
static const struct probe host_toy = {.name = "proc", .run = host_run};
static const struct probe device = {.name = "device",
                                    .identity = IDENTITY_NVME,
                                    .decls = rows,
                                    .n_decls = ARRAY_LEN(rows),
                                    .open = open_toy,
                                    .run = run_toy,
                                    .ask = ask_toy};
static const struct probe_table table = {.proc = &host_toy, .device = &device};

static const char *fact_of(struct arena *a, const struct store *s, const char *disk, const char *name)
{
    const struct subject *const sub =
        store_find_subject(s, arena_printf(a, "device:%s", disk));
    const struct fact *const f = sub == NULL ? NULL : store_get(s, sub, span_of(name));
    if (f == NULL) {
        return "(none)";
    }
    uint64_t v = 0;
    return f->state == FACT_KNOWN && num_to_u64(f->value.num, &v)
               ? arena_printf(a, "%llu", (unsigned long long)v)
               : f->reason;
}

static void forget(void)
{
    memset(seen, 0, sizeof(*seen));
}

static void test_dead(void **state)
{
    (void)state;
    static const char late[] = "no answer within 1 s; the last question was nvme 'nvme7 id-ctrl'";
    const struct collect_options opt = {.timeout_s = 1, .host_only = true, .all_devices = true};
    ARENA_AUTO a = arena_new();
    forget();
    const struct toy_run r = toy_live(a, &table, &opt, NULL);
    assert_int_equal(seen->n_pids, 2); /* one a controller: the first of its disks hung */
    assert_true(r.seconds < 3);
    assert_string_equal(fact_of(a, r.store, "nvme7n1", "device.a"), "7");
    assert_string_equal(fact_of(a, r.store, "nvme7n2", "device.a"), "7");
    assert_string_equal(fact_of(a, r.store, "nvme7n3", "device.a"), "7");
    assert_string_equal(fact_of(a, r.store, "nvme7n1", "device.b"), late);
    assert_string_equal(fact_of(a, r.store, "nvme7n2", "device.b"), "5");
    assert_string_equal(fact_of(a, r.store, "nvme7n3", "device.b"), late);
    assert_string_equal(fact_of(a, r.store, "nvme8n1", "device.a"), "7");
    assert_string_equal(fact_of(a, r.store, "nvme8n1", "device.b"), "8");
    assert_int_equal(seen->runs, 7); /* the three of nvme7 twice */
    toy_assert_same(a, &r, &table);
}

/* A child of an earlier run is still stuck on the controller: it is not asked, all else is. */
static void test_stuck(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    char dir[] = "/tmp/nv-controller-XXXXXX";
    assert_non_null(mkdtemp(dir));
    const pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        for (;;) {
            pause();
        }
    }
    struct stuck *const s = stuck_load(a, dir);
    const struct barred *barred = NULL;
    stuck_add(s, "nvme nvme7", pid, 1764500000);
    stuck_save(s);
    assert_int_equal(stuck_barred(stuck_load(a, dir), &barred), 1);
    assert_string_equal(barred->key, "nvme nvme7");
    const struct collect_options opt = {
        .timeout_s = 5, .host_only = true, .all_devices = true, .state_dir = dir};
    forget();
    const struct toy_run r = toy_live(a, &table, &opt, NULL);
    assert_true(r.seconds < 4);
    assert_int_equal(seen->n_pids, 1);
    assert_int_equal(seen->runs, 4);
    assert_string_equal(fact_of(a, r.store, "nvme7n1", "device.a"), "7");
    assert_non_null(strstr(fact_of(a, r.store, "nvme7n1", "device.b"),
                           arena_printf(a, "process %d is stuck on it since 2025-11-30", (int)pid)));
    assert_string_equal(fact_of(a, r.store, "nvme7n2", "device.b"), "5");
    assert_string_equal(fact_of(a, r.store, "nvme8n1", "device.b"), "8");
    toy_assert_same(a, &r, &table);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_int_equal(stuck_barred(stuck_load(a, dir), &barred), 0);
    unlink(arena_printf(a, "%s/stuck.json", dir));
    rmdir(dir);
}

static void test_groups(void **state)
{
    (void)state;
    static const struct {
        const char *device, *group;
    } groups[] = {
        {"nvme0n1", "nvme0"}, {"nvme0n2", "nvme0"},   {"nvme12n3", "nvme12"}, {"nvme1n1", "nvme1"},
        {"sda", NULL},        {"nvme0c1n1", NULL},    {"nvme", NULL},         {"nvmen1", NULL},
        {"nvme3", NULL},      {"xnvme0n1", NULL},     {"", NULL},
    };
    ARENA_AUTO a = arena_new();
    for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
        const char *const got = waves_group_of(a, groups[i].device);
        if (groups[i].group == NULL) {
            assert_null(got);
        } else {
            assert_string_equal(got, groups[i].group);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dead),
        cmocka_unit_test(test_stuck),
        cmocka_unit_test(test_groups),
    };
    seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return seen == MAP_FAILED ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
