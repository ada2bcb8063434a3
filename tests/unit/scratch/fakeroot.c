#include "tests/unit/scratch/fakeroot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "advisor/base/file.h"

#include "advisor/base/banned.h"

int fakeroot_set_up(void **state)
{
    static const char template[] = "/var/tmp/nvt-root.XXXXXX";
    char *const path = malloc(sizeof(template));
    if (path == NULL) {
        return -1;
    }
    memcpy(path, template, sizeof(template));
    *state = path;
    return mkdtemp(path) != NULL ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

int fakeroot_tear_down(void **state)
{
    const int rc = nftw(*state, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return rc;
}

void fakeroot_file(const char *root, const char *path, const char *text)
{
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    const char *const full = arena_printf(a, "%s/%s", root, path);
    const char *const slash = strrchr(full, '/');
    assert_true(file_make_dir(arena_strndup(a, full, (size_t)(slash - full)), 0755, &err));
    FD_AUTO fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_true(file_write_all(fd, span_of(text), &err));
}

bool fakeroot_holds(const char *root, const char *path, const char *text)
{
    ARENA_AUTO a = arena_new();
    struct span got;
    struct err err = ERR_INIT;
    return file_read(a, arena_printf(a, "%s/%s", root, path), 65536, &got, &err) &&
           span_eq_text(got, text);
}
