/* Facts for commands: this machine, a capture, or documents. Wires; decides nothing. */
#include "advisor/cli/session.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/base/file.h"
#include "advisor/base/log.h"
#include "advisor/base/parse.h"
#include "advisor/cli/site.h"
#include "advisor/cli/keep.h"
#include "advisor/cli/offline.h"
#include "advisor/cli/statedir.h"
#include "advisor/facts/factdoc.h"
#include "rules/wear_date.h"

#include "advisor/base/banned.h"

#define SITE_RULES_DIR NVADVISE_SYSCONFDIR "/nvadvise/rules.d"

bool session_rules(struct arena *a, const struct options *opt, struct session *ret,
                   struct buf *problems, struct err *reterr)
{
    *ret = (struct session){.arena = a, .decls = decl_set_new(a), .warnings = json_array(a)};
    struct rule_texts texts;
    const char *dir = option_text(opt, "rules");
    if (dir != NULL) {
        if (!rule_texts_read_dir(a, dir, &texts, reterr)) {
            return false;
        }
    } else {
        texts = *rule_texts_builtin(a);
        if (!option_flag(opt, "no-site") && !rule_texts_add_site(a, SITE_RULES_DIR, &texts, reterr)) {
            return false;
        }
    }
    return probes_declare(ret->decls, reterr) &&
           ruleset_load(a, ret->decls, &texts, &ret->rules, problems, reterr) &&
           site_read(a, opt, &texts.profiles, ret, reterr);
}

static bool read_number(const struct options *opt, const char *name, double min, double max,
                        double *ret, struct err *reterr)
{
    const char *text = option_text(opt, name);
    if (text == NULL) {
        return true;
    }
    double v = 0;
    if (!parse_double(span_of(text), &v) || v < min || v > max) {
        return err_set(reterr, E_USAGE, "option '--%s': '%s' is not a number from %g to %g", name,
                       text, min, max);
    }
    *ret = v;
    return true;
}

static bool collect_options_of(const struct options *opt, struct collect_options *ret,
                               struct err *reterr)
{
    double port = 0, timeout = 0;
    if (!read_number(opt, "port", 1, 65535, &port, reterr) ||
        !read_number(opt, "timeout", 0.1, 600, &timeout, reterr)) {
        return false;
    }
    const char *socket = option_text(opt, "socket");
    if (socket != NULL && socket[0] != '/') {
        return err_set(reterr, E_USAGE, "option '--socket': '%s' is no absolute path", socket);
    }
    *ret = (struct collect_options){
        .socket = socket,
        .host = option_text(opt, "host"),
        .defaults_file = option_text(opt, "defaults-file"),
        .user = option_text(opt, "user"),
        .port = (unsigned)port,
        .all_devices = option_flag(opt, "all-devices"),
        .timeout_s = timeout,
    };
    return true;
}

static bool is_local_name(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "::1"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(host, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool replay(struct session *s, const char *name, struct span bytes, struct store *into,
                   struct err *reterr)
{
    struct kept kept;
    if (!keep_read(s->arena, name, bytes, &kept, reterr)) {
        return false;
    }
    s->clock = kept.clock;
    s->remote = kept.options.host != NULL && !is_local_name(kept.options.host);
    return collect_replay(kept.capture, into, reterr);
}

/* With --redact twice: what the site decided is of the names. */
static bool open_capture(struct session *s, const struct options *opt, const char *path,
                         struct err *reterr)
{
    struct span bytes;
    struct redact_key key;
    if (!file_read(s->arena, path, CAPTURE_MAX, &bytes, reterr)) {
        return false;
    }
    if (option_flag(opt, "redact")) {
        struct store *const named = store_new(s->arena, s->decls);
        struct span redacted = bytes;
        if (!replay(s, path, bytes, named, reterr) ||
            !keep_redact(s->arena, opt, path, &key, &redacted, reterr)) {
            return false;
        }
        site_redact(s, named, &key, keep_is_redacted(s->arena, path, bytes));
        bytes = redacted;
    }
    return replay(s, path, bytes, s->store, reterr);
}

static bool open_documents(struct session *s, const char *const *paths, size_t n,
                           struct err *reterr)
{
    store_set_offline(s->store, true);
    for (size_t i = 0; i < n; i++) {
        struct span text;
        if (!file_read(s->arena, paths[i], FACTDOC_MAX, &text, reterr) ||
            !factdoc_read(s->store, paths[i], text, false, s->warnings, reterr)) {
            return false;
        }
    }
    return true;
}

/* With --redact what was found is forgotten, and found again in the redacted capture. */
static bool open_live(struct session *s, const struct options *opt, const char *capture_path,
                      const struct collect_path *path, struct err *reterr)
{
    struct collect_options collect;
    if (!collect_options_of(opt, &collect, reterr)) {
        return false;
    }
    const bool redact = option_flag(opt, "redact");
    collect.paths = path;
    collect.n_paths = path != NULL ? 1 : 0;
    collect.host_only = path != NULL;
    s->remote = collect.host != NULL && !is_local_name(collect.host);
    collect.state_dir = option_flag(opt, "no-state") ? NULL : state_dir(s->arena);
    collect.warnings = s->warnings;
    struct host *host = host_live_new(s->arena, NULL);
    struct json *header = json_object(s->arena);
    const bool clock_ok = host_clock(host, &s->clock, reterr);
    host_live_close(host);
    if (!clock_ok) {
        return false;
    }
    json_set(header, "clock", json_int(s->arena, s->clock));
    struct store *const store = redact ? store_new(s->arena, s->decls) : s->store;
    struct capture_writer *w =
        capture_path != NULL || redact ? capture_new(s->arena, header) : NULL;
    struct span bytes;
    struct redact_key key;
    if (!collect_live(&collect, store, w, reterr)) {
        return false;
    }
    if (w == NULL) {
        return true;
    }
    if (!keep_pack(s->arena, opt, collect.state_dir, w, &key, &bytes, reterr) ||
        (capture_path != NULL && !capture_write(bytes, capture_path, reterr))) {
        return false;
    }
    if (!redact) {
        return true;
    }
    site_redact(s, store, &key, false);
    return replay(s, "the redacted capture", bytes, s->store, reterr);
}

static bool apply_overrides(struct session *s, struct err *reterr)
{
    for (size_t i = 0; i < s->n_overrides; i++) {
        if (!factdoc_set(s->store, s->overrides[i], reterr)) {
            return false;
        }
    }
    return true;
}

static bool sources_fit(const struct options *opt, const char *capture_path, bool offline,
                        struct err *reterr)
{
    const bool from = option_text(opt, "from") != NULL;
    const bool names_server =
        option_text(opt, "socket") != NULL || option_text(opt, "host") != NULL;
    if (option_flag(opt, "redact") && option_flag(opt, "no-redact")) {
        return err_set(reterr, E_USAGE, "'--redact' and '--no-redact' cannot go together");
    }
    if (offline && option_flag(opt, "redact")) {
        return err_set(reterr, E_USAGE, "'--redact' works on what this machine or a capture says, "
                                        "not on '--facts'");
    }
    if (from && offline) {
        return err_set(reterr, E_USAGE, "'--from' goes neither with '--facts' nor with "
                                        "'--options' and '--server'");
    }
    if ((from || offline) && (capture_path != NULL || names_server)) {
        return err_set(reterr, E_USAGE, "with '--from', '--facts', '--options' or '--server' "
                                        "nothing of this machine is read: '--capture', "
                                        "'--socket', '--host' do not go with them");
    }
    return true;
}

/* --target, where the command has it: rules that look ahead ask for the version. */
static bool apply_target(struct session *s, const struct options *opt, struct err *reterr)
{
    const char *text = option_text(opt, "target");
    const struct subject *const *servers;
    struct server_spec spec;
    if (text == NULL) {
        return true;
    }
    if (!server_spec_read("target", text, &spec, reterr)) {
        return false;
    }
    const size_t n = store_subjects_of(s->store, SUBJECT_SERVER, &servers);
    for (size_t i = 0; i < n; i++) {
        store_known(s->store, servers[i], "server.target_version", value_version(spec.version),
                    "--target");
    }
    return true;
}

static bool open_any(struct arena *a, const struct options *opt, const char *capture_path,
                     const struct collect_path *path, struct session *ret, struct err *reterr)
{
    const char *const *documents = NULL;
    const size_t n_documents = option_texts(opt, a, "facts", &documents);
    const bool offline = n_documents > 0 || offline_asked(opt);
    if (!sources_fit(opt, capture_path, offline, reterr) ||
        !session_rules(a, opt, ret, NULL, reterr)) {
        return false;
    }
    ret->store = store_new(a, ret->decls);
    ret->n_overrides = option_texts(opt, a, "set", &ret->overrides);
    const char *from = option_text(opt, "from");
    const bool read_ok = from != NULL ? open_capture(ret, opt, from, reterr)
                         : offline ? open_documents(ret, documents, n_documents, reterr)
                                   : open_live(ret, opt, capture_path, path, reterr);
    if (!read_ok || (offline_asked(opt) && !offline_read(ret, opt, reterr)) ||
        !apply_target(ret, opt, reterr) || !apply_overrides(ret, reterr)) {
        return false;
    }
    engine_derive(&ret->rules, ret->store);
    wear_date_set(ret->store, ret->clock);
    return true;
}

bool session_open(struct arena *a, const struct options *opt, const char *capture_path,
                  struct session *ret, struct err *reterr)
{
    return open_any(a, opt, capture_path, NULL, ret, reterr);
}

bool session_open_path(struct arena *a, const struct options *opt, const struct collect_path *path,
                       struct session *ret, struct err *reterr)
{
    return open_any(a, opt, NULL, path, ret, reterr);
}
