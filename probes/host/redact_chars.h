/* Classes of bytes, as redaction sees them. Private to it. */
#ifndef NVADVISE_PROBES_HOST_REDACT_CHARS_H
#define NVADVISE_PROBES_HOST_REDACT_CHARS_H

#include "advisor/base/str.h"

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Part of a word: letters of any script. */
static inline bool is_wordy(char c)
{
    return is_digit(c) || is_letter(c) || (unsigned char)c >= 0x80;
}

static inline size_t hex_run(struct span s, size_t from)
{
    size_t n = 0;
    while (from + n < s.len && is_hex(s.ptr[from + n])) {
        n++;
    }
    return n;
}

#endif
