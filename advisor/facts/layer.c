/* See layer.h. */
#include "advisor/facts/layer.h"

#include "advisor/base/parse.h"
#include "advisor/facts/percent.h"

#include "advisor/base/banned.h"

#define STOPS " ="

void layer_add(struct layer *l, const char *key, struct span value)
{
    if (l->n_keys < LAYER_KEYS_MAX) {
        l->keys[l->n_keys++] = (struct layer_key){span_of(key), value};
    }
}

void layer_add_u64(struct layer *l, struct arena *a, const char *key, uint64_t value)
{
    layer_add(l, key, span_of(arena_printf(a, "%llu", (unsigned long long)value)));
}

void layer_print(struct buf *b, const struct layer *l)
{
    buf_printf(b, "%u ", l->level);
    percent_put(b, l->name, STOPS);
    buf_add_char(b, ' ');
    percent_put(b, l->kind, STOPS);
    for (size_t i = 0; i < l->n_keys; i++) {
        buf_add_char(b, ' ');
        percent_put(b, l->keys[i].key, STOPS);
        buf_add_char(b, '=');
        percent_put(b, l->keys[i].value, STOPS);
    }
}

static bool read_key(struct arena *a, struct span part, struct layer *l)
{
    struct layer_key k;
    struct span rest = part, key;
    if (!span_has(part, '=') || !span_split(&rest, '=', &key) || key.len == 0 || span_has(rest, '=') ||
        l->n_keys == LAYER_KEYS_MAX) {
        return false;
    }
    if (!percent_take(a, key, &k.key) || !percent_take(a, rest, &k.value)) {
        return false;
    }
    l->keys[l->n_keys++] = k;
    return true;
}

bool layer_read(struct arena *a, struct span word, struct layer *ret)
{
    struct layer l = {.level = 0};
    struct span rest = word, part;
    uint64_t level;
    if (!span_split(&rest, ' ', &part) || !parse_u64(part, &level) || level > LAYER_LEVEL_MAX) {
        return false;
    }
    l.level = (unsigned)level;
    if (!span_split(&rest, ' ', &part) || part.len == 0 || !percent_take(a, part, &l.name) ||
        !span_split(&rest, ' ', &part) || part.len == 0 || !percent_take(a, part, &l.kind)) {
        return false;
    }
    while (span_split(&rest, ' ', &part)) {
        if (!read_key(a, part, &l)) {
            return false;
        }
    }
    *ret = l;
    return true;
}

struct span layer_value(const struct layer *l, const char *key)
{
    for (size_t i = 0; i < l->n_keys; i++) {
        if (span_eq_text(l->keys[i].key, key)) {
            return l->keys[i].value;
        }
    }
    return (struct span){"", 0};
}
