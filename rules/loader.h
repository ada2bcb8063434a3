/* Inside rules/ only: the state of one load and how problems are told. Knows texts and declarations,
 * nothing of stores or findings. */
#ifndef NVADVISE_RULES_LOADER_H
#define NVADVISE_RULES_LOADER_H

#include "rules/derived.h"
#include "rules/ruleset.h"

/* Where something stands in the texts. */
struct where {
    const char *file;
    unsigned line;
    struct span section;
};

/* One load. `set` grows while the texts are read, so that later ones may name earlier ones. */
struct loader {
    struct arena *arena;
    struct ruleset *set;
    struct decl_set *decls;
    struct rule *rules;     /* set->rules, while they may still be changed */
    struct derived *derived; /* likewise set->derived */
    struct buf *out;        /* all problems, or NULL */
    struct err *first;      /* the first one */
    unsigned n_problems;
    struct buf used_params; /* " name name " of every param that an expression names */
};

/* "FILE:LINE: [SECTION] message". */
void problem_add(struct loader *l, const struct where *w, const char *fmt, ...) ATTR_PRINTF(3, 4);

/* The same from an error, with a caret below the text when `text` is not empty. */
void problem_err(struct loader *l, const struct where *w, const struct err *err, struct span text,
                 unsigned column);

/* Parse and check; NULL after a problem was told. Remembers the params that it names. */
const struct expr *load_expr(struct loader *l, const struct where *w, struct span text,
                             enum subject_kind scope, const struct expr_type *want);
const struct expr *load_condition(struct loader *l, const struct where *w, struct span text,
                                  enum subject_kind scope);

/* Every {{name}} of a text is a name of the scope; with `formulas`, what stands there may be one. */
void load_check_text(struct loader *l, const struct where *w, struct span text,
                     enum subject_kind scope, bool formulas);

/* Does what stands in {{ }} end in "as decimal"? Takes that off. */
bool load_takes_decimal(struct span *name);

/* host, server, volume, device. */
bool load_scope(struct loader *l, const struct where *w, struct span text, enum subject_kind *ret);

/* "bench, sample" to bits. */
unsigned load_needs(struct loader *l, const struct where *w, struct span text);

/* "plan.x" or "param.x" without its first word. */
struct span load_bare(const char *name);

/* The next piece of a comma list at depth 0 of brackets and quotes, trimmed. */
bool load_split(struct span *rest, struct span *ret);

/* Add the params that the file declares ("param.NAME = …" in any section); `owner` NULL: the section. */
void load_params(struct loader *l, const struct ini_file *f, const char *owner);

/* rules/derived.ini: declare first, then read the formulas and put them in order. */
void load_derived_decls(struct loader *l, const struct ini_file *f);
void load_derived_formulas(struct loader *l, const struct ini_file *f);

/* The sections of a rule file. */
void load_rules(struct loader *l, const struct ini_file *f);

/* After everything was read: ids and aliases, and with `all` what only finds mistakes: settings, dead rules, unused
 * params. Sorts the rules. */
void load_cross_checks(struct loader *l, bool all);

#endif
