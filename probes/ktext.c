/* See ktext.h. Knows no path and no fact. */
#include "probes/ktext.h"

#include <string.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

bool ktext_read(struct host *h, const char *path, size_t max, struct span *ret, struct err *reterr)
{
    /* Not host_read: it takes the newline away and with it the proof that the text is whole. */
    const struct host_request rq = {
        .op = HOST_READ, .key = path, .max_bytes = max == 0 ? HOST_SMALL : max};
    struct span got;
    if (!host_call(h, &rq, &got, reterr)) {
        return false;
    }
    if (got.len > 0 && got.ptr[got.len - 1] != '\n') {
        return err_set(reterr, E_CUT, "'%s' ends in the middle of a line", path);
    }
    got.len -= got.len > 0 ? 1 : 0;
    *ret = got;
    return true;
}

bool ktext_read_again(struct host *h, const char *path, size_t max, struct span *ret,
                      struct err *reterr)
{
    return ktext_read(h, path, max, ret, reterr) || ktext_read(h, path, max, ret, reterr);
}

bool ktext_choice(struct span text, struct span *ret)
{
    struct span word;
    while (span_word(&text, &word)) {
        if (word.len > 2 && word.ptr[0] == '[' && word.ptr[word.len - 1] == ']') {
            *ret = span_sub(word, 1, word.len - 2);
            return true;
        }
    }
    return false;
}

bool ktext_bad(struct err *reterr, const char *path, const char *what)
{
    return err_set(reterr, E_SYNTAX, "'%s' holds no %s", path, what);
}

bool ktext_u64(struct host *h, const char *path, uint64_t *ret, struct err *reterr)
{
    struct span text;
    return ktext_read(h, path, 0, &text, reterr) &&
           (parse_u64(span_trim(text), ret) || ktext_bad(reterr, path, "whole number"));
}

bool ktext_i64(struct host *h, const char *path, int64_t *ret, struct err *reterr)
{
    struct span text;
    return ktext_read(h, path, 0, &text, reterr) &&
           (parse_i64(span_trim(text), ret) || ktext_bad(reterr, path, "whole number"));
}

bool ktext_field(struct span text, const char *key, struct span *ret)
{
    size_t n = strlen(key);
    struct span line;
    while (span_line(&text, &line)) {
        if (!span_starts(line, key) || line.len <= n) {
            continue;
        }
        char c = line.ptr[n];
        if (c == ':' || c == ' ' || c == '\t') {
            *ret = span_trim(span_sub(line, n + 1, line.len));
            return true;
        }
    }
    return false;
}

bool ktext_field_u64(struct span text, const char *key, uint64_t *ret)
{
    struct span value, word;
    return ktext_field(text, key, &value) && span_word(&value, &word) && parse_u64(word, ret);
}

struct ktext_list ktext_list_begin(struct span text)
{
    return (struct ktext_list){.rest = span_trim(text)};
}

bool ktext_list_next(struct ktext_list *l, uint64_t *ret)
{
    if (!l->in_range) {
        struct span piece, first;
        if (!span_split(&l->rest, ',', &piece)) {
            return false;
        }
        bool has_end = span_has(piece, '-');
        if (!span_split(&piece, '-', &first) || !parse_u64(first, &l->next)) {
            return false;
        }
        l->last = l->next;
        if (has_end && (!parse_u64(piece, &l->last) || l->last < l->next)) {
            return false;
        }
    }
    *ret = l->next;
    l->in_range = l->next < l->last;
    l->next++;
    return true;
}
