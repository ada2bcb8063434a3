/* The jobs of a run, made from facts alone: paths of a server, roles, labels, devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/probes/toy.h"

#include "advisor/base/banned.h"

struct fix {
    struct arena *arena;
    struct store *store;
    const struct subject *server;
};

static struct fix make(struct arena *a)
{
    struct fix f = {.arena = a, .store = store_new(a, toy_decls(a))};
    f.server = store_subject(f.store, SUBJECT_SERVER, "server:/s");
    return f;
}

static void set(const struct fix *f, const char *name, const char *text)
{
    store_known(f->store, f->server, name, value_text(KIND_STRING, span_of(text)), "test");
}

/* What the server told that it has not: then a role lies in the data directory. */
static void set_rest_absent(const struct fix *f)
{
    static const char *const names[] = {"server.var.innodb_log_group_home_dir",
                                        "server.var.innodb_undo_directory",
                                        "server.var.innodb_doublewrite_dir",
                                        "server.var.log_bin_basename",
                                        "server.var.relay_log_basename",
                                        "server.var.relay_log",
                                        "server.var.tmpdir",
                                        "server.var.innodb_tmpdir"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (store_get(f->store, f->server, span_of(names[i])) == NULL) {
            store_unknown(f->store, f->server, names[i], FACT_NOT_SUPPORTED, "test", "", "none");
        }
    }
}

/* "path=roles@label …" */
static const char *paths_of(const struct fix *f)
{
    struct volume_path paths[VOLUME_PATHS_MAX];
    struct buf b;
    buf_init(&b, f->arena, 65536);
    const size_t n = volume_paths(f->store, f->server, f->arena, paths);
    for (size_t i = 0; i < n; i++) {
        buf_printf(&b, "%s%s=%u@%s", i == 0 ? "" : " ", paths[i].path == NULL ? "?" : paths[i].path,
                   paths[i].roles, paths[i].label_role);
    }
    return b.ptr;
}

static void test_paths(void **state)
{
    (void)state;
    static const struct {
        const char *vars[8][2];
        const char *want;
    } rows[] = {
        {{{NULL}}, "?=63@data"},
        {{{"server.process.cwd", "/var/lib/mysql"}}, "/var/lib/mysql=63@data"},
        {{{"server.process.cwd", "/cwd"}, {"server.var.datadir", "/data/"}}, "/data=63@data"},
        {{{"server.process.cwd", "relative"}}, "?=63@data"},
        {{{"server.var.datadir", "/d//./x/"},
          {"server.var.innodb_log_group_home_dir", "./"},
          {"server.var.innodb_undo_directory", "."},
          {"server.var.tmpdir", "/tmp"}},
         "/d/x=63@data /tmp=64@tmp"},
        {{{"server.var.datadir", "/d"},
          {"server.var.innodb_log_group_home_dir", "/redo"},
          {"server.var.innodb_undo_directory", "undo"},
          {"server.var.log_bin_basename", "/log/binlog"},
          {"server.var.relay_log_basename", "/log/relay"},
          {"server.var.innodb_doublewrite_dir", "dw"},
          {"server.var.tmpdir", "/d"},
          {"server.var.innodb_tmpdir", ""}},
         "/d=1@data /redo=2@redo /d/undo=4@undo /d/#dw=8@doublewrite /log=48@binlog /d=64@tmp"},
        {{{"server.var.datadir", "/d"},
          {"server.var.innodb_doublewrite_dir", "/dw"},
          {"server.var.relay_log", "relay-bin"},
          {"server.var.log_bin_basename", "/binlog"}},
         "/d=39@data /dw=8@doublewrite /=16@binlog"},
        {{{"server.var.datadir", "/d"},
          {"server.var.tmpdir", "/t1:/t2::/t1:t3"},
          {"server.var.innodb_tmpdir", "/t2"}},
         "/d=63@data /t1=64@tmp /t2=64@tmp-2 /d/t3=64@tmp-3"},
        /* Without a data directory: what is absolute still counts. */
        {{{"server.var.innodb_log_group_home_dir", "/redo"},
          {"server.var.innodb_undo_directory", "undo"},
          {"server.var.tmpdir", "tmp"}},
         "?=61@data /redo=2@redo ?=64@tmp"},
        {{{"server.var.datadir", "/d/../e"}}, "/d/../e=63@data"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        const struct fix f = make(a);
        for (size_t k = 0; k < 8 && rows[i].vars[k][0] != NULL; k++) {
            set(&f, rows[i].vars[k][0], rows[i].vars[k][1]);
        }
        set_rest_absent(&f);
        assert_string_equal(paths_of(&f), rows[i].want);
    }
}

/* No login, or a connection that broke: what was not told is not only taken to lie with the data.
 */
static void test_untold_paths(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct fix f = make(a);
    assert_string_equal(paths_of(&f), "?=63@data ?=64@tmp");
    set(&f, "server.process.cwd", "/d");
    assert_string_equal(paths_of(&f), "/d=63@data ?=62@redo ?=64@tmp");
    set(&f, "server.var.innodb_log_group_home_dir", "");
    set(&f, "server.var.innodb_undo_directory", "/undo");
    set(&f, "server.var.tmpdir", "/tmp");
    assert_string_equal(paths_of(&f), "/d=59@data /undo=4@undo ?=56@doublewrite /tmp=64@tmp");
    store_unknown(f.store, f.server, "server.var.innodb_doublewrite_dir", FACT_ABSENT, "test", "",
                  "the connection was closed");
    set(&f, "server.var.log_bin_basename", "/log/binlog");
    set(&f, "server.var.relay_log_basename", "");
    assert_string_equal(paths_of(&f), "/d=43@data /undo=4@undo ?=40@doublewrite /log=16@binlog "
                                      "/tmp=64@tmp");
}

static void test_too_many_paths(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct fix f = make(a);
    struct buf b;
    buf_init(&b, a, 65536);
    for (int i = 0; i < 100; i++) {
        buf_printf(&b, "/t%d:", i);
    }
    set(&f, "server.var.datadir", "/d");
    set(&f, "server.var.tmpdir", b.ptr);
    struct volume_path paths[VOLUME_PATHS_MAX];
    assert_int_equal(volume_paths(f.store, f.server, a, paths), VOLUME_PATHS_MAX);
    /* A NUL in a path, and a value of another kind. */
    store_known(f.store, f.server, "server.var.datadir", value_text(KIND_STRING, SPAN_LIT("/d\0x")),
                "test");
    store_known(f.store, f.server, "server.var.tmpdir", value_u64(KIND_COUNT, 3), "test");
    assert_string_equal(paths_of(&f), "?=63@data");
}

static void no_run(struct probe_ctx *ctx)
{
    (void)ctx;
}

static const struct fact_decl process_rows[] = {
    {"server.memory.others", KIND_BYTES, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE, "toy", "toy",
     ""},
    {"host.a", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE, "toy", "toy", ""},
};
static const struct probe toy = {
    .name = "toy", .run = no_run, .decls = process_rows, .n_decls = ARRAY_LEN(process_rows)};
static const struct probe sql = {.name = "sql", .run = no_run};
static const struct probe options = {.name = "options", .run = no_run};
static const struct probe_table table = {.proc = &toy,
                                         .server = &toy,
                                         .sql = &sql,
                                         .options = &options,
                                         .volume = &toy,
                                         .device = &toy,
                                         .disks = &toy};

static const char *ids(struct arena *a, const struct job *jobs, size_t n)
{
    struct buf b;
    buf_init(&b, a, 65536);
    for (size_t i = 0; i < n; i++) {
        buf_printf(&b, "%s%s", i == 0 ? "" : " ", jobs[i].id);
    }
    return b.ptr;
}

static void test_named_server_that_is_no_process(void **state)
{
    (void)state;
    static const struct {
        struct target target;
        const char *want;
    } rows[] = {
        {{.named = true, .host = "db", .port = 3307}, "sql:db:3307"},
        {{.named = true, .socket = "/x"}, "sql:/x"},
        {{.named = false, .socket = "/x"}, ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct waves w = {.arena = a,
                          .store = store_new(a, toy_decls(a)),
                          .probes = &table,
                          .target = rows[i].target};
        struct job *jobs = NULL;
        assert_int_equal(waves_first(&w, &jobs), 2);
        assert_int_equal(jobs[0].args.named, rows[i].target.named);
        size_t n = waves_servers(&w, &jobs);
        assert_string_equal(ids(a, jobs, n), rows[i].want);
        if (n > 0) {
            /* what its process would have told is unknown for a reason */
            const struct subject *const *servers = NULL;
            assert_int_equal(store_subjects_of(w.store, SUBJECT_SERVER, &servers), 1);
            const struct fact *const f =
                store_get(w.store, servers[0], SPAN_LIT("server.memory.others"));
            assert_non_null(f);
            assert_int_equal(f->state, FACT_ABSENT);
            assert_non_null(strstr(f->reason, rows[i].want + strlen("sql:")));
        }
        n = waves_volumes(&w, &jobs);
        assert_int_equal(n, 0); /* not on this host: no volumes */
    }
}

static void test_jobs_of_servers(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct fix f = make(a);
    struct waves w = {.arena = a, .store = f.store, .probes = &table};
    struct job *jobs = NULL;
    store_known(f.store, f.server, "server.pid", value_u64(KIND_COUNT, 5), "test");
    set(&f, "server.var.datadir", "/d");
    set_rest_absent(&f);
    size_t n = waves_servers(&w, &jobs);
    assert_string_equal(ids(a, jobs, n), "server:/s sql:/s");
    assert_false(jobs[0].args.others_rss_known);
    assert_int_equal(jobs[0].args.uid, 65534); /* not known: nobody */
    store_known(f.store, f.server, "server.process.uid", value_u64(KIND_COUNT, 27), "test");
    store_known(f.store, f.server, "server.process.gid", value_u64(KIND_COUNT, 28), "test");
    set(&f, "server.flavour", "mysql");
    set(&f, "server.process.exe", "/usr/sbin/mysqld");
    set(&f, "server.process.cwd", "/d");
    const struct version version = {{8, 0, 36, 0}, 3};
    store_known(f.store, f.server, "server.version", value_version(version), "test");
    n = waves_volumes(&w, &jobs);
    assert_string_equal(ids(a, jobs, n), "options:/s volume:/s:data");
    assert_true(jobs[0].args.uid == 27 && jobs[0].args.gid == 28 && jobs[0].args.pid == 5);
    assert_string_equal(jobs[0].args.label, "server:/s");
    assert_string_equal(jobs[0].args.flavour, "mysql");
    assert_string_equal(jobs[0].args.exe, "/usr/sbin/mysqld");
    assert_string_equal(jobs[0].args.cwd, "/d");
    assert_int_equal(version_cmp(&jobs[0].args.version, &version), 0);
    jobs++;
    assert_true(jobs[0].args.uid == 27 && jobs[0].args.gid == 28 && jobs[0].args.pid == 5);
    assert_string_equal(jobs[0].args.path, "/d");
    assert_string_equal(jobs[0].args.server, "server:/s");
    const struct subject *const v = store_find_subject(f.store, "volume:/s:data");
    assert_true(v->server == f.server && v->roles == 63);
    w.host_only = true;
    assert_int_equal(waves_servers(&w, &jobs), 0);
    assert_int_equal(waves_volumes(&w, &jobs), 0);
}

/* Files of the data directory on other filesystems are data volumes too. */
static void test_elsewhere(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct fix f = make(a);
    struct waves w = {.arena = a, .store = f.store, .probes = &table};
    struct job *jobs = NULL;
    const struct span paths[] = {SPAN_LIT("/fast/db1"), SPAN_LIT("relative"), SPAN_LIT("/x\0y"),
                                 SPAN_LIT("/slow/db 2")};
    store_known(f.store, f.server, "server.pid", value_u64(KIND_COUNT, 5), "test");
    set(&f, "server.var.datadir", "/d");
    set_rest_absent(&f);
    assert_int_equal(waves_volumes(&w, &jobs), 2);
    assert_int_equal(waves_elsewhere(&w, &jobs), 0);
    const struct subject *const v = store_find_subject(f.store, "volume:/s:data");
    store_known(f.store, v, "volume.elsewhere", value_words(a, KIND_LIST, paths, 4), "test");
    const size_t n = waves_elsewhere(&w, &jobs);
    assert_string_equal(ids(a, jobs, n), "volume:/s:data-2 volume:/s:data-3");
    assert_string_equal(jobs[1].args.path, "/slow/db 2");
    assert_true(jobs[1].args.elsewhere && jobs[1].args.pid == 5);
    const struct subject *const other = store_find_subject(f.store, "volume:/s:data-3");
    assert_true(other->server == f.server && other->roles == ROLE_DATA);
    w.host_only = true;
    assert_int_equal(waves_elsewhere(&w, &jobs), 0);
}

/* Servers that anybody may have started do not use up the time of the others. */
static void test_order(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const struct {
        const char *label;
        uint64_t uid;
    } rows[] = {{"server:/a", 1000}, {"server:/b", 65534}, {"server:/c", 999}, {"server:/d", 0}};
    struct waves w = {.arena = a, .store = store_new(a, toy_decls(a)), .probes = &table};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct subject *const s = store_subject(w.store, SUBJECT_SERVER, rows[i].label);
        store_known(w.store, s, "server.pid", value_u64(KIND_COUNT, 5 + i), "test");
        store_known(w.store, s, "server.process.uid", value_u64(KIND_COUNT, rows[i].uid), "test");
        store_known(w.store, s, "server.var.datadir", value_text(KIND_STRING, SPAN_LIT("/d")),
                    "test");
        set_rest_absent(&(struct fix){.store = w.store, .server = s});
    }
    struct job *jobs = NULL;
    size_t n = waves_servers(&w, &jobs);
    assert_string_equal(ids(a, jobs, n), "server:/c sql:/c server:/d sql:/d server:/a sql:/a "
                                         "server:/b sql:/b");
    n = waves_volumes(&w, &jobs);
    assert_string_equal(
        ids(a, jobs, n),
        "options:/c volume:/c:data options:/d volume:/d:data options:/a volume:/a:data "
        "options:/b volume:/b:data");
}

static void test_devices(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct fix f = make(a);
    struct waves w = {.arena = a, .store = f.store, .probes = &table};
    const struct span one[] = {SPAN_LIT("nvme1n1"), SPAN_LIT("nvme0n1")};
    const struct span two[] = {SPAN_LIT("nvme0n1"), SPAN_LIT("a/b"),  SPAN_LIT(".."),
                               SPAN_LIT(""),        SPAN_LIT("x\0y"), SPAN_LIT("cciss!c0d0")};
    const struct subject *const v = store_subject(f.store, SUBJECT_VOLUME, "volume:/s:data");
    const struct subject *const u = store_subject(f.store, SUBJECT_VOLUME, "volume:/s:redo");
    const struct subject *const host = store_subject(f.store, SUBJECT_HOST, "host");
    store_known(f.store, v, "volume.leaf_devices", value_words(a, KIND_LIST, one, 2), "test");
    store_known(f.store, u, "volume.leaf_devices", value_words(a, KIND_LIST, two, 6), "test");
    const struct span all[] = {SPAN_LIT("nvme7n1")};
    store_known(f.store, host, "host.nvme.disks", value_words(a, KIND_SET, all, 1), "test");
    struct job *jobs = NULL;
    size_t n = waves_devices(&w, &jobs);
    assert_string_equal(ids(a, jobs, n), "device:cciss!c0d0 device:nvme0n1 device:nvme1n1");
    assert_string_equal(jobs[1].args.device, "nvme0n1");
    w.all_devices = true;
    n = waves_devices(&w, &jobs);
    assert_string_equal(ids(a, jobs, n),
                        "device:cciss!c0d0 device:nvme0n1 device:nvme1n1 device:nvme7n1");
    assert_string_equal(ids(a, jobs, waves_first(&w, &jobs)), "proc disks");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_untold_paths),
        cmocka_unit_test(test_too_many_paths),
        cmocka_unit_test(test_named_server_that_is_no_process),
        cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_jobs_of_servers),
        cmocka_unit_test(test_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
