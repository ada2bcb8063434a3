/* See leaf_limits.h. Pure over the store. */
#include "probes/leaf_limits.h"

#include "advisor/base/parse.h"
#include "advisor/facts/layer.h"

#include "advisor/base/banned.h"

#define SWAP "host.swap.on_data_device"
#define LIMITS "server.cgroup.io_limits"
#define SWAP_SOURCE "host.swap.devices, volume.leaf_devices"
#define LIMIT_SOURCE LIMITS ", volume.layers"

const struct fact_decl leaf_limit_decls[LEAF_LIMIT_DECLS] = {
    {SWAP, KIND_BOOL, NULL, SUBJECT_HOST, FOLD_ANY, NEED_NONE, "swap lies on a disk that holds data",
     SWAP_SOURCE, ""},
    {"server.cgroup.io_read_limit", KIND_BYTES_PER_S, NULL, SUBJECT_SERVER, FOLD_MIN, NEED_NONE,
     "bytes a second that its control groups may read from a disk below it", LIMIT_SOURCE, ""},
    {"server.cgroup.io_write_limit", KIND_BYTES_PER_S, NULL, SUBJECT_SERVER, FOLD_MIN, NEED_NONE,
     "bytes a second that its control groups may write to a disk below it", LIMIT_SOURCE, ""},
    {"server.cgroup.io_write_iops_limit", KIND_RATE, NULL, SUBJECT_SERVER, FOLD_MIN, NEED_NONE,
     "writes a second that its control groups may send to a disk below it", LIMIT_SOURCE, ""},
};

static const struct value *known(const struct store *s, const struct subject *sub, const char *name)
{
    const struct fact *const f = store_get(s, sub, span_of(name));
    return f != NULL && f->state == FACT_KNOWN ? &f->value : NULL;
}

/* ---- limits ---------------------------------------------------------------------------------- */

static const struct {
    const char *fact, *key;
    enum kind kind;
} limits[] = {
    {"server.cgroup.io_read_limit", "read", KIND_BYTES_PER_S},
    {"server.cgroup.io_write_limit", "write", KIND_BYTES_PER_S},
    {"server.cgroup.io_write_iops_limit", "writes", KIND_RATE},
};

/* Does a device of this kernel name lie below the volume: a layer, or a disk at the bottom? */
static bool uses(const struct store *s, const struct subject *volume, struct span device)
{
    const struct value *const leaves = known(s, volume, "volume.leaf_devices");
    const struct value *const layers = known(s, volume, "volume.layers");
    if (leaves != NULL && value_has(leaves, device)) {
        return true;
    }
    for (size_t i = 0; layers != NULL && i < layers->n_items; i++) {
        struct layer l;
        if (layer_read(store_arena(s), layers->items[i], &l) &&
            (span_eq(l.name, device) || span_eq(layer_value(&l, "dm"), device))) {
            return true;
        }
    }
    return false;
}

/* Is one of its volumes on that device? Unknown where of some volume the devices are not known. */
enum answer { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN };

static enum answer server_uses(const struct store *s, const struct subject *server,
                               struct span device)
{
    const struct subject *const *volumes = NULL;
    const size_t n = store_subjects_of(s, SUBJECT_VOLUME, &volumes);
    enum answer answer = ANSWER_UNKNOWN; /* without a volume nothing is known */
    bool open = false;
    for (size_t i = 0; i < n; i++) {
        if (volumes[i]->server != server) {
            continue;
        }
        if (uses(s, volumes[i], device)) {
            return ANSWER_YES;
        }
        open = open || known(s, volumes[i], "volume.leaf_devices") == NULL;
        answer = ANSWER_NO;
    }
    return open ? ANSWER_UNKNOWN : answer;
}

/* "key=NUMBER" or "key=max" of one word of the list. */
static struct num limit_in(struct span word, const char *key)
{
    struct span part, name;
    uint64_t n;
    while (span_word(&word, &part)) {
        struct span value = part;
        if (span_split(&value, '=', &name) && span_eq_text(name, key) && parse_u64(value, &n)) {
            return num_u64(n);
        }
    }
    return num_unlimited();
}

static void set_limit(struct store *s, const struct subject *server, const struct value *list,
                      size_t which)
{
    struct num best = num_unlimited();
    const char *const fact = limits[which].fact;
    for (size_t i = 0; i < list->n_items; i++) {
        struct span rest = list->items[i], device;
        const struct num n = limit_in(list->items[i], limits[which].key);
        if (n.tag == NUM_UNLIMITED || !span_word(&rest, &device)) {
            continue;
        }
        const enum answer answer = server_uses(s, server, device);
        if (answer == ANSWER_UNKNOWN) {
            store_unknown(s, server, fact, FACT_ABSENT, LIMIT_SOURCE, "",
                          "there is a limit on '%.*s', and whether the server uses it is not known",
                          SPAN_ARG(device));
            return;
        }
        best = answer == ANSWER_YES && num_cmp(n, best) < 0 ? n : best;
    }
    store_known(s, server, fact, value_num(limits[which].kind, best), LIMIT_SOURCE);
}

static void set_limits(struct store *s, const struct subject *server)
{
    const struct fact *const f = store_get(s, server, SPAN_LIT(LIMITS));
    for (size_t i = 0; f != NULL && i < ARRAY_LEN(limits); i++) {
        if (f->state == FACT_KNOWN) {
            set_limit(s, server, &f->value, i);
        } else {
            store_unknown(s, server, limits[i].fact, f->state, f->source,
                          f->remedy == NULL ? "" : f->remedy, "%s",
                          f->reason == NULL ? "" : f->reason);
        }
    }
}

/* ---- swap ------------------------------------------------------------------------------------ */

static bool shares(const struct value *swap, const struct value *leaves)
{
    for (size_t i = 0; i < swap->n_items; i++) {
        if (value_has(leaves, swap->items[i])) {
            return true;
        }
    }
    return false;
}

static void set_swap(struct store *s, const struct subject *host)
{
    const struct value *const swap = known(s, host, "host.swap.devices");
    const struct subject *const *volumes = NULL;
    const size_t n = store_subjects_of(s, SUBJECT_VOLUME, &volumes);
    bool on = false, open = swap == NULL;
    for (size_t i = 0; swap != NULL && swap->n_items > 0 && i < n; i++) {
        const struct value *const leaves = known(s, volumes[i], "volume.leaf_devices");
        if ((volumes[i]->roles & ROLE_DATA) == 0) {
            continue;
        }
        on = on || (leaves != NULL && shares(swap, leaves));
        open = open || leaves == NULL;
    }
    if (on || !open) {
        store_known(s, host, SWAP, value_bool(on), SWAP_SOURCE);
    } else {
        store_unknown(s, host, SWAP, FACT_ABSENT, SWAP_SOURCE, "",
                      swap == NULL ? "the disks of swap are not known"
                                   : "the disks below some data are not known");
    }
}

void leaf_limits_set(struct store *s)
{
    const struct subject *const host = store_find_subject(s, "host");
    const struct subject *const *servers = NULL;
    const size_t n = store_subjects_of(s, SUBJECT_SERVER, &servers);
    for (size_t i = 0; i < n; i++) {
        set_limits(s, servers[i]);
    }
    if (host != NULL && store_get(s, host, SPAN_LIT("host.swap.devices")) != NULL) {
        set_swap(s, host);
    }
}
