/* Where a drop-in goes so that this server reads it last enough to win, found by reading the server's own
 * option files as they would be with it. Reads; writes nothing. */
#ifndef NVADVISE_ADVISOR_TUNE_PLACE_H
#define NVADVISE_ADVISOR_TUNE_PLACE_H

#include "probes/server_options.h"
#include "rules/options.h"

struct place_input {
    const struct optfile_io *io;               /* sees the files as the server's user does */
    const struct server_options_input *server; /* of the binary that starts next */
    /* The text of the server's mysqld-auto.cnf, which is read after all else. E_ABSENT: there is none. */
    bool (*persisted)(void *ctx, const char *path, struct span *ret, struct err *reterr);
    void *persisted_ctx;
    const struct catalogue *catalogue;
    struct option_target target;
};

/* One setting of ours, and who wins. */
struct place_name {
    const char *variable, *value;
    bool wins;
    bool stops;        /* the server would not start with our line: `why` */
    const char *why;   /* "" when it wins */
    const char *by;    /* who wins: "FILE:LINE", "command line argument 3", "mysqld-auto.cnf"; or "" */
    const char *by_value;
    const char *mend;  /* what to do about it, one sentence, or "" */
    const char *reset; /* the variable that RESET PERSIST is for, or "" */
};

struct place {
    const char *dir, *path;    /* "/etc/mysql/conf.d", and the drop-in's path in it */
    struct place_name *names;  /* in the order of the text; a setting whose group is not read is left out */
    size_t n_names, n_win;
    bool stops;                /* some line would stop the server */
    struct optline *lines;     /* all that the server gets then, in order, persisted included */
    size_t n_lines;
};

/* What the tree is without ours. */
struct place_tree {
    const char *const *dirs; /* of !includedir, in the order in which they are read last */
    size_t n_dirs;
    const char *main_file;   /* the last file that is read and included by none; NULL: none is read */
    const char *const *warnings;
    size_t n_warnings;
    bool other_files_unread; /* some file could not be read, as the server itself could not */
};

/* Error: E_SYNTAX when the server would not start with its files as they are, E_DENIED when something could
 * not be looked at that the server may read. */
ATTR_NODISCARD bool place_read(const struct place_input *in, struct arena *a,
                               struct place_tree *ret, struct err *reterr);

/* The server's options as they would be with `text` as `dir`/zz-nvadvise.cnf. Errors as place_read. */
ATTR_NODISCARD bool place_try(const struct place_input *in, const char *dir, struct span text,
                              struct arena *a, struct place *ret, struct err *reterr);

/* The directory where most of the text's settings win; of equals `prefer`, when it is one of them, else the
 * one that is read last. Error: E_ABSENT when the tree has no directory (the hint is the edit that makes one);
 * as place_read. */
ATTR_NODISCARD bool place_choose(const struct place_input *in, const struct place_tree *tree,
                                 const char *prefer, struct span text, struct arena *a,
                                 struct place *ret, struct err *reterr);

#endif
