/* facts: what was read, with where each came from, or why it is not known. */
#include <stdio.h>
#include <string.h>

#include "advisor/base/log.h"
#include "advisor/cli/cmd.h"
#include "advisor/cli/factview.h"
#include "advisor/cli/output.h"
#include "advisor/cli/session.h"
#include "advisor/facts/factdoc.h"
#include "probes/host/queries.h"

#include "advisor/base/banned.h"

#define LINE_MAX_BYTES 8192

static const struct option_row rows[] = {
    SESSION_OPTIONS,
    {"format", 'f', "FORMAT", false, "text (default) or json"},
    {"queries", 0, NULL, false, "list every SQL statement that nvadvise can send, and end"},
};

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
        facts_print(a, s.store, option_flag(opt, "verbose"));
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
