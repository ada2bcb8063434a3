#!/bin/sh
# Every role of a server on a place of its own: behind symbolic links, bind mounts, a loop device, in
# memory. Each is followed to the disk that it ends on, in the server's own view of the filesystem.
set -u
cd "$(dirname "$0")/../.." || exit 1
# What is mounted here is seen by this test and its server alone, and goes with them.
if [ -z "${NV_UNSHARED:-}" ] && [ "$(id -u)" = 0 ]; then
    exec env NV_UNSHARED=1 unshare --mount --propagation private -- sh tests/integration/volumes.sh
fi
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/roots.sh
. tests/lib/roots.sh
# shellcheck source=tests/lib/servers.sh
. tests/lib/servers.sh
# shellcheck source=tests/lib/nvadvise.sh
. tests/lib/nvadvise.sh

reason=$(nv_missing)
[ -z "$reason" ] || tap_skip_all "$reason"
servers_begin
nv_begin
places=$SERVERS_TMP/places
mkdir -p "$places/loop" "$places/bound" "$places/memory"
chmod 711 "$places"
truncate -s 512M "$places/image"
mke2fs -q -t ext4 "$places/image" 2>/dev/null
mount -o loop,noatime "$places/image" "$places/loop" || tap_skip_all "no loop device can be mounted"
mount -t tmpfs tmpfs "$places/memory"
mkdir "$places/loop/redo" "$places/loop/logs" "$places/loop/away" "$places/lower" \
    "$places/loop/upper" "$places/loop/work" "$places/over"
chown "$ROOTS_UID:$ROOTS_UID" "$places/loop/redo" "$places/loop/logs" "$places/loop/away" \
    "$places/loop/upper" "$places/memory"
over=
if mount -t overlay overlay "$places/over" \
    -o "lowerdir=$places/lower,upperdir=$places/loop/upper,workdir=$places/loop/work"; then
    over=yes
fi
mount --bind "$places/loop/logs" "$places/bound"
ln -s loop/redo "$places/link"

server_start mariadb one && server_stop one
data=$(server_dir one)/data
mv "$data/ib_logfile0" "$places/loop/redo"
mv "$data" "$(server_dir one)/moved"
ln -s moved "$data"
ln -s "$places/loop/away" "$(server_dir one)/moved/away"
tap_ok "a server with every role elsewhere starts" server_start mariadb one \
    --innodb-log-group-home-dir="$places/link" --log-bin="$places/bound/binlog" \
    --tmpdir="$places/memory" ${over:+--relay-log="$places/over/relay"}
socket=$(server_socket one)
nv facts --socket "$socket" --format json
nv_ended "facts are read" 0

# of ROLE NAME: a fact of its volume, lists with commas.
of()
{
    jq -r --arg s "volume:$socket:$1" --arg n "$2" '.facts[] | select(.subject == $s and .name == $n)
        | if .state != "known" then .reason else .value | if type == "array" then join(",") else . end
          end' "$NV_OUT"
}

disk=$(of data volume.leaf_devices)
tap_ok "data: ends on a disk ($disk)" test -e "/sys/block/$disk"
tap_is "data: the link is followed" "$(of data volume.path)" "$(server_dir one)/moved"
tap_is "redo: the link is followed" "$(of redo volume.path)" "$places/loop/redo"
tap_is "redo: filesystem" "$(of redo volume.fs.type)" ext4
tap_is "redo: mount point" "$(of redo volume.mountpoint)" "$places/loop"
tap_is "redo: options" "$(of redo volume.fs.atime)" noatime
tap_has "redo: a loop device first" "$(of redo volume.chain)" ":loop,"
tap_is "redo: ends on the disk below its image" "$(of redo volume.leaf_devices)" "$disk"
tap_is "binlog: mount point of the bind mount" "$(of binlog volume.mountpoint)" "$places/bound"
tap_is "binlog: ends on the same disk" "$(of binlog volume.leaf_devices)" "$disk"
tap_is "tmp: filesystem" "$(of tmp volume.fs.type)" tmpfs
tap_is "roles without a place of their own belong to data" "$(of data volume.role)" \
    "data,doublewrite,$([ -n "$over" ] || printf relaylog,)undo"
tap_is "data: a schema behind a link is elsewhere" "$(of data volume.elsewhere)" "$places/loop/away"
tap_is "and a data volume of its own" "$(of data-2 volume.path)" "$places/loop/away"
tap_is "with its filesystem" "$(of data-2 volume.fs.type)" ext4
tap_is "binlog: the folder that is bound" "$(of binlog volume.mount_root)" /logs
if [ -n "$over" ]; then
    tap_is "relay log: filesystem" "$(of relaylog volume.fs.type)" overlay
    tap_has "relay log: a loop device below the upper folder" "$(of relaylog volume.chain)" ":loop,"
    tap_is "relay log: ends on the disk below the image" "$(of relaylog volume.leaf_devices)" "$disk"
else
    tap_skip "relay log on an overlay" "no overlay can be mounted here"
fi
tap_is "size of the data: from the files behind the link" \
    "$(nv_get '[.facts[] | select(.name == "server.data.bytes").value][0] > 0')" true
nv check --socket "$socket" --format json
tap_is "temporary files in memory are no fault" \
    "$(nv_get '[.findings[] | select(.rule == "fs-type-unfit" and .verdict == "fail").subject]
        - ["volume:'"$socket"':relaylog"] | length')" 0
server_stop one
tap_ok "a server with its binlog in memory starts" server_start mariadb one \
    --innodb-log-group-home-dir="$places/link" --log-bin="$places/memory/binlog"
nv check --socket "$socket" --format json
nv_ended "a binlog in memory: exit code 1" 1
tap_is "and that is the fault" \
    "$(nv_get '.findings[] | select(.rule == "fs-type-unfit" and .verdict == "fail").subject')" \
    "volume:$socket:binlog"
nv_sound "no sanitizer spoke"
server_stop one
[ -z "$over" ] || umount "$places/over"
umount "$places/bound" "$places/loop" "$places/memory"
tap_end
