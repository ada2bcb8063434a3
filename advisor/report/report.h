/* The report document (schema nvadvise.report/1): one JSON-shaped value that every output is a view of.
 * Pure: facts, findings and plans in, document out. */
#ifndef NVADVISE_ADVISOR_REPORT_REPORT_H
#define NVADVISE_ADVISOR_REPORT_REPORT_H

#include "advisor/base/json.h"
#include "rules/catalogue.h"
#include "rules/settings.h"

struct profile; /* rules/profile.h */
struct waivers; /* rules/waiver.h */

struct report_input {
    const struct ruleset *rules;
    struct store *store;
    const struct findings *findings;
    const struct plan *plans;              /* one a server, in the order of `servers` */
    const struct subject *const *servers;
    size_t n_servers;
    const struct profile *profile;         /* NULL: durable, as it is built in */
    const struct waivers *waivers;         /* NULL: none */
    const char *const *overrides;          /* --set texts */
    size_t n_overrides;
    enum severity fail_on;
    bool allow_unknown;
    bool require_server;
    bool measured_only;
    int64_t clock;                         /* of the capture */
    bool has_target;                       /* check --target */
    enum flavour target_flavour;
    struct version target_version;
    const char *origin;                    /* "live", "capture", "facts" */
};

enum exit_code { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_TROUBLE = 2, EXIT_UNKNOWN = 3 };

/* The document of design.md: schema, tool, rules, profile, waivers, parameters, overrides, host, verdict,
 * exit, counts, findings, not_measured, plan, servers, devices. No elapsed time is in it. */
struct json *report_make(struct arena *a, const struct report_input *in);

/* The exit code that the document states. */
enum exit_code report_exit(const struct json *doc);

/* ---- views ---- */

struct text_options {
    unsigned columns;  /* 80 when not a terminal */
    bool colour;
    bool verbose;      /* -v: all findings, all evidence */
};

/* The terminal view: verdict line, at most five findings with the exact fix, counts, one line a
 * remedy, notes; at most 40 lines on a host with ten faults. */
void report_text(struct buf *b, const struct json *doc, const struct text_options *opt);

/* The document that the my.cnf template renders, for one server; NULL when no line is active. kept: NULL, or
 * an array of lines of an earlier drop-in that stay as they are ({"group", "dynamic", "variable", "value",
 * "rule", "settles", "mark", "old_text", "old_origin", "evidence", "formula", "risk"}): then the document
 * is made in any case, and a line that the plan asks for too stands as it stood. */
struct json *report_dropin_doc(struct arena *a, const struct json *doc, const char *server_label,
                               const struct json *kept);

/* The document that the storage.md and storage.sh templates render: findings on devices, volumes and the host,
 * and what is to be done about them in an order in which it can be carried out (steps.h). Waived ones are not
 * in it. */
struct json *report_storage_doc(struct arena *a, const struct json *doc);

#endif
