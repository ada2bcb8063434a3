/* See redact_words.h: a table of slots, at most half full, hashed by FNV-1a. */
#include "probes/host/redact_words.h"

#include <string.h>

#include "advisor/base/hash.h"

#include "advisor/base/banned.h"

#define SLOTS 8192u /* a power of two, more than twice as many as there are words */

struct slot {
    struct span word;
    unsigned lists;
};

struct redact_words {
    struct slot slots[SLOTS];
};

static const struct {
    const char *const *lines;
    unsigned list;
} lists_of[] = {
    {redact_words_path, LIST_PATH},
    {redact_words_server, LIST_SERVER},
    {redact_words_text, LIST_TEXT},
};

/* The slot of the word, or the empty one where it would stand. */
static size_t find(const struct redact_words *w, struct span word)
{
    size_t at = hash_quick(word) & (SLOTS - 1);
    while (w->slots[at].word.len > 0 && !span_eq(w->slots[at].word, word)) {
        at = (at + 1) & (SLOTS - 1);
    }
    return at;
}

struct redact_words *redact_words_new(struct arena *a)
{
    struct redact_words *const w = arena_alloc(a, sizeof(*w));
    for (size_t i = 0; i < ARRAY_LEN(lists_of); i++) {
        for (const char *const *line = lists_of[i].lines; *line != NULL; line++) {
            struct span rest = span_of(*line), word;
            while (span_split(&rest, ' ', &word)) {
                struct slot *const slot = &w->slots[find(w, word)];
                slot->word = word;
                slot->lists |= lists_of[i].list;
            }
        }
    }
    return w;
}

static struct span lower(struct span word, char room[REDACT_WORD_MAX])
{
    for (size_t i = 0; i < word.len; i++) {
        const char c = word.ptr[i];
        room[i] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    return (struct span){room, word.len};
}

bool redact_words_has(const struct redact_words *w, struct span word, unsigned lists)
{
    char room[REDACT_WORD_MAX];
    if (word.len < 2 || word.len > sizeof(room)) {
        return false;
    }
    return (w->slots[find(w, lower(word, room))].lists & lists) != 0;
}

bool redact_words_begin(const struct redact_words *w, struct span piece, unsigned lists)
{
    char room[REDACT_WORD_MAX];
    if (piece.len < 2 || piece.len > sizeof(room)) {
        return false;
    }
    const struct span wanted = lower(piece, room);
    for (size_t i = 0; i < SLOTS; i++) {
        const struct slot *const s = &w->slots[i];
        if ((s->lists & lists) != 0 && s->word.len >= wanted.len &&
            memcmp(s->word.ptr, wanted.ptr, wanted.len) == 0) {
            return true;
        }
    }
    return false;
}
