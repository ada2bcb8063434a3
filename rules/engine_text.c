/* Evidence and blockers of an expression, and texts with their {{names}} filled in. Pure. */
#include <string.h>

#include "rules/engine_int.h"
#include "rules/loader.h"
#include "rules/settings.h"

#include "advisor/base/banned.h"

void engine_add_input(struct arena *a, struct evidence **list, size_t *n,
                      const struct eval_input *in)
{
    for (size_t i = 0; i < *n; i++) {
        if (strcmp((*list)[i].name, in->ref->name) == 0 && (*list)[i].subject == in->subject)
            return;
    }
    *list = arena_grow(a, *list, *n * sizeof(**list), (*n + 1) * sizeof(**list));
    (*list)[(*n)++] = (struct evidence){
        .name = in->ref->name,
        .subject = in->subject,
        .fact = in->fact,
        .decl = in->ref->kind == REF_FACT ? in->ref->decl : NULL,
    };
}

void engine_add_evidence(const struct expr *e, const struct eval_env *env, struct arena *a,
                         struct evidence **list, size_t *n)
{
    const struct eval_input *inputs;
    size_t n_inputs = eval_evidence(e, env, &inputs);
    for (size_t i = 0; i < n_inputs; i++)
        engine_add_input(a, list, n, &inputs[i]);
}

static bool value_of(const struct eval_env *env, const struct expr_names *names, struct span name,
                     struct value *ret)
{
    struct expr *e = NULL;
    struct err err = ERR_INIT;
    if (!expr_parse(env->arena, name, names, NULL, &e, NULL, &err))
        return false;
    struct eval_result r = eval(e, env);
    if (r.state != EVAL_KNOWN)
        return false;
    *ret = r.value;
    return true;
}

bool engine_value(const struct eval_env *env, const struct ruleset *rs, enum subject_kind scope,
                  struct span name, struct value *ret)
{
    const struct expr_names names = ruleset_names(rs, scope);
    return value_of(env, &names, name, ret);
}

/* The printed value of one name, or "unknown". */
static void fill_one(struct buf *b, const struct eval_env *env, const struct expr_names *names,
                     struct span name)
{
    const bool decimal = load_takes_decimal(&name);
    struct value v;
    if (!value_of(env, names, name, &v))
        buf_add_text(b, "unknown");
    else if (decimal && kind_is_numeric(v.kind))
        units_print_decimal(b, v.num, kind_dim(v.kind));
    else
        value_print(b, &v);
}

const char *engine_fill(const struct eval_env *env, const struct ruleset *rs,
                        enum subject_kind scope, const char *text, struct arena *a)
{
    struct buf b;
    buf_init(&b, a, 16384);
    struct expr_names names = ruleset_names(rs, scope);
    const char *at = text;
    for (;;) {
        const char *open = strstr(at, "{{");
        const char *end = open != NULL ? strstr(open, "}}") : NULL;
        if (end == NULL)
            break;
        buf_add(&b, at, (size_t)(open - at));
        fill_one(&b, env, &names, span_trim((struct span){open + 2, (size_t)(end - open - 2)}));
        at = end + 2;
    }
    buf_add_text(&b, at);
    return b.ptr;
}
