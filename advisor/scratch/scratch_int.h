/* What the files of the scratch instance share. */
#ifndef NVADVISE_ADVISOR_SCRATCH_SCRATCH_INT_H
#define NVADVISE_ADVISOR_SCRATCH_SCRATCH_INT_H

#include "advisor/scratch/cage.h"
#include "advisor/scratch/scratch.h"
#include "advisor/scratch/tree.h"

struct scratch_server {
    struct scratch_plan plan;
    struct arena *arena;
    struct run_hold hold;
    struct tree tree;
    struct cage cage;
    struct run *run; /* the server, when one was started */
    struct run_spec spec;
    const char *exe; /* the binary, links resolved */
    const char *socket;
    struct buf notes;
};

unsigned scratch_step_ms(const struct scratch_server *s);
void scratch_note(struct scratch_server *s, const char *text);

/* After exec: the marker names the program that it has become. */
void scratch_mark_again(struct scratch_server *s);

/* Is a security module behind it? Then reterr says which, and what to do; else it is left as it
 * was. */
bool scratch_explain_denied(struct scratch_server *s, const char *label, struct err *reterr);

#endif
