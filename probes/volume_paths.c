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

/* Temporary files stand apart even where their path is another role's. */
static void add_path(struct paths *p, const char *path, enum role role, const char *label_role)
{
    for (size_t i = 0; i < p->n; i++) {
        const bool is_temporary = (p->list[i].roles & ROLE_TMP) != 0;
        if (strcmp(p->list[i].path, path) == 0 && is_temporary == (role == ROLE_TMP)) {
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

static const char *doublewrite_dir(const struct paths *p)
{
    const char *const dir = variable(p, "server.var.innodb_doublewrite_dir");
    /* The server itself puts '#' in front, so that no schema has the name. */
    return dir == NULL || strchr(".#/", dir[0]) != NULL ? dir : arena_printf(p->arena, "#%s", dir);
}

static const char *first_directory(const struct paths *p, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *const file = variable(p, names[i]);
        if (file != NULL) {
            return directory_of(p->arena, file);
        }
    }
    return NULL;
}

static const char *path_of_role(const struct paths *p, enum role role)
{
    static const char *const binlog[] = {"server.var.log_bin_basename"};
    static const char *const relaylog[] = {"server.var.relay_log_basename", "server.var.relay_log"};
    switch (role) {
    case ROLE_REDO:
        return variable(p, "server.var.innodb_log_group_home_dir");
    case ROLE_UNDO:
        return variable(p, "server.var.innodb_undo_directory");
    case ROLE_DOUBLEWRITE:
        return doublewrite_dir(p);
    case ROLE_BINLOG:
        return first_directory(p, binlog, ARRAY_LEN(binlog));
    case ROLE_RELAYLOG:
        return first_directory(p, relaylog, ARRAY_LEN(relaylog));
    case ROLE_DATA:
    case ROLE_TMP:
        break;
    }
    return NULL;
}

static void add_roles(struct paths *p)
{
    static const enum role roles[] = {ROLE_REDO, ROLE_UNDO, ROLE_DOUBLEWRITE, ROLE_BINLOG,
                                      ROLE_RELAYLOG};
    for (size_t i = 0; i < ARRAY_LEN(roles); i++) {
        const char *const own = path_of_role(p, roles[i]);
        const char *const path = own == NULL ? p->data : absolute(p, own);
        if (path != NULL) {
            add_path(p, path, roles[i], role_name(roles[i]));
        }
    }
}

/* tmpdir may be a list; sessions take its folders in turn. */
static void add_temporary(struct paths *p)
{
    static const char *const names[] = {"server.var.tmpdir", "server.var.innodb_tmpdir"};
    unsigned n = 0;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct span rest = span_of(variable(p, names[i])), piece;
        while (span_split(&rest, ':', &piece)) {
            const char *const path = piece.len == 0 ? NULL : absolute(p, span_dup(p->arena, piece));
            if (path == NULL) {
                continue;
            }
            const size_t before = p->n;
            add_path(p, path, ROLE_TMP, n == 0 ? "tmp" : arena_printf(p->arena, "tmp-%u", n + 1));
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
    }
    add_roles(&p);
    add_temporary(&p);
    return p.n;
}
