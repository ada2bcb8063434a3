/* Values of options as each server reads them, tried on MySQL 9.7.4, MariaDB 10.11.19 and 11.8.9: what is
 * taken, what is changed to fit, what is passed over with a warning, and what stops the server. */
#include <string.h>

#include "rules/options_int.h"

#include "advisor/base/banned.h"

struct given {
    struct span text;
    bool is; /* "name=…"; else the name alone */
};

struct reading {
    const struct option_target *t;
    const struct name_reading *n;
    struct given given;
    struct arena *a;
    struct option_reading *r;
};

static void stops(struct reading *k, const char *why)
{
    k->r->effect = OPTION_STOPS;
    k->r->marks |= OPTION_BAD_VALUE;
    k->r->text = arena_printf(k->a, "%s: %s does not start", why,
                              option_server_text(k->t, k->a));
}

static const char *shown(const struct reading *k)
{
    struct buf b;
    buf_init(&b, k->a, 200);
    buf_add_escaped(&b, span_sub(k->given.text, 0, 60));
    return b.ptr != NULL ? b.ptr : "";
}

static void take(struct reading *k, struct value v)
{
    k->r->has_value = true;
    k->r->value = v;
}

/* skip_ and disable_ say 0, enable_ says 1, and "=0" turns them round. */
static struct given meant(const struct name_reading *n, const struct optline *l)
{
    struct given g = {l->value, l->has_value};
    const bool zero = l->has_value && span_eq_text(l->value, "0");
    if (n->negated)
        g = (struct given){span_of(zero ? "1" : "0"), true};
    else if (n->enabled)
        g = (struct given){span_of(zero ? "0" : "1"), true};
    return g;
}

/* Alone on the line: 1 where the option can stand so. false: it cannot. */
static bool has_argument(struct reading *k)
{
    if (k->given.is)
        return true;
    if (!option_needs_no_value(k->n->name)) {
        stops(k, "it wants a value");
        return false;
    }
    k->given = (struct given){span_of("1"), true};
    return true;
}

/* An empty value: nothing to MySQL, 0 or the first word to MariaDB. */
static bool empty_is_read(struct reading *k)
{
    if (k->given.text.len > 0 || option_is_mariadb(k->t))
        return true;
    stops(k, "the value is empty");
    return false;
}

/* ---- booleans ---- */

static bool bool_word(struct span s, bool *ret)
{
    static const char *const on[] = {"1", "on", "true"}, *const off[] = {"0", "off", "false"};
    for (size_t i = 0; i < ARRAY_LEN(on); i++) {
        if (span_eq_nocase(s, span_of(on[i])) || span_eq_nocase(s, span_of(off[i]))) {
            *ret = span_eq_nocase(s, span_of(on[i]));
            return true;
        }
    }
    return false;
}

/* From 9.1 on MySQL reads this one as an enum of OFF and ON (tried on 9.7.4). */
static bool is_on_off_enum(const struct reading *k)
{
    return !option_is_mariadb(k->t) && option_from(k->t, 9, 1, 0) &&
           strcmp(k->n->name, "innodb_log_writer_threads") == 0;
}

static void read_on_off(struct reading *k)
{
    static const char *const words[] = {"0", "OFF", "1", "ON"};
    for (size_t i = 0; k->given.is && i < ARRAY_LEN(words); i++) {
        if (span_eq_nocase(k->given.text, span_of(words[i]))) {
            take(k, value_bool(i >= 2));
            return;
        }
    }
    stops(k, k->given.is ? arena_printf(k->a, "'%s' is neither OFF nor ON", shown(k))
                         : "it wants a value");
}

static void read_bool(struct reading *k, enum kind kind)
{
    bool v = true;
    if (is_on_off_enum(k)) {
        read_on_off(k);
        return;
    }
    if (k->n->maximum) {
        stops(k, "a boolean has no maximum");
        return;
    }
    if (k->given.is && !option_is_mariadb(k->t) && strcmp(k->n->name, "core_file") == 0) {
        stops(k, "it takes no value");
        return;
    }
    if (!k->given.is && option_bool_wants_value(k->n->name)) {
        stops(k, "it wants a value");
        return;
    }
    if (k->given.is && !bool_word(k->given.text, &v)) {
        k->r->marks |= OPTION_BAD_VALUE;
        if (option_is_strict_bool(k->n->name)) {
            k->r->effect = OPTION_IGNORED;
            k->r->text = arena_printf(k->a, "'%s' is no boolean: the line is passed over with a "
                                            "warning", shown(k));
            return;
        }
        v = false;
        k->r->text = arena_printf(k->a, "'%s' is no boolean: it is OFF, with a warning", shown(k));
    }
    take(k, kind == KIND_BOOL ? value_bool(v) : value_text(kind, span_of(v ? "ON" : "OFF")));
}

/* ---- enums ---- */

static struct span settled_word(struct span w)
{
    /* FALSE and TRUE stand in MySQL's list beside OFF and ON. */
    if (span_eq_text(w, "FALSE"))
        return SPAN_LIT("OFF");
    return span_eq_text(w, "TRUE") ? SPAN_LIT("ON") : w;
}

static void read_enum(struct reading *k)
{
    bool is_bool;
    const char *ordered = option_words(k->t, k->n->variable, &is_bool);
    if (is_bool) {
        read_bool(k, KIND_ENUM);
        return;
    }
    const char *words = ordered != NULL ? ordered : variable_values(k->n->variable);
    size_t index = 0;
    struct span w = {0};
    if (!has_argument(k) || !empty_is_read(k))
        return;
    const bool by_number = k->given.text.len == 0 || option_word_number(k->given.text, &index);
    if (words == NULL || (by_number && ordered == NULL) || span_has(k->given.text, ',')) {
        if (words != NULL && option_word_find(words, k->given.text, &w))
            take(k, value_text(KIND_ENUM, w));
        return; /* read, but we cannot tell as which word */
    }
    if (by_number && index < option_words_count(words))
        w = option_word_at(words, index);
    else if (by_number || !option_word_find(words, k->given.text, &w)) {
        stops(k, arena_printf(k->a, "'%s' is none of %s", shown(k), words));
        return;
    }
    take(k, value_text(KIND_ENUM, settled_word(w)));
    if (by_number)
        k->r->text = arena_printf(k->a, "word number %zu is %.*s", index,
                                  SPAN_ARG(k->r->value.text));
}

/* ---- numbers ---- */

/* In the kind's own unit. false: past what we can count. */
static bool in_unit(const struct reading *k, struct num n, struct num *ret)
{
    return num_mul(n, variable_unit(k->n->variable), ret) == NUM_OK;
}

static const char *value_text_of(const struct reading *k, const struct value *v)
{
    struct buf b;
    buf_init(&b, k->a, 200);
    value_print(&b, v);
    return b.ptr;
}

/* Exact where both are whole, however large. */
static struct num down_to(struct num n, struct num step)
{
    struct num times;
    if (n.tag == NUM_INT && step.tag == NUM_INT && step.mag > 0 && !n.neg)
        return num_u128(n.mag - n.mag % step.mag);
    if (num_div(n, step, &times) == NUM_OK && num_floor(times, &times) == NUM_OK)
        (void)num_mul(times, step, &n);
    return n;
}

/* Into the range, down to the step. */
static struct num fitted(const struct reading *k, struct num n)
{
    struct num min, max, step;
    if (!variable_range(k->n->variable, k->t->flavour, &k->t->version, &min, &max, &step))
        return n;
    if (num_cmp(n, max) > 0)
        n = max;
    if (!num_is_zero(step) && n.tag != NUM_UNLIMITED)
        n = down_to(n, step);
    return num_cmp(n, min) < 0 ? min : n;
}

static void take_number(struct reading *k, struct num n)
{
    const enum kind kind = variable_kind(k->n->variable);
    const struct num fit = fitted(k, n);
    if (num_cmp(fit, n) == 0) {
        take(k, value_num(kind, n));
        return;
    }
    k->r->marks |= OPTION_CLAMPED;
    k->r->has_asked = true;
    k->r->asked = value_num(kind, n);
    take(k, value_num(kind, fit));
    k->r->text = arena_printf(k->a, "%s is made %s", value_text_of(k, &k->r->asked),
                              value_text_of(k, &k->r->value));
}

static void read_real(struct reading *k)
{
    struct num n;
    struct span s = k->given.text;
    while (s.len > 0 && (s.ptr[0] == ' ' || s.ptr[0] == '+'))
        s = span_sub(s, 1, s.len);
    if (s.len == 0)
        n = num_u64(0);
    else if (!num_parse(s, &n) || n.tag == NUM_UNLIMITED) {
        stops(k, arena_printf(k->a, "'%s' is no number", shown(k)));
        return;
    }
    if (in_unit(k, n, &n))
        take_number(k, n);
}

/* Below zero: MySQL takes the least, MariaDB refuses what has no sign. */
static void read_negative(struct reading *k, struct num magnitude)
{
    struct num min, max, step, n;
    const struct variable *v = k->n->variable;
    const bool ranged = variable_range(v, k->t->flavour, &k->t->version, &min, &max, &step);
    if (num_sub(num_u64(0), magnitude, &n) != NUM_OK || !in_unit(k, n, &n))
        return;
    if (ranged && num_cmp(min, num_u64(0)) >= 0 && option_is_mariadb(k->t))
        stops(k, "a number without sign is wanted");
    else if (option_is_mariadb(k->t) || option_from(k->t, 8, 0, 0))
        take_number(k, n);
    else if (ranged && num_cmp(n, min) < 0) /* wraps round to a very large one */
        k->r->marks |= OPTION_CLAMPED;
    else
        take(k, value_num(variable_kind(v), n));
}

static void read_whole(struct reading *k)
{
    struct option_number n;
    struct num v;
    const enum option_number_end end = option_number_read(k->t, k->given.text, &n);
    if (n.is_real)
        k->r->marks |= OPTION_FLOAT;
    switch (end) {
    case NUMBER_SUFFIX:
        stops(k, n.is_real ? arena_printf(k->a, "'%s' is no whole number", shown(k))
                           : arena_printf(k->a, "'%s' is no number", shown(k)));
        return;
    case NUMBER_TOO_BIG:
        stops(k, arena_printf(k->a, "'%s' does not fit into 64 bits", shown(k)));
        return;
    case NUMBER_NEGATIVE:
        read_negative(k, n.value);
        return;
    case NUMBER_EMPTY:
    case NUMBER_READ:
        break;
    }
    if (!in_unit(k, n.value, &v))
        return;
    take_number(k, v);
    if (n.is_real)
        k->r->text = arena_printf(k->a, "in '%s' the e is the suffix of an exabyte: it is %s",
                                  shown(k), value_text_of(k, &k->r->value));
    else if (end == NUMBER_EMPTY)
        k->r->text = arena_printf(k->a, "an empty value is 0, made %s",
                                  value_text_of(k, &k->r->value));
}

static void read_number(struct reading *k)
{
    if (!has_argument(k) || !empty_is_read(k))
        return;
    if (option_is_real(k->t, k->n->name))
        read_real(k);
    else
        read_whole(k);
}

/* ---- all ---- */

/* Plugins' variables keep no bound for sessions: there maximum_ sets the value itself (tried). */
static bool only_bounds(const struct reading *k)
{
    if (!k->n->maximum || strncmp(k->n->name, "innodb_", 7) == 0)
        return false;
    k->r->marks |= OPTION_MAXIMUM;
    k->r->text = "bounds what sessions may set, and sets nothing";
    return true;
}

static void read_typed(struct reading *k)
{
    const enum kind kind = variable_kind(k->n->variable);
    if (strcmp(k->n->name, "log_bin") == 0) {
        /* The option is the name of the files: "0" and "OFF" are names. */
        take(k, value_bool(!k->n->negated || span_eq_text(k->given.text, "1")));
    } else if (kind == KIND_BOOL) {
        read_bool(k, KIND_BOOL);
    } else if (kind == KIND_ENUM) {
        read_enum(k);
    } else if (kind_is_numeric(kind)) {
        read_number(k);
    } else if (has_argument(k)) {
        take(k, value_text(KIND_STRING, k->given.text));
    }
}

void option_value_read(const struct option_target *t, const struct name_reading *n,
                       const struct optline *l, struct arena *a, struct option_reading *r)
{
    struct reading k = {t, n, meant(n, l), a, r};
    struct span word;
    r->effect = OPTION_IN_FORCE;
    if (l->has_value && option_word_is_gone(t, n->name, l->value, &word)) {
        stops(&k, arena_printf(a, "the word %.*s was removed", SPAN_ARG(word)));
        return;
    }
    if (n->maximum && option_has_no_maximum(n->name)) {
        stops(&k, "it has no maximum for sessions");
        return;
    }
    if (n->variable == NULL || n->autoset)
        return;
    if (l->has_value && span_eq_text(l->value, "***"))
        return; /* a secret: set, to what is not ours to know */
    read_typed(&k);
    if (r->effect == OPTION_IN_FORCE && only_bounds(&k))
        r->has_value = r->has_asked = false;
}
