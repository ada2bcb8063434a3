/* Profiles and the site's configuration: who may change parameters, and nothing else.
 *
 * rules/profiles.ini, a section a profile:
 *   meaning  = one line
 *   based_on = PROFILE                what it begins with; read before it
 *   requires = bench, sample, root, history: rules that wait for these are unknown without them, not
 *              merely not measured
 *   PARAMETER = VALUE                 as a literal of the parameter's kind, inside its range
 * The site's configuration, nvadvise.conf:
 *   [nvadvise]          profile = NAME, waivers = FILE (absolute)
 *   [parameters]        PARAMETER = VALUE, over those of the profile
 *   [profile NAME]      a profile of the site's own, with the keys above */
#ifndef NVADVISE_RULES_PROFILE_H
#define NVADVISE_RULES_PROFILE_H

#include "advisor/base/ini.h"
#include "rules/ruleset.h"

struct profile_value {
    size_t param; /* index in the rule set's params */
    struct value value;
};

struct profile {
    const char *name, *meaning, *origin; /* "built in", or the file it stands in */
    unsigned requires;                   /* enum need bits, those of based_on included */
    struct profile_value *values;        /* likewise; the last of a parameter counts */
    size_t n_values;
};

struct profiles {
    struct profile *items; /* built in ones first */
    size_t n;
    const char *chosen;    /* by the site's configuration, or NULL */
    const char *waivers;   /* file that it names, or NULL */
    struct profile_value *site; /* [parameters] */
    size_t n_site;
    const char *site_name;
};

/* Read the built-in profiles (`builtin`) and, where there is one, the site's configuration, against the
 * parameters of `rs`. Error: E_SYNTAX "FILE:LINE: [SECTION] …" for unknown keys, parameters (with the
 * nearest name), values out of range, profiles that are there already or not there. */
ATTR_NODISCARD bool profiles_load(struct arena *a, const struct ruleset *rs,
                                  const struct ini_file *builtin, const struct ini_file *site,
                                  struct profiles *ret, struct err *reterr);

const struct profile *profiles_find(const struct profiles *p, const char *name); /* or NULL */

/* Set the parameters of the rule set: of the profile `name` (NULL: the site's choice, else "durable"),
 * then the site's own; each with its origin. rs->required becomes what the profile requires. Error:
 * E_USAGE naming the profiles there are. */
ATTR_NODISCARD bool profiles_apply(const struct profiles *p, const char *name, struct ruleset *rs,
                                   const struct profile **ret, struct err *reterr);

#endif
