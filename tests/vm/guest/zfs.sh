# Pools of every kind that users make, below the roles of a server: what nvadvise says of them against
# zpool, zfs and the kernel's own figures, the verdicts, and what a check costs beside those tools.
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

GUEST_DIR=/tmp/zfs
mkdir $GUEST_DIR
t()
{
    echo "# $(cut -d' ' -f1 /proc/uptime) s: $*"
}

# pool NAME OPTIONS VDEVS: mounted at /s/NAME. Called through tap_ok.
# shellcheck disable=SC2317
pool()
{
    po_name=$1
    shift
    zpool create -f -m "/s/$po_name" "$@"
}

# What a check costs beside the tools. nvadvise lies on the guest's disk for it, as they do: each page of a program
# on /ro is asked of the host anew.
cp /ro/nvadvise /usr/local/bin/nvadvise
cat >$GUEST_DIR/others <<'SCRIPT'
for path in /sys/class/nvme/nvme*; do
    nvme smart-log "/dev/$(basename "$path")"
done
zpool status
SCRIPT

# cpu COMMAND...: user and system time of one run, children counted, in ms. On one processor: on several the
# guest counts as its own what the host takes from it.
cpu()
{
    taskset 1 sh -c '"$@" >/dev/null 2>&1 </dev/null; times' sh "$@" |
        awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, p, "[ms]"); sum += p[1] * 60000 + p[2] * 1000 }
            printf "%d\n", sum }'
}

# costs WHERE: sets cost, the median over five rounds of what a check takes of the CPU that smart-log on four
# controllers and zpool status take in the same round, in percent.
costs()
{
    for co_round in 1 2 3 4 5; do
        co_tools=$(cpu sh $GUEST_DIR/others)
        co_check=$(cpu /usr/local/bin/nvadvise check --all-devices --no-state --timeout 60)
        echo "$((100 * co_check / co_tools)) round $co_round: tools $co_tools ms, check $co_check ms"
    done | sort -n >$GUEST_DIR/costs
    cost=$(sed -n '3s/ .*//p' $GUEST_DIR/costs)
    sed "s/^\([0-9]*\) /# CPU $1: \1 %, /" $GUEST_DIR/costs
}

tap_ok "modules" modprobe zfs
mkdir -p /s
stacks_begin 5 ZFS || tap_fail "partitions" "cannot be made"
# A cache that is large beside the memory: 8 GiB behind the others.
addpart "/dev/${disk_c:?}" 9 $((2048 + 8 * 2097152)) 16777216
tap_ok "mirror" pool good -o ashift=12 -O recordsize=16k -O compression=lz4 -O atime=off good \
    mirror "$(part a 1)" "$(part b 1)"
tap_ok "its mirrored log" zpool add -f good log mirror "$(part c 1)" "$(part d 1)"
tap_ok "its cache" zpool add -f good cache "$(part c 9)"
tap_ok "raidz2 with large records" pool wide -o ashift=12 -O compression=gzip-9 \
    -O primarycache=metadata wide raidz2 "$(part a 2)" "$(part b 2)" "$(part c 2)" "$(part d 2)"
tap_ok "one partition, small sectors, a log on the same drive" pool nine -o ashift=9 \
    -O sync=disabled nine "$(part c 3)" log "$(part c 4)"
tap_ok "mirror" pool half -o ashift=12 -O recordsize=16k half mirror "$(part a 4)" "$(part b 4)"
tap_ok "that loses a leg" zpool offline half "$(part b 4)"
tap_ok "dataset with properties of its own" zfs create -o recordsize=8k -o logbias=throughput \
    good/logs
tap_ok "snapshot" zfs snapshot good/logs@one
t "pools"
tap_ok "a server with its roles on them" roles_start wide nine good half good/logs good
sync
zpool sync
tap_ok "facts are read" facts_read
t facts
compare_chain <<'TABLE'
volume:data|raidz2
volume:redo|one partition, a log on the same drive
volume:undo|mirror, mirrored log, cache
volume:binlog|mirror without a leg
volume:relaylog|dataset with a snapshot
volume:tmp|mirror, temporary files
TABLE

# zfs_read POOL DATASET: their properties as JSON, and the table of the pool.
zfs_read()
{
    {
        zpool get -Hp -o property,value all "$1" | sed 's/^/pool./'
        zfs get -Hp -o property,value all "$2"
    } | jq -R 'split("\t") | {key: .[0], value: .[1]}' | jq -s from_entries >$GUEST_DIR/zfs.json
    zpool status -P -L "$1" >$GUEST_DIR/status
}

for row in data:wide:wide redo:nine:nine undo:good:good binlog:half:half relaylog:good:good/logs; do
    volume=volume:${row%%:*}
    row=${row#*:}
    zfs_read "${row%%:*}" "${row#*:}"
    compare "zpool, zfs" "$volume" $GUEST_DIR/zfs.json <<'TABLE'
volume.zfs.recordsize .recordsize
volume.zfs.primarycache .primarycache
volume.zfs.logbias .logbias
volume.zfs.sync .sync
volume.zfs.atime .atime == "on"
volume.zfs.redundant_metadata .redundant_metadata
volume.zfs.snapshots_bytes .usedbysnapshots
volume.fs.compression .compression | if . == "off" then "none" else sub("-.*"; "") end
volume.zfs.ashift_min .["pool.ashift"]
volume.zfs.pool_used_ratio .["pool.capacity"] | tonumber / 100
volume.zfs.pool_frag .["pool.fragmentation"] | tonumber / 100
volume.zfs.pool_state .["pool.health"] | ascii_downcase
volume.zfs.autotrim .["pool.autotrim"] == "on"
TABLE
    # The running server goes on writing between the two readings.
    tap_is "$volume: compress ratio within 5 %" "$(fact "$volume" volume.zfs.compress_ratio) $(jq -r \
        '.compressratio | rtrimstr("x")' $GUEST_DIR/zfs.json |
        awk -v ours="$(fact "$volume" volume.zfs.compress_ratio)" \
            '{ print ($1 > 0 && ours > 0.95 * $1 && ours < 1.05 * $1) ? "near" : "not near " $1 }')" \
        "$(fact "$volume" volume.zfs.compress_ratio) near"
    compare_lines "names" "$volume" <<TABLE
volume.zfs.pool ${row%%:*}
volume.zfs.dataset ${row#*:}
volume.fs.type zfs
TABLE
    # Every device of the pool stands in the tree, also one that is gone, and no other.
    layers "$volume" >$GUEST_DIR/layers
    grep -o '/dev/[^ ]*' $GUEST_DIR/status | sed 's|/dev/||' | LC_ALL=C sort -u >$GUEST_DIR/theirs
    tap_is "zpool status: $volume: devices that are no layer" "$(while read -r name; do
        awk -v n="$name" '$2 == n || $2 == "/dev/" n { found = 1 } END { exit !found }' \
            $GUEST_DIR/layers || echo "$name in $(tr '\n' ';' <$GUEST_DIR/layers)"
    done <$GUEST_DIR/theirs)" ""
    tap_is "zpool status: $volume: layers that it does not name" "$(awk '$3 == "partition" {
        print $2 }' $GUEST_DIR/layers | LC_ALL=C sort -u | LC_ALL=C comm -23 - $GUEST_DIR/theirs)" ""
    tap_is "chain: $volume: devices that are not drawn" "$(grep -o '/dev/[^ ]*' $GUEST_DIR/status |
        sed 's|/dev/||' | while read -r name; do
        grep -q -F "$name" $GUEST_DIR/chain || echo "$name"
    done)" ""
done
compare_lines "vdevs" volume:data <<'TABLE'
volume.zfs.vdev_kind raidz2
volume.zfs.vdev_count 1
volume.zfs.slog false
TABLE
compare_lines "vdevs" volume:undo <<'TABLE'
volume.zfs.vdev_kind mirror
volume.zfs.slog true
volume.zfs.slog_mirrored true
volume.zfs.slog_shares_leaf false
volume.zfs.cache_device true
TABLE
compare_lines "vdevs" volume:redo <<'TABLE'
volume.zfs.vdev_kind disk
volume.zfs.slog true
volume.zfs.slog_mirrored false
volume.zfs.slog_shares_leaf true
TABLE
compare_lines "kernel" host <<TABLE
host.zfs.version $(sed 's/-.*//' /sys/module/zfs/version)
host.zfs.arc_max $(awk '$1 == "c_max" { print $3 }' /proc/spl/kstat/zfs/arcstats)
host.zfs.dirty_data_max $(cat /sys/module/zfs/parameters/zfs_dirty_data_max)
TABLE
t compared
# What the drives do without ZFS is another part's to measure.
check_read --facts $GUEST_DIR/facts.json --set device.power_loss_protection=true \
    --set bench.raw_ratio=20%
expect "a fifth of what the drives do" zfs-underperforms volume:data fail
expect "raidz2" zfs-raidz-oltp volume:data fail
expect "records of 128 KiB" zfs-recordsize volume:data fail
expect "records of 128 KiB, metadata cached alone" zfs-primarycache-metadata-large-record \
    volume:data fail
expect "gzip-9" zfs-heavy-compression volume:data fail
expect "no compression" zfs-heavy-compression volume:binlog not_applicable
expect "ashift 9" zfs-ashift-low volume:redo fail
expect "ashift 12" zfs-ashift-low volume:undo pass
expect "sync off" zfs-sync-disabled volume:redo fail
expect "sync standard" zfs-sync-disabled volume:undo pass
expect "a leg offline" zfs-pool-health volume:binlog fail
expect "log unmirrored, on the data drive" zfs-slog-unsafe volume:redo fail
expect "raidz2" data-single-drive volume:data pass
# Each pool is asked by itself, so that one that hangs costs its own facts alone: three runs of tools a pool.
costs "with a server on four pools"
tap_ok "a check with a server on four pools costs at most five times the tools ($cost %)" \
    test "$cost" -le 500
tap_ok "server stops" guest_server_stop

# ---- the healthy twin, and memory ----
zpool scrub -w good
tap_ok "the same server on a pool that fits it" roles_start good good good good good/logs good
sync
zpool sync
echo 134217728 >/sys/module/zfs/parameters/zfs_arc_max
tap_ok "facts are read" facts_read
check_read --facts $GUEST_DIR/facts.json --set device.power_loss_protection=true
expect "cache of 8 GiB, 128 MiB of memory" zfs-l2arc-headers volume:data fail
expect "mirror" zfs-raidz-oltp volume:data pass
tap_not "lz4 is not heavy" test "$(verdict zfs-heavy-compression volume:data)" = fail
expect "records of 16 KiB" zfs-recordsize volume:data pass
expect "everything cached" zfs-primarycache-metadata-large-record volume:data pass
expect "scrubbed just now" zfs-pool-health volume:data pass
expect "mirrored log elsewhere" zfs-slog-unsafe volume:data pass
expect "ARC of 128 MiB" zfs-arc-unbounded server pass
costs "with a server on one pool"
# Twice is what it should be: docs/storage-open.md says what is left.
tap_ok "a check with a server on a pool costs at most three times the tools ($cost %)" \
    test "$cost" -le 300
total=$(awk '/MemTotal/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)
echo $((total * 95 / 100)) >/sys/module/zfs/parameters/zfs_arc_max
tap_ok "facts are read" facts_read
check_read --facts $GUEST_DIR/facts.json --set device.power_loss_protection=true
expect "ARC of nearly all memory" zfs-arc-unbounded server fail
expect "cache of 8 GiB beside it" zfs-l2arc-headers volume:data pass
tap_ok "server stops" guest_server_stop
zfs destroy good/logs@one
# On a drive alone, without another server.
tap_ok "a server on one drive" roles_start nine good good good good/logs good
tap_ok "facts are read" facts_read
# Emulated: what the host keeps of it is not seen from here.
check_read --facts $GUEST_DIR/facts.json --set device.copies_behind=false
expect "one drive" data-single-drive volume:data fail
t judged

# ---- what a check costs ----
costs "with a server on two pools"
tap_ok "server stops" guest_server_stop
costs "of the drives, without a server"
tap_ok "a check of the drives costs at most twice the tools ($cost %)" test "$cost" -le 200
tap_is "the kernel reset no controller and saw no timeout" "$(kernel_said)" ""
tap_end
