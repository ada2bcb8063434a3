/* The device probe for several disks of one controller: the same facts as one by one, from fewer questions; and
 * for a disk of several controllers, one of which is left aside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/job.h"
#include "tests/unit/probes/device_scenes.h"

#include "advisor/base/banned.h"

#define DISKS 3u

/* device_plain, and two more namespaces of its controller. */
static void make(struct host *h)
{
    device_plain(h);
    for (unsigned i = 2; i <= DISKS; i++) {
        const char *const name = arena_printf(h->arena, "nvme0n%u", i);
        char *const page = page_ns(h, "nvme0");
        page_put(page, 0, 1000000u * i, 8);
        fakehost_reply(h, HOST_NVME, arena_printf(h->arena, "nvme0 id-ns %u", i),
                       (struct span){page, 4096});
        hosts_nvme(h, name, "nvme0", "Drive 960                               ");
        hosts_attr(h, name, "nsid", arena_printf(h->arena, "%u", i));
    }
    page_ns(h, "nvme0");
    page_put(page_ctrl(h, "nvme0"), 261, 0x06, 1);
}

static void make_jobs(struct arena *a, struct job jobs[DISKS])
{
    for (unsigned i = 0; i < DISKS; i++) {
        const char *const label = arena_printf(a, "device:nvme0n%u", i + 1);
        jobs[i] = (struct job){.id = label, .probe = &probe_device, .kind = SUBJECT_DEVICE};
        jobs[i].args = (struct probe_args){.label = label, .device = label + strlen("device:")};
    }
}

static void merge(const struct job *job, struct job_out *out, struct store *s)
{
    struct job_end end = {.lost = false};
    job_merge(job, buf_span(&out->frames), &end, s, true);
    assert_false(end.lost);
}

static void assert_same(struct arena *a, const struct store *one, const struct store *other)
{
    for (unsigned i = 0; i < DISKS; i++) {
        const char *const label = arena_printf(a, "device:nvme0n%u", i + 1);
        const struct subject *const x = store_find_subject(one, label);
        const struct subject *const y = store_find_subject(other, label);
        const struct fact_row *facts = NULL;
        const size_t n = store_facts(one, x, &facts);
        const struct fact_row *others = NULL;
        assert_int_equal(store_facts(other, y, &others), n);
        assert_string_equal(x->identity, y->identity);
        for (size_t k = 0; k < n; k++) {
            assert_string_equal(facts[k].name, others[k].name);
            assert_string_equal(fixture_text(a, one, x, facts[k].name),
                                fixture_text(a, other, y, facts[k].name));
            assert_string_equal(facts[k].fact->source, others[k].fact->source);
            assert_string_equal(facts[k].fact->reason, others[k].fact->reason);
        }
    }
}

static void test_same_facts(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct job jobs[DISKS], *list[DISKS];
    struct job_out outs[DISKS];
    struct host *const alone = fakehost_new(a), *const shared = fakehost_new(a);
    struct store *const one = fixture_store(a, &probe_device);
    struct store *const other = fixture_store(a, &probe_device);
    make(alone);
    make(shared);
    make_jobs(a, jobs);
    for (unsigned i = 0; i < DISKS; i++) {
        struct job_out out = {.replay = NULL};
        buf_init(&out.frames, a, JOB_FACTS_MAX);
        job_run(&jobs[i], alone, store_decls(one), a, &out, NULL, NULL);
        merge(&jobs[i], &out, one);
        outs[i] = (struct job_out){.replay = NULL};
        buf_init(&outs[i].frames, a, JOB_FACTS_MAX);
        list[i] = &jobs[i];
    }
    jobs_run(list, DISKS, host_memo_new(a, shared), store_decls(other), a, outs, NULL, NULL);
    for (unsigned i = 0; i < DISKS; i++) {
        merge(&jobs[i], &outs[i], other);
    }
    assert_same(a, one, other);
    static const char *const once[] = {"nvme0 id-ctrl", "nvme0 log 2 4294967295 512",
                                       "nvme0 feature 7 0"};
    for (size_t i = 0; i < ARRAY_LEN(once); i++) {
        assert_int_equal(fakehost_calls_of(alone, HOST_NVME, once[i]), DISKS);
        assert_int_equal(fakehost_calls_of(shared, HOST_NVME, once[i]), 1);
    }
    assert_int_equal(fakehost_calls_of(shared, HOST_OPEN, "nvme nvme0"), 1);
    /* Of each its own page alone. */
    assert_int_equal(fakehost_calls(alone, HOST_NVME) - DISKS,
                     DISKS * (fakehost_calls(shared, HOST_NVME) - DISKS));
}

/* The pages come from the healthy path; what the kernel says of both stays. */
static void test_other_path(void **state)
{
    (void)state;
    static const struct probe_args args = {.label = "device:nvme3n1", .device = "nvme3n1"};
    static const struct {
        const char *aside, *want, *source;
    } rows[] = {
        {"nvme nvme2", "16", "smart-log of nvme3"},
        {"nvme nvme3", "16", "smart-log of nvme2"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct host *const inner = fakehost_new(a);
        struct err why = ERR_INIT;
        device_head(inner);
        fakehost_file(inner, "/sys/class/nvme/nvme2/state", "live");
        fakehost_reply(inner, HOST_OPEN, "nvme nvme2", SPAN_LIT("/dev/nvme2"));
        device_pages(inner, "nvme2");
        struct host *const h = host_memo_new(a, inner);
        err_set(&why, E_TIMEOUT, "no answer");
        host_memo_refuse(h, HOST_OPEN, rows[i].aside, &why);
        struct store *const s = fixture_store(a, &probe_device);
        const struct subject *const sub = fixture_run(a, s, &probe_device, h, SUBJECT_DEVICE, &args);
        assert_string_equal(fixture_text(a, s, sub, "device.smart.power_cycles"), rows[i].want);
        assert_string_equal(store_get(s, sub, SPAN_LIT("device.smart.power_cycles"))->source,
                            rows[i].source);
        assert_string_equal(fixture_text(a, s, sub, "device.multipath.paths"), "2");
        assert_string_equal(fixture_text(a, s, sub, "device.multipath.paths_live"), "2");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_facts),
        cmocka_unit_test(test_other_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
