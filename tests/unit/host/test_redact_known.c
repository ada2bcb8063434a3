/* Names that are made of well-known words: of hosts, accounts, datasets. The lists would let them
 * pass; what they stand for must not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/host/redact_parts.h"
#include "probes/host/reply.h"

#include "advisor/base/banned.h"

static const struct redact_key key = {.bytes = {9}};

static struct arena *arena;
static struct redactor *r;

static int begin(void **state)
{
    (void)state;
    arena = arena_new();
    r = redactor_new(arena, &key);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static const char *operation(enum host_op op, const char *asked, struct span bytes)
{
    const struct host_record rec = {.op = op, .key = asked, .outcome = OUTCOME_OK, .bytes = bytes};
    struct host_record made;
    const char *probe = NULL;
    redact_operation(r, "proc", &rec, &probe, &made);
    return span_dup(arena, made.bytes);
}

static const char *message(const char *in)
{
    struct buf b;
    buf_init(&b, arena, 4096);
    redact_add_message(r, &b, span_of(in));
    return b.ptr;
}

static void gone(const char *text, const char *name)
{
    if (strstr(text, name) != NULL) {
        fail_msg("'%s' is in '%s'", name, text);
    }
}

/* Not a path's words, but a message's: it would stay there. */
static void test_a_host_of_the_words_of_messages(void **state)
{
    (void)state;
    const char *const before = message("report-db-7 does not answer");
    assert_string_equal(before, "report-db-7 does not answer");
    redactor_hide(r, SPAN_LIT("report-db-7"));
    redactor_hide(r, SPAN_LIT("db1"));
    redactor_hide(r, SPAN_LIT("report")); /* an English word: report_host must stay */
    gone(message("report-db-7 does not answer"), "report-db");
    gone(message("db1 does not answer"), "db1");
    assert_string_equal(message("report_host is not set"), "report_host is not set");
}

static void learn(enum host_op op, const char *asked, struct span bytes)
{
    const struct host_record rec = {.op = op, .key = asked, .outcome = OUTCOME_OK, .bytes = bytes};
    redact_learn(r, &rec);
}

static void test_accounts(void **state)
{
    (void)state;
    learn(HOST_SQL, "version",
          SPAN_LIT("version\tversion_comment\taccount\n8.4.0\tx\tbackup-user-2@data-3.example\n"));
    gone(message("Access denied for backup-user-2 from data-3"), "backup-user-2");
    gone(message("Access denied for backup-user-2 from data-3"), "data-3");
    /* in quotes, learnt or not */
    gone(message("Access denied for user 'backup'@'data' (using password: NO)"), "'backup'");
    gone(message("Access denied for user 'backup'@'data' (using password: NO)"), "'data'");
    assert_string_equal(message("Access denied for user 'root'@'localhost' (using password: NO)"),
                        "Access denied for user 'root'@'localhost' (using password: NO)");
}

static void test_sources_of_mounts(void **state)
{
    (void)state;
    static const struct {
        const char *line, *name, *left;
    } rows[] = {
        {"1 2 0:5 / /m rw - nfs4 storage-1:/data rw,addr=10.0.0.1\n", "storage-1",
         ":/data rw,addr="},
        {"1 2 0:5 / /m rw - nfs data:/data rw\n", "data:", ":/data rw"},
        {"1 2 0:5 / /m rw - cifs //backup/data rw,username=admin,domain=local\n", "backup",
         "/data rw,username=x"},
        {"1 2 0:5 / /m rw - cifs //backup/data rw,username=data,domain=local\n", "=data",
         ",domain=x"},
        {"1 2 0:5 / /m rw - ceph mon1:6789,master:6789:/ rw,name=data,acl\n", "master",
         ":6789:/ rw,"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *const made = operation(HOST_READ, "/proc/1/mountinfo", span_of(rows[i].line));
        gone(made, rows[i].name);
        if (strstr(made, rows[i].left) == NULL) {
            fail_msg("no '%s' in '%s'", rows[i].left, made);
        }
    }
    static const char local[] = "1 2 8:1 / /m rw - ext4 /dev/sda1 rw\n"
                                "1 2 0:5 / /proc rw - proc proc rw\n";
    assert_string_equal(operation(HOST_READ, "/proc/1/mountinfo", span_of(local)), local);
}

/* As in the source of the mount, whatever list its words are in. */
static void test_datasets(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, arena, 4096);
    redact_add_text(r, &b, SPAN_LIT("community/commercial"), &redact_path);
    const char *const got =
        operation(HOST_EXEC, "zfs-get community/commercial",
                  SPAN_LIT("community/commercial\trecordsize\t16384\tlocal\n"
                           "community/commercial\tmountpoint\t/community/place\tlocal\n"
                           "community/commercial\torigin\tcommunity/commercial@again\t-\n"));
    gone(got, "commercial");
    gone(got, "community");
    gone(got, "place");
    gone(got, "again");
    assert_true(span_starts(span_of(got), b.ptr));
    assert_non_null(strstr(got, "\trecordsize\t16384\tlocal\n"));
    const char *const pool =
        operation(HOST_EXEC, "zpool-status community",
                  SPAN_LIT("  pool: community\n state: ONLINE\n\n\tNAME STATE\n\tcommunity ONLINE\n"
                           "errors: No known data errors\n"));
    gone(pool, "community");
    assert_non_null(strstr(pool, " state: ONLINE\n"));
    assert_non_null(strstr(pool, "errors: No known data errors\n"));
}

static void test_boot_arguments(void **state)
{
    (void)state;
    const char *const got =
        operation(HOST_READ, "/proc/cmdline",
                  SPAN_LIT("root=/dev/mapper/order-root rd.lvm.lv=commercial/root quiet\n"));
    gone(got, "order");
    gone(got, "commercial");
    assert_non_null(strstr(got, "-root rd.lvm.lv="));
    assert_non_null(strstr(got, "/root quiet\n"));
}

/* Letters one by one: a word in UTF-16, or with something between them. */
static void test_spelt(void **state)
{
    (void)state;
    const struct span texts[] = {SPAN_LIT("a\0c\0m\0e\0"), SPAN_LIT("/srv/a.c.m.e/x"),
                                 SPAN_LIT("/srv/a-c-m-e")};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct buf b;
        buf_init(&b, arena, 4096);
        redact_add_text(r, &b, texts[i], &redact_path);
        for (size_t k = 0; k + 1 < b.len; k++) {
            assert_false(b.ptr[k] == 'm' && b.ptr[k + 1] == texts[0].ptr[1]);
        }
        gone(b.ptr, "a.c");
        gone(b.ptr, "a-c");
    }
    struct buf b;
    buf_init(&b, arena, 4096);
    redact_add_text(r, &b, SPAN_LIT("/var/lib/a/b/c /x/a.b"), &redact_path);
    assert_string_equal(b.ptr, "/var/lib/a/b/c /x/a.b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_host_of_the_words_of_messages, begin, end),
        cmocka_unit_test_setup_teardown(test_accounts, begin, end),
        cmocka_unit_test_setup_teardown(test_sources_of_mounts, begin, end),
        cmocka_unit_test_setup_teardown(test_datasets, begin, end),
        cmocka_unit_test_setup_teardown(test_boot_arguments, begin, end),
        cmocka_unit_test_setup_teardown(test_spelt, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
