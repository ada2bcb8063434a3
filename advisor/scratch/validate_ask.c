/* The binary itself reads the options, all of them, and starts nothing. Its paths are ours, put
 * behind those of the lines: both servers try a file in the data directory even so. */
#include <string.h>

#include "advisor/scratch/flat.h"
#include "advisor/scratch/marker.h"
#include "advisor/scratch/validate_int.h"
#include "rules/catalogue_names.h"

#include "advisor/base/banned.h"

#define FLAT_MAX ((size_t)1024 * 1024)
#define MESSAGES_MAX 1024
#define ROUNDS 64 /* lines of plugins that are left out, one a round */

/* What one run said. */
struct answer {
    bool refused;
    struct server_message *messages;
    size_t n;
    struct shown_value *shown;
    size_t n_shown;
    const char *end; /* how it ended, when not by exit code 0 or by a message */
};

struct asking {
    struct validating *v;
    struct scratch_server *server;
    bool validate_config; /* the binary has that option */
};

static bool has_validate_config(const struct validating *v)
{
    const struct version since = {{8, 0, 16, 0}, 3};
    return v->in->flavour != FLAVOUR_MARIADB && version_cmp(&v->version, &since) >= 0;
}

/* ---- one run --------------------------------------------------------------------------------- */

static const char *const *ask_args(const struct asking *q, bool help)
{
    struct arena *const a = q->v->arena;
    const char *const own = scratch_folder(q->server);
    const char **const args = arena_calloc(a, 20, sizeof(*args));
    size_t n = 0;
    args[n++] = arena_printf(a, "--defaults-file=%s/options.cnf", own);
    if (q->v->in->flavour == FLAVOUR_MARIADB) {
        args[n++] = "--log-warnings=2";
    } else {
        args[n++] = "--loose-log-error-verbosity=2";
        args[n++] = "--loose-log-error-suppression-list=";
        args[n++] = "--loose-log-error-services=log_filter_internal;log_sink_internal";
        args[n++] = "--loose-persisted-globals-load=OFF";
    }
    args[n++] = arena_printf(a, "--datadir=%s/data", own);
    args[n++] = arena_printf(a, "--tmpdir=%s/tmp", own);
    args[n++] = arena_printf(a, "--socket=%s/s.sock", own);
    args[n++] = arena_printf(a, "--pid-file=%s%s", own, MARKER_PID_FILE);
    args[n++] = arena_printf(a, "--log-error=%s/error.log", own);
    args[n++] = arena_printf(a, "--general-log-file=%s/general.log", own);
    args[n++] = arena_printf(a, "--slow-query-log-file=%s/slow.log", own);
    if (q->v->in->uid == 0) {
        args[n++] = "--user=root";
    }
    if (help) {
        args[n++] = "--verbose";
        args[n++] = "--help";
    } else {
        args[n++] = "--validate-config";
    }
    return args;
}

static bool run_once(const struct asking *q, bool help, struct answer *ret, struct err *reterr)
{
    struct arena *const a = q->v->arena;
    struct run_result r;
    struct server_message *list = NULL;
    if (!scratch_ask(q->server, ask_args(q, help), &r, reterr)) {
        return false;
    }
    const char *const what = help ? "--verbose --help" : "--validate-config";
    if (r.timed_out || r.flooded) {
        return r.timed_out
                   ? err_set(reterr, E_TIMEOUT, "'%s %s' took too long", q->v->in->binary, what)
                   : err_set(reterr, E_TOO_BIG, "'%s %s' prints without end", q->v->in->binary,
                             what);
    }
    const size_t n = server_messages(a, r.err, MESSAGES_MAX, &list);
    for (size_t i = 0; i < n; i++) {
        ret->messages = arena_list_room(a, ret->messages, ret->n, sizeof(*list));
        ret->messages[ret->n++] = list[i];
        ret->refused = ret->refused || list[i].level == MESSAGE_ERROR;
    }
    if (!r.exited || r.status != 0) {
        ret->end = r.exited ? arena_printf(a, "'%s' ends with status %d", what, r.status)
                            : arena_printf(a, "'%s' is ended by signal %d", what, r.signal);
        ret->refused = true;
    }
    if (help) {
        ret->n_shown = shown_values(a, r.out, &ret->shown);
    }
    return true;
}

/* The options without those that `skip` names: asked in all the ways that this server has. */
static bool ask(const struct asking *q, const bool *skip, struct answer *ret, struct err *reterr)
{
    struct buf flat;
    buf_init(&flat, q->v->arena, FLAT_MAX);
    flat_print(q->v->in->lines, q->v->in->n_lines, skip, &flat);
    if (flat.full) {
        return err_set(reterr, E_TOO_BIG, "the options are more than %zu bytes", FLAT_MAX);
    }
    *ret = (struct answer){.refused = false};
    if (!scratch_file(q->server, "options.cnf", buf_span(&flat), reterr)) {
        return false;
    }
    if (q->validate_config && !run_once(q, false, ret, reterr)) {
        return false;
    }
    if (q->validate_config && ret->refused) {
        return true;
    }
    struct answer help = {.refused = false};
    if (!run_once(q, true, &help, reterr)) {
        return false;
    }
    if (q->validate_config) {
        /* The same messages again, and its exit code says no more; the values are new. */
        ret->shown = help.shown;
        ret->n_shown = help.n_shown;
        return true;
    }
    *ret = help;
    return true;
}

/* ---- with and without ------------------------------------------------------------------------ */

static bool *without_ours(const struct validating *v)
{
    bool *const skip = arena_calloc(v->arena, v->in->n_lines + 1, sizeof(*skip));
    for (size_t i = 0; i < v->in->n_lines; i++) {
        skip[i] = v->skip[i] || validating_is_ours(v, i);
    }
    return skip;
}

/* An option of another file that this run does not know: it may belong to a plugin that is
 * installed in the server's data directory, of which nothing is known here. Left out then; false:
 * no such message. */
static bool leave_out_unknown(struct validating *v, const struct answer *without)
{
    struct option_name known;
    for (size_t i = 0; i < without->n; i++) {
        const struct server_message *const m = &without->messages[i];
        if (m->level != MESSAGE_ERROR || m->name.len == 0 || !span_starts(m->text, "unknown ") ||
            catalogue_name(v->in->catalogue, v->in->flavour, &v->version, m->name, &known) !=
                PRESENCE_UNKNOWN) {
            continue;
        }
        for (size_t k = 0; k < v->in->n_lines; k++) {
            if (!v->skip[k] && !validating_is_ours(v, k) &&
                option_name_same(v->in->lines[k].name, m->name)) {
                v->skip[k] = true;
                const char *const text = arena_printf(
                    v->arena, "'%.*s' is not known without the server's plugins: not tried",
                    SPAN_ARG(m->name));
                validating_add(v, COMPLAINT_WARNING, false, validating_name(v, m->name, m->text),
                               span_of(text));
                return true;
            }
        }
    }
    return false;
}

static void conclude(struct validating *v, const struct answer *with, const struct answer *without)
{
    validating_compare(v, with->messages, with->n, without->messages, without->n);
    if (with->refused && !without->refused && with->n == 0 && with->end != NULL) {
        validating_add(v, COMPLAINT_REFUSED, true, "", span_of(with->end));
    }
    v->bad_before = v->bad_before || without->refused;
    if (without->refused && without->n == 0 && without->end != NULL) {
        validating_add(v, COMPLAINT_REFUSED, false, "", span_of(without->end));
    }
    validating_values(v, with->shown, with->n_shown, NULL, 0);
}

static bool ask_both(const struct asking *q, struct err *reterr)
{
    struct validating *const v = q->v;
    struct answer with, without = {.refused = false};
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (!ask(q, v->skip, &with, reterr)) {
            return false;
        }
        if (with.n == 0 && !with.refused) {
            break; /* nothing to complain of: nothing to compare */
        }
        if (!ask(q, without_ours(v), &without, reterr)) {
            return false;
        }
        if (!without.refused || !leave_out_unknown(v, &without)) {
            break;
        }
    }
    conclude(v, &with, &without);
    return true;
}

bool validate_ask(struct validating *v, struct err *reterr)
{
    struct asking q = {.v = v, .validate_config = has_validate_config(v)};
    struct err closing = ERR_INIT;
    if (!validating_open(v, &q.server, reterr)) {
        return false;
    }
    if (q.validate_config) {
        validating_how(v, "--validate-config");
    }
    validating_how(v, "--verbose --help");
    const bool ok = ask_both(&q, reterr);
    if (!validating_close(v, q.server, &closing) && ok) {
        *reterr = closing;
        return false;
    }
    return ok;
}
