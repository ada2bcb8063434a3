/* Where rule texts come from: compiled in, a directory, the site's rules.d and who may write there. */
#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "rules/ruleset.h"

#include "advisor/base/banned.h"

#define GOOD "[r-one]\nretired = gone\n"

static const char *folder(struct arena *a)
{
    char *dir = arena_strdup(a, "/tmp/nvadvise-ruleset-XXXXXX");
    if (mkdtemp(dir) == NULL)
        fail_msg("mkdtemp: %d", errno);
    return dir;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static void remove_folder(const char *dir)
{
    assert_int_equal(nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void put(const char *dir, struct arena *a, const char *name, const char *text)
{
    FILE *f = fopen(arena_printf(a, "%s/%s", dir, name), "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void test_read_dir(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const char *dir = folder(a);
    struct rule_texts t = {0};
    struct err err = ERR_INIT;
    assert_false(rule_texts_read_dir(a, dir, &t, &err));
    assert_int_equal(err.code, E_ABSENT);
    assert_non_null(strstr(err.hint, "laid out"));
    assert_int_equal(mkdir(arena_printf(a, "%s/rules", dir), 0755), 0);
    assert_int_equal(mkdir(arena_printf(a, "%s/catalogue", dir), 0755), 0);
    assert_int_equal(mkdir(arena_printf(a, "%s/catalogue/names", dir), 0755), 0);
    put(dir, a, "catalogue/names/mysql.txt", "@oldest 5.6\n");
    put(dir, a, "rules/b.ini", "# b\n");
    put(dir, a, "rules/a.ini", GOOD);
    put(dir, a, "rules/notes.txt", "no");
    put(dir, a, "settings.ini", "# s\n");
    put(dir, a, "derived.ini", "# d\n");
    err = ERR_INIT;
    if (!rule_texts_read_dir(a, dir, &t, &err))
        fail_msg("%s", err.text);
    assert_int_equal(t.n_rules, 2);
    assert_true(span_ends(span_of(t.rules[0].name), "/rules/a.ini"));
    assert_true(span_eq_text(t.rules[0].bytes, GOOD));
    assert_int_equal(t.n_catalogue, 0);
    assert_int_equal(t.n_names, 1);
    assert_true(span_eq_text(t.names[0].bytes, "@oldest 5.6\n"));
    assert_true(span_eq_text(t.settings.bytes, "# s\n"));
    assert_true(span_eq_text(t.derived.bytes, "# d\n"));
    /* a pipe in the place of a text would be waited for */
    static const char *const places[] = {"rules/pipe.ini", "catalogue/pipe.ini",
                                         "catalogue/names/pipe.txt", "settings.ini"};
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        const char *path = arena_printf(a, "%s/%s", dir, places[i]);
        (void)unlink(path);
        assert_int_equal(mkfifo(path, 0600), 0);
        assert_false(rule_texts_read_dir(a, dir, &t, &err));
        assert_non_null(strstr(err.text, places[i]));
        assert_int_equal(unlink(path), 0);
    }
    remove_folder(dir);
}

static void test_site_rules(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    ARENA_AUTO a = arena_new();
    const char *dir = folder(a);
    struct rule_texts t = {0};
    struct err err = ERR_INIT;
    assert_true(rule_texts_add_site(a, arena_printf(a, "%s/none", dir), &t, &err));
    assert_int_equal(t.n_rules, 0);
    put(dir, a, "10-site.ini", GOOD);
    if (!rule_texts_add_site(a, dir, &t, &err))
        fail_msg("%s", err.text);
    assert_int_equal(t.n_rules, 1);

    const char *file = arena_printf(a, "%s/10-site.ini", dir);
    assert_int_equal(chmod(file, 0664), 0);
    assert_false(rule_texts_add_site(a, dir, &t, &err));
    assert_int_equal(err.code, E_DENIED);
    assert_non_null(strstr(err.hint, "chown root"));
    assert_int_equal(chmod(file, 0644), 0);
    assert_int_equal(chown(file, 65534, 65534), 0);
    assert_false(rule_texts_add_site(a, dir, &t, &err));
    assert_int_equal(err.code, E_DENIED);
    assert_int_equal(chown(file, 0, 0), 0);
    assert_int_equal(chmod(dir, 0777), 0);
    assert_false(rule_texts_add_site(a, dir, &t, &err));
    assert_int_equal(err.code, E_DENIED);
    assert_int_equal(chmod(dir, 0755), 0);
    assert_int_equal(symlink("/etc/passwd", arena_printf(a, "%s/20-link.ini", dir)), 0);
    assert_false(rule_texts_add_site(a, dir, &t, &err));
    assert_int_equal(t.n_rules, 1);
    remove_folder(dir);
}

static void test_builtin_texts(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct rule_texts *t = rule_texts_builtin(a);
    assert_true(t->n_rules >= 8);
    assert_true(t->n_catalogue > 0);
    assert_true(t->derived.bytes.len > 0);
    assert_true(t->settings.bytes.len > 0);
    for (size_t i = 0; i < t->n_rules; i++)
        assert_int_equal(strncmp(t->rules[i].name, "rules/", 6), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_dir),
        cmocka_unit_test(test_site_rules),
        cmocka_unit_test(test_builtin_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
