/* See storage_chain.h: the walk. */
#include "probes/import/storage_chain.h"

#include <string.h>

#include "probes/mountinfo.h"

#include "advisor/base/banned.h"

#define BELOW_MAX 256u
#define DEPTH_MAX 32u

struct walker {
    const struct stack *stack;
    struct chain *chain;
};

/* ---- names of partitions --------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The disk of a partition, by the kernel's names: "nvme0n1p2", "sda1", "md0p1"; empty: it is no partition. */
static struct span disk_of(struct span name)
{
    static const char *const lettered[] = {"sd", "vd", "xvd", "hd"};
    static const char *const numbered[] = {"nvme", "mmcblk", "md", "loop", "nbd", "pmem"};
    size_t end = name.len;
    while (end > 0 && is_digit(name.ptr[end - 1])) {
        end--;
    }
    if (end == name.len || end < 3) {
        return (struct span){"", 0};
    }
    for (size_t i = 0; i < ARRAY_LEN(lettered); i++) {
        if (span_starts(name, lettered[i]) && !is_digit(name.ptr[end - 1]) && end > strlen(lettered[i])) {
            return span_sub(name, 0, end);
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(numbered); i++) {
        if (span_starts(name, numbered[i]) && name.ptr[end - 1] == 'p' && is_digit(name.ptr[end - 2])) {
            return span_sub(name, 0, end - 1);
        }
    }
    return (struct span){"", 0};
}

/* ---- kinds ----------------------------------------------------------------------------------- */

static bool is_type(const struct stack_node *n, const char *type)
{
    return span_eq_text(n->type, type);
}

/* A word of volume.stack.kinds for a logical volume; "dm": it does not say. */
static const char *lvm_kind(const struct stack_node *n, size_t n_below)
{
    static const struct {
        const char *begins, *kind;
    } kinds[] = {{"linear", "lvm-linear"},      {"striped", "lvm-striped"}, {"thin", "lvm-thin"},
                 {"snapshot", "lvm-snapshot"},  {"raid", "lvm-raid"},       {"mirror", "lvm-raid"},
                 {"cache", "lvm-cache"},        {"writecache", "dm-writecache"}, {"vdo", "vdo"},
                 {"integrity", "dm-integrity"}};
    const struct span type = layer_value(&n->keys, "type");
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (span_starts(type, kinds[i].begins)) {
            return kinds[i].kind;
        }
    }
    return n_below == 1 && !n->one_of ? "lvm-linear" : "dm";
}

/* Names that a leaf of its kind has; a mapping or array that stands on nothing known does not end a leg. */
static bool is_leaf_name(struct span name)
{
    static const char *const disks[] = {"nvme", "sd", "vd", "xvd", "hd", "rbd", "nbd", "mmcblk", "pmem", "zram"};
    for (size_t i = 0; i < ARRAY_LEN(disks); i++) {
        if (span_starts(name, disks[i])) {
            return true;
        }
    }
    return false;
}

static bool is_leaf(const struct stack_node *n, size_t n_below, bool in_pool)
{
    return n_below == 0 &&
           (is_type(n, "disk") || is_type(n, "rom") || (is_leaf_name(n->name) && !is_type(n, "part")) || in_pool);
}

static const char *kind_of(const struct stack_node *n, size_t n_below, bool leaf)
{
    if (leaf) {
        return "disk";
    }
    if (is_type(n, "part") || (n_below > 0 && disk_of(n->name).len > 0)) {
        return "partition";
    }
    if (is_type(n, "lvm")) {
        return lvm_kind(n, n_below);
    }
    return is_type(n, "crypt")  ? "crypt"
           : is_type(n, "mpath") ? "multipath"
           : is_type(n, "loop") || span_starts(n->name, "loop") ? "loop"
           : is_type(n, "pool")  ? "pool"
           : is_type(n, "vdev")  ? "vdev"
           : span_starts(n->type, "raid") || is_type(n, "linear") || span_starts(n->name, "md") ? "md"
           : is_type(n, "disk") ? "disk"
                                : "dm";
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void stop(struct walker *k, const char *why)
{
    if (k->chain->whole) {
        k->chain->whole = false;
        k->chain->why = why;
    }
}

static bool is_side_role(const struct stack_node *n)
{
    const struct span role = layer_value(&n->keys, "role");
    return span_eq_text(role, "log") || span_eq_text(role, "cache");
}

static void add_leaf(struct walker *k, const struct stack_node *n)
{
    struct chain *c = k->chain;
    for (size_t i = 0; i < c->n_leaves; i++) {
        if (c->leaves[i] == n) {
            return;
        }
    }
    if (c->n_leaves < CHAIN_LAYERS_MAX) {
        c->leaves[c->n_leaves++] = n;
    }
}

static struct layer *add_layer(struct walker *k, const struct stack_node *n, unsigned level, const char *kind)
{
    struct chain *c = k->chain;
    if (c->n == CHAIN_LAYERS_MAX || level > LAYER_LEVEL_MAX) {
        stop(k, "the stack is deeper or wider than is followed");
        return NULL;
    }
    struct layer *l = &c->layers[c->n++];
    *l = n->keys;
    l->level = level;
    l->name = n->name;
    l->kind = span_of(kind);
    return l;
}

/* A partition whose table nobody printed still names its disk. */
static const struct stack_node *named_disk(const struct stack *s, const struct stack_node *n)
{
    const struct span disk = disk_of(n->name);
    if (disk.len == 0 || is_type(n, "disk")) {
        return NULL;
    }
    const struct stack_node *d = stack_find(s, disk);
    if (d == NULL) {
        struct stack_node *made = arena_alloc(s->arena, sizeof(*made));
        *made = (struct stack_node){.name = disk, .type = SPAN_LIT("disk")};
        d = made;
    }
    return d;
}

static size_t legs_of(const struct stack *s, const struct stack_node *n, struct stack_leg *ret)
{
    const bool known = n >= s->nodes && n < s->nodes + s->n_nodes;
    const size_t count = known ? stack_below(s, n, ret, BELOW_MAX) : 0;
    const struct stack_node *disk = count == 0 ? named_disk(s, n) : NULL;
    if (disk != NULL) {
        ret[0] = (struct stack_leg){disk, false};
        return 1;
    }
    return count;
}

/* Is `n` one of the nodes above? */
static bool is_above(const struct stack_node *const *path, unsigned depth, const struct stack_node *n)
{
    for (unsigned i = 0; i < depth; i++) {
        if (path[i] == n) {
            return true;
        }
    }
    return false;
}

/* What hangs below a log or cache device is no place of data. */
static void descend(struct walker *k, const struct stack_node **path, unsigned depth, unsigned level, bool side)
{
    const struct stack_node *n = path[depth];
    struct stack_leg *legs = arena_calloc(k->stack->arena, BELOW_MAX, sizeof(*legs));
    const size_t count = legs_of(k->stack, n, legs);
    const bool in_pool = depth > 0 && (is_type(path[depth - 1], "pool") || is_type(path[depth - 1], "vdev"));
    const bool leaf = is_leaf(n, count, in_pool && !is_type(n, "vdev"));
    if (is_above(path, depth, n)) {
        stop(k, "the stack lies on itself");
        return;
    }
    if (n->one_of && count == 1) {
        stop(k, arena_printf(k->stack->arena, "'%.*s' may stand on more than the one device that is named",
                             SPAN_ARG(n->name)));
    }
    side = side || is_side_role(n);
    if (add_layer(k, n, level, kind_of(n, count, leaf)) == NULL) {
        return;
    }
    if (leaf && !side) {
        add_leaf(k, n);
    } else if (!leaf && count == 0) {
        stop(k, arena_printf(k->stack->arena, "nothing tells what '%.*s' stands on", SPAN_ARG(n->name)));
    }
    for (size_t i = 0; i < count && depth + 1 < DEPTH_MAX; i++) {
        if (!legs[i].idle || is_side_role(legs[i].node)) {
            path[depth + 1] = legs[i].node;
            descend(k, path, depth + 1, level + 1, side);
        }
    }
}

/* ---- where to begin -------------------------------------------------------------------------- */

/* The pool of a dataset, the pseudo-node of a filesystem over several devices, or the device itself. */
static const struct stack_node *node_of(const struct stack *s, const struct stack_mount *m, const char *fs)
{
    struct span rest = m->source, pool;
    if (fs != NULL && strcmp(fs, "zfs") == 0) {
        return span_split(&rest, '/', &pool) ? stack_find(s, pool) : NULL;
    }
    const struct stack_node *n = stack_find(s, m->source);
    for (size_t i = 0; n != NULL && i < s->n_links; i++) {
        const struct stack_node *above = &s->nodes[s->links[i].above];
        if (&s->nodes[s->links[i].below] == n && is_type(above, "btrfs")) {
            return above;
        }
    }
    return n;
}

/* The first layer: the filesystem. */
static void add_fs(struct walker *k, const struct stack_mount *m, const char *fs)
{
    struct layer *l = &k->chain->layers[k->chain->n++];
    *l = (struct layer){.level = 0, .name = m->target, .kind = SPAN_LIT("fs")};
    if (fs != NULL) {
        layer_add(l, "type", span_of(fs));
    }
    layer_add(l, "at", m->target);
    if (m->source.len > 0) {
        layer_add(l, "source", m->source);
    }
    const struct stack_node *data = stack_find(k->stack, m->source);
    const struct span record = data != NULL ? layer_value(&data->keys, "recordsize") : (struct span){"", 0};
    const struct span block = data != NULL ? layer_value(&data->keys, "fsblock") : (struct span){"", 0};
    if (record.len > 0 || block.len > 0) {
        layer_add(l, "block", record.len > 0 ? record : block);
    }
}

/* A device that only the mount table names. */
static const struct stack_node *made_node(const struct stack *s, struct span source)
{
    const struct span name = stack_name(s->arena, source);
    if (!span_starts(source, "/dev/") || name.len == 0) {
        return NULL;
    }
    struct stack_node *n = arena_alloc(s->arena, sizeof(*n));
    *n = (struct stack_node){.name = name};
    return n;
}

static void walk_from(struct walker *k, const struct stack_node *top, unsigned level)
{
    const struct stack_node **path = arena_calloc(k->stack->arena, DEPTH_MAX + 1, sizeof(*path));
    if (!is_type(top, "btrfs")) {
        path[0] = top;
        descend(k, path, 0, level, false);
        return;
    }
    struct stack_leg legs[BELOW_MAX];
    const size_t n = legs_of(k->stack, top, legs);
    for (size_t i = 0; i < n; i++) {
        path[0] = legs[i].node;
        descend(k, path, 0, level, false);
    }
}

bool chain_of(const struct stack *s, struct span ask, struct chain *ret)
{
    struct walker k = {.stack = s, .chain = ret};
    *ret = (struct chain){.whole = true, .why = ""};
    if (span_starts(ask, "pool ")) {
        ret->top = stack_find(s, span_trim(span_sub(ask, 5, ask.len)));
    } else if (span_starts(ask, "/dev/") || !span_starts(ask, "/")) {
        ret->top = stack_find(s, ask);
    } else {
        ret->mount = stack_mount_of(s, ask);
    }
    if (ret->mount == NULL && ret->top == NULL) {
        return false;
    }
    if (ret->mount != NULL) {
        const char *fs = chain_fs_word(ret);
        add_fs(&k, ret->mount, fs);
        ret->top = node_of(s, ret->mount, fs);
        ret->top = ret->top != NULL ? ret->top : made_node(s, ret->mount->source);
    }
    if (ret->top == NULL) {
        stop(&k, "what is mounted there is no block device that the text names");
        return true;
    }
    walk_from(&k, ret->top, ret->mount != NULL ? 1 : 0);
    return true;
}
