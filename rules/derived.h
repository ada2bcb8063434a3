/* Derived facts: computed from other facts by formulas of the rule language. rules/derived.ini, a section
 * a fact, in any order (cycles are errors):
 *   [server.memory.limit]  scope = server, kind = bytes, formula = …, meaning = …
 *   [volume.transport_nvme] scope = volume, kind = bool, fold = all, of = device.kind == nvme, meaning = …
 *   [est.memory.fixed] … model = name of the model (makes the fact estimated)
 * A fact that the store holds already (known or stated unknown) is left as it is. A fold over an unknown
 * list of devices is unknown, over an empty one not supported. */
#ifndef NVADVISE_RULES_DERIVED_H
#define NVADVISE_RULES_DERIVED_H

#include "rules/expr.h"

struct derived {
    struct fact_decl decl;
    const struct expr *formula; /* or, with fold: `of`, evaluated per leaf */
    struct span text;
    bool folded;
    const char *model;          /* estimates, else NULL */
    unsigned line;
};

#endif
