/* See fstab.h. */
#include "probes/fstab.h"

#include <string.h>

#include "probes/mountinfo.h"

#include "advisor/base/banned.h"

#define ROWS_MAX 1024u

static struct span without_slashes(struct span path)
{
    while (path.len > 1 && path.ptr[path.len - 1] == '/') {
        path.len--;
    }
    return path;
}

static bool are_numbers(struct span s)
{
    return s.len == 3 && s.ptr[0] >= '0' && s.ptr[0] <= '9' && s.ptr[1] == ' ' && s.ptr[2] >= '0' &&
           s.ptr[2] <= '9';
}

void fstab_parse(struct arena *a, struct span text, struct fstab *ret)
{
    struct fstab t = {.n = 0};
    struct span line, f[4];
    while (t.n < ROWS_MAX && span_line(&text, &line)) {
        size_t n = 0;
        while (n < ARRAY_LEN(f) && span_word(&line, &f[n])) {
            n++;
        }
        const struct span numbers = span_trim(line);
        if (n < ARRAY_LEN(f) || (numbers.len > 0 && !are_numbers(numbers))) {
            continue;
        }
        t.rows = arena_list_room(a, t.rows, t.n, sizeof(*t.rows));
        t.rows[t.n++] = (struct fstab_row){
            .source = mountinfo_unescape(a, f[0]),
            .path = without_slashes(mountinfo_unescape(a, f[1])),
            .type = f[2],
            .options = mountinfo_unescape(a, f[3]),
            .numbers = numbers,
        };
    }
    *ret = t;
}

bool fstab_is_bind(const struct fstab_row *row)
{
    return mount_option(row->options, "bind", NULL) || mount_option(row->options, "rbind", NULL);
}

const struct fstab_row *fstab_by_path(const struct fstab *t, struct span path)
{
    const struct fstab_row *found = NULL;
    for (size_t i = 0; i < t->n; i++) {
        if (span_eq(t->rows[i].path, path) && !fstab_is_bind(&t->rows[i])) {
            found = &t->rows[i];
        }
    }
    return found;
}

/* udev keeps letters, digits and these; others become \xNN. Bytes of UTF-8 stay. */
static void add_label(struct buf *out, struct span label)
{
    for (size_t i = 0; i < label.len; i++) {
        const char c = label.ptr[i];
        const bool stays = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || (unsigned char)c >= 0x80 ||
                           (c != '\0' && strchr("#+-.:=@_", c) != NULL);
        if (stays) {
            buf_add_char(out, c);
        } else {
            buf_printf(out, "\\x%02x", (unsigned)(unsigned char)c);
        }
    }
}

static struct span unquoted(struct span s)
{
    const bool quotes = s.len >= 2 && (s.ptr[0] == '"' || s.ptr[0] == '\'') &&
                        s.ptr[s.len - 1] == s.ptr[0];
    return quotes ? span_sub(s, 1, s.len - 2) : s;
}

struct span fstab_device_path(struct arena *a, struct span source)
{
    static const struct {
        const char *tag, *folder;
    } tags[] = {
        {"UUID=", "by-uuid"},         {"LABEL=", "by-label"}, {"PARTUUID=", "by-partuuid"},
        {"PARTLABEL=", "by-partlabel"}, {"ID=", "by-id"},
    };
    if (span_starts(source, "/dev/") && !span_has(source, '\0')) {
        return source;
    }
    for (size_t i = 0; i < ARRAY_LEN(tags); i++) {
        if (!span_starts(source, tags[i].tag)) {
            continue;
        }
        const struct span value = unquoted(span_sub(source, strlen(tags[i].tag), source.len));
        struct buf b;
        buf_init(&b, a, 4096);
        buf_printf(&b, "/dev/disk/%s/", tags[i].folder);
        add_label(&b, value);
        return value.len == 0 || b.full ? (struct span){"", 0} : buf_span(&b);
    }
    return (struct span){"", 0};
}
