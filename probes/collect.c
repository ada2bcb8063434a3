/* One run: the waves one after the other, in children or from a capture; and the options, as a
 * capture keeps them. Knows no probe by name. */
#include "probes/collect.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "probes/joined.h"
#include "probes/leaf_limits.h"
#include "probes/redundancy.h"
#include "probes/shared.h"

#include "advisor/base/banned.h"

#define CHILD_SECONDS 3.0 /* as design: each child, and the whole run */
#define RUN_SECONDS 8.0
#define RUN_EXTRA_SECONDS 5.0
#define SECONDS_MAX 3600.0
#define NS_PER_S 1e9

struct run {
    struct waves waves;
    const struct live_run *live; /* NULL: replay */
    const struct login *login;
    const struct capture *capture;
    const struct fault *fault;
    bool server_unreachable;
    struct err why_unreachable;
};

/* ---- options --------------------------------------------------------------------------------- */

struct json *collect_options_json(struct arena *a, const struct collect_options *opt)
{
    struct json *const doc = json_object(a);
    json_set(doc, "all_devices", json_bool(a, opt->all_devices));
    json_set(doc, "defaults_file", json_str(a, opt->defaults_file));
    json_set(doc, "host", json_str(a, opt->host));
    json_set(doc, "host_only", json_bool(a, opt->host_only));
    if (opt->n_paths > 0) {
        struct json *const paths = json_array(a);
        for (size_t i = 0; i < opt->n_paths; i++) {
            json_push(paths, json_str(a, opt->paths[i].path));
        }
        json_set(doc, "paths", paths);
    }
    json_set(doc, "port", json_int(a, opt->port));
    json_set(doc, "socket", json_str(a, opt->socket));
    json_set(doc, "timeout_s", json_num(a, num_real(opt->timeout_s)));
    json_set(doc, "user", json_str(a, opt->user));
    return doc;
}

static bool get_bool(const struct json *doc, const char *key)
{
    const struct json *const item = json_get(doc, key);
    return item != NULL && item->type == JSON_BOOL && item->boolean;
}

static unsigned get_port(const struct json *doc)
{
    const struct json *const item = json_get(doc, "port");
    uint64_t port = 0;
    return item != NULL && item->type == JSON_NUMBER && num_to_u64(item->number, &port) &&
                   port <= UINT16_MAX
               ? (unsigned)port
               : 0;
}

/* Only what could be one is taken. */
static void get_paths(struct arena *a, const struct json *doc, struct collect_options *ret)
{
    const struct json *const list = json_get(doc, "paths");
    if (list == NULL || list->type != JSON_ARRAY) {
        return;
    }
    struct collect_path *const paths = arena_calloc(a, list->n, sizeof(*paths));
    for (size_t i = 0; i < list->n && ret->n_paths < COLLECT_PATHS_MAX; i++) {
        const struct json *const item = list->items[i];
        if (item->type == JSON_STRING && span_starts(item->string, "/") && !span_has(item->string, '\0')) {
            paths[ret->n_paths++].path = span_dup(a, item->string);
        }
    }
    ret->paths = paths;
}

bool collect_options_read(struct arena *a, const struct json *doc, struct collect_options *ret,
                          struct err *reterr)
{
    if (doc == NULL || doc->type != JSON_OBJECT) {
        return err_set(reterr, E_CORRUPT, "the capture's first line has no options");
    }
    const struct json *const timeout = json_get(doc, "timeout_s");
    *ret = (struct collect_options){
        .socket = json_get_str(doc, "socket"),
        .host = json_get_str(doc, "host"),
        .defaults_file = json_get_str(doc, "defaults_file"),
        .user = json_get_str(doc, "user"),
        .port = get_port(doc),
        .host_only = get_bool(doc, "host_only"),
        .all_devices = get_bool(doc, "all_devices"),
        .timeout_s =
            timeout != NULL && timeout->type == JSON_NUMBER ? num_to_double(timeout->number) : 0,
    };
    get_paths(a, doc, ret);
    return true;
}

/* Which server is meant is an answer of files that no capture holds; so it is kept by itself. */
static struct json *target_json(struct arena *a, const struct target *t)
{
    struct json *const doc = json_object(a);
    json_set(doc, "host", json_str(a, t->host));
    json_set(doc, "named", json_bool(a, t->named));
    json_set(doc, "port", json_int(a, t->port));
    json_set(doc, "socket", json_str(a, t->socket));
    return doc;
}

static struct target target_of_json(const struct json *doc)
{
    if (doc == NULL || doc->type != JSON_OBJECT) {
        return (struct target){.named = false};
    }
    struct target t = {.socket = json_get_str(doc, "socket"),
                       .host = json_get_str(doc, "host"),
                       .port = get_port(doc)};
    t.named = get_bool(doc, "named") && (t.socket != NULL || t.host != NULL);
    return t;
}

static struct target target_of_login(const struct login *login)
{
    if (login == NULL) {
        return (struct target){.named = false};
    }
    struct target t = {.socket = login->sql.socket,
                       .host = login->sql.socket == NULL ? login->sql.host : NULL,
                       .port = login->sql.port};
    t.named = login->named && (t.socket != NULL || t.host != NULL);
    return t;
}

/* ---- logins ---------------------------------------------------------------------------------- */

/* A password goes to a server that was only found in the process list when its account is the system's or
 * the caller's: anybody may run a program that is called mysqld and reads what it is sent. */
static bool may_have_password(const struct waves *w, const struct subject *server)
{
    uint64_t uid = 0;
    return server != NULL && waves_number(w->store, server, "server.process.uid", &uid) &&
           (uid < WAVES_FIRST_PERSON_UID || uid == geteuid());
}

static void withhold(struct host_sql_login *login, struct arena *a)
{
    struct err *const why = arena_alloc(a, sizeof(*why));
    err_set(why, E_LOGIN, "a password is not sent to a server that an ordinary account runs, unless "
                          "the server is named");
    err_hint(why, "Name it with --socket or --host if you trust it.");
    login->password = NULL;
    login->refused = why;
}

/* The run's account, at the place where this server was found. */
static const struct host_sql_login *login_of(const struct run *r, const struct job *job)
{
    if (r->login == NULL) {
        return NULL;
    }
    struct arena *const a = r->waves.arena;
    const struct store *const s = r->waves.store;
    struct host_sql_login *const login = arena_alloc(a, sizeof(*login));
    *login = r->login->sql;
    const struct subject *const server = store_find_subject(s, job->args.label);
    const char *const socket =
        server == NULL ? NULL : waves_text(s, server, "server.process.socket", a);
    uint64_t port = 0;
    if (r->waves.target.named) {
        return login;
    }
    login->socket = NULL;
    login->host = NULL;
    if (socket != NULL) {
        login->socket = socket;
        login->socket_below_pid = job->args.pid;
    } else if (server != NULL && waves_number(s, server, "server.process.port", &port)) {
        login->host = "127.0.0.1";
        login->port = (unsigned)port;
    }
    if (login->password != NULL && !may_have_password(&r->waves, server)) {
        withhold(login, a);
    }
    return login;
}

/* ---- the run --------------------------------------------------------------------------------- */

static void note_unreachable(struct run *r, const struct job *job, const struct job_end *end)
{
    if (job->probe == r->waves.probes->sql && end->open_failed && end->open_err.code == E_CONNECT) {
        r->server_unreachable = true;
        r->why_unreachable = end->open_err;
    }
}

static void run_jobs(struct run *r, struct job *jobs, size_t n, struct job_end *ends)
{
    struct waves *const w = &r->waves;
    if (r->live != NULL) {
        for (size_t i = 0; i < n; i++) {
            if (jobs[i].probe == w->probes->sql) {
                jobs[i].args.login = login_of(r, &jobs[i]);
            }
        }
        wave_live(r->live, jobs, n, w->store, !w->host_only, ends);
    } else {
        wave_replay(r->capture, r->fault, jobs, n, w->store, !w->host_only, ends);
    }
    for (size_t i = 0; i < n; i++) {
        note_unreachable(r, &jobs[i], &ends[i]);
    }
}

static void run_wave(struct run *r, struct job *jobs, size_t n)
{
    struct job *again = NULL;
    struct job_end *const ends = arena_calloc(r->waves.arena, n, sizeof(*ends));
    run_jobs(r, jobs, n, ends);
    const size_t n_again = waves_again(&r->waves, jobs, ends, n, &again);
    if (n_again > 0) {
        run_jobs(r, again, n_again, arena_calloc(r->waves.arena, n_again, sizeof(*ends)));
    }
}

static bool run_all(struct run *r, struct err *reterr)
{
    size_t (*const waves[])(struct waves *, struct job **) = {waves_first, waves_servers,
                                                              waves_volumes, waves_elsewhere,
                                                              waves_pools, waves_devices};
    for (size_t i = 0; i < ARRAY_LEN(waves); i++) {
        struct job *jobs = NULL;
        const size_t n = waves[i](&r->waves, &jobs);
        run_wave(r, jobs, n);
    }
    shared_set(r->waves.store);
    joined_set(r->waves.store);
    leaf_limits_set(r->waves.store);
    redundancy_set(r->waves.store);
    store_fill_missing(r->waves.store);
    if (r->waves.target.named && r->server_unreachable) {
        *reterr = r->why_unreachable;
        return false;
    }
    return true;
}

static double child_seconds(const struct collect_options *opt)
{
    if (!(opt->timeout_s > 0)) {
        return CHILD_SECONDS;
    }
    return fmin(opt->timeout_s, SECONDS_MAX);
}

static struct live_run make_live(struct arena *a, const struct collect_options *opt,
                                 struct capture_writer *capture)
{
    const double child = child_seconds(opt);
    const double whole = opt->timeout_s > 0 ? child + RUN_EXTRA_SECONDS : RUN_SECONDS;
    return (struct live_run){.capture = capture,
                             .stuck = stuck_load(a, opt->state_dir),
                             .child_ns = (int64_t)(child * NS_PER_S),
                             .deadline_ns = live_now_ns() + (int64_t)(whole * NS_PER_S)};
}

bool collect_run_live(const struct probe_table *probes, const struct collect_options *opt,
                      const struct login *login, struct store *s, struct capture_writer *capture,
                      struct err *reterr)
{
    struct arena *const a = store_arena(s);
    const struct live_run live = make_live(a, opt, capture);
    struct run r = {.live = &live, .login = login};
    r.waves = (struct waves){.arena = a,
                             .store = s,
                             .probes = probes,
                             .target = target_of_login(login),
                             .host_only = opt->host_only,
                             .all_devices = opt->all_devices,
                             .paths = opt->paths,
                             .n_paths = opt->n_paths};
    if (capture != NULL) {
        capture_set_header(capture, "options", collect_options_json(a, opt));
        capture_set_header(capture, "target", target_json(a, &r.waves.target));
        if (json_get(capture_writer_header(capture), "clock") == NULL) {
            capture_set_header(capture, "clock", json_int(a, (int64_t)time(NULL)));
        }
    }
    const bool ok = run_all(&r, reterr);
    stuck_save(live.stuck);
    return ok;
}

bool collect_run_replay(const struct probe_table *probes, const struct capture *c,
                        const struct fault *fault, struct store *s, struct err *reterr)
{
    struct arena *const a = store_arena(s);
    const struct json *const header = capture_header(c);
    struct collect_options opt;
    if (!collect_options_read(a, json_get(header, "options"), &opt, reterr)) {
        return false;
    }
    struct run r = {.capture = c, .fault = fault};
    r.waves = (struct waves){.arena = a,
                             .store = s,
                             .probes = probes,
                             .target = target_of_json(json_get(header, "target")),
                             .host_only = opt.host_only,
                             .all_devices = opt.all_devices,
                             .paths = opt.paths,
                             .n_paths = opt.n_paths};
    return run_all(&r, reterr);
}
