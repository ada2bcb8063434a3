/* Live PCI configuration space: a few bytes at a time of the first 256, by pread, since some devices do
 * not bear being read where nothing is. Knows nothing of what they mean. */
#include "probes/host/live.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define CONFIG_BYTES 256u
#define ONCE_MAX 64u

static bool is_config(struct span path)
{
    static const char tail[] = "/config";
    const size_t n = sizeof(tail) - 1;
    return span_starts(path, "/sys/") && path.len > n &&
           span_eq_text(span_sub(path, path.len - n, n), tail);
}

/* "OFFSET BYTES PATH" */
static bool read_key(const char *key, uint64_t *offset, uint64_t *bytes, struct span *path)
{
    struct span rest = span_of(key), first, second;
    if (!span_split(&rest, ' ', &first) || !span_split(&rest, ' ', &second) ||
        !parse_u64(first, offset) || !parse_u64(second, bytes)) {
        return false;
    }
    *path = rest;
    return *bytes > 0 && *bytes <= ONCE_MAX && *bytes % 4 == 0 && *offset % 4 == 0 &&
           *offset <= CONFIG_BYTES - *bytes && is_config(rest);
}

bool live_pci(struct live *l, const char *key, struct span *ret, struct err *reterr)
{
    uint64_t offset = 0, bytes = 0;
    struct span path;
    if (!read_key(key, &offset, &bytes, &path)) {
        return err_set(reterr, E_USAGE, "no such part of a file is ever read: '%s'", key);
    }
    const char *const name = span_dup(l->arena, path);
    FD_AUTO fd = live_open_regular(l, name, reterr);
    if (fd < 0) {
        return false;
    }
    char *const page = arena_alloc(l->arena, bytes);
    const ssize_t n = pread(fd, page, bytes, (off_t)offset);
    if (n < 0) {
        return live_fail(reterr, errno, "read", name);
    }
    *ret = (struct span){page, (size_t)n};
    return true;
}
