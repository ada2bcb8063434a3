/* The rule language's form: what parses, how it prints back, where each limit lies, what a caret shows.
 * Mistakes and their messages: test_expr_errors.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/rules/toy.h"

#include "advisor/base/banned.h"

struct round_row {
    enum subject_kind scope;
    const char *text;
    const char *printed; /* NULL: as it is */
};

static const struct round_row round_rows[] = {
    /* conditions as rules have them */
    {SUBJECT_SERVER, "server.redo.capacity <= 128MiB", NULL},
    {SUBJECT_SERVER, "server.bp.size_in_force >= 1GiB || plan.memory.pool_target >= 1GiB", NULL},
    {SUBJECT_SERVER, "data.transport_nvme && !redo.flush_needed", NULL},
    {SUBJECT_SERVER, "server.var.innodb_io_capacity <= 200/s", NULL},
    {SUBJECT_SERVER, "server.redo.capacity < 0.5 * server.redo.write_rate * 1h", NULL},
    {SUBJECT_SERVER, "data.fs.type in {xfs, ext4}", NULL},
    {SUBJECT_SERVER, "data.fs.type not in {xfs,ext4}", "data.fs.type not in {xfs, ext4}"},
    {SUBJECT_SERVER, "!(data.fs.type in {9p, tmpfs})", "data.fs.type not in {9p, tmpfs}"},
    {SUBJECT_SERVER, "data.role has tmp", NULL},
    {SUBJECT_SERVER, "server.plugins has innodb", NULL},
    {SUBJECT_SERVER, "server.version < 8.0.14", NULL},
    {SUBJECT_SERVER, "server.version >= 9.0 && server.version < 26.7", NULL},
    {SUBJECT_SERVER, "10.11 <= server.version", NULL},
    {SUBJECT_SERVER, "server.version in {8.0.30, 8.4}", NULL},
    {SUBJECT_SERVER, "server.flavour in {mysql, percona}", NULL},
    {SUBJECT_SERVER, "server.var.innodb_numa_interleave == ON",
     "server.var.innodb_numa_interleave == true"},
    {SUBJECT_SERVER, "server.dedicated == true", NULL},
    {SUBJECT_SERVER, "off == server.dedicated", "false == server.dedicated"},
    {SUBJECT_SERVER, "server.var.innodb_flush_method != O_DIRECT", NULL},
    {SUBJECT_SERVER, "server.var.innodb_flush_method == \"a b\"", NULL},
    {SUBJECT_SERVER, "server.var.innodb_flush_method == \"ab\"",
     "server.var.innodb_flush_method == ab"},
    {SUBJECT_SERVER, "server.process.comm == \"mysqld \\\"x\\\" \\\\ \\x01\"", NULL},
    {SUBJECT_SERVER, "server.process.comm != \"\\t\\n\\x1b\\xfF\"",
     "server.process.comm != \"\\x09\\x0a\\x1b\\xff\""},
    {SUBJECT_SERVER, "server.var.innodb_flush_method == \"\"", NULL},
    {SUBJECT_SERVER, "server.source.innodb_io_capacity != compiled", NULL},
    {SUBJECT_SERVER, "server.memory.limit == unlimited", NULL},
    {SUBJECT_SERVER, "server.commit.rate >= 0.7 / redo.bench.sync.fdatasync_p50", NULL},
    {SUBJECT_SERVER, "redo.bench.sync.fdatasync_p50 < 200us && bench.qps.rate > 10/s",
     "redo.bench.sync.fdatasync_p50 < 0.0002s && bench.qps.rate > 10/s"},
    {SUBJECT_HOST, "host.memory.thp_defrag == defer+madvise", NULL},
    {SUBJECT_VOLUME, "device.queue.scheduler not in {none, mq-deadline} && host.cpu.online > 2",
     NULL},
    {SUBJECT_VOLUME, "bench.sync.fdatasync_p50 > 2s && server.dedicated", NULL},
    {SUBJECT_DEVICE, "device.temperature > 70degC || server.is_replica", NULL},
    {SUBJECT_DEVICE, "device.temperature in {-5degC, 0degC}", NULL},
    {SUBJECT_DEVICE, "device.temperature > -5degC", NULL},
    /* formulas of settings */
    {SUBJECT_SERVER,
     "clamp(max(server.bp.size_in_force, plan.memory.pool_target) / 2, 512MiB, 2GiB)", NULL},
    {SUBJECT_SERVER, "min(20000/s, grid125(0.375 * data.bench.flush.rate))", NULL},
    {SUBJECT_SERVER, "ceil_to(server.redo.write_rate * 3600s / 0.78, 1GiB)",
     "ceil_to(server.redo.write_rate * 1h / 0.78, 1GiB)"},
    {SUBJECT_SERVER, "case(server.version < 8.0.30: 0.75, server.flavour == mariadb: 71%, else: 0)",
     NULL},
    {SUBJECT_SERVER, "case(server.is_replica: O_DIRECT, else: server.var.innodb_flush_method)",
     NULL},
    {SUBJECT_SERVER,
     "case(server.is_replica: xfs, else: case(server.dedicated: zfs, else: ext4)) == data.fs.type",
     NULL},
    {SUBJECT_SERVER, "(server.memory.limit - 1GiB) / (1 + server.memory.pool_overhead)", NULL},
    {SUBJECT_SERVER, "max(151, ceil_to(1.25 * server.var.max_connections, 1))", NULL},
    {SUBJECT_SERVER, "floor(server.cpu.available / 2) + pow2(server.cpu.available)", NULL},
    {SUBJECT_SERVER, "min(unlimited, server.memory.limit)", NULL},
    {SUBJECT_SERVER, "param.share * server.memory.limit", NULL},
    /* precedence and parentheses */
    {SUBJECT_SERVER, "server.dedicated || server.is_replica && data.flush_needed", NULL},
    {SUBJECT_SERVER, "(server.dedicated || server.is_replica) && data.flush_needed", NULL},
    {SUBJECT_SERVER, "server.dedicated || (server.is_replica || data.flush_needed)", NULL},
    {SUBJECT_SERVER, "((server.dedicated))", "server.dedicated"},
    {SUBJECT_SERVER, "!server.memory.limit > 1GiB", "!(server.memory.limit > 1GiB)"},
    {SUBJECT_SERVER, "!!server.dedicated", NULL},
    {SUBJECT_SERVER, "!(server.dedicated && server.is_replica)", NULL},
    {SUBJECT_SERVER, "(server.dedicated == true) == server.is_replica", NULL},
    {SUBJECT_SERVER, "server.cpu.available - (2 - 1) - 3 + (4 + 5)", NULL},
    {SUBJECT_SERVER, "server.cpu.available / (2 * 3) * -4 - -(5 + 1)", NULL},
    {SUBJECT_SERVER, "server.cpu.available-server.var.max_connections",
     "server.cpu.available - server.var.max_connections"},
    {SUBJECT_SERVER, "2 * (server.cpu.available + 1)", NULL},
    {SUBJECT_SERVER, " \t\r\n server.dedicated\n&&\n server.is_replica ",
     "server.dedicated && server.is_replica"},
    {SUBJECT_SERVER, "true", NULL},
    {SUBJECT_SERVER, "1.5e3 + 25% + 0.001", NULL},
};

static struct span print(struct arena *a, const struct expr *e)
{
    struct buf b;
    buf_init(&b, a, 4 * EXPR_MAX_BYTES);
    expr_print(&b, e);
    assert_false(b.full);
    return buf_span(&b);
}

static void test_round_trip(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct decl_set *const decls = toy_decls(a);
    for (size_t i = 0; i < ARRAY_LEN(round_rows); i++) {
        const struct round_row *const row = &round_rows[i];
        const struct expr_names names = toy_names(decls, row->scope);
        const struct expr *const e = toy_parse(a, &names, row->text);
        const char *const text = span_dup(a, print(a, e));
        if (strstr(row->text, "1.5e3") == NULL) { /* numbers may print shorter */
            assert_string_equal(text, row->printed != NULL ? row->printed : row->text);
        }
        const struct expr *const again = toy_parse(a, &names, text);
        if (!toy_same_tree(e, again)) {
            fail_msg("'%s' prints as another tree: '%s'", row->text, text);
        }
    }
}

/* Each operator's offset is its own, so that a caret points at what is wrong. */
static void test_offsets(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct decl_set *const decls = toy_decls(a);
    const struct expr_names names = toy_names(decls, SUBJECT_SERVER);
    const struct expr *const e =
        toy_parse(a, &names, "server.dedicated && server.memory.limit > max(1GiB, 2GiB)");
    assert_int_equal(e->op, EXPR_AND);
    assert_int_equal(e->column, 17);
    assert_int_equal(e->begin, 0);
    assert_int_equal(e->end, 57);
    assert_int_equal(e->kids[1]->column, 40);
    assert_int_equal(e->kids[1]->begin, 20);
    assert_int_equal(e->kids[1]->kids[1]->column, 42);
    assert_int_equal(e->kids[1]->kids[1]->end, 57);
}

static void test_references(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct decl_set *const decls = toy_decls(a);
    const struct expr_names names = toy_names(decls, SUBJECT_SERVER);
    const struct expr *const e = toy_parse(
        a, &names,
        "redo.fs.type == data.fs.type && redo.fs.type != zfs && case(data.bench.flush.rate > "
        "1/s: param.share, else: 1) > 1% && plan.memory.pool_target in {1GiB}");
    const struct expr_ref *const *refs = NULL;
    const size_t n = expr_refs(a, e, &refs);
    static const struct {
        const char *name, *fact;
        enum ref_kind kind;
        unsigned role;
    } want[] = {
        {"redo.fs.type", "volume.fs.type", REF_FACT, ROLE_REDO},
        {"data.fs.type", "volume.fs.type", REF_FACT, ROLE_DATA},
        {"data.bench.flush.rate", "bench.flush.rate", REF_FACT, ROLE_DATA},
        {"param.share", NULL, REF_PARAM, 0},
        {"plan.memory.pool_target", NULL, REF_PLAN, 0},
    };
    assert_int_equal(n, ARRAY_LEN(want));
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(refs[i]->name, want[i].name);
        assert_int_equal(refs[i]->kind, want[i].kind);
        assert_int_equal(refs[i]->role, want[i].role);
        if (want[i].fact != NULL) {
            assert_string_equal(refs[i]->fact, want[i].fact);
            assert_string_equal(refs[i]->decl->name, want[i].fact);
        }
    }
}

struct kind_row {
    const char *text;
    enum kind kind;
};

/* The kind of a computed number: what it prints as, and what it is compared with. */
static void test_kinds(void **state)
{
    static const struct kind_row rows[] = {
        {"server.redo.write_rate * 1h", KIND_BYTES},
        {"server.redo.capacity / server.redo.write_rate", KIND_SECONDS},
        {"server.redo.capacity / 1h", KIND_BYTES_PER_S},
        {"1 / server.uptime", KIND_RATE},
        {"server.commit.rate * server.uptime", KIND_COUNT},
        {"server.bp.size_in_force / server.memory.limit", KIND_RATIO},
        {"server.bp.size_in_force / 1GiB", KIND_COUNT},
        {"server.cpu.available / 2", KIND_COUNT},
        {"server.cpu.available / server.var.max_connections", KIND_RATIO},
        {"0.9 * server.redo.age_ratio", KIND_RATIO},
        {"server.redo.age_ratio * server.var.max_connections", KIND_COUNT},
        {"25% * 10%", KIND_RATIO},
        {"1 - server.redo.age_ratio", KIND_RATIO},
        {"2 * 3 + 1", KIND_COUNT},
        {"max(server.cpu.available, 4)", KIND_COUNT},
        {"min(server.redo.age_ratio, 1)", KIND_RATIO},
        {"floor(server.redo.age_ratio)", KIND_COUNT},
        {"server.redo.capacity * server.redo.capacity", KIND_RATIO},
    };
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct decl_set *const decls = toy_decls(a);
    const struct expr_names names = toy_names(decls, SUBJECT_SERVER);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct expr *const e = toy_parse(a, &names, rows[i].text);
        if (e->type.kind != rows[i].kind || !e->type.numeric) {
            fail_msg("'%s' is %s, not %s", rows[i].text, kind_name(e->type.kind),
                     kind_name(rows[i].kind));
        }
    }
}

static void test_want_decides(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct decl_set *const decls = toy_decls(a);
    const struct expr_names names = toy_names(decls, SUBJECT_SERVER);
    const struct expr_type count = {.kind = KIND_COUNT, .numeric = true};
    const struct expr_type word = {.kind = KIND_ENUM, .allowed = "fsync,O_DIRECT"};
    const struct expr_type version = {.kind = KIND_VERSION};
    struct err err = ERR_INIT;
    struct expr *e = NULL;
    assert_true(expr_parse(a, span_of("server.redo.age_ratio * 8"), &names, &count, &e, NULL, &err));
    assert_int_equal(e->type.kind, KIND_COUNT);
    assert_true(expr_parse(a, span_of("case(server.dedicated: fsync, else: O_DIRECT)"), &names,
                           &word, &e, NULL, &err));
    assert_int_equal(e->type.kind, KIND_ENUM);
    assert_true(expr_parse(a, span_of("8.4"), &names, &version, &e, NULL, &err));
    assert_int_equal(e->literal.version.part[1], 4);
}

static char *repeat(struct arena *a, const char *piece, size_t times, const char *end)
{
    struct buf b;
    buf_init(&b, a, 1 << 20);
    for (size_t i = 0; i < times; i++) {
        buf_add_text(&b, piece);
    }
    buf_add_text(&b, end);
    return span_dup(a, buf_span(&b));
}

static void check_limit(const char *text, enum err_code code)
{
    ARENA_AUTO a = arena_new();
    const struct decl_set *const decls = toy_decls(a);
    const struct expr_names names = toy_names(decls, SUBJECT_SERVER);
    struct err err = ERR_INIT;
    struct expr *e = NULL;
    unsigned column = 0;
    const bool ok = expr_parse(a, span_of(text), &names, NULL, &e, &column, &err);
    if (ok != (code == E_NONE) || err.code != code) {
        fail_msg("'%.40s…': code %d, want %d: %s", text, (int)err.code, (int)code, err.text);
    }
}

static void test_limits(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    check_limit(repeat(a, "1+", 255, "1"), E_NONE);   /* 511 nodes */
    check_limit(repeat(a, "1+", 256, "1"), E_LIMIT);  /* 513 */
    check_limit(repeat(a, "min(1,", 31, "1") , E_SYNTAX);
    check_limit(repeat(a, "-", 31, "1"), E_NONE);     /* 32 deep */
    check_limit(repeat(a, "-", 32, "1"), E_LIMIT);
    check_limit(repeat(a, "(", 200, "1"), E_LIMIT);
    check_limit(repeat(a, "!", 200, "true"), E_LIMIT);
    check_limit(repeat(a, "(", 100, repeat(a, ")", 0, "1")), E_SYNTAX);
    check_limit(repeat(a, " ", EXPR_MAX_BYTES - 4, "true"), E_NONE);
    check_limit(repeat(a, " ", EXPR_MAX_BYTES - 3, "true"), E_LIMIT);
    char *const parens = repeat(a, "(", 100, "1");
    check_limit(arena_printf(a, "%s%s", parens, repeat(a, ")", 100, "")), E_NONE);
    check_limit(repeat(a, "1e9s*", 120, "1"), E_LIMIT); /* seconds to the 120th */
    check_limit(repeat(a, "1e9s/", 120, "1"), E_LIMIT);
}

/* Whatever the 513th node is, it is one too many. */
static void test_node_limit(void **state)
{
    static const struct {
        const char *piece; /* one node each, and one for the whole chain of words */
        size_t times;
        const char *end;
    } rows[] = {
        {"1+", 256, "max(1, 2)"},        {"1+", 256, "case(true: 1, else: 2)"},
        {"1+", 256, "server.dedicated"}, {"1+", 256, "-1"},
        {"1+", 255, "-1 * 2"},           {"1+", 255, "-1 < 2"},
        {"1+", 255, "-1 + 2"},           {"1+", 255, "-1 in {1}"},
        {"1+", 255, "-1 has x"},         {"1+", 255, "-1 not in {1}"},
        {"1+", 255, "1 not in {1}"},     {"1+", 255, "1 in {1}"},
        {"true||", 510, "true && true"}, {"true&&", 510, "true || true"},
        {"true&&", 511, "!true"},        {"true&&", 511, "true"},
    };
    (void)state;
    ARENA_AUTO a = arena_new();
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        check_limit(repeat(a, rows[i].piece, rows[i].times, rows[i].end), E_LIMIT);
    }
}

/* Every prefix and every single-byte damage of every good expression: an answer, never a crash, and a
 * column inside the text. */
static void test_hostile(void **state)
{
    static const char bytes[] = {'\0', '\xff', '"', '(', '{', '}', '\\', '%', '\x80', '.', '9', 'e'};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(round_rows); i++) {
        ARENA_AUTO a = arena_new();
        const struct decl_set *const decls = toy_decls(a);
        const struct expr_names names = toy_names(decls, round_rows[i].scope);
        const size_t len = strlen(round_rows[i].text);
        for (size_t n = 0; n < len * 2; n++) {
            char *const text = arena_strndup(a, round_rows[i].text, len);
            if (n >= len) {
                text[n - len] = bytes[n % ARRAY_LEN(bytes)];
            }
            const struct span s = {text, n < len ? n : len};
            struct err err = ERR_INIT;
            struct expr *e = NULL;
            unsigned column = 0;
            if (!expr_parse(a, s, &names, NULL, &e, &column, &err)) {
                assert_true(column <= s.len);
                assert_true(err.text[0] != '\0');
            }
        }
    }
}

struct caret_row {
    const char *text;
    unsigned column;
    const char *shown;
};

static void test_caret(void **state)
{
    static const struct caret_row rows[] = {
        {"a.b + c.d", 4, "a.b + c.d\n    ^"},
        {"a.b + c.dd", 6, "a.b + c.dd\n      ^~~~"},
        {"a.b <", 5, "a.b <\n     ^"},
        {"a\n&& b.c", 5, "a && b.c\n     ^~~"},
        {"\x1b[1m x.y", 5, "\\x1b[1m x.y\n        ^~~"},
        {"\"\xc3\xa4\" x.y", 5, "\"\xc3\xa4\" x.y\n    ^~~"},
        {"", 0, "\n^"},
        {"x", 99, "x\n ^"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct buf b;
        buf_init(&b, a, 1000);
        expr_caret(&b, span_of(rows[i].text), rows[i].column);
        assert_string_equal(span_dup(a, buf_span(&b)), rows[i].shown);
    }
    ARENA_AUTO a = arena_new();
    struct buf b;
    buf_init(&b, a, 1000);
    expr_caret(&b, span_of(repeat(a, "x ", 400, "")), 400);
    assert_true(b.len < 230); /* a window, not the whole text */
    assert_int_equal(memcmp(b.ptr, "...x ", 5), 0);
    buf_init(&b, a, 2000);
    const char *const letters = repeat(a, "\xc3\xa4", 100, "xxx");
    expr_caret(&b, span_of(arena_printf(a, "%s%s", letters, letters)), 201);
    assert_true(span_is_utf8(buf_span(&b))); /* no letter is cut in half */
    assert_null(strstr(b.ptr, "\\x"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_references), cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_want_decides), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_node_limit),
        cmocka_unit_test(test_hostile),    cmocka_unit_test(test_caret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
