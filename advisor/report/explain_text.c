/* A page for a terminal. A view of the document and of nothing else. */
#include "advisor/report/explain.h"

#include <stdio.h>
#include <string.h>

#include "advisor/report/docread.h"
#include "advisor/report/textbuf.h"

#include "advisor/base/banned.h"

#define INDENT 4u
#define LABEL_MOST 34u
#define TITLE_MAX 64

static unsigned label_width(const struct json *items)
{
    size_t width = 0;
    for (size_t i = 0; i < items->n; i++) {
        const size_t len = strlen(read_text(items->items[i], "label"));
        width = len > width && len <= LABEL_MOST ? len : width;
    }
    return width > 0 ? (unsigned)width + 2 : 0;
}

static void print_item(struct buf *b, const struct text_options *opt, const struct json *item,
                       unsigned width)
{
    const char *label = read_text(item, "label");
    if (strlen(label) + 2 > width && label[0] != '\0') {
        text_field(b, opt, INDENT, "", 0, label);
        text_field(b, opt, INDENT + width, "", 0, read_text(item, "text"));
    } else {
        text_field(b, opt, INDENT, label, label[0] != '\0' ? width : 0, read_text(item, "text"));
    }
}

void explain_text(struct buf *b, const struct json *page, const struct text_options *opt)
{
    text_paint(b, opt, PAINT_BOLD, read_text(page, "name"));
    struct buf title;
    buf_init(&title, b->arena, 4096);
    buf_printf(&title, "(%s): %s", read_text(page, "kind"), read_text(page, "title"));
    buf_add_char(b, ' ');
    text_wrap(b, opt, (unsigned)strlen(read_text(page, "name")) + 1, INDENT, title.ptr);
    const struct json *sections = read_list(page, "sections");
    for (size_t i = 0; i < sections->n; i++) {
        const struct json *items = read_list(sections->items[i], "items");
        if (items->n == 0) {
            continue;
        }
        char name[TITLE_MAX];
        (void)snprintf(name, sizeof(name), "%s", read_text(sections->items[i], "title"));
        for (char *c = name; *c != '\0'; c++) {
            *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
        }
        buf_add_char(b, '\n');
        text_paint(b, opt, PAINT_BOLD, name);
        buf_add_char(b, '\n');
        const unsigned width = label_width(items);
        for (size_t k = 0; k < items->n; k++) {
            print_item(b, opt, items->items[k], width);
        }
    }
}
