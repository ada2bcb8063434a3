/* chain: what lies below a path, down to the slot of the drive. */
#include <stdio.h>
#include <string.h>

#include "advisor/base/log.h"
#include "advisor/base/parse.h"
#include "advisor/cli/cmd.h"
#include "advisor/cli/output.h"
#include "advisor/cli/pathlook.h"
#include "advisor/cli/session.h"
#include "advisor/report/chain.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

static const struct option_row rows[] = {
    SESSION_OPTIONS,
    {"format", 'f', "FORMAT", false, "text (default) or json"},
};

#define TEXT_BYTES_MAX ((size_t)16 * 1024 * 1024)

#define LOOK_SECONDS 3.0 /* as a probe's deadline is by default */

/* A path by its full name, and whose it is. */
static bool find_path(struct arena *a, const struct options *opt, const char *path, struct collect_path *ret,
                      struct err *reterr)
{
    struct pathlook look;
    const char *text = option_text(opt, "timeout");
    double seconds = LOOK_SECONDS;
    /* What is no time is refused with the other options. */
    if (text != NULL && (!parse_double(span_of(text), &seconds) || seconds < 0.1 || seconds > 600)) {
        seconds = LOOK_SECONDS;
    }
    if (!pathlook(a, path, seconds, &look, reterr)) {
        return false;
    }
    *ret = (struct collect_path){.path = look.path, .uid = look.uid, .gid = look.gid};
    return true;
}

static bool format_fits(const char *format, struct err *reterr)
{
    return format == NULL || strcmp(format, "text") == 0 || strcmp(format, "json") == 0 ||
           err_set(reterr, E_USAGE, "option '--format': '%s' is not one of text, json", format);
}

static bool open_facts(struct session *s, const struct options *opt, const char **path, struct err *reterr)
{
    const bool elsewhere = option_text(opt, "from") != NULL || option_text(opt, "facts") != NULL;
    struct collect_path one;
    if (*path == NULL || elsewhere) {
        return session_open(s->arena, opt, NULL, s, reterr);
    }
    if (!find_path(s->arena, opt, *path, &one, reterr)) {
        return false;
    }
    /* Facts hold names as text: bytes that are none were replaced there. */
    *path = span_dup(s->arena, text_clean(s->arena, span_of(one.path)));
    return session_open_path(s->arena, opt, &one, s, reterr);
}

static int run(const struct options *opt, struct arena *a, struct err *reterr)
{
    const char *const *args = NULL;
    const size_t n = option_args(opt, &args);
    const char *path = n > 0 ? args[0] : NULL, *format = option_text(opt, "format");
    struct session s = {.arena = a};
    struct json *doc;
    if (!format_fits(format, reterr) || !open_facts(&s, opt, &path, reterr) ||
        !chain_doc(a, s.store, path, &doc, reterr)) {
        return -1;
    }
    for (size_t i = 0; i < s.warnings->n; i++) {
        log_warn("%.*s", SPAN_ARG(s.warnings->items[i]->string));
    }
    if (format != NULL && strcmp(format, "json") == 0) {
        output_json(a, doc);
        return EXIT_OK;
    }
    const struct text_options terminal = output_terminal(opt);
    struct buf b;
    buf_init(&b, a, TEXT_BYTES_MAX);
    chain_text(&b, doc, &terminal);
    printf("%s", b.len > 0 ? b.ptr : "no server was found here: name a path, or --from, --facts\n");
    return EXIT_OK;
}

const struct cmd cmd_chain = {
    .name = "chain",
    .summary = "what lies below a path, from the filesystem to the drive's slot",
    .synopsis = "chain [options] [PATH]",
    .help =
        "Draws the way from each path of the running servers (data, redo, undo,\n"
        "doublewrite, binlog, relay log, temporary files) through its filesystem and\n"
        "every layer of the block devices down to the drives, their controllers and\n"
        "slots, with the figures that matter at each: where the filesystem begins,\n"
        "stripe and chunk, members missing, queues, link. Then which drives carry several\n"
        "roles.\n\n"
        "  nvadvise chain                    of the servers that run here\n"
        "  nvadvise chain /srv/mysql         of a path; no server is asked\n"
        "  nvadvise chain -v                 with the limits of every queue\n"
        "  nvadvise chain --from CAPTURE     of a capture\n"
        "  nvadvise import lsblk.txt | nvadvise chain --facts - /srv/mysql\n"
        "                                    of what other tools printed elsewhere\n\n"
        "What cannot be followed ends the chain with the reason, never with a shorter\n"
        "one. Root sees more: tables of the device mapper, pages of NVMe controllers.\n\n"
        "exit status: 0 printed, 2 nvadvise could not do its work",
    .options = rows,
    .n_options = ARRAY_LEN(rows),
    .max_args = 1,
    .run = run,
};
