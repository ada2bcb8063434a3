/* Questions to the variable catalogue: is there such a variable in this version, what may it be, what
 * would a server do with a name. Knows nothing of the text that it was read from. */
#include "rules/catalogue.h"

#include "rules/catalogue_int.h"

#include "advisor/base/banned.h"

static const char *const flavours[FLAVOURS] = {
    [FLAVOUR_MYSQL] = "mysql",
    [FLAVOUR_PERCONA] = "percona",
    [FLAVOUR_MARIADB] = "mariadb",
};

const char *flavour_name(enum flavour f)
{
    return f < FLAVOURS ? flavours[f] : "?";
}

const char *flavour_title(enum flavour f)
{
    static const char *const titles[FLAVOURS] = {
        [FLAVOUR_MYSQL] = "MySQL",
        [FLAVOUR_PERCONA] = "Percona Server",
        [FLAVOUR_MARIADB] = "MariaDB",
    };
    return f < FLAVOURS ? titles[f] : "?";
}

bool flavour_from_name(struct span s, enum flavour *ret)
{
    for (unsigned i = 0; i < FLAVOURS; i++) {
        if (span_eq_text(s, flavours[i])) {
            *ret = (enum flavour)i;
            return true;
        }
    }
    return false;
}

const char *presence_name(enum presence p)
{
    switch (p) {
    case PRESENCE_YES:
        return "yes";
    case PRESENCE_DEPRECATED:
        return "deprecated";
    case PRESENCE_IGNORED:
        return "ignored";
    case PRESENCE_REFUSED:
        return "refused";
    case PRESENCE_UNKNOWN:
        return "unknown";
    }
    return "?";
}

/* ---- versions ---- */

bool same_series(const struct version *a, const struct version *b)
{
    return a->part[0] == b->part[0] && a->part[1] == b->part[1];
}

bool since_holds(const struct since *s, const struct version *at)
{
    if (s->n == 0 || version_cmp(at, &s->at[s->n - 1]) >= 0)
        return true;
    for (size_t i = 0; i + 1 < s->n; i++) {
        if (same_series(at, &s->at[i]) && version_cmp(at, &s->at[i]) >= 0)
            return true;
    }
    return false;
}

/* ---- names ---- */

static int compare_folded(struct span name, const char *with)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '-')
            c = '_';
        else if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (with[i] == '\0' || c != with[i])
            return (unsigned char)c < (unsigned char)with[i] ? -1 : 1;
    }
    return with[name.len] == '\0' ? 0 : -1;
}

const struct variable *catalogue_find(const struct catalogue *c, struct span name)
{
    size_t lo = 0, hi = c->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int order = compare_folded(name, c->variables[mid].name);
        if (order == 0)
            return &c->variables[mid];
        if (order < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}

size_t catalogue_count(const struct catalogue *c)
{
    return c->n;
}

const struct variable *catalogue_at(const struct catalogue *c, size_t i)
{
    return &c->variables[i];
}

struct version catalogue_newest(const struct catalogue *c, enum flavour f)
{
    return c->newest[f];
}

const char *variable_name(const struct variable *v)
{
    return v->name;
}

enum kind variable_kind(const struct variable *v)
{
    return v->kind;
}

const char *variable_values(const struct variable *v)
{
    return v->values;
}

const char *variable_values_at(const struct variable *v, enum flavour f, const struct version *at)
{
    const struct flavour_rows *r = &v->rows[f];
    if (f == FLAVOUR_PERCONA && r->n_words == 0)
        r = &v->rows[FLAVOUR_MYSQL];
    const char *words = NULL;
    for (size_t i = 0; i < r->n_words; i++) {
        if (since_holds(&r->words[i].from, at))
            words = r->words[i].words;
    }
    return words;
}

struct num variable_unit(const struct variable *v)
{
    return v->unit;
}

enum scratch variable_scratch(const struct variable *v)
{
    return v->scratch;
}

/* ---- one variable in one version ---- */

/* Percona Server has MySQL's, where nothing of its own is said. */
static const struct flavour_rows *rows_with_life(const struct variable *v, enum flavour f)
{
    const struct flavour_rows *own = &v->rows[f];
    bool borrow = f == FLAVOUR_PERCONA && !own->has_life && !own->has_default;
    return borrow ? &v->rows[FLAVOUR_MYSQL] : own;
}

static bool exists_anywhere(const struct flavour_rows *r)
{
    return r->has_life || r->has_default;
}

bool variable_exists(const struct variable *v, enum flavour f)
{
    return exists_anywhere(rows_with_life(v, f));
}

const char *variable_replaced_by(const struct variable *v, enum flavour f)
{
    if (f == FLAVOUR_PERCONA && v->replaced_by[f] == NULL)
        f = FLAVOUR_MYSQL;
    return v->replaced_by[f];
}

enum presence variable_presence(const struct variable *v, enum flavour f, const struct version *at)
{
    const struct flavour_rows *r = rows_with_life(v, f);
    if (!exists_anywhere(r))
        return PRESENCE_REFUSED;
    enum presence p = PRESENCE_YES;
    if (r->n_life > 0 && r->life[0].event == LIFE_INTRODUCED)
        p = PRESENCE_REFUSED;
    for (size_t i = 0; i < r->n_life; i++) {
        if (!since_holds(&r->life[i].from, at))
            continue;
        switch (r->life[i].event) {
        case LIFE_INTRODUCED:
            p = PRESENCE_YES;
            break;
        case LIFE_DEPRECATED:
            p = PRESENCE_DEPRECATED;
            break;
        case LIFE_IGNORED:
            p = PRESENCE_IGNORED;
            break;
        case LIFE_REFUSED:
            p = PRESENCE_REFUSED;
            break;
        }
    }
    return p;
}

bool variable_dynamic(const struct variable *v, enum flavour f, const struct version *at)
{
    const struct flavour_rows *r = &v->rows[f];
    if (f == FLAVOUR_PERCONA && !r->has_dynamic)
        r = &v->rows[FLAVOUR_MYSQL];
    bool dynamic = false;
    for (size_t i = 0; i < r->n_dynamic; i++) {
        if (since_holds(&r->dynamic[i].from, at))
            dynamic = r->dynamic[i].value;
    }
    return dynamic;
}

bool variable_range(const struct variable *v, enum flavour f, const struct version *at,
                    struct num *ret_min, struct num *ret_max, struct num *ret_step)
{
    const struct flavour_rows *r = &v->rows[f];
    if (f == FLAVOUR_PERCONA && !r->has_range)
        r = &v->rows[FLAVOUR_MYSQL];
    const struct dated_range *found = NULL;
    for (size_t i = 0; i < r->n_ranges; i++) {
        if (since_holds(&r->ranges[i].from, at))
            found = &r->ranges[i];
    }
    if (found == NULL)
        return false;
    *ret_min = found->min;
    *ret_max = found->max;
    *ret_step = found->step;
    return true;
}

bool variable_default(const struct variable *v, enum flavour f, const struct version *at,
                      struct value *ret)
{
    const struct flavour_rows *r = rows_with_life(v, f);
    const struct dated_default *found = NULL;
    for (size_t i = 0; i < r->n_defaults; i++) {
        if (since_holds(&r->defaults[i].from, at))
            found = &r->defaults[i];
    }
    if (found == NULL || found->automatic)
        return false;
    *ret = found->value;
    return true;
}

bool variable_refused_after(const struct variable *v, enum flavour f, const struct version *at,
                            struct version *ret)
{
    const struct flavour_rows *r = rows_with_life(v, f);
    bool found = false;
    for (size_t i = 0; i < r->n_life; i++) {
        for (size_t k = 0; k < r->life[i].from.n; k++) {
            const struct version *then = &r->life[i].from.at[k];
            if (version_cmp(then, at) <= 0 || variable_presence(v, f, then) != PRESENCE_REFUSED)
                continue;
            if (!found || version_cmp(then, ret) < 0)
                *ret = *then;
            found = true;
        }
    }
    return found;
}

/* The word of a list that is `word` but for its case, as the list spells it. */
static struct span spelt(const char *list, struct span word)
{
    struct span rest = span_of(list), one;
    while (span_split(&rest, ',', &one)) {
        one = span_trim(one);
        if (span_eq_nocase(one, word))
            return one;
    }
    return word;
}

bool variable_write(const struct variable *v, const struct value *value, struct buf *ret)
{
    if (value->kind == KIND_BOOL) {
        buf_add_text(ret, value->boolean ? "ON" : "OFF");
        return true;
    }
    if (value->kind == KIND_ENUM || value->kind == KIND_STRING) {
        buf_add_span(ret, v->values != NULL ? spelt(v->values, value->text) : value->text);
        return true;
    }
    if (!kind_is_numeric(value->kind) || value->num.tag == NUM_UNLIMITED)
        return false;
    struct num n;
    if (num_div(value->num, v->unit, &n) != NUM_OK)
        return false;
    /* An option file wants digits: "1e6" is read as 1 with the suffix of an exabyte. */
    if (n.tag != NUM_INT && v->kind != KIND_RATIO)
        return false;
    num_print(ret, n);
    return !span_has(buf_span(ret), 'e');
}

/* ---- names in an option file ---- */

static struct span without_loose(struct span name, bool *ret_loose)
{
    *ret_loose = name.len > 6 && span_eq_nocase(span_sub(name, 0, 5), SPAN_LIT("loose")) &&
                 (name.ptr[5] == '_' || name.ptr[5] == '-');
    return *ret_loose ? span_sub(name, 6, name.len) : name;
}

static void server_text(struct buf *b, enum flavour f, const struct version *at)
{
    buf_printf(b, "%s ", flavour_title(f));
    version_print(b, at);
}

enum presence catalogue_judge(const struct catalogue *c, enum flavour f, const struct version *at,
                              struct span name, struct buf *reason)
{
    bool loose;
    const struct variable *v = catalogue_find(c, without_loose(name, &loose));
    enum presence p = v == NULL ? PRESENCE_UNKNOWN : variable_presence(v, f, at);
    if (p == PRESENCE_REFUSED && loose)
        p = PRESENCE_IGNORED;
    switch (p) {
    case PRESENCE_YES:
        return p;
    case PRESENCE_DEPRECATED:
        buf_add_text(reason, "deprecated in ");
        break;
    case PRESENCE_IGNORED:
        buf_add_text(reason, "without effect in ");
        break;
    case PRESENCE_REFUSED:
        buf_add_text(reason, "not in ");
        break;
    case PRESENCE_UNKNOWN:
        buf_add_text(reason, "not in the catalogue; unknown to us in ");
        break;
    }
    server_text(reason, f, at);
    if (p == PRESENCE_REFUSED)
        buf_add_text(reason, ": the server does not start with it");
    return p;
}
