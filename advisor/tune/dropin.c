/* The text of a drop-in, taken apart line by line. */
#include "advisor/tune/dropin.h"

#include <string.h>

#include "advisor/base/banned.h"

struct reading {
    struct arena *arena;
    const char *group;
    bool dynamic;
    struct dropin_line next; /* comments of the setting that comes */
    struct dropin_line *lines;
    size_t n;
};

static void forget_comment(struct reading *r)
{
    r->next = (struct dropin_line){.rule = "", .settles = "", .mark = "", .was = "", .origin = "",
                                   .facts = "", .formula = "", .risk = ""};
}

/* What comes after `word` in the line, or false. */
static bool after(struct span line, const char *word, struct span *ret)
{
    if (!span_starts(line, word)) {
        return false;
    }
    *ret = span_sub(line, strlen(word), line.len);
    return true;
}

/* Cut `s` at the first `mark`; false when it has none. */
static bool cut(struct span s, const char *mark, struct span *ret_before, struct span *ret_after)
{
    const size_t n = strlen(mark);
    for (size_t i = 0; i + n <= s.len; i++) {
        if (memcmp(s.ptr + i, mark, n) == 0) {
            *ret_before = span_sub(s, 0, i);
            *ret_after = span_sub(s, i + n, s.len);
            return true;
        }
    }
    return false;
}

/* "RULE", "RULE, settles A, B", "RULE: MARK" */
static void read_head(struct reading *r, struct span text)
{
    struct span head = text, mark = {"", 0}, rule, settles = {"", 0};
    if (!cut(text, ": ", &head, &mark)) {
        head = text;
    }
    if (!cut(head, ", settles ", &rule, &settles)) {
        rule = head;
    }
    forget_comment(r);
    r->next.rule = span_dup(r->arena, rule);
    r->next.settles = span_dup(r->arena, settles);
    r->next.mark = span_dup(r->arena, mark);
}

static void read_was(struct reading *r, struct span text)
{
    struct span was = text, origin = {"", 0};
    if (cut(text, " (", &was, &origin) && span_ends(origin, ")")) {
        origin.len--;
    }
    r->next.was = span_dup(r->arena, was);
    r->next.origin = span_dup(r->arena, origin);
}

static void read_comment(struct reading *r, struct span line)
{
    struct span text;
    if (after(line, "# ---- ", &text)) {
        r->dynamic = span_starts(text, "can be set at once");
        forget_comment(r);
    } else if (after(line, "#   was   ", &text)) {
        read_was(r, text);
    } else if (after(line, "#   facts ", &text)) {
        r->next.facts = span_dup(r->arena, text);
    } else if (after(line, "#   value ", &text)) {
        r->next.formula = span_dup(r->arena, text);
    } else if (after(line, "#   risk  ", &text)) {
        r->next.risk = span_dup(r->arena, text);
    } else if (after(line, "# ", &text) && !span_starts(text, " ")) {
        read_head(r, text);
    }
}

static void read_setting(struct reading *r, struct span line, unsigned number)
{
    struct span name = line, value = {"", 0};
    const char *eq = memchr(line.ptr, '=', line.len);
    if (eq != NULL) {
        name = span_sub(line, 0, (size_t)(eq - line.ptr));
        value = span_sub(line, name.len + 1, line.len);
    }
    struct dropin_line l = r->next;
    l.group = r->group;
    l.variable = span_dup(r->arena, span_trim(name));
    l.value = span_dup(r->arena, span_trim(value));
    l.dynamic = r->dynamic;
    l.line = number;
    if (r->n < DROPIN_LINES_MAX) {
        r->lines = arena_list_room(r->arena, r->lines, r->n, sizeof(l));
        r->lines[r->n++] = l;
    }
    forget_comment(r);
}

size_t dropin_read(struct arena *a, struct span text, struct dropin_line **ret)
{
    struct reading r = {.arena = a, .group = ""};
    struct span line;
    forget_comment(&r);
    for (unsigned number = 1; span_line(&text, &line); number++) {
        const struct span t = span_trim(line);
        if (t.len == 0) {
            forget_comment(&r);
        } else if (t.ptr[0] == '#') {
            read_comment(&r, t);
        } else if (t.ptr[0] == '[' && span_ends(t, "]")) {
            r.group = span_dup(a, span_sub(t, 1, t.len - 2));
            r.dynamic = false;
            forget_comment(&r);
        } else if (t.ptr[0] != ';' && t.ptr[0] != '!') {
            read_setting(&r, t, number);
        }
    }
    *ret = r.lines;
    return r.n;
}

const struct dropin_line *dropin_find(const struct dropin_line *lines, size_t n, const char *group,
                                      const char *variable)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(lines[i].variable, variable) == 0 && strcmp(lines[i].group, group) == 0) {
            return &lines[i];
        }
    }
    return NULL;
}

bool dropin_same_settings(const struct dropin_line *a, size_t n_a, const struct dropin_line *b,
                          size_t n_b)
{
    for (size_t i = 0; i < n_a && n_a == n_b; i++) {
        const struct dropin_line *l = dropin_find(b, n_b, a[i].group, a[i].variable);
        if (l == NULL || strcmp(l->value, a[i].value) != 0) {
            return false;
        }
    }
    return n_a == n_b;
}
