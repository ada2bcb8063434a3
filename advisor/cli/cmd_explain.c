/* explain: a manual page on a rule, variable, fact, parameter, with today's values. Only wires. */
#include <stdio.h>
#include <string.h>

#include "advisor/base/log.h"
#include "advisor/cli/cmd.h"
#include "advisor/cli/judge.h"
#include "advisor/cli/output.h"
#include "advisor/report/explain.h"

#include "advisor/base/banned.h"

#define PAGE_MAX (1024u * 1024)

static const struct option_row rows[] = {
    SESSION_OPTIONS,
    {"format", 'f', "FORMAT", false, "text (default) or json"},
    {"no-values", 0, NULL, false, "the page alone: read nothing of this machine"},
    {"color", 0, "WHEN", false, "auto (default), always or never"},
};

/* Today's values are an addition: without them the page still explains. */
static void open_values(struct arena *a, const struct options *opt, struct judged *j)
{
    struct err err = ERR_INIT;
    struct session values;
    if (!option_flag(opt, "no-values")) {
        if (session_open(a, opt, NULL, &values, &err)) {
            j->session = values;
            judge(j, opt);
            return;
        }
        log_warn("no values of today: %s", err.text);
    }
    j->session.store = store_new(a, j->session.decls);
}

static int run(const struct options *opt, struct arena *a, struct err *reterr)
{
    const char *const *args = NULL;
    const size_t n = option_args(opt, &args);
    const char *format = option_text(opt, "format");
    const bool as_json = format != NULL && strcmp(format, "json") == 0;
    struct judged j = {0};
    if (n != 1) {
        err_set(reterr, E_USAGE, "say what to explain: nvadvise explain WORD");
        err_hint(reterr, "WORD is a rule (see 'nvadvise rules list'), a server variable, a fact, a "
                         "parameter.");
        return -1;
    }
    if (format != NULL && !as_json && strcmp(format, "text") != 0) {
        err_set(reterr, E_USAGE, "option '--format': '%s' is not one of text, json", format);
        return -1;
    }
    if (!session_rules(a, opt, &j.session, NULL, reterr) ||
        !explain_knows(a, &j.session.rules, args[0], reterr)) {
        return -1;
    }
    open_values(a, opt, &j);
    struct json *page = NULL;
    const struct report_input in = judge_input(&j, opt);
    if (!explain_make(a, &in, args[0], &page, reterr)) {
        return -1;
    }
    if (as_json) {
        output_json(a, page);
        return EXIT_OK;
    }
    struct buf b;
    buf_init(&b, a, PAGE_MAX);
    const struct text_options text = output_terminal(opt);
    explain_text(&b, page, &text);
    (void)!fwrite(b.ptr, 1, b.len, stdout);
    return EXIT_OK;
}

const struct cmd cmd_explain = {
    .name = "explain",
    .summary = "a page on a rule, variable, fact or parameter, with today's values",
    .synopsis = "explain WORD [options]",
    .help =
        "Prints a manual page on one word, with the values of the servers that run here.\n\n"
        "  nvadvise explain redo-default-100m     a rule: what it looks for, what it\n"
        "                                         found, what it would set, and why\n"
        "  nvadvise explain innodb_io_capacity    a variable: versions, defaults, ranges,\n"
        "                                         who sets it here, what is planned\n"
        "  nvadvise explain server.redo.capacity  a fact: from where, and its value now\n"
        "  nvadvise explain redo_hours            a parameter that a site may move\n"
        "  nvadvise explain WORD --from host.cap  with the values of a capture\n"
        "  nvadvise explain WORD --no-values      the page alone\n\n"
        "exit status: 0 printed, 2 there is no such word, or nvadvise could not do its\n"
        "  work",
    .options = rows,
    .n_options = ARRAY_LEN(rows),
    .max_args = 1,
    .run = run,
};
