/* Error objects: caller-owned, fixed size, no allocation on the failure path.
 *
 * Every function that can fail returns bool (true = done), takes `struct err *reterr` last and
 * leaves its outputs untouched on failure. `reterr` may not be NULL. */
#ifndef NVADVISE_ADVISOR_BASE_ERR_H
#define NVADVISE_ADVISOR_BASE_ERR_H

#include "advisor/base/attr.h"

enum err_code {
    E_NONE = 0,
    E_USAGE,         /* the command line, or a file the user gave, is wrong */
    E_ABSENT,        /* the thing does not exist */
    E_DENIED,        /* exists, but this user may not */
    E_NOT_SUPPORTED, /* this kernel, device, server or build has no such thing */
    E_TIMEOUT,       /* no answer before the deadline */
    E_TOO_BIG,       /* larger than its stated limit */
    E_SYNTAX,        /* bytes that are not what they should be */
    E_IO,            /* read or write failed */
    E_FULL,          /* no space left */
    E_BUSY,          /* somebody else holds it */
    E_CUT,           /* a capture or document ends too early */
    E_CORRUPT,       /* checksum or structure broken */
    E_CONNECT,       /* a server cannot be reached */
    E_LOGIN,         /* a server was reached and refused the login */
    E_CRASHED,       /* a child died */
    E_LIMIT,         /* a limit of the rule language or an evaluator was hit */
    E_INTERNAL,      /* a broken invariant of ours */
    E_CODES
};

#define ERR_TEXT_MAX 512
#define ERR_HINT_MAX 512
#define ERR_FRAMES_MAX 4
#define ERR_FRAME_MAX 160

struct err {
    enum err_code code;
    int sys_errno;                                /* 0, or the errno behind it */
    char text[ERR_TEXT_MAX];                      /* object in quotes, then cause; no full stop */
    char hint[ERR_HINT_MAX];                      /* remedy, a sentence; may be empty */
    char frames[ERR_FRAMES_MAX][ERR_FRAME_MAX];   /* what was being done; innermost first */
    unsigned n_frames;
};

#define ERR_INIT ((struct err){.code = E_NONE})

/* Set `err` (any earlier content goes). Keeps errno. Always returns false, so that
 * `return err_set(reterr, E_SYNTAX, "…")` works. Text too long is cut at a byte. */
bool err_set(struct err *err, enum err_code code, const char *fmt, ...) ATTR_PRINTF(3, 4);

/* As err_set, with the errno `e` kept and its meaning appended (": No such file or directory");
 * the code is chosen from errno: ENOENT absent, EACCES and EPERM denied, ENOSPC and EDQUOT full,
 * ETIMEDOUT timeout, EOPNOTSUPP, ENOTTY and ENOSYS not supported, else E_IO. Returns false. */
bool err_set_errno(struct err *err, int e, const char *fmt, ...) ATTR_PRINTF(3, 4);

/* The code that err_set_errno would choose. */
enum err_code err_code_from_errno(int e);

/* Set the remedy; returns false. */
bool err_hint(struct err *err, const char *fmt, ...) ATTR_PRINTF(2, 3);

/* Add one frame of context ("reading 'x'"); beyond ERR_FRAMES_MAX they are dropped. Returns false. */
bool err_wrap(struct err *err, const char *fmt, ...) ATTR_PRINTF(2, 3);

/* A short lower-case name of the code, e.g. "not permitted"; never NULL. */
const char *err_code_name(enum err_code code);

#endif
