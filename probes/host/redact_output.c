/* What a tool printed that the seam ran. */
#include <string.h>

#include "probes/host/redact_parts.h"

#include "advisor/base/banned.h"

/* Health of the legs of an array, a letter each. */
static bool is_health(struct span word)
{
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] != 'A' && word.ptr[i] != 'a' && word.ptr[i] != 'D' && word.ptr[i] != '-') {
            return false;
        }
    }
    return true;
}

/* Is it one of the names that the tool was asked about, or something of it: "tank@snapshot"? */
static bool is_asked(struct span word, struct span asked)
{
    struct span name;
    while (span_split(&asked, ' ', &name)) {
        if (name.len > 0 && word.len >= name.len && span_eq(span_sub(word, 0, name.len), name) &&
            (word.len == name.len || strchr("@#:", word.ptr[name.len]) != NULL)) {
            return true;
        }
    }
    return false;
}

/* What a tool printed, word by word: what was asked for, and whatever lies in it or has a '/', is a
 * name as it is in a key; so is the mapping that a line of dmsetup begins with. */
void redact_output(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    static const struct redact_mode words = {.lists = LIST_PATH | LIST_TEXT, .long_numbers = true};
    const char *const blank = strchr(key, ' ');
    const struct span asked = span_of(blank == NULL ? "" : blank + 1);
    const bool named = strncmp(key, "dmsetup-", strlen("dmsetup-")) == 0;
    for (bool first = true; in.len > 0;) {
        size_t n = 0;
        while (n < in.len && memchr(" \t\n", in.ptr[n], 3) == NULL) {
            n++;
        }
        const struct span word = span_sub(in, 0, n);
        const bool is_name = is_asked(word, asked) || span_has(word, '/') || (named && first);
        if (named && !first && is_health(word)) {
            buf_add_span(out, word);
        } else {
            redact_add_text(r, out, word, is_name ? &redact_path : &words);
        }
        first = n < in.len && in.ptr[n] == '\n';
        if (n < in.len) {
            buf_add_char(out, in.ptr[n++]);
        }
        in = span_sub(in, n, in.len);
    }
}
