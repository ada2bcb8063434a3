/* What nvadvise makes of single option lines, for comparison with the servers themselves.
 *
 *   option_readings FLAVOUR:VERSION <LINES          "EFFECT<TAB>VALUE<TAB>LINE" for each
 *   option_readings FLAVOUR:VERSION --forms         lines to try: every variable of the catalogue that the
 *                                                   version has, in every form that servers read differently
 *
 * VALUE as the server's --help prints it: plain numbers in the option's own unit, TRUE and FALSE, words;
 * "?" where it cannot be told. */
#include <stdio.h>
#include <string.h>

#include "rules/options.h"
#include "rules/ruleset.h"

#include "advisor/base/banned.h"

static const char *const effects[] = {
    [OPTION_IN_FORCE] = "in_force", [OPTION_SHADOWED] = "shadowed", [OPTION_IGNORED] = "ignored",
    [OPTION_STOPS] = "stops",       [OPTION_UNSURE] = "unsure",
};

static void print_value(const struct option_reading *r, struct arena *a)
{
    struct buf b;
    buf_init(&b, a, 65536);
    if (!r->has_value || r->variable == NULL) {
        buf_add_text(&b, "?");
    } else if (r->value.kind == KIND_BOOL) {
        buf_add_text(&b, r->value.boolean ? "TRUE" : "FALSE");
    } else if (!variable_write(r->variable, &r->value, &b)) {
        buf_add_text(&b, "?");
    }
    printf("%s", b.ptr != NULL ? b.ptr : "");
}

static void read_line(const struct ruleset *rs, const struct option_target *t, struct span text)
{
    ARENA_AUTO a = arena_new();
    struct optline line = {.file = SPAN_LIT("my.cnf"), .group = SPAN_LIT("mysqld"), .line = 2};
    struct option_reading *r;
    line.has_value = span_has(text, '=');
    line.value = text;
    span_split(&line.value, '=', &line.name);
    (void)options_read(rs->catalogue, t, &line, 1, a, &r);
    printf("%s\t", effects[r->effect]);
    print_value(r, a);
    printf("\t%.*s\n", SPAN_ARG(text));
}

static void print_number(const struct variable *v, struct num n, const char *name)
{
    ARENA_AUTO a = arena_new();
    const struct value value = value_num(variable_kind(v), n);
    struct buf b;
    buf_init(&b, a, 4096);
    if (n.tag != NUM_UNLIMITED && variable_write(v, &value, &b)) {
        printf("%s=%s\n", name, b.ptr);
    }
}

static void print_numbers(const struct variable *v, const struct option_target *t, const char *name)
{
    struct num min, max, step, n;
    static const char *const forms[] = {"", "1", "abc", "-1", "2.5", "1e3", "7K", "0x10", "100000000000000000000"};
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        printf("%s=%s\n", name, forms[i]);
    }
    printf("%s\n", name);
    if (!variable_range(v, t->flavour, &t->version, &min, &max, &step)) {
        return;
    }
    print_number(v, min, name);
    if (num_add(min, num_u64(1), &n) == NUM_OK) {
        print_number(v, n, name);
    }
    if (max.tag == NUM_INT && num_add(max, num_u64(1), &n) == NUM_OK) {
        print_number(v, max, name);
        print_number(v, n, name);
    }
}

static void print_words(const struct variable *v, const char *name)
{
    static const char *const forms[] = {"", "0", "1", "2", "3", "77", "on", "off", "yes", "TRUE", "bogus"};
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        printf("%s=%s\n", name, forms[i]);
    }
    printf("%s\nskip-%s\n", name, name);
    struct span rest = span_of(variable_values(v)), word;
    while (span_split(&rest, ',', &word)) {
        printf("%s=%.*s\n", name, SPAN_ARG(span_trim(word)));
    }
}

static void print_forms(const struct ruleset *rs, const struct option_target *t)
{
    for (size_t i = 0; i < catalogue_count(rs->catalogue); i++) {
        const struct variable *v = catalogue_at(rs->catalogue, i);
        const enum presence p = variable_presence(v, t->flavour, &t->version);
        const char *name = variable_name(v);
        if (p == PRESENCE_REFUSED || p == PRESENCE_IGNORED) {
            printf("%s=1\nloose_%s=1\n", name, name);
        } else if (kind_is_numeric(variable_kind(v))) {
            print_numbers(v, t, name);
        } else if (variable_kind(v) == KIND_BOOL || variable_kind(v) == KIND_ENUM) {
            print_words(v, name);
        }
    }
}

int main(int argc, char **argv)
{
    ARENA_AUTO a = arena_new();
    struct decl_set *decls = decl_set_new(a);
    struct rule_texts texts = *rule_texts_builtin(a);
    struct ruleset rs;
    struct err err = ERR_INIT;
    struct option_target t = {0};
    struct span rest = span_of(argc > 1 ? argv[1] : ""), flavour;
    texts.n_rules = 0;
    texts.settings = texts.derived = (struct rule_text){0};
    if (!ruleset_load(a, decls, &texts, &rs, NULL, &err) || !span_split(&rest, ':', &flavour) ||
        !flavour_from_name(flavour, &t.flavour) || !version_parse(rest, &t.version)) {
        (void)fprintf(stderr, "option_readings: FLAVOUR:VERSION? %s\n", err.text);
        return 2;
    }
    if (argc > 2) {
        print_forms(&rs, &t);
        return 0;
    }
    char line[4096];
    while (fgets(line, sizeof(line), stdin) != NULL) {
        read_line(&rs, &t, span_sub(span_of(line), 0, strcspn(line, "\n")));
    }
    return 0;
}
