/* Facts of a volume out of a chain, in parts. Private to them. */
#ifndef NVADVISE_PROBES_IMPORT_STORAGE_WRITER_H
#define NVADVISE_PROBES_IMPORT_STORAGE_WRITER_H

#include "probes/import/storage_chain.h"

struct writer {
    const struct stack *stack;
    const struct chain *chain;
    struct store *store;
    struct subject *sub;
    struct arena *arena;
    const char *source;
};

void writer_put(struct writer *w, const char *name, struct value v);
/* Empty text, no word: nothing is set; digits that are no number neither. */
void writer_text(struct writer *w, const char *name, struct span text);
void writer_word(struct writer *w, const char *name, const char *word);
void writer_count(struct writer *w, const char *name, enum kind kind, struct span digits);

/* volume.zfs.* and volume.btrfs.*, where it is one (storage_pools.c). */
void writer_zfs(struct writer *w);
void writer_btrfs(struct writer *w);

#endif
