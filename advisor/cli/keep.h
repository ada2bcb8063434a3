/* Captures on their way to a file and back: redacted unless the user says otherwise. Wires. */
#ifndef NVADVISE_ADVISOR_CLI_KEEP_H
#define NVADVISE_ADVISOR_CLI_KEEP_H

#include "advisor/cli/options.h"
#include "probes/host/redact.h"
#include "probes/runner.h"

/* The option row of commands that make captures. */
#define KEEP_OPTIONS                                                                               \
    {                                                                                              \
        "no-redact", 0, NULL, false, "keep names, addresses and serial numbers in the capture"     \
    }

/* What a capture's first line says of the run. */
struct kept {
    struct capture *capture;
    struct collect_options options;
    int64_t clock;
};

ATTR_NODISCARD bool keep_read(struct arena *a, const char *name, struct span bytes,
                              struct kept *ret, struct err *reterr);

/* The bytes of a file: redacted under the key in `state_dir` (NULL: a key of its own), or, with
 * --no-redact, as they are, with a warning. `ret_key`: the key, all zero without one. */
ATTR_NODISCARD bool keep_pack(struct arena *a, const struct options *opt, const char *state_dir,
                              struct capture_writer *w, struct redact_key *ret_key,
                              struct span *ret, struct err *reterr);

/* Does the capture say that it is redacted? */
bool keep_is_redacted(struct arena *a, const char *name, struct span bytes);

/* Redact the bytes of a capture that was read; a redacted one stays as it is. */
ATTR_NODISCARD bool keep_redact(struct arena *a, const struct options *opt, const char *name,
                                struct redact_key *ret_key, struct span *bytes,
                                struct err *reterr);

#endif
