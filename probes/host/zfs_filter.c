/* See zfs_filter.h. */
#include "probes/host/zfs_filter.h"

#include "advisor/base/banned.h"

#define LINES_MAX 256u /* of one name; OpenZFS 2.3 has some 80 properties, 50 features of a pool beside */

/* A line that may go out: of `name`, with a property that is not a user's own. */
static bool is_kept(struct span line, struct span name, struct span *ret_property)
{
    struct span of;
    return span_split(&line, '\t', &of) && span_eq(of, name) &&
           span_split(&line, '\t', ret_property) && line.len > 0 &&
           !span_has(*ret_property, ':') && !span_eq_text(*ret_property, "comment");
}

/* Its lines one after the other. */
static bool next_line(struct span *text, struct span name, struct span *ret, struct span *ret_property)
{
    while (span_line(text, ret)) {
        if (is_kept(*ret, name, ret_property)) {
            return true;
        }
    }
    return false;
}

static bool is_twice(struct span rest, struct span name, struct span property)
{
    struct span line, other;
    while (next_line(&rest, name, &line, &other)) {
        if (span_eq(other, property)) {
            return true;
        }
    }
    return false;
}

/* Its lines begin with the type; what a value of another dataset forged stands before that, or a second time. */
static bool is_genuine(struct span text, struct span name)
{
    struct span line, property;
    for (size_t n = 0; next_line(&text, name, &line, &property); n++) {
        if ((n == 0 && !span_eq_text(property, "type")) || n == LINES_MAX ||
            is_twice(text, name, property)) {
            return false;
        }
    }
    return true;
}

static void add_lines(struct buf *b, struct span text, struct span name)
{
    struct span line, property;
    while (next_line(&text, name, &line, &property)) {
        buf_add_span(b, line);
        buf_add_char(b, '\n');
    }
}

struct span zfs_filter(struct arena *a, struct span text, struct span names)
{
    struct span rest = names, name;
    struct buf b;
    buf_init(&b, a, text.len + 1);
    while (span_split(&rest, ' ', &name)) {
        if (name.len == names.len || is_genuine(text, name)) {
            add_lines(&b, text, name);
        }
    }
    return buf_span(&b);
}
