/* Replies made of lines: names, and rows of cells, with escapes. Knows nothing of the machine. */
#include "probes/host/reply.h"

#include <string.h>

#include "advisor/base/banned.h"

#define NAMES_BYTES_MAX ((size_t)32 * 1024 * 1024)

static const char escaped_bytes[] = {'\\', '\t', '\n', '\r', '\0'};
static const char escape_letters[] = {'\\', 't', 'n', 'r', '0'};

static void add_escaped(struct buf *b, struct span s)
{
    size_t from = 0;
    for (size_t i = 0; i < s.len; i++) {
        const char *const hit = memchr(escaped_bytes, s.ptr[i], sizeof(escaped_bytes));
        if (hit == NULL) {
            continue;
        }
        buf_add(b, s.ptr + from, i - from);
        buf_add_char(b, '\\');
        buf_add_char(b, escape_letters[hit - escaped_bytes]);
        from = i + 1;
    }
    buf_add(b, s.ptr + from, s.len - from);
}

/* The text behind the escapes; `s` itself where there are none. */
static bool unescape(struct arena *a, struct span s, struct span *ret)
{
    if (!span_has(s, '\\')) {
        *ret = s;
        return true;
    }
    char *const out = arena_alloc(a, s.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] != '\\') {
            out[n++] = s.ptr[i];
            continue;
        }
        i++;
        const char *const hit =
            i < s.len ? memchr(escape_letters, s.ptr[i], sizeof(escape_letters)) : NULL;
        if (hit == NULL) {
            return false;
        }
        out[n++] = escaped_bytes[hit - escape_letters];
    }
    *ret = (struct span){out, n};
    return true;
}

/* Up to the next '\n', which must be there: a cut reply is seen. A CR is data. */
static bool take_line(struct span *rest, struct span *ret)
{
    const char *const end = memchr(rest->ptr, '\n', rest->len);
    if (end == NULL) {
        return false;
    }
    const size_t n = (size_t)(end - rest->ptr);
    *ret = (struct span){rest->ptr, n};
    *rest = (struct span){rest->ptr + n + 1, rest->len - n - 1};
    return true;
}

static size_t count_byte(struct span s, char c)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        n += s.ptr[i] == c;
    }
    return n;
}

struct span reply_names(struct arena *a, const struct span *names, size_t n)
{
    struct buf b;
    buf_init(&b, a, NAMES_BYTES_MAX);
    for (size_t i = 0; i < n; i++) {
        add_escaped(&b, names[i]);
        buf_add_char(&b, '\n');
    }
    return buf_span(&b);
}

bool reply_read_names(struct arena *a, struct span s, struct host_names *ret, struct err *reterr)
{
    const size_t max = count_byte(s, '\n');
    struct span *const names = arena_calloc(a, max, sizeof(*names));
    size_t n = 0;
    while (s.len > 0) {
        struct span line;
        if (!take_line(&s, &line)) {
            return err_set(reterr, E_CORRUPT, "list of names is cut");
        }
        if (!unescape(a, line, &names[n++])) {
            return err_set(reterr, E_CORRUPT, "list of names has a bad escape");
        }
    }
    *ret = (struct host_names){.names = names, .n = n};
    return true;
}

struct span reply_uname(struct arena *a, const struct host_uname *u)
{
    const struct span lines[] = {u->sysname, u->nodename, u->release, u->version, u->machine};
    return reply_names(a, lines, ARRAY_LEN(lines));
}

bool reply_read_uname(struct arena *a, struct span s, struct host_uname *ret, struct err *reterr)
{
    struct host_names lines;
    if (!reply_read_names(a, s, &lines, reterr)) {
        return false;
    }
    if (lines.n != 5) {
        return err_set(reterr, E_CORRUPT, "reply has %zu lines instead of 5", lines.n);
    }
    *ret = (struct host_uname){.sysname = lines.names[0],
                               .nodename = lines.names[1],
                               .release = lines.names[2],
                               .version = lines.names[3],
                               .machine = lines.names[4]};
    return true;
}

void reply_rows_cell(struct buf *b, bool first, bool null, struct span text)
{
    if (!first) {
        buf_add_char(b, '\t');
    }
    if (null) {
        buf_add_text(b, "\\N");
    } else {
        add_escaped(b, text);
    }
}

void reply_rows_end_line(struct buf *b)
{
    buf_add_char(b, '\n');
}

static bool read_cell(struct arena *a, struct span piece, struct host_cell *ret)
{
    if (span_eq_text(piece, "\\N")) {
        *ret = (struct host_cell){.null = true};
        return true;
    }
    ret->null = false;
    return unescape(a, piece, &ret->text);
}

static bool read_row(struct arena *a, struct span line, size_t n_columns, struct host_cell *cells)
{
    if (count_byte(line, '\t') != n_columns - 1) {
        return false;
    }
    for (size_t i = 0; i < n_columns; i++) {
        const char *const tab = memchr(line.ptr, '\t', line.len);
        const size_t n = tab == NULL ? line.len : (size_t)(tab - line.ptr);
        if (!read_cell(a, (struct span){line.ptr, n}, &cells[i])) {
            return false;
        }
        if (tab != NULL) {
            line = (struct span){tab + 1, line.len - n - 1};
        }
    }
    return true;
}

bool reply_read_rows(struct arena *a, struct span s, struct host_rows *ret, struct err *reterr)
{
    const size_t lines = count_byte(s, '\n');
    struct span head;
    if (!take_line(&s, &head)) {
        return err_set(reterr, E_CORRUPT, "result set has no line of column names");
    }
    const size_t n_columns = count_byte(head, '\t') + 1;
    struct host_cell *const names = arena_calloc(a, n_columns, sizeof(*names));
    if (!read_row(a, head, n_columns, names)) {
        return err_set(reterr, E_CORRUPT, "result set has bad column names");
    }
    struct span *const columns = arena_calloc(a, n_columns, sizeof(*columns));
    for (size_t i = 0; i < n_columns; i++) {
        columns[i] = names[i].text;
    }
    /* Each row has n_columns - 1 tabs, else it is refused: so the product stays below the reply's
     * size. */
    if ((lines - 1) * (n_columns - 1) > s.len) {
        return err_set(reterr, E_CORRUPT, "result set has too few cells for its columns");
    }
    struct host_cell *const cells = arena_calloc(a, (lines - 1) * n_columns, sizeof(*cells));
    size_t n_rows = 0;
    struct span line;
    while (take_line(&s, &line)) {
        if (!read_row(a, line, n_columns, cells + n_rows * n_columns)) {
            return err_set(reterr, E_CORRUPT, "row %zu of the result set is broken", n_rows + 1);
        }
        n_rows++;
    }
    if (s.len > 0) {
        return err_set(reterr, E_CORRUPT, "result set is cut");
    }
    *ret = (struct host_rows){
        .columns = columns, .n_columns = n_columns, .cells = cells, .n_rows = n_rows};
    return true;
}
