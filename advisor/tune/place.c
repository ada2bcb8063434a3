/* Reading the tree with our file in it, and choosing. What a line means is for rules/options.h. */
#include "advisor/tune/place.h"

#include <string.h>

#include "advisor/tune/journal.h"

#include "advisor/base/banned.h"

#define PLACE_TEXT_MAX 1024

static bool read_tree(const struct place_input *in, const struct optfile_io *io, struct arena *a,
                      struct server_options *ret, struct err *reterr)
{
    server_options_read(io, in->server, a, ret);
    if (ret->end == SERVER_OPTIONS_WHOLE) {
        return true;
    }
    *reterr = ret->why;
    return ret->end == SERVER_OPTIONS_FATAL
               ? err_wrap(reterr, "the server would not start with its option files as they are")
               : err_wrap(reterr, "the server's option files could not all be looked at");
}

bool place_read(const struct place_input *in, struct arena *a, struct place_tree *ret,
                struct err *reterr)
{
    struct server_options o;
    if (!read_tree(in, in->io, a, &o, reterr)) {
        return false;
    }
    *ret = (struct place_tree){
        .dirs = o.dirs, .n_dirs = o.n_dirs, .warnings = o.warnings, .n_warnings = o.n_warnings};
    for (size_t i = 0; i < o.n_files; i++) {
        if (o.files[i].depth == 0 && o.files[i].state == OPTFILE_READ) {
            ret->main_file = o.files[i].path;
        }
        ret->other_files_unread = ret->other_files_unread || o.files[i].state == OPTFILE_UNREADABLE;
    }
    return true;
}

/* SET PERSIST comes last of all. */
static bool add_persisted(const struct place_input *in, const struct server_options *o,
                          struct arena *a, struct place *p, struct err *reterr)
{
    struct span text;
    struct err err = ERR_INIT;
    if (o->persisted == NULL) {
        return true;
    }
    if (!in->persisted(in->persisted_ctx, o->persisted, &text, &err)) {
        if (err.code == E_ABSENT) {
            return true;
        }
        *reterr = err;
        return err_wrap(reterr, "what is persisted in the server");
    }
    return server_options_persisted(a, o->persisted, text, &p->lines, &p->n_lines, reterr);
}

/* ---- who wins -------------------------------------------------------------------------------- */

static bool is_persisted(const struct optline *l)
{
    return span_eq_text(l->group, OPTLINE_PERSISTED);
}

static const char *place_text(struct arena *a, const struct optline *l)
{
    struct buf b;
    buf_init(&b, a, PLACE_TEXT_MAX);
    optline_place(&b, l);
    return b.ptr;
}

static const char *mend_of(struct arena *a, const struct option_reading *by)
{
    const struct optline *l = by->line;
    if (is_persisted(l)) {
        return arena_printf(a, "RESET PERSIST %s;", by->name);
    }
    if (span_eq_text(l->file, OPTLINE_COMMAND_LINE)) {
        return arena_printf(a, "take --%.*s from the server's unit or start script",
                            SPAN_ARG(l->name));
    }
    if (span_eq_text(l->file, OPTLINE_ENVIRONMENT)) {
        return "take it from the server's environment";
    }
    return arena_printf(a, "delete line %u of %.*s", l->line, SPAN_ARG(l->file));
}

/* The one that is applied last of those that set the same variable: by any spelling, from anywhere. */
static const struct option_reading *winner(const struct option_reading *all, size_t n,
                                           const struct option_reading *ours)
{
    const struct option_reading *w = ours;
    for (const struct option_reading *r = ours + 1; r < all + n; r++) {
        if (r->name != NULL && strcmp(r->name, ours->name) == 0 &&
            (r->effect == OPTION_IN_FORCE || r->effect == OPTION_SHADOWED) &&
            (r->marks & OPTION_MAXIMUM) == 0) {
            w = r;
        }
    }
    return w;
}

static struct place_name judge(struct arena *a, const struct option_reading *all, size_t n,
                               const struct option_reading *r)
{
    const struct option_reading *w = winner(all, n, r);
    struct place_name name = {
        .variable = r->name != NULL ? r->name : span_dup(a, r->line->name),
        .value = span_dup(a, r->line->value),
        .stops = r->effect == OPTION_STOPS,
        .why = "",
        .by = "",
        .by_value = "",
        .mend = "",
        .reset = "",
    };
    const bool same = w != r && w->has_value && r->has_value && value_eq(&w->value, &r->value);
    name.wins = same || (w == r && r->effect == OPTION_IN_FORCE);
    if (w != r && !same) {
        name.by = place_text(a, w->line);
        name.by_value = span_dup(a, w->line->value);
        name.why = arena_printf(a, "%s sets it to '%s' after ours", name.by, name.by_value);
        name.mend = mend_of(a, w);
        name.reset = is_persisted(w->line) ? w->name : "";
    } else if (!name.wins) {
        name.why = r->text != NULL ? r->text : "";
    }
    return name;
}

static void judge_all(const struct place_input *in, struct arena *a, struct place *p)
{
    struct option_reading *all = NULL;
    const size_t n = options_read(in->catalogue, &in->target, p->lines, p->n_lines, a, &all);
    p->names = arena_calloc(a, n, sizeof(*p->names));
    for (size_t i = 0; i < n; i++) {
        if (!span_eq_text(all[i].line->file, p->path)) {
            continue;
        }
        const struct place_name name = judge(a, all, n, &all[i]);
        p->names[p->n_names++] = name;
        p->n_win += name.wins;
        p->stops = p->stops || name.stops;
    }
}

bool place_try(const struct place_input *in, const char *dir, struct span text, struct arena *a,
               struct place *ret, struct err *reterr)
{
    struct place p = {.dir = dir, .path = arena_printf(a, "%s/%s", dir, TUNE_FILE)};
    struct server_options o;
    if (!read_tree(in, optfile_io_with(a, in->io, p.path, text), a, &o, reterr)) {
        return false;
    }
    p.lines = o.lines;
    p.n_lines = o.n_lines;
    if (!add_persisted(in, &o, a, &p, reterr)) {
        return false;
    }
    judge_all(in, a, &p);
    *ret = p;
    return true;
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* The commands that make a directory and have `file` include it, to be pasted into a shell: names of others
 * are quoted, and nothing is cut. The file may lack its last newline. */
static const char *edit_of(const char *file, const char *dir, struct arena *a)
{
    const char *made = arena_printf(a, "%s/nvadvise.d", dir);
    struct buf b;
    buf_init(&b, a, ERR_HINT_MAX - 1);
    buf_add_text(&b, "mkdir -m 755 ");
    buf_add_shell(&b, span_of(made));
    buf_add_text(&b, " && printf '\\n%s\\n' ");
    buf_add_shell(&b, span_of(arena_printf(a, "!includedir %s", made)));
    buf_add_text(&b, " >> ");
    buf_add_shell(&b, span_of(file));
    return b.full ? "Make a directory beside it, root's, and add a line '!includedir DIRECTORY'."
                  : b.ptr;
}

static bool no_directory(const struct place_tree *tree, struct arena *a, struct err *reterr)
{
    if (tree->main_file == NULL) {
        err_set(reterr, E_ABSENT, "the server reads no option file");
        return err_hint(reterr, "Start it with one; nvadvise check --out DIR prints the drop-in.");
    }
    const char *slash = strrchr(tree->main_file, '/');
    const char *dir = slash == tree->main_file || slash == NULL
                          ? "/etc"
                          : arena_strndup(a, tree->main_file, (size_t)(slash - tree->main_file));
    err_set(reterr, E_ABSENT, "'%s' includes no directory, so there is no place for a drop-in",
            tree->main_file);
    return err_hint(reterr, "%s", edit_of(tree->main_file, dir, a));
}

bool place_choose(const struct place_input *in, const struct place_tree *tree, const char *prefer,
                  struct span text, struct arena *a, struct place *ret, struct err *reterr)
{
    struct place best = {0};
    for (size_t i = 0; i < tree->n_dirs; i++) {
        struct place p;
        if (!place_try(in, tree->dirs[i], text, a, &p, reterr)) {
            return false;
        }
        const bool preferred =
            best.dir != NULL && prefer != NULL && strcmp(best.dir, prefer) == 0;
        if (best.dir == NULL || p.n_win > best.n_win || (p.n_win == best.n_win && !preferred)) {
            best = p;
        }
    }
    if (best.dir == NULL) {
        return no_directory(tree, a, reterr);
    }
    *ret = best;
    return true;
}
