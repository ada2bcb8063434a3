/* From facts to a report document, the same for every command that judges: verdicts, plans, report.
 * Wires; decides nothing. */
#ifndef NVADVISE_ADVISOR_CLI_JUDGE_H
#define NVADVISE_ADVISOR_CLI_JUDGE_H

#include "advisor/cli/session.h"
#include "advisor/report/report.h"

struct judged {
    struct session session;
    struct findings findings;
    struct plan *plans;                    /* one a server, in the order of `servers` */
    const struct subject *const *servers;
    size_t n_servers;
    bool measured_only;
};

/* Option rows that judge_report reads; commands put them after SESSION_OPTIONS. */
#define JUDGE_OPTIONS                                                                              \
    {"fail-on", 0, "LEVEL", false, "exit 1 from this severity on (high)"},                         \
    {"allow-unknown", 0, NULL, false, "exit 0 where it would be 3"},                               \
    {"require-server", 0, NULL, false, "exit 2 when no server runs here"},                         \
    {"measured-only", 0, NULL, false, "plan nothing that rests on an estimate"}

/* Verdicts and plans of j->session, which is open. */
void judge(struct judged *j, const struct options *opt);

/* What a report is made from, --fail-on aside. */
struct report_input judge_input(const struct judged *j, const struct options *opt);

/* The report document. Error: E_USAGE for --fail-on. */
ATTR_NODISCARD bool judge_report(const struct judged *j, const struct options *opt,
                                 struct json **ret, struct err *reterr);

#endif
