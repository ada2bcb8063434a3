/* What is to be done below the servers, in an order in which it can be carried out: first what only looks, then
 * lines of files (nothing reads them yet), then what works online, with a remount, with the server stopped or
 * restarted, with a reboot, and last what destroys data. Within a part the gravest finding comes first, and the
 * actions of one finding keep their order. A view of the report document; pure. */
#ifndef NVADVISE_ADVISOR_REPORT_STEPS_H
#define NVADVISE_ADVISOR_REPORT_STEPS_H

#include "advisor/base/json.h"

enum step_phase {
    PHASE_LOOK, PHASE_FILES, PHASE_ONLINE, PHASE_REMOUNT, PHASE_RESTART, PHASE_REBOOT, PHASE_DESTROYS, PHASES
};

struct step {
    enum step_phase phase;
    const char *command, *effect, *destroys; /* destroys: "" where nothing is */
    const char *file;                        /* PHASE_FILES: the file, else "" */
    const char *mount;                       /* the mount point whose line of /etc/fstab changes, else "" */
    struct json *lines;                      /* of the file; for /etc/fstab one, with all changes */
    struct json *fstab;                      /* source, type, options, drop, add: all findings together */
    struct json *rules;                      /* ids, each once */
    struct json *findings;                   /* their places in the list that was given */
};

struct steps {
    struct arena *arena;
    struct step *items; /* in their final order */
    size_t n, cap;
};

/* `findings`: objects of the report document, gravest first. */
struct steps steps_of(struct arena *a, const struct json *findings);

/* Does the step serve that finding? */
bool step_serves(const struct step *s, size_t finding);

#endif
