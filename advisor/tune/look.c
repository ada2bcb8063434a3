/* What stands in a directory, by what the journal says and what is there. Changes nothing. */
#include "advisor/tune/install.h"

#include "advisor/base/banned.h"

const char *tune_state_name(enum tune_state s)
{
    static const char *const names[TUNE_STATES] = {
        [TUNE_NOTHING] = "nothing installed", [TUNE_FOREIGN] = "not ours",
        [TUNE_WRITTEN] = "written",           [TUNE_UNKNOWN] = "installed by other means",
        [TUNE_CHANGED] = "changed since",     [TUNE_GONE] = "removed since",
        [TUNE_INTERRUPTED] = "interrupted",
    };
    return names[s];
}

static enum tune_state state_of(const struct tune_look *l)
{
    const struct journal *j = &l->journal;
    if (j->n > 0 && j->step != STEP_NONE) {
        return TUNE_INTERRUPTED;
    }
    if (j->n == 0) {
        return !l->file.there                      ? TUNE_NOTHING
               : tune_is_marked(l->file.bytes) ? TUNE_UNKNOWN
                                                   : TUNE_FOREIGN;
    }
    if (!l->file.there) {
        return TUNE_GONE;
    }
    return confdir_same_bytes(&l->file, j->writes[j->n - 1].sha256) ? TUNE_WRITTEN : TUNE_CHANGED;
}

/* Which of the two files is it, when something was interrupted? */
static const char *stands_there(const struct tune_look *l)
{
    const struct journal_write *w = &l->journal.writes[l->journal.n - 1];
    if (confdir_same_bytes(&l->file, w->sha256)) {
        return "the new file is in place";
    }
    if (!l->file.there) {
        return w->former.there ? "no file is in place, where there was one before"
                               : "no file is in place, as before";
    }
    return confdir_same(&l->file, &w->former) ? "the former file is in place, untouched"
                                              : "a file is in place that is neither the former nor "
                                                "the new one";
}

static void explain_interrupted(const struct tune_dir *t, struct tune_look *l)
{
    const enum journal_step step = l->journal.step;
    const bool undo = step == STEP_UNDO || step == STEP_UNDONE;
    l->text = arena_printf(t->arena, "%s was interrupted after the step '%s' (%u of %u): %s",
                           undo ? "an undo" : "a write", journal_step_name(step),
                           undo ? step - STEP_UNDO + 1u : (unsigned)step, undo ? 2u : 4u,
                           stands_there(l));
    l->mend = "'nvadvise tune --undo' brings back what was there before";
}

static void explain(const struct tune_dir *t, struct tune_look *l)
{
    l->mend = "";
    switch (l->state) {
    case TUNE_NOTHING:
        l->text = "there is no drop-in of nvadvise";
        return;
    case TUNE_FOREIGN:
        l->text = "the file there was not made by nvadvise, and is left alone";
        l->mend = "move its settings to a file of another name";
        return;
    case TUNE_WRITTEN:
        l->text = "the file is as nvadvise has written it";
        if (l->file.mode != TUNE_MODE || l->file.uid != 0) {
            l->text = arena_printf(t->arena, "the file says what nvadvise has written, but is of mode "
                                             "%03o and user %lu", (unsigned)l->file.mode,
                                   (unsigned long)l->file.uid);
            l->mend = "'nvadvise tune --write' gives it back to root, readable by all";
        }
        return;
    case TUNE_UNKNOWN:
        l->text = "the file was made by nvadvise and put there by other means";
        return;
    case TUNE_CHANGED:
        l->text = "somebody has changed the file since nvadvise wrote it";
        l->mend = "'nvadvise tune --diff' shows it against a new one; --write --force replaces it, "
                  "and --undo brings it back";
        return;
    case TUNE_GONE:
        l->text = "somebody has removed the file since nvadvise wrote it";
        l->mend = "'nvadvise tune --write' writes it again; --undo --force brings back what was "
                  "there before";
        return;
    case TUNE_INTERRUPTED:
        explain_interrupted(t, l);
        return;
    case TUNE_STATES:
        break;
    }
    l->text = "";
}

bool tune_look(const struct tune_dir *t, struct tune_look *ret, struct err *reterr)
{
    struct tune_look l = {0};
    bool there = false;
    if (!journal_load(t->arena, t->state_dir, t->dir.path, &l.journal, &there, reterr) ||
        !confdir_look(&t->dir, TUNE_FILE, t->arena, &l.file, reterr)) {
        return false;
    }
    l.state = state_of(&l);
    explain(t, &l);
    *ret = l;
    return true;
}
