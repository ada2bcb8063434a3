/* See words_filter.h. Text in, text out. */
#include "probes/host/words_filter.h"

#include <string.h>

#include "advisor/base/banned.h"

/* A value that is blanked for nothing costs nothing: no probe reads such an argument. */
static const char *const secret_parts[] = {
    "pass", "pwd", "secret", "token", "credential", "psk", "chap", "_auth", "_key", ".key", "filekey",
};

static bool part_at(struct span s, size_t at, const char *part)
{
    for (size_t i = 0; part[i] != '\0'; i++) {
        if (at + i >= s.len) {
            return false;
        }
        char c = s.ptr[at + i];
        c = c == '-' ? '_' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        if (c != part[i]) {
            return false;
        }
    }
    return true;
}

static bool is_secret(struct span name)
{
    for (size_t i = 0; i < name.len; i++) {
        for (size_t k = 0; k < ARRAY_LEN(secret_parts); k++) {
            if (part_at(name, i, secret_parts[k])) {
                return true;
            }
        }
    }
    return false;
}

void words_blank_secrets(struct buf *out, struct span text, char separator)
{
    bool blank_next = false;
    while (text.len > 0) {
        const char *end = memchr(text.ptr, separator, text.len);
        const size_t len = end == NULL ? text.len : (size_t)(end - text.ptr);
        const struct span word = span_sub(text, 0, len);
        const char *equals = len > 0 ? memchr(word.ptr, '=', len) : NULL;
        const size_t name_len = equals == NULL ? len : (size_t)(equals - word.ptr);
        const bool secret = is_secret(span_sub(word, 0, name_len));
        if (blank_next && len > 0 && word.ptr[0] != '-') {
            buf_add_text(out, WORDS_BLANKED);
        } else if (secret && equals != NULL) {
            buf_add_span(out, span_sub(word, 0, name_len + 1));
            buf_add_text(out, WORDS_BLANKED);
        } else {
            buf_add_span(out, word);
        }
        blank_next = secret && equals == NULL && span_starts(word, "--");
        if (end != NULL) {
            buf_add_char(out, separator);
        }
        text = span_sub(text, end == NULL ? len : len + 1, text.len);
    }
}

bool words_are_cmdline(const char *path, char *ret_separator)
{
    static const char proc[] = "/proc/";
    if (strncmp(path, proc, sizeof(proc) - 1) != 0) {
        return false;
    }
    const struct span rest = span_of(path + sizeof(proc) - 1);
    if (span_eq_text(rest, "cmdline")) {
        *ret_separator = ' ';
        return true;
    }
    *ret_separator = '\0';
    return span_ends(rest, "/cmdline");
}
