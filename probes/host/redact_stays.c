/* Which words of a text may stay: well-known ones, numbers, names that the kernel gives to disks.
 */
#include "probes/host/redact_parts.h"

#include <string.h>

#include "probes/host/redact_chars.h"

#include "advisor/base/banned.h"

#define NAME_DIGITS 7u /* process numbers have up to seven */
#define NUMBER_DIGITS 39u
#define WORD_DIGITS 6u

static size_t digits_at_end(struct span s)
{
    size_t n = 0;
    while (n < s.len && is_digit(s.ptr[s.len - 1 - n])) {
        n++;
    }
    return n;
}

static size_t digits_in_front(struct span s)
{
    size_t n = 0;
    while (n < s.len && is_digit(s.ptr[n])) {
        n++;
    }
    return n;
}

bool redact_is_digits(struct span s)
{
    return digits_in_front(s) == s.len;
}

/* "128", "12M", "64KiB", "250us" */
static bool is_number(struct span s, const struct redact_mode *mode)
{
    static const char *const units[] = {
        "",    "k",   "m", "g",  "t",  "p",  "e", "b", "kb", "mb",  "gb", "tb", "kib", "mib",
        "gib", "tib", "s", "ms", "us", "ns", "h", "d", "w",  "min", "st", "nd", "rd",  "th"};
    const size_t n = digits_in_front(s);
    const size_t most = mode->long_numbers ? NUMBER_DIGITS : NAME_DIGITS;
    if (n == 0 || n > most) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        if (span_eq_nocase(span_sub(s, n, s.len), span_of(units[i]))) {
            return true;
        }
    }
    if (mode->long_numbers && n + 1 < s.len && s.ptr[n] == 'e' &&
        redact_is_digits(span_sub(s, n + 1, s.len))) {
        return true;
    }
    return mode->long_numbers && span_starts(s, "0x") && s.len <= 18 && hex_run(s, 2) == s.len - 2;
}

/* Takes letters, then digits (maybe none) off the front. */
static bool take(struct span *s, const char *letters, bool digits)
{
    if (!span_starts(*s, letters)) {
        return false;
    }
    struct span rest = span_sub(*s, strlen(letters), s->len);
    const size_t n = digits_in_front(rest);
    if (digits && n == 0) {
        return false;
    }
    *s = span_sub(rest, n, rest.len);
    return true;
}

/* sda1, vdb, xvdf: up to three letters behind the beginning, then a partition. */
static bool is_lettered_disk(struct span s)
{
    static const char *const begins[] = {"sd", "vd", "hd", "xvd", "dasd", "ublkb"};
    for (size_t i = 0; i < ARRAY_LEN(begins); i++) {
        struct span rest = s;
        if (!span_starts(s, begins[i])) {
            continue;
        }
        rest = span_sub(s, strlen(begins[i]), s.len);
        const size_t n = digits_at_end(rest);
        const size_t letters = rest.len - n;
        bool all = letters >= 1 && letters <= 3 && n <= 3;
        for (size_t k = 0; k < letters; k++) {
            all = all && rest.ptr[k] >= 'a' && rest.ptr[k] <= 'z';
        }
        if (all) {
            return true;
        }
    }
    return false;
}

/* nvme0, nvme0n1, nvme0c1n2, nvme0n1p3, mmcblk0p1, md127p1, loop7p1, nbd0p1 …; nvme0q1: the interrupt of a
 * queue */
static bool is_numbered_disk(struct span s)
{
    static const char *const begins[] = {"nvme", "mmcblk", "md",   "loop",   "nbd", "rbd",
                                         "zd",   "drbd",   "pmem", "bcache", "zram"};
    for (size_t i = 0; i < ARRAY_LEN(begins); i++) {
        struct span rest = s;
        if (!take(&rest, begins[i], true)) {
            continue;
        }
        (void)take(&rest, "c", true);
        (void)take(&rest, "n", true);
        (void)take(&rest, "p", true);
        (void)take(&rest, "q", true);
        return rest.len == 0 && s.len <= 24;
    }
    return false;
}

/* "deb12u1", "el9uek": in a version a word may be made of well-known words with numbers between; of
 * single letters only those of updates and releases. */
static bool is_build_mark(const struct redactor *r, struct span s, unsigned lists)
{
    while (s.len > 0) {
        const size_t digits = digits_in_front(s);
        size_t n = digits;
        while (digits == 0 && n < s.len && is_letter(s.ptr[n])) {
            n++;
        }
        const struct span piece = span_sub(s, 0, n);
        const bool ok = digits > 0 ? digits <= WORD_DIGITS
                        : n == 1   ? strchr("uprv", piece.ptr[0]) != NULL
                                   : redact_words_has(r->words, piece, lists);
        if (n == 0 || !ok) {
            return false;
        }
        s = span_sub(s, n, s.len);
    }
    return true;
}

bool redact_is_disk(struct span token)
{
    return is_lettered_disk(token) || is_numbered_disk(token);
}

bool redact_stays(const struct redactor *r, struct span token, const struct redact_mode *mode)
{
    if (token.len == 1 && (unsigned char)token.ptr[0] < 0x80) {
        return true;
    }
    if (is_number(token, mode)) {
        return true;
    }
    if (mode->lists == 0) {
        return false;
    }
    const size_t tail = digits_at_end(token);
    const struct span word = span_sub(token, 0, token.len - tail);
    return redact_words_has(r->words, token, mode->lists) ||
           (tail <= WORD_DIGITS && redact_words_has(r->words, word, mode->lists)) ||
           (mode->shortened && redact_words_begin(r->words, token, mode->lists)) ||
           redact_is_disk(token) || (mode->versions && is_build_mark(r, token, mode->lists));
}
