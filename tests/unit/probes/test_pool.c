/* The pool probe with several volumes on one pool: what they share, what is each one's own, and how often the tools
 * are run. One volume alone: test_volume_zfs.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/probes/storage_fixture.h"
#include "tests/unit/probes/volume_scenes.h"

#include "advisor/base/banned.h"

#define WANTS(...) ((const struct want[]){__VA_ARGS__, {NULL, NULL}})
#define TOP_TEXT(n) "0 /" n " fs type=zfs at=/" n " dataset=tank/" n
#define TOP(n)                                                                                     \
    {                                                                                              \
        TOP_TEXT(n), sizeof(TOP_TEXT(n)) - 1                                                       \
    }
#define SET(name, record, creation)                                                                \
    name "\ttype\tfilesystem\t-\n" name "\tcreation\t" creation "\t-\n" name "\trecordsize\t"      \
         record "\tlocal\n"
#define MINE SET("tank/my", "131072", "1795000000")
#define LOGS SET("tank/logs", "16384", "1795090000")
#define WHOLE "tank" /* as its pool */
#define ALL "zfs-get tank/logs tank/my tank"

static const struct pool_member members[] = {
    {.label = "volume:x:binlog", .dataset = "tank/logs", .layer = TOP("logs")},
    {.label = "volume:x:data", .dataset = "tank/my", .layer = TOP("my")},
    {.label = "volume:x:redo", .dataset = "tank/my", .layer = TOP("my")},
    {.label = "volume:x:tmp", .dataset = "tank", .layer = TOP("tank")},
};
static const struct probe_args args = {
    .label = "volume:x:binlog", .pool = "tank", .members = members, .n_members = ARRAY_LEN(members)};

static struct store *run(struct arena *a, struct host *h, const struct probe_args *with)
{
    struct store *const s = fixture_store(a, &probe_pool);
    (void)fixture_run(a, s, &probe_pool, h, SUBJECT_VOLUME, with);
    for (size_t i = 0; i < with->n_members; i++) {
        fixture_all_set(s, store_find_subject(s, with->members[i].label), &probe_pool);
    }
    return s;
}

static void check(struct arena *a, const struct store *s, const char *label, const struct want *wants)
{
    const struct subject *const sub = store_find_subject(s, label);
    assert_non_null(sub);
    fixture_check(a, s, sub, label, wants);
}

/* Never scrubbed: the pool is at least as old as its oldest dataset. */
static struct host *host_new(struct arena *a)
{
    struct host *const h = fakehost_new(a);
    volume_zfs_new(h);
    fakehost_reply(h, HOST_CLOCK, "", SPAN_LIT("1795086400"));
    fakehost_remove(h, HOST_EXEC, "zfs-get tank/my");
    return h;
}

static void check_all(struct arena *a, const struct store *s)
{
    static const char *const records[] = {"16KiB", "128KiB", "128KiB", "512B"};
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        check(a, s, members[i].label,
              WANTS({"volume.zfs.recordsize", records[i]}, {"volume.fs.block_size", records[i]},
                    {"volume.zfs.pool_state", "online"}, {"volume.zfs.pool_used_ratio", "45%"},
                    {"volume.zfs.ashift_min", "12"}, {"volume.zfs.scrub_age", "1d"},
                    {"volume.zfs.sync", "?not supported"},
                    {"volume.leaf_devices", "{nvme0n1}"}, {"volume.device_count", "1"},
                    {"volume.stack.md_level", "?not supported"}));
    }
}

/* Of each volume the first layer, with its own record; below that the same. */
static void check_layers(struct arena *a, const struct store *s)
{
    static const char *const tops[] = {"0 /logs fs type=zfs at=/logs dataset=tank/logs block=16384",
                                       "0 /my fs type=zfs at=/my dataset=tank/my block=131072",
                                       "0 /my fs type=zfs at=/my dataset=tank/my block=131072",
                                       "0 /tank fs type=zfs at=/tank dataset=tank/tank block=512"};
    const struct fact *const first =
        store_get(s, store_find_subject(s, members[0].label), SPAN_LIT("volume.layers"));
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        const struct fact *const f =
            store_get(s, store_find_subject(s, members[i].label), SPAN_LIT("volume.layers"));
        assert_non_null(f);
        assert_int_equal(f->value.n_items, first->value.n_items);
        assert_int_equal(f->value.n_items, 4);
        assert_string_equal(span_dup(a, f->value.items[0]), tops[i]);
        for (size_t k = 1; k < f->value.n_items; k++) {
            assert_true(span_eq(f->value.items[k], first->value.items[k]));
        }
    }
}

static void test_together(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *const h = host_new(a);
    fakehost_reply(h, HOST_EXEC, ALL, SPAN_LIT(MINE LOGS SET(WHOLE, "512", "1795080000")));
    const struct store *const s = run(a, h, &args);
    check_all(a, s);
    check_layers(a, s);
    assert_int_equal(fakehost_calls(h, HOST_EXEC), 3);
    assert_int_equal(fakehost_calls(h, HOST_CLOCK), 1);
}

/* One call for all fails when one dataset is gone; what the seam left out is asked again. */
static void test_alone(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *h = host_new(a);
    fakehost_reply(h, HOST_EXEC, "zfs-get tank/logs", SPAN_LIT(LOGS));
    fakehost_reply(h, HOST_EXEC, "zfs-get tank/my", SPAN_LIT(MINE));
    fakehost_reply(h, HOST_EXEC, "zfs-get tank", SPAN_LIT(SET(WHOLE, "512", "1795080000")));
    check_all(a, run(a, h, &args));
    fakehost_reply(h, HOST_EXEC, ALL, SPAN_LIT(MINE LOGS));
    check_all(a, run(a, h, &args));
    fakehost_remove(h, HOST_EXEC, "zfs-get tank");
    check(a, run(a, h, &args), "volume:x:tmp",
          WANTS({"volume.zfs.recordsize", "?absent"}, {"volume.zfs.pool_state", "online"}));
}

static void test_names(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const struct pool_member odd[] = {
        {.label = "volume:x:data", .dataset = "tank/my", .layer = TOP("my")},
        {.label = "volume:x:tmp", .dataset = "tank/my data"}};
    static const struct probe_args with = {
        .label = "volume:x:data", .pool = "tank", .members = odd, .n_members = ARRAY_LEN(odd)};
    struct host *const h = host_new(a);
    fakehost_reply(h, HOST_EXEC, "zfs-get tank/my", SPAN_LIT(MINE));
    const struct store *const s = run(a, h, &with);
    check(a, s, "volume:x:data", WANTS({"volume.zfs.recordsize", "128KiB"}));
    check(a, s, "volume:x:tmp",
          WANTS({"volume.zfs.recordsize", "?absent"}, {"volume.leaf_devices", "{nvme0n1}"}));
    assert_int_equal(fakehost_calls_of(h, HOST_EXEC, "zfs-get tank/my data"), 0);
}

/* Nothing but its state, for whatever number of volumes. */
static void test_suspended(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *const h = fakehost_new(a);
    volume_zfs_suspended(h);
    const struct store *const s = run(a, h, &args);
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        check(a, s, members[i].label,
              WANTS({"volume.zfs.pool_state", "suspended"}, {"volume.zfs.recordsize", "?absent"},
                    {"volume.zfs.pool_used_ratio", "?absent"}, {"volume.leaf_devices", "?absent"}));
    }
    assert_int_equal(fakehost_calls(h, HOST_EXEC), 1);
}

/* What was found stands; the rest of all its volumes has the reason. */
static void test_lost(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *const s = fixture_store(a, &probe_pool);
    struct probe_ctx ctx = {.store = s, .args = &args, .arena = a};
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        ctx.subject = store_subject(s, SUBJECT_VOLUME, members[i].label);
        store_known(s, ctx.subject, "volume.zfs.slog", value_bool(true), "zpool status tank");
        store_unknown(s, ctx.subject, "volume.fs.compression", FACT_ABSENT, "test", "", "not read");
    }
    probe_pool.lost(&ctx, FACT_TIMED_OUT, "no answer", "wait");
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        check(a, s, members[i].label,
              WANTS({"volume.zfs.slog", "true"}, {"volume.zfs.recordsize", "?timed out"},
                    {"volume.leaf_devices", "?timed out"}, {"volume.fs.compression", "?timed out"},
                    {"volume.fs.block_size", "?timed out"}));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_together), cmocka_unit_test(test_alone),     cmocka_unit_test(test_names),
        cmocka_unit_test(test_suspended), cmocka_unit_test(test_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
