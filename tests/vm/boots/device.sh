# What controllers and namespaces can be: sectors of 512 and 4096 bytes, few queues, small transfers,
# a cache that is off, a sector that cannot be read, one to unplug, and two paths to one namespace.
# What tests/vm/run reads of it:
# shellcheck disable=SC2034
boot_scripts=device
boot_devices()
{
    controller whole WHOLE
    disk whole-1 whole 1
    disk whole-2 whole 2
    disk whole-3 whole 3 1G shared=off,logical_block_size=4096,physical_block_size=4096
    controller limited LIMITED max_ioqpairs=2,msix_qsize=2
    disk limited limited 1
    controller small SMALL mdts=1
    bad_disk small-1 small 1 16384 shared=off,write-cache=off
    disk small-2 small 2 1G shared=off,write-cache=off
    controller plug PLUG
    disk plug plug 1
    subsystem pair
    controller path-a SHARED subsys=pair
    controller path-b SHARED subsys=pair
    disk shared path-a 1 1G shared=on
}
