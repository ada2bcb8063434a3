/* Inside rules/ only: what the files that judge option lines share. Knows the catalogue; a store only as
 * the running server's own list of variables. */
#ifndef NVADVISE_RULES_OPTIONS_INT_H
#define NVADVISE_RULES_OPTIONS_INT_H

#include "rules/options.h"

/* What a server makes of a name. */
struct name_reading {
    struct span full;   /* as written, folded: '_' for '-', lower case */
    const char *name;   /* canonical, prefixes taken off; never NULL */
    const struct variable *variable; /* or NULL */
    enum presence presence;
    bool loose, negated, enabled, maximum, autoset;
    bool cut;           /* found as an unambiguous prefix */
    bool may_be_loose;  /* "loose" is written in small letters, or this server does not mind */
    bool upper;         /* has capitals, and this server minds them */
    const char *rivals; /* an ambiguous prefix: "a, b"; else NULL */
};

void option_name_read(const struct catalogue *c, const struct option_target *t,
                      struct span written, struct arena *a, struct name_reading *ret);

/* MariaDB, else MySQL or Percona Server. */
bool option_is_mariadb(const struct option_target *t);

/* Is it this version or a newer one; of the flavour that t has. */
bool option_from(const struct option_target *t, uint32_t major, uint32_t minor, uint32_t patch);

/* "MySQL 8.0.28". */
const char *option_server_text(const struct option_target *t, struct arena *a);

/* The value that the line gives to its option: effect, marks, value, asked and text of *r; the name is
 * one that this server has. */
void option_value_read(const struct option_target *t, const struct name_reading *n,
                       const struct optline *l, struct arena *a, struct option_reading *r);

/* A whole number as the servers read it. */
enum option_number_end {
    NUMBER_READ,
    NUMBER_EMPTY,    /* no digits, nothing else */
    NUMBER_SUFFIX,   /* something behind it that is no suffix here */
    NUMBER_TOO_BIG,  /* past 64 bits */
    NUMBER_NEGATIVE, /* *ret is its magnitude */
};
struct option_number {
    struct num value;
    char suffix;  /* lower case, or 0 */
    bool is_real; /* written with decimals or an exponent */
    char strange; /* NUMBER_SUFFIX: the byte that was met */
};
enum option_number_end option_number_read(const struct option_target *t, struct span text,
                                          struct option_number *ret);

/* The enum words of a variable in the order of their indices in this version, comma-separated; NULL where
 * the order is not known. *ret_is_bool: it is a plain boolean in this version. */
const char *option_words(const struct option_target *t, const struct variable *v,
                         bool *ret_is_bool);

/* Of a list "A, B, C": how many; one by its number; the whole word or the only one that begins so, whatever
 * its case; a number written in digits. */
size_t option_words_count(const char *words);
struct span option_word_at(const char *words, size_t index);
bool option_word_find(const char *words, struct span text, struct span *ret);
bool option_word_number(struct span text, size_t *ret);

/* Does the value hold a word that this version no longer knows (sql_mode=NO_AUTO_CREATE_USER)? */
bool option_word_is_gone(const struct option_target *t, const char *name, struct span value,
                         struct span *ret);

/* Facts about single options that the servers' help texts tell and the catalogue does not hold. */
bool option_is_real(const struct option_target *t, const char *name);      /* takes decimals */
bool option_is_strict_bool(const char *name);  /* a word that is no boolean leaves it as it was */
bool option_needs_no_value(const char *name);  /* alone on its line it is 1, or has a default */
bool option_bool_wants_value(const char *name); /* a boolean that cannot stand alone on its line */
/* Two names of one value have one storage, by the name of one of them; else the name itself. */
const char *option_storage(const struct option_target *t, const char *name);
bool option_has_no_maximum(const char *name);  /* maximum_ stops the server */
bool option_accumulates(const char *name);     /* each line adds, none is shadowed */

/* Values that the servers couple: called when all lines are judged. */
void option_pairs(const struct option_target *t, struct option_reading *r, size_t n,
                  struct arena *a);

/* What to write instead of an option that a server does not have (any more): "innodb_redo_log_capacity",
 * or "". */
const char *option_instead(const struct catalogue *c, const struct option_target *t,
                           const char *name, struct arena *a);

#endif
