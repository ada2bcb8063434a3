/* Names that must go wherever they stand, even where their words are well-known ones: out of the
 * options, the host's own name and what a server says of itself and of who asks. */
#include "probes/host/redact_parts.h"

#include <string.h>

#include "probes/host/reply.h"

#include "advisor/base/banned.h"

void redactor_hide_host(struct redactor *r, struct span name)
{
    struct span rest = name, label;
    redactor_hide(r, name);
    while (span_split(&rest, '.', &label)) {
        redactor_hide(r, label);
    }
}

static void learn_variables(struct redactor *r, struct span in)
{
    ARENA_AUTO scratch = arena_new();
    struct host_rows rows;
    struct err ignored = ERR_INIT;
    if (!reply_read_rows(scratch, in, &rows, &ignored) || rows.n_columns < 2) {
        return;
    }
    for (size_t i = 0; i < rows.n_rows; i++) {
        const struct host_cell *const c = rows.cells + i * rows.n_columns;
        if (span_eq_text(c[0].text, "hostname") || span_eq_text(c[0].text, "report_host")) {
            redactor_hide_host(r, c[1].text);
        }
    }
}

/* Who is logged in, and from where: messages name both. */
static void learn_account(struct redactor *r, struct span in)
{
    ARENA_AUTO scratch = arena_new();
    struct host_rows rows;
    struct err ignored = ERR_INIT;
    if (!reply_read_rows(scratch, in, &rows, &ignored) || rows.n_rows == 0) {
        return;
    }
    for (size_t i = 0; i < rows.n_columns; i++) {
        struct span rest = rows.cells[i].text, part;
        while (span_eq_text(rows.columns[i], "account") && span_split(&rest, '@', &part)) {
            redactor_hide_host(r, part);
        }
    }
}

void redact_learn(struct redactor *r, const struct host_record *rec)
{
    struct host_uname u;
    struct err ignored = ERR_INIT;
    if (rec->outcome != OUTCOME_OK) {
        return;
    }
    if (rec->op == HOST_UNAME && reply_read_uname(r->arena, rec->bytes, &u, &ignored)) {
        redactor_hide_host(r, u.nodename);
    } else if (rec->op == HOST_SQL && strcmp(rec->key, "variables") == 0) {
        learn_variables(r, rec->bytes);
    } else if (rec->op == HOST_SQL && strcmp(rec->key, "version") == 0) {
        learn_account(r, rec->bytes);
    }
}

static void learn_from(struct redactor *r, const struct json *header, const char *part)
{
    const struct json *const doc = json_get(header, part);
    const char *const host = doc == NULL ? NULL : json_get_str(doc, "host");
    const char *const user = doc == NULL ? NULL : json_get_str(doc, "user");
    if (host != NULL) {
        redactor_hide_host(r, span_of(host));
    }
    if (user != NULL) {
        redactor_hide(r, span_of(user));
    }
}

void redact_learn_header(struct redactor *r, const struct json *header)
{
    learn_from(r, header, "options");
    learn_from(r, header, "target");
}
