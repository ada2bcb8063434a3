/* Which directories are written into, and which files are touched there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/unit/tune/fixture.h"

#include "advisor/base/banned.h"

#define OTHER 61993

static bool try_open(struct place_here *h, const char *path, struct err *err)
{
    struct confdir d;
    *err = ERR_INIT;
    if (!confdir_open(h->arena, path, &d, err)) {
        return false;
    }
    confdir_close(&d);
    return true;
}

static void test_owners_and_modes(void **state)
{
    static const struct {
        uid_t uid;
        mode_t mode;
        bool ok;
    } rows[] = {
        {0, 0755, true},      {0, 0700, true},  {0, 0775, false}, {0, 0777, false},
        {0, 01777, false},    {0, 02755, true}, {OTHER, 0755, false},
        {OTHER, 0700, false},
    };
    struct place_here *h = *state;
    struct err err;
    here_need_root();
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_int_equal(chown(h->conf, rows[i].uid, 0), 0);
        assert_int_equal(chmod(h->conf, rows[i].mode), 0);
        if (try_open(h, h->conf, &err) != rows[i].ok) {
            fail_msg("row %zu: %s", i, err.text);
        }
        assert_true(rows[i].ok || (err.code == E_DENIED && strstr(err.text, h->conf) != NULL));
    }
}

/* The directory itself is root's alone; who may write above it can put another in its place. */
static void test_parents(void **state)
{
    struct place_here *h = *state;
    struct err err;
    here_need_root();
    assert_int_equal(chmod(h->top, 0777), 0);
    assert_false(try_open(h, h->conf, &err));
    assert_non_null(strstr(err.text, h->top));
    assert_int_equal(chmod(h->top, 01777), 0);
    assert_true(try_open(h, h->conf, &err));
    assert_int_equal(chown(h->top, OTHER, 0), 0);
    assert_false(try_open(h, h->conf, &err));
}

static void test_links(void **state)
{
    struct place_here *h = *state;
    struct err err;
    here_need_root();
    const char *link = arena_printf(h->arena, "%s/link", h->top);
    const char *relative = arena_printf(h->arena, "%s/relative", h->top);
    const char *loop = arena_printf(h->arena, "%s/loop", h->top);
    const char *open_dir = arena_printf(h->arena, "%s/open", h->top);
    assert_int_equal(symlink(h->conf, link), 0);
    assert_int_equal(symlink("../.././../tmp/./../", relative), 0);
    assert_int_equal(symlink(loop, loop), 0);
    struct confdir d;
    err = ERR_INIT;
    assert_true(confdir_open(h->arena, link, &d, &err));
    assert_string_equal(d.path, h->conf);
    confdir_close(&d);
    err = ERR_INIT;
    assert_true(confdir_open(h->arena, relative, &d, &err));
    assert_string_equal(d.path, "/");
    confdir_close(&d);
    assert_false(try_open(h, loop, &err));
    assert_int_equal(err.code, E_DENIED);

    /* A link that others made, or may change, leads nowhere. */
    const char *theirs = arena_printf(h->arena, "%s/link", open_dir);
    assert_int_equal(mkdir(open_dir, 0755), 0);
    assert_int_equal(symlink(h->conf, theirs), 0);
    assert_true(try_open(h, theirs, &err));
    assert_int_equal(chmod(open_dir, 0777), 0);
    assert_false(try_open(h, theirs, &err));
}

static void test_no_directory(void **state)
{
    struct place_here *h = *state;
    struct err err;
    here_need_root();
    assert_false(try_open(h, arena_printf(h->arena, "%s/nowhere", h->top), &err));
    assert_int_equal(err.code, E_ABSENT);
    assert_false(try_open(h, "conf.d", &err));
    here_put(h, "file", "x", 0644);
    assert_false(try_open(h, arena_printf(h->arena, "%s/file", h->conf), &err));
}

static void test_only_regular_files(void **state)
{
    struct place_here *h = *state;
    here_need_root();
    const char *path = arena_printf(h->arena, "%s/x", h->conf);
    for (int kind = 0; kind < 3; kind++) {
        struct tune_dir t = here_open(h, false);
        struct confdir_file f;
        struct err err = ERR_INIT;
        assert_int_equal(kind == 0   ? symlink("/etc/passwd", path)
                         : kind == 1 ? mkfifo(path, 0644)
                                     : mkdir(path, 0755),
                         0);
        assert_false(confdir_look(&t.dir, "x", h->arena, &f, &err));
        assert_int_equal(err.code, E_DENIED);
        assert_int_equal(remove(path), 0);
        tune_close(&t);
    }
}

static void test_all_is_kept(void **state)
{
    struct place_here *h = *state;
    here_need_root();
    here_put(h, "one.cnf", "[mysqld]\n", 0640);
    const char *path = arena_printf(h->arena, "%s/one.cnf", h->conf);
    assert_int_equal(chown(path, OTHER, OTHER), 0);
    const bool labels = setxattr(path, "trusted.nvadvise", "\0x", 2, 0) == 0;
    struct tune_dir t = here_open(h, false);
    struct confdir_file f, g;
    struct err err = ERR_INIT;
    assert_true(confdir_look(&t.dir, "one.cnf", h->arena, &f, &err));
    assert_int_equal(f.n_xattrs, labels ? 1 : 0);
    assert_true(confdir_create(&t.dir, "two", &f, true, &err));
    assert_true(confdir_look(&t.dir, "two", h->arena, &g, &err));
    assert_true(confdir_same(&f, &g));
    assert_false(confdir_create(&t.dir, "two", &f, true, &err));
    g.mtime_ns++;
    assert_false(confdir_same(&f, &g));
    tune_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_owners_and_modes, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_parents, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_links, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_no_directory, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_only_regular_files, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_all_is_kept, here_make, here_drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
