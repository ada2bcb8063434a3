/* Pools of every shape, as zpool status prints them. The texts follow what OpenZFS 2.1 prints; the pools are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probes/zpool_text.h"

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

static const struct row pools[] = {
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
    {"a vdev of a kind to come", HEAD NAMES TANK DISK("hyperz-0") DEEP("/dev/sda1") END, NULL, 1, false, false,
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

/* Devices that are in use, but for caches and spares. */
static const char *leaves_text(struct arena *a, const struct zpool_status *s)
{
    struct buf b;
    buf_init(&b, a, 4096);
    for (size_t i = 1; i < s->n; i++) {
        const struct zpool_vdev *v = &s->vdevs[i];
        if (v->leaf && zpool_in_use(v) && strcmp(v->type, "disk") == 0 &&
            strcmp(v->role, "cache") != 0 && strcmp(v->role, "spare") != 0) {
            buf_printf(&b, "%s%.*s", b.len > 0 ? " " : "", SPAN_ARG(v->name));
        }
    }
    return b.ptr != NULL ? b.ptr : "";
}

static bool has_file(const struct zpool_status *s)
{
    for (size_t i = 1; i < s->n; i++) {
        if (s->vdevs[i].type != NULL && strcmp(s->vdevs[i].type, "file") == 0) {
            return true;
        }
    }
    return false;
}

static bool is_wanted(struct arena *a, const struct row *r, const struct zpool_status *s)
{
    const bool kind = r->kind == NULL ? s->vdev_kind == NULL
                                      : s->vdev_kind != NULL && strcmp(r->kind, s->vdev_kind) == 0;
    return kind && s->vdev_count == r->count && zpool_has_role(s, "log") == r->slog && has_file(s) == r->has_file &&
           s->has_errors == r->has_errors && s->errors == r->errors &&
           strcmp(leaves_text(a, s), r->leaves) == 0;
}

static void test_pools(void **state)
{
    (void)state;
    unsigned bad = 0;
    for (size_t i = 0; i < ARRAY_LEN(pools); i++) {
        ARENA_AUTO a = arena_new();
        struct zpool_status s = {0};
        struct err e = ERR_INIT;
        if (!zpool_status_parse(a, span_of(pools[i].text), SPAN_LIT("tank"), &s, &e)) {
            (void)fprintf(stderr, "%s: %s\n", pools[i].name, e.text);
            bad++;
        } else if (!is_wanted(a, &pools[i], &s)) {
            (void)fprintf(stderr, "%s: %s x %llu, slog %d, file %d, errors %d %llu, %s\n", pools[i].name,
                          s.vdev_kind != NULL ? s.vdev_kind : "?", (unsigned long long)s.vdev_count,
                          zpool_has_role(&s, "log"), has_file(&s), s.has_errors, (unsigned long long)s.errors,
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

/* More lines than are read is an error, not a shorter list. */
static void test_too_many(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct buf b;
    struct zpool_status s;
    struct err e = ERR_INIT;
    buf_init(&b, a, 65536);
    buf_add_text(&b, HEAD NAMES TANK);
    for (unsigned i = 1; i < ZPOOL_VDEVS_MAX; i++) {
        buf_printf(&b, "\t  /dev/sd%u  ONLINE  0  0  0\n", i);
    }
    const size_t full = b.len;
    buf_add_text(&b, END);
    assert_true(zpool_status_parse(a, buf_span(&b), SPAN_LIT("tank"), &s, &e));
    assert_int_equal(s.n, ZPOOL_VDEVS_MAX);
    b.len = full;
    buf_add_text(&b, DISK("/dev/sdx") END);
    assert_false(zpool_status_parse(a, buf_span(&b), SPAN_LIT("tank"), &s, &e));
    assert_int_equal(e.code, E_LIMIT);
}

/* A line for each vdev: indent, name, type, role, state, figures, note. */
static const char *tree_text(struct arena *a, const struct zpool_status *s)
{
    struct buf b;
    buf_init(&b, a, 65536);
    for (size_t i = 0; i < s->n; i++) {
        const struct zpool_vdev *v = &s->vdevs[i];
        buf_printf(&b, "%zu %.*s %s %s %.*s", v->parent, SPAN_ARG(v->name),
                   v->type != NULL ? v->type : "?", v->role, SPAN_ARG(v->state));
        if (v->has_counts) {
            buf_printf(&b, " %llu/%llu/%llu", (unsigned long long)v->read,
                       (unsigned long long)v->write, (unsigned long long)v->cksum);
        }
        buf_printf(&b, "%s%.*s\n", v->note.len > 0 ? " " : "", SPAN_ARG(v->note));
    }
    return b.ptr;
}

static void check_tree(const char *text, const char *pool, const char *want)
{
    ARENA_AUTO a = arena_new();
    struct zpool_status s;
    struct err e = ERR_INIT;
    if (!zpool_status_parse(a, span_of(text), span_of(pool), &s, &e)) {
        fail_msg("%s", e.text);
    }
    assert_string_equal(tree_text(a, &s), want);
}

static void test_trees(void **state)
{
    (void)state;
    check_tree(HEAD NAMES TANK DISK("mirror-0") DEEP("/dev/sda1") DEEP("spare-1")
               "\t      /dev/sdb1  FAULTED  3  1.2K  0  too many errors\n"
               "\t      /dev/sde1  ONLINE  0  0  0  (resilvering)\n"
               "\tspecial\t\n" DISK("mirror-3") DEEP("/dev/nvme2n1p1") DEEP("/dev/nvme3n1p1")
               "\tlogs\t\n" DISK("mirror-4") DEEP("/dev/nvme4n1p1") DEEP("/dev/nvme5n1p1")
               "\tcache\n" DISK("/dev/nvme1n1p1") "\tdedup\t\n" DISK("/dev/nvme6n1p1")
               "\tspares\n\t  /dev/sde1  INUSE     currently in use\n" END, "tank",
               "0 tank pool data ONLINE 0/0/0\n"
               "0 mirror-0 mirror data ONLINE 0/0/0\n"
               "1 /dev/sda1 disk data ONLINE 0/0/0\n"
               "1 spare-1 spare data ONLINE 0/0/0\n"
               "3 /dev/sdb1 disk data FAULTED 3/1200/0 too many errors\n"
               "3 /dev/sde1 disk data ONLINE 0/0/0 (resilvering)\n"
               "0 mirror-3 mirror special ONLINE 0/0/0\n"
               "6 /dev/nvme2n1p1 disk special ONLINE 0/0/0\n"
               "6 /dev/nvme3n1p1 disk special ONLINE 0/0/0\n"
               "0 mirror-4 mirror log ONLINE 0/0/0\n"
               "9 /dev/nvme4n1p1 disk log ONLINE 0/0/0\n"
               "9 /dev/nvme5n1p1 disk log ONLINE 0/0/0\n"
               "0 /dev/nvme1n1p1 disk cache ONLINE 0/0/0\n"
               "0 /dev/nvme6n1p1 disk dedup ONLINE 0/0/0\n"
               "0 /dev/sde1 disk spare INUSE currently in use\n");
    /* names as without -P; "scrub" as of old; a word behind the figures */
    check_tree("  pool: tank\n state: DEGRADED\n scrub: none requested\nconfig:\n\n"
               "        NAME        STATE     READ WRITE CKSUM\n"
               "        tank        DEGRADED     0     0     0\n"
               "          mirror    DEGRADED     0     0     0\n"
               "            c1t0d0  ONLINE       0     0     0\n"
               "            c1t1d0  UNAVAIL      0     0     0  cannot open\n" END, "",
               "0 tank pool data DEGRADED 0/0/0\n"
               "0 mirror mirror data DEGRADED 0/0/0\n"
               "1 c1t0d0 disk data ONLINE 0/0/0\n"
               "1 c1t1d0 disk data UNAVAIL 0/0/0 cannot open\n");
    /* a pool that cannot be opened has no line of errors; depths that jump */
    check_tree("  pool: tank\n state: UNAVAIL\nconfig:\n\n" NAMES "\ttank UNAVAIL 0 0 0 "
               "insufficient replicas\n\t      /dev/sda1 UNAVAIL 0 0 0\n\t  /dev/sdb1 FAULTED\n", "tank",
               "0 tank pool data UNAVAIL 0/0/0 insufficient replicas\n"
               "0 /dev/sda1 disk data UNAVAIL 0/0/0\n"
               "0 /dev/sdb1 disk data FAULTED\n");
}

static void test_notes(void **state)
{
    (void)state;
    static const struct {
        const char *note;
        enum zpool_trim trim;
        bool has;
        int64_t when;
        uint64_t block;
    } rows[] = {
        {"", ZPOOL_TRIM_NOT_TOLD, false, 0, 0},
        {"(untrimmed)", ZPOOL_TRIM_NEVER, false, 0, 0},
        {"(trim unsupported)", ZPOOL_TRIM_UNSUPPORTED, false, 0, 0},
        {"(100% trimmed, completed at Sun Nov 29 12:00:01 2026)", ZPOOL_TRIM_DONE, true, 1795953601, 0},
        {"(100% trimmed, completed at soon)", ZPOOL_TRIM_DONE, false, 0, 0},
        {"(37% trimmed, started at Sun Nov 29 12:00:01 2026)", ZPOOL_TRIM_RUNNING, false, 0, 0},
        {"(37% trimmed, suspended, started at Sun Nov 29 12:00:01 2026)", ZPOOL_TRIM_RUNNING, false, 0, 0},
        {"block size: 512B configured, 4096B native  (untrimmed)", ZPOOL_TRIM_NEVER, false, 0, 512},
        {"block size: 513B configured, 4096B native", ZPOOL_TRIM_NOT_TOLD, false, 0, 0},
        {"block size: ", ZPOOL_TRIM_NOT_TOLD, false, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct zpool_vdev v = {.note = span_of(rows[i].note)};
        zpool_note_read(&v);
        assert_int_equal(v.trim, rows[i].trim);
        assert_int_equal(v.has_trimmed, rows[i].has);
        assert_int_equal(v.has_trimmed ? v.trimmed : 0, rows[i].when);
        assert_int_equal(v.block_bytes, rows[i].block);
    }
}

static void test_scans(void **state)
{
    (void)state;
    static const struct {
        const char *text, *running;
        bool never, has;
        int64_t end;
    } rows[] = {
        {"none requested", NULL, true, false, 0},
        {"scrub repaired 0B in 00:12:34 with 0 errors on Sun Nov 29 12:00:01 2026", NULL, false, true, 1795953601},
        {"scrub repaired 0B in 0 days 00:12:34 with 0 errors on Sun Nov  1 12:00:01 2026", NULL, false, true,
         1793534401},
        {"scrub repaired 0 in 0h12m with 0 errors on Thu Jan  1 00:00:00 1970", NULL, false, true, 0},
        {"scrub completed after 0h7m with 0 errors on Sun Nov 29 12:00:01 2026", NULL, false, true, 1795953601},
        {"scrub repaired 0B in <snip>", NULL, false, false, 0},
        {"scrub repaired 0B in 00:00:01 with 0 errors on Mon Feb 30 12:00:01 2026", NULL, false, false, 0},
        {"scrub repaired 0B in 00:00:01 with 0 errors on Mon Feb 20 24:00:01 2026", NULL, false, false, 0},
        {"scrub canceled on Sun Nov 29 12:00:01 2026", NULL, false, false, 0},
        {"scrub in progress since Sun Nov 29 12:00:01 2026", "scrub", false, false, 0},
        {"scrub paused since Sun Nov 29 12:00:01 2026", "scrub", false, false, 0},
        {"resilver in progress since Sun Nov 29 12:00:01 2026", "resilver", false, false, 0},
        {"resilver (mirror-0) in progress since Sun Nov 29 12:00:01 2026", "resilver", false, false, 0},
        {"resilvered 1.2G in 00:00:05 with 0 errors on Sun Nov 29 12:00:01 2026", NULL, false, false, 0},
        {"resilvered (mirror-0) 1.2G in 00:00:05 with 0 errors on Sun Nov 29 12:00:01 2026", NULL, false, false, 0},
        {"", NULL, false, false, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct zpool_scan s = {0};
        zpool_scan_read(span_of(rows[i].text), &s);
        if (s.never != rows[i].never || s.has_scrub_end != rows[i].has || !s.told ||
            (s.has_scrub_end && s.scrub_end != rows[i].end) ||
            (s.running == NULL) != (rows[i].running == NULL) ||
            (s.running != NULL && strcmp(s.running, rows[i].running) != 0)) {
            fail_msg("%s: %d %d %lld %s", rows[i].text, s.never, s.has_scrub_end,
                     (long long)s.scrub_end, s.running != NULL ? s.running : "-");
        }
    }
}

static void test_names(void **state)
{
    (void)state;
    struct span names[2] = {{"", 0}};
    static const char text[] = "  pool: one\n state: ONLINE\n\n  pool: two\n\n  pool: three\n";
    assert_int_equal(zpool_status_names(SPAN_LIT(text), names, 2), 3);
    assert_true(span_eq_text(names[0], "one") && span_eq_text(names[1], "two"));
    assert_int_equal(zpool_status_names(SPAN_LIT("no pools available\n"), names, 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pools),
        cmocka_unit_test(test_pools_that_are_not),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_scans),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
