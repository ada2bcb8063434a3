/* Finding texts in texts: see str.h. */
#include "advisor/base/str.h"

#include <string.h>

#include "advisor/base/banned.h"

bool span_contains(struct span s, const char *piece)
{
    const size_t n = strlen(piece);
    return n == 0 || (s.len > 0 && memmem(s.ptr, s.len, piece, n) != NULL);
}

bool span_path_below(struct span path, struct span top)
{
    if (span_eq_text(top, "/")) {
        return span_starts(path, "/");
    }
    return top.len > 0 && path.len >= top.len && memcmp(path.ptr, top.ptr, top.len) == 0 &&
           (path.len == top.len || path.ptr[top.len] == '/');
}

bool span_in_words(struct span s, const char *words)
{
    struct span rest = span_of(words), one;
    while (span_split(&rest, ',', &one)) {
        if (span_eq(s, one)) {
            return true;
        }
    }
    return false;
}
