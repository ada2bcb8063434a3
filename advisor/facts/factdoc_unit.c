/* Units of the values in a JSON facts document, both ways and exactly.
 * Must not know documents or stores. */
#include "advisor/facts/factdoc_parts.h"

#include <string.h>

#include "advisor/base/banned.h"

const char *factdoc_base_unit(enum kind k)
{
    switch (k) {
    case KIND_BYTES:
        return "bytes";
    case KIND_SECONDS:
        return "seconds";
    case KIND_RATIO:
        return "ratio";
    case KIND_RATE:
        return "1/s";
    case KIND_BYTES_PER_S:
        return "bytes/s";
    case KIND_CELSIUS:
        return "celsius";
    case KIND_BOOL:
    case KIND_COUNT:
    case KIND_VERSION:
    case KIND_ENUM:
    case KIND_STRING:
    case KIND_SET:
    case KIND_LIST:
    case KINDS:
        break;
    }
    return NULL;
}

/* The unit that the name asks for, where its kind has such a unit; else the kind's own. */
const char *factdoc_unit(const char *name, enum kind k)
{
    double scale = 1.0;
    const char *unit = decl_display_unit(name, &scale);
    const bool ratio =
        unit != NULL && (strcmp(unit, "percent") == 0 || strcmp(unit, "per_mille") == 0);
    const bool time = unit != NULL && (strcmp(unit, "hours") == 0 || strcmp(unit, "minutes") == 0);
    return (ratio && k == KIND_RATIO) || (time && k == KIND_SECONDS) ? unit : factdoc_base_unit(k);
}

bool factdoc_has_unit(enum kind k, const char *unit)
{
    static const char *const ratios[] = {"percent", "per_mille"};
    static const char *const times[] = {"hours", "minutes"};
    const char *base = factdoc_base_unit(k);
    bool found = base != NULL && strcmp(unit, base) == 0;
    for (size_t i = 0; i < 2; i++) {
        found = found || (k == KIND_RATIO && strcmp(unit, ratios[i]) == 0) ||
                (k == KIND_SECONDS && strcmp(unit, times[i]) == 0);
    }
    return found;
}

/* A percentage goes by way of its text, so that 7 % is exactly what "7%" is. */
static bool from_percent(struct num n, struct num *ret)
{
    ARENA_AUTO scratch = arena_new();
    struct buf b;
    struct dim d;
    buf_init(&b, scratch, 64);
    num_print(&b, n);
    buf_add_char(&b, '%');
    return units_parse(buf_span(&b), ret, &d, NULL);
}

static bool to_percent(struct num n, struct num *ret)
{
    ARENA_AUTO scratch = arena_new();
    struct buf b;
    buf_init(&b, scratch, 64);
    units_print_literal(&b, n, DIM_NONE, true);
    const struct span text = buf_span(&b);
    return span_ends(text, "%") && num_parse(span_sub(text, 0, text.len - 1), ret);
}

bool factdoc_from_unit(struct num n, const char *unit, struct num *ret)
{
    if (n.tag == NUM_UNLIMITED) {
        *ret = n;
        return true;
    }
    if (strcmp(unit, "percent") == 0) {
        return from_percent(n, ret);
    }
    if (strcmp(unit, "per_mille") == 0) {
        return num_div(n, num_u64(1000), ret) == NUM_OK;
    }
    if (strcmp(unit, "hours") == 0 || strcmp(unit, "minutes") == 0) {
        return num_mul(n, num_u64(strcmp(unit, "hours") == 0 ? 3600 : 60), ret) == NUM_OK;
    }
    *ret = n;
    return true;
}

/* false: the unit cannot say this number exactly. */
bool factdoc_to_unit(struct num n, const char *unit, struct num *ret)
{
    struct num scaled = n;
    struct num back;
    bool ok = true;
    if (n.tag != NUM_UNLIMITED && strcmp(unit, "percent") == 0) {
        ok = to_percent(n, &scaled);
    } else if (n.tag != NUM_UNLIMITED && strcmp(unit, "per_mille") == 0) {
        ok = num_mul(n, num_u64(1000), &scaled) == NUM_OK;
    } else if (n.tag != NUM_UNLIMITED && strcmp(unit, "hours") == 0) {
        ok = num_div(n, num_u64(3600), &scaled) == NUM_OK;
    } else if (n.tag != NUM_UNLIMITED && strcmp(unit, "minutes") == 0) {
        ok = num_div(n, num_u64(60), &scaled) == NUM_OK;
    }
    if (!ok || !factdoc_from_unit(scaled, unit, &back) || num_cmp(back, n) != 0) {
        return false;
    }
    *ret = scaled;
    return true;
}
