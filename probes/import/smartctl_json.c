/* smartctl --json, of 7.0 on. Numbers beyond 2^53 stand as texts beside ("…_s"). */
#include "advisor/base/parse.h"
#include "probes/import/fields.h"
#include "probes/import/smartctl.h"

#include "advisor/base/banned.h"

#define STATES_MAX 32u

static const struct json *at(const struct json *o, const char *a, const char *b)
{
    const struct json *v = o != NULL && o->type == JSON_OBJECT ? json_get(o, a) : NULL;
    return b == NULL || v == NULL ? v : v->type == JSON_OBJECT ? json_get(v, b) : NULL;
}

static struct span text_at(const struct json *o, const char *a, const char *b)
{
    const struct json *v = at(o, a, b);
    return v != NULL && v->type == JSON_STRING ? v->string : (struct span){"", 0};
}

/* A whole number: "NAME_s" before NAME. */
static bool number_at(struct import *im, const struct json *o, const char *name, nv_u128 *ret)
{
    const struct json *s = json_get(o, arena_printf(import_arena(im), "%s_s", name));
    const struct json *v = json_get(o, name);
    if (s != NULL && s->type == JSON_STRING && parse_u128(s->string, ret)) {
        return true;
    }
    if (v == NULL || v->type != JSON_NUMBER || v->number.tag != NUM_INT || v->number.neg) {
        return false;
    }
    *ret = v->number.mag;
    return true;
}

static void set_number(struct import *im, struct import_device *d, const struct json *o,
                       const char *name, const char *fact, enum kind kind)
{
    nv_u128 v = 0;
    if (o != NULL && o->type == JSON_OBJECT && number_at(im, o, name, &v)) {
        import_num(im, d, fact, kind, num_u128(v));
    }
}

static unsigned sure(const struct import_piece *p)
{
    return json_get(p->json, "smartctl") != NULL ||
                   json_get(p->json, "nvme_smart_health_information_log") != NULL ||
                   (json_get(p->json, "json_format_version") != NULL && json_get(p->json, "device") != NULL)
               ? IMPORT_HEADER
               : IMPORT_NO;
}

/* ---- what the drive is ----------------------------------------------------------------------- */

static void read_identity(struct import *im, struct import_device *d, const struct json *o)
{
    struct version v;
    import_str(im, d, "device.model", text_at(o, "model_name", NULL));
    import_str(im, d, "device.firmware", text_at(o, "firmware_version", NULL));
    import_serial(im, d, text_at(o, "serial_number", NULL));
    set_number(im, d, at(o, "nvme_pci_vendor", NULL), "id", "device.vid", KIND_COUNT);
    set_number(im, d, o, "nvme_controller_id", "device.cntlid", KIND_COUNT);
    set_number(im, d, o, "nvme_total_capacity", "device.tnvmcap_bytes", KIND_BYTES);
    set_number(im, d, o, "nvme_unallocated_capacity", "device.unvmcap_bytes", KIND_BYTES);
    if (version_parse(text_at(o, "nvme_version", "string"), &v)) {
        import_known(im, d, "device.nvme_version", value_version(v));
    }
}

static void read_capabilities(struct import *im, struct import_device *d, const struct json *o)
{
    nv_u128 v = 0;
    set_number(im, d, at(o, "nvme_optional_admin_commands", NULL), "value", "device.oacs", KIND_COUNT);
    set_number(im, d, at(o, "nvme_log_page_attributes", NULL), "value", "device.lpa", KIND_COUNT);
    const struct json *oncs = at(o, "nvme_optional_nvm_commands", NULL);
    set_number(im, d, oncs, "value", "device.oncs", KIND_COUNT);
    if (oncs != NULL && oncs->type == JSON_OBJECT && number_at(im, oncs, "value", &v)) {
        import_bool(im, d, "device.discard_supported", (v & 4) != 0);
    }
    if (number_at(im, o, "nvme_maximum_data_transfer_pages", &v) && v > 0 && v <= UINT32_MAX) {
        import_num(im, d, "device.max_transfer_bytes_4k_pages", KIND_BYTES, num_u128(v * 4096));
    }
    const struct json *t = at(o, "nvme_composite_temperature_threshold", NULL);
    set_number(im, d, t, "warning", "device.wctemp_c", KIND_CELSIUS);
    set_number(im, d, t, "critical", "device.cctemp_c", KIND_CELSIUS);
}

static void read_states(struct import *im, struct import_device *d, const struct json *list)
{
    struct span items[STATES_MAX];
    size_t n = 0;
    for (size_t i = 0; list != NULL && list->type == JSON_ARRAY && i < list->n && n < STATES_MAX; i++) {
        const struct json *s = list->items[i], *power = at(s, "max_power", NULL);
        const struct json *idle = at(s, "non_operational_state", NULL);
        nv_u128 value = 0, per_watt = 100, enter = 0, leave = 0;
        if (s->type != JSON_OBJECT || power == NULL || power->type != JSON_OBJECT ||
            !number_at(im, power, "value", &value) || value > 65535) {
            continue;
        }
        (void)number_at(im, power, "units_per_watt", &per_watt);
        (void)number_at(im, s, "entry_latency_us", &enter);
        (void)number_at(im, s, "exit_latency_us", &leave);
        const double watts = (double)value / (double)(per_watt > 0 ? per_watt : 100);
        items[n++] = import_power_state(import_arena(im), i, (uint64_t)(watts * 1000000 + 0.5),
                                        (uint64_t)enter, (uint64_t)leave,
                                        idle != NULL && idle->type == JSON_BOOL && idle->boolean);
    }
    if (n > 0) {
        import_list(im, d, "device.power_states", items, n);
    }
}

/* ---- namespaces ------------------------------------------------------------------------------ */

static void read_formats(struct import *im, struct import_device *d, const struct json *list)
{
    struct import_lba l[IMPORT_LBA_MAX];
    size_t n = 0;
    for (size_t i = 0; list != NULL && list->type == JSON_ARRAY && i < list->n && n < IMPORT_LBA_MAX; i++) {
        const struct json *f = list->items[i], *used = at(f, "formatted", NULL);
        nv_u128 bytes = 0, metadata = 0, performance = 0;
        if (f->type != JSON_OBJECT || !number_at(im, f, "data_bytes", &bytes) || bytes > 1u << 24) {
            continue;
        }
        (void)number_at(im, f, "metadata_bytes", &metadata);
        const bool has = number_at(im, f, "relative_performance", &performance) && performance <= 3;
        l[n++] = (struct import_lba){
            .index = (unsigned)i,
            .bytes = (uint64_t)bytes,
            .metadata = (uint64_t)(metadata & 0xffff),
            .performance = has ? (uint64_t)performance : 0,
            .has_performance = has,
            .in_use = used != NULL && used->type == JSON_BOOL && used->boolean,
        };
    }
    lba_set(im, d, l, n, true);
}

static void read_one(struct import *im, struct import_device *d, const struct json *ns)
{
    nv_u128 used = 0, capacity = 0;
    const struct json *taken = at(ns, "utilization", NULL), *room = at(ns, "capacity", NULL);
    set_number(im, d, at(ns, "size", NULL), "bytes", "device.ns.size_bytes", KIND_BYTES);
    set_number(im, d, room, "bytes", "device.ns.capacity_bytes", KIND_BYTES);
    set_number(im, d, ns, "formatted_lba_size", "device.ns.lba_bytes", KIND_BYTES);
    if (taken != NULL && room != NULL && taken->type == JSON_OBJECT && room->type == JSON_OBJECT &&
        number_at(im, taken, "bytes", &used) && number_at(im, room, "bytes", &capacity) && used < capacity) {
        import_num(im, d, "device.ns.used_bytes", KIND_BYTES, num_u128(used));
    }
    read_formats(im, d, at(ns, "lba_formats", NULL));
}

static unsigned id_of(struct import *im, const struct json *ns)
{
    nv_u128 id = 0;
    return ns->type == JSON_OBJECT && number_at(im, ns, "id", &id) && id < 4096 ? (unsigned)id : 0;
}

/* The drive has its own namespace, asked at its controller the first; the others are disks of their own. */
static bool read_list(struct import *im, struct import_device *d, const struct import_piece *p,
                      const struct json *list)
{
    const unsigned own = smartctl_nsid(import_name(d));
    unsigned first = own;
    bool read = false;
    for (size_t i = 0; list != NULL && list->type == JSON_ARRAY && i < list->n; i++) {
        const unsigned id = id_of(im, list->items[i]);
        if (list->items[i]->type != JSON_OBJECT) {
            continue;
        }
        if (id == own || (own == 0 && i == 0)) {
            read_one(im, d, list->items[i]);
            first = id;
            read = true;
        }
        struct import_device *other = id > 0 && id != own && list->n > 1 ? smartctl_sibling(im, p, d, id) : NULL;
        if (other != NULL) {
            read_one(im, other, list->items[i]);
        }
    }
    smartctl_is_of(d, first);
    return read;
}

static void read_namespaces(struct import *im, struct import_device *d, const struct import_piece *p)
{
    if (!read_list(im, d, p, at(p->json, "nvme_namespaces", NULL))) {
        set_number(im, d, at(p->json, "user_capacity", NULL), "bytes", "device.ns.size_bytes", KIND_BYTES);
        set_number(im, d, at(p->json, "user_capacity", NULL), "bytes", "device.ns.capacity_bytes",
                   KIND_BYTES);
    }
    if (import_value(d, "device.ns.lba_bytes") == NULL) {
        set_number(im, d, p->json, "logical_block_size", "device.ns.lba_bytes", KIND_BYTES);
    }
    smartctl_total(im, d);
}

/* ---- logs ------------------------------------------------------------------------------------ */

static void read_errors(struct import *im, struct import_device *d, const struct json *log)
{
    const struct json *table = log != NULL && log->type == JSON_OBJECT ? json_get(log, "table") : NULL;
    struct import_error *list = arena_calloc(import_arena(im), IMPORT_ERRORS_MAX, sizeof(*list));
    size_t n = 0;
    if (log == NULL || log->type != JSON_OBJECT) {
        return;
    }
    for (size_t i = 0; table != NULL && table->type == JSON_ARRAY && i < table->n && n < IMPORT_ERRORS_MAX; i++) {
        const struct json *e = table->items[i], *status = at(e, "status_field", NULL);
        const struct json *where = at(e, "lba", NULL);
        nv_u128 number = 0, queue = 0, value = 0, lba = 0;
        if (e->type != JSON_OBJECT || status == NULL || status->type != JSON_OBJECT ||
            !number_at(im, status, "value", &value) || !number_at(im, e, "error_count", &number)) {
            continue;
        }
        (void)number_at(im, e, "submission_queue_id", &queue);
        if (where != NULL && where->type == JSON_OBJECT) {
            (void)number_at(im, where, "value", &lba);
        }
        list[n++] = (struct import_error){.number = (uint64_t)number,
                                          .queue = (uint64_t)queue,
                                          .status = (uint64_t)value,
                                          .lba = (uint64_t)lba};
    }
    import_errors(im, d, list, n);
}

/* Without a table no test was ever made. */
static void read_selftests(struct import *im, struct import_device *d, const struct json *log)
{
    const struct json *table = at(log, "table", NULL), *now = at(log, "current_self_test_operation", NULL);
    struct import_test list[IMPORT_TESTS_MAX];
    size_t n = 0;
    nv_u128 v = 0;
    if (log == NULL || log->type != JSON_OBJECT) {
        return;
    }
    if (now != NULL && now->type == JSON_OBJECT && number_at(im, now, "value", &v)) {
        import_bool(im, d, "device.errors.selftest_running", v != 0);
    }
    for (size_t i = 0; table != NULL && table->type == JSON_ARRAY && i < table->n && n < IMPORT_TESTS_MAX; i++) {
        const struct json *result = at(table->items[i], "self_test_result", NULL);
        nv_u128 hours = 0;
        if (table->items[i]->type == JSON_OBJECT && result != NULL && result->type == JSON_OBJECT &&
            number_at(im, result, "value", &v) && v < 15 && number_at(im, table->items[i], "power_on_hours", &hours)) {
            list[n++] = (struct import_test){(unsigned)v, (uint64_t)hours};
        }
    }
    import_selftests(im, d, list, n);
}

/* The warning also stands with the verdict, where the log itself was not asked for. */
static size_t read_health(struct import *im, struct import_device *d, const struct import_piece *p)
{
    const struct json *log = at(p->json, "nvme_smart_health_information_log", NULL);
    const struct json *status = at(p->json, "smart_status", "nvme");
    if (log != NULL && log->type == JSON_OBJECT) {
        return smart_read(im, d, p, bag_of_json(import_arena(im), log), SMART_CELSIUS, false);
    }
    if (status != NULL && status->type == JSON_OBJECT && json_get(status, "value") != NULL) {
        const struct bag *b = bag_of_json(import_arena(im), status);
        for (size_t i = 0; i < b->n; i++) {
            if (bag_matches(b->items[i].key, "value")) {
                b->items[i].key = SPAN_LIT("criticalwarning");
            }
        }
        return smart_read(im, d, p, b, SMART_CELSIUS, false);
    }
    return 0;
}

static void read_other(struct import *im, struct import_device *d, const struct json *o)
{
    const struct span protocol = text_at(o, "device", "protocol");
    nv_u128 rate = 0;
    set_number(im, d, at(o, "user_capacity", NULL), "bytes", "device.ns.size_bytes", KIND_BYTES);
    set_number(im, d, o, "logical_block_size", "device.ns.lba_bytes", KIND_BYTES);
    if (number_at(im, o, "rotation_rate", &rate)) {
        import_kind(im, d, rate > 0 ? "disk" : span_eq_text(protocol, "SCSI") ? "sas-ssd" : "sata-ssd");
        import_bool(im, d, "device.rotational_media", rate > 0);
    }
}

static struct span version_of(struct import *im, const struct json *o)
{
    const struct json *v = at(o, "smartctl", "version");
    uint64_t major = 0, minor = 0;
    if (v == NULL || v->type != JSON_ARRAY || v->n < 2 || v->items[0]->type != JSON_NUMBER ||
        v->items[1]->type != JSON_NUMBER || !num_to_u64(v->items[0]->number, &major) ||
        !num_to_u64(v->items[1]->number, &minor)) {
        return (struct span){"", 0};
    }
    return span_of(arena_printf(import_arena(im), "%llu.%llu", (unsigned long long)major,
                                (unsigned long long)minor));
}

static bool is_nvme(const struct json *o)
{
    const struct span protocol = text_at(o, "device", "protocol");
    return span_eq_text(protocol, "NVMe") || (protocol.len == 0 && json_get(o, "ata_version") == NULL);
}

static bool read_json(struct import *im, const struct import_piece *p)
{
    const struct json *o = p->json;
    const struct import_who who = {.name = text_at(o, "device", "name"),
                                   .serial = text_at(o, "serial_number", NULL),
                                   .model = text_at(o, "model_name", NULL)};
    const bool health = at(o, "nvme_smart_health_information_log", NULL) != NULL;
    import_source(im, p, "smartctl", version_of(im, o));
    for (size_t i = 0; i < p->bag->n; i++) {
        p->bag->items[i].used = true;
    }
    if (who.model.len == 0 && !health && at(o, "smart_status", NULL) == NULL) {
        return false; /* it could not open the drive */
    }
    struct import_device *d = import_device(im, p, &who, (health ? (unsigned)PAGE_SMART : 0) |
                                                             (who.model.len > 0 ? (unsigned)PAGE_CTRL : 0));
    read_identity(im, d, o);
    if (!is_nvme(o)) {
        read_other(im, d, o);
        return true;
    }
    read_capabilities(im, d, o);
    read_states(im, d, at(o, "nvme_power_states", NULL));
    read_namespaces(im, d, p);
    (void)read_health(im, d, p);
    read_errors(im, d, at(o, "nvme_error_information_log", NULL));
    read_selftests(im, d, at(o, "nvme_self_test_log", NULL));
    import_kind(im, d, "nvme");
    return true;
}

const struct import_format import_smartctl_json = {
    .name = "smartctl (JSON)",
    .doc = "smartctl --json of 7.0 on; several documents, or an array of them",
    .json = true,
    .sure = sure,
    .read = read_json,
};
