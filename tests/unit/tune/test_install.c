/* Writing and taking back: what comes back, what is refused, and a kill after every single act. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/tune/fixture.h"

#include "advisor/base/banned.h"

#define FOREIGN "[mysqld]\nmax_connections = 1\n"
#define ACTS_MAX 30u

static void test_write_and_undo(void **state)
{
    struct place_here *h = *state;
    struct err err = ERR_INIT;
    bool changed = false;
    here_need_root();
    here_put(h, "50-server.cnf", "[mysqld]\n", 0644);
    const char *before = here_snapshot(h->arena, h->conf);
    here_assert_state(h, TUNE_NOTHING);
    assert_true(here_write(h, HERE_TEXT, false, &changed, &err));
    assert_true(changed);
    here_assert_state(h, TUNE_WRITTEN);
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
    here_assert_state(h, TUNE_NOTHING);
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
    here_assert_state(h, TUNE_FOREIGN);
    assert_false(here_write(h, HERE_TEXT, false, &changed, &err));
    assert_int_equal(err.code, E_DENIED);
    assert_string_equal(here_snapshot(h->arena, h->conf), before);
    err = ERR_INIT;
    assert_true(here_write(h, HERE_TEXT, true, &changed, &err));

    /* Somebody changes it: neither replaced nor taken back unasked. */
    here_put(h, TUNE_FILE, HERE_TEXT "port = 1\n", 0644);
    here_assert_state(h, TUNE_CHANGED);
    assert_false(here_write(h, HERE_TEXT_2, false, &changed, &err));
    assert_false(here_write(h, HERE_TEXT "port = 1\n", false, &changed, &err));
    assert_false(here_undo(h, false, &changed, &err));
    assert_true(here_undo(h, true, &changed, &err));
    assert_string_equal(here_snapshot(h->arena, h->conf), before);

    /* One of ours that came by other means is replaced, and comes back. */
    here_put(h, TUNE_FILE, HERE_TEXT, 0644);
    here_assert_state(h, TUNE_UNKNOWN);
    assert_false(here_undo(h, true, &changed, &err));
    assert_true(here_write(h, HERE_TEXT_2, false, &changed, &err));
    const char *path = arena_printf(h->arena, "%s/%s", h->conf, TUNE_FILE);
    assert_int_equal(unlink(path), 0);
    here_assert_state(h, TUNE_GONE);
    assert_false(here_undo(h, false, &changed, &err));
    assert_true(here_undo(h, true, &changed, &err));
    here_assert_state(h, TUNE_UNKNOWN);
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
        here_assert_mended(h, before, at);
    }
    assert_in_range(at, 6, ACTS_MAX - 1);
    struct err err = ERR_INIT;
    bool changed = false;
    assert_true(here_undo(h, false, &changed, &err));
    here_assert_mended(h, before, at);
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
        here_assert_mended(h, second, at);
        assert_true(here_undo(h, false, &changed, &err));
        here_assert_mended(h, first, at);
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
        here_assert_state(h, TUNE_WRITTEN);
        assert_null(strstr(here_snapshot(h->arena, h->conf), ".tmp"));
        for (unsigned i = 0; i < 3; i++) {
            assert_true(here_undo(h, false, &changed, &err));
        }
        here_assert_mended(h, before, at);
    }
    assert_false(killed);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
