/* Where each server listens: from its own sockets where we may see them, else from its command
 * line, else where only one place is left. Must not guess between two. */
#include "probes/proc_view.h"

#include <string.h>

#include "probes/ktext.h"
#include "probes/proc_place.h"

#include "advisor/base/banned.h"

static const char *const usual_sockets[] = {
    "/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/tmp/mysql.sock",
    "/run/mysql/mysql.sock",   "/run/mariadb/mariadb.sock",
};

const char *proc_path(struct probe_ctx *ctx, const struct proc_server *s, const char *file)
{
    return arena_printf(ctx->arena, "/proc/%llu/%s", (unsigned long long)s->process.pid, file);
}

struct span proc_below_root(const struct proc_server *s, struct span path)
{
    struct span root = s->root.text;
    if (root.len > 1 && path.len >= root.len && span_eq(span_sub(path, 0, root.len), root)) {
        if (path.len == root.len) {
            return SPAN_LIT("/");
        }
        return path.ptr[root.len] == '/' ? span_sub(path, root.len, path.len) : path;
    }
    return path;
}

static struct span own_socket(struct probe_ctx *ctx, struct proc_view *v)
{
    struct span wanted = v->command.socket;
    if (wanted.len > 0 && wanted.ptr[0] != '/') {
        /* Relative to the data directory, where the server has gone. */
        struct span cwd = v->s->cwd.known && v->s->root.known
                              ? proc_below_root(v->s, v->s->cwd.text)
                              : (struct span){"", 0};
        wanted =
            cwd.len > 0
                ? span_of(arena_printf(ctx->arena, "%.*s/%.*s", SPAN_ARG(cwd), SPAN_ARG(wanted)))
                : cwd;
    }
    if (v->has_unix && v->s->fds_known) {
        struct span found =
            proc_pick_listener(&v->listeners, v->s->sockets, v->s->n_sockets, wanted);
        if (found.len > 0) {
            v->socket_from = proc_path(ctx, v->s, "net/unix");
            return found;
        }
    }
    v->socket_from = proc_path(ctx, v->s, "cmdline");
    return wanted;
}

static void look(struct probe_ctx *ctx, const struct proc_server *s, struct proc_view *v)
{
    struct err err = ERR_INIT;
    struct span text;
    *v = (struct proc_view){.s = s, .socket = {"", 0}};
    if (host_read(ctx->host, proc_path(ctx, s, "cmdline"), 0, &text, &err)) {
        v->command = proc_read_command(text);
    }
    if (ktext_read(ctx->host, proc_path(ctx, s, "net/unix"), HOST_PROC_MAX, &text, &err)) {
        v->has_unix = true;
        proc_read_unix(ctx->arena, text, &v->listeners);
    }
    v->socket = own_socket(ctx, v);
}

/* ---- the last resort ------------------------------------------------------------------------- */

static bool is_taken(const struct proc_view *views, size_t n, struct span path)
{
    for (size_t i = 0; i < n; i++) {
        if (views[i].socket.len > 0 && proc_same_path(views[i].socket, path)) {
            return true;
        }
    }
    return false;
}

/* One server without a known socket, and one usual path where somebody listens whom we do not know:
 * they belong together. Two of either: nobody guesses. */
static void guess_socket(struct probe_ctx *ctx, struct proc_view *views, size_t n)
{
    struct proc_view *open = NULL;
    for (size_t i = 0; i < n; i++) {
        if (views[i].socket.len == 0 && !views[i].command.scratch) {
            if (open != NULL) {
                return;
            }
            open = &views[i];
        }
    }
    if (open == NULL || !open->has_unix) {
        return;
    }
    struct span hint = span_of(ctx->args->named_socket), found = {"", 0};
    if (hint.len > 0 && proc_has_listener(&open->listeners, hint) && !is_taken(views, n, hint)) {
        open->socket = hint;
        open->socket_from = "/proc/PID/net/unix, client option files";
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(usual_sockets); i++) {
        struct span path = span_of(usual_sockets[i]);
        if (!proc_has_listener(&open->listeners, path) || is_taken(views, n, path)) {
            continue;
        }
        if (found.len > 0) {
            return;
        }
        found = path;
    }
    open->socket = found;
    open->socket_from = "/proc/PID/net/unix, usual paths";
}

/* ---- which ones are judged ------------------------------------------------------------------- */

static bool is_this_host(const char *host)
{
    return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0 ||
           strncmp(host, "127.", 4) == 0;
}

static bool listens_on_port(struct probe_ctx *ctx, const struct proc_view *v, unsigned port)
{
    static const char *const files[] = {"net/tcp", "net/tcp6"};
    for (size_t i = 0; v->s->fds_known && i < ARRAY_LEN(files); i++) {
        struct span text;
        struct err err = ERR_INIT;
        if (ktext_read(ctx->host, proc_path(ctx, v->s, files[i]), HOST_PROC_MAX, &text, &err) &&
            proc_tcp_listens(text, port, v->s->sockets, v->s->n_sockets)) {
            return true;
        }
    }
    return false;
}

/* The server whose socket is the named file. A container's may have the same name and be another file,
 * or be this file under another name; names alone count only where a mount table cannot be read. */
static struct proc_view *find_socket(struct probe_ctx *ctx, struct proc_view *views, size_t n,
                                     const char *named)
{
    const struct proc_place ours = proc_place_of_ours(ctx, named);
    struct proc_view *by_name = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct proc_place theirs =
            proc_place_of(ctx, proc_path(ctx, views[i].s, "mountinfo"), views[i].socket);
        if (proc_place_same(&ours, &theirs)) {
            return &views[i];
        }
        if (by_name == NULL && !(ours.known && theirs.known) &&
            proc_same_path(views[i].socket, span_of(named))) {
            by_name = &views[i];
        }
    }
    return by_name;
}

/* The one that the command line names; NULL: none of them, or it cannot be told. */
static struct proc_view *find_named(struct probe_ctx *ctx, struct proc_view *views, size_t n)
{
    const struct probe_args *args = ctx->args;
    if (args->named_socket != NULL) {
        return find_socket(ctx, views, n, args->named_socket);
    }
    if (args->named_host == NULL) {
        return n == 1 ? &views[0] : NULL;
    }
    if (!is_this_host(args->named_host)) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        if (views[i].command.port == args->named_port ||
            listens_on_port(ctx, &views[i], args->named_port)) {
            return &views[i];
        }
    }
    return n == 1 && views[0].command.port == 0 && !views[0].s->fds_known ? &views[0] : NULL;
}

static void choose(struct probe_ctx *ctx, struct proc_view *views, size_t n)
{
    if (!ctx->args->named) {
        for (size_t i = 0; i < n; i++) {
            views[i].chosen = !views[i].command.scratch;
        }
        return;
    }
    struct proc_view *v = find_named(ctx, views, n);
    if (v != NULL) {
        v->chosen = true;
    }
}

struct proc_view *proc_views(struct probe_ctx *ctx, const struct proc_scan *scan)
{
    struct proc_view *views = arena_calloc(ctx->arena, scan->n_servers, sizeof(*views));
    for (size_t i = 0; i < scan->n_servers; i++) {
        look(ctx, &scan->servers[i], &views[i]);
    }
    guess_socket(ctx, views, scan->n_servers);
    choose(ctx, views, scan->n_servers);
    return views;
}
