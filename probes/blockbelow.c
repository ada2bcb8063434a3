/* What one block device is and what lies directly below it: partitions, md, bcache, drbd, loop,
 * disks, and device mapper as far as sysfs tells. Reads sysfs through the seam; knows nothing of
 * facts. */
#include <string.h>

#include "probes/blockmd.h"
#include "probes/blockwalk_parts.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define SECTOR 512u

static struct walk_node *node_at(struct blockwalk *k, size_t i)
{
    return &k->walk.nodes[i];
}

/* ---- what a device says of itself ---- */

/* false: it has no queue at all, so it is no disk. */
static bool read_limits(struct blockwalk *k, struct walk_node *n)
{
    uint64_t discard = 0;
    bool min = walk_number(k, n->name, "queue/minimum_io_size", 1, &n->min_io);
    bool opt = walk_number(k, n->name, "queue/optimal_io_size", 1, &n->opt_io);
    bool max = walk_number(k, n->name, "queue/max_sectors_kb", 1024, &n->max_io);
    n->has_queue = min && opt && max;
    n->has_discard = walk_number(k, n->name, "queue/discard_max_bytes", 1, &discard);
    n->discards = discard > 0;
    struct err e = ERR_INIT;
    n->has_atomic = sysfs_u64(k->host, k->arena, &n->atomic_max, &e,
                              "/sys/class/block/%s/queue/atomic_write_unit_max_bytes", n->name);
    n->no_atomic = !n->has_atomic && e.code == E_ABSENT;
    return min || opt || max || n->has_discard;
}

static void read_dm(struct blockwalk *k, struct walk_node *n)
{
    struct err e = ERR_INIT;
    struct span s;
    uint64_t flag = 0;
    if (!sysfs_text(k->host, k->arena, &s, &e, "/sys/class/block/%s/dm/name", n->name)) {
        return;
    }
    n->kind = "dm";
    n->dm_name = span_dup(k->arena, s);
    n->dm_uuid = "";
    n->has_uuid = sysfs_text(k->host, k->arena, &s, &e, "/sys/class/block/%s/dm/uuid", n->name);
    if (n->has_uuid) {
        n->dm_uuid = span_dup(k->arena, s);
    }
    n->has_suspended = walk_number(k, n->name, "dm/suspended", 1, &flag);
    n->suspended = flag != 0;
    if (k->dm == NULL || !k->dm->read || !n->has_size) {
        return;
    }
    const struct dm_table *t = dm_tables_find(&k->dm->tables, span_of(n->dm_name));
    n->table = t != NULL && dm_table_covers(t, n->size) ? t : NULL;
}

/* ---- one function a kind ---- */

/* A partition: its disk is the directory above. */
static void expand_partition(struct blockwalk *k, size_t i, struct span link)
{
    struct walk_node *n = node_at(k, i);
    uint64_t start = 0;
    n->kind = "partition";
    const bool known = walk_number(k, n->name, "start", SECTOR, &start);
    const struct walk_place p =
        walk_shifted(n, known, start,
                     arena_printf(k->arena, "the start of partition '%s' cannot be read", n->name));
    walk_add(k, i, path_base(path_dir(link)), NULL, &p);
}

static uint64_t md_stripes(const struct walk_md *md)
{
    const uint64_t disks = md->has_disks ? md->disks : 0;
    const uint64_t near = md->has_layout ? md->layout & 0xffu : 0;
    if (span_eq_text(md->level, "raid0")) {
        return disks;
    }
    if (span_eq_text(md->level, "raid10")) {
        return near > 0 ? disks / near : 0;
    }
    const uint64_t parity = span_eq_text(md->level, "raid6") ? 2 : 1;
    return disks > parity ? disks - parity : 0;
}

/* Where the array's data begin on a member. */
static struct walk_place md_place(struct blockwalk *k, size_t i, const struct md_member *m,
                                  bool first)
{
    struct walk_node *n = node_at(k, i);
    const char *why = arena_printf(k->arena, "the offset of '%s' cannot be read", n->name);
    struct walk_place p = walk_shifted(n, m->has_offset, m->offset, why);
    if (!n->no_stripe) {
        p.pieces = n->md->has_chunk ? walk_gcd(p.pieces, n->md->chunk_bytes) : p.pieces;
        p.phase_known = p.phase_known && n->md->has_chunk;
    } else if (span_eq_text(n->md->level, "linear") && !first) {
        p = walk_hidden(arena_printf(k->arena, "'%s' begins behind its first disk", n->name));
    }
    return p;
}

/* An array: only the members that carry its data, and its journal. */
static void expand_md(struct blockwalk *k, size_t i, const struct host_names *slaves)
{
    struct walk_md *md = arena_calloc(k->arena, 1, sizeof(*md));
    struct walk_node *n = node_at(k, i);
    struct err e = ERR_INIT;
    bool first = true;
    if (!blockmd_read(k->host, k->arena, n->name, md, &e)) {
        blockwalk_stop(k, i, &e);
        return;
    }
    n->md = md;
    n->kind = "md";
    n->no_stripe = !blockmd_stripes(md->level);
    n->stripes = n->no_stripe ? 0 : md_stripes(md);
    n->chunk = n->stripes > 0 && md->has_chunk ? md->chunk_bytes : 0;
    n->stripe_told = n->no_stripe || (n->stripes > 0 && n->chunk > 0);
    for (size_t s = 0; s < slaves->n; s++) {
        struct md_member m;
        if (!blockmd_member(k->host, k->arena, n->name, slaves->names[s], &m, &e)) {
            blockwalk_stop(k, i, &e);
        } else if (m.active || m.journal) {
            const struct walk_place p = m.journal ? walk_hidden("it holds the journal of an array")
                                                  : md_place(k, i, &m, first);
            first = first && !m.active;
            walk_add(k, i, slaves->names[s], m.journal ? "log" : NULL, &p);
        }
    }
}

/* "writethrough [writeback] writearound none" */
static struct span chosen_word(struct arena *a, struct span text)
{
    struct span word;
    while (span_word(&text, &word)) {
        if (span_starts(word, "[") && span_ends(word, "]")) {
            return span_copy(a, span_sub(word, 1, word.len - 2));
        }
    }
    return (struct span){"", 0};
}

/* The backing device says how the cache works, a device of the cache what it drops first. */
static void expand_bcache(struct blockwalk *k, size_t i, const struct host_names *slaves)
{
    struct walk_node *n = node_at(k, i);
    struct err e = ERR_INIT;
    struct span text;
    n->kind = "bcache";
    const struct walk_place p = walk_hidden(
        arena_printf(k->arena, "where the data of '%s' begin only its superblock tells", n->name));
    if (sysfs_text(k->host, k->arena, &text, &e, "/sys/class/block/%s/bcache/cache_mode",
                   n->name)) {
        n->mode = chosen_word(k->arena, text);
    }
    for (size_t s = 0; s < slaves->n; s++) {
        const bool fast = sysfs_name_ok(slaves->names[s]) &&
                          sysfs_text(k->host, k->arena, &text, &e,
                                     "/sys/class/block/%.*s/bcache/cache_replacement_policy",
                                     SPAN_ARG(slaves->names[s]));
        walk_add(k, i, slaves->names[s], fast ? "cache" : NULL, &p);
    }
}

/* DRBD keeps its own data behind those of the filesystem, or elsewhere. */
static void expand_drbd(struct blockwalk *k, size_t i, const struct host_names *slaves)
{
    struct walk_node *n = node_at(k, i);
    n->kind = "drbd";
    const struct walk_place p = walk_place_of(n);
    for (size_t s = 0; s < slaves->n; s++) {
        walk_add(k, i, slaves->names[s], NULL, &p);
    }
}

static void expand_dm(struct blockwalk *k, size_t i, const struct host_names *slaves)
{
    struct walk_node *n = node_at(k, i);
    n->kind = "dm";
    if (walk_expand_table(k, i, slaves)) {
        return;
    }
    const struct walk_place p =
        walk_hidden(arena_printf(k->arena, "the offset inside '%s' stands in its table only",
                                 n->dm_name != NULL ? n->dm_name : n->name));
    for (size_t s = 0; s < slaves->n; s++) {
        walk_add(k, i, slaves->names[s], NULL, &p);
    }
}

static void expand_slaves(struct blockwalk *k, size_t i, const struct host_names *slaves)
{
    const struct span name = span_of(node_at(k, i)->name);
    if (span_starts(name, "md")) {
        expand_md(k, i, slaves);
    } else if (span_starts(name, "bcache")) {
        expand_bcache(k, i, slaves);
    } else if (span_starts(name, "drbd")) {
        expand_drbd(k, i, slaves);
    } else {
        expand_dm(k, i, slaves);
    }
}

/* A loop device: on with the device under its file, where that can be told; else it is the leaf. */
static void expand_loop(struct blockwalk *k, size_t i)
{
    struct walk_node *n = node_at(k, i);
    struct err e = ERR_INIT;
    struct host_stat st;
    struct span file = {"", 0}, target;
    const struct walk_place p = walk_hidden(arena_printf(
        k->arena, "where the file behind '%s' lies on its disk is not known", n->name));
    n->leaf = true;
    n->unplaced = p.why;
    if (!sysfs_text(k->host, k->arena, &file, &e, "/sys/class/block/%s/loop/backing_file",
                    n->name) ||
        span_ends(file, " (deleted)") || !span_starts(file, "/") || span_has(file, '\0')) {
        return;
    }
    n->path = span_dup(k->arena, file);
    /* the kernel names the file as our own root shows it, not the server's */
    const char *path = arena_printf(k->arena, "/proc/self/root%.*s", SPAN_ARG(file));
    if (!host_stat(k->host, path, &st, &e) || st.dev_major == 0) {
        return;
    }
    path = arena_printf(k->arena, "/sys/dev/block/%u:%u", st.dev_major, st.dev_minor);
    if (host_link(k->host, path, &target, &e)) {
        n->kind = "loop";
        n->leaf = false;
        walk_add(k, i, span_copy(k->arena, path_base(target)), NULL, &p);
    }
}

/* Nothing below it in sysfs: a disk, unless its kind always has something below. */
static void end_leg(struct blockwalk *k, size_t i)
{
    struct walk_node *n = node_at(k, i);
    struct err e = ERR_INIT;
    struct span name = span_of(n->name);
    if (n->dm_name == NULL && !span_starts(name, "dm-") && !span_starts(name, "md") &&
        !span_starts(name, "bcache")) {
        n->leaf = true;
        n->unplaced = span_starts(name, "drbd") ? "sysfs does not name the disks below DRBD" : NULL;
        return;
    }
    err_set(&e, E_ABSENT, "'/sys/class/block/%s/slaves' names no device", n->name);
    blockwalk_stop(k, i, &e);
}

/* Not a partition: what it says of itself, and what lies below. */
static void expand_whole(struct blockwalk *k, size_t i)
{
    struct walk_node *n = node_at(k, i);
    struct err e = ERR_INIT;
    struct host_names slaves = {0};
    if (!read_limits(k, n)) {
        err_set(&e, E_ABSENT,
                "'/sys/class/block/%s' is neither a partition nor a disk with a queue", n->name);
        blockwalk_stop(k, i, &e);
        return;
    }
    read_dm(k, n);
    const char *dir = arena_printf(k->arena, "/sys/class/block/%s/slaves", n->name);
    const bool drbd = span_starts(span_of(n->name), "drbd");
    if (!host_list(k->host, dir, &slaves, &e) && (e.code != E_ABSENT || drbd)) {
        blockwalk_stop(k, i, &e);
    } else if (slaves.n > 0) {
        expand_slaves(k, i, &slaves);
    } else if (span_starts(span_of(n->name), "loop")) {
        expand_loop(k, i);
    } else {
        end_leg(k, i);
    }
}

void walk_expand(struct blockwalk *k, size_t i)
{
    struct walk_node *n = node_at(k, i);
    struct err e = ERR_INIT;
    struct span link, number;
    if (!sysfs_block_link(k->host, k->arena, span_of(n->name), &link, &e)) {
        blockwalk_stop(k, i, &e);
        return;
    }
    n->has_size = walk_number(k, n->name, "size", SECTOR, &n->size);
    if (sysfs_text(k->host, k->arena, &number, &e, "/sys/class/block/%s/partition", n->name)) {
        expand_partition(k, i, link);
    } else if (e.code == E_ABSENT) {
        expand_whole(k, i);
    } else {
        blockwalk_stop(k, i, &e);
    }
}
