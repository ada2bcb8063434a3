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
};

static const struct range ranges[] = {
    {"id-ctrl", 0, 4, STAYS},       /* VID, SSVID */
    {"id-ctrl", 4, 24, SERIAL},     /* SN */
    {"id-ctrl", 24, 72, TEXT},      /* MN, FR */
    {"id-ctrl", 72, 112, STAYS},    /* RAB to CNTRLTYPE */
    {"id-ctrl", 112, 128, UNIQUE},  /* FGUID */
    {"id-ctrl", 128, 134, STAYS},   /* CRDT */
    {"id-ctrl", 253, 384, STAYS},   /* NVMSR to the end of the admin attributes */
    {"id-ctrl", 512, 568, STAYS},   /* SQES to MAXDNA, MAXCNA */
    {"id-ctrl", 768, 1024, NQN},    /* SUBNQN */
    {"id-ctrl", 1792, 1808, STAYS}, /* fabrics */
    {"id-ctrl", 2048, 3072, STAYS}, /* power states */
    {"id-ns", 0, 104, STAYS},       {"id-ns", 104, 120, UNIQUE}, /* NGUID */
    {"id-ns", 120, 128, UNIQUE},                                 /* EUI64 */
    {"id-ns", 128, 384, STAYS},                                  /* formats */
    {"id-ns", 640, 642, STAYS},                                  /* Amazon's torn write unit */
    {"log 2 ", 0, 232, STAYS},                                   /* SMART / health */
    {"log 0 ", 0, 1024, STAYS},                                  /* which logs there are */
    {"feature ", 0, 4, STAYS},
};

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

/* "nvme0 id-ctrl", "nvme0 log 2 4294967295 512" */
void redact_nvme(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    const char *const blank = strchr(key, ' ');
    const char *const page = blank == NULL ? "" : blank + 1;
    size_t done = 0;
    for (size_t i = 0; i < ARRAY_LEN(ranges); i++) {
        const struct range *const g = &ranges[i];
        if (strncmp(page, g->page, strlen(g->page)) != 0 || g->from >= in.len) {
            continue;
        }
        for (; done < g->from; done++) {
            buf_add_char(out, '\0');
        }
        const struct span field = span_sub(in, g->from, g->to - g->from);
        add_range(r, out, field, g->treatment);
        done += field.len;
    }
    for (; done < in.len; done++) {
        buf_add_char(out, '\0');
    }
}
