# One whole controller with two namespaces, one with a single I/O queue.
# What tests/vm/run reads of it:
# shellcheck disable=SC2034
boot_scripts='harness program'
boot_devices()
{
    controller whole WHOLE
    disk whole-1 whole 1
    disk whole-2 whole 2
    controller limited LIMITED max_ioqpairs=2,msix_qsize=2
    disk limited limited 1
}
