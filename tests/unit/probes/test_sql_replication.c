/* Does this server follow another one? */
#include <string.h>

#include "tests/unit/probes/sql_fixture.h"

#include "advisor/base/banned.h"

#define ID "replication-channels"

/* Its value, or the state of an unknown, with its remedy. */
static const char *replica(struct arena *a, const char *version, const char *reply,
                           enum err_code code)
{
    struct sql_fixture f = sql_fixture_new(a);
    sql_small(&f, version, "", "port\t3306\n", "Uptime\t10\n");
    if (reply != NULL) {
        sql_reply(&f, ID, reply);
    } else {
        fakehost_fail(f.host, HOST_SQL, ID, code, 0);
    }
    sql_run_probe(&f);
    const struct fact *fact = store_get(f.store, f.server, SPAN_LIT("server.is_replica"));
    assert_non_null(fact);
    return fact->state == FACT_KNOWN
               ? fact->value.boolean ? "true" : "false"
               : arena_printf(a, "%s: %s", fact_state_name(fact->state), fact->remedy);
}

static void test_channels(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    assert_string_equal(replica(a, "9.7.4", "row\n", E_NONE), "false");
    assert_string_equal(replica(a, "9.7.4", "row\n\\N\n", E_NONE), "true");
    assert_string_equal(replica(a, "10.11.19-MariaDB", "row\n\\N\n\\N\n", E_NONE), "true");
}

static void test_not_told(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    assert_non_null(strstr(replica(a, "9.7.4", NULL, E_DENIED), "not permitted: GRANT REPLICATION CLIENT ON *.*"));
    assert_non_null(strstr(replica(a, "10.4.34-MariaDB", NULL, E_DENIED), "GRANT REPLICATION CLIENT ON *.*"));
    assert_non_null(strstr(replica(a, "10.11.19-MariaDB", NULL, E_DENIED), "GRANT SLAVE MONITOR ON *.*"));
    assert_string_equal(replica(a, "10.11.19-MariaDB", NULL, E_TIMEOUT), "timed out: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
