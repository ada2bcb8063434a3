/* The words that may stay: three lists and a set over them. Private to redaction. */
#ifndef NVADVISE_PROBES_HOST_REDACT_WORDS_H
#define NVADVISE_PROBES_HOST_REDACT_WORDS_H

#include "advisor/base/str.h"

/* Lists, as bits. Lines of words in lower case, separated by single blanks, the last line NULL. */
enum redact_list { LIST_PATH = 1, LIST_SERVER = 2, LIST_TEXT = 4 };
extern const char *const redact_words_path[];
extern const char *const redact_words_server[];
extern const char *const redact_words_text[];

struct redact_words;

struct redact_words *redact_words_new(struct arena *a);

/* Is `word`, in any case, in one of `lists`? Words of one byte and of more than REDACT_WORD_MAX are
 * in none. */
#define REDACT_WORD_MAX 40u
bool redact_words_has(const struct redact_words *w, struct span word, unsigned lists);

/* Does a word of `lists` begin with `piece`? For the shortened names that option parsers take. */
bool redact_words_begin(const struct redact_words *w, struct span piece, unsigned lists);

#endif
