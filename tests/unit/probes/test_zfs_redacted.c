/* What ZFS prints, redacted: the names of pool and dataset go, and all that is read from it stays readable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/host/redact.h"
#include "probes/zfs_text.h"
#include "probes/zpool_text.h"

#include "advisor/base/banned.h"

static const struct redact_key key = {.bytes = {7}};

/* The operation with other names; its key behind the command. */
static struct span redacted(struct arena *a, enum host_op op, const char *asked, const char *reply,
                            const char **ret_key)
{
    struct redactor *r = redactor_new(a, &key);
    const struct host_record rec = {
        .op = op, .key = asked, .outcome = OUTCOME_OK, .bytes = span_of(reply)};
    struct host_record ret;
    const char *probe = NULL;
    redact_operation(r, "volume:/s:data", &rec, &probe, &ret);
    *ret_key = ret.key;
    return ret.bytes;
}

static void check_pool(const char *top, const char *kind)
{
    ARENA_AUTO a = arena_new();
    const char *asked;
    struct zpool_status s;
    struct err e = ERR_INIT;
    const char *text = arena_printf(
        a, "  pool: quatschpool\n state: DEGRADED\n  scan: scrub repaired 0B in 00:12:34 with 0 errors on "
           "Sun Nov 29 12:00:01 2026\nconfig:\n\n"
           "\tNAME         STATE     READ WRITE CKSUM\n\tquatschpool  DEGRADED     0     0     0\n"
           "\t  %s   DEGRADED     0     0     1.5K\n\t    /dev/nvme0n1p1  ONLINE  0 0 0\n"
           "\t    /dev/sdb1  UNAVAIL  0 0 0  cannot open\n\tlogs\t\n\t  /dev/nvme1n1  ONLINE 0 0 0  "
           "block size: 512B configured, 4096B native  (untrimmed)\n\tcache\n"
           "\t  /dev/sdc1  ONLINE 0 0 0  (100%% trimmed, completed at Sun Nov 29 12:00:01 2026)\n\tspares\n\t  /dev/sdd1  AVAIL\n\n"
           "errors: No known data errors\n", top);
    struct span out = redacted(a, HOST_EXEC, "zpool-status quatschpool", text, &asked);
    assert_true(span_starts(span_of(asked), "zpool-status "));
    assert_null(strstr(asked, "quatsch"));
    assert_null(strstr(span_dup(a, out), "quatsch"));
    const char *pool = asked + strlen("zpool-status ");
    assert_true(zpool_status_parse(a, out, span_of(pool), &s, &e));
    assert_true(span_eq_text(s.state, "DEGRADED"));
    assert_string_equal(s.vdev_kind, kind);
    assert_true(zpool_has_role(&s, "log") && s.has_errors && s.errors == 1500);
    assert_true(s.scan.has_scrub_end && s.scan.scrub_end == 1795953601);
    assert_int_equal(s.n, 7);
    assert_true(span_eq_text(s.vdevs[2].name, "/dev/nvme0n1p1"));
    assert_true(span_eq_text(s.vdevs[4].name, "/dev/nvme1n1"));
    assert_int_equal(s.vdevs[4].block_bytes, 512);
    assert_int_equal(s.vdevs[4].trim, ZPOOL_TRIM_NEVER);
    assert_true(s.vdevs[5].has_trimmed && s.vdevs[5].trimmed == 1795953601);
    assert_string_equal(s.vdevs[6].role, "spare");
}

static void test_pools(void **state)
{
    (void)state;
    check_pool("mirror-0", "mirror");
    check_pool("raidz2-0", "raidz2");
    check_pool("draid2:4d:8c:1s-0", "draid");
    check_pool("replacing-0", "disk");
}

static void test_properties(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"recordsize", "131072"},        {"compression", "zstd-fast-10"}, {"compressratio", "4.24"},
        {"primarycache", "metadata"},    {"logbias", "throughput"},       {"sync", "standard"},
        {"atime", "off"},                {"direct", "always"},            {"redundant_metadata", "some"},
        {"usedbysnapshots", "8589934592"}, {"encryption", "aes-256-gcm"}, {"dedup", "verify"},
        {"creation", "1795953601"},
    };
    static const char *const compressions[] = {"on", "off", "lz4", "gzip-9", "zle", "lzjb", "zstd-3"};
    ARENA_AUTO a = arena_new();
    const char *asked;
    struct span value;
    for (size_t i = 0; i < ARRAY_LEN(pairs) + ARRAY_LEN(compressions); i++) {
        const bool plain = i < ARRAY_LEN(pairs);
        const char *name = plain ? pairs[i][0] : "compression";
        const char *want = plain ? pairs[i][1] : compressions[i - ARRAY_LEN(pairs)];
        const char *text = arena_printf(a, "quatschpool/unfug\t%s\t%s\tlocal\n", name, want);
        struct span out = redacted(a, HOST_EXEC, "zfs-get quatschpool/unfug", text, &asked);
        assert_true(span_starts(span_of(asked), "zfs-get "));
        assert_null(strstr(span_dup(a, out), "quatsch"));
        if (!zfs_property(out, name, &value) || !span_eq_text(value, want)) {
            fail_msg("%s = %s became %.*s", name, want, SPAN_ARG(out));
        }
    }
}

/* Several in one text: each keeps its own lines, also one that is called as its pool, or as a word of ours. */
static void test_several(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const char *asked;
    struct span value, name;
    struct span out = redacted(a, HOST_EXEC, "zfs-get quatschpool quatschpool/unfug data",
                               "quatschpool\ttype\tfilesystem\t-\n"
                               "quatschpool\trecordsize\t16384\tlocal\n"
                               "quatschpool/unfug\ttype\tfilesystem\t-\n"
                               "quatschpool/unfug\trecordsize\t8192\tlocal\n"
                               "data\trecordsize\t4096\tlocal\n", &asked);
    static const char *const want[] = {"16384", "8192", "4096"};
    struct span names = span_of(asked);
    assert_null(strstr(asked, "quatsch"));
    assert_null(strstr(span_dup(a, out), "quatsch"));
    assert_true(span_split(&names, ' ', &name));
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        assert_true(span_split(&names, ' ', &name));
        if (!zfs_property(zfs_lines(a, out, span_dup(a, name)), "recordsize", &value) ||
            !span_eq_text(value, want[i])) {
            fail_msg("%s has no %s: %.*s", asked, want[i], SPAN_ARG(out));
        }
    }
}

/* Room of the pool, and sectors by vdev. */
static void test_room(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const char *asked;
    struct span value;
    struct span out = redacted(a, HOST_EXEC, "zpool-get quatschpool",
                               "quatschpool\tcapacity\t45\t-\nquatschpool\tfragmentation\t12\t-\n"
                               "quatschpool\tautotrim\ton\tlocal\nquatschpool\tashift\t12\tlocal\n"
                               "quatschpool\tfeature@vdev_zaps_v2\tenabled\tlocal\n", &asked);
    static const char *const pairs[][2] = {{"capacity", "45"}, {"fragmentation", "12"},
                                           {"autotrim", "on"}, {"ashift", "12"},
                                           {"feature@vdev_zaps_v2", "enabled"}};
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        if (!zfs_property(out, pairs[i][0], &value) || !span_eq_text(value, pairs[i][1])) {
            fail_msg("%s became %.*s", pairs[i][0], SPAN_ARG(out));
        }
    }
    out = redacted(a, HOST_EXEC, "zpool-ashift quatschpool", "mirror-0\tashift\t12\t-\n", &asked);
    assert_true(span_eq_text(out, "mirror-0\tashift\t12\t-\n"));
    assert_true(span_starts(span_of(asked), "zpool-ashift "));
}

static void test_module(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "/sys/module/zfs/version",
        "/proc/spl/kstat/zfs/arcstats",
        "/sys/module/zfs/parameters/zfs_arc_max",
        "/sys/module/zfs/parameters/zfs_prefetch_disable",
        "/sys/module/zfs/parameters/zfs_dirty_data_max",
    };
    ARENA_AUTO a = arena_new();
    const char *asked;
    for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
        (void)redacted(a, HOST_READ, paths[i], "1\n", &asked);
        assert_string_equal(asked, paths[i]);
    }
    struct span out = redacted(a, HOST_READ, paths[1], "c_max   4    33822867456\nsize  4  1073741824\n",
                               &asked);
    assert_true(span_eq_text(out, "c_max   4    33822867456\nsize  4  1073741824\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pools),
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
