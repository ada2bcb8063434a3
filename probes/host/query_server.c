/* Which rows of the statement table fit a server: family and version from its greeting. What the
 * server really is, is a fact of the SQL probe. */
#include "probes/host/queries.h"

#include "advisor/base/version.h"

#include "advisor/base/banned.h"

static bool has_text(struct span s, struct span word)
{
    for (size_t i = 0; i + word.len <= s.len; i++) {
        if (span_eq_nocase(span_sub(s, i, word.len), word)) {
            return true;
        }
    }
    return false;
}

bool query_server(struct span greeting, enum query_flavour *ret_flavour, uint32_t *ret_version)
{
    struct version v;
    if (!version_parse(greeting, &v)) {
        return false;
    }
    if (v.part[0] > 9999 || v.part[1] > 99 || v.part[2] > 99) {
        return false;
    }
    *ret_flavour = has_text(greeting, SPAN_LIT("mariadb")) ? QUERY_MARIADB : QUERY_MYSQL;
    *ret_version = v.part[0] * 10000 + v.part[1] * 100 + v.part[2];
    return true;
}
