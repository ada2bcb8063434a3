/* The InnoDB status reader: small texts for each kind of trouble, and hostile ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/base/file.h"
#include "probes/innodb_status.h"

#include "advisor/base/banned.h"

static bool is_rate(const char *key)
{
    return span_ends(span_of(key), "_per_sec") || span_ends(span_of(key), "_wait_sec");
}

/* ---- small texts ----------------------------------------------------------------------------- */

/* The value of `k` in `text`, or -1. */
static int64_t read_one(const char *text, enum innodb_key k)
{
    ARENA_AUTO a = arena_new();
    struct innodb_status st;
    uint64_t v = 0;
    innodb_status_read(a, span_of(text), &st);
    if (!st.known[k]) {
        return -1;
    }
    struct num hundred;
    assert_int_equal(num_mul(st.value[k], num_u64(is_rate(innodb_key_name(k)) ? 100 : 1), &hundred),
                     NUM_OK);
    assert_int_equal(num_floor(hundred, &hundred), NUM_OK);
    assert_true(num_to_u64(hundred, &v) && v <= INT64_MAX);
    return (int64_t)v;
}

#define LOG_HEAD "---\nLOG\n---\n"
#define BP_HEAD "----------------------\nBUFFER POOL AND MEMORY\n----------------------\n"
#define IO_HEAD "--------\nFILE I/O\n--------\n"
#define TRX_HEAD "------------\nTRANSACTIONS\n------------\n"
#define TRX_EMPTY "------------\n\nTRANSACTIONS\n\n------------\n\nTrx id counter 5\n\n"
#define SEM_HEAD "----------\nSEMAPHORES\n----------\n"
#define ROWS_HEAD "--------------\nROW OPERATIONS\n--------------\n"
#define DEADLOCK_HEAD                                                                              \
    "------------------------\nLATEST DETECTED DEADLOCK\n------------------------\n"
#define END_MARK "----------------------------\nEND OF INNODB MONITOR OUTPUT\n"

static const struct {
    const char *name, *text;
    enum innodb_key key;
    int64_t want; /* -1: not known; rates times 100 */
} rows[] = {
    {"two parts", LOG_HEAD "Log sequence number 476 3871193896\n", INNODB_LSN, 2048275626792},
    {"two parts, first zero", LOG_HEAD "Log sequence number 0 17\n", INNODB_LSN, 17},
    {"two parts, cut", LOG_HEAD "Log sequence number 476 38711", INNODB_LSN, -1},
    {"two parts, second missing", LOG_HEAD "Log sequence number 476 ", INNODB_LSN, -1},
    {"second part too large", LOG_HEAD "Log sequence number 5 4294967296\n", INNODB_LSN, 5},
    {"one part, padded", LOG_HEAD "Log sequence number          99\n", INNODB_LSN, 99},
    {"a key without its number", LOG_HEAD "Log sequence number\nLog flushed up to 5\n", INNODB_LSN,
     -1},
    {"cut in the number", LOG_HEAD "Log sequence number 1234", INNODB_LSN, -1},
    {"larger than 64 bits", LOG_HEAD "Log sequence number 18446744073709551616\n", INNODB_LSN, -1},
    {"letters behind the digits", LOG_HEAD "Log sequence number 12ab\n", INNODB_LSN, -1},
    {"negative", LOG_HEAD "Log sequence number -12\n", INNODB_LSN, -1},
    {"age", LOG_HEAD "Log sequence number 90\nLast checkpoint at  70\n", INNODB_CHECKPOINT_AGE, 20},
    {"checkpoint ahead of the log", LOG_HEAD "Log sequence number 70\nLast checkpoint at  90\n",
     INNODB_CHECKPOINT_AGE, -1},
    {"pending of old layouts", LOG_HEAD "3 pending log writes, 0 pending chkp writes\n",
     INNODB_LOG_PENDING_FLUSHES, 3},
    {"pending negative", LOG_HEAD "-3 pending log flushes\n", INNODB_LOG_PENDING_FLUSHES, -1},
    {"log rate", LOG_HEAD "36 log i/o's done, 1.25 log i/o's/second\n", INNODB_LOG_IOS_PER_SEC,
     125},
    {"log rate, other apostrophe",
     LOG_HEAD "36 log i/o\xe2\x80\x99s done, 1.25 log i/o\xe2\x80\x99s/second\n",
     INNODB_LOG_IOS_PER_SEC, 125},
    {"Percona's age", LOG_HEAD "Max checkpoint age    808\n", INNODB_MAX_CHECKPOINT_AGE, 808},
    {"no heading at all", "Log sequence number 12\nLast checkpoint at 11\n", INNODB_LSN, 12},
    {"Windows line ends", "---\r\nLOG\r\n---\r\nLog sequence number 12\r\n", INNODB_LSN, 12},
    {"no-break spaces",
     LOG_HEAD "Log\xc2\xa0sequence\xc2\xa0number\xc2\xa0"
              "12\n",
     INNODB_LSN, 12},
    {"quoted mail", "> ---\n> LOG\n> ---\n> Log sequence number 12\n", INNODB_LSN, 12},
    {"batch client",
     "InnoDB\t\t\\n---\\nLOG\\n---\\nLog sequence number 12\\nLog flushed up to 9\\n", INNODB_LSN,
     12},
    {"lines lost",
     "--- LOG --- Log sequence number 12 Log flushed up to   9 Last checkpoint at  8 "
     "0 pending log flushes, 0 pending chkp writes 1 log i/o's done, 0.00 log i/o's/second "
     "----- BUFFER POOL AND MEMORY ----- Buffer pool size 8191 ",
     INNODB_LSN_CHECKPOINT, 8},
    {"lines lost, two parts", "--- LOG --- Log sequence number 1 2 Log flushed up to 1 2 ",
     INNODB_LSN, 4294967298},
    {"lines lost, pool",
     "--- LOG --- Log sequence number 12 ----- BUFFER POOL AND MEMORY ----- "
     "Buffer pool size   8191 Free buffers       7733 Database pages     458 ",
     INNODB_BP_PAGES_FREE, 7733},
    {"pages, not bytes", BP_HEAD "Buffer pool size, bytes 134217728\nBuffer pool size   8191\n",
     INNODB_BP_PAGES_TOTAL, 8191},
    {"pool of an instance only", "---BUFFER POOL 0\nBuffer pool size   512\nFree buffers 7\n",
     INNODB_BP_PAGES_TOTAL, -1},
    {"instance behind cut totals",
     BP_HEAD "Buffer pool size   8191\n---BUFFER POOL 0\n"
             "Buffer pool size   1024\nFree buffers 7\n",
     INNODB_BP_PAGES_FREE, -1},
    {"instances are counted",
     BP_HEAD "Buffer pool size   8191\n---BUFFER POOL 0\nFree buffers 7\n"
             "---BUFFER POOL 1\nFree buffers 7\n",
     INNODB_BP_INSTANCES_LISTED, 2},
    {"no instance", BP_HEAD "Buffer pool size   8191\n", INNODB_BP_INSTANCES_LISTED, -1},
    {"hit rate", BP_HEAD "Buffer pool hit rate 998 / 1000, young-making rate 0 / 1000\n",
     INNODB_HIT_RATE_PER_MILLE, 998},
    {"no hit rate", BP_HEAD "No buffer pool page gets since the last printout\n",
     INNODB_HIT_RATE_PER_MILLE, -1},
    {"read ahead is not read", BP_HEAD "Pages read ahead 0.00/s\n", INNODB_BP_PAGES_READ, -1},
    {"pool rates",
     BP_HEAD "Pages read 1, created 2, written 3\n4.50 reads/s, 5.00 creates/s, "
             "6.00 writes/s\n",
     INNODB_BP_WRITES_PER_SEC, 600},
    {"flush list", BP_HEAD "Pending writes: LRU 1, flush list 2, single page 3\n",
     INNODB_BP_PENDING_WRITES_FLUSH_LIST, 2},
    {"threads, with total", IO_HEAD "Pending normal aio reads: 7 [3, 4] , aio writes: 0 [0] ,\n",
     INNODB_IO_PENDING_AIO_READS, 7},
    {"threads, sum", IO_HEAD "Pending normal aio reads: [3, 4] , aio writes: [5, 6, 1] ,\n",
     INNODB_IO_PENDING_AIO_WRITES, 12},
    {"threads, none listed", IO_HEAD "Pending normal aio reads:, aio writes:,\n",
     INNODB_IO_PENDING_AIO_READS, -1},
    {"threads, list cut", IO_HEAD "Pending normal aio reads: [3, 4", INNODB_IO_PENDING_AIO_READS,
     -1},
    {"one number of MariaDB", IO_HEAD "Pending flushes (fsync): 4\n", INNODB_IO_PENDING_FLUSH_BP,
     4},
    {"no log part then", IO_HEAD "Pending flushes (fsync): 4\n", INNODB_IO_PENDING_FLUSH_LOG, -1},
    {"both parts", IO_HEAD "Pending flushes (fsync) log: 1; buffer pool: 2\n",
     INNODB_IO_PENDING_FLUSH_BP, 2},
    {"file rates past pending reads",
     IO_HEAD
     "5 OS file reads, 6 OS file writes, 7 OS fsyncs\n"
     "1 pending preads, 0 pending pwrites\n42.96 reads/s, 75823 avg bytes/read, 1.00 writes/s, "
     "2.00 fsyncs/s\n",
     INNODB_OS_AVG_BYTES_PER_READ, 75823},
    {"file rates of another section",
     IO_HEAD "5 OS file reads, 6 OS file writes, 7 OS fsyncs\n" ROWS_HEAD "1.00 reads/s\n",
     INNODB_OS_READS_PER_SEC, -1},
    {"user rows",
     ROWS_HEAD "Number of rows inserted 1, updated 2, deleted 3, read 4\n"
               "0.10 inserts/s, 0.20 updates/s, 0.30 deletes/s, 0.40 reads/s\n"
               "Number of system rows inserted 9, updated 9, deleted 9, read 9\n"
               "9.00 inserts/s, 9.00 updates/s, 9.00 deletes/s, 9.00 reads/s\n",
     INNODB_ROW_READS_PER_SEC, 40},
    {"user rows without rates",
     ROWS_HEAD "Number of rows inserted 1, updated 2, deleted 3, read 4\n"
               "Number of system rows inserted 9, updated 9, deleted 9, read 9\n9.00 inserts/s\n",
     INNODB_ROW_INSERTS_PER_SEC, -1},
    {"system rows only",
     ROWS_HEAD "Number of system rows inserted 9, updated 9, deleted 9, read 9\n", INNODB_ROWS_READ,
     -1},
    {"waits",
     SEM_HEAD "--Thread 1 has waited at a.cc line 1 for 2.50 seconds the semaphore:\n"
              "--Thread 2 has waited at a.cc line 1 for 241 seconds the semaphore:\n" TRX_HEAD
              "Thread 3 has waited at a.cc line 1 for 999 seconds\n",
     INNODB_SEMAPHORE_WAITS, 2},
    {"longest wait",
     SEM_HEAD "--Thread 1 has waited at a.cc line 1 for 2.50 seconds the "
              "semaphore:\n--Thread 2 has waited at a.cc line 1 for 241 seconds the semaphore:\n",
     INNODB_SEMAPHORE_LONGEST_WAIT_SEC, 24100},
    {"an empty section has none", SEM_HEAD IO_HEAD, INNODB_SEMAPHORE_WAITS, 0},
    {"no section", IO_HEAD, INNODB_SEMAPHORE_WAITS, -1},
    {"history", TRX_HEAD "Trx id counter 5\nHistory list length 22\n", INNODB_HISTORY_LIST_LENGTH,
     22},
    {"history of a statement",
     TRX_HEAD "Trx id counter 5\nLIST OF TRANSACTIONS FOR EACH SESSION:\n"
              "History list length 22\n",
     INNODB_HISTORY_LIST_LENGTH, -1},
    {"window", "Per second averages calculated from the last 46 seconds\n", INNODB_AVG_SECONDS, 46},
    {"capacity is no position",
     LOG_HEAD "Log capacity 104857600\nLog capacity used 104857600\n"
              "Log sequence number          19465249\n",
     INNODB_LSN, 19465249},
    {"a section name inside another line", LOG_HEAD "the LOG\nLog sequence number 12\n", INNODB_LSN,
     12},
    {"two outputs: the first counts",
     LOG_HEAD "Log sequence number 12\n" END_MARK
              "====\n2026-01-01 00:00:00 0x1 INNODB MONITOR OUTPUT\n====\n" LOG_HEAD
              "Log sequence number 99\n" END_MARK,
     INNODB_LSN, 12},
    {"an empty line behind each", TRX_EMPTY "---\n\nLOG\n\n---\n\nLog sequence number 12\n\n",
     INNODB_LSN, 12},
    {"rules lost",
     "TRANSACTIONS\nTrx id counter 5\nHistory list length 3\nLIST OF TRANSACTIONS\nLOG\n"
     "Log sequence number 12\nBUFFER POOL AND MEMORY\n",
     INNODB_LSN, 12},
    {"batch client, indented",
     "InnoDB\t\t\\n   ---\\n   LOG\\n   Log sequence number 12\\n   ---\n", INNODB_LSN, 12},
    {"lines lost, a list between rules",
     "--- ROW OPERATIONS --- 0 queries ---OLDEST VIEW--- Normal "
     "----- Number of rows inserted 7, updated 8, deleted 9, read 10 ",
     INNODB_ROWS_DELETED, 9},
    {"empty", "", INNODB_LSN, -1},
};

static void test_small(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const int64_t got = read_one(rows[i].text, rows[i].key);
        if (got != rows[i].want) {
            fail_msg("%s: got %lld", rows[i].name, (long long)got);
        }
    }
}

/* ---- statements that imitate the server ------------------------------------------------------ */

#define FORGED LOG_HEAD "Log sequence number 666\n" BP_HEAD "Buffer pool size 666\n"
#define REAL                                                                                       \
    IO_HEAD "1 OS file reads\n" LOG_HEAD "Log sequence number 12\n" BP_HEAD                        \
            "Buffer pool size 8191\n"

static void test_imitations(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        int64_t lsn, pages, history;
    } forged[] = {
        {"statements first",
         DEADLOCK_HEAD "select '\n" FORGED "'\n" TRX_HEAD
                       "Trx id counter 5\nHistory list length 3\n" REAL,
         12, 8191, 3},
        {"in the list of transactions",
         TRX_HEAD "Trx id counter 5\nHistory list length 3\nLIST OF TRANSACTIONS\nselect '\n" FORGED
                  "'\n" REAL,
         12, 8191, 3},
        {"statements last",
         REAL TRX_HEAD "Trx id counter 5\nHistory list length 3\nLIST OF TRANSACTIONS\n" FORGED, 12,
         8191, 3},
        {"a forged list of transactions",
         DEADLOCK_HEAD TRX_HEAD "Trx id counter 1\nHistory list length 666\n" TRX_HEAD
                                "Trx id counter 5\nHistory list length 3\n" REAL,
         12, 8191, -1},
        {"a forged end",
         DEADLOCK_HEAD "END OF INNODB MONITOR OUTPUT\n" TRX_HEAD
                       "Trx id counter 5\nHistory list length 3\n" REAL END_MARK,
         12, 8191, 3},
    };
    for (size_t i = 0; i < ARRAY_LEN(forged); i++) {
        const int64_t lsn = read_one(forged[i].text, INNODB_LSN);
        const int64_t pages = read_one(forged[i].text, INNODB_BP_PAGES_TOTAL);
        const int64_t history = read_one(forged[i].text, INNODB_HISTORY_LIST_LENGTH);
        if (lsn != forged[i].lsn || pages != forged[i].pages || history != forged[i].history) {
            fail_msg("%s: lsn %lld, pages %lld, history %lld", forged[i].name, (long long)lsn,
                     (long long)pages, (long long)history);
        }
    }
    assert_int_equal(read_one(DEADLOCK_HEAD SEM_HEAD "x has waited at y\n" TRX_HEAD REAL,
                              INNODB_SEMAPHORE_WAITS),
                     -1);
}

static void test_header(void **state)
{
    (void)state;
    static const struct {
        const char *line, *want;
    } headers[] = {
        {"120906 17:23:04 INNODB MONITOR OUTPUT\n", "120906 17:23:04"},
        {"111010  9:56:19 INNODB MONITOR OUTPUT\n", "111010 9:56:19"},
        {"2013-06-19 13:47:37 7f684c638700 INNODB MONITOR OUTPUT\n", "2013-06-19 13:47:37"},
        {"# 2025-04-08 18:54:46 140563346642688 INNODB MONITOR OUTPUT\n", "2025-04-08 18:54:46"},
        {"2025-04-08T18:54:46 1 INNODB MONITOR OUTPUT\n", "2025-04-08T18:54:46"},
        {"INNODB MONITOR OUTPUT\n", ""},
        {"yesterday INNODB MONITOR OUTPUT\n", ""},
        {"END OF INNODB MONITOR OUTPUT\n", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(headers); i++) {
        ARENA_AUTO a = arena_new();
        struct innodb_status st;
        innodb_status_read(a, span_of(headers[i].line), &st);
        if (!span_eq_text(st.captured_at, headers[i].want)) {
            fail_msg("'%s' gave '%.*s'", headers[i].line, SPAN_ARG(st.captured_at));
        }
    }
}

/* ---- hostile --------------------------------------------------------------------------------- */

/* Whatever is cut off, what is still read is what the whole text says. */
static void test_cut_anywhere(void **state)
{
    (void)state;
    ARENA_AUTO keep = arena_new();
    struct err e = ERR_INIT;
    struct span text;
    struct innodb_status whole;
    if (!file_read(keep, NV_SOURCE_DIR "/tests/cases/innodb/i16_mariadb_2019_idle.txt", 1u << 20,
                   &text, &e)) {
        fail_msg("%s", e.text);
    }
    innodb_status_read(keep, text, &whole);
    for (size_t n = 0; n < text.len; n++) {
        ARENA_AUTO a = arena_new();
        struct innodb_status st;
        char *const copy = arena_strndup(a, text.ptr, n);
        innodb_status_read(a, (struct span){copy, n}, &st);
        for (enum innodb_key k = 0; k < INNODB_KEYS; k++) {
            if (st.known[k] && num_cmp(st.value[k], whole.value[k]) != 0) {
                fail_msg("cut at %zu: %s is wrong", n, innodb_key_name(k));
            }
        }
    }
}

static void test_hostile(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct innodb_status st;
    const size_t n = (size_t)6 << 20;
    char *const big = arena_alloc(a, n);
    for (int round = 0; round < 4; round++) {
        static const char *const units[] = {"---\n", "---\nLOG\n---\n", "has waited at\n",
                                            "Pending normal aio reads: [1,"};
        const size_t len = strlen(units[round]);
        for (size_t i = 0; i + len <= n; i += len) {
            memcpy(big + i, units[round], len);
        }
        innodb_status_read(a, (struct span){big, n}, &st);
        assert_false(st.known[INNODB_LSN]);
    }
    memset(big, 0, n);
    innodb_status_read(a, (struct span){big, n}, &st);
    assert_int_equal(st.n_known, 0);
    memset(big, 0xff, n);
    innodb_status_read(a, (struct span){big, n}, &st);
    assert_int_equal(st.n_known, 0);
    innodb_status_read(a, (struct span){NULL, 0}, &st);
    assert_int_equal(st.n_known, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {

        cmocka_unit_test(test_small),   cmocka_unit_test(test_imitations),
        cmocka_unit_test(test_header),  cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
