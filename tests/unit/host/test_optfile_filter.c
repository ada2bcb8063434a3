/* What the seam takes out of option files and mysqld-auto.cnf, and that a reader finds the rest as
 * it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "probes/host/optfile_filter.h"
#include "probes/host/optfile_line.h"
#include "probes/host/secret_names.h"
#include "probes/host/words_filter.h"

#include "advisor/base/banned.h"

static struct span blank(struct arena *a, struct span text)
{
    struct buf b;
    buf_init(&b, a, text.len * 2 + 8);
    optfile_blank_secrets(&b, text, false);
    assert_false(b.full);
    return buf_span(&b);
}

static void test_texts(void **state)
{
    (void)state;
    static const struct {
        const char *in, *want;
    } rows[] = {
        {"", ""},
        {"[mysqld]\ninnodb_io_capacity = 200\n", "[mysqld]\ninnodb_io_capacity = 200\n"},
        {"a=b", "a=b"},
        {"a='b # c' # d\r\n", "a='b # c' \n"},
        {"  a\t=\tb\r\n", "  a\t=\tb\r\n"},
        /* comments */
        {"# password = hush\n;x\n  # y\n", "#\n;\n  #\n"},
        {"[client] # my hush\n", "[client]\n"},
        {"[client hush\n", "[\n"},
        {"a=1\0 hush\n", "a=1"},
        /* directives */
        {"!include /a # b\n! includedir /d\n!incluse hush\n!include\n",
         "!include /a # b\n! includedir /d\n!\n!include\n"},
        /* the value of a secret */
        {"[client]\npassword=hush\n", "[client]\npassword=***\n"},
        {"password=hush", "password=***"},
        {"password = \"hu#sh\" # x\n", "password =***\n"},
        {"password=\n", "password=\n"},
        {"password = # hush\n", "password = \n"},
        {"password='hush\n", "password=***\n"},
        {"Loose-WSREP-sst_auth = me:hush\n", "Loose-WSREP-sst_auth =***\n"},
        {"report_pass=hush\n", "report_pass=***\n"},
        {"report-pa=hush\n", "report-pa=***\n"},
        {"pas=hush\n", "pas=***\n"},
        {"password hush\n", "password ***\n"},
        {"  password: hush\n", "  password: ***\n"},
        {"password\n", "password\n"},
        {"skip-password\n", "skip-password\n"},
        {"init_connect='SET x=1'\n", "init_connect=***\n"},
        {"init_con=SELECT 1\n", "init_con=***\n"},
        {"s3_secret_key=hush\n", "s3_secret_key=***\n"},
        /* what only sounds like one */
        {"old_passwords=1\nvalidate_password.length = 8\nkey_buffer_size=1M\n",
         "old_passwords=1\nvalidate_password.length = 8\nkey_buffer_size=1M\n"},
        {"default_authentication_plugin=mysql_native_password\n",
         "default_authentication_plugin=mysql_native_password\n"},
        {"optimizer_switch='extended_keys=on,mrr=off'\n",
         "optimizer_switch='extended_keys=on,mrr=off'\n"},
        {"report_port=3306\nssl=0\ns3=ON\ninit_file=/x\n",
         "report_port=3306\nssl=0\ns3=ON\ninit_file=/x\n"},
        /* inside a value */
        {"wsrep_provider_options=\"gcache.size=2G;socket.ssl_password=hush;x=1\"\n",
         "wsrep_provider_options=\"gcache.size=2G;socket.ssl_password=***\"\n"},
        {"x=a;pwd = hush\n", "x=a;pwd =***\n"},
        {"x=https://me:hush@host/y?z=1\n", "x=https://***@host/y?z=1\n"},
        {"x=a://b@c d://e:hush@f\n", "x=a://***@c d://***@f\n"},
        {"x=http://host/y\n", "x=http://host/y\n"},
        /* a secret broken over lines */
        {"password=\"hu\nsh\"\na=1\n", "password=***\nxxx\na=1\n"},
        {"password=hu\\\nsh\n", "password=***\nxx\n"},
        {"password=hu\n   sh\nskip-x\n", "password=***\n   xx\nskip-x\n"},
        {"  password=hush\n  skip-x\n", "  password=***\n  skip-x\n"},
        {"password=\"hu\nsh = x\n[a]\n", "password=***\nsh = x\n[a]\n"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        const struct span got = blank(a, span_of(rows[i].in));
        if (!span_eq_text(got, rows[i].want)) {
            fail_msg("'%s' became '%.*s'", rows[i].in, SPAN_ARG(got));
        }
    }
}

static bool holds(struct span s, const char *part)
{
    const size_t n = strlen(part);
    for (size_t i = 0; i + n <= s.len; i++) {
        if (memcmp(s.ptr + i, part, n) == 0) {
            return true;
        }
    }
    return false;
}

/* A text of `before`, then `n` times 'y', then `after`. */
static struct span long_text(struct arena *a, const char *before, size_t n, const char *after)
{
    struct buf b;
    buf_init(&b, a, 1 << 20);
    buf_add_text(&b, before);
    for (size_t i = 0; i < n; i++) {
        buf_add_char(&b, 'y');
    }
    buf_add_text(&b, after);
    return buf_span(&b);
}

/* Both split alike: as many lines, each of them as long where it is split. */
static void check_lines(struct span before, struct span after)
{
    struct span left, right;
    bool left_split = false, right_split = false;
    while (optfile_next_line(&before, &left, &left_split)) {
        assert_true(optfile_next_line(&after, &right, &right_split));
        assert_int_equal(left_split, right_split);
    }
    assert_false(optfile_next_line(&after, &right, &right_split));
}

static void test_long_lines(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"password=", "hush\na=1\n"},   {"a=", ";password=hush\na=1\n"},
        {"# ", " hush\na=1\n"},         {"[m] ", " hush\na=1\n"},
        {"a=1 # ", " hush\na=1\n"},     {"!incluse ", " hush\na=1\n"},
        {"a=x://me:", "hush@b\na=1\n"}, {"x=y;passwo", "rd=hush\na=1\n"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (size_t n = OPTFILE_LINE_MAX - 40; n < OPTFILE_LINE_MAX * 2 + 8; n++) {
            n = n == OPTFILE_LINE_MAX + 8 ? OPTFILE_LINE_MAX * 2 - 40 : n;
            ARENA_AUTO a = arena_new();
            const struct span text = long_text(a, rows[i][0], n, rows[i][1]);
            const struct span got = blank(a, text);
            check_lines(text, got);
            assert_true(holds(got, "\na=1\n"));
            if (holds(got, "hush")) {
                fail_msg("row %zu, %zu bytes: '%.*s'", i, n,
                         SPAN_ARG(span_sub(got, got.len - 60, 60)));
            }
        }
    }
}

static void test_a_comments_tail_may_be_an_option(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct span text = long_text(a, "#", OPTFILE_LINE_MAX - 1, "innodb_io_capacity=7 # x\n");
    const struct span got = blank(a, text);
    check_lines(text, got);
    assert_true(span_ends(got, "innodb_io_capacity=7 \n"));
}

/* To a server that takes lines whole a long one is one. */
static void test_whole_lines(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const char *const rows[][3] = {
        {"password=", "hush\na=1\n", "password=***\na=1\n"},
        {"# ", "a=hush\na=1\n", "#\na=1\n"},
        {"a=\"", "#\" # hush\na=1\n", NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct span text = long_text(a, rows[i][0], 5000, rows[i][1]);
        struct buf b;
        buf_init(&b, a, text.len * 2 + 8);
        optfile_blank_secrets(&b, text, true);
        assert_false(holds(buf_span(&b), "hush"));
        if (rows[i][2] != NULL) {
            assert_string_equal(b.ptr, rows[i][2]);
        } else {
            assert_true(span_ends(buf_span(&b), "yyy#\" \na=1\n"));
        }
    }
}

static void test_nul(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct span got = blank(a, SPAN_LIT("a=1\0hush\nb\0\n\0c=hush\n"));
    assert_true(span_eq(got, SPAN_LIT("a=1\0\nb\0\n\0\n")));
}

/* ---- names ----------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    (void)state;
    static const char *const secrets[] = {
        "password",
        "PASSWORD",
        "pass",
        "pa",
        "admin-ssl-key",
        "loose_maximum-report_password",
        "keyring_token",
        "group_replication_recovery_password",
        "init_connect",
        "init-slave",
        "init_r",
        "master_pass",
        "authentication_ldap_simple_bind_root_pwd",
        "s3-a",
    };
    static const char *const open[] = {
        "",
        "p",
        "port",
        "key_buffer_size",
        "old-passwords",
        "skip-secure_auth",
        "init_file",
        "init",
        "ssl",
        "ssl_ca",
        "s3",
        "report_host",
        "loose-validate_password_policy",
        "sql_require_primary_key",
        "wsrep_sst_method",
        "server_id",
    };
    for (size_t i = 0; i < ARRAY_LEN(secrets); i++) {
        if (!secret_option(span_of(secrets[i]))) {
            fail_msg("'%s' may be shown", secrets[i]);
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(open); i++) {
        if (secret_option(span_of(open[i]))) {
            fail_msg("'%s' may not be shown", open[i]);
        }
    }
    ARENA_AUTO a = arena_new();
    for (size_t n = 0; n < 300; n++) {
        assert_true(secret_option(long_text(a, "", n, "password")));
        assert_true(secret_option(long_text(a, "password", n, "")));
        assert_false(secret_option(long_text(a, "", n, "")));
    }
}

static void test_environment(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct buf b;
    buf_init(&b, a, 4096);
    words_keep_environment(&b,
                           SPAN_LIT("HOME=/h\0MYSQL_PWD=hush\0MYSQL_HOME=/m\0X\0HOMES=/x\0=HOME\0"
                                    "MARIADB_HOME\0MYSQL_GROUP_SUFFIX=_a=b\0PATH=/bin\0home=/y"));
    assert_true(
        span_eq(buf_span(&b), SPAN_LIT("HOME=/h\0MYSQL_HOME=/m\0MYSQL_GROUP_SUFFIX=_a=b\0\0")));
    assert_true(words_are_environment("/proc/1/environ"));
    assert_true(words_are_environment("/proc/1/task/2/environ"));
    assert_false(words_are_environment("/srv/environ"));
    assert_false(words_are_environment("/proc/1/status"));
}

/* ---- mysqld-auto.cnf ------------------------------------------------------------------------- */

static void test_persisted(void **state)
{
    (void)state;
    static const struct {
        const char *in, *want;
    } rows[] = {
        {"{\"Version\":1,\"mysql_server\":{\"max_connections\":{\"Value\":\"9\",\"Metadata\":"
         "{\"Timestamp\":1,\"User\":\"me\",\"Host\":\"h\"}},\"mysql_server_static_options\":"
         "{\"port\":{\"Value\":\"1\",\"Metadata\":{}}}}}",
         "{\"Version\": 1, \"mysql_server\": {\"max_connections\": {\"Value\": \"9\"}, "
         "\"mysql_server_static_options\": {\"port\": {\"Value\": \"1\"}}}}"},
        {"{\"Version\":2,\"mysql_dynamic_variables\":{\"report_password\":{\"Value\":\"hush\"},"
         "\"init_connect\":{\"Value\":\"SET x\"},\"ssl_key\":{\"Value\":\"\"},"
         "\"a\":{\"Value\":null},\"b\":{\"Value\":7},\"c\":1},\"mysql_sensitive_variables\":"
         "{\"mysql_file_key\":\"hush\"},\"later\":{\"x\":{\"Value\":\"hush\"}}}",
         "{\"Version\": 2, \"mysql_dynamic_variables\": {\"report_password\": {\"Value\": "
         "\"***\"}, "
         "\"init_connect\": {\"Value\": \"***\"}, \"ssl_key\": {\"Value\": \"\"}, "
         "\"a\": {\"Value\": null}, \"b\": {}, \"c\": {}}}"},
        {"{}", "{}"},
        {"{\"Version\":\"hush\",\"mysql_static_variables\":[\"hush\"]}",
         "{\"mysql_static_variables\": {}}"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct span got;
        struct err err = ERR_INIT;
        assert_true(optfile_blank_persisted(a, span_of(rows[i].in), &got, &err));
        if (!span_eq_text(got, rows[i].want)) {
            fail_msg("row %zu became %.*s", i, SPAN_ARG(got));
        }
    }
    static const char *const bad[] = {"", "hush", "[]", "{\"a\":hush}", "{\"a\":1,\"a\":2}"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        ARENA_AUTO a = arena_new();
        struct span got;
        struct err err = ERR_INIT;
        assert_false(optfile_blank_persisted(a, span_of(bad[i]), &got, &err));
        assert_int_equal(err.code, E_SYNTAX);
        assert_null(strstr(err.text, "hush"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_a_comments_tail_may_be_an_option),
        cmocka_unit_test(test_nul),
        cmocka_unit_test(test_whole_lines),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_persisted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
