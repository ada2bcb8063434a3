/* Capabilities of a PCI function from made-up configuration spaces, hostile ones among them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/pci_config.h"
#include "tests/lib/fakehost.h"

#include "advisor/base/banned.h"

#define PATH "/sys/x/config"

static void word(struct host *h, unsigned at, uint32_t v)
{
    char *const s = arena_alloc(h->arena, 4);
    for (unsigned i = 0; i < 4; i++) {
        s[i] = (char)(unsigned char)(v >> (8 * i));
    }
    fakehost_reply(h, HOST_READ, arena_printf(h->arena, "at %u 4 " PATH, at), (struct span){s, 4});
}

/* Header with a list that begins at `first`. */
static struct host *function(struct arena *a, unsigned first)
{
    struct host *const h = fakehost_new(a);
    word(h, 4, 0x00100006);
    word(h, 0x34, first);
    return h;
}

static void test_msix(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct err e = ERR_INIT;
    unsigned n = 7;
    struct host *h = function(a, 0x43); /* the lowest bits are reserved */
    word(h, 0x40, 0x00035001);          /* power management, then 50h */
    word(h, 0x50, 0x80206011);          /* MSI-X: 33 vectors, switched on */
    assert_true(pci_msix_vectors(h, PATH, &n, &e) && n == 33);
    word(h, 0x50, 0x87ff6011);
    assert_true(pci_msix_vectors(h, PATH, &n, &e) && n == 2048);
    word(h, 0x50, 0x00000010); /* the list ends without one */
    assert_true(pci_msix_vectors(h, PATH, &n, &e) && n == 0);
    word(h, 4, 0x00000006); /* no list at all */
    fakehost_remove(h, HOST_READ, "at 52 4 " PATH);
    assert_true(pci_msix_vectors(h, PATH, &n, &e) && n == 0);
}

static void test_hostile(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct err e = ERR_INIT;
    unsigned n = 7;
    struct host *h = function(a, 0x40);
    word(h, 0x40, 0x00004001); /* leads to itself */
    assert_false(pci_msix_vectors(h, PATH, &n, &e));
    assert_int_equal(e.code, E_SYNTAX);
    word(h, 0x40, 0x00005001);
    word(h, 0x50, 0x00004001); /* a circle of two */
    assert_false(pci_msix_vectors(h, PATH, &n, &e));
    word(h, 0x50, 0x00001001); /* into the header */
    assert_false(pci_msix_vectors(h, PATH, &n, &e));
    assert_int_equal(e.code, E_SYNTAX);
    word(h, 4, 0xffffffff); /* it has left */
    assert_false(pci_msix_vectors(h, PATH, &n, &e));
    assert_int_equal(e.code, E_IO);
    h = function(a, 0x40); /* who is not root sees no more than 64 bytes */
    fakehost_reply(h, HOST_READ, "at 64 4 " PATH, SPAN_LIT(""));
    assert_false(pci_msix_vectors(h, PATH, &n, &e));
    assert_int_equal(e.code, E_CUT);
    assert_int_equal(n, 7);
}

static void test_hotplug(void **state)
{
    (void)state;
    static const struct {
        uint32_t capability, slot;
        int want; /* 1 yes, 0 no, -1 no slot */
    } rows[] = {
        {0x01420010, 0x00040060, 1}, {0x01420010, 0x00040020, 0}, {0x00420010, 0x00040060, -1},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct err e = ERR_INIT;
        struct host *const h = function(a, 0x80);
        bool can = false;
        word(h, 0x80, rows[i].capability);
        word(h, 0x94, rows[i].slot);
        assert_int_equal(pci_slot_hotplug(h, PATH, &can, &e), rows[i].want >= 0);
        assert_true(rows[i].want < 0 ? e.code == E_ABSENT : can == (rows[i].want == 1));
    }
    ARENA_AUTO a = arena_new();
    struct err e = ERR_INIT;
    struct host *const h = function(a, 0xf4); /* its slot register would lie behind the end */
    bool can = false;
    word(h, 0xf4, 0x01420010);
    assert_false(pci_slot_hotplug(h, PATH, &can, &e));
}

static void test_addresses(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool ok;
    } rows[] = {
        {"0000:01:00.0", true}, {"10000:e1:00.0", true}, {"0000:01:00.f", true},
        {"pci0000:00", false},  {"0000:01:00", false},   {"0000:01:00.0:pcie004", false},
        {"0000:1:00.0", false}, {"nvme0", false},        {"", false},
        {"0000:01:00.10", false}, {"000g:01:00.0", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (pci_is_address(span_of(rows[i].name)) != rows[i].ok) {
            fail_msg("'%s'", rows[i].name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_msix),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_hotplug),
        cmocka_unit_test(test_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
