/* Writing, step by step. Each step is in the journal when it is done; what a step has done can be seen in
 * the directory itself, so it does not matter on which side of that a crash comes. */
#include "advisor/tune/install.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "advisor/base/lock.h"
#include "advisor/tune/install_int.h"

#include "advisor/base/banned.h"

#define LOCK_HOST "host.lock"

bool tune_is_marked(struct span bytes)
{
    struct span first = {"", 0};
    if (bytes.len == 0) {
        return true;
    }
    (void)span_line(&bytes, &first);
    const size_t mark = strlen(TUNE_MARK);
    for (size_t i = 0; i + mark <= first.len; i++) {
        if (memcmp(first.ptr + i, TUNE_MARK, mark) == 0) {
            return true;
        }
    }
    return false;
}

bool tune_open(struct arena *a, const char *state_dir, const char *path, int64_t now,
               bool for_change, struct tune_dir *ret, struct err *reterr)
{
    struct tune_dir t = {
        .arena = a, .state_dir = state_dir, .now = now, .lock_host = -1, .lock_dir = -1};
    if (!confdir_open(a, path, &t.dir, reterr)) {
        return false;
    }
    if (for_change) {
        const char *own = arena_printf(a, "tune-%s.lock", journal_key(a, t.dir.path));
        if (!lock_take(state_dir, LOCK_HOST, &t.lock_host, reterr) ||
            !lock_take(state_dir, own, &t.lock_dir, reterr)) {
            tune_close(&t);
            return false;
        }
    }
    *ret = t;
    return true;
}

void tune_close(struct tune_dir *t)
{
    confdir_close(&t->dir);
    for (int *fd = &t->lock_dir; fd != NULL; fd = fd == &t->lock_dir ? &t->lock_host : NULL) {
        if (*fd >= 0) {
            (void)close(*fd);
            *fd = -1;
        }
    }
}

void tune_hold_signals(sigset_t *ret_before)
{
    sigset_t all;
    sigfillset(&all);
    sigemptyset(ret_before);
    (void)sigprocmask(SIG_BLOCK, &all, ret_before);
}

void tune_free_signals(const sigset_t *before)
{
    (void)sigprocmask(SIG_SETMASK, before, NULL);
}

void tune_acted(struct tune_dir *t)
{
    t->acts++;
    if (t->acted != NULL) {
        t->acted(t->ctx, t->acts);
    }
}

bool tune_save(struct tune_dir *t, struct journal *j, enum journal_step step, struct err *reterr)
{
    j->step = step;
    j->time = t->now;
    if (!journal_save(t->arena, t->state_dir, j, reterr)) {
        return false;
    }
    tune_acted(t);
    return true;
}

bool tune_temp_name(struct arena *a, const char **ret, struct err *reterr)
{
    uint64_t random = 0;
    if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
        return err_set_errno(reterr, errno, "cannot get random bytes");
    }
    *ret = arena_printf(a, ".nvadvise-%016llx.tmp", (unsigned long long)random);
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* More than can be kept: the two oldest writes become one, so that what was there first comes back last. */
static void make_room(struct journal *j)
{
    if (j->n < JOURNAL_WRITES_MAX) {
        return;
    }
    j->writes[1].former = j->writes[0].former;
    j->writes[1].former_name = j->writes[0].former_name;
    memmove(&j->writes[0], &j->writes[1], (j->n - 1) * sizeof(j->writes[0]));
    j->n--;
}

static void push(struct tune_dir *t, struct journal *j, const struct tune_text *text,
                 const struct confdir_file *former)
{
    make_room(j);
    struct journal_write *w = &j->writes[j->n++];
    *w = (struct journal_write){
        .former = *former,
        .former_name = "",
        .time = t->now,
        .server = text->server,
        .version = text->version,
        .tool = text->tool,
    };
    confdir_hash(t->arena, text->bytes, w->sha256);
    if (former->there) {
        w->former_name = arena_printf(t->arena, "tune-%s-%.16s.former",
                                      journal_key(t->arena, j->directory), former->sha256);
    }
}

/* The label of the file that it replaces; a new one gets that of its directory. */
static struct confdir_file new_file(const struct tune_text *text, const struct confdir_file *former)
{
    struct confdir_file f = {.there = true, .bytes = text->bytes, .mode = TUNE_MODE};
    for (size_t i = 0; i < former->n_xattrs; i++) {
        if (strcmp(former->xattrs[i].name, "security.selinux") == 0) {
            f.xattrs = &former->xattrs[i];
            f.n_xattrs = 1;
        }
    }
    return f;
}

static bool read_back(struct tune_dir *t, const struct journal_write *w, struct err *reterr)
{
    struct confdir_file now;
    if (!confdir_look(&t->dir, TUNE_FILE, t->arena, &now, reterr)) {
        return false;
    }
    tune_acted(t);
    if (!confdir_same_bytes(&now, w->sha256) || now.mode != TUNE_MODE || now.uid != 0) {
        return err_set(reterr, E_IO, "'%s/%s' does not read back as it was written", t->dir.path,
                       TUNE_FILE);
    }
    return true;
}

static bool place(struct tune_dir *t, struct journal *j, const struct tune_text *text,
                  struct err *reterr)
{
    const struct journal_write *w = &j->writes[j->n - 1];
    if (w->former.there) {
        if (!journal_keep(t->arena, t->state_dir, w, reterr)) {
            return false;
        }
        tune_acted(t);
    }
    const struct confdir_file file = new_file(text, &w->former);
    if (!tune_save(t, j, STEP_KEPT, reterr) ||
        !confdir_create(&t->dir, j->temp, &file, false, reterr)) {
        return false;
    }
    tune_acted(t);
    if (!tune_save(t, j, STEP_WRITTEN, reterr) ||
        !confdir_rename(&t->dir, j->temp, TUNE_FILE, reterr)) {
        return false;
    }
    tune_acted(t);
    if (!tune_save(t, j, STEP_PLACED, reterr) || !read_back(t, w, reterr)) {
        return false;
    }
    const char *temp = j->temp;
    j->temp = "";
    if (tune_save(t, j, STEP_NONE, reterr)) {
        return true;
    }
    j->temp = temp;
    return false;
}

/* What has failed half-way is taken back at once. */
static bool give_up(struct tune_dir *t, struct journal *j, struct err *reterr)
{
    struct err second = ERR_INIT;
    if (!tune_restore(t, j, &second)) {
        (void)err_hint(reterr, "Not all could be taken back (%.100s): see nvadvise tune --status.",
                       second.text);
    }
    return false;
}

bool tune_may_write(const struct tune_dir *t, const struct tune_look *look, bool force,
                    struct err *reterr)
{
    const char *dir = t->dir.path;
    if (force || look->state == TUNE_NOTHING || look->state == TUNE_WRITTEN ||
        look->state == TUNE_UNKNOWN || look->state == TUNE_GONE) {
        return true;
    }
    if (look->state == TUNE_FOREIGN) {
        err_set(reterr, E_DENIED, "will not replace '%s/%s': nvadvise has not made it", dir,
                TUNE_FILE);
    } else {
        err_set(reterr, E_DENIED, "will not replace '%s/%s': somebody has changed it since", dir,
                TUNE_FILE);
    }
    return err_hint(reterr, "Move its settings to a file of yours; --force replaces and keeps it.");
}

static bool is_right(const struct confdir_file *f, const struct tune_text *text)
{
    return f->there && span_eq(f->bytes, text->bytes) && f->mode == TUNE_MODE && f->uid == 0;
}

static bool write_file(struct tune_dir *t, const struct tune_text *text, bool force,
                       bool *ret_changed, struct err *reterr)
{
    struct tune_look look;
    if (!tune_settle(t, force, reterr) || !tune_look(t, &look, reterr)) {
        return false;
    }
    if (is_right(&look.file, text) && look.state != TUNE_CHANGED) {
        *ret_changed = false;
        return true;
    }
    struct journal *j = &look.journal;
    if (!tune_may_write(t, &look, force, reterr) ||
        !tune_temp_name(t->arena, &j->temp, reterr)) {
        return false;
    }
    push(t, j, text, &look.file);
    if (!tune_save(t, j, STEP_BEGUN, reterr)) {
        return false; /* the journal is whole or as before */
    }
    if (!place(t, j, text, reterr)) {
        return give_up(t, j, reterr);
    }
    *ret_changed = true;
    return true;
}

bool tune_write(struct tune_dir *t, const struct tune_text *text, bool force, bool *ret_changed,
                struct err *reterr)
{
    sigset_t before;
    tune_hold_signals(&before);
    const bool ok = write_file(t, text, force, ret_changed, reterr);
    tune_free_signals(&before);
    return ok;
}
