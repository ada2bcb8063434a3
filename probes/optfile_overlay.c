/* A tree of option files with one file more, or another text in one. Opens nothing itself. */
#include "probes/server_options.h"

#include <string.h>
#include <sys/stat.h>

#include "advisor/base/banned.h"

struct overlay {
    struct arena *arena;
    const struct optfile_io *inner;
    const char *path;
    struct span dir, name;
    struct span text;
};

static bool overlay_read(void *ctx, const char *path, struct optfile_text *ret, struct err *reterr)
{
    const struct overlay *o = ctx;
    if (strcmp(path, o->path) != 0) {
        return o->inner->read(o->inner->ctx, path, ret, reterr);
    }
    *ret = (struct optfile_text){o->text, S_IFREG | 0644, 0, 0};
    return true;
}

static bool is_dir(const struct overlay *o, const char *path)
{
    struct span dir = span_of(optfile_path(o->arena, span_of(path), o->inner->home));
    while (dir.len > 1 && dir.ptr[dir.len - 1] == '/') {
        dir.len--;
    }
    return span_eq(dir, o->dir);
}

static bool overlay_list(void *ctx, const char *path, struct host_names *ret, struct err *reterr)
{
    const struct overlay *o = ctx;
    struct host_names names;
    if (!o->inner->list(o->inner->ctx, path, &names, reterr)) {
        return false;
    }
    bool there = !is_dir(o, path);
    for (size_t i = 0; i < names.n; i++) {
        there = there || span_eq(names.names[i], o->name);
    }
    if (!there) {
        struct span *more = arena_calloc(o->arena, names.n + 1, sizeof(*more));
        for (size_t i = 0; i < names.n; i++) {
            more[i] = names.names[i];
        }
        more[names.n] = o->name;
        names = (struct host_names){more, names.n + 1};
    }
    *ret = names;
    return true;
}

const struct optfile_io *optfile_io_with(struct arena *a, const struct optfile_io *inner,
                                         const char *path, struct span text)
{
    struct overlay *o = arena_alloc(a, sizeof(*o));
    struct optfile_io *io = arena_alloc(a, sizeof(*io));
    const char *clean = optfile_path(a, span_of(path), inner->home);
    const char *slash = strrchr(clean, '/');
    const size_t len = slash == NULL ? 0 : (size_t)(slash - clean);
    *o = (struct overlay){.arena = a,
                          .inner = inner,
                          .path = clean,
                          .dir = {clean, len == 0 ? 1 : len},
                          .name = span_of(slash == NULL ? clean : slash + 1),
                          .text = text};
    *io = (struct optfile_io){o, inner->home, overlay_read, overlay_list, inner->whole_lines,
                                false, inner->directive_comments};
    return io;
}
