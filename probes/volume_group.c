/* Volume, theme chain: how many disks of one size the LVM volume group has, so that it shows what a
 * stripe could use. A group's disks are those below any of its active volumes; a physical volume
 * that none uses is not seen. */
#include <string.h>

#include "probes/setters.h"
#include "probes/sysfs.h"
#include "probes/volume_chain.h"

#include "advisor/base/banned.h"

#define GROUP_UUID 36u /* "LVM-" and 32 characters: the group */
#define MAPPINGS_MAX 1024u

static const char fact[] = "volume.stack.group_devices";
static const char source[] = "dm/uuid, slaves/, size";

/* The group of the first logical volume on the way down; empty: none. */
static struct span group_of(const struct walk *w)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct span uuid = span_of(w->nodes[i].dm_uuid);
        if (span_starts(uuid, "LVM-") && uuid.len > GROUP_UUID) {
            return span_sub(uuid, 0, GROUP_UUID);
        }
    }
    return (struct span){"", 0};
}

struct finder {
    struct volume *v;
    struct span group;
    struct span *members, *physical; /* mappings of the group; what they lie on */
    size_t n_members, n_physical;
};

static bool has_name(const struct span *list, size_t n, struct span name)
{
    for (size_t i = 0; i < n; i++) {
        if (span_eq(list[i], name)) {
            return true;
        }
    }
    return false;
}

static bool find_members(struct finder *f, struct err *reterr)
{
    struct arena *a = f->v->ctx->arena;
    struct host *h = f->v->ctx->host;
    struct host_names names;
    struct span uuid;
    if (!host_list(h, "/sys/block", &names, reterr)) {
        return false;
    }
    f->members = arena_calloc(a, names.n + 1, sizeof(*f->members));
    for (size_t i = 0; i < names.n; i++) {
        struct err e = ERR_INIT;
        if (!span_starts(names.names[i], "dm-") || !sysfs_name_ok(names.names[i])) {
            continue;
        }
        if (!sysfs_text(h, a, &uuid, &e, "/sys/class/block/%.*s/dm/uuid",
                        SPAN_ARG(names.names[i]))) {
            *reterr = e;
            return false;
        }
        if (span_eq(span_sub(uuid, 0, GROUP_UUID), f->group)) {
            f->members[f->n_members++] = span_copy(a, names.names[i]);
        }
    }
    return f->n_members <= MAPPINGS_MAX ||
           err_set(reterr, E_LIMIT, "the volume group has more than %u mappings", MAPPINGS_MAX);
}

static bool find_physical(struct finder *f, struct err *reterr)
{
    struct arena *a = f->v->ctx->arena;
    f->physical = arena_calloc(a, WALK_NODES_MAX + 1, sizeof(*f->physical));
    for (size_t i = 0; i < f->n_members; i++) {
        struct host_names slaves;
        const char *dir = arena_printf(a, "/sys/class/block/%.*s/slaves", SPAN_ARG(f->members[i]));
        if (!host_list(f->v->ctx->host, dir, &slaves, reterr)) {
            return false;
        }
        for (size_t k = 0; k < slaves.n; k++) {
            if (has_name(f->members, f->n_members, slaves.names[k]) ||
                has_name(f->physical, f->n_physical, slaves.names[k])) {
                continue;
            }
            if (f->n_physical == WALK_NODES_MAX) {
                return err_set(reterr, E_LIMIT,
                               "the volume group lies on more devices than are followed");
            }
            f->physical[f->n_physical++] = span_copy(a, slaves.names[k]);
        }
    }
    return true;
}

/* Of the distinct leaves, the most that have one size. false: a size is not told. */
static bool count_equal(const struct walk *w, uint64_t *ret)
{
    uint64_t best = 0;
    for (size_t i = 0; i < w->n; i++) {
        uint64_t same = 0;
        if (!w->nodes[i].leaf || w->nodes[i].aside) {
            continue;
        }
        if (!w->nodes[i].has_size) {
            return false;
        }
        for (size_t k = 0; k < w->n; k++) {
            bool again =
                !w->nodes[k].leaf || w->nodes[k].aside || w->nodes[k].size != w->nodes[i].size;
            for (size_t j = 0; j < k && !again; j++) {
                again = w->nodes[j].leaf && strcmp(w->nodes[j].name, w->nodes[k].name) == 0;
            }
            same += !again;
        }
        best = same > best ? same : best;
    }
    *ret = best;
    return true;
}

static void set_count(struct volume *v, const struct walk *w)
{
    uint64_t n = 0;
    if (!w->complete) {
        set_err(v->ctx, fact, &w->err, source);
    } else if (count_equal(w, &n)) {
        set_u64(v->ctx, fact, KIND_COUNT, n, source);
    } else {
        set_unknown(v->ctx, fact, FACT_ABSENT, source, "", "a disk of the group tells no size");
    }
}

static void set_of_group(struct volume *v, struct span group)
{
    struct finder f = {.v = v, .group = group};
    struct err e = ERR_INIT;
    struct walk w;
    if (!find_members(&f, &e) || !find_physical(&f, &e)) {
        set_err(v->ctx, fact, &e, source);
        return;
    }
    struct blockwalk *k = blockwalk_new(v->ctx->host, v->ctx->arena, v->dm);
    const size_t top = blockwalk_put(k, WALK_TOP, "group", "group", NULL);
    for (size_t i = 0; i < f.n_physical; i++) {
        (void)blockwalk_put_name(k, top, f.physical[i], NULL);
    }
    blockwalk_end(k, &w);
    set_count(v, &w);
}

void volume_set_group(struct volume *v, const struct walk *w)
{
    const struct span group = group_of(w);
    if (w->n > 0 && strcmp(w->nodes[0].kind, "pool") == 0) {
        set_count(v, w);
    } else if (group.len > 0) {
        set_of_group(v, group);
    } else {
        for (size_t i = 0; i < w->n; i++) {
            if (span_starts(span_of(w->nodes[i].name), "dm-") && !w->nodes[i].has_uuid) {
                return; /* it might be a logical volume */
            }
        }
        set_unknown(v->ctx, fact, FACT_NOT_SUPPORTED, "dm/uuid", "", "no LVM volume below");
    }
}
