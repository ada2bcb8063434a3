/* LVM: lvs, vgs, pvs as tables, with any separator, or JSON (--reportformat json). Which physical volumes a
 * logical one lies on stands in its column Devices alone; how it is laid out in SegType, Stripes, Stripe. */
#include "probes/import/storage.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/import/columns.h"

#include "advisor/base/banned.h"

struct volume_row {
    struct span lv, vg, pv, segtype, stripes, stripe, devices, pool, origin, data, metadata, extent, attr, size;
};

/* "64.00k", "128.00 KiB", "65536", "4.00m": bytes; only whole ones are taken. */
static bool size_of(struct span s, uint64_t *ret)
{
    static const char units[] = "bkmgt";
    struct span rest = s, whole;
    uint64_t v = 0, scale = 1;
    size_t n = 0;
    while (n < s.len && ((s.ptr[n] >= '0' && s.ptr[n] <= '9') || s.ptr[n] == '.')) {
        n++;
    }
    rest = span_sub(s, 0, n);
    if (!span_split(&rest, '.', &whole) || !parse_u64(whole, &v)) {
        return false;
    }
    for (size_t i = 0; i < rest.len; i++) {
        if (rest.ptr[i] != '0') {
            return false;
        }
    }
    const struct span unit = span_trim(span_sub(s, n, s.len));
    for (const char *u = units; unit.len > 0 && *u != '\0' && *u != (unit.ptr[0] | 0x20); u++) {
        scale *= 1024;
    }
    if (scale > ((uint64_t)1 << 40) || v > UINT64_MAX / scale) {
        return false;
    }
    *ret = v * scale;
    return true;
}

static struct span named(struct arena *a, struct span vg, struct span lv)
{
    const bool hidden = span_starts(lv, "[") && span_ends(lv, "]");
    const struct span name = hidden ? span_sub(lv, 1, lv.len - 2) : lv;
    return span_of(arena_printf(a, "/dev/%.*s/%.*s", SPAN_ARG(vg), SPAN_ARG(name)));
}

/* "/dev/nvme0n1(0),/dev/nvme1n1(0)", "pool_tdata(0)" */
static void add_devices(struct stack *s, struct stack_node *lv, const struct volume_row *r)
{
    struct span list = r->devices, one, name;
    while (span_split(&list, ',', &one)) {
        if (!span_split(&one, '(', &name) || name.len == 0) {
            continue;
        }
        name = span_trim(name);
        const struct span below = span_starts(name, "/") ? name : named(s->arena, r->vg, name);
        stack_stands_on(s, lv, stack_node(s, below), false);
    }
}

static void add_percent(struct stack *s, struct stack_node *n, const char *key, struct span text)
{
    struct span rest = text, whole;
    uint64_t v = 0;
    if (span_split(&rest, '.', &whole) && parse_u64(span_trim(whole), &v) && v <= 100) {
        stack_key_u64(s, n, key, v);
    }
}

/* What a word of SegType, or the first letter of Attr, makes of it. */
static struct span kind_of(const struct volume_row *r)
{
    if (r->segtype.len > 0) {
        return r->segtype;
    }
    const char c = r->attr.len > 0 ? r->attr.ptr[0] : '-';
    return c == 'V'   ? SPAN_LIT("thin")
           : c == 't' ? SPAN_LIT("thin-pool")
           : c == 's' || c == 'S' ? SPAN_LIT("snapshot")
           : c == 'r' || c == 'R' ? SPAN_LIT("raid")
           : c == 'C' ? SPAN_LIT("cache")
                      : (struct span){"", 0};
}

static bool put_row(struct stack *s, const struct volume_row *r)
{
    uint64_t n = 0;
    struct stack_node *pv = r->lv.len == 0 && r->pv.len > 0 && r->vg.len > 0 ? stack_node(s, r->pv) : NULL;
    if (pv != NULL) {
        pv->is_pv = true;
        pv->vg = r->vg;
    }
    if (r->lv.len == 0 || r->vg.len == 0) {
        return r->vg.len > 0 || r->pv.len > 0;
    }
    struct stack_node *lv = stack_node(s, named(s->arena, r->vg, r->lv));
    if (lv == NULL) {
        return false;
    }
    lv->type = lv->type.len == 0 ? SPAN_LIT("lvm") : lv->type;
    lv->vg = r->vg;
    stack_key(s, lv, "type", kind_of(r));
    if (parse_u64(r->stripes, &n)) {
        stack_key_u64(s, lv, "stripes", n);
    }
    if (size_of(r->stripe, &n) && n > 0) {
        stack_key_u64(s, lv, "chunk", n);
    }
    if (size_of(r->extent, &n) && n > 0) {
        stack_key_u64(s, lv, "extent", n);
    }
    add_percent(s, lv, "used", r->data);
    add_percent(s, lv, "metadata", r->metadata);
    add_devices(s, lv, r);
    if (r->pool.len > 0) {
        stack_stands_on(s, lv, stack_node(s, named(s->arena, r->vg, r->pool)), false);
    }
    return true;
}

/* One cell by its heading, or the key of JSON. */
static void set_cell(struct volume_row *r, struct span heading, struct span cell)
{
    const struct {
        const char *heading, *key;
        struct span *cell;
    } cells[] = {
        {"LV", "lv_name", &r->lv},           {"VG", "vg_name", &r->vg},
        {"PV", "pv_name", &r->pv},           {"Type", "segtype", &r->segtype},
        {"#Str", "stripes", &r->stripes},    {"Stripe", "stripe_size", &r->stripe},
        {"Devices", "devices", &r->devices}, {"Pool", "pool_lv", &r->pool},
        {"Origin", "origin", &r->origin},    {"Data%", "data_percent", &r->data},
        {"Meta%", "metadata_percent", &r->metadata}, {"Ext", "vg_extent_size", &r->extent},
        {"Attr", "lv_attr", &r->attr},       {"LSize", "lv_size", &r->size},
    };
    for (size_t i = 0; i < ARRAY_LEN(cells); i++) {
        if ((span_eq_text(heading, cells[i].heading) || span_eq_text(heading, cells[i].key)) && cell.len > 0) {
            *cells[i].cell = cell;
            return;
        }
    }
}

/* "LV|VG|Attr": the separator of such a heading, or 0. */
static char separator_of(struct span line)
{
    static const char separators[] = "|,:;\t^@";
    for (const char *sep = separators; *sep != '\0'; sep++) {
        struct span rest = span_trim(line), cell;
        unsigned known = 0;
        while (span_split(&rest, *sep, &cell)) {
            cell = span_trim(cell);
            known += span_in_words(cell, "LV,VG,PV,Attr,Type,Devices,LSize,#Str,Stripe");
        }
        if (known >= 3) {
            return *sep;
        }
    }
    return '\0';
}

bool lvm_begins(struct span line)
{
    struct columns c;
    if (separator_of(line) != '\0') {
        return true;
    }
    return columns_read(&c, line) >= 3 &&
           ((columns_find(&c, "LV") == 0 && columns_find(&c, "VG") >= 0) ||
            (columns_find(&c, "PV") == 0 && columns_find(&c, "VG") == 1) ||
            (columns_find(&c, "VG") == 0 && (columns_find(&c, "#PV") >= 0 || columns_find(&c, "LV") >= 0)));
}

static size_t split_at(struct span line, char sep, struct span *cells)
{
    struct span rest = span_trim(line), cell;
    size_t n = 0;
    while (n < COLUMNS_MAX && span_split(&rest, sep, &cell)) {
        cells[n++] = span_trim(cell);
    }
    return n;
}

/* A row whose blanks were squeezed, and some of whose texts are missing: by what they look like. */
static bool read_squeezed(struct volume_row *r, const struct columns *c, struct span line)
{
    static const char types[] = "linear,striped,raid0,raid1,raid10,raid5,raid6,mirror,thin,thin-pool,cache,cache-pool,"
                                "snapshot,writecache,vdo,vdo-pool,integrity";
    const bool volumes = columns_find(c, "LV") == 0 && columns_find(c, "VG") == 1;
    struct span word;
    for (size_t i = 0; span_word(&line, &word); i++) {
        if (i < 2) {
            *(volumes ? i == 0 ? &r->lv : &r->vg : i == 0 ? &r->pv : &r->vg) = word;
        } else if (span_ends(word, ")") && span_has(word, '(')) {
            r->devices = word;
        } else if (span_in_words(word, types)) {
            r->segtype = word;
        } else if (word.len == 10 && columns_find(c, "Attr") >= 0 && span_has(word, '-')) {
            r->attr = word;
        }
    }
    return volumes || (columns_find(c, "PV") == 0 && columns_find(c, "VG") == 1);
}

bool lvm_read(struct stack *s, struct span text)
{
    struct columns c = {.n = 0};
    struct span line;
    char sep = '\0';
    bool some = false;
    while (span_line(&text, &line)) {
        struct span cells[COLUMNS_MAX];
        if (lvm_begins(line)) {
            sep = separator_of(line);
            c.n = sep != '\0' ? split_at(line, sep, c.names) : columns_read(&c, line);
            continue;
        }
        if (c.n == 0 || span_trim(line).len == 0 || (sep != '\0' && split_at(line, sep, cells) != c.n)) {
            continue;
        }
        struct volume_row r = {.vg = {"", 0}};
        if (sep == '\0') {
            columns_split(&c, line, cells, NULL);
        }
        if (c.squeezed && sep == '\0') {
            some = (read_squeezed(&r, &c, line) && put_row(s, &r)) || some;
            continue;
        }
        for (size_t i = 0; i < c.n; i++) {
            set_cell(&r, c.names[i], cells[i]);
        }
        some = put_row(s, &r) || some;
    }
    return some;
}

bool lvm_read_json(struct stack *s, const struct json *doc)
{
    static const char *const lists[] = {"lv", "vg", "pv", "seg"};
    const struct json *report = json_get(doc, "report");
    bool some = false;
    for (size_t i = 0; report != NULL && report->type == JSON_ARRAY && i < report->n; i++) {
        for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
            const struct json *rows = json_get(report->items[i], lists[k]);
            for (size_t j = 0; rows != NULL && rows->type == JSON_ARRAY && j < rows->n; j++) {
                const struct json *o = rows->items[j];
                struct volume_row r = {.vg = {"", 0}};
                for (size_t m = 0; o->type == JSON_OBJECT && m < o->n; m++) {
                    if (o->items[m]->type == JSON_STRING) {
                        set_cell(&r, o->keys[m], o->items[m]->string);
                    }
                }
                some = put_row(s, &r) || some;
            }
        }
    }
    return some;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* The only physical volume of a group; NULL: none or several are known. */
static const struct stack_node *only_pv(const struct stack *s, struct span vg)
{
    const struct stack_node *found = NULL;
    for (size_t i = 0; vg.len > 0 && i < s->n_nodes; i++) {
        if (s->nodes[i].is_pv && span_eq(s->nodes[i].vg, vg)) {
            if (found != NULL) {
                return NULL;
            }
            found = &s->nodes[i];
        }
    }
    return found;
}

/* Is the mapping one of the group? Its name begins with the group's, whose dashes are doubled, and one dash. */
static bool is_of_group(struct span mapping, struct span vg)
{
    size_t at = 0;
    for (size_t i = 0; i < vg.len; i++) {
        const size_t n = vg.ptr[i] == '-' ? 2 : 1;
        if (at + n > mapping.len || mapping.ptr[at] != vg.ptr[i] || mapping.ptr[at + n - 1] != vg.ptr[i]) {
            return false;
        }
        at += n;
    }
    return at + 1 < mapping.len && mapping.ptr[at] == '-' && mapping.ptr[at + 1] != '-';
}

/* The group of a mapping ("my--vg-data" is of "my-vg"), of those that are known. */
static struct span group_of(const struct stack *s, struct span mapping)
{
    for (size_t i = 0; i < s->n_nodes; i++) {
        if (s->nodes[i].is_pv && is_of_group(mapping, s->nodes[i].vg)) {
            return s->nodes[i].vg;
        }
    }
    return (struct span){"", 0};
}

static void stand_on_group(struct stack *s, struct stack_node *lv)
{
    struct stack_leg leg;
    const struct span vg = lv->vg.len > 0 ? lv->vg : group_of(s, lv->name);
    const struct stack_node *pv = stack_below(s, lv, &leg, 1) == 0 && !lv->is_pv ? only_pv(s, vg) : NULL;
    if (pv != NULL) {
        lv->type = lv->type.len == 0 ? SPAN_LIT("lvm") : lv->type;
        stack_stands_on(s, lv, pv, false);
    }
}

void lvm_end(struct stack *s)
{
    for (size_t i = 0; i < s->n_mounts; i++) {
        const struct span source = s->mounts[i].source;
        if (span_starts(source, "/dev/") && group_of(s, stack_name(s->arena, source)).len > 0) {
            (void)stack_node(s, source);
        }
    }
    for (size_t i = 0; i < s->n_nodes; i++) {
        if (s->nodes[i].vg.len > 0 || span_has(s->nodes[i].name, '-')) {
            stand_on_group(s, &s->nodes[i]);
        }
    }
}
