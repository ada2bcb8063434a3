/* The table of zpool status: its lines as a tree of vdevs. See zpool_text.h. */
#include "probes/zpool_text.h"

#include <string.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

/* ---- lines ----------------------------------------------------------------------------------- */

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

bool zpool_is_heading(struct span line)
{
    struct span word;
    return take_tab(&line) && span_word(&line, &word) && span_eq_text(word, "NAME") &&
           span_word(&line, &word) && span_eq_text(word, "STATE");
}

/* "0", "3", "1.20K": the larger ones are rounded. */
static bool read_count(struct span word, uint64_t *ret)
{
    static const char units[] = "KMGTPE";
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

/* Behind the state: three figures, then words. Without figures all of it is words. */
static void read_rest(struct span rest, struct zpool_vdev *v)
{
    uint64_t *const counts[] = {&v->read, &v->write, &v->cksum};
    struct span behind = rest, word;
    size_t n = 0;
    while (n < 3 && span_word(&behind, &word) && read_count(word, counts[n])) {
        n++;
        rest = behind;
    }
    v->has_counts = n == 3;
    v->note = span_trim(rest);
    zpool_note_read(v);
}

/* "\t  mirror-0  ONLINE  0  0  0" */
static bool read_row(struct span line, struct zpool_vdev *ret)
{
    size_t blanks = 0;
    if (!take_tab(&line)) {
        return false;
    }
    while (blanks < line.len && line.ptr[blanks] == ' ') {
        blanks++;
    }
    struct span rest = span_sub(line, blanks, line.len);
    *ret = (struct zpool_vdev){.depth = (unsigned)(blanks / 2 < 100 ? blanks / 2 : 100)};
    if (!span_word(&rest, &ret->name)) {
        return false;
    }
    (void)span_word(&rest, &ret->state);
    read_rest(rest, ret);
    return true;
}

/* ---- tree ------------------------------------------------------------------------------------ */

/* A line that begins a part of the table, and what the part is for. */
static const char *role_of_section(const struct zpool_vdev *row)
{
    static const char *const sections[][2] = {
        {"logs", "log"},   {"special", "special"}, {"dedup", "dedup"},
        {"cache", "cache"}, {"spares", "spare"},
    };
    for (size_t i = 0; row->depth == 0 && row->state.len == 0 && i < ARRAY_LEN(sections); i++) {
        if (span_eq_text(row->name, sections[i][0])) {
            return sections[i][1];
        }
    }
    return NULL;
}

/* "mirror", "mirror-0", "draid2:4d:8c:1s-0": the word, then nothing or a number. */
static bool is_named(struct span name, const char *word)
{
    const size_t n = strlen(word);
    return span_starts(name, word) &&
           (name.len == n || name.ptr[n] == '-' ||
            (strcmp(word, "draid") == 0 && name.ptr[n] >= '1' && name.ptr[n] <= '3'));
}

static const char *type_of(const struct zpool_vdev *v)
{
    static const char *const groups[][2] = {
        {"mirror", "mirror"}, {"raidz", "raidz1"},  {"raidz1", "raidz1"},       {"raidz2", "raidz2"},
        {"raidz3", "raidz3"}, {"draid", "draid"},   {"replacing", "replacing"}, {"spare", "spare"},
    };
    if (v->leaf) {
        return is_named(v->name, "indirect") ? "indirect"
               : span_starts(v->name, "/") && !span_starts(v->name, "/dev/") ? "file"
                                                                             : "disk";
    }
    for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
        if (is_named(v->name, groups[i][0])) {
            return groups[i][1];
        }
    }
    return NULL;
}

static size_t parent_of(const struct zpool_status *s, unsigned depth, size_t from)
{
    for (size_t i = s->n; i > from; i--) {
        if (s->vdevs[i - 1].depth < depth) {
            return i - 1;
        }
    }
    return 0; /* the first of a part hangs below the pool */
}

static void name_types(struct zpool_status *s)
{
    for (size_t i = 0; i < s->n; i++) {
        s->vdevs[i].leaf = i > 0;
    }
    for (size_t i = 1; i < s->n; i++) {
        s->vdevs[s->vdevs[i].parent].leaf = false;
    }
    for (size_t i = 0; i < s->n; i++) {
        s->vdevs[i].type = i == 0 ? "pool" : type_of(&s->vdevs[i]);
    }
}

static struct zpool_vdev copied(struct arena *a, const struct zpool_vdev *row)
{
    struct zpool_vdev v = *row;
    v.name = span_copy(a, row->name);
    v.state = span_copy(a, row->state);
    v.note = span_copy(a, row->note);
    return v;
}

bool zpool_table_read(struct arena *a, struct span *text, struct span pool, struct zpool_status *s,
                      struct err *reterr)
{
    const char *role = "data";
    size_t part = 0; /* index of the first line of this part */
    struct span rest = *text, line;
    struct zpool_vdev row;
    s->vdevs = arena_calloc(a, ZPOOL_VDEVS_MAX, sizeof(*s->vdevs));
    s->n = 0;
    while (span_line(&rest, &line) && read_row(line, &row)) {
        const char *const section = s->n > 0 ? role_of_section(&row) : NULL;
        *text = rest;
        if (section != NULL) {
            role = section;
            part = s->n;
            continue;
        }
        if (s->n == 0 && !span_eq(row.name, pool)) {
            return err_set(reterr, E_ABSENT, "the table is of another pool");
        }
        if (s->n == ZPOOL_VDEVS_MAX) {
            return err_set(reterr, E_LIMIT, "the pool has more than %u devices", ZPOOL_VDEVS_MAX);
        }
        row.role = role;
        row.depth = s->n > 0 && row.depth == 0 ? 1 : row.depth;
        row.parent = parent_of(s, row.depth, part);
        s->vdevs[s->n++] = copied(a, &row);
    }
    if (s->n == 0) {
        return err_set(reterr, E_CUT, "the text ends before its table");
    }
    s->vdevs[0].depth = 0;
    name_types(s);
    return true;
}
