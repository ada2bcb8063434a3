/* From a planned value to a line that this very server takes: the variable's name in its version, the value
 * within its range and as it writes it, where the line goes. Pure. Knows nothing of verdicts. */
#include <string.h>

#include "rules/derived.h"
#include "rules/plan_int.h"

#include "advisor/base/banned.h"

struct target {
    const struct variable *variable;
    const struct variable *divisor; /* or NULL */
};

static const struct fact *server_fact(struct plan_ctx *p, const char *family, const char *name)
{
    return store_get(p->s, p->server, span_of(arena_printf(p->a, "%s.%s", family, name)));
}

static bool known(const struct fact *f)
{
    return f != NULL && f->state == FACT_KNOWN;
}

static void refuse(struct plan_ctx *p, const char *why)
{
    struct plan *plan = p->plan;
    for (size_t i = 0; i < plan->n_refused; i++) {
        if (strcmp(plan->refused[i], why) == 0)
            return; /* a comment asks for the same as the line before */
    }
    plan->refused = arena_grow(p->a, (void *)plan->refused, plan->n_refused * sizeof(why),
                               (plan->n_refused + 1) * sizeof(why));
    plan->refused[plan->n_refused++] = why;
}

/* ---- the name ---- */

static bool has_variable(struct plan_ctx *p, const struct variable *v)
{
    enum presence at = variable_presence(v, p->flavour, &p->version);
    if (at != PRESENCE_YES && at != PRESENCE_DEPRECATED)
        return false;
    /* Of a server that was not asked there is only the catalogue. */
    const struct fact *f = server_fact(p, "server.var", variable_name(v));
    return f != NULL ? f->state == FACT_KNOWN : store_is_offline(p->s);
}

/* A line that nobody has seen work stops a server, if what one document says is wrong. */
#define SOURCES_MIN 2u

static bool is_confirmed(struct plan_ctx *p, const struct variable *v)
{
    const struct catalogue *c = p->rs->catalogue;
    if (catalogue_confidence(c, p->flavour, &p->version) == CONFIDENCE_TRIED)
        return true;
    /* What was assumed from this very catalogue is no witness of it. */
    const struct fact *f = server_fact(p, "server.var", variable_name(v));
    const bool has = known(f) && !span_starts(span_of(f->source), "default of ");
    const size_t n = variable_sources(c, v, p->flavour, &p->version) + (has ? 1 : 0);
    if (n >= SOURCES_MIN)
        return true;
    struct buf b;
    buf_init(&b, p->a, 512);
    buf_printf(&b, "%s is not written: of version ", variable_name(v));
    version_print(&b, &p->version);
    buf_printf(&b, " %s, and %u are asked for", n == 0 ? "no source says that it has it"
                                                      : "only one source says that it has it",
               SOURCES_MIN);
    refuse(p, b.ptr);
    return false;
}

/* `ret_unsure`: there is a name, but too little is known of it, and that was said. */
static bool find_name(struct plan_ctx *p, const struct setting *s, struct target *ret,
                      bool *ret_unsure)
{
    *ret_unsure = false;
    enum flavour f = p->flavour;
    if (f == FLAVOUR_PERCONA && s->n_names[f] == 0)
        f = FLAVOUR_MYSQL;
    for (size_t i = 0; i < s->n_names[f]; i++) {
        const struct setting_name *n = &s->names[f][i];
        const struct variable *v = catalogue_find(p->rs->catalogue, span_of(n->variable));
        if (v == NULL || !has_variable(p, v))
            continue;
        if (!is_confirmed(p, v)) {
            *ret_unsure = true;
            continue;
        }
        *ret = (struct target){.variable = v};
        if (n->divisor != NULL)
            ret->divisor = catalogue_find(p->rs->catalogue, span_of(n->divisor));
        if (ret->divisor != NULL &&
            variable_presence(ret->divisor, p->flavour, &p->version) >= PRESENCE_IGNORED)
            ret->divisor = NULL;
        return true;
    }
    return false;
}

/* ---- the value ---- */

/* What divides the value; a server that was not asked has the default of its version. */
static bool divisor_of(struct plan_ctx *p, const struct variable *v, struct num *ret)
{
    const struct fact *f = server_fact(p, "server.var", variable_name(v));
    struct value def;
    if (known(f) && kind_is_numeric(f->value.kind)) {
        *ret = f->value.num;
    } else if (f == NULL && store_is_offline(p->s) &&
               variable_default(v, p->flavour, &p->version, &def)) {
        *ret = def.num;
    } else {
        return false;
    }
    return ret->tag == NUM_INT && !ret->neg && !num_is_zero(*ret);
}

/* A bound that the server itself tells, in the numbers of its option file, else the catalogue's. */
static void own_bound(struct plan_ctx *p, const char *family, const struct variable *v,
                      struct num *bound)
{
    const struct fact *f = server_fact(p, family, variable_name(v));
    struct num n;
    if (known(f) && kind_is_numeric(f->value.kind) &&
        num_mul(f->value.num, variable_unit(v), &n) == NUM_OK)
        *bound = n;
}

static bool floor_to(struct num n, struct num step, struct num *ret)
{
    struct num q;
    return num_div(n, step, &q) == NUM_OK && num_floor(q, &q) == NUM_OK &&
           num_mul(q, step, ret) == NUM_OK;
}

/* The whole is worth more than what a step may cost of it; ours. A step is a page or a MiB, a value many. */
#define STEP_COST 8u

/* Down to the server's step. One that would make another value of it fits no value of ours. */
static bool fit_step(struct plan_ctx *p, const struct variable *v, struct num step, struct num *value)
{
    struct num fitted, lost, most;
    if (num_cmp(step, num_u64(0)) <= 0 || step.tag == NUM_UNLIMITED)
        return true;
    if (!floor_to(*value, step, &fitted))
        return false;
    if (num_sub(*value, fitted, &lost) == NUM_OK &&
        num_div(*value, num_u64(STEP_COST), &most) == NUM_OK && num_cmp(lost, most) <= 0) {
        *value = fitted;
        return true;
    }
    struct buf b;
    buf_init(&b, p->a, 512);
    buf_printf(&b, "%s = ", variable_name(v));
    num_print(&b, *value);
    buf_add_text(&b, " is too small for the steps of ");
    num_print(&b, step);
    buf_add_text(&b, " that this server takes");
    refuse(p, b.ptr);
    return false;
}

struct range {
    struct num min, max, step;
};

/* The catalogue's, and over it what the server says of itself, where that makes sense. */
static struct range range_of(struct plan_ctx *p, const struct variable *v)
{
    struct range r = {num_u64(0), num_unlimited(), num_u64(0)};
    if (!variable_range(v, p->flavour, &p->version, &r.min, &r.max, &r.step))
        r = (struct range){num_u64(0), num_unlimited(), num_u64(0)};
    struct range own = r;
    own_bound(p, "server.var_min", v, &own.min);
    own_bound(p, "server.var_max", v, &own.max);
    own_bound(p, "server.var_step", v, &own.step);
    return num_cmp(own.min, own.max) <= 0 ? own : r;
}

/* Down to the server's step, and within its range; false: it has none such. */
static bool fit_range(struct plan_ctx *p, const struct variable *v, struct value *value)
{
    const struct range r = range_of(p, v);
    const struct num min = r.min, max = r.max;
    if (!fit_step(p, v, r.step, &value->num))
        return false;
    if (num_cmp(value->num, min) >= 0 && num_cmp(value->num, max) <= 0)
        return true;
    struct buf b;
    buf_init(&b, p->a, 512);
    buf_printf(&b, "%s = ", variable_name(v));
    num_print(&b, value->num);
    buf_add_text(&b, " is outside what this server takes: ");
    num_print(&b, min);
    buf_add_text(&b, " to ");
    num_print(&b, max);
    refuse(p, b.ptr);
    return false;
}

static bool final_value(struct plan_ctx *p, const struct target *t, const struct value *planned,
                        struct value *ret)
{
    *ret = *planned;
    if (!kind_is_numeric(planned->kind))
        return true;
    struct num by;
    if (t->divisor != NULL && (!divisor_of(p, t->divisor, &by) ||
                               num_div(planned->num, by, &ret->num) != NUM_OK ||
                               num_floor(ret->num, &ret->num) != NUM_OK))
        return false;
    return fit_range(p, t->variable, ret);
}

/* ---- texts ---- */

static const char *variable_text(struct plan_ctx *p, const struct variable *v,
                                 const struct value *value)
{
    struct buf b;
    buf_init(&b, p->a, 4096);
    return variable_write(v, value, &b) ? b.ptr : NULL;
}

/* What was estimated, then the formula with its numbers. */
static const char *formula_text(struct plan_ctx *p, const struct choice *c)
{
    struct buf b;
    buf_init(&b, p->a, 4096);
    const struct eval_env *env = plan_view(p, c->setting, c->view);
    const struct expr *e = plan_opened(p, c->formula);
    const struct eval_input *inputs;
    size_t n = eval_evidence(e, env, &inputs);
    for (size_t i = 0; i < n; i++) {
        if (!inputs[i].fact->estimated || inputs[i].ref->kind != REF_FACT)
            continue;
        const struct derived *twin = ruleset_twin(p->rs, span_of(inputs[i].ref->fact));
        buf_printf(&b, "%s = ", twin != NULL ? twin->decl.name : inputs[i].ref->name);
        value_print(&b, &inputs[i].fact->value);
        buf_printf(&b, " (%s); ", inputs[i].fact->source);
    }
    eval_arithmetic(&b, e, env);
    if (c->line == LINE_FIRST_STEP && c->setting->first_step_note[0] != '\0' &&
        c->view == VIEW_STRICT)
        buf_printf(&b, "; %s", c->setting->first_step_note);
    return b.ptr;
}

/* "compiled", "file /etc/mysql/my.cnf": the source of a fact ends in ": PATH". */
static const char *origin_text(struct plan_ctx *p, const char *variable)
{
    const struct fact *f = server_fact(p, "server.source", variable);
    if (!known(f))
        return "unknown";
    const char *path = strstr(f->source, ": ");
    if (path == NULL)
        return span_dup(p->a, f->value.text);
    return arena_printf(p->a, "%.*s %s", SPAN_ARG(f->value.text), path + 2);
}

/* The group that only this release series reads, where a later one refuses the name. */
static const char *group_of(struct plan_ctx *p, const struct variable *v)
{
    struct version then;
    if (!variable_refused_after(v, p->flavour, &p->version, &then))
        return "mysqld";
    return arena_printf(p->a, "%s-%u.%u", p->flavour == FLAVOUR_MARIADB ? "mariadb" : "mysqld",
                        p->version.part[0], p->version.part[1]);
}

/* ---- lines ---- */

static void add_line(struct plan_ctx *p, struct plan_line line)
{
    struct plan *plan = p->plan;
    plan->lines = arena_grow(p->a, plan->lines, plan->n * sizeof(line),
                             (plan->n + 1) * sizeof(line));
    plan->lines[plan->n++] = line;
}

static struct plan_line line_of(struct plan_ctx *p, const struct choice *c)
{
    return (struct plan_line){
        .setting = c->setting,
        .where = c->setting->where,
        .line = c->line,
        .planned = c->value,
        .formula = formula_text(p, c),
        .rule = c->rule,
        .settles = c->settles,
        .estimated = c->line != LINE_SETTING,
        .risk = c->risk,
        .overridden = c->overridden,
        .unmeasured = c->unmeasured,
    };
}

/* The value in force of the very variable, where it was read; else what stands for it. */
static void put_old(struct plan_ctx *p, const struct choice *c, const struct target *t,
                    struct plan_line *line)
{
    const struct fact *own = server_fact(p, "server.var", line->variable);
    line->old = known(own) ? own : c->in_force;
    line->old_origin = origin_text(p, line->variable);
    line->old_text = "unknown";
    if (known(line->old)) {
        struct value old = line->old->value;
        struct num by;
        if (!known(own) && t->divisor != NULL && divisor_of(p, t->divisor, &by) &&
            num_div(old.num, by, &old.num) != NUM_OK)
            return;
        const char *text = variable_text(p, t->variable, &old);
        if (text != NULL)
            line->old_text = text;
    }
}

static bool write_option(struct plan_ctx *p, const struct choice *c)
{
    struct target t;
    bool unsure = false;
    if (!p->has_version || !find_name(p, c->setting, &t, &unsure)) {
        if (!unsure)
            refuse(p, arena_printf(p->a, "%s: this server has no variable for it",
                                   c->setting->name));
        return false;
    }
    struct value value;
    if (!final_value(p, &t, &c->value, &value))
        return false;
    struct plan_line line = line_of(p, c);
    line.variable = variable_name(t.variable);
    line.new_value = value;
    line.new_text = variable_text(p, t.variable, &value);
    if (line.new_text == NULL)
        return false;
    put_old(p, c, &t, &line);
    const struct fact *dynamic = server_fact(p, "server.var_dynamic", line.variable);
    line.dynamic = known(dynamic) && dynamic->value.kind == KIND_BOOL
                       ? dynamic->value.boolean
                       : variable_dynamic(t.variable, p->flavour, &p->version);
    if (c->setting->restart_when != NULL) {
        struct eval_result r =
            eval(c->setting->restart_when, plan_view(p, c->setting, VIEW_STRICT));
        if (r.state == EVAL_KNOWN && r.value.boolean)
            line.dynamic = false;
    }
    line.restart = !line.dynamic;
    line.group = group_of(p, t.variable);
    line.subject = p->server;
    add_line(p, line);
    return true;
}

/* A setting of the kernel, of a module of it, or of the unit: its name is the setting's. Those of the kernel
 * work at once. */
static bool write_elsewhere(struct plan_ctx *p, const struct choice *c)
{
    struct buf now, then;
    buf_init(&now, p->a, 256);
    buf_init(&then, p->a, 256);
    num_print(&now, c->value.num);
    if (known(c->in_force))
        num_print(&then, c->in_force->value.num);
    else
        buf_add_text(&then, "unknown");
    struct plan_line line = line_of(p, c);
    line.variable = c->setting->name;
    line.new_value = c->value;
    line.new_text = now.ptr;
    line.old = c->in_force;
    line.old_text = then.ptr;
    line.old_origin = "in force";
    line.dynamic = c->setting->where != WHERE_UNIT;
    line.restart = !line.dynamic;
    line.group = "";
    line.subject = c->setting->scope == SUBJECT_HOST ? p->host : p->server;
    add_line(p, line);
    return true;
}

bool plan_write(struct plan_ctx *p, const struct choice *c)
{
    return c->setting->where == WHERE_OPTION_FILE ? write_option(p, c) : write_elsewhere(p, c);
}
