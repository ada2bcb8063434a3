/* The servers, volumes and devices of a report, as its header shows them, and notes on what the host has
 * not. Pure. */
#include "advisor/report/doc.h"
#include "rules/catalogue.h"

#include "advisor/base/banned.h"

#define TEXT_MAX 1024

static const struct fact *known(const struct doc *d, const struct subject *sub, const char *name)
{
    const struct fact *f = sub == NULL ? NULL : store_get(d->in->store, sub, span_of(name));
    return f != NULL && f->state == FACT_KNOWN ? f : NULL;
}

static void set_text(const struct doc *d, struct json *j, const char *key,
                     const struct subject *sub, const char *name)
{
    const struct fact *f = known(d, sub, name);
    if (f == NULL) {
        json_set(j, key, json_null(d->arena));
        return;
    }
    struct buf b;
    buf_init(&b, d->arena, TEXT_MAX);
    value_print(&b, &f->value);
    json_set(j, key, json_span(d->arena, buf_span(&b)));
}

static struct json *device_doc(const struct doc *d, const struct subject *sub)
{
    struct json *j = json_object(d->arena);
    json_set(j, "subject", json_str(d->arena, sub->label));
    json_set(j, "identity", json_str(d->arena, sub->identity));
    set_text(d, j, "name", sub, "device.name");
    set_text(d, j, "kind", sub, "device.kind");
    set_text(d, j, "model", sub, "device.model");
    return j;
}

static struct json *volume_doc(const struct doc *d, const struct subject *sub)
{
    struct json *j = json_object(d->arena);
    json_set(j, "subject", json_str(d->arena, sub->label));
    json_set(j, "server", json_str(d->arena, sub->server != NULL ? sub->server->label : NULL));
    set_text(d, j, "role", sub, "volume.role");
    set_text(d, j, "path", sub, "volume.path");
    set_text(d, j, "fs", sub, "volume.fs.type");
    set_text(d, j, "devices", sub, "volume.leaf_devices");
    return j;
}

/* How far the catalogue may be trusted on this version; null where that is not known. */
static void set_confidence(const struct doc *d, struct json *j, const struct subject *sub)
{
    const struct fact *flavour = known(d, sub, "server.flavour");
    const struct fact *version = known(d, sub, "server.version");
    const struct catalogue *c = d->in->rules->catalogue;
    enum flavour f;
    if (flavour == NULL || version == NULL || version->value.kind != KIND_VERSION ||
        !flavour_from_name(flavour->value.text, &f)) {
        json_set(j, "confidence", json_null(d->arena));
        json_set(j, "confidence_text", json_null(d->arena));
        return;
    }
    const struct version *at = &version->value.version;
    struct buf b;
    buf_init(&b, d->arena, TEXT_MAX);
    catalogue_confidence_text(c, f, at, &b);
    json_set(j, "confidence", json_str(d->arena, confidence_name(catalogue_confidence(c, f, at))));
    json_set(j, "confidence_text",
             b.len > 0 ? json_span(d->arena, buf_span(&b)) : json_null(d->arena));
}

static struct json *server_doc(const struct doc *d, const struct subject *sub)
{
    struct json *j = json_object(d->arena);
    json_set(j, "subject", json_str(d->arena, sub->label));
    json_set(j, "identity", json_str(d->arena, sub->identity));
    set_text(d, j, "flavour", sub, "server.flavour");
    set_text(d, j, "version", sub, "server.version");
    set_confidence(d, j, sub);
    set_text(d, j, "pool", sub, "server.bp.size_in_force");
    const struct subject *const *volumes = NULL;
    const size_t n = store_volumes(d->in->store, sub, ROLE_DATA, &volumes);
    json_set(j, "data", n > 0 ? volume_doc(d, volumes[0]) : json_null(d->arena));
    return j;
}

static struct json *list_of(const struct doc *d, const struct subject *const *subs, size_t n,
                            struct json *(*make)(const struct doc *, const struct subject *))
{
    struct json *list = json_array(d->arena);
    for (size_t i = 0; i < n; i++) {
        json_push(list, make(d, subs[i]));
    }
    return list;
}

struct json *doc_subjects(const struct doc *d)
{
    struct json *j = json_object(d->arena);
    const struct subject *const *volumes = NULL, *const *devices = NULL;
    const size_t n_volumes = store_subjects_of(d->in->store, SUBJECT_VOLUME, &volumes);
    const size_t n_devices = store_subjects_of(d->in->store, SUBJECT_DEVICE, &devices);
    json_set(j, "servers", list_of(d, d->in->servers, d->in->n_servers, server_doc));
    json_set(j, "volumes", list_of(d, volumes, n_volumes, volume_doc));
    json_set(j, "devices", list_of(d, devices, n_devices, device_doc));
    return j;
}

/* There are devices, and of each it is known that it is another kind of disk. */
static bool has_no_nvme(const struct doc *d)
{
    const struct subject *const *subs = NULL;
    const size_t n = store_subjects_of(d->in->store, SUBJECT_DEVICE, &subs);
    for (size_t i = 0; i < n; i++) {
        const struct fact *kind = known(d, subs[i], "device.kind");
        if (kind == NULL || span_eq_text(kind->value.text, "nvme")) {
            return false;
        }
    }
    return n > 0;
}

const struct fact *doc_unseen_servers(const struct report_input *in)
{
    const struct subject *const host = store_find_subject(in->store, "host");
    const struct fact *const f =
        host == NULL ? NULL : store_get(in->store, host, SPAN_LIT("host.server_processes"));
    if (in->n_servers > 0 || f == NULL || f->state == FACT_KNOWN ||
        (store_is_offline(in->store) && store_is_filled(f))) {
        return NULL;
    }
    return f;
}

struct json *doc_notes(const struct doc *d)
{
    struct json *notes = json_array(d->arena);
    const struct fact *const unseen = doc_unseen_servers(d->in);
    if (unseen != NULL) {
        json_push(notes, json_str(d->arena,
                                  arena_printf(d->arena, "whether a server runs here is not known: "
                                               "%s%s%s", unseen->reason,
                                               unseen->remedy[0] != '\0' ? ". Remedy: " : "",
                                               unseen->remedy)));
    } else if (d->in->n_servers == 0) {
        json_push(notes, json_str(d->arena, "no running mysqld or mariadbd was found: rules about "
                                            "servers do not apply"));
    } else if (has_no_nvme(d)) {
        json_push(notes, json_str(d->arena, "no NVMe device lies under a path of a server: rules "
                                            "about NVMe do not apply"));
    }
    doc_note_waivers(d, notes);
    return notes;
}
