/* See profile.h. Knows nothing of where the texts come from. */
#include "rules/profile.h"

#include <string.h>

#include "advisor/base/near.h"

#include "advisor/base/banned.h"

#define PROFILES_MAX 100
#define NEAR_ENOUGH 3u
#define DEFAULT_PROFILE "durable"

struct reading {
    struct arena *arena;
    const struct ruleset *rs;
    const struct ini_file *file;
    struct err *err;
};

static bool wrong(const struct reading *r, const struct ini_section *s, unsigned line,
                  const char *what)
{
    return err_set(r->err, E_SYNTAX, "%s:%u: [%.*s] %s", r->file->name, line, SPAN_ARG(s->name),
                   what);
}

/* ---- parameters ---- */

static const char *nearest_param(const struct ruleset *rs, struct span name)
{
    const char *best = NULL;
    unsigned least = NEAR_ENOUGH + 1;
    for (size_t i = 0; i < rs->n_params; i++) {
        const unsigned d = near_distance(name, span_of(rs->params[i].name));
        if (d < least) {
            least = d;
            best = rs->params[i].name;
        }
    }
    return best;
}

static bool find_param(const struct reading *r, const struct ini_section *s,
                       const struct ini_entry *e, size_t *ret)
{
    for (size_t i = 0; i < r->rs->n_params; i++) {
        if (span_eq_text(e->key, r->rs->params[i].name)) {
            *ret = i;
            return true;
        }
    }
    (void)wrong(r, s, e->line,
                arena_printf(r->arena, "there is no parameter '%.*s'", SPAN_ARG(e->key)));
    const char *near = nearest_param(r->rs, e->key);
    if (near != NULL) {
        err_hint(r->err, "Did you mean '%s'?", near);
    } else {
        err_hint(r->err, "'nvadvise explain RULE' shows the parameters of a rule.");
    }
    return false;
}

static bool in_range(const struct param *p, const struct value *v)
{
    return !p->has_range ||
           (num_cmp(p->min.num, v->num) <= 0 && num_cmp(v->num, p->max.num) <= 0);
}

static bool read_value(const struct reading *r, const struct ini_section *s,
                       const struct ini_entry *e, struct profile_value *ret)
{
    if (!find_param(r, s, e, &ret->param)) {
        return false;
    }
    const struct param *p = &r->rs->params[ret->param];
    struct err err = ERR_INIT;
    if (!value_read(r->arena, p->type.kind, NULL, false, e->value, &ret->value, &err)) {
        return wrong(r, s, e->line, arena_printf(r->arena, "%s: %s", p->name, err.text));
    }
    if (in_range(p, &ret->value)) {
        return true;
    }
    struct buf b;
    buf_init(&b, r->arena, 512);
    buf_printf(&b, "%s: '%.*s' is not between ", p->name, SPAN_ARG(e->value));
    value_print_literal(&b, &p->min);
    buf_add_text(&b, " and ");
    value_print_literal(&b, &p->max);
    return wrong(r, s, e->line, b.ptr);
}

static void add_value(struct arena *a, struct profile_value **list, size_t *n,
                      const struct profile_value *v)
{
    *list = arena_list_room(a, *list, *n, sizeof(*v));
    (*list)[(*n)++] = *v;
}

/* ---- one profile ---- */

static bool read_requires(const struct reading *r, const struct ini_section *s,
                          const struct ini_entry *e, unsigned *ret)
{
    static const struct {
        const char *word;
        enum need need;
    } rows[] = {{"bench", NEED_BENCH},
                {"sample", NEED_SAMPLE},
                {"root", NEED_ROOT},
                {"history", NEED_HISTORY}};
    struct span rest = e->value, word;
    while (span_split(&rest, ',', &word)) {
        size_t i = 0;
        word = span_trim(word);
        while (i < ARRAY_LEN(rows) && !span_eq_text(word, rows[i].word)) {
            i++;
        }
        if (i == ARRAY_LEN(rows)) {
            return wrong(r, s, e->line,
                         arena_printf(r->arena, "requires: '%.*s' is not one of bench, sample, "
                                                "root, history",
                                      SPAN_ARG(word)));
        }
        *ret |= (unsigned)rows[i].need;
    }
    return true;
}

static bool begin_with(const struct reading *r, const struct ini_section *s,
                       const struct profiles *all, struct profile *p)
{
    const struct ini_entry *e = ini_entry(s, "based_on");
    if (e == NULL) {
        return true;
    }
    const struct profile *base = profiles_find(all, span_dup(r->arena, e->value));
    if (base == NULL) {
        return wrong(r, s, e->line, "based_on: there is no such profile above");
    }
    p->requires = base->requires;
    for (size_t i = 0; i < base->n_values; i++) {
        add_value(r->arena, &p->values, &p->n_values, &base->values[i]);
    }
    return true;
}

static bool read_keys(const struct reading *r, const struct ini_section *s, struct profile *p)
{
    for (size_t i = 0; i < s->n_entries; i++) {
        const struct ini_entry *e = &s->entries[i];
        struct profile_value v;
        if (span_eq_text(e->key, "meaning")) {
            p->meaning = span_dup(r->arena, e->value);
        } else if (span_eq_text(e->key, "requires")) {
            if (!read_requires(r, s, e, &p->requires)) {
                return false;
            }
        } else if (!span_eq_text(e->key, "based_on")) {
            if (!read_value(r, s, e, &v)) {
                return false;
            }
            add_value(r->arena, &p->values, &p->n_values, &v);
        }
    }
    return (p->meaning != NULL && p->meaning[0] != '\0') || wrong(r, s, s->line, "no meaning");
}

static bool read_profile(const struct reading *r, const struct ini_section *s, const char *name,
                         const char *origin, struct profiles *all)
{
    struct profile p = {.name = name, .origin = origin};
    const struct profile *old = profiles_find(all, name);
    if (old != NULL) {
        return wrong(r, s, s->line,
                     arena_printf(r->arena, "the profile is there already (%s)", old->origin));
    }
    if (all->n == PROFILES_MAX) {
        return wrong(r, s, s->line, "too many profiles");
    }
    if (!begin_with(r, s, all, &p) || !read_keys(r, s, &p)) {
        return false;
    }
    all->items = arena_list_room(r->arena, all->items, all->n, sizeof(p));
    all->items[all->n++] = p;
    return true;
}

/* ---- the site ---- */

static bool read_general(const struct reading *r, const struct ini_section *s,
                         struct profiles *all)
{
    for (size_t i = 0; i < s->n_entries; i++) {
        const struct ini_entry *e = &s->entries[i];
        const char *value = span_dup(r->arena, e->value);
        if (span_eq_text(e->key, "profile")) {
            all->chosen = value;
        } else if (!span_eq_text(e->key, "waivers")) {
            return wrong(r, s, e->line, arena_printf(r->arena, "unknown key '%.*s'; there are "
                                                               "profile and waivers",
                                                     SPAN_ARG(e->key)));
        } else if (value[0] != '/') {
            return wrong(r, s, e->line, "waivers: not an absolute path");
        } else {
            all->waivers = value;
        }
    }
    return true;
}

static bool read_parameters(const struct reading *r, const struct ini_section *s,
                            struct profiles *all)
{
    for (size_t i = 0; i < s->n_entries; i++) {
        struct profile_value v;
        if (!read_value(r, s, &s->entries[i], &v)) {
            return false;
        }
        add_value(r->arena, &all->site, &all->n_site, &v);
    }
    return true;
}

static bool read_site(const struct reading *r, struct profiles *all)
{
    all->site_name = r->file->name;
    for (size_t i = 0; i < r->file->n_sections; i++) {
        const struct ini_section *s = &r->file->sections[i];
        bool ok;
        if (span_eq_text(s->name, "nvadvise")) {
            ok = read_general(r, s, all);
        } else if (span_eq_text(s->name, "parameters")) {
            ok = read_parameters(r, s, all);
        } else if (span_starts(s->name, "profile ")) {
            const struct span name = span_trim(span_sub(s->name, 8, s->name.len));
            ok = read_profile(r, s, span_dup(r->arena, name), r->file->name, all);
        } else {
            ok = wrong(r, s, s->line, "unknown section; there are [nvadvise], [parameters] and "
                                      "[profile NAME]");
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

/* ---- public ---- */

bool profiles_load(struct arena *a, const struct ruleset *rs, const struct ini_file *builtin,
                   const struct ini_file *site, struct profiles *ret, struct err *reterr)
{
    struct profiles all = {0};
    const struct reading own = {a, rs, builtin, reterr}, theirs = {a, rs, site, reterr};
    for (size_t i = 0; i < builtin->n_sections; i++) {
        const struct ini_section *s = &builtin->sections[i];
        if (!read_profile(&own, s, span_dup(a, s->name), "built in", &all)) {
            return false;
        }
    }
    if (profiles_find(&all, DEFAULT_PROFILE) == NULL) { /* texts without profiles of their own */
        all.items = arena_list_room(a, all.items, all.n, sizeof(*all.items));
        all.items[all.n++] = (struct profile){
            .name = DEFAULT_PROFILE, .meaning = "every parameter at its default", .origin = "built in"};
    }
    if (site != NULL && !read_site(&theirs, &all)) {
        return false;
    }
    *ret = all;
    return true;
}

const struct profile *profiles_find(const struct profiles *p, const char *name)
{
    for (size_t i = 0; i < p->n; i++) {
        if (strcmp(p->items[i].name, name) == 0) {
            return &p->items[i];
        }
    }
    return NULL;
}

static bool no_profile(const struct profiles *p, const char *name, struct arena *a,
                       struct err *reterr)
{
    struct buf b;
    buf_init(&b, a, 4096);
    for (size_t i = 0; i < p->n; i++) {
        buf_printf(&b, "%s%s", i > 0 ? ", " : "", p->items[i].name);
    }
    (void)err_set(reterr, E_USAGE, "there is no profile '%s'", name);
    return err_hint(reterr, "There are: %s.", b.ptr);
}

static void set_params(struct ruleset *rs, const struct profile_value *values, size_t n,
                       const char *origin)
{
    for (size_t i = 0; i < n; i++) {
        struct param *const p = &rs->params[values[i].param];
        p->value = values[i].value;
        p->origin = origin;
    }
}

bool profiles_apply(const struct profiles *p, const char *name, struct ruleset *rs,
                    const struct profile **ret, struct err *reterr)
{
    const char *wanted = name != NULL ? name : p->chosen != NULL ? p->chosen : DEFAULT_PROFILE;
    const struct profile *chosen = profiles_find(p, wanted);
    if (chosen == NULL) {
        return no_profile(p, wanted, rs->arena, reterr);
    }
    set_params(rs, chosen->values, chosen->n_values,
               arena_printf(rs->arena, "profile %s", chosen->name));
    set_params(rs, p->site, p->n_site, p->site_name);
    rs->required = chosen->requires;
    *ret = chosen;
    return true;
}
