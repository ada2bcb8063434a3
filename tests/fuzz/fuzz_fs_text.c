/* What filesystems, the process's map and control groups tell: the first byte says which. No crash;
 * what was taken out stays out; what was read is within its bounds, and limits only ever fall. */
#include <stdlib.h>
#include <string.h>

#include "probes/cgroup_io.h"
#include "probes/ext_super.h"
#include "probes/fstab.h"
#include "probes/host/fstab_filter.h"
#include "probes/host/maps_filter.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
    if (!ok) {
        abort();
    }
}

static void fuzz_table(struct arena *a, struct span text)
{
    struct buf once, twice;
    struct fstab t;
    buf_init(&once, a, text.len * 4 + 64);
    fstab_filter(&once, text);
    check(!once.full);
    buf_init(&twice, a, once.len * 4 + 64);
    fstab_filter(&twice, buf_span(&once));
    check(span_eq(buf_span(&once), buf_span(&twice)));
    fstab_parse(a, buf_span(&once), &t);
    check(t.n <= 1024);
    for (size_t i = 0; i < t.n; i++) {
        const struct span path = fstab_device_path(a, t.rows[i].source);
        check(path.len == 0 || span_starts(path, "/dev/"));
        check(!span_has(path, '\0'));
        (void)fstab_by_path(&t, t.rows[i].path);
    }
}

static void fuzz_super(struct span raw)
{
    struct ext_super s;
    struct err err = ERR_INIT;
    if (ext_super_read(raw, &s, &err)) {
        check(s.blocks > 0 && s.reserved <= s.blocks && s.block_bytes >= 1024);
        check(s.block_bytes <= 65536 && s.cluster_bytes >= s.block_bytes);
        check(s.cluster_bytes <= (uint64_t)1 << 30 && !(s.external && s.has_journal_bytes));
    }
}

static void fuzz_limits(struct arena *a, struct span text, bool v2)
{
    struct cgroup_io_list list = {.n = 0};
    const bool ok = v2 ? cgroup_io_add_max(a, text, &list)
                       : cgroup_io_add_throttle(a, text, CGROUP_IO_WRITES, &list);
    check(list.n <= CGROUP_IO_MAX);
    if (!ok) {
        return;
    }
    struct cgroup_io *before = arena_calloc(a, list.n + 1, sizeof(*before));
    if (list.n > 0) {
        memcpy(before, list.list, list.n * sizeof(*before));
    }
    const size_t n = list.n;
    check(v2 ? cgroup_io_add_max(a, text, &list)
             : cgroup_io_add_throttle(a, text, CGROUP_IO_WRITES, &list));
    check(list.n == n); /* the same again says nothing new */
    for (size_t i = 0; i < n; i++) {
        check(num_cmp(before[i].read_bytes, list.list[i].read_bytes) == 0);
        check(num_cmp(before[i].writes, list.list[i].writes) == 0);
    }
}

static void fuzz_maps(struct arena *a, struct span text)
{
    struct buf out;
    buf_init(&out, a, text.len + 8);
    maps_keep_names(&out, text);
    check(!out.full && !span_has(buf_span(&out), '/'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    if (size == 0) {
        return 0;
    }
    const struct span text = {(const char *)data + 1, size - 1};
    switch (data[0]) {
    case 'f':
        fuzz_table(a, text);
        break;
    case 's':
        fuzz_super(text);
        break;
    case 'm':
        fuzz_maps(a, text);
        break;
    case '1':
        fuzz_limits(a, text, false);
        break;
    default:
        fuzz_limits(a, text, true);
        break;
    }
    return 0;
}
