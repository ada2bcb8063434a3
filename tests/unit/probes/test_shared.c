/* Volumes beside each other: which share a filesystem, which share disks, which are split for nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "probes/shared.h"

#include "advisor/base/banned.h"

#define VOLUMES_MAX 4

/* "dm-0:lvm-linear" is the filesystem's own device; NULL: not known. Leaves by commas. */
struct one {
    unsigned roles;
    const char *server, *own, *leaves, *mountpoint;
};

struct row {
    const char *name;
    struct one volumes[VOLUMES_MAX];
    const char *split, *split_roles, *shared, *servers; /* of the first; "?" unknown */
};

#define NV0 "nvme0n1"
#define BOTH "nvme0n1,nvme1n1"

static const struct row rows[] = {
    {"one volume", {{ROLE_DATA | ROLE_REDO, "/a", "nvme0n1p1:partition", NV0, "/"}},
     "false", "{}", "{data, redo}", "0"},
    {"one of which nothing is known", {{ROLE_DATA, "/a", NULL, NULL, NULL}}, "false", "{}", "?", "0"},
    {"roles whose paths nobody told may lie anywhere",
     {{ROLE_DATA | ROLE_REDO, "/a", NULL, NULL, NULL}}, "?", "?", "?", "0"},
    {"logical volumes over the same two drives",
     {{ROLE_DATA, "/a", "dm-0:lvm-striped", BOTH, "/d"},
      {ROLE_REDO, "/a", "dm-1:lvm-striped", BOTH, "/r"},
      {ROLE_BINLOG | ROLE_RELAYLOG, "/a", "dm-2:lvm-striped", BOTH, "/b"}},
     "true", "{binlog, redo, relaylog}", "{binlog, data, redo, relaylog}", "0"},
    {"the log on one of the drives of the data",
     {{ROLE_DATA, "/a", "dm-0:lvm-striped", BOTH, "/d"}, {ROLE_REDO, "/a", "nvme0n1p2:partition", NV0, "/r"}},
     "true", "{redo}", "{data, redo}", "0"},
    {"each with a drive of its own beside the shared one",
     {{ROLE_DATA, "/a", "md0:md", BOTH, "/d"}, {ROLE_REDO, "/a", "md1:md", "nvme1n1,nvme2n1", "/r"}},
     "false", "{}", "{data, redo}", "0"},
    {"drives of their own",
     {{ROLE_DATA, "/a", "nvme0n1:disk", NV0, "/d"}, {ROLE_REDO, "/a", "nvme1n1:disk", "nvme1n1", "/r"}},
     "false", "{}", "{data}", "0"},
    {"two paths on one filesystem",
     {{ROLE_DATA, "/a", "dm-0:lvm-linear", NV0, "/d"}, {ROLE_BINLOG, "/a", "dm-0:lvm-linear", NV0, "/x"}},
     "false", "{}", "{binlog, data}", "0"},
    {"temporary files are no split",
     {{ROLE_DATA, "/a", "dm-0:lvm-linear", NV0, "/d"}, {ROLE_TMP, "/a", "dm-1:lvm-linear", NV0, "/tmp"}},
     "false", "{}", "{data, tmp}", "0"},
    {"a chain that is not known, on the same mount",
     {{ROLE_DATA, "/a", NULL, NULL, "/d"}, {ROLE_REDO, "/a", NULL, NULL, "/d"}}, "false", "{}", "?", "0"},
    {"a chain that is not known, on another mount",
     {{ROLE_DATA, "/a", "dm-0:lvm-linear", NV0, "/d"}, {ROLE_REDO, "/a", NULL, NULL, "/r"}},
     "?", "?", "?", "0"},
    {"split from one, and of another nothing is known",
     {{ROLE_DATA, "/a", "dm-0:lvm-linear", NV0, "/d"},
      {ROLE_REDO, "/a", "dm-1:lvm-linear", NV0, "/r"},
      {ROLE_BINLOG, "/a", NULL, NULL, "/b"}},
     "true", "?", "?", "0"},
    {"another server on the same drive is no split, but is counted",
     {{ROLE_DATA, "/a", "dm-0:lvm-linear", NV0, "/d"}, {ROLE_DATA, "/b", "dm-1:lvm-linear", BOTH, "/e"},
      {ROLE_REDO, "/b", "nvme7n1:disk", "nvme7n1", "/f"}},
     "false", "{}", "{data}", "1"},
    {"another server's devices are not known",
     {{ROLE_DATA, "/a", "dm-0:lvm-linear", NV0, "/d"}, {ROLE_DATA, "/b", NULL, NULL, "/e"}},
     "false", "{}", "{data}", "?"},
    {"no disk below",
     {{ROLE_DATA, "/a", "dm-0:lvm-linear", NV0, "/d"}, {ROLE_REDO, "/a", NULL, "", "/r"}},
     "false", "{}", "{data}", "0"},
};

static void set_words(struct store *s, const struct subject *v, const char *name, enum kind kind,
                      const char *text)
{
    struct span words[8], rest = span_of(text), word;
    size_t n = 0;
    while (span_split(&rest, ',', &word)) {
        words[n++] = word;
    }
    store_known(s, v, name, value_words(store_arena(s), kind, words, n), "test");
}

static void add(struct store *s, const struct one *o, size_t i)
{
    struct arena *a = store_arena(s);
    struct subject *v = store_subject(s, SUBJECT_VOLUME, arena_printf(a, "volume:%zu", i));
    v->server = store_subject(s, SUBJECT_SERVER, arena_printf(a, "server:%s", o->server));
    v->roles = o->roles;
    if (o->own != NULL) {
        set_words(s, v, "volume.chain", KIND_LIST, arena_printf(a, "%s,%s", o->own, "below"));
    }
    if (o->leaves != NULL) {
        set_words(s, v, "volume.leaf_devices", KIND_SET, o->leaves);
    }
    if (o->mountpoint != NULL) {
        store_known(s, v, "volume.path", value_text(KIND_STRING, span_of(o->mountpoint)), "t");
        store_known(s, v, "volume.mountpoint", value_text(KIND_STRING, span_of(o->mountpoint)), "t");
        store_known(s, v, "volume.source", value_text(KIND_STRING, SPAN_LIT("/dev/x")), "t");
    }
}

static unsigned check(struct store *s, const char *row, const char *name, const char *want)
{
    const struct subject *v = store_find_subject(s, "volume:0");
    const struct fact *f = store_get(s, v, span_of(name));
    struct buf b;
    buf_init(&b, store_arena(s), 1000);
    assert_non_null(f);
    if (f->state == FACT_KNOWN) {
        value_print_literal(&b, &f->value);
    } else {
        buf_add_text(&b, "?");
    }
    if (span_eq_text(buf_span(&b), want)) {
        return 0;
    }
    (void)fprintf(stderr, "%s: %s is %s, wanted %s\n", row, name, b.ptr, want);
    return 1;
}

static void test_rows(void **state)
{
    (void)state;
    unsigned bad = 0;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct decl_set *decls = decl_set_new(a);
        struct err e = ERR_INIT;
        assert_true(decl_set_add(decls, shared_decls, SHARED_DECLS, &e));
        struct store *s = store_new(a, decls);
        for (size_t k = 0; k < VOLUMES_MAX && rows[i].volumes[k].server != NULL; k++) {
            add(s, &rows[i].volumes[k], k);
        }
        shared_set(s);
        bad += check(s, rows[i].name, "volume.split_roles_same_leaves", rows[i].split);
        bad += check(s, rows[i].name, "volume.split_roles", rows[i].split_roles);
        bad += check(s, rows[i].name, "volume.shared_device_with", rows[i].shared);
        bad += check(s, rows[i].name, "volume.shared_server_count", rows[i].servers);
    }
    assert_int_equal(bad, 0);
}

/* What belongs to no server has no roles to compare. */
static void test_alone(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *s = store_new(a, decl_set_new(a));
    const struct subject *v = store_subject(s, SUBJECT_VOLUME, "volume:x");
    shared_set(s);
    assert_null(store_get(s, v, SPAN_LIT("volume.split_roles_same_leaves")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
