/* Volume, theme chain: what lies below an overlay filesystem. Files are written to its upper
 * directory, which the mount options name as a path of the mount namespace that made the mount: the
 * host's, for a container. */
#include <string.h>

#include "probes/sysfs.h"
#include "probes/volume_chain.h"

#include "advisor/base/banned.h"

#define OWN_ROOT "/proc/self/root"
#define PATH_BYTES 8192u

/* Without a right to look at the directory itself (an engine keeps it to root): is no part of the
 * path that can be seen a symbolic link? Below the first directory that is closed the engine alone
 * makes names. */
static bool visible_part_is_plain(struct volume *v, const char *upper)
{
    char *path = arena_strdup(v->ctx->arena, upper);
    for (size_t n = strlen(path); n > 1; n--) {
        struct err e = ERR_INIT;
        const char *real = NULL;
        if (path[n - 1] != '/') {
            continue;
        }
        path[n - 1] = '\0';
        const char *asked = arena_printf(v->ctx->arena, OWN_ROOT "%s", path);
        if (host_real_path(v->ctx->host, asked, &real, &e)) {
            return strcmp(real, asked) == 0 || strcmp(real, path) == 0;
        }
        if (e.code != E_DENIED) {
            return false;
        }
    }
    return true;
}

/* The mount of our own namespace that the upper directory lies on. */
static const struct mount *find_mount(struct volume *v, const char *upper,
                                      const struct mountinfo *mi, struct err *reterr)
{
    struct host_stat st;
    const struct mount *m = NULL;
    const char *path = arena_printf(v->ctx->arena, OWN_ROOT "%s", upper);
    if (host_stat(v->ctx->host, path, &st, reterr)) {
        m = st.has_mnt_id ? mountinfo_by_id(mi, st.mnt_id) : mountinfo_by_path(mi, span_of(upper));
    } else if (reterr->code == E_DENIED && visible_part_is_plain(v, upper)) {
        m = mountinfo_by_path(mi, span_of(upper));
    } else {
        (void)err_wrap(reterr, "looking for the upper directory of the overlay");
        if (reterr->code == E_ABSENT) {
            err_hint(reterr, "run nvadvise on the host, outside of the container");
        }
        return NULL;
    }
    if (m == NULL) {
        err_set(reterr, E_ABSENT,
                "'%s', the upper directory of the overlay, is on no mount that is seen", upper);
    }
    return m;
}

/* What the walk needs of the filesystem below. */
static bool make_below(struct volume *v, const struct mount *m, struct volume *ret,
                       struct err *reterr)
{
    struct volume below = *v;
    struct mount *copy = arena_alloc(v->ctx->arena, sizeof(*copy));
    *copy = *m;
    below.over = v->mount;
    below.mount = copy;
    below.fs_type = mount_fs_word(m->fstype);
    below.fs_source = "/proc/self/mountinfo";
    below.st.dev_major = m->major;
    below.st.dev_minor = m->minor;
    below.pool = NULL;
    below.pool_err = ERR_INIT;
    err_set(&below.pool_err, E_ABSENT, "a pool below an overlay is not asked");
    if (strcmp(below.fs_type, "overlay") == 0) {
        return err_set(reterr, E_ABSENT,
                       "the upper directory of the overlay lies on an overlay itself");
    }
    *ret = below;
    return true;
}

/* The option "upperdir=". In values of overlay a backslash stands before a comma that belongs to them, and before any
 * other byte that means itself: a lower directory may be called "a,upperdir=b". */
static bool upper_option(struct arena *a, struct span options, const char **ret)
{
    static const char key[] = "upperdir=";
    while (options.len > 0) {
        const bool found = span_starts(options, key);
        struct buf value;
        size_t i = 0;
        buf_init(&value, a, PATH_BYTES);
        for (; i < options.len && options.ptr[i] != ','; i++) {
            i += options.ptr[i] == '\\' && i + 1 < options.len;
            buf_add_char(&value, options.ptr[i]);
        }
        if (found && value.len > strlen(key) && !value.full && strlen(value.ptr) == value.len) {
            *ret = value.ptr + strlen(key);
            return true;
        }
        options = span_sub(options, i < options.len ? i + 1 : i, options.len);
    }
    return false;
}

bool volume_below_overlay(struct volume *v, struct volume *ret, struct err *reterr)
{
    const char *upper = NULL;
    struct span text;
    struct mountinfo mi;
    if (v->mount == NULL) {
        *reterr = v->mount_err;
        return false;
    }
    if (!upper_option(v->ctx->arena, v->mount->super, &upper)) {
        return err_set(reterr, E_ABSENT, "the overlay names no upper directory");
    }
    if (upper[0] != '/') {
        return err_set(
            reterr, E_ABSENT,
            "the overlay names its upper directory '%.*s' relative to where it was mounted from",
            SPAN_ARG(text_clean(v->ctx->arena, span_of(upper))));
    }
    if (!host_read(v->ctx->host, "/proc/self/mountinfo", HOST_PROC_MAX, &text, reterr)) {
        return false;
    }
    mountinfo_parse(v->ctx->arena, text, &mi);
    const struct mount *m = find_mount(v, upper, &mi, reterr);
    return m != NULL && make_below(v, m, ret, reterr);
}
