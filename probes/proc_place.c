/* See proc_place.h. */
#include "probes/proc_place.h"

#include <string.h>

#include "probes/ktext.h"
#include "probes/mountinfo.h"

#include "advisor/base/banned.h"

/* A directory and what lies below it, with one slash between them. */
static struct span join(struct arena *a, struct span dir, struct span rest)
{
    while (dir.len > 0 && dir.ptr[dir.len - 1] == '/') {
        dir.len--;
    }
    while (rest.len > 0 && rest.ptr[0] == '/') {
        rest = span_sub(rest, 1, rest.len);
    }
    return span_of(arena_printf(a, "%.*s/%.*s", SPAN_ARG(dir), SPAN_ARG(rest)));
}

/* Every system of our time has /var/run as a link to /run. */
static struct span run_dir(struct span path)
{
    return span_starts(path, "/var/run/") ? span_sub(path, strlen("/var"), path.len) : path;
}

struct proc_place proc_place_of(struct probe_ctx *ctx, const char *mountinfo, struct span path)
{
    struct span text;
    struct err err = ERR_INIT;
    path = run_dir(path);
    if (path.len == 0 || path.ptr[0] != '/' || span_has(path, '\0') ||
        !ktext_read(ctx->host, mountinfo, HOST_PROC_MAX, &text, &err)) {
        return (struct proc_place){.known = false};
    }
    struct mountinfo table;
    mountinfo_parse(ctx->arena, text, &table);
    const struct mount *m = mountinfo_by_path(&table, path);
    if (m == NULL || span_has(m->root, '\0')) {
        return (struct proc_place){.known = false};
    }
    const size_t prefix = span_eq_text(m->mountpoint, "/") ? 0 : m->mountpoint.len;
    return (struct proc_place){.known = true,
                               .major = m->major,
                               .minor = m->minor,
                               .path = join(ctx->arena, m->root, span_sub(path, prefix, path.len))};
}

struct proc_place proc_place_of_ours(struct probe_ctx *ctx, const char *path)
{
    const char *real = path;
    struct err err = ERR_INIT;
    if (!host_real_path(ctx->host, path, &real, &err)) {
        real = path; /* the directory may be closed to us; its name need not be */
    }
    return proc_place_of(ctx, "/proc/self/mountinfo", span_of(real));
}

bool proc_place_same(const struct proc_place *a, const struct proc_place *b)
{
    return a->known && b->known && a->major == b->major && a->minor == b->minor &&
           span_eq(a->path, b->path);
}
