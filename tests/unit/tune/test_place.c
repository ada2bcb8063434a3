/* Where a drop-in goes: trees of the distributions and of people, and who still wins over it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "advisor/tune/place.h"
#include "tests/lib/fakefiles.h"
#include "tests/unit/rules/option_world.h"

#include "advisor/base/banned.h"

#define OURS                                                                                       \
    "# zz-nvadvise.cnf: made by nvadvise 1\n[mysqld]\nmax_connections = 200\n"                     \
    "innodb_io_capacity = 2000\n"

#define FILES_MAX 8

struct row {
    const char *name, *target; /* "mariadb:10.11.8" */
    const char *argument;      /* of the command line, or NULL */
    struct fake_file files[FILES_MAX];
    const char *dir;           /* where it goes; NULL: nowhere, `says` stands in the message */
    size_t n_win;
    const char *says;          /* of the first line that does not win: who does, and what mends it */
    const char *mend;
};

static const struct row rows[] = {
    {"Debian's MariaDB: the second directory is read last", "mariadb:10.11.8", NULL,
     {{"/etc/mysql/my.cnf", "[client-server]\n!includedir /etc/mysql/conf.d/\n"
                            "!includedir /etc/mysql/mariadb.conf.d/\n", 0},
      {"/etc/mysql/conf.d/mysql.cnf", "[mysql]\n", 0},
      {"/etc/mysql/mariadb.conf.d/50-server.cnf", "[mysqld]\nmax-connections = 10\n", 0}},
     "/etc/mysql/mariadb.conf.d", 2, NULL, NULL},
    {"an image with the order swapped", "mariadb:10.11.8", NULL,
     {{"/etc/mysql/my.cnf", "!includedir /etc/mysql/mariadb.conf.d\n"
                            "!includedir /etc/mysql/conf.d\n", 0},
      {"/etc/mysql/conf.d/05-skipcache.cnf", "[mysqld]\n", 0},
      {"/etc/mysql/mariadb.conf.d/50-server.cnf", "[mysqld]\n", 0}},
     "/etc/mysql/conf.d", 2, NULL, NULL},
    {"settings after the directory", "mysql:8.0.36", NULL,
     {{"/etc/my.cnf", "!includedir /etc/my.cnf.d\n[mysqld]\nskip-name-resolve\n"
                      "loose_max-connections=50\n", 0},
      {"/etc/my.cnf.d/a.cnf", "[mysqld]\n", 0}},
     "/etc/my.cnf.d", 1, "/etc/my.cnf:4", "delete line 4 of /etc/my.cnf"},
    {"a name that sorts after ours", "mysql:8.0.36", NULL,
     {{"/etc/my.cnf", "!includedir /etc/my.cnf.d\n", 0},
      {"/etc/my.cnf.d/zzz.cnf", "[mysqld]\nmax_connections=50\ninnodb-io-capacity=2000\n", 0}},
     "/etc/my.cnf.d", 1, "/etc/my.cnf.d/zzz.cnf:2", "delete line 2 of"},
    {"the earlier directory, since a later one has more against it", "mysql:8.0.36", NULL,
     {{"/etc/my.cnf", "!includedir /etc/a.d\n!includedir /etc/b.d\n", 0},
      {"/etc/a.d/x.cnf", "[mysqld]\n", 0},
      {"/etc/b.d/zzz.cnf", "[mysqld]\nmax_connections=50\n", 0}},
     "/etc/b.d", 1, "/etc/b.d/zzz.cnf:2", NULL},
    {"the command line", "mysql:8.0.36", "--max-connections=7",
     {{"/etc/my.cnf", "!includedir /etc/my.cnf.d\n", 0}, {"/etc/my.cnf.d/a.cnf", "", 0}},
     "/etc/my.cnf.d", 1, "command line", "take --max-connections from"},
    {"the same value later is no harm", "mysql:8.0.36", "--max-connections=200",
     {{"/etc/my.cnf", "!includedir /etc/my.cnf.d\n", 0}, {"/etc/my.cnf.d/a.cnf", "", 0}},
     "/etc/my.cnf.d", 2, NULL, NULL},
    {"no directory", "mysql:8.0.36", NULL, {{"/etc/my.cnf", "[mysqld]\n", 0}}, NULL, 0,
     "'/etc/my.cnf' includes no directory", "!includedir /etc/nvadvise.d"},
    {"no directory, a file of a hostile name", "mysql:8.0.36", "--defaults-file=/etc/x';y/my.cnf",
     {{"/etc/x';y/my.cnf", "[mysqld]\n", 0}}, NULL, 0, "includes no directory",
     "mkdir -m 755 '/etc/x'\\'';y/nvadvise.d' && printf '\\n%s\\n' '!includedir /etc/x'\\'';y/nvadvise.d'"
     " >> '/etc/x'\\'';y/my.cnf'"},
    {"no file", "mysql:8.0.36", NULL, {{NULL, NULL, 0}}, NULL, 0, "reads no option file", NULL},
    {"a tree that stops the server", "mysql:8.0.36", NULL,
     {{"/etc/my.cnf", "a=1\n!includedir /etc/my.cnf.d\n", 0}}, NULL, 0, "/etc/my.cnf:1", NULL},
};

struct world {
    struct optfile_io io;
    struct span args[3];
    struct server_options_input server;
    struct place_input in;
};

static bool give_persisted(void *ctx, const char *path, struct span *ret, struct err *reterr)
{
    (void)path;
    *ret = span_of(ctx);
    return ctx != NULL || err_set(reterr, E_ABSENT, "no such file");
}

static void open_world(struct arena *a, const struct row *r, struct world *w)
{
    static const char *const program[] = {"/usr/sbin/mysqld"};
    *w = (struct world){.io = fakefiles_io(a, r->files, NULL)};
    w->args[0] = span_of(program[0]);
    w->args[1] = span_of(r->argument);
    w->in.catalogue = world_catalogue(a);
    w->in.target = world_target(r->target);
    w->server = (struct server_options_input){
        .mariadb = w->in.target.flavour == FLAVOUR_MARIADB,
        .version = w->in.target.version,
        .args = w->args,
        .n_args = r->argument != NULL ? 2 : 1,
        .exe = program[0],
    };
    w->in.io = &w->io;
    w->in.persisted = give_persisted;
    w->server.datadir = "/data";
    w->in.server = &w->server;
}

static void check_loser(const struct row *r, const struct place *p)
{
    for (size_t i = 0; i < p->n_names; i++) {
        const struct place_name *n = &p->names[i];
        if (n->wins) {
            continue;
        }
        if (r->says == NULL || strstr(n->by, r->says) == NULL || strstr(n->why, r->says) == NULL ||
            (r->mend != NULL && strstr(n->mend, r->mend) == NULL)) {
            fail_msg("%s: %s by '%s': %s; %s", r->name, n->variable, n->by, n->why, n->mend);
        }
    }
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct row *r = &rows[i];
        ARENA_AUTO a = arena_new();
        struct world w;
        struct place_tree tree;
        struct place p = {0};
        struct err err = ERR_INIT;
        open_world(a, r, &w);
        const bool ok = place_read(&w.in, a, &tree, &err) &&
                        place_choose(&w.in, &tree, NULL, span_of(OURS), a, &p, &err);
        if (ok != (r->dir != NULL)) {
            fail_msg("%s: %s", r->name, ok ? p.dir : err.text);
        }
        if (!ok) {
            if (strstr(err.text, r->says) == NULL ||
                (r->mend != NULL && strstr(err.hint, r->mend) == NULL)) {
                fail_msg("%s: %s; %s", r->name, err.text, err.hint);
            }
            continue;
        }
        if (strcmp(p.dir, r->dir) != 0 || p.n_win != r->n_win || p.n_names != 2 || p.stops) {
            fail_msg("%s: %s, %zu of %zu win", r->name, p.dir, p.n_win, p.n_names);
        }
        check_loser(r, &p);
    }
}

static void test_persisted(void **state)
{
    static const struct row r = {.name = "persisted", .target = "mysql:8.0.36",
                                 .files = {{"/etc/my.cnf", "!includedir /etc/my.cnf.d\n", 0},
                                           {"/etc/my.cnf.d/a.cnf", "", 0}}};
    static char text[] = "{\"Version\":1,\"mysql_server\":{\"max_connections\":{\"Value\":\"9\","
                         "\"Metadata\":{\"Timestamp\":1,\"User\":\"root\",\"Host\":\"\"}}}}";
    (void)state;
    ARENA_AUTO a = arena_new();
    struct world w;
    struct place p = {0};
    struct err err = ERR_INIT;
    open_world(a, &r, &w);
    assert_true(place_try(&w.in, "/etc/my.cnf.d", span_of(OURS), a, &p, &err));
    assert_int_equal(p.n_win, 2);
    w.in.persisted_ctx = text;
    assert_true(place_try(&w.in, "/etc/my.cnf.d", span_of(OURS), a, &p, &err));
    assert_int_equal(p.n_win, 1);
    assert_string_equal(p.names[0].reset, "max_connections");
    assert_string_equal(p.names[0].mend, "RESET PERSIST max_connections;");
}

/* What the server would not start with, and a group that it does not read. */
static void test_bad_lines(void **state)
{
    static const char text[] = "# x: made by nvadvise 1\n[mysqld]\ninnodb_log_file_size = 1\n"
                               "max_connections = 10\n[mysqld-8.0]\ntable_open_cache = 100\n";
    static const struct row r = {.name = "bad", .target = "mysql:9.7.0",
                                 .files = {{"/etc/my.cnf", "!includedir /etc/my.cnf.d\n", 0},
                                           {"/etc/my.cnf.d/a.cnf", "", 0}}};
    (void)state;
    ARENA_AUTO a = arena_new();
    struct world w;
    struct place p = {0};
    struct err err = ERR_INIT;
    open_world(a, &r, &w);
    assert_true(place_try(&w.in, "/etc/my.cnf.d", span_of(text), a, &p, &err));
    assert_true(p.stops);
    assert_int_equal(p.n_names, 2);
    assert_true(p.names[0].stops);
    assert_true(p.names[0].why[0] != '\0');
    assert_true(p.names[1].wins);
}

/* Of two that are as good the one that has our file already. */
static void test_prefer(void **state)
{
    static const struct row r = {.name = "two", .target = "mysql:8.0.36",
                                 .files = {{"/etc/my.cnf", "!includedir /etc/a.d\n"
                                                           "!includedir /etc/b.d\n", 0},
                                           {"/etc/a.d/a.cnf", "", 0},
                                           {"/etc/b.d/a.cnf", "", 0}}};
    (void)state;
    ARENA_AUTO a = arena_new();
    struct world w;
    struct place_tree tree;
    struct place p = {0};
    struct err err = ERR_INIT;
    open_world(a, &r, &w);
    assert_true(place_read(&w.in, a, &tree, &err));
    assert_true(place_choose(&w.in, &tree, "/etc/a.d", span_of(OURS), a, &p, &err));
    assert_string_equal(p.dir, "/etc/a.d");
    assert_true(place_choose(&w.in, &tree, NULL, span_of(OURS), a, &p, &err));
    assert_string_equal(p.dir, "/etc/b.d");
    assert_string_equal(p.path, "/etc/b.d/zz-nvadvise.cnf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_persisted),
        cmocka_unit_test(test_bad_lines),
        cmocka_unit_test(test_prefer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
