/* See chain.h: the document. */
#include "advisor/report/chain.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "advisor/facts/factdoc.h"
#include "advisor/facts/layer.h"

#include "advisor/base/banned.h"

struct maker {
    struct arena *arena;
    const struct store *store;
};

static const struct value *known(const struct maker *m, const struct subject *sub, const char *name)
{
    const struct fact *f = store_get(m->store, sub, span_of(name));
    return f != NULL && f->state == FACT_KNOWN ? &f->value : NULL;
}

static struct json *text_of(const struct maker *m, const struct subject *sub, const char *name)
{
    const struct value *v = known(m, sub, name);
    return v != NULL ? json_span(m->arena, v->text) : json_null(m->arena);
}

static struct json *items_of(const struct maker *m, const struct subject *sub, const char *name)
{
    const struct value *v = known(m, sub, name);
    if (v == NULL) {
        return json_null(m->arena);
    }
    struct json *list = json_array(m->arena);
    for (size_t i = 0; i < v->n_items; i++) {
        json_push(list, json_span(m->arena, v->items[i]));
    }
    return list;
}

/* ---- volumes --------------------------------------------------------------------------------- */

static struct json *layer_doc(const struct maker *m, const struct layer *l)
{
    struct json *j = json_object(m->arena);
    json_set(j, "level", json_int(m->arena, l->level));
    json_set(j, "name", json_span(m->arena, l->name));
    json_set(j, "kind", json_span(m->arena, l->kind));
    for (size_t i = 0; i < l->n_keys; i++) {
        const char *key = span_dup(m->arena, l->keys[i].key);
        const struct span value = l->keys[i].value;
        uint64_t number;
        const bool whole = parse_u64(value, &number) && number <= INT64_MAX;
        if (json_get(j, key) == NULL) {
            json_set(j, key, whole ? json_int(m->arena, (int64_t)number) : json_span(m->arena, value));
        }
    }
    return j;
}

static struct json *layers_doc(const struct maker *m, const struct subject *sub)
{
    const struct value *v = known(m, sub, "volume.layers");
    if (v == NULL) {
        return json_null(m->arena);
    }
    struct json *list = json_array(m->arena);
    for (size_t i = 0; i < v->n_items; i++) {
        struct layer l;
        if (layer_read(m->arena, v->items[i], &l)) {
            json_push(list, layer_doc(m, &l));
        }
    }
    return list;
}

/* Why the disks, or the whole tree, are not known. */
static struct json *unknown_of(const struct maker *m, const struct subject *sub)
{
    static const char *const names[] = {"volume.layers", "volume.leaf_devices"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct fact *f = store_get(m->store, sub, span_of(names[i]));
        if (f != NULL && f->state != FACT_KNOWN) {
            return json_str(m->arena, f->reason);
        }
    }
    return json_null(m->arena);
}

static struct json *volume_doc(const struct maker *m, const struct subject *sub)
{
    struct json *j = json_object(m->arena);
    json_set(j, "subject", json_str(m->arena, sub->label));
    json_set(j, "server", json_str(m->arena, sub->server != NULL ? sub->server->label : NULL));
    json_set(j, "path", text_of(m, sub, "volume.path"));
    json_set(j, "roles", items_of(m, sub, "volume.role"));
    json_set(j, "class", text_of(m, sub, "volume.storage_class"));
    json_set(j, "devices", items_of(m, sub, "volume.leaf_devices"));
    json_set(j, "unknown", unknown_of(m, sub));
    json_set(j, "layers", layers_doc(m, sub));
    return j;
}

/* The volume that speaks of a path: its own, else the one whose mount point is the nearest above. */
static const struct subject *volume_of(const struct maker *m, const struct subject *const *subs, size_t n,
                                       const char *path)
{
    const struct subject *best = NULL;
    size_t best_len = 0;
    for (size_t i = 0; i < n; i++) {
        const struct value *own = known(m, subs[i], "volume.path");
        const struct value *mount = known(m, subs[i], "volume.mountpoint");
        if (own != NULL && span_eq_text(own->text, path)) {
            return subs[i];
        }
        if (mount != NULL && mount->text.len > best_len && span_path_below(span_of(path), mount->text)) {
            best = subs[i];
            best_len = mount->text.len;
        }
    }
    return best;
}

/* ---- devices --------------------------------------------------------------------------------- */

static struct json *device_doc(const struct maker *m, const struct subject *sub)
{
    static const char *const names[] = {
        "device.kind",          "device.model",         "device.firmware",
        "device.controller",    "device.transport",     "device.state",
        "device.ns.size_bytes", "device.ns.lba_bytes",  "device.queue.io_queues",
        "device.queue.hw_queues", "device.feature.io_queues_granted", "device.queue.scheduler",
        "device.queue.interrupt_mode", "device.queue.vectors", "device.pci.address",
        "device.pci.slot",      "device.pci.hotplug",   "device.pci.link_speed",
        "device.pci.link_speed_max", "device.pci.link_width", "device.pci.link_width_max",
        "device.pci.link_bytes_per_sec", "device.multipath.paths", "device.multipath.paths_live",
        "device.volatile_write_cache", "device.power_loss_protection", "device.numa_node",
        "device.smart.percentage_used_pct", "device.smart.critical_warning",
        "device.smart.temperature_c", "device.smart.synthetic", "device.smart.wear_out_date"};
    struct json *j = json_object(m->arena);
    json_set(j, "subject", json_str(m->arena, sub->label));
    json_set(j, "name", json_str(m->arena, sub->label + strlen("device:")));
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct value *v = known(m, sub, names[i]);
        struct json *one = json_object(m->arena);
        if (v != NULL) {
            factdoc_value(one, names[i], v);
        } else {
            json_set(one, "value", json_null(m->arena));
        }
        json_set(j, strchr(names[i], '.') + 1, one->items[one->n - 1]);
    }
    return j;
}

static bool names_device(const struct value *leaves, const char *name)
{
    for (size_t i = 0; leaves != NULL && i < leaves->n_items; i++) {
        if (span_eq_text(leaves->items[i], name)) {
            return true;
        }
    }
    return false;
}

struct chosen {
    const struct subject *const *subs;
    size_t n;
};

static bool is_used(const struct maker *m, const struct chosen *c, const char *device)
{
    for (size_t i = 0; i < c->n; i++) {
        if (names_device(known(m, c->subs[i], "volume.leaf_devices"), device)) {
            return true;
        }
    }
    return false;
}

static void add_role(struct maker *m, struct json *roles, struct span role)
{
    for (size_t i = 0; i < roles->n; i++) {
        if (span_eq(roles->items[i]->string, role)) {
            return;
        }
    }
    json_push(roles, json_span(m->arena, role));
}

/* A disk that more than one volume ends on; NULL: it is not shared. */
static struct json *shared_doc(struct maker *m, const struct chosen *c, const char *device)
{
    struct json *volumes = json_array(m->arena), *roles = json_array(m->arena);
    for (size_t i = 0; i < c->n; i++) {
        const struct value *words = known(m, c->subs[i], "volume.role");
        if (!names_device(known(m, c->subs[i], "volume.leaf_devices"), device)) {
            continue;
        }
        json_push(volumes, json_str(m->arena, c->subs[i]->label));
        for (size_t k = 0; words != NULL && k < words->n_items; k++) {
            add_role(m, roles, words->items[k]);
        }
    }
    if (volumes->n < 2) {
        return NULL;
    }
    struct json *j = json_object(m->arena);
    json_set(j, "device", json_str(m->arena, device));
    json_set(j, "volumes", volumes);
    json_set(j, "roles", roles);
    return j;
}

static void add_devices(struct maker *m, const struct chosen *c, struct json *doc)
{
    struct json *devices = json_array(m->arena), *shared = json_array(m->arena);
    const struct subject *const *subs;
    const size_t n = store_subjects_of(m->store, SUBJECT_DEVICE, &subs);
    for (size_t i = 0; i < n; i++) {
        const char *name = subs[i]->label + strlen("device:");
        if (!is_used(m, c, name)) {
            continue;
        }
        json_push(devices, device_doc(m, subs[i]));
        struct json *both = shared_doc(m, c, name);
        if (both != NULL) {
            json_push(shared, both);
        }
    }
    json_set(doc, "devices", devices);
    json_set(doc, "shared", shared);
}

bool chain_doc(struct arena *a, const struct store *s, const char *path, struct json **ret,
               struct err *reterr)
{
    struct maker m = {.arena = a, .store = s};
    struct chosen c;
    c.n = store_subjects_of(s, SUBJECT_VOLUME, &c.subs);
    const struct subject *one = NULL;
    if (path != NULL) {
        one = volume_of(&m, c.subs, c.n, path);
        if (one == NULL) {
            return err_set(reterr, E_ABSENT, "nothing is known of what lies below '%s'", path);
        }
        c = (struct chosen){&one, 1};
    }
    struct json *doc = json_object(a), *volumes = json_array(a);
    json_set(doc, "schema", json_str(a, "nvadvise.chain/1"));
    for (size_t i = 0; i < c.n; i++) {
        json_push(volumes, volume_doc(&m, c.subs[i]));
    }
    json_set(doc, "volumes", volumes);
    add_devices(&m, &c, doc);
    *ret = doc;
    return true;
}
