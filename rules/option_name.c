/* Names of options as the servers' own reader resolves them: the whole name first, then (MariaDB, MySQL
 * before 5.7) an unambiguous beginning of one, then without a prefix word, and again. */
#include <string.h>

#include "rules/catalogue_names.h"
#include "rules/options_int.h"

#include "advisor/base/banned.h"

#define NAME_MAX_BYTES 256

enum prefix_word { WORD_SKIP, WORD_DISABLE, WORD_ENABLE, WORD_MAXIMUM, WORD_LOOSE, WORD_AUTOSET };

static const char *const words[] = {
    [WORD_SKIP] = "skip_",       [WORD_DISABLE] = "disable_", [WORD_ENABLE] = "enable_",
    [WORD_MAXIMUM] = "maximum_", [WORD_LOOSE] = "loose_",     [WORD_AUTOSET] = "autoset_",
};

bool option_is_mariadb(const struct option_target *t)
{
    return t->flavour == FLAVOUR_MARIADB;
}

bool option_from(const struct option_target *t, uint32_t major, uint32_t minor, uint32_t patch)
{
    const struct version v = {.part = {major, minor, patch}, .n = 3};
    return version_cmp(&t->version, &v) >= 0;
}

const char *option_server_text(const struct option_target *t, struct arena *a)
{
    struct buf b;
    buf_init(&b, a, 100);
    version_print(&b, &t->version);
    return arena_printf(a, "%s %s", flavour_title(t->flavour), b.ptr);
}

/* '-' is '_'; capitals are small letters, but MySQL compares them as they are. */
static struct span fold(const struct option_target *t, struct span written, struct arena *a,
                        bool *ret_upper)
{
    written = span_sub(written, 0, NAME_MAX_BYTES);
    char *out = arena_alloc(a, written.len + 1);
    *ret_upper = false;
    for (size_t i = 0; i < written.len; i++) {
        char c = written.ptr[i];
        if (c >= 'A' && c <= 'Z') {
            c = (char)(c - 'A' + 'a');
            *ret_upper = !option_is_mariadb(t);
        }
        out[i] = c == '-' ? '_' : c;
    }
    return (struct span){out, written.len};
}

/* "LOOSE_x" is to MySQL a name like any other. */
static bool says_loose(const struct option_target *t, struct span written)
{
    static const char loose[] = "loose";
    const size_t len = sizeof(loose) - 1;
    for (size_t i = 0; i + len < written.len; i++) {
        if (memcmp(written.ptr + i, loose, len) == 0 &&
            (written.ptr[i + len] == '_' || written.ptr[i + len] == '-'))
            return true;
    }
    return option_is_mariadb(t);
}

/* Has the running server a variable of that name? Its own list is the best witness. */
static bool seen_running(const struct option_target *t, struct span name)
{
    char text[NAME_MAX_BYTES + sizeof("server.var.")] = "server.var.";
    if (t->store == NULL || t->server == NULL || name.len > NAME_MAX_BYTES)
        return false;
    memcpy(text + strlen(text), name.ptr, name.len);
    const struct fact *f = store_get(t->store, t->server, span_of(text));
    return f != NULL && f->state == FACT_KNOWN;
}

static bool is_there(enum presence p)
{
    return p == PRESENCE_YES || p == PRESENCE_DEPRECATED || p == PRESENCE_IGNORED;
}

static enum presence presence_of(const struct catalogue *c, const struct option_target *t,
                                 struct span name, const struct variable **ret)
{
    struct option_name listed;
    *ret = catalogue_find(c, name);
    const enum presence p = catalogue_name(c, t->flavour, &t->version, name, &listed);
    return is_there(p) || !seen_running(t, name) ? p : PRESENCE_YES;
}

static bool reads_prefixes(const struct option_target *t)
{
    return option_is_mariadb(t) || !option_from(t, 5, 7, 0);
}

/* MariaDB reads it before all others, alone: what is ambiguous later is not so there (tried: max_conn). */
static const char early[] = "max_connections";

/* The one name that begins so; several: *ret_rivals. Names that do nothing any more are no candidates:
 * they are looked for last. */
static const char *by_beginning(const struct catalogue *c, const struct option_target *t,
                                struct span name, struct arena *a, const char **ret_rivals)
{
    struct names_walk w;
    struct option_name one;
    const char *found = NULL;
    *ret_rivals = NULL;
    if (option_is_mariadb(t) && name.len >= 5 && name.len <= strlen(early) &&
        strncmp(early, name.ptr, name.len) == 0)
        return early;
    names_begin(&w, c, t->flavour, &t->version, name);
    while (names_next(&w, &one)) {
        if (one.presence != PRESENCE_YES && one.presence != PRESENCE_DEPRECATED)
            continue;
        const char *spelt = span_dup(a, one.name);
        if (found != NULL) {
            *ret_rivals = arena_printf(a, "%s, %s", found, spelt);
            return NULL;
        }
        found = spelt;
    }
    return found;
}

/* Take one prefix word off. */
static bool take_word(const struct option_target *t, struct span *rest, struct name_reading *n)
{
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        const size_t len = strlen(words[i]);
        if (!span_starts(*rest, words[i]) || rest->len == len ||
            (i == WORD_AUTOSET && !option_is_mariadb(t)))
            continue;
        *rest = span_sub(*rest, len, rest->len);
        n->negated = i == WORD_SKIP || i == WORD_DISABLE;
        n->enabled = i == WORD_ENABLE;
        n->maximum = i == WORD_MAXIMUM;
        n->autoset = i == WORD_AUTOSET;
        n->loose = n->loose || (i == WORD_LOOSE && n->may_be_loose);
        return true;
    }
    return false;
}

static void set_found(struct name_reading *n, const char *name, const struct variable *v,
                      enum presence p)
{
    n->name = name;
    n->variable = v;
    n->presence = p;
}

/* No name of this server. Of what the prefix words leave, the lists may know something: the first that
 * they know, else the one without loose_. */
static void not_found(const struct catalogue *c, const struct option_target *t,
                      struct name_reading *n, struct arena *a)
{
    const struct variable *v = NULL;
    struct option_name listed;
    enum flavour of;
    struct span rest = n->full;
    struct name_reading trial = *n;
    enum presence p;
    do {
        p = presence_of(c, t, rest, &v);
        (void)catalogue_name(c, t->flavour, &t->version, rest, &listed);
        if (v != NULL || listed.listed || p == PRESENCE_UNKNOWN ||
            catalogue_foreign(c, t->flavour, rest, &of))
            break;
    } while (take_word(t, &rest, &trial));
    if (v == NULL && !listed.listed && p != PRESENCE_UNKNOWN &&
        !catalogue_foreign(c, t->flavour, rest, &of)) {
        rest = n->full;
        while (span_starts(rest, "loose_"))
            rest = span_sub(rest, strlen("loose_"), rest.len);
        p = presence_of(c, t, rest, &v);
    }
    n->negated = n->enabled = n->maximum = n->autoset = false;
    set_found(n, span_dup(a, rest), v, p);
}

void option_name_read(const struct catalogue *c, const struct option_target *t,
                      struct span written, struct arena *a, struct name_reading *ret)
{
    struct name_reading n = {0};
    const struct variable *v;
    n.full = fold(t, written, a, &n.upper);
    n.may_be_loose = says_loose(t, written);
    struct span rest = n.full;
    do {
        const enum presence p = presence_of(c, t, rest, &v);
        if (is_there(p)) {
            set_found(&n, span_dup(a, rest), v, p);
            *ret = n;
            return;
        }
        if (!reads_prefixes(t) || rest.len < 3)
            continue;
        const char *whole = by_beginning(c, t, rest, a, &n.rivals);
        if (whole != NULL || n.rivals != NULL) {
            n.cut = true;
            const enum presence q =
                whole != NULL ? presence_of(c, t, span_of(whole), &v) : PRESENCE_REFUSED;
            set_found(&n, whole != NULL ? whole : span_dup(a, rest), whole != NULL ? v : NULL, q);
            *ret = n;
            return;
        }
    } while (take_word(t, &rest, &n));
    not_found(c, t, &n, a);
    *ret = n;
}
