/* What options one server gets at its next start: its environment, its option files in the order in
 * which it reads them, its command line, and mysqld-auto.cnf (SET PERSIST). By the rules of the servers'
 * own readers (mysys/my_default.cc and its MariaDB kin, and what MariaDB 10.11, 11.8 and MySQL 9.7 were
 * seen to open); probes/optfile.h reads the single file.
 *
 * Knows text, not variables: what a name means is for rules/options.h. */
#ifndef NVADVISE_PROBES_SERVER_OPTIONS_H
#define NVADVISE_PROBES_SERVER_OPTIONS_H

#include "advisor/base/version.h"
#include "advisor/facts/optline.h"
#include "probes/optfile.h"

struct server_options_input {
    bool mariadb;           /* else MySQL, Percona Server */
    struct version version; /* n == 0: not known; version groups are then left out, with a warning */
    const struct span *args; /* the running process's words, argv[0] first; n 0: the binary alone */
    size_t n_args;
    const char *home, *mysql_home, *group_suffix; /* HOME, MYSQL_HOME, MYSQL_GROUP_SUFFIX, or NULL */
    const char *mariadb_home, *mariadb_group_suffix; /* MARIADB_HOME and so on: MariaDB's alone */
    const char *exe;     /* the binary, for builds with a folder of their own; or NULL */
    const char *datadir; /* of the running server, or NULL: where no option names one */
    bool started_as_root; /* it read its files as root, whoever it is now */
    /* Read these one after the other instead of the files that a server looks for; relative paths are then
     * below where this program was started. */
    const char *const *files;
    size_t n_files;
    bool any_server; /* whose files they are is not known: all options go to other_lines, with values */
};

enum server_options_end {
    SERVER_OPTIONS_WHOLE, /* all was read */
    SERVER_OPTIONS_FATAL, /* the server would not start with these files: `why` says where */
    SERVER_OPTIONS_PART,  /* something could not be looked at, that the server itself may read */
};

struct server_options {
    struct optline *lines; /* in the order in which they are applied: the last of a name wins */
    size_t n_lines;
    /* Options of groups that this server does not read, in reading order; values only of groups that some
     * version of some server reads. */
    struct optline *other_lines;
    size_t n_other_lines;
    const struct optfile_file *files; /* in reading order, the state of each */
    size_t n_files;
    const char *const *dirs; /* directories of !includedir in the order in which they are read last */
    size_t n_dirs;
    const char *const *groups; /* that this server reads, lower case */
    size_t n_groups;
    const char *const *warnings;
    size_t n_warnings;
    enum server_options_end end;
    struct err why; /* but for SERVER_OPTIONS_WHOLE */
    /* Where mysqld-auto.cnf is, which the server reads after all of these; NULL: it reads none. Read it,
     * and hand it to server_options_persisted. */
    const char *persisted;
};

/* Read files and command line through `io`. Never fails as a whole: `end` says how far it came, and what
 * was read until then stands. */
void server_options_read(const struct optfile_io *io, const struct server_options_input *in,
                         struct arena *a, struct server_options *ret);

/* Take from a process's environment (words NAME=VALUE, each ended by a NUL: /proc/PID/environ) what its option
 * files depend on; of a name that stands twice the first counts, as getenv has it. */
void server_options_environment(struct arena *a, struct span environ,
                                struct server_options_input *in);

/* The supplementary groups of a process, from /proc/PID/status; at most `max`. Returns how many. */
size_t server_options_groups(struct span status, uint32_t *ret, size_t max);

/* Does such a server take a line whole, however long? Others split it (optfile_line.h). `io` for a reader that
 * blanks secrets; server_options_read itself knows. */
bool server_takes_whole_lines(const struct server_options_input *in);

/* Does a '#' end a directive there ("!include /a.cnf # why")? To others it is part of the path. */
bool server_ends_directives(const struct server_options_input *in);

/* The groups that such a server reads, those with the suffix included. Returns how many. */
size_t server_groups(struct arena *a, const struct server_options_input *in,
                     const char *const **ret);

/* May some server, of whatever flavour and version, read this group? */
bool server_group_of_some(struct span group);

/* What the defaults options at the front of a command line say; and the first word behind them. */
struct server_defaults {
    bool none;                       /* --no-defaults */
    struct span file, extra, suffix; /* as written */
    bool has_file, has_extra, has_suffix;
    size_t first;
};
void server_defaults_read(const struct server_options_input *in, struct server_defaults *ret);

/* One option file that is looked for. */
struct server_file {
    const char *path; /* as it is opened; relative ones cannot be found */
    bool must;        /* named on the command line: without it the server does not start */
    bool by_build;    /* only some builds look there */
};
/* In reading order. Returns how many. */
size_t server_default_files(struct arena *a, const struct server_options_input *in,
                            const struct server_defaults *d, struct server_file **ret);

/* The words of the command line behind the defaults options, as lines. Returns how many. */
size_t server_args_lines(struct arena *a, const struct server_options_input *in, size_t first,
                         struct optline **ret);

/* An `io` that shows one more regular file (root's, 0644), or another text in place of one that is there:
 * what would be read if `path` were written. Lives in the arena; borrows `inner`. */
const struct optfile_io *optfile_io_with(struct arena *a, const struct optfile_io *inner,
                                         const char *path, struct span text);

/* mysqld-auto.cnf, versions 1 and 2: append its options (group OPTLINE_PERSISTED) to *lines. Error: E_SYNTAX, E_TOO_BIG. */
ATTR_NODISCARD bool server_options_persisted(struct arena *a, const char *path, struct span text,
                                             struct optline **lines, size_t *n, struct err *reterr);

#endif
