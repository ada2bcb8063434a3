/* facts: what was read, with where each came from, or why it is not known. */
#include <stdio.h>
#include <string.h>

#include "advisor/base/log.h"
#include "advisor/cli/cmd.h"
#include "advisor/cli/output.h"
#include "advisor/cli/session.h"
#include "advisor/facts/factdoc.h"
#include "probes/host/queries.h"

#include "advisor/base/banned.h"

#define NAME_WIDTH 38
#define LINE_MAX_BYTES 8192

static const struct option_row rows[] = {
    SESSION_OPTIONS,
    {"format", 'f', "FORMAT", false, "text (default) or json"},
    {"queries", 0, NULL, false, "list every SQL statement that nvadvise can send, and end"},
};

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

static void print_text(struct arena *a, const struct store *s, bool verbose)
{
    for (int kind = 0; kind < SUBJECT_KINDS; kind++) {
        const struct subject *const *subs = NULL;
        const size_t n = store_subjects_of(s, (enum subject_kind)kind, &subs);
        for (size_t i = 0; i < n; i++) {
            print_subject(a, s, subs[i], verbose);
        }
    }
}

static void print_version(struct buf *b, uint32_t v)
{
    buf_printf(b, "%u.%u.%u", v / 10000, v / 100 % 100, v % 100);
}

static void print_query(struct arena *a, const struct query *q)
{
    struct buf b;
    buf_init(&b, a, LINE_MAX_BYTES);
    buf_add_text(&b, q->flavours == QUERY_MYSQL     ? "MySQL, Percona Server"
                     : q->flavours == QUERY_MARIADB ? "MariaDB"
                                                    : "all");
    if (q->since != 0) {
        buf_add_text(&b, " from ");
        print_version(&b, q->since);
    }
    if (q->until != 0) {
        buf_add_text(&b, " before ");
        print_version(&b, q->until);
    }
    printf("%s (%s)\n  %s\n  privilege: %s; cost: %s\n\n", q->id, b.ptr, q->text,
           q->privilege[0] != '\0' ? q->privilege : "none", q->cost);
}

static int run(const struct options *opt, struct arena *a, struct err *reterr)
{
    if (option_flag(opt, "queries")) {
        for (size_t i = 0; i < query_n_rows; i++) {
            print_query(a, &query_rows[i]);
        }
        return EXIT_OK;
    }
    const char *format = option_text(opt, "format");
    if (format != NULL && strcmp(format, "text") != 0 && strcmp(format, "json") != 0) {
        err_set(reterr, E_USAGE, "option '--format': '%s' is not one of text, json", format);
        return -1;
    }
    struct session s;
    if (!session_open(a, opt, NULL, &s, reterr)) {
        return -1;
    }
    for (size_t i = 0; i < s.warnings->n; i++) {
        log_warn("%.*s", SPAN_ARG(s.warnings->items[i]->string));
    }
    if (format != NULL && strcmp(format, "json") == 0) {
        output_json(a, factdoc_write(a, s.store));
    } else {
        print_text(a, s.store, option_flag(opt, "verbose"));
    }
    return EXIT_OK;
}

const struct cmd cmd_facts = {
    .name = "facts",
    .summary = "print what was read, and from where",
    .synopsis = "facts [options]",
    .help =
        "Prints every fact with its source, or the reason why it is not known. The JSON\n"
        "form (schema nvadvise.facts/1) can be judged elsewhere: nvadvise check --facts\n"
        "FILE.\n\n"
        "  nvadvise facts -v             with all server variables and counters\n"
        "  nvadvise facts --format json  as a document\n"
        "  nvadvise facts --queries      every statement that can be sent, its privilege\n"
        "                                and cost\n\n"
        "exit status: 0 printed, 2 nvadvise could not do its work",
    .options = rows,
    .n_options = ARRAY_LEN(rows),
    .run = run,
};
