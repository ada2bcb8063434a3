/* See dm_filter.h. */
#include "probes/host/dm_filter.h"

#include <string.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define HEX_KEY_MIN 32u
#define CRYPT_KEY 1u /* crypt CIPHER KEY … */

static bool is_hex_key(struct span word)
{
    if (word.len < HEX_KEY_MIN) {
        return false;
    }
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] == '\0' || strchr("0123456789abcdefABCDEF", word.ptr[i]) == NULL) {
            return false;
        }
    }
    return true;
}

/* "internal_hash:hmac(sha256):0011…": how much of it is no key; the whole word when it holds none.
 */
static size_t without_key(struct span word)
{
    static const char *const options[] = {"internal_hash:", "journal_crypt:", "journal_mac:"};
    for (size_t i = 0; i < ARRAY_LEN(options); i++) {
        size_t n = strlen(options[i]);
        if (!span_starts(word, options[i])) {
            continue;
        }
        while (n < word.len && word.ptr[n] != ':') {
            n++;
        }
        return n;
    }
    return word.len;
}

/* The n-th word behind the name. */
static void add_word(struct buf *b, struct span word, size_t n_th, bool is_key)
{
    const size_t n = without_key(word);
    buf_add_char(b, ' ');
    if (is_key || (n_th > 2 && is_hex_key(word))) {
        buf_add_char(b, '-');
    } else {
        buf_add_span(b, span_sub(word, 0, n));
        if (n < word.len) {
            buf_add_span(b, SPAN_LIT(":-"));
        }
    }
}

/* The name ends at the first ':' with a blank or nothing behind it: names may hold colons. */
static bool take_name(struct span *line, struct span *ret)
{
    for (size_t i = 0; i < line->len; i++) {
        if (line->ptr[i] == ':' && (i + 1 == line->len || line->ptr[i + 1] == ' ')) {
            *ret = span_sub(*line, 0, i);
            *line = span_sub(*line, i + 1, line->len);
            return i > 0;
        }
    }
    return false;
}

static void add_line(struct buf *b, struct span line)
{
    struct span name, word, target = {"", 0};
    if (!take_name(&line, &name)) {
        return;
    }
    const size_t begin = b->len;
    buf_add_span(b, name);
    buf_add_char(b, ':');
    for (size_t i = 0; span_word(&line, &word); i++) {
        uint64_t number = 0;
        if (i < 2 && !parse_u64(word, &number)) {
            b->len = begin;
            return;
        }
        target = i == 2 ? word : target;
        add_word(b, word, i, i == 3 + CRYPT_KEY && span_eq_text(target, "crypt"));
    }
    buf_add_char(b, '\n');
}

struct span dm_filter(struct arena *a, struct span text)
{
    const bool cut = text.len > 0 && text.ptr[text.len - 1] != '\n';
    struct span line;
    struct buf b;
    buf_init(&b, a, 2 * text.len + 2);
    while (span_line(&text, &line)) {
        add_line(&b, line);
    }
    if (cut && b.len > 0) {
        b.len--;
    }
    return buf_span(&b);
}
