/* See shared.h. */
#include "probes/shared.h"

#include "probes/disk.h"

#include "advisor/base/banned.h"

#define SOURCE "volume.chain, volume.leaf_devices of all volumes"

const struct fact_decl shared_decls[SHARED_DECLS] = {
    {"volume.split_roles_same_leaves", KIND_BOOL, NULL, SUBJECT_VOLUME, FOLD_ANY, NEED_NONE,
     "other files of this server lie on a filesystem of their own, but on the same disks", SOURCE,
     ""},
    {"volume.split_roles", KIND_SET, "data,redo,undo,doublewrite,binlog,relaylog,tmp",
     SUBJECT_VOLUME, FOLD_SAME, NEED_NONE, "roles that lie so", SOURCE, ""},
    {"volume.shared_device_with", KIND_SET, "data,redo,undo,doublewrite,binlog,relaylog,tmp",
     SUBJECT_VOLUME, FOLD_SAME, NEED_NONE, "roles of the same server that use some of these disks",
     SOURCE, ""},
    {"volume.shared_server_count", KIND_COUNT, NULL, SUBJECT_VOLUME, FOLD_MAX, NEED_NONE,
     "volumes of other servers on some of these disks", SOURCE, ""},
};

static const struct value *known(const struct store *s, const struct subject *volume,
                                 const char *name)
{
    const struct fact *const f = store_get(s, volume, span_of(name));
    return f != NULL && f->state == FACT_KNOWN ? &f->value : NULL;
}

static bool same_text(const struct store *s, const struct subject *a, const struct subject *b,
                      const char *name)
{
    const struct value *const x = known(s, a, name), *const y = known(s, b, name);
    return x != NULL && y != NULL && value_eq(x, y);
}

/* The first item of a chain is the filesystem's own device. */
static enum tri same_filesystem(const struct store *s, const struct subject *a,
                                const struct subject *b)
{
    const struct value *const x = known(s, a, "volume.chain"), *const y =
                                                                   known(s, b, "volume.chain");
    if (x != NULL && y != NULL && x->n_items > 0 && y->n_items > 0) {
        return span_eq(x->items[0], y->items[0]) ? TRI_YES : TRI_NO;
    }
    return same_text(s, a, b, "volume.mountpoint") && same_text(s, a, b, "volume.source")
               ? TRI_YES
               : TRI_UNKNOWN;
}

static size_t common_leaves(const struct value *x, const struct value *y)
{
    size_t n = 0;
    for (size_t i = 0; i < x->n_items; i++) {
        n += value_has(y, x->items[i]);
    }
    return n;
}

/* Does one of them use a disk of the other's? */
static enum tri meets(const struct store *s, const struct subject *a, const struct subject *b)
{
    const struct value *const x = known(s, a, "volume.leaf_devices");
    const struct value *const y = known(s, b, "volume.leaf_devices");
    if (x == NULL || y == NULL) {
        return TRI_UNKNOWN;
    }
    return common_leaves(x, y) > 0 ? TRI_YES : TRI_NO;
}

/* Has one of them no disk that the other does not use too? */
static enum tri adds_no_disk(const struct store *s, const struct subject *a,
                             const struct subject *b)
{
    const struct value *const x = known(s, a, "volume.leaf_devices");
    const struct value *const y = known(s, b, "volume.leaf_devices");
    if (x == NULL || y == NULL) {
        return TRI_UNKNOWN;
    }
    const size_t n = common_leaves(x, y);
    return n > 0 && (n == x->n_items || n == y->n_items) ? TRI_YES : TRI_NO;
}

static bool only_temporary(const struct subject *volume)
{
    return (volume->roles & ~(unsigned)ROLE_TMP) == 0;
}

/* Roles whose paths nobody told: one volume of ours, and any number on the host. */
static bool may_be_several(const struct store *s, const struct subject *volume)
{
    return (volume->roles & (volume->roles - 1)) != 0 && known(s, volume, "volume.path") == NULL;
}

static enum tri is_split(const struct store *s, const struct subject *a, const struct subject *b)
{
    if (a == b && may_be_several(s, a)) {
        return TRI_UNKNOWN;
    }
    if (a == b || a->server != b->server || only_temporary(a) || only_temporary(b)) {
        return TRI_NO;
    }
    const enum tri same = same_filesystem(s, a, b), below = adds_no_disk(s, a, b);
    if (same == TRI_YES || below == TRI_NO) {
        return TRI_NO;
    }
    return same == TRI_NO && below == TRI_YES ? TRI_YES : TRI_UNKNOWN;
}

/* ---- one volume against all ---- */

struct result {
    bool split, split_open; /* some are; of some it is not known */
    unsigned split_roles;
    bool meets_open;
    unsigned met_roles;
    uint64_t servers;
    bool servers_open;
};

static void compare(const struct store *s, const struct subject *v, const struct subject *other,
                    struct result *r)
{
    const enum tri met = meets(s, v, other);
    if (other->server == v->server) {
        const enum tri split = is_split(s, v, other);
        r->split = r->split || split == TRI_YES;
        r->split_open = r->split_open || split == TRI_UNKNOWN;
        r->split_roles |= split == TRI_YES ? other->roles : 0;
        r->meets_open = r->meets_open || met == TRI_UNKNOWN;
        r->met_roles |= met == TRI_YES ? other->roles : 0;
    } else if (other->server != NULL) {
        r->servers += met == TRI_YES;
        r->servers_open = r->servers_open || met == TRI_UNKNOWN;
    }
}

static void set_unknown(struct store *s, const struct subject *v, const char *name)
{
    store_unknown(s, v, name, FACT_ABSENT, SOURCE, "", "the devices below some path are not known");
}

static void set_roles(struct store *s, const struct subject *v, const char *name, unsigned roles,
                      bool open)
{
    if (open) {
        set_unknown(s, v, name);
    } else {
        store_known(s, v, name, value_roles(store_arena(s), roles), SOURCE);
    }
}

static void set_facts(struct store *s, const struct subject *v, const struct result *r)
{
    static const char split[] = "volume.split_roles_same_leaves";
    static const char servers[] = "volume.shared_server_count";
    if (r->split || !r->split_open) {
        store_known(s, v, split, value_bool(r->split), SOURCE);
    } else {
        set_unknown(s, v, split);
    }
    set_roles(s, v, "volume.split_roles", r->split_roles, r->split_open);
    set_roles(s, v, "volume.shared_device_with", r->met_roles, r->meets_open);
    if (r->servers_open) {
        set_unknown(s, v, servers);
    } else {
        store_known(s, v, servers, value_u64(KIND_COUNT, r->servers), SOURCE);
    }
}

void shared_set(struct store *s)
{
    const struct subject *const *volumes = NULL;
    const size_t n = store_subjects_of(s, SUBJECT_VOLUME, &volumes);
    for (size_t i = 0; i < n; i++) {
        struct result r = {0};
        if (volumes[i]->server == NULL) {
            continue;
        }
        for (size_t k = 0; k < n; k++) {
            compare(s, volumes[i], volumes[k], &r);
        }
        set_facts(s, volumes[i], &r);
    }
}
