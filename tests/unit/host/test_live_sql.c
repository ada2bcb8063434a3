/* The live SQL backend against servers that do not behave. Those that do are in the integration
 * tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "advisor/base/file.h"
#include "probes/host/host.h"
#include "probes/host/queries.h"
#include "probes/host/sql_filter.h"
#include "tests/unit/host/fakeserver.h"

#include "advisor/base/banned.h"

struct fix {
    struct arena *a;
    char dir[64], socket[80];
};

static int setup(void **state)
{
    struct fix *const f = calloc(1, sizeof(*f));
    f->a = arena_new();
    snprintf(f->dir, sizeof(f->dir), "/tmp/nv-sql-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    snprintf(f->socket, sizeof(f->socket), "%s/s", f->dir);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fix *const f = *state;
    unlink(f->socket);
    rmdir(f->dir);
    arena_free(f->a);
    free(f);
    return 0;
}

static bool open_sql(struct host *h, struct err *err)
{
    struct span got;
    return host_open(h, "sql", &got, err);
}

static struct host *host_for(const struct fix *f, struct host_sql_login *login)
{
    *login = (struct host_sql_login){.socket = f->socket,
                                     .user = "u",
                                     .password = "s3cret-password",
                                     .socket_dir_fd = -1,
                                     .timeout_s = 1};
    return host_live_new(f->a, login);
}

static void test_greetings(void **state)
{
    const struct fix *const f = *state;
    const struct span greetings[] = {
        {"", 0},
        SPAN_LIT("\xff\xff\xff\xff"),
        SPAN_LIT("HTTP/1.1 400 Bad Request\r\n\r\n"),
        SPAN_LIT("\x10\x00\x00\x00\xff\x10\x04too many conn"),
        SPAN_LIT("\x20\x00\x00\x00\x0a"
                 "8.0.36"),
        SPAN_LIT("\x00\x00\x00\x00"),
    };
    for (size_t i = 0; i < ARRAY_LEN(greetings); i++) {
        struct host_sql_login login;
        const pid_t pid =
            fakeserver_start(f->socket, greetings[i].ptr, greetings[i].len, ANSWER_GOOD);
        struct host *const h = host_for(f, &login);
        struct err err = ERR_INIT;
        assert_false(open_sql(h, &err));
        assert_true(err.code == E_CONNECT || err.code == E_LOGIN || err.code == E_ABSENT);
        assert_null(strstr(err.text, "s3cret"));
        host_live_close(h);
        fakeserver_stop(pid);
        unlink(f->socket);
    }
}

static void test_no_socket(void **state)
{
    const struct fix *const f = *state;
    struct host_sql_login login;
    struct err err = ERR_INIT;
    struct host *h = host_for(f, &login);
    assert_false(open_sql(h, &err));
    assert_true(err.code == E_CONNECT || err.code == E_ABSENT);
    assert_non_null(strstr(err.text, f->socket));
    host_live_close(h);
    assert_true(file_replace(f->socket, SPAN_LIT("a file"), 0600, &err));
    h = host_for(f, &login);
    assert_false(open_sql(h, &err));
    assert_non_null(strstr(err.text, "not a socket"));
    host_live_close(h);
    struct err refused = ERR_INIT;
    err_set(&refused, E_DENIED, "no file for you");
    login.refused = &refused;
    h = host_live_new(f->a, &login);
    assert_false(open_sql(h, &err));
    assert_int_equal(err.code, E_DENIED);
    struct host_rows rows;
    assert_false(host_sql(h, "variables", &rows, &err));
    assert_int_equal(err.code, E_CONNECT);
    host_live_close(h);
}

/* A statement that asks for variables, of whatever name it has in the table. */
static const struct query *variables_query(void)
{
    for (size_t i = 0; i < query_n_rows; i++) {
        const struct query *const q = &query_rows[i];
        if (q->use == QUERY_ASKED && q->filter == FILTER_VARIABLES &&
            query_find(q->id, QUERY_MYSQL, 80036) == q && (q->values & 2u) != 0) {
            return q;
        }
    }
    return NULL;
}

static double seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void test_answers(void **state)
{
    const struct fix *const f = *state;
    static const struct {
        enum fake_answer answer;
        enum err_code code; /* E_NONE: it works */
        bool lost;          /* no further statement is possible */
    } rows[] = {
        {ANSWER_GOOD, E_NONE, false},
        {ANSWER_ENDLESS, E_TOO_BIG, true},
        {ANSWER_BIG_ROW, E_CONNECT, true}, /* the library gives up first */
        {ANSWER_DENIED, E_DENIED, false},
        {ANSWER_NO_TABLE, E_NOT_SUPPORTED, false},
        {ANSWER_MANY_COLUMNS, E_CONNECT, true},
        {ANSWER_CUT, E_CONNECT, true},
        {ANSWER_BROKEN_ROW, E_CONNECT, true},
        {ANSWER_SILENCE, E_CONNECT, true},
        {ANSWER_GUARD_REFUSED, E_IO, false},
        {ANSWER_GARBAGE, E_CONNECT, true},
    };
    const struct query *const q = variables_query();
    if (q == NULL) {
        skip();
    }
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct host_sql_login login;
        const pid_t pid = fakeserver_start(f->socket, NULL, 0, rows[i].answer);
        struct host *const h = host_for(f, &login);
        struct err err = ERR_INIT;
        struct host_rows got;
        const double before = seconds();
        if (!open_sql(h, &err)) {
            if (err.code == E_ABSENT) {
                fakeserver_stop(pid);
                skip(); /* built without a client library */
            }
            fail_msg("%s", err.text);
        }
        const bool ok = host_sql(h, q->id, &got, &err);
        if (ok != (rows[i].code == E_NONE) || (!ok && err.code != rows[i].code)) {
            fail_msg("answer %d: %s: %s", rows[i].answer, err_code_name(err.code), err.text);
        }
        if (ok) {
            assert_int_equal(got.n_rows, 2);
            assert_true(span_eq_text(got.cells[1].text, SQL_BLANKED));
            assert_true(got.cells[3].null);
        }
        if (rows[i].lost) {
            assert_false(host_sql(h, q->id, &got, &err));
            assert_int_equal(err.code, E_CONNECT);
        }
        host_live_close(h);
        assert_true(seconds() - before < 4);
        fakeserver_stop(pid);
        unlink(f->socket);
    }
}

static void test_only_the_table(void **state)
{
    const struct fix *const f = *state;
    struct host_sql_login login;
    const pid_t pid = fakeserver_start(f->socket, NULL, 0, ANSWER_GOOD);
    struct host *const h = host_for(f, &login);
    struct err err = ERR_INIT;
    struct host_rows got;
    if (open_sql(h, &err)) {
        static const char *const ids[] = {"guard-limits", "guard-read-only", "DROP TABLE x", ""};
        for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
            assert_false(host_sql(h, ids[i], &got, &err));
            assert_int_equal(err.code, E_NOT_SUPPORTED);
        }
        const struct query *const q = variables_query();
        unsigned n = 0;
        while (q != NULL && host_sql(h, q->id, &got, &err)) {
            n++;
        }
        assert_true(n < QUERY_STATEMENTS_MAX);
        assert_true(q == NULL || err.code == E_LIMIT);
        assert_false(open_sql(h, &err)); /* one connection */
        assert_int_equal(err.code, E_USAGE);
    }
    host_live_close(h);
    fakeserver_stop(pid);
}

#define SQL(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL(test_greetings),
        SQL(test_no_socket),
        SQL(test_answers),
        SQL(test_only_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
