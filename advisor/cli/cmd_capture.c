/* capture: keep all that a check reads, without judging it. */
#include <stdio.h>

#include "advisor/base/file.h"
#include "advisor/cli/cmd.h"
#include "advisor/cli/keep.h"
#include "advisor/cli/session.h"
#include "advisor/report/report.h"

#include "advisor/base/banned.h"

static const struct option_row rows[] = {SESSION_OPTIONS, KEEP_OPTIONS};

/* A capture that was made with its names. */
static bool redact_file(const struct options *opt, struct arena *a, const char *from,
                        const char *to, struct err *reterr)
{
    struct span bytes;
    struct kept ignored;
    struct redact_key key;
    if (option_flag(opt, "no-redact") || option_text(opt, "socket") != NULL ||
        option_text(opt, "host") != NULL) {
        return err_set(reterr, E_USAGE, "'--from' redacts a capture that is there: '--no-redact', "
                                        "'--socket' and '--host' do not go with it");
    }
    return file_read(a, from, CAPTURE_MAX, &bytes, reterr) &&
           keep_read(a, from, bytes, &ignored, reterr) &&
           keep_redact(a, opt, from, &key, &bytes, reterr) && capture_write(bytes, to, reterr);
}

static int run(const struct options *opt, struct arena *a, struct err *reterr)
{
    const char *const *args = NULL;
    if (option_args(opt, &args) != 1) {
        err_set(reterr, E_USAGE, "name one file to write: nvadvise capture FILE");
        return -1;
    }
    struct session s;
    const char *const from = option_text(opt, "from");
    if (from != NULL) {
        return redact_file(opt, a, from, args[0], reterr) ? EXIT_OK : -1;
    }
    return session_open(a, opt, args[0], &s, reterr) ? EXIT_OK : -1;
}

const struct cmd cmd_capture = {
    .name = "capture",
    .summary = "keep all that a check reads in one file",
    .synopsis = "capture [options] FILE",
    .help =
        "Writes FILE (mode 0600, gzipped JSON lines): every answer that files, devices\n"
        "and servers gave, errors included. SQL text, rows and passwords are never in\n"
        "it. Host names, accounts, addresses, serial numbers and the names in paths are\n"
        "replaced by pseudonyms, the same ones each time: their key is redaction.key in\n"
        "the state directory, and in no capture. Numbers, models, versions, mount\n"
        "options and device names stay.\n\n"
        "  nvadvise capture host.cap                 keep what a check would read\n"
        "  nvadvise check --from host.cap            judge it, on any host\n"
        "  nvadvise capture --no-redact host.cap     with its names, for yourself\n"
        "  nvadvise capture --from host.cap out.cap  take the names out of that one\n\n"
        "exit status: 0 written, 2 nvadvise could not do its work",
    .options = rows,
    .n_options = ARRAY_LEN(rows),
    .max_args = 1,
    .run = run,
};
