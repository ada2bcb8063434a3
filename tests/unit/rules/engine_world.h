/* A small world for tests of the engine: a few declarations with folds and needs, one rule set from a
 * text, a store that is filled fact by fact. */
#ifndef NVADVISE_TESTS_UNIT_RULES_ENGINE_WORLD_H
#define NVADVISE_TESTS_UNIT_RULES_ENGINE_WORLD_H

#include "rules/engine.h"

struct world {
    struct arena *a;
    struct ruleset rs;
    struct store *s;
    struct subject *host, *server, *volume, *d1, *d2;
};

/* server:a with volume:a:data (roles data, redo) over device:d1 and device:d2; nothing is known but the
 * leaves. `derived` may be NULL. Fails the test when the texts do not load. */
void world_open(struct world *w, const char *rules, const char *derived);
void world_close(struct world *w);

/* `text`: a literal of the declared kind, or "?STATE" with a state's name ("?not supported"). */
void world_set(struct world *w, const struct subject *sub, const char *name, const char *text);

/* The rule on the subject. */
struct finding world_judge(struct world *w, const char *rule, const struct subject *sub);

/* A server rule "r" with these lines, and whatever else a rule must have. */
#define SERVER_RULE(lines) "[r]\nscope = server\n" lines WORLD_TAIL
#define WORLD_TAIL "\ntitle = t\nwhy = w\nadvice = set\ndo.1 = x | online\nsource = s\n"

#endif
