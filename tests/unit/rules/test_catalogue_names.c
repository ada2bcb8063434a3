/* Lists of option names: what they say of versions, the walk, near names, and their mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "rules/catalogue_names.h"
#include "rules/ruleset.h"

#include "advisor/base/banned.h"

static struct arena *arena;
static struct catalogue *builtin;

static struct catalogue *load_rows(const struct rule_text *texts, size_t n)
{
    struct ini_file *files = arena_calloc(arena, n + 1, sizeof(*files));
    struct err err = ERR_INIT;
    struct catalogue *c = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!ini_read(arena, texts[i].name, texts[i].bytes, &files[i], &err))
            fail_msg("%s", err.text);
    }
    if (!catalogue_load(arena, files, n, &c, NULL, &err))
        fail_msg("%s", err.text);
    return c;
}

static enum flavour flavour_of(const struct rule_text *t)
{
    const char *file = strrchr(t->name, '/') + 1;
    enum flavour f;
    if (!flavour_from_name((struct span){file, strlen(file) - 4}, &f))
        fail_msg("'%s'", t->name);
    return f;
}

static int begin(void **state)
{
    (void)state;
    arena = arena_new();
    const struct rule_texts *t = rule_texts_builtin(arena);
    builtin = load_rows(t->catalogue, t->n_catalogue);
    assert_int_equal(t->n_names, FLAVOURS);
    for (size_t i = 0; i < t->n_names; i++)
        catalogue_names_set(builtin, flavour_of(&t->names[i]), t->names[i].bytes);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static struct version version(const char *text)
{
    struct version v;
    if (!version_parse_exact(span_of(text), &v))
        fail_msg("'%s' is no version", text);
    return v;
}

/* ---- a list of our own ---- */

static const char LIST[] = "# toy\n"
                           "@oldest 5.6\n"
                           "@newest 9.7.4\n"
                           "@family rpl_semi_ audit\n"
                           "@family clone\n"
                           "always\n"
                           "came +8.0.3\n"
                           "fixed +10.11.12/11.4.6/11.8.2\n"
                           "gone d5.7.20 -8.0.3 =came\n"
                           "later_gone -9.3 =nothing\n"
                           "MixedCase +8.0\n"
                           "silent !\n"
                           "soon ?8.0.24 +9.7\n"
                           "unsure + ?8.0.24 -9.7\n";

static struct catalogue *toy(const char *list)
{
    struct catalogue *c = load_rows(NULL, 0);
    catalogue_names_set(c, FLAVOUR_MYSQL, span_of(list));
    return c;
}

static void test_events(void **state)
{
    (void)state;
    static const struct {
        const char *name, *at;
        enum presence want;
    } cases[] = {
        {"always", "5.6.34", PRESENCE_YES},
        {"ALWAYS", "9.7.4", PRESENCE_YES},
        {"always", "26.7", PRESENCE_YES},
        {"always", "5.5.62", PRESENCE_UNKNOWN}, /* no list speaks of it */
        {"came", "8.0.2", PRESENCE_REFUSED},
        {"came", "8.0.3", PRESENCE_YES},
        {"fixed", "10.11.11", PRESENCE_REFUSED},
        {"fixed", "10.11.12", PRESENCE_YES},
        {"fixed", "11.4.5", PRESENCE_REFUSED},
        {"fixed", "11.9", PRESENCE_YES},
        {"gone", "5.7.19", PRESENCE_YES},
        {"gone", "5.7.20", PRESENCE_DEPRECATED},
        {"gone", "8.0.3", PRESENCE_REFUSED},
        {"silent", "8.0", PRESENCE_IGNORED},
        {"soon", "8.0.23", PRESENCE_REFUSED},
        {"soon", "8.0.24", PRESENCE_UNKNOWN},
        {"soon", "9.7", PRESENCE_YES},
        {"unsure", "8.0.23", PRESENCE_YES},
        {"unsure", "8.4", PRESENCE_UNKNOWN},
        {"unsure", "9.7", PRESENCE_REFUSED},
        {"mixed-case", "8.0", PRESENCE_REFUSED},
        {"mixedcase", "8.0", PRESENCE_YES},
        {"nowhere", "8.0", PRESENCE_REFUSED},
        {"alway", "8.0", PRESENCE_REFUSED},
        {"alwayss", "8.0", PRESENCE_REFUSED},
        {"", "8.0", PRESENCE_REFUSED},
        {"zzz", "9.7.9", PRESENCE_REFUSED}, /* within a series names hardly ever come */
        {"zzz", "26.7", PRESENCE_UNKNOWN},
        {"zzz", "5.5", PRESENCE_UNKNOWN},
        {"rpl-semi_sync", "8.0", PRESENCE_UNKNOWN},
        {"audit_log_file", "8.0", PRESENCE_UNKNOWN},
        {"clone", "8.0", PRESENCE_UNKNOWN},
        {"validate_password.policy", "8.0", PRESENCE_UNKNOWN},
    };
    const struct catalogue *c = toy(LIST);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct version at = version(cases[i].at);
        enum presence p = catalogue_name(c, FLAVOUR_MYSQL, &at, span_of(cases[i].name), NULL);
        if (p != cases[i].want)
            fail_msg("%s in %s: %s, wanted %s", cases[i].name, cases[i].at, presence_name(p),
                     presence_name(cases[i].want));
    }
}

static void test_name(void **state)
{
    (void)state;
    const struct catalogue *c = toy(LIST);
    struct version at = version("8.0.11"), old = version("5.7.20");
    struct option_name n;
    (void)catalogue_name(c, FLAVOUR_MYSQL, &at, SPAN_LIT("mixedcase"), &n);
    assert_true(span_eq_text(n.name, "MixedCase"));
    assert_true(n.listed);
    (void)catalogue_name(c, FLAVOUR_MYSQL, &at, SPAN_LIT("Gone"), &n);
    assert_true(span_eq_text(n.instead, "came"));
    /* not yet there in that version */
    (void)catalogue_name(c, FLAVOUR_MYSQL, &old, SPAN_LIT("gone"), &n);
    assert_int_equal(n.instead.len, 0);
    (void)catalogue_name(c, FLAVOUR_MYSQL, &at, SPAN_LIT("later-gone"), &n);
    assert_int_equal(n.instead.len, 0);
    (void)catalogue_name(c, FLAVOUR_MYSQL, &at, SPAN_LIT("no_such"), &n);
    assert_false(n.listed);
    assert_true(span_eq_text(n.name, "no_such"));
}

static const char *walked(const struct catalogue *c, enum flavour f, const char *at,
                          const char *prefix)
{
    struct buf b;
    struct names_walk w;
    struct option_name n;
    struct version v = version(at);
    buf_init(&b, arena, 10000);
    names_begin(&w, c, f, &v, span_of(prefix));
    while (names_next(&w, &n))
        buf_printf(&b, "%.*s ", SPAN_ARG(n.name));
    return b.ptr;
}

static void test_walk(void **state)
{
    (void)state;
    struct catalogue *c = toy(LIST);
    assert_string_equal(walked(c, FLAVOUR_MYSQL, "8.0.3", "s"), "silent ");
    assert_string_equal(walked(c, FLAVOUR_MYSQL, "9.7", "S"), "silent soon ");
    assert_string_equal(walked(c, FLAVOUR_MYSQL, "9.7", "zz"), "");
    assert_string_equal(walked(c, FLAVOUR_MYSQL, "9.7", "mixed-"), "");
    assert_string_equal(walked(c, FLAVOUR_MYSQL, "8.0.3", ""),
                        "always came later_gone MixedCase silent unsure ");
    catalogue_names_set(c, FLAVOUR_PERCONA,
                        SPAN_LIT("@oldest 5.6\n@newest 8.4\nbefore\ncame -8.0.20\nzebra\n"));
    assert_string_equal(walked(c, FLAVOUR_PERCONA, "8.0.3", ""),
                        "always before came later_gone MixedCase silent unsure zebra ");
    assert_string_equal(walked(c, FLAVOUR_PERCONA, "8.0.20", "c"), "");
}

static void test_near(void **state)
{
    (void)state;
    struct version at = version("8.0.32"), maria = version("10.11.6");
    struct option_name n;
    assert_true(catalogue_near(builtin, FLAVOUR_MYSQL, &at, SPAN_LIT("innodb_bufer_pool_size"), &n));
    assert_true(span_eq_text(n.name, "innodb_buffer_pool_size"));
    assert_true(catalogue_near(builtin, FLAVOUR_MARIADB, &maria, SPAN_LIT("Max-Conections"), &n));
    assert_true(span_eq_text(n.name, "max_connections"));
    assert_false(catalogue_near(builtin, FLAVOUR_MYSQL, &at, SPAN_LIT("quite_another_thing"), &n));
    assert_false(catalogue_near(builtin, FLAVOUR_MYSQL, &at, SPAN_LIT(""), &n));
    char *huge = arena_alloc(arena, 5000);
    memset(huge, 'x', 5000);
    assert_false(catalogue_near(builtin, FLAVOUR_MYSQL, &at, (struct span){huge, 5000}, &n));
}

static void test_foreign(void **state)
{
    (void)state;
    enum flavour f;
    assert_true(catalogue_foreign(builtin, FLAVOUR_MYSQL, SPAN_LIT("aria-block-size"), &f));
    assert_int_equal(f, FLAVOUR_MARIADB);
    assert_true(catalogue_foreign(builtin, FLAVOUR_MARIADB, SPAN_LIT("innodb_dedicated_server"), &f));
    assert_int_equal(f, FLAVOUR_MYSQL);
    /* MariaDB passes over it, so it is none of its own */
    assert_false(catalogue_foreign(builtin, FLAVOUR_MYSQL, SPAN_LIT("binlog_order_commits"), &f));
    assert_false(catalogue_foreign(builtin, FLAVOUR_MYSQL, SPAN_LIT("no_such_name"), &f));
}

/* ---- what the compiled-in lists say ---- */

static void test_builtin(void **state)
{
    (void)state;
    static const struct {
        enum flavour f;
        const char *at, *name;
        enum presence want;
    } cases[] = {
        {FLAVOUR_MYSQL, "9.7.4", "basedir", PRESENCE_YES},
        {FLAVOUR_MYSQL, "5.7.15", "skip-name-resolve", PRESENCE_YES},
        {FLAVOUR_MYSQL, "8.0.36", "query_cache_size", PRESENCE_REFUSED},
        {FLAVOUR_MYSQL, "8.0.36", "replica_parallel_workers", PRESENCE_YES},
        {FLAVOUR_MYSQL, "8.0.25", "replica_parallel_workers", PRESENCE_REFUSED},
        {FLAVOUR_MYSQL, "8.4.0", "expire_logs_days", PRESENCE_REFUSED},
        {FLAVOUR_MYSQL, "8.0.36", "loose_nothing", PRESENCE_REFUSED},
        {FLAVOUR_MYSQL, "8.4.2", "rpl_semi_sync_source_enabled", PRESENCE_UNKNOWN},
        {FLAVOUR_MYSQL, "8.4.2", "ndb_cluster_connection_pool", PRESENCE_UNKNOWN},
        {FLAVOUR_MARIADB, "10.11.6", "innodb_page_cleaners", PRESENCE_IGNORED},
        {FLAVOUR_MARIADB, "11.8.9", "innodb_change_buffer_max_size", PRESENCE_REFUSED},
        {FLAVOUR_MARIADB, "11.8.9", "innodb_change_buffering", PRESENCE_IGNORED},
        {FLAVOUR_MARIADB, "10.11.6", "innodb_change_buffering", PRESENCE_DEPRECATED},
        {FLAVOUR_MARIADB, "10.6.12", "table_cache", PRESENCE_YES},
        {FLAVOUR_MARIADB, "10.11.6", "wsrep_osu_method", PRESENCE_YES},
        {FLAVOUR_PERCONA, "8.0.36", "wsrep_provider", PRESENCE_UNKNOWN}, /* XtraDB Cluster has it */
        {FLAVOUR_MYSQL, "8.0.36", "wsrep_provider", PRESENCE_REFUSED},
        {FLAVOUR_MARIADB, "10.11.6", "innodb_redo_log_capacity", PRESENCE_REFUSED},
        {FLAVOUR_MARIADB, "10.11.6", "server_audit_logging", PRESENCE_UNKNOWN},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct version at = version(cases[i].at);
        enum presence p = catalogue_name(builtin, cases[i].f, &at, span_of(cases[i].name), NULL);
        if (p != cases[i].want)
            fail_msg("%s in %s: %s, wanted %s", cases[i].name, cases[i].at, presence_name(p),
                     presence_name(cases[i].want));
    }
}

static void test_lint(void **state)
{
    (void)state;
    const struct rule_texts *t = rule_texts_builtin(arena);
    struct buf problems;
    buf_init(&problems, arena, 100000);
    for (size_t i = 0; i < t->n_names; i++) {
        struct err err = ERR_INIT;
        bool ok = catalogue_names_check(builtin, flavour_of(&t->names[i]), t->names[i].name,
                                        t->names[i].bytes, &problems, &err);
        if (!ok)
            fail_msg("%s", problems.ptr);
    }
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *list, *want;
    } cases[] = {
        {"a\n", "toy.txt:0: @oldest VERSION and @newest VERSION are missing"},
        {"@oldest 5.6\n@newest 9\nb\n", "toy.txt:2: @oldest"},
        {"@oldest 5.6\n@newest 9.7\nb\na\n", "toy.txt:4: 'a' does not come after 'b'"},
        {"@oldest 5.6\n@newest 9.7\na\nA\n", "toy.txt:4: 'A' does not come after 'a'"},
        {"@oldest 5.6\n@newest 9.7\na-b\n", "toy.txt:3: 'a-b' is no name"},
        {"@oldest 5.6\n@newest 9.7\na\n\n", "toy.txt:4: '' is no name"},
        {"@oldest 5.6\n@newest 9.7\na *8.0\n", "toy.txt:3: '*8.0' is none of"},
        {"@oldest 5.6\n@newest 9.7\na +8.x\n", "toy.txt:3: '8.x' is no version"},
        {"@oldest 5.6\n@newest 9.7\na +9.7/8.0\n", "toy.txt:3: the versions of '9.7/8.0' do not"},
        {"@oldest 5.6\n@newest 9.7\na =\n", "toy.txt:3: '' is no name"},
        {"@oldst 5.6\n@newest 9.7\na\n", "toy.txt:1: there is no '@oldst'"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        struct buf problems;
        buf_init(&problems, arena, 10000);
        if (catalogue_names_check(toy(cases[i].list), FLAVOUR_MYSQL, "toy.txt",
                                  span_of(cases[i].list), &problems, &err))
            fail_msg("nothing is wrong with:\n%s", cases[i].list);
        if (strstr(problems.ptr, cases[i].want) == NULL)
            fail_msg("'%s' is not in:\n%s", cases[i].want, problems.ptr);
    }
}

static void test_contradiction(void **state)
{
    (void)state;
    static const char row[] = "[came]\nkind = bool\nmysql.life = introduced 8.0.4\n"
                              "mysql.default = OFF\nscratch = no\nmysql.source = toy\n"
                              "[sources]\ntoy = 8.0 toy\n";
    struct catalogue *c = load_rows(&(struct rule_text){"toy.ini", SPAN_LIT(row), NULL}, 1);
    struct buf problems;
    struct err err = ERR_INIT;
    buf_init(&problems, arena, 10000);
    catalogue_names_set(c, FLAVOUR_MYSQL, SPAN_LIT(LIST));
    assert_true(catalogue_names_check(c, FLAVOUR_MYSQL, "toy.txt", SPAN_LIT(LIST), &problems, &err));
    static const char later[] = "@oldest 5.6\n@newest 9.7\ncame +8.0.5\n";
    catalogue_names_set(c, FLAVOUR_MYSQL, SPAN_LIT(later));
    assert_false(catalogue_names_check(c, FLAVOUR_MYSQL, "toy.txt", SPAN_LIT(later), &problems, &err));
    assert_non_null(strstr(err.text, "the catalogue says yes of version 8.0.4, the list refused"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),   cmocka_unit_test(test_name),
        cmocka_unit_test(test_walk),     cmocka_unit_test(test_near),
        cmocka_unit_test(test_foreign),  cmocka_unit_test(test_builtin),
        cmocka_unit_test(test_lint),     cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_contradiction),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
