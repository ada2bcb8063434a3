# What lsblk, findmnt, dmsetup, lvs, mdadm and cryptsetup say of the volumes of $GUEST_DIR/topologies, as the lines of
# compare.sh with the tool in front: "TOOL SUBJECT WHERE KEY VALUE". Sourced by compare.sh.

# What looks like the shell's is awk's and jq's; names of devices hold no blanks.
# shellcheck disable=SC2016,SC2013

# What a volume lies on by findmnt, and what findmnt says of it; "roots": volume, device, "aside" where the device
# carries none of its data, one a line.
said_findmnt()
{
    findmnt -J -l -b -o TARGET,SOURCE,FSTYPE,SIZE |
        jq -r '.filesystems[] | [.target, .source, .fstype, .size] | map(tostring) | join("|")' \
            >"$GUEST_DIR/findmnt"
    : >"$GUEST_DIR/roots"
    while IFS='|' read -r sf_subject sf_label sf_devices; do
        sf_path=$(sed -n "s#^$sf_subject|chain|path|##p" "$GUEST_DIR/ours" | head -n 1)
        # The innermost mount point above it, and of several at one place the last.
        compare_run -F '|' -v path="$(realpath "$sf_path")/" -v subject="$sf_subject" -v label="$sf_label" '
            index(path, $1 == "/" ? $1 : $1 "/") == 1 && length($1) >= best {
                best = length($1); at = $1; source = $2; type = $3; size = $4
            }
            END {
                sub(/\[.*/, "", source)
                print "findmnt", subject, "fs", "at", at
                print "findmnt", subject, "fs", "source", source
                print "findmnt", subject, "fs", "type", type
                print "findmnt", subject, "fact", "volume.mountpoint", at
                print "findmnt", subject, "fact", "volume.source", source
                print "findmnt", subject, "fact", "volume.fs.type", type
                # A dataset has what its pool has left, which moves.
                if (type != "zfs")
                    print "findmnt", subject, "fact", "volume.fs.size_bytes", size
            }' "$GUEST_DIR/findmnt" | tee "$GUEST_DIR/mount" >>"$GUEST_DIR/theirs"
        # shellcheck disable=SC2086
        set -- $sf_devices
        if [ $# -gt 0 ]; then
            printf '%s\n' "$@"
        else
            sf_at=$(sed -n 's/.*|fs|at|//p' "$GUEST_DIR/mount")
            sf_type=$(sed -n 's/.*|fs|type|//p' "$GUEST_DIR/mount")
            sf_source=$(sed -n 's/.*|fs|source|//p' "$GUEST_DIR/mount")
            case $sf_type in
            btrfs | zfs) pool_devices "$sf_type" "$sf_source" "$sf_at" ;;
            *) echo "$sf_source" ;;
            esac
        fi | while read -r sf_device sf_aside; do
            case $sf_device in
            /dev/*) printf '%s|%s|%s\n' "$sf_subject" "$(basename "$(realpath "$sf_device")")" "$sf_aside" ;;
            esac
        done >>"$GUEST_DIR/roots"
    done <"$GUEST_DIR/topologies"
}

# lsblk_tree PREFIX DEVICES: the trees from the devices down, "WAY KEY VALUE" a line.
lsblk_tree()
{
    lt_prefix=$1
    shift
    # shellcheck disable=SC2016
    lsblk -J -b -s -o NAME,KNAME,MAJ:MIN,TYPE,SIZE,START,LOG-SEC,MIN-IO,OPT-IO,DISC-MAX "$@" |
        jq -r --arg p "$lt_prefix" 'def walk($p): ($p + .kname) as $q |
            [$q, "name", .name], [$q, "num", ."maj:min"], [$q, "type", .type], [$q, "size", .size],
            [$q, "start", .start], [$q, "sectsz", ."log-sec"], [$q, "min_io", ."min-io"],
            [$q, "opt_io", ."opt-io"], [$q, "discard", (if ."disc-max" > 0 then 1 else 0 end)],
            [$q, "below", ([.children[]?.kname] | unique | join(","))],
            (.children[]? | walk($q + "/"));
            .blockdevices[] | walk($p) | map(tostring) | join("|")'
}

# Below a loop device lsblk stops; its file lies on a device again.
said_lsblk()
{
    sl_devices=$(cut -d '|' -f2 "$GUEST_DIR/roots" | sort -u | sed 's#^#/dev/#')
    : >"$GUEST_DIR/lsblk"
    [ -n "$sl_devices" ] || return 0
    # shellcheck disable=SC2086
    lsblk_tree "" $sl_devices >"$GUEST_DIR/lsblk"
    for sl_loop in $(cut -d '|' -f1 "$GUEST_DIR/lsblk" | grep -o '^loop[0-9]*$' | sort -u); do
        sl_file=$(losetup -n -O BACK-FILE "/dev/$sl_loop")
        sl_below=$(findmnt -n -v -o SOURCE -T "$sl_file")
        sl_below=$(realpath "$sl_below")
        sed -i "s#^$sl_loop|below|\$#&${sl_below#/dev/}#; \$a $sl_loop|path|$sl_file" "$GUEST_DIR/lsblk"
        lsblk_tree "$sl_loop/" "$sl_below" >>"$GUEST_DIR/lsblk"
    done
    compare_below lsblk "$GUEST_DIR/lsblk" | compare_run -F '|' '
        function undoubled(name) {
            gsub("--", "\001", name)
            sub("-", "/", name)
            gsub("\001", "-", name)
            return name
        }
        $4 == "name" { name = $5; next }
        $4 == "num" { next }
        $4 == "type" {
            type = $5
            # An array goes by its level; LVM doubles the dashes of its names.
            $4 = type ~ /^raid|^linear/ ? "raid" : "type"
            print
            print $1, $2, $3, "name", type == "lvm" ? undoubled(name) : name
            next
        }
        $4 == "start" { start = $5; next }
        # lsblk gives a partition the limits of its disk, nvadvise tells them of the disk.
        type == "part" && $4 ~ /^(sectsz|min_io|opt_io|discard)$/ { next }
        { print }
        # In sectors of 512 bytes, also where the drive has larger ones.
        $4 == "below" && type == "part" { print $1, $2, $3 "/" $5, "step", start * 512 }
        $4 == "below" && $5 == "" && type == "disk" && $6 == "" {
            leaf = $3
            sub(".*/", "", leaf)
            print $1, $2, "leaf", leaf
        }' >"$GUEST_DIR/told"
    # What lies on a pool's log or cache alone is none of the volume's drives.
    grep -v '|leaf|' "$GUEST_DIR/told" >>"$GUEST_DIR/theirs"
    compare_lists "$GUEST_DIR/told" leaf "fact|volume.leaf_devices"
    compare_lists "$GUEST_DIR/told" leaf "chain|devices"
    awk -F '|' -v OFS='|' '{ print "lsblk", $1, "top", $2 }' "$GUEST_DIR/roots" >"$GUEST_DIR/told"
    compare_lists "$GUEST_DIR/told" top "chain|top"
}

# compare_below TOOL FILE: "WAY KEY VALUE" of devices, for every volume that lies on them.
compare_below()
{
    compare_run -F '|' -v tool="$1" '
        NR == FNR { root[++n] = $2; subject[n] = $1; aside[n] = $3; next }
        {
            for (i = 1; i <= n; i++)
                if ($1 == root[i] || index($1, root[i] "/") == 1)
                    print tool, subject[i], $1, $2, $3, aside[i]
        }' "$GUEST_DIR/roots" "$2"
}

# compare_lists FILE WORD WHERE-AND-KEY: lines "TOOL SUBJECT WORD ONE" as one line each volume, sorted.
compare_lists()
{
    grep "|$2|" "$1" | LC_ALL=C sort -u | compare_run -F '|' -v where="$3" '
        { key = $1 "|" $2; list[key] = list[key] (list[key] == "" ? "" : ",") $4 }
        END { for (i in list) print i "|" where "|" list[i] }' >>"$GUEST_DIR/theirs"
}

# The device mapper's own account of each mapping. Which kind a target is: "lvm-" for what LVM made.
said_dmsetup()
{
    grep -q '|name|' "$GUEST_DIR/lsblk" && grep -q -e '^dm-' -e '/dm-' "$GUEST_DIR/lsblk" || return 0
    {
        dmsetup info -c --noheadings --separator ' ' -o blkdevname,name,suspended,uuid | sed 's/^/info /'
        dmsetup deps -o blkdevname | sed 's/^\([^:]*\):[^:]*:/deps \1/'
        dmsetup table | sed 's/^\([^:]*\):/table \1/'
        dmsetup status | sed 's/^\([^:]*\):/status \1/'
    } >"$GUEST_DIR/dm"
    compare_run '
        function say(key, value) { said[name] = said[name] key "|" value "\n" }
        function kind_of(target) {
            if (target == "crypt")
                return "crypt"
            sub("^snapshot.*", "snapshot", target)
            sub("^thin.*", "thin", target)
            return (lvm[name] ? "lvm-" : "dm-") target
        }
        NR == FNR && FILENAME ~ /lsblk$/ {
            split($0, f, "|")
            if (f[2] == "num") {
                node = f[1]
                sub(".*/", "", node)
                number[f[3]] = node
                ways[node] = ways[node] "\n" f[1]
            }
            next
        }
        { name = $2 }
        $1 == "info" {
            name = $3
            node_of[name] = $2
            lvm[name] = $5 ~ /^LVM-/
            say("suspended", $4 == "Suspended" ? "yes" : "")
        }
        $1 == "deps" {
            n = 0
            for (i = 3; i <= NF; i++) {
                gsub(/[()]/, "", $i)
                # Insertion keeps them sorted.
                for (k = ++n; k > 1 && d[k - 1] > $i; k--)
                    d[k] = d[k - 1]
                d[k] = $i
            }
            list = ""
            for (i = 1; i <= n; i++)
                list = list (i > 1 ? "," : "") d[i]
            say("below", list)
        }
        # table NAME START LENGTH TARGET ARGUMENTS
        $1 == "table" {
            segments[name]++
            if (segments[name] == 1)
                say("kind", kind_of($5))
            if ($5 == "linear" && !((name, $6) in seen)) {
                seen[name, $6] = 1
                say("/" number[$6] " step", $7 * 512)
            }
            if ($5 == "striped") {
                say("stripes", $6)
                say("chunk", $7 * 512)
                for (i = 8; i < NF; i += 2)
                    say("/" number[$i] " step", $(i + 1) * 512)
            }
            if ($5 == "crypt") {
                say("cipher", $6)
                say("/" number[$9] " step", $10 * 512)
                sector = 512
                if (match($0, /sector_size:[0-9]+/))
                    sector = substr($0, RSTART + 12, RLENGTH - 12)
                say("sector", sector)
                say("workqueue", /no_read_workqueue/ && /no_write_workqueue/ ? "off" : "on")
            }
            if ($5 == "raid") {
                # The letters behind the level say how parity moves.
                sub("_.*", "", $6)
                say("raid", $6)
                say("chunk", $8 * 512)
                for (i = 9 + $7; i <= NF; i += 2)
                    say("/" number[$i] " role", "metadata")
            }
            if ($5 == "thin-pool") {
                say("chunk", $8 * 512)
                say("/" number[$6] " role", "metadata")
            }
            if ($5 == "cache") {
                say("chunk", $9 * 512)
                for (i = 11; i < 11 + $10; i++)
                    if ($i ~ /^(writethrough|writeback|passthrough)$/)
                        say("mode", $i)
                say("/" number[$6] " role", "metadata")
                say("/" number[$7] " role", "cache")
            }
            if ($5 == "snapshot") {
                say("chunk", $9 * 512)
                say("/" number[$7] " role", "snapshot")
            }
        }
        $1 == "status" && $5 == "thin-pool" {
            split($7, meta, "/")
            split($8, data, "/")
            say("used", int(data[1] * 100 / data[2]))
            say("metadata", int(meta[1] * 100 / meta[2]))
        }
        $1 == "status" && $5 == "raid" {
            say("disks", $7)
            dead = gsub("[D-]", "D", $8)
            say("degraded", dead)
            say("sync", $10)
        }
        END {
            for (name in said) {
                n = split(ways[node_of[name]], w, "\n")
                m = split(said[name], s, "\n")
                for (i = 2; i <= n; i++)
                    for (k = 1; k < m; k++)
                        if (s[k] ~ /^\//) {
                            split(s[k], f, "[ |]")
                            print w[i] f[1], f[2], f[3]
                        } else {
                            print w[i], s[k]
                        }
            }
        }' "$GUEST_DIR/lsblk" "$GUEST_DIR/dm" | sort -u >"$GUEST_DIR/told"
    compare_below dmsetup "$GUEST_DIR/told" >>"$GUEST_DIR/theirs"
}

# named FILE: lines "NAME KEY VALUE" (of a mapping or array) for every place where lsblk has it.
said_named()
{
    compare_run -F '|' '
        NR == FNR { if ($2 == "name") ways[$3] = ways[$3] "\n" $1; next }
        {
            n = split(ways[$1], w, "\n")
            for (i = 2; i <= n; i++)
                print w[i], $2, $3
        }' "$GUEST_DIR/lsblk" - >"$GUEST_DIR/told"
    compare_below "$1" "$GUEST_DIR/told" >>"$GUEST_DIR/theirs"
}

# LVM calls an origin linear and a snapshot as well; the mapper tells what they are. The size of a snapshot is that
# of its room for changes. What lies below an origin, and a pool's live mapping, has a suffix.
said_lvs()
{
    grep -q '|type|lvm$' "$GUEST_DIR/lsblk" || return 0
    # shellcheck disable=SC2016
    lvs -a --reportformat json --units b --nosuffix -o lv_dm_path,lv_attr,segtype,stripes,stripesize,\
lv_size,origin_size,data_percent,metadata_percent |
        jq -r '.report[0].lv[] | (.lv_dm_path | sub("^/dev/mapper/"; "")) as $n |
            (if .lv_attr[0:1] == "s" then [$n, "size", .origin_size], [$n + "-cow", "size", .lv_size] else
                [$n, "size", .lv_size] end),
            (if .lv_attr[0:1] == "o" then [$n + "-real", "size", .lv_size] else empty end),
            (if (.lv_attr[0:1] | test("[oOsS]")) then empty else [$n, "kind", "lvm-" +
                (.segtype | sub("^raid.*"; "raid") | sub("^thin.*"; "thin"))] end),
            (if .segtype == "striped" then [$n, "stripes", .stripes] else empty end),
            (if .stripe_size != "0" and .stripes != "1" then [$n, "chunk", .stripe_size] else empty end),
            (if .segtype == "thin-pool" then
                [$n + "-tpool", "used", (.data_percent | tonumber | floor)],
                [$n + "-tpool", "metadata", (.metadata_percent | tonumber | floor)] else empty end) |
            map(tostring) | join("|")' | said_named lvs
}

said_mdadm()
{
    for sm_md in $(cut -d '|' -f1 "$GUEST_DIR/lsblk" | grep -o 'md[0-9]*$' | sort -u); do
        {
            mdadm --detail --export "/dev/$sm_md"
            mdadm --detail "/dev/$sm_md"
        } | compare_run -v md="$sm_md" '
            /^MD_LEVEL=/ { sub(".*=", ""); print md, "raid", $0 }
            /^MD_DEVICES=/ { sub(".*=", ""); wanted = $0; print md, "disks", $0 }
            / Chunk Size :/ { print md, "chunk", $4 * 1024 }
            / Active Devices :/ { print md, "degraded", wanted - $4 }
            / State :/ { print md, "sync", /resyncing/ ? "resync" : /recovering/ ? "recover" : "idle" }
            / (Rebuild|Resync) Status :/ { print md, "done", $4 + 0 }
            / Array Size :/ { print md, "size", $4 * 1024 }' | said_named mdadm
    done
}

said_cryptsetup()
{
    for sc_name in $(compare_run -F '|' '$2 == "name" { name = $3 }
        $2 == "type" && $3 == "crypt" { print name }' "$GUEST_DIR/lsblk" | sort -u); do
        cryptsetup status "$sc_name" | compare_run -v name="$sc_name" '
            $1 == "cipher:" { print name, "cipher", $2 }
            /sector size:/ { print name, "sector", $3 }
            $1 == "flags:" { flags = $0 }
            $1 == "size:" { print name, "size", $2 * 512 }
            END {
                print name, "workqueue", flags ~ /no_read_workqueue/ && flags ~ /no_write_workqueue/ ? "off" : "on"
            }' | said_named cryptsetup
    done
}

# The superblocks say which is the cache, and how it works.
said_bcache()
{
    for sb_way in $(cut -d '|' -f1 "$GUEST_DIR/lsblk" | grep -o 'bcache[0-9]*/[^/]*$' | sort -u); do
        bcache-super-show "/dev/${sb_way#*/}" | awk -v OFS='|' -v way="$sb_way" '
            $1 == "sb.version" { print way, "role", /cache device/ ? "cache" : "" }
            $1 == "dev.data.cache_mode" {
                gsub(/[][]/, "", $3)
                sub("/.*", "", way)
                print way, "mode", $3
            }'
    done >"$GUEST_DIR/told"
    compare_below bcache "$GUEST_DIR/told" >>"$GUEST_DIR/theirs"
}

# Which drives several volumes share, by what lsblk says of each; the roles are nvadvise's own.
said_shared()
{
    compare_run -F '|' '$1 == "lsblk" && $4 == "volume.leaf_devices" {
        n = split($5, d, ",")
        for (i = 1; i <= n; i++)
            print d[i] "|" $2
    }' "$GUEST_DIR/theirs" | LC_ALL=C sort -u >"$GUEST_DIR/told"
    awk -F '|' -v OFS='|' '
        FILENAME ~ /ours$/ { if ($2 == "chain" && $3 == "roles") roles[$1] = $4; next }
        {
            n = split(roles[$2], r, ",")
            for (i = 1; i <= n; i++)
                print $1, r[i]
        }' "$GUEST_DIR/ours" "$GUEST_DIR/told" | LC_ALL=C sort -u >"$GUEST_DIR/roles"
    compare_run -F '|' '
        FILENAME ~ /roles$/ { roles[$1] = roles[$1] (roles[$1] == "" ? "" : ",") $2; next }
        { volumes[$1] = volumes[$1] (volumes[$1] == "" ? "" : ",") $2 }
        END {
            for (d in volumes) {
                both = volumes[d] ~ /,/
                print "lsblk", "device:" d, "shared", "volumes", both ? volumes[d] : ""
                print "lsblk", "device:" d, "shared", "roles", both ? roles[d] : ""
            }
        }' "$GUEST_DIR/roles" "$GUEST_DIR/told" >>"$GUEST_DIR/theirs"
}
