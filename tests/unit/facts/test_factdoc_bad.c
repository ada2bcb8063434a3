/* Facts documents that are none: every mistake in either form, in --set, and the limits. */
#include "tests/unit/facts/fixture.h"

#include <string.h>

#include "advisor/facts/factdoc.h"

#include "advisor/base/banned.h"

struct bad {
    const char *text;
    size_t len;
    const char *expected; /* in the message */
};

#define BAD(text, expected)                                                                        \
    {                                                                                              \
        text, sizeof(text) - 1, expected                                                           \
    }
#define JSON(facts) "{\"schema\": \"nvadvise.facts/1\", \"facts\": [" facts "]}"

static void test_refuses(void **state)
{
    (void)state;
    static const struct bad rows[] = {
        BAD("server.flavor = mysql\n", "f:1: 'server.flavor' is no declared fact"),
        BAD("\n\nserver.flavour = oracle\n", "f:3: 'oracle' is none of the words"),
        BAD("host.memory.total\n", "f:1: 'name = value' is wanted"),
        BAD("host.memory.total =\n", "f:1: no value"),
        BAD("host.memory.total = # 5B\n", "f:1: no value"),
        BAD("= 5B\n", "f:1: '' is no name"),
        BAD("host memory = 5B\n", "f:1: 'host memory' is no name"),
        BAD("host.memory.total = 16K\n", "f:1: '16K' is no bytes: K is 1024"),
        BAD("host.memory.total = 16\n", "f:1: '16' is no bytes"),
        BAD("host.memory.total = 5B\0\n", "f:1: NUL byte"),
        BAD("host.memory.total = 5B\x1b\n", "f:1: control character"),
        BAD("device.model = \xff\n", "f:1: not UTF-8"),
        BAD("device.model = \"x\n", "f:1: '\"x' is no string"),
        BAD("data.qps.rw.rate = 5/s\n", "f:1: 'data.qps.rw.rate' is no declared fact"),
        BAD("data.bench.qps.rw.rate = 5/s\n", "f:1: 'data.bench.qps.rw.rate' belongs to a server"),
        BAD("device:x/host.memory.total = 5B\n", "belongs to a host, not to 'device:x'"),
        BAD("device:x/data.fs.type = xfs\n", "belongs to a volume, not to 'device:x'"),
        BAD("disk:x/device.model = x\n", "f:1: 'disk:x' is no subject"),
        BAD("device:/device.model = x\n", "f:1: 'device:' is no subject"),
        BAD("/device.model = x\n", "f:1: no subject before '/'"),
        BAD("device:a/device.model = x\ndevice:b/device.model = y\ndevice.model = z\n",
            "f:3: 'device.model' may belong to 'device:a' or to 'device:b'"),
        BAD("server:a/server.flavour = mysql\nserver:b/server.flavour = mysql\ndata.fs.type = xfs",
            "f:3: 'data.fs.type' may belong to 'server:a' or to 'server:b'"),
        BAD("{", "f:1:"),
        BAD("[]", "f: no facts document"),
        BAD("{\"schema\": \"nvadvise.facts/2\", \"facts\": []}", "nvadvise.facts/2"),
        BAD("{\"facts\": []}", "no facts document"),
        BAD("{\"schema\": \"nvadvise.facts/1\"}", "no array 'facts'"),
        BAD(JSON("1"), "f: fact 1: no object"),
        BAD(JSON("{}"), "f: fact 1: no name"),
        BAD(JSON("{\"name\": \"host.memory.total\", \"subject\": 1, \"value\": 1}"), "is no text"),
        BAD(JSON("{\"name\": \"host.memory.total\", \"value\": \"1\"}"), "a number"),
        BAD(JSON("{\"name\": \"host.memory.total\", \"value\": 1, \"unit\": \"KiB\"}"),
            "unit 'KiB'"),
        BAD(JSON("{\"name\": \"host.memory.total\", \"value\": 1, \"kind\": \"count\"}"),
            "f: fact 1 ('host.memory.total'): it says kind count"),
        BAD(JSON("{\"name\": \"host.memory.total\", \"value\": 1, \"kind\": \"x\"}"), "its kind"),
        BAD(JSON("{\"name\": \"host.memory.total\", \"value\": 1, \"state\": \"absent\"}"),
            "no value"),
        BAD(JSON("{\"name\": \"host.memory.total\", \"state\": \"known\"}"), "no value"),
        BAD(JSON("{\"name\": \"host.memory.total\", \"state\": \"good\"}"), "its state"),
        BAD(JSON("{\"name\": \"host.vm.swappiness\", \"value\": 1.5}"), "whole number"),
        BAD(JSON("{\"name\": \"server.dedicated\", \"value\": 1}"), "true or false"),
        BAD(JSON("{\"name\": \"server.version\", \"value\": 8.0}"), "a text"),
        BAD(JSON("{\"name\": \"server.version\", \"value\": \"8\"}"), "a version"),
        BAD(JSON("{\"name\": \"server.flavour\", \"value\": \"x\"}"), "'x' is none of"),
        BAD(JSON("{\"name\": \"volume.chain\", \"value\": \"x\"}"), "an array"),
        BAD(JSON("{\"name\": \"volume.chain\", \"value\": [1]}"), "an array"),
        BAD(JSON("{\"name\": \"volume.role\", \"value\": [\"x\"]}"), "'x' is none of"),
        BAD(JSON("{\"name\": \"device.model\", \"subject\": \"device:a\\nb\", \"value\": \"x\"}"),
            "no subject"),
        BAD(JSON("{\"name\": \"device.smart.power_on_hours\", \"value\": "
                 "340282366920938463463374607431768211455}"),
            "does not fit"),
        BAD("{\"schema\": \"nvadvise.facts/1\", \"facts\": [], \"subjects\": [{\"subject\": "
            "\"x\"}]}",
            "f: subject 1: 'x' is no subject"),
        BAD("{\"schema\": \"nvadvise.facts/1\", \"facts\": [], \"subjects\": [{\"subject\": "
            "\"volume:a:data\", \"roles\": [\"x\"]}]}",
            "one of its roles"),
        BAD("{\"schema\": \"nvadvise.facts/1\", \"facts\": [], \"subjects\": [{\"subject\": "
            "\"volume:a:data\", \"server\": \"host\"}]}",
            "its server is no server"),
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct store *s = fixture_store(a);
        struct err err = ERR_INIT;
        if (factdoc_read(s, "f", (struct span){rows[i].text, rows[i].len}, true, NULL, &err)) {
            fail_msg("taken: %s", rows[i].text);
        }
        assert_int_equal(err.code, E_SYNTAX);
        if (strstr(err.text, rows[i].expected) == NULL) {
            fail_msg("%s: '%s' lacks '%s'", rows[i].text, err.text, rows[i].expected);
        }
    }
}

static void test_nearest_hint(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *s = fixture_store(a);
    struct err err = ERR_INIT;
    assert_false(factdoc_read(s, "f", SPAN_LIT("server.flavor = mysql"), true, NULL, &err));
    assert_string_equal(err.hint, "The nearest name is server.flavour.");
}

static void test_skips(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *s = fixture_store(a);
    struct json *skipped = json_array(a);
    struct err err = ERR_INIT;
    assert_true(factdoc_read(s, "f", SPAN_LIT("host.new = 5\nhost.vm.swappiness = 1\n"), false,
                             skipped, &err));
    assert_true(factdoc_read(s, "g", SPAN_LIT(JSON("{\"name\": \"device.new\", \"value\": 1}")),
                             false, skipped, &err));
    assert_true(factdoc_read(s, "g", SPAN_LIT("host.new = 5\n"), false, NULL, &err));
    assert_int_equal(skipped->n, 2);
    assert_true(span_eq_text(skipped->items[0]->string, "f:1: 'host.new' is no declared fact"));
    assert_true(span_eq_text(skipped->items[1]->string,
                             "g: fact 1 ('device.new'): 'device.new' is no declared fact"));
    assert_string_equal(fixture_get(s, "host", "host.vm.swappiness"), "1");
    assert_string_equal(fixture_get(s, "host", "host.new"), "nothing");
}

static void test_set_refuses(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *s = fixture_store(a);
    static const struct bad rows[] = {
        BAD("host.memory.total", "'name = value' is wanted"),
        BAD("host.memory.total=", "no value"),
        BAD("host.memory.totl=5B", "is no declared fact"),
        BAD("host.memory.total=5", "a size with its unit"),
        BAD("server.flavour=mysql", "there is no server"),
        BAD("data.fs.type=xfs", "there is no server"),
        BAD("device.model=x", "there is no device"),
        BAD("server:x/server.flavour=mysql", "there is no subject 'server:x'"),
        BAD("host.memory.total=5B\n", "control character"),
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_INIT;
        assert_false(factdoc_set(s, rows[i].text, &err));
        assert_int_equal(err.code, E_USAGE);
        if (strstr(err.text, rows[i].expected) == NULL) {
            fail_msg("%s: '%s' lacks '%s'", rows[i].text, err.text, rows[i].expected);
        }
        assert_int_equal(err.n_frames, 1);
    }
    assert_int_equal(store_subjects(s), 1); /* the host, which is always there */
    struct err err = ERR_INIT;
    store_set_offline(s, true);
    assert_true(factdoc_set(s, "redo.fs.type=xfs", &err));
    assert_string_equal(fixture_get(s, "volume:default:data", "volume.fs.type"), "xfs");
}

static void test_limits(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *s = fixture_store(a);
    struct err err = ERR_INIT;
    struct buf b;
    buf_init(&b, a, 1 << 20);
    for (unsigned i = 0; i < 2000; i++) {
        buf_printf(&b, "volume:%u:data/volume.fs.type = xfs\n", i);
    }
    assert_false(factdoc_read(s, "f", buf_span(&b), true, NULL, &err));
    assert_int_equal(err.code, E_TOO_BIG);
    assert_false(
        factdoc_read(s, "f", (struct span){b.ptr, (size_t)FACTDOC_MAX + 1}, true, NULL, &err));
    assert_int_equal(err.code, E_TOO_BIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refuses), cmocka_unit_test(test_nearest_hint),
        cmocka_unit_test(test_skips),   cmocka_unit_test(test_set_refuses),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
