/* A longest common subsequence of lines, by the plain table: drop-ins are short. */
#include "advisor/tune/diff.h"

#include <string.h>

#include "advisor/base/arena.h"

#include "advisor/base/banned.h"

#define CONTEXT 3u
#define TABLE_MAX (4u * 1024 * 1024) /* cells; past it all is shown as replaced */

struct text {
    struct span *lines; /* with their '\n' */
    size_t n;
};

struct edit {
    char mark; /* ' ', '-', '+' */
    struct span line;
    size_t old_at, new_at; /* lines of each text before it */
};

static struct text lines_of(struct arena *a, struct span s)
{
    struct text t = {0};
    while (s.len > 0) {
        const char *end = memchr(s.ptr, '\n', s.len);
        const size_t n = end != NULL ? (size_t)(end - s.ptr) + 1 : s.len;
        t.lines = arena_list_room(a, t.lines, t.n, sizeof(*t.lines));
        t.lines[t.n++] = span_sub(s, 0, n);
        s = span_sub(s, n, s.len);
    }
    return t;
}

/* table[i][k]: lines that the tails from i and k have in common. */
static uint16_t *tails(struct arena *a, const struct text *x, const struct text *y)
{
    const size_t w = y->n + 1;
    uint16_t *t = arena_calloc(a, (x->n + 1) * w, sizeof(*t));
    for (size_t i = x->n; i-- > 0;) {
        for (size_t k = y->n; k-- > 0;) {
            const uint16_t down = t[(i + 1) * w + k], right = t[i * w + k + 1];
            t[i * w + k] = span_eq(x->lines[i], y->lines[k])
                               ? (uint16_t)(t[(i + 1) * w + k + 1] + 1)
                               : (down >= right ? down : right);
        }
    }
    return t;
}

static size_t edits_of(struct arena *a, const struct text *x, const struct text *y,
                       struct edit **ret)
{
    const bool small = x->n <= DIFF_LINES_MAX && y->n <= DIFF_LINES_MAX &&
                       (x->n + 1) * (y->n + 1) <= TABLE_MAX;
    const size_t w = y->n + 1;
    const uint16_t *t = small ? tails(a, x, y) : NULL;
    struct edit *e = arena_calloc(a, x->n + y->n, sizeof(*e));
    size_t n = 0, i = 0, k = 0;
    while (i < x->n || k < y->n) {
        const bool both = i < x->n && k < y->n;
        if (t != NULL && both && span_eq(x->lines[i], y->lines[k])) {
            e[n++] = (struct edit){' ', x->lines[i], i, k};
            i++;
            k++;
        } else if (i < x->n && (k == y->n || t == NULL || t[(i + 1) * w + k] >= t[i * w + k + 1])) {
            e[n++] = (struct edit){'-', x->lines[i], i, k};
            i++;
        } else {
            e[n++] = (struct edit){'+', y->lines[k], i, k};
            k++;
        }
    }
    *ret = e;
    return n;
}

/* A hunk ends where more lines than two contexts are the same. */
static size_t hunk_end(const struct edit *e, size_t n, size_t from)
{
    size_t end = from;
    for (size_t i = from; i < n && i <= end + 2 * CONTEXT + 1; i++) {
        if (e[i].mark != ' ') {
            end = i;
        }
    }
    return end + 1 + CONTEXT < n ? end + 1 + CONTEXT : n;
}

static void print_range(struct buf *b, char mark, size_t before, size_t count)
{
    buf_printf(b, " %c%zu", mark, count > 0 ? before + 1 : before);
    if (count != 1) {
        buf_printf(b, ",%zu", count);
    }
}

static void print_hunk(struct buf *b, const struct edit *e, size_t from, size_t to)
{
    size_t old_n = 0, new_n = 0;
    for (size_t i = from; i < to; i++) {
        old_n += e[i].mark != '+';
        new_n += e[i].mark != '-';
    }
    buf_add_text(b, "@@");
    print_range(b, '-', e[from].old_at, old_n);
    print_range(b, '+', e[from].new_at, new_n);
    buf_add_text(b, " @@\n");
    for (size_t i = from; i < to; i++) {
        buf_add_char(b, e[i].mark);
        buf_add_span(b, e[i].line);
        if (!span_ends(e[i].line, "\n")) {
            buf_add_text(b, "\n\\ No newline at end of file\n");
        }
    }
}

void diff_unified(struct buf *b, const char *old_name, struct span old_text, const char *new_name,
                  struct span new_text)
{
    if (span_eq(old_text, new_text) && (old_name == NULL) == (new_name == NULL)) {
        return;
    }
    ARENA_AUTO a = arena_new();
    const struct text x = lines_of(a, old_text), y = lines_of(a, new_text);
    struct edit *e = NULL;
    const size_t n = edits_of(a, &x, &y, &e);
    buf_printf(b, "--- %s\n+++ %s\n", old_name != NULL ? old_name : "/dev/null",
               new_name != NULL ? new_name : "/dev/null");
    for (size_t i = 0; i < n; i++) {
        if (e[i].mark == ' ') {
            continue;
        }
        const size_t end = hunk_end(e, n, i);
        print_hunk(b, e, i > CONTEXT ? i - CONTEXT : 0, end);
        i = end - 1;
    }
}
