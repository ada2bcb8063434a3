/* From a stack to one chain: what a path lies on, as layers, and as facts of a volume. Pure. */
#ifndef NVADVISE_PROBES_IMPORT_STORAGE_CHAIN_H
#define NVADVISE_PROBES_IMPORT_STORAGE_CHAIN_H

#include "advisor/facts/store.h"
#include "probes/disk.h"
#include "probes/import/stack.h"

#define CHAIN_LAYERS_MAX 512u

struct chain {
    const struct stack_mount *mount; /* NULL: a device or pool was asked for, or no mount is known */
    const struct stack_node *top;    /* NULL: what is mounted is no device that is known */
    struct layer layers[CHAIN_LAYERS_MAX]; /* depth first; the first is the filesystem where there is a mount */
    size_t n;
    const struct stack_node *leaves[CHAIN_LAYERS_MAX];
    size_t n_leaves;
    bool whole;      /* every leg ended on a disk */
    const char *why; /* whole false */
};

/* What `ask` lies on: an absolute path of a mounted filesystem, "/dev/…", "pool NAME" or a device's name. false:
 * the stack does not tell. */
bool chain_of(const struct stack *s, struct span ask, struct chain *ret);

/* Words of volume.fs.type and volume.storage_class; NULL: not known. */
const char *chain_fs_word(const struct chain *c);
const char *chain_class(struct arena *a, const struct chain *c);

/* What kind of disk a leaf is, by name, model and transport. */
struct disk chain_disk(struct arena *a, const struct stack_node *leaf);

/* Set the facts of volume `label` and of its disks from the chain; `source` is where all of it was read. */
void chain_facts(const struct stack *s, const struct chain *c, struct span ask, struct store *store,
                 const char *label, const char *source);

#endif
