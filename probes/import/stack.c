/* See stack.h. */
#include "probes/import/stack.h"

#include <string.h>

#include "advisor/base/banned.h"

struct stack *stack_new(struct arena *a)
{
    struct stack *s = arena_alloc(a, sizeof(*s));
    *s = (struct stack){.arena = a};
    return s;
}

/* "vg/lv" is the mapping "vg-lv", and a dash of either name is doubled there. */
static struct span mapping_name(struct arena *a, struct span vg, struct span lv)
{
    struct buf b;
    const struct span parts[] = {vg, lv};
    buf_init(&b, a, (vg.len + lv.len) * 2 + 1);
    for (size_t k = 0; k < ARRAY_LEN(parts); k++) {
        for (size_t i = 0; i < parts[k].len; i++) {
            buf_add_text(&b, parts[k].ptr[i] == '-' ? "-" : "");
            buf_add_char(&b, parts[k].ptr[i]);
        }
        buf_add_text(&b, k == 0 ? "-" : "");
    }
    return buf_span(&b);
}

struct span stack_name(struct arena *a, struct span name)
{
    static const char mapper[] = "/dev/mapper/", dev[] = "/dev/", by[] = "/dev/disk/";
    name = span_trim(name);
    if (span_starts(name, mapper)) {
        return span_sub(name, sizeof(mapper) - 1, name.len);
    }
    if (!span_starts(name, dev) || span_starts(name, by)) {
        return name;
    }
    struct span rest = span_sub(name, sizeof(dev) - 1, name.len), first;
    struct span whole = rest;
    if (!span_has(rest, '/') || !span_split(&rest, '/', &first) || span_has(rest, '/') || rest.len == 0 ||
        span_eq_text(first, "md") || span_eq_text(first, "zvol") || span_eq_text(first, "longhorn") ||
        span_eq_text(first, "rbd") || span_eq_text(first, "drbd") || span_eq_text(first, "cciss")) {
        return whole;
    }
    return mapping_name(a, first, rest);
}

static const struct span *alias_of(const struct stack *s, struct span name)
{
    for (size_t i = 0; i < s->n_aliases; i++) {
        if (span_eq(s->aliases[2 * i], name)) {
            return &s->aliases[2 * i + 1];
        }
    }
    return NULL;
}

struct stack_node *stack_find(const struct stack *s, struct span name)
{
    struct span plain = stack_name(s->arena, name);
    const struct span *other = alias_of(s, plain);
    plain = other != NULL ? *other : plain;
    for (size_t i = 0; i < s->n_nodes; i++) {
        if (span_eq(s->nodes[i].name, plain)) {
            return &s->nodes[i];
        }
    }
    return NULL;
}

/* Pointers to nodes must last, so the table is made whole at once. */
struct stack_node *stack_node(struct stack *s, struct span name)
{
    struct stack_node *found = stack_find(s, name);
    const struct span plain = stack_name(s->arena, name);
    if (found != NULL || plain.len == 0) {
        return found;
    }
    if (s->nodes == NULL) {
        s->cap_nodes = STACK_NODES_MAX;
        s->nodes = arena_calloc(s->arena, s->cap_nodes, sizeof(*s->nodes));
    }
    if (s->n_nodes == s->cap_nodes) {
        s->full = true;
        return NULL;
    }
    found = &s->nodes[s->n_nodes++];
    found->name = plain;
    return found;
}

void stack_alias(struct stack *s, struct span other, struct span name)
{
    const struct span a = stack_name(s->arena, other), b = stack_name(s->arena, name);
    if (a.len == 0 || b.len == 0 || span_eq(a, b) || stack_find(s, a) != NULL || alias_of(s, a) != NULL) {
        return;
    }
    s->aliases = arena_list_room(s->arena, s->aliases, 2 * s->n_aliases, sizeof(*s->aliases));
    s->aliases[2 * s->n_aliases] = a;
    s->aliases = arena_list_room(s->arena, s->aliases, 2 * s->n_aliases + 1, sizeof(*s->aliases));
    s->aliases[2 * s->n_aliases + 1] = b;
    s->n_aliases++;
}

void stack_stands_on(struct stack *s, const struct stack_node *above, const struct stack_node *below,
                     bool idle)
{
    if (above == NULL || below == NULL || above == below) {
        return;
    }
    const struct stack_link link = {(size_t)(above - s->nodes), (size_t)(below - s->nodes), idle};
    for (size_t i = 0; i < s->n_links; i++) {
        if (s->links[i].above == link.above && s->links[i].below == link.below) {
            s->links[i].idle = s->links[i].idle && idle;
            return;
        }
    }
    if (s->n_links == STACK_LINKS_MAX) {
        s->full = true;
        return;
    }
    s->links = arena_list_room(s->arena, s->links, s->n_links, sizeof(*s->links));
    s->links[s->n_links++] = link;
}

/* "UUID=1234-5678": a name that blkid and lsblk give to devices. */
static bool is_label(struct span source)
{
    return span_starts(source, "UUID=") || span_starts(source, "LABEL=") || span_starts(source, "PARTUUID=") ||
           span_starts(source, "PARTLABEL=") || span_starts(source, "/dev/disk/");
}

/* May both be one device? */
static bool same_source(const struct stack *s, struct span a, struct span b)
{
    return a.len == 0 || b.len == 0 || is_label(a) || is_label(b) ||
           span_eq(stack_name(s->arena, a), stack_name(s->arena, b));
}

static void fill(struct span *part, struct span other)
{
    if (part->len == 0) {
        *part = other;
    }
}

void stack_add_mount(struct stack *s, const struct stack_mount *m)
{
    struct stack_mount made = *m;
    while (made.target.len > 1 && span_ends(made.target, "/")) {
        made.target.len--;
    }
    for (size_t i = 0; i < s->n_mounts; i++) {
        struct stack_mount *old = &s->mounts[i];
        if (!span_eq(old->target, made.target) || !same_source(s, old->source, m->source)) {
            continue;
        }
        if (is_label(old->source) && m->source.len > 0 && !is_label(m->source)) {
            old->source = m->source;
        }
        fill(&old->source, m->source);
        fill(&old->fstype, m->fstype);
        fill(&old->options, m->options);
        fill(&old->root, m->root);
        return;
    }
    if (s->n_mounts == STACK_MOUNTS_MAX) {
        s->full = true;
        return;
    }
    s->mounts = arena_list_room(s->arena, s->mounts, s->n_mounts, sizeof(*s->mounts));
    s->mounts[s->n_mounts++] = made;
}

void stack_key(struct stack *s, struct stack_node *n, const char *key, struct span value)
{
    (void)s;
    if (n != NULL && value.len > 0 && layer_value(&n->keys, key).len == 0) {
        layer_add(&n->keys, key, value);
    }
}

void stack_key_u64(struct stack *s, struct stack_node *n, const char *key, uint64_t value)
{
    stack_key(s, n, key, span_of(arena_printf(s->arena, "%llu", (unsigned long long)value)));
}

const struct stack_mount *stack_mount_of(const struct stack *s, struct span path)
{
    const struct stack_mount *best = NULL;
    for (size_t i = 0; i < s->n_mounts; i++) {
        const struct stack_mount *m = &s->mounts[i];
        if (span_path_below(path, m->target) && (best == NULL || m->target.len >= best->target.len)) {
            best = m;
        }
    }
    return best;
}

struct span stack_asked(const struct stack *s)
{
    struct span rest = s->command, word, found = {"", 0};
    while (span_word(&rest, &word) && !span_starts(word, "|") && !span_starts(word, ">") && !span_starts(word, ";")) {
        found = span_starts(word, "/") ? word : found;
    }
    return found;
}

size_t stack_below(const struct stack *s, const struct stack_node *n, struct stack_leg *ret, size_t max)
{
    const size_t at = (size_t)(n - s->nodes);
    size_t count = 0;
    for (size_t i = 0; i < s->n_links && count < max; i++) {
        if (s->links[i].above == at) {
            ret[count++] = (struct stack_leg){&s->nodes[s->links[i].below], s->links[i].idle};
        }
    }
    return count;
}
