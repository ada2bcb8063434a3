/* The paths of a server. Text only: what they are is the volume probe's business. */
#include "probes/waves.h"

#include <string.h>

#include "advisor/base/banned.h"

struct paths {
    const struct store *store;
    const struct subject *server;
    struct arena *arena;
    const char *data; /* absolute, or NULL */
    struct volume_path *list;
    size_t n;
};

/* "/a//b/./c/" becomes "/a/b/c". ".." stays: it may follow a symlink. */
static const char *tidy(struct arena *a, const char *path)
{
    struct buf b;
    buf_init(&b, a, 8192);
    struct span rest = span_of(path), piece;
    while (span_split(&rest, '/', &piece)) {
        if (piece.len > 0 && !span_eq_text(piece, ".")) {
            buf_add_char(&b, '/');
            buf_add_span(&b, piece);
        }
    }
    return b.len == 0 ? "/" : b.ptr;
}

/* The path as the server means it: relative ones are below the data directory. NULL when that is
 * not known. */
static const char *absolute(const struct paths *p, const char *path)
{
    if (path[0] == '/') {
        return tidy(p->arena, path);
    }
    return p->data == NULL ? NULL : tidy(p->arena, arena_printf(p->arena, "%s/%s", p->data, path));
}

static const char *directory_of(struct arena *a, const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash == NULL ? "." : arena_strndup(a, path, (size_t)(slash - path) + 1);
}

/* Did the server say it, be it that there is no such variable? Where it did not, "below the data
 * directory" is a guess. */
static bool is_told(const struct paths *p, const char *name)
{
    const struct fact *const f = store_get(p->store, p->server, span_of(name));
    return f != NULL && (f->state == FACT_KNOWN || f->state == FACT_NOT_SUPPORTED);
}

/* Temporary files stand apart even where their path is another role's. */
static void add_path(struct paths *p, const char *path, enum role role, const char *label_role)
{
    for (size_t i = 0; i < p->n; i++) {
        const bool is_temporary = (p->list[i].roles & ROLE_TMP) != 0;
        if (p->list[i].path != NULL && strcmp(p->list[i].path, path) == 0 &&
            is_temporary == (role == ROLE_TMP)) {
            p->list[i].roles |= (unsigned)role;
            return;
        }
    }
    if (p->n < VOLUME_PATHS_MAX) {
        p->list[p->n++] =
            (struct volume_path){.path = path, .roles = role, .label_role = label_role};
    }
}

/* The value of a path variable, or NULL when it is unset, empty or unknown. */
static const char *variable(const struct paths *p, const char *name)
{
    const char *const text = waves_text(p->store, p->server, name, p->arena);
    return text == NULL || text[0] == '\0' ? NULL : text;
}

static const char *doublewrite_dir(const struct paths *p, const char *dir)
{
    /* The server itself puts '#' in front, so that no schema has the name. */
    return strchr(".#/", dir[0]) != NULL ? dir : arena_printf(p->arena, "#%s", dir);
}

/* Which variables name a role's place, the first that is set; a file's name, or a directory's. */
struct role_source {
    enum role role;
    bool is_file;
    const char *names[2];
};

static const struct role_source sources[] = {
    {ROLE_REDO, false, {"server.var.innodb_log_group_home_dir", NULL}},
    {ROLE_UNDO, false, {"server.var.innodb_undo_directory", NULL}},
    {ROLE_DOUBLEWRITE, false, {"server.var.innodb_doublewrite_dir", NULL}},
    {ROLE_BINLOG, true, {"server.var.log_bin_basename", NULL}},
    {ROLE_RELAYLOG, true, {"server.var.relay_log_basename", "server.var.relay_log"}},
};

/* *ret_told = false: the server has not told. NULL otherwise: it has no place of its own. */
static const char *place(const struct paths *p, const struct role_source *src, bool *ret_told)
{
    *ret_told = true;
    for (size_t i = 0; i < ARRAY_LEN(src->names) && src->names[i] != NULL; i++) {
        const char *const text = variable(p, src->names[i]);
        if (text != NULL) {
            return src->is_file                    ? directory_of(p->arena, text)
                   : src->role == ROLE_DOUBLEWRITE ? doublewrite_dir(p, text)
                                                   : text;
        }
        *ret_told = *ret_told && is_told(p, src->names[i]);
    }
    return NULL;
}

/* Roles whose places nobody knows stand together, as one volume without a path; temporary files
 * apart. */
static void add_untold(struct paths *p, enum role role, const char *label_role, const char *wants)
{
    for (size_t i = 0; i < p->n; i++) {
        const bool is_temporary = (p->list[i].roles & ROLE_TMP) != 0;
        if (p->list[i].path == NULL && is_temporary == (role == ROLE_TMP)) {
            p->list[i].roles |= (unsigned)role;
            return;
        }
    }
    if (p->n < VOLUME_PATHS_MAX) {
        p->list[p->n++] =
            (struct volume_path){.roles = role, .label_role = label_role, .wants = wants};
    }
}

static void add_roles(struct paths *p)
{
    for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
        bool told = false;
        const enum role role = sources[i].role;
        const char *const own = place(p, &sources[i], &told);
        const char *const path = own == NULL ? p->data : absolute(p, own);
        if (path != NULL) {
            add_path(p, path, role, role_name(role));
        }
        if (path == NULL || !told) {
            add_untold(p, role, role_name(role), sources[i].names[0]);
        }
    }
}

/* tmpdir may be a list; sessions take its folders in turn. */
static void add_temporary(struct paths *p)
{
    static const char *const names[] = {"server.var.tmpdir", "server.var.innodb_tmpdir"};
    unsigned n = 0;
    if (!is_told(p, names[0])) {
        add_untold(p, ROLE_TMP, "tmp", names[0]);
        n++;
    }
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct span rest = span_of(variable(p, names[i])), piece;
        while (span_split(&rest, ':', &piece)) {
            const char *const path = piece.len == 0 ? NULL : absolute(p, span_dup(p->arena, piece));
            const char *const label = n == 0 ? "tmp" : arena_printf(p->arena, "tmp-%u", n + 1);
            const size_t before = p->n;
            if (path != NULL) {
                add_path(p, path, ROLE_TMP, label);
            } else if (piece.len > 0) {
                add_untold(p, ROLE_TMP, label, names[i]);
            }
            n += p->n > before ? 1 : 0;
        }
    }
}

size_t volume_paths(const struct store *s, const struct subject *server, struct arena *a,
                    struct volume_path ret[VOLUME_PATHS_MAX])
{
    struct paths p = {.store = s, .server = server, .arena = a, .list = ret};
    const char *data = variable(&p, "server.var.datadir");
    if (data == NULL || data[0] != '/') {
        data = variable(&p, "server.process.cwd");
    }
    if (data != NULL && data[0] == '/') {
        p.data = tidy(a, data);
        add_path(&p, p.data, ROLE_DATA, role_name(ROLE_DATA));
    } else {
        add_untold(&p, ROLE_DATA, role_name(ROLE_DATA), "server.var.datadir");
    }
    add_roles(&p);
    add_temporary(&p);
    return p.n;
}
