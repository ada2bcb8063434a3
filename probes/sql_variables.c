/* SQL probe, theme variables: every global variable as a fact of its declared kind. */
#include "probes/host/sql_filter.h"
#include "probes/setters.h"
#include "probes/sql.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define FAMILY "server.var."
#define SOURCE "SHOW GLOBAL VARIABLES"

const struct fact_decl sql_variable_decls[SQL_VARIABLE_DECLS] = {
    {FAMILY, KIND_STRING, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "value in force of a global variable, by the server's own name", SOURCE, ""},
};

/* An unset value that stands for one of the words. */
static const struct {
    const char *name, *word;
} unset[] = {
    {"innodb_flush_method", "fsync"}, /* MySQL up to 5.7, MariaDB up to 10.5 */
};

static struct span spelt_out(struct span name, struct span value)
{
    for (size_t i = 0; value.len == 0 && i < ARRAY_LEN(unset); i++) {
        if (span_eq_text(name, unset[i].name)) {
            return span_of(unset[i].word);
        }
    }
    return value;
}

/* Servers print shares in percent (90.000000 is a share of 0.9), but for those that are called
 * ratios. */
static bool number_of(const struct fact_decl *d, struct span text, struct num *ret)
{
    if (!num_parse(text, ret) || ret->tag == NUM_UNLIMITED) {
        return false;
    }
    if (ret->tag != NUM_INT && (d->kind == KIND_COUNT || d->kind == KIND_BYTES)) {
        return false;
    }
    const bool percent = d->kind == KIND_RATIO && !span_ends(span_of(d->name), "_ratio");
    return !percent || num_div(*ret, num_u64(100), ret) == NUM_OK;
}

static bool word_of(const struct fact_decl *d, struct span text, struct span *ret)
{
    struct span rest = span_of(d->allowed), one;
    while (span_split(&rest, ',', &one)) {
        if (span_eq_nocase(span_trim(one), text)) {
            *ret = span_trim(one);
            return true;
        }
    }
    return d->allowed == NULL;
}

static bool typed(const struct fact_decl *d, struct span text, struct value *ret)
{
    struct num n;
    bool on = false;
    switch (d->kind) {
    case KIND_BOOL:
        if (sql_switch(text, &on)) {
            *ret = value_bool(on);
            return true;
        }
        return false;
    case KIND_COUNT:
    case KIND_BYTES:
    case KIND_SECONDS:
    case KIND_RATIO:
    case KIND_RATE:
    case KIND_BYTES_PER_S:
    case KIND_CELSIUS:
        if (number_of(d, text, &n)) {
            *ret = value_num(d->kind, n);
            return true;
        }
        return false;
    case KIND_ENUM:
        if (word_of(d, text, &text)) {
            *ret = value_text(KIND_ENUM, text);
            return true;
        }
        return false;
    case KIND_STRING:
        *ret = value_text(KIND_STRING, text);
        return true;
    case KIND_VERSION:
    case KIND_SET:
    case KIND_LIST:
    case KINDS:
        break;
    }
    return false;
}

/* Without a row of its own: a whole number or a text. */
static struct value untyped(struct span text)
{
    struct num n;
    if (num_parse(text, &n) && n.tag == NUM_INT) {
        return value_num(KIND_COUNT, n);
    }
    return value_text(KIND_STRING, text);
}

static void set_variable(struct sql *s, const struct sql_pair *p)
{
    struct probe_ctx *const ctx = s->ctx;
    char room[SQL_FACT_ROOM];
    const char *const fact = sql_fact_name(room, FAMILY, p->name, true);
    struct span value = p->null ? SPAN_LIT("") : span_trim(p->value);
    if (span_eq_text(value, SQL_BLANKED)) {
        set_unknown(ctx, fact, FACT_NOT_PERMITTED, SOURCE, "",
                    "nvadvise never reads it: it may hold a secret");
        return;
    }
    struct value v;
    const struct fact_decl *const d = decl_find(store_decls(ctx->store), span_of(fact), false);
    value = spelt_out(p->name, value);
    if (d == NULL || d->kind == KIND_STRING) {
        value = text_clean(ctx->arena, value);
    }
    if (d == NULL) {
        store_known(ctx->store, ctx->subject, fact, untyped(value), SOURCE);
    } else if (typed(d, value, &v)) {
        store_known(ctx->store, ctx->subject, fact, v, SOURCE);
    } else {
        const struct span shown = text_clean(ctx->arena, span_sub(value, 0, 60));
        store_unknown(ctx->store, ctx->subject, fact, FACT_ABSENT, SOURCE, "",
                      "'%.*s' is not a value that this version of nvadvise knows", SPAN_ARG(shown));
    }
}

void sql_variables_rest(struct probe_ctx *ctx, enum fact_state state, const char *source,
                        const char *remedy, const char *reason)
{
    const struct decl_set *const decls = store_decls(ctx->store);
    for (size_t i = 0; i < decl_count(decls); i++) {
        const struct span name = span_of(decl_at(decls, i)->name);
        if (span_starts(name, FAMILY) && name.len > sizeof(FAMILY) - 1 &&
            store_get(ctx->store, ctx->subject, name) == NULL) {
            set_unknown(ctx, name.ptr, state, source, remedy, reason);
        }
    }
}

void sql_read_variables(struct sql *s)
{
    struct sql_table *const t = &s->variables;
    for (size_t i = 0; i < t->n; i++) {
        set_variable(s, &t->pairs[i]);
    }
    if (t->ok) {
        sql_variables_rest(s->ctx, FACT_NOT_SUPPORTED, SOURCE, "",
                           "this server has no such variable");
    } else {
        sql_variables_rest(s->ctx, fact_state_from_err(t->err.code), SOURCE, t->err.hint,
                           t->err.text);
    }
}
