/* The directories, and what is in them. */
#include "tests/unit/tune/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "advisor/base/file.h"

#include "advisor/base/banned.h"

int here_make(void **state)
{
    struct place_here *h = calloc(1, sizeof(*h));
    h->arena = arena_new();
    snprintf(h->top, sizeof(h->top), "/tmp/nv-test-tune-XXXXXX");
    if (mkdtemp(h->top) == NULL) {
        return -1;
    }
    h->conf = arena_printf(h->arena, "%s/conf.d", h->top);
    h->state = arena_printf(h->arena, "%s/state", h->top);
    *state = h;
    return mkdir(h->conf, 0755) == 0 && mkdir(h->state, 0700) == 0 ? 0 : -1;
}

int here_drop(void **state)
{
    struct place_here *h = *state;
    char *const argv[] = {(char[]){"rm"}, (char[]){"-rf"}, h->top, NULL};
    const pid_t pid = fork();
    if (pid == 0) {
        execv("/bin/rm", argv);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
    arena_free(h->arena);
    free(h);
    return 0;
}

void here_need_root(void)
{
    if (geteuid() != 0) {
        skip();
    }
}

static void describe(struct arena *a, struct buf *b, int dir, const char *path, const char *name)
{
    struct stat st;
    assert_int_equal(fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW), 0);
    buf_printf(b, "%s %o %u:%u %lld.%09ld ", name, (unsigned)st.st_mode, st.st_uid, st.st_gid,
               (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    if (S_ISREG(st.st_mode)) {
        struct span bytes;
        struct err err = ERR_INIT;
        char hash[65];
        assert_true(file_read(a, arena_printf(a, "%s/%s", path, name), 1u << 20, &bytes, &err));
        confdir_hash(a, bytes, hash);
        buf_add_text(b, hash);
    }
    buf_add_char(b, '\n');
}

const char *here_snapshot(struct arena *a, const char *dir)
{
    struct buf b;
    struct dirent **names = NULL;
    buf_init(&b, a, 65536);
    const int n = scandir(dir, &names, NULL, alphasort);
    const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < n; i++) {
        if (strcmp(names[i]->d_name, ".") != 0 && strcmp(names[i]->d_name, "..") != 0) {
            describe(a, &b, fd, dir, names[i]->d_name);
        }
        free(names[i]);
    }
    free(names);
    close(fd);
    return b.len > 0 ? b.ptr : "";
}

void here_put(const struct place_here *h, const char *name, const char *text, mode_t mode)
{
    const char *path = arena_printf(h->arena, "%s/%s", h->conf, name);
    const struct timespec times[] = {{.tv_sec = 1000000}, {.tv_sec = 1000000, .tv_nsec = 12345}};
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    assert_int_equal(futimens(fd, times), 0);
    close(fd);
}

struct tune_dir here_open(struct place_here *h, bool for_change)
{
    struct tune_dir t;
    struct err err = ERR_INIT;
    if (!tune_open(h->arena, h->state, h->conf, 1700000000, for_change, &t, &err)) {
        fail_msg("%s", err.text);
    }
    return t;
}

bool here_write(struct place_here *h, const char *text, bool force, bool *ret_changed,
                struct err *err)
{
    struct tune_dir t = here_open(h, true);
    const struct tune_text x = {
        .bytes = span_of(text), .server = "server:s", .version = "10.11.0", .tool = "1"};
    const bool ok = tune_write(&t, &x, force, ret_changed, err);
    tune_close(&t);
    return ok;
}

bool here_undo(struct place_here *h, bool force, bool *ret_changed, struct err *err)
{
    struct tune_dir t = here_open(h, true);
    const bool ok = tune_undo(&t, force, ret_changed, err);
    tune_close(&t);
    return ok;
}

struct tune_look here_look(struct place_here *h)
{
    struct tune_dir t = here_open(h, false);
    struct tune_look look;
    struct err err = ERR_INIT;
    if (!tune_look(&t, &look, &err)) {
        fail_msg("%s", err.text);
    }
    tune_close(&t);
    return look;
}

void here_assert_state(struct place_here *h, enum tune_state want)
{
    const struct tune_look look = here_look(h);
    if (look.state != want) {
        fail_msg("'%s', wanted '%s': %s", tune_state_name(look.state), tune_state_name(want),
                 look.text);
    }
}

void here_assert_mended(struct place_here *h, const char *before, unsigned at)
{
    const char *after = here_snapshot(h->arena, h->conf);
    if (strcmp(after, before) != 0) {
        fail_msg("killed after act %u, mended to\n%s\nbefore it was\n%s", at, after, before);
    }
}
