/* The keys of one flavour in a section of the catalogue: life, defaults, ranges, dynamic, each a list of
 * entries that begin with some version. Knows nothing of the other keys. */
#include "rules/catalogue_int.h"

#include "advisor/base/banned.h"

#define SERIES_MAX 16

/* ---- versions ---- */

static bool read_since(struct catalogue_reader *l, struct span text, struct since *ret)
{
    struct version *at = arena_calloc(l->arena, SERIES_MAX, sizeof(*at));
    struct span rest = text, one;
    size_t n = 0;
    while (span_split(&rest, '/', &one)) {
        if (n == SERIES_MAX || !version_parse_exact(one, &at[n])) {
            catalogue_complain(l, "'%.*s' is no version (A.B, A.B.C, or several joined by '/')",
                     SPAN_ARG(text));
            return false;
        }
        if (n > 0 && version_cmp(&at[n - 1], &at[n]) >= 0) {
            catalogue_complain(l, "the versions of '%.*s' do not ascend", SPAN_ARG(text));
            return false;
        }
        n++;
    }
    *ret = (struct since){at, n};
    if (n == 0)
        catalogue_complain(l, "a version is missing");
    return n > 0;
}

/* The end of an entry: nothing, or "from VERSION". */
static bool read_from(struct catalogue_reader *l, struct span *rest, struct since *ret)
{
    struct span word, version, more;
    *ret = (struct since){NULL, 0};
    if (!span_word(rest, &word))
        return true;
    if (!span_eq_text(word, "from") || !span_word(rest, &version) || span_word(rest, &more)) {
        catalogue_complain(l, "'%.*s' stands where 'from VERSION' or ',' is wanted", SPAN_ARG(word));
        return false;
    }
    return read_since(l, version, ret);
}

/* ---- the keys of a flavour; `entry` is one piece of the comma list ---- */

static bool read_life(struct catalogue_reader *l, struct span entry, struct dated_event *ret)
{
    struct span word = {NULL, 0}, version = {NULL, 0}, how;
    bool two = span_word(&entry, &word) && span_word(&entry, &version);
    bool three = span_word(&entry, &how);
    if (two && span_eq_text(word, "introduced") && !three) {
        ret->event = LIFE_INTRODUCED;
    } else if (two && span_eq_text(word, "deprecated") && !three) {
        ret->event = LIFE_DEPRECATED;
    } else if (two && three && span_eq_text(word, "removed") && span_eq_text(how, "accepted")) {
        ret->event = LIFE_IGNORED;
    } else if (two && three && span_eq_text(word, "removed") && span_eq_text(how, "refused")) {
        ret->event = LIFE_REFUSED;
    } else {
        catalogue_complain(l, "'%.*s': write introduced VERSION, deprecated VERSION, removed VERSION "
                    "accepted, or removed VERSION refused", SPAN_ARG(word));
        return false;
    }
    return read_since(l, version, &ret->from);
}

static bool read_default(struct catalogue_reader *l, const struct variable *v, struct span entry,
                         struct dated_default *ret)
{
    struct span word;
    if (!span_word(&entry, &word)) {
        catalogue_complain(l, "a default is missing");
        return false;
    }
    ret->automatic = span_eq_text(word, "auto");
    struct err err = ERR_INIT;
    if (!ret->automatic &&
        !value_read(l->arena, v->kind, v->values, false, word, &ret->value, &err)) {
        catalogue_complain(l, "default: %s", err.text);
        return false;
    }
    return read_from(l, &entry, &ret->from);
}

static bool read_number(struct catalogue_reader *l, const struct variable *v, struct span word, struct num *ret)
{
    struct value value;
    struct err err = ERR_INIT;
    if (!kind_is_numeric(v->kind)) {
        catalogue_complain(l, "a %s has no range", kind_name(v->kind));
        return false;
    }
    if (!value_read(l->arena, v->kind, NULL, false, word, &value, &err)) {
        catalogue_complain(l, "range: %s", err.text);
        return false;
    }
    *ret = value.num;
    return true;
}

static bool read_range(struct catalogue_reader *l, const struct variable *v, struct span entry,
                       struct dated_range *ret)
{
    struct span min, max, word;
    if (!span_word(&entry, &min) || !span_word(&entry, &max)) {
        catalogue_complain(l, "a range is MIN MAX [step STEP] [from VERSION]");
        return false;
    }
    ret->step = num_u64(0);
    if (!read_number(l, v, min, &ret->min) || !read_number(l, v, max, &ret->max))
        return false;
    if (num_cmp(ret->min, ret->max) > 0) {
        catalogue_complain(l, "the range '%.*s %.*s' is empty", SPAN_ARG(min), SPAN_ARG(max));
        return false;
    }
    struct span rest = entry;
    if (span_word(&rest, &word) && span_eq_text(word, "step")) {
        if (!span_word(&rest, &word)) {
            catalogue_complain(l, "a step is missing");
            return false;
        }
        if (!read_number(l, v, word, &ret->step))
            return false;
        if (ret->step.neg || num_is_zero(ret->step) || ret->step.tag == NUM_UNLIMITED) {
            catalogue_complain(l, "a step is more than nothing");
            return false;
        }
        entry = rest;
    }
    return read_from(l, &entry, &ret->from);
}

static bool read_dynamic(struct catalogue_reader *l, struct span entry, struct dated_bool *ret)
{
    struct span word, rest = entry;
    if (!span_word(&rest, &word)) {
        catalogue_complain(l, "dynamic is yes, no, or from VERSION");
        return false;
    }
    ret->value = span_eq_text(word, "yes") || span_eq_text(word, "from");
    if (!ret->value && !span_eq_text(word, "no")) {
        catalogue_complain(l, "dynamic '%.*s' is none of yes, no, from VERSION", SPAN_ARG(word));
        return false;
    }
    if (span_eq_text(word, "from"))
        rest = entry;
    return read_from(l, &rest, &ret->from);
}

/* Words with '|' between them: a ',' begins the next entry. */
static bool read_words(struct catalogue_reader *l, const struct variable *v, struct span entry,
                       struct dated_words *ret)
{
    struct buf b;
    struct span rest = entry, word;
    bool again = false;
    buf_init(&b, l->arena, entry.len * 2);
    while (span_word(&rest, &word) && !span_eq_text(word, "from")) {
        struct value value;
        struct err err = ERR_INIT;
        if (again != span_eq_text(word, "|")) {
            catalogue_complain(l, "words are written A | B | C [from VERSION]");
            return false;
        }
        if (!again && v->values != NULL &&
            !value_read(l->arena, KIND_ENUM, v->values, false, word, &value, &err)) {
            catalogue_complain(l, "%s", err.text);
            return false;
        }
        buf_add_text(&b, again ? ", " : "");
        if (!again)
            buf_add_span(&b, word);
        again = !again;
        entry = rest;
    }
    if (!again || v->kind != KIND_ENUM) {
        catalogue_complain(l, "words are of enums, and written A | B | C [from VERSION]");
        return false;
    }
    ret->words = b.ptr;
    return read_from(l, &entry, &ret->from);
}

static bool read_source(struct catalogue_reader *l, struct span entry, const char **ret)
{
    if (entry.len == 0)
        catalogue_complain(l, "a source is missing");
    *ret = span_dup(l->arena, entry);
    return entry.len > 0;
}

static void read_entry(struct catalogue_reader *l, const struct variable *v, struct flavour_rows *r,
                       struct span key, struct span entry)
{
    if (span_eq_text(key, "life")) {
        struct dated_event e = {0};
        if (read_life(l, entry, &e))
            CATALOGUE_APPEND(l, r->life, r->n_life, e);
    } else if (span_eq_text(key, "default")) {
        struct dated_default e = {0};
        if (read_default(l, v, entry, &e))
            CATALOGUE_APPEND(l, r->defaults, r->n_defaults, e);
    } else if (span_eq_text(key, "range")) {
        struct dated_range e = {0};
        if (read_range(l, v, entry, &e))
            CATALOGUE_APPEND(l, r->ranges, r->n_ranges, e);
    } else if (span_eq_text(key, "values")) {
        struct dated_words e = {0};
        if (read_words(l, v, entry, &e))
            CATALOGUE_APPEND(l, r->words, r->n_words, e);
    } else if (span_eq_text(key, "source")) {
        const char *e;
        if (read_source(l, entry, &e))
            CATALOGUE_APPEND(l, r->sources, r->n_sources, e);
    } else {
        struct dated_bool e = {0};
        if (read_dynamic(l, entry, &e))
            CATALOGUE_APPEND(l, r->dynamic, r->n_dynamic, e);
    }
}

bool catalogue_read_key(struct catalogue_reader *l, struct variable *v, const struct ini_entry *e)
{
    struct span key = e->key, name;
    enum flavour f;
    if (!span_split(&key, '.', &name) || !flavour_from_name(name, &f))
        return false;
    struct flavour_rows *r = &v->rows[f];
    if (span_eq_text(key, "replaced_by")) {
        v->replaced_by[f] = span_dup(l->arena, e->value);
        return true;
    }
    if (span_eq_text(key, "life"))
        r->has_life = true;
    else if (span_eq_text(key, "default"))
        r->has_default = true;
    else if (span_eq_text(key, "range"))
        r->has_range = true;
    else if (span_eq_text(key, "dynamic"))
        r->has_dynamic = true;
    else if (!span_eq_text(key, "values") && !span_eq_text(key, "source"))
        return false;
    struct span rest = e->value, entry;
    if (span_trim(rest).len == 0)
        catalogue_complain(l, "'%.*s' has no value", SPAN_ARG(e->key));
    while (span_split(&rest, ',', &entry))
        read_entry(l, v, r, key, span_trim(entry));
    return true;
}
