/* See device_scenes.h. */
#include <errno.h>
#include <string.h>

#include "probes/host/reply.h"
#include "tests/unit/probes/device_scenes.h"

#include "advisor/base/banned.h"

#define ROOT_REPLY "uid=65534 gid=65534 sys_admin=1"
#define USER_REPLY "uid=1000 gid=1000 sys_admin=0"

static char *new_page(struct host *h, size_t n)
{
    return arena_alloc(h->arena, n);
}

void page_put(char *page, size_t at, uint64_t v, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        page[at + i] = (char)(unsigned char)(v >> (8 * i));
    }
}

char *page_ctrl(struct host *h, const char *ctrl)
{
    char *p = new_page(h, 4096);
    page_put(p, 0, 0x144d, 2);
    page_put(p, 77, 5, 1);
    page_put(p, 78, 9, 2);
    page_put(p, 80, 0x00010300, 4);
    page_put(p, 263, 1, 1);
    page_put(p, 266, 343, 2);
    page_put(p, 280, 960197124096u, 8);
    page_put(p, 520, 4, 2);
    page_put(p, 525, 7, 1);
    page_put(p, 528, 7, 2);
    page_put(p, 2048, 850, 2);
    page_put(p, 2048 + 32, 30, 2);
    page_put(p, 2048 + 35, 2, 1);
    page_put(p, 2048 + 36, 5000, 4);
    page_put(p, 2048 + 40, 8000, 4);
    fakehost_reply(h, HOST_NVME, arena_printf(h->arena, "%s id-ctrl", ctrl),
                   (struct span){p, 4096});
    return p;
}

char *page_ns(struct host *h, const char *ctrl)
{
    char *p = new_page(h, 4096);
    page_put(p, 0, 1000000, 8);
    page_put(p, 8, 1000000, 8);
    page_put(p, 16, 400000, 8);
    page_put(p, 25, 1, 1);
    page_put(p, 128 + 2, 9, 1);
    page_put(p, 128 + 3, 2, 1);
    page_put(p, 132 + 2, 12, 1);
    fakehost_reply(h, HOST_NVME, arena_printf(h->arena, "%s id-ns 1", ctrl),
                   (struct span){p, 4096});
    return p;
}

static char *add_smart(struct host *h, const char *ctrl)
{
    char *p = new_page(h, 512);
    page_put(p, 0, 4, 1);
    page_put(p, 1, 313, 2);
    page_put(p, 3, 97, 1);
    page_put(p, 4, 10, 1);
    page_put(p, 5, 3, 1);
    page_put(p, 48, 1000, 8);
    page_put(p, 112, 16, 8);
    page_put(p, 128, 509, 8);
    page_put(p, 144, 8, 8);
    page_put(p, 200, 312, 2);
    page_put(p, 204, 300, 2);
    fakehost_reply(h, HOST_NVME, arena_printf(h->arena, "%s log 2 4294967295 512", ctrl),
                   (struct span){p, 512});
    return p;
}

void device_pages(struct host *h, const char *ctrl)
{
    page_ctrl(h, ctrl);
    page_ns(h, ctrl);
    add_smart(h, ctrl);
    fakehost_reply(h, HOST_NVME, arena_printf(h->arena, "%s feature 7 0", ctrl),
                   SPAN_LIT("\x3f\0\x3f\0"));
}

void device_plain(struct host *h)
{
    hosts_nvme(h, "nvme0n1", "nvme0", "Drive 960                               ");
    fakehost_reply(h, HOST_OPEN, "nvme nvme0", SPAN_LIT("/dev/nvme0"));
    fakehost_reply(h, HOST_WHO, "", SPAN_LIT(ROOT_REPLY));
    (void)page_ctrl(h, "nvme0");
    page_ns(h, "nvme0");
    add_smart(h, "nvme0");
    fakehost_reply(h, HOST_NVME, "nvme0 feature 6 0", SPAN_LIT("\1\0\0\0"));
    fakehost_reply(h, HOST_NVME, "nvme0 feature 7 0", SPAN_LIT("\x3f\0\x3f\0"));
}

void device_no_root(struct host *h)
{
    device_plain(h);
    fakehost_reply(h, HOST_WHO, "", SPAN_LIT(USER_REPLY));
    fakehost_fail(h, HOST_OPEN, "nvme nvme0", E_DENIED, EACCES);
}

/* Kernel 6.2: whoever may open the node may identify, but not read logs. */
void device_identify_only(struct host *h)
{
    device_plain(h);
    fakehost_reply(h, HOST_WHO, "", SPAN_LIT(USER_REPLY));
    fakehost_fail(h, HOST_NVME, "nvme0 log 2 4294967295 512", E_DENIED, EACCES);
    fakehost_fail(h, HOST_NVME, "nvme0 feature 6 0", E_DENIED, EACCES);
    fakehost_fail(h, HOST_NVME, "nvme0 feature 7 0", E_DENIED, EACCES);
}

void device_root_refused(struct host *h)
{
    device_plain(h);
    fakehost_fail(h, HOST_OPEN, "nvme nvme0", E_DENIED, EPERM);
}

void device_resetting(struct host *h)
{
    device_plain(h);
    fakehost_file(h, "/sys/class/nvme/nvme0/state", "resetting");
}

void device_qemu(struct host *h)
{
    device_plain(h);
    hosts_attr(h, "nvme0n1", "device/model", "QEMU NVMe Ctrl                          ");
    char *p = add_smart(h, "nvme0");
    memset(p, 0, 512);
    page_put(p, 1, 323, 2);
    page_put(p, 48, 12, 8);
    fakehost_file(h, "/sys/class/nvme/nvme0/queue_count", "2");
    fixture_list(h, "/sys/class/block/nvme0n1/mq", "0");
    hosts_attr(h, "nvme0n1", "mq/0/cpu_list", "0, 1, 2, 3");
    hosts_attr(h, "nvme0n1", "queue/scheduler", "[mq-deadline] kyber bfq none");
    fakehost_reply(h, HOST_NVME, "nvme0 feature 6 0", SPAN_LIT("\0\0\0\0"));
    fixture_list(h, "/sys/class/nvme/nvme0/device/msi_irqs", "");
    fakehost_file(h, "/sys/class/nvme/nvme0/device/current_link_speed", "Unknown");
    fakehost_file(h, "/sys/class/nvme/nvme0/device/current_link_width", "255");
}

/* It lists its log pages: with 00h and 02h alone, and with C0h too. */
void device_log_list(struct host *h)
{
    device_plain(h);
    page_put(page_ctrl(h, "nvme0"), 261, 0x2e, 1);
    char *logs = new_page(h, 1024);
    page_put(logs, 0, 1, 4);
    page_put(logs, 8, 1, 4);
    fakehost_reply(h, HOST_NVME, "nvme0 log 0 0 1024", (struct span){logs, 1024});
}

void device_maker_log(struct host *h)
{
    device_plain(h);
    page_put(page_ctrl(h, "nvme0"), 261, 0x20, 1);
    char *logs = new_page(h, 1024);
    page_put(logs, 4u * 0xc0, 1, 4);
    fakehost_reply(h, HOST_NVME, "nvme0 log 0 0 1024", (struct span){logs, 1024});
}

void device_log_list_cut(struct host *h)
{
    device_log_list(h);
    fakehost_reply(h, HOST_NVME, "nvme0 log 0 0 1024", SPAN_LIT("\1\0\0\0"));
}

void device_host_memory(struct host *h)
{
    device_plain(h);
    page_put(page_ctrl(h, "nvme0"), 272, 16384, 4);
}

/* All counters at their greatest, no sensors, 0 K. */
void device_extremes(struct host *h)
{
    device_plain(h);
    char *p = add_smart(h, "nvme0");
    memset(p, 0xff, 512);
    page_put(p, 1, 0, 2);
    memset(p + 200, 0, 16);
}

void device_broken_pages(struct host *h)
{
    device_plain(h);
    fakehost_reply(h, HOST_NVME, "nvme0 id-ctrl", SPAN_LIT("short"));
    char *p = page_ns(h, "nvme0");
    page_put(p, 26, 9, 1); /* a format that does not exist */
    fakehost_fail(h, HOST_NVME, "nvme0 log 2 4294967295 512", E_IO, EIO);
}

void device_no_cache(struct host *h)
{
    device_plain(h);
    hosts_attr(h, "nvme0n1", "queue/write_cache", "write through");
    char *p = new_page(h, 4096);
    page_put(p, 528, 0, 2);
    fakehost_reply(h, HOST_NVME, "nvme0 id-ctrl", (struct span){p, 4096});
    fakehost_fail(h, HOST_NVME, "nvme0 feature 6 0", E_NOT_SUPPORTED, 0);
}

void device_amazon(struct host *h)
{
    device_plain(h);
    hosts_attr(h, "nvme0n1", "device/model", "Amazon Elastic Block Store              ");
    char *p = page_ns(h, "nvme0");
    page_put(p, 384 + 256, 31, 2);
}

static void atomic(struct host *h, uint64_t nabo, uint64_t nabspf, uint64_t nawupf)
{
    device_plain(h);
    char *p = page_ns(h, "nvme0");
    page_put(p, 24, 0x12, 1);
    page_put(p, 36, nawupf, 2);
    page_put(p, 42, nabo, 2);
    page_put(p, 44, nabspf, 2);
    page_put(p, 64, 31, 2);
    page_put(p, 72, 255, 2);
}

void device_atomic_unit(struct host *h)
{
    atomic(h, 0, 0, 63);
}

void device_atomic_bounded(struct host *h)
{
    atomic(h, 0, 15, 63);
}

void device_atomic_offset(struct host *h)
{
    atomic(h, 3, 0, 63);
}

void device_hostile_texts(struct host *h)
{
    device_plain(h);
    hosts_attr(h, "nvme0n1", "device/model", "  \xff\xc0" "Evil\n[mysqld]\ninit_file=/x  ");
    hosts_attr(h, "nvme0n1", "device/serial", "   ");
    fakehost_file(h, "/sys/class/nvme/nvme0/transport", "carrier-pigeon");
    fakehost_file(h, "/sys/class/nvme/nvme0/state", "deleting (no IO)");
    fakehost_file(h, "/sys/class/nvme/nvme0/queue_count", "0");
    hosts_attr(h, "nvme0n1", "queue/scheduler", "noop [cfq]");
    hosts_attr(h, "nvme0n1", "queue/nr_requests", "-1");
    hosts_attr(h, "nvme0n1", "queue/write_cache", "maybe");
    hosts_attr(h, "nvme0n1", "mq/0/cpu_list", "0-,x");
    hosts_attr(h, "nvme0n1", "mq/1/cpu_list", "9-3");
}

void device_virtio(struct host *h)
{
    fakehost_reply(h, HOST_WHO, "", SPAN_LIT(ROOT_REPLY));
    hosts_block(h, "vda", "../../devices/pci0000:00/0000:00:04.0/virtio1/block/vda", "512", "0");
    fixture_list(h, "/sys/class/block/vda/mq", "0 1 2 3");
    hosts_attr(h, "vda", "mq/0/cpu_list", "0-3,8");
    hosts_attr(h, "vda", "queue/rotational", "1");
    hosts_attr(h, "vda", "queue/wbt_lat_usec", "75000");
    hosts_attr(h, "vda", "queue/scheduler", "none");
    hosts_attr(h, "vda", "serial", "disk-7");
}

void device_virtio_flash(struct host *h)
{
    device_virtio(h);
    hosts_attr(h, "vda", "queue/rotational", "0");
    hosts_attr(h, "vda", "queue/write_cache", "write through");
}

static void scsi(struct host *h, const char *vendor, const char *model, const char *rotational)
{
    fakehost_reply(h, HOST_WHO, "", SPAN_LIT(ROOT_REPLY));
    hosts_block(h, "sda", "../../devices/pci0000:00/ata1/host0/target0:0:0/0:0:0:0/block/sda",
                "4096", "0");
    hosts_attr(h, "sda", "device/vendor", vendor);
    hosts_attr(h, "sda", "device/model", model);
    hosts_attr(h, "sda", "queue/rotational", rotational);
    const struct span properties[] = {
        SPAN_LIT("ID_MODEL=Udev_Model"),
        SPAN_LIT("ID_SERIAL_SHORT=S123"),
        SPAN_LIT("ID_REVISION=F1"),
    };
    fakehost_reply(h, HOST_UDEV, "sda", reply_names(h->arena, properties, 3));
}

void device_sata_disk(struct host *h)
{
    scsi(h, "ATA     ", "ST4000NM        ", "1");
}

void device_sata_flash(struct host *h)
{
    scsi(h, "ATA     ", "SSD 1TB         ", "0");
}

void device_qemu_scsi(struct host *h)
{
    scsi(h, "QEMU    ", "QEMU HARDDISK   ", "1");
}

void device_iscsi(struct host *h)
{
    scsi(h, "LIO-ORG ", "block0          ", "1");
    fixture_link(h, "/sys/class/block/sda",
                 "../../devices/platform/host3/session1/target3:0:0/3:0:0:0/block/sda");
}

/* A flash drive behind a RAID controller that sets the flag. */
void device_sata_flag_wrong(struct host *h)
{
    device_sata_disk(h);
    const struct span properties[] = {SPAN_LIT("ID_ATA_ROTATION_RATE_RPM=0")};
    fakehost_reply(h, HOST_UDEV, "sda", reply_names(h->arena, properties, 1));
}

/* Two controllers; the head has the name of one of them; the first is not live. */
void device_head(struct host *h)
{
    fakehost_reply(h, HOST_WHO, "", SPAN_LIT(ROOT_REPLY));
    hosts_nvme(h, "nvme3c2n1", "nvme2", "Drive 960");
    hosts_nvme(h, "nvme3c3n1", "nvme3", "Drive 960");
    hosts_nvme(h, "nvme3n1", "nvme9", "Drive 960");
    fixture_link(h, "/sys/class/block/nvme3n1",
                 "../../devices/virtual/nvme-subsystem/nvme-subsys3/nvme3n1");
    fixture_link(h, "/sys/class/block/nvme3n1/device", "../../nvme-subsys3");
    fixture_list(h, "/sys/class/block/nvme3n1/mq", "");
    hosts_attr(h, "nvme3n1", "queue/scheduler", "none");
    fakehost_remove(h, HOST_READ, "/sys/class/block/nvme3n1/queue/wbt_lat_usec");
    fakehost_fail(h, HOST_READ, "/sys/class/block/nvme3n1/queue/wbt_lat_usec", E_IO, EINVAL);
    hosts_attr(h, "nvme3n1", "device/iopolicy", "round-robin");
    fixture_list(h, "/sys/class/nvme-subsystem/nvme-subsys3", "iopolicy nvme2 nvme3 nvme3n1");
    fakehost_file(h, "/sys/class/nvme/nvme2/state", "connecting");
    fakehost_file(h, "/sys/class/nvme/nvme3/queue_count", "5");
    fixture_list(h, "/sys/class/block/nvme3c3n1/mq", "0 1 2 3");
    fakehost_reply(h, HOST_OPEN, "nvme nvme3", SPAN_LIT("/dev/nvme3"));
    device_pages(h, "nvme3");
}

void device_gone(struct host *h)
{
    fakehost_reply(h, HOST_WHO, "", SPAN_LIT(ROOT_REPLY));
}
