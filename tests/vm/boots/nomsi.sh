# A kernel that gives no vectors: one legacy interrupt a controller, so one I/O queue.
# What tests/vm/run reads of it:
# shellcheck disable=SC2034
boot_scripts=nomsi
boot_append=pci=nomsi
boot_devices()
{
    controller whole WHOLE
    disk whole-1 whole 1
}
