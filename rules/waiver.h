/* Waivers: findings that a site accepts for a time, with a reason. A waived finding stays in every
 * report, marked; it does not count for the exit code, and nothing is planned for it.
 *
 * A file, a section a waiver, [RULE-ID] or [RULE-ID:WORD] where a rule has several:
 *   reason      = text                 always
 *   expires     = YYYY-MM-DD           the last day it holds, UTC; at most a year ahead
 *   permanent   = yes                  instead of expires; needs an owner
 *   owner, ticket = text
 *   host, subject = glob               of the host's name; of the finding's subject or its identity
 *   when_actual = value                lapses when no fact that decided the finding has it any more
 * Ids of aliases lead to their rule. */
#ifndef NVADVISE_RULES_WAIVER_H
#define NVADVISE_RULES_WAIVER_H

#include "rules/engine.h"

#define WAIVER_YEAR_S ((int64_t)366 * 86400)  /* longest time ahead */
#define WAIVER_SOON_S ((int64_t)30 * 86400)   /* warned of from then on */

enum waiver_state {
    WAIVER_USED,      /* some finding is waived by it */
    WAIVER_UNUSED,    /* it fits no finding that fails or is unknown */
    WAIVER_EXPIRED,   /* it fits one, and is over */
    WAIVER_LAPSED,    /* it fits one, whose value is another than when_actual */
    WAIVER_ELSEWHERE, /* for other hosts */
};
const char *waiver_state_name(enum waiver_state s);

struct waiver {
    const struct rule *rule;
    const char *reason, *owner, *ticket, *host, *subject, *when_actual; /* NULL: not given */
    const char *expires; /* as written, NULL: permanent */
    int64_t end;         /* first second after it, UTC */
    unsigned line;
    enum waiver_state state;
    bool soon;           /* used, and over within 30 days */
    bool resolved;       /* `labels` count, not `host` and `subject`: a report without names */
    bool elsewhere;      /* resolved: for other hosts */
    const char *const *labels;
    size_t n_labels;
};

struct waivers {
    const char *name; /* of the file; NULL: none was read */
    struct waiver *items;
    size_t n;
    char hash[65];    /* of its text; of nothing where there is none */
};

/* Read a file's text. `today` is now, in seconds since the epoch, for dates that lie too far ahead.
 * Error: E_SYNTAX "FILE:LINE: [SECTION] …" for unknown rules (with the nearest), keys, dates that are
 * none, a waiver without reason or without an end. */
ATTR_NODISCARD bool waivers_read(struct arena *a, const char *name, struct span text,
                                 const struct ruleset *rs, int64_t today, struct waivers *ret,
                                 struct err *reterr);

/* Mark the findings (finding.waiver) and set each waiver's state. `clock`: of the facts; of now
 * where they have none. */
void waivers_apply(struct waivers *w, struct findings *f, const struct store *s, int64_t clock);

/* Find out now what host and subject mean among the subjects of `s`, and keep it under other labels:
 * `label_of` gives what a subject is called from here on. The texts of the waivers are replaced by
 * what `text_of` makes of them. For reports in which names are others than in the file. */
struct waiver_renaming {
    void *ctx;
    const char *(*label_of)(void *ctx, const char *label);
    const char *(*text_of)(void *ctx, const char *text);
};
void waivers_resolve(struct waivers *w, const struct store *s,
                     const struct waiver_renaming *renaming);

/* Does the text fit the glob: '*' any run, '?' any byte, all else itself? Always ends. */
bool waiver_glob(const char *glob, struct span text);

#endif
