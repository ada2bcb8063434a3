/* rules/settings.ini: what its rows mean to the loader, and its mistakes, each told with file, line and
 * section. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/unit/rules/plan_world.h"

#include "advisor/base/banned.h"

#define HEAD "[innodb_io_capacity]\nkind = rate\nmeaning = m\nowners = rule-a\n"

static void test_lookups(void **state)
{
    (void)state;
    static const char text[] =
        "[plan.memory.half]\nkind = bytes\nmeaning = m\nparam.cut = ratio 50% 1% 99% how much\n"
        "formula = param.cut * server.wish\n"
        "[innodb_buffer_pool_size]\nkind = bytes\nmeaning = m\nowners = rule-a, rule-none\n"
        "target = plan.memory.half\n"
        "[plan.rest]\nkind = bytes\nmeaning = m\nformula = plan.innodb_buffer_pool_size / 2\n";
    struct world w;
    struct expr_type type;
    if (!world_open(&w, text))
        fail_msg("%s", w.problems.ptr);
    assert_true(settings_type(&w.rs, SPAN_LIT("memory.half"), &type));
    assert_int_equal(type.kind, KIND_BYTES);
    assert_true(settings_type(&w.rs, SPAN_LIT("innodb_buffer_pool_size"), &type));
    assert_false(settings_type(&w.rs, SPAN_LIT("plan.memory.half"), &type));
    assert_false(settings_type(&w.rs, SPAN_LIT(""), &type));
    assert_non_null(settings_pure(&w.rs, SPAN_LIT("memory.half")));
    assert_null(settings_pure(&w.rs, SPAN_LIT("innodb_buffer_pool_size")));
    assert_null(settings_pure(&w.rs, SPAN_LIT("rest")));
    assert_null(settings_pure(&w.rs, SPAN_LIT("none")));
    assert_true(settings_has(&w.rs, SPAN_LIT("innodb_buffer_pool_size")));
    assert_false(settings_has(&w.rs, SPAN_LIT("memory.half")));
    assert_false(settings_has(&w.rs, SPAN_LIT("rest")));
    assert_true(settings_owned_by(&w.rs, SPAN_LIT("innodb_buffer_pool_size"), SPAN_LIT("rule-a")));
    assert_true(
        settings_owned_by(&w.rs, SPAN_LIT("innodb_buffer_pool_size"), SPAN_LIT("rule-none")));
    assert_false(settings_owned_by(&w.rs, SPAN_LIT("innodb_buffer_pool_size"), SPAN_LIT("rule")));
    assert_false(settings_owned_by(&w.rs, SPAN_LIT("none"), SPAN_LIT("rule-a")));
    assert_string_equal(line_kind_name(LINE_FIRST_STEP), "first_step");
    arena_free(w.a);
}

static const struct {
    const char *text, *want;
} mistakes[] = {
    {HEAD "target = nobody.knows\n", "s.ini:5: [innodb_io_capacity] "},
    {HEAD "target = 5MiB\n", "s.ini:5: [innodb_io_capacity] "},
    {HEAD "target = server.wish\n", "s.ini:5: [innodb_io_capacity] "},
    {HEAD "target = plan.later\n[plan.later]\nkind = rate\nmeaning = m\nformula = 1/s\n",
     "s.ini:5: [innodb_io_capacity] "},
    {HEAD "target = plan.innodb_io_capacity\n", "s.ini:5: [innodb_io_capacity] "},
    {HEAD "target = param.none\n", "s.ini:5: [innodb_io_capacity] "},
    {HEAD "target = est.floor\n",
     "s.ini:5: [innodb_io_capacity] 'est.floor' falls back to an estimate"},
    {HEAD, "s.ini:1: [innodb_io_capacity] 'target' is missing"},
    {"[innodb_io_capacity]\nkind = rate\nmeaning = m\ntarget = 1/s\n",
     "s.ini:1: [innodb_io_capacity] 'owners' is missing"},
    {"[innodb_io_capacity]\nmeaning = m\nowners = rule-a\ntarget = 1/s\n",
     "s.ini:1: [innodb_io_capacity] 'kind' is missing"},
    {"[innodb_io_capacity]\nkind = rate\nowners = rule-a\ntarget = 1/s\n",
     "s.ini:1: [innodb_io_capacity] 'meaning' is missing"},
    {"[innodb_io_capacity]\nkind = version\nmeaning = m\nowners = rule-a\ntarget = 1/s\n",
     "s.ini:2: [innodb_io_capacity] 'version' is no kind"},
    {"[innodb_io_capacity]\nkind = bytes\nmeaning = m\nowners = rule-a\ntarget = 1B\n",
     "s.ini:1: [innodb_io_capacity] 'server.var.innodb_io_capacity' is rate, the setting is bytes"},
    {"[nobody_knows]\nkind = rate\nmeaning = m\nowners = rule-a\ntarget = 1/s\n",
     "s.ini:1: [nobody_knows] 'server.var.nobody_knows' is not in the variable catalogue"},
    {"[nobody_knows]\nkind = rate\nmeaning = m\nin_force = server.rate\nowners = rule-a\n"
     "target = 1/s\n", "s.ini:1: [nobody_knows] 'nobody_knows' is not in the variable catalogue"},
    {HEAD "target = 1/s\nwrite.mysql = nobody_knows\n",
     "s.ini:6: [innodb_io_capacity] 'nobody_knows' is not in the variable catalogue"},
    {HEAD "target = 1/s\nwrite.mysql = innodb_io_capacity / nobody\n",
     "s.ini:6: [innodb_io_capacity] 'nobody' is not in the variable catalogue"},
    {HEAD "target = 1/s\nwrite.mariadb = innodb_log_archive\n",
     "s.ini:6: [innodb_io_capacity] what the catalogue says of 'innodb_log_archive' of mariadb has one "
     "source, two are asked for"},
    {HEAD "target = 1/s\nwrite.oracle = innodb_io_capacity\n",
     "s.ini:6: [innodb_io_capacity] there is no key 'write.oracle' here"},
    {HEAD "target = 1/s\nin_force = 2 * server.rate\n",
     "s.ini:6: [innodb_io_capacity] '2 * server.rate' is not the name of a fact"},
    {HEAD "target = 1/s\ncolour = red\n", "s.ini:6: [innodb_io_capacity] there is no key 'colour'"},
    {HEAD "target = 1/s\nraises = rule-b\n",
     "s.ini:6: [innodb_io_capacity] 'rule-b' is none of the owners"},
    {HEAD "target = 1/s\ntarget.rule-b = 2/s\n",
     "s.ini:6: [innodb_io_capacity] 'rule-b' is none of the owners"},
    {HEAD "target = 1/s\ntarget.rule-a = 2B\n", "s.ini:6: [innodb_io_capacity] "},
    {HEAD "target = 1/s\ncomment.rule-a = server.rate\n", "s.ini:6: [innodb_io_capacity] "},
    {HEAD "target = 1/s\nfirst_step_owners = rule-a\n",
     "s.ini:1: [innodb_io_capacity] 'first_step_owners' without 'first_step.1'"},
    {HEAD "target = 1/s\nfirst_step.1 = 1B\n", "s.ini:6: [innodb_io_capacity] "},
    {HEAD "target = 1/s\nfirst_step.1 = 1/s\nfirst_step.2 = 1/s\nfirst_step.3 = 1/s\n"
          "first_step.4 = 1/s\nfirst_step.5 = 1/s\n",
     "s.ini:10: [innodb_io_capacity] more than 4 of them"},
    {HEAD "target = 1/s\napplies = server.rate\n", "s.ini:6: [innodb_io_capacity] "},
    {HEAD "target = 1/s\nkeep = server.rate > 5B\n", "s.ini:6: [innodb_io_capacity] "},
    {HEAD "target = 1/s\ngrid = 5\n", "s.ini:6: [innodb_io_capacity] grid: "},
    {HEAD "target = 1/s\ngrid = 0/s\n", "s.ini:6: [innodb_io_capacity] a step is more than"},
    {HEAD "target = 1/s\ngrid = 5/s below 7/s\n",
     "s.ini:6: [innodb_io_capacity] only the entries after the first"},
    {HEAD "target = 1/s\ngrid = 5/s, 2/s\n",
     "s.ini:6: [innodb_io_capacity] only the entries after the first"},
    {HEAD "target = 1/s\nfollows = innodb_io_capacity_max\n",
     "s.ini:6: [innodb_io_capacity] there is no setting 'innodb_io_capacity_max' above this one"},
    {HEAD "target = 1/s\nset_before = none\n",
     "s.ini:6: [innodb_io_capacity] there is no setting 'none' above this one"},
    {HEAD "target = 1/s\nfollows_when = server.a\n",
     "s.ini:1: [innodb_io_capacity] 'follows_when' without 'follows'"},
    {HEAD "target = 1/s\nscope = device\n",
     "s.ini:6: [innodb_io_capacity] a setting is the server's or the host's"},
    {HEAD "target = 1/s\nscope = moon\n", "s.ini:6: [innodb_io_capacity] scope 'moon'"},
    {HEAD "target = 1/s\nwhere = moon\n", "s.ini:6: [innodb_io_capacity] where 'moon'"},
    {"[innodb_io_capacity]\nkind = rate\nmeaning = m\nowners = rule-a, rule-a\ntarget = 1/s\n",
     "s.ini:4: [innodb_io_capacity] the owner 'rule-a' stands twice"},
    {"[plan.x]\nkind = bytes\nmeaning = m\n", "s.ini:1: [plan.x] 'formula' is missing"},
    {"[plan.x]\nkind = bytes\nmeaning = m\nformula = server.rate\n", "s.ini:4: [plan.x] "},
    {"[plan.x]\nkind = bytes\nmeaning = m\nformula = 1B\nowners = rule-a\n",
     "s.ini:5: [plan.x] there is no key 'owners' here"},
    {"[plan.x]\nkind = bytes\nmeaning = m\nformula = plan.x\n", "s.ini:4: [plan.x] "},
    {"[plan.innodb_io_capacity]\nkind = rate\nmeaning = m\nformula = 1/s\n" HEAD "target = 1/s\n",
     "s.ini:5: [innodb_io_capacity] plan.innodb_io_capacity stands twice"},
    {HEAD "param.idle = count 1 0 9 nobody reads it\ntarget = 1/s\n",
     "s.ini:5: [innodb_io_capacity] param.idle: no formula names it"},
    {"[plan.]\nkind = bytes\nmeaning = m\nformula = 1B\n", "s.ini:1: [plan.] is no name"},
    {"[i-o]\nkind = bytes\nmeaning = m\nformula = 1B\n", "s.ini:1: [i-o] is no name"},
    {HEAD "target = 1/s\nafter.server.none = 1B\n", "s.ini:6: [innodb_io_capacity] "},
    {HEAD "target = 1/s\nafter.server.size = 1/s\n", "s.ini:6: [innodb_io_capacity] "},
    {HEAD "target = 1/s\nafter.host.n = 1\n",
     "s.ini:6: [innodb_io_capacity] 'host.n' is no fact of the row's own subject"},
    {HEAD "target = 1/s\nafter.data.free = 1B\n",
     "s.ini:6: [innodb_io_capacity] 'data.free' is no fact of the row's own subject"},
    {HEAD "target = 1/s\nafter.server.size = 1B\nafter.server.wish = 1B\n"
          "after.server.other = 1B\nafter.server.a = true\nafter.server.b = true\n",
     "s.ini:10: [innodb_io_capacity] more than 4 effects"},
    {HEAD "target = 1/s\nunmeasured = 1B\n", "s.ini:6: [innodb_io_capacity] "},
    {HEAD "target = 1/s\nfirst_step_moves = up\n",
     "s.ini:6: [innodb_io_capacity] there is no key 'first_step_moves' here"},
};

static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(mistakes); i++) {
        struct world w;
        if (world_open(&w, mistakes[i].text))
            fail_msg("not noticed: %s\n%s", mistakes[i].want, mistakes[i].text);
        assert_int_equal(w.err.code, E_SYNTAX);
        if (strstr(w.problems.ptr, mistakes[i].want) == NULL)
            fail_msg("expected %s\ngot %s", mistakes[i].want, w.problems.ptr);
        arena_free(w.a);
    }
}

/* Mistakes in expressions come with a caret below the text. */
static void test_caret(void **state)
{
    (void)state;
    struct world w;
    assert_false(world_open(&w, HEAD "target = 2 * server.rat\n"));
    assert_non_null(strstr(w.problems.ptr, "    2 * server.rat\n        ^"));
    assert_non_null(strstr(w.problems.ptr, "server.rate"));
    arena_free(w.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookups),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_caret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
