/* See textmissing.h. */
#include "advisor/report/textmissing.h"

#include <string.h>

#include "advisor/report/docread.h"
#include "advisor/report/textbuf.h"

#include "advisor/base/banned.h"

#define LINE_MAX_BYTES 4096
#define NAMED_RULES 2u /* that wait for one thing; -v names them all */

struct view {
    struct buf *b;
    const struct json *doc;
    const struct text_options *opt;
};

static void print_remedies(const struct view *v)
{
    const struct json *list = read_list(v->doc, "remedies");
    size_t minor = 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct json *rules = read_list(list->items[i], "rules");
        struct buf b;
        if (!v->opt->verbose &&
            (read_is(list->items[i], "severity", "low") || read_is(list->items[i], "severity", "info"))) {
            minor++;
            continue;
        }
        buf_init(&b, v->b->arena, LINE_MAX_BYTES);
        const char *text = read_text(list->items[i], "text");
        const char *reason = read_text(list->items[i], "reason");
        const bool both = strcmp(text, reason) != 0;
        const size_t len = strlen(text), shown = len > 0 && text[len - 1] == '.' ? len - 1 : len;
        buf_printf(&b, "%s%s%.*s (%zu rule%s, up to %s)", reason, both ? ". Remedy: " : "",
                   both ? (int)shown : 0, text, rules->n, rules->n == 1 ? "" : "s",
                   read_text(list->items[i], "severity"));
        text_field(v->b, v->opt, 0, "unknown: ", 9, b.ptr);
    }
    if (minor > 0) {
        text_field(v->b, v->opt, 0, "unknown: ", 9,
                   arena_printf(v->b->arena, "%zu thing%s that only rules up to low ask for (-v shows them)", minor,
                                minor == 1 ? "" : "s"));
    }
}

/* No command of this version gives it. */
static bool out_of_reach(const struct json *item)
{
    return span_starts(span_of(read_text(item, "command")), "needs ");
}

/* All that no command gives in one line: how many rules wait for what. */
static void print_out_of_reach(const struct view *v)
{
    const struct json *list = read_list(v->doc, "not_measured");
    struct buf b;
    buf_init(&b, v->b->arena, LINE_MAX_BYTES);
    for (size_t i = 0; i < list->n; i++) {
        const char *need = read_text(list->items[i], "need"), *last = "";
        size_t n = 0;
        bool seen = !out_of_reach(list->items[i]);
        for (size_t k = 0; k < list->n && !seen; k++) {
            const struct json *other = list->items[k];
            if (!out_of_reach(other) || !read_is(other, "need", need)) {
                continue;
            }
            seen = k < i;
            n += !read_is(other, "rule", last);
            last = read_text(other, "rule");
        }
        if (!seen) {
            buf_printf(&b, "%s%s (%zu%s)", b.len > 0 ? ", " : "", need, n,
                       b.len > 0 ? "" : n == 1 ? " rule" : " rules");
        }
    }
    if (b.len > 0) {
        text_field(v->b, v->opt, 0, "not measured: ", 14,
                   arena_printf(v->b->arena, "%s; -v says more", b.ptr));
    }
}

/* One line a need, however many rules wait for it. */
static void print_not_measured(const struct view *v)
{
    const struct json *list = read_list(v->doc, "not_measured");
    for (size_t i = 0; i < list->n; i++) {
        if (!v->opt->verbose && out_of_reach(list->items[i])) {
            continue;
        }
        const char *command = json_get_str(list->items[i], "command"), *last = "";
        size_t n = 0;
        bool seen = false;
        struct buf b;
        buf_init(&b, v->b->arena, LINE_MAX_BYTES);
        buf_printf(&b, "%s, for", command);
        for (size_t k = 0; k < list->n; k++) {
            const char *rule = json_get_str(list->items[k], "rule");
            if (strcmp(json_get_str(list->items[k], "command"), command) != 0) {
                continue;
            }
            seen = seen || k < i;
            /* in the order of the rules: one after the other for its subjects */
            if (strcmp(rule, last) != 0 && (++n <= NAMED_RULES || v->opt->verbose)) {
                buf_printf(&b, "%s %s", n > 1 ? "," : "", rule);
            }
            last = rule;
        }
        if (n > NAMED_RULES && !v->opt->verbose) {
            buf_printf(&b, " and %zu more", n - NAMED_RULES);
        }
        if (!seen) {
            text_field(v->b, v->opt, 0, "not measured: ", 14, b.ptr);
        }
    }
    if (!v->opt->verbose) {
        print_out_of_reach(v);
    }
}

void textmissing_print(struct buf *b, const struct json *doc, const struct text_options *opt)
{
    const struct view v = {.b = b, .doc = doc, .opt = opt};
    print_remedies(&v);
    print_not_measured(&v);
}
