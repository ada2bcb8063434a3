/* Soundness: hiding facts may undecide a result, never turn it. Random expressions over the toy schema,
 * random worlds, random hiding; each expression must also print and read back as the same tree, its
 * evidence alone must give the same result, and revealing its blockers must decide it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/rules/toy.h"

#include "advisor/base/banned.h"

#define EXPRESSIONS 17500
#define HIDINGS 12 /* of each: 210,000 trials */

struct random {
    uint64_t state;
};

static uint32_t next(struct random *r, uint32_t below)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return (uint32_t)(r->state >> 33) % below;
}

enum type { BYTES, PLAIN, RATE, SECONDS, BYTES_PER_S, NUMERIC_TYPES };

/* Names of each numeric type, and literals that often meet their values exactly. */
static const char *const names_of[NUMERIC_TYPES][4] = {
    [BYTES] = {"server.redo.capacity", "server.bp.size_in_force", "server.memory.limit",
               "plan.memory.pool_target"},
    [PLAIN] = {"server.cpu.available", "server.var.max_connections", "server.redo.age_ratio",
               "param.share"},
    [RATE] = {"server.commit.rate", "server.var.innodb_io_capacity", "data.bench.flush.rate",
              "bench.qps.rate"},
    [SECONDS] = {"server.uptime", "data.bench.sync.fdatasync_p50", "server.uptime",
                 "server.uptime"},
    [BYTES_PER_S] = {"server.redo.write_rate", "server.redo.write_rate", "server.redo.write_rate",
                     "server.redo.write_rate"},
};

static const char *const literals_of[NUMERIC_TYPES][5] = {
    [BYTES] = {"0B", "1B", "1GiB", "3GiB", "unlimited"},
    [PLAIN] = {"0", "1", "2.5", "25%", "16"},
    [RATE] = {"0/s", "1/s", "200/s", "31000/s", "10/h"},
    [SECONDS] = {"0s", "250us", "1s", "1h", "60s"},
    [BYTES_PER_S] = {"0B/s", "1B/s", "6MiB/s", "1GiB/s", "10MB/h"},
};

static const char *const bools[] = {
    "server.dedicated", "server.is_replica", "data.flush_needed",
    "server.var.innodb_numa_interleave", "true", "false",
};

static const char *const words[] = {
    "data.fs.type == xfs", "data.fs.type != zfs", "redo.fs.type == data.fs.type",
    "data.fs.type in {xfs, ext4}", "redo.fs.type not in {9p, tmpfs}", "data.role has redo",
    "server.version < 8.4", "server.version >= 8.0.30", "server.version in {8.4, 10.11}",
    "server.flavour == mysql", "server.process.comm == \"mysqld\"",
    "case(server.dedicated: xfs, else: data.fs.type) == redo.fs.type",
};

static void gen_bool(struct random *r, struct buf *b, unsigned depth);
static void gen_number(struct random *r, struct buf *b, enum type t, unsigned depth);

static void gen_leaf(struct random *r, struct buf *b, enum type t)
{
    if (next(r, 3) == 0) {
        buf_add_text(b, literals_of[t][next(r, t == BYTES ? 4 : 5)]);
    } else {
        buf_add_text(b, names_of[t][next(r, 4)]);
    }
}

static void gen_call(struct random *r, struct buf *b, enum type t, unsigned depth)
{
    static const struct {
        const char *name;
        unsigned n;
    } calls[] = {
        {"min", 2}, {"max", 3}, {"clamp", 3}, {"floor_to", 2}, {"ceil_to", 2},
        {"grid125", 1}, {"pow2", 1}, {"floor", 1},
    };
    const uint32_t which = next(r, ARRAY_LEN(calls));
    buf_printf(b, "%s(", calls[which].name);
    for (unsigned i = 0; i < calls[which].n; i++) {
        buf_add_text(b, i > 0 ? ", " : "");
        gen_number(r, b, t, depth - 1);
    }
    buf_add_char(b, ')');
}

/* A product or quotient of other dimensions that comes out as `t`. */
static void gen_product(struct random *r, struct buf *b, enum type t, unsigned depth)
{
    static const struct {
        enum type l, r;
        const char *op;
    } made_of[NUMERIC_TYPES] = {
        [BYTES] = {BYTES_PER_S, SECONDS, " * "}, [PLAIN] = {BYTES, BYTES, " / "},
        [RATE] = {PLAIN, SECONDS, " / "},        [SECONDS] = {BYTES, BYTES_PER_S, " / "},
        [BYTES_PER_S] = {BYTES, SECONDS, " / "},
    };
    const bool scaled = next(r, 2) == 0;
    buf_add_char(b, '(');
    gen_number(r, b, scaled ? t : made_of[t].l, depth - 1);
    buf_add_text(b, scaled ? (next(r, 2) == 0 ? " * " : " / ") : made_of[t].op);
    gen_number(r, b, scaled ? PLAIN : made_of[t].r, depth - 1);
    buf_add_char(b, ')');
}

static void gen_number(struct random *r, struct buf *b, enum type t, unsigned depth)
{
    const uint32_t which = depth == 0 ? 0 : next(r, 6);
    if (which <= 1) {
        gen_leaf(r, b, t);
    } else if (which == 2) {
        buf_add_char(b, '(');
        gen_number(r, b, t, depth - 1);
        buf_add_text(b, next(r, 2) == 0 ? " + " : " - ");
        gen_number(r, b, t, depth - 1);
        buf_add_char(b, ')');
    } else if (which == 3) {
        gen_call(r, b, t, depth);
    } else if (which == 4) {
        gen_product(r, b, t, depth);
    } else {
        buf_add_text(b, "case(");
        gen_bool(r, b, depth - 1);
        buf_add_text(b, ": ");
        gen_number(r, b, t, depth - 1);
        buf_add_text(b, ", else: ");
        gen_number(r, b, t, depth - 1);
        buf_add_char(b, ')');
    }
}

static void gen_comparison(struct random *r, struct buf *b, unsigned depth)
{
    static const char *const ops[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
    const enum type t = (enum type)next(r, NUMERIC_TYPES);
    if (t == BYTES && next(r, 4) == 0) {
        buf_add_text(b, "server.memory.limit == unlimited");
        return;
    }
    gen_number(r, b, t, depth - 1);
    buf_add_text(b, ops[next(r, ARRAY_LEN(ops))]);
    gen_number(r, b, t, depth - 1);
}

static void gen_bool(struct random *r, struct buf *b, unsigned depth)
{
    const uint32_t which = depth == 0 ? next(r, 2) : next(r, 9);
    if (which == 0) {
        buf_add_text(b, bools[next(r, ARRAY_LEN(bools))]);
    } else if (which == 1) {
        buf_printf(b, "(%s)", words[next(r, ARRAY_LEN(words))]);
    } else if (which == 2) {
        buf_add_text(b, "!(");
        gen_bool(r, b, depth - 1);
        buf_add_char(b, ')');
    } else if (which <= 5) {
        buf_add_char(b, '(');
        gen_bool(r, b, depth - 1);
        const char *const op = next(r, 2) == 0 ? " && " : " || ";
        for (uint32_t i = next(r, 2) + 1; i > 0; i--) {
            buf_add_text(b, op);
            gen_bool(r, b, depth - 1);
        }
        buf_add_char(b, ')');
    } else {
        buf_add_char(b, '(');
        gen_comparison(r, b, depth);
        buf_add_char(b, ')');
    }
}

/* Every fact that the generator can name, each with values worth meeting. */
static const struct {
    const char *name;
    enum kind kind;
    const char *values[4];
} pool[] = {
    {"server.redo.capacity", KIND_BYTES, {"0B", "1GiB", "3GiB", "128MiB"}},
    {"server.bp.size_in_force", KIND_BYTES, {"1B", "1GiB", "170141183460469231731687303715884105728B", "7GiB"}},
    {"server.memory.limit", KIND_BYTES, {"unlimited", "1GiB", "3GiB", "unlimited"}},
    {"plan.memory.pool_target", KIND_BYTES, {"0B", "19GiB", "3GiB", "1GiB"}},
    {"server.cpu.available", KIND_COUNT, {"0", "1", "16", "7"}},
    {"server.var.max_connections", KIND_COUNT, {"1", "151", "16", "0"}},
    {"server.redo.age_ratio", KIND_RATIO, {"0", "25%", "100%", "0.7"}},
    {"param.share", KIND_RATIO, {"25%", "0", "50%", "1"}},
    {"server.commit.rate", KIND_RATE, {"0/s", "200/s", "0.5/s", "1/s"}},
    {"server.var.innodb_io_capacity", KIND_RATE, {"200/s", "31000/s", "0/s", "2000/s"}},
    {"data.bench.flush.rate", KIND_RATE, {"31000/s", "1/s", "0/s", "5500/s"}},
    {"bench.qps.rate", KIND_RATE, {"1/s", "0/s", "200/s", "9/s"}},
    {"server.uptime", KIND_SECONDS, {"0s", "1s", "1h", "60s"}},
    {"data.bench.sync.fdatasync_p50", KIND_SECONDS, {"250us", "0s", "1s", "20us"}},
    {"server.redo.write_rate", KIND_BYTES_PER_S, {"0B/s", "6MiB/s", "1B/s", "1GiB/s"}},
    {"server.dedicated", KIND_BOOL, {"true", "false", "true", "false"}},
    {"server.is_replica", KIND_BOOL, {"true", "false", "true", "false"}},
    {"data.flush_needed", KIND_BOOL, {"true", "false", "true", "false"}},
    {"server.var.innodb_numa_interleave", KIND_BOOL, {"true", "false", "true", "false"}},
    {"data.fs.type", KIND_ENUM, {"xfs", "zfs", "9p", "ext4"}},
    {"redo.fs.type", KIND_ENUM, {"xfs", "tmpfs", "9p", "ext4"}},
    {"data.role", KIND_SET, {"{data}", "{data, redo}", "{}", "{redo, tmp}"}},
    {"server.version", KIND_VERSION, {"8.0.30", "8.4", "10.11", "9.7.4"}},
    {"server.flavour", KIND_ENUM, {"mysql", "percona", "mariadb", "mysql"}},
    {"server.process.comm", KIND_STRING, {"mysqld", "mariadbd", "mysqld", "x"}},
};

static void gen_world(struct random *r, struct arena *a, struct toy_world *w)
{
    *w = (struct toy_world){0};
    for (size_t i = 0; i < ARRAY_LEN(pool); i++) {
        toy_set(a, w, pool[i].name, pool[i].kind, pool[i].values[next(r, 4)]);
    }
}

static bool same(const struct eval_result *x, const struct eval_result *y)
{
    return x->state == EVAL_KNOWN && y->state == EVAL_KNOWN && value_eq(&x->value, &y->value);
}

struct tally {
    unsigned trials, decided, undecided, known, errors;
};

static void hide(struct toy_world *w, size_t i)
{
    w->facts[i].fact.state = FACT_NOT_PERMITTED;
}

static bool is_named(const struct eval_input *inputs, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(inputs[i].ref->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Nothing but its evidence is needed for a decided result. */
static void check_evidence(struct arena *a, const struct expr *e, struct toy_world full,
                           const struct eval_result *whole, const char *text)
{
    const struct eval_env env = toy_env(&full, a);
    const struct eval_input *inputs = NULL;
    const size_t n = eval_evidence(e, &env, &inputs);
    for (size_t i = 0; i < full.n; i++) {
        if (!is_named(inputs, n, full.facts[i].name)) {
            hide(&full, i);
        }
    }
    const struct eval_result r = eval(e, &env);
    if (!same(&r, whole)) {
        fail_msg("evidence alone: '%s' gives %s, was %s", text, toy_show(a, &r),
                 toy_show(a, whole));
    }
}

/* All blockers made known leave nothing unknown. */
static void check_blockers(struct arena *a, const struct expr *e, struct toy_world hidden,
                           const struct toy_world *full, const char *text)
{
    const struct eval_env env = toy_env(&hidden, a);
    const struct eval_input *inputs = NULL;
    const size_t n = eval_blockers(e, &env, &inputs);
    if (n == 0) {
        fail_msg("unknown without a blocker: '%s'", text);
    }
    for (size_t i = 0; i < hidden.n; i++) {
        if (is_named(inputs, n, hidden.facts[i].name)) {
            if (hidden.facts[i].fact.state == FACT_KNOWN) {
                fail_msg("a known fact blocks: '%s' in '%s'", hidden.facts[i].name, text);
            }
            hidden.facts[i] = full->facts[i];
        }
    }
    const struct eval_result r = eval(e, &env);
    if (r.state == EVAL_UNKNOWN) {
        fail_msg("blockers revealed, still unknown: '%s'", text);
    }
}

static void check_hidings(struct random *r, struct arena *a, const struct expr *e,
                          const char *text, struct tally *t)
{
    struct toy_world full;
    gen_world(r, a, &full);
    const struct eval_env env = toy_env(&full, a);
    const struct eval_result whole = eval(e, &env);
    t->known += whole.state == EVAL_KNOWN;
    t->errors += whole.state == EVAL_ERROR;
    if (whole.state == EVAL_UNKNOWN) {
        fail_msg("unknown with all facts known: '%s'", text);
    }
    if (whole.state == EVAL_KNOWN) {
        check_evidence(a, e, full, &whole, text);
    }
    for (unsigned k = 0; k < HIDINGS; k++) {
        struct toy_world w = full;
        const uint32_t share = next(r, 8) + 2; /* one in 2 … 9 is hidden */
        for (size_t i = 0; i < w.n; i++) {
            if (next(r, share) == 0) {
                hide(&w, i);
            }
        }
        const struct eval_env partial = toy_env(&w, a);
        const struct eval_result part = eval(e, &partial);
        t->trials++;
        t->decided += part.state == EVAL_KNOWN;
        t->undecided += part.state != EVAL_KNOWN;
        if (part.state == EVAL_KNOWN && !same(&part, &whole)) {
            fail_msg("'%s' gives %s on fewer facts, %s on all", text, toy_show(a, &part),
                     toy_show(a, &whole));
        }
        if (part.state == EVAL_UNKNOWN) {
            check_blockers(a, e, w, &full, text);
        }
    }
}

static void check_round_trip(struct arena *a, const struct expr_names *names,
                             const struct expr *e, const char *text)
{
    struct buf b;
    buf_init(&b, a, 4 * EXPR_MAX_BYTES);
    expr_print(&b, e);
    const struct expr *const again = toy_parse(a, names, span_dup(a, buf_span(&b)));
    if (!toy_same_tree(e, again)) {
        fail_msg("'%s' prints as another tree: '%.*s'", text, SPAN_ARG(buf_span(&b)));
    }
}

static void test_hiding_never_flips(void **state)
{
    (void)state;
    ARENA_AUTO schema = arena_new();
    const struct decl_set *const decls = toy_decls(schema);
    const struct expr_names names = toy_names(decls, SUBJECT_SERVER);
    struct random r = {.state = 0x9e3779b97f4a7c15u};
    struct tally t = {0};
    for (unsigned i = 0; i < EXPRESSIONS; i++) {
        ARENA_AUTO a = arena_new();
        struct buf b;
        buf_init(&b, a, EXPR_MAX_BYTES);
        if (next(&r, 4) == 0) {
            gen_number(&r, &b, (enum type)next(&r, NUMERIC_TYPES), 3);
        } else {
            gen_bool(&r, &b, 4);
        }
        if (b.full) {
            continue;
        }
        const char *const text = span_dup(a, buf_span(&b));
        const struct expr *const e = toy_parse(a, &names, text);
        check_round_trip(a, &names, e, text);
        check_hidings(&r, a, e, text, &t);
    }
    print_message("%u trials: %u decided, %u undecided; with all facts %u known, %u errors\n",
                  t.trials, t.decided, t.undecided, t.known, t.errors);
    assert_true(t.trials >= 200000);
    assert_true(t.decided > t.trials / 5); /* the property is not empty, either way */
    assert_true(t.undecided > t.trials / 5);
    assert_true(t.errors > 500);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_hiding_never_flips)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
