/* Where a login comes from: command line, environment, client option files; what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "probes/login.h"
#include "tests/lib/fakefiles.h"

#include "advisor/base/banned.h"

#define FILES(...) ((const struct fake_file[]){__VA_ARGS__, {NULL, NULL, 0}})
#define NO_FILES ((const struct fake_file[]){{NULL, NULL, 0}})

struct want {
    const char *socket, *host;
    unsigned port;
    const char *user, *password;
    bool named;
    const char *file;
    const char *warning; /* part of one; NULL = none may be given */
};

struct row {
    const char *name;
    struct login_options opt;
    struct login_env env;
    const struct fake_file *files;
    struct want want;
};

static const struct row rows[] = {
    {"nothing at all", {0}, {0}, NO_FILES, {0}},
    {"socket on the command line",
     {.socket = "/s"},
     {0},
     NO_FILES,
     {.socket = "/s", .named = true}},
    {"host and port on the command line",
     {.host = "db1", .port = 3307, .user = "u"},
     {0},
     NO_FILES,
     {.host = "db1", .port = 3307, .user = "u", .named = true}},
    {"host without port",
     {.host = "db1"},
     {0},
     NO_FILES,
     {.host = "db1", .port = 3306, .named = true}},
    {"port alone is this machine by TCP",
     {.port = 3307},
     {0},
     NO_FILES,
     {.host = "127.0.0.1", .port = 3307, .named = true}},
    {"localhost with a port on the command line is TCP",
     {.host = "localhost", .port = 3307},
     {0},
     NO_FILES,
     {.host = "127.0.0.1", .port = 3307, .named = true}},
    {"localhost without a port is the local socket, whichever that is",
     {.host = "localhost"},
     {0},
     NO_FILES,
     {.named = false}},
    {"localhost is the socket of the system's files",
     {.host = "localhost"},
     {0},
     FILES({"/etc/my.cnf", "[client]\nsocket=/s\n", 0}),
     {.socket = "/s", .named = true}},
    {"home file",
     {0},
     {.home = "/h"},
     FILES({"/h/.my.cnf", "[client]\nuser=u\npassword=\"p#1\"\nsocket=/s\n", 0600}),
     {.user = "u", .password = "p#1", .socket = "/s", .file = "/h/.my.cnf"}},
    {"localhost and a port in a file are the socket",
     {0},
     {.home = "/h"},
     FILES({"/h/.my.cnf", "[client]\nhost=localhost\nport=3306\n", 0600}),
     {.file = "/h/.my.cnf"}},
    {"remote host in a file beats its socket",
     {0},
     {.home = "/h"},
     FILES({"/h/.my.cnf", "[client]\nhost=db2\nsocket=/s\n", 0600}),
     {.host = "db2", .port = 3306, .file = "/h/.my.cnf"}},
    {"system file before home file",
     {0},
     {.home = "/h"},
     FILES({"/h/.my.cnf", "[client]\nuser=home\n", 0600},
           {"/etc/nvadvise/client.cnf", "[client]\nuser=system\npassword=x\n", 0640}),
     {.user = "system", .password = "x", .file = "/etc/nvadvise/client.cnf"}},
    {"system file that we may not read gives way",
     {0},
     {.home = "/h"},
     FILES({"/h/.my.cnf", "[client]\nuser=home\n", 0600}, {"/etc/nvadvise/client.cnf", NULL, 0640}),
     {.user = "home", .file = "/h/.my.cnf", .warning = "Permission denied"}},
    {"environment names the file",
     {0},
     {.home = "/h", .defaults_file = "/e"},
     FILES({"/h/.my.cnf", "[client]\nuser=home\n", 0600}, {"/e", "[client]\nuser=env\n", 0}),
     {.user = "env", .file = "/e"}},
    {"command line beats the environment",
     {.defaults_file = "/c"},
     {.defaults_file = "/e"},
     FILES({"/c", "[client]\nuser=cmd\n", 0}, {"/e", "[client]\nuser=env\n", 0}),
     {.user = "cmd", .file = "/c"}},
    {"a named file that says where names the server",
     {.defaults_file = "/c"},
     {0},
     FILES({"/c", "[client]\nsocket=/s\n", 0}),
     {.socket = "/s", .named = true, .file = "/c"}},
    {"command line beats the file",
     {.socket = "/t", .user = "x"},
     {.home = "/h"},
     FILES({"/h/.my.cnf", "[client]\nhost=db1\nport=1\nuser=u\npassword=p\n", 0600}),
     {.socket = "/t", .user = "x", .password = "p", .named = true, .file = "/h/.my.cnf"}},
    {"port on the command line, host in the file",
     {.port = 3307},
     {.home = "/h"},
     FILES({"/h/.my.cnf", "[client]\nhost=db1\n", 0600}),
     {.host = "db1", .port = 3307, .named = true, .file = "/h/.my.cnf"}},
    {"our group beats the others wherever it stands",
     {.defaults_file = "/c"},
     {0},
     FILES({"/c", "[nvadvise]\nuser=n\n[client]\nuser=c\n[client-mariadb]\nuser=m\n", 0}),
     {.user = "n", .file = "/c"}},
    {"among client groups the last one wins",
     {.defaults_file = "/c"},
     {0},
     FILES({"/c", "[client-mariadb]\nuser=m\n[CLIENT]\nuser=c\n[mysql]\nuser=x\n", 0}),
     {.user = "c", .file = "/c"}},
    {"includes are followed",
     {.defaults_file = "/c"},
     {0},
     FILES({"/c", "[client]\nuser=c\n!includedir /d\n", 0},
           {"/d/x.cnf", "[client]\npassword=p\n", 0600}),
     {.user = "c", .password = "p", .file = "/c"}},
    {"MYSQL_PWD is taken with a warning",
     {0},
     {.password = "envsecret"},
     NO_FILES,
     {.password = "envsecret", .warning = "MYSQL_PWD"}},
    {"a password in the file beats MYSQL_PWD",
     {0},
     {.home = "/h", .password = "envsecret"},
     FILES({"/h/.my.cnf", "[client]\npassword=f\n", 0600}),
     {.password = "f", .file = "/h/.my.cnf"}},
    {"an empty password beats MYSQL_PWD",
     {0},
     {.home = "/h", .password = "envsecret"},
     FILES({"/h/.my.cnf", "[client]\npassword=\n", 0644}),
     {.password = "", .file = "/h/.my.cnf"}},
    {"a password without a value",
     {.defaults_file = "/c"},
     {0},
     FILES({"/c", "[client]\npassword\n", 0644}),
     {.file = "/c", .warning = "asks for nothing"}},
    {"a file open to others is fine without a password",
     {.defaults_file = "/c"},
     {0},
     FILES({"/c", "[client]\nuser=u\n[mysqldump]\npassword=p\n", 0644}),
     {.user = "u", .file = "/c"}},
    {"home file that everybody may write is passed over",
     {0},
     {.home = "/h"},
     FILES({"/h/.my.cnf", "[client]\nuser=u\n", 0666}),
     {.warning = "'/h/.my.cnf' is ignored"}},
    {"socket of the system's files is a hint only",
     {0},
     {.home = "/h"},
     FILES({"/etc/mysql/my.cnf", "[client-server]\nsocket=/run/x.sock\nuser=no\n", 0}),
     {.socket = "/run/x.sock"}},
    {"home that is no path", {0}, {.home = ""}, FILES({"/.my.cnf", "[client]\nuser=u\n", 0}), {0}},
};

static bool same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void check_row(const struct row *r)
{
    ARENA_AUTO a = arena_new();
    struct optfile_io io = fakefiles_io(a, r->files, r->env.home);
    struct login got;
    struct err err = ERR_INIT;
    if (!login_resolve(a, &r->opt, &r->env, &io, &got, &err)) {
        fail_msg("%s: %s", r->name, err.text);
    }
    const struct want *w = &r->want;
    if (!same(got.sql.socket, w->socket) || !same(got.sql.host, w->host) ||
        got.sql.port != w->port || !same(got.sql.user, w->user) ||
        !same(got.sql.password, w->password) || got.named != w->named || !same(got.file, w->file) ||
        got.sql.socket_dir_fd != -1) {
        fail_msg("%s: socket %s host %s port %u user %s password %s named %d file %s", r->name,
                 got.sql.socket, got.sql.host, got.sql.port, got.sql.user, got.sql.password,
                 got.named, got.file);
    }
    bool warned = false;
    for (size_t i = 0; i < got.n_warnings; i++) {
        warned = warned || (w->warning != NULL && strstr(got.warnings[i], w->warning) != NULL);
        if (w->password != NULL && w->password[0] != '\0') {
            assert_null(strstr(got.warnings[i], w->password));
        }
    }
    if (warned != (w->warning != NULL) || (w->warning == NULL && got.n_warnings != 0)) {
        fail_msg("%s: warning '%s'", r->name, got.n_warnings > 0 ? got.warnings[0] : "");
    }
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        check_row(&rows[i]);
    }
}

/* ---- refusals -------------------------------------------------------------------------------- */

struct refusal {
    const char *name;
    struct login_options opt;
    const struct fake_file *files;
    enum err_code code;
    const char *text, *hint;
};

static const struct refusal refusals[] = {
    {"others may read the password",
     {.defaults_file = "/c"},
     FILES({"/c", "[client]\npassword=secret\n", 0644}),
     E_DENIED,
     "'/c' holds a password and is open to others (mode 0644)",
     "chmod 0600 '/c'"},
    {"the group may read the password",
     {.defaults_file = "/c"},
     FILES({"/c", "[nvadvise]\npassword=secret\n", 0640}),
     E_DENIED,
     "mode 0640",
     "chmod 0600"},
    {"an included file counts by its own mode",
     {.defaults_file = "/c"},
     FILES({"/c", "!include /i\n", 0600}, {"/i", "[client]\npassword=secret\n", 0644}),
     E_DENIED,
     "'/i' holds a password",
     "chmod 0600 '/i'"},
    {"a password that a later one replaces",
     {.defaults_file = "/c"},
     FILES({"/c", "!include /i\n[client]\npassword=other\n", 0600},
           {"/i", "[client]\npassword=secret\n", 0604}),
     E_DENIED,
     "'/i' holds a password",
     "chmod 0600 '/i'"},
    {"others may read the system file",
     {0},
     FILES({"/etc/nvadvise/client.cnf", "[client]\npassword=secret\n", 0644}),
     E_DENIED,
     "'/etc/nvadvise/client.cnf' holds a password",
     "chmod 0640"},
    {"everybody may write the named file",
     {.defaults_file = "/c"},
     FILES({"/c", "[client]\nuser=u\n", 0666}),
     E_DENIED,
     "'/c' is not read",
     "chmod 0600"},
    {"the named file is not there", {.defaults_file = "/c"}, NO_FILES, E_ABSENT, "'/c'", ""},
    {"the named file may not be read",
     {.defaults_file = "/c"},
     FILES({"/c", NULL, 0}),
     E_DENIED,
     "'/c'",
     ""},
    {"socket and host",
     {.socket = "/s", .host = "h"},
     NO_FILES,
     E_USAGE,
     "both a socket",
     "not by both"},
    {"port 0",
     {.defaults_file = "/c"},
     FILES({"/c", "[client]\nport=0\n", 0}),
     E_SYNTAX,
     "/c:2: '0' is no port",
     "1 to 65535"},
    {"port with junk",
     {.defaults_file = "/c"},
     FILES({"/c", "[client]\nport=33x\n", 0}),
     E_SYNTAX,
     "is no port",
     ""},
    {"port too large",
     {.defaults_file = "/c"},
     FILES({"/c", "[client]\nport=65536\n", 0}),
     E_SYNTAX,
     "is no port",
     ""},
    {"ssl-mode",
     {.defaults_file = "/c"},
     FILES({"/c", "[client]\nssl_mode=yes\n", 0}),
     E_SYNTAX,
     "/c:2: 'yes' is no ssl-mode",
     ""},
    {"fatal line", {.defaults_file = "/c"}, FILES({"/c", "user=u\n", 0}), E_SYNTAX, "/c:1:", ""},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
        const struct refusal *r = &refusals[i];
        ARENA_AUTO a = arena_new();
        struct optfile_io io = fakefiles_io(a, r->files, NULL);
        struct login_env env = {0};
        struct login got = {.file = "untouched"};
        struct err err = ERR_INIT;
        if (login_resolve(a, &r->opt, &env, &io, &got, &err) || err.code != r->code ||
            strstr(err.text, r->text) == NULL || strstr(err.hint, r->hint) == NULL) {
            fail_msg("%s: code %d '%s' hint '%s'", r->name, (int)err.code, err.text, err.hint);
        }
        assert_string_equal(got.file, "untouched");
        assert_null(strstr(err.text, "secret"));
    }
}

/* ---- TLS ------------------------------------------------------------------------------------- */

struct tls_row {
    const char *text;
    bool require, verify;
    const char *ca;
};

static const struct tls_row tls_rows[] = {
    {"user=u", false, false, NULL},
    {"ssl", true, false, NULL},
    {"ssl=1", true, false, NULL},
    {"ssl=OFF", false, false, NULL},
    {"ssl\nskip-ssl", false, false, NULL},
    {"disable_ssl\nenable-ssl", true, false, NULL},
    {"ssl-ca=/ca\nssl-verify-server-cert", true, true, "/ca"},
    {"ssl-verify-server-cert=0", false, false, NULL},
    {"ssl-mode=REQUIRED", true, false, NULL},
    {"ssl_mode=verify_identity", true, true, NULL},
    {"ssl-mode=DISABLED", false, false, NULL},
    {"ssl-ca=", false, false, NULL},
};

static void test_tls(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(tls_rows); i++) {
        ARENA_AUTO a = arena_new();
        const char *text = arena_printf(a, "[client]\n%s\n", tls_rows[i].text);
        struct optfile_io io = fakefiles_io(a, FILES({"/c", text, 0}), NULL);
        struct login_options opt = {.defaults_file = "/c"};
        struct login_env env = {0};
        struct login got;
        struct err err = ERR_INIT;
        assert_true(login_resolve(a, &opt, &env, &io, &got, &err));
        if (got.sql.ssl_require != tls_rows[i].require ||
            got.sql.ssl_verify != tls_rows[i].verify || !same(got.sql.ssl_ca, tls_rows[i].ca)) {
            fail_msg("%s: require %d verify %d", tls_rows[i].text, got.sql.ssl_require,
                     got.sql.ssl_verify);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_tls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
