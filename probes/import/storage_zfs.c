/* ZFS pools: zpool status, zpool list and zpool iostat. A pool, its vdevs and their disks become nodes. Names of disks
 * may be of any system and need not be paths. */
#include "probes/import/storage.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/import/columns.h"

#include "advisor/base/banned.h"

#define DEPTH_MAX 8u

/* ---- zpool status ---------------------------------------------------------------------------- */

struct reading {
    struct stack *stack;
    struct stack_node *pool;
    struct stack_node *at[DEPTH_MAX]; /* the node of each depth */
    struct span role;                 /* of the part of the table */
    size_t indent;                    /* of the pool's own line */
    unsigned inner;                   /* of a squeezed table: disks that the inner vdev at hand still lacks */
    bool in_table;
};

bool zpool_begins(struct span line)
{
    struct span rest = span_trim(line), word;
    return span_word(&rest, &word) && span_eq_text(word, "pool:") && span_trim(rest).len > 0;
}

/* "mirror-0", "raidz2-1", "draid2:4d:8c:1s-0", "replacing-3", "spare-1". The word before the dash; empty: a disk. */
static struct span vdev_type(struct span name)
{
    static const char *const begins[] = {"mirror", "raidz", "draid", "replacing", "spare", "indirect"};
    struct span rest = name, type;
    for (size_t i = 0; i < ARRAY_LEN(begins); i++) {
        if (!span_starts(name, begins[i]) || !span_split(&rest, '-', &type)) {
            continue;
        }
        struct span first;
        return span_starts(type, "draid") && span_split(&type, ':', &first) ? first : type;
    }
    return (struct span){"", 0};
}

/* A heading of the table: what stands below it is no data. */
static struct span role_of(struct span name)
{
    static const char *const headings[] = {"logs", "log", "cache", "spares", "spare", "special", "dedup"};
    static const char *const roles[] = {"log", "log", "cache", "spare", "spare", "special", "dedup"};
    for (size_t i = 0; i < ARRAY_LEN(headings); i++) {
        if (span_eq_text(name, headings[i])) {
            return span_of(roles[i]);
        }
    }
    return (struct span){"", 0};
}

static size_t indent_of(struct span line)
{
    size_t n = 0;
    for (size_t i = 0; i < line.len && (line.ptr[i] == ' ' || line.ptr[i] == '\t'); i++) {
        n = line.ptr[i] == '\t' ? (n / 8 + 1) * 8 : n + 1;
    }
    return n;
}

/* Names of vdevs are no more unique than the pool makes them. */
static struct stack_node *vdev_node(struct reading *r, struct span name, struct span type)
{
    struct span key = name;
    if (type.len > 0 && r->pool != NULL) {
        key = span_of(arena_printf(r->stack->arena, "%.*s", SPAN_ARG(name)));
        const struct stack_node *other = stack_find(r->stack, key);
        struct stack_leg below;
        if (other != NULL && stack_below(r->stack, other, &below, 1) > 0) {
            key = span_of(arena_printf(r->stack->arena, "%.*s/%.*s", SPAN_ARG(r->pool->name), SPAN_ARG(name)));
        }
    }
    struct stack_node *n = stack_node(r->stack, key);
    if (n != NULL && type.len > 0) {
        n->type = SPAN_LIT("vdev");
        stack_key(r->stack, n, "type", type);
    }
    return n;
}

/* "12", "1.2K": what zpool rounds stays rounded. */
static bool count_of(struct span s, uint64_t *ret)
{
    static const char units[] = "KMGTPE";
    double v = 0, scale = 1;
    const char *unit = s.len > 0 ? strchr(units, s.ptr[s.len - 1]) : NULL;
    if (unit == NULL || *unit == '\0') {
        return parse_u64(s, ret);
    }
    for (const char *u = units; u <= unit; u++) {
        scale *= 1000;
    }
    if (!parse_double(span_sub(s, 0, s.len - 1), &v) || v < 0 || v > 100000) {
        return false;
    }
    *ret = (uint64_t)(v * scale);
    return true;
}

static void add_counts(struct reading *r, struct stack_node *n, struct span rest)
{
    struct span word;
    uint64_t sum = 0, v = 0;
    for (unsigned i = 0; i < 3; i++) {
        if (!span_word(&rest, &word) || !count_of(word, &v) || v > UINT64_MAX / 4) {
            return;
        }
        sum += v;
    }
    stack_key_u64(r->stack, n, "errors", sum);
}

/* Where blanks were squeezed no row is deeper than the pool: then disks follow their vdev, and two of them a vdev that
 * replaces or stands in. */
static size_t squeezed_depth(struct reading *r, struct span type)
{
    const bool in_vdev = r->at[1] != NULL && span_eq_text(r->at[1]->type, "vdev");
    if (in_vdev && span_in_words(type, "replacing,spare")) {
        r->inner = 2;
        return 2;
    }
    if (type.len > 0 || !in_vdev) {
        r->inner = 0;
        return 1;
    }
    if (r->inner > 0) {
        r->inner--;
        return 3;
    }
    return 2;
}

/* A vdev or a disk, under what stands less deep above it. */
static struct stack_node *add_vdev(struct reading *r, size_t indent, struct span name, struct span state)
{
    const size_t depth = indent > r->indent ? (indent - r->indent) / 2 : squeezed_depth(r, vdev_type(name));
    if (depth == 0 || depth >= DEPTH_MAX || r->at[depth - 1] == NULL) {
        return NULL;
    }
    struct stack_node *n = vdev_node(r, name, vdev_type(name));
    if (n == NULL) {
        return NULL;
    }
    r->at[depth] = n;
    stack_key(r->stack, n, "state", state);
    stack_key(r->stack, n, "role", r->role);
    stack_stands_on(r->stack, r->at[depth - 1], n, span_in_words(r->role, "log,cache,spare"));
    return n;
}

static void table_line(struct reading *r, struct span line)
{
    const size_t indent = indent_of(line);
    struct span rest = line, name, state = {"", 0};
    if (!span_word(&rest, &name)) {
        r->in_table = false;
        return;
    }
    (void)span_word(&rest, &state);
    if (r->at[0] == NULL) {
        r->indent = indent;
        r->at[0] = r->pool;
        add_counts(r, r->pool, rest);
        return;
    }
    const struct span heading = role_of(name);
    if (heading.len > 0 && indent <= r->indent) {
        r->role = heading;
        r->at[1] = NULL;
        return;
    }
    struct stack_node *n = add_vdev(r, indent, name, state);
    if (n != NULL) {
        add_counts(r, n, rest);
    }
}

static void begin_pool(struct reading *r, struct span name)
{
    *r = (struct reading){.stack = r->stack, .role = SPAN_LIT("data")};
    r->pool = stack_node(r->stack, name);
    if (r->pool != NULL) {
        r->pool->type = SPAN_LIT("pool");
        r->pool->is_pool = true;
    }
}

bool zpool_read(struct stack *s, struct span text)
{
    struct reading r = {.stack = s};
    struct span line;
    bool some = false;
    while (span_line(&text, &line)) {
        struct span rest = span_trim(line), word;
        if (!span_word(&rest, &word)) {
            r.in_table = r.in_table && r.at[0] == NULL;
            continue;
        }
        rest = span_trim(rest);
        if (span_eq_text(word, "pool:")) {
            begin_pool(&r, rest);
            some = some || r.pool != NULL;
        } else if (r.pool != NULL && span_eq_text(word, "state:")) {
            stack_key(s, r.pool, "state", rest);
        } else if (r.pool != NULL && span_eq_text(word, "NAME")) {
            r.in_table = true;
        } else if (span_eq_text(word, "errors:")) {
            r.in_table = false;
        } else if (r.in_table) {
            table_line(&r, line);
        }
    }
    return some;
}

/* ---- zpool list, zpool iostat ---------------------------------------------------------------- */

/* "NAME  SIZE  ALLOC  FREE …", "pool  alloc  free  read  write …" */
bool zpoollist_begins(struct span line)
{
    struct columns c;
    return columns_read(&c, line) >= 4 &&
           ((columns_find(&c, "NAME") == 0 && columns_find(&c, "SIZE") > 0 && columns_find(&c, "FREE") > 0 &&
             (columns_find(&c, "ALLOC") > 0 || columns_find(&c, "HEALTH") > 0)) ||
            (columns_find(&c, "pool") == 0 && columns_find(&c, "alloc") == 1 && columns_find(&c, "free") == 2));
}

/* The state, which stands in the last columns and not in all versions. */
static struct span state_in(struct span line)
{
    struct span word;
    while (span_word(&line, &word)) {
        if (span_in_words(word, "ONLINE,DEGRADED,FAULTED,OFFLINE,UNAVAIL,REMOVED,SUSPENDED,AVAIL,INUSE")) {
            return word;
        }
    }
    return (struct span){"", 0};
}

static void pool_cells(struct stack *s, struct stack_node *pool, const struct columns *c, struct span line)
{
    static const struct {
        const char *heading, *key;
    } rows[] = {{"CAP", "capacity"}, {"FRAG", "fragmentation"}};
    struct span cells[COLUMNS_MAX];
    columns_split(c, line, cells, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const int at = columns_find(c, rows[i].heading);
        if (at >= 0 && span_ends(cells[at], "%")) {
            stack_key(s, pool, rows[i].key, cells[at]);
        }
    }
    stack_key(s, pool, "state", state_in(line));
}

/* Rows of a list are like those of the status table, but sizes stand where the state would. */
static void list_line(struct reading *r, const struct columns *c, struct span line)
{
    struct span rest = line, name;
    const size_t indent = indent_of(line);
    if (!span_word(&rest, &name) || span_starts(name, "---")) {
        return;
    }
    const struct span heading = role_of(name);
    if (indent == 0 && heading.len == 0) {
        begin_pool(r, name);
        r->at[0] = r->pool;
        pool_cells(r->stack, r->pool, c, line);
    } else if (r->pool != NULL && heading.len > 0 && indent <= r->indent) {
        r->role = heading;
        r->at[1] = NULL;
    } else if (r->pool != NULL) {
        add_vdev(r, indent, name, state_in(line));
    }
}

bool zpoollist_read(struct stack *s, struct span text)
{
    struct reading r = {.stack = s};
    struct columns c = {.n = 0};
    struct span line;
    bool some = false;
    while (span_line(&text, &line)) {
        if (zpoollist_begins(line)) {
            columns_read(&c, line);
            r.pool = NULL;
        } else if (c.n > 0 && span_trim(line).len > 0) {
            list_line(&r, &c, line);
            some = some || r.pool != NULL;
        }
    }
    return some;
}
