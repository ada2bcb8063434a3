#!/bin/sh
# Pasted outputs of storage tools against what they say: tests/cases/import/storage, texts of our own for kinds of
# trouble that those do not show, and where ../shared stands beside the checkout the cases there.
set -u
cd "$NVADVISE_SOURCE" || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# import ARGS: the facts document into $work/doc.
import()
{
    "$NVADVISE" import --no-state "$@" >"$work/doc" 2>"$work/err"
}

# What the document says of the volume, in the words of a case: names of each level sorted, the filesystem's own
# layer left out; what it does not say is null.
cat >"$work/said.jq" <<'JQ'
def known($n): [.facts[] | select(.subject | startswith("volume:")) | select(.name == $n and .state == "known") | .value][0];
{type: known("volume.fs.type"), mountpoint: known("volume.mountpoint"),
 chain: ([known("volume.layers") // [] | .[] | split(" ") | select(.[2] != "fs") | {level: (.[0] | tonumber), name: .[1]}]
     | group_by(.level) | map(map(.name) | unique)),
 leaves: (known("volume.leaf_devices") // [] | sort),
 class: (known("volume.storage_class") // "unknown")}
JQ
cat >"$work/wanted.jq" <<'JQ'
{type: .filesystem.type, mountpoint: .filesystem.mountpoint,
 chain: [.chain[] | .name | if type == "array" then sort else [.] end],
 leaves: (.leaf_devices | sort), class: .storage_class}
JQ

# case_of EXPECT-FILE
case_of()
{
    co_name=$(jq -r .case "$1")
    import --ask "$(jq -r .ask "$1")" "$(dirname "$1")/$(jq -r .input "$1")"
    tap_is "$co_name: read" $? 0
    tap_is "$co_name: as it should be" "$(jq -S -c -f "$work/said.jq" "$work/doc")" \
        "$(jq -S -c -f "$work/wanted.jq" "$1")"
    "$NVADVISE" check --no-site --facts "$work/doc" --format json >"$work/report" 2>"$work/err"
    tap_ok "$co_name: and can be judged" jq -e '.findings | length > 0' "$work/report"
}

for expect in tests/cases/import/storage/*.expect.json; do
    case_of "$expect"
done
if [ -d ../shared/cases/storage ]; then
    for expect in ../shared/cases/storage/*.expect.json; do
        case_of "$expect"
    done
else
    tap_skip "the cases beside the checkout" "../shared/cases/storage is not there"
fi

# ---- texts of our own ----

# said FILTER: of the last import, compact.
said()
{
    jq -c -f "$work/said.jq" "$work/doc" | jq -c "$1"
}

# A mountinfo with no, one and two optional fields, a line of / without super options, a bind of a directory.
printf '%s\n' '21 1 253:4 / / rw,relatime - xfs /dev/mapper/sys-root ' \
    '22 21 0:20 / /proc rw,nosuid shared:5 master:1 - proc proc rw' \
    '23 21 253:5 /mysql /var/lib/mysql rw,noatime shared:9 - ext4 /dev/mapper/sys-data rw,data=ordered' \
    >"$work/mountinfo"
import --ask /var/lib/mysql/x "$work/mountinfo"
tap_is "mountinfo: the mount" "$(said '[.type, .mountpoint]')" '["ext4","/var/lib/mysql"]'
tap_is "mountinfo: what it does not say" "$(said '[.leaves, .class]')" '[[],"unknown"]'
tap_is "mountinfo: options" "$(jq -r '.facts[] | select(.name == "volume.fs.atime") | .value' "$work/doc")" noatime
import --ask /etc "$work/mountinfo"
tap_is "mountinfo: a line without super options" "$(said '[.type, .mountpoint]')" '["xfs","/"]'

# A pool with a spare in use, a log, text behind the counters; two pools in one text.
cat >"$work/pool" <<'TEXT'
  pool: one
 state: ONLINE
config:

        NAME           STATE     READ WRITE CKSUM
        one            ONLINE       0     0     0
          raidz2-0     ONLINE       0     0     0
            nvme0n1    ONLINE       0     0     0
            nvme1n1    ONLINE       0     0     0
            nvme2n1    ONLINE       0     0     0
            nvme3n1    ONLINE       0     0     0
        logs
          nvme4n1      ONLINE       0     0     0

errors: No known data errors

  pool: two
 state: DEGRADED
config:

        NAME           STATE     READ WRITE CKSUM
        two            DEGRADED     0     0     0
          mirror-0     DEGRADED     0     0     0
            sda        ONLINE       0     0     0
            sdb        FAULTED      3     1     0  too many errors

errors: 1 data errors, use '-v' for a list
TEXT
import --ask "pool one" "$work/pool"
tap_is "pool: data disks alone" "$(said .leaves)" '["nvme0n1","nvme1n1","nvme2n1","nvme3n1"]'
pool_fact()
{
    jq -r --arg n "volume.zfs.$1" '.facts[] | select(.name == $n) | .value' "$work/doc"
}
tap_is "pool: vdevs" "$(pool_fact vdev_kind) $(pool_fact vdev_count) $(pool_fact slog)" "raidz2 1 true"
import --ask "pool two" "$work/pool"
tap_is "pool: state and errors" "$(pool_fact pool_state) $(pool_fact pool_errors)" "degraded 4"

# The commands around their outputs; and the same through a pipe.
cat >"$work/paste" <<'TEXT'
[root@db1 ~]# df -hT /srv
Filesystem               Type  Size  Used Avail Use% Mounted on
/dev/mapper/a--rather--long--volume--group-data
                         xfs   1.0T  100G  924G  10% /srv
[root@db1 ~]# lvs -o lv_name,vg_name,segtype,stripes,stripe_size,devices
  LV   VG                         Type    #Str Stripe  Devices
  data a-rather-long-volume-group striped    2 256.00k /dev/nvme0n1(0),/dev/nvme1n1(0)
TEXT
import --ask /srv - <"$work/paste"
tap_is "a paste: chain" "$(said .chain)" '[["a--rather--long--volume--group-data"],["nvme0n1","nvme1n1"]]'
tap_is "a paste: the filesystem of a broken line" "$(said '[.type, .mountpoint]')" '["xfs","/srv"]'
tap_is "a paste: the stripe" \
    "$(jq -r '.facts[] | select(.name == "volume.stack.chunk_bytes" or .name == "volume.stack.stripe_count") | .value' \
        "$work/doc" | sort -n | tr '\n' ' ')" "2 262144 "
"$NVADVISE" chain --no-site --facts "$work/doc" /srv >"$work/tree" 2>&1
tap_is "and chain draws it" $? 0
tap_has "with its legs" "$(tr -s "\n " " " <"$work/tree")" "2 legs, pieces of 256 KiB"

# Without --ask: all that may hold data.
import "$work/mountinfo"
tap_is "every filesystem" \
    "$(jq -r '[.facts[].subject | select(startswith("volume:"))] | unique | join(" ")' "$work/doc")" \
    "volume:/ volume:/var/lib/mysql"
import --ask /nowhere "$work/pool"
tap_has "what nothing tells is said" "$(cat "$work/err")" "'/nowhere'"
head -c 700 "$work/pool" >"$work/cut"
import --ask "pool one" "$work/cut"
tap_is "a text that ends in the middle is read as far as it goes" $? 0
tap_end
