/* InnoDB status text: no crash on any text, and what is known is a number that makes sense. */
#include <stdlib.h>

#include "probes/innodb_status.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct innodb_status *st)
{
    unsigned n = 0;
    for (enum innodb_key k = 0; k < INNODB_KEYS; k++) {
        if (!st->known[k]) {
            continue;
        }
        n++;
        if (st->value[k].tag == NUM_UNLIMITED || num_cmp(st->value[k], num_u64(0)) < 0) {
            abort();
        }
    }
    const bool age = st->known[INNODB_CHECKPOINT_AGE];
    if (n != st->n_known ||
        (age && (!st->known[INNODB_LSN] || !st->known[INNODB_LSN_CHECKPOINT])) ||
        (st->known[INNODB_SEMAPHORE_LONGEST_WAIT_SEC] && !st->known[INNODB_SEMAPHORE_WAITS]) ||
        (st->captured_at.len > 0 && !st->has_header)) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    struct innodb_status st;
    innodb_status_read(a, (struct span){(const char *)data, size}, &st);
    check(&st);
    return 0;
}
