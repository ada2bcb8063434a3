/* Declarations of facts: a sorted table of rows that their owners hold, and the families behind
 * them. Must not know values, subjects or documents. */
#include "advisor/facts/decl.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/base/near.h"

#include "advisor/base/banned.h"

#define FAMILIES_MAX 16
#define NEAR_DISTANCE 3
#define NEAR_TAIL_MIN 4

struct family {
    const char *prefix;
    const struct fact_decl *row;
};

struct decl_set {
    struct arena *arena;
    const struct fact_decl **rows; /* in byte order of their names */
    size_t n, cap;
    struct family families[FAMILIES_MAX];
    size_t n_families;
};

struct decl_set *decl_set_new(struct arena *a)
{
    struct decl_set *set = arena_alloc(a, sizeof(*set));
    set->arena = a;
    return set;
}

static int cmp_rows(const void *a, const void *b)
{
    const struct fact_decl *const *x = a;
    const struct fact_decl *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

/* Where `name` stands or would stand, from `lo` on. */
static size_t lower_bound(const struct decl_set *set, size_t lo, const char *name)
{
    size_t hi = set->n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (strcmp(set->rows[mid]->name, name) < 0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

static bool declared_twice(const struct fact_decl *first, const struct fact_decl *second,
                           struct err *reterr)
{
    return err_set(reterr, E_INTERNAL, "fact '%s' is declared twice: '%s' and '%s'", first->name,
                   first->meaning, second->meaning);
}

/* Derived facts come one by one: what is there already is not sorted again. */
bool decl_set_add(struct decl_set *set, const struct fact_decl *rows, size_t n, struct err *reterr)
{
    if (n == 0) {
        return true;
    }
    const size_t total = set->n + n;
    const struct fact_decl **all = arena_calloc(set->arena, total, sizeof(*all));
    const struct fact_decl **more = arena_calloc(set->arena, n, sizeof(*more));
    for (size_t i = 0; i < n; i++) {
        more[i] = &rows[i];
    }
    qsort(more, n, sizeof(*more), cmp_rows);
    size_t used = 0, old = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t to = lower_bound(set, old, more[i]->name);
        if (to < set->n && strcmp(set->rows[to]->name, more[i]->name) == 0) {
            return declared_twice(set->rows[to], more[i], reterr);
        }
        if (i > 0 && strcmp(more[i - 1]->name, more[i]->name) == 0) {
            return declared_twice(more[i - 1], more[i], reterr);
        }
        if (to > old) {
            memcpy(&all[used], &set->rows[old], (to - old) * sizeof(*all));
        }
        used += to - old;
        all[used++] = more[i];
        old = to;
    }
    if (old < set->n) {
        memcpy(&all[used], &set->rows[old], (set->n - old) * sizeof(*all));
    }
    set->rows = all;
    set->n = total;
    return true;
}

bool decl_set_add_family(struct decl_set *set, const char *prefix, const struct fact_decl *row,
                         struct err *reterr)
{
    for (size_t i = 0; i < set->n_families; i++) {
        if (strcmp(set->families[i].prefix, prefix) == 0) {
            return err_set(reterr, E_INTERNAL, "family '%s' is declared twice", prefix);
        }
    }
    if (set->n_families == FAMILIES_MAX) {
        return err_set(reterr, E_INTERNAL, "family '%s': more than %d families", prefix,
                       FAMILIES_MAX);
    }
    set->families[set->n_families++] = (struct family){prefix, row};
    return true;
}

static const struct fact_decl *find_row(const struct decl_set *set, struct span name)
{
    size_t lo = 0;
    size_t hi = set->n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        const int c = span_cmp(span_of(set->rows[mid]->name), name);
        if (c == 0) {
            return set->rows[mid];
        }
        if (c < 0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return NULL;
}

const struct fact_decl *decl_find(const struct decl_set *set, struct span name, bool families)
{
    const struct fact_decl *row = find_row(set, name);
    size_t best = 0;
    if (row != NULL || !families) {
        return row;
    }
    for (size_t i = 0; i < set->n_families; i++) {
        const size_t len = strlen(set->families[i].prefix);
        if (len > best && name.len > len && span_starts(name, set->families[i].prefix)) {
            best = len;
            row = set->families[i].row;
        }
    }
    return row;
}

size_t decl_count(const struct decl_set *set)
{
    return set->n;
}

const struct fact_decl *decl_at(const struct decl_set *set, size_t i)
{
    return i < set->n ? set->rows[i] : NULL;
}

bool decl_family_needs(const struct decl_set *set, enum need need)
{
    for (size_t i = 0; i < set->n_families; i++) {
        if (set->families[i].row->needs == (unsigned)need) {
            return true;
        }
    }
    return false;
}

/* ---- the nearest name ------------------------------------------------------------------- */

/* Bytes of whole components that both names end in: "x.fs.type" and "volume.fs.type" share 7. */
static size_t shared_tail(struct span a, struct span b)
{
    size_t whole = 0;
    size_t i = 0;
    while (i < a.len && i < b.len && a.ptr[a.len - 1 - i] == b.ptr[b.len - 1 - i]) {
        if (a.ptr[a.len - 1 - i] == '.') {
            whole = i;
        }
        i++;
    }
    return whole;
}

static const char *nearest_by_distance(const struct decl_set *set, struct span name)
{
    const char *best = NULL;
    unsigned best_distance = NEAR_DISTANCE + 1;
    for (size_t i = 0; i < set->n; i++) {
        const struct span other = span_of(set->rows[i]->name);
        const size_t apart = other.len > name.len ? other.len - name.len : name.len - other.len;
        if (apart > NEAR_DISTANCE) {
            continue;
        }
        const unsigned d = near_distance(name, other);
        if (d < best_distance && d < name.len / 2) {
            best_distance = d;
            best = set->rows[i]->name;
        }
    }
    return best;
}

const char *decl_nearest(const struct decl_set *set, struct span name)
{
    const char *best = nearest_by_distance(set, name);
    size_t best_tail = NEAR_TAIL_MIN - 1;
    if (best != NULL) {
        return best;
    }
    for (size_t i = 0; i < set->n; i++) {
        const size_t tail = shared_tail(name, span_of(set->rows[i]->name));
        if (tail > best_tail) {
            best_tail = tail;
            best = set->rows[i]->name;
        }
    }
    return best;
}

/* ---- names of things -------------------------------------------------------------------- */

const char *subject_kind_name(enum subject_kind k)
{
    static const char *const names[SUBJECT_KINDS] = {
        [SUBJECT_HOST] = "host",
        [SUBJECT_SERVER] = "server",
        [SUBJECT_VOLUME] = "volume",
        [SUBJECT_DEVICE] = "device",
    };
    return k < SUBJECT_KINDS ? names[k] : "?";
}

const char *decl_display_unit(const char *name, double *ret_scale)
{
    static const struct {
        const char *suffix;
        const char *unit;
        double scale;
    } rows[] = {
        {"_pct", "percent", 100.0},          {"_hours", "hours", 1.0 / 3600.0},
        {"_minutes", "minutes", 1.0 / 60.0}, {"_c", "celsius", 1.0},
        {"_per_mille", "per_mille", 1000.0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (span_ends(span_of(name), rows[i].suffix)) {
            *ret_scale = rows[i].scale;
            return rows[i].unit;
        }
    }
    return NULL;
}
