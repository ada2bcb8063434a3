# Every kind of block device that users put below a server, each role on one: what nvadvise says of
# them against what lsblk, dmsetup, lvs, mdadm and cryptsetup print, and the verdicts.
# shellcheck source=tests/lib/tap.sh
. /ro/guest/tap.sh
# shellcheck source=tests/vm/guest/lib.sh
. /ro/guest/lib.sh
# shellcheck source=tests/vm/guest/server.sh
. /ro/guest/server.sh
# shellcheck source=tests/vm/guest/stacks.sh
. /ro/guest/stacks.sh
# shellcheck source=tests/vm/guest/judge.sh
. /ro/guest/judge.sh
# shellcheck source=tests/vm/guest/compare.sh
. /ro/guest/compare.sh

GUEST_DIR=/tmp/stack
mkdir $GUEST_DIR
t()
{
    echo "# $(cut -d' ' -f1 /proc/uptime) s: $*"
}

# lvs_read: one document of all logical volumes, keyed by the name of the mapping.
lvs_read()
{
    lvs -a --reportformat json --units b --nosuffix -o lv_dm_path,segtype,stripes,stripesize,\
data_percent,metadata_percent,snap_percent,cache_mode,lv_size,vg_extent_size |
        jq '[.report[0].lv[] | {key: (.lv_dm_path | sub("/dev/mapper/"; "")), value: .}] |
            from_entries' >$GUEST_DIR/lvs.json
}

# ---- what LVM makes ----
stacks_begin 13 || tap_fail "partitions" "cannot be made"
t partitions
tap_ok "volume group over two disks" vgcreate -q vg-one "$(part a 1)" "$(part b 1)"
tap_ok "linear over both" lvcreate -q -y -W n -n over -l 75%VG vg-one
tap_ok "volume group for stripes" vgcreate -q stripes "$(part a 2)" "$(part b 2)" "$(part c 2)"
tap_ok "stripe of 64 KiB" lvcreate -q -y -W n -n wide -i2 -I64k -L 600M stripes "$(part a 2)" \
    "$(part b 2)"
tap_ok "stripe of 4 KiB" lvcreate -q -y -W n -n narrow -i2 -I4k -L 600M stripes "$(part a 2)" \
    "$(part b 2)"
tap_ok "volume group for copies" vgcreate -q copies "$(part a 3)" "$(part b 3)"
tap_ok "thin pool" lvcreate -q -y --type thin-pool -n pool -L 400M copies "$(part a 3)"
tap_ok "thin volume" lvcreate -q -y --type thin -n thin -V 900M --thinpool pool copies
tap_ok "origin of a snapshot" lvcreate -q -y -W n -n origin -L 300M copies "$(part a 3)"
for name in over:vg--one-over wide:stripes-wide narrow:stripes-narrow thin:copies-thin \
    origin:copies-origin; do
    tap_ok "filesystem on ${name%:*}" stack_mount "${name%:*}" "/dev/mapper/${name#*:}" noatime \
        mke2fs -q -t ext4
done
tap_ok "snapshot" lvcreate -q -y -s -n snap -L 100M copies/origin
mkdir /s/snap
tap_ok "its filesystem" mount -o noatime /dev/copies/snap /s/snap
t "volumes of LVM"
tap_ok "a server with its roles on them" roles_start over wide narrow thin origin snap
lvs_read
mv $GUEST_DIR/lvs.json $GUEST_DIR/lvs-before.json
# shellcheck disable=SC2119
facts_read
t facts
lvs_read
compare_chain <<'TABLE'
volume:data|linear over two disks
volume:redo|stripe of 64 KiB
volume:undo|stripe of 4 KiB
volume:binlog|thin volume
volume:relaylog|origin of a snapshot
volume:tmp|snapshot
TABLE
for role in redo:stripes-wide undo:stripes-narrow; do
    compare lvs "volume:${role%%:*}" $GUEST_DIR/lvs.json <<TABLE
volume.stack.stripe_count .["${role#*:}"].stripes
volume.stack.chunk_bytes .["${role#*:}"].stripe_size
TABLE
done
# A pool that is in use moves between two looks, and LVM makes it write what it holds back: what was read
# lies between what LVM said before and after.
for what in data metadata; do
    ours=$(fact volume:binlog "volume.stack.thin_${what}_ratio")
    before=$(jq -r ".[\"copies-pool\"].${what}_percent" "$GUEST_DIR/lvs-before.json")
    after=$(jq -r ".[\"copies-pool\"].${what}_percent" "$GUEST_DIR/lvs.json")
    tap_is "lvs: how full the thin pool's $what is ($before, $ours, $after)" "$(awk -v ours="$ours" \
        -v before="$before" -v after="$after" 'BEGIN {
            low = before < after ? before : after
            high = before < after ? after : before
            # LVM rounds to hundredths of a percent.
            if (ours !~ /^0[.]/ || low <= 0 || ours * 100 < low - 0.01 || ours * 100 > high + 0.01) print "not between" }')" ""
done
tap_has "a snapshot is seen from its origin" "$(fact volume:relaylog volume.stack.kinds)" \
    lvm-snapshot
tap_has "and as such" "$(fact volume:tmp volume.stack.kinds)" lvm-snapshot
tap_is "two legs of a linear volume are no stripe" "$(fact volume:data volume.stack.stripe_count)" 1
# How busy a drive is takes a second look, which is another part of the program's.
check_read --facts $GUEST_DIR/facts.json --set volume.utilisation=90%
t judged
expect "linear over two busy disks" stack-linear-over-many volume:data fail
expect "striped over two busy disks" stack-linear-over-many volume:redo pass
expect "roles split over the same drives" stack-split-roles volume:data fail
expect "stripe of 4 KiB" stack-stripe-small volume:undo fail
expect "stripe of 64 KiB" stack-stripe-small volume:redo pass
expect "thin volume" stack-snapshot-or-thin volume:binlog fail
expect "origin with a snapshot" stack-snapshot-or-thin volume:relaylog fail
expect "stripe" stack-snapshot-or-thin volume:redo pass
tap_ok "server stops" guest_server_stop
umount /s/snap
lvremove -q -y copies/snap
t "LVM compared"

# ---- encryption, cache, md, loop, bind mount ----
echo secret >/tmp/key
for name in plain fast; do
    dev=$(part c 1)
    flags=
    if [ $name = fast ]; then
        dev=$(part d 1)
        flags="--perf-no_read_workqueue --perf-no_write_workqueue"
    fi
    # shellcheck disable=SC2086
    tap_ok "encrypted: $name" sh -c "cryptsetup -q luksFormat --pbkdf pbkdf2 \
        --pbkdf-force-iterations 1000 $dev /tmp/key &&
        cryptsetup open --key-file /tmp/key $flags $dev crypt-$name"
    tap_ok "its filesystem" stack_mount "crypt-$name" "/dev/mapper/crypt-$name" noatime \
        mke2fs -q -t ext4
done
t "encrypted"
tap_ok "slow volume" lvcreate -q -y -W n -n slow -L 300M copies "$(part b 3)"
tap_ok "fast volume" lvcreate -q -y -W n -n cache -L 100M copies "$(part a 3)"
tap_ok "cached" lvconvert -q -y --type cache --cachevol copies/cache copies/slow
tap_ok "its filesystem" stack_mount cached /dev/copies/slow noatime mke2fs -q -t ext4
t "cached"
modprobe -a raid1 raid10 raid456
tap_ok "md raid10" mdadm --create /dev/md10 --run --assume-clean --level=10 --chunk=128 \
    --bitmap=internal --bitmap-chunk=4M --raid-devices=4 "$(part a 4)" "$(part b 4)" "$(part c 4)" "$(part d 4)"
tap_ok "its filesystem" stack_mount md10 /dev/md10 noatime mke2fs -q -t ext4
t "md raid10"
mkdir -p /s/wide/inside /s/bound
tap_ok "bind mount" mount --bind /s/wide/inside /s/bound
ln -s /s/bound /s/link
truncate -s 200M /s/wide/image
tap_ok "image" mke2fs -q -t ext4 /s/wide/image
mkdir /s/loop
modprobe loop
tap_ok "loop device" mount -o loop,noatime /s/wide/image /s/loop
tap_ok "a server with its roles on them" roles_start crypt-plain crypt-fast cached md10 link loop
tap_ok "a schema behind a link, on another filesystem" sh -c "mkdir /s/md10/shop &&
    chown $guest_user:$guest_user /s/md10/shop && ln -s /s/md10/shop /s/crypt-plain/data/shop"
tap_ok "with a table" guest_sql "CREATE TABLE shop.orders (n INT) ENGINE=InnoDB"
# shellcheck disable=SC2119
facts_read
t facts
lvs_read
compare_chain <<'TABLE'
volume:data|encrypted through work queues
volume:data-2|schema behind a link, on md raid10
volume:redo|encrypted without them
volume:undo|cached by LVM
volume:binlog|md raid10
volume:relaylog|bind mount behind a link
volume:tmp|loop
TABLE
tap_is "cryptsetup: no flag" "$(fact volume:data volume.stack.crypt_no_workqueue)" false
tap_is "cryptsetup: both flags" "$(fact volume:redo volume.stack.crypt_no_workqueue)" \
    "$(cryptsetup status crypt-fast | grep -q 'no_read_workqueue no_write_workqueue' && echo true)"
tap_is "cryptsetup: cipher" "$(layer volume:data crypt-plain crypt cipher)" \
    "$(cryptsetup status crypt-plain | sed -n 's/^ *cipher: *//p')"
tap_is "cryptsetup: sector" "$(layer volume:data crypt-plain crypt sector)" \
    "$(cryptsetup status crypt-plain | sed -n 's/^ *sector size: *//p')"
key=$(dmsetup table --showkeys crypt-plain | cut -d' ' -f5)
tap_not "no key in the facts" grep -q "$key" $GUEST_DIR/facts.json
tap_has "cache" "$(fact volume:undo volume.stack.kinds)" lvm-cache
mdadm --detail --export /dev/md10 | jq -R 'split("=") | {key: .[0], value: .[1]}' |
    jq -s from_entries >$GUEST_DIR/md.json
compare mdadm volume:binlog $GUEST_DIR/md.json <<'TABLE'
volume.stack.md_level .MD_LEVEL
TABLE
tap_is "mdadm: chunk" "$(fact volume:binlog volume.stack.chunk_bytes)" 131072
tap_is "mdadm: complete" "$(fact volume:binlog volume.stack.md_degraded)" 0
tap_is "mdadm: idle" "$(fact volume:binlog volume.stack.md_sync_action)" idle
tap_is "a bind mount behind a link: its own mount point" "$(fact volume:relaylog volume.mountpoint)" \
    /s/bound
tap_has "loop" "$(fact volume:tmp volume.stack.kinds)" loop
tap_is "loop: ends below its image" "$(fact volume:tmp volume.leaf_devices)" \
    "$(fact volume:relaylog volume.leaf_devices)"
tap_is "a schema behind a link is seen" "$(fact volume:data volume.elsewhere)" /s/md10/shop
tap_is "as data of its own" "$(fact volume:data-2 volume.path)" /s/md10/shop
check_read --facts $GUEST_DIR/facts.json
expect "schema behind a link, on md with a bitmap in small pieces" stack-md-bitmap volume:data-2 fail
tap_not "the data beside the link have no bitmap" test "$(verdict stack-md-bitmap volume:data)" = fail
expect "encrypted through work queues" stack-dmcrypt-queues volume:data fail
expect "encrypted without them" stack-dmcrypt-queues volume:redo pass
expect "cached" stack-cache-layer volume:undo fail
expect "md raid10" stack-md-degraded volume:binlog pass
expect "bitmap in small pieces" stack-md-bitmap volume:binlog fail
expect "md raid10" stack-parity-raid volume:data pass
tap_ok "server stops" guest_server_stop
t "encryption and md compared"

# ---- parity, a missing leg, a rebuild, a cache of its own, a bad start, an overlay ----
echo 500 >/proc/sys/dev/raid/speed_limit_max
echo 500 >/proc/sys/dev/raid/speed_limit_min
tap_ok "volume group of three disks" vgcreate -q parity "$(part a 5)" "$(part b 5)" "$(part c 5)"
tap_ok "LVM raid5" lvcreate -q -y -W n --type raid5 -i2 -I64k --nosync -n five -L 300M parity
tap_ok "its filesystem" stack_mount five /dev/parity/five noatime mke2fs -q -t ext4
tap_ok "md raid5 that is being built" mdadm --create /dev/md5 --run --force --level=5 --chunk=64 \
    --raid-devices=3 "$(part a 6)" "$(part b 6)" "$(part c 6)"
tap_ok "its filesystem" stack_mount md5 /dev/md5 noatime mke2fs -q -t ext4
tap_ok "md raid1 without a leg" sh -c "yes | mdadm --create /dev/md1 --run --level=1 \
    --raid-devices=2 $(part a 7) missing"
tap_ok "its filesystem" stack_mount md1 /dev/md1 noatime mke2fs -q -t ext4
modprobe bcache
tap_ok "bcache" make-bcache --wipe-bcache -C "$(part c 7)" -B "$(part d 7)"
for dev in "$(part c 7)" "$(part d 7)"; do
    echo "$dev" >/sys/fs/bcache/register 2>/dev/null
done
tap_ok "its device" wait_for 20 test -b /dev/bcache0
tap_ok "its filesystem" stack_mount bcache /dev/bcache0 noatime mke2fs -q -t ext4
tap_ok "on an odd sector" stack_mount odd "$(part d 14)" noatime mke2fs -q -t ext4
mkdir -p /s/wide/upper /s/wide/work /s/lower /s/overlay
tap_ok "overlay" mount -t overlay overlay \
    -o lowerdir=/s/lower,upperdir=/s/wide/upper,workdir=/s/wide/work /s/overlay
t "parity and others"
tap_ok "a server with its roles on them" roles_start five md5 md1 bcache odd overlay
# shellcheck disable=SC2119
facts_read
t facts
lvs_read
compare_chain <<'TABLE'
volume:data|LVM raid5
volume:redo|md raid5 that is being built
volume:undo|md raid1 without a leg
volume:binlog|bcache
volume:relaylog|partition on an odd sector
volume:tmp|overlay|/dev/mapper/stripes-wide
TABLE
tap_is "LVM raid5: level" "$(fact volume:data volume.stack.md_level)" raid5
compare lvs volume:data $GUEST_DIR/lvs.json <<'TABLE'
volume.stack.chunk_bytes .["parity-five"].stripe_size
TABLE
for role in redo:md5 undo:md1; do
    md=/sys/block/${role#*:}/md
    tap_is "md: ${role#*:}: level" "$(fact "volume:${role%%:*}" volume.stack.md_level)" \
        "$(cat "$md/level")"
    tap_is "md: ${role#*:}: missing" "$(fact "volume:${role%%:*}" volume.stack.md_degraded)" \
        "$(cat "$md/degraded")"
    tap_is "md: ${role#*:}: running job" "$(fact "volume:${role%%:*}" volume.stack.md_sync_action)" \
        "$(cat "$md/sync_action")"
done
tap_has "bcache" "$(fact volume:binlog volume.stack.kinds)" bcache
same "offset of the odd partition" "$(fact volume:relaylog volume.partition_offset)" \
    $(($(cat "/sys/class/block/$(basename "$(part d 14)")/start") * 512))
tap_is "overlay: filesystem" "$(fact volume:tmp volume.fs.type)" overlay
tap_is "overlay: the drives below its upper folder" "$(fact volume:tmp volume.leaf_devices)" \
    "$(lsblk -sln -o KNAME,TYPE /dev/mapper/stripes-wide | awk '$2 == "disk" { print $1 }' |
        LC_ALL=C sort -u | paste -s -d , -)"
check_read --facts $GUEST_DIR/facts.json
expect "LVM raid5" stack-parity-raid volume:data fail
expect "md raid5" stack-parity-raid volume:redo fail
expect "md raid1 without a leg" stack-md-degraded volume:undo fail
expect "md raid5 that is being built" stack-md-degraded volume:redo fail
expect "bcache" stack-cache-layer volume:binlog fail
expect "on an odd sector" part-misaligned volume:relaylog fail
expect "on whole MiB" part-misaligned volume:undo pass
tap_ok "server stops" guest_server_stop
t "parity compared"
tap_is "the kernel reset no controller and saw no timeout" "$(kernel_said)" ""
tap_end
