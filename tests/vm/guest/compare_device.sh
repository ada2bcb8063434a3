# What nvme, lsblk and the kernel say of the drives at the bottom, as the lines of compare.sh with the tool in front.
# Sourced by compare.sh. lspci is no part of the guest; it prints what stands in the same files.

# What looks like the shell's is awk's and jq's; names of devices hold no blanks.
# shellcheck disable=SC2016,SC2013

# drives: the disks below the volumes by lsblk, one a line; each once a script, since their pages take long.
drives()
{
    awk -F '|' '$1 == "lsblk" && $3 == "chain" && $4 == "devices" { print $5 }' "$GUEST_DIR/theirs" |
        tr , '\n' | LC_ALL=C sort -u | grep '^nvme' | grep -v -x -f "$GUEST_DIR/drives"
}

# Of a disk that has no scheduler to choose from, as the head of several paths, lsblk says nothing.
said_devices()
{
    touch "$GUEST_DIR/drives"
    drives >"$GUEST_DIR/new"
    [ -s "$GUEST_DIR/new" ] || return 0
    cat "$GUEST_DIR/new" >>"$GUEST_DIR/drives"
    lsblk -J -b -d -O | jq -r '.blockdevices[] | . as $d |
        ([["chain", "ns.size_bytes", .size], ["chain", "ns.lba_bytes", ."log-sec"],
         ["chain", "model", .model],
         ["chain", "queue.scheduler", .sched // "none"], ["fact", "device.serial", .serial],
         ["fact", "device.queue.physical_block_size", ."phy-sec"],
         ["fact", "device.queue.minimum_io_size", ."min-io"],
         ["fact", "device.queue.optimal_io_size", ."opt-io"],
         ["fact", "device.queue.rotational", .rota], ["fact", "device.queue.nr_requests", ."rq-size"],
         ["fact", "device.queue.read_ahead_bytes", .ra * 1024],
         ["fact", "device.queue.discard_max_bytes", ."disc-max"]][] |
            ["device:" + $d.kname] + . | map(tostring) | join("|"))' >"$GUEST_DIR/disks"
    while read -r sd_disk; do
        grep "^device:$sd_disk|" "$GUEST_DIR/disks" | sed 's/^/lsblk|/'
        nvme list-subsys "/dev/$sd_disk" -o json >"$GUEST_DIR/subsys.json"
        jq -r '[.. | objects | select(has("Transport"))] | unique_by(.Name) | .[] |
            [.Name, .Transport, .State, .Address] | join("|")' "$GUEST_DIR/subsys.json" >"$GUEST_DIR/paths"
        said_paths "$sd_disk"
        sd_ctrl=$(head -n 1 "$GUEST_DIR/paths" | cut -d '|' -f1)
        said_nvme "$sd_disk" "$sd_ctrl"
        case $(cut -d '|' -f2 "$GUEST_DIR/paths") in
        pcie) said_slot "$sd_disk" "$sd_ctrl" ;;
        esac
    done <"$GUEST_DIR/new" >>"$GUEST_DIR/theirs"
}

# A disk has its controllers as layers only where there are several paths to it, or could be.
said_paths()
{
    awk -F '|' -v OFS='|' -v disk="$1" '
        FILENAME ~ /paths$/ { name[++n] = $1; transport[n] = $2; state[n] = $3; address[n] = $4; next }
        FILENAME ~ /ours$/ && $3 == "kind" && $4 == "controller" {
            above = $2
            if (sub("/[^/]*$", "", above) && above ~ "(^|/)" disk "$")
                drawn[$1 "|" above] = 1
        }
        END {
            if (n == 1) {
                print "nvme list-subsys", "device:" disk, "chain", "controller", name[1]
                print "nvme list-subsys", "device:" disk, "chain", "transport", transport[1]
                print "nvme list-subsys", "device:" disk, "chain", "state", state[1]
            } else {
                print "nvme list-subsys", "device:" disk, "chain", "multipath.paths", n
            }
            for (d in drawn)
                for (i = 1; i <= n; i++) {
                    print "nvme list-subsys", d "/" name[i], "state", state[i]
                    print "nvme list-subsys", d "/" name[i], "transport", transport[i]
                    print "nvme list-subsys", d "/" name[i], "address", address[i]
                }
        }' "$GUEST_DIR/paths" "$GUEST_DIR/ours"
}

# said_nvme DISK CONTROLLER: one call of jq for all pages. A target over a network has no vendor's number and no
# temperature: its pages say 0, which nvme prints as -273 C and nvadvise as not known.
said_nvme()
{
    {
        nvme id-ctrl "/dev/$2" -o json
        nvme id-ns "/dev/$1" -o json
        nvme smart-log "/dev/$2" -o json
    } | jq -r -s --arg d "device:$1" '.[0] as $c | .[1] as $n | .[2] as $s |
        [["nvme id-ctrl", "chain", "model", ($c.mn | sub(" +$"; ""))],
          ["nvme id-ctrl", "chain", "firmware", ($c.fr | sub(" +$"; ""))],
          ["nvme id-ctrl", "chain", "volatile_write_cache", $c.vwc % 2 == 1],
          ["nvme id-ctrl", "fact", "device.serial", ($c.sn | sub(" +$"; ""))],
          ["nvme id-ctrl", "fact", "device.cntlid", $c.cntlid],
          (if $c.vid == 0 then empty else ["nvme id-ctrl", "fact", "device.vid", $c.vid] end),
          ["nvme id-ctrl", "fact", "device.mdts", $c.mdts],
          ["nvme id-ctrl", "fact", "device.oncs", $c.oncs],
          ["nvme id-ctrl", "fact", "device.lpa", $c.lpa],
          ["nvme id-ctrl", "fact", "device.npss", $c.npss],
          ["nvme id-ctrl", "fact", "device.awupf_blocks", $c.awupf + 1]] +
         ($n.lbafs[$n.flbas % 16] as $f |
         [["nvme id-ns", "chain", "ns.lba_bytes", pow(2; $f.ds)],
          ["nvme id-ns", "chain", "ns.size_bytes", $n.nsze * pow(2; $f.ds)],
          ["nvme id-ns", "fact", "device.ns.capacity_bytes", $n.ncap * pow(2; $f.ds)],
          ["nvme id-ns", "fact", "device.ns.metadata_bytes", $f.ms],
          ["nvme id-ns", "fact", "device.ns.shared", $n.nmic % 2 == 1]]) +
         [["nvme smart-log", "chain", "smart.critical_warning", $s.critical_warning],
          ["nvme smart-log", "chain", "smart.temperature_c",
              (if $s.temperature == 0 then "" else $s.temperature - 273 end)],
          ["nvme smart-log", "chain", "smart.percentage_used_pct", $s.percent_used / 100],
          ["nvme smart-log", "fact", "device.smart.media_errors", ($s.media_errors | tonumber)],
          ["nvme smart-log", "fact", "device.smart.power_cycles", ($s.power_cycles | tonumber)]] |
        .[] | [.[0], $d] + .[1:] | map(tostring) | join("|")'
    nvme get-feature "/dev/$2" --feature-id=7 2>/dev/null | sed -n 's/.*value: *\(0x[0-9a-f]*\).*/\1/p' |
        while read -r sn_value; do
            printf 'nvme get-feature|device:%s|chain|feature.io_queues_granted|%d\n' "$1" \
                $(((sn_value & 0xffff) + 1))
        done
}

# said_slot DISK CONTROLLER: queues and link of a controller in a slot.
said_slot()
{
    ss_dir=/sys/class/nvme/$2
    ss_pci=$(readlink -f "$ss_dir/device")
    ss_slot=$(grep -l -x "$(basename "$ss_pci" | sed 's/[.].*//')" /sys/bus/pci/slots/*/address 2>/dev/null)
    ss_slot=${ss_slot%/address}
    # "2.5 GT/s PCIe"
    ss_now=$(sed 's/ .*//' "$ss_pci/current_link_speed" | awk '{ printf "%.0f", $1 * 1e9 }')
    ss_max=$(sed 's/ .*//' "$ss_pci/max_link_speed" | awk '{ printf "%.0f", $1 * 1e9 }')
    ss_vectors=$(find "$ss_pci/msi_irqs" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)
    ss_mode=$(cat "$ss_pci"/msi_irqs/* 2>/dev/null | head -n 1)
    sed "s/^/sysfs|device:$1|chain|/" <<LINES
pci.address|$(basename "$ss_pci")
pci.slot|$(basename "$ss_slot")
pci.link_speed|$ss_now
pci.link_speed_max|$ss_max
pci.link_width|$(cat "$ss_pci/current_link_width")
pci.link_width_max|$(cat "$ss_pci/max_link_width")
queue.io_queues|$(($(cat "$ss_dir/queue_count") - 1))
queue.hw_queues|$(find "/sys/block/$1/mq" -mindepth 1 -maxdepth 1 | wc -l)
queue.interrupt_mode|${ss_mode:-intx}
queue.vectors|$([ "$ss_vectors" = 0 ] && grep -c "$2q0" /proc/interrupts || echo "$ss_vectors")
numa_node|$(sed 's/^-1$//' "$ss_pci/numa_node")
LINES
}
