# What guest scripts share. Sourced by POSIX sh in the guest, after tap.sh.

# controller_of SERIAL: its kernel name. Numbers follow the order of probing, which varies.
controller_of()
{
    for co_path in /sys/class/nvme/nvme*; do
        # sysfs pads the serial number with blanks
        if [ "$(sed 's/ *$//' "$co_path/serial")" = "$1" ]; then
            basename "$co_path"
            return 0
        fi
    done
    return 1
}

# namespace_of SERIAL NSID: the kernel name of the disk.
namespace_of()
{
    echo "$(controller_of "$1")n$2"
}

# qmp COMMAND ARGUMENTS: sends one command to the QEMU that runs this guest; prints the answer,
# fails on an error. ARGUMENTS is a JSON object.
qmp()
{
    exec 9<>/dev/virtio-ports/nv.qmp
    # Negotiated by an earlier call: an error then, and no harm.
    printf '{"execute": "qmp_capabilities", "id": "hello"}\n' >&9
    printf '{"execute": "%s", "arguments": %s, "id": "ask"}\n' "$1" "$2" >&9
    while read -r qmp_line <&9; do
        case $qmp_line in
        *'"id": "ask"'*) break ;;
        esac
    done
    exec 9>&-
    printf '%s\n' "$qmp_line"
    case $qmp_line in
    *'"error"'*) return 1 ;;
    esac
}

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for()
{
    wf_left=$(($1 * 5))
    shift
    until "$@" >/dev/null 2>&1; do
        wf_left=$((wf_left - 1))
        [ $wf_left -gt 0 ] || return 1
        sleep 0.2
    done
}

udevd_start()
{
    for us_path in /usr/lib/systemd/systemd-udevd /lib/systemd/systemd-udevd; do
        if [ -x "$us_path" ]; then
            "$us_path" --daemon >/dev/null 2>&1
            return
        fi
    done
}

# throttle GROUP LIMITS: new limits of a throttle group of the boot, as a JSON object.
throttle()
{
    qmp qom-set "{\"path\": \"/objects/$1\", \"property\": \"limits\", \"value\": $2}"
}

# warn CONTROLLER BITS: its critical warning from now on; 0 takes it back. By the boot's id.
warn()
{
    qmp qom-set "{\"path\": \"/machine/peripheral/$1\", \"property\": \"smart_critical_warning\",
        \"value\": $2}"
}

# unplug DEVICE: pulled out of its slot, as by hand; by the boot's id.
unplug()
{
    qmp device_del "{\"id\": \"$1\"}"
}

# bind_attr FILE VALUE: an attribute of sysfs or a file of proc that says something else until
# "umount FILE".
bind_attr()
{
    mkdir -p /run/attr
    ba_file=$(mktemp /run/attr/XXXXXX) && chmod 644 "$ba_file" && printf '%s\n' "$2" >"$ba_file" &&
        mount --bind "$ba_file" "$1"
}

# kernel_said: lines of the kernel's log that tell of trouble with a controller.
kernel_said()
{
    dmesg | grep 'nvme nvme[0-9]*: ' | grep -i -e reset -e timeout -e abort
}

# stuck: how many of nvadvise's processes are there.
stuck()
{
    for st in /proc/[0-9]*/comm; do
        if [ "$(cat "$st" 2>/dev/null)" = nvadvise ]; then
            echo "$st"
        fi
    done | wc -l
}
