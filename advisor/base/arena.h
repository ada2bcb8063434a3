/* Arena memory: everything of one run, or of one probe, is freed together.
 *
 * Running out of memory ends the process with status 2 and a fixed message: output files are only
 * ever replaced whole, so nothing is half written. */
#ifndef NVADVISE_ADVISOR_BASE_ARENA_H
#define NVADVISE_ADVISOR_BASE_ARENA_H

#include "advisor/base/attr.h"

struct arena;

/* A new empty arena; free with arena_free. Never NULL. */
struct arena *arena_new(void);

/* Free the arena and all that came from it. NULL is allowed. */
void arena_free(struct arena *a);

/* `size` zeroed bytes, aligned for any type; lives as long as the arena. size 0 gives a valid
 * pointer that may not be read. */
void *arena_alloc(struct arena *a, size_t size);

/* `n` objects of `size` bytes, zeroed; overflow of n * size ends the process as above. */
void *arena_calloc(struct arena *a, size_t n, size_t size);

/* A copy of `old` (n_old bytes) in n_new >= n_old bytes; the rest zeroed. Grows in place when `old`
 * was the last allocation. `old` may be NULL when n_old is 0. */
void *arena_grow(struct arena *a, void *old, size_t n_old, size_t n_new);

/* Room for one more in a list of n items of this size that only ever grew through this: it doubles, so
 * that adding one by one costs no more than twice the list. The list may have moved. */
void *arena_list_room(struct arena *a, void *list, size_t n, size_t size);

/* A NUL-terminated copy of n bytes. */
char *arena_strndup(struct arena *a, const char *text, size_t n);
char *arena_strdup(struct arena *a, const char *text);

/* printf into the arena. */
char *arena_printf(struct arena *a, const char *fmt, ...) ATTR_PRINTF(2, 3);

/* Bytes handed out so far (for tests and limits). */
size_t arena_used(const struct arena *a);

void arena_cleanup(struct arena **a);
#define ARENA_AUTO ATTR_CLEANUP(arena_cleanup) struct arena *

#endif
