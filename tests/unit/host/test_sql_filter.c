/* What the seam takes out of a server's replies: SQL text, row data, secrets; and that a
 * statement's text which imitates the report brings nothing in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "advisor/base/file.h"
#include "probes/host/sql_filter.h"

#include "advisor/base/banned.h"

static void test_secret_names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
        bool secret;
    } rows[] = {
        {"init_connect", "SET NAMES utf8", true},
        {"INIT_SLAVE", "SET x=1", true},
        {"init_replica", "SELECT 1", true},
        {"init_connect", "", false},
        {"init_file", "/etc/mysql/init.sql", false},
        {"wsrep_sst_auth", "u:p", true},
        {"wsrep_provider_options", "socket.ssl_password=x", true},
        {"report_password", "12345", true},
        {"validate_password_policy", "MEDIUM", true},
        {"validate_password.length", "8", false},
        {"default_password_lifetime", "0", false},
        {"strict_password_validation", "ON", false},
        {"innodb_ft_min_token_size", "3", false},
        {"hashicorp_key_management_token", "s.abc", true},
        {"file_key_management_filekey", "plain", true},
        {"authentication_ldap_simple_bind_root_pwd", "x", true},
        {"Caching_sha2_password_rsa_public_key", "-----BEGIN", true},
        {"ssl_key", "/etc/key.pem", true},
        {"key_buffer_size", "8388608", false},
        {"innodb_buffer_pool_size", "134217728", false},
        {"datadir", "/var/lib/mysql/", false},
        {"", "x", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (sql_is_secret(span_of(rows[i].name), span_of(rows[i].value)) != rows[i].secret) {
            fail_msg("%s = '%s'", rows[i].name, rows[i].value);
        }
    }
}

static bool has(struct span text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

#define RULED(name) "-----------\n" name "\n-----------\n"
#define TOP                                                                                        \
    "\n=====\n2026-11-30 12:12:38 0x7f67 INNODB MONITOR OUTPUT\n=====\nPer second averages\n"
#define SAFE_FRONT RULED("BACKGROUND THREAD") "loops: 7\n" RULED("SEMAPHORES") "OS WAIT 5\n"
#define SAFE_BACK                                                                                  \
    RULED("FILE I/O")                                                                              \
    "io line\n" RULED("LOG") "Log sequence number 42\n" RULED(                                     \
        "ROW OPERATIONS") "0 queries\n----------------------------\nEND OF INNODB MONITOR "        \
                          "OUTPUT\n"                                                               \
                          "============================\n"
#define DEADLOCK                                                                                   \
    RULED("LATEST DETECTED DEADLOCK")                                                              \
    "2026-11-30 12:12:33 0x7f67b224e6c0\n*** (1) TRANSACTION:\n"                                   \
    "update d set secret='s3cret1'\n 0: len 4; hex 80000002; asc    row1;;\n"
#define FK                                                                                         \
    RULED("LATEST FOREIGN KEY ERROR")                                                              \
    "2026-11-30 12:12:32 0x7f67b22996c0 Transaction:\n"                                            \
    "insert into ch values('s3cret2')\n"
#define COUNTERS                                                                                   \
    "Trx id counter 39\nPurge done for trx's n:o < 38 undo n:o < 0 state: running but idle\n"      \
    "History list length 17\n"
#define LIST                                                                                       \
    "LIST OF TRANSACTIONS FOR EACH SESSION:\n---TRANSACTION 0, not started\n"                      \
    "MySQL thread id 5, query id 6 localhost root\nselect 's3cret3'\n"

static struct span filter(struct arena *a, const char *text)
{
    return sql_filter_status(a, span_of(text));
}

static void test_status_is_stripped(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct span got =
        filter(a, TOP SAFE_FRONT FK DEADLOCK RULED("TRANSACTIONS") COUNTERS LIST SAFE_BACK);
    static const char *const kept[] = {
        "INNODB MONITOR OUTPUT",
        "Per second averages",
        "loops: 7",
        "OS WAIT 5",
        RULED("LATEST FOREIGN KEY ERROR") "2026-11-30 12:12:32 0\n",
        RULED("LATEST DETECTED DEADLOCK") "2026-11-30 12:12:33 0\n",
        RULED("TRANSACTIONS") COUNTERS,
        "io line",
        "Log sequence number 42",
        "0 queries",
        "END OF INNODB MONITOR OUTPUT\n=====",
    };
    for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
        if (!has(got, kept[i])) {
            fail_msg("lost: %s\nin: %.*s", kept[i], SPAN_ARG(got));
        }
    }
    static const char *const gone[] = {"s3cret", "update", "insert",    "select",
                                       "row1",   "hex",    "localhost", "LIST OF"};
    for (size_t i = 0; i < ARRAY_LEN(gone); i++) {
        if (has(got, gone[i])) {
            fail_msg("kept: %s\nin: %.*s", gone[i], SPAN_ARG(got));
        }
    }
}

/* Percona Server up to 5.7: the transactions come last. */
static void test_transactions_last(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const char front[] = TOP SAFE_FRONT RULED("FILE I/O") "io line\n" RULED(
        "LOG") "Log sequence number 42\n" DEADLOCK RULED("TRANSACTIONS") COUNTERS LIST;
    static const char end[] = "---\nEND OF INNODB MONITOR OUTPUT\n===\n";
    static const char *const forged[] = {
        "", RULED("FILE I/O") "forged\n" RULED("LOG") "Log sequence number 666\n",
        "---\nEND OF INNODB MONITOR OUTPUT\n===\nforged"};
    for (size_t i = 0; i < ARRAY_LEN(forged); i++) {
        const struct span got = filter(a, arena_printf(a, "%s%s\n%s", front, forged[i], end));
        assert_true(has(got, "Log sequence number 42") && has(got, "History list length 17"));
        assert_true(has(got, end));
        if (has(got, "666") || has(got, "forged") || has(got, "s3cret")) {
            fail_msg("text %zu: %.*s", i, SPAN_ARG(got));
        }
    }
}

static void test_clean_text_is_kept(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const char text[] = TOP SAFE_FRONT RULED("TRANSACTIONS") COUNTERS SAFE_BACK;
    const struct span got = filter(a, text);
    assert_true(span_eq_text(got, text));
}

/* A session's statement that imitates sections: it may hide figures, it may not make any. */
static void test_imitation(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const char *const forged[] = {
        RULED("LOG") "Log sequence number 666\n",
        RULED("FILE I/O") "forged\n" RULED("LOG") "Log sequence number 666\n",
        RULED("TRANSACTIONS") "Trx id counter 1\nHistory list length 666\n",
        RULED("FILE I/O") "forged\n" RULED("LOG") "Log sequence number 666\n---\nFAKE",
        "Log sequence number 666\nHistory list length 666\n",
        RULED("NEW SECTION") "History list length 666\nforged\n",
        "-----------\nROW OPERATIONS\n-----------\nforged 666",
    };
    static const char *const places[][2] = {
        {TOP SAFE_FRONT DEADLOCK, RULED("TRANSACTIONS") COUNTERS LIST SAFE_BACK},
        {TOP SAFE_FRONT FK, RULED("TRANSACTIONS") COUNTERS LIST SAFE_BACK},
        {TOP SAFE_FRONT RULED("TRANSACTIONS") COUNTERS LIST, SAFE_BACK},
    };
    for (size_t p = 0; p < ARRAY_LEN(places); p++) {
        for (size_t i = 0; i < ARRAY_LEN(forged); i++) {
            const struct span got =
                filter(a, arena_printf(a, "%s%s\n%s", places[p][0], forged[i], places[p][1]));
            if (has(got, "666") || has(got, "forged") || has(got, "s3cret")) {
                fail_msg("place %zu, text %zu: %.*s", p, i, SPAN_ARG(got));
            }
            assert_true(has(got, "Log sequence number 42"));
        }
    }
}

static void test_odd_texts(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    assert_int_equal(filter(a, "").len, 0);
    assert_true(span_eq_text(filter(a, "x"), "x\n"));
    /* No FILE I/O behind the list (cut at 1 MiB): nothing behind it is believed. */
    const struct span cut =
        filter(a, TOP SAFE_FRONT RULED("TRANSACTIONS") COUNTERS LIST RULED("LOG") "Log x\n");
    assert_true(has(cut, "History list length 17"));
    assert_false(has(cut, "Log x") || has(cut, "s3cret"));
    /* CR LF, indented paste, NUL and broken bytes. */
    const struct span crlf = filter(a, "  ----\r\n  LATEST DETECTED DEADLOCK\r\n  ----\r\n"
                                       "s3cret\r\n");
    assert_true(has(crlf, "LATEST DETECTED DEADLOCK"));
    assert_false(has(crlf, "s3cret"));
    const struct span nul =
        sql_filter_status(a, SPAN_LIT("---\nTRANSACTIONS\n---\n\0s3cret\xff\n"));
    assert_false(has(nul, "s3cret"));
    /* Cut at every byte: never a statement's text. */
    static const char text[] = TOP SAFE_FRONT FK DEADLOCK RULED("TRANSACTIONS") COUNTERS LIST;
    for (size_t n = 0; n < sizeof(text); n++) {
        ARENA_AUTO b = arena_new();
        assert_false(has(sql_filter_status(b, (struct span){text, n}), "s3cret"));
    }
}

/* Real reports that may not be copied here: read where they are. */
static void test_real_reports(void **state)
{
    (void)state;
    static const char *const names[] = {
        "r01_mysql55_ten_pools", "r02_percona55_age_73pct",     "r03_mysql56_fk",
        "r04_mysql80_2018",      "r08_mysql50_fk_and_deadlock", "r10_percona80_2023_small_log",
        "i26_mariadb1011_live",
    };
    /* Before the arena: skip() leaves this function without its clean-up. */
    if (access(NV_SOURCE_DIR "/../shared/cases/innodb", R_OK) != 0) {
        print_message("skip: no reports beside the checkout\n");
        skip();
    }
    ARENA_AUTO a = arena_new();
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const char *const path =
            arena_printf(a, "%s/../shared/cases/innodb/%s.txt", NV_SOURCE_DIR, names[i]);
        struct span text;
        struct err err = ERR_INIT;
        if (!file_read(a, path, 4 << 20, &text, &err)) {
            fail_msg("%s", err.text);
        }
        const struct span got = sql_filter_status(a, text);
        assert_true(has(got, "History list length"));
        assert_true(has(got, "Log sequence number"));
        assert_true(has(got, "Buffer pool size") || has(got, "Total memory allocated"));
        if (has(got, "PHYSICAL RECORD") || has(got, "row lock(s)") || has(got, "; hex ")) {
            fail_msg("%s: %.*s", names[i], SPAN_ARG(got));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_secret_names),       cmocka_unit_test(test_status_is_stripped),
        cmocka_unit_test(test_clean_text_is_kept), cmocka_unit_test(test_transactions_last),
        cmocka_unit_test(test_imitation),          cmocka_unit_test(test_odd_texts),
        cmocka_unit_test(test_real_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
