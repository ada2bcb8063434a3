/* The command line, parsed by option rows. Knows no command; the only file that reads argv. */
#include "advisor/cli/options.h"

#include <string.h>

#include "advisor/base/near.h"
#include "advisor/base/str.h"

#include "advisor/base/banned.h"

#define ARGS_MAX 256
#define NEAREST_DISTANCE 3 /* slips up to which a word is taken for a misspelt option */

struct given {
    const struct option_row *row;
    const char *value; /* NULL: a flag */
};

struct options {
    struct given given[ARGS_MAX];
    size_t n_given;
    const char *args[ARGS_MAX];
    size_t n_args;
};

struct parser {
    const struct option_row *rows[2];
    size_t n_rows[2];
    struct options *out;
    struct arena *arena;
};

static const struct option_row *row_by_name(const struct parser *p, struct span name)
{
    for (size_t t = 0; t < 2; t++) {
        for (size_t i = 0; i < p->n_rows[t]; i++) {
            if (span_eq_text(name, p->rows[t][i].name)) {
                return &p->rows[t][i];
            }
        }
    }
    return NULL;
}

static const struct option_row *row_by_letter(const struct parser *p, char letter)
{
    for (size_t t = 0; t < 2; t++) {
        for (size_t i = 0; i < p->n_rows[t]; i++) {
            if (p->rows[t][i].short_name == letter) {
                return &p->rows[t][i];
            }
        }
    }
    return NULL;
}

/* What is cut short means the option that it begins; else the one with the fewest slips. */
static const char *nearest(const struct parser *p, struct span name)
{
    const char *best = NULL;
    unsigned best_distance = NEAREST_DISTANCE + 1;
    for (size_t t = 0; t < 2; t++) {
        for (size_t i = 0; i < p->n_rows[t]; i++) {
            const char *option = p->rows[t][i].name;
            const bool begun = name.len > 1 && span_starts(span_of(option), span_dup(p->arena, name));
            const unsigned d = begun ? 0 : near_distance(name, span_of(option));
            if (d < best_distance) {
                best_distance = d;
                best = option;
            }
        }
    }
    return best;
}

static bool option_add(const struct parser *p, const struct option_row *row, const char *value,
                       struct err *reterr)
{
    struct options *o = p->out;
    if (o->n_given == ARGS_MAX) {
        return err_set(reterr, E_USAGE, "more than %d options", ARGS_MAX);
    }
    if (!row->repeats) {
        for (size_t i = 0; i < o->n_given; i++) {
            if (o->given[i].row == row) {
                return err_set(reterr, E_USAGE, "option '--%s' is given twice", row->name);
            }
        }
    }
    o->given[o->n_given++] = (struct given){row, value};
    return true;
}

/* "--name", "--name=value", "--name value". *i is moved past what was taken. */
static bool parse_long(const struct parser *p, int argc, char *const argv[], int *i,
                       struct err *reterr)
{
    const char *text = argv[*i] + 2;
    const char *equals = strchr(text, '=');
    const struct span name = {text, equals != NULL ? (size_t)(equals - text) : strlen(text)};
    const struct option_row *row = row_by_name(p, name);
    if (row == NULL) {
        const char *near = nearest(p, name);
        err_set(reterr, E_USAGE, "there is no option '--%.*s'", SPAN_ARG(name));
        return near != NULL ? err_hint(reterr, "Did you mean '--%s'?", near)
                            : err_hint(reterr, "'--help' lists the options of a command.");
    }
    if (row->value == NULL) {
        return equals != NULL
                   ? err_set(reterr, E_USAGE, "option '--%s' takes no value", row->name)
                   : option_add(p, row, NULL, reterr);
    }
    if (equals != NULL) {
        return option_add(p, row, equals + 1, reterr);
    }
    if (*i + 1 >= argc) {
        return err_set(reterr, E_USAGE, "option '--%s' needs a value: --%s %s", row->name,
                       row->name, row->value);
    }
    return option_add(p, row, argv[++*i], reterr);
}

/* "-v", "-vx", "-o value", "-ovalue". */
static bool parse_short(const struct parser *p, int argc, char *const argv[], int *i,
                        struct err *reterr)
{
    for (const char *c = argv[*i] + 1; *c != '\0'; c++) {
        const struct option_row *row = row_by_letter(p, *c);
        if (row == NULL) {
            err_set(reterr, E_USAGE, "there is no option '-%c'", *c);
            return err_hint(reterr, "'--help' lists the options of a command.");
        }
        if (row->value == NULL) {
            if (!option_add(p, row, NULL, reterr)) {
                return false;
            }
            continue;
        }
        if (c[1] != '\0') {
            return option_add(p, row, c + 1, reterr);
        }
        if (*i + 1 >= argc) {
            return err_set(reterr, E_USAGE, "option '-%c' needs a value: -%c %s", *c, *c,
                           row->value);
        }
        return option_add(p, row, argv[++*i], reterr);
    }
    return true;
}

static bool parse_word(const struct parser *p, int argc, char *const argv[], int *i,
                       bool *options_over, struct err *reterr)
{
    const char *word = argv[*i];
    if (!*options_over && strcmp(word, "--") == 0) {
        *options_over = true;
        return true;
    }
    if (!*options_over && word[0] == '-' && word[1] == '-') {
        return parse_long(p, argc, argv, i, reterr);
    }
    if (!*options_over && word[0] == '-' && word[1] != '\0') {
        return parse_short(p, argc, argv, i, reterr);
    }
    if (p->out->n_args == ARGS_MAX) {
        return err_set(reterr, E_USAGE, "more than %d arguments", ARGS_MAX);
    }
    p->out->args[p->out->n_args++] = word;
    return true;
}

bool options_parse(struct arena *a, int argc, char *const argv[], const struct option_row *rows,
                   size_t n_rows, const struct option_row *common, size_t n_common,
                   struct options **ret, struct err *reterr)
{
    struct options *o = arena_alloc(a, sizeof(*o));
    const struct parser p = {{rows, common}, {n_rows, n_common}, o, a};
    bool options_over = false;
    for (int i = 0; i < argc; i++) {
        if (!parse_word(&p, argc, argv, &i, &options_over, reterr)) {
            return false;
        }
    }
    *ret = o;
    return true;
}

bool option_flag(const struct options *o, const char *name)
{
    for (size_t i = 0; i < o->n_given; i++) {
        if (strcmp(o->given[i].row->name, name) == 0) {
            return true;
        }
    }
    return false;
}

const char *option_text(const struct options *o, const char *name)
{
    const char *found = NULL;
    for (size_t i = 0; i < o->n_given; i++) {
        if (strcmp(o->given[i].row->name, name) == 0) {
            found = o->given[i].value;
        }
    }
    return found;
}

size_t option_texts(const struct options *o, struct arena *a, const char *name,
                    const char *const **ret)
{
    const char **list = arena_calloc(a, o->n_given + 1, sizeof(*list));
    size_t n = 0;
    for (size_t i = 0; i < o->n_given; i++) {
        if (strcmp(o->given[i].row->name, name) == 0) {
            list[n++] = o->given[i].value;
        }
    }
    *ret = list;
    return n;
}

size_t option_args(const struct options *o, const char *const **ret)
{
    *ret = o->args;
    return o->n_args;
}
