/* The variable catalogue: per flavour and version what a variable is. rules/catalogue/TOPIC.ini, a
 * section a variable:
 *   kind = bytes | count | rate | bool | enum | seconds | ratio | string
 *   unit = what the option file's number counts, when not 1 (us, ms, s, d, KiB, MiB, percent)
 *   values = words (enums) of all flavours and versions, spelt as the servers spell them
 *   FLAVOUR.values = A | B | C [from VERSION], …   in the order of their numbers
 *   FLAVOUR.life = introduced VERSION, deprecated VERSION, removed VERSION (accepted | refused), …
 *                  in order of time; without it, there since the oldest version that we speak of
 *   FLAVOUR.default = VALUE [from VERSION], …    VALUE `auto`: the server works it out
 *   FLAVOUR.range = MIN MAX [step S] [from VERSION], …
 *   FLAVOUR.dynamic = yes | no | from VERSION, …
 *   FLAVOUR.replaced_by = the variable that has its work now, where there is one
 *   scratch = copy | scale | no
 *   FLAVOUR.source = keys of the section [sources], from independent places
 * FLAVOUR: mysql, percona (falls back to mysql), mariadb; a flavour without life and default does not
 * have the variable. In each list the last entry that holds counts. VERSION: A.B.C, or one a release
 * series joined by '/', where a change went into several ("10.11.12/11.4.6/11.8.2").
 * Sections of their own:
 *   [newest]   FLAVOUR = VERSION, up to which the rows speak
 *   [tried]    FLAVOUR = VERSION, …: release series whose servers are asked by the project's tests
 *   [sources]  KEY = VERSION[-VERSION] what it is: for which versions it speaks */
#ifndef NVADVISE_RULES_CATALOGUE_H
#define NVADVISE_RULES_CATALOGUE_H

#include "advisor/base/ini.h"
#include "advisor/base/version.h"
#include "advisor/facts/decl.h"

enum flavour { FLAVOUR_MYSQL, FLAVOUR_PERCONA, FLAVOUR_MARIADB, FLAVOURS };
const char *flavour_name(enum flavour f);  /* as written in files: "percona" */
const char *flavour_title(enum flavour f); /* as people write it: "Percona Server" */
bool flavour_from_name(struct span s, enum flavour *ret);

enum presence {
    PRESENCE_YES,
    PRESENCE_DEPRECATED,
    PRESENCE_IGNORED,  /* accepted, does nothing */
    PRESENCE_REFUSED,  /* the server does not start */
    PRESENCE_UNKNOWN,  /* the catalogue does not know this name */
};
const char *presence_name(enum presence p);

struct catalogue;
struct variable; /* opaque row */

ATTR_NODISCARD bool catalogue_load(struct arena *a, const struct ini_file *files, size_t n_files,
                                   struct catalogue **ret, struct buf *problems, struct err *reterr);

/* `name` with '-' or '_', any case; NULL when not in the catalogue. */
const struct variable *catalogue_find(const struct catalogue *c, struct span name);
const char *variable_name(const struct variable *v);
enum kind variable_kind(const struct variable *v);
const char *variable_values(const struct variable *v); /* enum words, or NULL */

/* The enum words of that version, "A, B, C" in the order of their numbers; NULL: not an enum there, or not
 * known apart from variable_values. */
const char *variable_values_at(const struct variable *v, enum flavour f, const struct version *at);

/* What one of the option file's number means in the base unit of the kind: 0.01 for percent, else 1. */
struct num variable_unit(const struct variable *v);

/* Has the flavour the variable in any version? */
bool variable_exists(const struct variable *v, enum flavour f);

/* The variable that took its place in later versions (its unit may differ), or NULL. */
const char *variable_replaced_by(const struct variable *v, enum flavour f);

enum presence variable_presence(const struct variable *v, enum flavour f, const struct version *at);
/* What a scratch instance may have of it. */
enum scratch { SCRATCH_NO, SCRATCH_COPY, SCRATCH_SCALE };
enum scratch variable_scratch(const struct variable *v);

bool variable_dynamic(const struct variable *v, enum flavour f, const struct version *at);
/* false: the catalogue gives none. step 0 = none. */
bool variable_range(const struct variable *v, enum flavour f, const struct version *at,
                    struct num *ret_min, struct num *ret_max, struct num *ret_step);
bool variable_default(const struct variable *v, enum flavour f, const struct version *at,
                      struct value *ret);

/* The value as an option file or SET GLOBAL has it, appended: plain digits in the variable's unit, words
 * as the server spells them, ON and OFF. false: it cannot be written so (a fraction of a byte). */
bool variable_write(const struct variable *v, const struct value *value, struct buf *ret);

/* The first known version after `at` that refuses the name, or false. Decides version groups. */
bool variable_refused_after(const struct variable *v, enum flavour f, const struct version *at,
                            struct version *ret);

/* Newest version the catalogue speaks of for the flavour. */
struct version catalogue_newest(const struct catalogue *c, enum flavour f);

/* How far what the catalogue says of a version can be trusted. */
enum confidence {
    CONFIDENCE_TRIED,   /* held against servers of that release series by the project's own tests */
    CONFIDENCE_UNTRIED, /* from documents and lists alone */
    CONFIDENCE_NEWER,   /* a later series than the newest that is known: taken as that one */
};
const char *confidence_name(enum confidence c); /* tried, untried, newer */
enum confidence catalogue_confidence(const struct catalogue *c, enum flavour f,
                                     const struct version *at);

/* A sentence without full stop for reports, appended; nothing when it was tried. */
void catalogue_confidence_text(const struct catalogue *c, enum flavour f, const struct version *at,
                               struct buf *b);

/* Sources of what the row says of the flavour, whatever the version; Percona Server has MySQL's, too. */
size_t variable_n_sources(const struct variable *v, enum flavour f);

/* How many independent sources say that this version has the variable as the row says it. Two lists on both
 * sides of the version agree on what lies between: they count, too. For a version that is newer than all:
 * of the newest. */
size_t variable_sources(const struct catalogue *c, const struct variable *v, enum flavour f,
                        const struct version *at);

/* Would this server refuse or ignore the name=value? For drop-ins of the wrong flavour: PRESENCE_* and
 * a text ("not in MariaDB 10.11: the server does not start"). */
enum presence catalogue_judge(const struct catalogue *c, enum flavour f, const struct version *at,
                              struct span name, struct buf *reason);

/* When it came and went in the flavour, defaults, ranges, whether SET GLOBAL works: one line for people,
 * appended. */
void variable_history(const struct variable *v, enum flavour f, struct buf *b);

/* All variables, in byte order. */
size_t catalogue_count(const struct catalogue *c);
const struct variable *catalogue_at(const struct catalogue *c, size_t i);

#endif
