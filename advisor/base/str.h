/* Text without copies (struct span) and bounded growing text (struct buf). */
#ifndef NVADVISE_ADVISOR_BASE_STR_H
#define NVADVISE_ADVISOR_BASE_STR_H

#include "advisor/base/arena.h"
#include "advisor/base/attr.h"

/* A piece of bytes that somebody else owns; not NUL-terminated, may hold any byte. */
struct span {
    const char *ptr;
    size_t len;
};

#define SPAN_LIT(text) ((struct span){(text), sizeof(text) - 1})
#define SPAN_ARG(s) (int)(s).len, (s).ptr /* for "%.*s" */

struct span span_of(const char *text); /* NULL gives an empty span */
bool span_eq(struct span a, struct span b);
bool span_eq_text(struct span a, const char *text);
bool span_eq_nocase(struct span a, struct span b); /* ASCII letters only */
int span_cmp(struct span a, struct span b);        /* byte order, as memcmp, then length */
bool span_starts(struct span s, const char *prefix);
bool span_ends(struct span s, const char *suffix);
bool span_has(struct span s, char c);
bool span_contains(struct span s, const char *piece); /* anywhere; every span has "" */
/* Is the path `top` itself, or does it lie below it? Whole parts only; an empty top holds nothing. */
bool span_path_below(struct span path, struct span top);
bool span_in_words(struct span s, const char *words); /* one of "a,b,c", whole */
struct span span_sub(struct span s, size_t from, size_t len); /* cut to what is there */
struct span span_trim(struct span s);                          /* blanks, tabs, CR, LF off both ends */

/* Take the text up to `sep` off the front of *rest; false when *rest is empty. The separator is
 * dropped. A last piece without separator is taken whole. */
bool span_split(struct span *rest, char sep, struct span *ret_piece);

/* Take the next run of non-blank bytes off *rest; false when none is left. */
bool span_word(struct span *rest, struct span *ret_word);

/* One line, without LF and a CR before it; false at the end. */
bool span_line(struct span *rest, struct span *ret_line);

/* NUL-terminated copy in the arena; embedded NULs stay (the C string then ends early). */
char *span_dup(struct arena *a, struct span s);
struct span span_copy(struct arena *a, struct span s);

/* A growing text with a hard maximum; past it, `full` is set and further text is dropped, so one
 * check at the end suffices. Always NUL-terminated. */
struct buf {
    struct arena *arena;
    char *ptr;
    size_t len;
    size_t cap;
    size_t max; /* bytes of text, NUL not counted */
    bool full;
};

void buf_init(struct buf *b, struct arena *a, size_t max);
void buf_add(struct buf *b, const char *bytes, size_t n);
void buf_add_text(struct buf *b, const char *text);
void buf_add_span(struct buf *b, struct span s);
void buf_add_char(struct buf *b, char c);
/* printf in the C locale, whatever that of the process. */
void buf_printf(struct buf *b, const char *fmt, ...) ATTR_PRINTF(2, 3);
struct span buf_span(const struct buf *b);

/* Append `s` so that a terminal shows it harmlessly: bytes below 0x20, 0x7f, C1 controls and broken
 * UTF-8 become \xNN; everything else as it is. */
void buf_add_escaped(struct buf *b, struct span s);

/* Append `s` as one word of a shell's command: as it is where it is plain, else in '…', or in $'…' where
 * a byte of it cannot stand in a line. */
void buf_add_shell(struct buf *b, struct span s);

/* Is s valid UTF-8 (no overlong forms, no surrogates)? */
bool span_is_utf8(struct span s);

#endif
