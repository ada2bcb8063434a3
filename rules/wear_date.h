/* The day on which a drive's rated life ends. The language of rules has no dates: this is the one
 * place. */
#ifndef NVADVISE_RULES_WEAR_DATE_H
#define NVADVISE_RULES_WEAR_DATE_H

#include "advisor/facts/store.h"

/* For each drive "YYYY-MM-DD" as device.smart.wear_out_date: `clock`, when the facts were read
 * (seconds since 1970, UTC; 0: not known), and device.smart.years_left after it. Unknown for the
 * reason that those are. The drive is taken to stay powered on, and the load to stay as it was.
 * After engine_derive. */
void wear_date_set(struct store *s, int64_t clock);

#endif
