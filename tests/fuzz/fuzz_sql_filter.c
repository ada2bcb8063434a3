/* The filter of status texts: no crash, nothing added; filtering again takes at most more away. */
#include <stdlib.h>

#include "probes/host/sql_filter.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    const struct span text = {(const char *)data, size};
    const struct span once = sql_filter_status(a, text);
    if (once.len > size + 1) {
        abort();
    }
    const struct span twice = sql_filter_status(a, once);
    if (twice.len > once.len) {
        abort();
    }
    const size_t half = size / 2;
    (void)sql_is_secret(span_sub(text, 0, half), span_sub(text, half, size));
    return 0;
}
