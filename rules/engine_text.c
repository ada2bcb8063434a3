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

/* The printed value of one name, or "unknown". */
static void fill_one(struct buf *b, const struct eval_env *env, const struct expr_names *names,
                     struct span name)
{
    struct expr *e = NULL;
    struct err err = ERR_INIT;
    const bool decimal = load_takes_decimal(&name);
    if (!expr_parse(env->arena, name, names, NULL, &e, NULL, &err)) {
        buf_add_text(b, "unknown");
        return;
    }
    struct eval_result r = eval(e, env);
    if (r.state != EVAL_KNOWN)
        buf_add_text(b, "unknown");
    else if (decimal && kind_is_numeric(r.value.kind))
        units_print_decimal(b, r.value.num, kind_dim(r.value.kind));
    else
        value_print(b, &r.value);
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
        struct span name = {open + 2, (size_t)(end - open - 2)};
        fill_one(&b, env, &names, span_trim(name));
        at = end + 2;
    }
    buf_add_text(&b, at);
    return b.ptr;
}
