/* Commands and texts of a rule with facts put in: whatever a path or a device is called, a command stays
 * the command that the rule wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/report/doc.h"
#include "probes/probe.h"

#include "advisor/base/banned.h"

struct scene {
    struct ruleset rs;
    struct store *store;
    struct report_input in;
    struct doc d;
    struct rule rule;
    struct finding f;
};

static void scene_open(struct scene *w, struct arena *a, const char *path, const char *disk)
{
    struct err err = ERR_INIT;
    struct decl_set *decls = decl_set_new(a);
    memset(w, 0, sizeof(*w));
    if (!probes_declare(decls, &err) ||
        !ruleset_load(a, decls, rule_texts_builtin(a), &w->rs, NULL, &err)) {
        fail_msg("%s", err.text);
    }
    w->store = store_new(a, decls);
    struct subject *volume = store_subject(w->store, SUBJECT_VOLUME, "volume:a:data");
    struct subject *leaf = store_subject(w->store, SUBJECT_DEVICE, "device:a");
    if (path != NULL) {
        const struct value text = value_text(KIND_STRING, span_of(path));
        store_known(w->store, volume, "volume.path", text, "");
        store_known(w->store, volume, "volume.mountpoint", text, "");
    }
    if (disk != NULL) {
        store_known(w->store, leaf, "device.name", value_text(KIND_STRING, span_of(disk)), "");
    }
    w->rule = (struct rule){.id = "toy", .scope = SUBJECT_VOLUME};
    w->f = (struct finding){.rule = &w->rule, .subject = volume, .leaf = leaf};
    w->in = (struct report_input){.rules = &w->rs, .store = w->store};
    w->d = (struct doc){a, &w->in};
}

static void test_commands(void **state)
{
    static const struct {
        const char *path, *disk, *command, *want;
    } rows[] = {
        {"/var/lib/mysql", NULL, "findmnt -T {{volume.path}}", "findmnt -T /var/lib/mysql"},
        {"/srv/my data", NULL, "ls {{ volume.path }}/", "ls '/srv/my data'/"},
        {"/x; rm -rf /", NULL, "ls {{volume.path}}", "ls '/x; rm -rf /'"},
        {"/it's", NULL, "ls $M", "ls '/it'\\''s'"},
        {"/a\nb\\'c", NULL, "ls $M", "ls $'/a\\x0ab\\\\\\'c'"},
        {"/$D/{{device.name}}", "sda", "ls {{volume.path}}", "ls '/$D/{{device.name}}'"},
        {"/\xff", NULL, "ls $M", "ls $'/\\xff'"},
        {NULL, NULL, "ls {{volume.path}} $M", "ls PATH MOUNTPOINT"},
        {NULL, "nvme0n1", "echo none > /sys/block/$D/queue/scheduler",
         "echo none > /sys/block/nvme0n1/queue/scheduler"},
        {NULL, "cciss!c0d0", "ls /sys/block/$D", "ls /sys/block/'cciss!c0d0'"},
        {NULL, NULL, "nvme smart-log /dev/$C; ls $D", "nvme smart-log /dev/CONTROLLER; ls DISK"},
        {NULL, NULL, "echo '{{' $X", "echo '{{' $X"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct scene w;
        scene_open(&w, a, rows[i].path, rows[i].disk);
        assert_string_equal(doc_command(&w.d, &w.f, rows[i].command), rows[i].want);
    }
}

/* The unit of a server, by the control group that it runs in. */
static void test_units(void **state)
{
    static const struct {
        const char *path, *want;
    } rows[] = {
        {"/system.slice/mariadb.service", "systemctl restart mariadb.service"},
        {"/system.slice/system-mysqld.slice/mysqld@one.service", "systemctl restart mysqld@one.service"},
        {"/system.slice/mysql.service/init.scope", "systemctl restart mysql.service"},
        {"/system.slice/my sql.service", "systemctl restart 'my sql.service'"},
        {"/system.slice/docker-0123.scope", "systemctl restart UNIT.service"},
        {"/user.slice/.service", "systemctl restart UNIT.service"},
        {"/user.slice/user-1000.slice/user@1000.service/app.slice/run-1.scope",
         "systemctl restart UNIT.service"},
        {"/user.slice/user-1000.slice/user@1000.service/app.slice/mysqld.service",
         "systemctl restart UNIT.service"},
        {"/system.slice/containerd.service/kubepods-pod1:cri:2", "systemctl restart UNIT.service"},
        {"/system.slice/docker.service/3", "systemctl restart UNIT.service"},
        {"/", "systemctl restart UNIT.service"},
        {NULL, "systemctl restart UNIT.service"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct scene w;
        scene_open(&w, a, NULL, NULL);
        struct subject *server = store_subject(w.store, SUBJECT_SERVER, "server:a");
        if (rows[i].path != NULL) {
            store_known(w.store, server, "server.cgroup.path",
                        value_text(KIND_STRING, span_of(rows[i].path)), "");
        }
        assert_string_equal(doc_command(&w.d, &w.f, "systemctl restart $U"), "systemctl restart $U");
        w.rule.scope = SUBJECT_SERVER;
        w.f.subject = server;
        assert_string_equal(doc_command(&w.d, &w.f, "systemctl restart $U"), rows[i].want);
    }
}

/* The client that checks tables, by the server. */
static void test_checkers(void **state)
{
    static const struct {
        const char *flavour, *version, *want;
    } rows[] = {
        {"mariadb", "10.5.0", "mariadb-check -A"}, {"mariadb", "11.8.9", "mariadb-check -A"},
        {"mariadb", "10.4.34", "mysqlcheck -A"},   {"mysql", "9.7.4", "mysqlcheck -A"},
        {"percona", "8.4.3", "mysqlcheck -A"},     {NULL, NULL, "mysqlcheck -A"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct scene w;
        struct version version = {{0}, 0};
        scene_open(&w, a, NULL, NULL);
        struct subject *server = store_subject(w.store, SUBJECT_SERVER, "server:a");
        const struct subject *const servers[] = {server};
        if (rows[i].flavour != NULL) {
            assert_true(version_parse_exact(span_of(rows[i].version), &version));
            store_known(w.store, server, "server.flavour",
                        value_text(KIND_ENUM, span_of(rows[i].flavour)), "");
            store_known(w.store, server, "server.version", value_version(version), "");
        }
        assert_string_equal(doc_command(&w.d, &w.f, "$K -A"), "mysqlcheck -A");
        store_find_subject(w.store, "volume:a:data")->server = server;
        assert_string_equal(doc_command(&w.d, &w.f, "$K -A"), rows[i].want);
        w.rule.scope = SUBJECT_DEVICE;
        w.f.subject = w.f.leaf;
        assert_string_equal(doc_command(&w.d, &w.f, "$K -A"), "mysqlcheck -A");
        w.in.servers = servers;
        w.in.n_servers = 1;
        assert_string_equal(doc_command(&w.d, &w.f, "$K -A"), rows[i].want);
        w.rule.scope = SUBJECT_SERVER;
        w.f.subject = server;
        assert_string_equal(doc_command(&w.d, &w.f, "$K -A"), rows[i].want);
    }
}

static void test_sentences(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct scene w;
    scene_open(&w, a, "/srv/my data", "nvme0n1");
    const char *text = doc_fill(&w.d, &w.f, "{{volume.path}} was, {{volume.fs.type}} on $D");
    assert_string_equal(text, "/srv/my data was, unknown on $D");
    assert_string_equal(doc_places(&w.d, &w.f, text), "/srv/my data was, unknown on nvme0n1");
    assert_null(doc_fill(&w.d, &w.f, NULL));
    assert_null(doc_places(&w.d, &w.f, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_checkers),
        cmocka_unit_test(test_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
