/* The volume probe on its way from a path to a device: overlays, bind mounts, and files of a data
 * directory that lie elsewhere. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/probes/storage_hosts.h"
#include "tests/unit/probes/volume_sweep.h"

#include "advisor/base/banned.h"

#define WANTS(...) ((const struct want[]){__VA_ARGS__, {NULL, NULL}})
#define MYSQL "/var/lib/mysql"
#define UPPER "/var/lib/docker/overlay2/0a1b/diff"
#define OWN "/proc/self/root"

static const struct probe_args data_args = {
    .label = "volume:x:data",
    .path = MYSQL,
    .server = "server:x",
    .pid = 100,
    .roles = ROLE_DATA,
};

static void drive(struct host *h)
{
    fakehost_reply(h, HOST_OPEN, "root 100", SPAN_LIT("/proc/100/root"));
    fixture_list(h, "/sys/block", "nvme0n1");
    fakehost_who(h, 0, 0, true);
    hosts_number(h, "259:1", "nvme0n1p1");
    hosts_nvme(h, "nvme0n1", "nvme0", "Drive 960");
    hosts_partition(h, "nvme0n1p1", "nvme0n1", "2048");
    fixture_list(h, MYSQL, "");
}

/* ---- overlays -------------------------------------------------------------------------------- */

static void overlay(struct host *h, const char *upper, const char *ours)
{
    drive(h);
    fakehost_file(h, "/proc/100/mountinfo",
                  arena_printf(h->arena,
                               "50 40 0:51 / / rw,relatime - overlay overlay "
                               "rw,lowerdir=/l/A:/l/B,upperdir=%s,workdir=/w\n",
                               upper));
    fakehost_file(h, "/proc/self/mountinfo", ours);
    hosts_path(h, MYSQL, MYSQL, 0, 51, 50);
    hosts_magic(h, MYSQL, 0x794c7630);
}

#define OURS                                                                                       \
    "20 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"                                               \
    "31 20 259:1 / /var/lib/docker rw,noatime - xfs /dev/nvme0n1p1 rw\n"

static void overlay_seen(struct host *h)
{
    overlay(h, UPPER, OURS);
    fixture_stat(
        h, OWN UPPER,
        &(struct host_stat){
            .mode = 0040755, .dev_major = 259, .dev_minor = 1, .has_mnt_id = true, .mnt_id = 31});
}

/* Names with commas: a lower directory whose name looks like the option itself, and the upper one. */
static void overlay_commas(struct host *h)
{
    overlay_seen(h);
    fakehost_file(h, "/proc/100/mountinfo",
                  "50 40 0:51 / / rw - overlay overlay rw,lowerdir=/l\\134\\054upperdir=/nowhere,"
                  "upperdir=/var/lib/docker/overlay2/0a1b\\134\\0542/diff,workdir=/w\n");
    fixture_stat(
        h, OWN "/var/lib/docker/overlay2/0a1b,2/diff",
        &(struct host_stat){
            .mode = 0040755, .dev_major = 259, .dev_minor = 1, .has_mnt_id = true, .mnt_id = 31});
}

/* An engine keeps its folder to root; what of the path can be seen is no link. */
static void overlay_closed(struct host *h)
{
    overlay(h, UPPER, OURS);
    fakehost_fail(h, HOST_STAT, OWN UPPER, E_DENIED, EACCES);
    fakehost_fail(h, HOST_LINK, "real " OWN "/var/lib/docker/overlay2/0a1b", E_DENIED, EACCES);
    fakehost_fail(h, HOST_LINK, "real " OWN "/var/lib/docker/overlay2", E_DENIED, EACCES);
    fixture_link(h, "real " OWN "/var/lib/docker", "/var/lib/docker");
}

/* The folder is a link into another filesystem. */
static void overlay_closed_link(struct host *h)
{
    overlay_closed(h);
    fixture_link(h, "real " OWN "/var/lib/docker", "/data/docker");
}

/* We are in a container as well: its path is not ours. */
static void overlay_not_here(struct host *h)
{
    overlay(h, UPPER,
            "50 40 0:51 / / rw,relatime - overlay overlay "
            "rw,lowerdir=/l/A:/l/B,upperdir=" UPPER ",workdir=/w\n");
}

static void overlay_relative(struct host *h)
{
    overlay(h, "upper", OURS);
}

static void overlay_read_only(struct host *h)
{
    overlay_seen(h);
    fakehost_file(h, "/proc/100/mountinfo",
                  "50 40 0:51 / / ro - overlay overlay ro,lowerdir=/l/A:/l/B\n");
}

static void overlay_on_overlay(struct host *h)
{
    overlay(h, UPPER, "20 1 0:60 / / rw,relatime - overlay overlay rw,upperdir=/u\n");
    fixture_stat(h, OWN UPPER, &(struct host_stat){.mode = 0040755, .dev_minor = 60});
}

static void overlay_on_tmpfs(struct host *h)
{
    overlay(h, "/run/u", "20 1 0:24 / /run rw - tmpfs tmpfs rw\n");
    fixture_stat(h, OWN "/run/u", &(struct host_stat){.mode = 0040755, .dev_minor = 24});
}

/* FUSE alone says nothing of what is behind it. */
static void fuse_of(struct host *h, const char *type)
{
    overlay(h, UPPER, OURS);
    fakehost_file(h, "/proc/100/mountinfo",
                  arena_printf(h->arena, "50 40 0:51 / / rw - %s x rw\n", type));
    hosts_magic(h, MYSQL, 0x65735546);
}

static void fuse_unknown(struct host *h)
{
    fuse_of(h, "fuse.mergerfs");
}

static void ceph(struct host *h)
{
    fuse_of(h, "ceph");
    hosts_magic(h, MYSQL, 0x00c36400);
}

/* ---- elsewhere ------------------------------------------------------------------------------- */

static void plain(struct host *h, const char *entries)
{
    drive(h);
    fakehost_file(h, "/proc/100/mountinfo",
                  "31 20 259:1 /my " MYSQL " rw,noatime - xfs /dev/nvme0n1p1 rw\n"
                  "32 20 8:17 / /fast rw - xfs /dev/sdb1 rw\n");
    fakehost_file(h, "/proc/self/mountinfo", "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
    hosts_path(h, MYSQL, MYSQL, 259, 1, 31);
    fixture_list(h, MYSQL, entries);
}

static void entry(struct host *h, const char *name, uint32_t major, uint32_t minor, uint64_t mount)
{
    const struct host_stat st = {.mode = 0040755,
                                 .dev_major = major,
                                 .dev_minor = minor,
                                 .has_mnt_id = true,
                                 .mnt_id = mount};
    const char *path = arena_printf(h->arena, MYSQL "/%s", name);
    fixture_stat(h, path, &st);
    fixture_list(h, path, "");
    fixture_link(h, arena_printf(h->arena, "real %s", path), path);
}

static void nothing_elsewhere(struct host *h)
{
    plain(h, "mysql test ibdata1 ib_logfile0");
    entry(h, "mysql", 259, 1, 31);
    entry(h, "test", 259, 1, 31);
}

/* Two schemas are links to another drive, a third to a folder of this one. */
static void schema_links(struct host *h)
{
    plain(h, "db1 db2 mysql test");
    entry(h, "mysql", 259, 1, 31);
    entry(h, "test", 259, 1, 33);
    entry(h, "db1", 8, 17, 32);
    entry(h, "db2", 8, 17, 32);
    fixture_link(h, "real " MYSQL "/db1", "/fast/db1");
}

/* A subvolume of btrfs has a number of its own. */
static void subvolume(struct host *h)
{
    plain(h, "mysql");
    entry(h, "mysql", 0, 77, 31);
}

static void isl_file(struct host *h)
{
    plain(h, "test");
    entry(h, "test", 259, 1, 31);
    fixture_list(h, MYSQL "/test", "t1.frm t1.isl");
    fakehost_file(h, MYSQL "/test/t1.isl", "/fast/test/t1.ibd");
    fixture_stat(
        h, "/fast/test",
        &(struct host_stat){
            .mode = 0040755, .dev_major = 8, .dev_minor = 17, .has_mnt_id = true, .mnt_id = 32});
    fixture_link(h, "real /fast/test", "/fast/test");
}

static void closed_schema(struct host *h)
{
    nothing_elsewhere(h);
    fakehost_fail(h, HOST_STAT, MYSQL "/test", E_DENIED, EACCES);
}

static void dangling_link(struct host *h)
{
    nothing_elsewhere(h);
    fakehost_remove(h, HOST_STAT, MYSQL "/test");
}

static const struct volume_scene scenes[] = {
    {"overlay", overlay_seen,
     WANTS({"volume.fs.type", "overlay"}, {"volume.leaf_devices", "{nvme0n1}"},
           {"volume.partition_offset", "1MiB"}, {"volume.stack.kinds", "{partition}"},
           {"volume.storage_class", "nvme-local"}, {"volume.mount_root", "/"},
           {"volume.chain", "{nvme0n1p1:partition, nvme0n1:disk}"})},
    {"overlay with commas", overlay_commas, WANTS({"volume.leaf_devices", "{nvme0n1}"})},
    {"overlay in a closed folder", overlay_closed, WANTS({"volume.leaf_devices", "{nvme0n1}"})},
    {"overlay behind a link", overlay_closed_link,
     WANTS({"volume.leaf_devices", "?not permitted"})},
    {"overlay of another namespace", overlay_not_here, WANTS({"volume.leaf_devices", "?absent"})},
    {"overlay with a relative path", overlay_relative, WANTS({"volume.leaf_devices", "?absent"})},
    {"overlay, read-only", overlay_read_only, WANTS({"volume.leaf_devices", "?absent"})},
    {"overlay on an overlay", overlay_on_overlay, WANTS({"volume.leaf_devices", "?absent"})},
    {"overlay in memory", overlay_on_tmpfs,
     WANTS({"volume.leaf_devices", "{}"}, {"volume.storage_class", "memory"})},
    {"FUSE of no known kind", fuse_unknown,
     WANTS({"volume.fs.type", "fuse"}, {"volume.leaf_devices", "?absent"},
           {"volume.storage_class", "?absent"})},
    {"CephFS", ceph,
     WANTS({"volume.fs.type", "other"}, {"volume.storage_class", "network"},
           {"volume.leaf_devices", "{}"})},
    {"nothing elsewhere", nothing_elsewhere,
     WANTS({"volume.elsewhere", "{}"}, {"volume.mount_root", "/my"})},
    {"schemas on another drive", schema_links, WANTS({"volume.elsewhere", "{/fast/db1}"})},
    {"a subvolume", subvolume, WANTS({"volume.elsewhere", "{}"})},
    {"a table by its .isl file", isl_file, WANTS({"volume.elsewhere", "{/fast/test}"})},
    {"a schema that may not be looked at", closed_schema,
     WANTS({"volume.elsewhere", "?not permitted"})},
    {"a link that leads nowhere", dangling_link, WANTS({"volume.elsewhere", "{}"})},
};

static void test_scenes(void **state)
{
    (void)state;
    volume_check(scenes, ARRAY_LEN(scenes), &data_args);
}

/* What lies elsewhere is a data volume, but says nothing of the size of all data. */
static void test_elsewhere(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *h = fakehost_new(a);
    struct store *s = fixture_store(a, &probe_volume);
    struct probe_args args = data_args;
    args.elsewhere = true;
    schema_links(h);
    const struct subject *sub = fixture_run(a, s, &probe_volume, h, SUBJECT_VOLUME, &args);
    assert_string_equal(fixture_text(a, s, sub, "volume.elsewhere"), "?not supported");
    assert_int_equal(fakehost_calls(h, HOST_SIZE), 0);
    const struct subject *server = store_find_subject(s, "server:x");
    assert_true(server == NULL || store_get(s, server, SPAN_LIT("server.data.bytes")) == NULL);
}

static void test_faults(void **state)
{
    (void)state;
    volume_sweep(scenes, ARRAY_LEN(scenes), &data_args);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
