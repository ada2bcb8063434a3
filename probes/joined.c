/* See joined.h. Pure over the store. */
#include "probes/joined.h"

#include "advisor/base/banned.h"

#define NODES_MAX 1024u

const struct fact_decl joined_decls[JOINED_DECLS] = {
    {"volume.numa_nodes", KIND_SET, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "NUMA nodes that the devices below hang on", "device.numa_node of all devices below", ""},
    {"device.numa_remote", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ANY, NEED_NONE,
     "hangs on a NUMA node on which a server that uses it may not run",
     "device.numa_node, server.process.cpu_nodes", ""},
};

static const struct value *known(const struct store *s, const struct subject *sub, const char *name)
{
    const struct fact *const f = store_get(s, sub, span_of(name));
    return f != NULL && f->state == FACT_KNOWN ? &f->value : NULL;
}

/* ---- nodes below a volume -------------------------------------------------------------------- */

static void set_nodes(struct store *s, const struct subject *volume)
{
    static const char name[] = "volume.numa_nodes", source[] = "device.numa_node";
    struct arena *const a = store_arena(s);
    const struct subject *const *leaves = NULL;
    size_t n = 0;
    if (!store_leaves(s, volume, &leaves, &n)) {
        store_unknown(s, volume, name, FACT_ABSENT, source, "", "the devices below are not known");
        return;
    }
    struct span words[NODES_MAX];
    for (size_t i = 0; i < n && i < NODES_MAX; i++) {
        uint64_t node = 0;
        const struct value *const v = known(s, leaves[i], "device.numa_node");
        if (v == NULL || !num_to_u64(v->num, &node)) {
            store_unknown(s, volume, name, FACT_ABSENT, source, "", "the node of '%s' is not known",
                          leaves[i]->label);
            return;
        }
        words[i] = span_of(arena_printf(a, "%llu", (unsigned long long)node));
    }
    if (n > NODES_MAX) {
        store_unknown(s, volume, name, FACT_UNREADABLE, source, "", "more than %u devices below",
                      NODES_MAX);
        return;
    }
    store_known(s, volume, name, value_words(a, KIND_SET, words, n), source);
}

/* ---- a device beside the servers that use it --------------------------------------------------
 */

static const char remote[] = "device.numa_remote";
static const char remote_source[] = "device.numa_node, server.process.cpu_nodes";

/* *open: its devices are not known. */
static bool lies_on(const struct store *s, const struct subject *volume,
                    const struct subject *device, bool *open)
{
    const struct subject *const *leaves = NULL;
    size_t n = 0;
    if (!store_leaves(s, volume, &leaves, &n)) {
        *open = true;
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (leaves[i] == device) {
            return true;
        }
    }
    return false;
}

static bool uses(const struct store *s, const struct subject *server, const struct subject *device,
                 bool *open)
{
    const struct subject *const *volumes = NULL;
    const size_t n = store_subjects_of(s, SUBJECT_VOLUME, &volumes);
    for (size_t i = 0; i < n; i++) {
        if (volumes[i]->server == server && lies_on(s, volumes[i], device, open)) {
            return true;
        }
    }
    return false;
}

/* Over all servers: one that uses it may not run on its node; of one it is not known; one uses it.
 */
struct place {
    bool far, open, used;
};

static struct place place_of(const struct store *s, const struct subject *device, struct span node)
{
    struct place p = {.far = false};
    const struct subject *const *servers = NULL;
    const size_t n = store_subjects_of(s, SUBJECT_SERVER, &servers);
    for (size_t i = 0; i < n; i++) {
        if (!uses(s, servers[i], device, &p.open)) {
            continue;
        }
        const struct value *const nodes = known(s, servers[i], "server.process.cpu_nodes");
        p.used = true;
        p.open = p.open || nodes == NULL;
        p.far = p.far || (nodes != NULL && !value_has(nodes, node));
    }
    return p;
}

static bool has_one_node(const struct store *s)
{
    const struct subject *const host = store_find_subject(s, "host");
    const struct value *const v = host == NULL ? NULL : known(s, host, "host.numa.nodes");
    uint64_t nodes = 0;
    return v != NULL && num_to_u64(v->num, &nodes) && nodes == 1;
}

static void set_remote(struct store *s, const struct subject *device)
{
    const struct value *const v = known(s, device, "device.numa_node");
    uint64_t node = 0;
    if (has_one_node(s)) {
        store_known(s, device, remote, value_bool(false), "host.numa.nodes");
        return;
    }
    if (v == NULL || !num_to_u64(v->num, &node)) {
        store_unknown(s, device, remote, FACT_ABSENT, remote_source, "",
                      "its own node is not known");
        return;
    }
    const char *const word = arena_printf(store_arena(s), "%llu", (unsigned long long)node);
    const struct place p = place_of(s, device, span_of(word));
    if (p.open && !p.far) {
        store_unknown(s, device, remote, FACT_ABSENT, remote_source, "",
                      "the disks or the nodes of some server are not known");
    } else if (!p.used) {
        store_unknown(s, device, remote, FACT_NOT_SUPPORTED, remote_source, "",
                      "no server that runs here has files on it");
    } else {
        store_known(s, device, remote, value_bool(p.far), remote_source);
    }
}

void joined_set(struct store *s)
{
    const struct subject *const *subjects = NULL;
    size_t n = store_subjects_of(s, SUBJECT_VOLUME, &subjects);
    for (size_t i = 0; i < n; i++) {
        set_nodes(s, subjects[i]);
    }
    n = store_subjects_of(s, SUBJECT_DEVICE, &subjects);
    for (size_t i = 0; i < n; i++) {
        set_remote(s, subjects[i]);
    }
}
