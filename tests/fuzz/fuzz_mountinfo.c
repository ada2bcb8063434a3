/* mountinfo: no crash on any text; what is found lies in the table, and every lookup keeps its word. */
#include <stdlib.h>

#include "probes/mountinfo.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_row(const struct mountinfo *mi, const struct mount *m)
{
    const struct mount *found = mountinfo_by_id(mi, m->id);
    bool exact = false;
    struct span value;
    if (found == NULL || found->id != m->id) {
        abort();
    }
    found = mountinfo_by_device(mi, m->major, m->minor, m->mountpoint, &exact);
    if (found == NULL || found->major != m->major || found->minor != m->minor) {
        abort();
    }
    found = mountinfo_by_path(mi, m->mountpoint);
    if (m->mountpoint.len > 0 && m->mountpoint.ptr[0] == '/' &&
        (found == NULL || found->mountpoint.len > m->mountpoint.len)) {
        abort();
    }
    if (mount_option(m->super, "discard", &value) && value.len > m->super.len) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    struct mountinfo mi;
    mountinfo_parse(a, (struct span){(const char *)data, size}, &mi);
    for (size_t i = 0; i < mi.n && i < 64; i++) {
        check_row(&mi, &mi.rows[i]);
    }
    return 0;
}
