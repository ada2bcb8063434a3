/* See sql_filter.h. Text in, text out; knows nothing of connections. */
#include "probes/host/sql_filter.h"

#include <string.h>

#include "advisor/base/banned.h"

#define TEXT_MAX ((size_t)4 * 1024 * 1024)

/* ---- variables ------------------------------------------------------------------------------- */

static const char *const whole_names[] = {
    "init_connect", "init_slave", "init_replica", "wsrep_sst_auth", "wsrep_provider_options",
};

/* A name that ends so holds the secret itself, number or not. */
static const char *const secret_tails[] = {
    "password", "passwd", "pwd", "secret", "token", "passphrase", "filekey", "_key", "_auth",
};

/* A name with this in it may hold one, or only a policy about it. */
static const char *const secret_parts[] = {
    "password", "passwd", "pwd", "secret", "token", "passphrase", "credential",
};

static bool part_at(struct span s, size_t at, const char *part)
{
    const size_t n = strlen(part);
    return at + n <= s.len && span_eq_nocase(span_sub(s, at, n), (struct span){part, n});
}

static bool has_part(struct span s, const char *part)
{
    for (size_t i = 0; i < s.len; i++) {
        if (part_at(s, i, part)) {
            return true;
        }
    }
    return false;
}

static bool has_tail(struct span s, const char *tail)
{
    return s.len >= strlen(tail) && part_at(s, s.len - strlen(tail), tail);
}

static bool is_number_or_switch(struct span v)
{
    static const char *const words[] = {"ON", "OFF", "YES", "NO", "TRUE", "FALSE", "NULL"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (span_eq_nocase(v, span_of(words[i]))) {
            return true;
        }
    }
    for (size_t i = 0; i < v.len; i++) {
        if ((v.ptr[i] < '0' || v.ptr[i] > '9') && v.ptr[i] != '.') {
            return false;
        }
    }
    return true;
}

bool sql_is_secret(struct span name, struct span value)
{
    if (value.len == 0) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(whole_names); i++) {
        if (span_eq_nocase(name, span_of(whole_names[i]))) {
            return true;
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(secret_tails); i++) {
        if (has_tail(name, secret_tails[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(secret_parts); i++) {
        if (has_part(name, secret_parts[i])) {
            return !is_number_or_switch(value);
        }
    }
    return false;
}

/* ---- status text ----------------------------------------------------------------------------- */

#define FIRST_AFTER_UNSAFE "FILE I/O"
#define LAST_HEADING "END OF INNODB MONITOR OUTPUT"

enum section {
    SECTION_NONE,
    SECTION_SAFE,
    SECTION_ERROR_TEXT,
    SECTION_TRANSACTIONS,
    SECTION_OTHER
};

static const char *const safe_headings[] = {
    "BACKGROUND THREAD",
    "SEMAPHORES",
    "FILE I/O",
    "INSERT BUFFER AND ADAPTIVE HASH INDEX",
    "INSERT BUFFER",
    "ADAPTIVE HASH INDEX",
    "HASH INDEX",
    "LOG",
    "BUFFER POOL AND MEMORY",
    "INDIVIDUAL BUFFER POOL INFO",
    "ROW OPERATIONS",
    LAST_HEADING,
};

static const char *const error_headings[] = {
    "LATEST FOREIGN KEY ERROR",
    "LATEST DETECTED DEADLOCK",
};

static const char *const transaction_counters[] = {
    "Trx id counter",
    "Purge done for",
    "History list length",
    "Total number of lock structs",
};

static bool is_one_of(struct span s, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (span_eq_text(s, list[i])) {
            return true;
        }
    }
    return false;
}

static bool is_rule(struct span line)
{
    if (line.len < 3 || (line.ptr[0] != '-' && line.ptr[0] != '=')) {
        return false;
    }
    for (size_t i = 1; i < line.len; i++) {
        if (line.ptr[i] != line.ptr[0]) {
            return false;
        }
    }
    return true;
}

/* Capitals, digits, blanks and a slash: what every heading is made of. */
static bool looks_like_heading(struct span line)
{
    for (size_t i = 0; i < line.len; i++) {
        const char c = line.ptr[i];
        if (!(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != ' ' && c != '/') {
            return false;
        }
    }
    return line.len > 0 && line.len <= 64;
}

static enum section section_of(struct span heading)
{
    if (is_one_of(heading, safe_headings, ARRAY_LEN(safe_headings))) {
        return SECTION_SAFE;
    }
    if (is_one_of(heading, error_headings, ARRAY_LEN(error_headings))) {
        return SECTION_ERROR_TEXT;
    }
    return span_eq_text(heading, "TRANSACTIONS") ? SECTION_TRANSACTIONS : SECTION_OTHER;
}

struct heading {
    const char *begin; /* of the first rule */
    const char *end;   /* behind the second */
    struct span text;
};

/* Does "rule, heading, rule" stand at the front of `rest`? */
static bool find_heading(struct span rest, struct heading *ret)
{
    struct span first, second, text;
    const char *const begin = rest.ptr;
    if (!span_line(&rest, &first) || !is_rule(span_trim(first)) || !span_line(&rest, &text) ||
        !looks_like_heading(span_trim(text)) || !span_line(&rest, &second) ||
        !is_rule(span_trim(second))) {
        return false;
    }
    *ret = (struct heading){.begin = begin, .end = rest.ptr, .text = span_trim(text)};
    return true;
}

struct filter {
    struct buf out;
    const char *safe_again;     /* heading behind which all is safe again; NULL = none */
    unsigned transaction_lists; /* headings TRANSACTIONS that counters follow */
    const char *printed_to;     /* lines that begin before this are done */
    bool in_unsafe;
    enum section section;
    bool counters_go_on;
};

static bool is_counter(struct span line)
{
    for (size_t i = 0; i < ARRAY_LEN(transaction_counters); i++) {
        if (span_starts(line, transaction_counters[i])) {
            return true;
        }
    }
    return false;
}

/* First pass: where what may hold statements ends, and whether the counters are beyond doubt. Every
 * line is tried as the first of a heading: a statement that ends in "rule, word" hides no real one.
 */
static void survey(struct filter *f, struct span text)
{
    struct span rest = text, line;
    struct heading h;
    const char *first_io = NULL, *last_io = NULL, *end = NULL, *first_unsafe = NULL;
    while (rest.len > 0) {
        if (find_heading(rest, &h)) {
            const enum section section = section_of(h.text);
            if (first_unsafe == NULL && section != SECTION_SAFE && section != SECTION_OTHER) {
                first_unsafe = h.begin;
            }
            if (span_eq_text(h.text, FIRST_AFTER_UNSAFE)) {
                first_io = first_io == NULL ? h.begin : first_io;
                last_io = h.begin;
            }
            end = span_eq_text(h.text, LAST_HEADING) ? h.begin : end;
            struct span ahead = {h.end, (size_t)(rest.ptr + rest.len - h.end)};
            if (span_eq_text(h.text, "TRANSACTIONS") && span_line(&ahead, &line) &&
                is_counter(span_trim(line))) {
                f->transaction_lists++;
            }
        }
        (void)span_line(&rest, &line);
    }
    /* Percona Server up to 5.7 prints FILE I/O and its like first and the transactions last. */
    const bool transactions_last =
        first_io != NULL && first_unsafe != NULL && first_io < first_unsafe;
    f->safe_again = transactions_last ? end : last_io;
}

static void begin_section(struct filter *f, const struct heading *h)
{
    const bool past = f->safe_again != NULL && h->begin >= f->safe_again;
    const enum section section = section_of(h->text);
    if (h->begin == f->safe_again) {
        f->in_unsafe = false;
    }
    const bool holds_text = section == SECTION_ERROR_TEXT || section == SECTION_TRANSACTIONS;
    if (holds_text || (section == SECTION_OTHER && !past)) {
        f->in_unsafe = true;
    }
    f->section = section;
    f->counters_go_on = section == SECTION_TRANSACTIONS && f->transaction_lists == 1;
    /* In the unsafe part any other heading may belong to a statement. */
    if (!f->in_unsafe || holds_text) {
        /* Two headings may share a rule. */
        const char *const from = h->begin < f->printed_to ? f->printed_to : h->begin;
        buf_add(&f->out, from, (size_t)(h->end - from));
        f->printed_to = h->end;
    }
}

/* "2026-11-30 12:12:33 0x7f67b224e6c0" or "070913 11:06:03": digits and what stands between them.
 */
static struct span time_of(struct span line)
{
    size_t n = 0;
    while (n < line.len && memchr("0123456789-: ", line.ptr[n], 13) != NULL) {
        n++;
    }
    return n >= 13 ? span_trim(span_sub(line, 0, n)) : (struct span){"", 0};
}

static void add_line(struct filter *f, struct span line)
{
    buf_add_span(&f->out, line);
    buf_add_char(&f->out, '\n');
}

static void filter_line(struct filter *f, struct span line)
{
    struct span time;
    switch (f->section) {
    case SECTION_NONE:
    case SECTION_SAFE:
        if (!f->in_unsafe) {
            add_line(f, line);
        }
        return;
    case SECTION_ERROR_TEXT:
        time = time_of(line);
        if (time.len > 0) {
            add_line(f, time);
        }
        f->section = SECTION_OTHER;
        return;
    case SECTION_TRANSACTIONS:
        f->counters_go_on = f->counters_go_on && is_counter(span_trim(line));
        if (f->counters_go_on) {
            add_line(f, line);
        }
        return;
    case SECTION_OTHER:
        return;
    }
}

struct span sql_filter_status(struct arena *a, struct span text)
{
    text = span_sub(text, 0, TEXT_MAX);
    struct filter f = {.section = SECTION_NONE, .printed_to = text.ptr};
    buf_init(&f.out, a, TEXT_MAX * 2);
    survey(&f, text);
    struct span rest = text, line;
    struct heading h;
    while (rest.len > 0) {
        const bool fresh = rest.ptr >= f.printed_to;
        if (find_heading(rest, &h)) {
            begin_section(&f, &h);
            /* Among safe text a rule ends one heading only; among unsafe text each line is tried.
             */
            if (f.in_unsafe) {
                (void)span_line(&rest, &line);
            } else {
                rest = (struct span){h.end, (size_t)(rest.ptr + rest.len - h.end)};
            }
        } else if (span_line(&rest, &line) && fresh) {
            filter_line(&f, line);
        }
    }
    return buf_span(&f.out);
}
