/* See zfs_text.h. */
#include "probes/zfs_text.h"

#include <string.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

bool zfs_property(struct span text, const char *property, struct span *ret)
{
    struct span line;
    while (span_line(&text, &line)) {
        struct span rest = line, field;
        if (span_split(&rest, '\t', &field) && span_split(&rest, '\t', &field) &&
            span_eq_text(field, property) && span_split(&rest, '\t', &field)) {
            *ret = span_trim(field);
            return ret->len > 0 && !span_eq_text(*ret, "-");
        }
    }
    return false;
}

/* ---- the table of a pool --------------------------------------------------------------------- */

/* What a part of the table is for. */
enum section { DATA, LOGS, OTHER_DATA /* special, dedup */, NOT_WRITTEN /* cache, spares */ };

struct row {
    unsigned depth;  /* the pool's own line has 0 */
    struct span name, state, counts;
};

struct table {
    struct arena *arena;
    struct zpool_status *status;
    enum section section;
    bool mixed, odd, any;   /* data vdevs of several kinds; of a kind not known here; any */
};

/* Takes the tab, or what a paste made of it, off the front of a line of the table. */
static bool take_tab(struct span *line)
{
    if (span_starts(*line, "\t")) {
        *line = span_sub(*line, 1, line->len);
        return true;
    }
    if (span_starts(*line, "        ")) {
        *line = span_sub(*line, 8, line->len);
        return true;
    }
    return false;
}

/* "\t  mirror-0  ONLINE  0  0  0" */
static bool read_row(struct span line, struct row *ret)
{
    size_t blanks = 0;
    if (!take_tab(&line)) {
        return false;
    }
    while (blanks < line.len && line.ptr[blanks] == ' ') {
        blanks++;
    }
    struct span rest = span_sub(line, blanks, line.len);
    *ret = (struct row){.depth = (unsigned)(blanks / 2)};
    if (!span_word(&rest, &ret->name)) {
        return false;
    }
    (void)span_word(&rest, &ret->state);
    ret->counts = rest;
    return true;
}

/* "0", "3", "1.20K": the larger ones are rounded. */
static bool read_count(struct span word, uint64_t *ret)
{
    static const char units[] = "KMGTP";
    double scale = 1.0, v = 0.0;
    if (parse_u64(word, ret)) {
        return true;
    }
    if (word.len < 2) {
        return false;
    }
    const char *const unit = memchr(units, word.ptr[word.len - 1], sizeof(units) - 1);
    if (unit == NULL || !parse_double(span_sub(word, 0, word.len - 1), &v) || v < 0.0 || v > 1e5) {
        return false;
    }
    for (const char *u = units; u <= unit; u++) {
        scale *= 1000.0;
    }
    const double n = v * scale;
    *ret = n < 1e19 ? (uint64_t)n : UINT64_MAX;
    return true;
}

static void add_errors(struct zpool_status *s, uint64_t n)
{
    s->errors = n > UINT64_MAX - s->errors ? UINT64_MAX : s->errors + n;
}

/* A vdev's kind by its name; "": it holds no data any more; NULL: not known. */
static const char *kind_of(struct span name)
{
    static const char *const kinds[][2] = {
        {"mirror-", "mirror"}, {"raidz1-", "raidz1"}, {"raidz2-", "raidz2"}, {"raidz3-", "raidz3"},
        {"draid", "draid"},    {"replacing-", "disk"}, {"spare-", "disk"},   {"/", "disk"},
        {"indirect-", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (span_starts(name, kinds[i][0])) {
            return kinds[i][1];
        }
    }
    uint64_t guid = 0;
    return parse_u64(name, &guid) ? "disk" : NULL; /* a device that is gone is a number */
}

static void add_vdev(struct table *t, struct span name)
{
    const char *const kind = kind_of(name);
    if (kind == NULL) {
        t->odd = true;
    } else if (kind[0] != '\0') {
        t->mixed = t->mixed || (t->any && strcmp(t->status->vdev_kind, kind) != 0);
        t->status->vdev_kind = kind;
        t->status->vdev_count++;
        t->any = true;
    }
}

static bool is_in_use(struct span state)
{
    return span_eq_text(state, "ONLINE") || span_eq_text(state, "DEGRADED");
}

static bool add_leaf(struct table *t, const struct row *r, struct err *reterr)
{
    struct zpool_status *const s = t->status;
    if (t->section == NOT_WRITTEN || r->name.ptr[0] != '/' || !is_in_use(r->state)) {
        return true;
    }
    if (!span_starts(r->name, "/dev/")) {
        s->has_file = true;
        return true;
    }
    if (s->n_leaves == ZPOOL_LEAVES_MAX) {
        return err_set(reterr, E_LIMIT, "the pool has more than %u devices", ZPOOL_LEAVES_MAX);
    }
    s->leaves[s->n_leaves++] = span_copy(t->arena, r->name);
    return true;
}

static bool is_section(struct span name, enum section *ret)
{
    static const struct {
        const char *name;
        enum section section;
    } sections[] = {{"logs", LOGS},         {"special", OTHER_DATA}, {"dedup", OTHER_DATA},
                    {"cache", NOT_WRITTEN}, {"spares", NOT_WRITTEN}};
    for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
        if (span_eq_text(name, sections[i].name)) {
            *ret = sections[i].section;
            return true;
        }
    }
    return false;
}

static void add_counts(struct zpool_status *s, struct span counts)
{
    struct span word;
    uint64_t n = 0;
    for (unsigned i = 0; i < 3 && span_word(&counts, &word) && read_count(word, &n); i++) {
        add_errors(s, n);
        s->has_errors = true;
    }
}

static bool take_row(struct table *t, const struct row *r, struct err *reterr)
{
    struct zpool_status *const s = t->status;
    if (r->depth == 0 && r->state.len == 0 && is_section(r->name, &t->section)) {
        s->slog = s->slog || t->section == LOGS;
        return true;
    }
    if (t->section != NOT_WRITTEN) {
        add_counts(s, r->counts);
    }
    if (r->depth == 0) {
        return true;
    }
    if (r->depth == 1 && t->section == DATA) {
        add_vdev(t, r->name);
    }
    return add_leaf(t, r, reterr);
}

/* From the line behind "NAME STATE …" to the first that is no row. false: an error, or no such line. */
static bool read_table(struct table *t, struct span *text, struct span pool, struct err *reterr)
{
    struct span line;
    struct row r;
    bool first = true;
    while (span_line(text, &line) && read_row(line, &r)) {
        if (first && !span_eq(r.name, pool)) {
            return err_set(reterr, E_ABSENT, "the table is of another pool");
        }
        first = false;
        if (!take_row(t, &r, reterr)) {
            return false;
        }
    }
    return !first || err_set(reterr, E_CUT, "the text ends before its table");
}

/* "errors: No known data errors", "errors: 3 data errors, use '-v' for a list" */
static void read_data_errors(struct zpool_status *s, struct span text)
{
    struct span word = {"", 0};
    uint64_t n = 0;
    if (span_word(&text, &word) && parse_u64(word, &n)) {
        add_errors(s, n);
    } else if (!span_eq_text(word, "No")) {
        s->has_errors = false; /* "List of errors unavailable", or nothing */
    }
}

static bool is_heading(struct span line)
{
    struct span word;
    return take_tab(&line) && span_word(&line, &word) && span_eq_text(word, "NAME") &&
           span_word(&line, &word) && span_eq_text(word, "STATE");
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

bool zpool_status_parse(struct arena *a, struct span text, struct span pool,
                        struct zpool_status *ret, struct err *reterr)
{
    struct zpool_status s = {.leaves = arena_calloc(a, ZPOOL_LEAVES_MAX, sizeof(struct span))};
    struct table t = {.arena = a, .status = &s, .section = DATA};
    struct span line, value;
    bool ours = false, table = false, ended = false;
    while (!ended && span_line(&text, &line)) {
        if (read_key(line, "pool", &value)) {
            if (ours) {
                break;
            }
            ours = span_eq(value, pool);
        } else if (ours && !table && read_key(line, "state", &value)) {
            s.state = span_copy(a, value);
        } else if (ours && !table && is_heading(line)) {
            if (!read_table(&t, &text, pool, reterr)) {
                return false;
            }
            table = true;
        } else if (ours && table && read_key(line, "errors", &value)) {
            read_data_errors(&s, value);
            ended = true;
        }
    }
    if (!ours) {
        return err_set(reterr, E_ABSENT, "zpool status does not tell of pool '%.*s'",
                       (int)(pool.len > 200 ? 200 : pool.len), pool.ptr);
    }
    if (!ended) {
        return err_set(reterr, E_CUT, "zpool status ends early");
    }
    s.vdev_kind = t.odd || !t.any ? NULL : t.mixed ? "mixed" : s.vdev_kind;
    *ret = s;
    return true;
}
