/* Everything that /proc says, hostile: the input is cut at 0x01 into replies, each kind of question
 * gets one of them, and both probes run over it. What they state is printed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/host/reply.h"
#include "probes/probe.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends of keys; the n-th piece of the input answers. */
static const char *const ends[] = {
    "/statm",   "/comm",        "/cmdline",    "/net/unix",   "/net/tcp",     "/status",
    "/limits",  "/cgroup",      "/mountinfo",  "/meminfo",    "memory.max",   "memory.high",
    "/cpu.max", "quota_us",     "memory.stat", "/enabled",    "/pressure/io", "/has_memory",
    "/swaps",   "_governor",    "/latency",    "io.max",      "/maps",        "_cpus_list",
    "/policy",  "_clocksource", "/disable",    "_preference",
};

static bool input_call(struct host *h, const struct host_request *rq, struct span *ret,
                       struct err *reterr)
{
    const struct span *input = h->state;
    struct span rest = *input, piece = {"", 0};
    size_t n = 0;
    while (n < ARRAY_LEN(ends) && !span_ends(span_of(rq->key), ends[n])) {
        n++;
    }
    for (size_t i = 0; i <= n; i++) {
        if (!span_split(&rest, 1, &piece)) {
            return err_set(reterr, i % 2 == 0 ? E_ABSENT : E_DENIED, "'%s'", rq->key);
        }
    }
    if (rq->op == HOST_LIST) {
        const struct span names[] = {SPAN_LIT("1"), SPAN_LIT("2"), SPAN_LIT("44"),
                                     SPAN_LIT("self")};
        piece = reply_names(h->arena, names, ARRAY_LEN(names));
    } else if (rq->op == HOST_STAT) {
        piece = reply_stat(h->arena, &(struct host_stat){.mode = 040755});
    } else if (rq->op == HOST_LINK && span_ends(span_of(rq->key), "/exe")) {
        piece = SPAN_LIT("/usr/sbin/mysqld");
    } else if (rq->op == HOST_LINK) {
        piece = SPAN_LIT("socket:[77]");
    }
    *ret = span_sub(piece, 0, rq->max_bytes);
    return true;
}

static const struct host_backend backend = {.call = input_call};

static void run(struct host *h, struct store *s, const struct probe *probe,
                const struct probe_args *args, enum subject_kind kind)
{
    struct probe_ctx ctx = {.host = h,
                            .store = s,
                            .args = args,
                            .subject = store_subject(s, kind, args->label),
                            .arena = store_arena(s)};
    if (probe->open(&ctx)) {
        probe->run(&ctx);
    }
}

static void print_all(struct store *s)
{
    struct buf b;
    buf_init(&b, store_arena(s), 1 << 20);
    for (size_t i = 0; i < store_subjects(s); i++) {
        const struct fact_row *rows;
        for (size_t k = 0, n = store_facts(s, store_subject_at(s, i), &rows); k < n; k++) {
            b.len = 0;
            if (rows[k].fact->state == FACT_KNOWN) {
                value_print_literal(&b, &rows[k].fact->value);
            } else if (rows[k].fact->reason[0] == '\0') {
                fprintf(stderr, "%s\n", rows[k].name);
                abort();
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 65536) {
        return 0;
    }
    ARENA_AUTO a = arena_new();
    struct span input = {(const char *)data, size};
    struct host h = {&backend, &input, a};
    struct err err = ERR_INIT;
    struct decl_set *set = decl_set_new(a);
    if (!decl_set_add(set, probe_proc.decls, probe_proc.n_decls, &err)) {
        abort();
    }
    struct store *s = store_new(a, set);
    struct probe_args proc = {
        .label = "host", .named = size % 3 == 0, .named_host = "127.0.0.1", .named_port = 3306};
    struct probe_args server = {.label = "server:x", .pid = 44, .others_rss_known = true};
    run(&h, s, &probe_proc, &proc, SUBJECT_HOST);
    run(&h, s, &probe_server, &server, SUBJECT_SERVER);
    print_all(s);
    return 0;
}
