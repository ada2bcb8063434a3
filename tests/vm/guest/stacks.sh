# Stacks of block devices for the guest, made from partitions of four disks. Sourced by POSIX sh after
# lib.sh and server.sh.
#
#   stacks_begin COUNT [WORD]     partitions 1 to COUNT of 1 GiB on the disks of STACK-a to STACK-d (or
#                                 WORD-a …), and on the last one more that begins where no page does
#   part DISK N                   the device of one: part a 3
#   stack_mount NAME DEV [OPTIONS [MKFS...]]  a filesystem on DEV, mounted at /s/NAME; xfs by default
#   roles_start DATA REDO UNDO BINLOG RELAYLOG TMP [SERVER OPTIONS]   each role of a MariaDB at /s/…
#
#   stacks_disks [WORD]           sets disk_a to disk_d; stacks_begin does it as well

stacks_disks()
{
    for sd_name in a b c d; do
        eval "disk_$sd_name=\$(namespace_of \"${1:-STACK}-$sd_name\" 1)"
    done
}

stacks_begin()
{
    export LVM_SUPPRESS_FD_WARNINGS=1
    # Under emulation udev looks at each partition for a second, and nobody asks for what it finds.
    # For the same reason the kernel is told of them without a table on the disk.
    udevadm control --exit
    stacks_disks "${2:-STACK}"
    for sb_disk in "${disk_a:?}" "${disk_b:?}" "${disk_c:?}" "${disk_d:?}"; do
        sb_n=0
        while [ $sb_n -lt "$1" ]; do
            addpart "/dev/$sb_disk" $((sb_n + 1)) $((2048 + sb_n * 2097152)) 2097152 || return 1
            sb_n=$((sb_n + 1))
        done
    done
    # As old tools did: behind the first track of 63 sectors.
    addpart "/dev/$disk_d" $((sb_n + 1)) $((2048 + sb_n * 2097152 + 63)) 2097152 || return 1
    udevd_start
}

part()
{
    eval "echo /dev/\${disk_$1}p$2"
}

stack_mount()
{
    sm_name=$1 sm_dev=$2 sm_options=${3:-noatime}
    shift 2
    [ $# -eq 0 ] || shift
    [ $# -gt 0 ] || set -- mkfs.xfs -q -f
    mkdir -p "/s/$sm_name"
    "$@" "$sm_dev" && mount -o "$sm_options" "$sm_dev" "/s/$sm_name"
}

roles_start()
{
    mkdir -p /m/conf.d /m/run
    rm -rf "/s/$1/data"
    cp -a /srv/mariadb "/s/$1/data" || return 1
    rs_data=/s/$1/data rs_redo=/s/$2/redo rs_undo=/s/$3/undo rs_binlog=/s/$4/binlog
    rs_relay=/s/$5/relay rs_tmp=/s/$6/tmp
    shift 6
    rm -rf "$rs_redo" "$rs_undo" "$rs_binlog" "$rs_relay"
    mkdir -p "$rs_redo" "$rs_undo" "$rs_binlog" "$rs_relay" "$rs_tmp"
    mv "$rs_data/ib_logfile0" "$rs_redo/"
    chown "${guest_user:?}:$guest_user" /m/run "$rs_redo" "$rs_undo" "$rs_binlog" "$rs_relay" "$rs_tmp"
    guest_config "$rs_data"
    guest_server_start --innodb-log-group-home-dir="$rs_redo" --innodb-undo-directory="$rs_undo" \
        --log-bin="$rs_binlog/bin" --relay-log="$rs_relay/relay" --tmpdir="$rs_tmp" "$@"
}
