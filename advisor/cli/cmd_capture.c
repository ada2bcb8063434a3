/* capture: keep all that a check reads, without judging it. */
#include <stdio.h>

#include "advisor/cli/cmd.h"
#include "advisor/cli/session.h"
#include "advisor/report/report.h"

#include "advisor/base/banned.h"

static const struct option_row rows[] = {SESSION_OPTIONS};

static int run(const struct options *opt, struct arena *a, struct err *reterr)
{
    const char *const *args = NULL;
    if (option_args(opt, &args) != 1) {
        err_set(reterr, E_USAGE, "name one file to write: nvadvise capture FILE");
        return -1;
    }
    struct session s;
    return session_open(a, opt, args[0], &s, reterr) ? EXIT_OK : -1;
}

const struct cmd cmd_capture = {
    .name = "capture",
    .summary = "keep all that a check reads in one file",
    .synopsis = "capture [options] FILE",
    .help = "Writes FILE (mode 0600, gzipped JSON lines): every answer that files, devices and\n"
            "servers gave, errors included. 'nvadvise check --from FILE' judges it on any host.\n"
            "It holds names, addresses and serial numbers of this host, but no SQL text, no rows\n"
            "and no passwords.",
    .options = rows,
    .n_options = ARRAY_LEN(rows),
    .max_args = 1,
    .run = run,
};
