/* Commands and texts of a rule with facts put in: whatever a path or a device is called, a command stays
 * the command that the rule wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/report/doc.h"
#include "advisor/report/fileline.h"
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
        {"/a\nb\\'c", NULL, "ls $M", "ls $'/a\\x0ab\\x5c\\x27c'"},
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
        assert_string_equal(doc_command(&w.d, &w.f, "systemctl restart $U"),
                            "systemctl restart UNIT.service"); /* a volume of no server */
        struct subject *volume = store_subject(w.store, SUBJECT_VOLUME, "volume:b:data");
        volume->server = server;
        w.f.subject = volume;
        assert_string_equal(doc_command(&w.d, &w.f, "systemctl restart $U"), rows[i].want);
        w.rule.scope = SUBJECT_SERVER;
        w.f.subject = server;
        assert_string_equal(doc_command(&w.d, &w.f, "systemctl restart $U"), rows[i].want);
    }
}

/* The disk of a volume of which no leaf decided: the one below it, where there is one. */
static void test_only_disk(void **state)
{
    static const struct span two[] = {{"a", 1}, {"b", 1}};
    (void)state;
    for (size_t n = 0; n <= ARRAY_LEN(two); n++) {
        ARENA_AUTO a = arena_new();
        struct scene w;
        scene_open(&w, a, "/data", "nvme0n1");
        const struct subject *other = store_subject(w.store, SUBJECT_DEVICE, "device:b");
        store_known(w.store, other, "device.name", value_text(KIND_STRING, SPAN_LIT("nvme1n1")), "");
        w.f.leaf = NULL;
        assert_string_equal(doc_command(&w.d, &w.f, "ls $D"), "ls DISK");
        store_known(w.store, w.f.subject, "volume.leaf_devices", value_words(a, KIND_SET, two, n), "");
        assert_string_equal(doc_command(&w.d, &w.f, "ls $D"), n == 1 ? "ls nvme0n1" : "ls DISK");
    }
}

/* Names of layers below the volume. */
static void test_layers(void **state)
{
    static const struct span layers[] = {
        {"0 /data fs type=ext4", sizeof("0 /data fs type=ext4") - 1}, {"1 my%20secrets crypt dm=dm-3", sizeof("1 my%20secrets crypt dm=dm-3") - 1},
        {"2 md127 md level=raid1", sizeof("2 md127 md level=raid1") - 1}, {"3 nvme0n1 disk", sizeof("3 nvme0n1 disk") - 1}};
    (void)state;
    ARENA_AUTO a = arena_new();
    struct scene w;
    scene_open(&w, a, "/data", NULL);
    assert_string_equal(doc_command(&w.d, &w.f, "mdadm --detail /dev/$md; dmsetup table $crypt; $S"),
                        "mdadm --detail /dev/MD; dmsetup table MAPPING; VOLUME");
    store_known(w.store, w.f.subject, "volume.layers",
                value_words(a, KIND_LIST, layers, ARRAY_LEN(layers)), "");
    store_known(w.store, w.f.subject, "volume.source",
                value_text(KIND_STRING, SPAN_LIT("/dev/mapper/my secrets")), "");
    assert_string_equal(doc_command(&w.d, &w.f, "mdadm --detail /dev/$md; dmsetup table $crypt; $S"),
                        "mdadm --detail /dev/md127; dmsetup table 'my secrets'; '/dev/mapper/my secrets'");
}

static const char *member(const struct json *j, const char *key)
{
    const char *text = json_get_str(j, key);
    return text != NULL ? text : "-";
}

/* Lines of files: what stands in them, and the command that puts it there. */
static void test_lines(void **state)
{
    static const struct {
        const char *path, *options, *action, *file, *line, *command;
    } rows[] = {
        {NULL, NULL, "line /etc/x.conf a.b={{param.swappiness_target}}", "/etc/x.conf", "a.b=1",
         "echo a.b=1 >> /etc/x.conf"},
        {NULL, NULL, "line /etc/x.rules A==\"b|c\", D=\"$\"", "/etc/x.rules", "A==\"b|c\", D=\"$\"",
         "echo 'A==\"b|c\", D=\"$\"' >> /etc/x.rules"},
        {NULL, NULL, "line /etc/x a\\nb", "/etc/x", "a\\nb", "printf '%s\\n' 'a\\nb' >> /etc/x"},
        {"/srv/db", "defaults,relatime", "fstab -relatime +noatime", "/etc/fstab",
         "SOURCE /srv/db TYPE noatime 0 0", "vi /etc/fstab # SOURCE /srv/db TYPE noatime 0 0"},
        {"/srv/db", "nobarrier", "fstab -nobarrier", "/etc/fstab", "SOURCE /srv/db TYPE defaults 0 0",
         "vi /etc/fstab # SOURCE /srv/db TYPE defaults 0 0"},
        {"/srv/db", "rw,logbsize=32k,noatime", "fstab -logbsize=* +logbsize=256k +noatime", "/etc/fstab",
         "SOURCE /srv/db TYPE rw,logbsize=256k,noatime 0 0",
         "vi /etc/fstab # SOURCE /srv/db TYPE rw,logbsize=256k,noatime 0 0"},
        {"/a b\n#\\x", "ro\nroot", "fstab +noatime", "/etc/fstab",
         "SOURCE /a\\040b\\012\\043\\134x TYPE ro\\012root,noatime 0 0",
         "vi /etc/fstab # SOURCE /a\\040b\\012\\043\\134x TYPE ro\\012root,noatime 0 0"},
        {NULL, NULL, "fstab +noatime", "/etc/fstab", "SOURCE MOUNTPOINT TYPE OPTIONS,noatime 0 0",
         "vi /etc/fstab # SOURCE MOUNTPOINT TYPE OPTIONS,noatime 0 0"},
        {NULL, NULL, "fstabs +noatime", "-", "-", "fstabs +noatime"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct scene w;
        struct json *j = json_object(a);
        scene_open(&w, a, rows[i].path, NULL);
        if (rows[i].options != NULL) {
            store_known(w.store, w.f.subject, "volume.fstab_options",
                        value_text(KIND_STRING, span_of(rows[i].options)), "");
        }
        doc_action_command(&w.d, &w.f, rows[i].action, j);
        assert_string_equal(member(j, "file"), rows[i].file);
        assert_string_equal(member(j, "line"), rows[i].line);
        assert_string_equal(member(j, "command"), rows[i].command);
        assert_string_equal(doc_command(&w.d, &w.f, rows[i].action), rows[i].command);
    }
}

/* An action with a condition is offered unless the host is known not to meet it. */
static void test_offers(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct scene w;
    scene_open(&w, a, "/data", NULL);
    const struct rule *r = ruleset_find(&w.rs, "blk-no-trim");
    assert_non_null(r);
    bool offered[2][3]; /* for ZFS, for others: in doubt, on ZFS, on XFS */
    static const char *const types[] = {NULL, "zfs", "xfs"};
    for (size_t t = 0; t < ARRAY_LEN(types); t++) {
        if (types[t] != NULL) {
            store_known(w.store, w.f.subject, "volume.fs.type",
                        value_text(KIND_ENUM, span_of(types[t])), "");
        }
        for (size_t i = 0; i < r->n_actions; i++) {
            const struct rule_action *act = &r->actions[i];
            const bool others = strncmp(act->command, "fstrim ", 7) == 0;
            if (others || strncmp(act->command, "zpool trim ", 11) == 0) {
                offered[others][t] = doc_offers(&w.d, &w.f, act);
            } else if (act->when == NULL) {
                assert_true(doc_offers(&w.d, &w.f, act));
            }
        }
    }
    static const bool want[2][3] = {{true, true, false}, {true, false, true}};
    assert_memory_equal(offered, want, sizeof(want));
}

/* A row of the table keeps its source, its place and its numbers: the volume's own are those of now. */
static void test_fstab_row(void **state)
{
    static const char *const facts[][2] = {{"volume.fstab_options", "defaults,relatime"},
                                           {"volume.source", "/dev/nvme1n1p1"},
                                           {"volume.fstab_source", "UUID=0a-1b"},
                                           {"volume.fstab_mountpoint", "/srv/all data"},
                                           {"volume.fstab_numbers", "0 2"}};
    static const char *const wants[] = {
        NULL, "SOURCE /bound TYPE noatime 0 0", "/dev/nvme1n1p1 /bound TYPE noatime 0 0",
        "UUID=0a-1b /bound TYPE noatime 0 0", "UUID=0a-1b /srv/all\\040data TYPE noatime 0 0",
        "UUID=0a-1b /srv/all\\040data TYPE noatime 0 2"};
    (void)state;
    ARENA_AUTO a = arena_new();
    struct scene w;
    scene_open(&w, a, "/bound", NULL);
    for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
        struct json *j = json_object(a);
        store_known(w.store, w.f.subject, facts[i][0],
                    value_text(KIND_STRING, span_of(facts[i][1])), "");
        doc_action_command(&w.d, &w.f, "fstab -relatime +noatime", j);
        assert_string_equal(member(j, "line"), wants[i + 1]);
    }
    scene_open(&w, a, "/bound", NULL);
    store_known(w.store, w.f.subject, "volume.source", value_text(KIND_STRING, SPAN_LIT("/dev/sda1")), "");
    static const char *const roots[][2] = {{"/", "/dev/sda1 /bound TYPE OPTIONS,noatime 0 0"},
                                           {"/my/data", "SOURCE MOUNTPOINT TYPE OPTIONS,noatime 0 0"}};
    for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
        struct json *j = json_object(a);
        store_known(w.store, w.f.subject, "volume.mount_root",
                    value_text(KIND_STRING, span_of(roots[i][0])), "");
        doc_action_command(&w.d, &w.f, "fstab -relatime +noatime", j);
        assert_string_equal(member(j, "line"), roots[i][1]);
    }
    const struct {
        const char *numbers, *want;
    } odd[] = {{"1 1", "s m t o 1 1"}, {"", "s m t o 0 0"}, {"2", "s m t o 2 0"}, {"22 ;x", "s m t o 0 0"}};
    for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
        assert_string_equal(fstab_line(a, "s", "m", "t", "o", odd[i].numbers), odd[i].want);
    }
}

/* The same where there is no host to fill them in for. */
static void test_told(void **state)
{
    static const struct {
        const char *action, *want;
    } rows[] = {
        {"line /etc/x a = b c", "/etc/x holds: a = b c"},
        {"fstab -a -b* +c +d=1", "its line in /etc/fstab: without a, b*; with c, d=1"},
        {"fstab -a", "its line in /etc/fstab: without a"},
        {"fstab +c", "its line in /etc/fstab: with c"},
        {"lines a", NULL}, {"line", NULL}, {"mount $M", NULL},
    };
    (void)state;
    ARENA_AUTO a = arena_new();
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *told = fileline_told(a, rows[i].action);
        if (rows[i].want == NULL) {
            assert_null(told);
        } else {
            assert_string_equal(told, rows[i].want);
        }
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
        cmocka_unit_test(test_units), cmocka_unit_test(test_only_disk), cmocka_unit_test(test_layers),
        cmocka_unit_test(test_lines), cmocka_unit_test(test_offers), cmocka_unit_test(test_fstab_row), cmocka_unit_test(test_told),
        cmocka_unit_test(test_checkers),
        cmocka_unit_test(test_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
