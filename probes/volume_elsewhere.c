/* Volume, theme mount: directories and files of the data directory that symbolic links, mounts or
 * .isl files put on another filesystem. One path for each other filesystem; looked for as the
 * server's user, and bounded. */
#include <string.h>

#include "probes/setters.h"
#include "probes/sysfs.h"
#include "probes/volume.h"

#include "advisor/base/banned.h"

#define ENTRIES_MAX 1024u /* entries of the data directory that are looked at */
#define SCHEMAS_MAX 64u   /* of which so many are opened, for .isl files */
#define LINKS_MAX 64u     /* .isl files that are read */

static const char fact[] = "volume.elsewhere";
static const char source[] = "openat2, statx";

struct finder {
    struct volume *v;
    struct span found[VOLUME_ELSEWHERE_MAX];
    uint32_t major[VOLUME_ELSEWHERE_MAX], minor[VOLUME_ELSEWHERE_MAX];
    size_t n;
    unsigned entries, schemas, links;
    bool cut;       /* some limit was hit */
    struct err err; /* something could not be looked at */
};

/* Another filesystem: btrfs gives each subvolume a number of its own, so the mount must differ too.
 */
static bool is_other(const struct host_stat *a, const struct host_stat *b)
{
    const bool mount = !a->has_mnt_id || !b->has_mnt_id || a->mnt_id != b->mnt_id;
    return mount && (a->dev_major != b->dev_major || a->dev_minor != b->dev_minor);
}

static void add(struct finder *f, const char *path, const struct host_stat *st)
{
    struct err e = ERR_INIT;
    const char *real = NULL;
    for (size_t i = 0; i < f->n; i++) {
        if (f->major[i] == st->dev_major && f->minor[i] == st->dev_minor) {
            return;
        }
    }
    if (f->n == VOLUME_ELSEWHERE_MAX) {
        f->cut = true;
        return;
    }
    if (!host_real_path(f->v->ctx->host, path, &real, &e)) {
        f->err = f->err.code == E_NONE ? e : f->err;
        return;
    }
    f->major[f->n] = st->dev_major;
    f->minor[f->n] = st->dev_minor;
    f->found[f->n++] = span_of(arena_strdup(f->v->ctx->arena, real));
}

/* Its type; 0: it is gone, or hidden. */
static uint32_t look(struct finder *f, const char *path)
{
    struct host_stat st;
    struct err e = ERR_INIT;
    if (!host_stat(f->v->ctx->host, path, &st, &e)) {
        if (e.code != E_ABSENT && f->err.code == E_NONE) {
            f->err = e; /* what is absent was removed in between, or a link that leads nowhere */
        }
        return 0;
    }
    if (is_other(&f->v->st, &st)) {
        add(f, path, &st);
    }
    return st.mode & 0170000u;
}

/* MySQL before 8.0 and MariaDB: the file holds the path of a table's .ibd. */
static void look_at_link(struct finder *f, const char *path)
{
    struct span text;
    struct err e = ERR_INIT;
    if (f->links == LINKS_MAX) {
        f->cut = true;
        return;
    }
    f->links++;
    if (!host_read(f->v->ctx->host, path, 0, &text, &e)) {
        f->err = f->err.code == E_NONE && e.code != E_ABSENT ? e : f->err;
        return;
    }
    text = span_trim(text);
    if (span_starts(text, "/") && !span_has(text, '\0') && !span_has(text, '\n')) {
        (void)look(f, span_dup(f->v->ctx->arena, path_dir(text)));
    }
}

static void look_into(struct finder *f, const char *schema)
{
    struct host_names names;
    struct err e = ERR_INIT;
    if (f->schemas == SCHEMAS_MAX) {
        f->cut = true;
        return;
    }
    f->schemas++;
    if (!host_list(f->v->ctx->host, schema, &names, &e)) {
        f->err = f->err.code == E_NONE && e.code != E_ABSENT ? e : f->err;
        return;
    }
    for (size_t i = 0; i < names.n; i++) {
        if (span_ends(names.names[i], ".isl") && sysfs_name_ok(names.names[i])) {
            look_at_link(
                f, arena_printf(f->v->ctx->arena, "%s/%.*s", schema, SPAN_ARG(names.names[i])));
        }
    }
}

/* Schemas, and the server's own files that a person may have moved. */
static bool is_candidate(struct span name)
{
    static const char *const files[] = {"ibdata", "ib_logfile", "undo", "aria_log"};
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        if (span_starts(name, files[i])) {
            return true;
        }
    }
    return sysfs_name_ok(name) && !span_has(name, '.');
}

static void look_at_all(struct finder *f, const struct host_names *names)
{
    for (size_t i = 0; i < names->n; i++) {
        const char *path =
            arena_printf(f->v->ctx->arena, "%s/%.*s", f->v->path, SPAN_ARG(names->names[i]));
        if (!is_candidate(names->names[i])) {
            continue;
        }
        if (f->entries == ENTRIES_MAX) {
            f->cut = true;
            return;
        }
        f->entries++;
        if (look(f, path) == 0040000u) {
            look_into(f, path);
        }
    }
}

void volume_read_elsewhere(struct volume *v)
{
    struct finder f = {.v = v, .err = ERR_INIT};
    struct host_names names;
    struct err e = ERR_INIT;
    if ((v->ctx->args->roles & ROLE_DATA) == 0 || v->ctx->args->elsewhere) {
        set_unknown(v->ctx, fact, FACT_NOT_SUPPORTED, "role of the path", "",
                    "only asked of the data directory");
        return;
    }
    if (!host_list(v->ctx->host, v->path, &names, &e)) {
        set_err(v->ctx, fact, &e, source);
        return;
    }
    look_at_all(&f, &names);
    if (f.n > 0 || (!f.cut && f.err.code == E_NONE)) {
        set_words(v->ctx, fact, KIND_LIST, f.found, f.n, source);
    } else if (f.cut) {
        set_unknown(v->ctx, fact, FACT_ABSENT, source, "",
                    "the data directory has more schemas than are looked at");
    } else {
        set_err(v->ctx, fact, &f.err, source);
    }
}
