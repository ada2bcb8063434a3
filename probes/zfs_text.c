/* See zfs_text.h. */
#include "probes/zfs_text.h"

#include "advisor/base/banned.h"

/* The first line of a property: its value, and in *ret_rest what stands behind. */
static bool find(struct span text, const char *property, struct span *ret, struct span *ret_rest)
{
    struct span line;
    while (span_line(&text, &line)) {
        struct span rest = line, field;
        if (span_split(&rest, '\t', &field) && span_split(&rest, '\t', &field) &&
            span_eq_text(field, property) && span_split(&rest, '\t', &field)) {
            *ret = span_trim(field);
            *ret_rest = rest;
            return true;
        }
    }
    return false;
}

bool zfs_property(struct span text, const char *property, struct span *ret)
{
    struct span rest;
    return find(text, property, ret, &rest) && ret->len > 0 && !span_eq_text(*ret, "-");
}

struct span zfs_lines(struct arena *a, struct span text, const char *dataset)
{
    struct span line;
    struct buf b;
    buf_init(&b, a, text.len + 2);
    while (span_line(&text, &line)) {
        struct span rest = line, name;
        if (span_split(&rest, '\t', &name) && span_eq_text(name, dataset)) {
            buf_add_span(&b, line);
            buf_add_char(&b, '\n');
        }
    }
    return buf_span(&b);
}

struct span zfs_property_origin(struct span text, const char *property)
{
    struct span value, rest, word;
    if (find(text, property, &value, &rest) && span_word(&rest, &word)) {
        return word;
    }
    return (struct span){"", 0};
}
