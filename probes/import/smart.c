/* The SMART / Health log, whoever printed it: nvme-cli and smartctl of all versions as text and JSON, and the tools
 * of Intel and Solidigm. Their labels differ, and no label means two things. */
#include "advisor/base/parse.h"
#include "probes/import/fields.h"

#include "advisor/base/banned.h"

#define SENSORS_MAX 8

#define CRITICAL "criticalwarning criticalwarnings criticalwarningstate"
#define TEMPERATURE "temperature temperaturecelsius compositetemperature currenttemperature"

/* critical_warning and temperature are read apart; they stand here to be known. */
const struct field smart_fields[] = {
    {"device.smart.critical_warning", FIELD_COUNT, CRITICAL},
    {"device.smart.temperature_c", FIELD_KELVIN, TEMPERATURE},
    {"device.smart.available_spare_pct", FIELD_PERCENT,
     "availablespare availspare availablesparepercentage availablesparenormalized*"},
    {"device.smart.spare_threshold_pct", FIELD_PERCENT,
     "availablesparethreshold sparethresh sparethreshold availablesparethresholdpercentage"},
    {"device.smart.percentage_used_pct", FIELD_PERCENT,
     "percentageused percentused percentageusedestimate"},
    {"device.smart.data_units_read", FIELD_COUNT, "dataunitsread dataunits512000byteread"},
    {"device.smart.data_units_written", FIELD_COUNT, "dataunitswritten"},
    {"device.smart.host_reads", FIELD_COUNT, "hostreadcommands hostreads"},
    {"device.smart.host_writes", FIELD_COUNT, "hostwritecommands hostwrites"},
    {"device.smart.busy_minutes", FIELD_MINUTES, "controllerbusytime ctrlbusytime"},
    {"device.smart.power_cycles", FIELD_COUNT, "powercycles powercyclecount"},
    {"device.smart.power_on_hours", FIELD_HOURS, "poweronhours"},
    {"device.smart.unsafe_shutdowns", FIELD_COUNT, "unsafeshutdowns unsafeshutdowncount"},
    {"device.smart.media_errors", FIELD_COUNT, "mediaerrors mediaanddataintegrityerrors"},
    {"device.smart.error_log_entries", FIELD_COUNT,
     "numerrlogentries errorinformationlogentries errorinfologentries "
     "numberoferrorinfologentries numberoferrorinformationlogentries noerrorinfologentries"},
    {"device.smart.warning_temp_minutes", FIELD_MINUTES,
     "warningtemperaturetime warningtemptime warningcomptemperaturetime "
     "warningcompositetemperaturetime warningtempcompositetime"},
    {"device.smart.critical_temp_minutes", FIELD_MINUTES,
     "criticalcompositetemperaturetime criticalcomptime criticalcomptemperaturetime errortempcompositetime"},
    {"device.smart.tmt1_transitions", FIELD_COUNT,
     "thermalmanagementt1transcount thmtemp1transcount thermaltemp1transitioncount "
     "thermalmgmttemperature1transitioncount"},
    {"device.smart.tmt2_transitions", FIELD_COUNT,
     "thermalmanagementt2transcount thmtemp2transcount thermaltemp2transitioncount "
     "thermalmgmttemperature2transitioncount"},
};
const size_t smart_n_fields = ARRAY_LEN(smart_fields);

/* Bits of the warning, as one line each in the tools of makers. */
static const struct {
    const char *fact, *keys;
} bits[] = {
    {"device.smart.critical_warning_bits.spare_low", "availablesparespacehasfallen* availablesparespacebelowthreshold"},
    {"device.smart.critical_warning_bits.temperature", "temperaturehasexceeded* temperaturewarning"},
    {"device.smart.critical_warning_bits.reliability_degraded",
     "nvmsubsystemreliability* devicereliability* reliabilityhas* reliabilityis*"},
    {"device.smart.critical_warning_bits.read_only", "mediaisin* mediahasbeenplaced* readonlymode"},
    {"device.smart.critical_warning_bits.volatile_backup_failed", "volatilememorybackupdevice*"},
    {"device.smart.critical_warning_bits.pmr_unreliable", "persistentmemoryregion*"},
};

static bool truth(struct span s, bool *ret)
{
    if (span_eq_nocase(s, SPAN_LIT("true")) || span_eq_nocase(s, SPAN_LIT("yes")) ||
        span_eq_text(s, "1")) {
        *ret = true;
        return true;
    }
    *ret = false;
    return span_eq_nocase(s, SPAN_LIT("false")) || span_eq_nocase(s, SPAN_LIT("no")) ||
           span_eq_text(s, "0");
}

/* The number gives all bits; a line of its own counts over it. */
static size_t read_warning(struct import *im, struct import_device *d, const struct bag *b)
{
    uint64_t v = 0;
    size_t set = 0;
    if (bag_u64(bag_find(b, CRITICAL), 255, &v)) {
        import_u64(im, d, "device.smart.critical_warning", KIND_COUNT, v);
        for (size_t i = 0; i < ARRAY_LEN(bits); i++) {
            import_bool(im, d, bits[i].fact, (v >> i & 1) != 0);
        }
        set++;
    }
    for (size_t i = 0; i < ARRAY_LEN(bits); i++) {
        const struct bag_item *item = bag_find(b, bits[i].keys);
        bool is_set = false;
        if (item != NULL && truth(item->value, &is_set)) {
            import_bool(im, d, bits[i].fact, is_set || (v >> i & 1) != 0);
            set++;
        }
    }
    return set;
}

static bool temperature_of(const struct bag_item *item, enum smart_unit unit, int64_t *ret)
{
    nv_u128 v;
    if (unit == SMART_ANY) {
        return number_kelvin(item->value, ret);
    }
    if (!number_count(item->value, true, false, &v) || v > 10000) {
        return number_kelvin(item->value, ret);
    }
    *ret = (int64_t)v + (unit == SMART_CELSIUS ? 273 : 0);
    return unit == SMART_CELSIUS || v == 0 || v >= 200; /* colder is no drive, whatever was meant */
}

static size_t read_temperature(struct import *im, struct import_device *d,
                               const struct import_piece *p, const struct bag *b, enum smart_unit unit)
{
    const struct bag_item *item = bag_find(b, TEMPERATURE);
    int64_t k = 0;
    if (item == NULL) {
        return 0;
    }
    if (!temperature_of(item, unit, &k)) {
        import_note(im, p, "'%.*s' is no temperature that can be read",
                    SPAN_ARG(span_sub(item->value, 0, 60)));
        return 0;
    }
    import_kelvin(im, d, "device.smart.temperature_c", k);
    return 1;
}

static const struct json *sensors_of(const struct import_piece *p)
{
    const struct json *log = p->json != NULL ? json_get(p->json, "nvme_smart_health_information_log") : NULL;
    return log != NULL ? json_get(log, "temperature_sensors")
                       : p->json != NULL ? json_get(p->json, "temperature_sensors") : NULL;
}

static void read_sensors(struct import *im, struct import_device *d, const struct import_piece *p,
                         const struct bag *b, enum smart_unit unit)
{
    struct span items[SENSORS_MAX];
    size_t n = 0;
    const struct json *list = sensors_of(p);
    for (unsigned i = 1; i <= SENSORS_MAX; i++) {
        const char *key = arena_printf(import_arena(im), "temperaturesensor%u", i);
        const struct bag_item *item = bag_find(b, key);
        int64_t k = 0;
        if (item != NULL && temperature_of(item, unit, &k) && k != 0) {
            items[n++] = span_of(arena_printf(import_arena(im), "%lld", (long long)(k - 273)));
        }
    }
    for (size_t i = 0; list != NULL && list->type == JSON_ARRAY && i < list->n && n < SENSORS_MAX; i++) {
        uint64_t v = 0;
        if (list->items[i]->type == JSON_NUMBER && num_to_u64(list->items[i]->number, &v) && v < 1000) {
            items[n++] = span_of(arena_printf(import_arena(im), "%llu", (unsigned long long)v));
        }
    }
    import_list(im, d, "device.smart.sensors_c", items, n);
}

/* Whole numbers as hexadecimal digits without 0x, turned into what everybody else writes. */
static struct bag announce_hex(struct import *im, const struct bag *b)
{
    struct bag out = *b;
    out.items = arena_calloc(b->arena, b->n, sizeof(*out.items));
    for (size_t i = 0; i < b->n; i++) {
        const struct field *f = NULL;
        nv_u128 v;
        out.items[i] = b->items[i];
        for (size_t k = 0; k < smart_n_fields; k++) {
            f = bag_matches(b->items[i].key, smart_fields[k].keys) ? &smart_fields[k] : f;
        }
        if (f != NULL && (f->kind == FIELD_COUNT || f->kind == FIELD_MINUTES || f->kind == FIELD_HOURS) &&
            !span_starts(b->items[i].value, "0x") && number_count(b->items[i].value, false, true, &v)) {
            b->items[i].used = true;
            out.items[i].value = span_of(arena_printf(import_arena(im), "0x%.*s",
                                                      SPAN_ARG(b->items[i].value)));
        }
    }
    return out;
}

size_t smart_read(struct import *im, struct import_device *d, const struct import_piece *p,
                  const struct bag *b, enum smart_unit unit, bool bare_hex)
{
    const struct bag hex = bare_hex ? announce_hex(im, b) : *b;
    size_t set = fields_read(im, d, p, &hex, smart_fields + 2, smart_n_fields - 2);
    set += read_warning(im, d, &hex);
    set += read_temperature(im, d, p, &hex, unit);
    if (set > 0) {
        read_sensors(im, d, p, &hex, unit);
    }
    for (size_t i = 0; i < b->n; i++) {
        b->items[i].used = b->items[i].used || hex.items[i].used;
    }
    return set;
}
