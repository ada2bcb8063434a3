/* The fact store: subjects, roles, leaves, gaps, clones. */
#include "tests/unit/facts/fixture.h"

#include <stdio.h>
#include <string.h>

#include "advisor/base/banned.h"

static void known(struct store *s, const char *label, const char *name, uint64_t n)
{
    store_known(s, store_find_subject(s, label), name, value_u64(KIND_COUNT, n), "test");
}

static void test_subjects(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *s = fixture_store(a);
    const struct subject *const *list;
    assert_int_equal(store_subjects_of(s, SUBJECT_DEVICE, &list), 0);
    char label[] = "device:b";
    struct subject *b = store_subject(s, SUBJECT_DEVICE, label);
    label[7] = 'x';
    assert_string_equal(b->label, "device:b");
    assert_string_equal(b->identity, "");
    assert_ptr_equal(store_subject(s, SUBJECT_DEVICE, "device:b"), b);
    store_subject(s, SUBJECT_HOST, "host");
    const struct subject *first = store_subject(s, SUBJECT_DEVICE, "device:a");
    assert_int_equal(store_subjects(s), 3);
    assert_ptr_equal(store_subject_at(s, 0), b);
    assert_null(store_subject_at(s, 3));
    assert_int_equal(store_subjects_of(s, SUBJECT_DEVICE, &list), 2);
    assert_ptr_equal(list[0], first);
    assert_ptr_equal(list[1], b);
    assert_null(store_find_subject(s, "device:c"));
}

static void test_facts(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *s = fixture_store(a);
    const struct subject *host = store_subject(s, SUBJECT_HOST, "host");
    const struct fact_row *rows;
    char text[] = "value";
    assert_null(store_get(s, host, SPAN_LIT("x")));
    store_known(s, host, "z", value_text(KIND_STRING, span_of(text)), text);
    text[0] = 'V';
    const struct fact *old = store_get(s, host, SPAN_LIT("z"));
    assert_true(span_eq_text(old->value.text, "value"));
    assert_string_equal(old->source, "value");
    store_unknown(s, host, "z", FACT_TIMED_OUT, "file", "wait", "after %d s", 3);
    const struct fact *f = store_get(s, host, SPAN_LIT("z"));
    assert_int_equal(f->state, FACT_TIMED_OUT);
    assert_string_equal(f->reason, "after 3 s");
    assert_string_equal(f->remedy, "wait");
    assert_int_equal(old->state, FACT_KNOWN); /* whoever held it keeps what it saw */
    store_known(s, host, "a", value_bool(true), NULL);
    assert_string_equal(store_get(s, host, SPAN_LIT("a"))->source, "");
    assert_int_equal(store_facts(s, host, &rows), 2);
    assert_string_equal(rows[0].name, "a");
    assert_string_equal(rows[1].name, "z");
    store_unset(s, host, "a");
    store_unset(s, host, "never");
    assert_null(store_get(s, host, SPAN_LIT("a")));
    assert_int_equal(store_facts(s, host, &rows), 1);
    store_known(s, host, "a", value_bool(false), "");
    assert_int_equal(store_facts(s, host, &rows), 2);
}

static void test_many(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *s = fixture_store(a);
    store_subject(s, SUBJECT_HOST, "host");
    const struct fact_row *rows;
    char name[32];
    for (unsigned i = 0; i < 5000; i++) {
        snprintf(name, sizeof(name), "n%u", i);
        known(s, "host", name, i);
    }
    for (unsigned i = 0; i < 5000; i++) {
        snprintf(name, sizeof(name), "n%u", i);
        const struct fact *f = store_get(s, store_find_subject(s, "host"), span_of(name));
        assert_true(num_cmp(f->value.num, num_u64(i)) == 0);
    }
    assert_int_equal(store_facts(s, store_find_subject(s, "host"), &rows), 5000);
}

static struct subject *volume(struct store *s, const char *label, const char *server,
                              unsigned roles)
{
    struct subject *v = store_subject(s, SUBJECT_VOLUME, label);
    v->server = store_subject(s, SUBJECT_SERVER, server);
    v->roles = roles;
    return v;
}

static void test_volumes(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *s = fixture_store(a);
    const struct subject *const *list;
    const struct subject *data2 = volume(s, "volume:x:2", "server:x", ROLE_DATA);
    const struct subject *log = volume(s, "volume:x:1", "server:x", ROLE_BINLOG);
    const struct subject *data0 = volume(s, "volume:x:0", "server:x", ROLE_DATA | ROLE_REDO);
    const struct subject *other = volume(s, "volume:y:0", "server:y", ROLE_DATA);
    const struct subject *x = store_find_subject(s, "server:x");
    assert_int_equal(store_volumes(s, x, ROLE_DATA, &list), 2);
    assert_ptr_equal(list[0], data0);
    assert_ptr_equal(list[1], data2);
    assert_int_equal(store_volumes(s, x, ROLE_BINLOG, &list), 1);
    assert_ptr_equal(list[0], log);
    assert_int_equal(store_volumes(s, x, ROLE_UNDO, &list), 2); /* falls back to data */
    assert_int_equal(store_volumes(s, store_find_subject(s, "server:y"), ROLE_TMP, &list), 1);
    assert_ptr_equal(list[0], other);
    assert_int_equal(store_volumes(s, NULL, ROLE_DATA, &list), 0);
}

static void test_leaves(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *s = fixture_store(a);
    const struct subject *v = volume(s, "volume:x:data", "server:x", ROLE_ALL);
    const struct subject *d = store_subject(s, SUBJECT_DEVICE, "device:nvme0n1");
    const struct subject *const *list;
    size_t n = 9;
    assert_false(store_leaves(s, v, &list, &n));
    store_set_offline(s, true);
    assert_true(store_leaves(s, v, &list, &n));
    assert_int_equal(n, 1);
    assert_ptr_equal(list[0], d);
    store_fill_missing(s); /* what was filled in was not said */
    assert_true(store_leaves(s, v, &list, &n));
    store_unknown(s, v, "volume.leaf_devices", FACT_ABSENT, "t", "", "no way down");
    assert_false(store_leaves(s, v, &list, &n));
    const struct span names[] = {SPAN_LIT("nvme0n1"), SPAN_LIT("sda")};
    store_known(s, v, "volume.leaf_devices", value_words(a, KIND_SET, names, 2), "t");
    assert_false(store_leaves(s, v, &list, &n)); /* sda is no subject: the list has a hole */
    store_subject(s, SUBJECT_DEVICE, "device:sda");
    assert_true(store_leaves(s, v, &list, &n));
    assert_int_equal(n, 2);
    store_known(s, v, "volume.leaf_devices", value_words(a, KIND_SET, NULL, 0), "t");
    assert_true(store_leaves(s, v, &list, &n));
    assert_int_equal(n, 0);
}

static void test_fill(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *s = fixture_store(a);
    const struct subject *host = store_subject(s, SUBJECT_HOST, "host");
    store_subject(s, SUBJECT_SERVER, "server:x");
    const struct subject *dev = store_subject(s, SUBJECT_DEVICE, "device:x");
    store_known(s, host, "host.swap.total", value_u64(KIND_BYTES, 0), "swaps");
    store_fill_missing(s);
    assert_string_equal(fixture_get(s, "host", "host.swap.total"), "0B");
    assert_string_equal(fixture_get(s, "host", "host.memory.total"),
                        "absent: not given by any source");
    assert_string_equal(fixture_get(s, "server:x", "bench.qps.rw.rate"),
                        "not measured: needs a benchmark");
    assert_string_equal(fixture_get(s, "server:x", "server.bp.miss_ratio"),
                        "not measured: needs a second sample");
    assert_string_equal(fixture_get(s, "server:x", "server.redo.sync_flush_rate"),
                        "not measured: needs counter readings of earlier runs");
    assert_string_equal(fixture_get(s, "device:x", "device.smart.power_on_hours"),
                        "not measured: needs root");
    assert_string_equal(fixture_get(s, "server:x", "volume.fs.type"), "nothing");
    assert_true(store_get(s, dev, SPAN_LIT("device.smart.power_on_hours"))->remedy[0] != '\0');
    assert_false(store_has_need(s, NEED_BENCH));
    assert_false(store_has_need(s, NEED_ROOT));
    known(s, "server:x", "bench.qps.rw.rate", 5);
    assert_true(store_has_need(s, NEED_BENCH));
    assert_false(store_has_need(s, NEED_SAMPLE));
}

/* With root, what is missing is missing: no advice to become root. */
static void test_fill_as_root(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *s = fixture_store(a);
    const struct subject *host = store_subject(s, SUBJECT_HOST, "host");
    store_subject(s, SUBJECT_DEVICE, "device:x");
    store_known(s, host, "host.root", value_bool(true), "capget");
    store_fill_missing(s);
    assert_string_equal(fixture_get(s, "device:x", "device.smart.power_on_hours"),
                        "absent: not given by any source");
}

static void test_clone(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct arena *old = arena_new();
    struct store *s = fixture_store(old);
    struct subject *v = volume(s, "volume:x:data", "server:x", ROLE_DATA | ROLE_TMP);
    v->identity = "dev 8:1 inode 2";
    known(s, "volume:x:data", "volume.fs.free_bytes", 7);
    store_unknown(s, v, "volume.fs.type", FACT_STALE, "src", "again", "too old");
    store_unset(s, v, "volume.fs.free_bytes");
    known(s, "server:x", "server.var.a", 1);
    store_set_offline(s, true);
    struct store *c = store_clone(a, s);
    known(c, "server:x", "server.var.a", 2);
    assert_string_equal(fixture_get(s, "server:x", "server.var.a"), "1");
    /* Subjects of the old store name those of the clone. */
    assert_non_null(store_get(c, v, SPAN_LIT("volume.fs.type")));
    arena_free(old);
    const struct subject *cv = store_find_subject(c, "volume:x:data");
    assert_string_equal(cv->identity, "dev 8:1 inode 2");
    assert_int_equal(cv->roles, ROLE_DATA | ROLE_TMP);
    assert_ptr_equal(cv->server, store_find_subject(c, "server:x"));
    assert_string_equal(fixture_get(c, "volume:x:data", "volume.fs.type"), "stale: too old");
    assert_null(store_get(c, cv, SPAN_LIT("volume.fs.free_bytes")));
    assert_true(store_is_offline(c));
}

static void test_names(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FACT_STATES; i++) {
        enum fact_state st = FACT_STATES;
        assert_true(fact_state_from_name(span_of(fact_state_name((enum fact_state)i)), &st));
        assert_int_equal(st, i);
    }
    for (unsigned i = 0; i < ROLES; i++) {
        enum role r = 0;
        assert_true(role_from_name(span_of(role_name((enum role)(1u << i))), &r));
        assert_int_equal(r, 1u << i);
    }
    enum role r;
    enum fact_state st;
    assert_false(role_from_name(SPAN_LIT("volume"), &r));
    assert_false(fact_state_from_name(SPAN_LIT("Known"), &st));
    static const struct {
        enum err_code code;
        enum fact_state state;
    } rows[] = {
        {E_DENIED, FACT_NOT_PERMITTED}, {E_LOGIN, FACT_NOT_PERMITTED},
        {E_ABSENT, FACT_ABSENT},        {E_NOT_SUPPORTED, FACT_NOT_SUPPORTED},
        {E_TIMEOUT, FACT_TIMED_OUT},    {E_CRASHED, FACT_CRASHED},
        {E_IO, FACT_UNREADABLE},        {E_SYNTAX, FACT_UNREADABLE},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_int_equal(fact_state_from_err(rows[i].code), rows[i].state);
    }
    for (unsigned code = 0; code < E_CODES; code++) {
        assert_int_not_equal(fact_state_from_err((enum err_code)code), FACT_KNOWN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_subjects),     cmocka_unit_test(test_facts),
        cmocka_unit_test(test_many),         cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_leaves),       cmocka_unit_test(test_fill),
        cmocka_unit_test(test_fill_as_root), cmocka_unit_test(test_clone),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
