/* What a name of the rule language leads to: a fact of the rule's subject or of a relative of it, a
 * parameter, a planned value. Knows facts only through the declarations handed in. */
#include "rules/expr_int.h"

#include "advisor/base/banned.h"

static const char *show_name(struct parser *p, const struct expr *e)
{
    return expr_show(p, span_of(e->ref.name));
}

/* The nearest declared name, or the same name below another subject. */
static bool hint_nearest(struct parser *p, struct span name)
{
    static const char *const prefixes[] = {"server.", "host.", "volume.", "device.", "server.var."};
    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
        const char *const whole = arena_printf(p->arena, "%s%.*s", prefixes[i], SPAN_ARG(name));
        if (decl_find(p->names->decls, span_of(whole), false) != NULL) {
            return expr_hint(p, "Did you mean %s?", whole);
        }
    }
    const char *const near = decl_nearest(p->names->decls, name);
    return near != NULL && expr_hint(p, "Did you mean %s?", near);
}

static bool resolve_lookup(struct parser *p, struct expr *e, enum ref_kind kind, struct span name)
{
    const char *const what = kind == REF_PARAM ? "parameter" : "planned value";
    e->ref.kind = kind;
    if (p->names->lookup == NULL) {
        return expr_fail(p, e->column, "'%s': no %s can be named here", show_name(p, e), what);
    }
    if (p->names->lookup(p->names->ctx, kind, name, &e->type)) {
        return true;
    }
    expr_fail(p, e->column, "there is no %s '%s'", what, show_name(p, e));
    return kind == REF_PARAM
               ? expr_hint(p, "Declare it in its rule: %s = KIND DEFAULT MIN MAX meaning.",
                           show_name(p, e))
               : expr_hint(p, "Planned values are the sections of the settings file.");
}

static void use_decl(struct expr *e, const struct fact_decl *decl, const char *fact, unsigned role)
{
    e->ref.kind = REF_FACT;
    e->ref.decl = decl;
    e->ref.fact = fact;
    e->ref.role = role;
    e->type = expr_type_of(decl->kind, decl->allowed);
}

/* data.fs.type, redo.bench.sync.fdatasync_p50: a volume of the server by its role. */
static bool resolve_role(struct parser *p, struct expr *e, enum role role, struct span rest)
{
    const struct decl_set *const decls = p->names->decls;
    const char *fact = arena_printf(p->arena, "volume.%.*s", SPAN_ARG(rest));
    const struct fact_decl *decl = decl_find(decls, span_of(fact), false);
    if (decl == NULL && (span_starts(rest, "bench.") || span_starts(rest, "est."))) {
        fact = span_dup(p->arena, rest);
        decl = decl_find(decls, rest, false);
    }
    if (decl == NULL || decl->subject != SUBJECT_VOLUME) {
        expr_fail(p, e->column, "there is no fact '%s'", show_name(p, e));
        const char *const near = decl_nearest(decls, span_of(fact));
        if (near != NULL && span_starts(span_of(near), "volume.")) {
            return expr_hint(p, "Did you mean %s.%s?", role_name(role),
                             near + sizeof("volume.") - 1);
        }
        return hint_nearest(p, span_of(e->ref.name));
    }
    if (p->names->scope != SUBJECT_SERVER) {
        const char *const scope = subject_kind_name(p->names->scope);
        expr_fail(p, e->column, "'%s': roles belong to a server, this is a rule over %s",
                  show_name(p, e), scope);
        return p->names->scope == SUBJECT_VOLUME
                   ? expr_hint(p, "Write %s: the rule is judged on each volume.", fact)
                   : expr_hint(p, "Make it a rule over servers.");
    }
    use_decl(e, decl, fact, (unsigned)role);
    return true;
}

/* Can a rule over `scope` name facts of `subject`? */
static bool can_see(enum subject_kind scope, enum subject_kind subject)
{
    static const bool seen[SUBJECT_KINDS][SUBJECT_KINDS] = {
        [SUBJECT_HOST] = {[SUBJECT_HOST] = true, [SUBJECT_SERVER] = true},
        [SUBJECT_SERVER] = {[SUBJECT_HOST] = true, [SUBJECT_SERVER] = true},
        [SUBJECT_VOLUME] = {[SUBJECT_HOST] = true, [SUBJECT_SERVER] = true,
                            [SUBJECT_VOLUME] = true, [SUBJECT_DEVICE] = true},
        [SUBJECT_DEVICE] = {[SUBJECT_HOST] = true, [SUBJECT_SERVER] = true,
                            [SUBJECT_DEVICE] = true},
    };
    return seen[scope][subject];
}

static bool fail_scope(struct parser *p, const struct expr *e, const struct fact_decl *decl)
{
    struct span tail = span_of(decl->name), first = {0};
    if (span_starts(tail, "volume.") || span_starts(tail, "device.")) {
        span_split(&tail, '.', &first);
    }
    expr_fail(p, e->column, "'%s' is a fact of a %s, this is a rule over %s", show_name(p, e),
              subject_kind_name(decl->subject), subject_kind_name(p->names->scope));
    if (p->names->scope == SUBJECT_SERVER && decl->subject == SUBJECT_VOLUME) {
        return expr_hint(p, "Name the role: data.%.*s, redo.%.*s, …", SPAN_ARG(tail),
                         SPAN_ARG(tail));
    }
    if (p->names->scope == SUBJECT_SERVER) {
        const char *const folded = arena_printf(p->arena, "volume.%.*s", SPAN_ARG(tail));
        return decl_find(p->names->decls, span_of(folded), false) != NULL
                   ? expr_hint(p, "Write data.%.*s: folded over the devices.", SPAN_ARG(tail))
                   : expr_hint(p, "Use a fact of a volume that is folded over its devices.");
    }
    return expr_hint(p, "Make it a rule over a %s.", subject_kind_name(decl->subject));
}

static bool resolve_fact(struct parser *p, struct expr *e, struct span name)
{
    const struct decl_set *const decls = p->names->decls;
    const struct fact_decl *decl = decl_find(decls, name, false);
    if (decl == NULL && span_starts(name, "server.var.")) {
        expr_fail(p, e->column, "'%s' is not in the variable catalogue", show_name(p, e));
        const char *const near = decl_nearest(decls, name);
        return near != NULL && span_starts(span_of(near), "server.var.") &&
               expr_hint(p, "Did you mean %s?", near);
    }
    if (decl == NULL) {
        decl = decl_find(decls, name, true);
        if (decl != NULL && decl->kind == KIND_STRING) {
            expr_fail(p, e->column, "'%s' has no kind of its own", show_name(p, e));
            return expr_hint(p, "Rules use the facts that are made of it.");
        }
    }
    if (decl == NULL) {
        expr_fail(p, e->column, "there is no fact '%s'", show_name(p, e));
        return hint_nearest(p, name);
    }
    if (!can_see(p->names->scope, decl->subject)) {
        return fail_scope(p, e, decl);
    }
    use_decl(e, decl, e->ref.name, 0);
    return true;
}

bool expr_resolve_name(struct parser *p, struct expr *e)
{
    const struct span name = span_of(e->ref.name);
    struct span rest = name, first = {0};
    enum role role = ROLE_DATA;
    span_split(&rest, '.', &first); /* a name has a dot: lex.c */
    if (span_eq_text(first, "param")) {
        return resolve_lookup(p, e, REF_PARAM, rest);
    }
    if (span_eq_text(first, "plan")) {
        return resolve_lookup(p, e, REF_PLAN, rest);
    }
    if (role_from_name(first, &role)) {
        return resolve_role(p, e, role, rest);
    }
    return resolve_fact(p, e, name);
}
