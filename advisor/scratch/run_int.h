/* What the files of the runner share: the side of the child between fork and exec. */
#ifndef NVADVISE_ADVISOR_SCRATCH_RUN_INT_H
#define NVADVISE_ADVISOR_SCRATCH_RUN_INT_H

#include "advisor/scratch/run.h"

/* What a child says before it becomes the program, over a pipe that exec closes. */
enum run_stage {
    STAGE_FENCED = 1,
    STAGE_COVER,
    STAGE_FILES,
    STAGE_IDENTITY,
    STAGE_ORPHAN,
    STAGE_EXEC
};

struct run_word {
    int stage; /* enum run_stage; above STAGE_FENCED: it failed there */
    int sys_errno;
};

struct run_child {
    const struct run_spec *spec;
    char *const *argv;
    char *const *env;
    int out_fd, err_fd;
    int gate_fd; /* a byte comes when it may go on */
    int word_fd; /* struct run_word */
    pid_t parent;
};

/* Never returns: becomes the program, or ends. */
ATTR_NORETURN void run_child(const struct run_child *c);

#endif
