/* tune --status and --undo. Both work from the journals alone, since a server that does not start because of a
 * drop-in is when they are needed most; --status adds what a running server says. */
#include "advisor/cli/tune.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "advisor/report/docread.h"

#include "advisor/base/banned.h"

static void set_text(struct json *j, const char *key, const char *text)
{
    json_set(j, key, json_str(j->arena, text));
}

static void set_flag(struct json *j, const char *key, bool flag)
{
    json_set(j, key, json_bool(j->arena, flag));
}

/* ---- which directories ------------------------------------------------------------------------ */

static bool is_in(const char *const *list, size_t n, const char *dir)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i], dir) == 0) {
            return true;
        }
    }
    return false;
}

/* The one that is named, else all of the journals, and with a server those that it reads. *ret_bad: journals
 * that cannot be read, so that their directory is not known. */
static size_t directories(const struct tune *t, const char *const **ret,
                          struct journal_found **ret_bad, size_t *ret_n_bad)
{
    const char *named = option_text(t->opt, "dir");
    struct journal_found *all = NULL;
    const size_t n_all =
        t->state_dir != NULL && named == NULL ? journal_find(t->arena, t->state_dir, &all) : 0;
    const char **list = arena_calloc(t->arena, n_all + t->tree.n_dirs + 1, sizeof(*list));
    size_t n = 0;
    *ret_bad = arena_calloc(t->arena, n_all, sizeof(**ret_bad));
    *ret_n_bad = 0;
    if (named != NULL) {
        list[n++] = named;
        *ret = list;
        return n;
    }
    for (size_t i = 0; i < n_all; i++) {
        if (all[i].directory != NULL) {
            list[n++] = all[i].directory;
        } else {
            (*ret_bad)[(*ret_n_bad)++] = all[i];
        }
    }
    for (size_t i = 0; i < t->tree.n_dirs; i++) {
        struct confdir d;
        struct err ignored = ERR_INIT;
        if (!confdir_open(t->arena, t->tree.dirs[i], &d, &ignored)) {
            continue;
        }
        if (!is_in(list, n, d.path)) {
            list[n++] = d.path;
        }
        confdir_close(&d);
    }
    *ret = list;
    return n;
}

/* ---- --status --------------------------------------------------------------------------------- */

static struct json *line_doc(const struct tune *t, const struct dropin_line *l, bool *ret_in_force)
{
    const struct tune_force f = tune_in_force(t, l, tune_name(t, l));
    struct json *j = json_object(t->arena);
    set_text(j, "group", l->group);
    set_text(j, "variable", l->variable);
    set_text(j, "value", l->value);
    set_text(j, "in_force", f.now);
    set_text(j, "state", f.in_force ? "in force" : f.known ? "not in force" : "unknown");
    set_text(j, "why", f.why);
    set_text(j, "mend", f.mend);
    *ret_in_force = f.in_force;
    return j;
}

/* Does the server read this directory? */
static bool reads(const struct tune *t, const struct tune_dir *d)
{
    bool is = false;
    for (size_t i = 0; i < t->tree.n_dirs && !is; i++) {
        struct confdir other;
        struct err ignored = ERR_INIT;
        if (confdir_open(t->arena, t->tree.dirs[i], &other, &ignored)) {
            is = strcmp(other.path, d->dir.path) == 0;
            confdir_close(&other);
        }
    }
    return is;
}

static struct json *lines_doc(struct tune *t, const struct tune_dir *d, const struct tune_look *look,
                              bool *ret_all)
{
    struct json *list = json_array(t->arena);
    struct err ignored = ERR_INIT;
    t->present = (struct tune_present){
        .there = true,
        .dir = d->dir.path,
        .path = arena_printf(t->arena, "%s/%s", d->dir.path, TUNE_FILE),
        .look = *look,
    };
    t->present.n_lines = dropin_read(t->arena, look->file.bytes, &t->present.lines);
    t->has_place = t->in.io != NULL && place_try(&t->in, d->dir.path, look->file.bytes, t->arena,
                                                 &t->place, &ignored);
    *ret_all = true;
    for (size_t i = 0; i < t->present.n_lines; i++) {
        bool in_force = false;
        json_push(list, line_doc(t, &t->present.lines[i], &in_force));
        *ret_all = *ret_all && in_force;
    }
    return list;
}

static bool has_our_file(const struct tune_look *look)
{
    return look->state == TUNE_WRITTEN || look->state == TUNE_UNKNOWN ||
           look->state == TUNE_CHANGED || look->state == TUNE_INTERRUPTED;
}

/* The directory of a journal may have been taken away with all that was in it. */
static void hint_gone(const struct tune *t, const char *dir, struct err *err)
{
    struct buf b;
    const char *journal = t->state_dir != NULL ? journal_path(t->arena, t->state_dir, dir) : "";
    if (err->code != E_ABSENT || access(journal, F_OK) != 0) {
        return;
    }
    buf_init(&b, t->arena, ERR_HINT_MAX - 1);
    buf_add_text(&b, "Make it again, then --undo; or, when it has gone for good: rm ");
    buf_add_shell(&b, span_of(journal));
    (void)err_hint(err, "%s", b.full ? "Make it again, then --undo." : b.ptr);
}

/* One directory; *ret_exit becomes 1 where something is not as it should be. NULL: nothing of ours there. */
static struct json *dir_doc(struct tune *t, const char *dir, int *ret_exit)
{
    struct tune_dir d;
    struct tune_look look;
    struct err err = ERR_INIT;
    struct json *j = json_object(t->arena);
    set_text(j, "path", arena_printf(t->arena, "%s/%s", dir, TUNE_FILE));
    const bool opened = tune_open(t->arena, t->state_dir, dir, 0, false, &d, &err);
    if (!opened || !tune_look(&d, &look, &err)) {
        if (opened) {
            tune_close(&d);
        }
        hint_gone(t, dir, &err);
        set_text(j, "state", "unknown");
        set_text(j, "text", err.text);
        set_text(j, "mend", err.hint);
        json_set(j, "settings", json_array(t->arena));
        *ret_exit = 1;
        return j;
    }
    bool in_force = true;
    struct json *lines = json_array(t->arena);
    const bool ours = has_our_file(&look) && look.file.there;
    const char *text = look.text;
    if (ours && t->server != NULL && reads(t, &d)) {
        lines = lines_doc(t, &d, &look, &in_force);
    } else if (ours) {
        in_force = false;
        text = arena_printf(t->arena, "%s; whether it is in force only a server that reads it can "
                                      "tell", look.text);
    }
    const char *state = tune_state_name(look.state);
    if ((look.state == TUNE_WRITTEN || look.state == TUNE_UNKNOWN) && lines->n > 0) {
        state = arena_printf(t->arena, "%s, %s", state, in_force ? "in force" : "not in force");
    }
    set_text(j, "state", state);
    set_text(j, "text", text);
    set_text(j, "mend", look.mend);
    json_set(j, "settings", lines);
    set_flag(j, "can_undo", look.journal.n > 0);
    tune_close(&d);
    if (look.state != TUNE_NOTHING && look.state != TUNE_FOREIGN &&
        (!in_force || (look.state != TUNE_WRITTEN && look.state != TUNE_UNKNOWN))) {
        *ret_exit = 1;
    }
    return look.state == TUNE_NOTHING || look.state == TUNE_FOREIGN ? NULL : j;
}

/* A journal that cannot be read, and is not told of with its directory already. */
static struct json *bad_doc(const struct tune *t, const struct journal_found *bad,
                            const char *const *dirs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(journal_path(t->arena, t->state_dir, dirs[i]), bad->path) == 0) {
            return NULL;
        }
    }
    struct json *j = json_object(t->arena);
    set_text(j, "path", bad->path);
    set_text(j, "state", "unknown");
    set_text(j, "text", bad->why.text);
    set_text(j, "mend", bad->why.hint);
    json_set(j, "settings", json_array(t->arena));
    return j;
}

static void push(struct json *list, struct json *one)
{
    if (one != NULL) {
        json_push(list, one);
    }
}

bool tune_status(struct tune *t, struct json **ret, int *ret_exit, struct err *reterr)
{
    const char *const *dirs = NULL;
    struct journal_found *bad = NULL;
    size_t n_bad = 0;
    /* Root's journals are out of sight, and no server says what it reads; or root has none to read. */
    const bool blind = geteuid() != 0 ? t->in.io == NULL
                                      : t->state_dir == NULL && t->state_why.code != E_USAGE;
    const size_t n = directories(t, &dirs, &bad, &n_bad);
    struct json *list = json_array(t->arena);
    int exit_code = n_bad > 0 ? 1 : 0;
    (void)reterr;
    if (blind && geteuid() != 0 && t->why.code == E_NONE) {
        err_set(&t->why, E_DENIED, "the journals of writes are root's and could not be seen");
        (void)err_hint(&t->why, "sudo nvadvise tune --status");
    } else if (blind && t->why.code == E_NONE) {
        t->why = t->state_why;
    }
    for (size_t i = 0; i < n; i++) {
        push(list, dir_doc(t, dirs[i], &exit_code));
    }
    for (size_t i = 0; i < n_bad; i++) {
        push(list, bad_doc(t, &bad[i], dirs, n));
    }
    if (blind) {
        exit_code = list->n == 0 ? 2 : 1;
    }
    struct json *doc = tune_doc_head(t, exit_code);
    tune_doc_why(t, doc);
    json_set(doc, "dropins", list);
    if (list->n == 0) {
        set_text(doc, "effect",
                 !blind           ? "nothing installed"
                 : geteuid() != 0 ? "unknown: whether something is installed can be told by root alone"
                                  : "unknown: without the journals it cannot be told");
    }
    *ret = doc;
    *ret_exit = exit_code;
    return true;
}

/* ---- --undo ----------------------------------------------------------------------------------- */

static bool pick_directory(const struct tune *t, const char **ret, struct err *reterr)
{
    const char *const *dirs = NULL;
    struct journal_found *bad = NULL;
    size_t n_bad = 0;
    const size_t n = directories(t, &dirs, &bad, &n_bad);
    if (n_bad > 0) {
        *reterr = bad[0].why;
        return false;
    }
    if (n > 1) {
        struct buf b;
        buf_init(&b, t->arena, ERR_HINT_MAX - 1);
        for (size_t i = 0; i < n; i++) {
            buf_printf(&b, "%s%s", i > 0 ? ", " : "", dirs[i]);
        }
        err_set(reterr, E_USAGE, "drop-ins were written into %zu directories: name one with --dir",
                n);
        return err_hint(reterr, "%s", b.ptr);
    }
    *ret = n == 1 ? dirs[0] : NULL;
    return true;
}

static struct json *undo_doc(const struct tune *t, const char *dir, bool changed, const char *text)
{
    struct json *doc = tune_doc_head(t, 0);
    set_text(doc, "path", dir != NULL ? arena_printf(t->arena, "%s/%s", dir, TUNE_FILE) : "");
    set_text(doc, "effect", text);
    set_text(doc, "reason", dir == NULL ? arena_printf(t->arena, "no journal of a write lies in '%s'",
                                                       t->state_dir)
                                        : "");
    set_flag(doc, "changed", changed);
    return doc;
}

static const char *what_was_done(const struct tune_look *before)
{
    if (before->journal.n == 0) {
        return "nothing to take back";
    }
    if (before->state == TUNE_INTERRUPTED) {
        return "what was interrupted is taken back";
    }
    return before->journal.writes[before->journal.n - 1].former.there
               ? "the former file is there again"
               : "the file is taken away";
}

bool tune_take_back(struct tune *t, struct json **ret, int *ret_exit, struct err *reterr)
{
    const char *dir = NULL;
    struct tune_dir d;
    struct tune_look before;
    bool changed = false;
    *ret_exit = 2;
    if (geteuid() != 0) {
        return err_set(reterr, E_DENIED, "only root may change option files");
    }
    if (t->state_why.code != E_NONE) {
        *reterr = t->state_why;
        return err_wrap(reterr, "the journal");
    }
    if (!pick_directory(t, &dir, reterr)) {
        return false;
    }
    if (dir == NULL) {
        *ret = undo_doc(t, dir, false, "nothing to take back");
        *ret_exit = 0;
        return true;
    }
    if (!tune_open(t->arena, t->state_dir, dir, (int64_t)time(NULL), true, &d, reterr)) {
        hint_gone(t, dir, reterr);
        return false;
    }
    const bool ok =
        tune_look(&d, &before, reterr) && tune_undo(&d, t->force, &changed, reterr);
    tune_close(&d);
    if (!ok) {
        *ret_exit = tune_is_refusal(reterr) ? 1 : 2;
        return false;
    }
    *ret = undo_doc(t, dir, changed, what_was_done(&before));
    *ret_exit = 0;
    return true;
}
