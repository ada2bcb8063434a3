/* The mustache subset: from text to tree. Rendering is in render.c, escaping in escape.c. Knows
 * nothing of what a template is about. */
#include "templates/template.h"

#include <string.h>

#include "templates/escape.h"
#include "templates/tree.h"

#include "advisor/base/banned.h"

#define NODES_MAX 4096

struct parser {
    struct arena *arena;
    const char *name;
    struct span text;
    size_t at;
    unsigned line;
    unsigned n_nodes;
    struct node *stack[TEMPLATE_DEPTH_MAX]; /* open sections; stack[0] is the root */
    unsigned depth;
};

static bool parser_fail(const struct parser *p, const char *what, struct err *reterr)
{
    return err_set(reterr, E_SYNTAX, "%s:%u: %s", p->name, p->line, what);
}

static struct node *node_add(struct parser *p, enum node_kind kind, struct span text)
{
    struct node *n = arena_alloc(p->arena, sizeof(*n));
    n->kind = kind;
    n->text = text;
    n->line = p->line;
    struct node *parent = p->stack[p->depth];
    if (parent->last_kid != NULL) {
        parent->last_kid->next = n;
    } else {
        parent->kids = n;
    }
    parent->last_kid = n;
    p->n_nodes++;
    return n;
}

static void count_lines(struct parser *p, struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        p->line += s.ptr[i] == '\n';
    }
}

/* Where the line that holds byte `at` begins, when only blanks stand before `at`; else `at`. */
static size_t blank_before(struct span text, size_t at)
{
    size_t i = at;
    while (i > 0 && (text.ptr[i - 1] == ' ' || text.ptr[i - 1] == '\t')) {
        i--;
    }
    return i == 0 || text.ptr[i - 1] == '\n' ? i : at;
}

static bool line_start(struct span text, size_t at)
{
    const size_t i = blank_before(text, at);
    return i == 0 || text.ptr[i - 1] == '\n';
}

/* The byte after the line end, when only blanks stand from `at` on; else `at`. */
static size_t blank_after(struct span text, size_t at)
{
    size_t i = at;
    while (i < text.len && (text.ptr[i] == ' ' || text.ptr[i] == '\t' || text.ptr[i] == '\r')) {
        i++;
    }
    if (i == text.len) {
        return i;
    }
    return text.ptr[i] == '\n' ? i + 1 : at;
}

static bool name_ok(struct span s)
{
    if (span_eq_text(s, ".")) {
        return true;
    }
    if (s.len == 0 || s.ptr[0] == '.' || s.ptr[s.len - 1] == '.') {
        return false;
    }
    for (size_t i = 0; i < s.len; i++) {
        const char c = s.ptr[i];
        const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
        if (!word || (c == '.' && s.ptr[i - 1] == '.')) {
            return false;
        }
    }
    return true;
}

static bool section_open(struct parser *p, enum node_kind kind, struct span name, struct err *reterr)
{
    if (p->depth + 1 >= TEMPLATE_DEPTH_MAX) {
        return parser_fail(p, "sections are nested too deeply", reterr);
    }
    struct node *n = node_add(p, kind, name);
    p->stack[++p->depth] = n;
    return true;
}

static bool section_close(struct parser *p, struct span name, struct err *reterr)
{
    if (p->depth == 0 || !span_eq(p->stack[p->depth]->text, name)) {
        return err_set(reterr, E_SYNTAX, "%s:%u: '{{/%.*s}}' closes no open section", p->name,
                       p->line, SPAN_ARG(name));
    }
    p->depth--;
    return true;
}

/* What stands between the braces; *ret_standalone: a tag that takes its line along. */
static bool tag_apply(struct parser *p, struct span tag, struct err *reterr)
{
    const char sigil = tag.len > 0 ? tag.ptr[0] : '\0';
    if (sigil == '!') {
        return true;
    }
    const bool plain = sigil != '#' && sigil != '^' && sigil != '/';
    const bool code = sigil == '{' && tag.ptr[tag.len - 1] == '}';
    const struct span name = span_trim(code    ? span_sub(tag, 1, tag.len - 2)
                                       : plain ? tag
                                               : span_sub(tag, 1, tag.len));
    if (!name_ok(name)) {
        return err_set(reterr, E_SYNTAX, "%s:%u: '{{%.*s}}' is no tag of this language", p->name,
                       p->line, SPAN_ARG(tag));
    }
    switch (sigil) {
    case '#':
        return section_open(p, NODE_SECTION, name, reterr);
    case '^':
        return section_open(p, NODE_INVERTED, name, reterr);
    case '/':
        return section_close(p, name, reterr);
    default:
        node_add(p, code ? NODE_CODE : NODE_VALUE, name);
        return true;
    }
}

static bool is_line_tag(struct span tag)
{
    return tag.len > 0 && (tag.ptr[0] == '!' || tag.ptr[0] == '#' || tag.ptr[0] == '^' ||
                           tag.ptr[0] == '/');
}

/* Next tag at or after p->at: [*ret_open, *ret_close) with braces. false: no more. */
static bool tag_find(const struct parser *p, size_t *ret_open)
{
    for (size_t i = p->at; i + 1 < p->text.len; i++) {
        if (p->text.ptr[i] == '{' && p->text.ptr[i + 1] == '{') {
            *ret_open = i;
            return true;
        }
    }
    return false;
}

static bool tag_end(const struct parser *p, size_t open, size_t *ret_end)
{
    for (size_t i = open + 2; i + 1 < p->text.len; i++) {
        if (p->text.ptr[i] == '}' && p->text.ptr[i + 1] == '}') {
            const bool code = p->text.ptr[open + 2] == '{' && i + 2 < p->text.len &&
                              p->text.ptr[i + 2] == '}';
            *ret_end = i + (code ? 3 : 2);
            return true;
        }
    }
    return false;
}

static void text_add(struct parser *p, size_t from, size_t to)
{
    if (to > from) {
        const struct span s = {p->text.ptr + from, to - from};
        node_add(p, NODE_TEXT, s);
        count_lines(p, s);
    }
}

static bool parse_all(struct parser *p, struct err *reterr)
{
    size_t open = 0, end = 0;
    while (tag_find(p, &open)) {
        if (!tag_end(p, open, &end)) {
            return parser_fail(p, "'{{' is not closed by '}}'", reterr);
        }
        const struct span tag = {p->text.ptr + open + 2, end - open - 4};
        size_t from = open, to = end;
        const size_t after = blank_after(p->text, end);
        const bool ends_line = after != end || end == p->text.len;
        if (is_line_tag(tag) && line_start(p->text, open) && ends_line) {
            from = blank_before(p->text, open);
            to = after;
        }
        text_add(p, p->at, from < p->at ? p->at : from);
        if (!tag_apply(p, tag, reterr)) {
            return false;
        }
        count_lines(p, (struct span){p->text.ptr + open, to - open});
        p->at = to;
        if (p->n_nodes > NODES_MAX) {
            return parser_fail(p, "too many tags", reterr);
        }
    }
    text_add(p, p->at, p->text.len);
    if (p->depth > 0) {
        return err_set(reterr, E_SYNTAX, "%s: section '{{#%.*s}}' of line %u is never closed",
                       p->name, SPAN_ARG(p->stack[p->depth]->text), p->stack[p->depth]->line);
    }
    return true;
}

/* "key: value;" inside the header comment. */
static struct span header_value(struct span header, const char *key)
{
    struct span piece;
    while (span_split(&header, ';', &piece)) {
        struct span value = piece, name;
        if (span_split(&value, ':', &name) && span_eq_text(span_trim(name), key)) {
            return span_trim(value);
        }
    }
    return (struct span){NULL, 0};
}

static bool read_header(struct parser *p, struct template *t, struct err *reterr)
{
    size_t end = 0;
    if (!span_starts(p->text, "{{!") || !tag_end(p, 0, &end)) {
        return parser_fail(p, "the first line must be '{{! escape: …}}'", reterr);
    }
    const struct span header = {p->text.ptr + 3, end - 5};
    const struct span file = header_value(header, "file");
    t->file = file.len > 0 ? span_dup(p->arena, file) : NULL;
    if (!escape_from_name(header_value(header, "escape"), &t->escape)) {
        return parser_fail(p, "'escape:' must be one of cnf, md, sh, none", reterr);
    }
    return true;
}

bool template_parse(struct arena *a, const char *name, struct span text, struct template **ret,
                    struct err *reterr)
{
    if (text.len > TEMPLATE_MAX) {
        return err_set(reterr, E_TOO_BIG, "template '%s' is larger than %u bytes", name,
                       TEMPLATE_MAX);
    }
    struct template *t = arena_alloc(a, sizeof(*t));
    struct node *root = arena_alloc(a, sizeof(*root));
    struct parser p = {.arena = a, .name = name, .text = span_copy(a, text), .line = 1};
    p.stack[0] = root;
    if (!read_header(&p, t, reterr) || !parse_all(&p, reterr)) {
        return false;
    }
    t->name = arena_strdup(a, name);
    t->first = root->kids;
    *ret = t;
    return true;
}

const char *template_file(const struct template *t)
{
    return t->file;
}
