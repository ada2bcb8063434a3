/* From the texts to a checked set: the order of loading, names, lookups. The parts are in params.c,
 * rulefile.c, derived.c, ruleset_checks.c; settings and catalogue have files of their own. */
#include "rules/ruleset.h"

#include <string.h>

#include "advisor/base/hash.h"
#include "rules/catalogue_names.h"
#include "rules/loader.h"
#include "rules/options.h"
#include "rules/settings.h"

#include "advisor/base/banned.h"

static const char *const severities[] = {
    [SEV_INFO] = "info", [SEV_LOW] = "low",           [SEV_MEDIUM] = "medium",
    [SEV_HIGH] = "high", [SEV_CRITICAL] = "critical",
};

const char *severity_name(enum severity s)
{
    return s < SEVERITIES ? severities[s] : "?";
}

bool severity_from_name(struct span s, enum severity *ret)
{
    for (unsigned i = 0; i < SEVERITIES; i++) {
        if (span_eq_text(s, severities[i])) {
            *ret = (enum severity)i;
            return true;
        }
    }
    return false;
}

/* ---- names ---- */

static bool lookup(const void *ctx, enum ref_kind kind, struct span name, struct expr_type *ret)
{
    const struct ruleset *rs = ctx;
    if (kind == REF_PLAN)
        return settings_type(rs, name, ret);
    const struct param *p = kind == REF_PARAM ? ruleset_param(rs, name) : NULL;
    if (p != NULL)
        *ret = p->type;
    return p != NULL;
}

struct expr_names ruleset_names(const struct ruleset *rs, enum subject_kind scope)
{
    return (struct expr_names){
        .decls = rs->decls,
        .scope = scope,
        .lookup = lookup,
        .ctx = rs,
    };
}

const struct param *ruleset_param(const struct ruleset *rs, struct span name)
{
    for (size_t i = 0; i < rs->n_params; i++) {
        if (span_eq_text(name, rs->params[i].name))
            return &rs->params[i];
    }
    return NULL;
}

const struct derived *ruleset_derived(const struct ruleset *rs, struct span name)
{
    for (size_t i = 0; i < rs->n_derived; i++) {
        if (span_eq_text(name, rs->derived[i].decl.name))
            return &rs->derived[i];
    }
    return NULL;
}

const struct derived *ruleset_twin(const struct ruleset *rs, struct span fact)
{
    for (size_t i = 0; i < rs->n_derived; i++) {
        const char *twin = rs->derived[i].twin;
        if (twin != NULL && span_eq_text(fact, twin))
            return &rs->derived[i];
    }
    return NULL;
}

static const struct rule *find_exact(const struct ruleset *rs, struct span id)
{
    size_t lo = 0, hi = rs->n_rules;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int c = span_cmp(id, span_of(rs->rules[mid].id));
        if (c == 0)
            return &rs->rules[mid];
        if (c < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}

const struct rule *ruleset_find(const struct ruleset *rs, const char *id)
{
    const struct rule *r = find_exact(rs, span_of(id));
    /* An alias of an alias is refused at load. */
    return r != NULL && r->alias_of != NULL ? find_exact(rs, span_of(r->alias_of)) : r;
}

/* ---- loading ---- */

static bool read_ini(struct loader *l, const struct rule_text *t, struct ini_file *ret)
{
    struct err err = ERR_INIT;
    *ret = (struct ini_file){.name = t->name};
    if (ini_read(l->arena, t->name, t->bytes, ret, &err))
        return true;
    /* The reader's text already begins with NAME:LINE:. */
    l->n_problems++;
    if (l->first->code == E_NONE)
        *l->first = err;
    if (l->out != NULL) {
        buf_add_escaped(l->out, span_of(err.text));
        buf_add_char(l->out, '\n');
    }
    return false;
}

static struct ini_file *read_all(struct loader *l, const struct rule_text *texts, size_t n)
{
    struct ini_file *files = arena_calloc(l->arena, n, sizeof(*files));
    for (size_t i = 0; i < n; i++) {
        struct ini_file f;
        if (read_ini(l, &texts[i], &f))
            files[i] = f;
        else
            files[i] = (struct ini_file){.name = texts[i].name};
    }
    return files;
}

/* A part with a loader of its own: its problems go to the same buffer, its first error counts when
 * none was told before. */
static void join_problem(struct loader *l, bool ok, const struct err *err)
{
    if (ok)
        return;
    l->n_problems++;
    if (l->first->code == E_NONE)
        *l->first = *err;
}

/* Every variable of the catalogue is a fact server.var.NAME with the catalogue's kind. */
static void declare_variables(struct loader *l, const struct catalogue *c)
{
    size_t n = catalogue_count(c), used = 0;
    struct fact_decl *rows = arena_calloc(l->arena, n, sizeof(*rows));
    for (size_t i = 0; i < n; i++) {
        const struct variable *v = catalogue_at(c, i);
        const char *name = arena_printf(l->arena, "server.var.%s", variable_name(v));
        if (decl_find(l->decls, span_of(name), false) != NULL)
            continue;
        rows[used++] = (struct fact_decl){
            .name = name,
            .kind = variable_kind(v),
            .allowed = variable_values(v),
            .subject = SUBJECT_SERVER,
            .fold = FOLD_SAME,
            .meaning = arena_printf(l->arena, "value in force of %s", variable_name(v)),
            .read_from = "SHOW GLOBAL VARIABLES",
            .privilege = "",
        };
    }
    struct err err = ERR_INIT;
    bool ok = decl_set_add(l->decls, rows, used, &err);
    join_problem(l, ok, &err);
}

/* What the build knows of a text is not found out at every start. */
static void add_text(struct hash *h, const struct rule_text *t)
{
    char hex[HASH_HEX_LEN + 1];
    if (t->sha256 == NULL)
        hash_bytes(t->bytes, hex);
    hash_add(h, span_of(t->sha256 == NULL ? hex : t->sha256));
}

static void add_named(struct hash *h, const struct rule_text *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        hash_add(h, span_of(texts[i].name));
        add_text(h, &texts[i]);
    }
}

static void hash_texts(struct arena *a, const struct rule_texts *t, char ret[65])
{
    struct hash *h = hash_new(a);
    add_named(h, t->rules, t->n_rules);
    add_named(h, t->catalogue, t->n_catalogue);
    add_named(h, t->names, t->n_names);
    add_text(h, &t->settings);
    add_text(h, &t->derived);
    hash_end(h, ret);
}

/* The lists of option names, "…/FLAVOUR.txt". */
static void load_names(struct loader *l, const struct rule_texts *t, struct catalogue *c)
{
    for (size_t i = 0; i < t->n_names; i++) {
        struct span rest = span_of(t->names[i].name), part, file = rest;
        struct err err = ERR_INIT;
        enum flavour f;
        while (span_split(&rest, '/', &part))
            file = part;
        if (!span_ends(file, ".txt") || !flavour_from_name(span_sub(file, 0, file.len - 4), &f)) {
            (void)err_set(&err, E_SYNTAX, "'%s' is named after no flavour", t->names[i].name);
            join_problem(l, false, &err);
            continue;
        }
        catalogue_names_set(c, f, t->names[i].bytes);
        /* Only where all mistakes are wanted: searching needs no check. */
        if (l->out != NULL &&
            !catalogue_names_check(c, f, t->names[i].name, t->names[i].bytes, l->out, &err))
            join_problem(l, false, &err);
    }
}

static void load_parts(struct loader *l, const struct rule_texts *t)
{
    struct ruleset *rs = l->set;
    struct ini_file *rules = read_all(l, t->rules, t->n_rules);
    struct ini_file *catalogue = read_all(l, t->catalogue, t->n_catalogue);
    struct ini_file *settings = read_all(l, &t->settings, t->settings.name != NULL);
    struct ini_file *derived = read_all(l, &t->derived, t->derived.name != NULL);
    struct err err = ERR_INIT;

    for (size_t i = 0; i < t->n_rules; i++)
        load_params(l, &rules[i], NULL);
    if (t->settings.name != NULL)
        load_params(l, settings, "settings");
    if (t->derived.name != NULL)
        load_params(l, derived, "derived facts");

    struct catalogue *c = NULL;
    bool ok = catalogue_load(l->arena, catalogue, t->n_catalogue, &c, l->out, &err);
    join_problem(l, ok, &err);
    rs->catalogue = c;
    if (c != NULL) {
        declare_variables(l, c);
        load_names(l, t, c);
    }
    err = ERR_INIT;
    ok = decl_set_add(l->decls, options_decls, options_n_decls, &err);
    join_problem(l, ok, &err);
    if (t->derived.name != NULL) {
        load_derived_decls(l, derived);
        load_derived_formulas(l, derived);
    }
    if (t->settings.name != NULL) {
        err = ERR_INIT;
        ok = settings_load(l->arena, settings, rs, l->out, &err);
        join_problem(l, ok, &err);
    }
    for (size_t i = 0; i < t->n_rules; i++)
        load_rules(l, &rules[i]);
    load_cross_checks(l, !t->proven || l->out != NULL);
}

bool ruleset_load(struct arena *a, struct decl_set *decls, const struct rule_texts *texts,
                  struct ruleset *ret, struct buf *problems, struct err *reterr)
{
    struct ruleset set = {.arena = a, .decls = decls};
    struct err first = ERR_INIT;
    struct loader l = {
        .arena = a, .set = &set, .decls = decls, .out = problems, .first = &first,
    };
    buf_init(&l.used_params, a, 1024 * 1024);
    hash_texts(a, texts, set.hash);
    load_parts(&l, texts);
    if (l.n_problems > 0) {
        *reterr = first;
        return false;
    }
    *ret = set;
    return true;
}
