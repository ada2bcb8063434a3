/* The end of a run: outputs that are about one device are joined, then the facts go to the store. */
#include <string.h>

#include "probes/import/run.h"
#include "probes/import/smartctl.h"

#include "advisor/base/banned.h"

static bool same_or_missing(struct span a, struct span b)
{
    return a.len == 0 || b.len == 0 || span_eq(a, b);
}

static struct import_fact *find(const struct import_device *d, const char *name)
{
    for (size_t i = 0; i < d->n; i++) {
        if (strcmp(d->facts[i].name, name) == 0) {
            return &d->facts[i];
        }
    }
    return NULL;
}

/* What `to` does not say itself, or only rounded; of its namespace only with `whole`. */
static void give(struct import *im, const struct import_device *from, struct import_device *to, bool whole)
{
    for (size_t i = 0; i < from->n; i++) {
        if (!whole && span_starts(span_of(from->facts[i].name), "device.ns.")) {
            continue;
        }
        struct import_fact *own = find(to, from->facts[i].name);
        if (own == NULL) {
            to->facts = arena_list_room(im->arena, to->facts, to->n, sizeof(*to->facts));
            to->facts[to->n++] = from->facts[i];
        } else if (own->fact.estimated && !from->facts[i].fact.estimated) {
            *own = from->facts[i];
        }
    }
    to->pages |= from->pages;
    to->serial = to->serial.len > 0 ? to->serial : from->serial;
    to->model = to->model.len > 0 ? to->model : from->model;
}

/* "nvme0" and "nvme0n1" */
static bool is_disk_of(struct span disk, struct span ctrl)
{
    return span_starts(ctrl, "nvme") && disk.len > ctrl.len + 1 &&
           span_eq(span_sub(disk, 0, ctrl.len), ctrl) && disk.ptr[ctrl.len] == 'n' &&
           !span_has(span_sub(ctrl, 4, ctrl.len), 'n');
}

static unsigned count_disks(const struct import *im, struct span ctrl)
{
    unsigned n = 0;
    for (size_t i = 0; ctrl.len > 0 && i < im->n_devices; i++) {
        n += is_disk_of(im->devices[i]->name, ctrl);
    }
    return n;
}

/* Is the disk the namespace that an output about its controller spoke of? */
static bool is_spoken_of(const struct import_device *disk, const struct import_device *ctrl, unsigned n_disks)
{
    return n_disks == 1 || (ctrl->nsid != 0 && smartctl_nsid(disk->name) == ctrl->nsid);
}

/* A controller's facts stand on its disks. Names alone do not prove whose a disk is (multipath), so a serial
 * number or a model that differs keeps them apart. */
static void join_controllers(struct import *im)
{
    for (size_t c = 0; c < im->n_devices; c++) {
        struct import_device *ctrl = im->devices[c];
        const unsigned n_disks = count_disks(im, ctrl->name);
        bool given = false;
        for (size_t i = 0; ctrl->name.len > 0 && i < im->n_devices; i++) {
            struct import_device *d = im->devices[i];
            if (is_disk_of(d->name, ctrl->name) && same_or_missing(d->serial, ctrl->serial) &&
                same_or_missing(d->model, ctrl->model)) {
                give(im, ctrl, d, is_spoken_of(d, ctrl, n_disks));
                given = true;
            }
        }
        ctrl->gone = given;
    }
}

/* One device without a name beside one with a name, of other outputs: it is the same. */
static void join_nameless(struct import *im)
{
    struct import_device *nameless = NULL, *named = NULL;
    size_t n = 0;
    for (size_t i = 0; i < im->n_devices; i++) {
        struct import_device *d = im->devices[i];
        if (!d->gone) {
            n++;
            nameless = d->name.len == 0 ? d : nameless;
            named = d->name.len > 0 ? d : named;
        }
    }
    if (n == 2 && nameless != NULL && named != NULL && (nameless->pages & named->pages) == 0 &&
        same_or_missing(nameless->serial, named->serial) && same_or_missing(nameless->address, named->address) &&
        same_or_missing(nameless->model, named->model)) {
        give(im, nameless, named, true);
        nameless->gone = true;
    }
}

static void source_of(struct import *im, const struct import_device *d, const char *fact)
{
    const struct import_fact *f = find(d, fact);
    im->source = f != NULL ? f->fact.source : im->source;
}

/* awupf_bytes takes both Identify pages: they come in any order. */
static void set_atomic(struct import *im, struct import_device *d)
{
    const struct value *blocks = import_value(d, "device.awupf_blocks");
    const struct value *lba = import_value(d, "device.ns.lba_bytes");
    const struct value *valid = import_value(d, "device.ns.nawupf_valid");
    struct num n;
    if (blocks == NULL || lba == NULL || num_mul(blocks->num, lba->num, &n) != NUM_OK) {
        return;
    }
    source_of(im, d, "device.awupf_blocks");
    if (find(d, "device.awupf_bytes") == NULL) {
        import_num(im, d, "device.awupf_bytes", KIND_BYTES, n);
    }
    if (valid != NULL && !valid->boolean && find(d, "device.ns.nawupf_bytes") == NULL) {
        import_num(im, d, "device.ns.nawupf_bytes", KIND_BYTES, n);
    }
}

static bool is_above_zero(const struct import_device *d, const char *fact)
{
    const struct value *v = import_value(d, fact);
    return v != NULL && !num_is_zero(v->num);
}

static bool is_set(const struct import_device *d, const char *fact)
{
    const struct value *v = import_value(d, fact);
    return v != NULL && v->kind == KIND_BOOL && v->boolean;
}

/* Made-up logs are told by the model. Where the output gives none: hypervisors fill in temperature, running hours and
 * what was read and written at most, so any other figure above 0 is a drive's. */
static void set_synthetic(struct import *im, struct import_device *d)
{
    static const char *const figures[] = {
        "device.smart.available_spare_pct", "device.smart.spare_threshold_pct",
        "device.smart.percentage_used_pct", "device.smart.critical_warning",
        "device.smart.power_cycles",        "device.smart.unsafe_shutdowns",
        "device.smart.media_errors"};
    static const char *const bits[] = {
        "device.smart.critical_warning_bits.spare_low", "device.smart.critical_warning_bits.read_only",
        "device.smart.critical_warning_bits.reliability_degraded",
        "device.smart.critical_warning_bits.volatile_backup_failed"};
    const char *proof = NULL;
    for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
        proof = is_above_zero(d, figures[i]) ? figures[i] : proof;
    }
    for (size_t i = 0; i < ARRAY_LEN(bits); i++) {
        proof = is_set(d, bits[i]) ? bits[i] : proof;
    }
    if (import_value(d, "device.model") == NULL && proof != NULL) {
        source_of(im, d, proof);
        import_bool(im, d, "device.smart.synthetic", false);
    }
}

static const char *label_of(struct import *im, const struct import_device *d, unsigned *n)
{
    if (d->name.len > 0) {
        return arena_printf(im->arena, "device:%.*s", SPAN_ARG(d->name));
    }
    (*n)++;
    return *n == 1 ? "device:default" : arena_printf(im->arena, "device:default-%u", *n);
}

void import_devices_end(struct import *im)
{
    unsigned nameless = 0;
    join_controllers(im);
    join_nameless(im);
    for (size_t i = 0; i < im->n_devices; i++) {
        struct import_device *d = im->devices[i];
        if (d->gone || d->n == 0) {
            continue;
        }
        set_atomic(im, d);
        set_synthetic(im, d);
        struct subject *sub = store_subject(im->store, SUBJECT_DEVICE, label_of(im, d, &nameless));
        for (size_t k = 0; k < d->n; k++) {
            store_set(im->store, sub, d->facts[k].name, &d->facts[k].fact);
        }
    }
}
