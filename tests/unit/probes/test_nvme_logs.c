/* Log pages of our own making: every field at its offset, limits, pages that are not what they claim. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/nvme_logs.h"
#include "probes/nvme_vendor.h"

#include "advisor/base/banned.h"

static void put(unsigned char *page, size_t at, uint64_t v, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        page[at + i] = (unsigned char)(v >> (8 * i));
    }
}

static struct span span_page(const unsigned char *page, size_t n)
{
    return (struct span){(const char *)page, n};
}

static void put_error(unsigned char *p, size_t i, uint64_t number, uint64_t queue, uint64_t status)
{
    put(p, 64 * i, number, 8);
    put(p, 64 * i + 8, queue, 2);
    put(p, 64 * i + 12, status << 1 | 1, 2); /* with the phase bit */
    put(p, 64 * i + 16, 4096 + i, 8);
    put(p, 64 * i + 24, 1, 4);
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        uint64_t number, queue, status;
        bool media;
    } rows[] = {
        {9, 3, 0x281, true},     /* unrecovered read error */
        {8, 1, 0x2ff, true},
        {7, 0, 0x281, false},    /* of an admin command */
        {6, 3, 0x002, false},    /* invalid field */
        {5, 3, 0x181, false},
        {4, 3, 0x4281, true},    /* do not retry: the bit is none of the status */
        {3, 65535, 0x281, false}, /* of no command */
        {0, 3, 0x281, false},    /* unused */
    };
    unsigned char p[64 * 8] = {0};
    struct nvme_error list[NVME_ERROR_ENTRIES_MAX];
    struct err e = ERR_INIT;
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        put_error(p, i, rows[i].number, rows[i].queue, rows[i].status);
    }
    assert_true(nvme_errors_decode(span_page(p, sizeof(p)), list, &n, &e));
    assert_int_equal(n, 8);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(list[i].number, rows[i].number);
        assert_int_equal(list[i].lba, 4096 + i);
        if (nvme_error_is_media(&list[i]) != rows[i].media) {
            fail_msg("entry %zu", i);
        }
    }
    assert_int_equal(list[0].status, 0x281);
    static const size_t lengths[] = {0, 63, 65, 64 * 65};
    unsigned char big[64 * 65] = {0};
    for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
        assert_false(nvme_errors_decode(span_page(big, lengths[i]), list, &n, &e));
        assert_int_equal(e.code, E_SYNTAX);
    }
}

static void test_firmware(void **state)
{
    (void)state;
    unsigned char p[512] = {0};
    struct nvme_firmware f;
    struct err e = ERR_INIT;
    put(p, 0, 0x32, 1);
    memcpy(p + 8, "FIRST   ", 8);
    memcpy(p + 56, "SEVENTH!", 8);
    assert_true(nvme_firmware_decode(span_page(p, sizeof(p)), &f, &e));
    assert_int_equal(f.active, 2);
    assert_int_equal(f.next, 3);
    assert_true(span_eq_text(f.revision[0], "FIRST   "));
    assert_true(span_eq_text(f.revision[6], "SEVENTH!"));
    assert_false(nvme_firmware_decode(span_page(p, 511), &f, &e));
}

static void test_selftest(void **state)
{
    (void)state;
    static const struct {
        uint8_t running, first, second;
        unsigned failed;
        enum nvme_selftest_end last;
        uint64_t hours;
    } rows[] = {
        {0, 0x0f, 0x0f, 0, SELFTEST_NONE, 0},
        {1, 0x10, 0x15, 1, SELFTEST_PASSED, 100}, /* high digits say which test it was */
        {0, 0x27, 0x15, 2, SELFTEST_FAILED, 100},
        {2, 0x21, 0x20, 0, SELFTEST_ABORTED, 100},
        {0x1e, 0x29, 0x2f, 0, SELFTEST_ABORTED, 100},
        {0, 0x0f, 0x16, 1, SELFTEST_FAILED, 200},
        {0, 0x1a, 0x1e, 0, SELFTEST_NONE, 0},     /* codes that do not exist yet */
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        unsigned char p[NVME_SELFTEST_LOG];
        struct nvme_selftest s;
        struct err e = ERR_INIT;
        memset(p, 0, sizeof(p));
        for (size_t k = 0; k < NVME_SELFTEST_RESULTS; k++) {
            put(p, 4 + 28 * k, 0x0f, 1);
        }
        put(p, 0, rows[i].running, 1);
        put(p, 1, 0x80 | 42, 1);
        put(p, 4, rows[i].first, 1);
        put(p, 8, 100, 8);
        put(p, 32, rows[i].second, 1);
        put(p, 36, 200, 8);
        assert_true(nvme_selftest_decode(span_page(p, sizeof(p)), &s, &e));
        if (s.running != (rows[i].running & 15) || s.percent_done != 42 || s.last != rows[i].last ||
            s.failed != rows[i].failed || s.last_hours != rows[i].hours) {
            fail_msg("row %zu", i);
        }
        assert_false(nvme_selftest_decode(span_page(p, sizeof(p) - 4), &s, &e));
    }
}

static void test_sanitize(void **state)
{
    (void)state;
    static const enum nvme_sanitize_state want[] = {
        SANITIZE_NEVER,   SANITIZE_DONE,  SANITIZE_RUNNING, SANITIZE_FAILED, SANITIZE_DONE,
        SANITIZE_RUNNING, SANITIZE_OTHER, SANITIZE_OTHER};
    unsigned char p[512] = {0};
    for (unsigned i = 0; i < ARRAY_LEN(want); i++) {
        enum nvme_sanitize_state s = SANITIZE_OTHER;
        struct err e = ERR_INIT;
        put(p, 2, 0x1f8 | i, 2); /* passes made, and "all data erased" */
        assert_true(nvme_sanitize_decode(span_page(p, sizeof(p)), &s, &e));
        assert_int_equal(s, want[i]);
    }
}

static void test_endurance_and_fdp(void **state)
{
    (void)state;
    unsigned char p[512] = {0};
    struct nvme_endurance g;
    struct nvme_fdp f;
    struct err e = ERR_INIT;
    put(p, 0, 5, 1);
    put(p, 3, 90, 1);
    put(p, 4, 10, 1);
    put(p, 5, 17, 1);
    put(p, 64, 1000, 8);
    put(p, 80, 1400, 8);
    put(p, 88, 1, 8);
    assert_true(nvme_endurance_decode(span_page(p, sizeof(p)), &g, &e));
    assert_int_equal(g.critical_warning, 5);
    assert_int_equal(g.available_spare, 90);
    assert_int_equal(g.spare_threshold, 10);
    assert_int_equal(g.percentage_used, 17);
    assert_true(g.data_units_written == 1000);
    assert_true(g.media_units_written == ((nv_u128)1 << 64 | 1400));
    memset(p, 0, sizeof(p));
    put(p, 0, 7, 8);
    put(p, 16, 9, 8);
    put(p, 24, 2, 8);
    assert_true(nvme_fdp_decode(span_page(p, NVME_FDP_LOG), &f, &e));
    assert_true(f.host_bytes == 7);
    assert_true(f.media_bytes == ((nv_u128)2 << 64 | 9));
    assert_false(nvme_fdp_decode(span_page(p, 512), &f, &e));
    assert_false(nvme_endurance_decode(span_page(p, 64), &g, &e));
}

static void test_ocp(void **state)
{
    (void)state;
    static const unsigned char guid[] = {0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4,
                                         0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf};
    unsigned char p[512] = {0};
    struct nvme_ocp o;
    struct err e = ERR_INIT;
    put(p, 0, 12345, 8);
    put(p, 8, 1, 8);
    put(p, 72, 1, 4);
    put(p, 88, 900, 4);
    put(p, 92, 800, 4);
    put(p, 96, 255, 1);
    put(p, 97, 2, 1);
    put(p, 112, 3, 4);
    put(p, 120, 80, 1);
    put(p, 128, 120, 2);
    put(p, 160, 44, 8);
    put(p, 224, 850, 8);
    put(p, 494, 5, 2);
    memcpy(p + 496, guid, 16);
    assert_true(nvme_ocp_decode(span_page(p, sizeof(p)), &o, &e));
    assert_true(o.media_bytes_written == ((nv_u128)1 << 64 | 12345));
    assert_int_equal(o.e2e_detected, 1);
    assert_int_equal(o.erase_max, 900);
    assert_int_equal(o.erase_min, 800);
    assert_true(o.has_erase_avg && o.erase_avg == 850);
    assert_int_equal(o.throttle_events, 255);
    assert_int_equal(o.throttle_now, 2);
    assert_int_equal(o.incomplete_shutdowns, 3);
    assert_int_equal(o.free_blocks_pct, 80);
    assert_int_equal(o.capacitor_pct, 120);
    assert_true(o.plp_starts == 44);
    put(p, 494, 4, 2);
    assert_true(nvme_ocp_decode(span_page(p, sizeof(p)), &o, &e) && !o.has_erase_avg);
    for (size_t i = 0; i < 16; i++) {
        p[496 + i] ^= 1;
        assert_false(nvme_ocp_decode(span_page(p, sizeof(p)), &o, &e));
        assert_int_equal(e.code, E_NOT_SUPPORTED);
        p[496 + i] ^= 1;
    }
}

static void put_item(unsigned char *p, size_t i, unsigned key, uint64_t raw)
{
    put(p, 12 * i, key, 1);
    put(p, 12 * i + 3, 100, 1);
    put(p, 12 * i + 5, raw, 6);
}

static void test_intel(void **state)
{
    (void)state;
    unsigned char p[512] = {0};
    struct nvme_intel r;
    struct err e = ERR_INIT;
    assert_false(nvme_intel_decode(span_page(p, sizeof(p)), &r, &e)); /* zeros are nobody's */
    put_item(p, 0, 0xab, 1);
    put_item(p, 1, 0xad, 0x000300020001ull);
    put_item(p, 2, 0xe2, 0xffff);
    put_item(p, 3, 0xea, 0x0000000500ull | 7);
    put_item(p, 4, 0x42, 99); /* a key that is not known */
    put_item(p, 41, 0xf4, 0xffffffffffffull);
    put_item(p, 5, 0xab, 77);  /* a second one of its kind */
    assert_true(nvme_intel_decode(span_page(p, sizeof(p)), &r, &e));
    assert_int_equal(r.has, 1u << INTEL_PROGRAM_FAIL | 1u << INTEL_WEAR | 1u << INTEL_TIMED_WEAR |
                                1u << INTEL_THROTTLE | 1u << INTEL_NAND_WRITTEN);
    assert_int_equal(r.raw[INTEL_PROGRAM_FAIL], 1);
    assert_int_equal(nvme_intel_wear(&r, 0), 1);
    assert_int_equal(nvme_intel_wear(&r, 1), 2);
    assert_int_equal(nvme_intel_wear(&r, 2), 3);
    assert_int_equal(r.raw[INTEL_THROTTLE], 0x507);
    assert_true(r.raw[INTEL_NAND_WRITTEN] == 0xffffffffffffull);
    put(p, 0, 0, 1);
    put(p, 60, 0, 1);
    assert_false(nvme_intel_decode(span_page(p, sizeof(p)), &r, &e)); /* the wear item alone */
    assert_int_equal(e.code, E_NOT_SUPPORTED);
}

static void test_amazon(void **state)
{
    (void)state;
    static unsigned char p[4096];
    struct nvme_amazon a;
    struct err e = ERR_INIT;
    for (size_t i = 0; i < 12; i++) {
        put(p, 8 * i, 100 + i, 8);
    }
    put(p, 0, 0x3c23b510, 8);
    assert_true(nvme_amazon_decode(span_page(p, sizeof(p)), &a, &e) && a.volume);
    assert_int_equal(a.volume_iops_us, 107);
    assert_int_equal(a.volume_throughput_us, 108);
    assert_int_equal(a.instance_iops_us, 109);
    assert_int_equal(a.instance_throughput_us, 110);
    assert_int_equal(a.queue_length, 111);
    put(p, 0, 0xec2c0d7e, 4);
    assert_true(nvme_amazon_decode(span_page(p, sizeof(p)), &a, &e) && !a.volume);
    put(p, 0, 0x3c23b511, 4);
    assert_false(nvme_amazon_decode(span_page(p, sizeof(p)), &a, &e));
    assert_int_equal(e.code, E_NOT_SUPPORTED);
    assert_false(nvme_amazon_decode(span_page(p, 512), &a, &e));
    assert_int_equal(e.code, E_SYNTAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),   cmocka_unit_test(test_firmware),
        cmocka_unit_test(test_selftest), cmocka_unit_test(test_sanitize),
        cmocka_unit_test(test_endurance_and_fdp), cmocka_unit_test(test_ocp),
        cmocka_unit_test(test_intel),    cmocka_unit_test(test_amazon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
