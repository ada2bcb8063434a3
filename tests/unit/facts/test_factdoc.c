/* The facts document: plain lines, JSON, both ways, --set, and texts that are none. */
#include "tests/unit/facts/fixture.h"

#include <string.h>

#include "advisor/facts/factdoc.h"

#include "advisor/base/banned.h"

static void read_ok(struct store *s, const char *text)
{
    struct err err = ERR_INIT;
    if (!factdoc_read(s, "f", span_of(text), true, NULL, &err)) {
        fail_msg("%s", err.text);
    }
}

static const char *write_text(struct arena *a, const struct store *s)
{
    struct buf b;
    buf_init(&b, a, 1 << 20);
    json_write(&b, factdoc_write(a, s), true);
    return b.ptr;
}

struct expected {
    const char *label, *name, *literal;
};

static void check(const struct store *s, const struct expected *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *got = fixture_get(s, rows[i].label, rows[i].name);
        if (strcmp(got, rows[i].literal) != 0) {
            fail_msg("%s %s: %s, expected %s", rows[i].label, rows[i].name, got, rows[i].literal);
        }
    }
}

static const char plain[] =
    "\xef\xbb\xbf# a host\r\n"
    "    server.flavour = mysql\r\n"
    "\n"
    "server.version = 8.0.36   # as printed\n"
    "server.version_string = \"8.0.36 # \\\"x\\\"\"\n"
    "server.redo.sync_flush_rate = unknown\n"
    "server.dedicated = unknown(not permitted: /proc is hidden)\n"
    "server.bp.miss_ratio = unknown(who knows)\n"
    "server.process.address_space = 9223372036854775808B\n"
    "server.var.innodb-io-capacity = 200/s\n"
    "server.var.innodb_max_dirty_pages_pct = 90%\n"
    "server.var.max_connections = 400\n"
    "server.var.innodb_log_buffer_size = 16MiB\n"
    "server.var.log_bin = true\n"
    "server.var.innodb_flush_method = O_DIRECT\n"
    "server.var.report_host = \"12\"\n"
    "server.status.Uptime = 5\n"
    "redo.fs.free_bytes = 1400GiB\n"
    "data.fs.type = xfs\n"
    "data.bench.flush.rate = 31000/s\n"
    "bench.qps.rw.rate = 12/s\n"
    "est.flush.rate = 9/s\n"
    "host.vm.swappiness = 60\n"
    "device.model = SAMSUNG MZQL21T9HCJR (PM9A3)\n"
    "device.pci.link_speed = 16000000000/s\n"
    "device.smart.percentage_used_pct = 3%\n"
    "device.smart.power_on_hours = 509h\n"
    "host.vm.swappiness = 1";

static const struct expected plain_facts[] = {
    {"server:default", "server.flavour", "mysql"},
    {"server:default", "server.version", "8.0.36"},
    {"server:default", "server.version_string", "\"8.0.36 # \\\"x\\\"\""},
    {"server:default", "server.redo.sync_flush_rate",
     "not measured: needs counter readings of earlier runs"},
    {"server:default", "server.dedicated", "not permitted: /proc is hidden"},
    {"server:default", "server.bp.miss_ratio", "absent: who knows"},
    {"server:default", "server.process.address_space", "8EiB"},
    {"server:default", "server.var.innodb_io_capacity", "200/s"},
    {"server:default", "server.var.innodb_max_dirty_pages_pct", "90%"},
    {"server:default", "server.var.max_connections", "400"},
    {"server:default", "server.var.innodb_log_buffer_size", "16MiB"},
    {"server:default", "server.var.log_bin", "true"},
    {"server:default", "server.var.innodb_flush_method", "O_DIRECT"},
    {"server:default", "server.status.Uptime", "5"},
    {"volume:default:data", "volume.fs.free_bytes", "1400GiB"},
    {"volume:default:data", "volume.fs.type", "xfs"},
    {"volume:default:data", "bench.flush.rate", "31000/s"},
    {"server:default", "bench.qps.rw.rate", "12/s"},
    {"server:default", "est.flush.rate", "9/s"},
    {"host", "host.vm.swappiness", "1"},
    {"device:default", "device.model", "\"SAMSUNG MZQL21T9HCJR (PM9A3)\""},
    {"device:default", "device.pci.link_speed", "16000000000/s"},
    {"device:default", "device.smart.percentage_used_pct", "3%"},
    {"device:default", "device.smart.power_on_hours", "509h"},
};

static enum kind kind_of(const struct store *s, const char *label, const char *name)
{
    return store_get(s, store_find_subject(s, label), span_of(name))->value.kind;
}

static void test_plain(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *s = fixture_store(a);
    read_ok(s, plain);
    check(s, plain_facts, ARRAY_LEN(plain_facts));
    assert_int_equal(store_subjects(s), 4);
    assert_true(store_is_offline(s));
    const struct subject *v = store_find_subject(s, "volume:default:data");
    assert_int_equal(v->roles, ROLE_ALL);
    assert_ptr_equal(v->server, store_find_subject(s, "server:default"));
    assert_int_equal(kind_of(s, "server:default", "server.var.max_connections"), KIND_COUNT);
    assert_int_equal(kind_of(s, "server:default", "server.var.report_host"), KIND_STRING);
    assert_int_equal(kind_of(s, "server:default", "server.var.log_bin"), KIND_BOOL);
    assert_string_equal(store_get(s, v, SPAN_LIT("volume.fs.type"))->source, "f");
}

/* What JSON writes reads back to the same document, and values are in the unit their name asks for. */
static void test_json_round_trip(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *s = fixture_store(a);
    struct store *t = fixture_store(a);
    read_ok(s, plain);
    read_ok(s, "device.smart.busy_minutes = 90s\n"
               "device.smart.temperature_c = 41degC\n"
               "device.smart.data_units_written = 340282366920938463463374607431768211455\n"
               "server.innodb.hit_rate_per_mille = 0.998\n"
               "volume.chain = {nvme0n1p1, nvme0n1}\n"
               "volume.role = {data, redo}\n"
               "host.swap.total = unlimited\n"
               "server.bp.miss_ratio = 33.3333%\n");
    store_find_subject(s, "device:default")->identity = "model serial";
    const char *first = write_text(a, s);
    read_ok(t, first);
    check(t, plain_facts + 6, ARRAY_LEN(plain_facts) - 6);
    assert_string_equal(write_text(a, t), first);
    assert_false(store_is_offline(t));
    const struct subject *v = store_find_subject(t, "volume:default:data");
    assert_int_equal(v->roles, ROLE_DATA | ROLE_REDO);
    assert_ptr_equal(v->server, store_find_subject(t, "server:default"));
    assert_string_equal(store_find_subject(t, "device:default")->identity, "model serial");
    static const char *const parts[] = {
        "\"schema\": \"nvadvise.facts/1\"",
        "\"kind\": \"ratio\",\n      \"name\": \"device.smart.percentage_used_pct\"",
        "\"unit\": \"percent\",\n      \"value\": 3\n",
        "\"unit\": \"hours\",\n      \"value\": 509\n",
        "\"unit\": \"minutes\",\n      \"value\": 1.5\n",
        "\"unit\": \"celsius\",\n      \"value\": 41\n",
        "\"unit\": \"per_mille\",\n      \"value\": 998\n",
        "\"unit\": \"bytes\",\n      \"value\": 9223372036854775808\n",
        "\"value\": 340282366920938463463374607431768211455\n",
        "\"value\": \"unlimited\"\n",
        "\"reason\": \"/proc is hidden\"",
        "\"state\": \"not permitted\"",
    };
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        if (strstr(first, parts[i]) == NULL) {
            fail_msg("lacks %s:\n%s", parts[i], first);
        }
    }
}

/* A time that no number of hours says exactly is written in seconds, and the unit says so. */
static void test_json_inexact(void **state)
{
    (void)state;
    for (unsigned i = 1; i < 4000; i++) {
        ARENA_AUTO a = arena_new();
        struct store *s = fixture_store(a);
        struct store *t = fixture_store(a);
        read_ok(s, arena_printf(a, "device.smart.power_on_hours = %us\n"
                                   "device.smart.percentage_used_pct = 0.%04u\n"
                                   "server.innodb.hit_rate_per_mille = 0.%04u\n", i, i, i));
        const char *text = write_text(a, s);
        read_ok(t, text);
        const char *names[] = {"device.smart.power_on_hours", "device.smart.percentage_used_pct"};
        for (size_t k = 0; k < 2; k++) {
            assert_string_equal(fixture_get(s, "device:default", names[k]),
                                fixture_get(t, "device:default", names[k]));
        }
        assert_string_equal(fixture_get(s, "server:default", "server.innodb.hit_rate_per_mille"),
                            fixture_get(t, "server:default", "server.innodb.hit_rate_per_mille"));
    }
}

static void test_json_forms(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *s = fixture_store(a);
    read_ok(s,
            "{\"schema\": \"nvadvise.facts/1\", \"tool\": {}, \"facts\": ["
            "{\"name\": \"host.memory.total\", \"value\": 5},"
            "{\"name\": \"device.smart.power_on_hours\", \"subject\": null, \"value\": 2},"
            "{\"name\": \"device.smart.busy_minutes\", \"unit\": \"seconds\", \"value\": 2},"
            "{\"name\": \"device.smart.temperature_c\", \"value\": null},"
            "{\"name\": \"server.var.x\", \"value\": 1.5, \"kind\": \"seconds\", \"unit\": \"seconds\"},"
            "{\"name\": \"server.var.y\", \"value\": true, \"overridden\": true, \"source\": \"src\"},"
            "{\"name\": \"server.dedicated\", \"state\": \"timed out\", \"reason\": \"3 s\"},"
            "{\"name\": \"data.fs.type\", \"subject\": \"server:/run/a.sock\", \"value\": \"ext4\"}"
            "]}");
    static const struct expected rows[] = {
        {"host", "host.memory.total", "5B"},
        {"device:default", "device.smart.power_on_hours", "2h"},
        {"device:default", "device.smart.busy_minutes", "2s"},
        {"device:default", "device.smart.temperature_c", "absent: stated unknown"},
        {"server:default", "server.var.x", "1.5s"},
        {"server:default", "server.var.y", "true"},
        {"server:default", "server.dedicated", "timed out: 3 s"},
        {"volume:/run/a.sock:data", "volume.fs.type", "ext4"},
    };
    check(s, rows, ARRAY_LEN(rows));
    const struct subject *server = store_find_subject(s, "server:default");
    assert_true(store_get(s, server, SPAN_LIT("server.var.y"))->overridden);
    assert_string_equal(store_get(s, server, SPAN_LIT("server.var.y"))->source, "src");
    assert_string_equal(store_get(s, server, SPAN_LIT("server.var.x"))->source, "f");
}

struct bad {
    const char *text;
    size_t len;
    const char *expected; /* in the message */
};

#define BAD(text, expected) {text, sizeof(text) - 1, expected}
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
        BAD(JSON("{\"name\": \"host.memory.total\", \"value\": 1, \"unit\": \"KiB\"}"), "unit 'KiB'"),
        BAD(JSON("{\"name\": \"host.memory.total\", \"value\": 1, \"kind\": \"count\"}"),
            "f: fact 1 ('host.memory.total'): it says kind count"),
        BAD(JSON("{\"name\": \"host.memory.total\", \"value\": 1, \"kind\": \"x\"}"), "its kind"),
        BAD(JSON("{\"name\": \"host.memory.total\", \"value\": 1, \"state\": \"absent\"}"), "no value"),
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
                 "340282366920938463463374607431768211455}"), "does not fit"),
        BAD("{\"schema\": \"nvadvise.facts/1\", \"facts\": [], \"subjects\": [{\"subject\": \"x\"}]}",
            "f: subject 1: 'x' is no subject"),
        BAD("{\"schema\": \"nvadvise.facts/1\", \"facts\": [], \"subjects\": [{\"subject\": "
            "\"volume:a:data\", \"roles\": [\"x\"]}]}", "one of its roles"),
        BAD("{\"schema\": \"nvadvise.facts/1\", \"facts\": [], \"subjects\": [{\"subject\": "
            "\"volume:a:data\", \"server\": \"host\"}]}", "its server is no server"),
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

static void test_roles(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *s = fixture_store(a);
    read_ok(s, "data.fs.type = xfs\n"
               "binlog.fs.type = ext4\n" /* the same volume: it carries all roles */
               "volume:default:tmp/volume.fs.type = other\n"
               "tmp.fs.free_bytes = 5B\n"
               "redo.fs.free_bytes = 6B\n");
    static const struct expected rows[] = {
        {"volume:default:data", "volume.fs.type", "ext4"},
        {"volume:default:data", "volume.fs.free_bytes", "6B"},
        {"volume:default:tmp", "volume.fs.type", "other"},
        {"volume:default:tmp", "volume.fs.free_bytes", "5B"},
    };
    check(s, rows, ARRAY_LEN(rows));
    assert_int_equal(store_find_subject(s, "volume:default:data")->roles, ROLE_ALL & ~(unsigned)ROLE_TMP);
    assert_int_equal(store_find_subject(s, "volume:default:tmp")->roles, ROLE_TMP);
    read_ok(s, "volume:default:tmp/volume.role = {tmp, binlog}\n"
               "volume:default:data/volume.role = {data, redo}\n"
               "binlog.fs.free_bytes = 7B\nundo.fs.free_bytes = 8B\n");
    assert_string_equal(fixture_get(s, "volume:default:tmp", "volume.fs.free_bytes"), "7B");
    assert_string_equal(fixture_get(s, "volume:default:data", "volume.fs.free_bytes"), "8B");
}

static void test_set(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *s = fixture_store(a);
    struct err err = ERR_INIT;
    read_ok(s, "server:a/server.flavour = mysql\nserver:/b/c.sock/server.flavour = mysql\n"
               "volume:a:data/volume.fs.type = xfs\nvolume:/b/c.sock:data/volume.fs.type = xfs\n"
               "device:x/device.model = m\n");
    store_set_offline(s, false);
    assert_true(factdoc_set(s, "host.vm.swappiness=10", &err));
    assert_true(factdoc_set(s, "server.flavour = mariadb", &err));
    assert_true(factdoc_set(s, "server:/b/c.sock/server.flavour=percona", &err));
    assert_true(factdoc_set(s, "data.fs.type=zfs", &err));
    assert_true(factdoc_set(s, "device.smart.power_on_hours=unknown(timed out)", &err));
    static const struct expected rows[] = {
        {"host", "host.vm.swappiness", "10"},
        {"server:a", "server.flavour", "mariadb"},
        {"server:/b/c.sock", "server.flavour", "percona"},
        {"volume:a:data", "volume.fs.type", "zfs"},
        {"volume:/b/c.sock:data", "volume.fs.type", "zfs"},
        {"device:x", "device.smart.power_on_hours", "timed out: timed out"},
    };
    check(s, rows, ARRAY_LEN(rows));
    const struct fact *f = store_get(s, store_find_subject(s, "host"), SPAN_LIT("host.vm.swappiness"));
    assert_true(f->overridden);
    assert_string_equal(f->source, "--set");
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
    assert_false(factdoc_read(s, "f", (struct span){b.ptr, (size_t)FACTDOC_MAX + 1}, true, NULL, &err));
    assert_int_equal(err.code, E_TOO_BIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),        cmocka_unit_test(test_json_round_trip),
        cmocka_unit_test(test_json_inexact), cmocka_unit_test(test_json_forms),
        cmocka_unit_test(test_refuses),      cmocka_unit_test(test_nearest_hint),
        cmocka_unit_test(test_skips),        cmocka_unit_test(test_roles),
        cmocka_unit_test(test_set),          cmocka_unit_test(test_set_refuses),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
