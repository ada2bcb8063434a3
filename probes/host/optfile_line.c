/* One line of an option file, byte by byte as mysys/my_default reads it. Knows nothing of files.
 *
 * The quirks are the contract here: quotes guard '#' anywhere in a line but are taken off only
 * around a whole value, a backslash escapes inside quotes only as far as comments go, 0xA0 is a
 * blank because the reader's character set is latin1, and a directive that no newline ends loses
 * its last byte. */
#include "probes/host/optfile_line.h"

#include <string.h>

#include "advisor/base/banned.h"

bool optfile_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || (unsigned char)c == 0xA0;
}

static struct span skip_blanks(struct span s)
{
    while (s.len > 0 && optfile_is_blank(s.ptr[0])) {
        s.ptr++;
        s.len--;
    }
    return s;
}

static struct span drop_blanks_at_end(struct span s)
{
    while (s.len > 0 && optfile_is_blank(s.ptr[s.len - 1])) {
        s.len--;
    }
    return s;
}

bool optfile_next_line(struct span *rest, struct span *ret, bool *ret_split)
{
    if (rest->len == 0) {
        return false;
    }
    size_t max = rest->len < OPTFILE_LINE_MAX ? rest->len : OPTFILE_LINE_MAX;
    const char *lf = memchr(rest->ptr, '\n', max);
    size_t len = lf != NULL ? (size_t)(lf - rest->ptr) + 1 : max;
    *ret = (struct span){rest->ptr, len};
    *ret_split = lf == NULL && len < rest->len;
    rest->ptr += len;
    rest->len -= len;
    return true;
}

#define WHOLE_BUFFER 4095u

/* One call of fgets: up to the newline, or as much as the buffer holds; *ret_text: up to a NUL. */
static struct span next_piece(struct span *rest, struct span *ret_text)
{
    const size_t max = rest->len < WHOLE_BUFFER ? rest->len : WHOLE_BUFFER;
    const char *lf = memchr(rest->ptr, '\n', max);
    const struct span piece = span_sub(*rest, 0, lf != NULL ? (size_t)(lf - rest->ptr) + 1 : max);
    const char *nul = memchr(piece.ptr, '\0', piece.len);
    *ret_text = span_sub(piece, 0, nul != NULL ? (size_t)(nul - piece.ptr) : piece.len);
    *rest = span_sub(*rest, piece.len, rest->len);
    return piece;
}

bool optfile_whole_line(struct arena *a, struct span *rest, struct span *ret, size_t *ret_from)
{
    const size_t before = rest->len;
    struct buf joined;
    struct span line = {"", 0};
    buf_init(&joined, a, before);
    while (rest->len > 0) {
        struct span text;
        (void)next_piece(rest, &text);
        if (text.len == 0) {
            *rest = joined.len == 0 ? (struct span){"", 0} : *rest;
            break;
        }
        const bool ends = span_ends(text, "\n");
        if (joined.len == 0 && ends) {
            line = text;
        } else {
            buf_add_span(&joined, text);
            line = buf_span(&joined);
        }
        if (ends) {
            break;
        }
    }
    *ret = line;
    *ret_from = before - rest->len;
    return line.len > 0;
}

struct span optfile_drop_comment(struct span s)
{
    char quote = 0;
    bool escape = false;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if ((c == '\'' || c == '"') && !escape) {
            if (quote == 0) {
                quote = c;
            } else if (quote == c) {
                quote = 0;
            }
        }
        if (quote == 0 && c == '#') {
            return (struct span){s.ptr, i};
        }
        escape = quote != 0 && c == '\\' && !escape;
    }
    return s;
}

/* What a backslash and `c` stand for; 0 = the backslash stays. */
static char unescape(char c)
{
    switch (c) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'r':
        return '\r';
    case 'b':
        return '\b';
    case 's':
        return ' ';
    case '"':
    case '\'':
    case '\\':
        return c;
    default:
        return 0;
    }
}

static struct span read_value(struct arena *a, struct span v)
{
    v = drop_blanks_at_end(skip_blanks(v));
    if (v.len >= 2 && (v.ptr[0] == '"' || v.ptr[0] == '\'') && v.ptr[v.len - 1] == v.ptr[0]) {
        v = (struct span){v.ptr + 1, v.len - 2};
    }
    if (!span_has(v, '\\')) {
        return v;
    }
    char *out = arena_alloc(a, v.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < v.len; i++) {
        if (v.ptr[i] != '\\' || i + 1 == v.len) {
            out[n++] = v.ptr[i];
            continue;
        }
        char c = unescape(v.ptr[++i]);
        if (c == 0) {
            out[n++] = '\\';
            c = v.ptr[i];
        }
        out[n++] = c;
    }
    return (struct span){out, n};
}

static struct optfile_line lex_group(struct span s)
{
    const char *end = memchr(s.ptr, ']', s.len);
    if (end == NULL) {
        return (struct optfile_line){.kind = OPTFILE_BAD_GROUP, .name = s};
    }
    struct span name = {s.ptr + 1, (size_t)(end - s.ptr) - 1};
    return (struct optfile_line){.kind = OPTFILE_GROUP, .name = drop_blanks_at_end(name)};
}

static struct optfile_line lex_directive(struct span s)
{
    static const struct {
        const char *word;
        enum optfile_line_kind kind;
    } words[] = {
        {"includedir", OPTFILE_INCLUDEDIR},
        {"include", OPTFILE_INCLUDE},
    };
    s = skip_blanks(span_sub(s, 1, s.len));
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        size_t n = strlen(words[i].word);
        if (!span_starts(s, words[i].word) || s.len <= n || !optfile_is_blank(s.ptr[n])) {
            continue;
        }
        /* The reader takes the last byte for the newline, whatever it is. */
        struct span arg = skip_blanks(span_sub(s, n, s.len));
        arg = drop_blanks_at_end(span_sub(arg, 0, arg.len > 0 ? arg.len - 1 : 0));
        return (struct optfile_line){.kind = arg.len > 0 ? words[i].kind : OPTFILE_BAD_INCLUDE,
                                     .name = span_of(words[i].word),
                                     .value = arg,
                                     .has_value = true};
    }
    return (struct optfile_line){.kind = OPTFILE_DIRECTIVE, .name = drop_blanks_at_end(s)};
}

struct optfile_line optfile_lex(struct arena *a, struct span line)
{
    const char *nul = line.len > 0 ? memchr(line.ptr, '\0', line.len) : NULL;
    if (nul != NULL) {
        line.len = (size_t)(nul - line.ptr);
    }
    struct span s = skip_blanks(line);
    if (s.len == 0 || s.ptr[0] == '#' || s.ptr[0] == ';') {
        return (struct optfile_line){.kind = OPTFILE_EMPTY};
    }
    if (s.ptr[0] == '!') {
        return lex_directive(s);
    }
    if (s.ptr[0] == '[') {
        return lex_group(s);
    }
    s = optfile_drop_comment(s);
    struct optfile_line ret = {.kind = OPTFILE_OPTION, .name = s};
    const char *eq = memchr(s.ptr, '=', s.len);
    if (eq != NULL) {
        ret.name.len = (size_t)(eq - s.ptr);
        ret.value = read_value(a, span_sub(s, ret.name.len + 1, s.len));
        ret.has_value = true;
    }
    ret.name = drop_blanks_at_end(ret.name);
    return ret;
}
