/* Typed values: what a fact holds and what the rule language computes with. */
#ifndef NVADVISE_ADVISOR_FACTS_VALUE_H
#define NVADVISE_ADVISOR_FACTS_VALUE_H

#include "advisor/base/err.h"
#include "advisor/base/num.h"
#include "advisor/base/units.h"
#include "advisor/base/version.h"

enum kind {
    KIND_BOOL,
    KIND_COUNT, /* a whole number without unit */
    KIND_BYTES,
    KIND_SECONDS,
    KIND_RATIO, /* 0.43; prints as 43 % */
    KIND_RATE,  /* per second */
    KIND_BYTES_PER_S,
    KIND_CELSIUS,
    KIND_VERSION,
    KIND_ENUM, /* one word of a declared list */
    KIND_STRING,
    KIND_SET,  /* words, sorted, each once */
    KIND_LIST, /* words in order */
    KINDS
};

struct value {
    enum kind kind;
    bool boolean;             /* KIND_BOOL */
    struct num num;           /* the numeric kinds, in bytes, seconds, 1, 1/s, bytes/s, degrees C */
    struct version version;   /* KIND_VERSION */
    struct span text;         /* KIND_ENUM, KIND_STRING */
    const struct span *items; /* KIND_SET, KIND_LIST */
    size_t n_items;
};

bool kind_is_numeric(enum kind k);
struct dim kind_dim(enum kind k);   /* DIM_NONE for kinds that are not numeric */
const char *kind_name(enum kind k); /* "bool", "bytes/s", … as in the facts document */
bool kind_from_name(struct span s, enum kind *ret);

struct value value_bool(bool b);
struct value value_num(enum kind k, struct num n);
struct value value_u64(enum kind k, uint64_t n);
struct value value_text(enum kind k, struct span s); /* KIND_ENUM or KIND_STRING; borrows */
struct value value_version(struct version v);

/* A set (sorted, duplicates dropped) or list of `n` words, copied into the arena. */
struct value value_words(struct arena *a, enum kind k, const struct span *items, size_t n);

/* Deep copy into the arena. */
struct value value_copy(struct arena *a, const struct value *v);

/* Same kind and same content. Numbers by num_cmp. */
bool value_eq(const struct value *a, const struct value *b);

/* Does a set or list hold the word? */
bool value_has(const struct value *v, struct span word);

/* For people: "19 GiB", "43 %", "true", "8.0.36", "data, redo". Not escaped: see buf_add_escaped.
 */
void value_print(struct buf *b, const struct value *v);

/* As a literal of the rule language and of `name = value` lines: "19GiB", "43%", "true", "xfs",
 * "8.0.36", "{data, redo}", "unlimited"; a string is quoted ("…", with \" \\ \xNN) unless it
 * consists of letters, digits, '_', '-', '.', '/', ':', '+' only. value_read takes back exactly
 * what this writes. */
void value_print_literal(struct buf *b, const struct value *v);

/* Read `text` (trimmed) as a value of kind k: booleans true/false/on/off/yes/no/1/0 whatever case;
 * numeric kinds take any literal of their dimension (a plain number is refused for bytes, seconds,
 * rates unless `plain_ok`); sets "{a, b}", a, b; strings with or without quotes.
 * allowed: NULL, or for an enum the comma-separated words. Error: E_SYNTAX. */
ATTR_NODISCARD bool value_read(struct arena *a, enum kind k, const char *allowed, bool plain_ok,
                               struct span text, struct value *ret, struct err *reterr);

#endif
