/* Reader of MySQL and MariaDB option files (my.cnf), by the rules of the servers' own reader,
 * quirks included: what it yields is what my_print_defaults prints.
 *
 * Knows text, not options: names are kept as written, values unescaped; which groups and names
 * matter is the caller's business. Reaches files only through struct optfile_io, because files with
 * credentials must never pass a recorded seam. */
#ifndef NVADVISE_PROBES_OPTFILE_H
#define NVADVISE_PROBES_OPTFILE_H

#include "advisor/base/arena.h"
#include "advisor/base/err.h"
#include "advisor/base/str.h"
#include "probes/host/host.h"
#include "probes/host/optfile_line.h"

#define OPTFILE_DEPTH_MAX 10u /* include levels below the first file, as in the servers */
#define OPTFILE_BYTES_MAX (1024u * 1024) /* of one file; ours */
#define OPTFILE_FILES_MAX 1000u          /* of one tree; ours */
#define OPTFILE_OPTIONS_MAX 65536u       /* of one tree; ours */
#define OPTFILE_PATH_MAX 508u /* longer paths are passed over in silence, as in the servers */

/* ---- paths --------------------------------------------------------------------------------------
 */

/* A path as the servers make it before they open it: "//", "/./" and "/x/.." go by the text alone,
 * whatever symlinks there are; "~/" is below `home` (NULL: it stays). */
const char *optfile_path(struct arena *a, struct span written, const char *home);

/* ---- a file with all it includes ------------------------------------------------------------- */

struct optfile_text {
    struct span bytes;
    uint32_t mode; /* type and permission bits; 0 = not known */
    uint32_t uid, gid;
};

struct optfile_io {
    void *ctx;
    const char *home; /* for "~/" in a directive; NULL = such paths are not followed */
    /* The bytes of a regular file, at most OPTFILE_BYTES_MAX. Must follow symlinks. */
    bool (*read)(void *ctx, const char *path, struct optfile_text *ret, struct err *reterr);
    /* Names in a directory, any order. */
    bool (*list)(void *ctx, const char *path, struct host_names *ret, struct err *reterr);
    bool whole_lines; /* MySQL since 8.0.24: a long line is one line (optfile_whole_line) */
    bool in_order; /* `list` gives names in order of bytes, as the servers read them: they are not
                      sorted again, for pseudonyms stand in the order of the names that they hide */
    bool directive_comments; /* MySQL 9: a '#' ends a directive, and is no part of the path */
};

struct optfile_option {
    struct span group, name, value; /* as written; value unescaped */
    bool has_value;
    const char *file;
    unsigned line; /* from 1; a split line counts as several, as in the servers */
};

enum optfile_file_state {
    OPTFILE_READ,
    OPTFILE_UNREADABLE,     /* absent, denied, dangling: the servers pass over it in silence */
    OPTFILE_WORLD_WRITABLE, /* the servers ignore it */
    OPTFILE_BROKEN,         /* an included file with a fatal line: read up to there */
    OPTFILE_MISNAMED, /* in an !includedir, named like an option file, but not .cnf: never looked at
                       */
};

struct optfile_file {
    const char *path;
    enum optfile_file_state state;
    uint32_t mode, uid, gid; /* when it was opened */
    unsigned depth;          /* 0 = named by the caller */
    enum err_code code;      /* OPTFILE_UNREADABLE, OPTFILE_BROKEN: why */
};

/* A directory of !includedir. */
struct optfile_dir {
    const char *path; /* as its files' paths begin, without a slash at the end */
    const char *file; /* of the directive */
    unsigned line;
};

/* In reading order: the last option of a name wins. All of it lives in the arena. */
struct optfile {
    struct arena *arena;
    struct optfile_option *options;
    size_t n_options, cap_options;
    struct optfile_file *files;
    size_t n_files, cap_files;
    struct optfile_dir *dirs; /* in reading order, one entry each time it is read */
    size_t n_dirs, cap_dirs;
    const char **warnings; /* whole sentences without full stop, "FILE:LINE: …" */
    size_t n_warnings, cap_warnings;
};

void optfile_init(struct optfile *o, struct arena *a);

/* Read `path` and what it includes, after what is in *o already. Fails where the servers refuse to
 * start (E_SYNTAX, "FILE:LINE: …"; E_ABSENT for an includedir that is not there), when a limit is
 * hit (E_TOO_BIG), and when `path` itself cannot be read (the reader's error) unless `optional`.
 * What was read before a failure stays in *o. */
ATTR_NODISCARD bool optfile_read(struct optfile *o, const struct optfile_io *io, const char *path,
                                 bool optional, struct err *reterr);

/* The same from text that is there already, as if `path` held it. */
ATTR_NODISCARD bool optfile_read_text(struct optfile *o, const struct optfile_io *io,
                                      const char *path, const struct optfile_text *text,
                                      struct err *reterr);

/* Option names: '-' and '_' are one, case does not count. */
bool optfile_name_is(struct span name, const char *canonical);

/* The last option of this name in a group of the list (names compared without case), or NULL. */
const struct optfile_option *optfile_last(const struct optfile *o, const char *const *groups,
                                          size_t n_groups, const char *name);

#endif
