#!/bin/sh
# A server on a btrfs of two devices: what nvadvise says of it equals what btrfs, lsattr and findmnt print, field
# by field; before and after its files are written in place, its copies are given up, and a device is lost.
set -u
cd "$(dirname "$0")/../.." || exit 1
# What is mounted here is seen by this test and its server alone, and goes with them.
if [ -z "${NV_UNSHARED:-}" ] && [ "$(id -u)" = 0 ]; then
    exec env NV_UNSHARED=1 unshare --mount --propagation private -- sh tests/integration/btrfs.sh
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
for tool in mkfs.btrfs btrfs lsattr findmnt losetup; do
    command -v $tool >/dev/null || tap_skip_all "$tool is not installed"
done
servers_begin
nv_begin
place=$SERVERS_TMP/place
mkdir "$place"
chmod 711 "$place"
loops=
# Before the files are taken away. The trap calls it.
# shellcheck disable=SC2317
finish()
{
    finish_rc=$?
    server_stop one >/dev/null 2>&1
    umount "$place" 2>/dev/null
    for loop in $loops; do
        losetup -d "$loop"
    done
    (exit "$finish_rc")
    servers_end
}
trap finish EXIT
for image in one two; do
    truncate -s 500M "$SERVERS_TMP/$image.img"
    loop=$(losetup -f --show "$SERVERS_TMP/$image.img") || tap_skip_all "no loop device can be had"
    loops="$loops $loop"
done
# shellcheck disable=SC2086
set -- $loops
first=$1 second=$2
# shellcheck disable=SC2086
mkfs.btrfs -q -f -d raid1 -m raid1 $loops >/dev/null 2>&1
mount -o compress=zstd:3 "$first" "$place" || tap_skip_all "this kernel has no btrfs"
btrfs -q subvolume create "$place/data"
umount "$place"
mount -o compress=zstd:3,subvol=data "$first" "$place"
chown "$ROOTS_UID:$ROOTS_UID" "$place"

server_start mariadb one && server_stop one
data=$(server_dir one)/data

# Its files, made anew on the btrfs: a flag of the directory counts for those alone.
move_in()
{
    rm -rf "$place/moved"
    mkdir "$place/moved"
    [ "$1" != in-place ] || chattr +C "$place/moved"
    cp -a "$SERVERS_TMP/kept/." "$place/moved"
    chown "$ROOTS_UID:$ROOTS_UID" "$place/moved"
    sync -f "$place"
}
mv "$data" "$SERVERS_TMP/kept"
ln -s "$place/moved" "$data"

# of NAME: a fact of the data's volume; an unknown as its state.
of()
{
    jq -r --arg s "volume:$socket:data" --arg n "$1" '.facts[] | select(.subject == $s and .name == $n)
        | if .state != "known" then .state else .value | if type == "array" then join(",") else . end
          end' "$NV_OUT"
}

# profile WHAT: what btrfs prints of "Data" or "Metadata", as it is called in the kernel; "mixed" of several,
# which is what a filesystem that lacks a device comes to.
profile()
{
    btrfs filesystem df "$place" 2>/dev/null | sed -n "s/^$1, \([A-Za-z0-9]*\):.*/\1/p" |
        tr '[:upper:]' '[:lower:]' | sort -u | paste -sd , | sed 's/.*,.*/mixed/'
}

# in_place: true when lsattr shows the flag on all tables.
in_place()
{
    find "$place/moved" -name '*.ibd' -exec lsattr {} + 2>/dev/null |
        awk '{ n++; if ($1 ~ /C/) c++ } END { print (n > 0 && n == c) ? "true" : "false" }'
}

devices()
{
    btrfs filesystem show "$place" | sed -n 's/.* path \/dev\///p' | sort | paste -sd ,
}

# The sum of all error counters.
errors()
{
    btrfs device stats "$place" | awk '{ n += $2 } END { print n + 0 }'
}

look()
{
    nv facts --socket "$socket" --format json
    nv_ended "$1: facts are read" 0
    tap_is "$1: profile of the data" "$(of volume.btrfs.data_profile)" "$(profile Data)"
    tap_is "$1: profile of the metadata" "$(of volume.btrfs.metadata_profile)" "$(profile Metadata)"
    tap_is "$1: written in place" "$(of volume.btrfs.nocow)" "$(in_place)"
    tap_is "$1: errors" "$(of volume.btrfs.device_errors)" "$(errors)"
    tap_is "$1: subvolume" "$(of volume.btrfs.subvolume)" \
        "$(findmnt -no OPTIONS "$place" | tr , '\n' | sed -n 's/^subvol=//p')"
}

move_in plainly
tap_ok "a server on two devices starts" server_start mariadb one
socket=$(server_socket one)
look "two copies"
below=$(of volume.leaf_devices)
tap_has "the first item of the chain is the filesystem" "$(of volume.chain)" "btrfs-"
for device in "$first" "$second"; do
    tap_has "a loop device below: $device" "$(of volume.chain)" "$(basename "$device"):loop"
    tap_has "btrfs shows it too" "$(devices)" "$(basename "$device")"
done
tap_ok "they end on the disk below the images ($below)" test -e "/sys/block/$below"
tap_is "copy on write" "$(of volume.fs.copy_on_write)" true
tap_is "compression" "$(of volume.fs.compression)" zstd
tap_is "no quota" "$(of volume.btrfs.quota)" false
tap_is "no device is missing" "$(of volume.btrfs.missing_devices)" 0
tap_is "autodefrag is off" "$(of volume.btrfs.autodefrag)" false
tap_is "a mirror stripes nothing" "$(of volume.stack.stripe_count)" 1
tap_ok "two copies on one drive are no two drives" test "$(of volume.redundant)" != true
server_stop one

move_in in-place
btrfs quota enable "$place"
mount -o remount,autodefrag "$place"
btrfs -q balance start -f -dconvert=raid0 "$place" >/dev/null
tap_ok "files written in place: the server starts" server_start mariadb one
look "in place, striped"
tap_is "copy on write is given up" "$(of volume.fs.copy_on_write)" false
tap_is "and compression with it" "$(of volume.fs.compression)" none
tap_is "quotas are on" "$(of volume.btrfs.quota)" true
tap_is "autodefrag is on" "$(of volume.btrfs.autodefrag)" true
tap_is "a stripe of two" "$(of volume.stack.stripe_count)" 2
tap_is "pieces of 64 KiB" "$(of volume.stack.chunk_bytes)" 65536
server_stop one
btrfs -q balance start -f -dconvert=raid1 "$place" >/dev/null

umount "$place"
losetup -d "$second"
loops=$first
btrfs device scan --forget >/dev/null 2>&1
mount -o degraded,subvol=data "$first" "$place"
tap_ok "without its second device the server starts" server_start mariadb one
look "degraded"
tap_is "one device is missing" "$(of volume.btrfs.missing_devices)" 1
tap_has "the other one is below" "$(of volume.chain)" "$(basename "$first"):loop"
tap_ok "a mirror of one is none" test "$(of volume.redundant)" != true
server_stop one
nv_sound "no sanitizer spoke"
tap_end
