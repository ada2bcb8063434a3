/* See optfile_filter.h. Line by line as the servers split them. */
#include "probes/host/optfile_filter.h"

#include <string.h>

#include "probes/host/optfile_line.h"
#include "probes/host/secret_names.h"

#include "advisor/base/banned.h"

#define PLAIN_NAME_MAX 64u

struct filter {
    struct buf *out;
    bool whole; /* no line is split, however long */
    bool split; /* the line in hand is: its value goes on */
    /* Of the line before: */
    bool in_secret;  /* split within a secret */
    bool in_comment; /* split within a comment */
    bool secret;     /* it held one, indented by so many blanks */
    size_t indent;
    bool open; /* and the secret's value seems to go on in this one */
};

static struct span trim(struct span s)
{
    while (s.len > 0 && optfile_is_blank(s.ptr[0])) {
        s = span_sub(s, 1, s.len);
    }
    while (s.len > 0 && optfile_is_blank(s.ptr[s.len - 1])) {
        s.len--;
    }
    return s;
}

static void fill(struct buf *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        buf_add_char(out, 'x');
    }
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

/* "name = …" with a name that could be an option's. */
static bool is_assignment(struct span s)
{
    const char *equals = s.len > 0 ? memchr(s.ptr, '=', s.len) : NULL;
    const struct span name = trim(span_sub(s, 0, equals == NULL ? 0 : (size_t)(equals - s.ptr)));
    for (size_t i = 0; i < name.len; i++) {
        if (!is_plain(name.ptr[i])) {
            return false;
        }
    }
    return name.len > 0 && name.len <= PLAIN_NAME_MAX;
}

/* A value that ends inside quotes or with a backslash: somebody thinks that it goes on. */
static bool is_open(struct span value)
{
    char quote = 0;
    for (size_t i = 0; i < value.len; i++) {
        const char c = value.ptr[i];
        if (c == '"' || c == '\'') {
            quote = quote == 0 ? c : quote == c ? 0 : quote;
        }
    }
    return quote != 0 || span_ends(value, "\\");
}

/* ---- inside a value -------------------------------------------------------------------------- */

/* Does a secret begin within a value that is none as a whole ("a=1;ssl_password=x")? *ret_at:
 * where, or the value's length. */
static bool inner_secret(struct span v, size_t *ret_at)
{
    *ret_at = v.len;
    for (size_t i = 0; i < v.len; i++) {
        if (v.ptr[i] != '=' && v.ptr[i] != ':') {
            continue;
        }
        size_t from = i;
        while (from > 0 && optfile_is_blank(v.ptr[from - 1])) {
            from--;
        }
        const size_t end = from;
        while (from > 0 && is_plain(v.ptr[from - 1])) {
            from--;
        }
        const struct span word = span_sub(v, from, end - from);
        if (secret_name_sounds(word) && secret_option(word)) {
            *ret_at = i + 1;
            return true;
        }
    }
    return false;
}

/* "scheme://user:password@host": where the user begins, and how long to the '@'; 0 when there is
 * none. */
static size_t login_of_url(struct span v, bool split, size_t *ret_len)
{
    for (size_t i = 0; i + 3 <= v.len; i++) {
        if (memcmp(v.ptr + i, "://", 3) != 0) {
            continue;
        }
        size_t at = 0, k = i + 3;
        for (; k < v.len && !optfile_is_blank(v.ptr[k]); k++) {
            at = v.ptr[k] == '@' ? k : at;
        }
        at = split && k == v.len && at == 0 ? k : at; /* the '@' may be to come */
        if (at != 0) {
            *ret_len = at - (i + 3);
            return i + 3;
        }
    }
    return 0;
}

static bool add_without_logins(struct buf *out, struct span v, bool split)
{
    bool found = false;
    size_t len = 0, from = 0;
    while ((from = login_of_url(v, split, &len)) != 0) {
        buf_add_span(out, span_sub(v, 0, from));
        buf_add_text(out, SECRET_BLANKED);
        v = span_sub(v, from + len, v.len);
        found = true;
    }
    buf_add_span(out, v);
    return found;
}

/* false: the value holds no secret. */
static bool add_value(struct buf *out, struct span v, bool split)
{
    size_t secret = 0;
    const bool found = inner_secret(v, &secret);
    const bool login = add_without_logins(out, span_sub(v, 0, secret), split);
    if (trim(span_sub(v, secret, v.len)).len == 0) {
        buf_add_span(out, span_sub(v, secret, v.len));
        return login || (found && split);
    }
    buf_add_text(out, SECRET_BLANKED);
    const struct span all = trim(v);
    const char first = all.ptr[0];
    if (all.len > 1 && (first == '"' || first == '\'') && all.ptr[all.len - 1] == first) {
        buf_add_char(out, first);
    }
    return true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* An option without '=': "password hunter2" is one name to the servers, and a secret all the same.
 */
static bool add_name(struct buf *out, struct span s)
{
    const struct span name = trim(s);
    size_t n = 0;
    while (n < name.len && !optfile_is_blank(name.ptr[n])) {
        n++;
    }
    const struct span word = span_sub(name, 0, n);
    if (n == name.len || !secret_name_sounds(word)) {
        buf_add_span(out, s);
        return false;
    }
    buf_add_span(out, word);
    buf_add_text(out, " " SECRET_BLANKED);
    return true;
}

static void add_option(struct filter *f, struct span code)
{
    const char *equals = code.len > 0 ? memchr(code.ptr, '=', code.len) : NULL;
    if (equals == NULL) {
        f->secret = add_name(f->out, code);
        return;
    }
    const struct span name = span_sub(code, 0, (size_t)(equals - code.ptr));
    const struct span value = span_sub(code, name.len + 1, code.len);
    buf_add_span(f->out, span_sub(code, 0, name.len + 1));
    if (!secret_option(trim(name))) {
        f->secret = add_value(f->out, value, f->split);
    } else if (trim(value).len == 0) {
        buf_add_span(f->out, value);
        f->secret = f->split;
    } else {
        buf_add_text(f->out, SECRET_BLANKED);
        f->secret = true;
    }
    f->open = f->secret && is_open(trim(value));
}

/* The paths of directives that the servers know stay; of all else nobody wants more than that it is
 * there. */
static void add_directive(struct buf *out, struct span s)
{
    struct span word = trim(span_sub(s, 1, s.len));
    size_t n = 0;
    while (n < word.len && !optfile_is_blank(word.ptr[n])) {
        n++;
    }
    word.len = n;
    const bool known = span_eq_text(word, "include") || span_eq_text(word, "includedir");
    buf_add_span(out, known ? s : span_sub(s, 0, 1));
}

static void add_group(struct buf *out, struct span s)
{
    const char *end = memchr(s.ptr, ']', s.len);
    buf_add_span(out, span_sub(s, 0, end == NULL ? 1 : (size_t)(end - s.ptr) + 1));
}

/* The line in `s`, its blanks in front left out; what came before it decides whether it is shown.
 */
static void add_line(struct filter *f, struct span s, size_t indent)
{
    const bool tail = f->in_comment || (f->secret && (f->open || indent > f->indent));
    f->in_comment = false;
    f->secret = false;
    f->open = false;
    if (s.len == 0) {
        return;
    }
    const size_t from = f->out->len;
    bool hidden = false;
    if (s.ptr[0] == '#' || s.ptr[0] == ';') {
        buf_add_char(f->out, s.ptr[0]);
    } else if (s.ptr[0] == '[') {
        add_group(f->out, s);
    } else if (s.ptr[0] == '!') {
        add_directive(f->out, s);
    } else if (tail && !is_assignment(s)) {
        fill(f->out, s.len);
        hidden = true;
    } else {
        add_option(f, optfile_drop_comment(s));
    }
    f->in_comment = hidden || (!f->secret && f->out->len - from < s.len);
    f->indent = f->secret ? indent : 0;
}

/* Is the name of a secret cut by the end of the line `s`, which goes on in `rest`? */
static bool is_cut(struct span s, struct span rest)
{
    size_t from = s.len, to = s.len;
    const size_t end = s.len + rest.len; /* `rest` follows `s` in memory */
    while (to < end && is_plain(s.ptr[to])) {
        to++;
    }
    size_t equals = to;
    while (equals < end && s.ptr[equals] != '\n' && optfile_is_blank(s.ptr[equals])) {
        equals++;
    }
    while (to == s.len && from > 0 && optfile_is_blank(s.ptr[from - 1])) {
        from--;
        to = from;
    }
    while (from > 0 && is_plain(s.ptr[from - 1])) {
        from--;
    }
    return equals < end && (s.ptr[equals] == '=' || s.ptr[equals] == ':') &&
           secret_name_sounds((struct span){s.ptr + from, to - from});
}

/* What the servers take for one line stays one, and what they split stays as long as it was: behind
 * a NUL they look at nothing. */
static void fit(struct buf *out, size_t from, size_t len, bool split)
{
    if (out->len - from > OPTFILE_LINE_MAX - !split) {
        out->len = from + OPTFILE_LINE_MAX - !split;
    }
    if (split && out->len - from < len) {
        buf_add_char(out, '\0');
        fill(out, len - (out->len - from));
    }
}

static void take_line(struct filter *f, struct span line, bool split, struct span rest)
{
    const size_t from = f->out->len;
    const bool ends = span_ends(line, "\n");
    f->split = split;
    struct span s = span_sub(line, 0, line.len - ends);
    if (f->in_secret) {
        fill(f->out, s.len);
        f->in_secret = split;
    } else {
        const char *nul = s.len > 0 ? memchr(s.ptr, '\0', s.len) : NULL;
        s.len = nul == NULL ? s.len : (size_t)(nul - s.ptr);
        size_t indent = 0;
        while (indent < s.len && optfile_is_blank(s.ptr[indent])) {
            indent++;
        }
        buf_add_span(f->out, span_sub(s, 0, indent));
        add_line(f, span_sub(s, indent, s.len), indent);
        if (nul != NULL) {
            buf_add_char(f->out, '\0'); /* a directive that no newline ends loses its last byte */
        }
        f->in_comment = (f->in_comment || nul != NULL) && split;
        f->in_secret = split && (f->secret || is_cut(line, rest));
    }
    if (!f->whole) {
        fit(f->out, from, line.len, split);
    }
    if (ends) {
        buf_add_char(f->out, '\n');
    }
}

/* Through the newline, however far that is. */
static bool next_line(struct span *rest, bool whole, struct span *ret, bool *ret_split)
{
    if (!whole) {
        return optfile_next_line(rest, ret, ret_split);
    }
    const char *lf = rest->len > 0 ? memchr(rest->ptr, '\n', rest->len) : NULL;
    *ret = span_sub(*rest, 0, lf == NULL ? rest->len : (size_t)(lf - rest->ptr) + 1);
    *rest = span_sub(*rest, ret->len, rest->len);
    *ret_split = false;
    return ret->len > 0;
}

void optfile_blank_secrets(struct buf *out, struct span text, bool whole)
{
    struct filter f = {.out = out, .whole = whole};
    struct span line;
    bool split = false;
    while (next_line(&text, whole, &line, &split)) {
        take_line(&f, line, split, text);
    }
}
