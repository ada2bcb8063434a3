/* A host that puts each question once. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/lib/fakehost.h"

#include "advisor/base/banned.h"

static void test_once(void **state)
{
    (void)state;
    static const struct fake_row rows[] = {
        FAKE_FILE("/twice", "first"),
        FAKE_FILE("/twice", "second"),
        FAKE_FILE("/other", "other"),
        FAKE_FAIL(HOST_READ, "/denied", E_DENIED, EACCES),
    };
    ARENA_AUTO a = arena_new();
    struct host *const inner = fakehost_new(a);
    struct host *const h = host_memo_new(a, inner);
    struct err err = ERR_INIT;
    struct span text;
    fakehost_add(inner, rows, ARRAY_LEN(rows));
    for (int i = 0; i < 3; i++) {
        assert_true(host_read(h, "/twice", 0, &text, &err));
        assert_true(span_eq_text(text, "first"));
        assert_true(host_read(h, "/other", 0, &text, &err));
        assert_true(span_eq_text(text, "other"));
        err = ERR_INIT;
        assert_false(host_read(h, "/denied", 0, &text, &err));
        assert_int_equal(err.code, E_DENIED);
        assert_int_equal(err.sys_errno, EACCES);
        assert_false(host_link(h, "/twice", &text, &err)); /* another question of the same key */
    }
    assert_int_equal(fakehost_calls(inner, HOST_READ), 3);
    assert_int_equal(fakehost_calls(inner, HOST_LINK), 1);
    /* One that allows less is another question. */
    assert_false(host_read(h, "/other", 2, &text, &err));
    assert_int_equal(err.code, E_TOO_BIG);
    assert_true(host_read(h, "/other", 0, &text, &err));
}

static void test_refused(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *const inner = fakehost_new(a);
    struct host *const h = host_memo_new(a, inner);
    struct err err = ERR_INIT, why = ERR_INIT;
    struct span text;
    fakehost_reply(inner, HOST_OPEN, "nvme nvme0", SPAN_LIT("/dev/nvme0"));
    fakehost_reply(inner, HOST_OPEN, "nvme nvme1", SPAN_LIT("/dev/nvme1"));
    err_set(&why, E_TIMEOUT, "stuck");
    host_memo_refuse(h, HOST_OPEN, "nvme nvme0", &why);
    assert_false(host_open(h, "nvme nvme0", &text, &err));
    assert_int_equal(err.code, E_TIMEOUT);
    assert_string_equal(err.text, "stuck");
    assert_true(host_open(h, "nvme nvme1", &text, &err));
    assert_int_equal(fakehost_calls(inner, HOST_OPEN), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
