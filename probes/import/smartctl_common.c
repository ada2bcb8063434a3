/* What both forms of smartctl share: whose a namespace is, and how self-tests become facts. */
#include "probes/import/smartctl.h"

#include "advisor/base/parse.h"
#include "probes/import/fields.h"
#include "probes/import/run.h"

#include "advisor/base/banned.h"

unsigned smartctl_nsid(struct span name)
{
    uint64_t id = 0;
    for (size_t i = name.len; i > 4; i--) {
        if (name.ptr[i - 1] == 'n' && span_starts(name, "nvme") &&
            parse_u64(span_sub(name, i, name.len), &id) && id > 0 && id < UINT32_MAX) {
            return (unsigned)id;
        }
    }
    return 0;
}

void smartctl_total(struct import *im, struct import_device *d)
{
    const struct value *total = import_value(d, "device.tnvmcap_bytes");
    const struct value *left = import_value(d, "device.unvmcap_bytes");
    if (total != NULL && !num_is_zero(total->num) && (left == NULL || num_is_zero(left->num)) &&
        import_value(d, "device.ns.capacity_bytes") == NULL &&
        import_value(d, "device.ns.size_bytes") == NULL) {
        import_known(im, d, "device.ns.capacity_bytes", *total);
    }
}

void smartctl_is_of(struct import_device *d, unsigned nsid)
{
    d->nsid = nsid;
}

/* The controller in a disk's name: "nvme0" of "nvme0n1". */
static struct span ctrl_of(struct span name)
{
    for (size_t i = 4; span_starts(name, "nvme") && i < name.len; i++) {
        if (name.ptr[i] == 'n' || name.ptr[i] == 'c') {
            return span_sub(name, 0, i);
        }
    }
    return name;
}

struct import_device *smartctl_sibling(struct import *im, const struct import_piece *p,
                                       struct import_device *d, unsigned nsid)
{
    const struct span ctrl = ctrl_of(d->name);
    if (!span_starts(ctrl, "nvme")) {
        import_note(im, p, "namespace %u of a drive without a name: not read", nsid);
        return NULL;
    }
    const struct import_who who = {.name = span_of(arena_printf(im->arena, "%.*sn%u", SPAN_ARG(ctrl), nsid))};
    struct import_device *n = import_device(im, p, &who, 0);
    n->model = n->model.len > 0 ? n->model : d->model;
    n->serial = n->serial.len > 0 ? n->serial : d->serial;
    import_str(im, n, "device.model", d->model);
    import_serial(im, n, d->serial);
    import_kind(im, n, "nvme");
    im->last = d;
    return n;
}

/* ---- self-tests ------------------------------------------------------------------------------ */

static bool has_failed(unsigned result)
{
    return result >= 5 && result <= 7;
}

void import_selftests(struct import *im, struct import_device *d, const struct import_test *t, size_t n)
{
    uint64_t failed = 0;
    for (size_t i = 0; i < n; i++) {
        failed += has_failed(t[i].result);
    }
    import_word(im, d, "device.selftest.last_result", n == 0                    ? "none"
                                                      : t[0].result == 0        ? "passed"
                                                      : has_failed(t[0].result) ? "failed"
                                                                                : "aborted");
    import_u64(im, d, "device.selftest.failed_count", KIND_COUNT, failed);
    if (n > 0 && t[0].hours < UINT64_MAX / 3600) {
        import_u64(im, d, "device.selftest.last_hours", KIND_SECONDS, t[0].hours * 3600);
    }
}
