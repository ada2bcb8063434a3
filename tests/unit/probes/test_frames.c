/* Frames: what is written reads back; cut, flipped and invented bytes are refused without a crash.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/frames.h"
#include "probes/receive.h"
#include "probes/wire.h"

#include "advisor/base/banned.h"

static struct buf new_buf(struct arena *a)
{
    struct buf b;
    buf_init(&b, a, 1 << 20);
    return b;
}

static struct span only_payload(const struct buf *b, enum frame_type type)
{
    struct span rest = buf_span(b);
    struct frame f;
    assert_int_equal(frame_next(&rest, &f), FRAME_READY);
    assert_int_equal(f.type, type);
    assert_int_equal(rest.len, 0);
    return f.payload;
}

static struct num minus(uint64_t v)
{
    struct num n = num_u64(v);
    n.neg = true;
    return n;
}

static void test_facts(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct span words[] = {SPAN_LIT("a"), SPAN_LIT("b\0c"), SPAN_LIT("d")};
    const struct version v = {.part = {10, 11, 19}, .n = 3};
    const struct value values[] = {
        value_bool(true),
        value_bool(false),
        value_u64(KIND_COUNT, 0),
        value_u64(KIND_BYTES, UINT64_MAX),
        value_num(KIND_COUNT, num_u128((nv_u128)UINT64_MAX << 64 | 5)),
        value_num(KIND_CELSIUS, minus(40)),
        value_num(KIND_RATIO, num_real(0.43)),
        value_num(KIND_SECONDS, num_real(-1e-300)),
        value_num(KIND_BYTES, num_unlimited()),
        value_version(v),
        value_text(KIND_ENUM, SPAN_LIT("xfs")),
        value_text(KIND_STRING, SPAN_LIT("a\0\xff\n")),
        value_text(KIND_STRING, SPAN_LIT("")),
        value_words(a, KIND_SET, words, ARRAY_LEN(words)),
        value_words(a, KIND_LIST, words, 0),
    };
    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        struct buf b = new_buf(a);
        const struct fact f = {
            .state = FACT_KNOWN, .value = values[i], .reason = "", .remedy = "", .source = "s"};
        frame_add_fact(&b, 7, "server:/x", "server.y", &f);
        struct frame_fact got;
        assert_true(frame_read_fact(a, only_payload(&b, FRAME_FACT), &got));
        assert_int_equal(got.begun, 7);
        assert_string_equal(got.label, "server:/x");
        assert_string_equal(got.name, "server.y");
        assert_true(value_eq(&got.fact.value, &values[i]));
        assert_string_equal(got.fact.source, "s");
    }
    for (unsigned s = FACT_KNOWN + 1; s < FACT_STATES; s++) {
        struct buf b = new_buf(a);
        const struct fact f = {
            .state = (enum fact_state)s, .reason = "why", .remedy = "do", .source = "/x"};
        frame_add_fact(&b, 0, "host", "host.a", &f);
        struct frame_fact got;
        assert_true(frame_read_fact(a, only_payload(&b, FRAME_FACT), &got));
        assert_int_equal(got.fact.state, s);
        assert_string_equal(got.fact.reason, "why");
        assert_string_equal(got.fact.remedy, "do");
    }
}

static void test_records(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    err_set(&err, E_DENIED, "no %s", "way");
    err_hint(&err, "Ask.");
    err_wrap(&err, "trying");
    err.sys_errno = 13;
    struct host_record rec = {.n = 3, .op = HOST_SQL, .key = "vars", .outcome = OUTCOME_BEGUN};
    struct host_record got;
    struct buf b = new_buf(a);
    frame_add_record(&b, &rec);
    assert_true(frame_read_begun(a, only_payload(&b, FRAME_BEGUN), &got));
    assert_true(got.n == 3 && got.op == HOST_SQL);
    assert_string_equal(got.key, "vars");
    rec.outcome = OUTCOME_OK;
    rec.bytes = SPAN_LIT("a\0b");
    b = new_buf(a);
    frame_add_record(&b, &rec);
    assert_true(frame_read_result(a, only_payload(&b, FRAME_RESULT), &got));
    assert_int_equal(got.outcome, OUTCOME_OK);
    assert_true(span_eq(got.bytes, rec.bytes));
    rec.outcome = OUTCOME_ERR;
    rec.err = &err;
    b = new_buf(a);
    frame_add_record(&b, &rec);
    assert_true(frame_read_result(a, only_payload(&b, FRAME_RESULT), &got));
    assert_int_equal(got.err->code, E_DENIED);
    assert_int_equal(got.err->sys_errno, 13);
    assert_string_equal(got.err->text, "no way");
    assert_string_equal(got.err->hint, "Ask.");
    assert_string_equal(got.err->frames[0], "trying");
    struct err back;
    b = new_buf(a);
    frame_add_err(&b, FRAME_FAILED, &err);
    assert_true(frame_read_err(a, only_payload(&b, FRAME_FAILED), &back));
    assert_string_equal(back.text, "no way");
    b = new_buf(a);
    frame_add_subject(&b, 1, &(struct subject){.label = "device:sda", .identity = "x y"});
    struct frame_subject s;
    assert_true(frame_read_subject(a, only_payload(&b, FRAME_SUBJECT), &s));
    assert_string_equal(s.label, "device:sda");
    assert_string_equal(s.identity, "x y");
    b = new_buf(a);
    frame_add_end(&b);
    assert_int_equal(only_payload(&b, FRAME_END).len, 0);
    unsigned job = 0;
    b = new_buf(a);
    frame_add_job(&b, 70000);
    const struct span payload = only_payload(&b, FRAME_JOB);
    assert_true(frame_read_job(payload, &job));
    assert_int_equal(job, 70000);
    assert_false(frame_read_job(span_sub(payload, 0, 3), &job));
}

/* Frames of two jobs through one pipe; and of a job that the child does not have. */
static void test_jobs(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct fact f = {.state = FACT_ABSENT, .reason = "", .remedy = "", .source = "s"};
    struct receiver r;
    struct buf b = new_buf(a);
    frame_add_fact(&b, 1, "device:a", "device.a", &f);
    frame_add_job(&b, 1);
    frame_add_fact(&b, 1, "device:bc", "device.a", &f);
    frame_add_end(&b);
    frame_add_job(&b, 0);
    receiver_init(&r, a, 2, false);
    assert_true(receiver_take(&r, buf_span(&b)));
    assert_true(r.jobs[1].ended && !r.jobs[0].ended && !receiver_ended(&r));
    assert_int_equal(r.jobs[1].facts.len, r.jobs[0].facts.len + 1);
    b = new_buf(a);
    frame_add_end(&b);
    assert_true(receiver_take(&r, buf_span(&b)));
    assert_true(receiver_ended(&r));
    b = new_buf(a);
    frame_add_job(&b, 2);
    assert_false(receiver_take(&r, buf_span(&b)));
}

static void test_cutting(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct buf b = new_buf(a);
    const struct fact f = {.state = FACT_KNOWN,
                           .value = value_text(KIND_STRING, SPAN_LIT("text")),
                           .reason = "",
                           .remedy = "",
                           .source = "s"};
    frame_add_fact(&b, 1, "host", "host.text", &f);
    const struct span whole = buf_span(&b);
    for (size_t n = 0; n < whole.len; n++) {
        struct span rest = span_sub(whole, 0, n);
        struct frame frame;
        assert_int_equal(frame_next(&rest, &frame), FRAME_MORE);
        assert_int_equal(rest.len, n);
    }
    const struct span payload = only_payload(&b, FRAME_FACT);
    for (size_t n = 0; n < payload.len; n++) {
        struct frame_fact got;
        assert_false(frame_read_fact(a, span_sub(payload, 0, n), &got));
    }
    char *const longer = arena_alloc(a, payload.len + 1);
    memcpy(longer, payload.ptr, payload.len);
    struct frame_fact got;
    assert_false(frame_read_fact(a, (struct span){longer, payload.len + 1}, &got));
}

static void test_broken(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
    } rows[] = {
        {"\0\0\0\0", 4},             /* no type */
        {"\x01\0\0\0\0", 5},         /* type 0 */
        {"\x01\0\0\0\x09", 5},       /* type above all */
        {"\xff\xff\xff\xff\x04", 5}, /* 4 GiB */
        {"\0\0\x20\0\x02", 5},       /* a fact of 2 MiB */
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct span rest = {rows[i].bytes, rows[i].n};
        struct frame f;
        assert_int_equal(frame_next(&rest, &f), FRAME_BROKEN);
    }
}

static void put_fact_head(struct buf *b)
{
    wire_put_u32(b, 0);
    wire_put_text(b, "host");
    wire_put_text(b, "host.a");
    wire_put_u8(b, FACT_KNOWN);
}

/* Values that break the rules of their types. */
static void test_invented_values(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const struct {
        unsigned kind, boolean, tag, neg, version_n, items;
        double real;
        bool ok;
    } rows[] = {
        {KIND_COUNT, 0, NUM_INT, 0, 0, 0, 0, true},
        {KINDS, 0, NUM_INT, 0, 0, 0, 0, false},
        {KIND_BOOL, 2, NUM_INT, 0, 0, 0, 0, false},
        {KIND_COUNT, 0, 3, 0, 0, 0, 0, false},
        {KIND_COUNT, 0, NUM_INT, 2, 0, 0, 0, false},
        {KIND_COUNT, 0, NUM_INT, 1, 0, 0, 0, true}, /* minus zero becomes zero */
        {KIND_RATIO, 0, NUM_REAL, 0, 0, 0, -0.0, true},
        {KIND_RATIO, 0, NUM_REAL, 0, 0, 0, (double)NAN, false},
        {KIND_RATIO, 0, NUM_REAL, 0, 0, 0, (double)INFINITY, false},
        {KIND_VERSION, 0, NUM_INT, 0, 5, 0, 0, false},
        {KIND_LIST, 0, NUM_INT, 0, 0, 1000000, 0, false},
        {KIND_LIST, 0, NUM_INT, 0, 0, UINT32_MAX, 0, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf b = new_buf(a);
        put_fact_head(&b);
        wire_put_u8(&b, rows[i].kind);
        wire_put_u8(&b, rows[i].boolean);
        wire_put_u8(&b, rows[i].tag);
        wire_put_u8(&b, rows[i].neg);
        wire_put_u64(&b, 0);
        wire_put_u64(&b, 0);
        uint64_t bits = 0;
        memcpy(&bits, &rows[i].real, sizeof(bits));
        wire_put_u64(&b, bits);
        wire_put_u8(&b, rows[i].version_n);
        for (int k = 0; k < VERSION_PARTS; k++) {
            wire_put_u32(&b, 0);
        }
        wire_put_text(&b, "");
        wire_put_u32(&b, rows[i].items);
        wire_put_text(&b, "");
        wire_put_text(&b, "");
        wire_put_text(&b, "");
        struct frame_fact got;
        if (frame_read_fact(a, buf_span(&b), &got) != rows[i].ok) {
            fail_msg("row %zu", i);
        }
        if (rows[i].ok) {
            assert_true(num_is_zero(got.fact.value.num));
            assert_false(got.fact.value.num.neg);
        }
    }
    /* A set that is not sorted. */
    struct buf b = new_buf(a);
    const struct span words[] = {SPAN_LIT("b"), SPAN_LIT("a")};
    const struct fact f = {.state = FACT_KNOWN,
                           .value = {.kind = KIND_SET, .items = words, .n_items = 2},
                           .reason = "",
                           .remedy = "",
                           .source = ""};
    frame_add_fact(&b, 0, "host", "host.set", &f);
    struct frame_fact got;
    assert_false(frame_read_fact(a, only_payload(&b, FRAME_FACT), &got));
}

/* Bytes changed at random: read or refused, never more. */
static void test_flipped(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct buf b = new_buf(a);
    const struct fact f = {.state = FACT_KNOWN,
                           .value = value_u64(KIND_BYTES, 12345),
                           .reason = "",
                           .remedy = "r",
                           .source = "s"};
    frame_add_subject(&b, 1, &(struct subject){.label = "host", .identity = "id"});
    frame_add_fact(&b, 1, "host", "host.a", &f);
    frame_add_end(&b);
    srandom(7);
    for (int i = 0; i < 20000; i++) {
        ARENA_AUTO c = arena_new();
        struct span copy = span_copy(c, buf_span(&b));
        char *const at = arena_strndup(c, copy.ptr, copy.len);
        for (int k = 0; k < 3; k++) {
            at[(size_t)random() % copy.len] = (char)random();
        }
        struct span rest = {at, copy.len};
        struct frame frame;
        struct frame_fact fact;
        struct frame_subject subject;
        struct host_record rec;
        struct err err;
        while (frame_next(&rest, &frame) == FRAME_READY) {
            (void)!frame_read_fact(c, frame.payload, &fact);
            (void)!frame_read_subject(c, frame.payload, &subject);
            (void)!frame_read_begun(c, frame.payload, &rec);
            (void)!frame_read_result(c, frame.payload, &rec);
            (void)!frame_read_err(c, frame.payload, &err);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts),           cmocka_unit_test(test_records),
        cmocka_unit_test(test_jobs), cmocka_unit_test(test_cutting),         cmocka_unit_test(test_broken),
        cmocka_unit_test(test_invented_values), cmocka_unit_test(test_flipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
