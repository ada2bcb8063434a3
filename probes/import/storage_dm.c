/* The device mapper: dmsetup table (by probes/dmtable.h) and dmsetup ls --tree. Tables speak of devices by number:
 * those that lsblk named are known. */
#include "probes/import/storage.h"

#include "advisor/base/parse.h"
#include "probes/dmtable.h"
#include "probes/import/columns.h"

#include "advisor/base/banned.h"

/* "vg-data: 0 20971520 linear 259:2 2048", or without the name for one mapping: that one is not told apart. */
bool dmsetup_begins(struct span line)
{
    struct span name, start, length, target;
    uint64_t n = 0;
    return span_word(&line, &name) && span_ends(name, ":") && span_word(&line, &start) && parse_u64(start, &n) &&
           span_word(&line, &length) && parse_u64(length, &n) && span_word(&line, &target) &&
           !parse_u64(target, &n);
}

static const char *target_type(enum dm_target t)
{
    switch (t) {
    case DM_CRYPT:
        return "crypt";
    case DM_MULTIPATH:
        return "mpath";
    case DM_LINEAR:
    case DM_STRIPED:
    case DM_RAID:
    case DM_THIN:
    case DM_THIN_POOL:
    case DM_SNAPSHOT:
    case DM_SNAPSHOT_ORIGIN:
    case DM_CACHE:
    case DM_WRITECACHE:
        return "lvm";
    case DM_INTEGRITY:
    case DM_VDO:
    case DM_PLAIN:
    case DM_NOTHING:
    case DM_OTHER:
        break;
    }
    return "dm";
}

static void add_segment(struct stack *s, struct stack_node *n, const struct dm_segment *g)
{
    n->type = n->type.len == 0 ? span_of(target_type(g->target)) : n->type;
    stack_key(s, n, "type", g->word);
    if (g->stripes > 0) {
        stack_key_u64(s, n, "stripes", g->stripes);
        stack_key_u64(s, n, "chunk", g->chunk);
    }
    if (g->target == DM_CRYPT) {
        stack_key(s, n, "cipher", g->cipher);
        stack_key_u64(s, n, "sector", g->sector);
        stack_key(s, n, "workqueue",
                  g->no_read_workqueue && g->no_write_workqueue ? SPAN_LIT("off") : SPAN_LIT("on"));
    }
    stack_key(s, n, "mode", g->mode);
    for (size_t i = 0; i < g->n_legs; i++) {
        const struct stack_node *below = stack_find(s, g->legs[i].device);
        if (below != NULL) {
            stack_stands_on(s, n, below, false);
        }
    }
}

bool dmsetup_read(struct stack *s, struct span text)
{
    struct dm_tables tables;
    struct err ignored = ERR_INIT;
    const struct span whole = span_of(arena_printf(s->arena, "%.*s\n", SPAN_ARG(span_trim(text))));
    if (!dm_tables_parse(s->arena, whole, &tables, &ignored)) {
        return false;
    }
    for (size_t i = 0; i < tables.n; i++) {
        const struct dm_table *t = &tables.rows[i];
        struct stack_node *n = t->bad ? NULL : stack_node(s, t->name);
        for (size_t k = 0; n != NULL && k < t->n; k++) {
            add_segment(s, n, &t->segments[k]);
        }
    }
    return tables.n > 0;
}

/* ---- dmsetup ls --tree ----------------------------------------------------------------------- */

/* "vg-data (253:0)", with " `-vg-pool (253:1)" and " `- (259:2)" below: numbers without names are left out. */
bool dmtree_begins(struct span line)
{
    struct span rest = line, name;
    const bool plain = line.len > 0 && line.ptr[0] != ' ' && line.ptr[0] != '/' && line.ptr[0] != '|' &&
                       line.ptr[0] != '`' && line.ptr[0] != '(' && (unsigned char)line.ptr[0] < 0x80 &&
                       span_ends(line, ")");
    if (!plain || !span_word(&rest, &name)) {
        return false;
    }
    rest = span_trim(rest);
    if (span_starts(rest, "<") && !span_word(&rest, &name)) { /* -o blkdevname */
        return false;
    }
    rest = span_trim(rest);
    return span_starts(rest, "(") && span_has(rest, ':') && !span_has(rest, ' ');
}

/* "vg-data", "<nvme0n1>", or of a device without a name its number "(259:1)": the node, where it is known. */
static struct stack_node *tree_node(struct stack *s, struct span name)
{
    if (span_starts(name, "<") && span_ends(name, ">")) {
        return stack_node(s, span_sub(name, 1, name.len - 2));
    }
    if (span_starts(name, "(") && span_ends(name, ")")) {
        return stack_find(s, span_sub(name, 1, name.len - 2));
    }
    return stack_node(s, name);
}

bool dmtree_read(struct stack *s, struct span text)
{
    struct columns c = {.names = {SPAN_LIT("NAME"), SPAN_LIT("NUMBER")}, .from = {0, 400}, .to = {4, 406}, .n = 2};
    struct stack_node *at[32] = {NULL};
    struct span line, cells[COLUMNS_MAX];
    bool some = false;
    while (span_line(&text, &line)) {
        size_t first = 0;
        columns_split(&c, line, cells, &first);
        const size_t depth = (first + 1) / 3;
        if (cells[0].len == 0 || depth >= ARRAY_LEN(at)) {
            continue;
        }
        at[depth] = tree_node(s, cells[0]);
        some = some || at[depth] != NULL;
        if (depth > 0 && at[depth - 1] != NULL) {
            stack_stands_on(s, at[depth - 1], at[depth], false);
        }
    }
    return some;
}
