/* See fields.h. Rows say which label means which fact; must not know who printed it. */
#include "probes/import/fields.h"

#include "advisor/base/banned.h"

static bool set_percent(struct import *im, struct import_device *d, const struct field *f, nv_u128 v)
{
    struct num n;
    if (v > 255 || num_div(num_u128(v), num_u64(100), &n) != NUM_OK) {
        return false;
    }
    import_num(im, d, f->fact, KIND_RATIO, n);
    return true;
}

static bool set_time(struct import *im, struct import_device *d, const struct field *f, nv_u128 v,
                     uint64_t scale)
{
    struct num n;
    if (num_mul(num_u128(v), num_u64(scale), &n) != NUM_OK) {
        return false;
    }
    import_num(im, d, f->fact, KIND_SECONDS, n);
    return true;
}

static bool set_temperature(struct import *im, struct import_device *d, const struct field *f,
                            const struct bag_item *item)
{
    int64_t k = 0;
    nv_u128 plain;
    if (f->kind == FIELD_CELSIUS && number_count(item->value, item->json, false, &plain) &&
        plain < 200) {
        import_num(im, d, f->fact, KIND_CELSIUS, num_u128(plain));
        return true;
    }
    if (!number_kelvin(item->value, &k)) {
        return false;
    }
    import_kelvin(im, d, f->fact, k);
    return true;
}

static bool set_field(struct import *im, struct import_device *d, const struct field *f,
                      const struct bag_item *item)
{
    nv_u128 v = 0;
    if (f->kind == FIELD_TEXT) {
        import_str(im, d, f->fact, item->value);
        return span_trim(item->value).len > 0;
    }
    if (f->kind == FIELD_KELVIN || f->kind == FIELD_CELSIUS) {
        return set_temperature(im, d, f, item);
    }
    if (!bag_count(item, &v)) {
        return false;
    }
    switch (f->kind) {
    case FIELD_COUNT:
    case FIELD_BYTES:
        import_num(im, d, f->fact, f->kind == FIELD_COUNT ? KIND_COUNT : KIND_BYTES, num_u128(v));
        return true;
    case FIELD_PERCENT:
        return set_percent(im, d, f, v);
    case FIELD_MINUTES:
        return set_time(im, d, f, v, 60);
    case FIELD_HOURS:
        return set_time(im, d, f, v, 3600);
    case FIELD_KELVIN:
    case FIELD_CELSIUS:
    case FIELD_TEXT:
        break;
    }
    return false;
}

size_t fields_read(struct import *im, struct import_device *d, const struct import_piece *p,
                   const struct bag *b, const struct field *rows, size_t n)
{
    size_t set = 0;
    for (size_t i = 0; i < n; i++) {
        const struct bag_item *item = bag_find(b, rows[i].keys);
        if (item == NULL) {
            continue;
        }
        if (set_field(im, d, &rows[i], item)) {
            set++;
        } else if (item->value.len > 0) {
            import_note(im, p, "'%.*s': '%.*s' is no value that can be read",
                        SPAN_ARG(span_sub(item->label, 0, 60)), SPAN_ARG(span_sub(item->value, 0, 60)));
        }
    }
    return set;
}

static bool is_known(struct span key, const struct field *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bag_matches(key, rows[i].keys)) {
            return true;
        }
    }
    return false;
}

unsigned fields_known(const struct bag *b, const struct field *rows, size_t n)
{
    unsigned known = 0;
    for (size_t i = 0; i < b->n && known < 1000; i++) {
        known += is_known(b->items[i].key, rows, n);
    }
    return known;
}

size_t fields_part(const struct bag *b, size_t from, const struct field *rows, size_t n)
{
    size_t first = b->n;
    for (size_t i = from; i < b->n; i++) {
        if (!is_known(b->items[i].key, rows, n)) {
            continue;
        }
        first = first == b->n ? i : first;
        for (size_t k = first; k < i && k < first + 200; k++) {
            if (span_eq(b->items[k].key, b->items[i].key) &&
                (k == first || !span_eq(b->items[k].value, b->items[i].value))) {
                return i;
            }
        }
    }
    return b->n;
}

void import_kind(struct import *im, struct import_device *d, const char *kind)
{
    import_word(im, d, "device.kind", kind);
    import_str(im, d, "device.name", import_name(d));
}
