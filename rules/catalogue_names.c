/* Lists of option names: searched as the text that they are, so that loading costs nothing. Knows nothing of
 * what the options mean. */
#include "rules/catalogue_names.h"

#include <string.h>

#include "advisor/base/near.h"
#include "rules/catalogue_int.h"

#include "advisor/base/banned.h"

#define SERIES_MAX 16

/* ---- names ---- */

static char folded(char c)
{
    if (c == '-')
        return '_';
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

int names_compare(struct span a, struct span b)
{
    for (size_t i = 0; i < a.len && i < b.len; i++) {
        unsigned char x = (unsigned char)folded(a.ptr[i]), y = (unsigned char)folded(b.ptr[i]);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return (a.len > b.len) - (a.len < b.len);
}

static bool begins(struct span name, struct span prefix)
{
    return name.len >= prefix.len && names_compare(span_sub(name, 0, prefix.len), prefix) == 0;
}

static struct span first_word(struct span line)
{
    struct span word = {line.ptr, 0};
    (void)span_word(&line, &word);
    return word;
}

/* ---- a list ---- */

static bool read_header(struct arena *a, struct name_list *l, struct span line)
{
    struct span word, one;
    if (line.len == 0 || line.ptr[0] == '#')
        return true;
    if (line.ptr[0] != '@' || !span_word(&line, &word))
        return false;
    if (span_eq_text(word, "@family")) {
        while (span_word(&line, &one)) {
            l->families = arena_list_room(a, l->families, l->n_families, sizeof(one));
            l->families[l->n_families++] = one;
        }
    } else if (span_word(&line, &one)) {
        struct version *v = span_eq_text(word, "@oldest") ? &l->oldest : &l->newest;
        (void)version_parse_exact(one, v);
    }
    return true;
}

void catalogue_names_set(struct catalogue *c, enum flavour f, struct span list)
{
    struct name_list l = {.text = list};
    struct span rest = list, line;
    while (span_line(&rest, &line) && read_header(c->arena, &l, line))
        l.text = rest;
    c->names[f] = l;
}

/* From the first line on whose name is not before `name`. */
static struct span from_name(struct span text, struct span name)
{
    size_t lo = 0, hi = text.len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2, start = mid;
        while (start > lo && text.ptr[start - 1] != '\n')
            start--;
        struct span rest = span_sub(text, start, hi - start), line;
        if (!span_line(&rest, &line))
            break;
        if (names_compare(first_word(line), name) < 0)
            lo = (size_t)(rest.ptr - text.ptr);
        else
            hi = start;
    }
    return span_sub(text, lo, text.len - lo);
}

static bool find_line(const struct name_list *l, struct span name, struct span *ret)
{
    struct span rest = from_name(l->text, name);
    return span_line(&rest, ret) && names_compare(first_word(*ret), name) == 0;
}

/* ---- a line ---- */

static bool event_holds(struct span versions, const struct version *at)
{
    struct version part[SERIES_MAX];
    struct since s = {.at = part};
    struct span one;
    while (s.n < SERIES_MAX && span_split(&versions, '/', &one) &&
           version_parse_exact(one, &part[s.n]))
        s.n++;
    return since_holds(&s, at);
}

static bool presence_of(char event, enum presence *ret)
{
    static const struct {
        char event;
        enum presence presence;
    } events[] = {
        {'+', PRESENCE_YES},     {'-', PRESENCE_REFUSED}, {'!', PRESENCE_IGNORED},
        {'d', PRESENCE_DEPRECATED}, {'?', PRESENCE_UNKNOWN},
    };
    for (size_t i = 0; i < ARRAY_LEN(events); i++) {
        if (events[i].event == event) {
            *ret = events[i].presence;
            return true;
        }
    }
    return false;
}

/* The list is silent of what is older than it: a name that is in its first version may be older or not. */
static void read_line(const struct name_list *l, struct span line, const struct version *at,
                      struct option_name *ret)
{
    struct span word;
    bool first = true;
    *ret = (struct option_name){.presence = PRESENCE_YES, .listed = true};
    (void)span_word(&line, &ret->name);
    if (version_cmp(at, &l->oldest) < 0)
        ret->presence = PRESENCE_UNKNOWN;
    while (span_word(&line, &word)) {
        struct span versions = span_sub(word, 1, word.len - 1);
        enum presence then;
        if (word.ptr[0] == '=') {
            ret->instead = versions;
            continue;
        }
        if (!presence_of(word.ptr[0], &then))
            continue;
        if (first && versions.len > 0 && (word.ptr[0] == '+' || word.ptr[0] == '?'))
            ret->presence = PRESENCE_REFUSED;
        if (event_holds(versions, at) &&
            (versions.len > 0 || version_cmp(at, &l->oldest) >= 0))
            ret->presence = then;
        first = false;
    }
}

/* ---- questions ---- */

/* A flavour's own list goes before the one that it builds on. */
static const struct name_list *lists_of(const struct catalogue *c, enum flavour f, unsigned i)
{
    if (i == 0)
        return &c->names[f];
    return f == FLAVOUR_PERCONA ? &c->names[FLAVOUR_MYSQL] : NULL;
}

static bool find_listed(const struct catalogue *c, enum flavour f, const struct version *at,
                        struct span name, struct option_name *ret)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct name_list *l = lists_of(c, f, i);
        struct span line;
        if (l != NULL && find_line(l, name, &line)) {
            read_line(l, line, at, ret);
            return true;
        }
    }
    return false;
}

/* Of a name in no list: a plugin's, or of a version that the lists do not reach. */
static bool cannot_tell(const struct catalogue *c, enum flavour f, const struct version *at,
                        struct span name)
{
    bool any = false;
    if (span_has(name, '.'))
        return true; /* a component's: they are loaded later, and bring names of their own */
    for (unsigned i = 0; i < 2; i++) {
        const struct name_list *l = lists_of(c, f, i);
        if (l == NULL || l->newest.n == 0)
            continue;
        any = true;
        for (size_t k = 0; k < l->n_families; k++) {
            if (begins(name, l->families[k]))
                return true;
        }
        /* Within a release series names hardly ever come; later series bring some. */
        if (version_cmp(at, &l->oldest) < 0 ||
            (version_cmp(at, &l->newest) > 0 && !same_series(at, &l->newest)))
            return true;
    }
    return !any;
}

/* Of the name that took another's place. */
static bool is_there(const struct catalogue *c, enum flavour f, const struct version *at,
                     struct span name)
{
    const struct variable *v = catalogue_find(c, name);
    struct option_name found = {.presence = PRESENCE_REFUSED};
    (void)find_listed(c, f, at, name, &found);
    if (v != NULL && variable_exists(v, f))
        found.presence = variable_presence(v, f, at);
    return found.presence == PRESENCE_YES || found.presence == PRESENCE_DEPRECATED;
}

enum presence names_listed(const struct catalogue *c, enum flavour f, const struct version *at,
                           struct span name, struct option_name *ret)
{
    *ret = (struct option_name){.name = name, .presence = PRESENCE_REFUSED};
    if (!find_listed(c, f, at, name, ret) && cannot_tell(c, f, at, name))
        ret->presence = PRESENCE_UNKNOWN;
    return ret->presence;
}

enum presence catalogue_name(const struct catalogue *c, enum flavour f, const struct version *at,
                             struct span name, struct option_name *ret)
{
    const struct variable *v = catalogue_find(c, name);
    struct option_name found;
    (void)names_listed(c, f, at, name, &found);
    if (v != NULL && variable_exists(v, f)) {
        found.presence = variable_presence(v, f, at);
        if (!found.listed)
            found.name = span_of(variable_name(v));
        found.listed = true;
    }
    if (v != NULL && variable_replaced_by(v, f) != NULL)
        found.instead = span_of(variable_replaced_by(v, f));
    if (found.instead.len > 0 && !is_there(c, f, at, found.instead))
        found.instead = (struct span){NULL, 0};
    if (ret != NULL)
        *ret = found;
    return found.presence;
}

/* ---- the walk ---- */

void names_begin(struct names_walk *w, const struct catalogue *c, enum flavour f,
                 const struct version *at, struct span prefix)
{
    *w = (struct names_walk){.c = c, .flavour = f, .at = *at, .prefix = prefix};
    for (unsigned i = 0; i < 2; i++) {
        const struct name_list *l = lists_of(c, f, i);
        if (l != NULL)
            w->rest[i] = from_name(l->text, prefix);
    }
}

/* The next name of both lists; the same name of both is one. */
static bool next_name(struct names_walk *w, struct span *ret)
{
    struct span line, after[2], name[2] = {{NULL, 0}, {NULL, 0}};
    bool has[2];
    for (unsigned i = 0; i < 2; i++) {
        after[i] = w->rest[i];
        has[i] = span_line(&after[i], &line);
        if (has[i])
            name[i] = first_word(line);
        has[i] = has[i] && begins(name[i], w->prefix);
    }
    if (!has[0] && !has[1])
        return false;
    int order = !has[1] ? -1 : !has[0] ? 1 : names_compare(name[0], name[1]);
    *ret = order <= 0 ? name[0] : name[1];
    if (order <= 0)
        w->rest[0] = after[0];
    if (order >= 0)
        w->rest[1] = after[1];
    return true;
}

bool names_next(struct names_walk *w, struct option_name *ret)
{
    struct span name;
    while (next_name(w, &name)) {
        if (name.len > 0 &&
            catalogue_name(w->c, w->flavour, &w->at, name, ret) != PRESENCE_REFUSED)
            return true;
    }
    return false;
}

bool catalogue_near(const struct catalogue *c, enum flavour f, const struct version *at,
                    struct span name, struct option_name *ret)
{
    char copy[NEAR_WORD_MAX];
    if (name.len == 0 || name.len >= sizeof(copy))
        return false;
    for (size_t i = 0; i < name.len; i++)
        copy[i] = folded(name.ptr[i]);
    unsigned best = (unsigned)name.len / 3 + 1; /* more than a letter in three is another word */
    struct names_walk w;
    struct option_name one;
    bool found = false;
    names_begin(&w, c, f, at, (struct span){"", 0});
    while (names_next(&w, &one)) {
        unsigned d = near_distance((struct span){copy, name.len}, one.name);
        if (d >= best || one.presence == PRESENCE_IGNORED)
            continue;
        best = d;
        *ret = one;
        found = true;
    }
    return found;
}

/* MariaDB passes over some names of MySQL: they are not its own. */
static bool only_tolerated(struct span line)
{
    struct span word;
    return span_word(&line, &word) && span_word(&line, &word) && span_eq_text(word, "!");
}

bool catalogue_foreign(const struct catalogue *c, enum flavour f, struct span name,
                       enum flavour *ret)
{
    static const enum flavour mysql[] = {FLAVOUR_MYSQL, FLAVOUR_PERCONA};
    static const enum flavour maria[] = {FLAVOUR_MARIADB};
    bool is_maria = f == FLAVOUR_MARIADB;
    const enum flavour *others = is_maria ? mysql : maria;
    const struct variable *v = catalogue_find(c, name);
    struct span line;
    for (size_t i = 0; i < (is_maria ? ARRAY_LEN(mysql) : ARRAY_LEN(maria)); i++) {
        bool has = find_line(&c->names[others[i]], name, &line) && !only_tolerated(line);
        if (!has && (v == NULL || !variable_exists(v, others[i])))
            continue;
        *ret = others[i];
        return true;
    }
    return false;
}
