# Four equal controllers for whatever the block layer and the filesystems put on them.
# What tests/vm/run reads of it:
# shellcheck disable=SC2034
boot_scripts='stack filesystem advice'
boot_memory=3072
boot_devices()
{
    for name in a b c d; do
        controller "$name" "STACK-$name"
        disk "disk-$name" "$name" 1 16G
    done
}
