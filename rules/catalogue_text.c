/* A variable's history in one flavour, for people. Knows the rows of the catalogue and nothing else. */
#include "rules/catalogue_int.h"

#include "advisor/base/banned.h"

static void add_since(struct buf *b, const struct since *s)
{
    for (size_t i = 0; i < s->n; i++) {
        buf_add_text(b, i == 0 ? " " : "/");
        version_print(b, &s->at[i]);
    }
}

static void add_separator(struct buf *b, bool *first, const char *title)
{
    buf_add_text(b, *first ? (b->len > 0 ? "; " : "") : ", ");
    buf_add_text(b, *first ? title : "");
    *first = false;
}

static void add_life(struct buf *b, const struct flavour_rows *r)
{
    static const char *const words[] = {
        [LIFE_INTRODUCED] = "introduced",
        [LIFE_DEPRECATED] = "deprecated",
        [LIFE_IGNORED] = "without effect from",
        [LIFE_REFUSED] = "refused from",
    };
    bool first = true;
    for (size_t i = 0; i < r->n_life; i++) {
        add_separator(b, &first, "");
        buf_add_text(b, words[r->life[i].event]);
        add_since(b, &r->life[i].from);
    }
}

static void add_from(struct buf *b, const struct since *s)
{
    if (s->n > 0) {
        buf_add_text(b, " from");
        add_since(b, s);
    }
}

static void add_defaults(struct buf *b, const struct flavour_rows *r)
{
    bool first = true;
    for (size_t i = 0; i < r->n_defaults; i++) {
        add_separator(b, &first, "default ");
        if (r->defaults[i].automatic) {
            buf_add_text(b, "worked out by the server");
        } else {
            value_print(b, &r->defaults[i].value);
        }
        add_from(b, &r->defaults[i].from);
    }
}

static void add_number(struct buf *b, const struct variable *v, struct num n)
{
    const struct value value = value_num(v->kind, n);
    value_print(b, &value);
}

static void add_ranges(struct buf *b, const struct variable *v, const struct flavour_rows *r)
{
    bool first = true;
    for (size_t i = 0; i < r->n_ranges; i++) {
        const struct dated_range *range = &r->ranges[i];
        add_separator(b, &first, "range ");
        add_number(b, v, range->min);
        buf_add_text(b, " to ");
        add_number(b, v, range->max);
        if (!num_is_zero(range->step)) {
            buf_add_text(b, " in steps of ");
            add_number(b, v, range->step);
        }
        add_from(b, &range->from);
    }
}

static void add_dynamic(struct buf *b, const struct flavour_rows *r)
{
    bool first = true;
    for (size_t i = 0; i < r->n_dynamic; i++) {
        add_separator(b, &first, "");
        buf_add_text(b, r->dynamic[i].value ? "SET GLOBAL works" : "only at start");
        add_from(b, &r->dynamic[i].from);
    }
}

void variable_history(const struct variable *v, enum flavour f, struct buf *b)
{
    const struct flavour_rows *r = &v->rows[f];
    add_life(b, r);
    add_defaults(b, r);
    add_ranges(b, v, r);
    add_dynamic(b, r);
    if (b->len == 0 && f != FLAVOUR_PERCONA) { /* Percona Server has what MySQL has */
        buf_add_text(b, "not there: the server does not start with it");
    }
}
