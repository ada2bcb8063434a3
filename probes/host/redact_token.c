/* Text, word by word: a run of letters and digits stays when it is a well-known word, a number or a
 * kernel's device name; else its pseudonym takes its place. What stands between the runs stays. */
#include "probes/host/redact_parts.h"

#include <string.h>

#include "probes/host/redact_chars.h"

#include "advisor/base/banned.h"

const struct redact_mode redact_path = {.lists = LIST_PATH};
const struct redact_mode redact_strict = {.lists = 0};
const struct redact_mode redact_text = {.lists = LIST_PATH | LIST_SERVER | LIST_TEXT,
                                        .long_numbers = true};
const struct redact_mode redact_version = {.lists = LIST_PATH | LIST_SERVER | LIST_TEXT,
                                           .versions = true};
const struct redact_mode redact_option = {.lists = LIST_PATH | LIST_SERVER, .shortened = true};

/* %41, @0041 and \x41 are letters in disguise: they belong to the word around them. */
static bool is_escape(struct span s, size_t i)
{
    switch (s.ptr[i]) {
    case '%':
        return hex_run(s, i + 1) >= 2;
    case '@':
        return hex_run(s, i + 1) >= 4;
    case '\\':
        return i + 1 < s.len && is_wordy(s.ptr[i + 1]);
    default:
        return false;
    }
}

size_t redact_run_length(struct span s, size_t from)
{
    size_t i = from;
    while (i < s.len && (is_wordy(s.ptr[i]) || is_escape(s, i))) {
        i++;
    }
    return i - from;
}

/* ---- hidden names ---------------------------------------------------------------------------- */

static bool begins_word(struct span s, size_t i)
{
    return i == 0 || !is_wordy(s.ptr[i - 1]);
}

/* Length of the hidden name that stands at s[i] as a whole word; 0: none. The longest wins. */
static size_t hidden_at(const struct redactor *r, struct span s, size_t i)
{
    size_t best = 0;
    for (size_t k = 0; k < r->n_hidden; k++) {
        const struct span h = r->hidden[k];
        if (h.len > best && h.len <= s.len - i && span_eq_nocase(span_sub(s, i, h.len), h) &&
            (i + h.len == s.len || !is_wordy(s.ptr[i + h.len]))) {
            best = h.len;
        }
    }
    return best;
}

void redact_add_kept(struct redactor *r, struct buf *out, struct span s)
{
    for (size_t i = 0; i < s.len;) {
        const size_t n = begins_word(s, i) ? hidden_at(r, s, i) : 0;
        if (n > 0) {
            redact_add_name(r, out, span_sub(s, i, n));
        } else {
            buf_add_char(out, s.ptr[i]);
        }
        i += n > 0 ? n : 1;
    }
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Is s[i] the first byte of a folder below /home? Its name is an account's. */
static bool is_account(struct span s, size_t i)
{
    static const char home[] = "home/";
    const size_t n = sizeof(home) - 1;
    return i >= n && memcmp(s.ptr + i - n, home, n) == 0 && (i == n || s.ptr[i - n - 1] == '/');
}

bool redact_is_known_account(struct span name)
{
    static const char *const names[] = {"mysql", "mariadb", "root", "nobody"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (span_eq_text(name, names[i])) {
            return true;
        }
    }
    return false;
}

static size_t add_account(struct redactor *r, struct buf *out, struct span s, size_t i)
{
    size_t n = 0;
    while (i + n < s.len && memchr("/:,; '\"\n", s.ptr[i + n], 8) == NULL) {
        n++;
    }
    const struct span name = span_sub(s, i, n);
    if (redact_is_known_account(name)) {
        buf_add_span(out, name);
    } else if (n > 0) {
        redact_add_name(r, out, name);
    }
    return n;
}

/* "a.c.m.e", "a-c-m-e", a word in UTF-16: three single letters or more with the same byte between.
 */
static size_t spelt_length(struct span s)
{
    size_t n = 1;
    if (s.len < 2 || !is_letter(s.ptr[0]) ||
        (s.ptr[1] != '\0' && s.ptr[1] != '.' && s.ptr[1] != '-')) {
        return 0;
    }
    while (n + 1 < s.len && s.ptr[n] == s.ptr[1] && is_wordy(s.ptr[n + 1]) &&
           (n + 2 == s.len || !is_wordy(s.ptr[n + 2]))) {
        n += 2;
    }
    return n >= 5 ? n : 0;
}

/* "pod" and a UUID: a name of Kubernetes. */
static size_t add_pod(struct redactor *r, struct buf *out, struct span s)
{
    if (!span_starts(s, "pod")) {
        return 0;
    }
    struct buf made;
    buf_init(&made, r->arena, 64);
    const size_t n = redact_add_shape(r, &made, span_sub(s, 3, 36), true);
    if (n != 36) {
        return 0;
    }
    buf_add_text(out, "pod");
    buf_add_span(out, buf_span(&made));
    return n + 3;
}

static size_t add_run(struct redactor *r, struct buf *out, struct span s, size_t i,
                      const struct redact_mode *mode)
{
    size_t n = hidden_at(r, s, i);
    if (n > 0) {
        redact_add_name(r, out, span_sub(s, i, n));
        return n;
    }
    const struct span rest = span_sub(s, i, s.len);
    const bool inside_number = i > 0 && s.ptr[i - 1] == '.';
    n = redact_add_shape(r, out, rest, mode->versions || inside_number);
    n = n > 0 ? n : add_pod(r, out, rest);
    if (n > 0) {
        return n;
    }
    n = begins_word(s, i) ? spelt_length(rest) : 0;
    if (n > 0) {
        redact_add_name(r, out, span_sub(s, i, n));
        return n;
    }
    n = redact_run_length(s, i);
    const struct span token = span_sub(s, i, n);
    if (redact_stays(r, token, mode)) {
        buf_add_span(out, token);
    } else {
        redact_add_name(r, out, token);
    }
    return n;
}

void redact_add_text(struct redactor *r, struct buf *out, struct span s,
                     const struct redact_mode *mode)
{
    for (size_t i = 0; i < s.len;) {
        size_t n = 0;
        if (is_account(s, i)) {
            n = add_account(r, out, s, i);
        } else if (is_wordy(s.ptr[i]) || is_escape(s, i)) {
            n = add_run(r, out, s, i, mode);
        } else if (s.ptr[i] == ':' && begins_word(s, i) && i + 2 < s.len && s.ptr[i + 1] == ':') {
            n = redact_add_shape(r, out, span_sub(s, i, s.len), mode->versions);
        }
        if (n == 0) {
            buf_add_char(out, s.ptr[i]);
            n = 1;
        }
        i += n;
    }
}

/* Up to the closing quote, or the word when it is a path. */
static size_t object_length(struct span s, size_t i)
{
    const bool quote = s.ptr[i] == '\'';
    const struct span rest = span_sub(s, i, s.len);
    size_t n = 1;
    if (!quote && !span_starts(rest, "/") && !span_starts(rest, "./")) {
        return 0;
    }
    while (n < rest.len && rest.ptr[n] != '\'' && rest.ptr[n] != '\n' &&
           (quote || rest.ptr[n] != ' ')) {
        n++;
    }
    return n;
}

/* 'USER'@'HOST': is the quote at s[i], `n` bytes without the closing one, a half of that? */
static bool is_account_part(struct span s, size_t i, size_t n)
{
    return s.ptr[i] == '\'' &&
           ((i > 0 && s.ptr[i - 1] == '@') || span_starts(span_sub(s, i + n, 2), "'@"));
}

void redact_add_message(struct redactor *r, struct buf *out, struct span s)
{
    size_t from = 0;
    for (size_t i = 0; i < s.len;) {
        const bool begins = i == 0 || (!is_wordy(s.ptr[i - 1]) && s.ptr[i - 1] != '/');
        const size_t n = begins ? object_length(s, i) : 0;
        if (n == 0) {
            i++;
            continue;
        }
        redact_add_text(r, out, span_sub(s, from, i - from), &redact_text);
        if (is_account_part(s, i, n)) {
            buf_add_char(out, '\'');
            redact_add_identity(r, out, span_sub(s, i + 1, n - 1));
        } else {
            redact_add_text(r, out, span_sub(s, i, n), &redact_path);
        }
        i += n;
        from = i;
        if (i < s.len && s.ptr[i] == '\'') {
            buf_add_char(out, '\'');
            from = ++i;
        }
    }
    redact_add_text(r, out, span_sub(s, from, s.len - from), &redact_text);
}
