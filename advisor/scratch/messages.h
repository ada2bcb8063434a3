/* What a server says of its options, on its error stream or in its error log. */
#ifndef NVADVISE_ADVISOR_SCRATCH_MESSAGES_H
#define NVADVISE_ADVISOR_SCRATCH_MESSAGES_H

#include "advisor/scratch/validate.h"

enum message_level { MESSAGE_PLAIN, MESSAGE_NOTE, MESSAGE_WARNING, MESSAGE_ERROR };

struct server_message {
    enum message_level level;
    struct span text; /* without time, thread, level, number and part; of the caller's bytes */
    struct span name; /* the option that is spoken of, as it is written there; empty = none */
    enum complaint_kind kind; /* of a warning or error */
    bool follows; /* comes of no option: of an error before it, or of a limit of this run */
};

/* Take one line apart. MySQL from 5.7, MariaDB. false: an empty line. */
bool server_message_read(struct span line, struct server_message *ret);

/* All lines of a text that are warnings or errors; at most `max`, the first ones. */
size_t server_messages(struct arena *a, struct span text, size_t max, struct server_message **ret);

/* The values that --help --verbose prints behind its dashed line: "name  value". */
struct shown_value {
    struct span name, value; /* name with '-' as it is printed; value "" for "(No default value)" */
};
size_t shown_values(struct arena *a, struct span text, struct shown_value **ret);

/* Rows "name TAB value" as INTO OUTFILE writes them. */
size_t dumped_values(struct arena *a, struct span text, struct shown_value **ret);

/* Are they the same option? '-' is '_', case does not count, loose_ and a leading -- are left
 * aside. */
bool option_name_same(struct span a, struct span b);

#endif
