/* See wear_date.h. */
#include "rules/wear_date.h"

#include <time.h>

#include "advisor/base/banned.h"

#define DATE "device.smart.wear_out_date"
#define LEFT "device.smart.years_left"
#define FAR_SECONDS (UINT64_C(100) * 366 * 86400) /* beyond a century a day means nothing */

static struct fact unknown(enum fact_state state, const char *reason, const char *remedy)
{
    return (struct fact){.state = state, .reason = reason, .remedy = remedy};
}

/* `text` holds the day; it is borrowed by the fact. */
static struct fact day_after(const struct fact *left, int64_t clock, char text[static 16])
{
    uint64_t seconds = 0;
    struct num whole;
    struct tm tm;
    if (left->state != FACT_KNOWN) {
        return unknown(left->state, left->reason, left->remedy);
    }
    if (clock <= 0) {
        return unknown(FACT_ABSENT, "the facts do not say when they were read", "");
    }
    if (num_floor(left->value.num, &whole) != NUM_OK || !num_to_u64(whole, &seconds) ||
        seconds > FAR_SECONDS) {
        return unknown(FACT_NOT_SUPPORTED, "more than a century away", "");
    }
    const time_t then = (time_t)clock + (time_t)seconds;
    if (gmtime_r(&then, &tm) == NULL || strftime(text, 16, "%Y-%m-%d", &tm) == 0) {
        return unknown(FACT_ABSENT, "the clock is out of range", "");
    }
    return (struct fact){.state = FACT_KNOWN, .value = value_text(KIND_STRING, span_of(text))};
}

void wear_date_set(struct store *s, int64_t clock)
{
    const struct subject *const *devices = NULL;
    const size_t n = store_subjects_of(s, SUBJECT_DEVICE, &devices);
    for (size_t i = 0; i < n; i++) {
        const struct fact *const left = store_get(s, devices[i], SPAN_LIT(LEFT));
        const struct fact *const stated = store_get(s, devices[i], SPAN_LIT(DATE));
        if (left == NULL || (stated != NULL && !store_is_filled(stated))) {
            continue; /* a document, or --set, has it already */
        }
        char text[16];
        struct fact f = day_after(left, clock, text);
        f.source = "computed: the day of reading + " LEFT;
        f.derived = true;
        f.overridden = left->overridden;
        f.estimated = left->estimated;
        store_set(s, devices[i], DATE, &f);
    }
}
