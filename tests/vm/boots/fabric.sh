# A controller over TCP, made in the guest from namespaces of its own, one with a bad sector, beside a local one.
# What tests/vm/run reads of it:
# shellcheck disable=SC2034
boot_scripts=fabric
boot_devices()
{
    controller whole WHOLE
    disk whole-1 whole 1
    disk whole-2 whole 2
    disk whole-3 whole 3
    bad_disk whole-4 whole 4 16384
}
