/* The lines behind a counted fact, for reports: what each is, and what to do with it; and the second look
 * at persisted names when a plan is made. */
#include <stdlib.h>
#include <string.h>

#include "rules/catalogue_names.h"
#include "rules/option_facts.h"
#include "rules/ruleset.h"

#include "advisor/base/banned.h"

#define NEAR_MAX 32 /* names for which a near one is looked for: it takes a walk over all */

static const char *line_text(struct arena *a, struct span s)
{
    return span_dup(a, s);
}

/* MySQL before 5.7 took names that were cut short: the only one that begins so. */
static const char *longer_name(const struct catalogue *c, const struct option_target *t,
                               const char *name, struct arena *a)
{
    struct names_walk w;
    struct option_name one;
    const char *found = NULL;
    names_begin(&w, c, t->flavour, &t->version, span_of(name));
    while (names_next(&w, &one)) {
        if (one.presence != PRESENCE_YES && one.presence != PRESENCE_DEPRECATED)
            continue;
        if (found != NULL)
            return NULL;
        found = span_dup(a, one.name);
    }
    return found;
}

/* Another name to write, or remove. */
static void advise_name(const struct catalogue *c, const struct option_target *t,
                        const struct option_reading *r, size_t nth, struct arena *a,
                        struct option_item *item)
{
    const char *instead = option_instead(c, t, r->name, a);
    struct option_name near;
    if (instead[0] == '\0' && (r->marks & (OPTION_REMOVED | OPTION_FOREIGN)) == 0 &&
        (r->marks & OPTION_UNKNOWN) != 0 && nth < NEAR_MAX &&
        catalogue_near(c, t->flavour, &t->version, span_of(r->name), &near))
        instead = span_dup(a, near.name);
    else if (instead[0] == '\0' && (r->marks & OPTION_UNKNOWN) != 0 && nth < NEAR_MAX &&
             strlen(r->name) > 5) {
        const char *longer = longer_name(c, t, r->name, a);
        instead = longer != NULL ? longer : instead;
    }
    item->advice = instead[0] != '\0' ? "rename" : "remove";
    if (strcmp(item->advice, "rename") == 0)
        item->text = arena_printf(a, "%s; %s has %s", item->text, option_server_text(t, a),
                                  instead);
}

static void advise(const struct ruleset *rs, const struct option_judged *j, const char *fact,
                   const struct option_reading *r, size_t nth, struct arena *a,
                   struct option_item *item)
{
    static const struct {
        const char *part, *advice;
    } fixed[] = {
        {".clamped_", "set"},    {".float_", "set"},     {".duplicate_", "check"},
        {".conflict_", "check"}, {".bad_enum_", "change"}, {".persisted_", "check"},
    };
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++) {
        if (strstr(fact, fixed[i].part) != NULL) {
            item->advice = fixed[i].advice;
            return;
        }
    }
    advise_name(rs->catalogue, &j->target, r, nth, a, item);
}

static struct option_item item_of(const struct option_reading *r, struct arena *a)
{
    const struct optline *l = r->line;
    return (struct option_item){
        .setting = r->name,
        .advice = "check",
        .file = (r->marks & OPTION_PERSISTED) != 0 ? "" : line_text(a, l->file),
        .line = l->line,
        .value = l->has_value ? line_text(a, l->value) : "",
        .text = r->text,
    };
}

static size_t misplaced(const struct ruleset *rs, struct store *s, const struct option_judged *j,
                        struct arena *a, struct option_item **ret)
{
    struct optline *others;
    size_t n_others, n = 0;
    if (!option_other_lines(s, j->server, a, &others, &n_others))
        return 0;
    struct option_item *items = arena_calloc(a, n_others + 1, sizeof(*items));
    for (size_t i = 0; i < n_others; i++) {
        const char *name;
        if (!option_is_misplaced(j, rs->catalogue, &others[i], a, &name))
            continue;
        items[n++] = (struct option_item){
            .setting = name,
            .advice = "check",
            .file = line_text(a, others[i].file),
            .line = others[i].line,
            .value = "",
            .text = arena_printf(a, "no server reads the group [%.*s]", SPAN_ARG(others[i].group)),
        };
    }
    *ret = items;
    return n;
}

/* Drop-in lines that something overrides, named by what does. */
static size_t lost_lines(const struct option_judged *j, struct arena *a, struct option_item **ret)
{
    struct option_item *items = arena_calloc(a, j->n + 1, sizeof(*items));
    size_t n = 0;
    for (size_t i = 0; i < j->n; i++) {
        const struct option_reading *r = &j->readings[i];
        if (r->effect == OPTION_SHADOWED && span_ends(r->line->file, "/zz-nvadvise.cnf") &&
            !span_ends(r->by->line->file, "/zz-nvadvise.cnf"))
            items[n++] = item_of(r, a);
    }
    *ret = items;
    return n;
}

size_t options_items(const struct ruleset *rs, struct store *s, const struct subject *server,
                     const char *fact, struct arena *a, struct option_item **ret)
{
    struct option_judged j;
    const struct fact *why;
    const struct option_count *c = option_count_find(fact);
    const bool groups = strcmp(fact, "server.option.wrong_group_count") == 0;
    const bool dropin = strcmp(fact, "server.option.dropin_wins") == 0;
    *ret = NULL;
    if ((c == NULL && !groups && !dropin) || !option_judged_read(rs, s, server, a, &j, &why))
        return 0;
    if (groups)
        return misplaced(rs, s, &j, a, ret);
    if (dropin)
        return lost_lines(&j, a, ret);
    struct option_item *items = arena_calloc(a, j.n + 1, sizeof(*items));
    size_t n = 0;
    for (size_t i = 0; i < j.n; i++) {
        const struct option_reading *r = &j.readings[i];
        if (!c->has(r))
            continue;
        items[n] = item_of(r, a);
        advise(rs, &j, fact, r, n, a, &items[n]);
        n++;
    }
    *ret = items;
    return n;
}

/* ---- persisted names and the plan ---- */

static bool listed(const struct span *items, size_t n, struct span word)
{
    for (size_t i = 0; i < n; i++) {
        if (span_eq(items[i], word))
            return true;
    }
    return false;
}

bool options_is_persisted(const struct ruleset *rs, const struct store *s,
                          const struct subject *server, const char *name)
{
    ARENA_AUTO a = arena_new();
    struct optline *lines;
    size_t n;
    bool some = false;
    if (!options_lines(s, server, a, &lines, &n))
        return false;
    for (size_t i = 0; i < n && !some; i++)
        some = span_eq_text(lines[i].group, OPTLINE_PERSISTED);
    struct option_judged j;
    const struct fact *why;
    if (!some || !option_judged_read(rs, s, server, a, &j, &why))
        return false;
    const struct option_reading *w = option_winner(j.readings, j.n, name);
    return w != NULL && (w->marks & OPTION_PERSISTED) != 0;
}

/* Is the name counted already, for a line of a file? */
static bool counted(const struct span *items, size_t n, const char *name, struct arena *a)
{
    const char *begin = arena_printf(a, "%s at ", name);
    for (size_t i = 0; i < n; i++) {
        if (span_starts(items[i], begin))
            return true;
    }
    return false;
}

bool options_persisted_plan(const struct ruleset *rs, struct store *s,
                            const struct subject *server, const char *const *names, size_t n)
{
    static const char count[] = "server.option.persisted_count";
    static const char list[] = "server.option.persisted_names";
    ARENA_AUTO a = arena_new();
    struct option_judged j;
    const struct fact *why, *f = store_get(s, server, SPAN_LIT(list));
    if (f == NULL || f->state != FACT_KNOWN || !f->derived ||
        !option_judged_read(rs, s, server, a, &j, &why))
        return false;
    const size_t before = f->value.n_items;
    struct span *items = arena_calloc(a, before + n + 1, sizeof(*items));
    size_t used = before;
    for (size_t i = 0; i < before; i++)
        items[i] = f->value.items[i];
    for (size_t i = 0; i < n; i++) {
        const struct option_reading *w = option_winner(j.readings, j.n, names[i]);
        if (w == NULL || (w->marks & OPTION_PERSISTED) == 0)
            continue;
        const struct span word = span_of(arena_printf(a, "%s, which the plan sets", names[i]));
        if (!listed(items, used, word) && !counted(items, before, names[i], a))
            items[used++] = word;
    }
    if (used == before)
        return false;
    struct fact out = *f;
    out.value = value_words(a, KIND_LIST, items, used);
    store_set(s, server, list, &out);
    out.value = value_u64(KIND_COUNT, used);
    store_set(s, server, count, &out);
    return true;
}
