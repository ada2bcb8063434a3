/* Profiles and the site's configuration: what sets a parameter, which word counts, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rules/profile.h"
#include "tests/unit/rules/engine_world.h"

#include "advisor/base/banned.h"

static const char rules[] =
    SERVER_RULE("fails = server.count > param.most\nparam.most = count 3 0 9 most of them\n"
                "severity = high")
    "[s]\nscope = server\nneeds = sample\nparam.busy = bool false x\n"
    "fails = server.sampled > 1/s && !param.busy\nseverity = low\n" WORLD_TAIL;

static const char builtin[] = "[durable]\nmeaning = d\n"
                              "[easy]\nmeaning = e\nmost = 5\n"
                              "[easier]\nmeaning = f\nbased_on = easy\nbusy = true\n"
                              "requires = sample\n";

static bool load(struct world *w, const char *site, struct profiles *ret, struct err *reterr)
{
    struct ini_file *own = arena_calloc(w->a, 2, sizeof(*own));
    return ini_read(w->a, "profiles.ini", span_of(builtin), &own[0], reterr) &&
           (site == NULL || ini_read(w->a, "n.conf", span_of(site), &own[1], reterr)) &&
           profiles_load(w->a, &w->rs, &own[0], site != NULL ? &own[1] : NULL, ret, reterr);
}

static const struct param *param(const struct world *w, const char *name)
{
    const struct param *p = ruleset_param(&w->rs, span_of(name));
    assert_non_null(p);
    return p;
}

static void apply(struct world *w, const char *site, const char *name, const char *wanted)
{
    struct err err = ERR_INIT;
    struct profiles all;
    const struct profile *chosen;
    if (!load(w, site, &all, &err) || !profiles_apply(&all, name, &w->rs, &chosen, &err))
        fail_msg("%s", err.text);
    assert_string_equal(chosen->name, wanted);
}

static void test_order(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, rules, NULL);
    apply(&w, NULL, NULL, "durable");
    assert_string_equal(param(&w, "most")->origin, "default");
    apply(&w, NULL, "easier", "easier");
    assert_int_equal(num_cmp(param(&w, "most")->value.num, num_u64(5)), 0);
    assert_string_equal(param(&w, "most")->origin, "profile easier");
    assert_true(param(&w, "busy")->value.boolean);
    assert_int_equal(w.rs.required, NEED_SAMPLE);
    /* the site goes over the profile, the command line's profile over the site's */
    apply(&w, "[nvadvise]\nprofile = easier\n[parameters]\nmost = 7\n", NULL, "easier");
    assert_int_equal(num_cmp(param(&w, "most")->value.num, num_u64(7)), 0);
    assert_string_equal(param(&w, "most")->origin, "n.conf");
    apply(&w, "[nvadvise]\nprofile = easier\n", "easy", "easy");
    apply(&w, "[profile ours]\nmeaning = o\nbased_on = easy\nmost = 9\n", "ours", "ours");
    assert_int_equal(num_cmp(param(&w, "most")->value.num, num_u64(9)), 0);
    world_close(&w);
}

/* What is only not measured becomes unknown where the profile asks for it. */
static void test_requires(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, rules, NULL);
    world_set(&w, w.server, "server.sampled", "?not measured");
    apply(&w, "[profile ours]\nmeaning = o\nrequires = sample\n", "durable", "durable");
    assert_int_equal(world_judge(&w, "s", w.server).verdict, VERDICT_NOT_MEASURED);
    apply(&w, "[profile ours]\nmeaning = o\nrequires = sample\n", "ours", "ours");
    assert_int_equal(world_judge(&w, "s", w.server).verdict, VERDICT_UNKNOWN);
    world_close(&w);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *site, *part, *hint;
    } rows[] = {
        {"[parameters]\nmosst = 4\n", "n.conf:2: [parameters] there is no parameter 'mosst'", "most"},
        {"[parameters]\nmost = 10\n", "not between 0 and 9", ""},
        {"[parameters]\nmost = many\n", "most: ", ""},
        {"[parameters]\nbusy = 3\n", "busy: ", ""},
        {"[nvadvise]\nprofil = x\n", "unknown key 'profil'", ""},
        {"[nvadvise]\nwaivers = here.conf\n", "not an absolute path", ""},
        {"[things]\na = b\n", "unknown section", ""},
        {"[profile easy]\nmeaning = m\n", "there already (built in)", ""},
        {"[profile p]\nmost = 1\n", "no meaning", ""},
        {"[profile p]\nmeaning =\n", "no meaning", ""},
        {"[profile p]\nmeaning = m\nbased_on = q\n", "no such profile above", ""},
        {"[profile p]\nmeaning = m\nrequires = luck\n", "'luck' is not one of", ""},
    };
    struct world w;
    world_open(&w, rules, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_INIT;
        struct profiles all;
        assert_false(load(&w, rows[i].site, &all, &err));
        if (strstr(err.text, rows[i].part) == NULL || strstr(err.hint, rows[i].hint) == NULL)
            fail_msg("'%s' (%s) does not say '%s'", err.text, err.hint, rows[i].part);
    }
    struct err err = ERR_INIT;
    struct profiles all;
    const struct profile *chosen;
    assert_true(load(&w, NULL, &all, &err));
    assert_false(profiles_apply(&all, "hard", &w.rs, &chosen, &err));
    assert_int_equal(err.code, E_USAGE);
    assert_non_null(strstr(err.hint, "durable, easy, easier"));
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_requires),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
