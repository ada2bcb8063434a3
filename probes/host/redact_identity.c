/* Hosts and accounts: names that go even where all their words are well-known ones. */
#include "probes/host/redact_parts.h"

#include "probes/host/redact_chars.h"

#include "advisor/base/banned.h"

static bool says_nothing(struct span name)
{
    static const char *const names[] = {"localhost", "%",    "*",       "on",   "off",
                                        "null",      "none", "default", "auto", "unknown"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (span_eq_nocase(name, span_of(names[i]))) {
            return true;
        }
    }
    return redact_is_known_account(name) || redact_is_digits(name);
}

void redact_add_identity(struct redactor *r, struct buf *out, struct span name)
{
    if (says_nothing(name)) {
        buf_add_span(out, name);
        return;
    }
    ARENA_AUTO scratch = arena_new();
    struct buf made;
    buf_init(&made, scratch, name.len * 16 + 64);
    redact_add_text(r, &made, name, &redact_path);
    bool wordy = false;
    for (size_t i = 0; i < name.len; i++) {
        wordy = wordy || is_letter(name.ptr[i]) || (unsigned char)name.ptr[i] >= 0x80;
    }
    if (wordy && span_eq(buf_span(&made), name)) {
        redact_add_name(r, out, name); /* words that stay elsewhere, all of them */
    } else {
        buf_add_span(out, buf_span(&made));
    }
}

/* Would it stay as it is in messages, or even in paths? */
static bool passes(struct redactor *r, struct span name)
{
    struct buf made;
    buf_init(&made, r->arena, name.len * 16 + 64);
    redact_add_text(r, &made, name, &redact_text);
    return span_eq(buf_span(&made), name);
}

void redactor_hide(struct redactor *r, struct span name)
{
    const bool bare = redact_words_has(r->words, name, redact_text.lists);
    if (name.len < 2 || says_nothing(name) || bare || redact_is_disk(name) || !passes(r, name)) {
        return;
    }
    r->hidden = arena_list_room(r->arena, r->hidden, r->n_hidden, sizeof(*r->hidden));
    r->hidden[r->n_hidden++] = span_copy(r->arena, name);
}

struct redactor *redactor_new(struct arena *a, const struct redact_key *key)
{
    struct redactor *const r = arena_alloc(a, sizeof(*r));
    r->arena = a;
    r->words = redact_words_new(a);
    r->hash = hash_keyed_new(a, key->bytes);
    return r;
}
