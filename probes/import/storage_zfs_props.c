/* ZFS: zfs get and zpool get, zfs list, as text, and the JSON of all (2.3 on). A dataset's properties are kept under its
 * name. */
#include "probes/import/storage.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/import/columns.h"

#include "advisor/base/banned.h"

#define VDEV_DEPTH_MAX 8

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

/* "16K", "1M": bytes as digits. */
static struct span size_text(struct arena *a, struct span s)
{
    uint64_t v = 0;
    const char unit = s.len > 1 ? s.ptr[s.len - 1] : '0';
    const uint64_t scale = unit == 'K' ? 1024 : unit == 'M' ? 1024 * 1024 : 0;
    if (scale == 0 || !parse_u64(span_sub(s, 0, s.len - 1), &v) || v > UINT32_MAX) {
        return s;
    }
    return span_of(arena_printf(a, "%llu", (unsigned long long)(v * scale)));
}

static bool put_property(struct stack *s, struct span dataset, struct span name, struct span value)
{
    if (!is_property(name) || span_eq_text(value, "-")) {
        return false;
    }
    struct stack_node *n = stack_node(s, dataset);
    if (n == NULL) {
        return false;
    }
    n->type = n->type.len > 0 ? n->type : span_has(dataset, '/') ? SPAN_LIT("dataset") : SPAN_LIT("pool");
    n->is_pool = n->is_pool || !span_has(dataset, '/');
    if (span_eq_text(name, "mountpoint")) {
        const struct stack_mount m = {.target = value, .source = dataset, .fstype = SPAN_LIT("zfs")};
        if (span_starts(value, "/")) {
            stack_add_mount(s, &m);
        }
        return true;
    }
    stack_key(s, n, span_dup(s->arena, name), span_eq_text(name, "recordsize") ? size_text(s->arena, value) : value);
    return true;
}

bool zfsget_read(struct stack *s, struct span text)
{
    struct span line, part[4];
    bool some = false;
    while (span_line(&text, &line)) {
        some = (property_line(line, part) && put_property(s, part[0], part[1], part[2])) || some;
    }
    return some;
}

/* {"datasets": {"tank/mysql": {"properties": {"recordsize": {"value": "16K", …}}}}} */
bool zfsget_read_json(struct stack *s, const struct json *doc)
{
    const struct json *sets = json_get(doc, "datasets");
    bool some = false;
    for (size_t i = 0; sets != NULL && sets->type == JSON_OBJECT && i < sets->n; i++) {
        const struct json *list = sets->items[i]->type == JSON_OBJECT ? json_get(sets->items[i], "properties") : NULL;
        for (size_t k = 0; list != NULL && list->type == JSON_OBJECT && k < list->n; k++) {
            const char *value = list->items[k]->type == JSON_OBJECT ? json_get_str(list->items[k], "value") : NULL;
            some = (value != NULL && put_property(s, sets->keys[i], list->keys[k], span_of(value))) || some;
        }
    }
    return some;
}

/* ---- zpool status and get in JSON ------------------------------------------------------------ */

static uint64_t errors_of(const struct json *v)
{
    static const char *const keys[] = {"read_errors", "write_errors", "checksum_errors"};
    uint64_t sum = 0, n = 0;
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        const struct json *e = json_get(v, keys[i]);
        const bool known = e != NULL && (e->type == JSON_STRING   ? parse_u64(e->string, &n)
                                         : e->type == JSON_NUMBER ? num_to_u64(e->number, &n)
                                                                  : false);
        sum += known && n < UINT64_MAX / 4 ? n : 0;
    }
    return sum;
}

static void put_vdevs(struct stack *s, struct stack_node *above, const struct json *list, const char *role, int depth);

/* A node of the tree; the root is the pool itself. */
static void put_vdev(struct stack *s, struct stack_node *above, struct span name, const struct json *v,
                     const char *role, int depth)
{
    const char *type = json_get_str(v, "vdev_type"), *state = json_get_str(v, "state");
    const bool root = type != NULL && strcmp(type, "root") == 0;
    const bool disk = type == NULL || strcmp(type, "disk") == 0 || strcmp(type, "file") == 0;
    struct stack_node *n = root ? above : stack_node(s, name);
    if (n == NULL) {
        return;
    }
    if (!root) {
        const char *class = json_get_str(v, "class");
        role = class != NULL && span_in_words(span_of(class), "special,dedup") ? class : role;
        stack_key(s, n, "state", span_of(state != NULL ? state : ""));
        stack_key(s, n, "role", span_of(role));
        stack_stands_on(s, above, n, span_in_words(span_of(role), "log,cache,spare"));
    }
    if (!root && !disk) {
        n->type = SPAN_LIT("vdev");
        const struct span kind = span_of(type);
        struct span rest = name, word = kind;
        stack_key(s, n, "type", span_eq_text(kind, "raidz") && span_split(&rest, '-', &word) ? word : kind);
    }
    stack_key_u64(s, n, "errors", errors_of(v));
    put_vdevs(s, n, json_get(v, "vdevs"), role, depth + 1);
}

/* By name, or with --json-flat-vdevs an array. */
static void put_vdevs(struct stack *s, struct stack_node *above, const struct json *list, const char *role, int depth)
{
    for (size_t i = 0; list != NULL && list->type == JSON_OBJECT && depth < VDEV_DEPTH_MAX && i < list->n; i++) {
        if (list->items[i]->type == JSON_OBJECT) {
            put_vdev(s, above, list->keys[i], list->items[i], role, depth);
        }
    }
}

static void put_pool(struct stack *s, struct span name, const struct json *pool)
{
    static const struct {
        const char *key, *role;
    } parts[] = {{"vdevs", "data"}, {"logs", "log"},   {"l2cache", "cache"}, {"cache", "cache"}, {"spares", "spare"},
                 {"special", "special"}, {"dedup", "dedup"}};
    const struct json *list = json_get(pool, "properties");
    const char *state = json_get_str(pool, "state");
    struct stack_node *n = stack_node(s, name);
    if (n == NULL) {
        return;
    }
    n->type = SPAN_LIT("pool");
    n->is_pool = true;
    stack_key(s, n, "state", span_of(state != NULL ? state : ""));
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        put_vdevs(s, n, json_get(pool, parts[i].key), parts[i].role, 0);
    }
    for (size_t k = 0; list != NULL && list->type == JSON_OBJECT && k < list->n; k++) {
        const char *value = list->items[k]->type == JSON_OBJECT ? json_get_str(list->items[k], "value") : NULL;
        (void)(value != NULL && put_property(s, name, list->keys[k], span_of(value)));
    }
}

bool zpool_read_json(struct stack *s, const struct json *doc)
{
    const struct json *pools = json_get(doc, "pools");
    bool some = false;
    for (size_t i = 0; pools != NULL && pools->type == JSON_OBJECT && i < pools->n; i++) {
        if (pools->items[i]->type == JSON_OBJECT) {
            put_pool(s, pools->keys[i], pools->items[i]);
            some = true;
        }
    }
    return some;
}

/* ---- zfs list -------------------------------------------------------------------------------- */

static const struct {
    const char *heading, *property;
} list_columns[] = {{"MOUNTPOINT", "mountpoint"}, {"RECSIZE", "recordsize"}, {"COMPRESS", "compression"},
                    {"SYNC", "sync"}, {"LOGBIAS", "logbias"}, {"PRIMARYCACHE", "primarycache"}, {"ATIME", "atime"}};

bool zfslist_begins(struct span line)
{
    struct columns c;
    return columns_read(&c, line) >= 2 && columns_find(&c, "NAME") == 0 &&
           ((columns_find(&c, "USED") > 0 && columns_find(&c, "AVAIL") > 0) || columns_find(&c, "RECSIZE") > 0 ||
            columns_find(&c, "REFER") > 0);
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
        if (c.n == 0 || span_trim(line).len == 0) {
            continue;
        }
        columns_split(&c, line, cells, NULL);
        for (size_t i = 0; i < ARRAY_LEN(list_columns); i++) {
            const int at = columns_find(&c, list_columns[i].heading);
            some = (at > 0 && cells[at].len > 0 &&
                    put_property(s, cells[0], span_of(list_columns[i].property), cells[at])) || some;
        }
    }
    return some;
}
