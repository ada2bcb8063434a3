/* The reader of this machine's option files: modes, limits, what is no file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/login.h"

#include "advisor/base/banned.h"

static void test_live_reader(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    char dir[] = "/tmp/nv-login-XXXXXX";
    assert_non_null(mkdtemp(dir));
    const char *file = arena_printf(a, "%s/f.cnf", dir), *fifo = arena_printf(a, "%s/p.cnf", dir);
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fputs("[client]\nuser=u\n", f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(file, 0640), 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);

    struct optfile_io io = login_io(a, dir);
    struct optfile_text text;
    struct err err = ERR_INIT;
    assert_true(io.read(io.ctx, file, &text, &err));
    assert_true(span_eq_text(text.bytes, "[client]\nuser=u\n"));
    assert_int_equal(text.mode & 0777, 0640);
    assert_int_equal(text.uid, geteuid());
    assert_false(io.read(io.ctx, fifo, &text, &err)); /* and does not wait */
    assert_int_equal(err.code, E_NOT_SUPPORTED);
    assert_false(io.read(io.ctx, arena_printf(a, "%s/none", dir), &text, &err));
    assert_int_equal(err.code, E_ABSENT);
    assert_false(io.read(io.ctx, dir, &text, &err));
    struct host_names names;
    assert_true(io.list(io.ctx, dir, &names, &err));
    assert_int_equal(names.n, 4); /* "." and ".." are no option files and fall out later */
    assert_false(io.list(io.ctx, file, &names, &err));
    assert_int_equal(err.code, E_ABSENT); /* the servers stop, as where nothing is there */
    const char *loop = arena_printf(a, "%s/loop.cnf", dir);
    assert_int_equal(symlink("loop.cnf", loop), 0);
    assert_false(io.read(io.ctx, loop, &text, &err));
    assert_int_equal(err.code, E_ABSENT); /* the servers pass over it */
    assert_false(io.read(io.ctx, arena_printf(a, "%s/below", file), &text, &err));
    assert_int_equal(err.code, E_ABSENT);
    unlink(loop);
    assert_int_equal(truncate(file, (off_t)OPTFILE_BYTES_MAX + 1), 0);
    assert_false(io.read(io.ctx, file, &text, &err));
    assert_int_equal(err.code, E_TOO_BIG);
    unlink(file);
    unlink(fifo);
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
