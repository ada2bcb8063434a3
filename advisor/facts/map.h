/* Text to pointer, for the fact store: open addressing, entries in the order of their making. */
#ifndef NVADVISE_ADVISOR_FACTS_MAP_H
#define NVADVISE_ADVISOR_FACTS_MAP_H

#include "advisor/base/str.h"

struct map_entry {
    const char *key; /* NUL-terminated copy in the arena */
    size_t len;
    void *value; /* NULL: taken away */
};

struct map {
    struct arena *arena;
    uint64_t seed;
    uint32_t *slots; /* 0 = free, else index of the entry plus one */
    size_t n_slots;
    struct map_entry *entries;
    size_t n, cap;
};

void map_init(struct map *m, struct arena *a);

/* The value, or NULL. */
void *map_get(const struct map *m, struct span key);

/* The entry of the key, made when missing. Valid until the next map_put. */
struct map_entry *map_put(struct map *m, struct span key);

#endif
