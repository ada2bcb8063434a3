# The chain and the facts against the tools of the layers, field by field. Sourced by POSIX sh after tap.sh, lib.sh
# and judge.sh.
#
#   compare_chain <TABLE          the chain of the facts that were read. TABLE: a line for each volume,
#                                 "SUBJECT|TOPOLOGY[|DEVICE...]", e.g. "volume:data|stripe of 64 KiB"; DEVICE: what
#                                 the filesystem lies on where findmnt does not name it
#   compare_path PATH <TABLE      the chain of a path, asked anew, of one volume; no facts
#
# One check for each topology and tool.
#
# How: what nvadvise says and what the tools say are brought to the same lines, "SUBJECT|WHERE|KEY|VALUE", and one
# pass compares them. Every line of a tool must have its equal; "below" and "top" are lists, so that
# a layer too many is a difference as well. WHERE is "chain" (of the volume), "fact", "fs", the way from the
# filesystem down to a device by kernel names ("dm-3/nvme0n1p2/nvme0n1"), or that below a pool ("good/mirror-0").
#
# The tools' lines are made by the functions said_*, those of pools and btrfs by compare_pool.sh, those of the
# drives by compare_device.sh.

# What looks like the shell's is awk's and jq's; names of devices hold no blanks.
# shellcheck disable=SC2016,SC2013

# shellcheck source=tests/vm/guest/compare_block.sh
. /ro/guest/compare_block.sh
# shellcheck source=tests/vm/guest/compare_pool.sh
. /ro/guest/compare_pool.sh
# shellcheck source=tests/vm/guest/compare_device.sh
. /ro/guest/compare_device.sh

# compare_run ...: awk for such lines; some write large numbers as 2.56e+12 otherwise.
compare_run()
{
    awk -v CONVFMT=%.15g -v OFMT=%.15g -v OFS='|' "$@"
}

# ---- what nvadvise says ----

# What both sides write in the same words is not turned; "step" is where a device's first byte lies on the one below.
# shellcheck disable=SC2016
compare_ours_awk='
function device(kind) {
    return kind !~ /^(fs|pool|vdev|group|controller|unknown)$/
}
function say(where, key, value) {
    print subject "|" where "|" key "|" value
}
# As lsblk calls a device of that kind; an array goes by its level there.
function type_of(kind) {
    if (kind == "partition")
        return "part"
    if (kind == "disk" || kind == "loop" || kind == "crypt")
        return kind
    if (kind == "bcache")
        return "disk"
    return kind == "md" ? "" : kind ~ /^lvm-/ ? "lvm" : "dm"
}
# All of one volume is there: what follows from two layers at once.
function finish(    w) {
    subject = current
    current = ""
    for (w in parent)
        if (!(parent[w] in offset))
            say(w, "step", "hidden")
        else if (w in offset)
            say(w, "step", offset[w] - offset[parent[w]])
    for (w in is_device)
        say(w, "below", sorted(below[w]))
    for (w in members)
        say(w, "below", sorted(members[w]))
    say("chain", "top", sorted(tops))
    split("", members)
    split("", parent); split("", offset); split("", below); split("", is_device);
    tops = ""
}
function sorted(words,    n, w, i, k, t, out, seen) {
    n = split(words, w, ",")
    for (i = 2; i <= n; i++)
        for (k = i; k > 1 && w[k] < w[k - 1]; k--) {
            t = w[k]; w[k] = w[k - 1]; w[k - 1] = t
        }
    for (i = 1; i <= n; i++)
        if (w[i] != "" && !seen[w[i]]++)
            out = out (out == "" ? "" : ",") w[i]
    return out
}
BEGIN { FS = "|" }
# Facts of the volumes and drives: "SUBJECT NAME VALUE", lists parted by tabs.
FILENAME ~ /facts$/ {
    line = $0
    split($1, f, " ")
    if (f[1] ~ /^(volume|device):/ || f[1] == "host") {
        subject = f[1]
        sub("^[^ ]* [^ ]* ?", "", line)
        gsub("\t", ",", line)
        say("fact", f[2], line)
    }
    next
}
{ owner = $1 == "L" ? $2 : "" }
current != "" && current != owner { finish() }
$1 != "L" { subject = $1; say($2, $3, $4); next }
{ subject = current = $2 }
$4 == "level" { level = $5; next }
$4 == "name" { name = $5; next }
$4 == "kind" {
    kind = $5
    short = $3
    kinds[level] = kind
    vdev = ""
    if (kind == "fs") {
        way[level] = ""
        pool[level] = ""
        where = level == 0 ? "fs" : "fs" level
    } else if (kind == "controller") {
        where = way[level - 1] "/" short
    } else if (kind == "unknown") {
        where = (pool[level - 1] way[level - 1]) "/?"
        if (pool[level - 1] != "")
            say(pool[level - 1], "end", "unknown")
        else if (way[level - 1] != "")
            below[way[level - 1]] = below[way[level - 1]] ",?"
        else
            tops = tops ",?"
    } else if (!device(kind)) {
        pool[level] = level > 0 && pool[level - 1] != "" ? pool[level - 1] "/" short : short
        where = pool[level]
        way[level] = ""
        if (level > 0 && pool[level - 1] != "")
            members[pool[level - 1]] = members[pool[level - 1]] "," short
    } else {
        above = level > 0 ? way[level - 1] : ""
        where = above != "" ? above "/" short : short
        way[level] = where
        pool[level] = ""
        is_device[where] = 1
        if (above == "") {
            tops = tops "," short
            if (level > 0 && pool[level - 1] != "")
                vdev = pool[level - 1] "/" short
            if (vdev != "")
                members[pool[level - 1]] = members[pool[level - 1]] "," short
        } else {
            parent[where] = above
            below[above] = below[above] "," short
        }
    }
    say(where, "name", name)
    say(where, "kind", kind)
    if (device(kind))
        say(where, "type", type_of(kind))
    if (vdev != "")
        say(vdev, "name", name)
    next
}
{
    say(where, $4, $5)
    if (vdev != "")
        say(vdev, $4, $5)
    if ($4 == "offset")
        offset[where] = $5
}
END { if (current != "") finish() }'

# chain_lines FILE: the chain document as lines. Of a device-mapper node the kernel's name says where it is.
chain_lines()
{
    # shellcheck disable=SC2016
    jq -r "${judge_short:?}"' def line: map(tostring) | join("|");
        (.volumes[] | (.subject | short) as $s |
            ([$s, "chain", "path", .path], [$s, "chain", "class", .class],
             [$s, "chain", "devices", (.devices // [.unknown] | join(","))],
             [$s, "chain", "roles", (.roles // [] | sort | join(","))]),
            (.layers // [] | .[] | (.dm // .name | sub("^/dev/"; "")) as $k |
                to_entries[] | ["L", $s, $k, .key, .value])),
        (.devices[] | .subject as $s | to_entries[] | [$s, "chain", .key,
            (.value | if . == null then "" elif type == "array" then join(",") else . end)]),
        (.shared[] | ["device:" + .device, "shared", "volumes", (.volumes | map(short) | sort | join(","))],
            ["device:" + .device, "shared", "roles", (.roles | sort | join(","))]) | line' "$1"
}

# ---- both beside each other ----

# Prints "TITLE<tab>FIELDS<tab>DIFFERENCE; DIFFERENCE" a line for each topology and tool, the drives as one.
# shellcheck disable=SC2016
compare_awk='
function label_of(subject) {
    if (subject in label)
        return label[subject] " (" subject ")"
    return subject ~ /^device:/ ? "its drives" : subject
}
function group(tool, subject,    title) {
    title = tool ": " label_of(subject)
    if (!(title in fields)) {
        order[++groups] = title
        fields[title] = 0
    }
    return title
}
function differs(title, text) {
    wrong[title] = wrong[title] == "" ? text : wrong[title] "; " text
}
# Numbers may be written differently; what a running job moves is near.
function equal(key, a, b,    far) {
    if (a == b "")
        return 1
    if (a !~ number || b !~ number)
        return 0
    far = a - b
    return key ~ /^(used|metadata|done)$/ ? far <= 2 && far >= -2 : far == 0
}
BEGIN { FS = "|"; number = "^-?[0-9]+([.][0-9]+)?$" }
FILENAME ~ /topologies$/ { split($0, f, "|"); label[f[1]] = f[2]; next }
FILENAME ~ /ours$/ {
    # Of a device on two legs the second is as the first.
    ours[$1, $2, $3] = $4
    if ($1 ~ /^volume:/)
        volumes[$1] = 1
    next
}
{
    title = group($1, $2)
    fields[title]++
    got = ours[$2, $3, $4]
    told[$2, $3, $1] = 1
    if ($4 == "name")
        names[$2 SUBSEP $3] = $5
    if ($4 == "type" && $1 == "lsblk")
        types[$2 SUBSEP $3] = $5
    if ($4 == "raid" && $1 == "lsblk")
        types[$2 SUBSEP $3] = "raid"
    # Below a layer that hides where its data lie nobody can say where they begin.
    if ($4 == "step" && got == "hidden")
        next
    if (!equal($4, got, $5))
        differs(title, $2 " " $3 " " $4 ": nvadvise says \"" got "\", " $1 " says \"" $5 "\"")
}
END {
    # Nothing is left out because a tool was silent.
    for (v in label)
        if (!(v in volumes))
            differs(group("table", v), v " is not in the chain")
    for (v in volumes)
        if (!(v in label))
            differs(group("table", v), v " has no topology")
    for (t in types) {
        split(t, f, SUBSEP)
        last = f[2]
        sub(".*/", "", last)
        need = ""
        # Of the halves of a volume LVM has no row.
        if (types[t] == "lvm")
            need = names[t] ~ /-(cdata|cmeta)$/ ? "dmsetup" : "lvs dmsetup"
        if (types[t] == "crypt")
            need = "cryptsetup dmsetup"
        if (types[t] == "raid" && last ~ /^md/)
            need = "mdadm"
        if (last ~ /^bcache/)
            need = "bcache"
        n = split(need, w, " ")
        for (i = 1; i <= n; i++)
            if (!((f[1], f[2], w[i]) in told))
                differs(group(w[i], f[1]), f[1] " " f[2] ": " w[i] " says nothing")
    }
    for (i = 1; i <= groups; i++)
        print order[i] "|" fields[order[i]] "|" wrong[order[i]]
}'

compare_both()
{
    compare_run "$compare_awk" "$GUEST_DIR/topologies" "$GUEST_DIR/ours" "$GUEST_DIR/theirs" >"$GUEST_DIR/compared"
}

# A comparison that cannot fail is none: one value of each tool is made a wrong one, and must be told.
compare_wrong()
{
    cp "$GUEST_DIR/theirs" "$GUEST_DIR/right"
    awk -F '|' -v OFS='|' '$4 != "step" && !seen[$1]++ { $5 = "wrong " $5 } { print }' "$GUEST_DIR/right" \
        >"$GUEST_DIR/theirs"
    compare_both
    tap_is "a wrong value of each tool is told" "$(awk -F '|' '
        { tool = $1; sub(":.*", "", tool); tools[tool] = 1; told += split($3, w, "; ") }
        END { for (t in tools) n++; print told " of " n }' "$GUEST_DIR/compared")" \
        "$(cut -d '|' -f1 "$GUEST_DIR/right" | sort -u | awk 'END { print NR " of " NR }')"
    awk -F '|' '$3 != "" { print "# e.g. " $1 ": " $3; exit }' "$GUEST_DIR/compared"
    mv "$GUEST_DIR/right" "$GUEST_DIR/theirs"
}

# What is drawn has every mapping's and every disk's name, LVM's as GROUP/VOLUME.
compare_drawn()
{
    tap_is "chain: names that are not drawn" "$(awk -F '|' 'FILENAME ~ /chain$/ { text = text $0 "\n"; next }
        $1 == "lsblk" && $4 == "name" && !seen[$5]++ && !index(text, $5) { printf "%s ", $5 }' \
        "$GUEST_DIR/chain" "$GUEST_DIR/theirs")" ""
}

# compare_all FACTS: the rest, once the chain was asked for.
compare_all()
{
    : >"$GUEST_DIR/theirs"
    rm -f "$GUEST_DIR"/status-*
    chain_lines "$GUEST_DIR/chain.json" | compare_run "$compare_ours_awk" "$1" - >"$GUEST_DIR/ours"
    said_findmnt
    said_lsblk
    said_shared
    said_dmsetup
    said_lvs
    said_mdadm
    said_cryptsetup
    said_bcache
    said_zpool
    said_btrfs
    said_devices
    # Of a path that is asked anew the facts are not there.
    [ -s "$1" ] || sed -i '/|fact|/d' "$GUEST_DIR/theirs"
    compare_both
    while IFS='|' read -r ca_title ca_fields ca_wrong; do
        tap_is "chain and facts, $ca_title: $ca_fields fields" "$ca_wrong" ""
    done <"$GUEST_DIR/compared"
    compare_wrong
}

compare_chain()
{
    cat >"$GUEST_DIR/topologies"
    tap_ok "chain" sh -c '/ro/nvadvise chain --facts "$1/facts.json" --format json >"$1/chain.json"' sh "$GUEST_DIR"
    compare_all "$GUEST_DIR/facts"
    chain_read
    compare_drawn
}

compare_path()
{
    cat >"$GUEST_DIR/topologies"
    tap_ok "chain of $1" sh -c '/ro/nvadvise chain --timeout 60 --format json "$1" >"$2/chain.json"' sh "$1" \
        "$GUEST_DIR"
    compare_all /dev/null
}
