/* Redaction of each kind of operation: a word that stands wherever somebody could have put it is
 * nowhere in what comes out, in no encoding, and what a reader looks for is still in its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/host/redact.h"
#include "probes/host/reply.h"
#include "tests/lib/leak.h"

#include "advisor/base/banned.h"

#define WORD "quokka"

static const struct redact_key key = {.bytes = {5}};

struct made {
    const char *probe;
    struct host_record rec;
};

static struct made redact(struct arena *a, enum host_op op, const char *asked, struct span bytes)
{
    struct redactor *const r = redactor_new(a, &key);
    const struct host_record rec = {.op = op, .key = asked, .outcome = OUTCOME_OK, .bytes = bytes};
    struct made m;
    redact_operation(r, "server:/run/" WORD "/s.sock", &rec, &m.probe, &m.rec);
    return m;
}

static void check_gone(struct arena *a, const struct made *m, const char *what)
{
    const char *how = leak_in(a, m->rec.bytes, WORD);
    how = how != NULL ? how : leak_in(a, span_of(m->rec.key), WORD);
    how = how != NULL ? how : leak_in(a, span_of(m->probe), WORD);
    if (how != NULL) {
        fail_msg("%s: %s: %.*s", what, how, SPAN_ARG(m->rec.bytes));
    }
}

/* Pieces of the answer that a reader looks for, with '|' between them. */
#define TEXT(op, key, text, pieces)                                                                \
    {                                                                                              \
        op, key, {(text), sizeof(text) - 1}, pieces                                                \
    }
static const struct {
    enum host_op op;
    const char *key;
    struct span bytes;
    const char *pieces;
} rows[] = {
    TEXT(HOST_READ, "/srv/" WORD "/file", WORD "=" WORD " 12\n", " 12\n"),
    TEXT(HOST_READ, "/sys/module/" WORD "/version", WORD "-2.1.4\n", "-2.1.4\n"),
    TEXT(HOST_READ, "/proc/7/comm", WORD "d\n", "\n"),
    TEXT(HOST_READ, "/proc/7/status", "Name:\t" WORD "\nUid:\t101\t101\nVmSize:\t 2097152 kB\n",
         "Name:\tx|\nUid:\t101\t101\nVmSize:\t 2097152 kB\n"),
    TEXT(HOST_READ, "/proc/cmdline",
         "BOOT_IMAGE=/boot/vmlinuz-6.1.0 root=/dev/" WORD "/root rd.luks.name=" WORD
         " ip=10.9.8.7::10.9.8.1:255.255.255.0:" WORD ":eth0 pcie_aspm=off mitigations=off\n",
         "BOOT_IMAGE=/boot/vmlinuz-6.1.0 root=/dev/x| pcie_aspm=off mitigations=off\n"),
    TEXT(HOST_READ, "/proc/7/cmdline",
         "/opt/" WORD "/mysqld\0--datadir=/srv/" WORD "\0--user=" WORD "\0-S\0/run/" WORD
         ".sock\0--port=3307\0--log_bin\0" WORD "-bin\0--" WORD "=1\0-h" WORD "\0",
         "/mysqld|--datadir=/srv/x|--user=x|-S|/run/x|.sock|--port=3307|--log_bin|-bin"),
    TEXT(HOST_READ, "/proc/7/environ",
         "HOME=/home"
         "/" WORD "\0MYSQL_GROUP_SUFFIX=_" WORD "\0\0",
         "HOME=/home"
         "/x|MYSQL_GROUP_SUFFIX=_x"),
    TEXT(HOST_READ, "/etc/fstab",
         "LABEL=" WORD " /srv/" WORD "\\040x xfs noatime,nobarrier\n" WORD
         ":/x /m nfs addr=" WORD ",ro\n//" WORD "/" WORD " /m cifs username=" WORD ",password=***\n",
         "LABEL=x| /srv/x| xfs noatime,nobarrier\nx|,ro\n//x| /m cifs username=x|,password=***\n"),
    TEXT(HOST_READ, "/proc/self/root/etc/fstab", "/dev/vg/" WORD " /" WORD " ext4 barrier=0\n",
         "/dev/vg/x| ext4 barrier=0\n"),
    TEXT(HOST_READ, "/proc/swaps",
         "Filename\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/" WORD
         "\\040x           file\t\t1048572\t\t0\t\t-2\n",
         "Filename\t\t\t|\n/x|           file\t\t1048572\t\t0\t\t-2\n"),
    TEXT(HOST_READ, "/proc/7/maps", "mysqld\nlibjemalloc.so.2\nlibc.so.6\nlib" WORD ".so\n",
         "mysqld\nlibjemalloc.so.2\nlibc.so.6\nx|.so\n"),
    TEXT(HOST_READ, "/sys/fs/cgroup/" WORD "/io.max",
         "259:0 rbps=max wbps=1073741824 riops=max wiops=120\n",
         "259:0 rbps=max wbps=1073741824 riops=max wiops=120\n"),
    TEXT(HOST_READ, "/sys/fs/cgroup/blkio/" WORD "/blkio.throttle.write_bps_device",
         "8:16 1073741824\n", "8:16 1073741824\n"),
    TEXT(HOST_FS, "xfs /srv/" WORD,
         "block_size=4096 sector_size=512 ag_count=4 log_blocks=1 sunit=0 swidth=0 flags=1",
         "block_size=4096 sector_size=512 ag_count=4 log_blocks=1 sunit=0 swidth=0 flags=1"),
    TEXT(HOST_FS, "xfs /srv/" WORD, "label=" WORD, "=x"),
    TEXT(HOST_FS, "direct /srv/" WORD, "yes", "yes"),
    TEXT(HOST_FS, "extents .ibd /srv/" WORD,
         "files=3 mapped=1 complete=1 bytes=1073741824 extents=3 flagged=3 nocow=0 compressed=0",
         "files=3 mapped=1 complete=1 bytes=1073741824 extents=3 flagged=3 nocow=0 compressed=0"),
    TEXT(HOST_OPEN, "super /srv/" WORD, "", ""),
    TEXT(HOST_READ, "/proc/7/mountinfo",
         "31 20 0:50 /" WORD " /srv/" WORD "\\040x rw,relatime shared:1 - nfs4 " WORD
         ".example:/" WORD " rw,vers=4.2,rsize=1048576,addr=10.1.2.3,username=" WORD "\n"
         "32 20 0:51 / /m rw - overlay " WORD " rw,lowerdir=/a/" WORD ":/b,upperdir=/" WORD "\n"
         "33 20 0:52 / /z rw - zfs " WORD "/mysql rw,xattr,noacl\n",
         "31 20 0:50 /x|\\040x rw,relatime shared:1 - nfs4 x|rw,vers=4.2,rsize=1048576,addr=|"
         "32 20 0:51 / /m rw - overlay x| rw,lowerdir=|,upperdir=/x|- zfs x|/mysql "
         "rw,xattr,noacl\n"),
    TEXT(HOST_READ, "/proc/7/net/unix",
         "Num       RefCount Protocol Flags    Type St Inode Path\n"
         "00000000f05fb4c4: 00000002 00000000 00010000 0001 01 9007 /run/" WORD "/a " WORD ".sock\n"
         "00000000f05fb4c5: 00000002 00000000 00010000 0001 01 9008 @" WORD "\n",
         "RefCount|00010000 0001 01 9007 /run/x|.sock\n|9008 @x"),
    TEXT(HOST_READ, "/proc/7/net/tcp",
         "  sl  local_address rem_address   st\n"
         "   0: 0108090A:0CEA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  27 0 99 1\n",
         "00000000:0CEA 00000000:0000 0A"),
    TEXT(HOST_READ, "/proc/7/cgroup",
         "0::/" WORD ".slice/docker-" WORD ".scope\n12:cpu,cpuacct:/kubepods/" WORD "\n",
         "0::/x|.slice/docker-x|12:cpu,cpuacct:/kubepods/x"),
    TEXT(HOST_READ, "/sys/class/block/loop0/loop/backing_file",
         "/srv/" WORD "/disk.img (deleted)\n", "/srv/x| (deleted)\n"),
    TEXT(HOST_READ, "/sys/class/block/dm-0/dm/name", WORD "--vg-" WORD "_tdata\n",
         "--vg-x|_tdata\n"),
    TEXT(HOST_READ, "/sys/class/block/dm-0/dm/uuid",
         "CRYPT-LUKS2-1f2e3d4c5b6a7988a7b6c5d4e3f2a1b0-" WORD "\n", "CRYPT-LUKS2-|-x"),
    TEXT(HOST_READ, "/sys/class/block/nvme0n1/device/serial", WORD "01\n", "x|\n"),
    TEXT(HOST_READ, "/sys/class/nvme/nvme0/subsysnqn", "nqn.2014-08.org.nvmexpress:" WORD "\n",
         "2014-08"),
    TEXT(HOST_READ, "/sys/class/dmi/id/chassis_asset_tag", WORD "\n", "\n"),
    TEXT(HOST_LIST, "/var/lib/mysql", "ibdata1\n" WORD "\n" WORD "@0041\nmysql\n",
         "ibdata1\nx|\nmysql\n"),
    TEXT(HOST_LINK, "/proc/7/cwd", "/srv/" WORD "/data", "/srv/x|/data"),
    TEXT(HOST_LINK, "real /srv/" WORD, "/data/" WORD, "/data/x"),
    TEXT(HOST_LINK, "/proc/7/fd/4", "socket:[1234567890]", "socket:[1234567890]"),
    TEXT(HOST_STAT, "/srv/" WORD, WORD "=1 mode=1", ""),
    TEXT(HOST_UDEV, "nvme0n1",
         "DEVLINKS=/dev/disk/by-id/nvme-" WORD "\nDEVNAME=/dev/nvme0n1\nID_FS_LABEL=" WORD
         "\nID_SERIAL=Drive_960_" WORD "\nID_SERIAL_SHORT=" WORD
         "\nID_WWN=nvme.144d-71756f6b6b61-44-00000001\nID_ATA_ROTATION_RATE_RPM=0\n",
         "DEVNAME=/dev/nvme0n1\n|ID_SERIAL_SHORT=x|ID_ATA_ROTATION_RATE_RPM=0\n"),
    TEXT(HOST_SQL, "variables",
         "Variable_name\tValue\nbind_address\t10.1.2.3\ndatadir\t/srv/" WORD "/\nhostname\t" WORD
         "\ninit_connect\t(not read: may hold SQL text or a secret)\nreplicate_do_db\t" WORD
         "\n" WORD "_mode\t" WORD "\nserver_id\t7\n",
         "datadir\t/srv/x|/\nhostname\tx|init_connect\t(not read: may hold SQL text or a secret)\n|"
         "server_id\t7\n"),
    TEXT(HOST_SQL, "status", "Variable_name\tValue\nRsa_public_key\tKEY " WORD "\nUptime\t77\n",
         "Uptime\t77\n"),
    TEXT(HOST_SQL, "version",
         "version\tversion_comment\taccount\n8.0.36-28-" WORD "\tPercona Server (" WORD ")\t" WORD
         "@10.1.2.%\n",
         "8.0.36-28-x|Percona Server (x|@24"),
    TEXT(HOST_SQL, "variable-origins",
         "name\torigin\tpath\tlow\thigh\ndatadir\tGLOBAL\t/etc/" WORD "/my.cnf\t\\N\t\\N\n",
         "datadir\tGLOBAL\t/etc/x|/my.cnf\t\\N\t\\N\n"),
    TEXT(HOST_SQL, "innodb-status",
         "Type\tName\tStatus\nInnoDB\t\tLOG\\n" WORD " Log sequence number 900\\nwaits for ./" WORD
         "/t.ibd\\n\n",
         " Log sequence number 900\\n"),
    TEXT(HOST_SQL, "replicas-of-tomorrow", "Host\tPort\n" WORD ".example\t3306\n", "\t3306\n"),
    TEXT(HOST_EXEC, "zpool-status " WORD,
         "  pool: " WORD "\n state: ONLINE\nconfig:\n\n\tNAME\n\t" WORD
         " ONLINE 0 0 0\n\t  mirror-0 ONLINE\n\t    /dev/disk/by-id/nvme-" WORD " ONLINE\n",
         "  pool: x|\n state: ONLINE\n|\t  mirror-0 ONLINE\n"),
    TEXT(HOST_UNAME, "",
         "Linux\n" WORD ".example\n6.1.0-" WORD "\n#1 SMP Debian 6.1.90-1\nx86_64\n",
         "Linux\nx|\n6.1.0-x|\n#1 SMP Debian 6.1.90-1\nx86_64\n"),
    TEXT(HOST_OPEN, "sql", "8.0.36-" WORD "-log", "8.0.36-x|-log"),
};

static bool has(struct span *rest, struct span piece)
{
    for (size_t i = 0; piece.len <= rest->len && i <= rest->len - piece.len; i++) {
        if (span_eq(span_sub(*rest, i, piece.len), piece)) {
            *rest = span_sub(*rest, i + piece.len, rest->len);
            return true;
        }
    }
    return false;
}

static void test_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        const struct made m = redact(a, rows[i].op, rows[i].key, rows[i].bytes);
        check_gone(a, &m, rows[i].key);
        struct span rest = m.rec.bytes, pieces = span_of(rows[i].pieces), piece;
        while (span_split(&pieces, '|', &piece)) {
            if (!has(&rest, piece)) {
                fail_msg("%s: no '%.*s' in '%.*s'", rows[i].key, SPAN_ARG(piece),
                         SPAN_ARG(m.rec.bytes));
            }
        }
    }
}

/* Whatever the table lacks: nothing but well-known words passes. */
static void test_every_operation(void **state)
{
    (void)state;
    for (unsigned op = 0; op < HOST_OPS; op++) {
        ARENA_AUTO a = arena_new();
        struct redactor *const r = redactor_new(a, &key);
        struct err err = ERR_INIT;
        err_set(&err, E_IO, "cannot do '/srv/%s' for %s", WORD, WORD);
        err_hint(&err, "Ask %s.", WORD);
        err_wrap(&err, "looking at '%s'", WORD);
        const struct host_record failed = {
            .op = (enum host_op)op, .key = "", .outcome = OUTCOME_ERR, .err = &err};
        struct made m;
        redact_operation(r, "sql:" WORD ".example:3306", &failed, &m.probe, &m.rec);
        assert_null(leak_in(a, span_of(m.rec.err->text), WORD));
        assert_null(leak_in(a, span_of(m.rec.err->hint), WORD));
        assert_null(leak_in(a, span_of(m.rec.err->frames[0]), WORD));
        assert_true(span_starts(span_of(m.probe), "sql:x") && span_ends(span_of(m.probe), ":3306"));
        m = redact(a, (enum host_op)op, "", SPAN_LIT(WORD " " WORD "=1\n"));
        if (op != HOST_NVME) {
            check_gone(a, &m, host_op_name((enum host_op)op));
        }
    }
}

static void test_pages(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    char page[4096] = {0};
    memset(page, 'Q', sizeof(page));
    memcpy(page + 4, WORD "-SN-01       ", 20);
    memcpy(page + 24, "Drive 960                               ", 40);
    memcpy(page + 64, "FW1.2   ", 8);
    memset(page + 768, 0, 256);
    memcpy(page + 768, "nqn.2014-08.org:" WORD, 22);
    memcpy(page + 3072, WORD, 6);
    struct made m = redact(a, HOST_NVME, "nvme0 id-ctrl", (struct span){page, sizeof(page)});
    assert_int_equal(m.rec.bytes.len, 4096);
    assert_null(leak_in(a, m.rec.bytes, WORD));
    assert_memory_equal(m.rec.bytes.ptr + 24, page + 24, 48);
    assert_memory_equal(m.rec.bytes.ptr, page, 4);
    assert_memory_equal(m.rec.bytes.ptr + 512, page + 512, 40);
    assert_int_equal(m.rec.bytes.ptr[3500], 0);
    const struct made sysfs =
        redact(a, HOST_READ, "/sys/class/block/nvme0n1/device/serial", SPAN_LIT(WORD "-SN-01\n"));
    assert_memory_equal(m.rec.bytes.ptr + 4, sysfs.rec.bytes.ptr, 11); /* the serial agrees */
    m = redact(a, HOST_NVME, "nvme0 id-ns 1", (struct span){page, sizeof(page)});
    assert_memory_equal(m.rec.bytes.ptr, page, 104);
    assert_memory_not_equal(m.rec.bytes.ptr + 104, page + 104, 16);
    assert_memory_equal(m.rec.bytes.ptr + 128, page + 128, 256);
    m = redact(a, HOST_NVME, "nvme0 log 202 1 4096", (struct span){page, sizeof(page)});
    assert_int_equal(m.rec.bytes.len, 4096);
    assert_int_equal(m.rec.bytes.ptr[0], 0);
    m = redact(a, HOST_NVME, "nvme0 log 2 4294967295 512", (struct span){page, 512});
    assert_memory_equal(m.rec.bytes.ptr, page, 232);
}

/* Pages of makers: numbers behind their signature, and nothing without it. Records keep their numbers and
 * lose what the maker may put between them. */
static void test_log_pages(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const struct {
        const char *key;
        const char *signature;
        size_t at, n_signature, kept, lost; /* a byte that stays, and one that does not */
    } pages[] = {
        {"nvme0 log 192 4294967295 512",
         "\xc5\xaf\x10\x28\xea\xbf\xf2\xa4\x9c\x4f\x6f\x7c\xc9\x14\xd5\xaf", 496, 16, 128, 300},
        {"nvme0 log 202 4294967295 512", "\xab", 0, 1, 17, 510},
        {"nvme0 log 208 1 512", "\x10\xb5\x23\x3c", 0, 4, 60, 100},
        {"nvme0 log 208 1 512", "\x7e\x0d\x2c\xec", 0, 4, 60, 100},
        {"nvme0 log 1 4294967295 512", "", 0, 0, 64 + 16, 64 + 50},
        {"nvme0 log 3 4294967295 512", "", 0, 0, 0, 80},
        {"nvme0 log 6 4294967295 564", "", 0, 0, 4 + 28 + 4, 4 + 28 + 27},
        {"nvme0 log 9 0 512 1", "", 0, 0, 64, 200},
        {"nvme0 log 34 0 64 1", "", 0, 0, 20, 60},
        {"nvme0 log 129 4294967295 512", "", 0, 0, 2, 40},
        {"nvme0 feature-data 13 0 4096", "", 0, 0, 0, 8},
    };
    for (size_t i = 0; i < ARRAY_LEN(pages); i++) {
        char page[564];
        memset(page, 'Q', sizeof(page));
        memcpy(page + pages[i].at, pages[i].signature, pages[i].n_signature);
        const struct made m =
            redact(a, HOST_NVME, pages[i].key, (struct span){page, sizeof(page)});
        assert_int_equal(m.rec.bytes.len, sizeof(page));
        if (m.rec.bytes.ptr[pages[i].kept] != 'Q' || m.rec.bytes.ptr[pages[i].lost] != 0) {
            fail_msg("%s", pages[i].key);
        }
        if (pages[i].n_signature > 0) {
            page[pages[i].at] = 'Q';
            const struct made other =
                redact(a, HOST_NVME, pages[i].key, (struct span){page, sizeof(page)});
            assert_int_equal(other.rec.bytes.ptr[pages[i].kept], 0);
        }
    }
}

static void test_option_files(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const char *const text = "# " WORD "\n[mysqld]\ndatadir = \"/srv/" WORD "/#x\" # " WORD "\n"
                             "loose-innodb_buffer_pool_size=4G\n!includedir /etc/" WORD "\n"
                             "[mysqld_" WORD "]\n" WORD "\n[" WORD "\n";
    struct host_optfile file = {0100644, 0, 0, span_of(text)};
    struct err err = ERR_INIT;
    struct made m = redact(a, HOST_OPTFILE, "/etc/" WORD "/my.cnf", reply_optfile(a, &file));
    check_gone(a, &m, "option file");
    assert_true(reply_read_optfile(m.rec.bytes, &file, &err));
    struct span rest = file.text;
    static const char *const pieces[] = {
        "\n[mysqld]\ndatadir=\"/srv/x",
        "/#x\"\nloose-innodb_buffer_pool_size=4G\n!includedir /etc/x", "\n[mysqld_x", "]\nx",
        "\n[\n"};
    for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
        assert_true(has(&rest, span_of(pieces[i])));
    }
    file.text =
        SPAN_LIT("{\"Version\":2,\"mysql_dynamic_variables\":{\"innodb_undo_directory\":"
                 "{\"Value\":\"/srv/\\u0071uokka\"},\"max_connections\":{\"Value\":\"7\"}}}");
    m = redact(a, HOST_OPTFILE, "persisted /srv/" WORD "/mysqld-auto.cnf", reply_optfile(a, &file));
    check_gone(a, &m, "persisted");
    rest = m.rec.bytes;
    assert_true(has(&rest, SPAN_LIT("\"innodb_undo_directory\"")));
    assert_true(has(&rest, SPAN_LIT("\"/srv/x")));
    assert_true(has(&rest, SPAN_LIT("\"max_connections\"")) && has(&rest, SPAN_LIT("\"7\"")));
    assert_true(span_starts(span_of(m.rec.key), "persisted /srv/x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_every_operation),
        cmocka_unit_test(test_pages), cmocka_unit_test(test_log_pages),
        cmocka_unit_test(test_option_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
