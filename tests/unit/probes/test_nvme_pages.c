/* NVMe pages of our own making: every field at its offset of the specification, limits, broken pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/nvme_pages.h"

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

static void fill_ctrl(unsigned char *p)
{
    put(p, 0, 0x144d, 2);
    memcpy(p + 4, "S4YPNX0R            ", 20);
    memcpy(p + 24, "Model of forty bytes                    ", 40);
    memcpy(p + 64, "EDA7202Q", 8);
    put(p, 77, 5, 1);
    put(p, 78, 0x0102, 2);
    put(p, 80, 0x00010400, 4);
    put(p, 96, 0x00080010, 4);
    put(p, 256, 0x005f, 2);
    put(p, 261, 0x0e, 1);
    put(p, 263, 1, 1);
    put(p, 265, 1, 1);
    put(p, 266, 343, 2);
    put(p, 268, 358, 2);
    put(p, 272, 16384, 4);
    put(p, 276, 4096, 4);
    put(p, 280, 0xfffffffffffffffeull, 8);
    put(p, 288, 1, 8);
    put(p, 296, 4096, 8);
    put(p, 340, 1, 2);
    put(p, 520, 0x0057, 2);
    put(p, 524, 4, 1);
    put(p, 525, 7, 1);
    put(p, 526, 1023, 2);
    put(p, 528, 7, 2);
    put(p, 2048, 900, 2);
    put(p, 2048 + 4, 11, 4);
    put(p, 2048 + 8, 22, 4);
    put(p, 2048 + 32, 500, 2);
    put(p, 2048 + 32 + 3, 3, 1);
}

static void test_ctrl(void **state)
{
    (void)state;
    unsigned char p[4096] = {0};
    struct nvme_ctrl c;
    struct err e = ERR_INIT;
    fill_ctrl(p);
    assert_true(nvme_ctrl_decode(span_page(p, sizeof(p)), &c, &e));
    assert_int_equal(c.vid, 0x144d);
    assert_true(span_starts(c.serial, "S4YPNX0R "));
    assert_true(span_starts(c.model, "Model of forty"));
    assert_true(span_eq_text(c.firmware, "EDA7202Q"));
    assert_int_equal(c.mdts, 5);
    assert_int_equal(c.cntlid, 0x0102);
    assert_int_equal(c.version, 0x00010400);
    assert_int_equal(c.ctratt, 0x00080010);
    assert_int_equal(c.oacs, 0x5f);
    assert_int_equal(c.lpa, 0x0e);
    assert_int_equal(c.npss, 1);
    assert_true(c.apst_supported);
    assert_int_equal(c.wctemp_k, 343);
    assert_int_equal(c.cctemp_k, 358);
    assert_int_equal(c.hmb_preferred_4k, 16384);
    assert_int_equal(c.hmb_minimum_4k, 4096);
    assert_true(c.total_bytes == ((nv_u128)1 << 64 | 0xfffffffffffffffeull));
    assert_true(c.unallocated_bytes == 4096);
    assert_int_equal(c.endgid_max, 1);
    assert_int_equal(c.oncs, 0x57);
    assert_int_equal(c.fna, 4);
    assert_int_equal(c.vwc, 7);
    assert_int_equal(c.awun_blocks, 1024);
    assert_int_equal(c.awupf_blocks, 8);
    assert_int_equal(c.power[0].max_power_uw, 9000000);
    assert_int_equal(c.power[0].enter_us, 11);
    assert_int_equal(c.power[0].exit_us, 22);
    assert_true(c.power[0].operational);
    assert_int_equal(c.power[1].max_power_uw, 50000);
    assert_false(c.power[1].operational);
}

static void test_logs(void **state)
{
    (void)state;
    unsigned char p[NVME_LOGS_BYTES] = {0};
    struct err e = ERR_INIT;
    bool there = false;
    p[4 * 0xc0] = 1;
    p[4 * 0xc1] = 2; /* another bit */
    assert_true(nvme_logs_decode(span_page(p, sizeof(p)), 0xc0, &there, &e) && there);
    assert_true(nvme_logs_decode(span_page(p, sizeof(p)), 0xc1, &there, &e) && !there);
    assert_true(nvme_logs_decode(span_page(p, sizeof(p)), 0xff, &there, &e) && !there);
    assert_false(nvme_logs_decode(span_page(p, sizeof(p) - 4), 0xc0, &there, &e));
}

static void fill_ns(unsigned char *p)
{
    put(p, 0, 1000, 8);
    put(p, 8, 900, 8);
    put(p, 16, 100, 8);
    put(p, 24, 0x12, 1);
    put(p, 25, 1, 1);
    put(p, 26, 1, 1);
    put(p, 29, 0x0a, 1);
    put(p, 30, 1, 1);
    put(p, 32, 0x80 | 40, 1);
    put(p, 36, 31, 2);
    put(p, 42, 0, 2);
    put(p, 44, 255, 2);
    put(p, 46, 256, 2);
    put(p, 64, 3, 2);
    put(p, 72, 31, 2);
    put(p, 99, 1, 1);
    put(p, 102, 1, 2);
    put(p, 128 + 2, 9, 1);
    put(p, 128 + 3, 2, 1);
    put(p, 132, 8, 2);
    put(p, 132 + 2, 12, 1);
}

static void test_ns(void **state)
{
    (void)state;
    unsigned char p[4096] = {0};
    struct nvme_ns n;
    struct err e = ERR_INIT;
    fill_ns(p);
    assert_true(nvme_ns_decode(span_page(p, sizeof(p)), &n, &e));
    assert_int_equal(n.size_blocks, 1000);
    assert_int_equal(n.capacity_blocks, 900);
    assert_int_equal(n.used_blocks, 100);
    assert_int_equal(n.n_formats, 2);
    assert_int_equal(n.format, 1);
    assert_int_equal(n.formats[0].lba_shift, 9);
    assert_int_equal(n.formats[0].performance, 2);
    assert_int_equal(n.formats[1].metadata_bytes, 8);
    assert_int_equal(nvme_ns_lba_bytes(&n), 4096);
    assert_int_equal(n.pi_type, 2);
    assert_true(n.shared);
    assert_true(n.write_protected);
    assert_true(n.format_progress_valid);
    assert_int_equal(n.format_remaining_pct, 40);
    assert_int_equal(n.nawupf_blocks, 32);
    assert_int_equal(n.boundary_blocks, 256);
    assert_int_equal(n.noiob_blocks, 256);
    assert_int_equal(n.npwg_blocks, 4);
    assert_int_equal(n.nows_blocks, 32);
    assert_int_equal(n.endgid, 1);
}

static void test_ns_validity(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t at;
        uint64_t v;
        size_t bytes;
        uint32_t nawupf, npwg, boundary;
        uint64_t lba;
    } rows[] = {
        {"as filled", 0, 1000, 8, 32, 4, 256, 4096},
        {"NSFEAT without bit 1", 24, 0x10, 1, 0, 4, 256, 4096},
        {"OPTPERF in bit 5 only", 24, 0x22, 1, 32, 4, 256, 4096},
        {"no OPTPERF", 24, 0x02, 1, 32, 0, 256, 4096},
        {"NAWUPF 0", 36, 0, 2, 0, 4, 256, 4096},
        {"no boundary", 44, 0, 2, 32, 4, 0, 4096},
        {"format that does not exist", 26, 7, 1, 32, 4, 256, 0},
        {"high index bits count only with more than 16 formats", 26, 0x21, 1, 32, 4, 256, 4096},
        {"block of 256 bytes", 132 + 2, 8, 1, 32, 4, 256, 0},
        {"block of 2^63 bytes", 132 + 2, 63, 1, 32, 4, 256, 0},
        {"a format that is not available", 132 + 2, 0, 1, 32, 4, 256, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        unsigned char p[4096] = {0};
        struct nvme_ns n;
        struct err e = ERR_INIT;
        fill_ns(p);
        put(p, rows[i].at, rows[i].v, rows[i].bytes);
        assert_true(nvme_ns_decode(span_page(p, sizeof(p)), &n, &e));
        if (n.nawupf_blocks != rows[i].nawupf || n.npwg_blocks != rows[i].npwg ||
            n.boundary_blocks != rows[i].boundary || nvme_ns_lba_bytes(&n) != rows[i].lba) {
            fail_msg("%s", rows[i].name);
        }
    }
}

static void test_ns_many_formats(void **state)
{
    (void)state;
    unsigned char p[4096] = {0};
    struct nvme_ns n;
    struct err e = ERR_INIT;
    put(p, 25, 15, 1);
    put(p, 82, 30, 1);
    put(p, 26, 0x41, 1); /* bit 6 of FLBAS is bit 5 of the index: format 33 */
    put(p, 128 + 4 * 33 + 2, 12, 1);
    assert_true(nvme_ns_decode(span_page(p, sizeof(p)), &n, &e));
    assert_int_equal(n.n_formats, 46);
    assert_int_equal(n.format, 33);
    assert_int_equal(nvme_ns_lba_bytes(&n), 4096);
    memset(p, 0xff, sizeof(p));
    assert_true(nvme_ns_decode(span_page(p, sizeof(p)), &n, &e));
    assert_int_equal(n.n_formats, NVME_FORMATS_MAX);
    assert_int_equal(nvme_ns_lba_bytes(&n), 0);
}

static void test_smart(void **state)
{
    (void)state;
    unsigned char p[512] = {0};
    struct nvme_smart s;
    struct err e = ERR_INIT;
    put(p, 0, 0x0c, 1);
    put(p, 1, 313, 2);
    put(p, 3, 100, 1);
    put(p, 4, 10, 1);
    put(p, 5, 255, 1);
    for (size_t i = 0; i < 10; i++) {
        put(p, 32 + 16 * i, 1000 + i, 8);
        put(p, 40 + 16 * i, i, 8);
    }
    put(p, 192, 7, 4);
    put(p, 196, 8, 4);
    put(p, 200, 310, 2);
    put(p, 214, 311, 2);
    put(p, 216, 9, 4);
    put(p, 220, 10, 4);
    assert_true(nvme_smart_decode(span_page(p, sizeof(p)), &s, &e));
    assert_int_equal(s.critical_warning, 0x0c);
    assert_int_equal(s.temperature_k, 313);
    assert_int_equal(s.available_spare, 100);
    assert_int_equal(s.spare_threshold, 10);
    assert_int_equal(s.percentage_used, 255);
    const nv_u128 got[] = {s.data_units_read,  s.data_units_written, s.host_reads,
                           s.host_writes,      s.busy_minutes,       s.power_cycles,
                           s.power_on_hours,   s.unsafe_shutdowns,   s.media_errors,
                           s.error_log_entries};
    for (size_t i = 0; i < ARRAY_LEN(got); i++) {
        assert_true(got[i] == ((nv_u128)i << 64 | (1000 + i)));
    }
    assert_int_equal(s.warning_temp_minutes, 7);
    assert_int_equal(s.critical_temp_minutes, 8);
    assert_int_equal(s.sensors_k[0], 310);
    assert_int_equal(s.sensors_k[7], 311);
    assert_int_equal(s.tmt1_transitions, 9);
    assert_int_equal(s.tmt2_transitions, 10);
}

static void test_lengths(void **state)
{
    (void)state;
    static const size_t lengths[] = {0, 1, 511, 513, 4095, 4097, 8192};
    unsigned char p[8192] = {0};
    for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
        struct nvme_ctrl c;
        struct nvme_ns n;
        struct nvme_smart s;
        struct err e = ERR_INIT;
        uint32_t f = 0;
        assert_false(nvme_ctrl_decode(span_page(p, lengths[i]), &c, &e));
        assert_int_equal(e.code, E_SYNTAX);
        assert_false(nvme_ns_decode(span_page(p, lengths[i]), &n, &e));
        assert_false(nvme_smart_decode(span_page(p, lengths[i]), &s, &e));
        assert_false(nvme_feature_decode(span_page(p, lengths[i]), &f, &e));
    }
}

static void test_features(void **state)
{
    (void)state;
    static const struct {
        const char bytes[5];
        uint32_t dword, granted;
    } rows[] = {
        {"\x3f\x00\x3f\x00", 0x003f003f, 64},
        {"\x00\x00\x00\x00", 0, 1},
        {"\x01\x00\x3f\x00", 0x003f0001, 2},
        {"\x3f\x00\x01\x00", 0x0001003f, 2},
        {"\xff\xff\xff\xff", 0xffffffff, 65536},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint32_t v = 0;
        struct err e = ERR_INIT;
        assert_true(nvme_feature_decode((struct span){rows[i].bytes, 4}, &v, &e));
        assert_int_equal(v, rows[i].dword);
        assert_int_equal(nvme_queues_granted(v), rows[i].granted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ctrl),        cmocka_unit_test(test_logs),
        cmocka_unit_test(test_ns),
        cmocka_unit_test(test_ns_validity), cmocka_unit_test(test_ns_many_formats),
        cmocka_unit_test(test_smart),       cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
