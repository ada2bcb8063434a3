/* Renders a template's tree over a JSON document. Knows nothing of facts or rules. */
#include "templates/tree.h"

#include "templates/escape.h"

#include "advisor/base/banned.h"

struct render {
    const struct template *t;
    const struct json *stack[TEMPLATE_DEPTH_MAX + 1];
    unsigned depth;
    struct buf *out;
    struct err *err;
};

static const struct json *member_of(const struct json *doc, struct span key)
{
    if (doc->type != JSON_OBJECT) {
        return NULL;
    }
    for (size_t i = 0; i < doc->n; i++) {
        if (span_eq(doc->keys[i], key)) {
            return doc->items[i];
        }
    }
    return NULL;
}

static const struct json *lookup(const struct render *r, struct span name)
{
    if (span_eq_text(name, ".")) {
        return r->stack[r->depth];
    }
    struct span rest = name, part = {NULL, 0};
    span_split(&rest, '.', &part);
    const struct json *found = NULL;
    for (unsigned i = r->depth + 1; i-- > 0 && found == NULL;) {
        found = member_of(r->stack[i], part);
    }
    while (found != NULL && span_split(&rest, '.', &part)) {
        found = member_of(found, part);
    }
    return found;
}

static bool is_true(const struct json *v)
{
    switch (v->type) {
    case JSON_NULL:
        return false;
    case JSON_BOOL:
        return v->boolean;
    case JSON_STRING:
        return v->string.len > 0;
    case JSON_ARRAY:
        return v->n > 0;
    case JSON_NUMBER:
    case JSON_OBJECT:
        break;
    }
    return true;
}

static bool missing(const struct render *r, const struct node *n)
{
    return err_set(r->err, E_SYNTAX, "%s:%u: the document has no '%.*s'", r->t->name, n->line,
                   SPAN_ARG(n->text));
}

static bool render_value(const struct render *r, const struct node *n)
{
    const struct json *v = lookup(r, n->text);
    if (v == NULL) {
        return missing(r, n);
    }
    switch (v->type) {
    case JSON_STRING:
        if (n->kind == NODE_CODE) {
            buf_add_escaped(r->out, v->string);
        } else {
            escape_add(r->out, r->t->escape, v->string);
        }
        return true;
    case JSON_NUMBER:
        num_print(r->out, v->number);
        return true;
    case JSON_BOOL:
        buf_add_text(r->out, v->boolean ? "true" : "false");
        return true;
    case JSON_NULL:
        return true;
    case JSON_ARRAY:
    case JSON_OBJECT:
        break;
    }
    return err_set(r->err, E_SYNTAX, "%s:%u: '%.*s' is a list or an object, not a value",
                   r->t->name, n->line, SPAN_ARG(n->text));
}

static bool render_list(struct render *r, const struct node *n);

static bool render_with(struct render *r, const struct node *kids, const struct json *context)
{
    r->stack[++r->depth] = context;
    const bool ok = render_list(r, kids);
    r->depth--;
    return ok;
}

static bool render_section(struct render *r, const struct node *n)
{
    const struct json *v = lookup(r, n->text);
    if (v == NULL) {
        return missing(r, n);
    }
    if (n->kind == NODE_INVERTED) {
        return is_true(v) ? true : render_with(r, n->kids, r->stack[r->depth]);
    }
    if (!is_true(v)) {
        return true;
    }
    if (v->type != JSON_ARRAY) {
        return render_with(r, n->kids, v);
    }
    for (size_t i = 0; i < v->n; i++) {
        if (!render_with(r, n->kids, v->items[i])) {
            return false;
        }
    }
    return true;
}

static bool render_list(struct render *r, const struct node *n)
{
    for (; n != NULL; n = n->next) {
        bool ok = true;
        switch (n->kind) {
        case NODE_TEXT:
            buf_add_span(r->out, n->text);
            break;
        case NODE_VALUE:
        case NODE_CODE:
            ok = render_value(r, n);
            break;
        case NODE_SECTION:
        case NODE_INVERTED:
            ok = render_section(r, n);
            break;
        }
        if (!ok) {
            return false;
        }
        if (r->out->full) {
            return err_set(r->err, E_TOO_BIG, "the text made by template '%s' is too large",
                           r->t->name);
        }
    }
    return true;
}

bool template_render(const struct template *t, const struct json *doc, struct buf *out,
                     struct err *reterr)
{
    struct render r = {.t = t, .out = out, .err = reterr};
    r.stack[0] = doc;
    return render_list(&r, t->first);
}
