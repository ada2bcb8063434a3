/* Numbers as people write them, against what servers show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advisor/scratch/number.h"

#include "advisor/base/banned.h"

static void test_suffixed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t n;
        bool ok;
    } rows[] = {
        {"0", 0, true},
        {"12", 12, true},
        {"1k", 1024, true},
        {"3M", 3145728, true},
        {"2G", 2147483648u, true},
        {"1T", (uint64_t)1 << 40, true},
        {"15E", (uint64_t)15 << 60, true},
        {"16E", 0, false},
        {"18446744073709551615", UINT64_MAX, true},
        {"18446744073709551616", 0, false},
        {"1e6", 0, false},
        {"12Q", 0, false},
        {"-1", 0, false},
        {"1 G", 0, false},
        {"K", 0, false},
        {"", 0, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t n = 0;
        if (number_suffixed(span_of(rows[i].text), &n) != rows[i].ok || n != rows[i].n) {
            fail_msg("'%s': %llu", rows[i].text, (unsigned long long)n);
        }
    }
}

static void test_same(void **state)
{
    (void)state;
    enum { SAME, OTHER, NOT_TOLD };
    static const struct {
        const char *asked, *shown;
        int want;
    } rows[] = {
        {"1G", "1073741824", SAME},
        {"1000000001", "999292928", OTHER},
        {"90", "90.000000", SAME},
        {"0.5", "0.500000", SAME},
        {"120", "99.999", OTHER},
        {"1e6", "1152921504606846976", OTHER},
        {"1e6", "1000000", SAME},
        {"ON", "TRUE", SAME},
        {"on", "1", SAME},
        {"1", "TRUE", SAME},
        {"OFF", "TRUE", OTHER},
        {"0", "ON", OTHER},
        {"O_DIRECT", "fsync", NOT_TOLD},
        {"2", "DETECT_ONLY", NOT_TOLD},
        {"", "1", NOT_TOLD},
        {"9223372036854775807", "9223372036854775806", OTHER},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bool same = false;
        const bool told = number_same(span_of(rows[i].asked), span_of(rows[i].shown), &same);
        const int got = !told ? NOT_TOLD : same ? SAME : OTHER;
        if (got != rows[i].want) {
            fail_msg("'%s' against '%s': %d", rows[i].asked, rows[i].shown, got);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_suffixed),
        cmocka_unit_test(test_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
