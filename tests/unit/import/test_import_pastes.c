/* Pastes of storage tools as people make them, through the whole import: which chain comes out for a path. Each row is
 * a kind of trouble that was read wrong or not at all once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/import/import.h"
#include "probes/probe.h"

#include "advisor/base/banned.h"

static void add(struct buf *b, const struct store *s, const struct subject *sub, const char *fact)
{
    const struct fact *f = store_get(s, sub, span_of(fact));
    buf_add_text(b, b->len > 0 ? " " : "");
    if (f == NULL || f->state != FACT_KNOWN) {
        buf_add_text(b, "-");
    } else {
        value_print(b, &f->value);
    }
}

static void add_chain(struct buf *b, const struct store *s, const struct subject *sub)
{
    const struct fact *f = store_get(s, sub, SPAN_LIT("volume.chain"));
    for (size_t i = 0; f != NULL && f->state == FACT_KNOWN && i < f->value.n_items; i++) {
        buf_add_text(b, " > ");
        buf_add_span(b, f->value.items[i]);
    }
}

/* "FS MOUNTPOINT > a:kind > b:kind+c:kind CLASS", and the facts asked for. */
static const char *read_of(struct arena *a, const char *text, const char *ask, const char *facts)
{
    struct err e = ERR_INIT;
    struct decl_set *decls = decl_set_new(a);
    struct buf b;
    assert_true(probes_declare(decls, &e));
    struct store *s = store_new(a, decls);
    struct import *im = import_new(a, s, NULL);
    import_ask(im, ask);
    if (!import_text(im, "paste", span_of(text), &e)) {
        return arena_printf(a, "%s", e.text);
    }
    import_end(im);
    const char *label = strncmp(ask, "pool ", 5) == 0 ? ask + 5 : ask;
    const struct subject *sub = store_find_subject(s, arena_printf(a, "volume:%s", label));
    if (sub == NULL) {
        return "nothing";
    }
    buf_init(&b, a, 4096);
    add(&b, s, sub, "volume.fs.type");
    add(&b, s, sub, "volume.mountpoint");
    add_chain(&b, s, sub);
    add(&b, s, sub, "volume.storage_class");
    struct span rest = span_of(facts), name;
    while (span_word(&rest, &name)) {
        add(&b, s, sub, arena_printf(a, "volume.%.*s", SPAN_ARG(name)));
    }
    return b.ptr;
}

static const struct {
    const char *text, *ask, *facts, *want;
} rows[] = {
    {"NAME           FSTYPE      LABEL MOUNTPOINT\n"
     "nvme0n1\n"
     "└─nvme0n1p3    LVM2_member\n"
     "  └─vg0-data   ext4              /data\n",
     "/data", "stack.kinds", "ext4 /data > vg0-data:lvm-linear > nvme0n1p3:partition > nvme0n1:disk nvme-local "
                             "lvm-linear, partition"},
    /* a type that only what lies below tells; a model with blanks in the middle */
    {"NAME        HCTL          SIZE MODEL                      MOUNTPOINT\n"
     "sdc         1:0:0:0         1T Virtual Disk\n"
     "└─sdc1                      1T                            /db\n"
     "nvme0n1                   1.8T Microsoft NVMe Direct Disk\n"
     "└─nvme0n1p1               1.8T                            /scratch\n",
     "/scratch", "", "- /scratch > nvme0n1p1:partition > nvme0n1:disk nvme-local-ephemeral"},
    /* bcache is a disk on a partition: the drawing is not upside down */
    {"NAME          MAJ:MIN RM   SIZE RO TYPE  MOUNTPOINT\n"
     "sdb             8:16   0   1.8T  0 disk\n"
     "└─bcache0     252:0    0   1.8T  0 disk  /srv\n"
     "nvme0n1       259:0    0 238.5G  0 disk\n"
     "└─nvme0n1p1   259:1    0   100G  0 part\n"
     "  └─bcache0   252:0    0   1.8T  0 disk  /srv\n",
     "/srv", "", "- /srv > bcache0:disk > sdb:disk+nvme0n1p1:partition > nvme0n1:disk -"},
    {"NAME=\"sdq\" MAJ:MIN=\"65:0\" SIZE=\"1T\" TYPE=\"disk\" MOUNTPOINT=\"/my\\x20sql\"\n", "/my sql", "",
     "- /my sql > sdq:disk -"},
    {"NAME        ALIGNMENT MIN-IO  OPT-IO PHY-SEC LOG-SEC ROTA SCHED RQ-SIZE  RA WSAME\n"
     "nvme0n1             0    512       0     512     512    0 none     1023 128    0B\n"
     "└─nvme0n1p2         0    512       0     512     512    0 none     1023 128    0B\n",
     "/dev/nvme0n1p2", "", "- - > nvme0n1p2:partition > nvme0n1:disk nvme-local"},
    /* quoted within a letter; a row of findmnt that looks like one of /proc/mounts */
    {"Look at this:\n\n> # lsblk\n> NAME        MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT\n> nvme3n1     259:0    0  1.8T  0 disk\n"
     "> └─nvme3n1p2 259:2    0  1.8T  0 part /q\n\nIs it fine?\n",
     "/q", "", "- /q > nvme3n1p2:partition > nvme3n1:disk nvme-local"},
    {"TARGET SOURCE    FSTYPE OPTIONS\n/      /dev/sda1 ext4   rw,relatime,errors=remount-ro\n", "/x", "",
     "ext4 / > sda1:partition > sda:disk -"},
    {"TARGET       SOURCE      FSTYPE OPTIONS\n"
     "/            /dev/vda2   xfs    rw,relatime\n"
     "├─/boot      /dev/vda1   xfs    rw,relatime\n"
     "└─/srv/db    /dev/vdb    ext4   rw,noatime\n",
     "/srv/db/x", "", "ext4 /srv/db > vdb:disk virtual"},
    {"TARGET=\"/srv\" SOURCE=\"/dev/nvme0n1p3\" FSTYPE=\"xfs\" OPTIONS=\"rw,noatime\"\n", "/srv", "fs.atime",
     "xfs /srv > nvme0n1p3:partition > nvme0n1:disk nvme-local noatime"},
    {"tank/my\\040log /my\\040sql zfs rw,noatime,xattr,noacl 0 0\n/dev/sda1 / ext4 rw,relatime 0 0\n", "/my sql", "",
     "zfs /my sql -"},
    {"/dev/sda1 on / type ext4 (rw)\n/dev/sdd1 on /srv/db/ type xfs (rw,noatime) [data]\n", "/srv/db", "options",
     "xfs /srv/db > sdd1:partition > sdd:disk - rw,noatime"},
    {"zroot/db on /db (zfs, local, noatime, nfsv4acls)\n", "/db", "", "zfs /db -"},
    /* fstab names what blkid names */
    {"$ cat /etc/fstab\nUUID=12-34 /db xfs noatime 0 0\n$ blkid\n/dev/nvme1n1p1: UUID=\"12-34\" TYPE=\"xfs\"\n", "/db", "",
     "xfs /db > nvme1n1p1:partition > nvme1n1:disk nvme-local"},
    {"Filesystem           1K-blocks Used Available Use% Mounted on\nfs1.example.org:/ 9007199254739968 0 "
     "9007199254739968   0% /db\n",
     "/db", "", "- /db network"},
    /* the tables of the device mapper before the names of the numbers */
    {"# dmsetup table\nvg-db: 0 4194304 striped 2 128 259:0 2048 259:1 2048\n# lsblk\n"
     "NAME    MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\nnvme0n1 259:0    0 1.8T  0 disk\nnvme1n1 259:1    0 1.8T  0 disk\n",
     "/dev/vg/db", "stack.stripe_count stack.chunk_bytes",
     "- - > vg-db:lvm-striped > nvme0n1:disk+nvme1n1:disk nvme-local 2 64 KiB"},
    {"# dmsetup ls --tree -o blkdevname\nvg-db <dm-0> (253:0)\n ├─ <nvme1n1> (259:1)\n └─ <nvme0n1> (259:0)\n", "/dev/vg/db",
     "", "- - > vg-db:dm > nvme1n1:disk+nvme0n1:disk nvme-local"},
    /* one physical volume holds all of its group; of two nobody says which */
    {"# pvs\n  PV             VG   Fmt  Attr PSize    PFree\n  /dev/nvme1n1   my-vg lvm2 a--    1.75t      0\n# df -T\n"
     "Filesystem            Type  Size  Used Avail Use% Mounted on\n/dev/mapper/my--vg-db ext4  1.8T  1.0T  700G  59% /db\n",
     "/db", "", "ext4 /db > my--vg-db:lvm-linear > nvme1n1:disk nvme-local"},
    {"# pvs\n  PV             VG   Fmt  Attr PSize    PFree\n  /dev/nvme1n1   vg lvm2 a--    1.75t      0\n"
     "  /dev/nvme2n1   vg lvm2 a--    1.75t      0\n# df\n"
     "Filesystem            Size  Used Avail Use% Mounted on\n/dev/mapper/vg-db 1.8T  1.0T  700G  59% /db\n",
     "/db", "", "- /db > vg-db:dm -"},
    {"  LV:VG:Type:#Str:Stripe:Devices\n  db:vg:striped:2:16.00k:/dev/nvme0n1p1(0),/dev/nvme1n1p1(0)\n", "/dev/vg/db",
     "stack.stripe_count stack.chunk_bytes",
     "- - > vg-db:lvm-striped > nvme0n1p1:partition+nvme1n1p1:partition > nvme0n1:disk+nvme1n1:disk nvme-local 2 16 KiB"},
    /* chunks of a bitmap are none of the array; members of an array that is not assembled are no spares */
    {"md1 : active raid1 sdb2[1] sda2[0]\n      41906176 blocks super 1.2 [2/2] [UU]\n"
     "      bitmap: 0/1 pages [0KB], 65536KB chunk\n\nunused devices: <none>\n",
     "/dev/md1", "stack.chunk_bytes stack.md_degraded",
     "- - > md1:md > sdb2:partition+sda2:partition > sdb:disk+sda:disk - - 0"},
    {"md3 : inactive sde1[1](S)\n      976631360 blocks super 1.2\n\nunused devices: <none>\n", "/dev/md3", "",
     "- - > md3:md > sde1:partition > sde:disk -"},
    {"/dev/md0:\n        Raid Level : raid10\n      Raid Devices : 4\n            Layout : near=2\n        Chunk Size : 512K\n\n"
     "    Number   Major   Minor   RaidDevice State\n"
     "       0     259        1        0      active sync set-A   /dev/nvme0n1\n"
     "       1     259        3        1      active sync set-B   /dev/nvme1n1\n"
     "       4     259        9        2      spare rebuilding   /dev/nvme4n1\n"
     "       -       0        0        3      removed\n\n"
     "       5     259       11        -      spare   /dev/nvme5n1\n",
     "/dev/md0", "stack.md_degraded", "- - > md0:md > nvme0n1:disk+nvme1n1:disk+nvme4n1:disk nvme-local 2"},
    /* zfs list is no lsblk */
    {"# zpool status\n  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n"
     "\ttank        ONLINE       0     0     0\n\t  mirror-0  ONLINE       0     0     0\n"
     "\t    nvme0n1 ONLINE       0     0  1.2K\n\t    nvme1n1 ONLINE       0     0     0\n\nerrors: No known data errors\n"
     "# zfs list\nNAME       USED  AVAIL  REFER  MOUNTPOINT\ntank      1.00T  2.00T    96K  /tank\n"
     "tank/db    900G  2.00T   900G  /db\n# zfs get recordsize tank/db\n"
     "NAME     PROPERTY    VALUE    SOURCE\ntank/db  recordsize  16K      local\n",
     "/db", "zfs.pool_errors zfs.recordsize",
     "zfs /db > tank:pool > mirror-0:vdev > nvme0n1:disk+nvme1n1:disk nvme-local 1,200 16 KiB"},
    {"NAME          SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT\n"
     "tank         7.27T  3.12T  4.15T        -         -    35%    42%  1.00x    ONLINE  -\n"
     "  mirror-0   3.62T  1.56T  2.06T        -         -    35%  43.1%      -    ONLINE\n"
     "    nvme0n1  3.64T      -      -        -         -      -      -      -    ONLINE\n"
     "    nvme1n1  3.64T      -      -        -         -      -      -      -    ONLINE\n"
     "logs             -      -      -        -         -      -      -      -         -\n"
     "  nvme4n1      10G      0   9.5G        -         -     0%  0.00%      -    ONLINE\n",
     "pool tank", "zfs.pool_state zfs.pool_used_ratio zfs.slog zfs.pool_errors leaf_devices",
     "zfs - > tank:pool > mirror-0:vdev+nvme4n1:disk > nvme0n1:disk+nvme1n1:disk nvme-local online 42 % true - "
     "nvme0n1, nvme1n1"},
    {"{\"output_version\":{\"command\":\"zpool status\"},\"pools\":{\"tank\":{\"name\":\"tank\",\"state\":\"DEGRADED\",\"vdevs\":"
     "{\"tank\":{\"vdev_type\":\"root\",\"state\":\"DEGRADED\",\"vdevs\":{\"raidz2-0\":{\"vdev_type\":\"raidz\",\"state\":\"DEGRADED\","
     "\"vdevs\":{\"sda\":{\"vdev_type\":\"disk\",\"state\":\"ONLINE\",\"checksum_errors\":\"2\"},\"sdb\":{\"vdev_type\":\"disk\","
     "\"state\":\"UNAVAIL\"}}}}}},\"l2cache\":{\"sdc\":{\"vdev_type\":\"disk\",\"state\":\"ONLINE\"}}}}}",
     "pool tank", "zfs.pool_state zfs.vdev_kind zfs.pool_errors leaf_devices",
     "zfs - > tank:pool > raidz2-0:vdev+sdc:disk > sda:disk+sdb:disk - degraded raidz2 2 sda, sdb"},
    {"{\"datasets\":{\"tank/db\":{\"properties\":{\"recordsize\":{\"value\":\"16K\"},\"mountpoint\":{\"value\":\"/db\"}}}}}", "/db", "",
     "zfs /db -"},
    /* all devices of btrfs stand below each kind of data */
    {"# btrfs filesystem usage /srv\nData,RAID1: Size:1.00GiB, Used:512.00MiB (50.00%)\n   /dev/nvme0n1\t   1.00GiB\n"
     "   /dev/nvme1n1\t   1.00GiB\n# df /srv\nFilesystem      Size  Used Avail Use% Mounted on\n"
     "/dev/nvme0n1    1.9T  512M  1.9T   1% /srv\n",
     "/srv", "btrfs.data_profile", "btrfs /srv > nvme0n1:disk+nvme1n1:disk nvme-local raid1"},
    {"# xfs_info /srv\nmeta-data=/dev/nvme0n1p1         isize=512    agcount=32, agsize=1000 blks\n"
     "data     =                       bsize=4096   blocks=123, imaxpct=5\n",
     "/srv", "fs.block_size", "xfs /srv > nvme0n1p1:partition > nvme0n1:disk nvme-local 4 KiB"},
    {"  --- Logical volume ---\n  LV Path                /dev/vg1/db\n  LV Name                db\n"
     "  VG Name                vg1\n  Block device           253:0\n\n  --- Segments ---\n  Logical extents 0 to 9:\n"
     "    Type\t\tstriped\n    Stripes\t\t2\n    Stripe size\t\t64.00 KiB\n    Stripe 0:\n"
     "      Physical volume\t/dev/nvme0n1\n      Physical extents\t0 to 4\n    Stripe 1:\n"
     "      Physical volume\t/dev/nvme1n1\n      Physical extents\t0 to 4\n",
     "/dev/vg1/db", "stack.stripe_count stack.chunk_bytes",
     "- - > vg1-db:lvm-striped > nvme0n1:disk+nvme1n1:disk nvme-local 2 64 KiB"},
    {"  --- Physical volume ---\n  PV Name               /dev/nvme0n1p3\n  VG Name               vg1\n"
     "  --- Logical volume ---\n  LV Path                /dev/vg1/db\n  VG Name                vg1\n",
     "/dev/vg1/db", "", "- - > vg1-db:lvm-linear > nvme0n1p3:partition > nvme0n1:disk nvme-local"},
    /* blanks that a form squeezed: levels are told by what the drawing and the rows say */
    {"NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\nsda 8:0 0 1.8T 0 disk\n├─sda1 8:1 0 512M 0 part /boot\n"
     "└─sda2 8:2 0 1.8T 0 part\n └─md0 9:0 0 1.8T 0 raid1\n ├─vg-root 253:0 0 50G 0 lvm /\n"
     " └─vg-db 253:1 0 1T 0 lvm /db\nsdb 8:16 0 1.8T 0 disk\n└─sdb2 8:18 0 1.8T 0 part\n └─md0 9:0 0 1.8T 0 raid1\n"
     " ├─vg-root 253:0 0 50G 0 lvm /\n └─vg-db 253:1 0 1T 0 lvm /db\n",
     "/db", "", "- /db > vg-db:lvm-linear > md0:md > sda2:partition+sdb2:partition > sda:disk+sdb:disk -"},
    {"NAME KNAME FSTYPE MOUNTPOINT SIZE MODEL ROTA SCHED TRAN\nsda sda 931.5G Some Disk 0 mq-deadline sata\n"
     "└─sda1 sda1 ext4 / 931.5G 0 mq-deadline\nnvme0n1 nvme0n1 crypto_LUKS 3.5T Other Disk 0 none nvme\n"
     "└─secret dm-0 xfs /db 3.5T 0\n",
     "/db", "", "xfs /db > secret:crypt > nvme0n1:disk nvme-local"},
    {" pool: tank\n state: DEGRADED\nconfig:\n\n NAME STATE READ WRITE CKSUM\n tank DEGRADED 0 0 0\n mirror-0 DEGRADED 0 0 0\n"
     " replacing-0 DEGRADED 0 0 0\n sda UNAVAIL 0 0 0 was /dev/sda1\n sdx ONLINE 0 0 0\n sdb ONLINE 0 0 0\n"
     " mirror-1 ONLINE 0 0 0\n sdc ONLINE 0 0 0\n sdd ONLINE 0 0 0\n logs\n sde ONLINE 0 0 0\n\nerrors: No known data errors\n",
     "pool tank", "zfs.vdev_count zfs.vdev_kind leaf_devices",
     "zfs - > tank:pool > mirror-0:vdev+mirror-1:vdev+sde:disk > replacing-0:vdev+sdb:disk+sdc:disk+sdd:disk > "
     "sda:disk+sdx:disk - 2 mirror sda, sdb, sdc, sdd, sdx"},
    {"Node         SN      Model                            Namespace Usage                   Format       FW Rev\n"
     "------------ ------- -------------------------------- --------- ----------------------- ------------ ------\n"
     "/dev/nvme1n1 AWS0001 Amazon EC2 NVMe Instance Storage 1         50.00  GB /  50.00  GB  512 B +  0 B 0\n",
     "/dev/nvme1n1", "", "- - > nvme1n1:disk nvme-local-ephemeral"},
    {"# btrfs filesystem usage -T /srv\n               Data     Metadata  System\n"
     "Id Path        RAID1    RAID1     RAID1    Unallocated Total     Slack\n"
     "-- ----------- -------- --------- -------- ----------- --------- -----\n"
     " 1 /dev/sda    64.00MiB  40.00MiB  8.00MiB   288.00MiB 400.00MiB     -\n"
     " 2 /dev/sdb    64.00MiB  40.00MiB  8.00MiB   288.00MiB 400.00MiB     -\n",
     "/srv", "btrfs.data_profile", "btrfs /srv > sda:disk+sdb:disk - raid1"},
    {"# df -T /srv\nFilesystem     Type  1K-blocks Used Available Use% Mounted on\n/dev/sda1      btrfs    409600 3712    360448   2% "
     "/srv\n# btrfs fi df /srv\nData, single: total=8.00MiB, used=0.00B\n",
     "/srv", "btrfs.data_profile", "btrfs /srv > sda1:partition > sda:disk - single"},
    {"# dumpe2fs -h /dev/sdb1\nFilesystem volume name:   <none>\nLast mounted on:          /old\n"
     "Filesystem magic number:  0xEF53\nFilesystem features:      has_journal ext_attr\nBlock size:               4096\n"
     "# df -hT /srv\nFilesystem     Type  Size  Used Avail Use% Mounted on\n/dev/sdb1      ext4  1.8T  1.1T  700G  61% /srv\n",
     "/srv", "fs.block_size", "ext4 /srv > sdb1:partition > sdb:disk - 4 KiB"},
    /* the last row lacks its newline */
    {"# df -h\nFilesystem      Size  Used Avail Use% Mounted on\n/dev/sda1       1.8T  1.1T  700G  61% /\n"
     "/dev/nvme0n1p2  1.8T  1.1T  700G  61% /db",
     "/db", "", "- /db > nvme0n1p2:partition > nvme0n1:disk nvme-local"},
    /* a list names one device below each, also of what stands on several */
    {"NAME      PKNAME    TYPE MOUNTPOINT\nnvme0n1             disk\nnvme0n1p1 nvme0n1   part /boot\nvg-db     nvme0n1p1 lvm  /db\n", "/db",
     "leaf_devices", "- /db > vg-db:dm > nvme0n1p1:partition > nvme0n1:disk - -"},
    {"NAME     MOUNTPOINT  RECSIZE  COMPRESS\ntank/db  /db         16K      lz4\n", "/db", "", "zfs /db -"},
    /* headings that an option left off */
    {"$ findmnt -no SOURCE,TARGET,FSTYPE /db\n/dev/mapper/vg-db /db xfs\n# lvs --noheadings -o lv_name,vg_name,devices\n"
     "  db vg /dev/nvme0n1p1(0)\n",
     "/db", "", "xfs /db > vg-db:lvm-linear > nvme0n1p1:partition > nvme0n1:disk nvme-local"},
    {"Nov 12 10:00:01 db1 cron[7]: NAME    MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\n"
     "Nov 12 10:00:01 db1 cron[7]: nvme0n1 259:0    0 1.8T  0 disk\n"
     "Nov 12 10:00:01 db1 cron[7]: └─nvme0n1p1 259:1    0 1.8T  0 part /db\n",
     "/db", "", "- /db > nvme0n1p1:partition > nvme0n1:disk nvme-local"},
};

static void test_pastes(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        const char *got = read_of(a, rows[i].text, rows[i].ask, rows[i].facts);
        if (strcmp(got, rows[i].want) != 0) {
            print_message("paste %zu (%s):\n  got  %s\n  want %s\n", i, rows[i].ask, got, rows[i].want);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pastes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
