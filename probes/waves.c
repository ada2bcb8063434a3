/* See waves.h. */
#include "probes/waves.h"

#include <string.h>

#include "probes/runner.h"

#include "advisor/base/banned.h"

#define NOBODY 65534u
#define DEVICES_MAX 1024u
#define ELSEWHERE_MAX 8u /* filesystems beside that of a data directory */

/* ---- facts ----------------------------------------------------------------------------------- */

static const struct value *known(const struct store *s, const struct subject *sub, const char *name)
{
    const struct fact *const f = store_get(s, sub, span_of(name));
    return f == NULL || f->state != FACT_KNOWN ? NULL : &f->value;
}

const char *waves_text(const struct store *s, const struct subject *sub, const char *name,
                       struct arena *a)
{
    const struct value *const v = known(s, sub, name);
    if (v == NULL || (v->kind != KIND_STRING && v->kind != KIND_ENUM) || span_has(v->text, '\0')) {
        return NULL;
    }
    return span_dup(a, v->text);
}

bool waves_number(const struct store *s, const struct subject *sub, const char *name, uint64_t *ret)
{
    const struct value *const v = known(s, sub, name);
    return v != NULL && kind_is_numeric(v->kind) && num_to_u64(v->num, ret);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static struct job *new_jobs(struct waves *w, size_t n)
{
    return arena_calloc(w->arena, n, sizeof(struct job));
}

/* "server:/run/x" becomes "/run/x". */
static const char *bare_label(const struct subject *server)
{
    return server->label + strlen("server:");
}

size_t waves_first(struct waves *w, struct job **ret)
{
    struct job *const jobs = new_jobs(w, 2);
    (void)store_subject(w->store, SUBJECT_HOST, "host");
    jobs[0] = (struct job){.id = "proc", .probe = w->probes->proc, .kind = SUBJECT_HOST};
    jobs[0].args = (struct probe_args){.label = "host",
                                       .named = w->target.named,
                                       .named_socket = w->target.socket,
                                       .named_host = w->target.host,
                                       .named_port = w->target.port,
                                       .all_devices = w->all_devices};
    jobs[1] = (struct job){.id = "disks", .probe = w->probes->disks, .kind = SUBJECT_HOST};
    jobs[1].args = (struct probe_args){.label = "host", .all_devices = w->all_devices};
    *ret = jobs;
    return w->probes->disks != NULL ? 2 : 1;
}

/* A server that was named and is no process here: it is asked all the same. */
static void make_named_server(struct waves *w)
{
    const struct subject *const *servers = NULL;
    if (!w->target.named || store_subjects_of(w->store, SUBJECT_SERVER, &servers) > 0) {
        return;
    }
    const char *const label =
        w->target.host != NULL
            ? arena_printf(w->arena, "server:%s:%u", w->target.host, w->target.port)
            : arena_printf(w->arena, "server:%s", w->target.socket);
    const struct subject *const server = store_subject(w->store, SUBJECT_SERVER, label);
    const struct fact why = {.state = FACT_ABSENT,
                             .reason = arena_printf(w->arena,
                                                    "no process that is seen here listens at %s",
                                                    bare_label(server)),
                             .remedy = "Run as root on its host. A server in a container is found "
                                       "when none is named."};
    waves_rest_unknown(w, server, w->probes->server, &why);
    waves_rest_unknown(w, server, w->probes->options, &why);
}

/* Resident memory of all processes but this server. */
static bool others_rss(const struct waves *w, const struct subject *const *servers, size_t n,
                       size_t self, uint64_t *ret)
{
    const struct subject *const host = store_find_subject(w->store, "host");
    uint64_t sum = 0, rss = 0;
    if (host == NULL || !waves_number(w->store, host, "host.memory.other_rss", &sum)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (i == self) {
            continue;
        }
        if (!waves_number(w->store, servers[i], "server.process.rss", &rss) || sum + rss < sum) {
            return false;
        }
        sum += rss;
    }
    *ret = sum;
    return true;
}

void waves_set_process(const struct waves *w, const struct subject *server, struct probe_args *args)
{
    uint64_t uid = NOBODY, gid = NOBODY;
    (void)waves_number(w->store, server, "server.pid", &args->pid);
    if (!waves_number(w->store, server, "server.process.uid", &uid) || uid > UINT32_MAX ||
        !waves_number(w->store, server, "server.process.gid", &gid) || gid > UINT32_MAX) {
        uid = NOBODY;
        gid = NOBODY;
    }
    args->uid = (uint32_t)uid;
    args->gid = (uint32_t)gid;
}

static bool is_persons(const struct store *s, const struct subject *server)
{
    uint64_t uid = 0;
    return waves_number(s, server, "server.process.uid", &uid) && uid >= WAVES_FIRST_PERSON_UID;
}

size_t waves_servers_in_order(struct arena *a, const struct store *s,
                              const struct subject *const **ret)
{
    const struct subject *const *all = NULL;
    const size_t n = store_subjects_of(s, SUBJECT_SERVER, &all);
    const struct subject **const list = arena_calloc(a, n, sizeof(*list));
    size_t count = 0;
    for (int persons = 0; persons <= 1; persons++) {
        for (size_t i = 0; i < n; i++) {
            if (is_persons(s, all[i]) == (persons != 0)) {
                list[count++] = all[i];
            }
        }
    }
    *ret = list;
    return count;
}

size_t waves_servers(struct waves *w, struct job **ret)
{
    if (w->host_only) {
        return 0;
    }
    make_named_server(w);
    const struct subject *const *servers = NULL;
    const size_t n = waves_servers_in_order(w->arena, w->store, &servers);
    struct job *const jobs = new_jobs(w, n * 2);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        struct probe_args args = {.label = servers[i]->label, .server = servers[i]->label};
        waves_set_process(w, servers[i], &args);
        args.others_rss_known = others_rss(w, servers, n, i, &args.others_rss);
        if (args.pid != 0) {
            jobs[count++] = (struct job){.id = servers[i]->label,
                                         .probe = w->probes->server,
                                         .args = args,
                                         .kind = SUBJECT_SERVER};
        }
        jobs[count++] = (struct job){.id = arena_printf(w->arena, "sql:%s", bare_label(servers[i])),
                                     .probe = w->probes->sql,
                                     .args = args,
                                     .kind = SUBJECT_SERVER};
    }
    *ret = jobs;
    return count;
}

/* What it reads depends on its version, which the server itself tells; so this is not asked before.
 */
static size_t options_of(struct waves *w, const struct subject *server, struct job *job)
{
    struct probe_args args = {.label = server->label, .server = server->label};
    waves_set_process(w, server, &args);
    if (args.pid == 0 || w->probes->options == NULL) {
        return 0;
    }
    args.flavour = waves_text(w->store, server, "server.flavour", w->arena);
    args.exe = waves_text(w->store, server, "server.process.exe", w->arena);
    args.cwd = waves_text(w->store, server, "server.process.cwd", w->arena);
    const struct value *const v = known(w->store, server, "server.version");
    if (v != NULL && v->kind == KIND_VERSION) {
        args.version = v->version;
    }
    *job = (struct job){.id = arena_printf(w->arena, "options:%s", bare_label(server)),
                        .probe = w->probes->options,
                        .args = args,
                        .kind = SUBJECT_SERVER};
    return 1;
}

static void set_lazy_init(const struct waves *w, struct probe_args *args)
{
    const struct subject *const host = store_find_subject(w->store, "host");
    const struct value *const v =
        host == NULL ? NULL : known(w->store, host, "host.fs.ext4_lazyinit");
    if (v != NULL && v->kind == KIND_BOOL) {
        args->lazy_init = v->boolean ? LAZY_INIT_YES : LAZY_INIT_NO;
    }
}

static size_t volumes_of(struct waves *w, const struct subject *server, struct job *jobs)
{
    struct volume_path paths[VOLUME_PATHS_MAX];
    struct probe_args args = {.server = server->label};
    waves_set_process(w, server, &args);
    if (args.pid == 0) {
        return 0; /* not on this host */
    }
    set_lazy_init(w, &args);
    const size_t n = volume_paths(w->store, server, w->arena, paths);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        args.label =
            arena_printf(w->arena, "volume:%s:%s", bare_label(server), paths[i].label_role);
        if (paths[i].path == NULL) {
            waves_untold(w, server, args.label, &paths[i]);
            continue;
        }
        args.path = paths[i].path;
        args.roles = paths[i].roles;
        struct subject *const sub = store_subject(w->store, SUBJECT_VOLUME, args.label);
        sub->server = server;
        sub->roles = args.roles;
        jobs[count++] = (struct job){
            .id = args.label, .probe = w->probes->volume, .args = args, .kind = SUBJECT_VOLUME};
    }
    return count;
}

/* What it is for nobody says. */
static struct job path_job(const struct waves *w, const struct collect_path *p)
{
    const struct probe_args args = {.label = arena_printf(w->arena, "volume:%s", p->path),
                                    .path = p->path,
                                    .uid = p->uid,
                                    .gid = p->gid};
    (void)store_subject(w->store, SUBJECT_VOLUME, args.label);
    return (struct job){
        .id = args.label, .probe = w->probes->volume, .args = args, .kind = SUBJECT_VOLUME};
}

size_t waves_volumes(struct waves *w, struct job **ret)
{
    const struct subject *const *servers = NULL;
    const size_t n = w->host_only ? 0 : waves_servers_in_order(w->arena, w->store, &servers);
    struct job *const jobs = new_jobs(w, n * (VOLUME_PATHS_MAX + 1) + w->n_paths);
    size_t count = 0;
    for (size_t i = 0; i < w->n_paths; i++) {
        jobs[count++] = path_job(w, &w->paths[i]);
    }
    for (size_t i = 0; i < n; i++) {
        count += options_of(w, servers[i], jobs + count);
        count += volumes_of(w, servers[i], jobs + count);
    }
    *ret = jobs;
    return count;
}

/* Files of the data directory that lie on another filesystem: data volumes of their own. */
static size_t elsewhere_of(struct waves *w, const struct subject *server, struct job *jobs,
                           size_t max)
{
    const struct subject *const *volumes = NULL;
    const size_t n = store_volumes(w->store, server, ROLE_DATA, &volumes);
    struct probe_args args = {.server = server->label, .roles = ROLE_DATA, .elsewhere = true};
    size_t count = 0;
    waves_set_process(w, server, &args);
    for (size_t i = 0; i < n; i++) {
        const struct value *const v = known(w->store, volumes[i], "volume.elsewhere");
        for (size_t k = 0; v != NULL && v->kind == KIND_LIST && k < v->n_items && count < max;
             k++) {
            if (!span_starts(v->items[k], "/") || span_has(v->items[k], '\0')) {
                continue;
            }
            args.path = span_dup(w->arena, v->items[k]);
            args.label =
                arena_printf(w->arena, "volume:%s:data-%zu", bare_label(server), count + 2);
            struct subject *const sub = store_subject(w->store, SUBJECT_VOLUME, args.label);
            sub->server = server;
            sub->roles = args.roles;
            jobs[count++] = (struct job){
                .id = args.label, .probe = w->probes->volume, .args = args, .kind = SUBJECT_VOLUME};
        }
    }
    return count;
}

size_t waves_elsewhere(struct waves *w, struct job **ret)
{
    const struct subject *const *servers = NULL;
    const size_t n = w->host_only ? 0 : waves_servers_in_order(w->arena, w->store, &servers);
    struct job *const jobs = new_jobs(w, n * ELSEWHERE_MAX);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        count += elsewhere_of(w, servers[i], jobs + count, ELSEWHERE_MAX);
    }
    *ret = jobs;
    return count;
}

/* ---- devices --------------------------------------------------------------------------------- */

/* A kernel name, not a path: it becomes part of one. */
static bool is_device_name(struct span name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "_.!-";
    if (name.len == 0 || name.len > 64 || name.ptr[0] == '.') {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '\0' || strchr(allowed, name.ptr[i]) == NULL) {
            return false;
        }
    }
    return true;
}

static void add_devices(struct waves *w, const struct subject *sub, const char *fact)
{
    const struct value *const v = known(w->store, sub, fact);
    if (v == NULL || (v->kind != KIND_SET && v->kind != KIND_LIST)) {
        return;
    }
    for (size_t i = 0; i < v->n_items && i < DEVICES_MAX; i++) {
        if (is_device_name(v->items[i])) {
            const char *const label = arena_printf(w->arena, "device:%.*s", SPAN_ARG(v->items[i]));
            (void)store_subject(w->store, SUBJECT_DEVICE, label);
        }
    }
}

size_t waves_devices(struct waves *w, struct job **ret)
{
    const struct subject *const *volumes = NULL;
    const size_t n_volumes = store_subjects_of(w->store, SUBJECT_VOLUME, &volumes);
    for (size_t i = 0; i < n_volumes; i++) {
        add_devices(w, volumes[i], "volume.leaf_devices");
        add_devices(w, volumes[i], "volume.zfs.slog_devices");
    }
    const struct subject *const host = store_find_subject(w->store, "host");
    if (w->all_devices && host != NULL) {
        add_devices(w, host, "host.nvme.disks");
    }
    const struct subject *const *devices = NULL;
    const size_t n = store_subjects_of(w->store, SUBJECT_DEVICE, &devices);
    struct job *const jobs = new_jobs(w, n);
    for (size_t i = 0; i < n; i++) {
        jobs[i] = (struct job){
            .id = devices[i]->label, .probe = w->probes->device, .kind = SUBJECT_DEVICE};
        jobs[i].args = (struct probe_args){.label = devices[i]->label,
                                           .device = devices[i]->label + strlen("device:"),
                                           .all_devices = w->all_devices};
        jobs[i].group = waves_group_of(w->arena, jobs[i].args.device);
    }
    *ret = jobs;
    return n;
}
