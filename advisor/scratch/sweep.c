/* What runs that were killed have left: found by name, owner and lock; ended when it is the very
 * process of the marker; removed. */
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "advisor/scratch/cage.h"
#include "advisor/scratch/marker.h"
#include "advisor/scratch/scratch.h"

#include "advisor/base/banned.h"

#define TEXT_MAX 65536

static void sweep_one(struct arena *a, const char *parent, const char *name, struct buf *out)
{
    struct tree t;
    struct marker m = {.pid = 0, .cgroup = ""};
    enum marker_state state = MARKER_GONE;
    struct err err = ERR_INIT;
    if (!tree_adopt(a, parent, name, &t, &err)) {
        return; /* in use, or not ours */
    }
    /* Without a marker, or with half of one, nothing was started yet. */
    const bool marked = marker_read(a, &t, &m, &err);
    if (marked && (!marker_end(a, &t, &m, &state, &err) || state == MARKER_DOUBT)) {
        buf_printf(out,
                   "left alone: '%s' (process %d is not surely the one that was started there)\n",
                   t.path, (int)m.pid);
        tree_leave(&t);
        return;
    }
    if (marked && marker_is_of_this_boot(a, &m)) {
        cage_remove(a, m.cgroup);
    }
    if (state == MARKER_LIVES) {
        buf_printf(out, "ended: scratch server, process %d, of a run that was killed\n",
                   (int)m.pid);
    }
    err = ERR_INIT;
    if (tree_remove(&t, &err)) {
        buf_printf(out, "removed: '%s', left by a run that was killed\n", t.path);
    } else {
        buf_printf(out, "not removed: %s\n", err.text);
    }
}

bool scratch_sweep(const char *parent, struct arena *a, const char **ret_text, struct err *reterr)
{
    struct buf out;
    buf_init(&out, a, TEXT_MAX);
    parent = parent != NULL ? parent : TREE_DEFAULT_PARENT;
    DIR *const d = opendir(parent);
    if (d == NULL) {
        return err_set_errno(reterr, errno, "cannot read folder '%s'", parent);
    }
    for (struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
        if (strncmp(e->d_name, TREE_PREFIX, strlen(TREE_PREFIX)) == 0) {
            sweep_one(a, parent, e->d_name, &out);
        }
    }
    (void)closedir(d);
    *ret_text = arena_strndup(a, out.ptr != NULL ? out.ptr : "", out.len);
    return true;
}
