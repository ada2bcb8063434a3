/* The table of nodes: breadth first and bounded, so that a cycle or a missing entry ends the walk
 * as incomplete. What lies below one node is in blockbelow.c and blocktable.c. */
#include <stdlib.h>
#include <string.h>

#include "probes/blockwalk_parts.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

/* ---- places ---------------------------------------------------------------------------------- */

uint64_t walk_gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

struct walk_place walk_place_of(const struct walk_node *n)
{
    return (struct walk_place){.offset_known = n->offset_known,
                               .offset = n->offset,
                               .why = n->offset_why,
                               .phase_known = n->phase_known,
                               .phase = n->phase,
                               .steps = n->steps,
                               .pieces = n->pieces};
}

struct walk_place walk_hidden(const char *why)
{
    return (struct walk_place){.why = why};
}

struct walk_place walk_shifted(const struct walk_node *n, bool known, uint64_t skip,
                               const char *why)
{
    struct walk_place p = walk_place_of(n);
    if (!known) {
        return walk_hidden(n->offset_known ? why : n->offset_why);
    }
    p.offset_known = p.offset_known && skip <= UINT64_MAX - p.offset;
    p.offset = p.offset_known ? p.offset + skip : 0;
    p.why = n->offset_known ? why : n->offset_why;
    p.phase_known = p.phase_known && skip <= (uint64_t)INT64_MAX &&
                    (p.phase <= 0 || (int64_t)skip <= INT64_MAX - p.phase);
    p.phase = p.phase_known ? p.phase + (int64_t)skip : 0;
    return p;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

void blockwalk_stop(struct blockwalk *k, size_t i, const struct err *e)
{
    struct walk *w = &k->walk;
    if (i < w->n && w->nodes[i].end_why == NULL) {
        w->nodes[i].end_why = arena_strdup(k->arena, e->text);
    }
    if (w->complete && !(i < w->n && w->nodes[i].aside)) {
        w->complete = false;
        w->err = *e;
    }
}

void blockwalk_gone(struct blockwalk *k, size_t i, const char *why)
{
    if (i < k->walk.n) {
        k->walk.nodes[i].end_why = arena_strdup(k->arena, why);
    }
}

/* Is `name` the node or one above it? */
static bool is_ancestor(const struct walk *w, size_t i, struct span name)
{
    for (unsigned steps = 0; steps <= WALK_DEPTH_MAX; steps++) {
        if (w->nodes[i].device && span_eq_text(name, w->nodes[i].name)) {
            return true;
        }
        if (w->nodes[i].parent == i) {
            return false;
        }
        i = w->nodes[i].parent;
    }
    return true;
}

static bool is_aside(const char *role)
{
    return role != NULL &&
           (strcmp(role, "log") == 0 || strcmp(role, "cache") == 0 || strcmp(role, "spare") == 0);
}

/* NULL: no room. */
static struct walk_node *new_node(struct blockwalk *k, size_t parent)
{
    struct walk *w = &k->walk;
    const bool top = parent == WALK_TOP;
    if (w->n == WALK_NODES_MAX || (!top && w->nodes[parent].level + 1 > WALK_DEPTH_MAX)) {
        struct err e = ERR_INIT;
        err_set(&e, E_LIMIT, "the stack of block devices is deeper or wider than %u by %u",
                WALK_DEPTH_MAX, WALK_NODES_MAX);
        blockwalk_stop(k, parent, &e);
        return NULL;
    }
    struct walk_node *n = &w->nodes[w->n];
    *n = (struct walk_node){.parent = top ? w->n : parent, .offset_why = "", .mode = {"", 0}};
    if (!top) {
        n->level = w->nodes[parent].level + 1;
        n->role = w->nodes[parent].role;
        n->aside = w->nodes[parent].aside;
        w->nodes[parent].n_below++;
    }
    w->n++;
    return n;
}

bool walk_add(struct blockwalk *k, size_t parent, struct span name, const char *role,
              const struct walk_place *place)
{
    struct err e = ERR_INIT;
    if (!sysfs_name_ok(name)) {
        err_set(&e, E_SYNTAX, "a block device of sysfs has an impossible name");
        blockwalk_stop(k, parent, &e);
        return false;
    }
    if (parent != WALK_TOP && is_ancestor(&k->walk, parent, name)) {
        err_set(&e, E_CORRUPT, "'%.*s' lies below itself in sysfs", SPAN_ARG(name));
        blockwalk_stop(k, parent, &e);
        return false;
    }
    struct walk_node *n = new_node(k, parent);
    if (n == NULL) {
        return false;
    }
    n->name = span_dup(k->arena, name);
    n->kind = "disk";
    n->device = true;
    n->role = n->role != NULL ? n->role : role;
    n->offset_known = place->offset_known;
    n->offset = place->offset;
    n->offset_why = place->why;
    n->phase_known = place->phase_known;
    n->phase = place->phase;
    n->steps = place->steps;
    n->pieces = place->pieces;
    return true;
}

bool walk_number(struct blockwalk *k, const char *name, const char *file, uint64_t scale,
                 uint64_t *ret)
{
    struct err e = ERR_INIT;
    uint64_t v = 0;
    if (!sysfs_u64(k->host, k->arena, &v, &e, "/sys/class/block/%s/%s", name, file) ||
        v > UINT64_MAX / scale) {
        return false;
    }
    *ret = v * scale;
    return true;
}

/* ---- the walk -------------------------------------------------------------------------------- */

struct blockwalk *blockwalk_new(struct host *h, struct arena *a, const struct walk_dm *dm)
{
    struct blockwalk *k = arena_calloc(a, 1, sizeof(*k));
    k->host = h;
    k->arena = a;
    k->dm = dm;
    k->walk.complete = true;
    k->walk.nodes = arena_calloc(a, WALK_NODES_MAX, sizeof(*k->walk.nodes));
    return k;
}

size_t blockwalk_put(struct blockwalk *k, size_t parent, const char *name, const char *kind,
                     const char *role)
{
    struct walk_node *n = new_node(k, parent);
    if (n == NULL) {
        return WALK_TOP;
    }
    n->name = name;
    n->kind = kind;
    n->offset_why = "a pool has no place of its own";
    n->role = n->role != NULL ? n->role : role;
    n->aside = n->aside || is_aside(role);
    return k->walk.n - 1;
}

size_t blockwalk_put_name(struct blockwalk *k, size_t parent, struct span name, const char *role)
{
    const struct walk_place start = {.offset_known = true, .why = "", .phase_known = true};
    if (!walk_add(k, parent, name, role, &start)) {
        return WALK_TOP;
    }
    struct walk_node *n = &k->walk.nodes[k->walk.n - 1];
    n->aside = n->aside || is_aside(role);
    return k->walk.n - 1;
}

size_t blockwalk_put_number(struct blockwalk *k, size_t parent, uint32_t major, uint32_t minor,
                            const char *role)
{
    struct err e = ERR_INIT;
    struct span target;
    if (!host_link(k->host, arena_printf(k->arena, "/sys/dev/block/%u:%u", major, minor), &target,
                   &e)) {
        blockwalk_stop(k, parent, &e);
        return WALK_TOP;
    }
    return blockwalk_put_name(k, parent, span_copy(k->arena, path_base(target)), role);
}

void blockwalk_key(struct blockwalk *k, size_t i, const char *key, struct span value)
{
    if (i < k->walk.n && k->walk.nodes[i].n_keys < WALK_KEYS_MAX) {
        struct walk_node *n = &k->walk.nodes[i];
        n->keys[n->n_keys++] = (struct walk_key){key, value};
    }
}

void blockwalk_end(struct blockwalk *k, struct walk *ret)
{
    struct walk *w = &k->walk;
    for (size_t i = 0; i < w->n; i++) {
        if (w->nodes[i].device) {
            walk_expand(k, i);
        }
    }
    for (size_t i = 0; i < w->n; i++) {
        if (!w->nodes[i].leaf && w->nodes[i].n_below == 0 && w->nodes[i].end_why == NULL) {
            struct err e = ERR_INIT;
            err_set(&e, E_ABSENT,
                    w->nodes[i].device ? "no active device below '%s' in sysfs"
                                       : "'%s' names no device that can be followed",
                    w->nodes[i].name);
            blockwalk_stop(k, i, &e);
        }
    }
    blockwalk_name_dm(w);
    *ret = *w;
}

void blockwalk_run(struct host *h, struct arena *a, uint32_t major, uint32_t minor,
                   struct walk *ret)
{
    struct blockwalk *k = blockwalk_new(h, a, NULL);
    (void)blockwalk_put_number(k, WALK_TOP, major, minor, NULL);
    blockwalk_end(k, ret);
}

static int cmp_span(const void *a, const void *b)
{
    return span_cmp(*(const struct span *)a, *(const struct span *)b);
}

size_t blockwalk_leaves(struct arena *a, const struct walk *w, struct span **ret)
{
    struct span *names = arena_calloc(a, w->n + 1, sizeof(*names));
    size_t n = 0, distinct = 0;
    for (size_t i = 0; i < w->n; i++) {
        if (w->nodes[i].leaf && !w->nodes[i].aside) {
            names[n++] = span_of(w->nodes[i].name);
        }
    }
    qsort(names, n, sizeof(*names), cmp_span);
    for (size_t i = 0; i < n; i++) {
        if (distinct == 0 || !span_eq(names[i], names[distinct - 1])) {
            names[distinct++] = names[i];
        }
    }
    *ret = names;
    return distinct;
}

const struct walk_md *blockwalk_md(const struct walk *w)
{
    for (size_t i = 0; i < w->n; i++) {
        if (w->nodes[i].md != NULL) {
            return w->nodes[i].md;
        }
    }
    return NULL;
}
