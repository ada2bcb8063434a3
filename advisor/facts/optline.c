/* Words of option lines, both ways. Must not know what an option means. */
#include "advisor/facts/optline.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "advisor/facts/percent.h"

#include "advisor/base/banned.h"

void optline_print(struct buf *b, const struct optline *l)
{
    percent_put(b, l->file, ":");
    buf_printf(b, ":%u:[", l->line);
    percent_put(b, l->group, "]");
    buf_add_char(b, ']');
    percent_put(b, l->name, "=");
    if (l->has_value) {
        buf_add_char(b, '=');
        percent_put(b, l->value, "%");
    }
}

/* The text up to `stop`, which must be there; it is taken off with it. */
static bool cut(struct span *rest, char stop, struct span *ret)
{
    const char *at = rest->len > 0 ? memchr(rest->ptr, stop, rest->len) : NULL;
    if (at == NULL) {
        return false;
    }
    *ret = (struct span){rest->ptr, (size_t)(at - rest->ptr)};
    *rest = span_sub(*rest, ret->len + 1, rest->len);
    return true;
}

bool optline_read(struct arena *a, struct span word, struct optline *ret)
{
    struct optline l = {.line = 0};
    struct span file, line, group, name, rest = word;
    uint64_t number;
    if (!cut(&rest, ':', &file) || file.len == 0 || !cut(&rest, ':', &line) ||
        !parse_u64(line, &number) || number > UINT32_MAX) {
        return false;
    }
    if (!span_starts(rest, "[")) {
        return false;
    }
    rest = span_sub(rest, 1, rest.len);
    if (!cut(&rest, ']', &group)) {
        return false;
    }
    l.has_value = cut(&rest, '=', &name);
    if (!l.has_value) {
        name = rest;
    } else if (!percent_take(a, rest, &l.value)) {
        return false;
    }
    if (!percent_take(a, file, &l.file) || !percent_take(a, group, &l.group) || !percent_take(a, name, &l.name)) {
        return false;
    }
    l.line = (unsigned)number;
    *ret = l;
    return true;
}

void optline_place(struct buf *b, const struct optline *l)
{
    if (span_eq_text(l->group, OPTLINE_PERSISTED)) {
        buf_add_text(b, "mysqld-auto.cnf");
    } else if (span_eq_text(l->file, OPTLINE_COMMAND_LINE)) {
        buf_add_text(b, "command line");
    } else if (span_eq_text(l->file, OPTLINE_ENVIRONMENT)) {
        buf_add_text(b, "environment");
    } else {
        buf_add_span(b, l->file);
        buf_printf(b, ":%u", l->line);
    }
}
