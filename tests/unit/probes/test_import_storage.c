/* Storage outputs: what each reader makes of a text, and the chain that comes out of several. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "probes/import/columns.h"
#include "probes/import/storage.h"
#include "probes/import/storage_chain.h"

#include "advisor/base/banned.h"

/* Outputs, each behind a line "== READER"; "== json READER" for JSON. */
static void feed(struct stack *s, struct arena *a, const char *name, bool json, struct span text)
{
    for (size_t i = 0; i < storage_n_readers; i++) {
        const struct storage_reader *r = &storage_readers[i];
        if (strcmp(r->name, name) != 0) {
            continue;
        }
        if (json) {
            struct json *doc;
            struct err err = ERR_INIT;
            assert_true(json_read(a, "test", text, &doc, &err));
            assert_true(r->read_json(s, doc));
        } else {
            struct span rest = text, line = {"", 0};
            bool begins = false;
            while (!begins && span_line(&rest, &line)) {
                begins = r->begins(line);
            }
            assert_true(begins);
            assert_true(r->read(s, text));
        }
        return;
    }
    fail_msg("no reader '%s'", name);
}

static struct stack *stack_of(struct arena *a, const char *text)
{
    struct stack *s = stack_new(a);
    struct span rest = span_of(text), line;
    while (span_line(&rest, &line)) {
        assert_true(span_starts(line, "== "));
        struct span name = span_sub(line, 3, line.len);
        const bool json = span_starts(name, "json ");
        name = json ? span_sub(name, 5, name.len) : name;
        const char *end = memmem(rest.ptr, rest.len, "\n== ", 4);
        const size_t n = end == NULL ? rest.len : (size_t)(end - rest.ptr) + 1;
        feed(s, a, span_dup(a, name), json, span_sub(rest, 0, n));
        rest = span_sub(rest, n, rest.len);
    }
    return s;
}

/* "fs > a:kind > b:kind+c:kind [class]" */
static const char *chain_text_of(struct arena *a, const char *text, const char *ask)
{
    const struct stack *s = stack_of(a, text);
    struct chain *c = arena_alloc(a, sizeof(*c));
    struct buf b;
    buf_init(&b, a, 4096);
    if (!chain_of(s, span_of(ask), c)) {
        return "nothing";
    }
    const char *fs = chain_fs_word(c), *class = chain_class(a, c);
    buf_printf(&b, "%s %.*s", fs != NULL ? fs : "-",
               c->mount != NULL ? (int)c->mount->target.len : 1, c->mount != NULL ? c->mount->target.ptr : "-");
    for (unsigned level = c->mount != NULL ? 1 : 0; level < 32; level++) {
        bool first = true;
        for (size_t i = 0; i < c->n; i++) {
            bool seen = false;
            for (size_t k = 0; k < i; k++) {
                seen = seen || (c->layers[k].level == level && span_eq(c->layers[k].name, c->layers[i].name));
            }
            if (c->layers[i].level == level && !seen) {
                buf_printf(&b, "%s%.*s:%.*s", first ? " > " : "+", SPAN_ARG(c->layers[i].name),
                           SPAN_ARG(c->layers[i].kind));
                first = false;
            }
        }
    }
    buf_printf(&b, " [%s]%s", class != NULL ? class : "unknown", c->whole ? "" : " cut");
    return b.ptr;
}

static const struct {
    const char *text, *ask, *expected;
} chains[] = {
    {"== lsblk\n"
     "NAME          MAJ:MIN RM   SIZE RO TYPE  MOUNTPOINT\n"
     "nvme3n1       259:4    0   1.8T  0 disk  \n"
     "└─nvme3n1p1   259:5    0   1.8T  0 part  /srv/db\n",
     "/srv/db/mysql", "- /srv/db > nvme3n1p1:partition > nvme3n1:disk [nvme-local]"},
    {"== lsblk\n" /* a long name takes a line; two legs of one volume */
     "NAME      MAJ:MIN RM  SIZE RO TYPE  MOUNTPOINTS\n"
     "nvme0n1   259:0    0  100G  0 disk\n"
     "`-a-quite-long-name-of-some-volume-group\n"
     "          253:0    0  200G  0 lvm   /data\n"
     "nvme1n1   259:1    0  100G  0 disk\n"
     "`-a-quite-long-name-of-some-volume-group\n"
     "          253:0    0  200G  0 lvm   /data\n",
     "/data",
     "- /data > a-quite-long-name-of-some-volume-group:dm > nvme0n1:disk+nvme1n1:disk [nvme-local]"},
    {"== lsblk\n" /* -s: upside down */
     "NAME          MAJ:MIN RM   SIZE RO TYPE  MOUNTPOINT\n"
     "vg-db         253:0    0    50G  0 lvm   /db\n"
     "└─md0           9:0    0   100G  0 raid1 \n"
     "  ├─sda1        8:1    0   100G  0 part  \n"
     "  │ └─sda       8:0    0   100G  0 disk  \n"
     "  └─sdb1        8:17   0   100G  0 part  \n"
     "    └─sdb       8:16   0   100G  0 disk  \n",
     "/db", "- /db > vg-db:lvm-linear > md0:md > sda1:partition+sdb1:partition > sda:disk+sdb:disk [unknown]"},
    {"== json lsblk\n"
     "{\"blockdevices\": [{\"name\": \"nvme0n1\", \"maj:min\": \"259:0\", \"type\": \"disk\", \"tran\": \"nvme\","
     " \"model\": \"Amazon Elastic Block Store\", \"children\": [{\"name\": \"nvme0n1p1\", \"type\": \"part\","
     " \"fstype\": \"xfs\", \"mountpoints\": [null, \"/\"]}]}]}\n",
     "/var/lib/mysql", "xfs / > nvme0n1p1:partition > nvme0n1:disk [cloud-network]"},
    {"== lsblk\n"
     "NAME=\"sda\" TYPE=\"disk\" MOUNTPOINT=\"\" TRAN=\"iscsi\"\n"
     "NAME=\"sda1\" TYPE=\"part\" PKNAME=\"sda\" MOUNTPOINT=\"/data\" FSTYPE=\"ext4\"\n",
     "/data", "ext4 /data > sda1:partition > sda:disk [network]"},
    {"== mount\n"
     "/dev/mapper/vg0-mysql on /var/lib/my sql type xfs (rw,noatime)\n"
     "tmpfs on /run type tmpfs (rw,nosuid)\n"
     "== lvm\n"
     "  LV    VG   Attr       LSize   Type    #Str Stripe  Devices\n"
     "  mysql vg0  -wi-ao---- 400.00g striped    2  64.00k /dev/nvme0n1p3(0),/dev/nvme1n1p3(0)\n",
     "/var/lib/my sql/data",
     "xfs /var/lib/my sql > vg0-mysql:lvm-striped > nvme0n1p3:partition+nvme1n1p3:partition > "
     "nvme0n1:disk+nvme1n1:disk [nvme-local]"},
    {"== json lvm\n"
     "{\"report\": [{\"lv\": [{\"lv_name\": \"d\", \"vg_name\": \"v-g\", \"segtype\": \"thin\", \"pool_lv\": \"p\"},"
     "{\"lv_name\": \"p\", \"vg_name\": \"v-g\", \"segtype\": \"thin-pool\", \"devices\": \"p_tdata(0)\"},"
     "{\"lv_name\": \"[p_tdata]\", \"vg_name\": \"v-g\", \"segtype\": \"linear\", \"devices\": \"/dev/sdc(0)\"}]}]}\n"
     "== df\n"
     "/dev/mapper/v--g-d  10G  1G  9G  10% /d\n",
     "/d", "- /d > v--g-d:lvm-thin > v--g-p:lvm-thin > v--g-p_tdata:lvm-linear > sdc:disk [unknown]"},
    {"== mdstat\n"
     "Personalities : [raid1]\n"
     "md127 : active raid5 nvme3n1[4](S) nvme2n1[3] nvme1n1[1](F) nvme0n1[0]\n"
     "      976630464 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/2] [U_U]\n"
     "      [=>...................]  recovery =  7.4% (36/488) finish=36min speed=206K/sec\n"
     "\n"
     "unused devices: <none>\n",
     "/dev/md127", "- - > md127:md > nvme2n1:disk+nvme0n1:disk [nvme-local]"},
    {"== mdadm\n"
     "/dev/md0:\n"
     "        Raid Level : raid10\n"
     "        Chunk Size : 512K\n"
     "    Number   Major   Minor   RaidDevice State\n"
     "       0     259        0        0      active sync set-A   /dev/nvme0n1\n"
     "       -       0        0        1      removed\n"
     "       2     259        2        -      spare   /dev/nvme2n1\n",
     "/dev/md0", "- - > md0:md > nvme0n1:disk [nvme-local]"},
    {"== zpool status\n"
     "  pool: tank\n state: ONLINE\n  scan: none requested\nconfig:\n\n"
     "\tNAME                  STATE     READ WRITE CKSUM\n"
     "\ttank                  ONLINE       0     0     0\n"
     "\t  mirror-0            ONLINE       0     0     0\n"
     "\t    /dev/nvme0n1p1    ONLINE       0     0     0\n"
     "\t    /dev/nvme1n1p1    ONLINE       0     0     3\n"
     "\tlogs\n"
     "\t  nvme2n1             ONLINE       0     0     0\n"
     "\tspares\n"
     "\t  nvme4n1             AVAIL\n\n"
     "errors: No known data errors\n"
     "== zfs get\n"
     "tank/db\trecordsize\t16384\tlocal\n"
     "tank/db\tmountpoint\t/db\tlocal\n",
     "/db/x",
     "zfs /db > tank:pool > mirror-0:vdev+nvme2n1:disk > nvme0n1p1:partition+nvme1n1p1:partition > "
     "nvme0n1:disk+nvme1n1:disk [nvme-local]"},
    {"== btrfs\n"
     "Label: none  uuid: 0f9a\n"
     "\tTotal devices 2 FS bytes used 1.00GiB\n"
     "\tdevid    1 size 10.00GiB used 2.00GiB path /dev/sdb\n"
     "\tdevid    2 size 10.00GiB used 2.00GiB path /dev/sdc\n"
     "== mount\n"
     "/dev/sdc /mnt/b btrfs rw,relatime,subvol=/db 0 0\n",
     "/mnt/b", "btrfs /mnt/b > sdb:disk+sdc:disk [unknown]"},
    {"== mount\nnas:/export on /data type nfs4 (rw,relatime)\n", "/data", "nfs /data [network] cut"},
    {"== mount\ntmpfs on /data type tmpfs (rw)\n", "/data/x", "tmpfs /data [memory] cut"},
    {"== mount\n"
     "overlay on / type overlay (rw,relatime,lowerdir=/l,upperdir=/u,workdir=/w)\n",
     "/var/lib/mysql", "overlay / [unknown] cut"},
    {"== findmnt\n"
     "TARGET SOURCE         FSTYPE OPTIONS\n"
     "/      /dev/vda1[/@]  btrfs  rw,noatime\n",
     "/x", "btrfs / > vda1:partition > vda:disk [virtual]"},
    {"== multipath\n"
     "mpatha (3600a098) dm-2 NETAPP,LUN C-Mode\n"
     "size=1.0T features='0' hwhandler='0' wp=rw\n"
     "|-+- policy='service-time 0' prio=50 status=active\n"
     "| `- 1:0:0:1 sdb 8:16 active ready running\n"
     "`-+- policy='service-time 0' prio=10 status=enabled\n"
     "  `- 2:0:0:1 sdc 8:32 active ready running\n"
     "== df\n"
     "/dev/mapper/mpatha   1.0T  1G  1.0T   1% /m\n",
     "/m", "- /m > mpatha:multipath > sdb:disk+sdc:disk [san]"},
    {"== cryptsetup\n"
     "/dev/mapper/secret is active and is in use.\n"
     "  type:    LUKS2\n"
     "  cipher:  aes-xts-plain64\n"
     "  device:  /dev/nvme0n1p4\n"
     "  sector size:  4096\n"
     "  flags:   discards no_read_workqueue no_write_workqueue\n"
     "== df\n"
     "Filesystem         Type 1K-blocks Used Available Use% Mounted on\n"
     "/dev/mapper/secret ext4    100000   10     99990   1% /s\n",
     "/s", "ext4 /s > secret:crypt > nvme0n1p4:partition > nvme0n1:disk [nvme-local]"},
    {"== lsblk\n"
     "NAME    MAJ:MIN TYPE\n"
     "nvme0n1 259:0   disk\n"
     "nvme1n1 259:1   disk\n"
     "== dmsetup table\n"
     "vg-x: 0 2048 striped 2 256 259:0 2048 259:1 2048\n",
     "/dev/mapper/vg-x", "- - > vg-x:lvm-striped > nvme0n1:disk+nvme1n1:disk [nvme-local]"},
    {"== dmsetup ls\n"
     "luks-a (253:1)\n"
     " └─vg-root (253:0)\n"
     "    └─ (259:2)\n",
     "luks-a", "- - > luks-a:dm > vg-root:dm [unknown] cut"},
    {"== mount\n/dev/mapper/nobody-knows on / type ext4 (rw)\n", "/", "ext4 / > nobody-knows:dm [unknown] cut"},
    {"== mount\n/dev/sda1 on /boot type ext4 (rw)\n", "/data", "nothing"},
};

static void test_chains(void **state)
{
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(chains); i++) {
        ARENA_AUTO a = arena_new();
        const char *got = chain_text_of(a, chains[i].text, chains[i].ask);
        if (strcmp(got, chains[i].expected) != 0) {
            print_error("chain %zu (%s):\n  got  %s\n  want %s\n", i, chains[i].ask, got, chains[i].expected);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* ---- single figures -------------------------------------------------------------------------- */

static const char *key_of(struct arena *a, const char *text, const char *node, const char *key)
{
    const struct stack_node *n = stack_find(stack_of(a, text), span_of(node));
    return n == NULL ? "no node" : span_dup(a, layer_value(&n->keys, key));
}

static const char raid10[] = "== mdstat\n"
                             "md3 : active raid10 nvme5n1[3] nvme3n1[2](R) nvme4n1[1] nvme0n1[0]\n"
                             "      7501212320 blocks super 1.2 16K chunks 2 near-copies [4/3] [UU_U]\n"
                             "      [==>..]  resync = 12.6% (37043392/292945152) finish=127.5min\n";

static void test_keys(void **state)
{
    static const struct {
        const char *text, *node, *key, *value;
    } rows[] = {
        {raid10, "md3", "raid", "raid10"},
        {raid10, "/dev/md3", "chunk", "16384"},
        {raid10, "md3", "layout", "near=2"},
        {raid10, "md3", "degraded", "1"},
        {raid10, "md3", "disks", "4"},
        {raid10, "md3", "sync", "resync"},
        {raid10, "md3", "done", "12"},
        {raid10, "md3", "size", "7681241415680"},
        {"== fdisk\nDisk /dev/sda: 10 GiB, 10737418240 bytes, 20971520 sectors\n"
         "Units: sectors of 1 * 512 = 512 bytes\nDevice     Boot Start      End  Sectors Size Id Type\n"
         "/dev/sda1  *       63  20971519 20971457  10G 83 Linux\n",
         "sda1", "start", "32256"},
        {"== xfs_info\nmeta-data=/dev/sdb isize=512    agcount=4, agsize=655360 blks\n"
         "         =                       sectsz=4096  attr=2\n"
         "data     =                       bsize=16384  blocks=2621440, imaxpct=25\n",
         "sdb", "fsblock", "16384"},
        {"== lvm\n  LV   VG Attr       LSize Pool Origin Data%  Meta%\n"
         "  snap v  swi-a-s---  1.00g      base   97.12\n",
         "/dev/v/snap", "used", "97"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        const char *got = key_of(a, rows[i].text, rows[i].node, rows[i].key);
        if (strcmp(got, rows[i].value) != 0) {
            print_error("%s of %s: got '%s'\n", rows[i].key, rows[i].node, got);
        }
        assert_string_equal(got, rows[i].value);
    }
}

static void test_names(void **state)
{
    static const struct {
        const char *name, *expected;
    } rows[] = {{"/dev/sda", "sda"},          {"/dev/mapper/vg-lv", "vg-lv"}, {"/dev/vg/lv", "vg-lv"},
                {"/dev/v-g/l-v", "v--g-l--v"}, {"/dev/md/data", "md/data"},    {"sda", "sda"},
                {"nas:/x", "nas:/x"},          {" /dev/sdb ", "sdb"},          {"/dev/", ""}};
    ARENA_AUTO a = arena_new();
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_string_equal(span_dup(a, stack_name(a, span_of(rows[i].name))), rows[i].expected);
    }
}

static void test_columns(void **state)
{
    struct columns c;
    struct span cells[COLUMNS_MAX];
    size_t first = 99;
    (void)state;
    assert_int_equal(columns_read(&c, SPAN_LIT("Filesystem     Type  Size Use% Mounted on")), 5);
    columns_split(&c, SPAN_LIT("/dev/sda1      xfs    30G  11% /a b c"), cells, &first);
    assert_true(span_eq_text(cells[4], "/a b c"));
    assert_int_equal(first, 0);
    assert_int_equal(columns_read(&c, SPAN_LIT("NAME   FSTYPE LABEL  MOUNTPOINT")), 4);
    columns_split(&c, SPAN_LIT("└─x    xfs           /x"), cells, &first);
    assert_true(span_eq_text(cells[0], "x"));
    assert_true(span_eq_text(cells[1], "xfs"));
    assert_int_equal(cells[2].len, 0);
    assert_true(span_eq_text(cells[3], "/x"));
    assert_int_equal(first, 2);
    columns_split(&c, SPAN_LIT(""), cells, &first);
    assert_int_equal(cells[0].len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chains), cmocka_unit_test(test_keys),
                                       cmocka_unit_test(test_names), cmocka_unit_test(test_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
