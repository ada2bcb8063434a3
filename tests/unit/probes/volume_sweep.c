/* See volume_sweep.h. */
#include "tests/unit/probes/volume_sweep.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/facts/layer.h"

#include "advisor/base/banned.h"

/* What the pool's job would be given; false: the volume lies on none. */
static bool pool_of(struct arena *a, const struct store *s, const struct subject *sub,
                    struct probe_args *ret)
{
    const struct fact *const pool = store_get(s, sub, SPAN_LIT("volume.zfs.pool"));
    const struct fact *const dataset = store_get(s, sub, SPAN_LIT("volume.zfs.dataset"));
    const struct fact *const layers = store_get(s, sub, SPAN_LIT("volume.layers"));
    if (pool == NULL || pool->state != FACT_KNOWN) {
        return false;
    }
    struct pool_member *const member = arena_alloc(a, sizeof(*member));
    *member = (struct pool_member){.label = sub->label,
                                   .dataset = span_dup(a, dataset->value.text),
                                   .layer = layers->value.items[0]};
    *ret = (struct probe_args){.label = sub->label,
                               .pool = span_dup(a, pool->value.text),
                               .members = member,
                               .n_members = 1};
    return true;
}

/* As the runner takes over what a child found. */
static void take_over(struct store *s, const struct store *from)
{
    for (size_t i = 0; i < store_subjects(from); i++) {
        const struct subject *const sub = store_subject_at(from, i);
        const struct fact_row *rows = NULL;
        const size_t n = store_facts(from, sub, &rows);
        for (size_t k = 0; k < n; k++) {
            store_set(s, store_subject(s, sub->kind, sub->label), rows[k].name, rows[k].fact);
        }
    }
}

/* Its own job, and that of the pool below it. */
static struct subject *run(struct arena *a, struct store *s, struct host *h,
                           const struct probe_args *args)
{
    struct probe_args pool;
    struct subject *const sub = fixture_run_part(a, s, &probe_volume, h, SUBJECT_VOLUME, args);
    if (pool_of(a, s, sub, &pool)) {
        struct store *const own = fixture_store(a, &probe_volume);
        (void)fixture_run(a, own, &probe_pool, h, SUBJECT_VOLUME, &pool);
        take_over(s, own);
    }
    fixture_all_set(s, sub, &probe_volume);
    return sub;
}

void volume_check(const struct volume_scene *scenes, size_t n, const struct probe_args *args)
{
    for (size_t i = 0; i < n; i++) {
        ARENA_AUTO a = arena_new();
        struct host *h = fakehost_new(a);
        struct store *s = fixture_store(a, &probe_volume);
        scenes[i].make(h);
        const struct subject *sub = run(a, s, h, args);
        fixture_check(a, s, sub, scenes[i].name, scenes[i].wants);
    }
}

static bool may_differ(const char *name)
{
    static const char *const names[] = {
        "server.data.bytes",   /* an upper bound takes its place */
        "volume.leaf_devices", /* a loop device whose file is out of reach is the leaf itself */
        "volume.device_count", "volume.stack.kinds", "volume.storage_class",
        "volume.stack.discard", "volume.stack.max_io_bytes",
    };
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Does some layer of `base` with this name say the same? */
static bool says_so(struct arena *a, const struct fact *base, const struct layer *of,
                    const struct layer_key *key)
{
    for (size_t i = 0; i < base->value.n_items; i++) {
        struct layer l;
        assert_true(layer_read(a, base->value.items[i], &l));
        const struct span dm = layer_value(&l, "dm");
        const bool same = span_eq(l.name, of->name) ||
                          (dm.len > 0 && (span_eq(dm, of->name) || span_eq(dm, layer_value(of, "dm"))));
        if (same && span_eq(layer_value(&l, span_dup(a, key->key)), key->value)) {
            return true;
        }
    }
    return false;
}

/* Layers may lose words and end early; no word may change. */
static void check_layers(struct arena *a, const char *scene, unsigned n, const struct fact *base,
                         const struct fact *got)
{
    for (size_t i = 0; i < got->value.n_items; i++) {
        struct layer l;
        assert_true(layer_read(a, got->value.items[i], &l));
        /* with less on one leg there is room for more of another */
        const bool end = span_eq_text(l.kind, "unknown") || i == 0 || strstr(scene, "wider") != NULL;
        for (size_t k = 0; !end && k < l.n_keys; k++) {
            if (!says_so(a, base, &l, &l.keys[k])) {
                fail_msg("%s, operation %u fails: layer '%.*s' is new in '%.*s'", scene, n,
                         SPAN_ARG(l.name), SPAN_ARG(got->value.items[i]));
            }
        }
    }
}

static void check_against(struct arena *a, const char *scene, unsigned n, const char *label,
                          const struct store *base, const struct store *got)
{
    const struct subject *sub = store_find_subject(got, label);
    const struct subject *was = store_find_subject(base, label);
    const struct fact_row *rows = NULL;
    size_t n_rows = store_facts(got, sub, &rows);
    for (size_t i = 0; i < n_rows; i++) {
        enum fact_state state = rows[i].fact->state;
        const char *now = fixture_text(a, got, sub, rows[i].name);
        const char *then = fixture_text(a, base, was, rows[i].name);
        if (strcmp(rows[i].name, "volume.layers") == 0 && state == FACT_KNOWN) {
            check_layers(a, scene, n, store_get(base, was, SPAN_LIT("volume.layers")), rows[i].fact);
            continue;
        }
        bool firm = state == FACT_KNOWN || state == FACT_NOT_SUPPORTED;
        if (firm && strcmp(now, then) != 0 && !(strcmp(rows[i].name, "volume.chain") == 0 ||
            strcmp(rows[i].name, "volume.elsewhere") == 0 || /* what is gone in between is no news */
            (may_differ(rows[i].name) && strstr(scene, "loop") != NULL))) {
            fail_msg("%s, operation %u fails: %s becomes %s, was %s", scene, n, rows[i].name, now,
                     then);
        }
    }
}

void volume_sweep(const struct volume_scene *scenes, size_t n_scenes, const struct probe_args *args)
{
    static const enum err_code codes[] = {E_DENIED, E_ABSENT, E_ABSENT, E_NONE};
    for (size_t i = 0; i < n_scenes; i++) {
        ARENA_AUTO outer = arena_new();
        struct host *h = fakehost_new(outer);
        struct store *base = fixture_store(outer, &probe_volume);
        scenes[i].make(h);
        run(outer, base, h, args);
        unsigned calls = fakehost_calls(h, HOST_OPS);
        /* of a very long run a sample */
        for (unsigned n = 0; n < calls; n += 1 + calls / 120) {
            for (size_t c = n % 2; c < ARRAY_LEN(codes); c += calls > 400 ? 4 : 2) {
                ARENA_AUTO a = arena_new();
                struct host *inner = fakehost_new(a);
                struct store *s = fixture_store(a, &probe_volume);
                scenes[i].make(inner);
                struct host *faulty = host_fault_new(a, inner, n, codes[c], EIO);
                run(a, s, faulty, args);
                if (codes[c] != E_NONE) {
                    check_against(a, scenes[i].name, n, args->label, base, s);
                }
            }
        }
    }
}
