/* What zpool status says in words: jobs that read through the pool, and what stands behind the figures of a
 * device. See zpool_text.h. */
#include "probes/zpool_text.h"

#include <string.h>
#include <time.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

/* ---- times ----------------------------------------------------------------------------------- */

static bool month_of(struct span word, int *ret)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (int i = 0; word.len == 3 && i < 12; i++) {
        if (memcmp(word.ptr, names + 3 * (size_t)i, 3) == 0) {
            *ret = i;
            return true;
        }
    }
    return false;
}

static bool number_up_to(struct span word, uint64_t max, int *ret)
{
    uint64_t n = 0;
    if (word.len > 4 || !parse_u64(word, &n) || n > max) {
        return false;
    }
    *ret = (int)n;
    return true;
}

/* "12:00:00" */
static bool clock_of(struct span word, struct tm *tm)
{
    struct span hour, minute;
    return span_split(&word, ':', &hour) && span_split(&word, ':', &minute) &&
           number_up_to(hour, 23, &tm->tm_hour) && number_up_to(minute, 59, &tm->tm_min) &&
           number_up_to(word, 60, &tm->tm_sec);
}

bool zpool_time(struct span text, int64_t *ret)
{
    struct span week, month, day, clock, year;
    struct tm tm = {0};
    if (!span_word(&text, &week) || !span_word(&text, &month) || !span_word(&text, &day) ||
        !span_word(&text, &clock) || !span_word(&text, &year)) {
        return false;
    }
    if (!month_of(month, &tm.tm_mon) || !number_up_to(day, 31, &tm.tm_mday) || tm.tm_mday == 0 ||
        !clock_of(clock, &tm) || !number_up_to(year, 9999, &tm.tm_year) || tm.tm_year < 1970) {
        return false;
    }
    const int wanted = tm.tm_mday;
    tm.tm_year -= 1900;
    const time_t t = timegm(&tm);
    if (tm.tm_mday != wanted) {
        return false; /* "Feb 30" */
    }
    *ret = (int64_t)t;
    return true;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

/* Where `word` last stands in the text; false: nowhere. */
static bool find_last(struct span text, const char *word, size_t *ret)
{
    const size_t n = strlen(word);
    for (size_t i = text.len < n ? 0 : text.len - n + 1; i > 0; i--) {
        if (memcmp(text.ptr + i - 1, word, n) == 0) {
            *ret = i - 1;
            return true;
        }
    }
    return false;
}

/* The time that ends the text behind `word`. */
static bool time_behind(struct span text, const char *word, int64_t *ret)
{
    size_t at = 0;
    return find_last(text, word, &at) &&
           zpool_time(span_sub(text, at + strlen(word), text.len), ret);
}

void zpool_scan_read(struct span text, struct zpool_scan *scan)
{
    static const struct {
        const char *begin, *job;
    } running[] = {
        {"scrub in progress", "scrub"},
        {"scrub paused", "scrub"},
        {"resilver in progress", "resilver"},
        {"resilver (", "resilver"}, /* "resilver (mirror-0) in progress since …": vdev by vdev */
    };
    text = span_trim(text);
    scan->told = true;
    scan->never = scan->never || span_starts(text, "none requested");
    for (size_t i = 0; i < ARRAY_LEN(running); i++) {
        size_t at = 0;
        if (span_starts(text, running[i].begin) &&
            (text.ptr[strlen(running[i].begin) - 1] != '(' ||
             find_last(text, " in progress", &at))) {
            scan->running = running[i].job;
        }
    }
    if (span_starts(text, "scrub repaired") || span_starts(text, "scrub completed")) {
        scan->has_scrub_end = time_behind(text, " on ", &scan->scrub_end);
    }
}

/* ---- behind a device's figures --------------------------------------------------------------- */

/* "(100% trimmed, completed at Sun Nov 29 12:00:00 2026)" */
static void read_trim(struct zpool_vdev *v)
{
    static const char done[] = "% trimmed, completed at ";
    size_t at = 0;
    if (find_last(v->note, "(untrimmed)", &at)) {
        v->trim = ZPOOL_TRIM_NEVER;
    } else if (find_last(v->note, "(trim unsupported)", &at)) {
        v->trim = ZPOOL_TRIM_UNSUPPORTED;
    } else if (find_last(v->note, done, &at)) {
        struct span rest = span_sub(v->note, at + sizeof(done) - 1, v->note.len), when;
        v->trim = ZPOOL_TRIM_DONE;
        v->has_trimmed = span_split(&rest, ')', &when) && zpool_time(when, &v->trimmed);
    } else if (find_last(v->note, "% trimmed", &at)) {
        v->trim = ZPOOL_TRIM_RUNNING;
    }
}

/* "block size: 512B configured, 4096B native": told only where the two differ. */
void zpool_note_read(struct zpool_vdev *v)
{
    static const char begin[] = "block size: ";
    size_t at = 0;
    read_trim(v);
    if (find_last(v->note, begin, &at)) {
        struct span rest = span_sub(v->note, at + sizeof(begin) - 1, v->note.len), size;
        uint64_t bytes = 0;
        if (span_split(&rest, 'B', &size) && parse_u64(size, &bytes) && bytes >= 512 &&
            bytes <= 65536 && (bytes & (bytes - 1)) == 0) {
            v->block_bytes = bytes;
        }
    }
}
