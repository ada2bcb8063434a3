/* The options probe on made-up servers: what becomes a fact, and what stays unknown and why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "probes/host/reply.h"
#include "probes/options.h"
#include "probes/probe.h"
#include "tests/lib/factcheck.h"
#include "tests/lib/fakehost.h"
#include "tests/lib/twins.h"

#include "advisor/base/banned.h"

#define LABEL "server:/s"
#define CHECK(what, f, ...)                                                                        \
    check_facts(what, (f)->store, LABEL, (const struct fact_want[]){__VA_ARGS__},                  \
                sizeof((const struct fact_want[]){__VA_ARGS__}) / sizeof(struct fact_want))

struct fix {
    struct arena *arena;
    struct host *host;
    struct store *store;
    struct probe_args args;
};

/* MySQL of this version takes lines whole; "persisted" is a key of its own. */
static const char *key_of(const struct fix *f, const char *path)
{
    return path[0] == '/' ? arena_printf(f->arena, "whole %s", path) : path;
}

static void option_file(const struct fix *f, const char *path, const char *text, uint32_t mode,
                        uint32_t gid)
{
    const char *key = key_of(f, path);
    const struct host_optfile file = {0100000 | mode, 0, gid, span_of(text)};
    fakehost_reply(f->host, HOST_OPTFILE, key, reply_optfile(f->arena, &file));
}

/* MySQL 8.0.36 of user 27 as systemd starts it: one master file with a folder behind it. */
static struct fix service(struct arena *a)
{
    struct fix f = {.arena = a, .host = fakehost_new(a)};
    struct decl_set *decls = decl_set_new(a);
    struct err err = ERR_INIT;
    assert_true(decl_set_add(decls, server_option_decls, ARRAY_LEN(server_option_decls), &err));
    f.store = store_new(a, decls);
    f.args = (struct probe_args){.label = LABEL,
                                 .server = LABEL,
                                 .pid = 5,
                                 .uid = 27,
                                 .gid = 27,
                                 .flavour = "mysql",
                                 .exe = "/usr/sbin/mysqld",
                                 .cwd = "/var/lib/mysql",
                                 .version = {{8, 0, 36, 0}, 3}};
    fakehost_reply(f.host, HOST_READ, "/proc/5/cmdline", SPAN_LIT("/usr/sbin/mysqld\0--port=7\0"));
    fakehost_reply(f.host, HOST_READ, "/proc/5/environ", SPAN_LIT("HOME=/h\0\0"));
    fakehost_file(f.host, "/proc/5/status", "Name:\tmysqld\nGroups:\t27 44 \n");
    fakehost_stat(f.host, "/proc/5/status",
                  &(struct host_stat){.mode = 040555, .uid = 27, .gid = 27});
    fakehost_reply(f.host, HOST_OPEN, "root 5", SPAN_LIT("mnt:[1]"));
    option_file(&f, "/etc/my.cnf", "[mysqld]\na=1\n!includedir /etc/my.cnf.d\n[client]\nuser=x\n",
                0644, 0);
    fakehost_list(f.host, "/etc/my.cnf.d", "b.cnf a.cnf c.conf");
    option_file(&f, "/etc/my.cnf.d/a.cnf", "[mysqld-8.0]\na=2\n", 0644, 0);
    option_file(&f, "/etc/my.cnf.d/b.cnf", "[mysqld-9.7]\na=3\n", 0644, 0);
    return f;
}

static void run(struct fix *f)
{
    struct twin *const twin = twin_new(f->arena, f->host);
    struct probe_ctx ctx = {.host = twin_host(twin),
                            .store = f->store,
                            .args = &f->args,
                            .subject = store_subject(f->store, SUBJECT_SERVER, LABEL),
                            .arena = f->arena};
    if (probe_options.open(&ctx)) {
        probe_options.run(&ctx);
    }
    const char *const differences =
        twin_differences(twin, &probe_options, SUBJECT_SERVER, &f->args, f->store);
    if (differences[0] != '\0') {
        fail_msg("redacted: %s", differences);
    }
    for (size_t i = 0; i < ARRAY_LEN(server_option_decls); i++) {
        if (store_get(f->store, ctx.subject, span_of(server_option_decls[i].name)) == NULL) {
            fail_msg("'%s' was not set", server_option_decls[i].name);
        }
    }
}

static const char *reason(const struct fix *f, const char *name)
{
    const struct fact *const fact =
        store_get(f->store, store_find_subject(f->store, LABEL), span_of(name));
    return fact->state == FACT_KNOWN ? "known" : fact->reason;
}

static void test_service(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fix f = service(a);
    run(&f);
    CHECK("a service", &f, {"server.process.arguments", "{/usr/sbin/mysqld, \"--port=7\"}"},
          {"server.process.environment", "{\"HOME=/h\"}"},
          {"server.option.lines", "{\"/etc/my.cnf:2:[mysqld]a=1\", "
                                  "\"/etc/my.cnf.d/a.cnf:2:[mysqld-8.0]a=2\", "
                                  "\"(command line):1:[]port=7\"}"},
          {"server.option.other_lines", "{\"/etc/my.cnf.d/b.cnf:2:[mysqld-9.7]a=3\", "
                                        "\"/etc/my.cnf:5:[client]user\"}"},
          {"server.option.files",
           "{\"read 0644 0 /etc/my.cnf\", \"read 0644 0 /etc/my.cnf.d/a.cnf\", "
           "\"read 0644 0 /etc/my.cnf.d/b.cnf\", \"misnamed - - /etc/my.cnf.d/c.conf\", "
           "\"absent - - /etc/mysql/my.cnf\", \"absent - - /usr/etc/my.cnf\", "
           "\"absent - - /h/.my.cnf\"}"},
          {"server.option.dirs", "{/etc/my.cnf.d}"},
          {"server.option.groups", "{mysqld, server, mysqld-8.0}"},
          {"server.option.warnings",
           "{\"'/etc/my.cnf.d/c.conf' is not read: only names that end in .cnf are\"}"},
          {"server.option.fatal", "false"}, {"server.option.fatal_reason", "\"\""},
          {"server.option.unread_files", "1"}, {"server.option.dropin_present", "false"});
}

static void test_persisted(void **state)
{
    (void)state;
    static const char path[] = "persisted /var/lib/mysql/mysqld-auto.cnf";
    static const char text[] =
        "{\"Version\":2,\"mysql_dynamic_variables\":{\"a\":{\"Value\":\"9\"}}}";
    ARENA_AUTO a = arena_new();
    struct fix f = service(a);
    option_file(&f, path, text, 0640, 27);
    run(&f);
    CHECK("persisted", &f,
          {"server.option.lines",
           "{\"/etc/my.cnf:2:[mysqld]a=1\", \"/etc/my.cnf.d/a.cnf:2:[mysqld-8.0]a=2\", "
           "\"(command line):1:[]port=7\", "
           "\"/var/lib/mysql/mysqld-auto.cnf:0:[(persisted)]a=9\"}"});
    f = service(a);
    option_file(&f, path, text, 0666, 27);
    run(&f);
    assert_null(strstr(fact_text(f.store, LABEL, "server.option.lines"), "persisted"));
    f = service(a);
    fakehost_fail(f.host, HOST_OPTFILE, path, E_DENIED, EACCES);
    run(&f);
    assert_string_equal(reason(&f, "server.option.lines"), "known");
    f = service(a);
    fakehost_fail(f.host, HOST_OPTFILE, path, E_SYNTAX, 0);
    run(&f);
    CHECK("broken", &f, {"server.option.fatal", "true"});
    f = service(a);
    fakehost_fail(f.host, HOST_OPTFILE, path, E_IO, EIO);
    run(&f);
    CHECK("unreadable", &f, {"server.option.lines", "? unreadable"},
          {"server.option.fatal", "? unreadable"},
          {"server.option.dropin_present", "? unreadable"});
}

static void test_fatal(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fix f = service(a);
    option_file(&f, "/etc/my.cnf", "[mysqld]\na=1\n[x\n", 0644, 0);
    run(&f);
    CHECK(
        "fatal", &f, {"server.option.fatal", "true"},
        {"server.option.fatal_reason", "\"/etc/my.cnf:3: a group without ']'\""},
        {"server.option.lines", "{\"/etc/my.cnf:2:[mysqld]a=1\", \"(command line):1:[]port=7\"}"});
}

static void test_dropin(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fix f = service(a);
    fakehost_list(f.host, "/etc/my.cnf.d", "zz-nvadvise.cnf");
    option_file(&f, "/etc/my.cnf.d/zz-nvadvise.cnf", "[mysqld]\n", 0644, 0);
    run(&f);
    CHECK("there", &f, {"server.option.dropin_present", "true"});
    option_file(&f, "/etc/my.cnf.d/zz-nvadvise.cnf", "[mysqld]\n", 0646, 0);
    run(&f);
    CHECK("ignored", &f, {"server.option.dropin_present", "false"},
          {"server.option.unread_files", "1"});
}

/* ---- what cannot be seen --------------------------------------------------------------------- */

static void test_nothing_to_see(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fix f = service(a);
    f.args.pid = 0;
    run(&f);
    CHECK("remote", &f, {"server.option.lines", "? not supported"},
          {"server.process.arguments", "? not supported"});
    assert_int_equal(fakehost_calls(f.host, HOST_OPS), 0);

    f = service(a);
    fakehost_fail(f.host, HOST_OPEN, "root 5", E_DENIED, EACCES);
    run(&f);
    CHECK("another user", &f, {"server.option.lines", "? not permitted"},
          {"server.process.arguments", "{/usr/sbin/mysqld, \"--port=7\"}"});

    f = service(a);
    fakehost_fail(f.host, HOST_READ, "/proc/5/environ", E_DENIED, EACCES);
    run(&f);
    CHECK("environment hidden", &f, {"server.option.lines", "? not permitted"},
          {"server.process.environment", "? not permitted"});

    f = service(a);
    fakehost_reply(f.host, HOST_READ, "/proc/5/environ", SPAN_LIT("HOME=/h\0"));
    run(&f);
    CHECK("environment cut", &f, {"server.option.lines", "? unreadable"});

    f = service(a);
    fakehost_reply(f.host, HOST_READ, "/proc/5/cmdline", SPAN_LIT("/usr/sbin/mysqld\0--po"));
    run(&f);
    CHECK("command line cut", &f, {"server.option.lines", "? unreadable"},
          {"server.process.arguments", "? unreadable"});

    f = service(a);
    f.args.flavour = f.args.exe = NULL;
    run(&f);
    CHECK("which server", &f, {"server.option.lines", "? absent"});
}

/* A file that is closed to the server's user is no file to the server; but groups and root count.
 */
static void test_closed_files(void **state)
{
    (void)state;
    static const char file[] = "/etc/my.cnf.d/b.cnf";
    static const struct {
        const char *name;
        uint32_t mode, gid, proc_uid;
        const char *lines;
    } rows[] = {
        {"root's alone", 0600, 0, 27, "known"},
        {"a group that the server is not in", 0640, 45, 27, "known"},
        {"a group that the server is in", 0640, 44, 27,
         "'/etc/my.cnf.d/b.cnf' could not be looked at"},
        {"a group that may not", 0600, 44, 27, "known"},
        {"started as root", 0600, 0, 0,
         "'/etc/my.cnf.d/b.cnf' is closed to the server's user, but the server was started as "
         "root"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct fix f = service(a);
        fakehost_fail(f.host, HOST_OPTFILE, key_of(&f, file), E_DENIED, EACCES);
        fakehost_stat(f.host, file,
                      &(struct host_stat){.mode = 0100000 | rows[i].mode, .gid = rows[i].gid});
        fakehost_stat(f.host, "/proc/5/status",
                      &(struct host_stat){.mode = 040555, .uid = rows[i].proc_uid});
        run(&f);
        if (strcmp(reason(&f, "server.option.lines"), rows[i].lines) != 0) {
            fail_msg("%s: %s", rows[i].name, reason(&f, "server.option.lines"));
        }
    }
}

static void test_closed_directory(void **state)
{
    (void)state;
    for (uint32_t gid = 43; gid <= 44; gid++) {
        ARENA_AUTO a = arena_new();
        struct fix f = service(a);
        fakehost_fail(f.host, HOST_LIST, "/etc/my.cnf.d", E_DENIED, EACCES);
        fakehost_stat(f.host, "/etc/my.cnf.d", &(struct host_stat){.mode = 040750, .gid = gid});
        run(&f);
        /* To a server that may not list it the folder is fatal. */
        CHECK("directory", &f, {"server.option.fatal", gid == 43 ? "true" : "? unreadable"});
    }
}

/* A look that fails where another succeeds tells nothing of the server. */
static void test_contradictions(void **state)
{
    (void)state;
    static const enum err_code codes[] = {E_ABSENT, E_DENIED};
    for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
        ARENA_AUTO a = arena_new();
        struct fix f = service(a);
        fakehost_fail(f.host, HOST_LIST, "/etc/my.cnf.d", codes[i], 0);
        fakehost_stat(f.host, "/etc/my.cnf.d", &(struct host_stat){.mode = 040755});
        run(&f);
        CHECK("a folder", &f, {"server.option.fatal", "? unreadable"});

        f = service(a);
        fakehost_reply(f.host, HOST_READ, "/proc/5/cmdline",
                       SPAN_LIT("/usr/sbin/mysqld\0--defaults-file=/m/my.cnf\0"));
        fakehost_fail(f.host, HOST_OPTFILE, "whole /m/my.cnf", codes[i], 0);
        fakehost_stat(f.host, "/m/my.cnf", &(struct host_stat){.mode = 0100644});
        run(&f);
        CHECK("a file", &f, {"server.option.fatal", "? unreadable"});
    }
}

static void test_folder_for_a_file(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fix f = service(a);
    fakehost_reply(f.host, HOST_READ, "/proc/5/cmdline",
                   SPAN_LIT("/usr/sbin/mysqld\0--defaults-file=/m/my.cnf\0"));
    fakehost_stat(f.host, "/m/my.cnf", &(struct host_stat){.mode = 040757});
    run(&f);
    CHECK("a folder for a file", &f, {"server.option.fatal", "false"},
          {"server.option.files", "{\"read 0755 0 /m/my.cnf\"}"});
}

/* Root's home is closed to everybody else; that nothing is in it was seen before. */
static void test_home_of_root(void **state)
{
    (void)state;
    for (int there = 0; there <= 1; there++) {
        ARENA_AUTO a = arena_new();
        struct fix f = service(a);
        fakehost_stat(f.host, "/proc/5/status", &(struct host_stat){.mode = 040555, .uid = 0});
        fakehost_reply(f.host, HOST_READ, "/proc/5/environ", SPAN_LIT("HOME=/root\0\0"));
        fakehost_fail(f.host, HOST_OPTFILE, "whole /root/.my.cnf", E_DENIED, EACCES);
        if (there != 0) {
            fakehost_stat(f.host, "/root/.my.cnf", &(struct host_stat){.mode = 0100600});
        }
        run(&f);
        CHECK("home", &f, {"server.option.fatal", there != 0 ? "? unreadable" : "false"});
    }
}

static void test_the_kernels_files(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fix f = service(a);
    option_file(&f, "/etc/my.cnf", "[mysqld]\n!include /proc/self/environ\n", 0644, 0);
    run(&f);
    CHECK("the kernel's", &f, {"server.option.lines", "? unreadable"});
}

static void test_too_many_words(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fix f = service(a);
    struct buf b;
    buf_init(&b, a, 1 << 20);
    buf_add_text(&b, "[mysqld]\n");
    while (b.len < (1 << 20) - 64) {
        buf_add_text(&b, "innodb_io_capacity=200\n");
    }
    option_file(&f, "/etc/my.cnf", b.ptr, 0644, 0);
    run(&f);
    CHECK("too many", &f, {"server.option.lines", "? unreadable"},
          {"server.option.fatal", "false"});
}

/* Pseudonyms of file names have another order; which file wins must not depend on that (run()
 * compares). */
static void test_order_of_files(void **state)
{
    (void)state;
    static const char *const names[] = {"alder", "birch", "cedar", "elm", "fir", "maple", "oak"};
    ARENA_AUTO a = arena_new();
    struct fix f = service(a);
    fakehost_list(f.host, "/etc/my.cnf.d",
                  "alder.cnf birch.cnf cedar.cnf elm.cnf fir.cnf maple.cnf oak.cnf");
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        option_file(&f, arena_printf(a, "/etc/my.cnf.d/%s.cnf", names[i]),
                    arena_printf(a, "[mysqld]\na=%zu\n", i), 0644, 0);
    }
    run(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_service),        cmocka_unit_test(test_order_of_files),
        cmocka_unit_test(test_persisted),      cmocka_unit_test(test_fatal),
        cmocka_unit_test(test_dropin),         cmocka_unit_test(test_nothing_to_see),
        cmocka_unit_test(test_closed_files),   cmocka_unit_test(test_closed_directory),
        cmocka_unit_test(test_contradictions), cmocka_unit_test(test_folder_for_a_file),
        cmocka_unit_test(test_home_of_root),   cmocka_unit_test(test_the_kernels_files),
        cmocka_unit_test(test_too_many_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
