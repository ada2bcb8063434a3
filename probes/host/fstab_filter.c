/* See fstab_filter.h. */
#include "probes/host/fstab_filter.h"

#include <string.h>

#include "probes/host/secret_names.h"

#include "advisor/base/banned.h"

bool fstab_is_table(const char *path)
{
    return strcmp(path, "/etc/fstab") == 0 || strcmp(path, "/proc/self/root/etc/fstab") == 0;
}

/* "user=NAME%PASSWORD", "cred=PATH", "password=…", and whatever has such a name. */
static bool is_secret(struct span name, struct span value)
{
    return secret_name_sounds(name) || span_starts(name, "pass") || span_starts(name, "cred") ||
           span_has(value, '%') || span_has(value, '@');
}

static void add_options(struct buf *out, struct span list)
{
    struct span one, name;
    bool first = true;
    while (span_split(&list, ',', &one)) {
        struct span value = one;
        if (one.len == 0) {
            continue;
        }
        buf_add_text(out, first ? "" : ",");
        first = false;
        if (!span_has(one, '=') || !span_split(&value, '=', &name) || !is_secret(name, value)) {
            buf_add_span(out, one);
            continue;
        }
        buf_add_span(out, name);
        buf_add_text(out, "=" SECRET_BLANKED);
    }
    buf_add_text(out, first ? "defaults" : "");
}

static bool is_digit_alone(struct span field)
{
    return field.len == 1 && field.ptr[0] >= '0' && field.ptr[0] <= '9';
}

/* " 0 2": one that is left out is 0. */
static void add_numbers(struct buf *out, const struct span *fields, size_t n)
{
    if (n > 0 && is_digit_alone(fields[0]) && (n == 1 || is_digit_alone(fields[1]))) {
        buf_printf(out, " %c %c", fields[0].ptr[0], n == 1 ? '0' : fields[1].ptr[0]);
    }
}

void fstab_filter(struct buf *out, struct span text)
{
    struct span line, fields[6];
    while (span_line(&text, &line)) {
        size_t n = 0;
        while (n < ARRAY_LEN(fields) && span_word(&line, &fields[n])) {
            n++;
        }
        if (n < 3 || fields[0].ptr[0] == '#') {
            continue;
        }
        if (span_has(fields[0], '@') && !span_starts(fields[0], "/")) {
            buf_add_text(out, SECRET_BLANKED);
        } else {
            buf_add_span(out, fields[0]);
        }
        for (size_t i = 1; i < 3; i++) {
            buf_add_char(out, ' ');
            buf_add_span(out, fields[i]);
        }
        buf_add_char(out, ' ');
        add_options(out, n >= 4 ? fields[3] : (struct span){"", 0});
        add_numbers(out, fields + 4, n > 4 ? n - 4 : 0);
        buf_add_char(out, '\n');
    }
}
