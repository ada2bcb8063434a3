/* The state directory: chosen and made, 0700. */
#include "advisor/cli/statedir.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/base/file.h"

#include "advisor/base/banned.h"

#define SYSTEM_STATE "/var/lib/nvadvise"

#define SHARED (S_IWGRP | S_IWOTH)

/* Whose it is tells whose journals and baselines lie there. */
static bool is_ours(const char *dir, struct err *reterr)
{
    struct stat st;
    if (stat(dir, &st) != 0) {
        return err_set_errno(reterr, errno, "cannot look at state directory '%s'", dir);
    }
    if (!S_ISDIR(st.st_mode)) {
        return err_set_errno(reterr, ENOTDIR, "cannot use state directory '%s'", dir);
    }
    if (st.st_uid != geteuid()) {
        err_set(reterr, E_DENIED, "state directory '%s' belongs to user %lu, not to the one that runs "
                                  "nvadvise", dir, (unsigned long)st.st_uid);
        return err_hint(reterr, "Give it back with chown, or set STATE_DIRECTORY.");
    }
    if ((st.st_mode & SHARED) != 0) {
        err_set(reterr, E_DENIED, "state directory '%s' can be written by others", dir);
        return err_hint(reterr, "chmod 700, after a look at what lies there.");
    }
    return true;
}

static const char *candidate(struct arena *a)
{
    const char *given = secure_getenv("STATE_DIRECTORY");
    if (given != NULL && given[0] == '/') {
        return arena_strdup(a, given);
    }
    if (geteuid() == 0) {
        return SYSTEM_STATE;
    }
    const char *xdg = secure_getenv("XDG_STATE_HOME"), *home = secure_getenv("HOME");
    return xdg != NULL && xdg[0] == '/'     ? arena_printf(a, "%s/nvadvise", xdg)
           : home != NULL && home[0] == '/' ? arena_printf(a, "%s/.local/state/nvadvise", home)
                                            : NULL;
}

bool state_dir_look(struct arena *a, struct state_place *ret, struct err *reterr)
{
    struct state_place p = {.path = candidate(a)};
    if (p.path == NULL) {
        err_set(reterr, E_ABSENT, "no state directory is named");
        return err_hint(reterr, "Set STATE_DIRECTORY or HOME.");
    }
    if (!file_make_dir(p.path, 0700, reterr) || !is_ours(p.path, reterr)) {
        return false;
    }
    p.writable = access(p.path, W_OK | X_OK) == 0;
    if (!p.writable) {
        (void)err_set_errno(&p.why, errno, "cannot write into state directory '%s'", p.path);
    }
    *ret = p;
    return true;
}

const char *state_dir(struct arena *a)
{
    struct state_place p;
    struct err ignored = ERR_INIT;
    return state_dir_look(a, &p, &ignored) && p.writable ? p.path : NULL;
}
