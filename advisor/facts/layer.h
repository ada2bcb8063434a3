/* One layer of a volume, as a word of the list fact volume.layers: whoever walks (or reads what a tool printed)
 * writes it, whoever draws or judges takes it apart.
 *
 *   LEVEL NAME KIND[ KEY=VALUE]...
 *
 * The list is the tree depth first: a layer stands behind the one above it, one level deeper; level 0 is the
 * filesystem. A device that two legs reach stands on both. Written %XX: '%', blanks, '=' and bytes below
 * 0x21 and 0x7f everywhere, and all bytes above 0x7f of a part that is no UTF-8.
 *
 * KIND is "fs", "disk", "pool", "vdev", "controller", "unknown" (the walk ended here) or a word of
 * volume.stack.kinds. Numbers are decimal, sizes bytes. Keys, each left out where it is not known or means nothing:
 *
 *   type       fs: word of volume.fs.type; vdev: mirror, raidz2, draid, …
 *   at source subvolume dataset     fs: mount point, mount source, btrfs subvolume, ZFS dataset
 *   block      fs: allocation block; ZFS: recordsize
 *   dm         kernel name of a device-mapper node, whose NAME is that of the mapping
 *   path       loop: backing file
 *   offset     where the filesystem begins on this device
 *   size       of the device
 *   stripes chunk extent            stripe legs, stripe size, LVM extent
 *   raid layout disks degraded sync done bitmap    md, LVM raid: level and the rest as they say it; done in percent
 *   used metadata                   thin pool or snapshot: share of room used, in percent
 *   mode cipher sector workqueue    cache mode; crypt: cipher, sector size, "on" or "off"
 *   ashift state errors role        vdev, its disks: role is data, log, cache, special, dedup or spare
 *   container                       md: the device that holds its metadata
 *   target suspended                device mapper: its target where KIND is dm-other; "yes"
 *   state transport address path ana    controller of a multipath disk; its path device, what the target says of it
 *   why                             unknown: what was in the way
 *   sectsz min_io opt_io max_io discard atomic     limits of the queue
 */
#ifndef NVADVISE_ADVISOR_FACTS_LAYER_H
#define NVADVISE_ADVISOR_FACTS_LAYER_H

#include "advisor/base/arena.h"
#include "advisor/base/str.h"

#define LAYER_KEYS_MAX 32u
#define LAYER_LEVEL_MAX 64u

struct layer_key {
    struct span key, value;
};

struct layer {
    unsigned level; /* at most LAYER_LEVEL_MAX */
    struct span name, kind;
    struct layer_key keys[LAYER_KEYS_MAX];
    size_t n_keys;
};

/* Add a key; more than LAYER_KEYS_MAX are dropped (there are fewer). The texts are not copied. */
void layer_add(struct layer *l, const char *key, struct span value);
void layer_add_u64(struct layer *l, struct arena *a, const char *key, uint64_t value);

/* Append the word. */
void layer_print(struct buf *b, const struct layer *l);

/* Take a word apart; texts live in the arena or point into `word`. false: it is none. */
bool layer_read(struct arena *a, struct span word, struct layer *ret);

/* The value of a key, empty where it is not there. */
struct span layer_value(const struct layer *l, const char *key);

#endif
