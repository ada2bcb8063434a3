# What a config case says of its server, as lines of a facts document: only what it says, nothing guessed.
#
#   jq -r -f tests/lib/context.jq CASE.context.json

def line($name; $value): if $value == null then empty else "\($name) = \($value)" end;
def bytes($name; $value): line($name; if $value == null then null else "\($value)B" end);

# Disks by the case's word; a plain "nvme" is a local one.
def kind: {"nvme": "nvme", "sata-ssd": "sata-ssd", "ssd": "sata-ssd", "sas-ssd": "sas-ssd", "hdd": "disk",
    "disk": "disk", "virtio": "virtio"}[.];
def class: {"nvme": "nvme-local"}[.];

def device($name; $d):
    line("device:\($name)/device.kind"; $d.class | kind?),
    line("device:\($name)/device.storage_class"; $d.class | class?),
    line("device:\($name)/device.model"; if $d.model then ($d.model | @json) else null end),
    line("device:\($name)/device.power_loss_protection"; $d.power_loss_protection),
    (if ($d.class // "") | test("^(nvme|ssd|sata-ssd|sas-ssd|hdd|disk)$")
     then "device:\($name)/device.network_storage = false" else empty end),
    (if $d.class == "hdd" then "device:\($name)/device.rotational_media = true",
        "device:\($name)/device.queue.rotational = true"
     elif ($d.class // "") | test("ssd|nvme") then "device:\($name)/device.rotational_media = false",
        "device:\($name)/device.queue.rotational = false" else empty end);

def devices:
    .device as $d
    | if $d == null then empty
      else [range($d.count // 1) | "disk\(.)"] as $names
        | ($names[] | device(.; $d)),
          "data.leaf_devices = {\($names | join(", "))}"
      end;

def filesystem:
    .filesystem as $f
    | if $f == null then empty else
        line("data.fs.type"; $f.type),
        bytes("data.zfs.recordsize"; $f.recordsize),
        bytes("data.zfs.file_block_size"; $f.recordsize),
        line("data.zfs.compression"; $f.compression),
        (($f.layout // "") | if test("raidz[123]") then "data.zfs.vdev_kind = \(match("raidz[123]").string)"
            elif test("mirror") then "data.zfs.vdev_kind = mirror" else empty end)
      end;

line("server.flavour"; .server.flavour),
line("server.version"; .server.version),
bytes("host.memory.total"; .ram_bytes),
line("host.cpu.online"; .cpus),
line("server.cpu.available"; .cpus),
bytes("server.data.bytes"; .data_bytes),
line("server.process.max_open_files"; .other.systemd_LimitNOFILE // .other.LimitNOFILE),
bytes("server.cgroup.memory_max"; .other.memory_limit_bytes),
filesystem,
devices
