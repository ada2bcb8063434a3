/* See scene_runner.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/probes/scene_runner.h"

#include "advisor/base/banned.h"

void scenes_check(const struct scene *scenes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ARENA_AUTO a = arena_new();
        struct host *h = fakehost_new(a);
        struct store *s = fixture_store(a, &probe_device);
        scenes[i].make(h);
        const struct subject *sub =
            fixture_run(a, s, &probe_device, h, SUBJECT_DEVICE, scenes[i].args);
        fixture_check(a, s, sub, scenes[i].name, scenes[i].wants);
    }
}

/* A fact that another source gives in a weaker form when the better one fails. */
static bool may_differ(const char *name)
{
    static const char *const names[] = {
        "device.ns.size_bytes", /* the made-up pages and sysfs do not agree on it */
        "device.cntlid",
        "device.ns.nawupf_bytes",
        "device.model",
        "device.serial",
        "device.firmware",                 /* udev instead of sysfs */
        "device.queue.cpus_per_queue_max", /* of the queues that can be read */
        "device.queue.interrupt_mode",
        "device.queue.vectors",
        "device.pci.aspm_l1",
        "device.rotational_media",
        "device.queue.wbt_latency", /* a file that not every kernel has */
        "device.queue.affinity",    /* effective or allowed CPUs */
        "device.reset_count",       /* counters of the newest kernels */
        "device.errors.command_error_count",
        "device.errors.command_retries_count",
        "device.multipath.failover_count",
        "device.pci.aspm",
        "device.pci.aer_fatal",     /* a port that reports no errors */
        "device.pci.aer_correctable",
        "device.pci.aer_counters",
        "device.pci.upstream_bytes_per_sec", /* a controller that leaves meanwhile shares nothing */
        "device.pci.hotplug",       /* a kernel without slots */
    };
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void check_against(struct arena *a, const struct scene *scene, unsigned n,
                          const struct store *base, const struct store *got)
{
    const struct subject *sub = store_find_subject(got, scene->args->label);
    const struct subject *was = store_find_subject(base, scene->args->label);
    const struct fact_row *rows = NULL;
    size_t n_rows = store_facts(got, sub, &rows);
    for (size_t i = 0; i < n_rows; i++) {
        enum fact_state state = rows[i].fact->state;
        const char *now = fixture_text(a, got, sub, rows[i].name);
        const char *then = fixture_text(a, base, was, rows[i].name);
        bool firm = state == FACT_KNOWN || state == FACT_NOT_SUPPORTED;
        if (firm && strcmp(now, then) != 0 && !(may_differ(rows[i].name))) {
            fail_msg("%s, operation %u fails: %s becomes %s, was %s", scene->name, n, rows[i].name,
                     now, then);
        }
    }
}

void scenes_fail(const struct scene *scenes, size_t n_scenes)
{
    static const enum err_code codes[] = {E_DENIED, E_ABSENT, E_ABSENT, E_NONE};
    for (size_t i = 0; i < n_scenes; i++) {
        ARENA_AUTO outer = arena_new();
        struct host *h = fakehost_new(outer);
        struct store *base = fixture_store(outer, &probe_device);
        scenes[i].make(h);
        fixture_run(outer, base, &probe_device, h, SUBJECT_DEVICE, scenes[i].args);
        unsigned calls = fakehost_calls(h, HOST_OPS);
        /* of a very long run a sample */
        for (unsigned n = 0; n < calls; n += 1 + calls / 120) {
            for (size_t c = n % 2; c < ARRAY_LEN(codes); c += 2) {
                ARENA_AUTO a = arena_new();
                struct host *inner = fakehost_new(a);
                struct store *s = fixture_store(a, &probe_device);
                scenes[i].make(inner);
                struct host *faulty = host_fault_new(a, inner, n, codes[c], EIO);
                fixture_run(a, s, &probe_device, faulty, SUBJECT_DEVICE, scenes[i].args);
                if (codes[c] != E_NONE) {
                    check_against(a, &scenes[i], n, base, s);
                }
            }
        }
    }
}
