/* The facts as they would be after a restart with the plan. Knows nothing of how a plan is made. */
#include "rules/plan_int.h"

#include "advisor/base/banned.h"

static bool known(const struct fact *f)
{
    return f != NULL && f->state == FACT_KNOWN;
}

/* What was computed rests on what is replaced: engine_derive works it out anew. */
static void drop_derived(struct store *s)
{
    for (size_t i = 0; i < store_subjects(s); i++) {
        const struct subject *sub = store_subject_at(s, i);
        const struct fact_row *rows;
        size_t n = store_facts(s, sub, &rows);
        for (size_t k = 0; k < n; k++) {
            if (rows[k].fact->derived)
                store_unset(s, sub, rows[k].name);
        }
    }
}

/* Files that grow take free space from their volume. */
static void take_space(struct store *s, const struct plan_line *line)
{
    const struct expr *on = line->setting->grows_on;
    const struct fact *old = store_get(s, line->subject, span_of(line->setting->in_force->ref.fact));
    struct num growth;
    if (on == NULL || !known(old) ||
        num_sub(line->planned.num, old->value.num, &growth) != NUM_OK)
        return;
    const struct subject *const *volumes;
    size_t n = store_volumes(s, line->subject, (enum role)on->ref.role, &volumes);
    for (size_t i = 0; i < n; i++) {
        const struct fact *free = store_get(s, volumes[i], span_of(on->ref.fact));
        struct num left;
        if (!known(free) || num_sub(free->value.num, growth, &left) != NUM_OK)
            continue;
        struct fact f = *free;
        f.value.num = left.neg ? num_u64(0) : left;
        store_set(s, volumes[i], on->ref.fact, &f);
    }
}

/* Whose fact it is: a server's line may set what the whole host has. */
static const struct subject *owner_of(const struct store *s, const struct plan_line *line,
                                      const char *name)
{
    const struct subject *const *hosts;
    return span_starts(span_of(name), "host.") && store_subjects_of(s, SUBJECT_HOST, &hosts) > 0
               ? hosts[0]
               : line->subject;
}

static void put(struct store *s, const struct plan_line *line, const char *name, struct value v)
{
    struct fact f = {
        .state = FACT_KNOWN, .value = v, .reason = "", .remedy = "", .source = "plan",
        .overridden = line->overridden,
    };
    store_set(s, owner_of(s, line, name), name, &f);
}

static void put_line(struct arena *a, struct store *s, const struct plan_line *line)
{
    take_space(s, line);
    put(s, line, line->setting->in_force->ref.fact, line->planned);
    for (size_t i = 0; i < line->n_effects; i++)
        put(s, line, line->effects[i].fact, line->effects[i].value);
    if (line->where != WHERE_OPTION_FILE)
        return;
    struct value v = line->new_value;
    if (v.kind == KIND_ENUM)
        v = value_text(KIND_ENUM, span_of(line->new_text));
    put(s, line, arena_printf(a, "server.var.%s", line->variable), v);
}

void plan_overlay(const struct plan *p, struct store *s)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->lines[i].line != LINE_COMMENT)
            put_line(store_arena(s), s, &p->lines[i]);
    }
    drop_derived(s);
}
