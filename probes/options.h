/* The options probe and its parts. Private to probe_options. */
#ifndef NVADVISE_PROBES_OPTIONS_H
#define NVADVISE_PROBES_OPTIONS_H

#include "probes/probe.h"
#include "probes/server_option_facts.h"

/* What was read before privileges were dropped; nothing of it is taken apart before. */
struct options_open {
    bool root, args, environment, status, proc, no_root_home;
    struct err root_err, args_err, environment_err, status_err;
    struct span args_text, environment_text, status_text;
    uint32_t proc_uid; /* with `proc`: the owner of /proc/PID/status */
};

/* Words of a text in which each ends with a NUL, what follows the last left out. */
size_t options_words(struct arena *a, struct span text, struct span **ret);

/* Was the server root when it began? A process that gave up its first user cannot be looked into any more, and
 * its files in /proc are then root's (the directory /proc/PID itself is not). */
bool options_started_as_root(const struct probe_args *args, const struct options_open *o);

/* Option files below the server's root, as the server's user may read them; what only we may not is
 * E_NOT_SUPPORTED. Lives in ctx->arena. */
const struct optfile_io *options_io(struct probe_ctx *ctx, const struct options_open *o,
                                    const struct server_options_input *in);

#endif
