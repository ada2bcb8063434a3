/* See leak.h. */
#include "tests/lib/leak.h"

#include <string.h>

#include "advisor/base/hash.h"
#include "probes/host/capture_format.h"

#include "advisor/base/banned.h"

static bool has(struct span s, struct span piece)
{
    for (size_t i = 0; piece.len <= s.len && i <= s.len - piece.len; i++) {
        if (span_eq_nocase(span_sub(s, i, piece.len), piece)) {
            return true;
        }
    }
    return false;
}

/* `before` and two hexadecimal digits for each byte. */
static struct span spelt(struct arena *a, const char *word, const char *before)
{
    struct buf b;
    buf_init(&b, a, 4096);
    for (; *word != '\0'; word++) {
        buf_printf(&b, "%s%02x", before, (unsigned)(unsigned char)*word);
    }
    return buf_span(&b);
}

/* Base64 depends on where the word begins in its group of three: what is the same in all texts. */
static bool has_base64(struct arena *a, struct span bytes, const char *word)
{
    for (size_t shift = 0; shift < 3; shift++) {
        struct buf b;
        buf_init(&b, a, 4096);
        base64_encode(&b, span_of(arena_printf(a, "%.*s%s", (int)shift, "..", word)));
        const size_t first = shift == 0 ? 0 : shift + 1;
        const size_t whole = (shift + strlen(word)) / 3 * 4;
        if (whole > first && has(bytes, span_sub(buf_span(&b), first, whole - first))) {
            return true;
        }
    }
    return false;
}

const char *leak_in(struct arena *a, struct span bytes, const char *word)
{
    if (has(bytes, span_of(word))) {
        return "plain";
    }
    if (has(bytes, spelt(a, word, ""))) {
        return "hexadecimal";
    }
    if (has(bytes, spelt(a, word, "%"))) {
        return "percent";
    }
    if (has(bytes, spelt(a, word, "@00"))) {
        return "MySQL's file name";
    }
    if (has(bytes, spelt(a, word, "\\u00")) || has(bytes, spelt(a, word, "\\x"))) {
        return "JSON escape";
    }
    return has_base64(a, bytes, word) ? "base64" : NULL;
}

static const char *in_err(struct arena *a, const struct err *err, const char *word)
{
    const char *how = NULL;
    if (err == NULL) {
        return NULL;
    }
    how = leak_in(a, span_of(err->text), word);
    how = how != NULL ? how : leak_in(a, span_of(err->hint), word);
    for (unsigned i = 0; i < err->n_frames && how == NULL; i++) {
        how = leak_in(a, span_of(err->frames[i]), word);
    }
    return how;
}

const char *leak_in_capture(struct arena *a, const struct capture *c, const char *word)
{
    struct buf header;
    buf_init(&header, a, CAPTURE_MAX);
    json_write(&header, c->header, false);
    const char *how = leak_in(a, buf_span(&header), word);
    if (how != NULL) {
        return arena_printf(a, "line 1: %s", how);
    }
    for (size_t i = 0; i < c->n_ops; i++) {
        const struct capture_op *const op = &c->ops[i];
        how = leak_in(a, span_of(op->probe), word);
        how = how != NULL ? how : leak_in(a, span_of(op->key), word);
        how = how != NULL ? how : leak_in(a, op->bytes, word);
        how = how != NULL ? how : in_err(a, op->err, word);
        if (how != NULL) {
            return arena_printf(a, "%s %u %s '%s': %s", op->probe, op->n, host_op_name(op->op),
                                op->key, how);
        }
    }
    return NULL;
}
