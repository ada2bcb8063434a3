/* Several outputs and several devices: whose facts they are, and what becomes of what cannot be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/import/import.h"
#include "probes/probe.h"

#include "advisor/base/banned.h"

struct run {
    struct arena *a;
    struct store *store;
    struct import *im;
};

static const char *hide(void *ctx, struct span serial)
{
    return arena_printf(ctx, "hidden-%zu", serial.len);
}

static struct run begin(struct arena *a)
{
    struct err e = ERR_INIT;
    struct decl_set *decls = decl_set_new(a);
    assert_true(probes_declare(decls, &e));
    struct run r = {.a = a, .store = store_new(a, decls)};
    const struct import_hide secret = {.serial = hide, .ctx = a};
    r.im = import_new(a, r.store, &secret);
    return r;
}

static void give(const struct run *r, const char *name, const char *text)
{
    struct err e = ERR_INIT;
    if (!import_text(r->im, name, span_of(text), &e)) {
        fail_msg("%s", e.text);
    }
}

/* "FACT=VALUE" of a device, as people see it; "" when it is not known. */
static const char *seen(const struct run *r, const char *label, const char *fact)
{
    const struct subject *sub = store_find_subject(r->store, label);
    const struct fact *f = sub != NULL ? store_get(r->store, sub, span_of(fact)) : NULL;
    struct buf b;
    buf_init(&b, r->a, 400);
    if (f != NULL && f->state == FACT_KNOWN) {
        value_print(&b, &f->value);
    }
    return b.ptr;
}

static size_t devices(const struct run *r)
{
    const struct subject *const *subs = NULL;
    return store_subjects_of(r->store, SUBJECT_DEVICE, &subs);
}

#define LOG(name, hours)                                                                           \
    "Smart Log for NVME device:" name " namespace-id:ffffffff\n"                                   \
    "critical_warning : 0\navailable_spare : 100%\npower_on_hours : " hours "\n"
#define CTRL(serial, model)                                                                        \
    "NVME Identify Controller:\nvid : 0x144d\nsn : " serial "\nmn : " model "\nmdts : 5\nawupf : 7\n"
#define NS(count)                                                                                  \
    "NVME Identify Namespace " count ":\nnsze : 0x1000\nncap : 0x1000\nnuse : 0x800\nnsfeat : 0\n" \
    "nlbaf : 1\nflbas : 0\nnawupf : 0\n"                                                           \
    "lbaf  0 : ms:0   lbads:9  rp:0x2 (in use)\nlbaf  1 : ms:0   lbads:12 rp:0x1\n"

/* Controller and namespace of one drive in one paste, with prompts. */
static void test_one_drive(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct run r = begin(a);
    give(&r, "/tmp/x/dump.txt",
         "root@h:~# nvme smart-log /dev/nvme0\n" LOG("nvme0", "10")
         "root@h:~# nvme id-ctrl /dev/nvme0\n" CTRL("S123", "SAMSUNG X")
         "root@h:~# nvme id-ns /dev/nvme0n1\n" NS("1"));
    import_end(r.im);
    assert_int_equal(devices(&r), 1);
    assert_string_equal(seen(&r, "device:nvme0n1", "device.smart.power_on_hours"), "10 h");
    assert_string_equal(seen(&r, "device:nvme0n1", "device.model"), "SAMSUNG X");
    assert_string_equal(seen(&r, "device:nvme0n1", "device.serial"), "hidden-4");
    assert_string_equal(seen(&r, "device:nvme0n1", "device.ns.full_4k_available"), "true");
    assert_string_equal(seen(&r, "device:nvme0n1", "device.awupf_bytes"), "4 KiB");
    assert_string_equal(seen(&r, "device:nvme0n1", "device.ns.nawupf_bytes"), "4 KiB");
    const struct fact *f = store_get(r.store, store_find_subject(r.store, "device:nvme0n1"), SPAN_LIT("device.model"));
    assert_string_equal(f->source, "import: nvme id-ctrl, dump.txt");
}

/* Two logs without names are of two drives; with names, of those. */
static void test_two_drives(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct run r = begin(a);
    give(&r, "a", LOG("nvme0", "10") LOG("nvme1n1", "20"));
    give(&r, "b", "{\"avail_spare\": 100, \"power_on_hours\": 5}\n{\"avail_spare\": 100, \"power_on_hours\": 6}\n");
    import_end(r.im);
    assert_int_equal(devices(&r), 4);
    assert_string_equal(seen(&r, "device:nvme0", "device.smart.power_on_hours"), "10 h");
    assert_string_equal(seen(&r, "device:nvme1n1", "device.smart.power_on_hours"), "20 h");
    assert_string_equal(seen(&r, "device:default", "device.smart.power_on_hours"), "5 h");
    assert_string_equal(seen(&r, "device:default-2", "device.smart.power_on_hours"), "6 h");
}

/* The header is missing: the second log begins where its first label comes again. */
static void test_without_headers(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct run r = begin(a);
    give(&r, "a", "critical_warning : 0\npower_on_hours : 1\ncritical_warning : 0\npower_on_hours : 2\n");
    import_end(r.im);
    assert_int_equal(devices(&r), 2);
    assert_string_equal(seen(&r, "device:default-2", "device.smart.power_on_hours"), "2 h");
}

/* A serial number joins outputs, unless models differ. */
static void test_serials(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct run r = begin(a);
    static const char list[] =
        "{\"Devices\":[{\"NameSpace\":1,\"DevicePath\":\"/dev/nvme7n1\",\"ModelNumber\":\"SAMSUNG X\","
        "\"SerialNumber\":\"S123\",\"PhysicalSize\":1000204886016,\"UsedBytes\":5000000000,\"SectorSize\":512},"
        "{\"NameSpace\":1,\"DevicePath\":\"/dev/nvme8n1\",\"ModelNumber\":\"OTHER\","
        "\"SerialNumber\":\"S123\",\"PhysicalSize\":2000,\"SectorSize\":4096}]}";
    give(&r, "list", list);
    give(&r, "ctrl", CTRL("S123", "SAMSUNG X"));
    import_end(r.im);
    assert_int_equal(devices(&r), 2);
    assert_string_equal(seen(&r, "device:nvme7n1", "device.mdts"), "5");
    assert_string_equal(seen(&r, "device:nvme8n1", "device.mdts"), "");
    assert_string_equal(seen(&r, "device:nvme8n1", "device.ns.lba_bytes"), "4 KiB");
}

/* Controllers of a subsystem that only share a number with a disk. */
static void test_multipath(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct run r = begin(a);
    give(&r, "ctrl", "# nvme id-ctrl /dev/nvme2\n" CTRL("S1", "A"));
    give(&r, "list", "{\"Devices\":[{\"DevicePath\":\"/dev/nvme2n1\",\"ModelNumber\":\"B\",\"SerialNumber\":\"S2\","
                     "\"PhysicalSize\":2000,\"SectorSize\":512}]}");
    import_end(r.im);
    assert_int_equal(devices(&r), 2);
    assert_string_equal(seen(&r, "device:nvme2n1", "device.mdts"), "");
    assert_string_equal(seen(&r, "device:nvme2", "device.mdts"), "5");
}

/* What a table rounds gives way to what another output says exactly, whichever comes first. */
static void test_rounded(void **state)
{
    (void)state;
    static const char table[] =
        "Node             SN                   Model            Namespace Usage                      Format           FW Rev  \n"
        "---------------- -------------------- ---------------- --------- -------------------------- ---------------- --------\n"
        "/dev/nvme0n1     S1                   X                1         267.98  GB / 500.11  GB    512   B +  0 B   F       \n"
        "/dev/nvme1n1     S2                   X                1           1.00  TB /   1.00  TB      4 KiB +  0 B   F       \n";
    static const char page[] = "# nvme id-ns /dev/nvme0n1\n" NS("1");
    for (int first = 0; first < 2; first++) {
        ARENA_AUTO a = arena_new();
        const struct run r = begin(a);
        give(&r, "a", first == 0 ? table : page);
        give(&r, "b", first == 0 ? page : table);
        import_end(r.im);
        assert_string_equal(seen(&r, "device:nvme0n1", "device.ns.size_bytes"), "2 MiB");
        assert_string_equal(seen(&r, "device:nvme1n1", "device.ns.used_bytes"), "");
        const struct fact *f = store_get(r.store, store_find_subject(r.store, "device:nvme1n1"),
                                         SPAN_LIT("device.ns.size_bytes"));
        assert_true(f->estimated);
        uint64_t bytes = 0;
        assert_true(num_to_u64(f->value.num, &bytes));
        assert_int_equal(bytes, 1000000000000);
    }
}

static void refuse(const char *text)
{
    ARENA_AUTO a = arena_new();
    const struct run r = begin(a);
    struct err e = ERR_INIT;
    assert_false(import_text(r.im, "x", span_of(text), &e));
    assert_int_equal(e.code, E_SYNTAX);
    import_end(r.im);
    assert_int_equal(devices(&r), 0);
}

static void test_unknown(void **state)
{
    (void)state;
    refuse("");
    refuse(" \n\n");
    refuse("dear all,\nthe drive is slow: what to do?\n");
    refuse("{\"a\": 1}");
    refuse("[[[[[[[[[[[[[[[[[[[[[[");
}

/* Of a known kind, with nothing in it: told, and no facts. */
static void test_nothing_usable(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct run r = begin(a);
    give(&r, "x", "smartctl 7.3 2022-02-28 r5338 [x86_64-linux]\nSmartctl open device: /dev/nvme9 failed: "
                  "No such device\n");
    import_end(r.im);
    assert_int_equal(import_pieces(r.im), 1);
    assert_int_equal(import_warnings(r.im)->n, 1);
}

/* What is left over is listed, and no serial number is in the list. */
static void test_notes(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct run r = begin(a);
    give(&r, "x", LOG("nvme0", "10") "frobnication_level : 7\nmedia_errors : many\nhello there\n");
    import_end(r.im);
    assert_int_equal(import_notes(r.im)->n, 2);
    assert_non_null(strstr(import_notes(r.im)->items[0]->string.ptr, "'many' is no value"));
    assert_non_null(strstr(import_notes(r.im)->items[1]->string.ptr, "frobnicationlevel"));
    assert_string_equal(seen(&r, "device:nvme0", "device.smart.media_errors"), "");
}

/* The last number without its newline may have had more digits; a unit behind it ends it. */
static void test_cut_text(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct run r = begin(a);
    give(&r, "x", LOG("nvme0", "10") "power_cycles : 29\nmedia_errors : 1");
    give(&r, "y", LOG("nvme1", "10") "power_cycles : 29\npercentage_used : 7%");
    import_end(r.im);
    assert_string_equal(seen(&r, "device:nvme0", "device.smart.power_cycles"), "29");
    assert_string_equal(seen(&r, "device:nvme0", "device.smart.media_errors"), "");
    assert_string_equal(seen(&r, "device:nvme1", "device.smart.percentage_used_pct"), "7 %");
    assert_int_equal(import_warnings(r.im)->n, 1);
    assert_non_null(strstr(import_warnings(r.im)->items[0]->string.ptr, "'media_errors' may be cut off"));
}

/* Whole outputs that lack their last newline alone: a paste that was trimmed. */
static void test_trimmed(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct run r = begin(a);
    give(&r, "x", LOG("nvme0", "10") "media_errors : 0\nnum_err_log_entries : 17");
    give(&r, "y", "# smartctl -x /dev/nvme1\nsmartctl 7.4 2023-08-01 r5530 [x86_64]\nError Information (NVMe Log 0x01, 16 of 64 entries)\n"
                  "Num   ErrCount  SQId   CmdId  Status  PELoc          LBA  NSID    VS\n"
                  "  0       1356     0  0x0012  0xc005  0x028            -     0     -");
    import_end(r.im);
    assert_string_equal(seen(&r, "device:nvme0", "device.smart.error_log_entries"), "17");
    assert_string_equal(seen(&r, "device:nvme1", "device.errors.entries"), "1356:q0:0x2:lba0");
}

static void test_cut_json(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct run r = begin(a);
    give(&r, "x", "{\n \"critical_warning\" : 0,\n \"temperature\" : 301,\n \"power_cycles\" : 290,\n \"power_on_hours\" : 383");
    import_end(r.im);
    assert_string_equal(seen(&r, "device:default", "device.smart.power_cycles"), "290");
    assert_string_equal(seen(&r, "device:default", "device.smart.power_on_hours"), "");
    assert_int_equal(import_warnings(r.im)->n, 1);
}

/* What is said of one namespace of a controller holds for no other. */
static void test_namespaces(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct run r = begin(a);
    give(&r, "x", "# nvme id-ns -n 1 /dev/nvme0\n" NS("1") "# nvme id-ns --namespace-id=2 /dev/nvme0\n" NS("2"));
    give(&r, "y",
         "# smartctl -a /dev/nvme1\nsmartctl 7.4 2023-08-01 r5530 [x86_64]\n=== START OF INFORMATION SECTION ===\n"
         "Model Number:                       X\nSerial Number:                      S1234567\n"
         "Namespace 1 Size/Capacity:          1,024,000 [1.02 MB]\nNamespace 1 Formatted LBA Size:     512\n"
         "Namespace 2 Size/Capacity:          2,048,000 [2.04 MB]\nNamespace 2 Formatted LBA Size:     4096\n"
         "SMART/Health Information (NVMe Log 0x02)\nPower Cycles:                       12\n");
    import_end(r.im);
    assert_int_equal(devices(&r), 4);
    assert_string_equal(seen(&r, "device:nvme0n2", "device.ns.size_bytes"), "2 MiB");
    assert_string_equal(seen(&r, "device:nvme1n1", "device.ns.lba_bytes"), "512 B");
    assert_string_equal(seen(&r, "device:nvme1n2", "device.ns.lba_bytes"), "4 KiB");
    assert_string_equal(seen(&r, "device:nvme1n2", "device.smart.power_cycles"), "12");
}

/* Of two drives that lack a log neither gets one that does not say whose it is. */
static void test_ambiguous(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct run r = begin(a);
    give(&r, "x", CTRL("S123", "X") CTRL("S456", "X") "\n{\"critical_warning\":4,\"avail_spare\":100}\n");
    give(&r, "y", "- Intel SSD CVMD000000000001 -\nIndex : 0\nModelNumber : INTEL SSDPE\nSerialNumber : CVMD000000000001\n\n"
                  "- Intel SSD CVMD000000000002 -\nIndex : 1\nModelNumber : INTEL SSDPE\nSerialNumber : CVMD000000000002\n\n"
                  "- SMART and Health Information CVMD000000000001 -\nCritical Warnings : 0\nPower Cycles : 0x10\n");
    import_end(r.im);
    assert_string_equal(seen(&r, "device:default", "device.smart.critical_warning"), "");
    assert_string_equal(seen(&r, "device:default-2", "device.smart.critical_warning"), "");
    assert_string_equal(seen(&r, "device:default-3", "device.smart.critical_warning"), "4");
    assert_string_equal(seen(&r, "device:default-4", "device.smart.power_cycles"), "16");
    assert_string_equal(seen(&r, "device:default-5", "device.smart.power_cycles"), "");
}

static void test_logs(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct run r = begin(a);
    give(&r, "x",
         "# nvme sanitize-log /dev/nvme0\nSanitize Progress                      (SPROG) :  65535\n"
         "Sanitize Status                        (SSTAT) :  0x101\n"
         "Device Self Test Log for NVME device:nvme0\nCurrent operation  : 0\nCurrent Completion : 0%\n"
         "Self Test Result[0]:\n  Operation Result             : 0x7\n  Power on hours (POH)         : 0x1c8\n"
         "Self Test Result[1]:\n  Operation Result             : 0\n  Power on hours (POH)         : 0x10\n"
         "Self Test Result[2]:\n  Operation Result             : 0xf\n"
         "# nvme sanitize-log /dev/nvme1 -o json\n{\"nvme1\":{\"sprog\":9,\"sstat\":{\"status\":\"(0x2) Sanitize in Progress\"}}}\n"
         "# smartctl -l selftest /dev/nvme2\nsmartctl 7.4 2023-08-01 r5530 [x86_64]\nSelf-test Log (NVMe Log 0x06)\n"
         "Self-test status: Extended self-test in progress (28% completed)\n"
         "Num  Test_Description  Status                       Power_on_Hours  Failing_LBA  NSID Seg SCT Code\n"
         " 0   Short             Aborted: Controller Reset              1,206            -     -   -   -    -\n"
         " 1   Extended          Completed: failed segments               45        12345     1   2   -    -\n");
    import_end(r.im);
    assert_string_equal(seen(&r, "device:nvme0", "device.sanitize.status"), "done");
    assert_string_equal(seen(&r, "device:nvme0", "device.selftest.last_result"), "failed");
    assert_string_equal(seen(&r, "device:nvme0", "device.selftest.last_hours"), "19 d");
    assert_string_equal(seen(&r, "device:nvme0", "device.selftest.failed_count"), "1");
    assert_string_equal(seen(&r, "device:nvme1", "device.sanitize.status"), "running");
    assert_string_equal(seen(&r, "device:nvme2", "device.selftest.last_result"), "aborted");
    assert_string_equal(seen(&r, "device:nvme2", "device.selftest.failed_count"), "1");
    assert_string_equal(seen(&r, "device:nvme2", "device.errors.selftest_running"), "true");
}

/* lspci names places: of the drive whose place nvme list gave, else of the only one. */
static void test_lspci(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct run r = begin(a);
    give(&r, "x",
         "{\"Controllers\":[{\"Controller\":\"nvme1\",\"Address\":\"0000:02:00.0\",\"Namespaces\":[{\"NameSpace\":"
         "\"nvme1n1\",\"PhysicalSize\":512000,\"SectorSize\":512}]}],\"Devices\":[]}\n"
         "# lspci -vv\n02:00.0 Non-Volatile memory controller: Some Drive (prog-if 02 [NVM Express])\n"
         "\tCapabilities: [50] MSI: Enable- Count=1/32 Maskable- 64bit+\n"
         "\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x4, ASPM L1, Exit Latency L1 <64us\n"
         "\t\tLnkCtl:\tASPM Disabled; RCB 64 bytes, Disabled- CommClk+\n"
         "\t\tLnkSta:\tSpeed 8GT/s (downgraded), Width x2 (downgraded)\n"
         "\tCapabilities: [b0] MSI-X: Enable+ Count=130 Masked-\n"
         "03:00.0 Ethernet controller: Some Card\n\t\tLnkSta:\tSpeed 2.5GT/s, Width x1\n"
         "04:00.0 Non-Volatile memory controller: Other Drive (prog-if 02 [NVM Express])\n"
         "\t\tLnkSta:\tSpeed 16GT/s (ok), Width x4 (ok)\n");
    import_end(r.im);
    assert_int_equal(devices(&r), 2);
    assert_string_equal(seen(&r, "device:nvme1n1", "device.pci.link_width"), "2");
    assert_string_equal(seen(&r, "device:nvme1n1", "device.pci.link_width_max"), "4");
    assert_string_equal(seen(&r, "device:nvme1n1", "device.pci.aspm_l1"), "false");
    assert_string_equal(seen(&r, "device:nvme1n1", "device.pci.address"), "0000:02:00.0");
    assert_string_equal(seen(&r, "device:default", "device.transport"), "pcie");
    assert_string_equal(seen(&r, "device:nvme1n1", "device.queue.interrupt_mode"), "msix");
    assert_string_equal(seen(&r, "device:default", "device.pci.link_width"), "4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_drive),       cmocka_unit_test(test_two_drives),
        cmocka_unit_test(test_without_headers), cmocka_unit_test(test_serials),
        cmocka_unit_test(test_multipath),       cmocka_unit_test(test_rounded),
        cmocka_unit_test(test_unknown),         cmocka_unit_test(test_namespaces),
        cmocka_unit_test(test_ambiguous),       cmocka_unit_test(test_logs),
        cmocka_unit_test(test_lspci),
        cmocka_unit_test(test_nothing_usable),  cmocka_unit_test(test_notes),
        cmocka_unit_test(test_cut_text),        cmocka_unit_test(test_cut_json),
        cmocka_unit_test(test_trimmed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
