/* What stands before every line of a paste and is no part of it: the '>' of a mail's quotation, the stamp of a
 * system log, the numbers that cat -n, less -N and editors add, the blanks before code in a document. Must not know
 * facts or formats. */
#include "probes/import/paste.h"

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define QUOTED_LEAST 3u /* fewer lines with '>' may be prompts */
#define QUOTES_MAX 4
#define LINES_LEAST 3u

/* ---- quotations ------------------------------------------------------------------------------ */

static bool is_quoted(struct span line)
{
    line = span_trim(line);
    return line.len > 0 && line.ptr[0] == '>';
}

/* Lines from the front on that begin with '>'. */
static size_t quoted_run(struct span rest)
{
    struct span line;
    size_t n = 0;
    while (span_line(&rest, &line) && is_quoted(line)) {
        n++;
    }
    return n;
}

static bool all_quoted(struct span s)
{
    struct span line;
    bool any = false;
    while (span_line(&s, &line)) {
        if (!is_quoted(line) && span_trim(line).len > 0) {
            return false;
        }
        any = any || is_quoted(line);
    }
    return any;
}

/* One '>' off every run of quoted lines; *ret_any: there was one. */
static struct span without_quotes(struct arena *a, struct span s, bool *ret_any)
{
    const bool all = all_quoted(s);
    struct span rest = s, line;
    struct buf b;
    *ret_any = false;
    buf_init(&b, a, s.len + 2);
    while (rest.len > 0) {
        size_t run = quoted_run(rest);
        const bool strip = run >= QUOTED_LEAST || (all && run > 0);
        *ret_any = *ret_any || strip;
        run = run > 0 ? run : 1;
        for (; run > 0 && span_line(&rest, &line); run--) {
            const struct span text = span_trim(line);
            buf_add_span(&b, !strip ? line : span_sub(text, span_starts(text, "> ") ? 2 : 1, text.len));
            buf_add_char(&b, '\n');
        }
    }
    return buf_span(&b);
}

/* ---- stamps ---------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "10:00:01", "10:00:01.123456+01:00" */
static bool is_clock(struct span s)
{
    return s.len >= 8 && is_digit(s.ptr[0]) && is_digit(s.ptr[1]) && s.ptr[2] == ':' && is_digit(s.ptr[3]) &&
           is_digit(s.ptr[4]) && s.ptr[5] == ':' && is_digit(s.ptr[6]) && is_digit(s.ptr[7]);
}

/* "2026-11-12", with a clock behind a 'T' too. */
static bool is_date(struct span s)
{
    return s.len >= 10 && is_digit(s.ptr[0]) && is_digit(s.ptr[3]) && s.ptr[4] == '-' && is_digit(s.ptr[6]) &&
           s.ptr[7] == '-' && is_digit(s.ptr[9]);
}

static bool is_month(struct span s)
{
    static const char months[] = "Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec";
    return span_in_words(s, months);
}

/* The words of "Nov 12 10:00:01" or "2026-11-12T10:00:01+01:00" at the front are taken off. */
static bool take_time(struct span *rest)
{
    struct span word, day;
    if (!span_word(rest, &word)) {
        return false;
    }
    if (is_date(word)) {
        return (word.len > 18 && is_clock(span_sub(word, 11, word.len))) ||
               (span_word(rest, &word) && is_clock(word));
    }
    return is_month(word) && span_word(rest, &day) && is_digit(day.ptr[0]) && day.len <= 2 &&
           span_word(rest, &word) && is_clock(word);
}

/* "Nov 12 10:00:01 host tool[123]: ": its length, or 0. */
static size_t stamp_length(struct span line)
{
    struct span rest = line, host, tag;
    if (!take_time(&rest) || !span_word(&rest, &host) || !span_word(&rest, &tag) || !span_ends(tag, ":")) {
        return 0;
    }
    const size_t n = (size_t)(tag.ptr + tag.len - line.ptr);
    return n < line.len && line.ptr[n] == ' ' ? n + 1 : n;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* "     7\t", "7:", "  7 | ": its length, or 0. */
static size_t number_length(struct span line, uint64_t *ret)
{
    size_t from = 0, n = 0;
    while (from < line.len && line.ptr[from] == ' ') {
        from++;
    }
    while (from + n < line.len && is_digit(line.ptr[from + n])) {
        n++;
    }
    size_t at = from + n;
    if (n == 0 || n > 6 || at >= line.len || !parse_u64(span_sub(line, from, n), ret)) {
        return 0;
    }
    if (line.ptr[at] == '\t' || line.ptr[at] == ':') {
        return at + 1;
    }
    if (!span_starts(span_sub(line, at, line.len), " | ")) {
        return 0;
    }
    return at + 3;
}

/* Is every line numbered one higher than that before? */
static bool is_numbered(struct span s)
{
    struct span line;
    uint64_t before = 0, v = 0;
    size_t n = 0;
    while (span_line(&s, &line)) {
        if (span_trim(line).len == 0 && s.len == 0) {
            break;
        }
        if (number_length(line, &v) == 0 || (n > 0 && v != before + 1)) {
            return false;
        }
        before = v;
        n++;
    }
    return n >= LINES_LEAST;
}

static bool is_stamped(struct span s)
{
    struct span line;
    size_t with = 0, without = 0;
    while (span_line(&s, &line)) {
        with += stamp_length(line) > 0;
        without += stamp_length(line) == 0 && span_trim(line).len > 0;
    }
    return with >= LINES_LEAST && without * 4 <= with;
}

enum front { STAMPS, NUMBERS, BLANKS };

static struct span without_front(struct arena *a, struct span s, enum front what, size_t blanks)
{
    struct span line;
    struct buf b;
    uint64_t v = 0;
    buf_init(&b, a, s.len + 2);
    while (span_line(&s, &line)) {
        const size_t n = what == NUMBERS ? number_length(line, &v) : what == STAMPS ? stamp_length(line) : blanks;
        buf_add_span(&b, span_sub(line, n < line.len ? n : line.len, line.len));
        buf_add_char(&b, '\n');
    }
    return buf_span(&b);
}

/* ---- indentation ----------------------------------------------------------------------------- */

/* Blanks, all of one kind, before every line that holds anything: code in a document. */
static size_t common_blanks(struct span s)
{
    struct span line;
    char kind = '\0';
    size_t least = SIZE_MAX;
    while (least > 0 && span_line(&s, &line)) {
        size_t n = 0;
        if (span_trim(line).len == 0) {
            continue;
        }
        kind = kind == '\0' ? line.ptr[0] : kind;
        while (n < line.len && line.ptr[n] == kind && (kind == ' ' || kind == '\t')) {
            n++;
        }
        least = n < least ? n : least;
    }
    return least == SIZE_MAX ? 0 : least;
}

struct span paste_lines(struct arena *a, struct span s)
{
    const bool whole = s.len > 0 && s.ptr[s.len - 1] == '\n';
    struct span text = s;
    bool any = true;
    for (int i = 0; i < QUOTES_MAX && any; i++) {
        const struct span next = without_quotes(a, text, &any);
        text = any ? next : text;
    }
    text = is_stamped(text) ? without_front(a, text, STAMPS, 0) : text;
    text = is_numbered(text) ? without_front(a, text, NUMBERS, 0) : text;
    const size_t blanks = common_blanks(text);
    text = blanks > 0 ? without_front(a, text, BLANKS, blanks) : text;
    /* whether the last line was whole stays as it was */
    return text.ptr != s.ptr && !whole && text.len > 0 ? span_sub(text, 0, text.len - 1) : text;
}
