/* NVMe pages, byte by byte: what the specification defines as numbers stays; serial numbers, names
 * and unique identifiers become pseudonyms; vendors' areas and pages that nobody here decodes
 * become zeros. Offsets from the NVM Express base specification 2.1 and the NVM command set
 * specification 1.1. */
#include "probes/host/redact_parts.h"

#include <string.h>

#include "advisor/base/banned.h"

enum treatment { STAYS, SERIAL, TEXT, NQN, UNIQUE };

struct range {
    const char *page; /* as the key's second word begins */
    size_t from, to;  /* [from, to) */
    enum treatment treatment;
    size_t every, times; /* of `times` records `every` bytes apart */
};
#define ONCE(page, from, to, treatment) MANY(page, from, to, treatment, 0, 1)
#define MANY(page, from, to, treatment, every, times)                                              \
    {                                                                                              \
        (page), (from), (to), (treatment), (every), (times)                                        \
    }

static const struct range ranges[] = {
    ONCE("id-ctrl", 0, 4, STAYS), /* VID, SSVID */
    ONCE("id-ctrl", 4, 24, SERIAL), /* SN */
    ONCE("id-ctrl", 24, 72, TEXT), /* MN, FR */
    ONCE("id-ctrl", 72, 112, STAYS), /* RAB to CNTRLTYPE */
    ONCE("id-ctrl", 112, 128, UNIQUE), /* FGUID */
    ONCE("id-ctrl", 128, 134, STAYS), /* CRDT */
    ONCE("id-ctrl", 253, 384, STAYS), /* NVMSR to the end of the admin attributes */
    ONCE("id-ctrl", 512, 568, STAYS), /* SQES to MAXDNA, MAXCNA */
    ONCE("id-ctrl", 768, 1024, NQN), /* SUBNQN */
    ONCE("id-ctrl", 1792, 1808, STAYS), /* fabrics */
    ONCE("id-ctrl", 2048, 3072, STAYS), /* power states */
    ONCE("id-ns", 0, 104, STAYS),
    ONCE("id-ns", 104, 120, UNIQUE), /* NGUID */
    ONCE("id-ns", 120, 128, UNIQUE), /* EUI64 */
    ONCE("id-ns", 128, 384, STAYS), /* formats */
    ONCE("id-ns", 640, 642, STAYS), /* Amazon's torn write unit */
    ONCE("log 2 ", 0, 232, STAYS), /* SMART / health */
    ONCE("log 0 ", 0, 1024, STAYS), /* which logs there are */
    MANY("log 1 ", 0, 42, STAYS, 64, 64), /* entries of the error log */
    ONCE("log 3 ", 0, 1, STAYS), /* slot in force, slot to come */
    MANY("log 3 ", 8, 16, TEXT, 8, 7), /* firmware revisions */
    ONCE("log 6 ", 0, 4, STAYS), /* self-test at work */
    MANY("log 6 ", 4, 30, STAYS, 28, 20), /* results, less the maker's bytes */
    ONCE("log 9 ", 0, 192, STAYS), /* endurance group */
    ONCE("log 34 ", 0, 48, STAYS), /* data placement counters */
    ONCE("log 129 ", 0, 32, STAYS), /* sanitize */
    ONCE("feature ", 0, 4, STAYS),
    ONCE("feature-data 12 ", 0, 260, STAYS), /* power state transitions */
    ONCE("feature-data 13 ", 0, 8, STAYS), /* host memory: on or off, its size */
};

/* Of makers: what is decoded, and only behind the signature that says whose it is. */
static const struct range ocp_ranges[] = {
    ONCE("log 192 ", 0, 200, STAYS), /* counters */
    ONCE("log 192 ", 224, 232, STAYS), /* mean erasures */
    ONCE("log 192 ", 494, 512, STAYS), /* version, signature */
};
static const struct range intel_ranges[] = {
    ONCE("log 202 ", 0, 504, STAYS), /* items: key, normalised, raw value */
};
static const struct range amazon_ranges[] = {
    ONCE("log 208 ", 0, 96, STAYS), /* counters */
};

struct ranges {
    const struct range *list;
    size_t n;
};

#define RANGES(list) ((struct ranges){(list), ARRAY_LEN(list)})

/* The same text in as many bytes, filled up with `fill`. */
static void add_padded(struct redactor *r, struct buf *out, struct span field, char fill,
                       enum treatment treatment)
{
    ARENA_AUTO scratch = arena_new();
    struct buf made;
    buf_init(&made, scratch, 4096);
    const char *const nul = memchr(field.ptr, '\0', field.len);
    const struct span text =
        span_sub(field, 0, nul == NULL ? field.len : (size_t)(nul - field.ptr));
    if (treatment == SERIAL) {
        redact_add_whole(r, &made, text);
    } else if (treatment == NQN) {
        redact_add_text(r, &made, text, &redact_path);
    } else {
        redact_add_kept(r, &made, text);
    }
    for (size_t i = 0; i < field.len; i++) {
        buf_add_char(out, i < made.len ? made.ptr[i] : nul != NULL ? '\0' : fill);
    }
}

static void add_range(struct redactor *r, struct buf *out, struct span field, enum treatment t)
{
    switch (t) {
    case STAYS:
        buf_add_span(out, field);
        break;
    case UNIQUE:
        redact_add_bytes(r, out, field);
        break;
    case SERIAL:
    case TEXT:
        add_padded(r, out, field, ' ', t);
        break;
    case NQN:
        add_padded(r, out, field, '\0', t);
        break;
    }
}

static bool bytes_are(struct span in, size_t at, const char *want, size_t n)
{
    return in.len >= at + n && memcmp(in.ptr + at, want, n) == 0;
}

/* The signature of Amazon's counters, and that of the Open Compute Project's page. Items
 * of Intel's page begin with a key; the first is one of two. */
static struct ranges ranges_of(const char *page, struct span in)
{
    static const char guid[] = "\xc5\xaf\x10\x28\xea\xbf\xf2\xa4\x9c\x4f\x6f\x7c\xc9\x14\xd5\xaf";
    if (strncmp(page, "log 192 ", 8) == 0) {
        return bytes_are(in, 496, guid, sizeof(guid) - 1) ? RANGES(ocp_ranges)
                                                          : (struct ranges){NULL, 0};
    }
    if (strncmp(page, "log 202 ", 8) == 0) {
        return bytes_are(in, 0, "\xab", 1) || bytes_are(in, 0, "\x05", 1)
                   ? RANGES(intel_ranges)
                   : (struct ranges){NULL, 0};
    }
    if (strncmp(page, "log 208 ", 8) == 0) {
        return bytes_are(in, 0, "\x10\xb5\x23\x3c", 4) || bytes_are(in, 0, "\x7e\x0d\x2c\xec", 4)
                   ? RANGES(amazon_ranges)
                   : (struct ranges){NULL, 0};
    }
    return RANGES(ranges);
}

/* Zeros up to `from`, then the field; *done counts what was written. */
static void add_at(struct redactor *r, struct buf *out, struct span in, const struct range *g,
                   size_t shift, size_t *done)
{
    const size_t from = g->from + shift;
    if (from >= in.len || from < *done) {
        return;
    }
    for (; *done < from; (*done)++) {
        buf_add_char(out, '\0');
    }
    const struct span field = span_sub(in, from, g->to - g->from);
    add_range(r, out, field, g->treatment);
    *done += field.len;
}

/* "nvme0 id-ctrl", "nvme0 log 2 4294967295 512" */
void redact_nvme(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    const char *const blank = strchr(key, ' ');
    const char *const page = blank == NULL ? "" : blank + 1;
    const struct ranges all = ranges_of(page, in);
    size_t done = 0;
    for (size_t i = 0; i < all.n; i++) {
        const struct range *const g = &all.list[i];
        if (strncmp(page, g->page, strlen(g->page)) != 0) {
            continue;
        }
        for (size_t k = 0; k < g->times; k++) {
            add_at(r, out, in, g, k * g->every, &done);
        }
    }
    for (; done < in.len; done++) {
        buf_add_char(out, '\0');
    }
}
