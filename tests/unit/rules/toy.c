/* The toy schema; see toy.h. */
#include "tests/unit/rules/toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/base/banned.h"

#define ROW(name_, kind_, allowed_, subject_) \
    {.name = name_, .kind = kind_, .allowed = allowed_, .subject = subject_, .fold = FOLD_SAME, \
     .meaning = "toy", .read_from = "toy", .privilege = ""}

static const struct fact_decl rows[] = {
    ROW("host.memory.total", KIND_BYTES, NULL, SUBJECT_HOST),
    ROW("host.memory.thp_defrag", KIND_ENUM, "always,defer,defer+madvise,madvise,never",
        SUBJECT_HOST),
    ROW("host.cpu.online", KIND_COUNT, NULL, SUBJECT_HOST),
    ROW("server.flavour", KIND_ENUM, "mysql,percona,mariadb", SUBJECT_SERVER),
    ROW("server.version", KIND_VERSION, NULL, SUBJECT_SERVER),
    ROW("server.redo.capacity", KIND_BYTES, NULL, SUBJECT_SERVER),
    ROW("server.redo.write_rate", KIND_BYTES_PER_S, NULL, SUBJECT_SERVER),
    ROW("server.redo.age_ratio", KIND_RATIO, NULL, SUBJECT_SERVER),
    ROW("server.bp.size_in_force", KIND_BYTES, NULL, SUBJECT_SERVER),
    ROW("server.memory.limit", KIND_BYTES, NULL, SUBJECT_SERVER),
    ROW("server.memory.pool_overhead", KIND_RATIO, NULL, SUBJECT_SERVER),
    ROW("server.dedicated", KIND_BOOL, NULL, SUBJECT_SERVER),
    ROW("server.is_replica", KIND_BOOL, NULL, SUBJECT_SERVER),
    ROW("server.commit.rate", KIND_RATE, NULL, SUBJECT_SERVER),
    ROW("server.cpu.available", KIND_COUNT, NULL, SUBJECT_SERVER),
    ROW("server.uptime", KIND_SECONDS, NULL, SUBJECT_SERVER),
    ROW("server.process.comm", KIND_STRING, NULL, SUBJECT_SERVER),
    ROW("server.plugins", KIND_LIST, NULL, SUBJECT_SERVER),
    ROW("server.var.innodb_io_capacity", KIND_RATE, NULL, SUBJECT_SERVER),
    ROW("server.var.innodb_flush_method", KIND_ENUM, NULL, SUBJECT_SERVER),
    ROW("server.var.innodb_numa_interleave", KIND_BOOL, NULL, SUBJECT_SERVER),
    ROW("server.var.max_connections", KIND_COUNT, NULL, SUBJECT_SERVER),
    ROW("volume.fs.type", KIND_ENUM, "xfs,ext4,zfs,btrfs,9p,tmpfs,other", SUBJECT_VOLUME),
    ROW("volume.fs.free_bytes", KIND_BYTES, NULL, SUBJECT_VOLUME),
    ROW("volume.role", KIND_SET, "data,redo,undo,doublewrite,binlog,relaylog,tmp",
        SUBJECT_VOLUME),
    ROW("volume.log_devices", KIND_SET, NULL, SUBJECT_VOLUME),
    ROW("volume.flush_needed", KIND_BOOL, NULL, SUBJECT_VOLUME),
    ROW("volume.transport_nvme", KIND_BOOL, NULL, SUBJECT_VOLUME),
    ROW("bench.flush.rate", KIND_RATE, NULL, SUBJECT_VOLUME),
    ROW("bench.sync.fdatasync_p50", KIND_SECONDS, NULL, SUBJECT_VOLUME),
    ROW("bench.qps.rate", KIND_RATE, NULL, SUBJECT_SERVER),
    ROW("device.queue.scheduler", KIND_ENUM, "none,mq-deadline,kyber,bfq", SUBJECT_DEVICE),
    ROW("device.queue.hw_queues", KIND_COUNT, NULL, SUBJECT_DEVICE),
    ROW("device.temperature", KIND_CELSIUS, NULL, SUBJECT_DEVICE),
    ROW("device.transport_nvme", KIND_BOOL, NULL, SUBJECT_DEVICE),
};

static const struct fact_decl var_row = ROW("server.var.", KIND_STRING, NULL, SUBJECT_SERVER);
static const struct fact_decl status_row = ROW("server.status.", KIND_STRING, NULL, SUBJECT_SERVER);
static const struct fact_decl source_row =
    ROW("server.source.", KIND_ENUM, "compiled,auto,file,persisted,command_line,dynamic",
        SUBJECT_SERVER);

struct decl_set *toy_decls(struct arena *a)
{
    struct err err = ERR_INIT;
    struct decl_set *const set = decl_set_new(a);
    if (!decl_set_add(set, rows, ARRAY_LEN(rows), &err) ||
        !decl_set_add_family(set, "server.var.", &var_row, &err) ||
        !decl_set_add_family(set, "server.status.", &status_row, &err) ||
        !decl_set_add_family(set, "server.source.", &source_row, &err)) {
        fail_msg("toy schema: %s", err.text);
    }
    return set;
}

static bool lookup(const void *ctx, enum ref_kind kind, struct span name, struct expr_type *ret)
{
    (void)ctx;
    if (kind == REF_PARAM && span_eq_text(name, "share")) {
        *ret = (struct expr_type){.kind = KIND_RATIO, .dim = DIM_NONE, .numeric = true};
        return true;
    }
    if (kind == REF_PLAN && span_eq_text(name, "memory.pool_target")) {
        *ret = (struct expr_type){.kind = KIND_BYTES, .dim = DIM_BYTES, .numeric = true};
        return true;
    }
    return false;
}

struct expr_names toy_names(const struct decl_set *decls, enum subject_kind scope)
{
    return (struct expr_names){.decls = decls, .scope = scope, .lookup = lookup};
}

void toy_set(struct arena *a, struct toy_world *w, const char *name, enum kind kind,
             const char *text)
{
    struct err err = ERR_INIT;
    struct fact f = {.state = FACT_NOT_PERMITTED, .reason = "toy", .remedy = "", .source = "toy"};
    if (strcmp(text, "?") != 0) {
        f.state = FACT_KNOWN;
        f.reason = NULL;
        if (!value_read(a, kind, NULL, true, span_of(text), &f.value, &err)) {
            fail_msg("'%s' = '%s': %s", name, text, err.text);
        }
    }
    assert_true(w->n < TOY_MAX);
    w->facts[w->n++] = (struct toy_fact){.name = name, .fact = f};
}

void toy_fill(struct arena *a, struct toy_world *w)
{
    *w = (struct toy_world){0};
    toy_set(a, w, "server.flavour", KIND_ENUM, "mysql");
    toy_set(a, w, "server.version", KIND_VERSION, "8.0.30");
    toy_set(a, w, "server.redo.capacity", KIND_BYTES, "128MiB");
    toy_set(a, w, "server.redo.write_rate", KIND_BYTES_PER_S, "6MiB/s");
    toy_set(a, w, "server.redo.age_ratio", KIND_RATIO, "75%");
    toy_set(a, w, "server.bp.size_in_force", KIND_BYTES, "?");
    toy_set(a, w, "server.memory.limit", KIND_BYTES, "unlimited");
    toy_set(a, w, "server.dedicated", KIND_BOOL, "true");
    toy_set(a, w, "server.is_replica", KIND_BOOL, "?");
    toy_set(a, w, "server.cpu.available", KIND_COUNT, "7");
    toy_set(a, w, "server.uptime", KIND_SECONDS, "0s");
    toy_set(a, w, "server.var.innodb_io_capacity", KIND_RATE, "200/s");
    toy_set(a, w, "server.var.innodb_flush_method", KIND_ENUM, "O_DIRECT");
    toy_set(a, w, "server.process.comm", KIND_STRING, "mysqld");
    toy_set(a, w, "server.plugins", KIND_LIST, "{innodb, aria}");
    toy_set(a, w, "data.fs.type", KIND_ENUM, "xfs");
    toy_set(a, w, "data.role", KIND_SET, "{data, redo}");
    toy_set(a, w, "data.bench.flush.rate", KIND_RATE, "31000/s");
    toy_set(a, w, "data.flush_needed", KIND_BOOL, "false");
    toy_set(a, w, "plan.memory.pool_target", KIND_BYTES, "19GiB");
    toy_set(a, w, "param.share", KIND_RATIO, "25%");
}

static const struct fact *resolve(void *ctx, const struct expr_ref *ref,
                                  const struct subject **ret_subject)
{
    struct toy_world *const w = ctx;
    *ret_subject = NULL;
    for (size_t i = 0; i < w->n; i++) {
        if (strcmp(w->facts[i].name, ref->name) == 0) {
            return &w->facts[i].fact;
        }
    }
    return NULL;
}

struct eval_env toy_env(struct toy_world *w, struct arena *a)
{
    return (struct eval_env){.ctx = w, .resolve = resolve, .arena = a};
}

const struct expr *toy_parse(struct arena *a, const struct expr_names *names, const char *text)
{
    struct err err = ERR_INIT;
    struct expr *e = NULL;
    unsigned column = 0;
    if (!expr_parse(a, span_of(text), names, NULL, &e, &column, &err)) {
        fail_msg("'%s', column %u: %s (%s)", text, column, err.text, err.hint);
    }
    return e;
}

const char *toy_show(struct arena *a, const struct eval_result *r)
{
    if (r->state != EVAL_KNOWN) {
        return r->state == EVAL_UNKNOWN ? "unknown" : arena_printf(a, "error: %s", r->error);
    }
    struct buf b;
    buf_init(&b, a, 1000);
    value_print_literal(&b, &r->value);
    return span_dup(a, buf_span(&b));
}

static bool same_text(const char *x, const char *y)
{
    return x == NULL || y == NULL ? x == y : strcmp(x, y) == 0;
}

bool toy_same_tree(const struct expr *x, const struct expr *y)
{
    if (x->op != y->op || x->n_kids != y->n_kids || x->n_words != y->n_words ||
        x->type.kind != y->type.kind || !dim_eq(x->type.dim, y->type.dim) ||
        !same_text(x->ref.name, y->ref.name) || !same_text(x->ref.fact, y->ref.fact)) {
        return false;
    }
    if (x->op == EXPR_LITERAL && !value_eq(&x->literal, &y->literal)) {
        return false;
    }
    for (size_t i = 0; i < x->n_words; i++) {
        if (!value_eq(&x->words[i], &y->words[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < x->n_kids; i++) {
        if (!toy_same_tree(x->kids[i], y->kids[i])) {
            return false;
        }
    }
    return true;
}
