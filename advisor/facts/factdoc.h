/* The facts document, both forms: JSON (schema nvadvise.facts/1) and plain lines `name = value`.
 * Rule cases, worked hosts, `facts`, `check --facts`, `--set` all go through here. */
#ifndef NVADVISE_ADVISOR_FACTS_FACTDOC_H
#define NVADVISE_ADVISOR_FACTS_FACTDOC_H

#include "advisor/base/json.h"
#include "advisor/facts/store.h"

#define FACTDOC_MAX (64u * 1024 * 1024)

/* The whole store as JSON, sorted by subject and name. `value` is in `unit` (bytes and seconds, but
 * for names in _pct, _hours, _minutes, _c, _per_mille). 128-bit numbers exact. */
struct json *factdoc_write(struct arena *a, const struct store *s);

/* Put `value`, and `unit` where there is one, into the object `o`, as the facts document writes the fact
 * `name`. Numbers are exact. */
void factdoc_value(struct json *o, const char *name, const struct value *v);

/* Read either form into the store (later wins). Names of a role (`data.fs.type`) go to the volume
 * that carries it, names without a subject to the only subject of their kind, made as
 * "server:default", "volume:default:data" (all roles), "device:default" where there is none; two
 * candidates are an error. `name = unknown` or `unknown(REASON)` states an unknown. Lines: '#'
 * starts a comment. strict: a name that is not declared is an error with the nearest name, a number wants its
 * unit and a word its spelling; else such a name is skipped and added to *ret_skipped (a JSON array of
 * texts; may be NULL), and a plain number is bytes, seconds, per second (of *_pct: percent). Error text "NAME:LINE:
 * …". */
ATTR_NODISCARD bool factdoc_read(struct store *s, const char *name, struct span text, bool strict,
                                 struct json *ret_skipped, struct err *reterr);

/* One `--set name=value` or `SUBJECT/name=value`; marks the fact overridden, source "--set". With
 * several subjects of the kind and none named, all of them are set. */
ATTR_NODISCARD bool factdoc_set(struct store *s, const char *assignment, struct err *reterr);

#endif
