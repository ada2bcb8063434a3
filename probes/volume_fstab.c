/* Volume, theme fstab: what the table of filesystems asks for at the next boot. The row is found by mount
 * point in the server's own table, else by device in its table and in the host's: a container's mount
 * points stand in no table, and a bind mount's row says nothing of the filesystem. */
#include "probes/volume.h"

#include "probes/fstab.h"
#include "probes/ktext.h"
#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define OPTIONS "volume.fstab_options"
#define SOURCE "volume.fstab_source"
#define PLACE "volume.fstab_mountpoint"
#define NUMBERS "volume.fstab_numbers"
#define NOBARRIER "volume.fs.fstab_nobarrier"
#define OURS "/proc/self/root"
#define ASKED_MAX 64u /* rows whose device is looked up */

const struct fact_decl volume_fstab_decls[VOLUME_FSTAB_DECLS] = {
    {OPTIONS, KIND_STRING, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "options that the table of filesystems asks for, secrets left out", "/etc/fstab", ""},
    {SOURCE, KIND_STRING, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "first field of its row in the table of filesystems, as written there", "/etc/fstab", ""},
    {PLACE, KIND_STRING, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "second field of that row: another place than the mount point where that is a bind mount", "/etc/fstab",
     ""},
    {NUMBERS, KIND_STRING, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "last two fields of that row: dump, and the pass of fsck", "/etc/fstab", ""},
    {NOBARRIER, KIND_BOOL, NULL, SUBJECT_VOLUME, FOLD_ANY, NEED_NONE,
     "the table of filesystems switches barriers off", "/etc/fstab", ""},
};

/* The number of the device that a path names, links followed below our own root. */
static bool device_of(struct volume *v, struct span path, uint32_t *ret_major, uint32_t *ret_minor)
{
    struct host_stat st;
    struct err e = ERR_INIT;
    const char *own = arena_printf(v->ctx->arena, OURS "%.*s", SPAN_ARG(path));
    if (!host_stat(v->ctx->host, own, &st, &e) || (st.mode & 0170000) != 0060000) {
        return false;
    }
    *ret_major = st.rdev_major;
    *ret_minor = st.rdev_minor;
    return true;
}

/* The device that is mounted: statx's, or of btrfs the one that the mount names. */
static bool mounted_device(struct volume *v, uint32_t *ret_major, uint32_t *ret_minor)
{
    *ret_major = v->st.dev_major;
    *ret_minor = v->st.dev_minor;
    return v->st.dev_major != 0 ||
           (span_starts(v->mount->source, "/dev/") && !span_has(v->mount->source, '\0') &&
            device_of(v, v->mount->source, ret_major, ret_minor));
}

static const struct fstab_row *find_by_device(struct volume *v, const struct fstab *t)
{
    uint32_t major, minor, row_major, row_minor;
    if (!mounted_device(v, &major, &minor)) {
        return NULL;
    }
    size_t asked = 0;
    for (size_t i = t->n; i > 0 && asked < ASKED_MAX; i--) {
        const struct fstab_row *row = &t->rows[i - 1];
        const struct span path = fstab_device_path(v->ctx->arena, row->source);
        if (path.len == 0 || fstab_is_bind(row) || span_eq_text(row->type, "swap")) {
            continue;
        }
        asked++;
        if (device_of(v, path, &row_major, &row_minor) && row_major == major &&
            row_minor == minor) {
            return row;
        }
    }
    return NULL;
}

static bool read_table(struct volume *v, const char *path, struct fstab *ret, struct err *reterr)
{
    struct span text;
    if (!ktext_read_again(v->ctx->host, path, 0, &text, reterr)) {
        return false;
    }
    fstab_parse(v->ctx->arena, text, ret);
    return true;
}

static bool is_off(const struct fstab_row *row)
{
    struct span value = {"", 0};
    return mount_option(row->options, "nobarrier", NULL) ||
           (mount_option(row->options, "barrier", &value) && span_eq_text(value, "0"));
}

/* What no row asks for, none that was not found asks for. */
static bool some_row_is_off(const struct fstab *t)
{
    for (size_t i = 0; i < t->n; i++) {
        if (is_off(&t->rows[i])) {
            return true;
        }
    }
    return false;
}

static const char *const of_the_row[] = {OPTIONS, SOURCE, PLACE, NUMBERS};

static void set_none(struct volume *v, bool some_off, const char *source)
{
    static const char none[] = "the table has no row for this mount";
    for (size_t i = 0; i < ARRAY_LEN(of_the_row); i++) {
        set_unknown(v->ctx, of_the_row[i], FACT_ABSENT, source, "", none);
    }
    if (some_off) {
        set_unknown(v->ctx, NOBARRIER, FACT_ABSENT, source, "", none);
    } else {
        set_bool(v->ctx, NOBARRIER, false, source);
    }
}

/* true: the row was found there. */
static bool use_table(struct volume *v, const struct fstab *t, const char *file, bool by_path)
{
    const struct fstab_row *row =
        by_path && v->mountpoint_known ? fstab_by_path(t, v->mount->mountpoint) : NULL;
    row = row != NULL ? row : find_by_device(v, t);
    if (row == NULL) {
        return false;
    }
    set_text(v->ctx, OPTIONS, row->options, file);
    set_text(v->ctx, SOURCE, row->source, file);
    set_text(v->ctx, PLACE, row->path, file);
    if (row->numbers.len > 0) {
        set_text(v->ctx, NUMBERS, row->numbers, file);
    } else {
        set_unknown(v->ctx, NUMBERS, FACT_ABSENT, file, "", "the row was kept without its last two fields");
    }
    set_bool(v->ctx, NOBARRIER, is_off(row), file);
    return true;
}

/* Both tables where the server has a root of its own; one that is not there has no rows. */
void volume_read_fstab(struct volume *v)
{
    static const char *const files[] = {"/etc/fstab", OURS "/etc/fstab"};
    const size_t n = v->root_open ? 2 : 1;
    struct err e = v->mount_err, failed = ERR_INIT;
    size_t read = 0;
    bool some_off = false;
    for (size_t i = 0; v->mount != NULL && i < n; i++) {
        struct fstab t;
        e = ERR_INIT;
        if (!read_table(v, files[i], &t, &e)) {
            failed = e.code == E_ABSENT ? failed : e;
            continue;
        }
        if (use_table(v, &t, files[i], i == 0)) {
            return;
        }
        read++;
        some_off = some_off || some_row_is_off(&t);
    }
    if (read > 0 && failed.code == E_NONE) {
        set_none(v, some_off, files[n - 1]);
        return;
    }
    e = failed.code != E_NONE ? failed : e;
    for (size_t i = 0; i < ARRAY_LEN(of_the_row); i++) {
        set_err(v->ctx, of_the_row[i], &e, "/etc/fstab");
    }
    set_err(v->ctx, NOBARRIER, &e, "/etc/fstab");
}
