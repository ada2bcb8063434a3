# What zpool, zfs and btrfs say of the volumes of $GUEST_DIR/topologies, as the lines of compare.sh with the tool in
# front. Sourced by compare.sh.

# What looks like the shell's is awk's and jq's; names of devices hold no blanks.
# shellcheck disable=SC2016,SC2013

# pool_devices TYPE SOURCE MOUNTPOINT: the devices of a filesystem that has several, one a line, a second word where they
# carry none of its data.
pool_devices()
{
    case $1 in
    btrfs) btrfs filesystem show --raw "$3" | sed -n 's/.* path //p' ;;
    zfs)
        pool_table "${2%%/*}" | awk -F '|' '$4 ~ /^\/dev\// && $5 !~ /^(OFFLINE|UNAVAIL|REMOVED|FAULTED)$/ {
            print $4 ($3 == "" ? "" : " aside")
        }'
        ;;
    esac
}

# pool_table POOL: the table of zpool status, a line "WAY DEPTH ROLE NAME STATE ERRORS" for each row. Kept for a
# set-up, since each call takes long.
pool_table()
{
    [ -e "$GUEST_DIR/status-$1" ] || zpool status -P -L "$1" >"$GUEST_DIR/status-$1"
    awk -v OFS='|' '
        /^\tNAME +STATE/ { table = 1; next }
        !/^\t/ { table = 0 }
        !table { next }
        /^\t(logs|cache|spares|special|dedup)[ \t]*$/ {
            role = $1
            sub("s$", "", role)
            next
        }
        {
            match($0, /^\t */)
            depth = (RLENGTH - 1) / 2
            short = $1
            sub("^/dev/", "", short)
            if (depth == 0)
                pool = short
            # The devices of a section stand as deep as the vdevs of the pool.
            way[depth] = depth == 0 ? short : way[depth - 1] "/" short
            print way[depth], depth, role, $1, $2, $3 + $4 + $5
        }' "$GUEST_DIR/status-$1"
}

# pool_below: of the ways on standard input what stands below each, as lines "WAY below LIST".
pool_below()
{
    cut -d '|' -f1 | LC_ALL=C sort -u | awk -v OFS='|' '
        {
            above = short = $0
            if (!sub("/[^/]*$", "", above))
                next
            sub(".*/", "", short)
            list[above] = list[above] (list[above] == "" ? "" : ",") short
        }
        END { for (i in list) print i, "below", list[i] }'
}

said_zpool()
{
    awk -F '|' '$1 == "findmnt" && $3 == "fs" && $4 == "source" { source[$2] = $5 }
        $1 == "findmnt" && $3 == "fs" && $4 == "type" && $5 == "zfs" { print $2 " " source[$2] }' \
        "$GUEST_DIR/theirs" >"$GUEST_DIR/datasets"
    [ -s "$GUEST_DIR/datasets" ] || return 0
    zpool list -vHP >"$GUEST_DIR/list"
    zfs list -Hp -o name,mountpoint,recordsize,used >"$GUEST_DIR/sets"
    while read -r sz_subject sz_dataset; do
        pool_table "${sz_dataset%%/*}" >"$GUEST_DIR/table"
        {
            awk -F '|' -v OFS='|' '{
                print $1, "state", $5
                print $1, "errors", $6
                print $1, "role", $3
                print $1, "end", $5 ~ /^(OFFLINE|UNAVAIL|REMOVED|FAULTED)$/ && $4 ~ /^\// ? "unknown" : ""
                if ($2 > 0 && $4 !~ /^\//) {
                    sub("-[0-9]*$", "", $4)
                    print $1, "type", $4
                }
            }' "$GUEST_DIR/table"
            pool_below <"$GUEST_DIR/table"
        } | sed "s#^#zpool status|$sz_subject|#"
        # Of the pools' own lists the state again, by the name.
        awk -F '|' -v OFS='|' -v subject="$sz_subject" '
            NR == FNR { way[$4] = $1; next }
            NF < 11 { next }
            $1 != "" { pool = $1 }
            { name = $1 != "" ? $1 : $2; state = $1 != "" ? $10 : $11 }
            name in way && way[name] ~ "^" pool "(/|$)" && state != "-" {
                print "zpool list", subject, way[name], "state", state
            }' "$GUEST_DIR/table" FS='\t' "$GUEST_DIR/list"
        awk -F '\t' -v OFS='|' -v subject="$sz_subject" -v dataset="$sz_dataset" '$1 == dataset {
            print "zfs list", subject, "fs", "dataset", $1
            print "zfs list", subject, "fs", "at", $2
            print "zfs list", subject, "fs", "block", $3
            print "zfs list", subject, "fact", "volume.zfs.dataset", $1
            print "zfs list", subject, "fact", "volume.zfs.recordsize", $3
        }' "$GUEST_DIR/sets"
    done <"$GUEST_DIR/datasets" >>"$GUEST_DIR/theirs"
}

# The filesystem is a group of its devices, named after the first; one device is no group.
said_btrfs()
{
    awk -F '|' '$1 == "findmnt" && $3 == "fs" && $4 == "at" { at[$2] = $5 }
        $1 == "findmnt" && $3 == "fs" && $4 == "type" && $5 == "btrfs" { print $2 " " at[$2] }' \
        "$GUEST_DIR/theirs" >"$GUEST_DIR/datasets"
    while read -r sb_subject sb_at; do
        pool_devices btrfs - "$sb_at" | sed 's#^/dev/##' | LC_ALL=C sort >"$GUEST_DIR/members"
        {
            btrfs filesystem df --raw "$sb_at" | tr '[:upper:]' '[:lower:]' |
                awk -v OFS='|' -v top="btrfs-$(head -n 1 "$GUEST_DIR/members")" \
                    -v list="$(paste -s -d , "$GUEST_DIR/members")" '
                    { sub(":", "", $2) }
                    $1 == "data," {
                        print top, "type", $2
                        print "fact", "volume.btrfs.data_profile", $2
                    }
                    $1 == "metadata," { print "fact", "volume.btrfs.metadata_profile", $2 }
                    END { print top, "below", list }'
            btrfs subvolume show "$sb_at" | awk -v OFS='|' 'NR == 1 {
                sub("^/*", "/")
                print "fs", "subvolume", $0
                print "fact", "volume.btrfs.subvolume", $0
            }'
            btrfs device stats "$sb_at" | awk -v OFS='|' '{ sum += $2 }
                END { print "fact", "volume.btrfs.device_errors", sum + 0 }'
        } | sed "s#^#btrfs|$sb_subject|#" >>"$GUEST_DIR/theirs"
    done <"$GUEST_DIR/datasets"
}
