/* The table of probes, and the runs over it. Their declarations are in declare.c. */
#include "probes/collect.h"
#include "probes/disks.h"
#include "probes/login.h"
#include "probes/probe.h"
#include "probes/runner.h"

#include "advisor/base/banned.h"

static const struct probe_table table = {
    .proc = &probe_proc,
    .server = &probe_server,
    .sql = &probe_sql,
    .options = &probe_options,
    .volume = &probe_volume,
    .pool = &probe_pool,
    .device = &probe_device,
    .disks = &probe_disks,
};

static bool no_file(void *ctx, const char *path, struct optfile_text *ret, struct err *reterr)
{
    (void)ctx;
    (void)ret;
    return err_set(reterr, E_ABSENT, "'%s' is left aside", path);
}

static bool no_list(void *ctx, const char *path, struct host_names *ret, struct err *reterr)
{
    (void)ctx;
    (void)ret;
    return err_set(reterr, E_ABSENT, "'%s' is left aside", path);
}

/* What the command line alone says, when the option files cannot be used because of `why`: the server's
 * facts then say so, all others are there. */
static bool login_without_files(struct arena *a, const struct login_options *lo,
                                const struct err *why, struct login *ret, struct err *reterr)
{
    const struct login_env bare = {.home = NULL};
    const struct optfile_io none = {.read = no_file, .list = no_list};
    struct err *const refused = arena_alloc(a, sizeof(*refused));
    *refused = *why;
    if (!login_resolve(a, lo, &bare, &none, ret, reterr)) {
        return false;
    }
    ret->sql.refused = refused;
    return true;
}

/* A login that cannot be had costs the server's facts and nothing else, unless the command line is
 * wrong. */
static bool find_login(struct arena *a, const struct collect_options *opt, struct login *ret,
                       struct err *reterr)
{
    const struct login_options lo = {.socket = opt->socket,
                                     .host = opt->host,
                                     .defaults_file = opt->defaults_file,
                                     .user = opt->user,
                                     .port = opt->port};
    const struct login_env env = login_env_get();
    const struct optfile_io io = login_io(a, env.home);
    struct err err = ERR_INIT;
    if (login_resolve(a, &lo, &env, &io, ret, &err)) {
        return true;
    }
    if (err.code == E_USAGE || opt->defaults_file != NULL) {
        *reterr = err;
        return false;
    }
    return login_without_files(a, &lo, &err, ret, reterr);
}

bool collect_live(const struct collect_options *opt, struct store *s,
                  struct capture_writer *capture, struct err *reterr)
{
    struct login login = {.named = false};
    if (!opt->host_only && !find_login(store_arena(s), opt, &login, reterr)) {
        return false;
    }
    for (size_t i = 0; i < login.n_warnings && opt->warnings != NULL; i++) {
        json_push(opt->warnings, json_str(store_arena(s), login.warnings[i]));
    }
    return collect_run_live(&table, opt, opt->host_only ? NULL : &login, s, capture, reterr);
}

bool collect_replay(const struct capture *c, struct store *s, struct err *reterr)
{
    const struct fault none = {.probe = NULL};
    return collect_run_replay(&table, c, &none, s, reterr);
}

bool collect_replay_fault(const struct capture *c, const char *probe, unsigned n,
                          enum err_code code, int sys_errno, struct store *s, struct err *reterr)
{
    const struct fault fault = {.probe = probe, .n = n, .code = code, .sys_errno = sys_errno};
    return collect_run_replay(&table, c, &fault, s, reterr);
}
