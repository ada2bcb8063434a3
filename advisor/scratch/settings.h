/* What a scratch server is started with: the module's own settings, and of the real server's
 * options those that the catalogue lets a scratch instance have. Never another: no path, no
 * network, no replication. */
#ifndef NVADVISE_ADVISOR_SCRATCH_SETTINGS_H
#define NVADVISE_ADVISOR_SCRATCH_SETTINGS_H

#include "advisor/facts/optline.h"
#include "rules/catalogue.h"

/* How `scratch = scale` rows are made smaller. */
struct scratch_scale {
    double factor; /* of the value, above 0, at most 1 */
    uint64_t most; /* bytes, after the factor; never below what the variable's range allows */
};

struct scratch_setting {
    const char *name;  /* canonical */
    const char *arg;   /* "--name=value" */
    const char *asked; /* the value as the line has it */
    bool scaled;       /* the value is not the one that was asked for */
    bool valueless;    /* the line has no value: the name alone */
    const struct optline *line;
};

/* The lines that may be copied, the last of each variable, in the order of the lines. */
size_t scratch_settings(const struct catalogue *c, enum flavour f, const struct version *v,
                        const struct optline *lines, size_t n, const struct scratch_scale *scale,
                        struct arena *a, struct scratch_setting **ret);

/* The name of an option as the catalogue spells it: lower case, '_', without loose_. skip_X,
 * disable_X and enable_X of a boolean give X and *ret_value "0" or "1" (else NULL); maximum_X gives
 * NULL. */
const char *option_canonical(const struct catalogue *c, struct span name, struct arena *a,
                             const char **ret_value);

/* What stands before the copied settings: no option files, and what a scratch server does without
 * as long as no copied setting asks for it. */
size_t scratch_first_settings(const char *const **ret);

/* The module's own settings for a server whose folder is `own`; NULL at the end of the list. They
 * follow the copied ones, so that they win. */
struct own_settings {
    enum flavour flavour;
    const char *own; /* folder */
    bool as_root;    /* the server itself runs as root: it wants to be told so */
    bool grants;     /* MariaDB: the datadir has grant tables */
};
size_t scratch_own_settings(const struct own_settings *o, struct arena *a, const char ***ret);

#endif
