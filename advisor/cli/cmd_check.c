/* check: facts, verdicts, plan, report. Only wires. */
#include <stdio.h>
#include <string.h>

#include "advisor/base/log.h"
#include "advisor/cli/cmd.h"
#include "advisor/cli/judge.h"
#include "advisor/cli/keep.h"
#include "advisor/cli/output.h"

#include "advisor/base/banned.h"

static const struct option_row rows[] = {
    SESSION_OPTIONS,
    {"format", 'f', "FORMAT", false, "text (default) or json"},
    {"out", 'o', "DIR", false, "also write the drop-in, storage.md, storage.sh and report.json to DIR"},
    {"capture", 0, "FILE", false, "also keep all that was read, to be judged again with --from"},
    KEEP_OPTIONS,
    {"redact", 0, NULL, false, "report pseudonyms for names, addresses and serial numbers"},
    JUDGE_OPTIONS,
    {"target", 0, "FLAVOUR:VERSION", false, "what the option files would mean there: mysql:9.7"},
    {"color", 0, "WHEN", false, "auto (default), always or never"},
};

static bool one_of(const struct options *opt, const char *name, const char *words,
                   const char **ret, struct err *reterr)
{
    const char *text = option_text(opt, name);
    struct span rest = span_of(words), word;
    while (text != NULL && span_split(&rest, ',', &word)) {
        if (span_eq_text(span_trim(word), text)) {
            *ret = text;
            return true;
        }
    }
    return text == NULL ||
           err_set(reterr, E_USAGE, "option '--%s': '%s' is not one of %s", name, text, words);
}

static void say_warnings(const struct session *s)
{
    for (size_t i = 0; i < s->warnings->n; i++) {
        log_warn("%.*s", SPAN_ARG(s->warnings->items[i]->string));
    }
}

/* Before the report is printed: whoever reads only its first lines ends us with a broken pipe. */
static bool write_out(const struct options *opt, struct arena *a, const struct json *doc,
                      struct buf *ret_written, struct err *reterr)
{
    const char *dir = option_text(opt, "out");
    buf_init(ret_written, a, 65536);
    return dir == NULL || output_dir(a, dir, doc, ret_written, reterr);
}

static void print_text(const struct options *opt, struct arena *a, const struct json *doc)
{
    struct buf b;
    buf_init(&b, a, 16u * 1024 * 1024);
    const struct text_options text = output_terminal(opt);
    report_text(&b, doc, &text);
    (void)!fwrite(b.ptr, 1, b.len, stdout);
}

static int run(const struct options *opt, struct arena *a, struct err *reterr)
{
    const char *format = "text", *level = "high", *color = "auto";
    if (!one_of(opt, "format", "text, json", &format, reterr) ||
        !one_of(opt, "fail-on", "info, low, medium, high, critical", &level, reterr) ||
        !one_of(opt, "color", "auto, always, never", &color, reterr)) {
        return -1;
    }
    const char *capture = option_text(opt, "capture");
    if (capture != NULL && strcmp(capture, "-") == 0) {
        err_set(reterr, E_USAGE, "option '--capture': the report goes to standard output");
        err_hint(reterr, "Name a file, or use 'nvadvise capture -', which prints no report.");
        return -1;
    }
    struct judged j = {0};
    if (!session_open(a, opt, capture, &j.session, reterr)) {
        return -1;
    }
    say_warnings(&j.session);
    judge(&j, opt);
    struct json *doc = NULL;
    if (!judge_report(&j, opt, &doc, reterr)) {
        return -1;
    }
    struct buf written;
    const bool written_ok = write_out(opt, a, doc, &written, reterr);
    if (strcmp(format, "text") == 0) {
        print_text(opt, a, doc);
        if (written_ok && written.len > 0) {
            (void)!fwrite(written.ptr, 1, written.len, stdout);
        }
    } else {
        output_json(a, doc);
    }
    return written_ok ? (int)report_exit(doc) : -1;
}

const struct cmd cmd_check = {
    .name = "check",
    .summary = "judge the servers of this host and all that lies below them",
    .synopsis = "check [options]",
    .help =
        "Reads every running mysqld and mariadbd (or the one that is named), its\n"
        "filesystems and devices, holds them against the rules, and prints what fails\n"
        "with the exact fix. Reads only: at most 12 cheap statements a server, no file\n"
        "written but those asked for.\n\n"
        "Run it as root to see NVMe health; as another user it says what it could not\n"
        "see. Log in by socket as root, or with --defaults-file, or with [client] and\n"
        "[nvadvise] in /etc/nvadvise/client.cnf or ~/.my.cnf; never with a password on\n"
        "the command line.\n\n"
        "  nvadvise check                                everything here\n"
        "  nvadvise check -v                             with all evidence and arithmetic\n"
        "  nvadvise check --out ./advice                 and write drop-in and report\n"
        "  nvadvise check --capture host.cap             keep what was read\n"
        "  nvadvise check --from host.cap                judge it again, anywhere\n"
        "  nvadvise check --redact                       to be shown to others\n"
        "  nvadvise check --set host.memory.total=64GiB  what if\n"
        "  nvadvise check --target mariadb:11.8          before an upgrade\n"
        "  nvadvise check --options my.cnf --server mysql:8.0.36\n"
        "                                                of a server elsewhere\n\n"
        "exit status: 0 nothing failed at or above --fail-on, 1 something did,\n"
        "  2 nvadvise could not do its work, 3 nothing failed, but something at or above\n"
        "  it could not be seen",
    .options = rows,
    .n_options = ARRAY_LEN(rows),
    .run = run,
};
