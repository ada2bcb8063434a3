/* No key leaves the seam in a table of the device mapper. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/host/dm_filter.h"

#include "advisor/base/banned.h"

#define HEX "00112233445566778899aabbccddeeff"

static const struct {
    const char *in, *out;
} rows[] = {
    {"", ""},
    {"No devices found\n", ""},
    {"vg-data: 0 8192 linear 259:2 2048\n", "vg-data: 0 8192 linear 259:2 2048\n"},
    {"vg-data: 0 8192 linear 259:2 20", "vg-data: 0 8192 linear 259:2 20"},
    {"empty: \n", "empty:\n"},
    {"c: 0 8 crypt aes-xts-plain64 " HEX HEX
     " 0 7:0 32768 2 no_read_workqueue no_write_workqueue\n",
     "c: 0 8 crypt aes-xts-plain64 - 0 7:0 32768 2 no_read_workqueue no_write_workqueue\n"},
    {"c: 0 8 crypt aes-xts-plain64 :64:logon:cryptsetup:2f-d0 0 7:0 32768\n",
     "c: 0 8 crypt aes-xts-plain64 - 0 7:0 32768\n"},
    {"c: 0 8 crypt aes-cbc-essiv:sha256 0011 0 7:0 0\n",
     "c: 0 8 crypt aes-cbc-essiv:sha256 - 0 7:0 0\n"},
    {"i: 0 8 integrity 7:0 0 32 J 3 internal_hash:hmac(sha256):" HEX " journal_mac:hmac(sha1):ab "
     "journal_crypt:ctr(aes):cd\n",
     "i: 0 8 integrity 7:0 0 32 J 3 internal_hash:hmac(sha256):- journal_mac:hmac(sha1):- "
     "journal_crypt:ctr(aes):-\n"},
    {"i: 0 8 integrity 7:0 0 - J 1 internal_hash:crc32c\n",
     "i: 0 8 integrity 7:0 0 - J 1 internal_hash:crc32c\n"},
    {"o: 0 8 default-key xts " HEX " 0 7:0 0\n", "o: 0 8 default-key xts - 0 7:0 0\n"},
    {"a:b: c: 0 8 zero\n", ""},
    {"a:b: 0 8 zero\n", "a:b: 0 8 zero\n"},
    {"secret words\nx: secret 8 crypt\n: 0 8 zero\n", ""},
};

static void test_filter(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        const char *got = span_dup(a, dm_filter(a, span_of(rows[i].in)));
        assert_string_equal(got, rows[i].out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
