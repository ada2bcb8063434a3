/* Locks between runs: the second is refused and told of the first; the kernel lets go at any end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "advisor/base/lock.h"

#include "advisor/base/banned.h"

static void test_lock(void **state)
{
    char dir[] = "/tmp/nv-test-lock-XXXXXX", said[64];
    int ready[2], fd = -1;
    struct err err = ERR_INIT;
    (void)state;
    assert_non_null(mkdtemp(dir));
    assert_int_equal(pipe(ready), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        const bool ok = lock_take(dir, "x.lock", &fd, &err);
        (void)!write(ready[1], ok ? "y" : "n", 1);
        pause();
    }
    char c = 0;
    assert_int_equal(read(ready[0], &c, 1), 1);
    assert_int_equal(c, 'y');
    assert_false(lock_take(dir, "x.lock", &fd, &err));
    assert_int_equal(err.code, E_BUSY);
    snprintf(said, sizeof(said), "process %d", (int)pid);
    assert_non_null(strstr(err.text, said));
    assert_true(lock_take(dir, "y.lock", &fd, &err));
    close(fd);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_true(lock_take(dir, "x.lock", &fd, &err));
    close(fd);

    /* A link in its place is not followed; a directory that is not there is told. */
    const int at = open(dir, O_RDONLY | O_DIRECTORY);
    assert_int_equal(symlinkat("/etc/passwd", at, "z.lock"), 0);
    assert_false(lock_take(dir, "z.lock", &fd, &err));
    assert_false(lock_take("/nowhere/at/all", "x.lock", &fd, &err));
    assert_int_equal(err.code, E_ABSENT);
    for (const char *const *n = (const char *const[]){"x.lock", "y.lock", "z.lock", NULL}; *n; n++) {
        assert_int_equal(unlinkat(at, *n, 0), 0);
    }
    close(at);
    close(ready[0]);
    close(ready[1]);
    assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
