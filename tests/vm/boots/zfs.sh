# Four controllers for pools; the only boot that needs the ZFS modules.
# What tests/vm/run reads of it:
# shellcheck disable=SC2034
boot_scripts='zfs poolloss'
boot_memory=3072
boot_zfs=yes
boot_devices()
{
    for name in a b c d; do
        controller "$name" "ZFS-$name"
        disk "disk-$name" "$name" 1 20G
    done
}
