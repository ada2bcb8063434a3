/* Typed values: making, comparing and copying. Reading and printing are in value_text.c.
 * Must not know where a value came from. */
#include "advisor/facts/value.h"

#include <stdlib.h>

#include "advisor/base/banned.h"

static const struct kind_row {
    const char *name;
    struct dim dim;
    bool numeric;
} kinds[KINDS] = {
    [KIND_BOOL] = {"bool", {0, 0, 0}, false},
    [KIND_COUNT] = {"count", {0, 0, 0}, true},
    [KIND_BYTES] = {"bytes", {1, 0, 0}, true},
    [KIND_SECONDS] = {"seconds", {0, 1, 0}, true},
    [KIND_RATIO] = {"ratio", {0, 0, 0}, true},
    [KIND_RATE] = {"rate", {0, -1, 0}, true},
    [KIND_BYTES_PER_S] = {"bytes/s", {1, -1, 0}, true},
    [KIND_CELSIUS] = {"celsius", {0, 0, 1}, true},
    [KIND_VERSION] = {"version", {0, 0, 0}, false},
    [KIND_ENUM] = {"enum", {0, 0, 0}, false},
    [KIND_STRING] = {"string", {0, 0, 0}, false},
    [KIND_SET] = {"set", {0, 0, 0}, false},
    [KIND_LIST] = {"list", {0, 0, 0}, false},
};

bool kind_is_numeric(enum kind k)
{
    return kinds[k].numeric;
}

struct dim kind_dim(enum kind k)
{
    return kinds[k].dim;
}

const char *kind_name(enum kind k)
{
    return kinds[k].name;
}

bool kind_from_name(struct span s, enum kind *ret)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (span_eq_text(s, kinds[i].name)) {
            *ret = (enum kind)i;
            return true;
        }
    }
    return false;
}

struct value value_bool(bool b)
{
    return (struct value){.kind = KIND_BOOL, .boolean = b};
}

struct value value_num(enum kind k, struct num n)
{
    return (struct value){.kind = k, .num = n};
}

struct value value_u64(enum kind k, uint64_t n)
{
    return value_num(k, num_u64(n));
}

struct value value_text(enum kind k, struct span s)
{
    return (struct value){.kind = k, .text = s};
}

struct value value_version(struct version v)
{
    return (struct value){.kind = KIND_VERSION, .version = v};
}

static int cmp_words(const void *a, const void *b)
{
    return span_cmp(*(const struct span *)a, *(const struct span *)b);
}

struct value value_words(struct arena *a, enum kind k, const struct span *items, size_t n)
{
    struct span *copy = arena_calloc(a, n, sizeof(*copy));
    for (size_t i = 0; i < n; i++) {
        copy[i] = span_copy(a, items[i]);
    }
    if (k == KIND_SET && n > 1) {
        qsort(copy, n, sizeof(*copy), cmp_words);
        size_t kept = 1;
        for (size_t i = 1; i < n; i++) {
            if (!span_eq(copy[i], copy[kept - 1])) {
                copy[kept++] = copy[i];
            }
        }
        n = kept;
    }
    return (struct value){.kind = k, .items = copy, .n_items = n};
}

struct value value_copy(struct arena *a, const struct value *v)
{
    struct value copy = *v;
    if (v->kind == KIND_ENUM || v->kind == KIND_STRING) {
        copy.text = span_copy(a, v->text);
    }
    if (v->kind == KIND_SET || v->kind == KIND_LIST) {
        copy = value_words(a, v->kind, v->items, v->n_items);
    }
    return copy;
}

static bool same_words(const struct value *a, const struct value *b)
{
    if (a->n_items != b->n_items) {
        return false;
    }
    for (size_t i = 0; i < a->n_items; i++) {
        if (!span_eq(a->items[i], b->items[i])) {
            return false;
        }
    }
    return true;
}

bool value_eq(const struct value *a, const struct value *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case KIND_BOOL:
        return a->boolean == b->boolean;
    case KIND_VERSION:
        return version_cmp(&a->version, &b->version) == 0;
    case KIND_ENUM:
    case KIND_STRING:
        return span_eq(a->text, b->text);
    case KIND_SET:
    case KIND_LIST:
        return same_words(a, b);
    case KIND_COUNT:
    case KIND_BYTES:
    case KIND_SECONDS:
    case KIND_RATIO:
    case KIND_RATE:
    case KIND_BYTES_PER_S:
    case KIND_CELSIUS:
    case KINDS:
        break;
    }
    return num_cmp(a->num, b->num) == 0;
}

bool value_has(const struct value *v, struct span word)
{
    for (size_t i = 0; i < v->n_items; i++) {
        if (span_eq(v->items[i], word)) {
            return true;
        }
    }
    return false;
}
