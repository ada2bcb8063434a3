/* See zpool_text.h: the text as a whole, and what follows from its table. */
#include "probes/zpool_text.h"

#include <string.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

/* ---- sums ------------------------------------------------------------------------------------ */

static bool has_role(const struct zpool_vdev *v, const char *role)
{
    return strcmp(v->role, role) == 0;
}

bool zpool_has_role(const struct zpool_status *s, const char *role)
{
    for (size_t i = 1; i < s->n; i++) {
        if (has_role(&s->vdevs[i], role)) {
            return true;
        }
    }
    return false;
}

bool zpool_in_use(const struct zpool_vdev *v)
{
    return span_eq_text(v->state, "ONLINE") || span_eq_text(v->state, "DEGRADED");
}

static void add_errors(struct zpool_status *s, uint64_t n)
{
    s->errors = n > UINT64_MAX - s->errors ? UINT64_MAX : s->errors + n;
}

static void sum_errors(struct zpool_status *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct zpool_vdev *const v = &s->vdevs[i];
        if (v->has_counts && !has_role(v, "cache") && !has_role(v, "spare")) {
            add_errors(s, v->read);
            add_errors(s, v->write);
            add_errors(s, v->cksum);
            s->has_errors = true;
        }
    }
}

/* A disk that another one takes the place of is one disk to the pool. */
static const char *kind_of(const struct zpool_vdev *v)
{
    static const char *const single[] = {"disk", "file", "replacing", "spare"};
    for (size_t i = 0; v->type != NULL && i < ARRAY_LEN(single); i++) {
        if (strcmp(v->type, single[i]) == 0) {
            return "disk";
        }
    }
    return v->type;
}

static void count_vdevs(struct zpool_status *s)
{
    bool odd = false;
    s->vdev_kind = NULL;
    for (size_t i = 1; i < s->n; i++) {
        const struct zpool_vdev *const v = &s->vdevs[i];
        const char *const kind = kind_of(v);
        if (v->parent != 0 || !has_role(v, "data") || (kind != NULL && strcmp(kind, "indirect") == 0)) {
            continue; /* a removed vdev holds no data any more */
        }
        odd = odd || kind == NULL;
        s->vdev_count++;
        if (kind != NULL && s->vdev_kind != NULL && strcmp(kind, s->vdev_kind) != 0) {
            s->vdev_kind = "mixed";
        } else if (kind != NULL) {
            s->vdev_kind = kind;
        }
    }
    s->vdev_kind = odd ? NULL : s->vdev_kind;
}

/* ---- the text -------------------------------------------------------------------------------- */

/* "errors: No known data errors", "errors: 3 data errors, use '-v' for a list" */
static void read_data_errors(struct zpool_status *s, struct span text)
{
    struct span word = {"", 0};
    uint64_t n = 0;
    if (span_word(&text, &word) && parse_u64(word, &n)) {
        add_errors(s, n);
    } else if (span_eq_text(word, "Permanent")) {
        add_errors(s, 1); /* and a list of files */
    } else if (!span_eq_text(word, "No")) {
        s->has_errors = false; /* "List of errors unavailable", or nothing */
    }
}

/* "  pool: tank": the text behind the key. */
static bool read_key(struct span line, const char *key, struct span *ret)
{
    struct span rest = line, name;
    if (line.len > 0 && line.ptr[0] == '\t') {
        return false;
    }
    if (!span_split(&rest, ':', &name) || !span_eq_text(span_trim(name), key)) {
        return false;
    }
    *ret = span_trim(rest);
    return true;
}

/* From behind the line "pool:" to the end of what is told of it. */
struct reader {
    struct arena *arena;
    struct zpool_status *s;
    bool table, ended;
};

static bool take_line(struct reader *r, struct span line, struct span *text, struct err *reterr)
{
    struct zpool_status *const s = r->s;
    struct span value;
    if (!r->table && read_key(line, "state", &value)) {
        s->state = span_copy(r->arena, value);
    } else if (!r->table && (read_key(line, "scan", &value) || read_key(line, "scrub", &value))) {
        zpool_scan_read(value, &s->scan);
    } else if (!r->table && zpool_is_heading(line)) {
        r->table = true;
        return zpool_table_read(r->arena, text, s->name, s, reterr);
    } else if (r->table && read_key(line, "errors", &value)) {
        sum_errors(s);
        read_data_errors(s, value);
        r->ended = true;
    }
    return true;
}

/* A pool that cannot be opened has no line about errors. */
static bool may_end(const struct reader *r)
{
    return r->table && (span_eq_text(r->s->state, "UNAVAIL") || span_eq_text(r->s->state, "FAULTED"));
}

static bool find_pool(struct span *text, struct span pool, struct span *ret)
{
    struct span line;
    while (span_line(text, &line)) {
        if (read_key(line, "pool", ret) && ret->len > 0 && (pool.len == 0 || span_eq(*ret, pool))) {
            return true;
        }
    }
    return false;
}

bool zpool_status_parse(struct arena *a, struct span text, struct span pool,
                        struct zpool_status *ret, struct err *reterr)
{
    struct zpool_status s = {0};
    struct reader r = {.arena = a, .s = &s};
    struct span line, value;
    if (!find_pool(&text, pool, &value)) {
        return err_set(reterr, E_ABSENT, "zpool status does not tell of pool '%.*s'",
                       (int)(pool.len > 200 ? 200 : pool.len), pool.ptr);
    }
    s.name = span_copy(a, value);
    while (!r.ended && span_line(&text, &line) && !read_key(line, "pool", &value)) {
        if (!take_line(&r, line, &text, reterr)) {
            return false;
        }
    }
    if (!r.ended && !may_end(&r)) {
        return err_set(reterr, E_CUT, "zpool status ends early");
    }
    count_vdevs(&s);
    *ret = s;
    return true;
}

size_t zpool_status_names(struct span text, struct span *ret, size_t max)
{
    struct span name;
    size_t n = 0;
    while (find_pool(&text, (struct span){"", 0}, &name)) {
        if (n < max) {
            ret[n] = name;
        }
        n++;
    }
    return n;
}
