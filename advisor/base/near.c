/* Edit distance between words. Knows nothing of what the words are. */
#include "advisor/base/near.h"

#include "advisor/base/banned.h"

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned min_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned near_distance(struct span a, struct span b)
{
    unsigned rows[3][NEAR_WORD_MAX + 1]; /* row i stands in rows[i % 3]: two back is enough */
    if (a.len > NEAR_WORD_MAX || b.len > NEAR_WORD_MAX) {
        return NEAR_WORD_MAX;
    }
    for (unsigned j = 0; j <= b.len; j++) {
        rows[0][j] = j;
    }
    for (unsigned i = 1; i <= a.len; i++) {
        unsigned *const now = rows[i % 3];
        const unsigned *const above = rows[(i + 2) % 3], *const two_above = rows[(i + 1) % 3];
        now[0] = i;
        for (unsigned j = 1; j <= b.len; j++) {
            const char x = lower(a.ptr[i - 1]), y = lower(b.ptr[j - 1]);
            now[j] = min_of(above[j - 1] + (x == y ? 0 : 1), min_of(above[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && x == lower(b.ptr[j - 2]) && y == lower(a.ptr[i - 2])) {
                now[j] = min_of(now[j], two_above[j - 2] + 1);
            }
        }
    }
    return rows[a.len % 3][b.len];
}
