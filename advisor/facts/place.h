/* Where a name of a facts document belongs: its declaration, whole name and subject. Shared by the
 * files of the facts document only. */
#ifndef NVADVISE_ADVISOR_FACTS_PLACE_H
#define NVADVISE_ADVISOR_FACTS_PLACE_H

#include "advisor/facts/store.h"

#define PLACE_SUBJECTS_MAX 1000 /* in one store that documents are read into */

enum place_mode {
    PLACE_MAKE, /* documents: make what is missing; two candidates are an error */
    PLACE_ALL,  /* --set: all candidates; nothing is made but in an offline store */
};

struct place {
    const struct fact_decl *decl; /* NULL: not declared, and the rest says nothing */
    const char *fact; /* "data.fs.type" gives "volume.fs.type", "data.bench.x" "bench.x" */
    const struct subject *const *subjects;
    size_t n;
};

/* `subject`: a label, or an empty span when none is named. E_SYNTAX when the name cannot belong
 * there, when there are two candidates, or none may be made. */
ATTR_NODISCARD bool place_find(struct store *s, struct span subject, struct span name,
                               enum place_mode mode, struct place *ret, struct err *reterr);

/* Get or make the subject of a label; a new volume gets the role that its label ends in. */
ATTR_NODISCARD bool place_subject(struct store *s, struct span label, struct subject **ret,
                                  struct err *reterr);

/* Give every volume without server the one its label names, else the only one there is. */
void place_link_volumes(struct store *s);

#endif
