/* What the commands of ZFS print: properties, and pools of every shape. The texts follow what OpenZFS 2.1 prints;
 * the pools are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probes/zfs_text.h"

#include "advisor/base/banned.h"

#define HEAD "  pool: tank\n state: ONLINE\n  scan: none requested\nconfig:\n\n"
#define NAMES "\tNAME                STATE     READ WRITE CKSUM\n"
#define TANK "\ttank                ONLINE       0     0     0\n"
#define END "\nerrors: No known data errors\n"
#define DISK(name) "\t  " name "  ONLINE       0     0     0\n"
#define DEEP(name) "\t    " name "  ONLINE       0     0     0\n"

struct row {
    const char *name, *text;
    const char *kind; /* NULL: not known */
    uint64_t count;
    bool slog, has_file, has_errors;
    uint64_t errors;
    const char *leaves;
};

static const struct row rows[] = {
    {"one disk", HEAD NAMES TANK DISK("/dev/nvme0n1p1") END, "disk", 1, false, false, true, 0,
     "/dev/nvme0n1p1"},
    {"two disks side by side", HEAD NAMES TANK DISK("/dev/sda1") DISK("/dev/sdb1") END, "disk", 2, false,
     false, true, 0, "/dev/sda1 /dev/sdb1"},
    {"mirrors, log, cache, spare",
     HEAD NAMES TANK DISK("mirror-0") DEEP("/dev/sda1") DEEP("/dev/sdb1") DISK("mirror-1")
         DEEP("/dev/sdc1") DEEP("/dev/sdd1") "\tspecial\t\n" DISK("mirror-3") DEEP("/dev/nvme2n1p1")
             DEEP("/dev/nvme3n1p1") "\tlogs\t\n" DISK("/dev/nvme0n1p1") "\tcache\n"
                 DISK("/dev/nvme1n1p1") "\tspares\n\t  /dev/sde1  AVAIL   \n" END,
     "mirror", 2, true, false, true, 0,
     "/dev/sda1 /dev/sdb1 /dev/sdc1 /dev/sdd1 /dev/nvme2n1p1 /dev/nvme3n1p1 /dev/nvme0n1p1"},
    {"RAID-Z2", HEAD NAMES TANK DISK("raidz2-0") DEEP("/dev/sda1") DEEP("/dev/sdb1") DEEP("/dev/sdc1") END,
     "raidz2", 1, false, false, true, 0, "/dev/sda1 /dev/sdb1 /dev/sdc1"},
    {"RAID-Z1, twice", HEAD NAMES TANK DISK("raidz1-0") DEEP("/dev/sda1") DISK("raidz1-1") DEEP("/dev/sdb1") END,
     "raidz1", 2, false, false, true, 0, "/dev/sda1 /dev/sdb1"},
    {"RAID-Z3", HEAD NAMES TANK DISK("raidz3-0") DEEP("/dev/sda1") END, "raidz3", 1, false, false, true, 0,
     "/dev/sda1"},
    {"dRAID", HEAD NAMES TANK DISK("draid2:4d:8c:1s-0") DEEP("/dev/sda1") END, "draid", 1, false, false, true,
     0, "/dev/sda1"},
    {"a mirror beside a disk", HEAD NAMES TANK DISK("mirror-0") DEEP("/dev/sda1") DISK("/dev/sdb1") END,
     "mixed", 2, false, false, true, 0, "/dev/sda1 /dev/sdb1"},
    {"a removed vdev holds nothing", HEAD NAMES TANK DISK("mirror-0") DEEP("/dev/sda1") DISK("indirect-1") END,
     "mirror", 1, false, false, true, 0, "/dev/sda1"},
    {"a disk that is being replaced",
     HEAD NAMES TANK DISK("replacing-0") DEEP("/dev/sda1") DEEP("/dev/sdb1") END, "disk", 1, false, false,
     true, 0, "/dev/sda1 /dev/sdb1"},
    {"a vdev of a kind to come", HEAD NAMES TANK DISK("hyperz-0") DEEP("/dev/sda1") END, NULL, 0, false, false,
     true, 0, "/dev/sda1"},
    {"a file", HEAD NAMES TANK DISK("/srv/pool.img") END, "disk", 1, false, true, true, 0, ""},
    {"no vdev", HEAD NAMES TANK END, NULL, 0, false, false, true, 0, ""},
    {"a missing leg, and errors",
     "  pool: tank\n state: DEGRADED\nstatus: One or more devices could not be used.\n\tSufficient replicas "
     "exist.\naction: Replace the device.\nconfig:\n\n" NAMES
     "\ttank  DEGRADED  0  0  0\n\t  mirror-0  DEGRADED  0  0  0\n\t    /dev/sda1  ONLINE  2  0  1.50K\n"
     "\t    4567890123  UNAVAIL  0  7  0  was /dev/sdb1\n\nerrors: 3 data errors, use '-v' for a list\n",
     "mirror", 1, false, false, true, 1512, "/dev/sda1"},
    {"errors that are not told", HEAD NAMES TANK DISK("/dev/sda1")
     "\nerrors: List of errors unavailable: permission denied\n", "disk", 1, false, false, false, 0,
     "/dev/sda1"},
    {"errors of which nothing stands there", HEAD NAMES TANK DISK("/dev/sda1") "\nerrors:\n", "disk", 1,
     false, false, false, 0, "/dev/sda1"},
    {"more errors than can be counted",
     HEAD NAMES "\ttank  ONLINE  0  0  44444P\n" DISK("/dev/sda1") END, "disk", 1, false, false, true,
     UINT64_MAX, "/dev/sda1"},
    {"the second of two pools",
     "  pool: other\n state: ONLINE\nconfig:\n\n" NAMES "\tother ONLINE 0 0 0\n" DISK("raidz1-0")
         DEEP("/dev/sdz1") END "\n" HEAD NAMES TANK DISK("/dev/sda1") END,
     "disk", 1, false, false, true, 0, "/dev/sda1"},
    {"blanks in place of tabs",
     HEAD "        NAME  STATE  READ WRITE CKSUM\n        tank  ONLINE  0  0  0\n"
          "          mirror-0  ONLINE  0  0  0\n            /dev/sda1  ONLINE  0  0  0\n" END,
     "mirror", 1, false, false, true, 0, "/dev/sda1"},
};

static const char *leaves_text(struct arena *a, const struct zpool_status *s)
{
    struct buf b;
    buf_init(&b, a, 4096);
    for (size_t i = 0; i < s->n_leaves; i++) {
        buf_printf(&b, "%s%.*s", i > 0 ? " " : "", SPAN_ARG(s->leaves[i]));
    }
    return b.ptr != NULL ? b.ptr : "";
}

static bool is_wanted(struct arena *a, const struct row *r, const struct zpool_status *s)
{
    const bool kind = r->kind == NULL ? s->vdev_kind == NULL
                                      : s->vdev_kind != NULL && strcmp(r->kind, s->vdev_kind) == 0;
    return kind && s->vdev_count == r->count && s->slog == r->slog && s->has_file == r->has_file &&
           s->has_errors == r->has_errors && s->errors == r->errors &&
           strcmp(leaves_text(a, s), r->leaves) == 0;
}

static void test_pools(void **state)
{
    (void)state;
    unsigned bad = 0;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct zpool_status s = {0};
        struct err e = ERR_INIT;
        if (!zpool_status_parse(a, span_of(rows[i].text), SPAN_LIT("tank"), &s, &e)) {
            (void)fprintf(stderr, "%s: %s\n", rows[i].name, e.text);
            bad++;
        } else if (!is_wanted(a, &rows[i], &s)) {
            (void)fprintf(stderr, "%s: %s x %llu, slog %d, file %d, errors %d %llu, %s\n", rows[i].name,
                          s.vdev_kind != NULL ? s.vdev_kind : "?", (unsigned long long)s.vdev_count,
                          s.slog, s.has_file, s.has_errors, (unsigned long long)s.errors,
                          leaves_text(a, &s));
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

static void test_pools_that_are_not(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum err_code code;
    } bads[] = {
        {"", E_ABSENT},
        {"no pools available\n", E_ABSENT},
        {"  pool: tanker\n state: ONLINE\n", E_ABSENT},
        {HEAD, E_CUT},
        {HEAD NAMES, E_CUT},
        {HEAD NAMES TANK DISK("/dev/sda1"), E_CUT},
        {HEAD NAMES "\tother  ONLINE  0  0  0\n" END, E_ABSENT},
    };
    for (size_t i = 0; i < ARRAY_LEN(bads); i++) {
        ARENA_AUTO a = arena_new();
        struct zpool_status s;
        struct err e = ERR_INIT;
        assert_false(zpool_status_parse(a, span_of(bads[i].text), SPAN_LIT("tank"), &s, &e));
        assert_int_equal(e.code, bads[i].code);
    }
}

/* More devices than are followed is an error, not a shorter list. */
static void test_too_many(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct buf b;
    struct zpool_status s;
    struct err e = ERR_INIT;
    buf_init(&b, a, 65536);
    buf_add_text(&b, HEAD NAMES TANK);
    for (unsigned i = 0; i < ZPOOL_LEAVES_MAX; i++) {
        buf_printf(&b, "\t  /dev/sd%u  ONLINE  0  0  0\n", i);
    }
    const size_t full = b.len;
    buf_add_text(&b, END);
    assert_true(zpool_status_parse(a, buf_span(&b), SPAN_LIT("tank"), &s, &e));
    assert_int_equal(s.n_leaves, ZPOOL_LEAVES_MAX);
    b.len = full;
    buf_add_text(&b, DISK("/dev/sdx") END);
    assert_false(zpool_status_parse(a, buf_span(&b), SPAN_LIT("tank"), &s, &e));
    assert_int_equal(e.code, E_LIMIT);
}

static void test_properties(void **state)
{
    (void)state;
    static const char text[] = "tank/my sql\trecordsize\t16384\tlocal\n"
                               "tank/my sql\tcompressratio\t1.83\t-\n"
                               "tank/my sql\torigin\t-\t-\n"
                               "tank/my sql\tsync\n"
                               "recordsize\n"
                               "tank/my sql\trecordsize\t4096\tlocal\n"
                               "tank/my sql\tlast\tvalue";
    struct span v;
    assert_true(zfs_property(SPAN_LIT(text), "recordsize", &v) && span_eq_text(v, "16384"));
    assert_true(zfs_property(SPAN_LIT(text), "compressratio", &v) && span_eq_text(v, "1.83"));
    assert_true(zfs_property(SPAN_LIT(text), "last", &v) && span_eq_text(v, "value"));
    assert_false(zfs_property(SPAN_LIT(text), "origin", &v));
    assert_false(zfs_property(SPAN_LIT(text), "sync", &v));
    assert_false(zfs_property(SPAN_LIT(text), "record", &v));
    assert_false(zfs_property(SPAN_LIT(""), "sync", &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pools),
        cmocka_unit_test(test_pools_that_are_not),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_properties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
