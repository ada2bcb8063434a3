/* Derived facts: tests/rules/derived/NAME.facts, with lines "#! FACT = VALUE" or "#! FACT = unknown(STATE)" for
 * what must be computed from them. Every fact of rules/derived.ini is known in some file, and no fact that is
 * hidden, alone or with another, makes a computed one another than it was. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/base/file.h"
#include "advisor/facts/factdoc.h"
#include "rules/derived.h"
#include "tests/rules/rulelib.h"

#include "advisor/base/banned.h"

#define DIR_NAME NV_SOURCE_DIR "/tests/rules/derived"
#define DERIVED_MAX 200
#define FACTS_MAX 64

struct run {
    struct rulelib *lib;
    bool known[DERIVED_MAX]; /* by index of the derived fact */
    unsigned bad, files;
};

static const struct fact *find(struct store *s, const struct derived *d)
{
    const struct subject *const *subs;
    if (store_subjects_of(s, d->decl.subject, &subs) == 0)
        return NULL;
    return store_get(s, subs[0], span_of(d->decl.name));
}

static bool state_wanted(struct span text, struct span *ret)
{
    if (!span_starts(text, "unknown(") || !span_ends(text, ")"))
        return false;
    *ret = span_sub(text, 8, text.len - 9);
    return true;
}

/* Sums of reals differ in the last bits. */
static bool same(const struct value *want, const struct value *got)
{
    if (!kind_is_numeric(want->kind) || got->num.tag == NUM_UNLIMITED)
        return value_eq(want, got);
    double a = num_to_double(want->num), b = num_to_double(got->num);
    double diff = a > b ? a - b : b - a;
    return want->kind == got->kind && diff <= 1e-9 * (a > b ? a : b);
}

static bool matches(struct arena *a, const struct derived *d, const struct fact *f,
                    struct span want)
{
    struct err err = ERR_INIT;
    struct span state;
    struct value v;
    if (f == NULL)
        return false;
    if (state_wanted(want, &state))
        return span_eq_text(state, fact_state_name(f->state));
    if (f->state != FACT_KNOWN)
        return false;
    if (!value_read(a, d->decl.kind, d->decl.allowed, false, want, &v, &err))
        fail_msg("%s: %s", d->decl.name, err.text);
    return same(&v, &f->value);
}

static void check_line(struct run *r, struct arena *a, struct store *s, const char *path,
                       struct span line)
{
    struct span rest = span_sub(line, 2, line.len), name;
    if (!span_split(&rest, '=', &name))
        fail_msg("%s: '%.*s' is no expectation", path, SPAN_ARG(line));
    const struct derived *d = ruleset_derived(&r->lib->rs, span_trim(name));
    if (d == NULL)
        fail_msg("%s: '%.*s' is not derived", path, SPAN_ARG(span_trim(name)));
    const struct fact *f = find(s, d);
    if (!matches(a, d, f, span_trim(rest))) {
        struct buf got;
        buf_init(&got, a, 600);
        if (f != NULL && f->state == FACT_KNOWN)
            value_print_literal(&got, &f->value);
        else
            buf_printf(&got, "unknown, %s", f != NULL ? f->reason : "not there");
        (void)fprintf(stderr, "%s: %.*s, got %s\n", path, SPAN_ARG(line), got.ptr);
        r->bad++;
    } else if (f->state == FACT_KNOWN) {
        r->known[d - r->lib->rs.derived] = true;
    }
}

/* Facts taken away may leave a computed one unknown, never another than before. Only estimates may. */
static void compare_hidden(struct run *r, struct arena *a, struct store *whole, struct store *less,
                           const char *path, const char *hidden)
{
    for (size_t i = 0; i < r->lib->rs.n_derived; i++) {
        const struct derived *d = &r->lib->rs.derived[i];
        const struct fact *before = find(whole, d), *after = find(less, d);
        if (d->falls_back || after == NULL || after->state != FACT_KNOWN ||
            (before != NULL && before->state == FACT_KNOWN &&
             value_eq(&before->value, &after->value)))
            continue;
        struct buf got;
        buf_init(&got, a, 600);
        value_print_literal(&got, &after->value);
        (void)fprintf(stderr, "%s: without %s, %s becomes %s\n", path, hidden, d->decl.name,
                      got.ptr);
        r->bad++;
    }
}

static void hide_each(struct run *r, struct arena *a, struct store *stated, struct store *whole,
                      const char *path)
{
    struct case_fact *facts;
    size_t n = rulelib_facts(a, stated, &facts);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i; k < n && n <= FACTS_MAX; k++) {
            ARENA_AUTO mine = arena_new();
            struct store *less = store_clone(mine, stated);
            store_unset(less, store_find_subject(less, facts[i].subject), facts[i].name);
            store_unset(less, store_find_subject(less, facts[k].subject), facts[k].name);
            engine_derive(&r->lib->rs, less);
            compare_hidden(r, mine, whole, less, path,
                           arena_printf(mine, "%s, %s", facts[i].name, facts[k].name));
        }
    }
}

static void check_file(struct run *r, const char *path)
{
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    struct span text, line;
    struct store *s = store_new(a, r->lib->rs.decls);
    store_set_offline(s, true);
    if (!file_read(a, path, 65536, &text, &err) || !factdoc_read(s, path, text, true, NULL, &err))
        fail_msg("%s", err.text);
    (void)store_subject(s, SUBJECT_SERVER, "server:default");
    struct store *stated = store_clone(a, s);
    engine_derive(&r->lib->rs, s);
    hide_each(r, a, stated, s, path);
    r->files++;
    while (span_line(&text, &line)) {
        if (span_starts(line, "#!"))
            check_line(r, a, s, path, line);
    }
}

static void test_derived(void **state)
{
    struct run r = {.lib = *state};
    DIR *dir = opendir(DIR_NAME);
    const struct dirent *e;
    assert_non_null(dir);
    while ((e = readdir(dir)) != NULL) {
        if (span_ends(span_of(e->d_name), ".facts"))
            check_file(&r, arena_printf(r.lib->a, "%s/%s", DIR_NAME, e->d_name));
    }
    assert_int_equal(closedir(dir), 0);
    for (size_t i = 0; i < r.lib->rs.n_derived; i++) {
        if (!r.known[i]) {
            (void)fprintf(stderr, "%s is known in no file\n", r.lib->rs.derived[i].decl.name);
            r.bad++;
        }
    }
    assert_int_equal(r.bad, 0);
    assert_true(r.files > 0);
}

int main(void)
{
    struct rulelib lib;
    rulelib_open(&lib);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_derived, &lib),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(lib.a);
    return rc;
}
