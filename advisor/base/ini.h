/* Strict reader of our own INI files (rules, catalogue, settings, site configuration) over inih.
 * Not for MySQL option files, which have other rules.
 *
 * Stricter than inih: over-long lines (> 190 bytes) and section names (> 48), NUL bytes, invalid
 * UTF-8, " ;" inside a value, keys before the first section, duplicate sections and duplicate keys
 * are errors with file and line. A value goes on over indented continuation lines, joined by one
 * blank. */
#ifndef NVADVISE_ADVISOR_BASE_INI_H
#define NVADVISE_ADVISOR_BASE_INI_H

#include "advisor/base/arena.h"
#include "advisor/base/err.h"
#include "advisor/base/str.h"

struct ini_entry {
    struct span key;
    struct span value; /* continuation lines joined by one blank */
    unsigned line;     /* of the key, from 1 */
};

struct ini_section {
    struct span name;
    unsigned line;
    struct ini_entry *entries;
    size_t n_entries;
};

struct ini_file {
    const char *name; /* as given, for messages */
    struct ini_section *sections;
    size_t n_sections;
};

#define INI_MAX_BYTES (1024 * 1024)

/* Read `text`; all of *ret lives in the arena. On failure the text is "NAME:LINE: what is wrong". */
ATTR_NODISCARD bool ini_read(struct arena *a, const char *name, struct span text,
                             struct ini_file *ret, struct err *reterr);

/* NULL when there is none. */
const struct ini_section *ini_section(const struct ini_file *f, const char *name);
const struct ini_entry *ini_entry(const struct ini_section *s, const char *key);

#endif
