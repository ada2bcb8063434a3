/* See device_page_scenes.h. */
#include <string.h>

#include "tests/unit/probes/device_page_scenes.h"

#include "advisor/base/banned.h"

static char *reply(struct host *h, const char *key, size_t n)
{
    char *const page = arena_alloc(h->arena, n);
    fakehost_reply(h, HOST_NVME, key, (struct span){page, n});
    return page;
}

static void dword(struct host *h, const char *key, uint32_t v)
{
    page_put(reply(h, key, 4), 0, v, 4);
}

/* ---- standard log pages ---- */

void pages_logs(struct host *h)
{
    device_plain(h);
    char *p = page_ctrl(h, "nvme0");
    page_put(p, 256, 0x10, 2);
    page_put(p, 260, 3 << 1, 1);
    page_put(p, 262, 3, 1);
    page_put(p, 328, 2, 4);
    p = reply(h, "nvme0 log 1 4294967295 256", 256);
    for (size_t i = 0; i < 3; i++) {
        page_put(p, 64 * i, 30 - i, 8);
        page_put(p, 64 * i + 8, i, 2);
        page_put(p, 64 * i + 12, 0x281 << 1, 2);
        page_put(p, 64 * i + 16, 77, 8);
    }
    p = reply(h, "nvme0 log 3 4294967295 512", 512);
    page_put(p, 0, 0x21, 1);
    memcpy(p + 8, "1.0     ", 8);
    memcpy(p + 16, "2.0 ,x}\n", 8);
    p = reply(h, "nvme0 log 6 4294967295 564", 564);
    for (size_t i = 2; i < 20; i++) {
        page_put(p, 4 + 28 * i, 0x0f, 1);
    }
    page_put(p, 4, 0x17, 1);
    page_put(p, 8, 12, 8);
    page_put(p, 32, 0x10, 1);
    p = reply(h, "nvme0 log 129 4294967295 512", 512);
    page_put(p, 2, 1, 2);
}

void pages_selftest_at_work(struct host *h)
{
    pages_logs(h);
    char *const p = reply(h, "nvme0 log 6 4294967295 564", 564);
    memset(p, 0x0f, 564);
    page_put(p, 0, 1, 1);
}

/* One of three cannot be read: "at work" is only known when another says so. */
void pages_sanitize_unreadable(struct host *h)
{
    pages_logs(h);
    fakehost_fail(h, HOST_NVME, "nvme0 log 129 4294967295 512", E_IO, 5);
}

void pages_format_at_work(struct host *h)
{
    pages_sanitize_unreadable(h);
    page_put(page_ns(h, "nvme0"), 32, 0x80 | 40, 1);
}

void pages_sanitize_strange(struct host *h)
{
    pages_logs(h);
    page_put(reply(h, "nvme0 log 129 4294967295 512", 512), 2, 7, 2);
}

/* ---- features ---- */

void pages_modes(struct host *h)
{
    device_plain(h);
    char *p = page_ctrl(h, "nvme0");
    page_put(p, 263, 2, 1);
    page_put(p, 265, 1, 1);
    page_put(p, 272, 16384, 4);
    page_put(p, 322, 1, 2);
    page_put(p, 2048 + 64 + 3, 2, 1);
    page_put(p, 2048 + 64 + 8, 50000, 4);
    dword(h, "nvme0 feature 2 0", 0x21);
    dword(h, "nvme0 feature 8 0", 0x0302);
    dword(h, "nvme0 feature 10 0", 1);
    dword(h, "nvme0 feature 16 0", 350u << 16 | 355);
    p = reply(h, "nvme0 feature-data 12 0 256", 260);
    page_put(p, 0, 1, 4);
    page_put(p, 4, 100u << 8 | 1 << 3, 4);  /* state 0 goes to 1 after 100 ms */
    page_put(p, 12, 2000u << 8 | 2 << 3, 4); /* and 1 to 2 */
    page_put(p, 4 + 8 * 9, 1u << 8 | 31 << 3, 4); /* of a state that there is not */
    p = reply(h, "nvme0 feature-data 13 0 4096", 4100);
    page_put(p, 0, 1, 4);
}

void pages_modes_off(struct host *h)
{
    pages_modes(h);
    page_put(reply(h, "nvme0 feature-data 12 0 256", 260), 4, 100u << 8 | 1 << 3, 4);
    (void)reply(h, "nvme0 feature-data 13 0 4096", 4100);
    dword(h, "nvme0 feature 16 0", 0);
}

/* The table leads to a state that goes nowhere, or to one that does not exist. */
void pages_apst_shallow(struct host *h)
{
    pages_modes(h);
    char *const p = reply(h, "nvme0 feature-data 12 0 256", 260);
    page_put(p, 0, 1, 4);
    page_put(p, 4, 100u << 8 | 1 << 3, 4);
    page_put(p, 12, 100u << 8 | 31 << 3, 4);
    page_put(p, 20, 2 << 3, 4); /* after no time: never */
}

/* ---- wear ---- */

static char *ocp_page(struct host *h)
{
    static const char guid[] = "\xc5\xaf\x10\x28\xea\xbf\xf2\xa4\x9c\x4f\x6f\x7c\xc9\x14\xd5\xaf";
    page_put(page_ctrl(h, "nvme0"), 261, 0x20, 1);
    char *const list = reply(h, "nvme0 log 0 0 1024", 1024);
    page_put(list, 0, 1, 4);
    page_put(list, 4u * 0xc0, 1, 4);
    char *const p = reply(h, "nvme0 log 192 4294967295 512", 512);
    page_put(p, 0, 768000, 8);
    page_put(p, 72, 2, 4);
    page_put(p, 88, 900, 4);
    page_put(p, 92, 800, 4);
    page_put(p, 96, 3, 1);
    page_put(p, 112, 1, 4);
    page_put(p, 120, 70, 1);
    page_put(p, 128, 110, 2);
    page_put(p, 224, 850, 8);
    page_put(p, 494, 5, 2);
    memcpy(p + 496, guid, 16);
    return p;
}

void pages_ocp(struct host *h)
{
    device_plain(h);
    (void)ocp_page(h);
}

void pages_ocp_capacitor_failed(struct host *h)
{
    device_plain(h);
    char *const p = ocp_page(h);
    page_put(p, 128, 0, 2);
    page_put(p, 97, 1, 1);
}

void pages_ocp_no_capacitor(struct host *h)
{
    device_plain(h);
    char *const p = ocp_page(h);
    page_put(p, 128, 0xffff, 2);
    page_put(p, 494, 3, 2);
}

/* The page stands on the list, and another maker wrote it. */
void pages_not_ocp(struct host *h)
{
    device_plain(h);
    memset(ocp_page(h), 'x', 512);
}

void pages_ocp_unreadable(struct host *h)
{
    device_plain(h);
    (void)ocp_page(h);
    fakehost_fail(h, HOST_NVME, "nvme0 log 192 4294967295 512", E_IO, 5);
}

static void put_item(char *p, size_t i, unsigned key, uint64_t raw)
{
    page_put(p, 12 * i, key, 1);
    page_put(p, 12 * i + 5, raw, 6);
}

/* A P3600 has no list of its pages; its product specification names CAh. */
static char *intel_page(struct host *h)
{
    device_plain(h);
    char *const id = page_ctrl(h, "nvme0");
    page_put(id, 0, 0x8086, 2);
    memcpy(id + 24, "INTEL SSDPEDME012T4                     ", 40);
    char *const p = reply(h, "nvme0 log 202 4294967295 512", 512);
    put_item(p, 0, 0xab, 4);
    put_item(p, 1, 0xac, 5);
    put_item(p, 2, 0xad, 0x000600070005ull);
    put_item(p, 3, 0xb8, 1);
    put_item(p, 4, 0xc7, 2);
    put_item(p, 5, 0xe2, 0xffff);
    put_item(p, 6, 0xe3, 0xffff);
    put_item(p, 7, 0xe4, 0xffff);
    put_item(p, 8, 0xea, 0x0900 | 25);
    put_item(p, 9, 0xf4, 3000);
    put_item(p, 10, 0xf5, 2000);
    return p;
}

void pages_intel(struct host *h)
{
    (void)intel_page(h);
}

void pages_intel_timed(struct host *h)
{
    char *const p = intel_page(h);
    put_item(p, 5, 0xe2, 16);
    put_item(p, 6, 0xe3, 80);
    put_item(p, 7, 0xe4, 120);
}

/* A drive of Intel's whose specification nobody read: it is not asked. */
void pages_intel_other(struct host *h)
{
    (void)intel_page(h);
    char *const id = page_ctrl(h, "nvme0");
    page_put(id, 0, 0x8086, 2);
    memcpy(id + 24, "INTEL SSDPEKKW512G7                     ", 40);
}

static char *group(struct host *h)
{
    device_plain(h);
    char *p = page_ctrl(h, "nvme0");
    page_put(p, 96, 0x10, 4);
    page_put(p, 340, 2, 2);
    page_put(page_ns(h, "nvme0"), 102, 2, 2);
    p = reply(h, "nvme0 log 9 0 512 2", 512);
    page_put(p, 0, 1, 1);
    page_put(p, 3, 95, 1);
    page_put(p, 5, 12, 1);
    page_put(p, 64, 2000, 8);
    page_put(p, 80, 3000, 8);
    return p;
}

void pages_endurance(struct host *h)
{
    (void)group(h);
}

/* It knows groups and counts nothing: the next page tells. */
void pages_endurance_silent(struct host *h)
{
    char *const p = group(h);
    page_put(p, 80, 0, 8);
    (void)ocp_page(h);
    char *const id = page_ctrl(h, "nvme0");
    page_put(id, 96, 0x10, 4);
    page_put(id, 340, 2, 2);
    page_put(id, 261, 0x20, 1);
}

void pages_placement(struct host *h)
{
    (void)group(h);
    char *const id = page_ctrl(h, "nvme0");
    page_put(id, 96, 0x80010, 4);
    page_put(id, 340, 2, 2);
    dword(h, "nvme0 feature 29 0 2", 0x101);
    char *const p = reply(h, "nvme0 log 34 0 64 2", 64);
    page_put(p, 0, 1000, 8);
    page_put(p, 16, 1100, 8);
}

void pages_placement_off(struct host *h)
{
    pages_placement(h);
    dword(h, "nvme0 feature 29 0 2", 0);
}

/* ---- clouds and fabrics ---- */

static void amazon_page(struct host *h, uint64_t magic, const char *key)
{
    char *const p = reply(h, key, 4096);
    page_put(p, 0, magic, 4);
    page_put(p, 56, 1500000, 8);
    page_put(p, 64, 1, 8);
    page_put(p, 72, 2000000, 8);
    page_put(p, 80, 0, 8);
    page_put(p, 88, 4, 8);
}

void pages_ebs(struct host *h)
{
    device_amazon(h);
    memcpy(page_ctrl(h, "nvme0") + 24, "Amazon Elastic Block Store              ", 40);
    amazon_page(h, 0x3c23b510, "nvme0 log 208 4294967295 4096");
}

void pages_instance_disk(struct host *h)
{
    device_plain(h);
    hosts_attr(h, "nvme0n1", "device/model", "Amazon EC2 NVMe Instance Storage        ");
    char *const id = page_ctrl(h, "nvme0");
    memcpy(id + 24, "Amazon EC2 NVMe Instance Storage        ", 40);
    page_put(id, 261, 0x20, 1);
    char *const list = reply(h, "nvme0 log 0 0 1024", 1024);
    page_put(list, 4u * 0xd0, 1, 4);
    amazon_page(h, 0xec2c0d7e, "nvme0 log 208 4294967295 4096");
}

void pages_instance_disk_old(struct host *h)
{
    pages_instance_disk(h);
    memcpy(page_ctrl(h, "nvme0") + 24, "Amazon EC2 NVMe Instance Storage        ", 40);
}

void pages_over_tcp(struct host *h)
{
    pages_logs(h);
    fakehost_file(h, "/sys/class/nvme/nvme0/transport", "tcp");
}

void pages_counted_by_kernel(struct host *h)
{
    device_plain(h);
    fakehost_file(h, "/sys/class/nvme/nvme0/diag/reset_count", "2");
    hosts_attr(h, "nvme0n1", "diag/command_error_count", "5");
    hosts_attr(h, "nvme0n1", "diag/command_retries_count", "6");
}
