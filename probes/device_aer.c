/* Device, theme errors of the link: what advanced error reporting has counted since boot, by name, at the
 * controller and at the port above. An error may be counted at one end and be none at the other. */
#include "advisor/base/parse.h"
#include "probes/device.h"
#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define COUNTERS_MAX 64u

struct aer {
    struct span items[COUNTERS_MAX];
    size_t n;
    uint64_t correctable, bad; /* totals of both ends */
};

/* Lines "NAME COUNT", the last of them "TOTAL_ERR_… COUNT". */
static bool read_counters(struct device *d, const char *where, const char *file, const char *kind,
                          const char *total, struct aer *aer, uint64_t *sum, struct err *reterr)
{
    struct span text, line, word;
    uint64_t v = 0;
    if (!sysfs_text(d->ctx->host, d->ctx->arena, &text, reterr, "/sys/class/nvme/%s/device/%s",
                    d->disk.controllers[0], file)) {
        return false;
    }
    while (span_line(&text, &line)) {
        if (!span_word(&line, &word) || !parse_u64(span_trim(line), &v)) {
            continue;
        }
        if (span_eq_text(word, total)) {
            *sum = v > UINT64_MAX - *sum ? UINT64_MAX : *sum + v;
            return true;
        }
        if (v > 0 && aer->n < COUNTERS_MAX) {
            aer->items[aer->n++] =
                span_of(arena_printf(d->ctx->arena, "%s:%s:%.*s:%llu", where, kind, SPAN_ARG(word),
                                     (unsigned long long)v));
        }
    }
    return err_set(reterr, E_SYNTAX, "'%s' has no line %s", file, total);
}

static void set_missing(struct device *d, const char *name, const struct err *e)
{
    set_unknown(d->ctx, name,
                e->code == E_ABSENT ? FACT_NOT_SUPPORTED : fact_state_from_err(e->code),
                "aer_dev_*", "", e->text);
}

/* Both ends. A port without error reporting, or none (in a guest), adds nothing. */
static bool read_both(struct device *d, const char *file, const char *kind, const char *total,
                      struct aer *aer, uint64_t *sum, struct err *reterr)
{
    struct err port = ERR_INIT;
    if (!read_counters(d, "device", file, kind, total, aer, sum, reterr)) {
        return false;
    }
    if (!read_counters(d, "port", arena_printf(d->ctx->arena, "../%s", file), kind, total, aer, sum,
                       &port) &&
        port.code != E_ABSENT) {
        *reterr = port;
        return false;
    }
    return true;
}

void device_read_aer(struct device *d)
{
    struct err e = ERR_INIT;
    struct aer aer = {.n = 0};
    const bool bad =
        read_both(d, "aer_dev_fatal", "fatal", "TOTAL_ERR_FATAL", &aer, &aer.bad, &e) &&
        read_both(d, "aer_dev_nonfatal", "nonfatal", "TOTAL_ERR_NONFATAL", &aer, &aer.bad, &e);
    if (bad) {
        set_u64(d->ctx, "device.pci.aer_fatal", KIND_COUNT, aer.bad,
                "aer_dev_fatal, aer_dev_nonfatal");
    } else {
        set_missing(d, "device.pci.aer_fatal", &e);
    }
    if (bad && read_both(d, "aer_dev_correctable", "correctable", "TOTAL_ERR_COR", &aer,
                         &aer.correctable, &e)) {
        set_u64(d->ctx, "device.pci.aer_correctable", KIND_COUNT, aer.correctable,
                "aer_dev_correctable");
        set_words(d->ctx, "device.pci.aer_counters", KIND_LIST, aer.items, aer.n, "aer_dev_*");
    } else {
        set_missing(d, "device.pci.aer_correctable", &e);
        set_missing(d, "device.pci.aer_counters", &e);
    }
}
