# A controller over TCP, made in the guest from a namespace of its own, beside a local one.
# What tests/vm/run reads of it:
# shellcheck disable=SC2034
boot_scripts=fabric
boot_devices()
{
    controller whole WHOLE
    disk whole-1 whole 1
    disk whole-2 whole 2
}
