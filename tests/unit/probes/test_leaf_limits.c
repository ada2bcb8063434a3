/* Limits of control groups and swap beside the disks of servers: what counts, and what leaves it
 * open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probes/leaf_limits.h"
#include "probes/probe.h"

#include "advisor/base/banned.h"

#define A "server:/a"

struct one {
    const char *server;
    unsigned roles;
    const char *leaves, *layers; /* by commas, by semicolons; NULL: not known */
};

struct row {
    const char *what;
    const char *limits, *swap; /* by semicolons; NULL: not known */
    struct one volumes[3];
    const char *read, *write, *writes, *on_data; /* "?": unknown */
};

#define NV0                                                                                        \
    {                                                                                              \
        A, ROLE_DATA, "nvme0n1", NULL                                                              \
    }
static const struct row rows[] = {
    {"nothing", "", "", {NV0}, "unlimited", "unlimited", "unlimited", "false"},
    {"limits of a disk below",
     "nvme0n1 read=1048576 write=max writes=500",
     "",
     {NV0},
     "1MiB/s",
     "unlimited",
     "500/s",
     "false"},
    {"of another disk",
     "sda read=1 write=1 writes=1",
     "sda",
     {NV0},
     "unlimited",
     "unlimited",
     "unlimited",
     "false"},
    {"the smallest of two disks",
     "nvme0n1 read=max write=300 writes=max;sda read=max write=200 writes=max",
     "sdb",
     {NV0, {A, ROLE_REDO, "sda", NULL}},
     "unlimited",
     "200B/s",
     "unlimited",
     "false"},
    {"on a layer above the disk",
     "dm-3 read=7 write=max writes=max",
     "",
     {{A, ROLE_DATA, "nvme0n1", "0 / fs;1 vg/data lvm-linear dm=dm-3;2 nvme0n1 disk"}},
     "7B/s",
     "unlimited",
     "unlimited",
     "false"},
    {"on an array",
     "md0 read=7 write=max writes=max",
     "",
     {{A, ROLE_DATA, "nvme0n1", "0 / fs;1 md0 md;2 nvme0n1 disk"}},
     "7B/s",
     "unlimited",
     "unlimited",
     "false"},
    {"of a server that is not this one",
     "sda read=7 write=max writes=max",
     "",
     {NV0, {"server:/b", ROLE_DATA, "sda", NULL}},
     "unlimited",
     "unlimited",
     "unlimited",
     "false"},
    {"of a volume nothing is known",
     "sda read=7 write=max writes=max",
     "",
     {NV0, {A, ROLE_BINLOG, NULL, NULL}},
     "?",
     "unlimited",
     "unlimited",
     "false"},
    {"no limit, whatever is not known",
     "",
     "",
     {{A, ROLE_DATA, NULL, NULL}},
     "unlimited",
     "unlimited",
     "unlimited",
     "false"},
    {"no volume",
     "sda read=7 write=max writes=max",
     "",
     {{NULL, 0, NULL, NULL}},
     "?",
     "unlimited",
     "unlimited",
     "false"},
    {"limits that are not known", NULL, NULL, {NV0}, "?", "?", "?", "?"},
    {"swap on the data's disk",
     "",
     "sda;nvme0n1",
     {NV0},
     "unlimited",
     "unlimited",
     "unlimited",
     "true"},
    {"swap on the log's disk",
     "",
     "sda",
     {NV0, {A, ROLE_REDO, "sda", NULL}},
     "unlimited",
     "unlimited",
     "unlimited",
     "false"},
    {"swap somewhere, data somewhere",
     "",
     "sda",
     {{A, ROLE_DATA, NULL, NULL}},
     "unlimited",
     "unlimited",
     "unlimited",
     "?"},
    {"swap on one data, another not known",
     "",
     "sda",
     {{A, ROLE_DATA, NULL, NULL}, {"server:/b", ROLE_DATA, "sda", NULL}},
     "unlimited",
     "unlimited",
     "unlimited",
     "true"},
};

static void set_words(struct store *s, const struct subject *sub, const char *name, enum kind kind,
                      const char *text, char separator)
{
    struct span rest = span_of(text), words[8];
    size_t n = 0;
    while (n < ARRAY_LEN(words) && span_split(&rest, separator, &words[n])) {
        n++;
    }
    store_known(s, sub, name, value_words(store_arena(s), kind, words, n), "test");
}

static struct store *make(struct arena *a, const struct row *row)
{
    struct decl_set *set = decl_set_new(a);
    struct err err = ERR_INIT;
    assert_true(probes_declare(set, &err));
    struct store *s = store_new(a, set);
    const struct subject *host = store_subject(s, SUBJECT_HOST, "host");
    const struct subject *server = store_subject(s, SUBJECT_SERVER, A);
    if (row->limits != NULL) {
        set_words(s, server, "server.cgroup.io_limits", KIND_LIST, row->limits, ';');
    } else {
        store_unknown(s, server, "server.cgroup.io_limits", FACT_NOT_PERMITTED, "test", "",
                      "hidden");
    }
    if (row->swap != NULL) {
        set_words(s, host, "host.swap.devices", KIND_SET, row->swap, ';');
    } else {
        store_unknown(s, host, "host.swap.devices", FACT_NOT_PERMITTED, "test", "", "hidden");
    }
    for (size_t i = 0; i < ARRAY_LEN(row->volumes) && row->volumes[i].server != NULL; i++) {
        const struct one *const one = &row->volumes[i];
        struct subject *v = store_subject(s, SUBJECT_VOLUME, arena_printf(a, "volume:%zu", i));
        v->server = store_subject(s, SUBJECT_SERVER, one->server);
        v->roles = one->roles;
        if (one->leaves != NULL) {
            set_words(s, v, "volume.leaf_devices", KIND_SET, one->leaves, ',');
        }
        if (one->layers != NULL) {
            set_words(s, v, "volume.layers", KIND_LIST, one->layers, ';');
        }
    }
    return s;
}

static void check(struct arena *a, const struct store *s, const char *label, const char *fact,
                  const char *want, const char *what)
{
    const struct fact *f = store_get(s, store_find_subject(s, label), span_of(fact));
    struct buf b;
    buf_init(&b, a, 4096);
    if (f == NULL || f->state != FACT_KNOWN) {
        buf_add_text(&b, f == NULL ? "(none)" : "?");
    } else {
        value_print_literal(&b, &f->value);
    }
    if (!span_eq_text(buf_span(&b), want)) {
        fail_msg("%s: %s is '%.*s', not '%s'", what, fact, SPAN_ARG(buf_span(&b)), want);
    }
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct store *s = make(a, &rows[i]);
        leaf_limits_set(s);
        check(a, s, A, "server.cgroup.io_read_limit", rows[i].read, rows[i].what);
        check(a, s, A, "server.cgroup.io_write_limit", rows[i].write, rows[i].what);
        check(a, s, A, "server.cgroup.io_write_iops_limit", rows[i].writes, rows[i].what);
        check(a, s, "host", "host.swap.on_data_device", rows[i].on_data, rows[i].what);
    }
}

/* A document without such facts gets none. */
static void test_nothing_there(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct decl_set *set = decl_set_new(a);
    struct err err = ERR_INIT;
    assert_true(probes_declare(set, &err));
    struct store *s = store_new(a, set);
    leaf_limits_set(s);
    const struct subject *host = store_subject(s, SUBJECT_HOST, "host");
    const struct subject *server = store_subject(s, SUBJECT_SERVER, A);
    leaf_limits_set(s);
    assert_null(store_get(s, host, SPAN_LIT("host.swap.on_data_device")));
    assert_null(store_get(s, server, SPAN_LIT("server.cgroup.io_read_limit")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_nothing_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
