/* Pools of ZFS in a run: one job each, whose facts reach every volume on it, live and from the run's own capture;
 * and one that never answers, which costs its own volumes alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/probes/toy.h"

#include "advisor/base/banned.h"

static const struct fact_decl pool_rows[] = {
    {"volume.fs.type", KIND_STRING, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE, "toy", "toy", ""},
};

/* Server /b lies on a pool that is dead, all else on one that lives. */
static void volume_run(struct probe_ctx *ctx)
{
    const bool dead = strstr(ctx->subject->label, "/b:") != NULL;
    struct host_stat st;
    struct err err = ERR_INIT;
    if (!host_stat(ctx->host, "/proc", &st, &err)) {
        return;
    }
    toy_text(ctx, "volume.zfs.pool", dead ? "dead" : "tank");
    toy_text(ctx, "volume.zfs.dataset", arena_printf(ctx->arena, "tank/%s", ctx->subject->label));
}

/* Each volume learns of itself and how many there are, by one question. */
static void pool_run(struct probe_ctx *ctx)
{
    struct span text;
    struct err err = ERR_INIT;
    if (!host_read(ctx->host, "/proc/sys/kernel/ostype", 0, &text, &err)) {
        return;
    }
    if (strcmp(ctx->args->pool, "dead") == 0) {
        for (;;) {
            pause();
        }
    }
    for (size_t i = 0; i < ctx->args->n_members; i++) {
        struct probe_ctx own = *ctx;
        own.subject = store_subject(ctx->store, SUBJECT_VOLUME, ctx->args->members[i].label);
        toy_text(&own, "volume.fs.type",
                 arena_printf(ctx->arena, "%s of %zu", ctx->args->members[i].dataset,
                              ctx->args->n_members));
    }
}

/* A volume that is no member. */
static void liar_run(struct probe_ctx *ctx)
{
    struct probe_ctx other = *ctx;
    other.subject = store_subject(ctx->store, SUBJECT_VOLUME, "volume:/else");
    toy_text(&other, "volume.fs.type", "lie");
}

static const struct probe volume_toy = {.name = "volume", .run = volume_run};
static const struct probe pool_toy = {
    .name = "pool", .run = pool_run, .decls = pool_rows, .n_decls = ARRAY_LEN(pool_rows)};
static const struct probe liar_toy = {.name = "pool", .run = liar_run};

static const struct collect_path paths[] = {{.path = "/x"}, {.path = "/y"}};
static const struct collect_options options = {.timeout_s = 2, .paths = paths, .n_paths = 2};

static void wants(struct arena *a, const struct toy_run *r, const char *label, const char *text)
{
    const struct subject *const sub = store_find_subject(r->store, label);
    assert_non_null(sub);
    const struct fact *const f = store_get(r->store, sub, SPAN_LIT("volume.fs.type"));
    assert_non_null(f);
    const char *const got = f->state == FACT_KNOWN ? span_dup(a, f->value.text) : f->reason;
    if (strstr(got, text) == NULL) {
        fail_msg("%s: '%s', not '%s'", label, got, text);
    }
}

static void test_pools(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct probe_table t = toy_table;
    t.volume = &volume_toy;
    t.pool = &pool_toy;
    const struct toy_run r = toy_live(a, &t, &options, NULL);
    wants(a, &r, "volume:/a:data", "tank/volume:/a:data of 3");
    wants(a, &r, "volume:/x", "tank/volume:/x of 3");
    wants(a, &r, "volume:/y", "tank/volume:/y of 3");
    wants(a, &r, "volume:/b:data", "no answer within 2 s");
    assert_int_equal(capture_operations(r.capture, "pool:tank"), 1);
    assert_int_equal(capture_operations(r.capture, "pool:dead"), 1);
    toy_assert_same(a, &r, &t);
}

static void test_others(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct probe_table t = toy_table;
    t.volume = &volume_toy;
    t.pool = &liar_toy;
    const struct toy_run r = toy_live(a, &t, &options, NULL);
    assert_null(store_find_subject(r.store, "volume:/else"));
}

/* A capture of a version whose volumes asked for themselves: unknown, and says why. */
static void test_old_capture(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct probe_table t = toy_table, now;
    t.volume = &volume_toy;
    now = t;
    now.pool = &pool_toy;
    const struct toy_run old = toy_live(a, &t, &options, NULL);
    const struct toy_run r = toy_replay(a, &now, old.capture, &(const struct fault){.probe = NULL});
    assert_true(r.ok);
    wants(a, &r, "volume:/a:data", "made by another version");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pools),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_old_capture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
