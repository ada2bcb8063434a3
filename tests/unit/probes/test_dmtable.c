/* Tables and status of the device mapper: every target, odd input, and what a cut text must not
 * become. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/dmtable.h"

#include "advisor/base/banned.h"

/* "259:2@1048576" a leg at a place, "+" pieces, "~" scattered, "?" hidden, "(role)". */
static const char *legs_text(struct arena *a, const struct dm_segment *s)
{
    static const char places[] = {'@', '+', '~', '?'};
    struct buf b;
    buf_init(&b, a, 4096);
    for (size_t i = 0; i < s->n_legs; i++) {
        const struct dm_leg *leg = &s->legs[i];
        buf_printf(&b, "%s%.*s%c%llu", i > 0 ? " " : "", SPAN_ARG(leg->device), places[leg->place],
                   (unsigned long long)leg->start);
        if (leg->role != NULL) {
            buf_printf(&b, "(%s)", leg->role);
        }
    }
    return b.len > 0 ? b.ptr : "";
}

struct row {
    const char *args; /* TARGET ARGUMENT … */
    bool good;
    enum dm_target target;
    const char *legs;
    uint64_t stripes, chunk, block;
    const char *level;
};

static const struct row rows[] = {
    {"linear 259:2 2048", true, DM_LINEAR, "259:2@1048576", 0, 0, 0, ""},
    {"linear 259:2", false, 0, NULL, 0, 0, 0, NULL},
    {"linear 259 2048", false, 0, NULL, 0, 0, 0, NULL},
    {"linear 259:99999999999 0", false, 0, NULL, 0, 0, 0, NULL},
    {"linear 259:2 36893488147419103232", false, 0, NULL, 0, 0, 0, NULL},
    {"striped 2 256 259:2 2048 259:4 4096", true, DM_STRIPED, "259:2+1048576 259:4+2097152", 2,
     131072, 0, ""},
    {"striped 2 256 259:2 2048", false, 0, NULL, 0, 0, 0, NULL},
    {"striped 0 256", false, 0, NULL, 0, 0, 0, NULL},
    {"striped 2 0 259:2 0 259:4 0", false, 0, NULL, 0, 0, 0, NULL},
    {"striped 4294967296 8 259:2 0", false, 0, NULL, 0, 0, 0, NULL},
    {"raid raid1 3 0 region_size 4096 2 253:0 253:1 253:2 253:3", true, DM_RAID,
     "253:0?0(metadata) 253:1@0 253:2?0(metadata) 253:3@0", 0, 0, 0, "raid1"},
    {"raid raid5_ls 3 128 region_size 4096 3 253:0 253:1 - - 253:4 253:5", true, DM_RAID,
     "253:0?0(metadata) 253:1+0 253:4?0(metadata) 253:5+0", 2, 65536, 0, "raid5"},
    {"raid raid6_zr 1 128 4 - 8:1 - 8:2 - 8:3 - 8:4", true, DM_RAID, "8:1+0 8:2+0 8:3+0 8:4+0", 2,
     65536, 0, "raid6"},
    {"raid raid10 5 128 raid10_copies 2 data_offset 8 4 - 8:1 - 8:2 - 8:3 - 8:4", true, DM_RAID,
     "8:1+4096 8:2+4096 8:3+4096 8:4+4096", 2, 65536, 0, "raid10"},
    {"raid raid10 3 128 raid10_copies 0 2 - 8:1 - 8:2", false, 0, NULL, 0, 0, 0, NULL},
    {"raid raid0 1 128 2 - 8:1 - 8:2", true, DM_RAID, "8:1+0 8:2+0", 2, 65536, 0, "raid0"},
    {"raid raid7 1 128 2 - 8:1 - 8:2", false, 0, NULL, 0, 0, 0, NULL},
    {"raid raid1 0 2 - 8:1 - 8:2", false, 0, NULL, 0, 0, 0, NULL},
    {"mirror disk 2 253:9 1024 2 8:1 0 8:2 8 1 handle_errors", true, DM_RAID,
     "253:9?0(log) 8:1@0 8:2@4096", 0, 0, 0, "raid1"},
    {"mirror core 1 1024 2 8:1 0 8:2 0", true, DM_RAID, "8:1@0 8:2@0", 0, 0, 0, "raid1"},
    {"thin 253:3 1", true, DM_THIN, "253:3~0", 0, 0, 0, ""},
    {"thin 253:3 1 253:7", true, DM_THIN, "253:3~0 253:7@0", 0, 0, 0, ""},
    {"thin-pool 253:1 253:2 128 0 1 skip_block_zeroing", true, DM_THIN_POOL,
     "253:1?0(metadata) 253:2~0", 0, 0, 65536, ""},
    {"thin-pool 253:1 253:2 0 0", false, 0, NULL, 0, 0, 0, NULL},
    {"snapshot 253:3 253:4 P 8", true, DM_SNAPSHOT, "253:3@0 253:4~0(snapshot)", 0, 0, 4096, ""},
    {"snapshot-merge 253:3 253:4 P 8", true, DM_SNAPSHOT, "253:3@0 253:4~0(snapshot)", 0, 0, 4096,
     ""},
    {"snapshot-origin 253:3", true, DM_SNAPSHOT_ORIGIN, "253:3@0", 0, 0, 0, ""},
    {"cache 253:1 253:2 253:3 128 2 metadata2 writethrough smq 0", true, DM_CACHE,
     "253:1?0(metadata) 253:2~0(cache) 253:3@0", 0, 0, 65536, ""},
    {"writecache s 253:3 253:2 4096 0", true, DM_WRITECACHE, "253:3@0 253:2?0(cache)", 0, 0, 0, ""},
    {"crypt aes-xts-plain64 - 0 253:0 32768", true, DM_CRYPT, "253:0@16777216", 0, 0, 0, ""},
    {"crypt aes-xts-plain64 - 0 253:0", false, 0, NULL, 0, 0, 0, NULL},
    {"crypt aes - 0 253:0 0 3 no_read_workqueue", false, 0, NULL, 0, 0, 0, NULL},
    {"crypt aes - 0 253:0 0 1 sector_size:big", false, 0, NULL, 0, 0, 0, NULL},
    {"integrity 8:1 0 32 J 1 internal_hash:crc32c", true, DM_INTEGRITY, "8:1?0", 0, 0, 0, ""},
    {"integrity 8:1 8 32 J 1 meta_device:8:2", true, DM_INTEGRITY, "8:1@4096 8:2?0(metadata)", 0, 0,
     0, ""},
    {"vdo V4 /dev/sda1 262144 4096 32768 16380 deduplication on", true, DM_VDO, "/dev/sda1?0", 0, 0,
     0, ""},
    {"multipath 1 queue_if_no_path 1 alua 2 1 service-time 0 1 2 8:16 1 1 service-time 0 1 2 8:32 "
     "1 1",
     true, DM_MULTIPATH, "8:16@0 8:32@0", 0, 0, 0, ""},
    {"multipath 0 0 1 1 round-robin 0 2 1 8:16 1000 8:32 1000", true, DM_MULTIPATH, "8:16@0 8:32@0",
     0, 0, 0, ""},
    {"multipath 0 0 9999 1", false, 0, NULL, 0, 0, 0, NULL},
    {"multipath 0 0 0 0", true, DM_MULTIPATH, "", 0, 0, 0, ""},
    {"delay 8:1 0 5", true, DM_PLAIN, "8:1@0", 0, 0, 0, ""},
    {"delay 8:1 0 5 8:2 8 9", true, DM_PLAIN, "8:1@0 8:2@4096", 0, 0, 0, ""},
    {"flakey 8:1 8 60 0 2 error_writes error_reads", true, DM_PLAIN, "8:1@4096", 0, 0, 0, ""},
    {"era 8:2 8:1 128", true, DM_PLAIN, "8:2?0(metadata) 8:1@0", 0, 0, 0, ""},
    {"verity 1 8:1 8:2 4096 4096 9 1 sha256 - -", true, DM_PLAIN, "8:1@0 8:2?0(metadata)", 0, 0, 0,
     ""},
    {"log-writes 8:1 8:2", true, DM_PLAIN, "8:1@0 8:2?0(log)", 0, 0, 0, ""},
    {"zero", true, DM_NOTHING, "", 0, 0, 0, ""},
    {"error", true, DM_NOTHING, "", 0, 0, 0, ""},
    {"pcache 8:1 secret", true, DM_OTHER, "", 0, 0, 0, ""},
};

static void test_targets(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct dm_tables t;
        struct err e = ERR_INIT;
        const char *text = arena_printf(a, "x: 0 8 %s\n", rows[i].args);
        assert_true(dm_tables_parse(a, span_of(text), &t, &e));
        assert_int_equal(t.n, 1);
        if (t.rows[0].bad == rows[i].good) {
            fail_msg("'%s' is taken as %s", rows[i].args, rows[i].good ? "bad" : "good");
        }
        if (!rows[i].good) {
            continue;
        }
        const struct dm_segment *s = &t.rows[0].segments[0];
        if (s->target != rows[i].target || strcmp(legs_text(a, s), rows[i].legs) != 0 ||
            s->stripes != rows[i].stripes || s->chunk != rows[i].chunk ||
            s->block != rows[i].block || !span_eq_text(s->level, rows[i].level)) {
            fail_msg("'%s': target %d, legs %s, %llu x %llu, block %llu, level %.*s", rows[i].args,
                     (int)s->target, legs_text(a, s), (unsigned long long)s->stripes,
                     (unsigned long long)s->chunk, (unsigned long long)s->block,
                     SPAN_ARG(s->level));
        }
    }
}

static void test_crypt(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        uint64_t sector;
        bool read, write;
    } crypts[] = {
        {"", 512, false, false},
        {" 1 allow_discards", 512, false, false},
        {" 2 no_read_workqueue sector_size:4096", 4096, true, false},
        {" 3 no_read_workqueue no_write_workqueue sector_size:4096", 4096, true, true},
    };
    for (size_t i = 0; i < ARRAY_LEN(crypts); i++) {
        ARENA_AUTO a = arena_new();
        struct dm_tables t;
        struct err e = ERR_INIT;
        const char *text =
            arena_printf(a, "c: 0 8 crypt capi:xts(aes)-plain64 - 0 8:1 0%s\n", crypts[i].options);
        assert_true(dm_tables_parse(a, span_of(text), &t, &e));
        const struct dm_segment *s = &t.rows[0].segments[0];
        assert_true(span_eq_text(s->cipher, "capi:xts(aes)-plain64"));
        assert_int_equal(s->sector, crypts[i].sector);
        assert_int_equal(s->no_read_workqueue, crypts[i].read);
        assert_int_equal(s->no_write_workqueue, crypts[i].write);
    }
}

#define TEXT                                                                                       \
    "No devices found\nvg-a: 0 16 linear 8:1 0\nvg-a: 16 8 linear 8:2 64\nempty:\nvg-b: 0 8 "      \
    "linear 8\n"                                                                                   \
    "odd: x: 0 8 zero\n"

static void test_tables(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct dm_tables t;
    struct err e = ERR_INIT;
    assert_true(dm_tables_parse(a, SPAN_LIT(TEXT), &t, &e));
    const struct dm_table *one = dm_tables_find(&t, SPAN_LIT("vg-a"));
    assert_non_null(one);
    assert_int_equal(one->n, 2);
    assert_int_equal(one->segments[1].start, 8192);
    assert_true(dm_table_covers(one, 24 * 512));
    assert_false(dm_table_covers(one, 16 * 512));
    assert_false(dm_table_covers(one, 32 * 512));
    assert_false(dm_table_covers(dm_tables_find(&t, SPAN_LIT("empty")), 0));
    assert_true(dm_tables_find(&t, SPAN_LIT("vg-b"))->bad);
    assert_true(dm_tables_find(&t, SPAN_LIT("odd"))->bad);
    assert_null(dm_tables_find(&t, SPAN_LIT("vg")));
    assert_true(dm_tables_parse(a, SPAN_LIT(""), &t, &e));
    assert_int_equal(t.n, 0);
    /* a hole, and the segments of another order */
    assert_true(dm_tables_parse(a, SPAN_LIT("h: 0 8 zero\nh: 16 8 zero\n"), &t, &e));
    assert_false(dm_table_covers(&t.rows[0], 24 * 512));
    assert_true(dm_tables_parse(a, SPAN_LIT("h: 8 8 zero\nh: 0 8 zero\n"), &t, &e));
    assert_false(dm_table_covers(&t.rows[0], 16 * 512));
}

/* A text cut anywhere is either refused or of a table that does not fit its device. */
static void test_cut(void **state)
{
    (void)state;
    static const char text[] = "a: 0 16 linear 8:1 0\na: 16 8 linear 8:2 64\n";
    for (size_t n = 0; n + 1 < sizeof(text) - 1; n++) {
        ARENA_AUTO a = arena_new();
        struct dm_tables t;
        struct err e = ERR_INIT;
        if (dm_tables_parse(a, (struct span){text, n}, &t, &e)) {
            const struct dm_table *one = dm_tables_find(&t, SPAN_LIT("a"));
            assert_true(one == NULL || !dm_table_covers(one, 24 * 512));
        } else {
            assert_int_equal(e.code, E_CUT);
        }
    }
}

static void test_status(void **state)
{
    (void)state;
    static const char text[] =
        "vg-r: 0 8 raid raid1 2 Aa 100/200 resync 0 0 -\n"
        "vg-d: 0 8 raid raid1 2 DA 200/200 idle 0 0 -\n"
        "vg-s: 0 8 snapshot 16/8192 16\nvg-i: 0 8 snapshot Invalid\n"
        "vg-p-tpool: 0 8 thin-pool 1 12/1024 5/100 - rw discard_passdown queue_if_no_space - 1024\n"
        "vg-f-tpool: 0 8 thin-pool Fail\n";
    struct dm_raid_status raid;
    struct dm_pool_status pool;
    struct span args;
    uint64_t used = 0, total = 0;
    assert_true(dm_status_find(SPAN_LIT(text), SPAN_LIT("vg-r"), "raid", &args));
    assert_true(dm_raid_status(args, &raid));
    assert_int_equal(raid.dead, 0);
    assert_int_equal(raid.done, 100);
    assert_true(span_eq_text(raid.action, "resync"));
    assert_true(dm_status_find(SPAN_LIT(text), SPAN_LIT("vg-d"), "raid", &args));
    assert_true(dm_raid_status(args, &raid));
    assert_int_equal(raid.dead, 1);
    assert_true(dm_status_find(SPAN_LIT(text), SPAN_LIT("vg-s"), "snapshot", &args));
    assert_true(dm_snapshot_status(args, &used, &total));
    assert_int_equal(used, 16);
    assert_int_equal(total, 8192);
    assert_true(dm_status_find(SPAN_LIT(text), SPAN_LIT("vg-i"), "snapshot", &args));
    assert_false(dm_snapshot_status(args, &used, &total));
    assert_true(dm_status_find(SPAN_LIT(text), SPAN_LIT("vg-p-tpool"), "thin-pool", &args));
    assert_true(dm_pool_status(args, &pool));
    assert_int_equal(pool.metadata_used, 12);
    assert_int_equal(pool.data_total, 100);
    assert_true(dm_status_find(SPAN_LIT(text), SPAN_LIT("vg-f-tpool"), "thin-pool", &args));
    assert_false(dm_pool_status(args, &pool));
    assert_false(dm_status_find(SPAN_LIT(text), SPAN_LIT("vg-p-tpool"), "thin", &args));
    assert_false(
        dm_status_find(SPAN_LIT("vg-s: 0 8 snapshot 16/81"), SPAN_LIT("vg-s"), "snapshot", &args));
    static const char *const odd[] = {"",
                                      "raid1",
                                      "raid1 2 AAA 1/2 idle",
                                      "raid1 2 AX 1/2 idle",
                                      "raid1 2 AA 3/2 idle",
                                      "raid1 2 AA 0/0 idle"};
    for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
        assert_false(dm_raid_status(span_of(odd[i]), &raid));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets), cmocka_unit_test(test_crypt),
        cmocka_unit_test(test_tables),  cmocka_unit_test(test_cut),
        cmocka_unit_test(test_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
