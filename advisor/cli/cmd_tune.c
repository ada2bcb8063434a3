/* tune: the drop-in installed, explained and taken back. Only wires. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/log.h"
#include "advisor/cli/cmd.h"
#include "advisor/cli/output.h"
#include "advisor/cli/statedir.h"
#include "advisor/cli/tune.h"

#include "advisor/base/banned.h"

#define VIEW_MAX (16u * 1024 * 1024)

static const struct option_row rows[] = {
    SESSION_OPTIONS,
    {"write", 0, NULL, false, "validate the drop-in and put it where the server reads it last"},
    {"dry-run", 0, NULL, false, "the same, without writing"},
    {"diff", 0, NULL, false, "what --write would change in the file"},
    {"status", 0, NULL, false, "what is installed, whether it is in force, and if not, why"},
    {"undo", 0, NULL, false, "take the last write back, or what was interrupted"},
    {"force", 0, NULL, false, "replace or take back what others changed; install what is left of refused rules"},
    {"dir", 0, "DIR", false, "--status, --undo: of this option directory"},
    {"measured-only", 0, NULL, false, "plan nothing that rests on an estimate"},
    {"format", 'f', "FORMAT", false, "text (default) or json"},
};

static const struct {
    const char *option;
    enum tune_mode mode;
} modes[] = {
    {"write", TUNE_WRITE},   {"dry-run", TUNE_DRY_RUN}, {"diff", TUNE_DIFF},
    {"status", TUNE_STATUS}, {"undo", TUNE_UNDO},
};

static bool read_mode(const struct options *opt, enum tune_mode *ret, struct err *reterr)
{
    const char *given = NULL;
    for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
        if (!option_flag(opt, modes[i].option)) {
            continue;
        }
        if (given != NULL) {
            return err_set(reterr, E_USAGE, "'--%s' and '--%s' do not go together", given,
                           modes[i].option);
        }
        given = modes[i].option;
        *ret = modes[i].mode;
    }
    return true;
}

/* What is installed must rest on this machine as it is. */
static bool options_fit(const struct tune *t, struct err *reterr)
{
    const bool changes = t->mode == TUNE_WRITE || t->mode == TUNE_STATUS || t->mode == TUNE_UNDO;
    static const char *const documents[] = {"from", "facts", "options", "set"};
    const char *const *texts = NULL;
    for (size_t i = 0; i < ARRAY_LEN(documents) && changes; i++) {
        if (option_texts(t->opt, t->arena, documents[i], &texts) > 0) {
            err_set(reterr, E_USAGE, "'--%s' and '--%s' do not go together", tune_mode_name(t->mode),
                    documents[i]);
            return err_hint(reterr, "Only what was read from this machine is installed; --dry-run "
                                    "and --diff show what-ifs.");
        }
    }
    const char *format = option_text(t->opt, "format");
    if (format != NULL && strcmp(format, "text") != 0 && strcmp(format, "json") != 0) {
        return err_set(reterr, E_USAGE, "option '--format': '%s' is not one of text, json", format);
    }
    return option_text(t->opt, "dir") == NULL || t->mode == TUNE_STATUS || t->mode == TUNE_UNDO ||
           err_set(reterr, E_USAGE, "'--dir' goes with --status and --undo: a drop-in is written "
                                    "where the server reads it");
}

static bool open_facts(struct tune *t, struct err *reterr)
{
    struct session *s = &t->judged.session;
    if (!session_open(t->arena, t->opt, NULL, s, reterr)) {
        return false;
    }
    for (size_t i = 0; i < s->warnings->n; i++) {
        log_warn("%.*s", SPAN_ARG(s->warnings->items[i]->string));
    }
    judge(&t->judged, t->opt);
    return judge_report(&t->judged, t->opt, &t->report, reterr);
}

static bool may_write(const struct tune *t, struct err *reterr)
{
    if (t->mode != TUNE_WRITE) {
        return true;
    }
    if (geteuid() != 0) {
        err_set(reterr, E_DENIED, "only root may write option files");
        return err_hint(reterr, "sudo nvadvise tune --write");
    }
    *reterr = t->state_why;
    return t->state_why.code == E_NONE || err_wrap(reterr, "a place for the journal");
}

static void find_state(struct tune *t)
{
    struct state_place p;
    if (option_flag(t->opt, "no-state")) {
        err_set(&t->state_why, E_USAGE, "with '--no-state' there is no place for the journal");
    } else if (state_dir_look(t->arena, &p, &t->state_why)) {
        t->state_dir = p.path;
        t->state_why = p.why;
    }
}

/* Everything up to the file, and with --write the file. */
static bool offer(struct tune *t, struct json **ret, int *ret_exit, struct err *reterr)
{
    *ret_exit = 2;
    if (!open_facts(t, reterr) || !tune_pick(t, reterr)) {
        return false;
    }
    tune_survey(t);
    if (!tune_compose(t, reterr)) {
        return false;
    }
    tune_try(t, t->mode == TUNE_DRY_RUN || t->mode == TUNE_WRITE);
    if (t->mode == TUNE_WRITE && t->has_text && t->why.code == E_NONE) {
        tune_install(t);
    }
    const bool shows = t->mode == TUNE_OVERVIEW || t->mode == TUNE_DIFF;
    const bool asked = t->has_text || t->blind || t->n_refused > 0;
    *ret_exit = (shows && !t->blind) || !asked || t->why.code == E_NONE ? 0 : t->why_exit;
    *ret = tune_doc(t, *ret_exit);
    return true;
}

/* A server adds what it has to say; without one the journals and files do. */
static bool status(struct tune *t, struct json **ret, int *ret_exit, struct err *reterr)
{
    struct err err = ERR_INIT;
    *ret_exit = 2;
    if (!open_facts(t, &err)) {
        if (err.code == E_USAGE) {
            *reterr = err;
            return false;
        }
        t->why = err;
    } else if (!tune_pick(t, &err)) {
        t->why = err;
    } else {
        tune_survey(t);
    }
    return tune_status(t, ret, ret_exit, reterr);
}

static void print(const struct tune *t, struct json *doc)
{
    const char *format = option_text(t->opt, "format");
    struct buf b;
    if (format != NULL && strcmp(format, "json") == 0) {
        json_sort(doc);
        output_json(t->arena, doc);
        return;
    }
    buf_init(&b, t->arena, VIEW_MAX);
    const struct text_options text = output_terminal(t->opt);
    tune_view(&b, doc, &text);
    (void)!fwrite(b.ptr, 1, b.len, stdout);
}

static int run(const struct options *opt, struct arena *a, struct err *reterr)
{
    struct tune t = {.arena = a, .opt = opt, .force = option_flag(opt, "force")};
    struct json *doc = NULL;
    int exit_code = 2;
    if (!read_mode(opt, &t.mode, reterr) || !options_fit(&t, reterr)) {
        return -1;
    }
    find_state(&t);
    if (!may_write(&t, reterr)) {
        return -1;
    }
    const bool ok = t.mode == TUNE_UNDO     ? tune_take_back(&t, &doc, &exit_code, reterr)
                    : t.mode == TUNE_STATUS ? status(&t, &doc, &exit_code, reterr)
                                            : offer(&t, &doc, &exit_code, reterr);
    tune_end(&t);
    if (!ok && exit_code == 2) {
        return -1;
    }
    if (!ok) {
        log_err(reterr);
        return exit_code;
    }
    print(&t, doc);
    return exit_code;
}

const struct cmd cmd_tune = {
    .name = "tune",
    .summary = "install the drop-in where the server reads it, and take it back",
    .synopsis = "tune [--write|--dry-run|--diff|--status|--undo] [options]",
    .help =
        "Makes the drop-in of 'check' and puts it where this server reads it last, as\n"
        "zz-nvadvise.cnf in a directory that its option files include. Alone, it says\n"
        "what it would do, and does nothing. It never restarts a server and never sends\n"
        "it a SET.\n\n"
        "--write, step by step: reads the server's own option files as the server does,\n"
        "and finds the directory where the new lines win, or says which line, argument\n"
        "or persisted value still wins over them; asks the binary that will start next\n"
        "(after an upgrade that is another one than runs now) whether it takes all of\n"
        "it, on a scratch instance if need be; keeps the former file; puts the new one\n"
        "in its place in one step; reads it back. The same plan again changes nothing.\n"
        "Lines of an earlier drop-in that nothing speaks against stay as they are.\n\n"
        "--undo brings the former file back byte for byte, or takes ours away; also\n"
        "after a crash in the middle, and without a running server. Each write can be\n"
        "taken back once, up to eight, the last one first.\n\n"
        "Installed only for a server on this machine, in this root, by root, into a\n"
        "directory that nobody but root can write. For any other (a container, another\n"
        "host) the text is printed with the reason.\n\n"
        "  nvadvise tune                    what would be set, and where\n"
        "  nvadvise tune --diff             as a difference\n"
        "  nvadvise tune --write            install it\n"
        "  nvadvise tune --status           is it in force? if not, why not?\n"
        "  nvadvise tune --undo             take it back\n"
        "  nvadvise tune --socket /run/mysqld/b.sock --write\n"
        "                                   one of several servers\n\n"
        "exit status: 0 done, or nothing to do; 1 stopped: the server's binary refuses\n"
        "  the lines, none of them would win, or somebody has changed the file; 2 could\n"
        "  not work. --status: 0 in force, or nothing installed; 1 not in force, changed\n"
        "  or interrupted; 2 could not tell",
    .options = rows,
    .n_options = ARRAY_LEN(rows),
    .run = run,
};
