/* See words_filter.h. Text in, text out. */
#include "probes/host/words_filter.h"

#include <string.h>

#include "probes/host/secret_names.h"

#include "advisor/base/banned.h"

static bool is_secret(struct span word)
{
    while (span_starts(word, "-")) {
        word = span_sub(word, 1, word.len);
    }
    return secret_option(word);
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
            buf_add_text(out, SECRET_BLANKED);
        } else if (len > 2 && span_starts(word, "-p")) {
            buf_add_text(out, "-p" SECRET_BLANKED); /* the servers' and clients' own short form */
        } else if (secret && equals != NULL) {
            buf_add_span(out, span_sub(word, 0, name_len + 1));
            buf_add_text(out, SECRET_BLANKED);
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

bool words_are_environment(const char *path)
{
    return strncmp(path, "/proc/", 6) == 0 && span_ends(span_of(path), "/environ");
}

void words_keep_environment(struct buf *out, struct span text)
{
    static const char *const kept[] = {
        "HOME", "MARIADB_GROUP_SUFFIX", "MARIADB_HOME", "MYSQL_GROUP_SUFFIX", "MYSQL_HOME",
    };
    struct span word, name;
    while (span_split(&text, '\0', &word)) {
        struct span rest = word;
        const bool named = span_has(word, '=') && span_split(&rest, '=', &name);
        for (size_t i = 0; named && i < ARRAY_LEN(kept); i++) {
            if (span_eq_text(name, kept[i])) {
                buf_add_span(out, word);
                buf_add_char(out, '\0');
            }
        }
    }
    buf_add_char(out, '\0');
}
