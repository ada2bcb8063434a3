/* Literals with units: no crash; what is taken prints as a literal that reads back exactly. */
#include <stdlib.h>

#include "advisor/base/units.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_reads_back(struct arena *a, struct num n, struct dim d, bool is_ratio)
{
    struct num back;
    struct dim back_dim;
    struct buf b;

    buf_init(&b, a, 400);
    units_print_literal(&b, n, d, is_ratio);
    if (!units_parse(buf_span(&b), &back, &back_dim, NULL) || back.tag != n.tag ||
        num_cmp(back, n) != 0 || !dim_eq(back_dim, d))
        abort();
    buf_init(&b, a, 400);
    units_print(&b, n, d, is_ratio);
    if (b.full || b.len == 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    const struct span s = {(const char *)data, size};
    const char *hint = NULL;
    struct num n;
    struct dim d;

    if (!units_parse(s, &n, &d, &hint))
        return 0;
    if (hint != NULL)
        abort();
    check_reads_back(a, n, d, false);
    check_reads_back(a, n, d, true);
    return 0;
}
