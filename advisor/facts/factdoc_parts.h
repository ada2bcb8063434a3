/* Shared by the files of the facts document only. */
#ifndef NVADVISE_ADVISOR_FACTS_FACTDOC_PARTS_H
#define NVADVISE_ADVISOR_FACTS_FACTDOC_PARTS_H

#include "advisor/facts/factdoc.h"
#include "advisor/facts/place.h"

#define FACTDOC_SCHEMA "nvadvise.facts/1"

struct docread {
    struct store *store;
    const char *name; /* of the document, for messages and sources */
    bool strict;
    struct json *skipped; /* may be NULL */
    struct err *reterr;
};

/* The JSON form; error text "NAME:LINE:COLUMN: …" or "NAME: fact N ('x'): …". */
ATTR_NODISCARD bool factdoc_read_json(const struct docread *r, struct span text);

/* The unit of a fact's value in JSON: the one that its name asks for where its kind has such a
 * unit, else the kind's own; NULL where there is none. */
const char *factdoc_unit(const char *name, enum kind k);
const char *factdoc_base_unit(enum kind k);
bool factdoc_has_unit(enum kind k, const char *unit);

/* From a value in `unit` to base units, and back; false when it does not fit, or not exactly. */
bool factdoc_from_unit(struct num n, const char *unit, struct num *ret);
bool factdoc_to_unit(struct num n, const char *unit, struct num *ret);

/* Put "WHERE: " before the text of `inner`, with its hint. Returns false. */
bool factdoc_fail(struct err *reterr, const struct err *inner, const char *where);

/* A name that is not declared: an error with the nearest name, or noted with `where` and true. */
ATTR_NODISCARD bool factdoc_undeclared(const struct docread *r, const char *where, struct span name,
                                       const char *fact);

/* Set the fact on all subjects of its place; a known volume.role also sets the volume's roles. */
void factdoc_put(struct store *s, const struct place *p, const struct fact *f);

#endif
