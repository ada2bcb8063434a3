/* ZFS: zpool status, zfs get and zpool get, zfs list. A pool, its vdevs and their disks become nodes; a dataset's
 * properties are kept under its name. Names of disks may be of any system and need not be paths. */
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
    static const char *const headings[] = {"logs", "cache", "spares", "special", "dedup"};
    static const char *const roles[] = {"log", "cache", "spare", "special", "dedup"};
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

static void add_counts(struct reading *r, struct stack_node *n, struct span rest)
{
    struct span word;
    uint64_t sum = 0, v = 0;
    for (unsigned i = 0; i < 3; i++) {
        if (!span_word(&rest, &word) || !parse_u64(word, &v) || v > UINT64_MAX / 4) {
            return;
        }
        sum += v;
    }
    stack_key_u64(r->stack, n, "errors", sum);
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
        return;
    }
    const size_t depth = indent > r->indent ? (indent - r->indent) / 2 : 1;
    if (depth == 0 || depth >= DEPTH_MAX || r->at[depth - 1] == NULL) {
        return;
    }
    const struct span type = vdev_type(name);
    struct stack_node *n = vdev_node(r, name, type);
    if (n == NULL) {
        return;
    }
    r->at[depth] = n;
    stack_key(r->stack, n, "state", state);
    stack_key(r->stack, n, "role", r->role);
    add_counts(r, n, rest);
    const bool idle = span_in_words(r->role, "log,cache,spare");
    stack_stands_on(r->stack, r->at[depth - 1], n, idle);
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

/* ---- zfs get, zpool get ---------------------------------------------------------------------- */

/* NAME PROPERTY VALUE SOURCE, apart by tabs (-H) or blanks. */
static bool property_line(struct span line, struct span part[4])
{
    struct span rest = line;
    size_t n = 0;
    while (n < 4 && (span_has(line, '\t') ? span_split(&rest, '\t', &part[n]) : span_word(&rest, &part[n]))) {
        part[n] = span_trim(part[n]);
        n++;
    }
    return n >= 3 && part[0].len > 0 && part[1].len > 0;
}

static bool is_property(struct span name)
{
    return span_in_words(name, "recordsize,compression,primarycache,logbias,sync,atime,compressratio,mountpoint,"
                               "ashift,autotrim,capacity,fragmentation,direct,redundant_metadata");
}

bool zfsget_begins(struct span line)
{
    struct columns c;
    struct span part[4];
    if (columns_read(&c, line) >= 3 && columns_find(&c, "NAME") == 0 && columns_find(&c, "PROPERTY") == 1) {
        return true;
    }
    return span_has(line, '\t') && property_line(line, part) && is_property(part[1]);
}

bool zfsget_read(struct stack *s, struct span text)
{
    struct span line, part[4];
    bool some = false;
    while (span_line(&text, &line)) {
        if (!property_line(line, part) || !is_property(part[1]) || span_eq_text(part[2], "-")) {
            continue;
        }
        struct stack_node *n = stack_node(s, part[0]);
        if (n == NULL) {
            continue;
        }
        n->type = n->type.len > 0 ? n->type : span_has(part[0], '/') ? SPAN_LIT("dataset") : SPAN_LIT("pool");
        n->is_pool = n->is_pool || !span_has(part[0], '/');
        stack_key(s, n, span_dup(s->arena, part[1]), part[2]);
        some = true;
        if (span_eq_text(part[1], "mountpoint") && span_starts(part[2], "/")) {
            const struct stack_mount m = {.target = part[2], .source = part[0], .fstype = SPAN_LIT("zfs")};
            stack_add_mount(s, &m);
        }
    }
    return some;
}

/* ---- zfs list -------------------------------------------------------------------------------- */

bool zfslist_begins(struct span line)
{
    struct columns c;
    return columns_read(&c, line) >= 4 && columns_find(&c, "NAME") == 0 && columns_find(&c, "USED") > 0 &&
           columns_find(&c, "AVAIL") > 0;
}

bool zfslist_read(struct stack *s, struct span text)
{
    struct columns c = {.n = 0};
    struct span line, cells[COLUMNS_MAX];
    bool some = false;
    while (span_line(&text, &line)) {
        if (zfslist_begins(line)) {
            columns_read(&c, line);
            continue;
        }
        const int at = columns_find(&c, "MOUNTPOINT");
        if (c.n == 0 || at < 0) {
            continue;
        }
        columns_split(&c, line, cells, NULL);
        if (span_starts(cells[at], "/")) {
            const struct stack_mount m = {.target = cells[at], .source = cells[0], .fstype = SPAN_LIT("zfs")};
            stack_add_mount(s, &m);
            some = true;
        }
    }
    return some;
}
