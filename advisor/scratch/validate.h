/* Would this binary start with these options? Asked of the binary itself: `--validate-config` with
 * its warnings (MySQL from 8.0.16), else help output with its error stream read, then a scratch
 * start with those options that a scratch instance may have. Opens none of the server's own paths
 * for writing.
 *
 * Knows nothing of rules and drop-ins: a text to try, and which lines of it are new. */
#ifndef NVADVISE_ADVISOR_SCRATCH_VALIDATE_H
#define NVADVISE_ADVISOR_SCRATCH_VALIDATE_H

#include "advisor/base/err.h"
#include "advisor/facts/optline.h"
#include "rules/catalogue.h"

struct validate_input {
    const char *binary; /* the one that starts next, a path on this machine */
    enum flavour flavour;
    uint32_t uid, gid; /* who it runs as */
    const struct optline
        *lines; /* all options of the next start, in order, the new file's included */
    size_t n_lines;
    const char
        *ours; /* `file` of the lines that are new: complaints about them are ours; NULL: none */
    const struct catalogue *catalogue; /* says what a scratch start may copy or scale */
    const char *scratch_dir; /* where scratch files may be made: root's folder, NULL = a private one
                                below /var/tmp */
    unsigned timeout_s;      /* of each step; 0 = 120 */
};

enum complaint_kind {
    COMPLAINT_REFUSED, /* the server does not start with it, or it could not be tried */
    COMPLAINT_CHANGED, /* the server takes another value, or none: out of range, rounded, ignored,
                          unknown */
    COMPLAINT_WARNING, /* all else: deprecated, another value on a small scratch server, notes of
                          the module */
};

struct complaint {
    enum complaint_kind kind;
    bool ours;        /* about a line of the new file (or about nothing that was there before) */
    const char *name; /* the option, canonical, or "" */
    const char *text; /* what the server said, one line, not escaped */
};

struct validation {
    bool good;           /* no line of ours was refused, changed or unknown, and it starts */
    bool bad_before;     /* the options refuse to start without ours already */
    const char *version; /* as the binary tells it: "mysqld  Ver 9.7.4-2 …" */
    const char *how; /* what was run, for the report: "mysqld --validate-config, scratch start" */
    struct complaint *complaints;
    size_t n_complaints;
};

/* Some 2 s for MariaDB, 6 to 15 s for MySQL, that initialises a data directory. Signals that would
 * end this process wait meanwhile, and end it when all is removed. false: it could not be asked (no
 * such binary, cannot be run here, no room, a security module forbids it, it took too long): then
 * nothing may be installed. */
ATTR_NODISCARD bool validate_options(const struct validate_input *in, struct arena *a,
                                     struct validation *ret, struct err *reterr);

/* Flavour and version of a binary, by running it with --version. */
ATTR_NODISCARD bool binary_version(const char *binary, uint32_t uid, uint32_t gid, struct arena *a,
                                   enum flavour *ret_flavour, struct version *ret_version,
                                   const char **ret_text, struct err *reterr);

#endif
