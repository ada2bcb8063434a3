/* See columns.h. */
#include "probes/import/columns.h"

#include <string.h>

#include "advisor/base/banned.h"

/* ---- texts of a line, with their places in characters ---------------------------------------- */

#define NAME_SLACK 16u /* further right a first text is none of the first column */

struct word {
    struct span text;
    size_t from, to; /* characters */
};

static size_t char_length(unsigned char c)
{
    return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* Lines that lsblk and findmnt draw: U+2500 to U+257F, or in ASCII before the first name. */
static bool is_drawing(struct span s, size_t i, bool first)
{
    const unsigned char *p = (const unsigned char *)s.ptr + i;
    if (s.len - i >= 3 && p[0] == 0xe2 && (p[1] == 0x94 || p[1] == 0x95)) {
        return true;
    }
    return first && (p[0] == '|' || p[0] == '`') && s.len - i >= 2 && (p[1] == '-' || p[1] == ' ');
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static size_t words_of(struct span line, struct word *words, size_t max)
{
    size_t n = 0, column = 0, i = 0;
    while (i < line.len && n < max) {
        if (is_blank(line.ptr[i])) {
            column = line.ptr[i] == '\t' ? (column / 8 + 1) * 8 : column + 1;
            i++;
            continue;
        }
        if (is_drawing(line, i, n == 0)) {
            const bool ascii = (unsigned char)line.ptr[i] < 0x80;
            i += ascii && line.ptr[i + 1] == '-' ? 2 : char_length((unsigned char)line.ptr[i]);
            column += ascii && line.ptr[i - 1] == '-' ? 2 : 1;
            continue;
        }
        struct word w = {{line.ptr + i, 0}, column, column};
        while (i < line.len && !is_blank(line.ptr[i])) {
            i += char_length((unsigned char)line.ptr[i]);
            w.to++;
        }
        i = i > line.len ? line.len : i;
        w.text.len = (size_t)(line.ptr + i - w.text.ptr);
        column = w.to;
        words[n++] = w;
    }
    return n;
}

/* ---- headings -------------------------------------------------------------------------------- */

/* "Mounted on", "LV Tags": two words of one heading. */
static bool goes_on(struct span before, struct span word)
{
    return (span_eq_text(before, "Mounted") && span_eq_text(word, "on")) ||
           (span_eq_nocase(before, SPAN_LIT("FW")) && span_eq_nocase(word, SPAN_LIT("Rev")));
}

size_t columns_read(struct columns *c, struct span line)
{
    struct word words[COLUMNS_MAX];
    const size_t n = words_of(line, words, COLUMNS_MAX);
    *c = (struct columns){.squeezed = n > 2};
    for (size_t i = 0; i < n; i++) {
        if (c->n > 0 && goes_on(c->names[c->n - 1], words[i].text)) {
            c->names[c->n - 1].len = (size_t)(words[i].text.ptr + words[i].text.len - c->names[c->n - 1].ptr);
            c->to[c->n - 1] = words[i].to;
            continue;
        }
        c->squeezed = c->squeezed && (i == 0 || words[i].from == words[i - 1].to + 1);
        c->names[c->n] = words[i].text;
        c->from[c->n] = words[i].from;
        c->to[c->n++] = words[i].to;
    }
    return c->n;
}

int columns_find(const struct columns *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++) {
        if (span_eq_nocase(c->names[i], span_of(name))) {
            return (int)i;
        }
    }
    return -1;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static size_t distance(const struct columns *c, size_t k, const struct word *w)
{
    if (w->to <= c->from[k]) {
        return c->from[k] - w->to + 1;
    }
    return w->from >= c->to[k] ? w->from - c->to[k] + 1 : 0;
}

/* The heading, not before `least`, that the text stands under. */
static size_t column_of(const struct columns *c, const struct word *w, size_t least)
{
    size_t best = least;
    if (least == 0 && c->n > 1 && w->from < c->from[1] && w->from < c->to[0] + NAME_SLACK) {
        return 0; /* a name, however long: it may reach under the next headings */
    }
    for (size_t k = least; k < c->n; k++) {
        if (w->from == c->from[k] || w->to == c->to[k]) {
            return k;
        }
        if (distance(c, k, w) < distance(c, best, w)) {
            best = k;
        }
    }
    return best;
}

/* Columns whose texts hold blanks. */
static bool holds_blanks(struct span heading)
{
    return span_in_words(heading, "MODEL,LABEL,PARTLABEL,VENDOR");
}

/* Does the text go on with the one before? They stand under one heading of that kind, a blank apart. */
static bool joins(const struct columns *c, const struct word *before, const struct word *w)
{
    if (w->from != before->to + 1 || w->text.ptr[0] == '/') {
        return false;
    }
    for (size_t k = 0; k + 1 < c->n; k++) {
        if (holds_blanks(c->names[k]) && before->from >= c->from[k] && w->from < c->from[k + 1]) {
            return true;
        }
    }
    return false;
}

static size_t join_words(const struct columns *c, struct word *words, size_t n)
{
    size_t m = n > 0 ? 1 : 0;
    for (size_t i = 1; i < n; i++) {
        struct word *last = &words[m - 1];
        if (joins(c, last, &words[i])) {
            last->text.len = (size_t)(words[i].text.ptr + words[i].text.len - last->text.ptr);
            last->to = words[i].to;
        } else {
            words[m++] = words[i];
        }
    }
    return m;
}

void columns_split(const struct columns *c, struct span line, struct span ret[COLUMNS_MAX], size_t *first)
{
    struct word words[COLUMNS_MAX];
    const size_t n = join_words(c, words, words_of(line, words, COLUMNS_MAX));
    size_t least = 0;
    memset(ret, 0, COLUMNS_MAX * sizeof(ret[0]));
    if (first != NULL) {
        *first = n > 0 ? words[0].from : 0;
    }
    /* As many texts as headings: no column is empty, whatever the widths. */
    for (size_t i = 0; i < n && c->n > 0 && least < c->n; i++) {
        const size_t k = n >= c->n || c->squeezed ? least : column_of(c, &words[i], least);
        if (k + 1 == c->n) {
            const char *end = words[n - 1].text.ptr + words[n - 1].text.len;
            ret[k] = (struct span){words[i].text.ptr, (size_t)(end - words[i].text.ptr)};
            return;
        }
        ret[k] = words[i].text;
        least = k + 1;
    }
}
