/* Small readers over the seam that the storage probes share. Knows nothing of facts. */
#include "probes/sysfs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define SYSFS_PATH_MAX 1024

static bool read_path(struct host *h, struct arena *a, const char *path, struct span *ret,
                      struct err *reterr)
{
    struct span s;
    if (!host_read(h, path, HOST_SMALL, &s, reterr)) {
        return false;
    }
    *ret = span_copy(a, span_trim(s));
    return true;
}

/* host_read takes the last newline away, and with it the proof that the text is whole. */
static bool read_whole(struct host *h, const char *path, struct span *ret, struct err *reterr)
{
    const struct host_request rq = {.op = HOST_READ, .key = path, .max_bytes = HOST_SMALL};
    struct span s;
    if (!host_call(h, &rq, &s, reterr)) {
        return false;
    }
    if (s.len > 0 && s.ptr[s.len - 1] != '\n') {
        return err_set(reterr, E_CUT, "'%s' ends in the middle of a line", path);
    }
    *ret = span_trim(s);
    return true;
}

bool sysfs_whole(struct host *h, struct arena *a, const char *path, struct span *ret, struct err *reterr)
{
    struct span s;
    if (!read_whole(h, path, &s, reterr)) {
        return false;
    }
    *ret = span_copy(a, s);
    return true;
}

/* A path that does not fit names nothing. */
ATTR_PRINTF(2, 0)
static bool format_path(char *buf, const char *fmt, va_list ap, struct err *reterr)
{
    int n = vsnprintf(buf, SYSFS_PATH_MAX, fmt, ap);
    if (n < 0 || n >= SYSFS_PATH_MAX) {
        return err_set(reterr, E_TOO_BIG, "path of more than %d bytes", SYSFS_PATH_MAX - 1);
    }
    return true;
}

bool sysfs_text(struct host *h, struct arena *a, struct span *ret, struct err *reterr,
                const char *fmt, ...)
{
    char path[SYSFS_PATH_MAX];
    va_list ap;
    va_start(ap, fmt);
    bool ok = format_path(path, fmt, ap, reterr);
    va_end(ap);
    return ok && read_path(h, a, path, ret, reterr);
}

bool sysfs_u64(struct host *h, struct arena *a, uint64_t *ret, struct err *reterr, const char *fmt,
               ...)
{
    char path[SYSFS_PATH_MAX];
    va_list ap;
    va_start(ap, fmt);
    bool ok = format_path(path, fmt, ap, reterr);
    va_end(ap);
    struct span s;
    (void)a;
    if (!ok || !read_whole(h, path, &s, reterr)) {
        return false;
    }
    if (!parse_u64(s, ret)) {
        return err_set(reterr, E_SYNTAX, "'%s': '%.*s' is not a whole number", path,
                       (int)(s.len > 40 ? 40 : s.len), s.ptr);
    }
    return true;
}

struct span path_base(struct span path)
{
    size_t i = path.len;
    while (i > 0 && path.ptr[i - 1] != '/') {
        i--;
    }
    return span_sub(path, i, path.len - i);
}

struct span path_dir(struct span path)
{
    size_t i = path.len;
    while (i > 0 && path.ptr[i - 1] != '/') {
        i--;
    }
    return span_sub(path, 0, i == 0 ? 0 : i - 1);
}

static bool is_edge(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0';
}

/* Bytes that the character with this first byte takes; 0: no first byte. */
static size_t utf8_length(unsigned char c)
{
    if (c < 0x80) {
        return 1;
    }
    if (c >= 0xc2 && c <= 0xdf) {
        return 2;
    }
    if (c >= 0xe0 && c <= 0xef) {
        return 3;
    }
    return c >= 0xf0 && c <= 0xf4 ? 4 : 0;
}

struct span text_clean(struct arena *a, struct span raw)
{
    while (raw.len > 0 && is_edge(raw.ptr[0])) {
        raw = span_sub(raw, 1, raw.len - 1);
    }
    while (raw.len > 0 && is_edge(raw.ptr[raw.len - 1])) {
        raw.len--;
    }
    struct buf b;
    buf_init(&b, a, TEXT_FACT_MAX);
    for (size_t i = 0; i < raw.len && !b.full;) {
        size_t n = utf8_length((unsigned char)raw.ptr[i]);
        struct span c = span_sub(raw, i, n);
        if (n == 0 || c.len < n || raw.ptr[i] == '\0' || !span_is_utf8(c)) {
            c = SPAN_LIT("\xef\xbf\xbd");
            n = 1;
        }
        if (b.len + c.len > TEXT_FACT_MAX) {
            break;
        }
        buf_add_span(&b, c);
        i += n;
    }
    return buf_span(&b);
}

bool sysfs_name_ok(struct span name)
{
    return name.len > 0 && name.len <= 128 && !span_has(name, '/') && !span_has(name, '\0') &&
           !span_eq_text(name, ".") && !span_eq_text(name, "..");
}

bool sysfs_block_link(struct host *h, struct arena *a, struct span name, struct span *ret,
                      struct err *reterr)
{
    if (!sysfs_name_ok(name)) {
        return err_set(reterr, E_SYNTAX, "a block device of sysfs has an impossible name");
    }
    const char *path = arena_printf(a, "/sys/class/block/%.*s", SPAN_ARG(name));
    struct span target;
    if (!host_link(h, path, &target, reterr)) {
        return false;
    }
    *ret = span_copy(a, target);
    return true;
}
