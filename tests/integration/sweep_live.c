/* sweep_live SOCKET…: every operation of a run against the server at SOCKET fails once, in the child that
 * asks; five ways of failing take turns. No run crashes a child, and no verdict is better than in a
 * run without fault. Of what is asked of processes that are no servers, hundreds of times the same,
 * every tenth fails.
 *
 * The probes are the program's own, wrapped so that their host fails. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "probes/collect.h"
#include "probes/disks.h"
#include "tests/cases/judge.h"

#include "advisor/base/banned.h"

static const struct {
    const char *name;
    enum err_code code; /* E_NONE: half of the reply */
    int sys_errno;
} faults[] = {
    {"half of the reply", E_NONE, 0},
    {"ENOENT", E_ABSENT, ENOENT},
    {"EACCES", E_DENIED, EACCES},
    {"EIO", E_IO, EIO},
    {"no answer in time", E_TIMEOUT, ETIMEDOUT},
};

/* What fails: set before the children are forked. */
static struct {
    const struct probe *probe;
    char label[512];
    unsigned at;
    size_t fault;
} target;

#define OPERATIONS_MAX 16384u
#define PROCESS_STEP 10u

/* Written by children, read by their parent. */
static struct {
    unsigned operations;
    char key[256];                  /* of the one that failed */
    bool of_others[OPERATIONS_MAX]; /* asked of a process that is no server */
} *seen;

/* The server's process. */
static char server_proc[64];

/* ---- a host that counts and fails ------------------------------------------------------------ */

struct failing {
    struct host *inner;
    unsigned n;
};

static bool is_of_others(const char *key)
{
    return strncmp(key, "/proc/", 6) == 0 && key[6] >= '1' && key[6] <= '9' &&
           strncmp(key, server_proc, strlen(server_proc)) != 0;
}

static bool failing_call(struct host *h, const struct host_request *rq, struct span *ret,
                         struct err *reterr)
{
    struct failing *const f = h->state;
    const bool hit = f->n++ == target.at;
    seen->operations = f->n;
    if (f->n <= OPERATIONS_MAX) {
        seen->of_others[f->n - 1] = is_of_others(rq->key);
    }
    if (hit) {
        snprintf(seen->key, sizeof(seen->key), "%s %s", host_op_name(rq->op), rq->key);
    }
    if (hit && faults[target.fault].code != E_NONE) {
        err_set(reterr, faults[target.fault].code, "%s '%s': %s", host_op_name(rq->op), rq->key,
                strerror(faults[target.fault].sys_errno));
        reterr->sys_errno = faults[target.fault].sys_errno;
        return false;
    }
    if (!host_call(f->inner, rq, ret, reterr)) {
        return false;
    }
    ret->len = hit ? ret->len / 2 : ret->len;
    return true;
}

static const struct host_backend failing_backend = {.call = failing_call};

static void wrap(struct probe_ctx *ctx, const struct probe *probe)
{
    const char *const label = ctx->args->label != NULL ? ctx->args->label : "host";
    if (target.probe != probe || strcmp(label, target.label) != 0 ||
        ctx->host->backend == &failing_backend) {
        return;
    }
    struct failing *const f = arena_alloc(ctx->arena, sizeof(*f));
    *f = (struct failing){.inner = ctx->host};
    struct host *const h = arena_alloc(ctx->arena, sizeof(*h));
    *h = (struct host){.backend = &failing_backend, .state = f, .arena = ctx->host->arena};
    ctx->host = h;
}

#define WRAPPED(NAME)                                                                              \
    static bool NAME##_open(struct probe_ctx *ctx)                                                 \
    {                                                                                              \
        wrap(ctx, &probe_##NAME);                                                                  \
        return probe_##NAME.open == NULL || probe_##NAME.open(ctx);                                \
    }                                                                                              \
    static void NAME##_run(struct probe_ctx *ctx)                                                  \
    {                                                                                              \
        wrap(ctx, &probe_##NAME);                                                                  \
        probe_##NAME.run(ctx);                                                                     \
    }

WRAPPED(proc)
WRAPPED(server)
WRAPPED(sql)
WRAPPED(volume)
WRAPPED(device)
WRAPPED(disks)

/* ---- runs ------------------------------------------------------------------------------------ */

struct sweep {
    struct judge judge;
    struct probe wrapped[6];
    struct probe_table table;
    struct login login;
    struct collect_options options;
    struct verdicts whole;
    unsigned long runs, wrong;
};

static void wrap_probes(struct sweep *w)
{
    const struct {
        const struct probe *probe;
        bool (*open)(struct probe_ctx *);
        void (*run)(struct probe_ctx *);
    } rows[6] = {
        {&probe_proc, proc_open, proc_run},       {&probe_server, server_open, server_run},
        {&probe_sql, sql_open, sql_run},          {&probe_volume, volume_open, volume_run},
        {&probe_device, device_open, device_run}, {&probe_disks, disks_open, disks_run},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        w->wrapped[i] = *rows[i].probe;
        w->wrapped[i].open = rows[i].open;
        w->wrapped[i].run = rows[i].run;
    }
    w->table = (struct probe_table){.proc = &w->wrapped[0],
                                    .server = &w->wrapped[1],
                                    .sql = &w->wrapped[2],
                                    .volume = &w->wrapped[3],
                                    .device = &w->wrapped[4],
                                    .disks = &w->wrapped[5]};
}

static bool has_crashed(const struct store *s)
{
    for (size_t i = 0; i < store_subjects(s); i++) {
        const struct fact_row *rows = NULL;
        const size_t n = store_facts(s, store_subject_at(s, i), &rows);
        for (size_t k = 0; k < n; k++) {
            if (rows[k].fact->state == FACT_CRASHED) {
                printf("  %s: %s\n", rows[k].name, rows[k].fact->reason);
                return true;
            }
        }
    }
    return false;
}

/* What other processes of this machine do between two runs must not show: figures that speak of them, where
 * they are known, are the same in all runs. */
static void steady(struct store *s)
{
    static const struct {
        const char *name;
        enum subject_kind subject;
        enum kind kind;
        uint64_t value;
    } figures[] = {
        {"host.server_processes", SUBJECT_HOST, KIND_COUNT, 1},
        {"host.memory.other_rss", SUBJECT_HOST, KIND_BYTES, 512u << 20},
        {"server.memory.others", SUBJECT_SERVER, KIND_BYTES, 512u << 20},
    };
    for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
        const struct subject *const *subs = NULL;
        const size_t n = store_subjects_of(s, figures[i].subject, &subs);
        for (size_t k = 0; k < n; k++) {
            const struct fact *f = store_get(s, subs[k], span_of(figures[i].name));
            if (f != NULL && f->state == FACT_KNOWN) {
                store_known(s, subs[k], figures[i].name,
                            value_u64(figures[i].kind, figures[i].value), "fixed by this test");
            }
        }
    }
}

/* false: a server that was named could not be reached, which ends a run with exit code 2. */
static bool run(struct sweep *w, struct store *s, struct err *reterr)
{
    seen->operations = 0;
    seen->key[0] = '\0';
    w->runs++;
    return collect_run_live(&w->table, &w->options, &w->login, s, NULL, reterr);
}

static void one_fault(struct sweep *w)
{
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    struct store *s = store_new(a, w->judge.decls);
    if (!run(w, s, &err)) {
        if (err.code != E_CONNECT) {
            printf("%s %s, operation %u, %s: the run fails: %s\n", target.probe->name, target.label,
                   target.at, faults[target.fault].name, err.text);
            w->wrong++;
        }
        return;
    }
    struct verdicts now;
    steady(s);
    judge_store(&w->judge, s, a, &now);
    const char *better = judge_better(a, &w->whole, &now);
    if (better[0] != '\0' || has_crashed(s)) {
        printf("%s %s, operation %u (%s), %s:\n%s", target.probe->name, target.label, target.at,
               seen->key, faults[target.fault].name, better);
        w->wrong++;
    }
}

/* Every operation of one probe on one subject. */
static void sweep_target(struct sweep *w, const struct probe *probe, const char *label)
{
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    target.probe = probe;
    snprintf(target.label, sizeof(target.label), "%s", label);
    target.at = UINT32_MAX;
    target.fault = 0;
    if (!run(w, store_new(a, w->judge.decls), &err) || seen->operations == 0) {
        printf("%s %s: asks nothing: %s\n", probe->name, label, err.text);
        w->wrong++;
        return;
    }
    const unsigned n = seen->operations < OPERATIONS_MAX ? seen->operations : OPERATIONS_MAX;
    bool *skip = arena_calloc(a, n, sizeof(*skip));
    for (unsigned i = 0; i < n; i++) {
        skip[i] = seen->of_others[i] && i % PROCESS_STEP != 0;
    }
    for (unsigned i = 0; i < n; i++) {
        if (skip[i]) {
            continue;
        }
        target.at = i;
        target.fault = i % ARRAY_LEN(faults);
        one_fault(w);
    }
    printf("%s %s: %u operations\n", probe->name, label, n);
}

static void set_server_proc(const struct store *s)
{
    const struct subject *const *servers = NULL;
    uint64_t pid = 0;
    if (store_subjects_of(s, SUBJECT_SERVER, &servers) > 0) {
        (void)waves_number(s, servers[0], "server.pid", &pid);
    }
    snprintf(server_proc, sizeof(server_proc), "/proc/%llu/", (unsigned long long)pid);
}

static void sweep_server(struct sweep *w, const char *socket)
{
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    struct store *s = store_new(a, w->judge.decls);
    w->options = (struct collect_options){.all_devices = true};
    w->login = (struct login){.named = true};
    w->login.sql = (struct host_sql_login){
        .socket = socket, .user = "root", .socket_dir_fd = -1, .timeout_s = 3};
    target.probe = NULL;
    if (!run(w, s, &err)) {
        printf("%s: the run without fault fails: %s\n", socket, err.text);
        w->wrong++;
        return;
    }
    steady(s);
    judge_store(&w->judge, s, a, &w->whole);
    set_server_proc(s);
    sweep_target(w, &probe_proc, "host");
    sweep_target(w, &probe_disks, "host");
    for (size_t i = 0; i < store_subjects(s); i++) {
        const struct subject *sub = store_subject_at(s, i);
        switch (sub->kind) {
        case SUBJECT_SERVER:
            sweep_target(w, &probe_server, sub->label);
            sweep_target(w, &probe_sql, sub->label);
            break;
        case SUBJECT_VOLUME:
            sweep_target(w, &probe_volume, sub->label);
            break;
        case SUBJECT_DEVICE:
            sweep_target(w, &probe_device, sub->label);
            break;
        case SUBJECT_HOST:
        case SUBJECT_KINDS:
            break;
        }
    }
}

int main(int argc, char **argv)
{
    ARENA_AUTO a = arena_new();
    static struct sweep w;
    void *const memory =
        mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("mmap");
        return 2;
    }
    seen = memory;
    judge_init(&w.judge, a);
    wrap_probes(&w);
    for (int i = 1; i < argc; i++) {
        sweep_server(&w, argv[i]);
    }
    printf("%lu runs with at most one fault each, %lu wrong\n", w.runs, w.wrong);
    return argc > 1 && w.wrong == 0 ? 0 : 1;
}
