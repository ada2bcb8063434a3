# Words for the boots of the test guest: each prints QEMU arguments, one a line. Sourced by POSIX sh.
# The caller sets $run, the folder of the run's disks.
#
#   slot ID                              a root port of its own: its device can be unplugged
#   controller ID SERIAL [PROPERTIES]    a controller "ID" in a slot of its own
#   disk NAME CONTROLLER NSID [SIZE [PROPERTIES]]     a namespace on a sparse file
#   bad_disk NAME CONTROLLER NSID SECTOR [PROPERTIES] one that cannot read that sector
#   subsystem ID                         for controllers with PROPERTIES "subsys=ID"

slot_count=0

slot()
{
    slot_count=$((slot_count + 1))
    printf '%s\n' -device "pcie-root-port,id=$1,bus=pcie.0,chassis=$slot_count,slot=$slot_count"
}

controller()
{
    slot "slot-$1"
    printf '%s\n' -device "nvme,id=$1,bus=slot-$1,serial=$2${3:+,$3}"
}

subsystem()
{
    printf '%s\n' -device "nvme-subsys,id=$1,nqn=nqn.2026-01.test.guest:$1"
}

# file NAME SIZE: the file below a disk.
file()
{
    # The output port is standard output here: nothing else may be said on it.
    truncate -s "$2" "${run:?}/$1.img"
    printf '%s\n' -blockdev "driver=file,filename=$run/$1.img,node-name=$1-file,discard=unmap"
}

# namespace NAME CONTROLLER NSID PROPERTIES
namespace()
{
    printf '%s\n' -device "nvme-ns,id=ns-$1,bus=$2,drive=$1,nsid=$3,$4"
}

disk()
{
    file "$1" "${4:-1G}"
    printf '%s\n' -blockdev "driver=raw,file=$1-file,node-name=$1,discard=unmap"
    namespace "$1" "$2" "$3" "${5:-shared=off}"
}

# Between the file and raw: raw itself raises the events that blkdebug waits for.
bad_disk()
{
    file "$1" 1G
    printf '%s\n' -blockdev "driver=blkdebug,node-name=$1-debug,image=$1-file,\
inject-error.0.event=read_aio,inject-error.0.errno=5,inject-error.0.sector=$4" \
        -blockdev "driver=raw,file=$1-debug,node-name=$1,discard=unmap"
    namespace "$1" "$2" "$3" "${5:-shared=off}"
}
