/* See chain.h: the trees of the document. */
#include "advisor/report/chain.h"

#include <string.h>

#include "advisor/base/units.h"
#include "advisor/report/chain_disk.h"
#include "advisor/report/docread.h"
#include "advisor/report/textbuf.h"

#include "advisor/base/banned.h"

#define LINE_MAX_BYTES 2048
#define NAME_WIDTH_MAX 44u /* longer names push their own line only */
#define KIND_WIDTH 12u

struct view {
    struct buf *b;
    struct arena *arena;
    const struct json *doc;
    const struct text_options *opt;
    unsigned width; /* of the names of this tree */
};

/* ---- what a layer says of itself ------------------------------------------------------------- */

#define OWN_NAME "" /* not worth a word when it is the layer's name */

enum detail_kind { AS_TEXT, AS_COUNT, AS_BYTES, AS_VENDOR_BYTES, AS_PERCENT };

/* One key of advisor/facts/layer.h in words; `unless`: a value that is not worth a word. */
struct detail {
    const char *key;
    enum detail_kind kind;
    const char *before, *after;
    const char *unless;
    bool verbose;
};

static const struct detail details[] = {
    {"type", AS_TEXT, "", "", NULL, false},
    {"raid", AS_TEXT, "", "", NULL, false},
    {"container", AS_TEXT, "in container ", "", NULL, true},
    {"target", AS_TEXT, "target ", "", NULL, false},
    {"suspended", AS_TEXT, "suspended: ", "", NULL, false},
    {"transport", AS_TEXT, "", "", "pcie", false},
    {"address", AS_TEXT, "", "", NULL, false},
    {"ana", AS_TEXT, "", "", NULL, false},
    {"why", AS_TEXT, "", "", NULL, false},
    {"size", AS_VENDOR_BYTES, "", "", NULL, false},
    {"at", AS_TEXT, "mounted at ", "", OWN_NAME, false},
    {"source", AS_TEXT, "from ", "", NULL, false},
    {"subvolume", AS_TEXT, "subvolume ", "", "/", false},
    {"dataset", AS_TEXT, "dataset ", "", NULL, false},
    {"block", AS_BYTES, "blocks of ", "", NULL, false},
    {"offset", AS_BYTES, "begins at ", "", "0 B", false},
    {"stripes", AS_COUNT, "", " legs", "1", false},
    {"chunk", AS_BYTES, "pieces of ", "", NULL, false},
    {"extent", AS_BYTES, "extents of ", "", NULL, false},
    {"disks", AS_COUNT, "", " disks", NULL, false},
    {"layout", AS_TEXT, "layout ", "", NULL, true},
    {"degraded", AS_COUNT, "", " missing", "0", false},
    {"sync", AS_TEXT, "", " running", "idle", false},
    {"done", AS_PERCENT, "", " done", NULL, false},
    {"bitmap", AS_BYTES, "bitmap of ", "", NULL, true},
    {"used", AS_PERCENT, "", " used", NULL, false},
    {"metadata", AS_PERCENT, "metadata ", " used", NULL, false},
    {"mode", AS_TEXT, "", "", NULL, false},
    {"cipher", AS_TEXT, "", "", NULL, false},
    {"sector", AS_BYTES, "sectors of ", "", NULL, false},
    {"workqueue", AS_TEXT, "work queues ", "", NULL, false},
    {"role", AS_TEXT, "", "", "data", false},
    {"state", AS_TEXT, "", "", "ONLINE", false},
    {"errors", AS_COUNT, "", " errors", "0", false},
    {"ashift", AS_COUNT, "ashift ", "", NULL, false},
    {"path", AS_TEXT, "on ", "", NULL, false},
    {"dm", AS_TEXT, "", "", NULL, true},
    {"sectsz", AS_BYTES, "blocks of ", "", NULL, false},
    {"min_io", AS_BYTES, "least I/O ", "", NULL, true},
    {"opt_io", AS_BYTES, "best I/O ", "", "0 B", true},
    {"max_io", AS_BYTES, "largest I/O ", "", NULL, true},
    {"atomic", AS_BYTES, "atomic up to ", "", "0 B", true},
};

static void print_value(struct buf *b, const struct json *v, enum detail_kind kind)
{
    struct num percent = v->number;
    if (v->type == JSON_STRING) {
        buf_add_escaped(b, v->string);
    } else if (kind == AS_BYTES) {
        units_print(b, v->number, DIM_BYTES, false);
    } else if (kind == AS_VENDOR_BYTES) {
        units_print_decimal(b, v->number, DIM_BYTES);
    } else if (kind == AS_PERCENT) {
        if (num_div(v->number, num_u64(100), &percent) == NUM_OK) {
            units_print(b, percent, DIM_NONE, true);
        }
    } else {
        units_print(b, v->number, DIM_NONE, false);
    }
}

static void add_detail(struct view *v, struct buf *line, const struct detail *d, const struct json *layer)
{
    struct buf plain;
    const struct json *value = json_get(layer, d->key);
    if (value == NULL || (value->type != JSON_STRING && value->type != JSON_NUMBER) ||
        (d->verbose && !v->opt->verbose)) {
        return;
    }
    buf_init(&plain, v->arena, LINE_MAX_BYTES);
    print_value(&plain, value, value->type == JSON_STRING ? AS_TEXT : d->kind);
    const char *unless = d->unless != NULL && d->unless[0] == '\0' ? read_text(layer, "name") : d->unless;
    if (unless != NULL && span_eq_text(buf_span(&plain), unless)) {
        return;
    }
    buf_printf(line, "%s%s%s%s", line->len > 0 ? ", " : "", d->before, plain.ptr, d->after);
}

static const char *layer_words(struct view *v, const struct json *layer)
{
    struct buf line;
    buf_init(&line, v->arena, LINE_MAX_BYTES);
    for (size_t i = 0; i < ARRAY_LEN(details); i++) {
        add_detail(v, &line, &details[i], layer);
    }
    const struct json *discard = json_get(layer, "discard");
    if (discard != NULL && read_count(layer, "discard") == 0 && discard->type == JSON_NUMBER) {
        buf_printf(&line, "%sno discard", line.len > 0 ? ", " : "");
    }
    return line.ptr;
}

/* ---- what is known of a disk ----------------------------------------------------------------- */

static const struct json *find_device(const struct view *v, const char *name)
{
    const struct json *list = read_list(v->doc, "devices");
    for (size_t i = 0; i < list->n; i++) {
        if (read_is(list->items[i], "name", name)) {
            return list->items[i];
        }
    }
    return NULL;
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* Is another layer of this level to come before the tree climbs above it? */
static bool has_sibling(const struct json *layers, size_t i, uint64_t level)
{
    for (size_t k = i + 1; k < layers->n; k++) {
        const uint64_t other = read_count(layers->items[k], "level");
        if (other <= level) {
            return other == level;
        }
    }
    return false;
}

/* Which of the levels above go on below line i: "|  " and so on. */
static void add_prefix(struct buf *b, const struct json *layers, size_t i, bool own)
{
    const uint64_t level = read_count(layers->items[i], "level");
    for (uint64_t at = 1; at < level; at++) {
        buf_add_text(b, has_sibling(layers, i, at) ? "|  " : "   ");
    }
    if (level > 0) {
        const bool more = has_sibling(layers, i, level);
        buf_add_text(b, own ? (more ? "|- " : "`- ") : (more ? "|  " : "   "));
    }
}

static void print_lines_of_disk(struct view *v, const struct json *layers, size_t i)
{
    const struct json *d = find_device(v, read_text(layers->items[i], "name"));
    const char *words[CHAIN_DISK_LINES] = {"", "", ""};
    if (d != NULL) {
        chain_disk_lines(v->arena, d, layers->items[i], words);
    }
    for (size_t k = 0; k < ARRAY_LEN(words); k++) {
        struct buf line;
        if (words[k][0] == '\0') {
            continue;
        }
        buf_init(&line, v->arena, LINE_MAX_BYTES);
        buf_add_text(&line, "  ");
        add_prefix(&line, layers, i, false);
        buf_add_text(&line, "  ");
        buf_add_text(v->b, line.ptr);
        text_wrap(v->b, v->opt, (unsigned)line.len, (unsigned)line.len, words[k]);
    }
}

static const char *name_of(struct view *v, const struct json *layers, size_t i)
{
    struct buf b;
    buf_init(&b, v->arena, LINE_MAX_BYTES);
    add_prefix(&b, layers, i, true);
    buf_add_escaped(&b, span_of(read_text(layers->items[i], "name")));
    return b.ptr;
}

static void print_layer(struct view *v, const struct json *layers, size_t i)
{
    const struct json *layer = layers->items[i];
    const char *name = name_of(v, layers, i), *kind = read_text(layer, "kind");
    struct buf head;
    buf_init(&head, v->arena, LINE_MAX_BYTES);
    buf_printf(&head, "  %-*s  %-*s  ", (int)v->width, name, (int)KIND_WIDTH, kind);
    buf_add_text(v->b, head.ptr);
    text_wrap(v->b, v->opt, (unsigned)head.len, v->width + KIND_WIDTH + 6, layer_words(v, layer));
    if (strcmp(kind, "disk") == 0) {
        print_lines_of_disk(v, layers, i);
    }
}

static const char *joined(struct view *v, const struct json *list)
{
    struct buf b;
    buf_init(&b, v->arena, LINE_MAX_BYTES);
    for (size_t i = 0; i < list->n; i++) {
        buf_add_text(&b, i > 0 ? ", " : "");
        buf_add_escaped(&b, list->items[i]->string);
    }
    return b.ptr;
}

static void print_volume(struct view *v, const struct json *volume)
{
    const struct json *layers = read_list(volume, "layers");
    const char *roles = joined(v, read_list(volume, "roles"));
    const char *path = read_text(volume, "path");
    text_paint(v->b, v->opt, PAINT_BOLD, path[0] != '\0' ? path : read_text(volume, "subject"));
    if (roles[0] != '\0') {
        buf_printf(v->b, ": %s", roles);
    }
    if (read_has(volume, "server")) {
        buf_add_text(v->b, " of ");
        buf_add_escaped(v->b, span_of(read_text(volume, "server")));
    }
    buf_add_char(v->b, '\n');
    v->width = 0;
    for (size_t i = 0; i < layers->n; i++) {
        const unsigned n = (unsigned)strlen(name_of(v, layers, i));
        v->width = n > v->width && n <= NAME_WIDTH_MAX ? n : v->width;
    }
    for (size_t i = 0; i < layers->n; i++) {
        print_layer(v, layers, i);
    }
    if (read_has(volume, "unknown")) {
        text_field(v->b, v->opt, 2, "not known", 10, read_text(volume, "unknown"));
    }
    buf_add_char(v->b, '\n');
}

void chain_text(struct buf *b, const struct json *doc, const struct text_options *opt)
{
    struct view v = {.b = b, .arena = b->arena, .doc = doc, .opt = opt};
    const struct json *volumes = read_list(doc, "volumes"), *shared = read_list(doc, "shared");
    for (size_t i = 0; i < volumes->n; i++) {
        print_volume(&v, volumes->items[i]);
    }
    for (size_t i = 0; i < shared->n; i++) {
        const char *roles = joined(&v, read_list(shared->items[i], "roles"));
        const char *names = joined(&v, read_list(shared->items[i], "volumes"));
        text_field(b, opt, 0, read_text(shared->items[i], "device"), 10,
                   arena_printf(v.arena, "carries %s: %s", roles[0] != '\0' ? roles : "several paths", names));
    }
}
