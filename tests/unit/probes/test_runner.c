/* The runner with toy probes that behave: a replay gives the same store, a fault never a better
 * one, and a server that cannot be reached ends the run. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/probes/toy.h"

#include "advisor/base/banned.h"

static void test_live_equals_replay(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct collect_options opt = {.timeout_s = 5};
    const struct toy_run r = toy_live(a, &toy_table, &opt, NULL);
    assert_true(r.ok);
    const char *const text = toy_dump(a, r.store);
    static const char *const has[] = {
        "host.a: known = 7",
        "host.b: absent reason 'cannot read '/nv-absent': No such file or directory'",
        "server:/a identity",
        "server.memory.others: known = 1522B", /* 500 and the other server's 1022 */
        "volume:/a:data identity 'id /data' server 'server:/a' roles 63",
        "server.data.bytes: known = 99B",
        "device:sda identity",
        "device.a: known = 3",
        "server.version_string: unreadable reason 'no socket", /* no login */
    };
    for (size_t i = 0; i < ARRAY_LEN(has); i++) {
        if (strstr(text, has[i]) == NULL) {
            fail_msg("no \"%s\" in\n%s", has[i], text);
        }
    }
    assert_null(strstr(text, "device:../x"));
    toy_assert_same(a, &r, &toy_table);
    const char *const *probes = NULL;
    assert_int_equal(capture_probes(r.capture, &probes), 9);
    assert_string_equal(probes[0], "device:sda");
    assert_string_equal(probes[8], "volume:/b:data");
}

/* Whatever operation fails, however: nothing is known that was not, and nothing is known otherwise.
 */
static void assert_not_better(const struct store *base, const struct store *got)
{
    for (size_t i = 0; i < store_subjects(got); i++) {
        const struct subject *const sub = store_subject_at(got, i);
        const struct fact_row *facts = NULL;
        const size_t n = store_facts(got, sub, &facts);
        for (size_t k = 0; k < n; k++) {
            const struct subject *const same = store_find_subject(base, sub->label);
            if (facts[k].fact->state != FACT_KNOWN) {
                continue;
            }
            assert_non_null(same);
            const struct fact *const f = store_get(base, same, span_of(facts[k].name));
            assert_non_null(f);
            assert_true(value_eq(&f->value, &facts[k].fact->value));
        }
    }
}

static void test_fault_sweep(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct collect_options opt = {.timeout_s = 5};
    const struct toy_run r = toy_live(a, &toy_table, &opt, NULL);
    static const struct {
        enum err_code code;
        int sys_errno;
    } codes[] = {{E_IO, EIO}, {E_DENIED, EACCES}, {E_ABSENT, ENOENT}, {E_TIMEOUT, 0}, {E_NONE, 0}};
    const char *const *probes = NULL;
    const size_t n = capture_probes(r.capture, &probes);
    for (size_t p = 0; p < n; p++) {
        const size_t operations = capture_operations(r.capture, probes[p]);
        for (unsigned at = 0; at < operations; at++) {
            for (size_t c = 0; c < ARRAY_LEN(codes); c++) {
                const struct fault fault = {probes[p], at, codes[c].code, codes[c].sys_errno};
                const struct toy_run got = toy_replay(a, &toy_table, r.capture, &fault);
                /* Half of a clock or a name is another value, not a better one. */
                if (codes[c].code != E_NONE) {
                    assert_not_better(r.store, got.store);
                }
            }
        }
    }
}

/* A server that was named and cannot be reached ends the run, live and in replay; one that was
 * found does not. */
static void test_unreachable(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct collect_options opt = {.timeout_s = 5};
    struct login login = {.named = true};
    login.sql = (struct host_sql_login){.socket = "/nv-absent/socket", .socket_dir_fd = -1};
    struct toy_run r = toy_live(a, &toy_table, &opt, &login);
    assert_false(r.ok);
    assert_int_equal(r.err.code, E_CONNECT);
    toy_assert_same(a, &r, &toy_table);
    assert_non_null(strstr(toy_dump(a, r.store), "host.a: known = 7")); /* the rest stands */
    login.named = false;
    r = toy_live(a, &toy_table, &opt, &login);
    assert_true(r.ok);
    /* No login could be made: that is what the server's facts say. */
    struct err refused = ERR_INIT;
    err_set(&refused, E_DENIED, "others may read '/x'");
    login.sql.refused = &refused;
    r = toy_live(a, &toy_table, &opt, &login);
    assert_true(r.ok);
    assert_non_null(strstr(toy_dump(a, r.store),
                           "server.version_string: not permitted reason 'others may read '/x''"));
    toy_assert_same(a, &r, &toy_table);
}

static void test_host_only(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct collect_options opt = {.timeout_s = 5, .host_only = true};
    const struct toy_run r = toy_live(a, &toy_table, &opt, NULL);
    const struct subject *const *none = NULL;
    assert_int_equal(store_subjects_of(r.store, SUBJECT_SERVER, &none), 0);
    assert_int_equal(store_subjects(r.store), 1);
    toy_assert_same(a, &r, &toy_table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live_equals_replay),
        cmocka_unit_test(test_fault_sweep),
        cmocka_unit_test(test_unreachable),
        cmocka_unit_test(test_host_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
