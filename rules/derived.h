/* Derived facts: computed from other facts by formulas of the rule language. rules/derived.ini, a section
 * a fact, in any order (cycles are errors):
 *   [server.memory.limit]  scope = server, kind = bytes, formula = …, meaning = …
 *   [volume.transport_nvme] scope = volume, kind = bool, fold = all, of = device.kind == nvme, meaning = …
 *   [est.memory.fixed] … model = name of the model (makes the fact estimated)
 * and, where wanted:
 *   over = FACT              with fold: over the devices that this set of the volume names, not over its leaves
 *   applies = condition      known false: the fact is not supported here
 *   join = same | all | any | min | max | sum   how several subjects of it answer one question
 *   values = words           of an enum
 *   needs = bench, sample, root, history
 *   twin = FACT              estimates only: the measured fact that this one stands in for
 *   otherwise = formula      estimates only: used where the formula only waits for a measurement;
 *   otherwise_when = condition (known true) under which it may be used
 *   param.NAME = …           as in rule files
 * A fact that the store holds already (known or stated unknown) is left as it is. A fold over an unknown
 * list of devices is unknown, over an empty one not supported. A name that a probe declares as well is
 * computed where the probe did not set it. Conditions of rules may not rest on an `otherwise`: it turns
 * an unknown into an answer, so hiding a fact could flip a verdict. */
#ifndef NVADVISE_RULES_DERIVED_H
#define NVADVISE_RULES_DERIVED_H

#include "rules/expr.h"

struct derived {
    struct fact_decl decl;
    const struct expr *formula; /* or, with fold: `of`, evaluated per leaf */
    struct span text;
    bool folded;
    enum fold fold;             /* with `folded`: over the leaves of the volume, or: */
    const char *over;           /* NULL, or the set of devices to fold over */
    const struct expr *applies; /* NULL: always */
    const struct expr *otherwise, *otherwise_when;
    bool falls_back;            /* it or a fact that it rests on has an `otherwise` */
    const char *twin;           /* or NULL */
    const char *model;          /* estimates, else NULL */
    unsigned line;
};

#endif
