/* What the parts of the command `tune` share: one run, from the facts to what was installed. Private to
 * cmd_tune.c and tune_*.c. */
#ifndef NVADVISE_ADVISOR_CLI_TUNE_H
#define NVADVISE_ADVISOR_CLI_TUNE_H

#include "advisor/cli/judge.h"
#include "advisor/scratch/validate.h"
#include "advisor/tune/dropin.h"
#include "advisor/tune/install.h"
#include "advisor/tune/next.h"
#include "advisor/tune/place.h"
#include "advisor/tune/reader.h"

enum tune_mode { TUNE_OVERVIEW, TUNE_DRY_RUN, TUNE_DIFF, TUNE_WRITE, TUNE_STATUS, TUNE_UNDO };
const char *tune_mode_name(enum tune_mode m); /* "overview", "dry-run", … */

/* A line that does not go into the drop-in, and why. */
struct tune_left {
    const char *variable, *value, *why;
};

/* The drop-in of ours that stands there now. */
struct tune_present {
    bool there;
    const char *dir, *path;
    struct tune_look look;
    struct dropin_line *lines;
    size_t n_lines;
};

struct tune {
    struct arena *arena;
    const struct options *opt;
    enum tune_mode mode;
    bool force;
    const char *state_dir;   /* or NULL */
    struct err state_why;    /* why there is none, or why it cannot be written; E_NONE: it can */

    struct judged judged;
    struct json *report;
    const struct subject *server; /* NULL: none runs, or none was meant */
    struct next next;

    struct reader *reader;   /* NULL until the server's files are open */
    struct place_input in; /* io is NULL when the server's files cannot be read */
    struct place_tree tree;
    struct tune_present present;

    bool has_text, same;   /* same: what stands there sets the same */
    struct span text;
    struct dropin_line *lines; /* of the text */
    size_t n_lines;
    struct tune_left *left;
    size_t n_left;
    struct json *statements;   /* strings, in order */
    bool blind;                /* the server did not answer: that nothing is planned says nothing */
    const char **refused;      /* what the plan could not be made to say, with the reason */
    size_t n_refused;

    bool has_place, validated;
    bool open;                 /* `dir` is, with its locks when we write */
    struct tune_dir dir;
    struct place place;
    struct validation validation;

    const char *remedy; /* of `why`, where it is longer than its hint; or NULL */
    struct err why;  /* why nothing is installed; E_NONE: nothing is in the way */
    int why_exit;    /* 1 stopped, 2 could not work */
    bool changed;    /* a file was put in place or taken away */
};

/* ---- tune_text.c: what the drop-in would say ---- */

/* From the report, the present drop-in and the next version: text, lines, left, statements, same. */
ATTR_NODISCARD bool tune_compose(struct tune *t, struct err *reterr);

/* The planned line of a variable of this server, or NULL. */
const struct json *tune_planned(const struct tune *t, const char *variable);

/* ---- tune_live.c: from the facts to the place ---- */

/* The one server that is meant. Error: E_ABSENT none runs, E_USAGE several and none named. */
ATTR_NODISCARD bool tune_pick(struct tune *t, struct err *reterr);

/* The next binary, the server's files, the drop-in that stands there. What is in the way goes to t->why. */
void tune_survey(struct tune *t);

/* Where it goes, and, where nothing is in the way yet, whether it may; with `validate`, whether the next binary
 * takes it. Needs t->text. */
void tune_try(struct tune *t, bool validate);

/* Did we refuse, and not the system? */
bool tune_is_refusal(const struct err *err);

/* Put it there. */
void tune_install(struct tune *t);

/* Let go of files and locks. */
void tune_end(struct tune *t);

/* ---- tune_force.c: is a line in force? ---- */

struct tune_force {
    bool known, in_force;
    const char *now;  /* the value in force, as an option file has it; "" when not known */
    const char *why;  /* why it is not in force, one sentence without full stop; "" when it is */
    const char *mend; /* what to do, or "" */
};

/* Of a line that stands in the present drop-in. `name`: who wins over it, or NULL. */
struct tune_force tune_in_force(const struct tune *t, const struct dropin_line *l,
                                const struct place_name *name);

/* The value of a fact of the variable, as an option file has it. */
const char *tune_value_text(const struct tune *t, const char *variable, const struct fact *f);

/* The one of t->place for the line, or NULL: the server does not read its group. */
const struct place_name *tune_name(const struct tune *t, const struct dropin_line *l);

/* ---- tune_status.c: documents of --status and --undo ----
 * On failure *ret_exit is the exit code: 1 when --undo was refused since somebody has changed the file. */

ATTR_NODISCARD bool tune_status(struct tune *t, struct json **ret, int *ret_exit,
                                struct err *reterr);
ATTR_NODISCARD bool tune_take_back(struct tune *t, struct json **ret, int *ret_exit,
                                   struct err *reterr);

/* ---- tune_doc.c, tune_view.c ---- */

/* The document (schema nvadvise.tune/1) of everything but --status and --undo. */
struct json *tune_doc(const struct tune *t, int exit_code);

/* Members that every document begins with. */
struct json *tune_doc_head(const struct tune *t, int exit_code);

/* Members reason and remedy, of t->why. */
void tune_doc_why(const struct tune *t, struct json *doc);

/* The terminal's view of any of them. */
void tune_view(struct buf *b, const struct json *doc, const struct text_options *text);

#endif
