/* Arena memory in chunks. Knows nothing but malloc.
 *
 * With the address sanitizer every allocation is a chunk of its own, exactly as large as asked for,
 * so that each overflow is caught; the code is the same, only the sizes of chunks differ. */
#include "advisor/base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/banned.h"

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_EXACT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_EXACT 1
#endif
#endif
#ifndef ARENA_EXACT
#define ARENA_EXACT 0
#endif

#define CHUNK_FIRST ((size_t)4 * 1024) /* most are scratch for a moment, and zeroed memory is not free */
#define CHUNK_LAST ((size_t)4 * 1024 * 1024)

/* One request larger than this is a defect or an attack: memory is said to be out without asking
 * the system, which might overcommit. The largest capped input is 256 MiB. */
#define REQUEST_MAX ((size_t)1 << (sizeof(size_t) > 4 ? 36 : 30))

struct chunk {
    struct chunk *next;
    size_t used;
    size_t cap;
    alignas(max_align_t) char bytes[];
};

struct arena {
    struct chunk *chunks; /* newest first; only the newest is filled */
    void *last;           /* the last allocation, which may grow in place */
    size_t next_cap;
    size_t handed_out;
};

static ATTR_NORETURN void out_of_memory(void)
{
    static const char message[] = "nvadvise: out of memory\n";

    /* No stdio: it may want memory, and half-written buffers must not be flushed. */
    if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
        _exit(2);
    _exit(2);
}

struct arena *arena_new(void)
{
    struct arena *const a = calloc(1, sizeof(*a));

    if (a == NULL)
        out_of_memory();
    a->next_cap = CHUNK_FIRST;
    return a;
}

void arena_free(struct arena *a)
{
    if (a == NULL)
        return;
    for (struct chunk *c = a->chunks; c != NULL;) {
        struct chunk *const next = c->next;

        free(c);
        c = next;
    }
    free(a);
}

static void add_chunk(struct arena *a, size_t size)
{
    size_t cap = size;

    if (!ARENA_EXACT && cap < a->next_cap) {
        cap = a->next_cap;
        if (a->next_cap < CHUNK_LAST)
            a->next_cap *= 2;
    }
    struct chunk *const c = calloc(1, sizeof(*c) + cap);

    if (c == NULL)
        out_of_memory();
    c->cap = cap;
    c->next = a->chunks;
    a->chunks = c;
}

static size_t round_up(size_t n)
{
    const size_t align = alignof(max_align_t);

    return (n + align - 1) / align * align;
}

void *arena_alloc(struct arena *a, size_t size)
{
    if (size > REQUEST_MAX)
        out_of_memory();

    const struct chunk *const newest = a->chunks;
    size_t start = newest == NULL ? 0 : round_up(newest->used);

    if (newest == NULL || start > newest->cap || size > newest->cap - start) {
        add_chunk(a, size);
        start = 0;
    }
    a->chunks->used = start + size;
    a->handed_out += size;
    a->last = a->chunks->bytes + start;
    return a->last;
}

void *arena_calloc(struct arena *a, size_t n, size_t size)
{
    size_t total;

    if (__builtin_mul_overflow(n, size, &total))
        out_of_memory();
    return arena_alloc(a, total);
}

void *arena_grow(struct arena *a, void *old, size_t n_old, size_t n_new)
{
    struct chunk *const c = a->chunks;

    if (n_new < n_old)
        n_new = n_old;
    if (n_new > REQUEST_MAX)
        out_of_memory();
    if (old != NULL && old == a->last && n_new - n_old <= c->cap - c->used) {
        c->used += n_new - n_old;
        a->handed_out += n_new - n_old;
        return old;
    }

    char *const fresh = arena_alloc(a, n_new);

    if (n_old > 0)
        memcpy(fresh, old, n_old);
    return fresh;
}

void *arena_list_room(struct arena *a, void *list, size_t n, size_t size)
{
    if ((n & (n - 1)) != 0)
        return list; /* between two powers of two */

    size_t bytes, twice;

    if (__builtin_mul_overflow(n, size, &bytes) || __builtin_mul_overflow(bytes, 2, &twice))
        out_of_memory();
    return arena_grow(a, list, bytes, n == 0 ? size : twice);
}

char *arena_strndup(struct arena *a, const char *text, size_t n)
{
    if (n >= REQUEST_MAX)
        out_of_memory();

    char *const copy = arena_alloc(a, n + 1);

    if (n > 0)
        memcpy(copy, text, n);
    return copy;
}

char *arena_strdup(struct arena *a, const char *text)
{
    return arena_strndup(a, text, strlen(text));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list args, again;

    va_start(args, fmt);
    va_copy(again, args);
    const int len = vsnprintf(NULL, 0, fmt, args);

    va_end(args);
    if (len < 0)
        out_of_memory();

    char *const text = arena_alloc(a, (size_t)len + 1);

    vsnprintf(text, (size_t)len + 1, fmt, again);
    va_end(again);
    return text;
}

size_t arena_used(const struct arena *a)
{
    return a->handed_out;
}

void arena_cleanup(struct arena **a)
{
    arena_free(*a);
    *a = NULL;
}
