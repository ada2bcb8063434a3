/* From the scan of /proc to subjects: which process is which server, where it listens, who else is
 * on the host. Must not read what needs privileges: the scan did that. */
#include "probes/proc.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/ktext.h"
#include "probes/proc_view.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define AS_ROOT "Run as root."
#define NAME_IT "Run as root, or name the server: --socket PATH."

const struct fact_decl proc_server_decls[] = {
    {"host.server_processes", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "mysqld and mariadbd processes, our own scratch instances left out", "/proc/*/comm",
     "/proc not hidden"},
    {"host.memory.other_rss", KIND_BYTES, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "resident memory of all processes but the servers judged, page cache and shared memory left "
     "out",
     "/proc/*/statm", "/proc not hidden"},
    {"host.irqbalance", KIND_BOOL, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE, "irqbalance runs",
     "/proc/*/comm", "/proc not hidden"},
    {"server.pid", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE, "process id", "/proc",
     ""},
    {"server.process.rss", KIND_BYTES, NULL, SUBJECT_SERVER, FOLD_SUM, NEED_NONE, "resident memory",
     "/proc/PID/statm", ""},
    {"server.process.uid", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "effective user id", "/proc/PID/status", ""},
    {"server.process.gid", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "effective group id", "/proc/PID/status", ""},
    {"server.process.exe", KIND_STRING, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "binary it was started from, below its own root", "/proc/PID/exe", "same-uid"},
    {"server.process.binary_replaced", KIND_BOOL, NULL, SUBJECT_SERVER, FOLD_ANY, NEED_NONE,
     "that binary was deleted or replaced since: another one starts next", "/proc/PID/exe",
     "same-uid"},
    {"server.process.cwd", KIND_STRING, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "working directory, the data directory of a running server, below its own root",
     "/proc/PID/cwd", "same-uid"},
    {"server.process.socket", KIND_STRING, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "unix socket it listens on, below its own root", "/proc/PID/fd, /proc/PID/net/unix, cmdline",
     "same-uid"},
    {"server.process.port", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "TCP port that its command line names", "/proc/PID/cmdline", ""},
    {"server.process.scratch", KIND_BOOL, NULL, SUBJECT_SERVER, FOLD_ANY, NEED_NONE,
     "a scratch instance of this program", "/proc/PID/cmdline", ""},
};

/* ---- facts of one server --------------------------------------------------------------------- */

static struct subject *make_subject(struct probe_ctx *ctx, const struct proc_view *v)
{
    const struct probe_args *args = ctx->args;
    const char *label = NULL;
    if (args->named && args->named_host != NULL) {
        label = arena_printf(ctx->arena, "server:%s:%u", args->named_host, args->named_port);
    } else if (args->named && args->named_socket != NULL) {
        label = arena_printf(ctx->arena, "server:%s", args->named_socket);
    } else if (v->socket.len > 0) {
        struct span clean = text_clean(ctx->arena, v->socket);
        label = arena_printf(ctx->arena, "server:%.*s", SPAN_ARG(clean));
    } else if (v->command.port != 0) {
        label = arena_printf(ctx->arena, "server:127.0.0.1:%u", v->command.port);
    }
    /* Two containers may each have the same path inside. */
    if (label == NULL || store_find_subject(ctx->store, label) != NULL) {
        label = arena_printf(ctx->arena, "server:pid-%llu", (unsigned long long)v->s->process.pid);
    }
    return store_subject(ctx->store, SUBJECT_SERVER, label);
}

static void set_id(struct probe_ctx *sc, const char *name, struct span status, const char *key,
                   const char *source)
{
    struct span value, word = {"", 0};
    uint64_t id;
    if (!ktext_field(status, key, &value) || !span_word(&value, &word) ||
        !span_word(&value, &word) || !parse_u64(word, &id)) {
        store_unknown(sc->store, sc->subject, name, FACT_UNREADABLE, source, "",
                      "'%s' has no line %s:", source, key);
        return;
    }
    store_known(sc->store, sc->subject, name, value_u64(KIND_COUNT, id), source);
}

static void set_ids(struct probe_ctx *sc, const struct proc_server *s)
{
    const char *source = proc_path(sc, s, "status");
    struct span status;
    struct err err = ERR_INIT;
    if (!ktext_read(sc->host, source, 0, &status, &err)) {
        probe_unknown(sc, "server.process.uid", &err, source, "");
        probe_unknown(sc, "server.process.gid", &err, source, "");
        return;
    }
    set_id(sc, "server.process.uid", status, "Uid", source);
    set_id(sc, "server.process.gid", status, "Gid", source);
}

static void set_path(struct probe_ctx *sc, const char *name, struct span path, const char *source)
{
    struct value v = value_text(KIND_STRING, text_clean(sc->arena, path));
    store_known(sc->store, sc->subject, name, v, source);
}

static void set_exe(struct probe_ctx *sc, const struct proc_server *s)
{
    const char *source = proc_path(sc, s, "exe");
    struct span path = s->exe.text;
    if (!s->exe.known) {
        probe_unknown(sc, "server.process.exe", &s->exe.err, source, AS_ROOT);
        probe_unknown(sc, "server.process.binary_replaced", &s->exe.err, source, AS_ROOT);
        return;
    }
    bool deleted = span_ends(path, PROC_DELETED);
    path.len -= deleted ? strlen(PROC_DELETED) : 0;
    probe_known(sc, "server.process.binary_replaced", value_bool(deleted), source);
    if (s->root.known) {
        set_path(sc, "server.process.exe", proc_below_root(s, path), source);
    } else {
        probe_unknown(sc, "server.process.exe", &s->root.err, source, AS_ROOT);
    }
}

static void set_cwd(struct probe_ctx *sc, const struct proc_server *s)
{
    const char *source = proc_path(sc, s, "cwd");
    if (!s->cwd.known || !s->root.known) {
        const struct err *err = s->cwd.known ? &s->root.err : &s->cwd.err;
        probe_unknown(sc, "server.process.cwd", err, source, AS_ROOT);
    } else if (span_ends(s->cwd.text, PROC_DELETED)) {
        store_unknown(sc->store, sc->subject, "server.process.cwd", FACT_ABSENT, source, "",
                      "the server's working directory was removed");
    } else {
        set_path(sc, "server.process.cwd", proc_below_root(s, s->cwd.text), source);
    }
}

static void set_place(struct probe_ctx *sc, const struct proc_view *v)
{
    const char *cmdline = proc_path(sc, v->s, "cmdline");
    if (v->socket.len > 0) {
        set_path(sc, "server.process.socket", v->socket, v->socket_from);
    } else if (v->s->fds_known) {
        store_unknown(sc->store, sc->subject, "server.process.socket", FACT_ABSENT,
                      proc_path(sc, v->s, "net/unix"), NAME_IT,
                      "process %llu listens on no unix socket that can be seen",
                      (unsigned long long)v->s->process.pid);
    } else {
        probe_unknown(sc, "server.process.socket", &v->s->fds_err, proc_path(sc, v->s, "fd"),
                      NAME_IT);
    }
    if (v->command.port != 0) {
        probe_known(sc, "server.process.port", value_u64(KIND_COUNT, v->command.port), cmdline);
    } else {
        store_unknown(sc->store, sc->subject, "server.process.port", FACT_ABSENT, cmdline, "",
                      "the command line names no port; the server itself tells it");
    }
    probe_known(sc, "server.process.scratch", value_bool(v->command.scratch), cmdline);
}

static void set_server(struct probe_ctx *ctx, const struct proc_scan *scan,
                       const struct proc_view *v)
{
    struct probe_ctx sc = *ctx;
    sc.subject = make_subject(ctx, v);
    const char *statm = proc_path(ctx, v->s, "statm");
    probe_known(&sc, "server.pid", value_u64(KIND_COUNT, v->s->process.pid), "/proc");
    if (scan->page_bytes != 0) {
        struct num rss;
        if (num_mul(num_u64(v->s->process.resident), num_u64(scan->page_bytes), &rss) == NUM_OK) {
            probe_known(&sc, "server.process.rss", value_num(KIND_BYTES, rss), statm);
        }
    } else {
        probe_unknown(&sc, "server.process.rss", &scan->page_err, statm, "");
    }
    set_ids(&sc, v->s);
    set_exe(&sc, v->s);
    set_cwd(&sc, v->s);
    set_place(&sc, v);
}

/* ---- facts of the host ----------------------------------------------------------------------- */

static void set_host(struct probe_ctx *ctx, const struct proc_scan *scan,
                     const struct proc_view *views)
{
    uint64_t servers = 0;
    nv_u128 pages = scan->private_pages;
    for (size_t i = 0; i < scan->n_servers; i++) {
        const struct proc_process *p = &views[i].s->process;
        servers += !views[i].command.scratch || views[i].chosen ? 1 : 0;
        pages -= views[i].chosen ? p->resident - p->shared : 0;
    }
    if (scan->irqbalance || scan->all) {
        probe_known(ctx, "host.irqbalance", value_bool(scan->irqbalance), "/proc/*/comm");
    } else {
        probe_unknown(ctx, "host.irqbalance", &scan->err, "/proc/*/comm", "");
    }
    struct num bytes;
    if (!scan->all) {
        probe_unknown(ctx, "host.server_processes", &scan->err, "/proc/*/comm", "");
        probe_unknown(ctx, "host.memory.other_rss", &scan->err, "/proc/*/statm", "");
        return;
    }
    probe_known(ctx, "host.server_processes", value_u64(KIND_COUNT, servers), "/proc/*/comm");
    if (scan->page_bytes == 0) {
        probe_unknown(ctx, "host.memory.other_rss", &scan->page_err, "/proc/*/statm", "");
    } else if (num_mul(num_u128(pages), num_u64(scan->page_bytes), &bytes) == NUM_OK) {
        probe_known(ctx, "host.memory.other_rss", value_num(KIND_BYTES, bytes), "/proc/*/statm");
    }
}

void proc_servers_run(struct probe_ctx *ctx, const struct proc_scan *scan)
{
    const struct proc_view *views = proc_views(ctx, scan);
    for (size_t i = 0; i < scan->n_servers; i++) {
        if (views[i].chosen) {
            set_server(ctx, scan, &views[i]);
        }
    }
    set_host(ctx, scan, views);
}
