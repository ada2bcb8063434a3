/* ZFS's commands: no crash on any text; what is found lies in the text, and what is counted agrees. */
#include <stdlib.h>

#include "probes/host/zfs_filter.h"
#include "probes/zfs_text.h"
#include "probes/zpool_text.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_pool(const struct zpool_status *s)
{
    if (s->n == 0 || s->n > ZPOOL_VDEVS_MAX || (s->vdev_kind != NULL && s->vdev_count == 0)) {
        abort();
    }
    for (size_t i = 0; i < s->n; i++) {
        const struct zpool_vdev *const v = &s->vdevs[i];
        if (v->name.len == 0 || v->role == NULL || (i > 0 && v->parent >= i) ||
            (v->leaf && v->type == NULL) || (i > 0 && s->vdevs[v->parent].leaf) ||
            (v->has_trimmed && v->trim != ZPOOL_TRIM_DONE)) {
            abort();
        }
    }
}

static void check_names(struct span text)
{
    struct span names[4];
    const size_t n = zpool_status_names(text, names, ARRAY_LEN(names));
    for (size_t i = 0; i < n && i < ARRAY_LEN(names); i++) {
        if (names[i].len == 0 || names[i].ptr < text.ptr ||
            names[i].ptr + names[i].len > text.ptr + text.len) {
            abort();
        }
    }
}

/* What leaves the seam about two datasets is theirs, each property once; each has its lines. */
static void check_filter(struct arena *a, struct span text)
{
    struct span rest = zfs_filter(a, text, SPAN_LIT("tank tank/my")), line;
    const struct span one = zfs_lines(a, rest, "tank"), other = zfs_lines(a, rest, "tank/my");
    if (one.len + other.len > rest.len) {
        abort();
    }
    while (span_line(&rest, &line)) {
        struct span name, property;
        if (!span_split(&line, '\t', &name) || !span_split(&line, '\t', &property) ||
            span_has(property, ':') ||
            !(span_eq_text(name, "tank") || span_eq_text(name, "tank/my"))) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"recordsize", "compression", "sync"};
    ARENA_AUTO a = arena_new();
    struct zpool_status s;
    struct err e = ERR_INIT;
    const struct span text = {(const char *)data, size};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct span v;
        if (zfs_property(text, names[i], &v) &&
            (v.len == 0 || v.ptr < text.ptr || v.ptr + v.len > text.ptr + text.len)) {
            abort();
        }
    }
    check_names(text);
    check_filter(a, text);
    if (zpool_status_parse(a, text, SPAN_LIT("tank"), &s, &e)) {
        check_pool(&s);
    } else if (e.code == E_NONE) {
        abort();
    }
    return 0;
}
