/* See texttarget.h. A view of the report document and of nothing else. */
#include "advisor/report/texttarget.h"

#include <string.h>

#include "advisor/report/docread.h"
#include "advisor/report/textbuf.h"
#include "rules/catalogue.h"

#include "advisor/base/banned.h"

#define LINE_MAX_BYTES 4096
#define LABEL 12

static const struct {
    const char *change, *label;
} changes[] = {
    {"stops", "stops"},           {"value", "changes"}, {"ignored", "ignored"},
    {"deprecated", "deprecated"}, {"unsure", "unsure"},
};

const char *texttarget_name(struct arena *a, const struct json *doc)
{
    const struct json *t = json_get(doc, "target");
    enum flavour f;
    return t != NULL && flavour_from_name(span_of(read_text(t, "flavour")), &f)
               ? arena_printf(a, "%s %s", flavour_title(f), read_text(t, "version"))
               : NULL;
}

size_t texttarget_stops(const struct json *doc)
{
    const struct json *items = read_list(json_get(doc, "target"), "items");
    size_t n = 0;
    for (size_t i = 0; i < items->n; i++) {
        n += read_is(items->items[i], "change", "stops") ? 1 : 0;
    }
    return n;
}

static const char *place_of(struct arena *a, const struct json *item)
{
    struct buf b;
    buf_init(&b, a, LINE_MAX_BYTES);
    buf_add_text(&b, read_has(item, "file") ? read_text(item, "file") : "SET PERSIST");
    if (read_has(item, "line")) {
        buf_printf(&b, ":%llu", (unsigned long long)read_count(item, "line"));
    }
    return b.ptr;
}

static size_t widest(struct arena *a, const struct json *items)
{
    size_t most = 0;
    for (size_t i = 0; i < items->n; i++) {
        const size_t n = strlen(place_of(a, items->items[i]));
        most = n > most && n <= 48 ? n : most;
    }
    return most;
}

/* In columns: not wrapped, so that places stand below each other and lines can be copied. */
static void print_line(struct buf *b, const char *label, const char *place, size_t width,
                       const char *text)
{
    struct buf shown;
    buf_init(&shown, b->arena, LINE_MAX_BYTES);
    buf_add_escaped(&shown, span_of(place));
    buf_printf(b, " %-*s%-*s  ", LABEL, label, (int)width, shown.ptr);
    buf_add_escaped(b, span_of(text));
    buf_add_char(b, '\n');
}

static void print_item(struct buf *b, const struct text_options *opt, const struct json *item,
                       const char *label, size_t width)
{
    struct buf line;
    buf_init(&line, b->arena, LINE_MAX_BYTES);
    buf_add_text(&line, read_text(item, "name"));
    if (read_has(item, "value")) {
        buf_printf(&line, " = %s", read_text(item, "value"));
    }
    print_line(b, label, place_of(b->arena, item), width, line.ptr);
    buf_init(&line, b->arena, LINE_MAX_BYTES);
    buf_add_text(&line, read_text(item, "text"));
    if (read_text(item, "instead")[0] != '\0') {
        buf_printf(&line, "; instead: %s", read_text(item, "instead"));
    }
    text_field(b, opt, 1, "", LABEL, line.ptr);
}

void texttarget_print(struct buf *b, const struct text_options *opt, const struct json *doc)
{
    const char *name = texttarget_name(b->arena, doc);
    if (name == NULL) {
        return;
    }
    const struct json *target = json_get(doc, "target");
    const struct json *items = read_list(target, "items"), *unknown = read_list(target, "unknown");
    const size_t width = widest(b->arena, items);
    buf_printf(b, "\nupgrade to %s:", name);
    buf_add_text(b, items->n + unknown->n == 0 ? " no line of the option files changes\n" : "\n");
    if (read_text(target, "note")[0] != '\0') {
        text_field(b, opt, 1, "note", LABEL, read_text(target, "note"));
    }
    for (size_t c = 0; c < ARRAY_LEN(changes); c++) {
        for (size_t i = 0; i < items->n; i++) {
            if (read_is(items->items[i], "change", changes[c].change)) {
                print_item(b, opt, items->items[i], changes[c].label, width);
            }
        }
    }
    for (size_t i = 0; i < unknown->n; i++) {
        struct buf line;
        buf_init(&line, b->arena, LINE_MAX_BYTES);
        if (read_has(unknown->items[i], "server")) {
            buf_printf(&line, "%s: ", read_text(unknown->items[i], "server"));
        }
        buf_add_text(&line, read_text(unknown->items[i], "reason"));
        text_field(b, opt, 1, "unknown", LABEL, line.ptr);
    }
}
