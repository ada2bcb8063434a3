/* Inside rules/ only: the lines of one server with what it makes of them, for facts and for lists. */
#ifndef NVADVISE_RULES_OPTION_FACTS_H
#define NVADVISE_RULES_OPTION_FACTS_H

#include "rules/options_int.h"

struct ruleset;

#define OPTION_OTHER_LINES "server.option.other_lines"

struct option_judged {
    const struct subject *server;
    struct option_target target;
    struct optline *lines;
    struct option_reading *readings; /* one each */
    size_t n;
};

/* One counted fact and the list beside it. */
struct option_count {
    const char *count, *names;
    bool (*has)(const struct option_reading *r);
};
const struct option_count *option_count_find(const char *fact); /* by the name of the count, or NULL */

/* Flavour and version of a server; false: *ret_why is the fact that is not known, or NULL. */
bool option_target_of(const struct store *s, const struct subject *server,
                      struct option_target *ret, const struct fact **ret_why);

bool option_judged_read(const struct ruleset *rs, const struct store *s,
                        const struct subject *server, struct arena *a, struct option_judged *ret,
                        const struct fact **ret_why);

/* "NAME at FILE:LINE". */
struct span option_place_text(const char *name, const struct optline *l, struct arena *a);

/* A server's option in a group that no server reads. */
bool option_is_misplaced(const struct option_judged *j, const struct catalogue *c,
                         const struct optline *l, struct arena *a, const char **ret_name);

#endif
