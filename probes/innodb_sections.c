/* Sections of an InnoDB status text: headings in whatever dress a paste gave them, and which of two
 * with one name is the server's own. Knows nothing of the values inside. */
#include "probes/innodb_sections.h"

#include <string.h>

#include "advisor/base/banned.h"

#define TEXT_MAX ((size_t)4 * 1024 * 1024)
#define HEADER "INNODB MONITOR OUTPUT"

static const struct {
    const char *text;
    enum innodb_section section;
} headings[] = {
    {"BACKGROUND THREAD", SECTION_BACKGROUND},
    {"SEMAPHORES", SECTION_SEMAPHORES},
    {"LATEST FOREIGN KEY ERROR", SECTION_FOREIGN_KEY},
    {"LATEST DETECTED DEADLOCK", SECTION_DEADLOCK},
    {"TRANSACTIONS", SECTION_TRANSACTIONS},
    {"FILE I/O", SECTION_FILE_IO},
    {"INSERT BUFFER AND ADAPTIVE HASH INDEX", SECTION_INSERT_BUFFER},
    {"INSERT BUFFER", SECTION_INSERT_BUFFER},
    {"ADAPTIVE HASH INDEX", SECTION_INSERT_BUFFER},
    {"HASH INDEX", SECTION_INSERT_BUFFER},
    {"LOG", SECTION_LOG},
    {"BUFFER POOL AND MEMORY", SECTION_BUFFER_POOL},
    {"INDIVIDUAL BUFFER POOL INFO", SECTION_INSTANCES},
    {"ROW OPERATIONS", SECTION_ROWS},
    {"END OF " HEADER, SECTION_END},
};

struct span innodb_bare_line(struct span line)
{
    static const char dress[] = " \t#>|*-=\\_`";
    while (line.len > 0 && memchr(dress, line.ptr[0], sizeof(dress) - 1) != NULL) {
        line = span_sub(line, 1, line.len - 1);
    }
    while (line.len > 0 && memchr(dress, line.ptr[line.len - 1], sizeof(dress) - 1) != NULL) {
        line.len--;
    }
    return line;
}

static enum innodb_section section_of(struct span bare)
{
    for (size_t i = 0; i < ARRAY_LEN(headings); i++) {
        if (span_eq_text(bare, headings[i].text)) {
            return headings[i].section;
        }
    }
    return SECTIONS;
}

/* "-----" or "=====", indented or quoted. */
static bool is_rule(struct span line)
{
    line = span_trim(line);
    size_t marks = 0;
    for (size_t i = 0; i < line.len; i++) {
        const char c = line.ptr[i];
        if (c != '-' && c != '=' && c != '>' && c != '|' && c != ' ') {
            return false;
        }
        marks += c == '-' || c == '=';
    }
    return marks >= 3;
}

static bool is_capitals(struct span bare)
{
    for (size_t i = 0; i < bare.len; i++) {
        const char c = bare.ptr[i];
        if (!(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != ' ' && c != '/') {
            return false;
        }
    }
    return bare.len > 0 && bare.len <= 64;
}

/* ---- the text made plain --------------------------------------------------------------------- */

/* Batch mode of the command line client prints a line end as backslash, n: then there are more of
 * those than of real ones. */
static bool has_written_newlines(struct span raw)
{
    size_t written = 0, real = 0;
    for (size_t i = 0; i < raw.len; i++) {
        real += raw.ptr[i] == '\n';
        written += raw.ptr[i] == '\\' && i + 1 < raw.len && raw.ptr[i + 1] == 'n';
    }
    return written >= 3 && written > real;
}

static struct span plain(struct arena *a, struct span raw)
{
    struct buf b;
    const bool written = has_written_newlines(raw);
    buf_init(&b, a, raw.len);
    for (size_t i = 0; i < raw.len; i++) {
        const char c = raw.ptr[i];
        const char next = i + 1 < raw.len ? raw.ptr[i + 1] : '\0';
        if (written && c == '\\' && next == 'n') {
            buf_add_char(&b, '\n');
            i++;
        } else if (c == '\xc2' && next == '\xa0') { /* a no-break space of a web page */
            buf_add_char(&b, ' ');
            i++;
        } else {
            buf_add_char(&b, c == '\r' || c == '\0' || c == '\f' || c == '\v' ? ' ' : c);
        }
    }
    return buf_span(&b);
}

/* A paste that lost its line ends still has its rules: each becomes a line of its own. */
static struct span unfold(struct arena *a, struct span text)
{
    struct buf b;
    buf_init(&b, a, text.len * 2);
    for (size_t i = 0; i < text.len;) {
        size_t run = i;
        while (run < text.len && (text.ptr[run] == '-' || text.ptr[run] == '=')) {
            run++;
        }
        if (run - i >= 3) {
            buf_add_text(&b, "\n---\n");
        } else {
            run = run == i ? i + 1 : run;
            buf_add(&b, text.ptr + i, run - i);
        }
        i = run;
    }
    return buf_span(&b);
}

/* ---- finding --------------------------------------------------------------------------------- */

struct occurrence {
    struct span body;
    bool found;
};

struct finder {
    struct occurrence first[SECTIONS], last[SECTIONS];
    enum innodb_section now;
    const char *body; /* where the section that is open began */
    unsigned headings, counted_lists;
    bool has_rules; /* lines of dashes stand somewhere in the text */
    bool unfolded;  /* what stands between two rules need not be a heading */
};

static void close_section(struct finder *f, const char *end)
{
    const struct occurrence o = {{f->body, (size_t)(end - f->body)}, true};
    if (!f->first[f->now].found) {
        f->first[f->now] = o;
    }
    f->last[f->now] = o;
}

static bool is_unsafe(enum innodb_section s)
{
    return s == SECTION_FOREIGN_KEY || s == SECTION_DEADLOCK || s == SECTION_TRANSACTIONS;
}

/* The section that `line` opens, or SECTIONS. `before` and `after` are its neighbours. Where the
 * text holds statements of users a heading must at least look like one. */
static enum innodb_section opens(const struct finder *f, struct span before, struct span line,
                                 struct span after)
{
    const struct span bare = innodb_bare_line(line);
    if (!is_capitals(bare)) {
        return SECTIONS;
    }
    const enum innodb_section s = section_of(bare);
    if (s != SECTIONS) {
        const bool dressed =
            is_rule(before) || is_rule(after) || span_has(line, '#') || !f->has_rules;
        return dressed || !is_unsafe(f->now) ? s : SECTIONS;
    }
    return !f->unfolded && is_rule(before) && is_rule(after) ? SECTION_OTHER : SECTIONS;
}

static bool begins_counters(struct span after)
{
    struct span line;
    for (unsigned i = 0; i < 6 && span_line(&after, &line); i++) {
        if (span_starts(innodb_bare_line(line), "Trx id counter")) {
            return true;
        }
    }
    return false;
}

/* The next line that is not empty. */
static struct span look_ahead(struct span rest)
{
    struct span line = {"", 0};
    for (unsigned i = 0; i < 4 && span_line(&rest, &line) && span_trim(line).len == 0; i++) {
        line = (struct span){"", 0};
    }
    return line;
}

static bool has_rules(struct span text)
{
    struct span line;
    while (span_line(&text, &line)) {
        if (is_rule(line)) {
            return true;
        }
    }
    return false;
}

static void scan(struct finder *f, struct span text, bool unfolded)
{
    struct span rest = text, before = {"", 0}, line;
    *f = (struct finder){
        .now = SECTION_HEAD, .body = text.ptr, .has_rules = has_rules(text), .unfolded = unfolded};
    const char *line_begin = rest.ptr;
    while (span_line(&rest, &line)) {
        const enum innodb_section s = opens(f, before, line, look_ahead(rest));
        if (s != SECTIONS) {
            close_section(f, line_begin);
            f->headings++;
            f->counted_lists += s == SECTION_TRANSACTIONS && begins_counters(rest);
            f->now = s;
            f->body = rest.ptr;
        }
        before = span_trim(line).len == 0 ? before : line;
        line_begin = rest.ptr;
    }
    close_section(f, text.ptr + text.len);
}

/* Only the first output of several. */
static struct span first_output(struct span text)
{
    const char *const end = memmem(text.ptr, text.len, "END OF " HEADER, strlen("END OF " HEADER));
    if (end == NULL) {
        return text;
    }
    const char *const from = end + strlen("END OF " HEADER);
    const size_t left = (size_t)(text.ptr + text.len - from);
    const char *const next = memmem(from, left, HEADER, strlen(HEADER));
    /* A statement's text may hold the words: then the real end follows, and no header between. */
    const bool header = next != NULL && !(next - from >= 7 && memcmp(next - 7, "END OF ", 7) == 0);
    return header ? span_sub(text, 0, (size_t)(from - text.ptr)) : text;
}

/* Servers print what may hold statements (foreign key error, deadlock, transactions) before FILE
 * I/O and what follows it, or, Percona Server up to 5.7, behind all of it. So of two sections with
 * one name the real one is the last in the first order and the first in the second. */
static bool statements_come_first(const struct finder *f, bool *ret_any)
{
    const char *unsafe = NULL, *safe = NULL;
    for (enum innodb_section s = SECTION_HEAD; s < SECTIONS; s++) {
        const bool late = s == SECTION_FILE_IO || s == SECTION_INSERT_BUFFER || s == SECTION_LOG ||
                          s == SECTION_BUFFER_POOL || s == SECTION_ROWS;
        const char *const at = f->first[s].found ? f->first[s].body.ptr : NULL;
        if (at != NULL && is_unsafe(s) && (unsafe == NULL || at < unsafe)) {
            unsafe = at;
        }
        if (at != NULL && late && (safe == NULL || at < safe)) {
            safe = at;
        }
    }
    *ret_any = unsafe != NULL;
    return unsafe != NULL && (safe == NULL || unsafe < safe);
}

void innodb_sections_find(struct arena *a, struct span raw, struct innodb_text *ret)
{
    struct finder f;
    raw = raw.len == 0 ? SPAN_LIT("") : span_sub(raw, 0, TEXT_MAX);
    struct span text = first_output(plain(a, raw));
    scan(&f, text, false);
    if (f.headings == 0) {
        text = first_output(unfold(a, text));
        scan(&f, text, true);
    }
    bool any_unsafe = false;
    const bool take_last = statements_come_first(&f, &any_unsafe);
    *ret = (struct innodb_text){.all = text};
    for (enum innodb_section s = SECTION_HEAD; s < SECTIONS; s++) {
        const bool early = s <= SECTION_SEMAPHORES || is_unsafe(s);
        const struct occurrence *const o = take_last && !early ? &f.last[s] : &f.first[s];
        ret->section[s] = o->body;
        ret->has[s] = o->found;
    }
    if (f.counted_lists > 1) { /* which is the server's cannot be told */
        ret->has[SECTION_TRANSACTIONS] = false;
    }
    /* Never printed behind statements. */
    for (enum innodb_section s = SECTION_FOREIGN_KEY; s <= SECTION_TRANSACTIONS; s++) {
        const struct occurrence *const o = &f.first[SECTION_SEMAPHORES];
        if (any_unsafe && f.first[s].found && o->found && f.first[s].body.ptr < o->body.ptr) {
            ret->has[SECTION_SEMAPHORES] = false;
        }
    }
}
