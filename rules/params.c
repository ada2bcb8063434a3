/* Parameters: `param.NAME = KIND DEFAULT MIN MAX meaning`, in any section of rule, settings and derived
 * files. Knows nothing of where a site sets them. */
#include <string.h>

#include "rules/loader.h"

#include "advisor/base/banned.h"

#define PARAM_NAME_MAX 40

static bool name_ok(struct span name)
{
    if (name.len == 0 || name.len > PARAM_NAME_MAX)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool lower = c >= 'a' && c <= 'z';
        bool other = (c >= '0' && c <= '9') || c == '_';
        if (!lower && !(other && i > 0))
            return false;
    }
    return true;
}

static bool read_value(struct loader *l, const struct where *w, const struct param *p,
                       const char *what, struct span *rest, struct value *ret)
{
    struct span word;
    if (!span_word(rest, &word)) {
        problem_add(l, w, "param.%s: no %s; write KIND DEFAULT MIN MAX meaning", p->name, what);
        return false;
    }
    struct err err = ERR_INIT;
    if (value_read(l->arena, p->type.kind, NULL, false, word, ret, &err))
        return true;
    problem_add(l, w, "param.%s: %s: %s", p->name, what, err.text);
    return false;
}

static bool read_param(struct loader *l, const struct where *w, struct span text, struct param *p)
{
    struct span word = {NULL, 0};
    if (!span_word(&text, &word) || !kind_from_name(word, &p->type.kind) ||
        (!kind_is_numeric(p->type.kind) && p->type.kind != KIND_BOOL)) {
        problem_add(l, w, "param.%s: '%.*s' is no kind a parameter may have", p->name,
                    SPAN_ARG(word));
        return false;
    }
    p->type.numeric = kind_is_numeric(p->type.kind);
    p->type.dim = kind_dim(p->type.kind);
    if (!read_value(l, w, p, "default", &text, &p->def))
        return false;
    if (p->type.numeric) {
        if (!read_value(l, w, p, "minimum", &text, &p->min) ||
            !read_value(l, w, p, "maximum", &text, &p->max))
            return false;
        p->has_range = true;
        if (num_cmp(p->min.num, p->def.num) > 0 || num_cmp(p->def.num, p->max.num) > 0) {
            problem_add(l, w, "param.%s: the default is outside its range", p->name);
            return false;
        }
    }
    text = span_trim(text);
    if (text.len == 0) {
        problem_add(l, w, "param.%s: no meaning", p->name);
        return false;
    }
    p->meaning = span_dup(l->arena, text);
    p->value = p->def;
    p->origin = "default";
    return true;
}

static void add_param(struct loader *l, const struct where *w, const char *owner, struct span name,
                      struct span text)
{
    if (!name_ok(name)) {
        problem_add(l, w, "'param.%.*s' is no name: at most %d of a-z, 0-9, _", SPAN_ARG(name),
                    PARAM_NAME_MAX);
        return;
    }
    const struct param *old = ruleset_param(l->set, name);
    if (old != NULL) {
        problem_add(l, w, "param.%.*s is declared already, by %s", SPAN_ARG(name), old->rule);
        return;
    }
    struct param p = {.name = span_dup(l->arena, name), .rule = owner};
    if (!read_param(l, w, text, &p))
        return;
    struct ruleset *rs = l->set;
    rs->params = arena_list_room(l->arena, rs->params, rs->n_params, sizeof(p));
    rs->params[rs->n_params++] = p;
}

void load_params(struct loader *l, const struct ini_file *f, const char *owner)
{
    for (size_t i = 0; i < f->n_sections; i++) {
        const struct ini_section *s = &f->sections[i];
        for (size_t k = 0; k < s->n_entries; k++) {
            const struct ini_entry *e = &s->entries[k];
            if (!span_starts(e->key, "param."))
                continue;
            struct where w = {f->name, e->line, s->name};
            add_param(l, &w, owner != NULL ? owner : span_dup(l->arena, s->name),
                      span_sub(e->key, 6, e->key.len), e->value);
        }
    }
}
