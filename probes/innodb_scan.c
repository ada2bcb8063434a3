/* Finding numbers in an InnoDB status text by the words before or behind them, and the names of
 * what is found. Knows nothing of sections. */
#include "probes/innodb_scan.h"

#include <string.h>

#include "advisor/base/banned.h"

static const char *const key_names[INNODB_KEYS] = {
    [INNODB_LSN] = "lsn",
    [INNODB_LSN_FLUSHED] = "lsn_flushed",
    [INNODB_LSN_PAGES_FLUSHED] = "lsn_pages_flushed",
    [INNODB_LSN_CHECKPOINT] = "lsn_checkpoint",
    [INNODB_CHECKPOINT_AGE] = "checkpoint_age",
    [INNODB_MAX_CHECKPOINT_AGE] = "max_checkpoint_age",
    [INNODB_LOG_PENDING_FLUSHES] = "log_pending_flushes",
    [INNODB_LOG_IOS_PER_SEC] = "log_ios_per_sec",
    [INNODB_HISTORY_LIST_LENGTH] = "history_list_length",
    [INNODB_BP_PAGES_TOTAL] = "bp_pages_total",
    [INNODB_BP_PAGES_FREE] = "bp_pages_free",
    [INNODB_BP_PAGES_DATA] = "bp_pages_data",
    [INNODB_BP_PAGES_DIRTY] = "bp_pages_dirty",
    [INNODB_BP_INSTANCES_LISTED] = "bp_instances_listed",
    [INNODB_BP_PENDING_READS] = "bp_pending_reads",
    [INNODB_BP_PENDING_WRITES_LRU] = "bp_pending_writes_lru",
    [INNODB_BP_PENDING_WRITES_FLUSH_LIST] = "bp_pending_writes_flush_list",
    [INNODB_BP_PAGES_READ] = "bp_pages_read",
    [INNODB_BP_PAGES_CREATED] = "bp_pages_created",
    [INNODB_BP_PAGES_WRITTEN] = "bp_pages_written",
    [INNODB_BP_READS_PER_SEC] = "bp_reads_per_sec",
    [INNODB_BP_CREATES_PER_SEC] = "bp_creates_per_sec",
    [INNODB_BP_WRITES_PER_SEC] = "bp_writes_per_sec",
    [INNODB_HIT_RATE_PER_MILLE] = "hit_rate_per_mille",
    [INNODB_IO_PENDING_AIO_READS] = "io_pending_aio_reads",
    [INNODB_IO_PENDING_AIO_WRITES] = "io_pending_aio_writes",
    [INNODB_IO_PENDING_FLUSH_LOG] = "io_pending_flush_log",
    [INNODB_IO_PENDING_FLUSH_BP] = "io_pending_flush_bp",
    [INNODB_OS_FILE_READS] = "os_file_reads",
    [INNODB_OS_FILE_WRITES] = "os_file_writes",
    [INNODB_OS_FSYNCS] = "os_fsyncs",
    [INNODB_OS_AVG_BYTES_PER_READ] = "os_avg_bytes_per_read",
    [INNODB_OS_READS_PER_SEC] = "os_reads_per_sec",
    [INNODB_OS_WRITES_PER_SEC] = "os_writes_per_sec",
    [INNODB_OS_FSYNCS_PER_SEC] = "os_fsyncs_per_sec",
    [INNODB_ROWS_INSERTED] = "rows_inserted",
    [INNODB_ROWS_UPDATED] = "rows_updated",
    [INNODB_ROWS_DELETED] = "rows_deleted",
    [INNODB_ROWS_READ] = "rows_read",
    [INNODB_ROW_INSERTS_PER_SEC] = "row_inserts_per_sec",
    [INNODB_ROW_UPDATES_PER_SEC] = "row_updates_per_sec",
    [INNODB_ROW_DELETES_PER_SEC] = "row_deletes_per_sec",
    [INNODB_ROW_READS_PER_SEC] = "row_reads_per_sec",
    [INNODB_SEMAPHORE_WAITS] = "semaphore_waits",
    [INNODB_SEMAPHORE_LONGEST_WAIT_SEC] = "semaphore_longest_wait_sec",
    [INNODB_AVG_SECONDS] = "avg_seconds",
};

const char *innodb_key_name(enum innodb_key k)
{
    return key_names[k];
}

void scan_set(struct scan *r, enum innodb_key k, struct num n)
{
    if (!r->ret->known[k]) {
        r->ret->known[k] = true;
        r->ret->value[k] = n;
        r->ret->n_known++;
    }
}

/* ---- words and numbers ----------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

bool scan_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word_char(char c)
{
    return scan_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static const char *end_of(struct span s)
{
    return s.ptr + s.len;
}

struct span scan_from(struct span s, const char *at)
{
    return (struct span){at, (size_t)(end_of(s) - at)};
}

/* Does `s` begin with these words? A blank of `words` stands for any run of blanks and line ends.
 */
bool scan_begins(struct span s, const char *words, struct span *ret_rest)
{
    size_t i = 0;
    for (; *words != '\0'; words++) {
        if (*words != ' ') {
            if (i >= s.len || s.ptr[i++] != *words) {
                return false;
            }
            continue;
        }
        const size_t from = i;
        while (i < s.len && is_blank(s.ptr[i])) {
            i++;
        }
        if (i == from) {
            return false;
        }
    }
    if (i < s.len && is_word_char(s.ptr[i]) && is_word_char(words[-1])) {
        return false;
    }
    *ret_rest = span_sub(s, i, s.len - i);
    return true;
}

/* The next place of the words in `s`: what stands before and behind it. */
bool scan_find(struct span s, const char *words, struct span *ret_before, struct span *ret_rest)
{
    const char *at = s.ptr;
    while (at < end_of(s)) {
        at = memchr(at, words[0], (size_t)(end_of(s) - at));
        if (at == NULL) {
            return false;
        }
        const bool alone = at == s.ptr || !is_word_char(at[-1]) || !is_word_char(words[0]);
        if (alone && scan_begins(scan_from(s, at), words, ret_rest)) {
            *ret_before = (struct span){s.ptr, (size_t)(at - s.ptr)};
            return true;
        }
        at++;
    }
    return false;
}

struct span scan_skip(struct span s)
{
    while (s.len > 0 && is_blank(s.ptr[0])) {
        s = span_sub(s, 1, s.len - 1);
    }
    return s;
}

/* A number at the front of `s`, blanks before it allowed. One that touches the end of the whole
 * text may have lost digits. */
bool scan_number(struct scan *r, struct span s, bool whole, struct num *ret, struct span *ret_rest)
{
    s = scan_skip(s);
    size_t n = 0;
    while (n < s.len && (scan_is_digit(s.ptr[n]) ||
                         (s.ptr[n] == '.' && n + 1 < s.len && scan_is_digit(s.ptr[n + 1])))) {
        n++;
    }
    const struct span token = span_sub(s, 0, n);
    const struct span rest = span_sub(s, n, s.len - n);
    if (n == 0 || s.ptr[0] == '.' || end_of(token) == r->text_end ||
        (rest.len > 0 && is_word_char(rest.ptr[0])) || (whole && span_has(token, '.')) ||
        !num_parse(token, ret)) {
        return false;
    }
    *ret_rest = rest;
    return true;
}

/* The number that ends, but for blanks, where `before` ends. */
bool scan_number_before(struct scan *r, struct span before, bool whole, struct num *ret)
{
    while (before.len > 0 && is_blank(before.ptr[before.len - 1])) {
        before.len--;
    }
    const char *at = end_of(before);
    while (at > before.ptr && (scan_is_digit(at[-1]) || at[-1] == '.')) {
        at--;
    }
    struct span rest;
    return (at == before.ptr || (!is_word_char(at[-1]) && at[-1] != '-')) &&
           scan_number(r, scan_from(before, at), whole, ret, &rest) && rest.len == 0;
}

/* ---- a key in a section ---------------------------------------------------------------------- */

/* "WORDS N": the first place where a whole number follows the words. */
bool scan_after(struct scan *r, struct span s, const char *words, enum innodb_key k,
                struct span *ret_rest)
{
    struct span before, rest = s;
    struct num n;
    while (scan_find(rest, words, &before, &rest)) {
        if (scan_number(r, rest, true, &n, ret_rest)) {
            scan_set(r, k, n);
            return true;
        }
    }
    return false;
}

void scan_only(struct scan *r, struct span s, const char *words, enum innodb_key k)
{
    struct span rest;
    (void)scan_after(r, s, words, k, &rest);
}

/* "N WORDS". */
bool scan_ahead(struct scan *r, struct span s, const char *words, bool whole, enum innodb_key k,
                struct span *ret_rest)
{
    struct span before, rest = s;
    struct num n;
    while (scan_find(rest, words, &before, &rest)) {
        if (scan_number_before(r, before, whole, &n)) {
            scan_set(r, k, n);
            *ret_rest = rest;
            return true;
        }
    }
    return false;
}

void scan_rate(struct scan *r, struct span s, const char *words, enum innodb_key k)
{
    struct span rest;
    (void)scan_ahead(r, span_sub(s, 0, SCAN_NEAR), words, false, k, &rest);
}

/* ", WORDS N" directly behind the number before. */
void scan_next(struct scan *r, struct span *rest, const char *words, enum innodb_key k)
{
    struct span s = scan_skip(*rest);
    struct num n;
    if (s.len > 0 && s.ptr[0] == ',' &&
        scan_begins(scan_skip(span_sub(s, 1, s.len - 1)), words, &s) &&
        scan_number(r, s, true, &n, &s)) {
        scan_set(r, k, n);
        *rest = s;
    }
}
