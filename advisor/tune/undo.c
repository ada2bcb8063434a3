/* Taking back, also what was interrupted. Looks at the directory itself: the journal says what may stand
 * there, not what does. */
#include "advisor/tune/install.h"

#include <string.h>

#include "advisor/tune/install_int.h"

#include "advisor/base/banned.h"

static bool drop_temp(struct tune_dir *t, struct journal *j, struct err *reterr)
{
    if (j->temp[0] != '\0' && !confdir_unlink(&t->dir, j->temp, reterr)) {
        return false;
    }
    tune_acted(t);
    return true;
}

static bool pop(struct tune_dir *t, struct journal *j, struct err *reterr)
{
    j->n--;
    j->temp = "";
    return tune_save(t, j, STEP_NONE, reterr);
}

static bool put_back(struct tune_dir *t, struct journal *j, struct err *reterr)
{
    struct journal_write *w = &j->writes[j->n - 1];
    if (!w->former.there) {
        return confdir_unlink(&t->dir, TUNE_FILE, reterr);
    }
    if (!journal_former(t->arena, t->state_dir, w, reterr) ||
        !confdir_create(&t->dir, j->temp, &w->former, true, reterr)) {
        return false;
    }
    tune_acted(t);
    return confdir_rename(&t->dir, j->temp, TUNE_FILE, reterr);
}

static bool check_back(struct tune_dir *t, const struct journal_write *w, struct err *reterr)
{
    struct confdir_file now;
    if (!confdir_look(&t->dir, TUNE_FILE, t->arena, &now, reterr)) {
        return false;
    }
    return confdir_same(&now, &w->former) ||
           err_set(reterr, E_IO, "'%s/%s' is not as it was before the write", t->dir.path,
                   TUNE_FILE);
}

/* What is needed is the name of the temporary file. A write that was interrupted, perhaps because the disk is
 * full, has left that; and to take a file away none is needed. */
static bool note_undo(struct tune_dir *t, struct journal *j, struct err *reterr)
{
    struct err err = ERR_INIT;
    const bool noted = j->temp[0] != '\0' || !j->writes[j->n - 1].former.there;
    if (!noted && !tune_temp_name(t->arena, &j->temp, reterr)) {
        return false;
    }
    if (!tune_save(t, j, STEP_UNDO, &err) && !noted) {
        *reterr = err;
        return false;
    }
    return true;
}

bool tune_restore(struct tune_dir *t, struct journal *j, struct err *reterr)
{
    struct confdir_file now;
    if (!drop_temp(t, j, reterr) ||
        !confdir_look(&t->dir, TUNE_FILE, t->arena, &now, reterr)) {
        return false;
    }
    if (confdir_same(&now, &j->writes[j->n - 1].former)) {
        return pop(t, j, reterr);
    }
    if (!note_undo(t, j, reterr) || !put_back(t, j, reterr)) {
        return false;
    }
    tune_acted(t);
    struct err ignored = ERR_INIT;
    (void)!tune_save(t, j, STEP_UNDONE, &ignored); /* what has happened can be seen */
    return check_back(t, &j->writes[j->n - 1], reterr) && pop(t, j, reterr);
}

/* Is what stands there one of the two that we know of? */
static bool is_known(const struct tune_look *look)
{
    const struct journal_write *w = &look->journal.writes[look->journal.n - 1];
    return confdir_same_bytes(&look->file, w->sha256) ||
           (look->file.there ? confdir_same_bytes(&look->file, w->former.sha256)
                             : !w->former.there);
}

static bool refuse_changed(const struct tune_dir *t, const struct tune_look *look,
                           struct err *reterr)
{
    err_set(reterr, E_DENIED, "will not touch '%s/%s': somebody has %s it since", t->dir.path,
            TUNE_FILE, look->file.there ? "changed" : "removed");
    return err_hint(reterr, "--undo --force brings back what was there before the write.");
}

bool tune_settle(struct tune_dir *t, bool force, struct err *reterr)
{
    struct tune_look look;
    if (!tune_look(t, &look, reterr)) {
        return false;
    }
    struct journal *j = &look.journal;
    if (j->step == STEP_NONE) {
        return true;
    }
    if (!is_known(&look) && !force) {
        return refuse_changed(t, &look, reterr);
    }
    if (j->step == STEP_UNDO || j->step == STEP_UNDONE) {
        return tune_restore(t, j, reterr);
    }
    if (!drop_temp(t, j, reterr)) {
        return false;
    }
    if (!confdir_same_bytes(&look.file, j->writes[j->n - 1].sha256)) {
        return pop(t, j, reterr); /* it had not come into its place */
    }
    j->temp = "";
    return tune_save(t, j, STEP_NONE, reterr);
}

static bool undo(struct tune_dir *t, bool force, bool *ret_changed, struct err *reterr)
{
    struct tune_look look;
    if (!tune_look(t, &look, reterr)) {
        return false;
    }
    if (look.journal.n == 0) {
        if (look.state == TUNE_UNKNOWN) {
            err_set(reterr, E_DENIED, "will not remove '%s/%s': no journal says what was there "
                    "before", t->dir.path, TUNE_FILE);
            return err_hint(reterr, "It was put there by other means: remove it by hand.");
        }
        *ret_changed = false;
        return true;
    }
    if (!is_known(&look) && !force) {
        return refuse_changed(t, &look, reterr);
    }
    if (!tune_restore(t, &look.journal, reterr)) {
        return err_hint(reterr, "See nvadvise tune --status; --undo can be tried again.");
    }
    *ret_changed = true;
    return true;
}

bool tune_undo(struct tune_dir *t, bool force, bool *ret_changed, struct err *reterr)
{
    sigset_t before;
    tune_hold_signals(&before);
    const bool ok = undo(t, force, ret_changed, reterr);
    tune_free_signals(&before);
    return ok;
}
