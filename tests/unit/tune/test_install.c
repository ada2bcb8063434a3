/* Writing and taking back: what comes back, what is refused, and a kill after every single act. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "tests/unit/tune/fixture.h"

#include "advisor/base/banned.h"

#define FOREIGN "[mysqld]\nmax_connections = 1\n"
#define ACTS_MAX 30u

static void assert_state(struct place_here *h, enum tune_state want)
{
    const struct tune_look look = here_look(h);
    if (look.state != want) {
        fail_msg("'%s', wanted '%s': %s", tune_state_name(look.state), tune_state_name(want),
                 look.text);
    }
}

static void test_write_and_undo(void **state)
{
    struct place_here *h = *state;
    struct err err = ERR_INIT;
    bool changed = false;
    here_need_root();
    here_put(h, "50-server.cnf", "[mysqld]\n", 0644);
    const char *before = here_snapshot(h->arena, h->conf);
    assert_state(h, TUNE_NOTHING);
    assert_true(here_write(h, HERE_TEXT, false, &changed, &err));
    assert_true(changed);
    assert_state(h, TUNE_WRITTEN);
    const char *first = here_snapshot(h->arena, h->conf);

    /* The same again touches nothing. */
    assert_true(here_write(h, HERE_TEXT, false, &changed, &err));
    assert_false(changed);
    assert_string_equal(here_snapshot(h->arena, h->conf), first);

    assert_true(here_write(h, HERE_TEXT_2, false, &changed, &err));
    assert_true(changed);
    assert_true(here_undo(h, false, &changed, &err));
    assert_string_equal(here_snapshot(h->arena, h->conf), first);
    assert_true(here_undo(h, false, &changed, &err));
    assert_true(changed);
    assert_string_equal(here_snapshot(h->arena, h->conf), before);
    assert_state(h, TUNE_NOTHING);
    assert_true(here_undo(h, false, &changed, &err));
    assert_false(changed);
    /* Nothing is left but the locks. */
    assert_null(strstr(here_snapshot(h->arena, h->state), ".former"));
    assert_null(strstr(here_snapshot(h->arena, h->state), ".json"));
}

static void test_many_writes(void **state)
{
    struct place_here *h = *state;
    struct err err = ERR_INIT;
    bool changed = false;
    here_need_root();
    here_put(h, TUNE_FILE, FOREIGN, 0604);
    const char *before = here_snapshot(h->arena, h->conf);
    for (int i = 0; i < 3 * (int)JOURNAL_WRITES_MAX; i++) {
        const char *text = arena_printf(h->arena, "%s# %d\n", HERE_TEXT, i);
        assert_true(here_write(h, text, i == 0, &changed, &err));
    }
    for (unsigned i = 0; i < JOURNAL_WRITES_MAX; i++) {
        if (!here_undo(h, false, &changed, &err)) {
            fail_msg("undo %u: %s", i, err.text);
        }
    }
    assert_string_equal(here_snapshot(h->arena, h->conf), before);
}

static void test_foreign_files(void **state)
{
    struct place_here *h = *state;
    struct err err = ERR_INIT;
    bool changed = false;
    here_need_root();
    here_put(h, TUNE_FILE, FOREIGN, 0600);
    const char *before = here_snapshot(h->arena, h->conf);
    assert_state(h, TUNE_FOREIGN);
    assert_false(here_write(h, HERE_TEXT, false, &changed, &err));
    assert_int_equal(err.code, E_DENIED);
    assert_string_equal(here_snapshot(h->arena, h->conf), before);
    err = ERR_INIT;
    assert_true(here_write(h, HERE_TEXT, true, &changed, &err));

    /* Somebody changes it: neither replaced nor taken back unasked. */
    here_put(h, TUNE_FILE, HERE_TEXT "port = 1\n", 0644);
    assert_state(h, TUNE_CHANGED);
    assert_false(here_write(h, HERE_TEXT_2, false, &changed, &err));
    assert_false(here_write(h, HERE_TEXT "port = 1\n", false, &changed, &err));
    assert_false(here_undo(h, false, &changed, &err));
    assert_true(here_undo(h, true, &changed, &err));
    assert_string_equal(here_snapshot(h->arena, h->conf), before);

    /* One of ours that came by other means is replaced, and comes back. */
    here_put(h, TUNE_FILE, HERE_TEXT, 0644);
    assert_state(h, TUNE_UNKNOWN);
    assert_false(here_undo(h, true, &changed, &err));
    assert_true(here_write(h, HERE_TEXT_2, false, &changed, &err));
    const char *path = arena_printf(h->arena, "%s/%s", h->conf, TUNE_FILE);
    assert_int_equal(unlink(path), 0);
    assert_state(h, TUNE_GONE);
    assert_false(here_undo(h, false, &changed, &err));
    assert_true(here_undo(h, true, &changed, &err));
    assert_state(h, TUNE_UNKNOWN);
}

/* ---- kills ----------------------------------------------------------------------------------- */

static void end_at(void *ctx, unsigned act)
{
    const unsigned *at = ctx;
    if (act == *at) {
        kill(getpid(), SIGKILL);
    }
}

enum doing { DO_WRITE, DO_UNDO };

/* Run it in a child that is killed after act `at`. true: it was; false: it had come to its end. */
static bool killed_at(struct place_here *h, enum doing what, const char *text, unsigned at)
{
    const pid_t pid = fork();
    if (pid == 0) {
        struct tune_dir t = here_open(h, true);
        const struct tune_text x = {
            .bytes = span_of(text), .server = "s", .version = "1", .tool = "1"};
        struct err err = ERR_INIT;
        bool changed = false;
        t.acted = end_at;
        t.ctx = &at;
        const bool ok = what == DO_WRITE ? tune_write(&t, &x, true, &changed, &err)
                                         : tune_undo(&t, false, &changed, &err);
        _exit(ok ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

/* The directory is as before, whatever was there, and the state directory holds no leftovers. */
static void assert_mended(struct place_here *h, const char *before, unsigned at)
{
    const char *after = here_snapshot(h->arena, h->conf);
    if (strcmp(after, before) != 0) {
        fail_msg("killed after act %u, mended to\n%s\nbefore it was\n%s", at, after, before);
    }
}

static void kill_writes(struct place_here *h, const char *before)
{
    unsigned at = 1;
    for (; at < ACTS_MAX && killed_at(h, DO_WRITE, HERE_TEXT_2, at); at++) {
        struct err err = ERR_INIT;
        bool changed = false;
        const struct tune_look look = here_look(h);
        const bool interrupted = look.state == TUNE_INTERRUPTED;
        assert_true(interrupted || look.state == TUNE_WRITTEN);
        assert_true(!interrupted || (strstr(look.text, "interrupted after the step") != NULL &&
                                     look.mend[0] != '\0'));
        if (look.journal.step == STEP_KEPT) {
            here_put(h, look.journal.temp, "half of i", 0600); /* killed while it was written */
        }
        if (!here_undo(h, false, &changed, &err)) {
            fail_msg("killed after act %u: %s", at, err.text);
        }
        assert_mended(h, before, at);
    }
    assert_in_range(at, 6, ACTS_MAX - 1);
    struct err err = ERR_INIT;
    bool changed = false;
    assert_true(here_undo(h, false, &changed, &err));
    assert_mended(h, before, at);
}

static void test_killed_writes(void **state)
{
    struct place_here *h = *state;
    struct err err = ERR_INIT;
    bool changed = false;
    here_need_root();
    here_put(h, "a.cnf", "[mysqld]\n", 0640);
    kill_writes(h, here_snapshot(h->arena, h->conf));
    here_put(h, TUNE_FILE, FOREIGN, 0606);
    kill_writes(h, here_snapshot(h->arena, h->conf));
    assert_true(here_write(h, HERE_TEXT, true, &changed, &err));
    kill_writes(h, here_snapshot(h->arena, h->conf));
}

/* An undo that is killed is finished by the next one, and goes no further back. */
static void test_killed_undos(void **state)
{
    struct place_here *h = *state;
    here_need_root();
    here_put(h, TUNE_FILE, FOREIGN, 0640);
    const char *first = here_snapshot(h->arena, h->conf);
    for (unsigned at = 1; at < ACTS_MAX; at++) {
        struct err err = ERR_INIT;
        bool changed = false;
        assert_true(here_write(h, HERE_TEXT, true, &changed, &err));
        const char *second = here_snapshot(h->arena, h->conf);
        assert_true(here_write(h, HERE_TEXT_2, false, &changed, &err));
        const bool killed = killed_at(h, DO_UNDO, "", at);
        const bool over = here_look(h).journal.n == 1;
        if (!over) {
            assert_true(here_undo(h, false, &changed, &err));
        }
        assert_mended(h, second, at);
        assert_true(here_undo(h, false, &changed, &err));
        assert_mended(h, first, at);
        if (!killed) {
            assert_in_range(at, 5, ACTS_MAX - 2);
            return;
        }
    }
    fail_msg("no end");
}

/* Instead of an undo, a new write: it clears up and goes on. */
static void test_written_over(void **state)
{
    struct place_here *h = *state;
    here_need_root();
    const char *before = here_snapshot(h->arena, h->conf);
    bool killed = true;
    for (unsigned at = 1; at < ACTS_MAX && killed; at++) {
        struct err err = ERR_INIT;
        bool changed = false;
        killed = killed_at(h, DO_WRITE, HERE_TEXT, at);
        assert_true(here_write(h, HERE_TEXT_2, false, &changed, &err));
        assert_state(h, TUNE_WRITTEN);
        assert_null(strstr(here_snapshot(h->arena, h->conf), ".tmp"));
        for (unsigned i = 0; i < 3; i++) {
            assert_true(here_undo(h, false, &changed, &err));
        }
        assert_mended(h, before, at);
    }
    assert_false(killed);
}

/* ---- trouble --------------------------------------------------------------------------------- */

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
    assert_mended(h, before, at);
    assert_state(h, TUNE_WRITTEN);
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
        cmocka_unit_test_setup_teardown(test_write_and_undo, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_many_writes, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_foreign_files, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_killed_writes, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_killed_undos, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_written_over, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_lock, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_no_room, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_full_at_any_act, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_no_room_for_state, here_make, here_drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
