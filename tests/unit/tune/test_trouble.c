/* Locks that are held, disks that are full or read-only, at any step: nothing is left half. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "tests/unit/tune/fixture.h"

#include "advisor/base/banned.h"

#define ACTS_MAX 30u

static void test_lock(void **state)
{
    struct place_here *h = *state;
    here_need_root();
    struct tune_dir first = here_open(h, true), second;
    struct err err = ERR_INIT;
    assert_false(tune_open(h->arena, h->state, h->conf, 1, true, &second, &err));
    assert_int_equal(err.code, E_BUSY);
    assert_non_null(strstr(err.text, arena_printf(h->arena, "process %d", (int)getpid())));
    assert_true(tune_open(h->arena, h->state, h->conf, 1, false, &second, &err));
    tune_close(&second);
    tune_close(&first);
    assert_true(tune_open(h->arena, h->state, h->conf, 1, true, &second, &err));
    tune_close(&second);
}

static void test_no_room(void **state)
{
    struct place_here *h = *state;
    here_need_root();
    if (mount("tmpfs", h->conf, "tmpfs", 0, "size=8k,mode=755") != 0) {
        skip();
    }
    here_put(h, "x.cnf", "[mysqld]\n", 0644);
    const char *before = here_snapshot(h->arena, h->conf);
    struct err err = ERR_INIT;
    bool changed = false;
    char *large = arena_alloc(h->arena, 65537);
    memset(large, '#', 65536);
    const bool ok = here_write(h, large, false, &changed, &err);
    const char *after = here_snapshot(h->arena, h->conf);
    assert_int_equal(mount(NULL, h->conf, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    struct err read_only = ERR_INIT;
    const bool ok_2 = here_write(h, HERE_TEXT, false, &changed, &read_only);
    const char *after_2 = here_snapshot(h->arena, h->conf);
    const enum tune_state left = here_look(h).state;
    assert_int_equal(umount(h->conf), 0);
    assert_false(ok);
    assert_int_equal(err.code, E_FULL);
    assert_string_equal(after, before);
    assert_false(ok_2);
    assert_int_equal(read_only.sys_errno, EROFS);
    assert_string_equal(after_2, before);
    assert_int_equal(left, TUNE_NOTHING);
}

struct filler {
    const char *dir;
    unsigned at;
};

static void fill_up(const struct filler *f)
{
    char block[4096] = {0};
    ARENA_AUTO a = arena_new();
    for (unsigned i = 0; i < 64; i++) {
        const char *path = arena_printf(a, "%s/filler-%u", f->dir, i);
        const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0) {
            return;
        }
        while (write(fd, block, sizeof(block)) > 0) {
        }
        close(fd);
    }
}

static void make_room(const char *dir)
{
    ARENA_AUTO a = arena_new();
    for (unsigned i = 0; i < 64; i++) {
        (void)unlink(arena_printf(a, "%s/filler-%u", dir, i));
    }
}

static void fill_at(void *ctx, unsigned act)
{
    const struct filler *f = ctx;
    if (act == f->at) {
        fill_up(f);
    }
}

/* The disk is full after act `at`. true: the write failed, and all is as before or can be mended to it. */
static bool filled_at(struct place_here *h, const char *dir, unsigned at)
{
    const char *before = here_snapshot(h->arena, h->conf);
    const struct tune_text x = {
        .bytes = span_of(HERE_TEXT_2), .server = "s", .version = "1", .tool = "1"};
    struct filler f = {dir, at};
    struct err err = ERR_INIT;
    bool changed = false;
    struct tune_dir t = here_open(h, true);
    t.acted = fill_at;
    t.ctx = &f;
    const bool ok = tune_write(&t, &x, false, &changed, &err);
    tune_close(&t);
    make_room(dir);
    if (ok) {
        return false;
    }
    assert_int_equal(err.code, E_FULL);
    if (strcmp(here_snapshot(h->arena, h->conf), before) != 0) {
        fail_msg("%s full after act %u: not as before", dir, at);
    }
    if (here_look(h).state == TUNE_INTERRUPTED) {
        assert_true(here_undo(h, false, &changed, &err));
    }
    here_assert_mended(h, before, at);
    here_assert_state(h, TUNE_WRITTEN);
    return true;
}

static void test_full_at_any_act(void **state)
{
    struct place_here *h = *state;
    here_need_root();
    unsigned failed = 0;
    for (unsigned at = 1; at < ACTS_MAX; at++) {
        struct err err = ERR_INIT;
        bool changed = false;
        const char *const dirs[] = {h->state, h->conf};
        for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
            if (mount("tmpfs", dirs[i], "tmpfs", 0, "size=64k,nr_inodes=24,mode=700") != 0) {
                skip();
            }
            const char *path = arena_printf(h->arena, "%s/%s", h->conf, TUNE_FILE);
            (void)unlink(path);
            assert_true(here_write(h, HERE_TEXT, true, &changed, &err));
            failed += filled_at(h, dirs[i], at);
            while (here_look(h).journal.n > 0) {
                assert_true(here_undo(h, true, &changed, &err));
            }
            assert_int_equal(umount(dirs[i]), 0);
        }
    }
    assert_in_range(failed, 6, 3 * ACTS_MAX);
}

/* A full disk is when a drop-in may have to go. */
static void test_undo_without_room(void **state)
{
    struct place_here *h = *state;
    here_need_root();
    const char *before = here_snapshot(h->arena, h->conf);
    if (mount("tmpfs", h->state, "tmpfs", 0, "size=64k,nr_inodes=24,mode=700") != 0) {
        skip();
    }
    const struct filler f = {h->state, 0};
    struct err err = ERR_INIT;
    bool changed = false;
    const bool written = here_write(h, HERE_TEXT, false, &changed, &err);
    const int lock = truncate(arena_printf(h->arena, "%s/host.lock", h->state), 0);
    fill_up(&f);
    const bool undone = here_undo(h, false, &changed, &err);
    const char *after = here_snapshot(h->arena, h->conf);
    const enum tune_state left = here_look(h).state;
    assert_int_equal(umount(h->state), 0);
    assert_true(written);
    assert_int_equal(lock, 0);
    if (!undone) {
        fail_msg("%s", err.text);
    }
    assert_string_equal(after, before);
    assert_int_equal(left, TUNE_NOTHING);
}

static void test_no_room_for_state(void **state)
{
    struct place_here *h = *state;
    here_need_root();
    if (mount("tmpfs", h->state, "tmpfs", 0, "nr_inodes=3,mode=700") != 0) {
        skip();
    }
    const char *before = here_snapshot(h->arena, h->conf);
    struct err err = ERR_INIT;
    bool changed = false;
    const bool ok = here_write(h, HERE_TEXT, false, &changed, &err);
    const char *after = here_snapshot(h->arena, h->conf);
    assert_int_equal(umount(h->state), 0);
    assert_false(ok);
    assert_int_equal(err.code, E_FULL);
    assert_string_equal(after, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lock, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_no_room, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_full_at_any_act, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_undo_without_room, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_no_room_for_state, here_make, here_drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
