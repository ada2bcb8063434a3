/* See cgroup.h. A file that is absent is asked for twice before that counts: "no such limit" must
 * not come from an accident. */
#include "probes/cgroup.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/ktext.h"

#include "advisor/base/banned.h"

#define USUAL_V2 "/sys/fs/cgroup"

/* ---- /proc/PID/cgroup ------------------------------------------------------------------------ */

static bool has_controller(struct span list, const char *controller)
{
    struct span one;
    while (span_split(&list, ',', &one)) {
        if (span_eq_text(one, controller)) {
            return true;
        }
    }
    return false;
}

bool cgroup_find_path(struct span text, const char *controller, struct span *ret, bool *ret_v2)
{
    struct span line, id, list;
    bool found = false;
    while (span_line(&text, &line)) {
        if (!span_split(&line, ':', &id) || line.len == 0 || !span_split(&line, ':', &list) ||
            !span_starts(line, "/")) {
            continue;
        }
        if (list.len > 0 && has_controller(list, controller)) {
            *ret = line;
            *ret_v2 = false;
            return true;
        }
        if (list.len == 0 && span_eq_text(id, "0") && !found) {
            *ret = line;
            *ret_v2 = true;
            found = true;
        }
    }
    return found;
}

/* ---- where it is mounted --------------------------------------------------------------------- */

static bool is_hierarchy(const struct mount *m, const char *controller, bool v2)
{
    if (v2) {
        return span_eq_text(m->fstype, "cgroup2");
    }
    return span_eq_text(m->fstype, "cgroup") && mount_option(m->super, controller, NULL);
}

static bool has_dotdot(struct span path)
{
    struct span part;
    while (span_split(&path, '/', &part)) {
        if (span_eq_text(part, "..")) {
            return true;
        }
    }
    return false;
}

/* `path` below `root`; *ret is "" or begins with '/'. */
static bool below(struct span path, struct span root, struct span *ret)
{
    if (span_eq_text(root, "/")) {
        *ret = span_eq_text(path, "/") ? (struct span){"", 0} : path;
        return true;
    }
    if (path.len < root.len || !span_eq(span_sub(path, 0, root.len), root) ||
        (path.len > root.len && path.ptr[root.len] != '/')) {
        return false;
    }
    *ret = span_sub(path, root.len, path.len);
    return true;
}

static bool try_place(struct host *h, struct arena *a, const char *mount, struct span rest,
                      struct cgroup *g, struct err *reterr)
{
    struct host_stat st;
    const char *dir = arena_printf(a, "%s%.*s", mount, SPAN_ARG(rest));
    if (!host_stat(h, dir, &st, reterr)) {
        return false;
    }
    g->mount = mount;
    g->below = span_dup(a, rest);
    return true;
}

static bool find_place(struct host *h, struct arena *a, const struct mountinfo *mounts,
                       const char *controller, struct cgroup *g, struct err *reterr)
{
    bool mounted = false;
    struct span rest;
    err_set(reterr, E_ABSENT, "control group '%.*s' of %s is not seen from here", SPAN_ARG(g->path),
            controller);
    for (size_t i = 0; i < mounts->n; i++) {
        const struct mount *m = &mounts->rows[i];
        if (!is_hierarchy(m, controller, g->v2)) {
            continue;
        }
        mounted = true;
        if (!below(g->path, m->root, &rest)) {
            continue;
        }
        g->cut_off = !span_eq_text(m->root, "/");
        if (try_place(h, a, span_dup(a, m->mountpoint), rest, g, reterr)) {
            return true;
        }
    }
    if (mounted || !below(g->path, SPAN_LIT("/"), &rest)) {
        return false;
    }
    g->cut_off = false;
    const char *usual = g->v2 ? USUAL_V2 : arena_printf(a, USUAL_V2 "/%s", controller);
    return try_place(h, a, usual, rest, g, reterr);
}

bool cgroup_open(struct host *h, struct arena *a, struct span text, const struct mountinfo *mounts,
                 const char *controller, struct cgroup *ret, struct err *reterr)
{
    struct cgroup g = {.path = {"", 0}, .mount = "", .below = ""};
    if (!cgroup_find_path(text, controller, &g.path, &g.v2)) {
        g.none = true;
        *ret = g;
        return true;
    }
    if (has_dotdot(g.path)) {
        err_set(reterr, E_ABSENT, "control group '%.*s' lies outside of this namespace",
                SPAN_ARG(g.path));
        return err_hint(reterr, "Run on the host itself.");
    }
    if (!find_place(h, a, mounts, controller, &g, reterr)) {
        return false;
    }
    *ret = g;
    return true;
}

const char *cgroup_file(struct arena *a, const struct cgroup *g, const char *file)
{
    return arena_printf(a, "%s%s/%s", g->mount, g->below, file);
}

/* ---- limits ---------------------------------------------------------------------------------- */

bool cgroup_read_max(struct span text, struct num *ret)
{
    uint64_t n;
    if (span_eq_text(text, "max")) {
        *ret = num_unlimited();
        return true;
    }
    if (!parse_u64(text, &n)) {
        return false;
    }
    *ret = num_u64(n);
    return true;
}

bool cgroup_read_v1_bytes(struct span text, struct num *ret)
{
    uint64_t n;
    if (!parse_u64(text, &n)) {
        return false;
    }
    *ret = n >= (uint64_t)INT64_MAX - (1u << 20) ? num_unlimited() : num_u64(n);
    return true;
}

static bool read_cores(uint64_t quota, uint64_t period, struct num *ret)
{
    return period > 0 && num_div(num_u64(quota), num_u64(period), ret) == NUM_OK;
}

bool cgroup_read_cpu_max(struct span text, struct num *ret)
{
    struct span first, second, more;
    uint64_t quota, period;
    if (!span_word(&text, &first) || !span_word(&text, &second) || span_word(&text, &more) ||
        !parse_u64(second, &period) || period == 0) {
        return false;
    }
    if (span_eq_text(first, "max")) {
        *ret = num_unlimited();
        return true;
    }
    return parse_u64(first, &quota) && read_cores(quota, period, ret);
}

static bool v1_quota(struct span text, struct num *ret)
{
    int64_t n;
    if (!parse_i64(text, &n)) {
        return false;
    }
    *ret = n < 0 ? num_unlimited() : num_i64(n);
    return true;
}

/* One level: *ret_there false when it has no such file. */
static bool read_level(struct host *h, const char *path, cgroup_reader reader, struct num *ret,
                       bool *ret_there, struct err *reterr)
{
    struct span text;
    *ret_there = ktext_read(h, path, 0, &text, reterr) || ktext_read(h, path, 0, &text, reterr);
    if (!*ret_there) {
        return reterr->code == E_ABSENT;
    }
    return reader(span_trim(text), ret) || ktext_bad(reterr, path, "limit");
}

/* A quota stands beside the period that it is of. */
static bool to_cores(struct host *h, const char *path, struct num *quota, struct err *reterr)
{
    uint64_t period, micros;
    if (quota->tag == NUM_UNLIMITED) {
        return true;
    }
    return ktext_u64(h, path, &period, reterr) &&
           ((num_to_u64(*quota, &micros) && read_cores(micros, period, quota)) ||
            ktext_bad(reterr, path, "period"));
}

/* The directory above; false at the mount point. */
static bool go_up(char *dir, size_t mount_len)
{
    char *slash = strlen(dir) > mount_len ? strrchr(dir, '/') : NULL;
    if (slash == NULL) {
        return false;
    }
    *slash = '\0';
    return true;
}

bool cgroup_up(char *dir, const struct cgroup *g)
{
    return go_up(dir, strlen(g->mount));
}

static bool smallest(struct host *h, struct arena *a, const struct cgroup *g, const char *file,
                     cgroup_reader reader, const char *period, struct num *ret,
                     const char **ret_file, struct err *reterr)
{
    char *dir = arena_printf(a, "%s%s", g->mount, g->below);
    struct num best = num_unlimited();
    const char *where = arena_printf(a, "%s/%s", dir, file);
    for (unsigned level = 0;; level++) {
        struct num n = num_unlimited();
        bool there;
        const char *path = arena_printf(a, "%s/%s", dir, file);
        if (level == CGROUP_LEVELS_MAX) {
            return err_set(reterr, E_TOO_BIG, "control group '%s%s' is deeper than %u levels",
                           g->mount, g->below, CGROUP_LEVELS_MAX);
        }
        if (!read_level(h, path, reader, &n, &there, reterr) ||
            (there && period != NULL &&
             !to_cores(h, arena_printf(a, "%s/%s", dir, period), &n, reterr))) {
            return false;
        }
        if (num_cmp(n, best) < 0) {
            best = n;
            where = path;
        }
        if (!cgroup_up(dir, g)) {
            break;
        }
    }
    *ret = best;
    if (ret_file != NULL) {
        *ret_file = where;
    }
    return true;
}

bool cgroup_smallest(struct host *h, struct arena *a, const struct cgroup *g, const char *file,
                     cgroup_reader reader, struct num *ret, const char **ret_file,
                     struct err *reterr)
{
    return smallest(h, a, g, file, reader, NULL, ret, ret_file, reterr);
}

bool cgroup_smallest_v1_quota(struct host *h, struct arena *a, const struct cgroup *g,
                              struct num *ret, const char **ret_file, struct err *reterr)
{
    return smallest(h, a, g, "cpu.cfs_quota_us", v1_quota, "cpu.cfs_period_us", ret, ret_file,
                    reterr);
}
