/* See innodb_status.h. A value is found by the words before or behind it, in its own section. A
 * number that the end of the text may have cut is not taken. */
#include "probes/innodb_status.h"

#include <string.h>

#include "probes/innodb_scan.h"
#include "probes/innodb_sections.h"

#include "advisor/base/banned.h"

struct reader {
    struct scan scan;
    const struct innodb_text *text;
};

/* The section, or, when its heading was cut off, what stands before the first heading. */
static struct span section_or_head(const struct reader *r, enum innodb_section s)
{
    return r->text->section[r->text->has[s] ? s : SECTION_HEAD];
}

/* ---- sections -------------------------------------------------------------------------------- */

static bool fits(struct num n, unsigned bits)
{
    return n.tag == NUM_INT && (n.mag >> bits) == 0;
}

/* "476 3871193896" of MySQL 5.0 is 476 * 2^32 + 3871193896. Where lines were lost a number of the
 * next line may follow, which its own words then tell. False when the text ends too early to tell.
 */
static bool position(struct reader *r, struct span s, struct num *ret)
{
    struct num low;
    struct span rest, words;
    if (!scan_number(&r->scan, s, true, ret, &rest)) {
        return false;
    }
    while (rest.len > 0 && (rest.ptr[0] == ' ' || rest.ptr[0] == '\t')) {
        rest = span_sub(rest, 1, rest.len - 1);
    }
    if (rest.ptr == r->scan.text_end) {
        return false;
    }
    if (rest.len > 0 && scan_is_digit(rest.ptr[0])) {
        if (!scan_number(&r->scan, rest, true, &low, &words)) {
            return false;
        }
        words = scan_skip(words);
        if (fits(*ret, 32) && fits(low, 32) && !scan_begins(words, "pending", &rest) &&
            !scan_begins(words, "log", &rest)) {
            *ret = num_u128((ret->mag << 32) + low.mag);
        }
    }
    return fits(*ret, 64);
}

static void lsn(struct reader *r, struct span s, const char *words, enum innodb_key k)
{
    struct span before, rest = s;
    struct num n;
    if (scan_find(s, words, &before, &rest) && position(r, rest, &n)) {
        scan_set(&r->scan, k, n);
    }
}

static void read_log(struct reader *r)
{
    const struct span s = section_or_head(r, SECTION_LOG);
    struct innodb_status *const st = r->scan.ret;
    struct span before, rest;
    struct num n;
    lsn(r, s, "Log sequence number", INNODB_LSN);
    lsn(r, s, "Log flushed up to", INNODB_LSN_FLUSHED);
    lsn(r, s, "Pages flushed up to", INNODB_LSN_PAGES_FLUSHED);
    lsn(r, s, "Last checkpoint at", INNODB_LSN_CHECKPOINT);
    scan_only(&r->scan, s, "Max checkpoint age", INNODB_MAX_CHECKPOINT_AGE);
    if (!scan_ahead(&r->scan, s, "pending log flushes", true, INNODB_LOG_PENDING_FLUSHES, &rest)) {
        (void)scan_ahead(&r->scan, s, "pending log writes", true, INNODB_LOG_PENDING_FLUSHES,
                         &rest);
    }
    /* "4771 log i/o's done, 230.00 log i/o's/second", whatever a paste made of the apostrophe. */
    if (scan_find(s, "/second", &before, &rest) && before.len > 0) {
        const char *const comma = memrchr(before.ptr, ',', before.len);
        if (comma != NULL &&
            scan_number(&r->scan, scan_from(before, comma + 1), false, &n, &rest)) {
            scan_set(&r->scan, INNODB_LOG_IOS_PER_SEC, n);
        }
    }
    if (st->known[INNODB_LSN] && st->known[INNODB_LSN_CHECKPOINT] &&
        num_cmp(st->value[INNODB_LSN], st->value[INNODB_LSN_CHECKPOINT]) >= 0 &&
        num_sub(st->value[INNODB_LSN], st->value[INNODB_LSN_CHECKPOINT], &n) == NUM_OK) {
        scan_set(&r->scan, INNODB_CHECKPOINT_AGE, n);
    }
}

/* "0", "0 [0, 0, 0, 0]" or "[0, 0, 0, 0]". */
static bool sum_of_threads(struct reader *r, struct span s, struct num *ret, struct span *ret_rest)
{
    struct num n;
    if (scan_number(&r->scan, s, true, ret, ret_rest)) {
        return true;
    }
    s = scan_skip(s);
    if (s.len == 0 || s.ptr[0] != '[') {
        return false;
    }
    *ret = num_u64(0);
    bool any = false;
    for (char c = '['; c == '[' || c == ','; c = s.ptr[0], any = true) {
        if (!scan_number(&r->scan, span_sub(s, 1, s.len - 1), true, &n, &s) ||
            num_add(*ret, n, ret) != NUM_OK) {
            return false;
        }
        s = scan_skip(s);
        if (s.len == 0) {
            return false;
        }
    }
    *ret_rest = s;
    return any && s.ptr[0] == ']';
}

static void read_pending(struct reader *r, struct span s)
{
    struct span before, rest;
    struct num n;
    if (scan_find(s, "Pending normal aio reads:", &before, &rest)) {
        if (sum_of_threads(r, rest, &n, &rest)) {
            scan_set(&r->scan, INNODB_IO_PENDING_AIO_READS, n);
        }
        if (scan_find(span_sub(rest, 0, 4096), "aio writes:", &before, &rest) &&
            sum_of_threads(r, rest, &n, &rest)) {
            scan_set(&r->scan, INNODB_IO_PENDING_AIO_WRITES, n);
        }
    }
    if (scan_after(&r->scan, s, "Pending flushes (fsync):", INNODB_IO_PENDING_FLUSH_BP, &rest)) {
        return;
    }
    if (scan_find(s, "Pending flushes (fsync) log:", &before, &rest) &&
        scan_number(&r->scan, rest, true, &n, &rest)) {
        scan_set(&r->scan, INNODB_IO_PENDING_FLUSH_LOG, n);
        scan_only(&r->scan, span_sub(rest, 0, SCAN_NEAR),
                  "buffer pool:", INNODB_IO_PENDING_FLUSH_BP);
    }
}

static void read_file_io(struct reader *r)
{
    const struct span s = section_or_head(r, SECTION_FILE_IO);
    struct span rest;
    read_pending(r, s);
    if (!scan_ahead(&r->scan, s, "OS file reads", true, INNODB_OS_FILE_READS, &rest)) {
        return;
    }
    (void)scan_ahead(&r->scan, span_sub(rest, 0, SCAN_NEAR), "OS file writes", true,
                     INNODB_OS_FILE_WRITES, &rest);
    (void)scan_ahead(&r->scan, span_sub(rest, 0, SCAN_NEAR), "OS fsyncs", true, INNODB_OS_FSYNCS,
                     &rest);
    rest = scan_from(s, rest.ptr);
    scan_rate(&r->scan, rest, "reads/s", INNODB_OS_READS_PER_SEC);
    scan_rate(&r->scan, rest, "writes/s", INNODB_OS_WRITES_PER_SEC);
    scan_rate(&r->scan, rest, "fsyncs/s", INNODB_OS_FSYNCS_PER_SEC);
    (void)scan_ahead(&r->scan, span_sub(rest, 0, SCAN_NEAR), "avg bytes/read", true,
                     INNODB_OS_AVG_BYTES_PER_READ, &rest);
}

/* Instance blocks: "---BUFFER POOL 3". */
static size_t count_instances(struct span s, const char **ret_first)
{
    size_t n = 0;
    struct span line, rest = s;
    const char *begin = rest.ptr;
    *ret_first = NULL;
    while (span_line(&rest, &line)) {
        const struct span bare = innodb_bare_line(line);
        struct span after_words;
        if (scan_begins(bare, "BUFFER POOL", &after_words)) {
            after_words = scan_skip(after_words);
            if (after_words.len > 0 && scan_is_digit(after_words.ptr[0])) {
                *ret_first = n++ == 0 ? begin : *ret_first;
            }
        }
        begin = rest.ptr;
    }
    return n;
}

static void read_pool(struct reader *r, struct span s)
{
    struct span before, rest;
    scan_only(&r->scan, s, "Buffer pool size", INNODB_BP_PAGES_TOTAL);
    scan_only(&r->scan, s, "Free buffers", INNODB_BP_PAGES_FREE);
    scan_only(&r->scan, s, "Database pages", INNODB_BP_PAGES_DATA);
    scan_only(&r->scan, s, "Modified db pages", INNODB_BP_PAGES_DIRTY);
    scan_only(&r->scan, s, "Pending reads", INNODB_BP_PENDING_READS);
    if (scan_find(s, "Pending writes: LRU", &before, &rest) &&
        scan_after(&r->scan, scan_from(s, before.ptr + before.len), "Pending writes: LRU",
                   INNODB_BP_PENDING_WRITES_LRU, &rest)) {
        scan_next(&r->scan, &rest, "flush list", INNODB_BP_PENDING_WRITES_FLUSH_LIST);
    }
    scan_only(&r->scan, s, "Buffer pool hit rate", INNODB_HIT_RATE_PER_MILLE);
    if (scan_after(&r->scan, s, "Pages read", INNODB_BP_PAGES_READ, &rest)) {
        scan_next(&r->scan, &rest, "created", INNODB_BP_PAGES_CREATED);
        scan_next(&r->scan, &rest, "written", INNODB_BP_PAGES_WRITTEN);
        scan_rate(&r->scan, rest, "reads/s", INNODB_BP_READS_PER_SEC);
        scan_rate(&r->scan, rest, "creates/s", INNODB_BP_CREATES_PER_SEC);
        scan_rate(&r->scan, rest, "writes/s", INNODB_BP_WRITES_PER_SEC);
    }
}

static void read_pools(struct reader *r)
{
    const struct innodb_text *const t = r->text;
    const char *first = NULL;
    size_t n = 0;
    if (t->has[SECTION_BUFFER_POOL]) {
        struct span s = t->section[SECTION_BUFFER_POOL];
        n = count_instances(s, &first);
        read_pool(r, first == NULL ? s : (struct span){s.ptr, (size_t)(first - s.ptr)});
    }
    if (n == 0 && t->has[SECTION_INSTANCES]) {
        n = count_instances(t->section[SECTION_INSTANCES], &first);
    }
    if (n > 0) {
        scan_set(&r->scan, INNODB_BP_INSTANCES_LISTED, num_u64(n));
    }
}

static void read_rows(struct reader *r)
{
    struct span s = section_or_head(r, SECTION_ROWS), before, rest;
    if (scan_find(s, "Number of system rows", &before, &rest)) {
        s = before;
    }
    if (!scan_after(&r->scan, s, "Number of rows inserted", INNODB_ROWS_INSERTED, &rest)) {
        return;
    }
    scan_next(&r->scan, &rest, "updated", INNODB_ROWS_UPDATED);
    scan_next(&r->scan, &rest, "deleted", INNODB_ROWS_DELETED);
    scan_next(&r->scan, &rest, "read", INNODB_ROWS_READ);
    scan_rate(&r->scan, rest, "inserts/s", INNODB_ROW_INSERTS_PER_SEC);
    scan_rate(&r->scan, rest, "updates/s", INNODB_ROW_UPDATES_PER_SEC);
    scan_rate(&r->scan, rest, "deletes/s", INNODB_ROW_DELETES_PER_SEC);
    scan_rate(&r->scan, rest, "reads/s", INNODB_ROW_READS_PER_SEC);
}

static void read_semaphores(struct reader *r)
{
    if (!r->text->has[SECTION_SEMAPHORES]) {
        return;
    }
    struct span rest = r->text->section[SECTION_SEMAPHORES], before, behind_it;
    struct num longest = num_u64(0), n;
    uint64_t waits = 0;
    bool timed = false;
    while (scan_find(rest, "has waited at", &before, &rest)) {
        waits++;
        if (scan_find(span_sub(rest, 0, 512), "seconds", &before, &behind_it) &&
            scan_number_before(&r->scan, before, false, &n) &&
            (!timed || num_cmp(n, longest) > 0)) {
            longest = n;
            timed = true;
        }
    }
    scan_set(&r->scan, INNODB_SEMAPHORE_WAITS, num_u64(waits));
    if (timed) {
        scan_set(&r->scan, INNODB_SEMAPHORE_LONGEST_WAIT_SEC, longest);
    }
}

static void read_transactions(struct reader *r)
{
    struct span s = section_or_head(r, SECTION_TRANSACTIONS), before, rest;
    if (scan_find(s, "LIST OF TRANSACTIONS", &before, &rest)) {
        s = before; /* what follows holds statements */
    }
    scan_only(&r->scan, s, "History list length", INNODB_HISTORY_LIST_LENGTH);
}

/* "2025-04-08 18:54:46 140563346642688 INNODB MONITOR OUTPUT": date and time, without the thread.
 */
static void read_header(struct reader *r, struct arena *a)
{
    const struct span head = r->text->section[SECTION_HEAD];
    struct span rest = head, line, before, ignored, date, time;
    while (r->scan.ret->captured_at.len == 0 && span_line(&rest, &line)) {
        if (!scan_find(line, "INNODB MONITOR OUTPUT", &before, &ignored)) {
            continue;
        }
        r->scan.ret->has_header = true;
        before = innodb_bare_line(before);
        if (!span_word(&before, &date) || !scan_is_digit(date.ptr[0])) {
            continue;
        }
        const bool one = span_has(date, ':') || !span_word(&before, &time) || !span_has(time, ':');
        r->scan.ret->captured_at =
            one ? span_copy(a, date)
                : span_of(arena_printf(a, "%.*s %.*s", SPAN_ARG(date), SPAN_ARG(time)));
    }
    if (scan_find(head, "averages calculated from the last", &before, &rest)) {
        scan_only(&r->scan, scan_from(head, before.ptr + before.len),
                  "averages calculated from the last", INNODB_AVG_SECONDS);
    }
}

void innodb_status_read(struct arena *a, struct span text, struct innodb_status *ret)
{
    struct innodb_text parts;
    struct reader r = {{NULL, ret}, &parts};
    *ret = (struct innodb_status){.captured_at = {"", 0}};
    innodb_sections_find(a, text, &parts);
    r.scan.text_end = parts.all.ptr + parts.all.len;
    ret->has_end = parts.has[SECTION_END];
    ret->has_deadlock_section = parts.has[SECTION_DEADLOCK];
    ret->has_foreign_key_section = parts.has[SECTION_FOREIGN_KEY];
    read_header(&r, a);
    read_semaphores(&r);
    read_transactions(&r);
    read_file_io(&r);
    read_log(&r);
    read_pools(&r);
    read_rows(&r);
}
