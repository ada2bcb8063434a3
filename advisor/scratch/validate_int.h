/* What the parts of the validation share. */
#ifndef NVADVISE_ADVISOR_SCRATCH_VALIDATE_INT_H
#define NVADVISE_ADVISOR_SCRATCH_VALIDATE_INT_H

#include "advisor/scratch/messages.h"
#include "advisor/scratch/scratch.h"

struct validating {
    const struct validate_input *in;
    struct arena *arena;
    struct version version;
    bool *skip;         /* of in->lines: left out, since it cannot be tried */
    const char **names; /* canonical name of each of in->lines, or NULL */
    struct complaint *list;
    size_t n_list;
    bool bad_before;
    struct buf how;
};

/* ---- validate_list.c: the complaints ---- */

bool validating_is_ours(const struct validating *v, size_t i);

/* Is this the last line of its name that is tried? */
bool validating_wins(const struct validating *v, size_t i);

/* Which option a text is about: `named` when it is one, else a name of ours that stands in it; "" =
 * none. */
const char *validating_name(const struct validating *v, struct span named, struct span text);

void validating_add(struct validating *v, enum complaint_kind kind, bool ours, const char *name,
                    struct span text);
bool validating_has(const struct validating *v, const char *name); /* changed or refused already */

/* The messages `with` our lines, against those `without` them (which may be none). */
void validating_compare(struct validating *v, const struct server_message *with, size_t n_with,
                        const struct server_message *without, size_t n_without);

/* Values that a server shows against those that our lines ask for. tried NULL: of all; else of a
 * scratch server with these settings: of those, but not of scaled ones. Another value there is told
 * as a warning: it may come of the size of that server, and what a server corrects it says. */
void validating_values(struct validating *v, const struct shown_value *shown, size_t n,
                       const struct scratch_setting *tried, size_t n_tried);

/* Does the name stand in the text, as a whole word? */
bool validating_stands_in(struct span text, const char *name);

/* Name one more way in which it was asked. */
void validating_how(struct validating *v, const char *text);

/* A scratch folder for this server, and its end: what is to be said of it becomes complaints of
 * nobody's. */
ATTR_NODISCARD bool validating_open(struct validating *v, struct scratch_server **ret,
                                    struct err *reterr);
ATTR_NODISCARD bool validating_close(struct validating *v, struct scratch_server *s,
                                     struct err *reterr);

/* ---- the two steps ---- */

/* The binary reads all options and tells; false: it cannot be asked. */
ATTR_NODISCARD bool validate_ask(struct validating *v, struct err *reterr);

/* A scratch server starts with those that it may have. */
ATTR_NODISCARD bool validate_start(struct validating *v, struct err *reterr);

#endif
