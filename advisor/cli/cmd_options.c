/* options: what a server reads when it starts, and what becomes of each line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/log.h"
#include "advisor/cli/cmd.h"
#include "advisor/cli/offline.h"
#include "advisor/cli/output.h"
#include "advisor/cli/session.h"
#include "advisor/facts/factdoc.h"
#include "advisor/report/optionsview.h"
#include "probes/host/optfile_filter.h"
#include "probes/login.h"
#include "probes/server_option_facts.h"
#include "rules/options.h"

#include "advisor/base/banned.h"

#define TEXT_BYTES_MAX ((size_t)16 * 1024 * 1024)

static const struct option_row rows[] = {
    SESSION_OPTIONS,
    {"format", 'f', "FORMAT", false, "text or json (which is what FILE gives without it)"},
};

/* ---- files named on the command line --------------------------------------------------------- */

/* The same filter as on what a live server reads: no secret gets into a fact. */
static bool read_blanked(void *ctx, const char *path, struct optfile_text *ret, struct err *reterr)
{
    const struct optfile_io *io = ctx; /* which knows how long a line may be */
    struct optfile_text text;
    if (!io->read(io->ctx, path, &text, reterr)) {
        return false;
    }
    struct buf b;
    buf_init(&b, io->ctx, text.bytes.len * 2 + 8);
    optfile_blank_secrets(&b, text.bytes, io->whole_lines);
    text.bytes = buf_span(&b);
    *ret = text;
    return true;
}

static bool list_names(void *ctx, const char *path, struct host_names *ret, struct err *reterr)
{
    const struct optfile_io *io = ctx;
    return io->list(io->ctx, path, ret, reterr);
}

static bool sources_fit(const struct options *opt, struct err *reterr)
{
    static const char *const others[] = {"from", "facts", "options", "socket", "host"};
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        if (option_text(opt, others[i]) != NULL) {
            return err_set(reterr, E_USAGE,
                           "a file to read and '--%s' do not go together: nothing of this machine "
                           "is read but the file",
                           others[i]);
        }
    }
    return true;
}

/* Without --server nobody can say which groups count: the lines then are all there, and none of
 * them is read. */
static bool open_files(struct session *s, const struct options *opt, const char *const *files,
                       size_t n, struct err *reterr)
{
    struct server_spec spec = {.flavour = FLAVOUR_MYSQL};
    const char *server = option_text(opt, "server");
    if (!sources_fit(opt, reterr) || !session_rules(s->arena, opt, s, NULL, reterr) ||
        (server != NULL && !server_spec_read("server", server, &spec, reterr))) {
        return false;
    }
    s->store = store_new(s->arena, s->decls);
    store_set_offline(s->store, true);
    struct optfile_io plain = login_io(s->arena, getenv("HOME"));
    const struct server_options_input in = {.mariadb = spec.flavour == FLAVOUR_MARIADB,
                                            .version = spec.version,
                                            .home = plain.home,
                                            .files = files,
                                            .n_files = n,
                                            .any_server = server == NULL};
    plain.whole_lines = server_takes_whole_lines(&in);
    const struct optfile_io io = {.ctx = &plain,
                                  .home = plain.home,
                                  .read = read_blanked,
                                  .list = list_names,
                                  .whole_lines = plain.whole_lines};
    struct server_options o;
    struct subject *const sub = store_subject(s->store, SUBJECT_SERVER, "server:default");
    server_options_read(&io, &in, s->arena, &o);
    server_option_facts(s->store, sub, s->arena, &o);
    if (server != NULL) {
        store_known(s->store, sub, "server.flavour",
                    value_text(KIND_ENUM, span_of(flavour_name(spec.flavour))), "--server");
        store_known(s->store, sub, "server.version", value_version(spec.version), "--server");
        options_assume(&s->rules, s->store, sub);
        options_rest(&s->rules, s->store, sub);
        engine_derive(&s->rules, s->store);
    }
    return true;
}

/* ---- output ---------------------------------------------------------------------------------- */

static bool is_ours(const char *name)
{
    static const char *const names[] = {
        "server.flavour",           "server.version",     "server.version_string",
        "server.process.arguments", "server.process.exe", "server.process.environment",
    };
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return strncmp(name, "server.option.", strlen("server.option.")) == 0;
}

/* Of all that was read, what this command is about. */
static struct store *narrow(struct session *s)
{
    struct store *out = store_new(s->arena, s->decls);
    const struct subject *const *servers;
    const size_t n = store_subjects_of(s->store, SUBJECT_SERVER, &servers);
    for (size_t i = 0; i < n; i++) {
        const struct fact_row *facts;
        struct subject *sub = store_subject(out, SUBJECT_SERVER, servers[i]->label);
        const size_t n_facts = store_facts(s->store, servers[i], &facts);
        sub->identity = servers[i]->identity;
        for (size_t k = 0; k < n_facts; k++) {
            if (is_ours(facts[k].name)) {
                store_set(out, sub, facts[k].name, facts[k].fact);
            }
        }
    }
    return out;
}

static void print_text(struct session *s, const struct options *opt)
{
    const struct text_options terminal = output_terminal(opt);
    const struct subject *const *servers;
    const size_t n = store_subjects_of(s->store, SUBJECT_SERVER, &servers);
    for (size_t i = 0; i < n; i++) {
        struct buf b;
        buf_init(&b, s->arena, TEXT_BYTES_MAX);
        optionsview_print(&b, &s->rules, s->store, servers[i], &terminal);
        printf("%s%s", i == 0 ? "" : "\n", b.ptr);
    }
    if (n == 0) {
        printf("no server was found here: name a file, or --from, --facts\n");
    }
}

static int run(const struct options *opt, struct arena *a, struct err *reterr)
{
    const char *const *files = NULL;
    const size_t n = option_args(opt, &files);
    const char *format = option_text(opt, "format");
    if (format != NULL && strcmp(format, "text") != 0 && strcmp(format, "json") != 0) {
        err_set(reterr, E_USAGE, "option '--format': '%s' is not one of text, json", format);
        return -1;
    }
    struct session s = {.arena = a};
    if (!(n > 0 ? open_files(&s, opt, files, n, reterr) : session_open(a, opt, NULL, &s, reterr))) {
        return -1;
    }
    for (size_t i = 0; i < s.warnings->n; i++) {
        log_warn("%.*s", SPAN_ARG(s.warnings->items[i]->string));
    }
    if (format != NULL ? strcmp(format, "json") == 0 : n > 0) {
        output_json(a, factdoc_write(a, n > 0 ? s.store : narrow(&s)));
    } else {
        print_text(&s, opt);
    }
    return EXIT_OK;
}

const struct cmd cmd_options = {
    .name = "options",
    .summary = "what a server reads, file and line, and who wins",
    .synopsis = "options [options] [FILE...]",
    .help =
        "Shows for each running server every option that it gets when it starts: from\n"
        "its option files in the order in which it reads them (below its own root, in a\n"
        "container too), from its command line, and from SET PERSIST. A line that loses\n"
        "says to which other one; one that would stop the server, that it ignores, or\n"
        "that it takes for another value says so. Values that may be secrets are '***'.\n\n"
        "  nvadvise options                  of the servers that run here\n"
        "  nvadvise options -v               all lines, files and groups\n"
        "  nvadvise options --from CAPTURE   of those in a capture\n"
        "  nvadvise options my.cnf --server mysql:8.4.3 --format text\n"
        "                                    of a file, as that server would read it\n"
        "  nvadvise options my.cnf --server mariadb:10.11\n"
        "                                    the same as facts, in JSON, with the values\n"
        "                                    that come out of it\n\n"
        "A file is read with all that it includes; nothing else of this machine is.\n\n"
        "exit status: 0 printed, 2 nvadvise could not do its work",
    .options = rows,
    .n_options = ARRAY_LEN(rows),
    .max_args = 64,
    .run = run,
};
