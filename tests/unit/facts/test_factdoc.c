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

/* As people write them: no units, any case. */
static void test_loose(void **state)
{
    ARENA_AUTO a = arena_new();
    struct store *s = store_new(a, fixture_decls(a));
    struct err err = ERR_INIT;
    (void)state;
    const char *text = "server.flavour = MySQL\nhost.memory.total = 4096\n"
                       "server.bp.miss_ratio = 0.5\n";
    assert_true(factdoc_read(s, "f", span_of(text), false, NULL, &err));
    static const char *const want[][3] = {
        {"server:default", "server.flavour", "mysql"},
        {"host", "host.memory.total", "4KiB"},
        {"server:default", "server.bp.miss_ratio", "50%"},
    };
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        assert_string_equal(fixture_get(s, want[i][0], want[i][1]), want[i][2]);
    }
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

static const char plain[] = "\xef\xbb\xbf# a host\r\n"
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

/* What JSON writes reads back to the same document, and values are in the unit their name asks for.
 */
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
        read_ok(s, arena_printf(a,
                                "device.smart.power_on_hours = %us\n"
                                "device.smart.percentage_used_pct = 0.%04u\n"
                                "server.innodb.hit_rate_per_mille = 0.%04u\n",
                                i, i, i));
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
    read_ok(
        s,
        "{\"schema\": \"nvadvise.facts/1\", \"tool\": {}, \"facts\": ["
        "{\"name\": \"host.memory.total\", \"value\": 5},"
        "{\"name\": \"device.smart.power_on_hours\", \"subject\": null, \"value\": 2},"
        "{\"name\": \"device.smart.busy_minutes\", \"unit\": \"seconds\", \"value\": 2},"
        "{\"name\": \"device.smart.temperature_c\", \"value\": null},"
        "{\"name\": \"server.var.x\", \"value\": 1.5, \"kind\": \"seconds\", \"unit\": "
        "\"seconds\"},"
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
    assert_int_equal(store_find_subject(s, "volume:default:data")->roles,
                     ROLE_ALL & ~(unsigned)ROLE_TMP);
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
    const struct fact *f =
        store_get(s, store_find_subject(s, "host"), SPAN_LIT("host.vm.swappiness"));
    assert_true(f->overridden);
    assert_string_equal(f->source, "--set");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loose),
        cmocka_unit_test(test_plain),        cmocka_unit_test(test_json_round_trip),
        cmocka_unit_test(test_json_inexact), cmocka_unit_test(test_json_forms),
        cmocka_unit_test(test_roles),        cmocka_unit_test(test_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
