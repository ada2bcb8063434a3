/* Option lines to readings: each name and value by itself, then who wins, then what the servers couple.
 * Pure: lines and the catalogue in, readings out. */
#include "rules/options.h"

#include <stdlib.h>
#include <string.h>

#include "rules/catalogue_names.h"
#include "rules/option_facts.h"

#include "advisor/base/banned.h"

#define DROPIN "/zz-nvadvise.cnf"

static bool is_persisted(const struct optline *l)
{
    return span_eq_text(l->group, OPTLINE_PERSISTED);
}

static bool is_command_line(const struct optline *l)
{
    return span_eq_text(l->file, OPTLINE_COMMAND_LINE);
}

/* ---- names that are none ---- */

static const char *version_text(struct arena *a, const struct version *v)
{
    struct buf b;
    buf_init(&b, a, 64);
    version_print(&b, v);
    return b.ptr;
}

/* Releases to ask about the past. */
#define RELEASES 9
static const struct version oracle[RELEASES] = {
    {{5, 6, 10, 0}, 3}, {{5, 6, 51, 0}, 3}, {{5, 7, 9, 0}, 3}, {{5, 7, 44, 0}, 3},
    {{8, 0, 11, 0}, 3}, {{8, 0, 44, 0}, 3}, {{8, 4, 0, 0}, 3}, {{9, 0, 0, 0}, 3},
    {{9, 4, 0, 0}, 3},
};
static const struct version mariadb[RELEASES] = {
    {{10, 0, 38, 0}, 3}, {{10, 1, 48, 0}, 3}, {{10, 2, 44, 0}, 3}, {{10, 3, 39, 0}, 3},
    {{10, 4, 34, 0}, 3}, {{10, 5, 29, 0}, 3}, {{10, 6, 23, 0}, 3}, {{10, 11, 14, 0}, 3},
    {{11, 4, 8, 0}, 3},
};

/* The newest release before this one that has the name, or NULL. */
static const struct version *last_with(const struct catalogue *c, const struct option_target *t,
                                       struct span name)
{
    const struct version *list = option_is_mariadb(t) ? mariadb : oracle;
    for (size_t i = RELEASES; i > 0; i--) {
        struct option_name ignored;
        const enum presence p = catalogue_name(c, t->flavour, &list[i - 1], name, &ignored);
        if (version_cmp(&list[i - 1], &t->version) < 0 && p != PRESENCE_REFUSED &&
            p != PRESENCE_UNKNOWN)
            return &list[i - 1];
    }
    return NULL;
}

/* Why this server has no such name, and the marks that go with it. */
static const char *why_not(const struct catalogue *c, const struct option_target *t,
                           const struct name_reading *n, struct arena *a, unsigned *marks)
{
    static const struct version first = {.n = 1};
    const struct span name = span_of(n->name);
    struct version gone;
    struct option_name listed;
    enum flavour of = FLAVOUR_MYSQL;
    const char *server = option_server_text(t, a);
    if (n->variable != NULL && variable_refused_after(n->variable, t->flavour, &first, &gone) &&
        version_cmp(&gone, &t->version) <= 0) {
        *marks |= OPTION_REMOVED;
        return arena_printf(a, "removed in %s", version_text(a, &gone));
    }
    const struct version *last = last_with(c, t, name);
    if (last != NULL) {
        *marks |= OPTION_REMOVED;
        return arena_printf(a, "%s %s had it, %s does not", flavour_title(t->flavour),
                            version_text(a, last), server);
    }
    const struct version newest = catalogue_newest(c, t->flavour);
    const enum presence p = catalogue_name(c, t->flavour, &newest, name, &listed);
    if (p == PRESENCE_YES || p == PRESENCE_DEPRECATED)
        return arena_printf(a, "%s does not have it yet", server);
    if (catalogue_foreign(c, t->flavour, name, &of)) {
        *marks |= OPTION_FOREIGN;
        return arena_printf(a, "an option of %s, not of %s", flavour_title(of), server);
    }
    return arena_printf(a, "%s has no option of this name", server);
}

static void read_refused(const struct catalogue *c, const struct option_target *t,
                         const struct name_reading *n, struct arena *a, struct option_reading *r)
{
    const char *why = why_not(c, t, n, a, &r->marks);
    r->marks |= OPTION_UNKNOWN;
    if (n->rivals != NULL)
        why = arena_printf(a, "the name is cut short and could be %s", n->rivals);
    /* SET PERSIST hands its names over with loose_. */
    const bool tolerated =
        (n->loose && n->rivals == NULL) || (r->marks & OPTION_PERSISTED) != 0;
    r->effect = tolerated ? OPTION_IGNORED : OPTION_STOPS;
    r->text = arena_printf(a, "%s: %s", why,
                           tolerated ? "passed over with a warning" : "the server does not start");
}

/* ---- one line ---- */

static void read_line(const struct catalogue *c, const struct option_target *t,
                      const struct optline *l, struct arena *a, struct option_reading *r)
{
    struct name_reading n;
    option_name_read(c, t, l->name, a, &n);
    *r = (struct option_reading){.line = l, .name = n.name, .variable = n.variable, .text = ""};
    r->marks |= (n.loose ? OPTION_LOOSE : 0u) | (n.cut ? OPTION_BY_PREFIX : 0u) |
                (is_persisted(l) ? OPTION_PERSISTED : 0u);
    switch (n.presence) {
    case PRESENCE_REFUSED:
        read_refused(c, t, &n, a, r);
        return;
    case PRESENCE_UNKNOWN:
        r->effect = OPTION_UNSURE;
        r->text = arena_printf(a, "it cannot be told whether %s has this option: it may belong to "
                                  "a plugin", option_server_text(t, a));
        return;
    case PRESENCE_IGNORED:
        r->effect = OPTION_IGNORED;
        r->marks |= OPTION_REMOVED;
        r->text = arena_printf(a, "removed: %s reads it and does nothing with it",
                               option_server_text(t, a));
        return;
    case PRESENCE_DEPRECATED:
        r->marks |= OPTION_DEPRECATED;
        break;
    case PRESENCE_YES:
        break;
    }
    if (n.upper) {
        r->effect = n.loose ? OPTION_IGNORED : OPTION_STOPS;
        r->marks |= OPTION_UNKNOWN;
        r->text = arena_printf(a, "%s knows names in small letters only", option_server_text(t, a));
        return;
    }
    option_value_read(t, &n, l, a, r);
    if (r->text[0] == '\0' && (r->marks & OPTION_DEPRECATED) != 0)
        r->text = arena_printf(a, "deprecated in %s", option_server_text(t, a));
}

/* ---- who wins ---- */

static bool takes_part(const struct option_reading *r)
{
    return r->effect == OPTION_IN_FORCE && (r->marks & OPTION_MAXIMUM) == 0 &&
           !option_accumulates(r->name);
}

static bool same_spelling(const struct option_reading *a, const struct option_reading *b)
{
    return span_eq(a->line->name, b->line->name);
}

static bool same_value(const struct option_reading *a, const struct option_reading *b)
{
    if (a->has_value && b->has_value)
        return value_eq(&a->value, &b->value);
    return a->line->has_value == b->line->has_value && span_eq(a->line->value, b->line->value);
}

static void shadow(struct option_reading *r, const struct option_reading *by, struct arena *a)
{
    const struct optline *w = by->line;
    r->effect = OPTION_SHADOWED;
    r->by = by;
    const bool above = is_persisted(w) || (is_command_line(w) && !is_command_line(r->line));
    if (above)
        r->marks |= OPTION_OVERRIDDEN;
    else if (!span_ends(w->file, DROPIN) && !(same_value(r, by) && same_spelling(r, by)))
        r->marks |= OPTION_DUPLICATE;
    struct buf b;
    buf_init(&b, a, 4096);
    buf_add_text(&b, is_persisted(w) ? "SET PERSIST wins: " : "set again later: ");
    optline_place(&b, w);
    if (same_value(r, by))
        buf_add_text(&b, ", to the same value");
    r->text = b.ptr;
}

struct entry {
    const char *name;
    size_t at;
};

static int compare_entries(const void *x, const void *y)
{
    const struct entry *a = x, *b = y;
    const int order = strcmp(a->name, b->name);
    if (order != 0)
        return order;
    return a->at < b->at ? -1 : a->at > b->at;
}

static void find_winners(const struct option_target *t, struct option_reading *r, size_t n,
                         struct arena *a)
{
    struct entry *list = arena_calloc(a, n + 1, sizeof(*list));
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        if (takes_part(&r[i]))
            list[used++] = (struct entry){option_storage(t, r[i].name), i};
    }
    qsort(list, used, sizeof(*list), compare_entries);
    for (size_t i = used; i > 0; i--) {
        struct option_reading *one = &r[list[i - 1].at];
        if (i == used || strcmp(list[i].name, list[i - 1].name) != 0)
            continue;
        const struct option_reading *next = &r[list[i].at];
        shadow(one, next->by != NULL ? next->by : next, a);
    }
}

size_t options_read(const struct catalogue *c, const struct option_target *t,
                    const struct optline *lines, size_t n, struct arena *a,
                    struct option_reading **ret)
{
    struct option_reading *r = arena_calloc(a, n + 1, sizeof(*r));
    for (size_t i = 0; i < n; i++)
        read_line(c, t, &lines[i], a, &r[i]);
    find_winners(t, r, n, a);
    option_pairs(t, r, n, a);
    *ret = r;
    return n;
}

const struct option_reading *option_winner(const struct option_reading *r, size_t n,
                                           const char *name)
{
    for (size_t i = n; i > 0; i--) {
        if (r[i - 1].effect == OPTION_IN_FORCE && (r[i - 1].marks & OPTION_MAXIMUM) == 0 &&
            strcmp(r[i - 1].name, name) == 0)
            return &r[i - 1];
    }
    return NULL;
}

/* ---- the fact ---- */

static bool lines_of(const struct store *s, const struct subject *server, struct span name,
                     struct arena *a, struct optline **ret, size_t *ret_n)
{
    const struct fact *f = store_get(s, server, name);
    if (f == NULL || f->state != FACT_KNOWN)
        return false;
    struct optline *lines = arena_calloc(a, f->value.n_items + 1, sizeof(*lines));
    size_t n = 0;
    for (size_t i = 0; i < f->value.n_items; i++)
        n += optline_read(a, f->value.items[i], &lines[n]) ? 1 : 0;
    *ret = lines;
    *ret_n = n;
    return true;
}

bool options_lines(const struct store *s, const struct subject *server, struct arena *a,
                   struct optline **ret, size_t *ret_n)
{
    return lines_of(s, server, SPAN_LIT("server.option.lines"), a, ret, ret_n);
}

bool option_other_lines(const struct store *s, const struct subject *server, struct arena *a,
                        struct optline **ret, size_t *ret_n)
{
    return lines_of(s, server, SPAN_LIT(OPTION_OTHER_LINES), a, ret, ret_n);
}
