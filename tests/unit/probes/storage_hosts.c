/* See storage_hosts.h. */
#include "probes/host/reply.h"
#include "tests/unit/probes/storage_hosts.h"

#include "advisor/base/banned.h"

void hosts_attr(struct host *h, const char *name, const char *file, const char *text)
{
    fakehost_file(h, arena_printf(h->arena, "/sys/class/block/%s/%s", name, file), text);
}

void hosts_block(struct host *h, const char *name, const char *link, const char *min_io,
                 const char *opt_io)
{
    fixture_link(h, arena_printf(h->arena, "/sys/class/block/%s", name), link);
    fixture_list(h, arena_printf(h->arena, "/sys/class/block/%s/slaves", name), "");
    hosts_attr(h, name, "queue/minimum_io_size", min_io);
    hosts_attr(h, name, "queue/optimal_io_size", opt_io);
    hosts_attr(h, name, "queue/max_sectors_kb", "1280");
    hosts_attr(h, name, "queue/max_hw_sectors_kb", "2048");
    hosts_attr(h, name, "queue/discard_max_bytes", "2199023255040");
    hosts_attr(h, name, "queue/logical_block_size", "512");
    hosts_attr(h, name, "queue/rotational", "0");
    hosts_attr(h, name, "queue/write_cache", "write back");
    hosts_attr(h, name, "queue/scheduler", "[none] mq-deadline kyber");
    hosts_attr(h, name, "queue/nr_requests", "1023");
    hosts_attr(h, name, "queue/wbt_lat_usec", "2000");
    hosts_attr(h, name, "queue/fua", "1");
    hosts_attr(h, name, "size", "2097152");
}

void hosts_number(struct host *h, const char *number, const char *name)
{
    fixture_link(h, arena_printf(h->arena, "/sys/dev/block/%s", number),
                 arena_printf(h->arena, "../../devices/virtual/block/%s", name));
}

static void ctrl_attr(struct host *h, const char *ctrl, const char *file, const char *text)
{
    fakehost_file(h, arena_printf(h->arena, "/sys/class/nvme/%s/%s", ctrl, file), text);
}

void hosts_nvme(struct host *h, const char *name, const char *ctrl, const char *model)
{
    hosts_block(h, name,
                arena_printf(h->arena, "../../devices/pci0000:00/0000:01:00.0/nvme/%s/%s", ctrl,
                             name),
                "512", "0");
    fixture_link(h, arena_printf(h->arena, "/sys/class/block/%s/device", name),
                 arena_printf(h->arena, "../../%s", ctrl));
    hosts_attr(h, name, "device/model", model);
    hosts_attr(h, name, "device/serial", arena_printf(h->arena, "SN-%s      ", name));
    hosts_attr(h, name, "device/firmware_rev", "1.0   ");
    hosts_attr(h, name, "nsid", "1");
    fixture_list(h, arena_printf(h->arena, "/sys/class/block/%s/mq", name), "0 1");
    hosts_attr(h, name, "mq/0/cpu_list", "0, 1, 2");
    hosts_attr(h, name, "mq/1/cpu_list", "3");
    ctrl_attr(h, ctrl, "transport", "pcie");
    ctrl_attr(h, ctrl, "state", "live");
    ctrl_attr(h, ctrl, "queue_count", "3");
    ctrl_attr(h, ctrl, "sqsize", "1023");
    ctrl_attr(h, ctrl, "cntlid", "7");
    ctrl_attr(h, ctrl, "numa_node", "-1");
    ctrl_attr(h, ctrl, "device/vendor", "0x144d");
    ctrl_attr(h, ctrl, "device/current_link_speed", "8.0 GT/s PCIe");
    ctrl_attr(h, ctrl, "device/max_link_speed", "16.0 GT/s PCIe");
    ctrl_attr(h, ctrl, "device/current_link_width", "4");
    ctrl_attr(h, ctrl, "device/max_link_width", "4");
    fixture_list(h, arena_printf(h->arena, "/sys/class/nvme/%s/device/msi_irqs", ctrl), "40 41 42");
    ctrl_attr(h, ctrl, "device/msi_irqs/40", "msix");
}

void hosts_partition(struct host *h, const char *part, const char *disk, const char *sector)
{
    fixture_link(h, arena_printf(h->arena, "/sys/class/block/%s", part),
                 arena_printf(h->arena, "../../devices/pci0000:00/x/%s/%s", disk, part));
    hosts_attr(h, part, "partition", "1");
    hosts_attr(h, part, "start", sector);
}

void hosts_stacked(struct host *h, const char *name, const char *slaves, const char *dm_name,
                   const char *dm_uuid, const char *min_io, const char *opt_io)
{
    hosts_block(h, name, arena_printf(h->arena, "../../devices/virtual/block/%s", name), min_io,
                opt_io);
    fixture_list(h, arena_printf(h->arena, "/sys/class/block/%s/slaves", name), slaves);
    if (dm_name != NULL) {
        hosts_attr(h, name, "dm/name", dm_name);
    }
    if (dm_uuid != NULL) {
        hosts_attr(h, name, "dm/uuid", dm_uuid);
    }
}

void hosts_magic(struct host *h, const char *real, uint64_t magic)
{
    const struct host_statfs fs = {
        .type = magic,
        .block_size = 4096,
        .blocks = 26214400,
        .free_blocks = 20971520,
        .available_blocks = 20971520,
        .files = 1000,
        .free_files = 900,
    };
    fakehost_reply(h, HOST_STATFS, real, reply_statfs(h->arena, &fs));
}

void hosts_path(struct host *h, const char *asked, const char *real, uint32_t major,
                uint32_t minor, uint64_t mnt_id)
{
    const struct host_stat dir = {
        .mode = 0040750,
        .inode = 128,
        .dev_major = major,
        .dev_minor = minor,
        .mnt_id = mnt_id,
        .has_mnt_id = mnt_id != 0,
    };
    struct host_stat file = dir;
    file.mode = 0100640;
    file.has_dio = true;
    file.dio_mem_align = 4;
    file.dio_offset_align = 512;
    const struct host_size size = {
        .bytes_allocated = 3u << 30,
        .bytes_apparent = 3u << 30,
        .files = 25,
        .complete = true,
    };
    fixture_link(h, arena_printf(h->arena, "real %s", asked), real);
    fixture_stat(h, real, &dir);
    fixture_stat(h, arena_printf(h->arena, "%s/ibdata1", real), &file);
    hosts_magic(h, real, 0x58465342);
    fakehost_reply(h, HOST_SIZE, arena_printf(h->arena, ".ibd %s", real),
                   reply_size(h->arena, &size));
}
