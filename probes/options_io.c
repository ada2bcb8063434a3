/* A server's option files through the seam. Tells what the server may not read from what only this
 * process may not. Knows nothing of what is in them. */
#include "probes/options.h"

#include <string.h>
#include <sys/stat.h>

#include "advisor/base/parse.h"
#include "probes/ktext.h"

#include "advisor/base/banned.h"

#define GROUPS_MAX 256u

struct options_reader {
    struct probe_ctx *ctx;
    bool as_root;      /* the server read its files as root */
    bool no_root_home; /* and there is no /root/.my.cnf */
    bool whole_lines;
    uint32_t groups[GROUPS_MAX];
    size_t n_groups;
};

static bool is_below(const char *path, const char *dir)
{
    const size_t n = strlen(dir);
    return strncmp(path, dir, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

/* The kernel's files are read to make them; no one keeps options there. */
static bool is_askable(const char *path, struct err *reterr)
{
    return (!is_below(path, "/proc") && !is_below(path, "/sys")) ||
           err_set(reterr, E_NOT_SUPPORTED, "'%s' is the kernel's, and is not looked at", path);
}

static bool has_group(const struct options_reader *r, uint32_t gid)
{
    for (size_t i = 0; i < r->n_groups; i++) {
        if (r->groups[i] == gid) {
            return true;
        }
    }
    return false;
}

/* We are the server's user without its further groups: may one of them open what is closed to us?
 * The deepest place that we can see decides: the file by who may read it, a directory by who may
 * search it. */
static bool groups_may(const struct options_reader *r, const char *path)
{
    struct probe_ctx *ctx = r->ctx;
    char *at = arena_strdup(ctx->arena, path);
    uint32_t bit = S_IRGRP;
    while (r->n_groups > 0) {
        struct host_stat st;
        struct err err = ERR_INIT;
        if (host_stat(ctx->host, at, &st, &err)) {
            return (st.mode & bit) != 0 && has_group(r, st.gid);
        }
        char *slash = strrchr(at, '/');
        if (err.code != E_DENIED || slash == NULL || at[1] == '\0') {
            return false;
        }
        slash[slash == at ? 1 : 0] = '\0';
        bit = S_IXGRP;
    }
    return false;
}

static bool mode_denies(const struct probe_args *args, const struct host_stat *st)
{
    const uint32_t bit = args->uid == st->uid ? S_IRUSR : args->gid == st->gid ? S_IRGRP : S_IROTH;
    return args->uid != 0 && (st->mode & bit) == 0;
}

/* A missing or a closed file may stop the server, so one failed look is not believed alone. */
static bool is_confirmed(const struct options_reader *r, const char *path, bool dir,
                         enum err_code code)
{
    struct host_stat st;
    struct err err = ERR_INIT;
    if (!host_stat(r->ctx->host, path, &st, &err)) {
        return err.code == code;
    }
    return code == E_ABSENT ? S_ISDIR(st.mode) != dir : mode_denies(r->ctx->args, &st);
}

static bool judge(const struct options_reader *r, const char *path, bool dir, struct err *reterr)
{
    const enum err_code code = reterr->code;
    if (code != E_DENIED && code != E_ABSENT) {
        return false;
    }
    if (code == E_DENIED && r->as_root) {
        return r->no_root_home && strcmp(path, "/root/.my.cnf") == 0 &&
               err_set(reterr, E_ABSENT, "'%s' is not there", path);
    }
    if (code == E_DENIED && groups_may(r, path)) {
        return err_set(
            reterr, E_NOT_SUPPORTED,
            "'%s' is open to the server by a group of its user that this program gives up", path);
    }
    return !is_confirmed(r, path, dir, code) &&
           err_set(reterr, E_IO, "'%s' could not be read, but seems to be there and open", path);
}

/* The servers open a directory like a file, and find no line; also with --defaults-file. */
static bool is_open_dir(const struct options_reader *r, const char *path, struct optfile_text *ret)
{
    struct host_stat st;
    struct err err = ERR_INIT;
    if (!host_stat(r->ctx->host, path, &st, &err) || !S_ISDIR(st.mode) ||
        (!r->as_root && mode_denies(r->ctx->args, &st))) {
        return false;
    }
    *ret = (struct optfile_text){SPAN_LIT(""), st.mode & ~(uint32_t)S_IWOTH, st.uid, st.gid};
    return true;
}

static bool read_one(void *ctx, const char *path, struct optfile_text *ret, struct err *reterr)
{
    const struct options_reader *r = ctx;
    struct host_optfile f;
    if (!is_askable(path, reterr)) {
        return false;
    }
    const bool ok = r->whole_lines ? host_optfile_whole(r->ctx->host, path, &f, reterr)
                                   : host_optfile(r->ctx->host, path, &f, reterr);
    if (!ok) {
        return (reterr->code == E_ABSENT && is_open_dir(r, path, ret)) ||
               judge(r, path, false, reterr);
    }
    *ret = (struct optfile_text){f.text, f.mode, f.uid, f.gid};
    return true;
}

static bool list_one(void *ctx, const char *path, struct host_names *ret, struct err *reterr)
{
    const struct options_reader *r = ctx;
    if (!is_askable(path, reterr)) {
        return false;
    }
    return host_list(r->ctx->host, path, ret, reterr) || judge(r, path, true, reterr);
}

const struct optfile_io *options_io(struct probe_ctx *ctx, const struct options_open *o,
                                    const struct server_options_input *in)
{
    struct options_reader *r = arena_alloc(ctx->arena, sizeof(*r));
    struct optfile_io *io = arena_alloc(ctx->arena, sizeof(*io));
    r->ctx = ctx;
    r->as_root = options_started_as_root(ctx->args, o);
    r->no_root_home = o->no_root_home;
    r->whole_lines = server_takes_whole_lines(in);
    if (o->status) {
        r->n_groups = server_options_groups(o->status_text, r->groups, GROUPS_MAX);
    }
    *io = (struct optfile_io){.ctx = r,
                              .home = in->home,
                              .read = read_one,
                              .list = list_one,
                              .whole_lines = r->whole_lines,
                              .in_order = true};
    return io;
}
