/* A small world for tests of settings and plan: the real variable catalogue, a handful of facts, and rules
 * rule-a, rule-b, rule-c that fail when server.a, server.b, server.c says so; rule-rate fails above
 * 100 pages a second; rule-host on the host. rule-none is not there. */
#ifndef NVADVISE_TESTS_UNIT_RULES_PLAN_WORLD_H
#define NVADVISE_TESTS_UNIT_RULES_PLAN_WORLD_H

#include "rules/settings.h"

struct world {
    struct arena *a;
    struct ruleset rs;
    struct buf problems;
    struct err err;
};

/* false: `problems` and `err` say why. Free w->a. */
bool world_open(struct world *w, const char *settings);

/* Plain lines "name = value" as a store, derived. */
struct store *world_store(struct world *w, const char *facts, bool offline);

/* Judge and plan for the only server (the host alone where there is none). */
struct plan world_plan(struct world *w, struct store *s, bool measured_only);

/* One line each: "KIND [GROUP] VARIABLE = VALUE RULE[, settles X]". */
const char *world_text(struct world *w, const struct plan *p);

#endif
