/* A small registry for the tests of the fact store: every kind, every need, both families. */
#ifndef NVADVISE_TESTS_UNIT_FACTS_FIXTURE_H
#define NVADVISE_TESTS_UNIT_FACTS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advisor/facts/store.h"

static const struct fact_decl fixture_rows[] = {
    {"host.memory.total", KIND_BYTES, NULL, SUBJECT_HOST, FOLD_SAME, 0, "memory", "meminfo", ""},
    {"host.root", KIND_BOOL, NULL, SUBJECT_HOST, FOLD_SAME, 0, "run as root", "capget", ""},
    {"host.swap.total", KIND_BYTES, NULL, SUBJECT_HOST, FOLD_SAME, 0, "swap", "swaps", ""},
    {"host.vm.swappiness", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, 0, "swappiness", "sysctl",
     ""},
    {"server.flavour", KIND_ENUM, "mysql,percona,mariadb", SUBJECT_SERVER, FOLD_SAME, 0, "flavour",
     "SELECT VERSION()", ""},
    {"server.version", KIND_VERSION, NULL, SUBJECT_SERVER, FOLD_SAME, 0, "version", "same", ""},
    {"server.version_string", KIND_STRING, NULL, SUBJECT_SERVER, FOLD_SAME, 0, "text", "same", ""},
    {"server.dedicated", KIND_BOOL, NULL, SUBJECT_SERVER, FOLD_SAME, 0, "dedicated", "proc", ""},
    {"server.bp.miss_ratio", KIND_RATIO, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_SAMPLE, "misses",
     "status twice", ""},
    {"server.redo.sync_flush_rate", KIND_RATE, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_HISTORY,
     "sync flushes", "history", ""},
    {"server.redo.write_rate", KIND_BYTES_PER_S, NULL, SUBJECT_SERVER, FOLD_SAME, 0, "rate",
     "status", ""},
    {"server.process.address_space", KIND_BYTES, NULL, SUBJECT_SERVER, FOLD_SAME, 0, "RLIMIT_AS",
     "limits", "same-uid"},
    {"server.innodb.hit_rate_per_mille", KIND_RATIO, NULL, SUBJECT_SERVER, FOLD_SAME, 0, "hits",
     "status text", "PROCESS"},
    {"server.var.innodb_io_capacity", KIND_RATE, NULL, SUBJECT_SERVER, FOLD_SAME, 0, "io capacity",
     "variables", ""},
    {"bench.flush.rate", KIND_RATE, NULL, SUBJECT_VOLUME, FOLD_MIN, NEED_BENCH, "flush rate",
     "bench", ""},
    {"bench.qps.rw.rate", KIND_RATE, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_BENCH, "qps", "bench",
     ""},
    {"est.flush.rate", KIND_RATE, NULL, SUBJECT_SERVER, FOLD_SAME, 0, "estimate", "model", ""},
    {"volume.role", KIND_SET, "data,redo,undo,doublewrite,binlog,relaylog,tmp", SUBJECT_VOLUME,
     FOLD_SAME, 0, "roles", "paths", ""},
    {"volume.chain", KIND_LIST, NULL, SUBJECT_VOLUME, FOLD_SAME, 0, "chain", "walk", ""},
    {"volume.fs.type", KIND_ENUM, "xfs,ext4,zfs,other,unknown", SUBJECT_VOLUME, FOLD_SAME, 0,
     "type", "mountinfo", ""},
    {"volume.fs.free_bytes", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_MIN, 0, "free", "statvfs", ""},
    {"volume.leaf_devices", KIND_SET, NULL, SUBJECT_VOLUME, FOLD_SAME, 0, "leaves", "walk", ""},
    {"device.model", KIND_STRING, NULL, SUBJECT_DEVICE, FOLD_SAME, 0, "model", "sysfs", ""},
    {"device.pci.link_speed", KIND_RATE, NULL, SUBJECT_DEVICE, FOLD_MIN, 0, "speed", "sysfs", ""},
    {"device.smart.percentage_used_pct", KIND_RATIO, NULL, SUBJECT_DEVICE, FOLD_MAX, NEED_ROOT,
     "wear", "log 02h", "root"},
    {"device.smart.power_on_hours", KIND_SECONDS, NULL, SUBJECT_DEVICE, FOLD_MAX, NEED_ROOT, "age",
     "log 02h", "root"},
    {"device.smart.busy_minutes", KIND_SECONDS, NULL, SUBJECT_DEVICE, FOLD_MAX, NEED_ROOT, "busy",
     "log 02h", "root"},
    {"device.smart.temperature_c", KIND_CELSIUS, NULL, SUBJECT_DEVICE, FOLD_MAX, NEED_ROOT,
     "warmth", "log 02h", "root"},
    {"device.smart.data_units_written", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_MAX, NEED_ROOT,
     "units", "log 02h", "root"},
};

static const struct fact_decl fixture_var = {
    "server.var.*", KIND_STRING, NULL, SUBJECT_SERVER, FOLD_SAME, 0, "variable", "variables", ""};
static const struct fact_decl fixture_status = {
    "server.status.*", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_SAME, 0, "status", "status", ""};

static inline struct decl_set *fixture_decls(struct arena *a)
{
    struct err err = ERR_INIT;
    struct decl_set *set = decl_set_new(a);
    assert_true(decl_set_add(set, fixture_rows, ARRAY_LEN(fixture_rows), &err));
    assert_true(decl_set_add_family(set, "server.var.", &fixture_var, &err));
    assert_true(decl_set_add_family(set, "server.status.", &fixture_status, &err));
    return set;
}

static inline struct store *fixture_store(struct arena *a)
{
    return store_new(a, fixture_decls(a));
}

/* The printed literal of a fact, or "STATE: REASON", or "nothing". */
static inline const char *fixture_get(const struct store *s, const char *label, const char *name)
{
    struct buf b;
    const struct subject *sub = store_find_subject(s, label);
    const struct fact *f = sub == NULL ? NULL : store_get(s, sub, span_of(name));
    buf_init(&b, store_arena(s), 4096);
    if (f == NULL) {
        buf_add_text(&b, "nothing");
    } else if (f->state == FACT_KNOWN) {
        value_print_literal(&b, &f->value);
    } else {
        buf_printf(&b, "%s: %s", fact_state_name(f->state), f->reason);
    }
    return b.ptr;
}

#endif
