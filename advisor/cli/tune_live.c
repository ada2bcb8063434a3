/* From the facts to the place: the server that is meant, the binary that starts next, the server's own
 * files, the drop-in that stands there, and whether a new one may go there. Wires. */
#include "advisor/cli/tune.h"

#include <string.h>
#include <time.h>

#include "advisor/base/banned.h"

#define STOPPED 1
#define COULD_NOT 2

bool tune_pick(struct tune *t, struct err *reterr)
{
    const struct judged *j = &t->judged;
    if (j->n_servers == 0) {
        err_set(reterr, E_ABSENT, "no server was found here, so there is nothing to tune");
        return err_hint(reterr, "Start it, or name it with --socket; 'nvadvise check' says what "
                                "was looked for.");
    }
    if (j->n_servers > 1) {
        struct buf b;
        buf_init(&b, t->arena, ERR_HINT_MAX - 1);
        for (size_t i = 0; i < j->n_servers; i++) {
            buf_printf(&b, "%s%s", i > 0 ? ", " : "",
                       j->servers[i]->label + strlen("server:"));
        }
        err_set(reterr, E_USAGE, "%zu servers run here: name one with --socket", j->n_servers);
        return err_hint(reterr, "%s", b.ptr);
    }
    t->server = j->servers[0];
    return true;
}

static void stop(struct tune *t, int exit_code, const struct err *why)
{
    if (t->why.code == E_NONE) {
        t->why = *why;
        t->why_exit = exit_code;
    }
}

/* A rule asks for what this server does not have or would not take: one of the two is not understood, so nothing
 * is installed on the word of either. */
static void check_refused(struct tune *t)
{
    struct err err = ERR_INIT;
    t->refused = t->judged.plans[0].refused;
    t->n_refused = t->judged.plans[0].n_refused;
    if (t->n_refused > 0 && !t->force) {
        err_set(&err, E_DENIED, "the rules ask for a setting that is not possible here: %s",
                t->refused[0]);
        (void)err_hint(&err, "Correct the rule; --force installs the other lines.");
        stop(t, STOPPED, &err);
    }
}

/* Of a server that did not answer nothing is known that could be judged: no plan is no pass. */
static void check_answered(struct tune *t)
{
    const struct fact *f =
        store_get(t->judged.session.store, t->server, SPAN_LIT("server.version"));
    struct err err = ERR_INIT;
    if (f != NULL && f->state == FACT_KNOWN) {
        return;
    }
    t->blind = true;
    err_set(&err, E_CONNECT, "the server could not be asked%s%s", f != NULL ? ": " : "",
            f != NULL ? f->reason : "");
    t->remedy = f != NULL ? span_dup(t->arena, span_of(f->remedy)) : NULL; /* cut, a command is another one */
    stop(t, COULD_NOT, &err);
}

/* ---- what stands there ------------------------------------------------------------------------ */

static const char *datadir_of(const struct tune *t)
{
    const struct store *s = t->judged.session.store;
    const struct fact *f = store_get(s, t->server, SPAN_LIT("server.process.cwd"));
    return f != NULL && f->state == FACT_KNOWN ? span_dup(t->arena, f->value.text) : NULL;
}

/* The last of the server's directories that holds a file of ours. A directory that may not be written into
 * is told when it is the one to write into. */
static void find_present(struct tune *t)
{
    for (size_t i = 0; i < t->tree.n_dirs; i++) {
        struct tune_dir d;
        struct tune_look look;
        struct err ignored = ERR_INIT;
        if (!tune_open(t->arena, t->state_dir, t->tree.dirs[i], t->judged.session.clock, false, &d,
                       &ignored)) {
            continue;
        }
        if (tune_look(&d, &look, &ignored) && look.file.there &&
            tune_is_marked(look.file.bytes)) {
            t->present = (struct tune_present){
                .there = true,
                .dir = t->tree.dirs[i],
                .path = arena_printf(t->arena, "%s/%s", d.dir.path, TUNE_FILE),
                .look = look,
            };
            t->present.n_lines =
                dropin_read(t->arena, look.file.bytes, &t->present.lines);
        }
        tune_close(&d);
    }
}

void tune_survey(struct tune *t)
{
    struct err err = ERR_INIT;
    check_answered(t);
    check_refused(t);
    if (t->judged.session.remote) {
        err_set(&err, E_NOT_SUPPORTED, "'%s' is on another machine", t->server->label);
        (void)err_hint(&err, "Run nvadvise there, or copy the drop-in to it.");
        stop(t, COULD_NOT, &err);
        return;
    }
    if (store_is_offline(t->judged.session.store) || option_text(t->opt, "from") != NULL) {
        err_set(&err, E_NOT_SUPPORTED, "the facts are from a document, not from this machine");
        stop(t, COULD_NOT, &err);
        return;
    }
    if (!next_find(t->judged.session.store, t->server, t->arena, &t->next, &err)) {
        stop(t, COULD_NOT, &err);
        if (t->next.pid == 0 || !t->next.has_running) {
            return;
        }
        /* Where it would go can be seen in the root of another all the same. */
        t->next.flavour = t->next.running_flavour;
        t->next.version = t->next.running_version;
    }
    if (!reader_open(t->arena, &t->next, datadir_of(t), &t->reader, &t->in, &err)) {
        stop(t, COULD_NOT, &err);
        return;
    }
    t->in.catalogue = t->judged.session.rules.catalogue;
    if (!place_read(&t->in, t->arena, &t->tree, &err)) {
        t->in.io = NULL;
        stop(t, err.code == E_SYNTAX ? STOPPED : COULD_NOT, &err);
        return;
    }
    if (t->next.has_next) {
        find_present(t);
    }
}

bool tune_is_refusal(const struct err *err)
{
    return err->code == E_DENIED && err->sys_errno == 0;
}

/* ---- where it goes ---------------------------------------------------------------------------- */

static bool wins_nowhere(struct tune *t)
{
    const struct place *p = &t->place;
    struct err err = ERR_INIT;
    for (size_t i = 0; i < p->n_names && p->stops; i++) {
        if (p->names[i].stops) {
            err_set(&err, E_DENIED, "the server would not start with '%s = %s'",
                    p->names[i].variable, p->names[i].value);
            (void)err_hint(&err, "%.200s.", p->names[i].why);
            stop(t, STOPPED, &err);
            return true;
        }
    }
    if (p->n_win > 0 || t->n_lines == 0) {
        return false;
    }
    if (p->n_names == 0) {
        err_set(&err, E_DENIED, "the version that starts next reads none of the drop-in's groups");
    } else {
        err_set(&err, E_DENIED, "no line would win: %s", p->names[0].why);
        (void)err_hint(&err, "%.200s.", p->names[0].mend);
    }
    stop(t, STOPPED, &err);
    return true;
}

/* The directory, and with --write its locks, which are held until all is done. */
static bool may_write(struct tune *t)
{
    struct err err = ERR_INIT;
    const bool write = t->mode == TUNE_WRITE;
    const int64_t now = write ? (int64_t)time(NULL) : t->judged.session.clock;
    t->open = next_sees(&t->next, t->place.dir, &err) &&
              tune_open(t->arena, t->state_dir, t->place.dir, now, write, &t->dir, &err);
    if (!t->open) {
        stop(t, COULD_NOT, &err);
    }
    return t->open;
}

/* What --write would refuse, the others foretell. */
static void foretell(struct tune *t)
{
    struct tune_look look;
    struct err err = ERR_INIT;
    if (!tune_look(&t->dir, &look, &err)) {
        stop(t, tune_is_refusal(&err) ? STOPPED : COULD_NOT, &err);
    } else if (look.state != TUNE_INTERRUPTED && !t->same &&
               !tune_may_write(&t->dir, &look, t->force, &err)) {
        stop(t, STOPPED, &err);
    }
}

static void validate(struct tune *t)
{
    struct err err = ERR_INIT;
    const struct validate_input in = {
        .binary = t->next.binary,
        .flavour = t->next.flavour,
        .uid = t->next.uid,
        .gid = t->next.gid,
        .lines = t->place.lines,
        .n_lines = t->place.n_lines,
        .ours = t->place.path,
        .catalogue = t->in.catalogue,
    };
    if (!validate_options(&in, t->arena, &t->validation, &err)) {
        (void)err_wrap(&err, "asking '%s' whether it would start", t->next.binary);
        stop(t, COULD_NOT, &err);
        return;
    }
    t->validated = true;
    if (t->validation.good) {
        return;
    }
    err_set(&err, E_DENIED, "'%s' does not take the drop-in", t->next.binary);
    if (t->validation.bad_before) {
        err_set(&err, E_DENIED, "'%s' would not start with the options that it has now",
                t->next.binary);
    }
    for (size_t i = 0; i < t->validation.n_complaints; i++) {
        const struct complaint *c = &t->validation.complaints[i];
        if ((c->ours || t->validation.bad_before) && c->kind != COMPLAINT_WARNING) {
            (void)err_hint(&err, "%.250s", c->text);
            break;
        }
    }
    stop(t, STOPPED, &err);
}

void tune_try(struct tune *t, bool with_validation)
{
    struct err err = ERR_INIT;
    if (t->in.io == NULL || !t->has_text) {
        return;
    }
    const char *prefer = t->present.there ? t->present.dir : NULL;
    if (!place_choose(&t->in, &t->tree, prefer, t->text, t->arena, &t->place, &err)) {
        stop(t, err.code == E_SYNTAX ? STOPPED : COULD_NOT, &err);
        return;
    }
    t->has_place = true;
    if (t->why.code != E_NONE) {
        return;
    }
    if (wins_nowhere(t) || !may_write(t)) {
        return;
    }
    if (t->mode != TUNE_WRITE) {
        foretell(t);
    }
    if (with_validation) {
        validate(t);
    }
}

/* ---- writing ---------------------------------------------------------------------------------- */

/* The plan was made from what stood there then. */
static bool is_as_seen(const struct tune *t, struct err *reterr)
{
    struct confdir_file now;
    if (!confdir_look(&t->dir.dir, TUNE_FILE, t->arena, &now, reterr)) {
        return false;
    }
    const bool seen = t->present.there && strcmp(t->present.dir, t->place.dir) == 0;
    if (!seen || confdir_same_bytes(&now, t->present.look.file.sha256)) {
        return true;
    }
    return err_set(reterr, E_BUSY, "'%s' was changed meanwhile: try again", t->place.path);
}

void tune_install(struct tune *t)
{
    struct err err = ERR_INIT;
    struct buf version;
    buf_init(&version, t->arena, 128);
    version_print(&version, &t->next.version);
    const struct tune_text text = {.bytes = t->text, .server = t->server->label,
                                   .version = version.ptr, .tool = NVADVISE_VERSION};
    if (!is_as_seen(t, &err) || !tune_write(&t->dir, &text, t->force, &t->changed, &err)) {
        stop(t, tune_is_refusal(&err) ? STOPPED : COULD_NOT, &err);
    }
}

void tune_end(struct tune *t)
{
    if (t->open) {
        tune_close(&t->dir);
        t->open = false;
    }
    if (t->reader != NULL) {
        reader_close(t->reader);
        t->reader = NULL;
    }
}
