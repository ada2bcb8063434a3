/* What every part of the loader shares: problems with file, line and caret; expressions; lists. Knows
 * nothing of single keys. */
#include "rules/loader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "advisor/base/banned.h"

/* A broken file can have thousands of mistakes; after this many they teach nobody anything. */
#define PROBLEMS_MAX 200

static void tell(struct loader *l, const struct where *w, const char *text, const char *hint,
                 struct span source, unsigned column)
{
    l->n_problems++;
    struct buf line;
    buf_init(&line, l->arena, 1024);
    buf_printf(&line, "%s:%u: ", w->file, w->line);
    if (w->section.len > 0)
        buf_printf(&line, "[%.*s] ", SPAN_ARG(w->section));
    buf_add_text(&line, text);
    if (l->first->code == E_NONE) {
        err_set(l->first, E_SYNTAX, "%s", line.ptr);
        if (hint[0] != '\0')
            err_hint(l->first, "%s", hint);
    }
    if (l->out == NULL || l->n_problems > PROBLEMS_MAX)
        return;
    buf_add_escaped(l->out, buf_span(&line));
    buf_add_char(l->out, '\n');
    if (source.len > 0) {
        struct buf caret;
        buf_init(&caret, l->arena, 2u * EXPR_MAX_BYTES + 64);
        expr_caret(&caret, source, column);
        struct span rest = buf_span(&caret), one;
        while (span_line(&rest, &one)) {
            buf_add_text(l->out, "    ");
            buf_add_escaped(l->out, one);
            buf_add_char(l->out, '\n');
        }
    }
    if (hint[0] != '\0')
        buf_printf(l->out, "    hint: %s\n", hint);
}

void problem_add(struct loader *l, const struct where *w, const char *fmt, ...)
{
    char text[ERR_TEXT_MAX];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    tell(l, w, text, "", (struct span){NULL, 0}, 0);
}

void problem_err(struct loader *l, const struct where *w, const struct err *err, struct span text,
                 unsigned column)
{
    tell(l, w, err->text, err->hint, text, column);
}

static void remember_params(struct loader *l, const struct expr *e)
{
    const struct expr_ref *const *refs;
    size_t n = expr_refs(l->arena, e, &refs);
    for (size_t i = 0; i < n; i++) {
        if (refs[i]->kind == REF_PARAM)
            buf_printf(&l->used_params, " %s ", refs[i]->name);
    }
}

const struct expr *load_expr(struct loader *l, const struct where *w, struct span text,
                             enum subject_kind scope, const struct expr_type *want)
{
    struct expr_names names = ruleset_names(l->set, scope);
    struct expr *e = NULL;
    unsigned column = 0;
    struct err err = ERR_INIT;
    if (!expr_parse(l->arena, text, &names, want, &e, &column, &err)) {
        problem_err(l, w, &err, text, column);
        return NULL;
    }
    remember_params(l, e);
    return e;
}

const struct expr *load_condition(struct loader *l, const struct where *w, struct span text,
                                  enum subject_kind scope)
{
    static const struct expr_type want = {.kind = KIND_BOOL};
    return load_expr(l, w, text, scope, &want);
}

bool load_takes_decimal(struct span *name)
{
    static const char word[] = " as decimal";
    if (!span_ends(*name, word))
        return false;
    *name = span_trim(span_sub(*name, 0, name->len - (sizeof(word) - 1)));
    return true;
}

void load_check_text(struct loader *l, const struct where *w, struct span text,
                     enum subject_kind scope, bool formulas)
{
    for (size_t i = 0; i + 1 < text.len; i++) {
        if (text.ptr[i] != '{' || text.ptr[i + 1] != '{')
            continue;
        size_t from = i + 2, end = from;
        while (end + 1 < text.len && !(text.ptr[end] == '}' && text.ptr[end + 1] == '}'))
            end++;
        if (end + 1 >= text.len) {
            problem_add(l, w, "'{{' without '}}'");
            return;
        }
        struct span name = span_trim(span_sub(text, from, end - from));
        (void)load_takes_decimal(&name);
        const struct expr *e = load_expr(l, w, name, scope, NULL);
        if (e != NULL && e->op != EXPR_NAME && !formulas)
            problem_add(l, w, "'{{%.*s}}' is not a single name", SPAN_ARG(name));
        i = end + 1;
    }
}

bool load_scope(struct loader *l, const struct where *w, struct span text, enum subject_kind *ret)
{
    for (unsigned k = 0; k < SUBJECT_KINDS; k++) {
        if (span_eq_text(text, subject_kind_name((enum subject_kind)k))) {
            *ret = (enum subject_kind)k;
            return true;
        }
    }
    problem_add(l, w, "scope '%.*s' is none of host, server, volume, device", SPAN_ARG(text));
    return false;
}

unsigned load_needs(struct loader *l, const struct where *w, struct span text)
{
    static const struct {
        const char *name;
        enum need bit;
    } words[] = {
        {"bench", NEED_BENCH},
        {"sample", NEED_SAMPLE},
        {"root", NEED_ROOT},
        {"history", NEED_HISTORY},
    };
    unsigned bits = 0;
    struct span piece;
    while (load_split(&text, &piece)) {
        unsigned bit = 0;
        for (size_t i = 0; i < ARRAY_LEN(words); i++) {
            if (span_eq_text(piece, words[i].name))
                bit = words[i].bit;
        }
        if (bit == 0)
            problem_add(l, w, "need '%.*s' is none of bench, sample, root, history",
                        SPAN_ARG(piece));
        bits |= bit;
    }
    return bits;
}

struct span load_bare(const char *name)
{
    const char *dot = strchr(name, '.');
    return span_of(dot != NULL ? dot + 1 : name);
}

bool load_split(struct span *rest, struct span *ret)
{
    if (span_trim(*rest).len == 0)
        return false;
    unsigned depth = 0;
    bool quoted = false;
    size_t i = 0;
    for (; i < rest->len; i++) {
        char c = rest->ptr[i];
        if (quoted) {
            if (c == '\\')
                i++;
            else if (c == '"')
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '(' || c == '{') {
            depth++;
        } else if ((c == ')' || c == '}') && depth > 0) {
            depth--;
        } else if (c == ',' && depth == 0) {
            break;
        }
    }
    if (i > rest->len)
        i = rest->len;
    *ret = span_trim(span_sub(*rest, 0, i));
    *rest = span_sub(*rest, i + 1, rest->len);
    return true;
}
