#!/bin/sh
# chain: the tree of a facts document, the same as JSON, and a path of this very host.
set -u
cd "$NVADVISE_SOURCE" || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# fact SUBJECT NAME KIND VALUE [UNIT]: one entry of a facts document.
fact()
{
    printf '{"subject": "%s", "name": "%s", "kind": "%s", "state": "known", "source": "test", "value": %s%s},\n' \
        "$1" "$2" "$3" "$4" "${5:+, \"unit\": \"$5\"}"
}

# A stripe over two partitions; the log on one of the same drives.
{
    echo '{"schema": "nvadvise.facts/1", "facts": ['
    fact volume:/run/x:data volume.path string '"/srv/mysql"'
    fact volume:/run/x:data volume.mountpoint string '"/srv"'
    fact volume:/run/x:data volume.role set '["data", "undo"]'
    fact volume:/run/x:data volume.leaf_devices set '["nvme0n1", "nvme1n1"]'
    fact volume:/run/x:data volume.layers list '["0 /srv fs type=xfs at=/srv block=4096",
        "1 vg/data lvm-striped dm=dm-0 stripes=2 chunk=65536 offset=0",
        "2 nvme0n1p1 partition offset=1048576", "3 nvme0n1 disk discard=0",
        "2 nvme1n1 disk size=3200631791616"]'
    fact volume:/run/x:redo volume.path string '"/log/red\u001bo"'
    fact volume:/run/x:redo volume.mountpoint string '"/log"'
    fact volume:/run/x:redo volume.role set '["redo"]'
    fact volume:/run/x:redo volume.leaf_devices set '["nvme1n1"]'
    fact volume:/run/x:redo volume.layers list '["0 /log fs type=ext4 at=/log", "1 nvme1n1 disk"]'
    fact device:nvme0n1 device.controller string '"nvme0"'
    fact device:nvme0n1 device.state enum '"live"'
    fact device:nvme0n1 device.model string '"Some Drive"'
    fact device:nvme0n1 device.queue.io_queues count 8
    fact device:nvme0n1 device.feature.io_queues_granted count 64
    fact device:nvme0n1 device.smart.synthetic bool false
    fact device:nvme0n1 device.smart.percentage_used_pct ratio 7 percent
    fact device:nvme0n1 device.smart.wear_out_date string '"2031-02-03"'
    fact device:nvme1n1 device.smart.percentage_used_pct ratio 9 percent
    fact device:nvme1n1 device.pci.link_speed rate 8000000000 1/s
    fact device:nvme1n1 device.pci.link_width count 2
    fact device:nvme1n1 device.pci.link_speed_max rate 16000000000 1/s
    fact device:nvme1n1 device.pci.link_width_max count 4
    fact device:nvme1n1 device.volatile_write_cache bool true
    fact device:nvme1n1 device.kind enum '"nvme"' | sed '$s/,$//'
    echo ']}'
} >"$work/facts.json"

NO_COLOR=1
export NO_COLOR
"$NVADVISE" chain --no-site --facts "$work/facts.json" >"$work/text" 2>"$work/err"
tap_is "exit code" $? 0
tap_is "nothing to say" "$(cat "$work/err")" ""
has()
{
    tap_ok "$1" grep -qF -- "$2" "$work/text"
}
has "path and roles" "/srv/mysql: data, undo"
has "wear" "7 % of the rated life used, all of it by 2031-02-03"
tap_not "but not where it may be made up" grep -q "9 % of the rated life" "$work/text"
has "the stripe" "2 legs, pieces of 64 KiB"
has "a leg goes on below its sibling's line" "   |  \`- nvme0n1"
has "the last leg closes the tree" "   \`- nvme1n1"
has "where it begins" "begins at 1 MiB"
has "what discards do not pass" "no discard"
has "the controller" "nvme0 live, Some Drive"
has "queues" "8 of 64 granted I/O queues"
has "the link, less than it could be" "link 8.0 GT/s x2 of 16.0 GT/s x4"
has "what is not known of the cache" "volatile write cache, power-loss protection not known"
has "drives by powers of ten" "3.201 TB"
tap_ok "a shared drive" grep -q "^nvme1n1 .*carries data, undo, redo:" "$work/text"
tap_is "control bytes are escaped" "$(LC_ALL=C tr -d '\n -~' <"$work/text" | wc -c)" 0

"$NVADVISE" chain --no-site --facts "$work/facts.json" --format json >"$work/json" 2>/dev/null
tap_is "JSON: numbers are numbers" "$(jq -c '.volumes[0].layers[1] | [.level, .kind, .chunk, .stripes]' "$work/json")" \
    '[1,"lvm-striped",65536,2]'
tap_is "JSON: shared" "$(jq -c '.shared | map([.device, (.volumes | length)])' "$work/json")" '[["nvme1n1",2]]'
tap_is "JSON: what is not known is null" "$(jq -c '.devices[0] | [.["pci.slot"], .transport]' "$work/json")" '[null,null]'
one()
{
    "$NVADVISE" chain --no-site --facts "$work/facts.json" --format json "$1" 2>/dev/null |
        jq -r '.volumes | map(.path) | join(" ")'
}
tap_is "a path of its own" "$(one /srv/mysql)" /srv/mysql
tap_is "a path below its mount point" "$(one /srv/elsewhere/deep)" /srv/mysql
tap_is "no path that only begins alike" "$(one /srvx)" ""
"$NVADVISE" chain --no-site --facts "$work/facts.json" /nowhere >/dev/null 2>"$work/err"
tap_is "a path that nobody knows: exit code" $? 2
tap_has "and the reason" "$(cat "$work/err")" "'/nowhere'"
"$NVADVISE" chain --no-site /does/not/exist >/dev/null 2>"$work/err"
tap_is "a path that is not there: exit code" $? 2
tap_has "and why" "$(cat "$work/err")" "/does/not/exist"

# ---- this host ----
"$NVADVISE" chain --no-site --no-state --format json "$work" >"$work/live.json" 2>"$work/err"
tap_is "a path of this host" $? 0
tap_is "is told by its full name" "$(jq -r '.volumes[0].path' "$work/live.json")" "$(realpath "$work")"
# A filesystem whose place is no text, and a loop device whose file is gone.
if [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null; then
    cat >"$work/odd.sh" <<'END'
place=$(printf '%s/t\377' "$1")
mkdir "$place" "$1/loop"
mount -t tmpfs tmpfs "$place" || exit 9
"$NVADVISE" chain --no-site --no-state "$place"
truncate -s 64M "$1/image"
mke2fs -q -t ext4 "$1/image" 2>/dev/null && mount -o loop "$1/image" "$1/loop" || exit 9
rm "$1/image"
"$NVADVISE" chain --no-site --no-state "$1/loop"
rc=$?
umount "$1/loop"
# A filesystem whose server never answers.
mkdir "$1/dead"
if exec 9<>/dev/fuse && mount -i -t fuse -o fd=9,rootmode=40000,user_id=0,group_id=0 dead "$1/dead"; then
    timeout -k 1 60 "$NVADVISE" chain --no-site --no-state --timeout 0.5 "$1/dead/x" 2>"$1/dead.err"
    echo $? >"$1/dead.rc"
    umount -l "$1/dead"
fi
exit $rc
END
    unshare --mount --propagation private sh "$work/odd.sh" "$work" >"$work/text" 2>"$work/err"
    rc=$?
    if [ $rc = 9 ]; then
        tap_skip "odd mounts" "they cannot be made here"
    else
        tap_is "odd mounts: exit code" $rc 0
        has "a mount point that is no text" "fs    "
        tap_ok "is told" grep -q 'tmpfs, from tmpfs' "$work/text"
        has "a loop device whose file is gone does not end the chain unsaid" "lies on"
        if [ -s "$work/dead.rc" ]; then
            tap_is "a dead mount: exit code" "$(cat "$work/dead.rc")" 2
            tap_has "a dead mount: what does not answer" "$(cat "$work/dead.err")" \
                "'$work/dead/x' did not answer within 0.5 s"
        else
            tap_skip "a dead mount" "no filesystem of a process can be mounted"
        fi
        tap_not "and is no disk" grep -q 'loop[0-9]*  *disk' "$work/text"
    fi
else
    tap_skip "odd mounts" "not root, or no mount namespace"
fi
tap_is "no server is asked" "$(jq -r '.volumes | map(.server) | unique | join(" ")' "$work/live.json")" ""
tap_end
