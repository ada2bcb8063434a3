/* See maps_filter.h. */
#include "probes/host/maps_filter.h"

#include <string.h>

#include "advisor/base/banned.h"

#define NAMES_MAX 256u

bool maps_are_of_process(const char *path)
{
    if (strncmp(path, "/proc/", 6) != 0) {
        return false;
    }
    const size_t digits = strspn(path + 6, "0123456789");
    return digits > 0 && strcmp(path + 6 + digits, "/maps") == 0;
}

/* "7f1c-7f1d r-xp 00000000 08:01 123   /usr/lib/x.so": the rest of the line is the name. */
static bool name_of(struct span line, struct span *ret)
{
    struct span range, mode, word;
    if (!span_word(&line, &range) || !span_word(&line, &mode) || mode.len < 3 || mode.ptr[2] != 'x') {
        return false;
    }
    for (size_t i = 0; i < 3; i++) {
        if (!span_word(&line, &word)) {
            return false;
        }
    }
    line = span_trim(line);
    if (!span_starts(line, "/")) {
        return false; /* memory without a file, "[vdso]" */
    }
    while (span_has(line, '/')) {
        (void)span_split(&line, '/', &word);
    }
    *ret = line;
    return line.len > 0;
}

void maps_keep_names(struct buf *out, struct span text)
{
    struct span names[NAMES_MAX], line, name;
    size_t n = 0;
    while (n < NAMES_MAX && span_line(&text, &line)) {
        bool seen = !name_of(line, &name);
        for (size_t i = 0; i < n && !seen; i++) {
            seen = span_eq(names[i], name);
        }
        if (!seen) {
            names[n++] = name;
            buf_add_span(out, name);
            buf_add_char(out, '\n');
        }
    }
}
