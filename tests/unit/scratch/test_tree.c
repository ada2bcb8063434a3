/* The folder of a scratch instance, its marker, and what a later run makes of left ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "advisor/scratch/marker.h"
#include "advisor/scratch/run.h"
#include "advisor/scratch/scratch.h"
#include "tests/unit/scratch/fakeroot.h"

#include "advisor/base/banned.h"

static uint32_t other_id(void)
{
    return geteuid() == 0 ? 61993 : geteuid();
}

static struct tree make(struct arena *a, const char *parent)
{
    struct tree t;
    struct err err = ERR_INIT;
    if (!tree_make(a, parent, other_id(), geteuid() == 0 ? 61993 : getegid(), &t, &err)) {
        fail_msg("%s", err.text);
    }
    return t;
}

static void test_life(void **state)
{
    const char *const parent = *state;
    ARENA_AUTO a = arena_new();
    struct stat st;
    struct span text;
    struct err err = ERR_INIT;
    struct tree t = make(a, parent);
    const uint32_t id = other_id(), gid = geteuid() == 0 ? 61993 : getegid();
    assert_int_equal(stat(t.path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0711);
    assert_int_equal(st.st_uid, geteuid());
    assert_int_equal(stat(t.own, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(st.st_uid, id);
    assert_true(tree_folder(&t, "data", id, gid, &err));
    assert_false(tree_folder(&t, "data", id, gid, &err));
    assert_true(tree_file(&t, "f", id, gid, SPAN_LIT("first, long"), &err));
    assert_true(tree_file(&t, "f", id, gid, SPAN_LIT("second"), &err));
    assert_true(tree_tail(a, &t, NULL, "f", 100, &text, &err));
    assert_true(span_eq_text(text, "second"));
    assert_true(tree_tail(a, &t, NULL, "f", 3, &text, &err));
    assert_true(span_eq_text(text, "ond"));
    assert_true(tree_tail(a, &t, NULL, "none", 3, &text, &err));
    assert_int_equal(text.len, 0);
    assert_false(tree_tail(a, &t, NULL, "data", 3, &text, &err));
    assert_true(tree_remove(&t, &err));
    assert_int_not_equal(stat(t.path, &st), 0);
}

/* What the server's account may put there is not followed, neither in reading nor in removing. */
static void test_links(void **state)
{
    const char *const parent = *state;
    ARENA_AUTO a = arena_new();
    struct span text;
    struct err err = ERR_INIT;
    fakeroot_file(parent, "outside/kept", "kept");
    struct tree t = make(a, parent);
    const char *const outside = arena_printf(a, "%s/outside", parent);
    assert_int_equal(symlink(arena_printf(a, "%s/kept", outside), arena_printf(a, "%s/l", t.own)),
                     0);
    assert_int_equal(symlink(outside, arena_printf(a, "%s/out", t.own)), 0);
    assert_int_equal(mkfifo(arena_printf(a, "%s/pipe", t.own), 0666), 0);
    assert_false(tree_tail(a, &t, NULL, "l", 100, &text, &err));
    assert_false(tree_tail(a, &t, "out", "kept", 100, &text, &err));
    assert_false(tree_tail(a, &t, NULL, "pipe", 100, &text, &err));
    assert_int_equal(tree_append_fd(&t, "l", other_id(), getegid()), -1);
    assert_int_equal(tree_append_fd(&t, "pipe", other_id(), getegid()), -1);
    assert_true(tree_file(&t, "l", other_id(), getegid(), SPAN_LIT("new"), &err));
    tree_forget(&t, "out", "kept");
    assert_true(tree_remove(&t, &err));
    assert_true(fakeroot_holds(parent, "outside/kept", "kept"));
}

static void test_parent(void **state)
{
    const char *const parent = *state;
    ARENA_AUTO a = arena_new();
    struct tree t;
    struct err err = ERR_INIT;
    assert_int_equal(chmod(parent, 0777), 0);
    assert_false(tree_make(a, parent, other_id(), getegid(), &t, &err));
    assert_int_equal(err.code, E_DENIED);
    assert_int_equal(chmod(parent, 01777), 0);
    t = make(a, parent);
    assert_true(tree_remove(&t, &err));
    assert_int_equal(chmod(parent, 0755), 0);
    assert_false(tree_make(a, "/nonexistent", other_id(), getegid(), &t, &err));
    assert_int_equal(err.code, E_ABSENT);
    if (geteuid() == 0) {
        assert_int_equal(chown(parent, 61993, 0), 0);
        assert_false(tree_make(a, parent, other_id(), getegid(), &t, &err));
        assert_int_equal(err.code, E_DENIED);
        assert_int_equal(chown(parent, 0, 0), 0);
    }
}

/* ---- markers --------------------------------------------------------------------------------- */

/* A process with the argument of a scratch server of this folder, or with another one. */
static pid_t start(struct arena *a, const struct tree *t, const char *pid_file)
{
    char *const arg = arena_printf(a, "--pid-file=%s%s", t->own, pid_file);
    char name[] = "sh", flag[] = "-c", text[] = "while :; do sleep 1; done", zero[] = "x";
    char *const argv[] = {name, flag, text, zero, arg, NULL};
    const pid_t pid = fork();
    if (pid == 0) {
        (void)setpgid(0, 0);
        (void)execv("/bin/sh", argv);
        _exit(127);
    }
    char exe[256] = "";
    while (strstr(exe, "sh") == NULL) { /* until it is what it shall be */
        const ssize_t n = readlink(arena_printf(a, "/proc/%d/exe", (int)pid), exe, sizeof(exe) - 1);
        exe[n > 0 ? n : 0] = '\0';
        run_sleep_ms(2);
    }
    return pid;
}

static void end(pid_t pid)
{
    (void)kill(-pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

static void test_marker(void **state)
{
    const char *const parent = *state;
    ARENA_AUTO a = arena_new();
    struct marker m, back;
    struct err err = ERR_INIT;
    struct tree t = make(a, parent);
    const pid_t pid = start(a, &t, MARKER_PID_FILE);
    assert_false(marker_read(a, &t, &back, &err));
    assert_int_equal(err.code, E_ABSENT);
    /* Before any process: it names what may be there all the same. */
    assert_true(marker_of(a, 0, "/sys/fs/cgroup/y", &m, &err) && marker_write(a, &t, &m, &err));
    assert_true(marker_read(a, &t, &back, &err));
    assert_true(back.pid == 0 && marker_is_of_this_boot(a, &back));
    assert_string_equal(back.cgroup, "/sys/fs/cgroup/y");
    assert_int_equal(marker_state(a, &t, &back), MARKER_GONE);
    assert_true(marker_of(a, pid, "/sys/fs/cgroup/x", &m, &err));
    assert_true(marker_write(a, &t, &m, &err));
    assert_true(marker_read(a, &t, &back, &err));
    assert_int_equal(back.pid, pid);
    assert_true(back.start == m.start && back.start > 0);
    assert_string_equal(back.boot, m.boot);
    assert_string_equal(back.exe, m.exe);
    assert_string_equal(back.cgroup, "/sys/fs/cgroup/x");
    assert_int_equal(marker_state(a, &t, &back), MARKER_LIVES);

    struct marker other = back;
    other.boot = "00000000-0000-0000-0000-000000000000";
    assert_int_equal(marker_state(a, &t, &other), MARKER_GONE);
    other = back;
    other.start++;
    assert_int_equal(marker_state(a, &t, &other), MARKER_GONE);
    other = back;
    other.exe = "/usr/sbin/mysqld";
    assert_int_equal(marker_state(a, &t, &other), MARKER_DOUBT);
    other = back;
    other.pid = 0;
    assert_int_equal(marker_state(a, &t, &other), MARKER_GONE);

    enum marker_state was = MARKER_GONE;
    assert_true(marker_end(a, &t, &back, &was, &err));
    assert_int_equal(was, MARKER_LIVES);
    assert_true(has_ended(pid));
    end(pid);
    assert_int_equal(marker_state(a, &t, &back), MARKER_GONE);
    assert_true(tree_remove(&t, &err));
}

static void test_bad_markers(void **state)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "{\"schema\": \"other/1\"}",
        "{\"schema\": \"nvadvise.scratch/1\", \"boot\": \"x\", \"cgroup\": \"\", \"exe\": \"x\", "
        "\"pid\": -1, "
        "\"start\": \"1\"}",
        "{\"schema\": \"nvadvise.scratch/1\", \"boot\": \"x\", \"cgroup\": \"\", \"exe\": \"x\", "
        "\"pid\": 1, "
        "\"start\": \"y\"}",
        "{\"schema\": \"nvadvise.scratch/1\", \"boot\": 1, \"cgroup\": \"\", \"exe\": \"x\", "
        "\"pid\": 1, "
        "\"start\": \"1\"}",
    };
    const char *const parent = *state;
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    struct tree t = make(a, parent);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct marker m;
        fakeroot_file(t.path, "marker.json", texts[i]);
        if (marker_read(a, &t, &m, &err)) {
            fail_msg("'%s'", texts[i]);
        }
    }
    assert_true(tree_remove(&t, &err));
}

/* ---- sweeping -------------------------------------------------------------------------------- */

static const char *sweep(struct arena *a, const char *parent)
{
    const char *text = NULL;
    struct err err = ERR_INIT;
    if (!scratch_sweep(parent, a, &text, &err)) {
        fail_msg("%s", err.text);
    }
    return text;
}

static bool is_there(const struct tree *t)
{
    struct stat st;
    return stat(t->path, &st) == 0;
}

static void test_sweep(void **state)
{
    const char *const parent = *state;
    ARENA_AUTO a = arena_new();
    struct marker m;
    struct err err = ERR_INIT;
    struct tree in_use = make(a, parent), unmarked = make(a, parent), lives = make(a, parent),
                doubtful = make(a, parent), gone = make(a, parent);
    const pid_t ours = start(a, &lives, MARKER_PID_FILE);
    const pid_t foreign = start(a, &doubtful, "/other.pid");
    assert_true(marker_of(a, ours, "", &m, &err) && marker_write(a, &lives, &m, &err));
    assert_true(marker_of(a, foreign, "", &m, &err) && marker_write(a, &doubtful, &m, &err));
    m.start = 1;
    assert_true(marker_write(a, &gone, &m, &err));
    tree_leave(&unmarked);
    tree_leave(&lives);
    tree_leave(&doubtful);
    tree_leave(&gone);
    fakeroot_file(parent, "nvadvise-scratch.file", "a file");
    fakeroot_file(parent, "nvadvise/kept", "another folder");
    fakeroot_file(parent, "nvadvise-scratch.open/kept", "others may write");
    assert_int_equal(chmod(arena_printf(a, "%s/nvadvise-scratch.open", parent), 0777), 0);
    const char *const text = sweep(a, parent);
    assert_true(is_there(&in_use) && is_there(&doubtful));
    assert_true(!is_there(&unmarked) && !is_there(&lives) && !is_there(&gone));
    assert_true(has_ended(ours) && !has_ended(foreign));
    assert_non_null(strstr(text, "left alone: '"));
    assert_non_null(strstr(text, arena_printf(a, "ended: scratch server, process %d", (int)ours)));
    assert_non_null(strstr(text, arena_printf(a, "removed: '%s'", gone.path)));
    assert_true(fakeroot_holds(parent, "nvadvise-scratch.file", "a file"));
    assert_true(fakeroot_holds(parent, "nvadvise/kept", "another folder"));
    assert_true(fakeroot_holds(parent, "nvadvise-scratch.open/kept", "others may write"));
    end(ours);
    end(foreign);
    assert_non_null(strstr(sweep(a, parent), doubtful.path)); /* now it is surely gone */
    assert_string_equal(sweep(a, parent), "");
    assert_true(tree_remove(&in_use, &err));
    const char *ignored = NULL;
    assert_false(scratch_sweep("/nonexistent", a, &ignored, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_life, fakeroot_set_up, fakeroot_tear_down),
        cmocka_unit_test_setup_teardown(test_links, fakeroot_set_up, fakeroot_tear_down),
        cmocka_unit_test_setup_teardown(test_parent, fakeroot_set_up, fakeroot_tear_down),
        cmocka_unit_test_setup_teardown(test_marker, fakeroot_set_up, fakeroot_tear_down),
        cmocka_unit_test_setup_teardown(test_bad_markers, fakeroot_set_up, fakeroot_tear_down),
        cmocka_unit_test_setup_teardown(test_sweep, fakeroot_set_up, fakeroot_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
