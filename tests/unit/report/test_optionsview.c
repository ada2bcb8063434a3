/* What a server reads, as people see it: who wins, who loses to what, what stops the server, what
 * is unknown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/report/optionsview.h"
#include "probes/probe.h"
#include "rules/ruleset.h"

#include "advisor/base/banned.h"

struct scene {
    struct arena *arena;
    struct ruleset rs;
    struct store *store;
    struct subject *server;
};

static void words(const struct scene *w, const char *name, const char *const *texts, size_t n)
{
    struct span *items = arena_calloc(w->arena, n + 1, sizeof(*items));
    for (size_t i = 0; i < n; i++) {
        items[i] = span_of(texts[i]);
    }
    store_known(w->store, w->server, name, value_words(w->arena, KIND_LIST, items, n), "test");
}

#define WORDS(w, name, ...)                                                                        \
    words(w, name, (const char *const[]){__VA_ARGS__},                                             \
          sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void scene_open(struct scene *w, struct arena *a)
{
    struct err err = ERR_INIT;
    struct decl_set *decls = decl_set_new(a);
    *w = (struct scene){.arena = a};
    if (!probes_declare(decls, &err) ||
        !ruleset_load(a, decls, rule_texts_builtin(a), &w->rs, NULL, &err)) {
        fail_msg("%s", err.text);
    }
    w->store = store_new(a, decls);
    w->server = store_subject(w->store, SUBJECT_SERVER, "server:/s");
    const struct version version = {{10, 11, 18, 0}, 3};
    store_known(w->store, w->server, "server.flavour", value_text(KIND_ENUM, SPAN_LIT("mariadb")),
                "");
    store_known(w->store, w->server, "server.version", value_version(version), "");
    WORDS(w, "server.option.files", "read 0644 0 /m.cnf", "absent - - /h/.my.cnf",
          "world-writable 0666 0 /d/w.cnf");
    WORDS(w, "server.option.dirs", "/c", "/d");
    WORDS(w, "server.option.groups", "mysqld", "server");
    WORDS(w, "server.option.warnings", "odd");
    WORDS(w, "server.option.other_lines", "/m.cnf:9:[client]user");
    WORDS(w, "server.option.lines", "/m.cnf:2:[mysqld]innodb_io_capacity=300",
          "/m.cnf:3:[mysqld]max_connections=100", "/d/x.cnf:2:[server]innodb-io-capacity=400",
          "/d/x.cnf:3:[server]max_connections=100");
}

static const char *view(const struct scene *w, bool verbose)
{
    struct buf b;
    const struct text_options opt = {.columns = 80, .verbose = verbose};
    buf_init(&b, w->arena, 65536);
    optionsview_print(&b, &w->rs, w->store, w->server, &opt);
    return b.ptr;
}

static void has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("no '%s' in:\n%s", part, text);
    }
}

static void has_not(const char *text, const char *part)
{
    if (strstr(text, part) != NULL) {
        fail_msg("'%s' in:\n%s", part, text);
    }
}

static void test_plain(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct scene w;
    scene_open(&w, a);
    const char *text = view(&w, false);
    assert_string_equal(text, "server:/s: MariaDB 10.11.18\n"
                              " read           /m.cnf\n"
                              " world-writable /d/w.cnf\n"
                              " read last      /d/: the place for a drop-in\n"
                              " note           odd\n"
                              " loses    /m.cnf:2    innodb_io_capacity = 300\n"
                              "            /d/x.cnf:2 wins: innodb-io-capacity = 400\n"
                              "          /d/x.cnf:2  innodb-io-capacity = 400\n"
                              "          /d/x.cnf:3  max_connections = 100\n"
                              " and 1 that a later line sets to the same, with -v\n");
}

static void test_verbose(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct scene w;
    scene_open(&w, a);
    const char *text = view(&w, true);
    has(text, " absent         /h/.my.cnf\n");
    has(text, " read           /m.cnf (mode 0644, owner 0)\n");
    has(text, " groups         mysqld, server\n");
    has(text, " loses    /m.cnf:3    [mysqld] max_connections = 100\n");
    has(text, " not read /m.cnf:9    [client] user\n");
}

static void test_trouble(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct scene w;
    scene_open(&w, a);
    WORDS(&w, "server.option.lines", "/m.cnf:2:[mysqld]inodb_io_capacity=300",
          "/m.cnf:3:[mysqld]nonsense=%1B[31m", "(command line):1:[]loose_nonsense");
    const char *text = view(&w, false);
    has(text,
        " FATAL          /m.cnf:2 would stop the server when it starts next, and so would");
    has(text, " STOPS    /m.cnf:2      inodb_io_capacity = 300\n");
    has(text, " STOPS    /m.cnf:3      nonsense = \\x1b[31m\n");
    has(text, " ignored  command line  loose_nonsense\n");
    has_not(text, "\x1b");
    store_known(w.store, w.server, "server.option.fatal_reason",
                value_text(KIND_STRING, SPAN_LIT("/m.cnf:1: x")), "");
    has(view(&w, false), " FATAL          /m.cnf:1: x: the server would not start\n");
}

static void test_unknown(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct scene w;
    scene_open(&w, a);
    store_unknown(w.store, w.server, "server.option.lines", FACT_NOT_PERMITTED, "", "Run as root.",
                  "cannot open '/proc/1/root'");
    const char *text = view(&w, false);
    has(text, " unknown        cannot open '/proc/1/root'. Run as root.\n");
    has_not(text, "no option is set");
    store_unset(w.store, w.server, "server.option.lines");
    has(view(&w, false), " unknown        nothing is known of the option files\n");
    WORDS(&w, "server.option.lines", "/m.cnf:2:[mysqld]a=3");
    store_unknown(w.store, w.server, "server.version", FACT_ABSENT, "", "", "not told");
    text = view(&w, false);
    has(text, " unknown        not told\n");
    has(text, "          /m.cnf:2  a = 3\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_verbose),
        cmocka_unit_test(test_trouble),
        cmocka_unit_test(test_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
