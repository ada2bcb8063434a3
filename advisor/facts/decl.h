/* Declarations: every fact stands once, in a table beside the probe that fills it (or, when it is
 * computed from others, in rules/derived.ini). Rules are checked against these tables, and explain,
 * the schema and the reference page are made from them. */
#ifndef NVADVISE_ADVISOR_FACTS_DECL_H
#define NVADVISE_ADVISOR_FACTS_DECL_H

#include "advisor/facts/value.h"

enum subject_kind { SUBJECT_HOST, SUBJECT_SERVER, SUBJECT_VOLUME, SUBJECT_DEVICE, SUBJECT_KINDS };

/* How several subjects answer one question ("data.fs.type" over two data volumes, "device.x" folded
 * over the leaves of a volume). FOLD_SAME: known when all agree. */
enum fold { FOLD_SAME, FOLD_ALL, FOLD_ANY, FOLD_MIN, FOLD_MAX, FOLD_SUM };

/* What beyond a plain `check` a fact waits for; decides between unknown and not measured. Bits. */
enum need {
    NEED_NONE = 0,
    NEED_BENCH = 1 << 0,
    NEED_SAMPLE = 1 << 1,
    NEED_ROOT = 1 << 2,
    NEED_HISTORY = 1 << 3,
};
#define NEED_BITS 4

struct fact_decl {
    const char *name; /* whole name, e.g. "volume.fs.type", "bench.flush.rate" */
    enum kind kind;
    const char *allowed; /* enums and sets: words separated by commas; NULL = open */
    enum subject_kind subject;
    enum fold fold;
    unsigned needs;        /* enum need bits */
    const char *meaning;   /* one line, no full stop */
    const char *read_from; /* file, statement, command: "what would be read" */
    const char *privilege; /* "" = any user; "root", "PROCESS", "same-uid", … */
};

/* All declarations of a run. Lookup by name; families `server.var.`, `server.status.`,
 * `server.metric.`, `server.source.` answer through their own entries. */
struct decl_set;

struct decl_set *decl_set_new(struct arena *a);

/* Add a table (borrowed). A name declared twice is E_INTERNAL naming both. */
ATTR_NODISCARD bool decl_set_add(struct decl_set *set, const struct fact_decl *rows, size_t n,
                                 struct err *reterr);

/* Declare a family: any name that begins with `prefix` and is not declared by itself takes this
 * row's subject; kind KIND_STRING stands for "as the server says". */
ATTR_NODISCARD bool decl_set_add_family(struct decl_set *set, const char *prefix,
                                        const struct fact_decl *row, struct err *reterr);

/* By whole name; NULL when not declared. A family member without a row of its own gives the
 * family's row only when `families` is true. */
const struct fact_decl *decl_find(const struct decl_set *set, struct span name, bool families);

/* In byte order of the names. */
size_t decl_count(const struct decl_set *set);
const struct fact_decl *decl_at(const struct decl_set *set, size_t i);

/* Does some family have this need and no other? */
bool decl_family_needs(const struct decl_set *set, enum need need);

/* The declared name nearest to `name` (edit distance at most 3, or a shared tail), or NULL. */
const char *decl_nearest(const struct decl_set *set, struct span name);

const char *subject_kind_name(enum subject_kind k); /* "host", "server", "volume", "device" */

/* The display unit that a fact's name asks for (facts.md 1): suffix _pct, _hours, _minutes, _c,
 * _per_mille; else NULL. ret_scale: multiply the value in the language by it to print (100, 1/3600,
 * …). */
const char *decl_display_unit(const char *name, double *ret_scale);

#endif
