/* Error objects: texts within bounds, errno kept, codes named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "advisor/base/err.h"

#include "advisor/base/banned.h"

static void test_set(void **state)
{
    struct err e = ERR_INIT;

    (void)state;
    errno = EDOM;
    assert_false(err_hint(&e, "%s", "Do this."));
    assert_false(err_wrap(&e, "reading '%s'", "x"));
    assert_false(err_set(&e, E_SYNTAX, "'%s': bad byte %d", "f", 7));
    assert_int_equal(errno, EDOM);
    assert_int_equal(e.code, E_SYNTAX);
    assert_int_equal(e.sys_errno, 0);
    assert_string_equal(e.text, "'f': bad byte 7");
    assert_string_equal(e.hint, "");
    assert_int_equal(e.n_frames, 0);
}

static void test_set_from_itself(void **state)
{
    struct err e = ERR_INIT;

    (void)state;
    err_set(&e, E_IO, "inner");
    err_set(&e, E_CORRUPT, "outer: %s", e.text);
    assert_string_equal(e.text, "outer: inner");
}

static void test_long_texts(void **state)
{
    char text[2000];
    struct err e = ERR_INIT;

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    err_set(&e, E_IO, "%s", text);
    assert_int_equal(strlen(e.text), ERR_TEXT_MAX - 1);
    err_set_errno(&e, EIO, "%s", text);
    assert_int_equal(strlen(e.text), ERR_TEXT_MAX - 1);
    err_hint(&e, "%s", text);
    assert_int_equal(strlen(e.hint), ERR_HINT_MAX - 1);
    err_wrap(&e, "%s", text);
    assert_int_equal(strlen(e.frames[0]), ERR_FRAME_MAX - 1);
}

static void test_frames(void **state)
{
    struct err e = ERR_INIT;

    (void)state;
    errno = EDOM;
    err_set(&e, E_IO, "x");
    for (int i = 0; i < ERR_FRAMES_MAX + 3; i++)
        assert_false(err_wrap(&e, "frame %d", i));
    assert_int_equal(errno, EDOM);
    assert_int_equal(e.n_frames, ERR_FRAMES_MAX);
    assert_string_equal(e.frames[0], "frame 0");
    assert_string_equal(e.frames[ERR_FRAMES_MAX - 1], "frame 3");
}

static void test_errno(void **state)
{
    static const struct {
        int e;
        enum err_code code;
        const char *text;
    } rows[] = {
        {ENOENT, E_ABSENT, "'f': No such file or directory"},
        {EACCES, E_DENIED, "'f': Permission denied"},
        {EPERM, E_DENIED, "'f': Operation not permitted"},
        {ENOSPC, E_FULL, "'f': No space left on device"},
        {EDQUOT, E_FULL, "'f': Disk quota exceeded"},
        {ETIMEDOUT, E_TIMEOUT, "'f': Connection timed out"},
        {EOPNOTSUPP, E_NOT_SUPPORTED, "'f': Operation not supported"},
        {ENOTTY, E_NOT_SUPPORTED, "'f': Inappropriate ioctl for device"},
        {ENOSYS, E_NOT_SUPPORTED, "'f': Function not implemented"},
        {EIO, E_IO, "'f': Input/output error"},
        {12345, E_IO, "'f': Unknown error 12345"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err e = ERR_INIT;

        errno = EDOM;
        assert_false(err_set_errno(&e, rows[i].e, "'%c'", 'f'));
        assert_int_equal(errno, EDOM);
        assert_int_equal(e.code, rows[i].code);
        assert_int_equal(e.sys_errno, rows[i].e);
        assert_string_equal(e.text, rows[i].text);
    }
}

static void test_names(void **state)
{
    (void)state;
    for (int i = 0; i < E_CODES; i++) {
        const char *const name = err_code_name((enum err_code)i);

        assert_non_null(name);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(name, err_code_name((enum err_code)k));
    }
    assert_string_equal(err_code_name(E_DENIED), "not permitted");
    assert_string_equal(err_code_name(E_CODES), "unknown error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set),        cmocka_unit_test(test_set_from_itself),
        cmocka_unit_test(test_long_texts), cmocka_unit_test(test_frames),
        cmocka_unit_test(test_errno),      cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
