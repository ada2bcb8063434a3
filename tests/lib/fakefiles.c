/* See fakefiles.h. */
#include "tests/lib/fakefiles.h"

#include <string.h>
#include <sys/stat.h>

#include "advisor/base/banned.h"

struct fake_tree {
    struct arena *arena;
    const struct fake_file *files;
};

static bool tree_read(void *ctx, const char *path, struct optfile_text *ret, struct err *reterr)
{
    const struct fake_tree *t = ctx;
    for (const struct fake_file *f = t->files; f->path != NULL; f++) {
        if (strcmp(f->path, path) != 0) {
            continue;
        }
        if (f->text == NULL) {
            return err_set(reterr, E_DENIED, "option file '%s': Permission denied", path);
        }
        const uint32_t mode = f->mode != 0 ? f->mode : 0644;
        *ret = (struct optfile_text){span_of(f->text), S_IFREG | mode, 0, 0};
        return true;
    }
    return err_set(reterr, E_ABSENT, "option file '%s': No such file or directory", path);
}

/* In the order of the table, so that the reader must sort. */
static bool tree_list(void *ctx, const char *path, struct host_names *ret, struct err *reterr)
{
    const struct fake_tree *t = ctx;
    size_t len = strlen(path);
    len -= len > 0 && path[len - 1] == '/' ? 1 : 0;
    struct span *names = NULL;
    size_t n = 0;
    for (const struct fake_file *f = t->files; f->path != NULL; f++) {
        if (strncmp(f->path, path, len) == 0 && f->path[len] == '/') {
            names = arena_grow(t->arena, names, n * sizeof(*names), (n + 1) * sizeof(*names));
            names[n++] = span_of(f->path + len + 1);
        }
    }
    if (n == 0) {
        return err_set(reterr, E_ABSENT, "directory '%s': No such file or directory", path);
    }
    *ret = (struct host_names){names, n};
    return true;
}

struct optfile_io fakefiles_io(struct arena *a, const struct fake_file *files, const char *home)
{
    struct fake_tree *t = arena_alloc(a, sizeof(*t));
    *t = (struct fake_tree){a, files};
    return (struct optfile_io){t, home, tree_read, tree_list, false, false, false};
}
