/* The walk from a filesystem's device down to its disks, breadth first over a bounded table: a cycle or
 * a missing entry ends it as incomplete. Reads sysfs through the seam; knows nothing of facts. */
#include "probes/blockwalk.h"

#include <stdlib.h>
#include <string.h>

#include "probes/blockmd.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

struct walker {
    struct host *host;
    struct arena *arena;
    struct walk *walk;
};

static bool stop(struct walker *k, const struct err *e)
{
    if (k->walk->complete) {
        k->walk->complete = false;
        k->walk->err = *e;
    }
    return false;
}

/* Is `name` the node or one above it? */
static bool is_ancestor(const struct walk *w, size_t i, struct span name)
{
    for (unsigned steps = 0; steps <= WALK_DEPTH_MAX; steps++) {
        if (span_eq_text(name, w->nodes[i].name)) {
            return true;
        }
        if (w->nodes[i].parent == i) {
            return false;
        }
        i = w->nodes[i].parent;
    }
    return true;
}

/* Append a device below node `parent` (itself when it is the first). */
static bool add_node(struct walker *k, size_t parent, struct span name, bool offset_known,
                     uint64_t offset, const char *why)
{
    struct walk *w = k->walk;
    struct err e = ERR_INIT;
    bool first = w->n == 0;
    if (!sysfs_name_ok(name)) {
        err_set(&e, E_SYNTAX, "a block device of sysfs has an impossible name");
        return stop(k, &e);
    }
    if (w->n == WALK_NODES_MAX || (!first && w->nodes[parent].level + 1 > WALK_DEPTH_MAX)) {
        err_set(&e, E_LIMIT, "the stack of block devices is deeper or wider than %u by %u",
                WALK_DEPTH_MAX, WALK_NODES_MAX);
        return stop(k, &e);
    }
    if (!first && is_ancestor(w, parent, name)) {
        err_set(&e, E_CORRUPT, "'%.*s' lies below itself in sysfs", SPAN_ARG(name));
        return stop(k, &e);
    }
    struct walk_node *n = &w->nodes[w->n];
    *n = (struct walk_node){
        .name = span_dup(k->arena, name),
        .kind = "disk",
        .parent = parent,
        .level = first ? 0 : w->nodes[parent].level + 1,
        .offset_known = offset_known,
        .offset = offset,
        .offset_why = why,
    };
    if (!first) {
        w->nodes[parent].n_below++;
    }
    w->n++;
    return true;
}

/* Below node i, with `skip` more bytes in front, known or not. */
static bool add_below(struct walker *k, size_t i, struct span name, bool known, uint64_t skip,
                      const char *why)
{
    const struct walk_node *n = &k->walk->nodes[i];
    bool fits = skip <= UINT64_MAX - n->offset;
    if (!n->offset_known) {
        return add_node(k, i, name, false, 0, n->offset_why);
    }
    if (!known || !fits) {
        return add_node(k, i, name, false, 0, why);
    }
    return add_node(k, i, name, true, n->offset + skip, "");
}

static bool read_size(struct walker *k, const char *name, const char *file, uint64_t scale,
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

/* false: it has no queue at all, so it is no disk. */
static bool read_limits(struct walker *k, struct walk_node *n)
{
    uint64_t discard = 0;
    bool min = read_size(k, n->name, "queue/minimum_io_size", 1, &n->min_io);
    bool opt = read_size(k, n->name, "queue/optimal_io_size", 1, &n->opt_io);
    bool max = read_size(k, n->name, "queue/max_sectors_kb", 1024, &n->max_io);
    n->has_queue = min && opt && max;
    n->has_discard = read_size(k, n->name, "queue/discard_max_bytes", 1, &discard);
    n->discards = discard > 0;
    struct err e = ERR_INIT;
    n->has_atomic = sysfs_u64(k->host, k->arena, &n->atomic_max, &e,
                              "/sys/class/block/%s/queue/atomic_write_unit_max_bytes", n->name);
    n->no_atomic = !n->has_atomic && e.code == E_ABSENT;
    return min || opt || max || n->has_discard;
}

static void read_dm(struct walker *k, struct walk_node *n)
{
    struct err e = ERR_INIT;
    struct span s;
    if (!sysfs_text(k->host, k->arena, &s, &e, "/sys/class/block/%s/dm/name", n->name)) {
        return;
    }
    n->kind = "dm";
    n->dm_name = span_dup(k->arena, s);
    n->dm_uuid = "";
    if (sysfs_text(k->host, k->arena, &s, &e, "/sys/class/block/%s/dm/uuid", n->name)) {
        n->dm_uuid = span_dup(k->arena, s);
    }
}

/* A partition: its disk is the directory above. */
static void expand_partition(struct walker *k, size_t i, struct span link)
{
    struct walk_node *n = &k->walk->nodes[i];
    uint64_t start = 0;
    n->kind = "partition";
    bool known = read_size(k, n->name, "start", 512, &start);
    add_below(k, i, path_base(path_dir(link)), known, start,
              arena_printf(k->arena, "the start of partition '%s' cannot be read", n->name));
}

/* An array: only the members that carry its data. */
static void expand_md(struct walker *k, size_t i, const struct host_names *slaves)
{
    struct walk_node *n = &k->walk->nodes[i];
    struct walk_md md = {0};
    struct err e = ERR_INIT;
    if (!blockmd_read(k->host, k->arena, n->name, &md, &e)) {
        stop(k, &e);
        return;
    }
    if (!k->walk->has_md) {
        k->walk->md = md;
        k->walk->has_md = true;
    }
    n->kind = "md";
    n->no_stripe = !blockmd_stripes(md.level);
    for (size_t s = 0; s < slaves->n; s++) {
        struct md_member m;
        if (!blockmd_member(k->host, k->arena, n->name, slaves->names[s], &m, &e)) {
            stop(k, &e);
        } else if (m.active) {
            add_below(k, i, slaves->names[s], m.has_offset, m.offset,
                      arena_printf(k->arena, "the offset of '%s' cannot be read", n->name));
        }
    }
}

static void expand_slaves(struct walker *k, size_t i, const struct host_names *slaves)
{
    struct walk_node *n = &k->walk->nodes[i];
    if (span_starts(span_of(n->name), "md")) {
        expand_md(k, i, slaves);
        return;
    }
    n->kind = "dm";
    if (span_starts(span_of(n->name), "bcache")) {
        n->kind = "bcache";
    } else if (span_starts(span_of(n->name), "drbd")) {
        n->kind = "drbd";
    }
    const char *why = arena_printf(k->arena, "the offset inside '%s' stands in its table only",
                                   n->dm_name != NULL ? n->dm_name : n->name);
    for (size_t s = 0; s < slaves->n; s++) {
        add_below(k, i, slaves->names[s], false, 0, why);
    }
}

/* A loop device: on with the device under its file, where that can be told; else it is the leaf. */
static void expand_loop(struct walker *k, size_t i)
{
    struct walk_node *n = &k->walk->nodes[i];
    struct err e = ERR_INIT;
    struct host_stat st;
    struct span file = {"", 0}, target;
    n->leaf = true;
    n->offset_known = false;
    n->offset_why = arena_printf(k->arena, "where the file behind '%s' lies on its disk is not known",
                                 n->name);
    if (!sysfs_text(k->host, k->arena, &file, &e, "/sys/class/block/%s/loop/backing_file",
                    n->name) ||
        span_ends(file, " (deleted)") || !span_starts(file, "/") || span_has(file, '\0')) {
        return;
    }
    /* the kernel names the file as our own root shows it, not the server's */
    const char *path = arena_printf(k->arena, "/proc/self/root%.*s", SPAN_ARG(file));
    if (!host_stat(k->host, path, &st, &e) || st.dev_major == 0) {
        return;
    }
    path = arena_printf(k->arena, "/sys/dev/block/%u:%u", st.dev_major, st.dev_minor);
    if (host_link(k->host, path, &target, &e)) {
        n->kind = "loop";
        n->leaf = false;
        add_below(k, i, span_copy(k->arena, path_base(target)), false, 0, n->offset_why);
    }
}

/* Nothing below it in sysfs: a disk, unless its kind always has something below. */
static void end_leg(struct walker *k, size_t i)
{
    struct walk_node *n = &k->walk->nodes[i];
    struct err e = ERR_INIT;
    struct span name = span_of(n->name);
    if (n->dm_name == NULL && !span_starts(name, "dm-") && !span_starts(name, "md") &&
        !span_starts(name, "bcache")) {
        n->leaf = true;
        return;
    }
    err_set(&e, E_ABSENT, "'/sys/class/block/%s/slaves' names no device", n->name);
    stop(k, &e);
}

/* Not a partition: what it says of itself, and what lies below. */
static void expand_whole(struct walker *k, size_t i)
{
    struct walk_node *n = &k->walk->nodes[i];
    struct err e = ERR_INIT;
    struct host_names slaves = {0};
    if (!read_limits(k, n)) {
        err_set(&e, E_ABSENT, "'/sys/class/block/%s' is neither a partition nor a disk with a queue",
                n->name);
        stop(k, &e);
        return;
    }
    read_dm(k, n);
    const char *dir = arena_printf(k->arena, "/sys/class/block/%s/slaves", n->name);
    if (!host_list(k->host, dir, &slaves, &e) && e.code != E_ABSENT) {
        stop(k, &e);
    } else if (slaves.n > 0) {
        expand_slaves(k, i, &slaves);
    } else if (span_starts(span_of(n->name), "loop")) {
        expand_loop(k, i);
    } else {
        end_leg(k, i);
    }
}

static void expand_node(struct walker *k, size_t i)
{
    struct walk_node *n = &k->walk->nodes[i];
    struct err e = ERR_INIT;
    struct span link, number;
    if (!sysfs_block_link(k->host, k->arena, span_of(n->name), &link, &e)) {
        stop(k, &e);
    } else if (sysfs_text(k->host, k->arena, &number, &e, "/sys/class/block/%s/partition",
                          n->name)) {
        expand_partition(k, i, link);
    } else if (e.code == E_ABSENT) {
        expand_whole(k, i);
    } else {
        stop(k, &e);
    }
}

void blockwalk_run(struct host *h, struct arena *a, uint32_t major, uint32_t minor,
                   struct walk *ret)
{
    struct walk w = {.complete = true, .err = ERR_INIT};
    w.nodes = arena_calloc(a, WALK_NODES_MAX, sizeof(*w.nodes));
    struct walker k = {h, a, &w};
    struct span target;
    struct err e = ERR_INIT;
    if (!host_link(h, arena_printf(a, "/sys/dev/block/%u:%u", major, minor), &target, &e)) {
        stop(&k, &e);
    } else {
        add_node(&k, 0, span_copy(a, path_base(target)), true, 0, "");
    }
    for (size_t i = 0; i < w.n; i++) {
        expand_node(&k, i);
    }
    for (size_t i = 0; i < w.n; i++) {
        if (!w.nodes[i].leaf && w.nodes[i].n_below == 0) {
            err_set(&e, E_ABSENT, "no active device below '%s' in sysfs", w.nodes[i].name);
            stop(&k, &e);
        }
    }
    blockwalk_name_dm(&w);
    *ret = w;
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
        if (w->nodes[i].leaf) {
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
