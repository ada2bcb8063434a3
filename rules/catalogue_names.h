/* Every option name that a server's binary takes, per flavour and version: variables and options that are
 * none (basedir, plugin-load-add, skip-name-resolve), and those that it only passes over. Complete lists,
 * rules/catalogue/names/FLAVOUR.txt, a line a name, in byte order of the names:
 *   NAME EVENT … [=REPLACEMENT]
 *   +VERSION  taken from that version on       -VERSION  refused: the server does not start
 *   !VERSION  taken, does nothing              dVERSION  taken, warns that it is deprecated
 *   ?VERSION  cannot be told from there on
 * Without a version, an event holds from the oldest list on. A name is refused before its first event, if
 * that is + or ? with a version, else taken. VERSION as in the catalogue's rows: A.B, A.B.C, or
 * one a release series joined by '/'.
 * Before the names: "@oldest VERSION" and "@newest VERSION", which versions the list speaks of;
 * "@family PREFIX …", names of plugins and of builds, which a server may or may not have; '#' comments.
 * percona.txt holds only what differs from mysql.txt. The lists stand beside the rows of the catalogue,
 * which know more of fewer variables; where a row knows a name, the row is asked. */
#ifndef NVADVISE_RULES_CATALOGUE_NAMES_H
#define NVADVISE_RULES_CATALOGUE_NAMES_H

#include "rules/catalogue.h"

/* Hand over the list of one flavour; borrowed, with its bytes, for the catalogue's life. Nothing but the
 * lines with '@' is read here: a list is searched as text. */
void catalogue_names_set(struct catalogue *c, enum flavour f, struct span list);

/* Mistakes of a list, as "FILE:LINE: message" lines: order, versions, events, names twice, rows of the
 * catalogue that the list contradicts. false: there are some, the first is in reterr. */
ATTR_NODISCARD bool catalogue_names_check(const struct catalogue *c, enum flavour f, const char *file,
                                          struct span list, struct buf *problems,
                                          struct err *reterr);

/* How the servers compare names, tried: MariaDB 10.5, 10.11 and 11.8 without case and by unambiguous
 * prefixes; MySQL 9.7 only whole and in lower case. '-' is '_' in all. */
struct option_name {
    struct span name;       /* as the server spells it, with '_'; case counts for the server */
    enum presence presence; /* PRESENCE_UNKNOWN: a plugin's, or of a version that no list speaks of */
    struct span instead;    /* the name that has its place in that version, or empty */
    bool listed;            /* some list or row has the name */
};

/* What a server of that version makes of a whole name, without loose_, skip_ and their kin, '-' or '_',
 * any case. Not cut short: for that there is the walk below. */
enum presence catalogue_name(const struct catalogue *c, enum flavour f, const struct version *at,
                             struct span name, struct option_name *ret);

/* All names that begin with `prefix` and are in that version, in byte order; with PRESENCE_UNKNOWN, but
 * without those that are refused. */
struct names_walk {
    const struct catalogue *c;
    enum flavour flavour;
    struct version at;
    struct span prefix;
    struct span rest[2]; /* what is left of the flavour's own list, and of the one that it builds on */
};
void names_begin(struct names_walk *w, const struct catalogue *c, enum flavour f,
                 const struct version *at, struct span prefix);
bool names_next(struct names_walk *w, struct option_name *ret);

/* The name of that version that is nearest to a mistyped one, at most a letter in three away; false:
 * none is near. */
bool catalogue_near(const struct catalogue *c, enum flavour f, const struct version *at,
                    struct span name, struct option_name *ret);

/* Does a server of the other family (MySQL and Percona Server; MariaDB) have the name in some version?
 * `ret` is MySQL rather than Percona Server where both have it. */
bool catalogue_foreign(const struct catalogue *c, enum flavour f, struct span name,
                       enum flavour *ret);

#endif
