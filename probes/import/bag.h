/* "Label: value" lines, or the members of a JSON object, under folded labels, and the numbers in them. */
#ifndef NVADVISE_PROBES_IMPORT_BAG_H
#define NVADVISE_PROBES_IMPORT_BAG_H

#include "advisor/base/json.h"
#include "advisor/base/str.h"

#define BAG_ITEMS_MAX 4096u

struct bag_item {
    struct span key;   /* letters and digits of the label, in lower case: "dataunitsread" */
    struct span label; /* as it stands, trimmed */
    struct span paren; /* what stood in parentheses behind the label: "0x17" */
    struct span value; /* trimmed; of JSON a number in digits or a text */
    unsigned line;
    bool json;         /* the value is JSON's: no separators between its digits */
    bool used;
};

struct bag {
    struct arena *arena;
    struct bag_item *items;
    size_t n;
};

/* Lines of a text; `line` is the number of the first. Lines without a label are left out. */
struct bag *bag_of_text(struct arena *a, struct span text, unsigned line);

/* Numbers, texts and booleans of a JSON object; of an object with a "value" in it that value; null, arrays
 * and other objects are left out. A text "NAME_s" counts for NAME. */
struct bag *bag_of_json(struct arena *a, const struct json *object);

/* The part from `from` up to `to`. The items are shared. */
struct bag bag_part(const struct bag *b, size_t from, size_t to);

/* A label as a key. */
struct span bag_key(struct arena *a, struct span label);

/* The first item whose key is one of `keys` (words; "abc*" begins with abc), marked as used; or NULL. */
struct bag_item *bag_find(const struct bag *b, const char *keys);
bool bag_matches(struct span key, const char *keys);

/* ---- values (number.c) ----------------------------------------------------------------------- */

/* A whole number at the front of a value: decimal with any locale's separators between groups of three (or
 * India's) digits, 0x…, or with `bare_hex` hexadecimal digits without 0x; what follows ("[428 GB]", "%",
 * "(1.88 TB)") is left aside. Decimals must be zeros. false: none, or cut within a group. */
bool number_count(struct span value, bool json, bool bare_hex, nv_u128 *ret);

/* The number of an item, of at most `max`; false also when there is no item. */
bool bag_count(const struct bag_item *item, nv_u128 *ret);
bool bag_u64(const struct bag_item *item, uint64_t max, uint64_t *ret);

/* A number with decimals ("63.999%", "0,130 %"). */
bool number_real(struct span value, double *ret);

/* A temperature in kelvin: "38 °C (311 K, 100 °F)", "311 Kelvin", "28 Celsius", "100 °F"; the figure in kelvin
 * counts where there is one; without a unit kelvin from 200 on, else degrees C. 0: the device has no value.
 * false: no temperature. */
bool number_kelvin(struct span value, int64_t *ret);

#endif
