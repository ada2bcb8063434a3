/* Version reader: no crash; what it takes prints as a version that reads back the same. */
#include <stdlib.h>

#include "advisor/base/version.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    const struct span s = {(const char *)data, size};
    struct version v, again, exact;
    struct buf b;

    if (!version_parse(s, &v)) {
        if (version_parse_exact(s, &v))
            abort();
        return 0;
    }
    if (v.n < 2 || v.n > VERSION_PARTS)
        abort();
    buf_init(&b, a, 64);
    version_print(&b, &v);
    if (b.full || !version_parse_exact(buf_span(&b), &again) || again.n != v.n ||
        version_cmp(&v, &again) != 0)
        abort();
    if (version_parse_exact(s, &exact) && version_cmp(&v, &exact) != 0)
        abort();
    return 0;
}
