/* The loader: what a good file becomes, and the message for each kind of mistake in rule files, derived
 * facts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/base/hash.h"
#include "rules/derived.h"
#include "rules/ruleset.h"
#include "tests/unit/rules/toy.h"

#include "advisor/base/banned.h"

/* ---- loading from memory ---- */

struct load {
    struct arena *a;
    struct ruleset rs;
    struct buf problems;
    struct err err;
    bool ok;
};

static void load(struct load *l, const char *rules, const char *derived)
{
    *l = (struct load){.a = arena_new(), .err = ERR_INIT};
    buf_init(&l->problems, l->a, 256 * 1024);
    struct rule_text text = {"rules/x.ini", span_of(rules), NULL};
    struct rule_texts texts = {.rules = &text, .n_rules = rules != NULL};
    if (derived != NULL)
        texts.derived = (struct rule_text){"derived.ini", span_of(derived), NULL};
    l->ok = ruleset_load(l->a, toy_decls(l->a), &texts, &l->rs, &l->problems, &l->err);
}

static const char *said(const struct load *l)
{
    return l->problems.ptr != NULL ? l->problems.ptr : "";
}

#define GOOD_HEAD "[r-one]\ntitle = the log is small\nscope = server\n"
#define GOOD_TAIL "why = {{server.redo.capacity}}\nadvice = raise\ndo.1 = true | online\nsource = s\n"
#define GOOD GOOD_HEAD "fails = server.redo.capacity <= 128MiB\nseverity = low\n" GOOD_TAIL

static void test_good_rule(void **state)
{
    (void)state;
    struct load l;
    load(&l,
         "[r-one]\ntitle = t\nscope = volume\n"
         "applies = volume.transport_nvme && device.queue.hw_queues > param.few\n"
         "fails = device.queue.scheduler not in {none, kyber}\nneeds = bench, root\n"
         "param.few = count 1 1 8 queues that are few\nparam.busy = rate 5/s 1/s 9/s busy\n"
         "severity = high when bench.flush.rate > max(param.busy, 2/s), medium when\n"
         "  volume.fs.type in {xfs, ext4}, low\n"
         "why = it has\n  {{device.queue.hw_queues}} queues\nadvice = set\n"
         "do.1 = echo a | tee b | online\ndo.2 = mkfs | remount, destroys: all files\n"
         "when.2 = volume.fs.type == xfs\n"
         "risk = r {{volume.fs.type}}\nundo = u\nsource = here\nsee = r-two\n"
         "[r-two]\nalias = r-one\n[r-old]\nretired = nobody has such disks any more\n",
         NULL);
    if (!l.ok)
        fail_msg("%s", said(&l));
    assert_int_equal(l.rs.n_rules, 3);
    const struct rule *r = ruleset_find(&l.rs, "r-one");
    assert_ptr_equal(ruleset_find(&l.rs, "r-two"), r);
    assert_non_null(ruleset_find(&l.rs, "r-old")->retired);
    assert_null(ruleset_find(&l.rs, "r-three"));
    assert_true(r->pairs);
    assert_int_equal(r->needs, NEED_BENCH | NEED_ROOT);
    assert_int_equal(r->n_steps, 3);
    assert_int_equal(r->steps[0].level, SEV_HIGH);
    assert_true(span_eq_text(r->steps[1].when_text, "volume.fs.type in {xfs, ext4}"));
    assert_null(r->steps[2].when);
    assert_string_equal(r->why, "it has {{device.queue.hw_queues}} queues");
    assert_int_equal(r->n_actions, 2);
    assert_string_equal(r->actions[0].command, "echo a | tee b");
    assert_string_equal(r->actions[0].effect, "online");
    assert_null(r->actions[0].destroys);
    assert_string_equal(r->actions[1].effect, "remount");
    assert_string_equal(r->actions[1].destroys, "all files");
    assert_null(r->actions[0].when);
    assert_non_null(r->actions[1].when);
    assert_true(span_eq_text(r->actions[1].when_text, "volume.fs.type == xfs"));
    const struct param *p = ruleset_param(&l.rs, SPAN_LIT("busy"));
    assert_string_equal(p->rule, "r-one");
    assert_string_equal(p->origin, "default");
    assert_string_equal(p->meaning, "busy");
    assert_int_equal(num_cmp(p->value.num, num_u64(5)), 0);
    assert_int_equal(strlen(l.rs.hash), 64);
    arena_free(l.a);
}

/* What the build says of the texts is what they are. */
static void test_hash_of_the_build(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct rule_texts texts = *rule_texts_builtin(a);
    assert_true(texts.proven && texts.n_rules > 10);
    for (size_t i = 0; i < texts.n_rules; i++) {
        char hex[HASH_HEX_LEN + 1];
        hash_bytes(texts.rules[i].bytes, hex);
        assert_non_null(texts.rules[i].sha256);
        assert_string_equal(texts.rules[i].sha256, hex);
    }
}

static void test_hash_follows_the_texts(void **state)
{
    (void)state;
    struct load a, b, c;
    load(&a, GOOD, NULL);
    load(&b, GOOD "# a comment\n", NULL);
    load(&c, GOOD, NULL);
    assert_true(a.ok && b.ok && c.ok);
    assert_string_not_equal(a.rs.hash, b.rs.hash);
    assert_string_equal(a.rs.hash, c.rs.hash);
    arena_free(a.a);
    arena_free(b.a);
    arena_free(c.a);
}

/* ---- mistakes in rules ---- */

static const struct mistake {
    const char *text, *message;
} mistakes[] = {
    {GOOD "colour = red\n", "rules/x.ini:10: [r-one] unknown key 'colour'"},
    {GOOD_HEAD "severity = low\n" GOOD_TAIL, "rules/x.ini:1: [r-one] no 'fails'"},
    {GOOD_HEAD "fails = server.dedicated\n" GOOD_TAIL, "no 'severity'"},
    {"[r-one]\nscope = server\nfails = server.dedicated\nseverity = low\nwhy = w\nadvice = set\n"
     "do.1 = x | online\n", "no 'source'"},
    {"[r-one]\nfails = server.dedicated\n", "no 'scope'"},
    {"[r-one]\nscope = table\n", "rules/x.ini:2: [r-one] scope 'table' is none of host"},
    {GOOD_HEAD "fails = server.redo.capacty <= 128MiB\nseverity = low\n" GOOD_TAIL,
     "rules/x.ini:4: [r-one] there is no fact 'server.redo.capacty'\n"
     "    server.redo.capacty <= 128MiB\n    ^"},
    {GOOD_HEAD "fails = server.redo.capacty <= 128MiB\nseverity = low\n" GOOD_TAIL,
     "hint: Did you mean server.redo.capacity?"},
    {GOOD_HEAD "fails = server.redo.capacity <= 128/s\nseverity = low\n" GOOD_TAIL,
     "\n    server.redo.capacity <= 128/s\n"},
    {GOOD_HEAD "fails = server.redo.capacity\nseverity = low\n" GOOD_TAIL, "true or false"},
    {GOOD_HEAD "fails = server.redo.capacity <= 128M\nseverity = low\n" GOOD_TAIL, "MiB"},
    {GOOD_HEAD "fails = (server.dedicated\nseverity = low\n" GOOD_TAIL, "^"},
    {GOOD_HEAD "fails = 1MiB < 2MiB\nseverity = low\n" GOOD_TAIL, "names no fact: a dead rule"},
    {GOOD_HEAD "applies = true\nfails = server.dedicated\nseverity = low\n" GOOD_TAIL,
     "'applies' names no fact"},
    {GOOD_HEAD "applies = server.dedicated\nfails = server.dedicated\nseverity = low\n" GOOD_TAIL,
     "it can never pass"},
    {GOOD_HEAD "fails = server.dedicated\nseverity = grave\n" GOOD_TAIL,
     "'grave' does not begin with a severity"},
    {GOOD_HEAD "fails = server.dedicated\nseverity = high when server.dedicated\n" GOOD_TAIL,
     "severity does not end with a plain level"},
    {GOOD_HEAD "fails = server.dedicated\nseverity = low, high\n" GOOD_TAIL, "is never reached"},
    {GOOD_HEAD "fails = server.dedicated\nseverity = high if server.dedicated, low\n" GOOD_TAIL,
     "after 'high' comes 'when CONDITION'"},
    {GOOD_HEAD "fails = server.dedicated\nseverity = high when 1 < 2, low\n" GOOD_TAIL,
     "the step 'high when 1 < 2' names no fact"},
    {GOOD_HEAD "fails = server.dedicated\nseverity = low when server.dedicated, low\n" GOOD_TAIL,
     "the last two steps have the same level"},
    {GOOD_HEAD "fails = server.dedicated\nseverity = high when server.dedi, low\n" GOOD_TAIL,
     "\n    server.dedi\n    ^"},
    {GOOD "risk = {{server.nothing}}\n", "there is no fact 'server.nothing'"},
    {GOOD "risk = {{server.dedicated\n", "'{{' without '}}'"},
    {GOOD "risk = {{1MiB + 1MiB}}\n", "is not a single name"},
    {GOOD "needs = money\n", "need 'money' is none of bench"},
    {GOOD "see = r-nine\n", "see: there is no rule 'r-nine'"},
    {GOOD "sets = innodb_nothing\n", "sets 'innodb_nothing', which no section"},
    {GOOD "do.2 = reboot\n", "an action is 'COMMAND | EFFECT'"},
    {GOOD "do.2 = reboot | never\n", "effect 'never' is none of"},
    {GOOD "do.2 = reboot | online, kills: all\n", "comes 'destroys: WHAT' or nothing"},
    {GOOD "do.x = reboot | online\n", "unknown key 'do.x'"},
    {GOOD "when.x = server.dedicated\n", "unknown key 'when.x'"},
    {GOOD "when.9 = server.dedicated\n", "no do.9 stands before it"},
    {GOOD "when.2 = server.dedicated\ndo.2 = reboot | online\n", "no do.2 stands before it"},
    {GOOD "when.1 = server.dedicated\nwhen.1 = server.dedicated\n", "is there already, in line 10"},
    {GOOD "when.1 = server.dedi\n", "\n    server.dedi\n    ^"},
    {GOOD "when.1 =\n", "'when.1' is empty"},
    {GOOD "undo =\n", "'undo' is empty"},
    {"[r-one]\ntitle = t\nscope = server\nfails = server.dedicated\nseverity = low\nwhy = w\n"
     "advice = set\nsource = s\n", "the rule helps nobody"},
    {"[r-one]\ntitle = t\nscope = server\nfails = server.dedicated\nseverity = low\nwhy = w\n"
     "advice = pray\ndo.1 = x | online\nsource = s\n", "advice 'pray' is none of"},
    {"[R-One]\nretired = x\n", "not an id"},
    {"[r-]\nretired = x\n", "not an id"},
    {"[a-very-long-id-that-has-more-than-forty-by]\nretired = x\n", "not an id"},
    {GOOD "[r-two]\nalias = r-nine\n", "alias of 'r-nine', which is not there"},
    {GOOD "[r-two]\nalias = r-three\n[r-three]\nalias = r-one\n", "which is an alias itself"},
    {GOOD "[r-two]\nalias = r-one\ntitle = t\n", "'alias' stands alone"},
    {"[r-two]\nretired = x\nwhy = y\n", "'retired' stands alone"},
    {GOOD "param.few = count 1 1 8 few\n", "param.few: no expression names it"},
    {GOOD "param.Few = count 1 1 8 few\n", "'param.Few' is no name"},
    {GOOD "param.few = colour 1 1 8 few\n", "'colour' is no kind a parameter may have"},
    {GOOD "param.few = string a few\n", "'string' is no kind"},
    {GOOD "param.few = count 1 1\n", "no maximum"},
    {GOOD "param.few = count 1 1 8\n", "no meaning"},
    {GOOD "param.few = bytes 1 1 8 few\n", "param.few: default"},
    {GOOD "param.few = count 9 1 8 few\n", "the default is outside its range"},
    {GOOD "[r-two]\nretired = x\n[r-two]\nretired = y\n", "rules/x.ini:"},
    {"title = t\n", "rules/x.ini:1:"},
    {GOOD "risk = a ; b\n", "rules/x.ini:10:"},
    {GOOD "do.2 = reboot | \n", "'COMMAND | EFFECT'"},
    {GOOD "param. = count 1 1 8 few\n", "'param.' is no name"},
    {GOOD "param.few = count 1 1 8 few\n[r-two]\nparam.few = count 1 1 8 few\nretired = x\n",
     "param.few is declared already, by r-one"},
    {"[r-one]\nscope = server\ntitle = a title that is far too long for the one line that a finding\n"
     "  has, so that it would be cut somewhere in the middle\n", "title is longer than 100 bytes"},
    {GOOD_HEAD "fails = server.process.comm in {\"a, b\", \"c\\\"\"}\n"
     "severity = high when server.process.comm == \"x, y\", odd\n" GOOD_TAIL,
     "'odd' does not begin with a severity"},
};

static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(mistakes); i++) {
        struct load l;
        load(&l, mistakes[i].text, NULL);
        if (l.ok)
            fail_msg("row %zu loads: %s", i, mistakes[i].text);
        if (strstr(said(&l), mistakes[i].message) == NULL)
            fail_msg("row %zu: wanted '%s', got:\n%s", i, mistakes[i].message, said(&l));
        assert_int_not_equal(l.err.code, E_NONE);
        assert_int_equal(strncmp(l.err.text, "rules/x.ini:", 12), 0);
        arena_free(l.a);
    }
}

static void test_all_mistakes_are_told(void **state)
{
    (void)state;
    struct load l;
    load(&l, "[r-one]\nscope = server\nfails = server.nine > 1\nseverity = odd\ncolour = 1\n", NULL);
    assert_false(l.ok);
    static const char *const parts[] = {"server.nine", "'odd'", "'colour'", "no 'title'",
                                        "no 'why'", "no 'advice'", "no 'source'"};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        assert_non_null(strstr(said(&l), parts[i]));
    arena_free(l.a);
}

static void test_same_id_in_two_files(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct buf problems;
    struct err err = ERR_INIT;
    struct ruleset rs;
    buf_init(&problems, a, 65536);
    const struct rule_text files[] = {{"a.ini", span_of(GOOD), NULL},
                                      {"b.ini", span_of(GOOD), NULL}};
    struct rule_texts texts = {.rules = files, .n_rules = 2};
    assert_false(ruleset_load(a, toy_decls(a), &texts, &rs, &problems, &err));
    assert_non_null(strstr(problems.ptr, "b.ini:1: [r-one] the id is taken, by a.ini:1"));
}

/* ---- derived facts ---- */

#define D(name, rest) "[" name "]\nscope = server\nkind = bytes\nmeaning = m\n" rest

static const struct mistake derived_mistakes[] = {
    {D("server.x", ""), "derived.ini:1: [server.x] no 'formula'"},
    {D("server.x", "formula = server.redo.capacity\ncolour = 1\n"), "unknown key 'colour'"},
    {"[server.x]\nkind = bytes\nmeaning = m\nformula = server.redo.capacity\n", "no 'scope'"},
    {"[server.x]\nscope = server\nmeaning = m\nformula = server.redo.capacity\n", "no 'kind'"},
    {"[server.x]\nscope = server\nkind = heap\nmeaning = m\nformula = 1B\n", "'heap' is no kind"},
    {D("server.x", "formula = server.uptime\n"), "\n    server.uptime\n"},
    {D("server.x", "formula = server.x + server.redo.capacity\n"), "a cycle"},
    {D("server.x", "formula = server.y\n") D("server.y", "formula = server.x\n"), "a cycle"},
    {D("server.x", "formula = plan.a\n"), "there is no planned value"},
    {D("server.x", "formula = server.redo.capacity\nfold = most\n"), "'most' is none of same"},
    {D("server.x", "fold = max\nof = server.redo.capacity\n"), "scope must be volume"},
    {D("server.x", "fold = max\n"), "no 'of'"},
    {D("server.x", "formula = server.redo.capacity\nover = volume.log_devices\n"), "'over' without 'fold'"},
    {"[volume.x]\nscope = volume\nkind = bool\nmeaning = m\nfold = any\nover = volume.nine\nof = device.spins\n",
     "over: 'volume.nine' is no set of devices"},
    {"[volume.x]\nscope = volume\nkind = bool\nmeaning = m\nfold = any\nover = server.uptime\nof = device.spins\n",
     "over: 'server.uptime' is no set of devices"},
    {D("server.x", "formula = server.redo.capacity\nmodel = m\n"), "est.* facts name their model"},
    {D("est.x", "formula = server.redo.capacity\n"), "est.* facts name their model"},
    {D("server.x", "formula = server.redo.capacity\notherwise = 1B\n"), "only estimates have"},
    {D("est.x", "formula = server.redo.capacity\nmodel = m\ntwin = server.nine\n"),
     "twin: 'server.nine' is not declared"},
    {D("est.x", "formula = server.redo.capacity\nmodel = m\notherwise_when = server.dedicated\n"),
     "'otherwise_when' without 'otherwise'"},
    {D("server.uptime", "formula = server.redo.capacity\n"),
     "a probe declares it as seconds of server"},
    {D("server.x", "formula = server.redo.capacity\nneeds = luck\n"), "need 'luck'"},
    {"[server.x]\nscope = table\nkind = bytes\nmeaning = m\nformula = 1B\n", "scope 'table' is none"},
    {D("server.x", "formula = server.redo.capacity\njoin = most\n"), "'most' is none of same"},
    {"[server.var.max_connections]\nscope = server\nkind = bytes\nmeaning = m\nformula = 1B\n",
     "a probe declares it as count of server"},
};

static void test_derived_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(derived_mistakes); i++) {
        struct load l;
        load(&l, NULL, derived_mistakes[i].text);
        if (l.ok)
            fail_msg("row %zu loads: %s", i, derived_mistakes[i].text);
        if (strstr(said(&l), derived_mistakes[i].message) == NULL)
            fail_msg("row %zu: wanted '%s', got:\n%s", i, derived_mistakes[i].message, said(&l));
        arena_free(l.a);
    }
}

static void test_derived_order(void **state)
{
    (void)state;
    struct load l;
    load(&l, NULL,
         D("server.c", "formula = server.b + 1B\n") D("server.b", "formula = server.a + 1B\n")
             D("server.a", "formula = server.redo.capacity\nneeds = sample\n"));
    if (!l.ok)
        fail_msg("%s", said(&l));
    assert_int_equal(l.rs.n_derived, 3);
    assert_string_equal(l.rs.derived[0].decl.name, "server.a");
    assert_string_equal(l.rs.derived[2].decl.name, "server.c");
    assert_int_equal(ruleset_derived(&l.rs, SPAN_LIT("server.a"))->decl.needs, NEED_SAMPLE);
    assert_non_null(decl_find(l.rs.decls, SPAN_LIT("server.c"), false));
    arena_free(l.a);
}

static void test_a_probe_may_declare_it_too(void **state)
{
    (void)state;
    struct load l;
    load(&l, NULL, D("server.redo.capacity", "formula = server.bp.size_in_force\n"));
    if (!l.ok)
        fail_msg("%s", said(&l));
    assert_string_equal(l.rs.derived[0].decl.read_from, "toy");
    arena_free(l.a);
}

static void test_conditions_do_not_fall_back(void **state)
{
    (void)state;
    static const char derived[] =
        "[est.x]\nscope = server\nkind = bytes\nmeaning = m\nmodel = m\n"
        "formula = server.redo.capacity\notherwise = 1GiB\n"
        "[est.y]\nscope = server\nkind = bytes\nmeaning = m\nmodel = m\nformula = est.x + 1B\n";
    struct load l;
    load(&l, GOOD_HEAD "fails = est.y > 1GiB\nseverity = low\n" GOOD_TAIL, derived);
    assert_false(l.ok);
    assert_non_null(strstr(said(&l), "'est.y' falls back to an estimate"));
    arena_free(l.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_rule),
        cmocka_unit_test(test_hash_of_the_build),
        cmocka_unit_test(test_hash_follows_the_texts),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_all_mistakes_are_told),
        cmocka_unit_test(test_same_id_in_two_files),
        cmocka_unit_test(test_derived_mistakes),
        cmocka_unit_test(test_derived_order),
        cmocka_unit_test(test_a_probe_may_declare_it_too),
        cmocka_unit_test(test_conditions_do_not_fall_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
