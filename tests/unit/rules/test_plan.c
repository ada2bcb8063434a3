/* One row of the spreadsheet at a time: who speaks, what is a first step, what stays a comment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/unit/rules/plan_world.h"

#include "advisor/base/banned.h"

#define MYSQL "server.flavour = mysql\nserver.version = 9.7.4\n"
#define POOL                                                                                       \
    "[innodb_buffer_pool_size]\nkind = bytes\nmeaning = m\nin_force = server.size\n"
#define POOL_TEXT "setting [mysqld] innodb_buffer_pool_size = "

struct row {
    const char *what, *settings, *facts, *want;
};

static void check(const struct row *r, bool measured_only)
{
    struct world w;
    if (!world_open(&w, r->settings))
        fail_msg("%s: %s", r->what, w.problems.ptr);
    struct store *s = world_store(&w, r->facts, true);
    struct plan p = world_plan(&w, s, measured_only);
    const char *got = world_text(&w, &p);
    if (strcmp(got, r->want) != 0)
        fail_msg("%s: expected\n%sgot\n%s", r->what, r->want, got);
    arena_free(w.a);
}

static void test_owners(void **state)
{
    (void)state;
    static const char one[] = POOL "owners = rule-a, rule-b\ntarget = server.wish\n";
    static const char two[] = POOL "owners = rule-a, rule-b\ntarget = server.wish\n"
                                   "target.rule-b = server.other\n";
    static const char none[] = POOL "owners = rule-none, rule-b\ntarget = server.wish\n";
    static const char three[] =
        POOL "owners = rule-a, rule-b, rule-c\ntarget = 1GiB\ntarget.rule-b = 2GiB\n";
#define SIZES "server.size = 1GiB\nserver.wish = 4GiB\nserver.other = 8GiB\n"
    static const struct row rows[] = {
        {"the owner fails", one, MYSQL SIZES "server.a = true\nserver.b = false\n",
         POOL_TEXT "4294967296 rule-a\n"},
        {"the second fails", one, MYSQL SIZES "server.a = false\nserver.b = true\n",
         POOL_TEXT "4294967296 rule-b\n"},
        {"both fail", one, MYSQL SIZES "server.a = true\nserver.b = true\n",
         POOL_TEXT "4294967296 rule-a, settles rule-b\n"},
        {"none fails", one, MYSQL SIZES "server.a = false\nserver.b = false\n", ""},
        {"undecided with the same value", one, MYSQL SIZES "server.b = true\n",
         POOL_TEXT "4294967296 rule-b\n"},
        {"undecided with another value", two, MYSQL SIZES "server.b = true\n",
         "comment [mysqld] innodb_buffer_pool_size = 8589934592 rule-b\n"},
        {"the later one is undecided", two, MYSQL SIZES "server.a = true\n",
         POOL_TEXT "4294967296 rule-a\n"},
        {"a value of its own", two, MYSQL SIZES "server.a = false\nserver.b = true\n",
         POOL_TEXT "8589934592 rule-b\n"},
        {"a rule that is not there", none, MYSQL SIZES "server.b = true\n",
         POOL_TEXT "4294967296 rule-b\n"},
        {"the target is unknown", one,
         MYSQL "server.size = 1GiB\nserver.a = true\nserver.b = false\n", ""},
        {"the first one's target is unknown", two,
         MYSQL "server.size = 1GiB\nserver.other = 8GiB\nserver.a = true\nserver.b = true\n", ""},
        {"the value in force", one,
         MYSQL "server.size = 4GiB\nserver.wish = 4GiB\nserver.a = true\n", ""},
        {"two undecided with two values", three,
         MYSQL "server.size = 4GiB\nserver.c = true\n",
         "comment [mysqld] innodb_buffer_pool_size = 1073741824 rule-c\n"},
        {"one undecided with another value", three,
         MYSQL "server.size = 4GiB\nserver.a = false\nserver.c = true\n",
         "comment [mysqld] innodb_buffer_pool_size = 1073741824 rule-c\n"},
        {"one undecided with the same value", three,
         MYSQL "server.size = 4GiB\nserver.b = false\nserver.c = true\n",
         POOL_TEXT "1073741824 rule-c\n"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i], false);
}

static void test_direction_and_grid(void **state)
{
    (void)state;
    static const char up[] = POOL "owners = rule-a\ntarget = server.wish\nraises = rule-a\n";
    static const char down[] = POOL "owners = rule-a\ntarget = server.wish\nlowers = rule-a\n";
    static const char grid[] = POOL "owners = rule-a\ntarget = server.wish\n"
                                    "grid = 1GiB, 128MiB below 4GiB, 1MiB below 128MiB\n";
    static const char align[] = POOL "owners = rule-a\ntarget = server.wish\nraises = rule-a\n"
                                     "align = server.other\n";
    static const char when[] = POOL "owners = rule-a\ntarget = server.wish\napplies = server.b\n";
    static const struct row rows[] = {
        {"raises", up, MYSQL "server.size = 1GiB\nserver.wish = 2GiB\nserver.a = true\n",
         POOL_TEXT "2147483648 rule-a\n"},
        {"would lower", up, MYSQL "server.size = 4GiB\nserver.wish = 2GiB\nserver.a = true\n", ""},
        {"in force unknown", up, MYSQL "server.wish = 2GiB\nserver.a = true\n", ""},
        {"lowers", down, MYSQL "server.size = 4GiB\nserver.wish = 2GiB\nserver.a = true\n",
         POOL_TEXT "2147483648 rule-a\n"},
        {"would raise", down, MYSQL "server.size = 1GiB\nserver.wish = 2GiB\nserver.a = true\n", ""},
        {"grid", grid, MYSQL "server.size = 1GiB\nserver.wish = 5.9GiB\nserver.a = true\n",
         POOL_TEXT "5368709120 rule-a\n"},
        {"finer below", grid, MYSQL "server.size = 1GiB\nserver.wish = 3.9GiB\nserver.a = true\n",
         POOL_TEXT "4160749568 rule-a\n"},
        {"finest", grid, MYSQL "server.size = 1GiB\nserver.wish = 10.5MiB\nserver.a = true\n",
         POOL_TEXT "10485760 rule-a\n"},
        {"down to the value in force", grid,
         MYSQL "server.size = 5GiB\nserver.wish = 5.9GiB\nserver.a = true\n", ""},
        {"aligned", align,
         MYSQL "server.size = 1GiB\nserver.wish = 5GiB\nserver.other = 2GiB\nserver.a = true\n",
         POOL_TEXT "4294967296 rule-a\n"},
        {"aligned to nothing", align,
         MYSQL "server.size = 1GiB\nserver.wish = 5GiB\nserver.other = 8GiB\nserver.a = true\n", ""},
        {"no alignment known", align,
         MYSQL "server.size = 1GiB\nserver.wish = 5GiB\nserver.a = true\n",
         POOL_TEXT "5368709120 rule-a\n"},
        {"applies", when,
         MYSQL "server.size = 1GiB\nserver.wish = 5GiB\nserver.a = true\nserver.b = true\n",
         POOL_TEXT "5368709120 rule-a\n"},
        {"does not apply", when,
         MYSQL "server.size = 1GiB\nserver.wish = 5GiB\nserver.a = true\nserver.b = false\n", ""},
        {"may not apply", when, MYSQL "server.size = 1GiB\nserver.wish = 5GiB\nserver.a = true\n",
         ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i], false);
}

#define IO "[innodb_io_capacity]\nkind = rate\nmeaning = m\n"
#define STEP "first_step [mysqld] innodb_io_capacity = "
#define IN_FORCE "server.var.innodb_io_capacity = 100/s\n"

static void test_first_steps(void **state)
{
    (void)state;
    static const char step[] = IO
        "owners = rule-none, rule-b, rule-a\ntarget = server.rate\nraises = rule-b, rule-none\n"
        "first_step_owners = rule-a\nfirst_step.1 = min(1000/s, server.rate)\n"
        "first_step.2 = min(200/s, server.mean)\nfirst_step_above = 150/s\n"
        "first_step_open.1 = 700/s\ncomment.rule-none = server.rate > 2000/s\n";
    static const char small[] = IO "owners = rule-a\ntarget = server.rate\nraises = rule-a\n"
                                   "first_step_when = server.small\n";
    static const char any_way[] =
        POOL "owners = rule-a\ntarget = server.wish\nraises = rule-a\nfirst_step_when = server.a\n"
        IO "owners = rule-a\ntarget = server.rate + 0 * plan.innodb_buffer_pool_size / 1B * 1/s\n"
        "first_step_moves = any\n";
    static const struct row rows[] = {
        {"measured", step, MYSQL IN_FORCE "server.rate = 800/s\nserver.a = true\nserver.b = false\n",
         STEP "800 rule-a\n"},
        {"an undecided owner holds back no first step", step,
         MYSQL IN_FORCE "server.rate = 800/s\nserver.a = true\n", STEP "800 rule-a\n"},
        {"from an estimate", step, MYSQL IN_FORCE "server.mean = 300/s\nserver.a = true\n",
         STEP "600 rule-a\n"},
        {"not above what it must be", step,
         MYSQL IN_FORCE "server.rate = 140/s\nserver.mean = 400/s\nserver.a = true\n", ""},
        {"only upward", step,
         MYSQL "server.var.innodb_io_capacity = 900/s\nserver.rate = 800/s\nserver.a = true\n", ""},
        {"nothing known: shown without its bound", step, MYSQL IN_FORCE "server.a = true\n",
         "comment [mysqld] innodb_io_capacity = 700 rule-a\n"},
        {"the owner passes", step, MYSQL IN_FORCE "server.rate = 800/s\nserver.a = false\n", ""},
        {"an earlier owner that fails and has its target", step,
         MYSQL IN_FORCE "server.rate = 800/s\nserver.a = true\nserver.b = true\n",
         "setting [mysqld] innodb_io_capacity = 800 rule-b, settles rule-a\n"},
        {"an earlier owner that fails without a target", step,
         MYSQL IN_FORCE "server.mean = 300/s\nserver.a = true\nserver.b = true\n",
         STEP "600 rule-a\n"},
        {"the estimate of a rule that is not there", step,
         MYSQL IN_FORCE "server.rate = 5000/s\nserver.a = true\nserver.b = false\n",
         STEP "1000 rule-a\ncomment [mysqld] innodb_io_capacity = 5000 rule-none\n"},
        {"an estimate that asks for nothing", step,
         MYSQL IN_FORCE "server.rate = 1999/s\nserver.a = false\nserver.b = false\n", ""},
        {"a target that is a first step", small,
         MYSQL IN_FORCE "server.rate = 800/s\nserver.a = true\nserver.small = true\n",
         STEP "800 rule-a\n"},
        {"perhaps one", small, MYSQL IN_FORCE "server.rate = 800/s\nserver.a = true\n",
         STEP "800 rule-a\n"},
        {"none", small, MYSQL IN_FORCE "server.rate = 800/s\nserver.a = true\nserver.small = false\n",
         "setting [mysqld] innodb_io_capacity = 800 rule-a\n"},
        {"a first step does not lower", small,
         MYSQL "server.var.innodb_io_capacity = 900/s\nserver.rate = 800/s\nserver.a = true\n", ""},
        {"one that may", any_way,
         MYSQL "server.var.innodb_io_capacity = 900/s\nserver.rate = 800/s\nserver.a = true\n"
         "server.size = 1GiB\nserver.wish = 2GiB\n",
         "first_step [mysqld] innodb_buffer_pool_size = 2147483648 rule-a\n" STEP "800 rule-a\n"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i], false);
    static const struct row measured = {
        "measured only", step, MYSQL IN_FORCE "server.rate = 5000/s\nserver.a = true\n",
        "comment [mysqld] innodb_io_capacity = 5000 rule-none\n",
    };
    check(&measured, true);
}

static void test_comments(void **state)
{
    (void)state;
    static const char rate[] = IO "owners = rule-rate\ntarget = server.rate\nraises = rule-rate\n";
    static const char low[] = IO "owners = rule-rate\ntarget = server.rate\nlowers = rule-rate\n";
    static const char chain[] =
        POOL "owners = rule-b\ntarget = server.wish\n"
        "[innodb_redo_log_capacity]\nkind = bytes\nmeaning = m\nin_force = server.other\n"
        "owners = rule-a\ntarget = plan.innodb_buffer_pool_size / 2\nraises = rule-a\n";
    static const char chain_down[] =
        POOL "owners = rule-b\ntarget = server.wish\n"
        "[innodb_redo_log_capacity]\nkind = bytes\nmeaning = m\nin_force = server.other\n"
        "owners = rule-a\ntarget = plan.innodb_buffer_pool_size / 2\nlowers = rule-a\n";
    static const struct row rows[] = {
        {"a rule that waits for a bench would fail", rate, MYSQL IN_FORCE "server.mean = 90/s\n",
         "comment [mysqld] innodb_io_capacity = 180 rule-rate\n"},
        {"would pass", rate, MYSQL IN_FORCE "server.mean = 40/s\n", ""},
        {"an estimate is a lower bound", low,
         MYSQL "server.var.innodb_io_capacity = 5000/s\nserver.mean = 90/s\n", ""},
        {"rests on an undecided row", chain,
         MYSQL "server.size = 8GiB\nserver.other = 1GiB\nserver.a = true\n",
         "comment [mysqld] innodb_redo_log_capacity = 4294967296 rule-a\n"},
        {"rests on a decided row", chain,
         MYSQL "server.size = 8GiB\nserver.other = 1GiB\nserver.a = true\nserver.b = false\n",
         "setting [mysqld] innodb_redo_log_capacity = 4294967296 rule-a\n"},
        {"rests on a planned row", chain,
         MYSQL "server.size = 1GiB\nserver.wish = 16GiB\nserver.other = 1GiB\nserver.a = true\n"
         "server.b = true\n",
         POOL_TEXT "17179869184 rule-b\n"
         "setting [mysqld] innodb_redo_log_capacity = 8589934592 rule-a\n"},
        {"one that lowers rests on an undecided row", chain_down,
         MYSQL "server.size = 2GiB\nserver.other = 8GiB\nserver.a = true\n",
         "comment [mysqld] innodb_redo_log_capacity = 1073741824 rule-a\n"},
        {"and would not lower", chain_down,
         MYSQL "server.size = 64GiB\nserver.other = 8GiB\nserver.a = true\n", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i], false);
}

/* What stands in for a target that nobody measured; never for one that is unknown for another reason. */
static void test_unmeasured(void **state)
{
    (void)state;
    static const char alone[] = IO "owners = rule-a\ntarget = server.rate / 2\nunmeasured = 300/s\n";
    static const char other[] =
        IO "owners = rule-a\ntarget = server.rate * server.size / 1GiB\nunmeasured = 300/s\n";
    static const char same[] = IO "owners = rule-a\ntarget = 200/s\nsame_when = server.b\n";
    static const char pair[] =
        IO "owners = rule-a\ntarget = server.rate\nunmeasured = 300/s\n"
        "[innodb_io_capacity_max]\nkind = rate\nmeaning = m\nowners = rule-none\n"
        "target = max(2 * plan.innodb_io_capacity, server.rate)\nfollows = innodb_io_capacity\n"
        "unmeasured = 2 * plan.innodb_io_capacity\n";
    static const struct row rows[] = {
        {"measured", alone, MYSQL "server.rate = 800/s\nserver.a = true\n",
         "setting [mysqld] innodb_io_capacity = 400 rule-a\n"},
        {"not measured", alone, MYSQL "server.a = true\n",
         "setting [mysqld] innodb_io_capacity = 300 rule-a\n"},
        {"not measured, and another fact is not known", other, MYSQL "server.a = true\n", ""},
        {"not measured, the other one is there", other, MYSQL "server.size = 1GiB\nserver.a = true\n",
         "setting [mysqld] innodb_io_capacity = 300 rule-a\n"},
        {"nothing fails", alone, MYSQL "server.a = false\n", ""},
        {"the value in force stays", same, MYSQL "server.var.innodb_io_capacity = 200/s\nserver.a = true\n"
         "server.b = false\n", ""},
        {"the value in force would not stay", same,
         MYSQL "server.var.innodb_io_capacity = 200/s\nserver.a = true\nserver.b = true\n",
         "setting [mysqld] innodb_io_capacity = 200 rule-a\n"},
        {"one that goes with it", pair, MYSQL "server.a = true\n",
         "setting [mysqld] innodb_io_capacity = 300 rule-a\n"
         "setting [mysqld] innodb_io_capacity_max = 600 rule-a\n"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i], false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_owners),
        cmocka_unit_test(test_direction_and_grid),
        cmocka_unit_test(test_first_steps),
        cmocka_unit_test(test_comments),
        cmocka_unit_test(test_unmeasured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
