/* Device, theme way up: where the controller sits in the PCI tree, the slowest hop up to the root, and
 * the errors that both ends of its link have counted. */
#include <string.h>

#include "advisor/base/parse.h"
#include "probes/device.h"
#include "probes/pci_config.h"
#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define UP_ROW(name, kind, fold, meaning, from)                                                    \
    {                                                                                              \
        "device.pci." name, kind, NULL, SUBJECT_DEVICE, fold, NEED_NONE, meaning, from, ""         \
    }

const struct fact_decl device_upstream_decls[DEVICE_UPSTREAM_DECLS] = {
    UP_ROW("address", KIND_STRING, FOLD_SAME, "PCI address of the controller",
           "/sys/class/nvme/CTRL/device"),
    UP_ROW("slot", KIND_STRING, FOLD_SAME, "slot that it sits in, as the platform numbers them",
           "/sys/bus/pci/slots"),
    UP_ROW("hotplug", KIND_BOOL, FOLD_ALL, "its slot can be unplugged while running",
           "/sys/bus/pci/slots, PCI configuration of the port above"),
    UP_ROW("upstream_bytes_per_sec", KIND_BYTES_PER_S, FOLD_SUM,
           "what its share of the slowest link above carries at most",
           "current_link_speed and _width of each port above"),
    UP_ROW("upstream_port", KIND_STRING, FOLD_SAME, "the port above with that link",
           "the same"),
    UP_ROW("aer_counters", KIND_LIST, FOLD_SAME,
           "errors since boot that are not 0: device or port, severity, name, count",
           "aer_dev_correctable, aer_dev_nonfatal, aer_dev_fatal"),
    UP_ROW("aer_correctable", KIND_COUNT, FOLD_SUM,
           "correctable errors since boot, device and port above", "aer_dev_correctable"),
    UP_ROW("aspm", KIND_LIST, FOLD_SAME, "power states of the link that are on", "link/*_aspm"),
};

#define PORTS_MAX 16u
#define CONTROLLERS_MAX 256u
#define ENCODED_8B10B 5e9 /* at most so many transfers per second: 8 bits in 10; faster: 128 in 130 */

bool device_parse_speed(struct span text, double *ret)
{
    struct span rest = text, word;
    double gt = 0.0;
    if (!span_word(&rest, &word) || !parse_double(word, &gt) || !(gt > 0.0 && gt < 1000.0) ||
        !span_starts(span_trim(rest), "GT/s")) {
        return false;
    }
    *ret = gt * 1e9;
    return true;
}

bool device_parse_width(struct span text, uint64_t *ret)
{
    uint64_t lanes = 0;
    if (!parse_u64(text, &lanes) || lanes == 0 || lanes > 32) {
        return false;
    }
    *ret = lanes;
    return true;
}

/* ---- the way from the root to the controller ---- */

struct way {
    const char *path;            /* of the controller's function, all links resolved */
    struct span ports[PORTS_MAX]; /* paths of the bridges above, the root port first */
    size_t n;
};

/* Each folder on the way that is named like a function, the last one left out. */
static bool find_way(struct device *d, const char *ctrl, struct way *ret, struct err *reterr)
{
    struct way w = {.n = 0};
    if (!host_real_path(d->ctx->host,
                        arena_printf(d->ctx->arena, "/sys/class/nvme/%s/device", ctrl), &w.path,
                        reterr)) {
        return false;
    }
    const struct span path = span_of(w.path);
    if (!pci_is_address(path_base(path))) {
        const bool cut = span_starts(path, "/sys/devices/pci"); /* there must be one */
        return err_set(reterr, cut ? E_ABSENT : E_NOT_SUPPORTED, "'%s' is no function of PCI", w.path);
    }
    for (size_t i = 1; i < path.len; i++) {
        const struct span above = span_sub(path, 0, i);
        if (path.ptr[i] != '/' || !pci_is_address(path_base(above))) {
            continue;
        }
        if (w.n == PORTS_MAX) {
            return err_set(reterr, E_LIMIT, "more than %u ports above '%s'", PORTS_MAX, ctrl);
        }
        w.ports[w.n++] = above;
    }
    *ret = w;
    return true;
}

/* ---- the slowest link ---- */

/* Paths of all NVMe controllers of the host: who else is below a port. */
static bool list_controllers(struct device *d, struct span *paths, size_t *ret_n,
                             struct err *reterr)
{
    struct host_names names;
    size_t n = 0;
    if (!host_list(d->ctx->host, "/sys/class/nvme", &names, reterr)) {
        return false;
    }
    for (size_t i = 0; i < names.n && n < CONTROLLERS_MAX; i++) {
        struct err e = ERR_INIT;
        const char *path = NULL;
        if (sysfs_name_ok(names.names[i]) &&
            host_real_path(d->ctx->host,
                           arena_printf(d->ctx->arena, "/sys/class/nvme/%.*s/device",
                                        SPAN_ARG(names.names[i])),
                           &path, &e)) {
            paths[n++] = span_of(path);
        } else if (e.code != E_ABSENT) {
            *reterr = e; /* one that left meanwhile, or one of fabrics, is below no port */
            return false;
        }
    }
    *ret_n = n;
    return true;
}

static size_t count_below(struct span port, const struct span *paths, size_t n)
{
    size_t below = 0;
    for (size_t i = 0; i < n; i++) {
        below += paths[i].len > port.len && paths[i].ptr[port.len] == '/' &&
                 span_eq(span_sub(paths[i], 0, port.len), port);
    }
    return below;
}

static bool link_bytes(struct device *d, struct span port, double *ret, struct err *reterr)
{
    struct span s;
    double transfers = 0.0;
    uint64_t lanes = 0;
    if (!sysfs_text(d->ctx->host, d->ctx->arena, &s, reterr, "%.*s/current_link_speed",
                    SPAN_ARG(port))) {
        return false;
    }
    const bool known = device_parse_speed(s, &transfers);
    if (!sysfs_text(d->ctx->host, d->ctx->arena, &s, reterr, "%.*s/current_link_width",
                    SPAN_ARG(port))) {
        return false;
    }
    if (!known || !device_parse_width(s, &lanes)) {
        return err_set(reterr, E_ABSENT, "the kernel does not know the link of port %.*s",
                       SPAN_ARG(path_base(port)));
    }
    *ret = transfers <= ENCODED_8B10B ? (double)lanes * transfers / 10
                                      : (double)lanes * transfers / 8 * 128 / 130;
    return true;
}

static bool find_slowest(struct device *d, const struct way *w, double *ret, struct span *ret_port,
                         struct err *reterr)
{
    struct span *const paths = arena_alloc(d->ctx->arena, CONTROLLERS_MAX * sizeof(*paths));
    size_t n = 0;
    if (w->n == 0) {
        return err_set(reterr, E_NOT_SUPPORTED, "no port stands above it: it is part of the root");
    }
    if (!list_controllers(d, paths, &n, reterr)) {
        return false;
    }
    for (size_t i = 0; i < w->n; i++) {
        double bytes = 0.0;
        if (!link_bytes(d, w->ports[i], &bytes, reterr)) {
            return false;
        }
        const size_t below = count_below(w->ports[i], paths, n);
        bytes /= below == 0 ? 1.0 : (double)below;
        if (i == 0 || bytes < *ret) {
            *ret = bytes;
            *ret_port = path_base(w->ports[i]);
        }
    }
    return true;
}

static void set_upstream(struct device *d, const struct way *w)
{
    static const char bytes[] = "device.pci.upstream_bytes_per_sec";
    static const char port[] = "device.pci.upstream_port";
    static const char source[] = "current_link_speed, current_link_width of the ports above";
    struct err e = ERR_INIT;
    struct span where = {"", 0};
    double least = 0.0;
    if (find_slowest(d, w, &least, &where, &e)) {
        set_num(d->ctx, bytes, KIND_BYTES_PER_S, num_real(least), source);
        set_text(d->ctx, port, where, source);
    } else {
        device_fact_missing(d, bytes, &e, source);
        device_fact_missing(d, port, &e, source);
    }
}

/* ---- the slot ---- */

/* Slots have the address of bus and device, without a function. *ret_name empty: none of them holds it. */
static bool find_slot(struct device *d, struct span address, struct span *ret_name,
                      struct err *reterr)
{
    struct host_names slots;
    *ret_name = (struct span){"", 0};
    if (!host_list(d->ctx->host, "/sys/bus/pci/slots", &slots, reterr)) {
        return reterr->code == E_ABSENT; /* a kernel without slots */
    }
    for (size_t i = 0; i < slots.n; i++) {
        struct span s;
        if (!sysfs_name_ok(slots.names[i])) {
            continue;
        }
        if (!sysfs_text(d->ctx->host, d->ctx->arena, &s, reterr, "/sys/bus/pci/slots/%.*s/address",
                        SPAN_ARG(slots.names[i]))) {
            return false;
        }
        if (s.len > 0 && address.len > s.len && address.ptr[s.len] == '.' &&
            span_eq(span_sub(address, 0, s.len), s)) {
            *ret_name = slots.names[i];
            return true;
        }
    }
    return true;
}

/* Only a hot-plug driver gives a slot its `power`. */
static bool has_power(struct device *d, struct span slot, bool *ret, struct err *reterr)
{
    struct host_names names;
    if (!host_list(d->ctx->host,
                   arena_printf(d->ctx->arena, "/sys/bus/pci/slots/%.*s", SPAN_ARG(slot)), &names,
                   reterr)) {
        return false;
    }
    *ret = false;
    for (size_t i = 0; i < names.n; i++) {
        *ret = *ret || span_eq_text(names.names[i], "power");
    }
    return true;
}

/* A driver at work proves it; else the port above says what its slot can. */
static void set_hotplug(struct device *d, const struct way *w, struct span slot)
{
    static const char name[] = "device.pci.hotplug";
    static const char source[] = "/sys/bus/pci/slots, configuration of the port above";
    struct err e = ERR_INIT;
    bool can = false;
    if (slot.len > 0 && !has_power(d, slot, &can, &e)) {
        device_fact_missing(d, name, &e, source);
    } else if (can) {
        set_bool(d->ctx, name, true, "/sys/bus/pci/slots");
    } else if (w->n == 0) {
        set_bool(d->ctx, name, false, "no port stands above it");
    } else if (!d->sys_admin) {
        set_unknown(d->ctx, name, FACT_NOT_MEASURED, source, "run as root",
                    "needs root: others do not see what the port above can");
    } else if (pci_slot_hotplug(d->ctx->host,
                                arena_printf(d->ctx->arena, "%.*s/config",
                                             SPAN_ARG(w->ports[w->n - 1])),
                                &can, &e)) {
        set_bool(d->ctx, name, can, source);
    } else if (e.code == E_ABSENT && e.sys_errno == 0) {
        set_bool(d->ctx, name, false, "the port above has no slot");
    } else {
        device_fact_missing(d, name, &e, source);
    }
}

static void set_slot(struct device *d, const struct way *w)
{
    static const char name[] = "device.pci.slot", source[] = "/sys/bus/pci/slots";
    struct err e = ERR_INIT;
    struct span slot = {"", 0};
    if (!find_slot(d, path_base(span_of(w->path)), &slot, &e)) {
        device_fact_missing(d, name, &e, source);
        device_fact_missing(d, "device.pci.hotplug", &e, source);
        return;
    }
    if (slot.len > 0) {
        set_text(d->ctx, name, slot, source);
    } else {
        set_unknown(d->ctx, name, FACT_ABSENT, source, "", "the platform gives its slot no number");
    }
    set_hotplug(d, w, slot);
}

void device_read_upstream(struct device *d)
{
    const struct decl_rows table = {device_upstream_decls, DEVICE_UPSTREAM_DECLS};
    struct err e = ERR_INIT;
    struct way w = {.path = "", .n = 0};
    if (device_has_pci(d, &e) && find_way(d, d->disk.controllers[0], &w, &e)) {
        set_text(d->ctx, "device.pci.address", path_base(span_of(w.path)),
                 "/sys/class/nvme/CTRL/device");
        set_upstream(d, &w);
        set_slot(d, &w);
    }
    device_page_missing(d, &table, &e, "sysfs");
}
