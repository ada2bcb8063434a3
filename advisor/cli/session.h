/* What every command that looks at facts begins with: declarations, rules, and a store that was filled
 * from this machine, a capture or documents. */
#ifndef NVADVISE_ADVISOR_CLI_SESSION_H
#define NVADVISE_ADVISOR_CLI_SESSION_H

#include "advisor/cli/options.h"
#include "probes/runner.h"
#include "rules/engine.h"
#include "rules/profile.h"
#include "rules/waiver.h"

struct session {
    struct arena *arena;
    struct decl_set *decls;
    struct ruleset rules;
    struct store *store;
    int64_t clock;                  /* of the facts, not of the run */
    const char *const *overrides;   /* --set texts */
    size_t n_overrides;
    const struct profile *profile;  /* in force */
    struct waivers waivers;
    bool remote;                    /* the server is elsewhere: nothing below it is judged */
    struct json *warnings;           /* warnings: names that this version does not know, option files */
};

/* Option rows that session_rules reads beside --rules (site.h). */
#define SITE_OPTIONS                                                                               \
    {"profile", 0, "NAME", false, "durable (default), balanced, replica, bulk_load, or a site's own"}, \
    {"config", 0, "FILE", false, "the site's configuration, instead of " NVADVISE_SYSCONFDIR       \
                                 "/nvadvise/nvadvise.conf"},                                       \
    {"waivers", 0, "FILE", false, "accepted findings, instead of the site's"},                     \
    {"no-site", 0, NULL, false, "leave the site's rules, configuration and waivers aside"}

/* Option rows that session_open reads; commands put them first in their own table. */
#define SESSION_OPTIONS                                                                            \
    {"socket", 'S', "PATH", false, "the server's unix socket"},                                    \
    {"host", 'H', "NAME", false, "a server reached over TCP; another host's storage is not judged"}, \
    {"port", 'P', "N", false, "its port (3306)"},                                                  \
    {"user", 'u', "NAME", false, "the account to log in with"},                                    \
    {"defaults-file", 0, "FILE", false, "option file with [client] or [nvadvise] login data"},     \
    {"from", 0, "CAPTURE", false, "judge a capture instead of this machine"},                      \
    {"facts", 0, "FILE", true, "judge a facts document; several merge, later ones win"},           \
    {"options", 0, "FILE", true, "judge this option file, as that server's only one; repeats"},     \
    {"server", 0, "FLAVOUR:VERSION", false, "who would read it: mysql:5.7.15, mariadb:10.11"},       \
    {"set", 0, "NAME=VALUE", true, "what if: override a fact"},                                    \
    {"all-devices", 0, NULL, false, "ask every NVMe controller, not only those under a server"},   \
    {"timeout", 0, "SECONDS", false, "deadline of each probe (3)"},                                \
    {"no-state", 0, NULL, false, "keep nothing in the state directory"},                           \
    {"rules", 0, "DIR", false, "use the rule texts of DIR instead of the compiled-in ones"},          \
    SITE_OPTIONS

/* Declarations and rules only. */
ATTR_NODISCARD bool session_rules(struct arena *a, const struct options *opt, struct session *ret,
                                  struct buf *problems, struct err *reterr);

/* session_rules, then facts: live, --from or --facts; then --set; then the derived facts. A capture is
 * made as well when `capture_path` is not NULL, and saved when all is read. */
ATTR_NODISCARD bool session_open(struct arena *a, const struct options *opt,
                                 const char *capture_path, struct session *ret,
                                 struct err *reterr);

/* The same, live, of one path of this host (runner.h): no server is asked. */
ATTR_NODISCARD bool session_open_path(struct arena *a, const struct options *opt,
                                      const struct collect_path *path, struct session *ret,
                                      struct err *reterr);

#endif
