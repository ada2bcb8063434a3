/* See zfs_filter.h. */
#include "probes/host/zfs_filter.h"

#include "advisor/base/banned.h"

struct span zfs_filter(struct arena *a, struct span text, struct span name)
{
    struct span line;
    struct buf b;
    buf_init(&b, a, text.len + 1);
    while (span_line(&text, &line)) {
        struct span rest = line, of, property;
        const bool known_form = span_split(&rest, '\t', &of) && span_eq(of, name) &&
                                span_split(&rest, '\t', &property) && rest.len > 0;
        if (known_form && !span_has(property, ':') && !span_eq_text(property, "comment")) {
            buf_add_span(&b, line);
            buf_add_char(&b, '\n');
        }
    }
    return buf_span(&b);
}
