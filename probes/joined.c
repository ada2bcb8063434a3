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

void joined_set(struct store *s)
{
    const struct subject *const *volumes = NULL;
    const size_t n = store_subjects_of(s, SUBJECT_VOLUME, &volumes);
    for (size_t i = 0; i < n; i++) {
        set_nodes(s, volumes[i]);
    }
}
