/* The variable catalogue beside what a real server says of itself. Reads lines "NAME<TAB>DEFAULT<TAB>MIN
 * <TAB>MAX<TAB>DYNAMIC<TAB>STEP<TAB>WORDS" (a field may be empty: not told) of every variable that the
 * server has; a line with a name alone is an option that is no variable.
 *   catalogue_check names                      all names of the catalogue
 *   catalogue_check words FLAVOUR VERSION      "NAME WORD WORD …" of each enum that this version has
 *   catalogue_check listed FLAVOUR VERSION     "NAME PRESENCE" of each name in the lists of options
 *   catalogue_check unlisted FLAVOUR VERSION <names    those that the lists would call unknown
 *   catalogue_check FLAVOUR VERSION <lines     prints what differs; exit code 1 when anything does
 *   catalogue_check FLAVOUR VERSION FILE       prints the lines of an option file that this server would not
 *                                              start with; exit code 1 when there are any */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/file.h"
#include "probes/optfile.h"
#include "rules/catalogue_names.h"
#include "rules/ruleset.h"

#include "advisor/base/banned.h"

#define INPUT_MAX (1024 * 1024)

struct row {
    struct span name, def, min, max, dynamic, step, words;
};

static unsigned differences;

static void differ(const struct variable *v, const char *what, struct span told, const char *ours)
{
    differences++;
    (void)printf("%s: %s: the server says '%.*s', the catalogue '%s'\n", variable_name(v), what,
                 SPAN_ARG(told), ours);
}

static struct span field(struct span *rest)
{
    struct span f = {"", 0};
    (void)span_split(rest, '\t', &f);
    return f;
}

static size_t read_rows(struct arena *a, struct span text, struct row **ret)
{
    size_t n = 0;
    struct span line, rest = text;
    while (span_line(&rest, &line))
        n++;
    *ret = arena_calloc(a, n, sizeof(**ret));
    n = 0;
    while (span_line(&text, &line)) {
        (*ret)[n].name = field(&line);
        (*ret)[n].def = field(&line);
        (*ret)[n].min = field(&line);
        (*ret)[n].max = field(&line);
        (*ret)[n].dynamic = field(&line);
        (*ret)[n].step = field(&line);
        (*ret)[n++].words = field(&line);
    }
    return n;
}

/* The same number in other words: 90.000000 is 90, 99.999 is as near as a share of a hundred gets, and
 * what passes 2^64 has no bound. */
static bool same_number(struct span told, struct num ours)
{
    struct num n;
    if (!num_parse(told, &n))
        return false;
    double apart = num_to_double(n) - num_to_double(ours), size = num_to_double(n);
    bool real = n.tag == NUM_REAL || ours.tag == NUM_REAL;
    bool near = apart > -1e-9 * (1 + size) && apart < 1e-9 * (1 + size);
    return num_cmp(n, ours) == 0 || (real && near) ||
           (ours.tag == NUM_UNLIMITED && span_eq_text(told, "18446744073709551615"));
}

static void compare_bound(struct arena *a, const struct variable *v, const char *what,
                          struct span told, struct num ours)
{
    struct num n;
    struct buf b;
    if (told.len == 0)
        return;
    if (num_div(ours, variable_unit(v), &n) == NUM_OK && same_number(told, n))
        return;
    buf_init(&b, a, 200);
    num_print(&b, ours);
    differ(v, what, told, b.ptr);
}

/* "A,B,C" of the server beside "A, B, C" of ours, in order. */
static void compare_words(const struct variable *v, struct span told, const char *ours)
{
    struct span rest = told, mine = span_of(ours), a = {NULL, 0}, b = {NULL, 0};
    bool more = true, same = true;
    while (more && same) {
        more = span_split(&rest, ',', &a);
        same = more == span_split(&mine, ',', &b) &&
               (!more || span_eq_nocase(span_trim(a), span_trim(b)));
    }
    if (!same)
        differ(v, "words", told, ours);
}

static void compare(struct arena *a, const struct variable *v, enum flavour f,
                    const struct version *at, const struct row *r)
{
    struct value def;
    struct num min, max, step, n;
    struct buf b;
    buf_init(&b, a, 4096);
    if (r->def.len > 0 && variable_default(v, f, at, &def) && variable_write(v, &def, &b) &&
        !span_eq_nocase(r->def, buf_span(&b)) &&
        !(num_parse(buf_span(&b), &n) && same_number(r->def, n)))
        differ(v, "default", r->def, b.ptr);
    if (variable_range(v, f, at, &min, &max, &step)) {
        compare_bound(a, v, "minimum", r->min, min);
        compare_bound(a, v, "maximum", r->max, max);
        /* a step of 1 is none */
        if (!span_eq_text(r->step, "0") && !span_eq_text(r->step, "1"))
            compare_bound(a, v, "step", r->step, step);
        else if (!num_is_zero(step))
            compare_bound(a, v, "step", r->step, step);
    }
    const char *words = variable_values_at(v, f, at);
    if (r->words.len > 0 && words != NULL && variable_kind(v) == KIND_ENUM)
        compare_words(v, r->words, words);
    bool dynamic = variable_dynamic(v, f, at);
    if (r->dynamic.len > 0 && span_eq_text(r->dynamic, "yes") != dynamic)
        differ(v, "dynamic", r->dynamic, dynamic ? "yes" : "no");
}

static void compare_all(struct arena *a, const struct catalogue *c, enum flavour f,
                        const struct version *at, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < catalogue_count(c); i++) {
        const struct variable *v = catalogue_at(c, i);
        enum presence p = variable_presence(v, f, at);
        bool ours = p == PRESENCE_YES || p == PRESENCE_DEPRECATED;
        const struct row *r = NULL;
        for (size_t k = 0; k < n; k++) {
            if (r == NULL && catalogue_find(c, rows[k].name) == v)
                r = &rows[k]; /* options come after the variables */
        }
        /* what it passes over in a file may be there still, without effect */
        if (ours != (r != NULL) && !(r != NULL && p == PRESENCE_IGNORED))
            differ(v, "presence", r != NULL ? SPAN_LIT("yes") : SPAN_LIT("no"), presence_name(p));
        if (r != NULL && ours)
            compare(a, v, f, at, r);
    }
}

static void judge_file(struct arena *a, const struct catalogue *c, enum flavour f,
                       const struct version *at, const char *path)
{
    struct span text, line;
    struct err err = ERR_INIT;
    bool split;
    if (!file_read(a, path, INPUT_MAX, &text, &err)) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit(2);
    }
    for (unsigned n = 1; optfile_next_line(&text, &line, &split); n++) {
        struct optfile_line l = optfile_lex(a, line);
        struct buf why;
        buf_init(&why, a, 512);
        if (l.kind != OPTFILE_OPTION ||
            catalogue_judge(c, f, at, l.name, &why) != PRESENCE_REFUSED)
            continue;
        differences++;
        (void)printf("%s:%u: %.*s: %s\n", path, n, SPAN_ARG(l.name), why.ptr);
    }
}

static struct span read_input(struct arena *a)
{
    char *text = arena_alloc(a, INPUT_MAX);
    size_t n = fread(text, 1, INPUT_MAX, stdin);
    return (struct span){text, n};
}

/* ---- the lists of names ---- */

static void set_names(struct catalogue *c, const struct rule_texts *t)
{
    for (size_t i = 0; i < t->n_names; i++) {
        const char *file = strrchr(t->names[i].name, '/') + 1;
        enum flavour f;
        if (flavour_from_name((struct span){file, strlen(file) - 4}, &f))
            catalogue_names_set(c, f, t->names[i].bytes);
    }
}

static void print_words(const struct catalogue *c, enum flavour f, const struct version *at)
{
    for (size_t i = 0; i < catalogue_count(c); i++) {
        const struct variable *v = catalogue_at(c, i);
        enum presence p = variable_presence(v, f, at);
        const char *words = variable_values_at(v, f, at);
        struct span rest = span_of(words), one;
        if (words == NULL || (p != PRESENCE_YES && p != PRESENCE_DEPRECATED))
            continue;
        (void)printf("%s", variable_name(v));
        while (span_split(&rest, ',', &one))
            (void)printf(" %.*s", SPAN_ARG(span_trim(one)));
        (void)printf("\n");
    }
}

static void print_listed(struct arena *a, const struct catalogue *c, enum flavour f,
                         const struct version *at)
{
    const struct rule_texts *t = rule_texts_builtin(a);
    for (size_t i = 0; i < t->n_names; i++) {
        struct span rest = t->names[i].bytes, line, name;
        const char *file = strrchr(t->names[i].name, '/') + 1;
        struct option_name n;
        while (strncmp(file, flavour_name(f), strlen(flavour_name(f))) == 0 &&
               span_line(&rest, &line)) {
            if (span_word(&line, &name) && name.ptr[0] != '#' && name.ptr[0] != '@')
                (void)printf("%.*s %s\n", SPAN_ARG(name),
                             presence_name(catalogue_name(c, f, at, name, &n)));
        }
    }
}

static void print_unlisted(const struct catalogue *c, enum flavour f, const struct version *at,
                           struct span text)
{
    struct span name;
    while (span_word(&text, &name)) {
        if (catalogue_name(c, f, at, name, NULL) == PRESENCE_REFUSED)
            (void)printf("%.*s\n", SPAN_ARG(name));
    }
}

static struct catalogue *load(struct arena *a)
{
    const struct rule_texts *t = rule_texts_builtin(a);
    struct ini_file *files = arena_calloc(a, t->n_catalogue, sizeof(*files));
    struct err err = ERR_INIT;
    struct catalogue *c = NULL;
    bool ok = true;
    for (size_t i = 0; ok && i < t->n_catalogue; i++)
        ok = ini_read(a, t->catalogue[i].name, t->catalogue[i].bytes, &files[i], &err);
    if (!ok || !catalogue_load(a, files, t->n_catalogue, &c, NULL, &err)) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit(2);
    }
    set_names(c, t);
    return c;
}

/* "words", "listed", "unlisted" FLAVOUR VERSION; false: none of these. */
static bool print_about(struct arena *a, const struct catalogue *c, char **argv)
{
    enum flavour f;
    struct version at;
    if (!flavour_from_name(span_of(argv[2]), &f) || !version_parse(span_of(argv[3]), &at))
        return false;
    if (strcmp(argv[1], "words") == 0)
        print_words(c, f, &at);
    else if (strcmp(argv[1], "listed") == 0)
        print_listed(a, c, f, &at);
    else if (strcmp(argv[1], "unlisted") == 0)
        print_unlisted(c, f, &at, read_input(a));
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    ARENA_AUTO a = arena_new();
    struct catalogue *c = load(a);
    enum flavour f;
    struct version at;
    struct row *rows;
    if (argc == 2 && strcmp(argv[1], "names") == 0) {
        for (size_t i = 0; i < catalogue_count(c); i++)
            (void)printf("%s\n", variable_name(catalogue_at(c, i)));
        return 0;
    }
    if (argc == 4 && print_about(a, c, argv))
        return 0;
    if (argc < 3 || argc > 4 || !flavour_from_name(span_of(argv[1]), &f) ||
        !version_parse(span_of(argv[2]), &at)) {
        (void)fprintf(stderr, "usage: catalogue_check names | words|listed|unlisted FLAVOUR VERSION |"
                              " FLAVOUR VERSION [FILE]\n");
        return 2;
    }
    if (argc == 4) {
        judge_file(a, c, f, &at, argv[3]);
        return differences == 0 ? 0 : 1;
    }
    size_t n = read_rows(a, read_input(a), &rows);
    if (n < 100) {
        (void)fprintf(stderr, "only %zu variables were told\n", n);
        return 2;
    }
    compare_all(a, c, f, &at, rows, n);
    return differences == 0 ? 0 : 1;
}
