/* Versions as lists of numbers. Knows no product but the replication prefix of old MariaDB. */
#include "advisor/base/version.h"

#include <string.h>

#include "advisor/base/banned.h"

#define PART_MAX 999999999u

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Take one number off *s. */
static bool take_part(struct span *s, uint32_t *ret)
{
    uint32_t v = 0;
    size_t n = 0;

    for (; n < s->len && is_digit(s->ptr[n]); n++) {
        const uint32_t d = (uint32_t)(s->ptr[n] - '0');

        if (v > (PART_MAX - d) / 10)
            return false;
        v = v * 10 + d;
    }
    if (n == 0)
        return false;
    *s = span_sub(*s, n, s->len);
    *ret = v;
    return true;
}

/* Take two to four numbers with dots between off *s. */
static bool take_version(struct span *s, struct version *ret)
{
    struct version v = {.n = 0};

    for (;;) {
        if (!take_part(s, &v.part[v.n++]))
            return false;
        if (s->len < 2 || s->ptr[0] != '.' || !is_digit(s->ptr[1]))
            break;
        if (v.n == VERSION_PARTS)
            return false;
        *s = span_sub(*s, 1, s->len);
    }
    *ret = v;
    return v.n >= 2;
}

/* May `rest` follow a version? "8.0,36" or "1.2:3" are something else, and so is "8.0.". */
static bool is_tail(struct span rest)
{
    if (rest.len == 0)
        return true;
    if (rest.ptr[0] == '.')
        return rest.len > 1 && is_letter(rest.ptr[1]);
    return is_letter(rest.ptr[0]) || memchr("-+~_ \t\r\n", rest.ptr[0], 8) != NULL;
}

bool version_parse(struct span s, struct version *ret)
{
    struct version v, behind;

    /* MariaDB 10 and 11 called themselves 5.5.5-10.x so that replicas of other makes stayed. */
    if (span_starts(s, "5.5.5-")) {
        struct span rest = span_sub(s, sizeof("5.5.5-") - 1, s.len);

        if (take_version(&rest, &behind) && is_tail(rest) && behind.part[0] >= 10) {
            *ret = behind;
            return true;
        }
    }
    if (!take_version(&s, &v) || !is_tail(s))
        return false;
    *ret = v;
    return true;
}

bool version_parse_exact(struct span s, struct version *ret)
{
    struct version v;

    if (!take_version(&s, &v) || s.len > 0)
        return false;
    *ret = v;
    return true;
}

int version_cmp(const struct version *a, const struct version *b)
{
    for (size_t i = 0; i < VERSION_PARTS; i++) {
        if (a->part[i] != b->part[i])
            return a->part[i] < b->part[i] ? -1 : 1;
    }
    return 0;
}

void version_print(struct buf *b, const struct version *v)
{
    for (unsigned i = 0; i < v->n; i++)
        buf_printf(b, "%s%u", i > 0 ? "." : "", v->part[i]);
}
