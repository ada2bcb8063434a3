/* See settings_text.h. */
#include "rules/settings_text.h"

#include "rules/settings_int.h"

#include "advisor/base/banned.h"

static const char *print(struct arena *a, const struct expr *e)
{
    struct buf b;
    if (e == NULL)
        return "";
    buf_init(&b, a, 2u * EXPR_MAX_BYTES);
    expr_print(&b, e);
    return b.ptr;
}

static const char *print_steps(struct arena *a, const struct setting *s)
{
    struct buf b;
    buf_init(&b, a, 4u * EXPR_MAX_BYTES);
    for (size_t i = 0; i < s->n_first_step; i++)
        buf_printf(&b, "%s%s", i > 0 ? "; " : "", print(a, s->first_step[i]));
    return b.len > 0 ? b.ptr : "";
}

static const char *print_names(struct arena *a, const struct setting *s, enum flavour f)
{
    struct buf b;
    buf_init(&b, a, 1024);
    for (size_t i = 0; i < s->n_names[f]; i++) {
        const struct setting_name *n = &s->names[f][i];
        buf_printf(&b, "%s%s%s%s", i > 0 ? ", else " : "", n->variable,
                   n->divisor != NULL ? " / " : "", n->divisor != NULL ? n->divisor : "");
    }
    return b.len > 0 ? b.ptr : "";
}

/* Each parameter once, whichever formula names it. */
static void add_params(struct arena *a, const struct expr *e, struct setting_view *v)
{
    const struct expr_ref *const *refs;
    const size_t n = e == NULL ? 0 : expr_refs(a, e, &refs);
    const struct expr_ref **list =
        arena_calloc(a, v->n_params + n + 1, sizeof(*list));
    size_t count = 0;
    for (; count < v->n_params; count++)
        list[count] = v->params[count];
    for (size_t i = 0; i < n; i++) {
        bool seen = refs[i]->kind != REF_PARAM;
        for (size_t k = 0; k < count && !seen; k++)
            seen = span_eq_text(span_of(list[k]->name), refs[i]->name);
        if (!seen)
            list[count++] = refs[i];
    }
    v->params = list;
    v->n_params = count;
}

static const char *place_of(enum setting_where where)
{
    static const char *const names[] = {
        [WHERE_OPTION_FILE] = "option file",
        [WHERE_SYSCTL] = "sysctl",
        [WHERE_UNIT] = "service unit",
        [WHERE_MODULE] = "kernel module parameter",
    };
    return names[where];
}

bool settings_describe(const struct ruleset *rs, struct span name, struct arena *a,
                       struct setting_view *ret)
{
    const struct span bare = span_starts(name, "plan.") ? span_sub(name, 5, name.len) : name;
    const struct setting *s = settings_find(rs, bare);
    if (s == NULL)
        return false;
    struct setting_view v = {
        .name = s->name,
        .meaning = s->meaning,
        .intermediate = s->intermediate,
        .place = s->intermediate ? "" : place_of(s->where),
        .formula = print(a, s->intermediate ? s->formula : s->target),
        .first_steps = print_steps(a, s),
        .keep = print(a, s->keep),
    };
    const char **owners = arena_calloc(a, s->n_owners + 1, sizeof(*owners));
    for (; v.n_owners < s->n_owners; v.n_owners++)
        owners[v.n_owners] = s->owners[v.n_owners].id;
    v.owners = owners;
    for (unsigned f = 0; f < FLAVOURS; f++)
        v.variables[f] = print_names(a, s, (enum flavour)f);
    add_params(a, s->intermediate ? s->formula : s->target, &v);
    for (size_t i = 0; i < s->n_first_step; i++)
        add_params(a, s->first_step[i], &v);
    add_params(a, s->keep, &v);
    *ret = v;
    return true;
}

const char *settings_name_at(const struct ruleset *rs, size_t i)
{
    return rs->settings[i].name;
}
