/* The options probe: what a server of this host reads when it starts. Reads as the server's user,
 * below the server's root; asks the server itself nothing. Which files and groups:
 * server_options.h. */
#include "probes/options.h"

#include <string.h>
#include <sys/stat.h>

#include "probes/setters.h"

#include "advisor/base/banned.h"

#define AS_ROOT "Run as root."

static const struct decl_rows themes[] = {{server_option_decls, ARRAY_LEN(server_option_decls)}};

/* ---- before the drop ------------------------------------------------------------------------- */

static bool options_open_all(struct probe_ctx *ctx)
{
    struct options_open *o = arena_alloc(ctx->arena, sizeof(*o));
    const char *proc = arena_printf(ctx->arena, "/proc/%llu", (unsigned long long)ctx->args->pid);
    struct host_stat st;
    struct span note;
    struct err err = ERR_INIT;
    ctx->priv = o;
    if (ctx->args->pid == 0) {
        return true;
    }
    o->args = host_read(ctx->host, arena_printf(ctx->arena, "%s/cmdline", proc), HOST_PROC_MAX,
                        &o->args_text, &o->args_err);
    o->environment = host_read(ctx->host, arena_printf(ctx->arena, "%s/environ", proc),
                               HOST_PROC_MAX, &o->environment_text, &o->environment_err);
    o->status = host_read(ctx->host, arena_printf(ctx->arena, "%s/status", proc), 0,
                          &o->status_text, &o->status_err);
    o->proc = host_stat(ctx->host, arena_printf(ctx->arena, "%s/status", proc), &st, &err);
    o->proc_uid = o->proc ? st.uid : 0;
    o->root = host_open(ctx->host,
                        arena_printf(ctx->arena, "root %llu", (unsigned long long)ctx->args->pid),
                        &note, &o->root_err);
    /* A server that root started by hand has root's home, which only root can see. */
    if (o->root && options_started_as_root(ctx->args, o)) {
        o->no_root_home = !host_stat(ctx->host, "/root/.my.cnf", &st, &err) && err.code == E_ABSENT;
    }
    return true;
}

bool options_started_as_root(const struct probe_args *args, const struct options_open *o)
{
    return o->proc && o->proc_uid == 0 && args->uid != 0;
}

/* ---- after it -------------------------------------------------------------------------------- */

size_t options_words(struct arena *a, struct span text, struct span **ret)
{
    struct span *list = NULL, rest = text, one;
    size_t n = 0;
    while (rest.len > 0 && span_has(rest, '\0') && span_split(&rest, '\0', &one)) {
        list = arena_list_room(a, list, n, sizeof(*list));
        list[n++] = one;
    }
    *ret = list;
    return n;
}

static bool is_mariadb(const struct probe_args *args)
{
    if (args->flavour != NULL) {
        return strcmp(args->flavour, "mariadb") == 0;
    }
    return args->exe != NULL && span_ends(span_of(args->exe), "/mariadbd");
}

/* The byte so many places before the end is one. */
static bool ends_in_nul(struct span text, size_t back)
{
    return text.len >= back && text.ptr[text.len - back] == '\0';
}

/* Sets both facts; false: one of them is missing, and why. */
static bool take_process(struct probe_ctx *ctx, const struct options_open *o,
                         struct server_options_input *in, struct err *reterr)
{
    struct span *args = NULL, *environment = NULL;
    bool ok = true;
    if (!o->args || !ends_in_nul(o->args_text, 1)) {
        *reterr = o->args_err;
        if (o->args) {
            err_set(reterr, E_CUT, "the command line ends too early");
        }
        probe_unknown(ctx, "server.process.arguments", reterr, "/proc/PID/cmdline", "");
        ok = false;
    } else {
        in->n_args = options_words(ctx->arena, o->args_text, &args);
        in->args = args;
        set_words(ctx, "server.process.arguments", KIND_LIST, args, in->n_args,
                  "/proc/PID/cmdline");
    }
    const size_t len = o->environment_text.len;
    if (!o->environment || !ends_in_nul(o->environment_text, 1) ||
        (len > 1 && !ends_in_nul(o->environment_text, 2))) {
        *reterr = o->environment_err;
        if (o->environment) {
            err_set(reterr, E_CUT, "the environment ends too early");
        }
        probe_unknown(ctx, "server.process.environment", reterr, "/proc/PID/environ", AS_ROOT);
        return false;
    }
    const struct span kept = span_sub(o->environment_text, 0, len - 1);
    const size_t n = options_words(ctx->arena, kept, &environment);
    set_words(ctx, "server.process.environment", KIND_LIST, environment, n, "/proc/PID/environ");
    server_options_environment(ctx->arena, kept, in);
    return ok;
}

static void end_as(struct server_options *o, enum server_options_end how, const struct err *why)
{
    if (o->end == SERVER_OPTIONS_WHOLE) {
        o->end = how;
        o->why = *why;
    }
}

/* World-writable, or closed to the server: it starts without it. */
static void take_persisted(struct probe_ctx *ctx, const struct server_options_input *in,
                           struct server_options *o)
{
    struct host_optfile f;
    struct err err = ERR_INIT;
    if (!host_persisted(ctx->host, o->persisted, &f, &err)) {
        if (err.code == E_SYNTAX) {
            end_as(o, SERVER_OPTIONS_FATAL, &err);
        } else if (err.code != E_ABSENT && (err.code != E_DENIED || in->started_as_root)) {
            end_as(o, SERVER_OPTIONS_PART, &err);
        }
        return;
    }
    if ((f.mode & S_IWOTH) == 0 &&
        !server_options_persisted(ctx->arena, o->persisted, f.text, &o->lines, &o->n_lines, &err)) {
        end_as(o, err.code == E_SYNTAX ? SERVER_OPTIONS_FATAL : SERVER_OPTIONS_PART, &err);
    }
}

static void rest_unknown(struct probe_ctx *ctx, const struct err *e, const char *remedy)
{
    set_rest(ctx, themes, ARRAY_LEN(themes), fact_state_from_err(e->code), "option files",
             e->hint[0] != '\0' ? e->hint : remedy, e->text);
}

static void options_run(struct probe_ctx *ctx)
{
    const struct options_open *open = ctx->priv;
    struct server_options_input in = {.mariadb = is_mariadb(ctx->args),
                                      .version = ctx->args->version,
                                      .exe = ctx->args->exe,
                                      .datadir = ctx->args->cwd,
                                      .started_as_root = options_started_as_root(ctx->args, open)};
    struct err err = ERR_INIT;
    if (ctx->args->pid == 0) {
        err_set(&err, E_NOT_SUPPORTED, "the server has no process on this host");
        rest_unknown(ctx, &err, "");
        return;
    }
    if (!take_process(ctx, open, &in, &err)) {
        rest_unknown(ctx, &err, AS_ROOT);
        return;
    }
    if (!open->root) {
        rest_unknown(ctx, &open->root_err, AS_ROOT);
        return;
    }
    if (ctx->args->flavour == NULL && ctx->args->exe == NULL) {
        err_set(&err, E_ABSENT, "which server it is is not known");
        rest_unknown(ctx, &err, "Log in: see `nvadvise check --help`.");
        return;
    }
    struct server_options o;
    server_options_read(options_io(ctx, open, &in), &in, ctx->arena, &o);
    if (o.persisted != NULL) {
        take_persisted(ctx, &in, &o);
    }
    server_option_facts(ctx->store, ctx->subject, ctx->arena, &o);
}

const struct probe probe_options = {
    .name = "options",
    .doc = "what a server reads when it starts: option files, command line, SET PERSIST",
    .identity = IDENTITY_SERVER,
    .themes = themes,
    .n_themes = ARRAY_LEN(themes),
    .open = options_open_all,
    .run = options_run,
};
