/* A scratch server starts with the options that it may have: what only InnoDB itself checks shows
 * then, and what the server makes of the values. */
#include <signal.h>
#include <string.h>

#include "advisor/scratch/validate_int.h"

#include "advisor/base/banned.h"

#define MESSAGES_MAX 1024
#define VALUES_MAX ((size_t)1024 * 1024)
#define SCALED_MOST                                                                                \
    ((uint64_t)64 * 1024 * 1024) /* bytes: the pool and the redo log of a validation */

enum outcome { STARTED, REFUSES, CANNOT };

struct starting {
    struct scratch_setting *set;
    size_t n;
    struct server_message *messages; /* of a start that was refused, and of one that was not */
    size_t n_messages;
    struct shown_value *shown;
    size_t n_shown;
};

static void copy_settings(const struct validating *v, bool with_ours, struct starting *s)
{
    const struct scratch_scale scale = {1.0, SCALED_MOST};
    struct optline *const lines = arena_calloc(v->arena, v->in->n_lines + 1, sizeof(*lines));
    size_t n = 0;
    for (size_t i = 0; i < v->in->n_lines; i++) {
        /* Its tables take more than all else, and nothing depends on it. */
        const bool large = v->names[i] != NULL && strcmp(v->names[i], "performance_schema") == 0;
        if (!v->skip[i] && !large && (with_ours || !validating_is_ours(v, i))) {
            lines[n++] = v->in->lines[i];
        }
    }
    s->n = scratch_settings(v->in->catalogue, v->in->flavour, &v->version, lines, n, &scale,
                            v->arena, &s->set);
}

static bool tries_ours(const struct validating *v, const struct starting *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (span_eq_text(s->set[i].line->file, v->in->ours)) {
            return true;
        }
    }
    return false;
}

/* The server writes its variables down itself: no client is needed, and none gets in. */
static const char *dump_sql(const struct validating *v, const struct scratch_server *server)
{
    const struct version since = {{5, 7, 6, 0}, 3};
    const bool schema = v->in->flavour == FLAVOUR_MARIADB || version_cmp(&v->version, &since) < 0;
    return arena_printf(
        v->arena,
        "SELECT variable_name, variable_value FROM %s.global_variables INTO OUTFILE "
        "'%s/out/variables';",
        schema ? "information_schema" : "performance_schema", scratch_folder(server));
}

/* Refused by the server itself, and not by time, signals of others or policies. */
static bool is_refusal(const struct err *err)
{
    return err->code == E_IO || err->code == E_CRASHED;
}

static enum outcome start_in(struct validating *v, struct scratch_server *server,
                             struct starting *s, struct err *reterr)
{
    struct span text = {"", 0};
    const bool ok = scratch_initialise(server, s->set, s->n, reterr) &&
                    scratch_start(server, s->set, s->n, dump_sql(v, server), reterr);
    s->n_messages = server_messages(v->arena, scratch_log(server), MESSAGES_MAX, &s->messages);
    if (!ok) {
        return is_refusal(reterr) ? REFUSES : CANNOT;
    }
    if (!scratch_output(server, "variables", VALUES_MAX, &text, reterr)) {
        return CANNOT;
    }
    s->n_shown = dumped_values(v->arena, text, &s->shown);
    return STARTED;
}

static enum outcome start(struct validating *v, struct starting *s, struct err *reterr)
{
    struct scratch_server *server = NULL;
    struct err closing = ERR_INIT;
    if (!validating_open(v, &server, reterr)) {
        return CANNOT;
    }
    const enum outcome o = start_in(v, server, s, reterr);
    if (!validating_close(v, server, &closing)) {
        if (o == STARTED) {
            *reterr = closing;
        }
        return CANNOT;
    }
    return o;
}

/* Is it about a setting that has another value here than it was asked for? */
static bool speaks_of_scaled(const struct starting *s, struct span text)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->set[i].scaled && validating_stands_in(text, s->set[i].name)) {
            return true;
        }
    }
    return false;
}

static bool is_tried(const struct validating *v, const struct starting *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++) {
        if (strcmp(s->set[i].name, name) == 0 && span_eq_text(s->set[i].line->file, v->in->ours)) {
            return !s->set[i].scaled;
        }
    }
    return false;
}

/* It runs: what it says of our names. An error here is one that it lives with. */
static void tell_of_ours(struct validating *v, const struct starting *s)
{
    for (size_t i = 0; i < s->n_messages; i++) {
        const struct server_message *const m = &s->messages[i];
        const char *const name = validating_name(v, m->name, m->text);
        if (!m->follows && is_tried(v, s, name) && !speaks_of_scaled(s, m->text)) {
            validating_add(v, m->kind == COMPLAINT_REFUSED ? COMPLAINT_WARNING : m->kind, true,
                           name, m->text);
        }
    }
    validating_values(v, s->shown, s->n_shown, s->set, s->n);
}

static void tell_refusal(struct validating *v, const struct starting *s, bool ours,
                         const struct err *why)
{
    struct server_message errors[16] = {0};
    size_t n = 0;
    for (size_t i = 0; i < s->n_messages && n < ARRAY_LEN(errors); i++) {
        if (s->messages[i].level == MESSAGE_ERROR) {
            errors[n++] = s->messages[i];
        }
    }
    const size_t before = v->n_list;
    if (ours) {
        validating_compare(v, errors, n, NULL, 0);
    }
    if (v->n_list == before) {
        validating_add(v, COMPLAINT_REFUSED, ours, "",
                       n > 0 ? errors[n - 1].text : span_of(why->text));
    }
}

/* It does not start with our lines: does it without them, and does it with none at all? */
static bool find_out(struct validating *v, const struct starting *with, const struct err *why,
                     struct err *reterr)
{
    struct starting s = {.n = 0};
    struct err err = ERR_INIT;
    copy_settings(v, false, &s);
    enum outcome o = start(v, &s, &err);
    if (o == STARTED) {
        tell_refusal(v, with, true, why);
        return true;
    }
    if (o == REFUSES && s.n > 0) {
        struct starting bare = {.n = 0};
        struct err bare_err = ERR_INIT;
        o = start(v, &bare, &bare_err);
        if (o == STARTED) {
            v->bad_before = true;
            tell_refusal(v, &s, false, &err);
            return true;
        }
        err = bare_err;
        s = bare;
    }
    *reterr = err;
    for (size_t i = s.n_messages; i > 0; i--) {
        if (s.messages[i - 1].level == MESSAGE_ERROR) {
            err_wrap(reterr, "the scratch server says: %.*s", SPAN_ARG(s.messages[i - 1].text));
            break;
        }
    }
    return false;
}

bool validate_start(struct validating *v, struct err *reterr)
{
    struct starting s = {.n = 0};
    struct err err = ERR_INIT;
    copy_settings(v, true, &s);
    if (!tries_ours(v, &s)) {
        return true; /* none of ours may be tried so: a start would show nothing */
    }
    validating_how(v, "scratch start");
    switch (start(v, &s, &err)) {
    case STARTED:
        tell_of_ours(v, &s);
        return true;
    case REFUSES:
        return find_out(v, &s, &err, reterr);
    case CANNOT:
    default:
        *reterr = err;
        return false;
    }
}
