/* Facts over several subjects: nodes of the devices below a volume, and devices far from their
 * servers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/joined.h"

#include "advisor/base/banned.h"

struct row {
    const char *name;
    uint64_t host_nodes; /* 0: not known */
    const char *leaves;  /* of the server's volume; NULL: not known */
    int nodes[2];        /* of nvme0n1, nvme1n1; -1: not known */
    const char
        *servers[2]; /* nodes of two servers; both use all leaves; "?" not known, NULL: none */
    const char *volume, *remote; /* wanted: volume.numa_nodes, device.numa_remote of nvme0n1 */
};

static const struct row rows[] = {
    {"near", 2, "nvme0n1", {0, 1}, {"0", NULL}, "{0}", "false"},
    {"far", 2, "nvme0n1", {1, 1}, {"0", NULL}, "{1}", "true"},
    {"on all nodes", 2, "nvme0n1,nvme1n1", {1, 0}, {"0,1", NULL}, "{0, 1}", "false"},
    {"far from one of two", 2, "nvme0n1", {1, 1}, {"1", "0"}, "{1}", "true"},
    {"of one it is not known", 2, "nvme0n1", {1, 1}, {"1", "?"}, "{1}", "?"},
    {"far from one, of the other it is not known", 2, "nvme0n1", {1, 1}, {"0", "?"}, "{1}", "true"},
    {"one node", 1, "nvme0n1", {-1, -1}, {"?", NULL}, "?", "false"},
    {"nodes are not known", 0, "nvme0n1", {0, 0}, {"0", NULL}, "{0}", "false"},
    {"its own is not known", 2, "nvme0n1", {-1, 0}, {"0", NULL}, "?", "?"},
    {"used by none", 2, "nvme1n1", {0, 1}, {"0", NULL}, "{1}", "?"},
    {"leaves are not known", 2, NULL, {0, 0}, {"0", NULL}, "?", "?"},
};

static void set_words_of(struct store *s, const struct subject *sub, const char *fact,
                         const char *text)
{
    struct span rest = span_of(text), words[8];
    size_t n = 0;
    while (n < ARRAY_LEN(words) && span_split(&rest, ',', &words[n])) {
        n++;
    }
    store_known(s, sub, fact, value_words(store_arena(s), KIND_SET, words, n), "test");
}

static struct store *make(struct arena *a, const struct row *r)
{
    static const char *const devices[] = {"device:nvme0n1", "device:nvme1n1"};
    struct decl_set *decls = decl_set_new(a);
    struct store *s = store_new(a, decls);
    const struct subject *host = store_subject(s, SUBJECT_HOST, "host");
    if (r->host_nodes > 0) {
        store_known(s, host, "host.numa.nodes", value_u64(KIND_COUNT, r->host_nodes), "test");
    }
    for (size_t i = 0; i < 2; i++) {
        const struct subject *d = store_subject(s, SUBJECT_DEVICE, devices[i]);
        if (r->nodes[i] >= 0) {
            store_known(s, d, "device.numa_node", value_u64(KIND_COUNT, (uint64_t)r->nodes[i]),
                        "test");
        }
    }
    for (size_t i = 0; i < 2 && r->servers[i] != NULL; i++) {
        struct subject *server = store_subject(s, SUBJECT_SERVER, i == 0 ? "server:a" : "server:b");
        struct subject *v =
            store_subject(s, SUBJECT_VOLUME, i == 0 ? "volume:a:data" : "volume:b:data");
        v->server = server;
        v->roles = ROLE_DATA;
        if (span_eq_text(span_of(r->servers[i]), "?")) {
            store_unknown(s, server, "server.process.cpu_nodes", FACT_ABSENT, "test", "", "test");
        } else {
            set_words_of(s, server, "server.process.cpu_nodes", r->servers[i]);
        }
        if (r->leaves != NULL) {
            set_words_of(s, v, "volume.leaf_devices", r->leaves);
        } else {
            store_unknown(s, v, "volume.leaf_devices", FACT_ABSENT, "test", "", "test");
        }
    }
    return s;
}

static const char *text(struct arena *a, const struct store *s, const char *label, const char *name)
{
    const struct fact *f = store_get(s, store_find_subject(s, label), span_of(name));
    struct buf b;
    assert_non_null(f);
    if (f->state != FACT_KNOWN) {
        return "?";
    }
    buf_init(&b, a, 256);
    value_print_literal(&b, &f->value);
    return b.ptr;
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct store *s = make(a, &rows[i]);
        joined_set(s);
        const char *volume = text(a, s, "volume:a:data", "volume.numa_nodes");
        const char *remote = text(a, s, "device:nvme0n1", "device.numa_remote");
        if (!span_eq_text(span_of(volume), rows[i].volume) ||
            !span_eq_text(span_of(remote), rows[i].remote)) {
            fail_msg("%s: nodes %s, remote %s", rows[i].name, volume, remote);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
