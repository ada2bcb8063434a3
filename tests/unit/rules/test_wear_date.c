/* The day on which a drive's rated life ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advisor/base/str.h"
#include "rules/wear_date.h"

#include "advisor/base/banned.h"

#define DATE SPAN_LIT("device.smart.wear_out_date")
#define LEFT "device.smart.years_left"
#define DAY 86400u
#define CLOCK 1767225600 /* 2026-01-01 */

static const struct fact *after(struct arena *a, const struct value *left, int64_t clock)
{
    struct store *const s = store_new(a, decl_set_new(a));
    const struct subject *const d = store_subject(s, SUBJECT_DEVICE, "device:nvme0n1");
    if (left != NULL) {
        store_known(s, d, LEFT, *left, "test");
    } else {
        store_unknown(s, d, LEFT, FACT_NOT_PERMITTED, "test", "run as root", "no rights");
    }
    wear_date_set(s, clock);
    return store_get(s, d, DATE);
}

static void test_days(void **state)
{
    (void)state;
    static const struct {
        uint64_t seconds;
        const char *want;
    } rows[] = {
        {0, "2026-01-01"},
        {DAY - 1, "2026-01-01"},
        {DAY, "2026-01-02"},
        {(365 + 365 + 59) * DAY, "2028-02-29"},
        {UINT64_C(36500) * DAY, "2125-12-08"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        const struct value v = value_u64(KIND_SECONDS, rows[i].seconds);
        const struct fact *const f = after(a, &v, CLOCK);
        assert_int_equal(f->state, FACT_KNOWN);
        assert_true(f->derived);
        assert_string_equal(span_dup(a, f->value.text), rows[i].want);
    }
}

/* No day where there is no pace, no clock, or no end in sight. */
static void test_no_day(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct value year = value_u64(KIND_SECONDS, 365 * DAY);
    const struct value ages = value_u64(KIND_SECONDS, UINT64_MAX);
    struct value never = year;
    never.num = num_unlimited();
    const struct fact *f = after(a, NULL, CLOCK);
    assert_int_equal(f->state, FACT_NOT_PERMITTED);
    assert_string_equal(f->reason, "no rights");
    assert_string_equal(f->remedy, "run as root");
    assert_int_equal(after(a, &year, 0)->state, FACT_ABSENT);
    assert_int_equal(after(a, &year, -5)->state, FACT_ABSENT);
    assert_int_equal(after(a, &ages, CLOCK)->state, FACT_NOT_SUPPORTED);
    assert_int_equal(after(a, &never, CLOCK)->state, FACT_NOT_SUPPORTED);
}

/* What a document or --set says stays. */
static void test_stated(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *const s = store_new(a, decl_set_new(a));
    const struct subject *const d = store_subject(s, SUBJECT_DEVICE, "device:nvme0n1");
    store_known(s, d, LEFT, value_u64(KIND_SECONDS, DAY), "test");
    store_known(s, d, "device.smart.wear_out_date", value_text(KIND_STRING, SPAN_LIT("2030-01-01")),
                "test");
    wear_date_set(s, CLOCK);
    assert_string_equal(span_dup(a, store_get(s, d, DATE)->value.text), "2030-01-01");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_days),
        cmocka_unit_test(test_no_day),
        cmocka_unit_test(test_stated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
