/* The hash table of the fact store. Must not know what it holds. */
#include "advisor/facts/map.h"

#include <string.h>

#include "advisor/base/banned.h"

#define FIRST_SLOTS 32

/* The seed differs from run to run (address layout), so that no document can be made whose names
 * all meet in one slot. The order of anything shown never depends on it. */
void map_init(struct map *m, struct arena *a)
{
    *m = (struct map){.arena = a};
    m->seed = 0xcbf29ce484222325u ^ (uint64_t)(uintptr_t)a;
}

/* FNV-1a, with a last mix so that low bits depend on all. */
static uint64_t hash_key(const struct map *m, struct span key)
{
    uint64_t h = m->seed;
    for (size_t i = 0; i < key.len; i++) {
        h = (h ^ (unsigned char)key.ptr[i]) * 0x100000001b3u;
        h ^= h >> 29;
    }
    return h ^ (h >> 32);
}

static size_t find_slot(const struct map *m, struct span key)
{
    size_t at = (size_t)hash_key(m, key) & (m->n_slots - 1);
    while (m->slots[at] != 0) {
        const struct map_entry *e = &m->entries[m->slots[at] - 1];
        if (e->len == key.len && (key.len == 0 || memcmp(e->key, key.ptr, key.len) == 0)) {
            break;
        }
        at = (at + 1) & (m->n_slots - 1);
    }
    return at;
}

void *map_get(const struct map *m, struct span key)
{
    if (m->n_slots == 0) {
        return NULL;
    }
    const uint32_t slot = m->slots[find_slot(m, key)];
    return slot == 0 ? NULL : m->entries[slot - 1].value;
}

/* At most half of the slots are taken. */
static void grow(struct map *m)
{
    if (m->n == m->cap) {
        const size_t cap = m->cap == 0 ? FIRST_SLOTS / 2 : m->cap * 2;
        m->entries = arena_grow(m->arena, m->entries, m->cap * sizeof(*m->entries),
                                cap * sizeof(*m->entries));
        m->cap = cap;
    }
    if (2 * (m->n + 1) <= m->n_slots) {
        return;
    }
    m->n_slots = m->n_slots == 0 ? FIRST_SLOTS : m->n_slots * 2;
    m->slots = arena_calloc(m->arena, m->n_slots, sizeof(*m->slots));
    for (size_t i = 0; i < m->n; i++) {
        const struct span key = {m->entries[i].key, m->entries[i].len};
        m->slots[find_slot(m, key)] = (uint32_t)(i + 1);
    }
}

struct map_entry *map_put(struct map *m, struct span key)
{
    grow(m);
    const size_t at = find_slot(m, key);
    if (m->slots[at] == 0) {
        m->entries[m->n++] =
            (struct map_entry){arena_strndup(m->arena, key.ptr, key.len), key.len, NULL};
        m->slots[at] = (uint32_t)m->n;
    }
    return &m->entries[m->slots[at] - 1];
}
