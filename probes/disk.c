/* What kind of disk a block device is, and, for NVMe, which controllers lead to it: read from sysfs,
 * never guessed from the name, since the head of a subsystem may be called like a controller. */
#include "probes/disk.h"

#include <string.h>

#include "probes/disk_class.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

/* "nvme" and digits only: a controller; "nvme0n1" or "nvme-subsys0" is none. */
static bool is_controller(struct span s)
{
    if (!span_starts(s, "nvme") || s.len < 5 || s.len > 20) {
        return false;
    }
    for (size_t i = 4; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9') {
            return false;
        }
    }
    return true;
}

static void add_controller(struct disk *d, struct arena *a, struct span name)
{
    if (d->n_controllers < ARRAY_LEN(d->controllers)) {
        d->controllers[d->n_controllers++] = span_dup(a, name);
    }
}

void disk_find_controllers(struct host *h, struct arena *a, struct disk *d)
{
    struct err e = ERR_INIT;
    struct span target;
    if (!host_link(h, arena_printf(a, "/sys/class/block/%s/device", d->name), &target, &e)) {
        return;
    }
    struct span owner = span_copy(a, path_base(target));
    if (is_controller(owner)) {
        add_controller(d, a, owner);
        return;
    }
    d->multipath_head = span_starts(owner, "nvme-subsys") && sysfs_name_ok(owner);
    struct host_names names;
    if (!d->multipath_head ||
        !host_list(h, arena_printf(a, "/sys/class/nvme-subsystem/%.*s", SPAN_ARG(owner)), &names,
                   &e)) {
        return;
    }
    for (size_t i = 0; i < names.n; i++) {
        if (is_controller(names.names[i])) {
            add_controller(d, a, names.names[i]);
        }
    }
}

/* An attribute as clean text; empty when it cannot be read. */
static struct span attribute(struct host *h, struct arena *a, const char *name, const char *file)
{
    struct err e = ERR_INIT;
    struct span s;
    if (!sysfs_text(h, a, &s, &e, "/sys/class/block/%s/%s", name, file)) {
        return (struct span){"", 0};
    }
    return text_clean(a, s);
}

static void read_texts(struct host *h, struct arena *a, struct disk *d)
{
    struct err e = ERR_INIT;
    d->model = attribute(h, a, d->name, "device/model");
    d->serial = attribute(h, a, d->name, "device/serial");
    d->firmware = attribute(h, a, d->name, d->nvme ? "device/firmware_rev" : "device/rev");
    if (d->serial.len == 0) {
        d->serial = attribute(h, a, d->name, "serial"); /* virtio */
    }
    struct span s;
    if (d->n_controllers > 0 &&
        sysfs_text(h, a, &s, &e, "/sys/class/nvme/%s/transport", d->controllers[0])) {
        d->transport = text_clean(a, s);
    }
}

bool disk_identify(struct host *h, struct arena *a, const char *name, struct disk *ret,
                   struct err *reterr)
{
    struct disk d = {.name = name};
    if (!sysfs_block_link(h, a, span_of(name), &d.link, reterr)) {
        return false;
    }
    d.model = d.serial = d.firmware = d.transport = (struct span){"", 0};
    d.nvme = span_starts(span_of(name), "nvme");
    if (d.nvme) {
        disk_find_controllers(h, a, &d);
    }
    read_texts(h, a, &d);
    struct span vendor = d.nvme ? (struct span){"", 0} : attribute(h, a, name, "device/vendor");
    struct err e = ERR_INIT;
    uint64_t flag = 0;
    enum tri rotational = TRI_UNKNOWN;
    if (sysfs_u64(h, a, &flag, &e, "/sys/class/block/%s/queue/rotational", name)) {
        rotational = flag == 0 ? TRI_NO : TRI_YES;
    }
    disk_classify(&d, vendor, rotational);
    *ret = d;
    return true;
}
