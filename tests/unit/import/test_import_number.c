/* Numbers and temperatures as tools print them in every locale, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/import/bag.h"

#include "advisor/base/banned.h"

#define NONE UINT64_MAX

static const struct {
    const char *text;
    uint64_t want; /* NONE: no number */
    bool json, bare_hex;
} counts[] = {
    {"0", 0, false, false},
    {"  742 ", 742, false, false},
    {"203,913,228", 203913228, false, false},
    {"837 355 [428 GB]", 837355, false, false},
    {"29.426.647 [15,0 TB]", 29426647, false, false},
    {"1.356", 1356, false, false},
    {"1'302", 1302, false, false},
    {"50\xe2\x80\x99" "875\xe2\x80\x99" "377 [26.0 TB]", 50875377, false, false},
    {"8\xe2\x80\xaf" "140\xe2\x80\xaf" "849", 8140849, false, false},
    {"8\xc2\xa0" "140\xc2\xa0" "849", 8140849, false, false},
    {"8\xef\xbf\xbd" "140", 8140, false, false},             /* a separator that a paste has broken */
    {"8\xc3\xa2\xc2\x80\xc2\xaf" "140", 8140, false, false}, /* … or encoded twice */
    {"1,22,33,444", 12233444, false, false},                  /* India */
    {"3671745 (1.88 TB)", 3671745, false, false},
    {"26,438,573 (13.54 TB)", 26438573, false, false},
    {"100%", 100, false, false},
    {"28 Celsius", 28, false, false},
    {"128 Pages", 128, false, false},
    {"0x19", 25, false, false},
    {"0X19 ", 25, false, false},
    {"0x380EC1", 3673793, false, false},
    {"C0C8D4", 12634324, false, true},
    {"10", 16, false, true},
    {"C0C8D4", NONE, false, false},
    {"19C8", NONE, false, false},
    {"1,608,40", NONE, false, false}, /* cut */
    {"1,608,4", NONE, false, false},
    {"1.5", NONE, false, false},
    {"0.5", NONE, false, false},
    {"3671745.000000", 3671745, true, false},
    {"3671745.5", NONE, true, false},
    {"123", 123, true, false},
    {"-", NONE, false, false},
    {"", NONE, false, false},
    {"N/A", NONE, false, false},
    {"-5", NONE, false, false},
    {"0xZZ", NONE, false, false},
    {"1 2", 1, false, false},
    {"65535 min", 65535, false, false},
};

static void test_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        nv_u128 v = 0;
        const bool ok = number_count(span_of(counts[i].text), counts[i].json, counts[i].bare_hex, &v);
        if (ok != (counts[i].want != NONE) || (ok && v != counts[i].want)) {
            fail_msg("'%s' gives %d %llu", counts[i].text, ok, (unsigned long long)v);
        }
    }
}

static void test_wide(void **state)
{
    (void)state;
    nv_u128 v = 0;
    assert_true(number_count(SPAN_LIT("340282366920938463463374607431768211455"), true, false, &v));
    assert_true(v == ~(nv_u128)0);
    assert_true(number_count(SPAN_LIT("340,282,366,920,938,463,463,374,607,431,768,211,455"), false, false, &v));
    assert_true(v == ~(nv_u128)0);
    assert_true(number_count(SPAN_LIT("~18446744073709551616"), false, false, &v));
    assert_true(v == (nv_u128)1 << 64);
    assert_false(number_count(SPAN_LIT("340282366920938463463374607431768211456"), true, false, &v));
    assert_false(number_count(SPAN_LIT("0x100000000000000000000000000000000"), false, false, &v));
}

static const struct {
    const char *text;
    int64_t want; /* -1: no temperature */
} temperatures[] = {
    {"34 C", 307},
    {"29\xc2\xb0" "C (302 Kelvin)", 302},
    {"38 \xc2\xb0" "C (311 K)", 311},
    {"100 \xc2\xb0" "F (311 K)", 311},
    {"38 \xc2\xb0" "C (311 K, 100 \xc2\xb0" "F)", 311},
    {"100 \xc2\xb0" "F", 310},
    {"-273 \xc2\xb0" "C (0 K, -459 \xc2\xb0" "F)", 0},
    {"-273 C", 0},
    {"28 Celsius", 301},
    {"28 degrees C", 301},
    {"38 ?C (311 K)", 311},
    {"38\xef\xbf\xbd" "C", 311},
    {"-5 C", 268},
    {"311", 311},
    {"38", 311},
    {"0 K", 0},
    {"0x23", 308},
    {"-", 0},
    {"", -1},
    {"cold", -1},
    {"99999999 K", -1},
};

static void test_temperatures(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(temperatures); i++) {
        int64_t k = 0;
        const bool ok = number_kelvin(span_of(temperatures[i].text), &k);
        if (ok != (temperatures[i].want >= 0) || (ok && k != temperatures[i].want)) {
            fail_msg("'%s' gives %d %lld", temperatures[i].text, ok, (long long)k);
        }
    }
}

static void test_bags(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct bag *b = bag_of_text(a,
                                      SPAN_LIT("Data Units Read\t\t: 12\n"
                                               "Optional NVM Commands (0x005f):     Comp Wr_Unc\n"
                                               "  [0:0] : 0x1 explained\n"
                                               "no label here\n"
                                               "| Power Cycles | 20 |\n"
                                               "Physical media units written -\t\t0 7\n"),
                                      10);
    assert_int_equal(b->n, 4);
    assert_true(span_eq_text(b->items[0].key, "dataunitsread"));
    assert_true(span_eq_text(b->items[0].value, "12"));
    assert_int_equal(b->items[0].line, 10);
    assert_true(span_eq_text(b->items[1].key, "optionalnvmcommands"));
    assert_true(span_eq_text(b->items[1].paren, "0x005f"));
    assert_true(span_eq_text(bag_find(b, "nothing powercyc*")->value, "20"));
    assert_null(bag_find(b, "power"));
    assert_true(span_eq_text(bag_find(b, "physicalmediaunitswritten")->value, "0 7"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_temperatures),
        cmocka_unit_test(test_bags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
