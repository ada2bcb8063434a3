/* SQL probe: asking, and answers as tables of names and values. No facts but the unknowns that a
 * failed statement leaves. */
#include <stdlib.h>
#include <string.h>

#include "probes/setters.h"
#include "probes/sql.h"

#include "advisor/base/banned.h"

#define NAME_BYTES_MAX 100u

/* ---- asking ---------------------------------------------------------------------------------- */

/* Every server has these. One that refuses them is not what it says; that proves nothing missing. */
static bool is_core(const char *id)
{
    static const char *const ids[] = {"version", "variables", "status"};
    for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
        if (strcmp(id, ids[i]) == 0) {
            return true;
        }
    }
    return false;
}

bool sql_ask(struct sql *s, const char *id, struct host_rows *ret, struct err *reterr)
{
    if (s->lost) {
        err_set(reterr, E_CONNECT, "not asked: %.400s", s->lost_err.text);
        return err_hint(reterr, "%s", s->lost_err.hint);
    }
    if (host_sql(s->ctx->host, id, ret, reterr)) {
        return true;
    }
    if (reterr->code == E_NOT_SUPPORTED && is_core(id)) {
        reterr->code = E_IO;
    }
    if (reterr->code == E_CONNECT || reterr->code == E_TOO_BIG) {
        s->lost = true;
        s->lost_err = *reterr;
        err_set(&s->lost_err, E_CONNECT, "the connection was lost with %.400s", reterr->text);
        err_hint(&s->lost_err, "Look into the server's error log, then run nvadvise again.");
        reterr->hint[0] = '\0';
        err_hint(reterr, "%s", s->lost_err.hint);
    }
    return false;
}

bool sql_is_name(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        const char c = s.ptr[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
            c != '_' && (c != '.' || i == 0 || i + 1 == s.len)) {
            return false;
        }
    }
    return s.len > 0 && s.len <= NAME_BYTES_MAX;
}

const char *sql_fact_name(char ret[SQL_FACT_ROOM], const char *family, struct span name, bool fold)
{
    const size_t n = strlen(family);
    memcpy(ret, family, n);
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];
        ret[n + i] = (char)(fold && c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    ret[n + name.len] = '\0';
    return ret;
}

static int compare_pairs(const void *a, const void *b)
{
    const struct sql_pair *x = a, *y = b;
    const int by_name = span_cmp(x->name, y->name);
    return by_name != 0 ? by_name : (x->at > y->at) - (x->at < y->at);
}

void sql_ask_table(struct sql *s, const char *id, struct sql_table *ret)
{
    struct host_rows rows;
    ret->ok = sql_ask(s, id, &rows, &ret->err);
    if (ret->ok && rows.n_columns < 2) {
        ret->ok = err_set(&ret->err, E_SYNTAX, "statement '%s': the reply has %zu columns, not 2",
                          id, rows.n_columns);
    }
    if (ret->ok && rows.n_rows == 0 && is_core(id)) {
        ret->ok = err_set(&ret->err, E_SYNTAX, "statement '%s': the reply is empty", id);
    }
    if (!ret->ok) {
        return;
    }
    size_t n = 0;
    ret->pairs = arena_calloc(s->ctx->arena, rows.n_rows, sizeof(*ret->pairs));
    for (size_t i = 0; i < rows.n_rows; i++) {
        const struct host_cell *const c = sql_cell(&rows, i, 0);
        if (!c[0].null && sql_is_name(c[0].text)) {
            ret->pairs[n++] = (struct sql_pair){c[0].text, c[1].text, c[1].null, i};
        }
    }
    if (n > 1) {
        qsort(ret->pairs, n, sizeof(*ret->pairs), compare_pairs);
    }
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || !span_eq(ret->pairs[i].name, ret->pairs[i - 1].name)) {
            ret->pairs[ret->n++] = ret->pairs[i];
        }
    }
}

bool sql_column(const struct host_rows *rows, const char *name, size_t *ret)
{
    for (size_t i = 0; i < rows->n_columns; i++) {
        if (span_eq_nocase(rows->columns[i], span_of(name))) {
            *ret = i;
            return true;
        }
    }
    return false;
}

const struct host_cell *sql_cell(const struct host_rows *rows, size_t row, size_t column)
{
    return &rows->cells[row * rows->n_columns + column];
}

/* ---- values ---------------------------------------------------------------------------------- */

const struct span *sql_value(const struct sql_table *t, const char *name)
{
    size_t low = 0, high = t->n;
    const struct span wanted = span_of(name);
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        const int order = span_cmp(t->pairs[mid].name, wanted);
        if (order == 0) {
            return t->pairs[mid].null ? NULL : &t->pairs[mid].value;
        }
        if (order < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return NULL;
}

bool sql_number(const struct sql_table *t, const char *name, struct num *ret)
{
    const struct span *const text = sql_value(t, name);
    return text != NULL && num_parse(*text, ret) && ret->tag != NUM_UNLIMITED;
}

const char *sql_source(struct sql *s, const struct sql_table *t, const char *name)
{
    return arena_printf(s->ctx->arena, "%s '%s'", t->source, name);
}

bool sql_set_number(struct sql *s, const char *fact, enum kind kind, const struct sql_table *t,
                    const char *name)
{
    struct num n;
    if (!sql_number(t, name, &n) || n.neg) {
        return false;
    }
    set_num(s->ctx, fact, kind, n, sql_source(s, t, name));
    return true;
}

bool sql_switch(struct span text, bool *ret)
{
    static const char *const on[] = {"ON", "1", "YES", "TRUE", "ENABLED"};
    static const char *const off[] = {"OFF", "0", "NO", "FALSE", "DISABLED"};
    for (size_t i = 0; i < ARRAY_LEN(on); i++) {
        if (span_eq_nocase(text, span_of(on[i])) || span_eq_nocase(text, span_of(off[i]))) {
            *ret = span_eq_nocase(text, span_of(on[i]));
            return true;
        }
    }
    return false;
}

/* ---- versions -------------------------------------------------------------------------------- */

static bool is_from(const struct sql *s, uint32_t major, uint32_t minor, uint32_t patch)
{
    const struct version v = {{major, minor, patch, 0}, 3};
    return s->has_version && version_cmp(&s->version, &v) >= 0;
}

bool sql_is_mysql_from(const struct sql *s, uint32_t major, uint32_t minor, uint32_t patch)
{
    return s->flavour != SQL_MARIADB && is_from(s, major, minor, patch);
}

/* ---- unknowns -------------------------------------------------------------------------------- */

static const char *grant_text(struct sql *s, enum sql_grant grant)
{
    static const char *const what[] = {
        [SQL_GRANT_NONE] = NULL,
        [SQL_GRANT_PROCESS] = "PROCESS ON *.*",
        [SQL_GRANT_PERFORMANCE_SCHEMA] = "SELECT ON performance_schema.*",
        [SQL_GRANT_REPLICATION] = "REPLICATION CLIENT ON *.*",
    };
    if (grant == SQL_GRANT_REPLICATION && s->flavour == SQL_MARIADB && is_from(s, 10, 5, 2)) {
        return arena_printf(s->ctx->arena, "GRANT SLAVE MONITOR ON *.* TO %s",
                            s->account != NULL ? s->account : "the account that nvadvise uses");
    }
    if (what[grant] == NULL) {
        return "";
    }
    return arena_printf(s->ctx->arena, "GRANT %s TO %s", what[grant],
                        s->account != NULL ? s->account : "the account that nvadvise uses");
}

void sql_failed(struct sql *s, const char *fact, const struct err *e, enum sql_grant grant,
                const char *source)
{
    const char *const remedy = e->code == E_DENIED ? grant_text(s, grant) : e->hint;
    set_unknown(s->ctx, fact, fact_state_from_err(e->code), source, remedy, e->text);
}

void sql_missing(struct sql *s, const char *fact, const struct sql_table *t, const char *name)
{
    if (!t->ok) {
        sql_failed(s, fact, &t->err, t->grant, t->source);
        return;
    }
    set_unknown(s->ctx, fact, FACT_ABSENT, sql_source(s, t, name), "",
                "the server does not tell it, or not as a number");
}
