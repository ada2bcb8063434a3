/* See factview.h. */
#include "advisor/cli/factview.h"

#include <stdio.h>

#include "advisor/base/banned.h"

#define NAME_WIDTH 38
#define LINE_MAX_BYTES 8192

/* Left out without -v: families that fill pages, and what only waits for a measurement or does not exist
 * here. */
static bool is_bulk(const struct fact_row *row)
{
    const char *name = row->name;
    if (row->fact->state == FACT_NOT_MEASURED || row->fact->state == FACT_NOT_SUPPORTED) {
        return true;
    }
    static const char *const prefixes[] = {"server.var",    "server.status.", "server.metric.",
                                           "server.source."};
    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
        if (span_starts(span_of(name), prefixes[i])) {
            return true;
        }
    }
    return false;
}

static void print_fact(struct arena *a, const struct fact_row *row)
{
    const struct fact *f = row->fact;
    struct buf b;
    buf_init(&b, a, LINE_MAX_BYTES);
    if (f->state == FACT_KNOWN) {
        struct buf value;
        buf_init(&value, a, LINE_MAX_BYTES / 2);
        value_print(&value, &f->value);
        buf_add_escaped(&b, buf_span(&value));
    } else {
        buf_printf(&b, "unknown, %s", fact_state_name(f->state));
        if (f->reason[0] != '\0') {
            buf_add_text(&b, ": ");
            buf_add_escaped(&b, span_of(f->reason));
        }
    }
    buf_add_text(&b, "  [");
    buf_add_escaped(&b, span_of(f->source));
    buf_add_text(&b, "]");
    buf_add_text(&b, f->overridden ? " overridden" : f->estimated ? " estimated" : "");
    printf("  %-*s %s\n", NAME_WIDTH, row->name, b.ptr);
}

static void print_subject(struct arena *a, const struct store *s, const struct subject *sub,
                          bool verbose)
{
    const struct fact_row *facts = NULL;
    const size_t n = store_facts(s, sub, &facts);
    struct buf label;
    buf_init(&label, a, LINE_MAX_BYTES);
    buf_add_escaped(&label, span_of(sub->label));
    printf("%s\n", label.ptr);
    size_t hidden = 0;
    for (size_t i = 0; i < n; i++) {
        if (!verbose && is_bulk(&facts[i])) {
            hidden++;
            continue;
        }
        print_fact(a, &facts[i]);
    }
    if (hidden > 0) {
        printf("  and %zu more with -v: variables, counters, what is not measured or not there\n",
               hidden);
    }
    printf("\n");
}

void facts_print(struct arena *a, const struct store *s, bool verbose)
{
    for (int kind = 0; kind < SUBJECT_KINDS; kind++) {
        const struct subject *const *subs = NULL;
        const size_t n = store_subjects_of(s, (enum subject_kind)kind, &subs);
        for (size_t i = 0; i < n; i++) {
            print_subject(a, s, subs[i], verbose);
        }
    }
}
