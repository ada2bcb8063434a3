/* Which groups and files a server reads, and its command line. The expected values
 * were seen on MariaDB 10.11 and 11.8 and MySQL 9.7 (--help, strace). */
#include "tests/unit/probes/option_texts.h"

#include <string.h>

#include "advisor/base/banned.h"

static void test_groups(void **state)
{
    (void)state;
    static const struct {
        bool mariadb;
        const char *version, *args, *suffix, *mariadb_suffix, *groups;
    } rows[] = {
        {true, "10.11.18", "mariadbd", NULL, NULL,
         "mysqld server mysqld-10.11 mariadb mariadb-10.11 mariadbd mariadbd-10.11 client-server "
         "galera"},
        {true, "11.8.9", "mariadbd", NULL, NULL,
         "mysqld server mysqld-11.8 mariadb mariadb-11.8 mariadb-11 mariadbd mariadbd-11.8 "
         "mariadbd-11 client-server galera"},
        {true, "", "mariadbd", NULL, NULL, "mysqld server mariadb mariadbd client-server galera"},
        {false, "9.7.4", "mysqld --defaults-group-suffix=_x", "_e", "_m",
         "mysqld server mysqld-9.7 mysqld_x server_x mysqld-9.7_x"},
        {false, "8.0.36", "mysqld", "_e", "_m",
         "mysqld server mysqld-8.0 mysqld_e server_e mysqld-8.0_e"},
        {true, "10.11.18", "mariadbd", "_e", "_m",
         "mysqld server mysqld-10.11 mariadb mariadb-10.11 mariadbd mariadbd-10.11 client-server "
         "galera mysqld_m server_m mysqld-10.11_m mariadb_m mariadb-10.11_m mariadbd_m "
         "mariadbd-10.11_m client-server_m galera_m"},
        {false, "8.0.36", "mysqld --no-defaults --defaults-group-suffix=_x", NULL, NULL,
         "mysqld server mysqld-8.0 mysqld_x server_x mysqld-8.0_x"},
        {true, "10.5.23", "mariadbd --no-defaults --defaults-group-suffix=_x", "_e", "_m",
         "mysqld server mysqld-10.5 mariadb mariadb-10.5 mariadbd mariadbd-10.5 client-server "
         "galera mysqld_e server_e mysqld-10.5_e mariadb_e mariadb-10.5_e mariadbd_e "
         "mariadbd-10.5_e client-server_e galera_e"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct span list[WORDS_MAX];
        const char *const *groups;
        const struct server_options_input in = {.mariadb = rows[i].mariadb,
                                                .version = version(rows[i].version),
                                                .args = list,
                                                .n_args = words(rows[i].args, list),
                                                .group_suffix = rows[i].suffix,
                                                .mariadb_group_suffix = rows[i].mariadb_suffix};
        const size_t n = server_groups(a, &in, &groups);
        assert_string_equal(join(a, groups, n), rows[i].groups);
    }
}

static void test_files(void **state)
{
    (void)state;
    static const struct {
        bool mariadb;
        const char *args, *home, *mysql_home, *mariadb_home, *exe, *files;
    } rows[] = {
        {true, "mariadbd", "/root", NULL, NULL, NULL,
         "/etc/my.cnf /etc/mysql/my.cnf /root/.my.cnf"},
        {true, "mariadbd", NULL, "/y", "/m", NULL,
         "/etc/my.cnf /etc/mysql/my.cnf /m/my.cnf ~/.my.cnf"},
        {false, "mysqld", "", "/y/", "/m", NULL,
         "/etc/my.cnf /etc/mysql/my.cnf /y/my.cnf /.my.cnf"},
        {true, "mariadbd", "/", "/etc", NULL, NULL, "/etc/mysql/my.cnf /etc/my.cnf /.my.cnf"},
        {true, "mariadbd", "/r", "/y", "", NULL, "/etc/my.cnf /etc/mysql/my.cnf /r/.my.cnf"},
        {true, "mariadbd", "/r", "~/x", NULL, NULL,
         "/etc/my.cnf /etc/mysql/my.cnf /r/x/.my.cnf /r/.my.cnf"},
        {true, "mariadbd", "/r", "h", NULL, NULL,
         "/etc/my.cnf /etc/mysql/my.cnf h/my.cnf /r/.my.cnf"},
        {false, "mysqld --defaults-extra-file=/x//y.cnf", "/r", "/y", NULL, NULL,
         "/etc/my.cnf /etc/mysql/my.cnf /y/my.cnf !/x/y.cnf /r/.my.cnf"},
        {false, "mysqld --defaults-extra-file=/x --defaults-file=/f", "/r", "/y", NULL, NULL,
         "!/f"},
        {false, "mysqld --user=me --defaults-file=/f", "/r", NULL, NULL, NULL,
         "/etc/my.cnf /etc/mysql/my.cnf /r/.my.cnf"},
        {false, "mysqld --no-defaults --defaults-file=/f", "/r", NULL, NULL, NULL, ""},
        {false, "mysqld --defaults-file=/f --no-defaults", "/r", NULL, NULL, NULL, "!/f"},
        {false, "mysqld", NULL, NULL, NULL, "/opt/mysql/bin/mysqld",
         "/etc/my.cnf /etc/mysql/my.cnf ?/usr/local/mysql/etc/my.cnf ~/.my.cnf"},
        {false, "mysqld", NULL, NULL, NULL, "/usr/sbin/mysqld",
         "/etc/my.cnf /etc/mysql/my.cnf ?/usr/etc/my.cnf ~/.my.cnf"},
        {false, "", "/r", NULL, NULL, NULL, "/etc/my.cnf /etc/mysql/my.cnf /r/.my.cnf"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct span list[WORDS_MAX];
        const struct server_options_input in = {.mariadb = rows[i].mariadb,
                                                .args = list,
                                                .n_args = words(rows[i].args, list),
                                                .home = rows[i].home,
                                                .mysql_home = rows[i].mysql_home,
                                                .mariadb_home = rows[i].mariadb_home,
                                                .exe = rows[i].exe};
        struct server_defaults d;
        struct server_file *files;
        server_defaults_read(&in, &d);
        const size_t n = server_default_files(a, &in, &d, &files);
        const char *paths[WORDS_MAX];
        for (size_t k = 0; k < n; k++) {
            paths[k] = arena_printf(a, "%s%s",
                                    files[k].must       ? "!"
                                    : files[k].by_build ? "?"
                                                        : "",
                                    files[k].path);
        }
        if (strcmp(join(a, paths, n), rows[i].files) != 0) {
            fail_msg("row %zu: '%s'", i, join(a, paths, n));
        }
    }
}

static void test_args(void **state)
{
    (void)state;
    static const struct {
        const char *args, *lines;
    } rows[] = {
        {"mysqld", ""},
        {"mysqld --port=1 --skip-networking --a=",
         "(command line):1:[]port=1 (command line):2:[]skip-networking (command line):3:[]a="},
        {"mysqld --port 1 --x", "(command line):1:[]port=1 (command line):3:[]x"},
        {"mysqld -umysql -u root -P 7 -s -W2 -phush -Z x",
         "(command line):1:[]user=mysql (command line):2:[]user=root (command line):4:[]port=7 "
         "(command line):6:[]symbolic-links (command line):7:[]log-warnings=2"},
        {"mysqld --a -- --b", "(command line):1:[]a"},
        {"mysqld --defaults-file=/f --defaults-group-suffix=_x --print-defaults --a",
         "(command line):4:[]a"},
        {"mysqld --no-defaults --a", "(command line):2:[]a"},
        {"mysqld stray --=x", ""},
        {"", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct span list[WORDS_MAX];
        const struct server_options_input in = {.args = list, .n_args = words(rows[i].args, list)};
        struct server_defaults d;
        struct optline *lines;
        server_defaults_read(&in, &d);
        const size_t n = server_args_lines(a, &in, d.first, &lines);
        if (strcmp(lines_text(a, lines, n), rows[i].lines) != 0) {
            fail_msg("row %zu: '%s'", i, lines_text(a, lines, n));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_args),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
