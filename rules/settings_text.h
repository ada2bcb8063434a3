/* Rows of rules/settings.ini as text, for people. */
#ifndef NVADVISE_RULES_SETTINGS_TEXT_H
#define NVADVISE_RULES_SETTINGS_TEXT_H

#include "rules/catalogue.h"
#include "rules/settings.h"

struct setting_view {
    const char *name, *meaning;
    bool intermediate;           /* a value in between, never written */
    const char *place;           /* "option file", "sysctl", … */
    const char *formula;         /* of the target, or of the value in between; "" where each owner has its own */
    const char *first_steps;     /* formulas, "; " between them; "" */
    const char *keep;            /* the band in which a value stays as it is; "" */
    const char *const *owners;   /* rule ids, first one first */
    size_t n_owners;
    const char *variables[FLAVOURS]; /* as written for the flavour; "" for a host setting */
    const struct expr_ref *const *params; /* that its formulas name */
    size_t n_params;
};

/* By name, with or without "plan."; false: there is none. */
bool settings_describe(const struct ruleset *rs, struct span name, struct arena *a,
                       struct setting_view *ret);

/* Names of all rows, in the order of the file. */
const char *settings_name_at(const struct ruleset *rs, size_t i);

#endif
