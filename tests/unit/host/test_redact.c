/* Redaction of text: which words stay, what pseudonyms look like, and that they are the same
 * wherever a name stands. Pseudonyms themselves are never spelt out here: they depend on the key.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/host/redact_parts.h"

#include "advisor/base/banned.h"

static const struct redact_key key = {.bytes = {1, 2, 3}};

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

static const char *text(const char *in, const struct redact_mode *mode)
{
    struct buf b;
    buf_init(&b, arena, 65536);
    redact_add_text(r, &b, span_of(in), mode);
    return b.ptr;
}

static const char *name(const char *in)
{
    struct buf b;
    buf_init(&b, arena, 65536);
    redact_add_name(r, &b, span_of(in));
    return b.ptr;
}

static const char *message(const char *in)
{
    struct buf b;
    buf_init(&b, arena, 65536);
    redact_add_message(r, &b, span_of(in));
    return b.ptr;
}

static const char *identity(const char *in)
{
    struct buf b;
    buf_init(&b, arena, 65536);
    redact_add_identity(r, &b, span_of(in));
    return b.ptr;
}

static const char *value(const char *variable, const char *in)
{
    struct buf b;
    buf_init(&b, arena, 65536);
    redact_add_value(r, &b, span_of(variable), span_of(in));
    return b.ptr;
}

/* "{name}" in `form` stands for the pseudonym of that name. */
static const char *form(const char *pattern)
{
    struct buf b;
    buf_init(&b, arena, 65536);
    for (const char *p = pattern; *p != '\0'; p++) {
        const char *const close = *p == '{' ? strchr(p, '}') : NULL;
        if (close == NULL) {
            buf_add_char(&b, *p);
            continue;
        }
        buf_add_text(&b, name(arena_strndup(arena, p + 1, (size_t)(close - p - 1))));
        p = close;
    }
    return b.ptr;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static const char *const whole_paths[] = {
    "/var/lib/mysql/ibdata1",
    "/var/lib/mysql/#innodb_redo/#ib_redo12",
    "/var/lib/mysql/undo_001",
    "/run/mysqld/mysqld.sock",
    "/proc/1234567/net/unix",
    "/proc/self/mountinfo",
    "/sys/class/block/nvme0n1p2/queue/nr_requests",
    "/sys/devices/pci0000:00/0000:00:1d.0/0000:02:00.0/nvme/nvme0/nvme0n1",
    "../../devices/pci0000:00/0000:00:05.0/virtio2/block/vda/vda1",
    "/sys/devices/virtual/block/dm-0",
    "/sys/class/nvme-subsystem/nvme-subsys0",
    "/sys/block/nvme1c0n1/device",
    "/sys/devices/platform/host3/session1/target3:0:0/3:0:0:1/block/sdb",
    "/sys/fs/cgroup/system.slice/mariadb.service/memory.max",
    "/dev/mapper/vg0-lv0_tdata",
    "/etc/mysql/mariadb.conf.d/50-server.cnf",
    "/var/lib/docker/overlay2",
    "/usr/sbin/mysqld-8.0.36 (deleted)",
    "socket:[12345]",
    "/home"
    "/mysql/data",
};

static void test_well_known_paths_stay(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(whole_paths); i++) {
        assert_string_equal(text(whole_paths[i], &redact_path), whole_paths[i]);
    }
}

static const struct {
    const char *in, *out;
} paths[] = {
    {"/srv/acme/mysql", "/srv/{acme}/mysql"},
    {"/srv/acme-prod/mysql", "/srv/{acme}-{prod}/mysql"},
    {"/home"
     "/data/mysql",
     "/home"
     "/{data}/mysql"},
    {"/home"
     "/j.doe/mysql",
     "/home"
     "/{j.doe}/mysql"},
    {"/dev/mapper/acme--vg-lv_data", "/dev/mapper/{acme}--vg-lv_data"},
    {"/var/lib/mysql/db7-bin.000001", "/var/lib/mysql/{db7}-bin.000001"},
    {"acme.service", "{acme}.service"},
    {"/data/20240101/x", "/data/{20240101}/x"},
    {"/data/S4EVNX0M123456", "/data/{S4EVNX0M123456}"},
    {"/data/@0041cme", "/data/{@0041cme}"},
    {"/data/%61%63%6d%65", "/data/{%61%63%6d%65}"},
    {"/data/\xc3\xa4rzte", "/data/{\xc3\xa4rzte}"},
    {"mysqld@3306.service", "{mysqld@3306}.service"},
    {"/acmesda1", "/{acmesda1}"},
    {"/sdacme", "/{sdacme}"},
    {"/nvme0n1acme", "/{nvme0n1acme}"},
};

static void test_names_in_paths_go(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
        assert_string_equal(text(paths[i].in, &redact_path), form(paths[i].out));
    }
}

/* ---- pseudonyms ------------------------------------------------------------------------------ */

static void test_forms(void **state)
{
    (void)state;
    assert_int_equal(strlen(name("a")), 11);
    assert_int_equal(strlen(name("acme")), 11);
    assert_true(name("acme")[0] == 'x');
    const char *const id = "4bd2f6a1c9e84bd2f6a1c9e84bd2f6a1c9e84bd2f6a1c9e84bd2f6a1c9e8f00d";
    assert_int_equal(strlen(name(id)), 64);
    assert_int_equal(strspn(name(id), "0123456789abcdef"), 64);
    assert_string_equal(name("4BD2F6A1C9E8"), name("4bd2f6a1c9e8"));
    const char *const lvm =
        "LVM-pP3kR8sT2vX5zB7dF9hJ1lN4qS6uW0yAcEgIkMoQsUwYaCeGiKmOqSuWyAbCdEfG-tpool";
    assert_int_equal(strlen(text(lvm, &redact_path)), strlen(lvm));
    assert_memory_equal(text(lvm, &redact_path), "LVM-", 4);
    assert_string_equal(text(lvm, &redact_path) + 68, "-tpool");
}

static void test_keys(void **state)
{
    (void)state;
    struct redact_key other = key;
    other.bytes[31] = 1;
    struct redactor *const same = redactor_new(arena, &key);
    struct redactor *const different = redactor_new(arena, &other);
    struct buf a, b;
    buf_init(&a, arena, 100);
    buf_init(&b, arena, 100);
    redact_add_name(same, &a, SPAN_LIT("acme"));
    redact_add_name(different, &b, SPAN_LIT("acme"));
    assert_string_equal(a.ptr, name("acme"));
    assert_string_not_equal(b.ptr, name("acme"));
}

static void test_uuid(void **state)
{
    (void)state;
    const char *const dashes = text("1f2e3d4c-5b6a-7988-a7b6-c5d4e3f2a1b0", &redact_path);
    const char *const crypt =
        text("CRYPT-LUKS2-1f2e3d4c5b6a7988a7b6c5d4e3f2a1b0-acme", &redact_path);
    assert_int_equal(strlen(dashes), 36);
    assert_string_not_equal(dashes, "1f2e3d4c-5b6a-7988-a7b6-c5d4e3f2a1b0");
    assert_true(dashes[8] == '-' && dashes[23] == '-');
    assert_memory_equal(crypt, "CRYPT-LUKS2-", 12);
    assert_memory_equal(crypt + 12, dashes, 8); /* both spellings agree */
    assert_memory_equal(crypt + 20, dashes + 9, 4);
    assert_string_equal(text("00000000-0000-0000-0000-000000000000", &redact_path),
                        "00000000-0000-0000-0000-000000000000");
    const char *const pod = "kubepods-burstable-pod1f2e3d4c_5b6a_7988_a7b6_c5d4e3f2a1b0.slice";
    assert_int_equal(strlen(text(pod, &redact_path)), strlen(pod));
    assert_memory_equal(text(pod, &redact_path), "kubepods-burstable-pod", 22);
    assert_string_not_equal(text(pod, &redact_path), pod);
}

static void test_addresses(void **state)
{
    (void)state;
    static const char *const stay[] = {
        "127.0.0.1:3306", "0.0.0.0",      "::1",         "::",
        "255.255.255.0",  "0000:3a:1f.2", "pci10000:e1", "mysqld-10.11.14"};
    static const char *const go[] = {"10.1.2.3", "192.168.0.1:3306",  "2001:db8:1::5",
                                     "fe80::1",  "52:54:00:12:34:56", "1:2:3:4:5:6:7:8"};
    for (size_t i = 0; i < ARRAY_LEN(stay); i++) {
        assert_string_equal(text(stay[i], &redact_path), stay[i]);
    }
    for (size_t i = 0; i < ARRAY_LEN(go); i++) {
        assert_string_not_equal(text(go[i], &redact_path), go[i]);
    }
    assert_string_equal(text("10.1.2.3:3306", &redact_path),
                        arena_printf(arena, "%s:3306", text("10.1.2.3", &redact_path)));
    assert_string_equal(text("8.0.36.28-debian12", &redact_version), "8.0.36.28-debian12");
    assert_int_equal(strlen(text("52:54:00:12:34:56", &redact_path)), 17);
}

/* ---- other text ------------------------------------------------------------------------------ */

static const struct {
    const char *in, *out;
} messages[] = {
    {"cannot read '/srv/acme/x': Permission denied",
     "cannot read '/srv/{acme}/x': Permission denied"},
    {"cannot connect to '/run/mysqld/mysqld.sock': 1045 Access denied for user 'app'@'localhost' "
     "(using password: NO)",
     "cannot connect to '/run/mysqld/mysqld.sock': 1045 Access denied for user '{app}'@'localhost' "
     "(using password: NO)"},
    {"Unknown database acme", "Unknown database {acme}"},
    {"the server's name is 'acme", "the server's name is '{acme"},
    {"/proc/12/root of acme", "/proc/12/root of {acme}"},
    {"the last question was read '/data/status'", "the last question was read '/data/status'"},
    {"", ""},
};

static void test_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i + 1 < ARRAY_LEN(messages); i++) {
        if (i == 3) {
            assert_string_equal(message(messages[i].in), form("the server's name is '{acme}"));
            continue;
        }
        assert_string_equal(message(messages[i].in), form(messages[i].out));
    }
}

static const struct {
    const char *variable, *in, *out;
} values[] = {
    {"datadir", "/srv/acme/mysql/", "/srv/{acme}/mysql/"},
    {"innodb_undo_directory", "warm", "{warm}"},
    {"hostname", "db7.acme.example", "{db7}.{acme}.{example}"},
    {"hostname", "backup", "{backup}"},
    {"hostname", "localhost", "localhost"},
    {"report_host", "data.mysql", "{data.mysql}"},
    {"log_bin_basename", "/var/lib/mysql/db7-bin", "/var/lib/mysql/{db7}-bin"},
    {"tmpdir", "/tmp:/srv/acme", "/tmp:/srv/{acme}"},
    {"binlog_do_db", "orders", "{orders}"},
    {"innodb_ft_server_stopword_table", "acme/words", "{acme}/{words}"},
    {"innodb_file_per_table", "ON", "ON"},
    {"innodb_flush_method", "O_DIRECT_NO_FSYNC", "O_DIRECT_NO_FSYNC"},
    {"sql_mode", "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO",
     "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO"},
    {"innodb_data_file_path", "ibdata1:12M:autoextend", "ibdata1:12M:autoextend"},
    {"innodb_buffer_pool_size", "18446744073709551615", "18446744073709551615"},
    {"innodb_buffer_pool_size", "128M", "128M"},
    {"innodb-doublewrite-dir", "/srv/acme", "/srv/{acme}"},
    {"loose-innodb_tmpdir", "/srv/acme", "/srv/{acme}"},
    {"version", "10.11.14-MariaDB-0+deb12u2-log", "10.11.14-MariaDB-0+deb12u2-log"},
    {"version", "8.0.36-28-acme", "8.0.36-28-{acme}"},
    {"acme_audit_mode", "full", "{full}"},
    {"collation_server", "utf8mb4_0900_ai_ci", "utf8mb4_0900_ai_ci"},
    {"time_zone", "Europe/Berlin", "{Europe}/{Berlin}"},
    {"user", "mysql", "mysql"},
    {"user", "acme", "{acme}"},
    {"bind_address", "0.0.0.0", "0.0.0.0"},
};

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        assert_string_equal(value(values[i].variable, values[i].in), form(values[i].out));
    }
}

/* ---- hidden names ---------------------------------------------------------------------------- */

static void test_hidden(void **state)
{
    (void)state;
    redactor_hide(r, SPAN_LIT("mysql-data-3"));
    redactor_hide(r, SPAN_LIT("mysql")); /* a bare word: hiding it would hide nothing */
    redactor_hide(r, SPAN_LIT("localhost"));
    redactor_hide(r, SPAN_LIT("nvme0n1"));
    redactor_hide(r, SPAN_LIT("10"));
    assert_string_equal(text("/var/lib/mysql/mysql-data-3-bin.000001", &redact_path),
                        form("/var/lib/mysql/{mysql-data-3}-bin.000001"));
    assert_string_equal(identity("mysql-data-3"), name("mysql-data-3"));
    assert_string_equal(text("mysql-data-33 nvme0n1 10 localhost", &redact_path),
                        "mysql-data-33 nvme0n1 10 localhost");
    struct buf b;
    buf_init(&b, arena, 100);
    redact_add_kept(r, &b, SPAN_LIT("SAMSUNG for mysql-data-3"));
    assert_string_equal(b.ptr, form("SAMSUNG for {mysql-data-3}"));
}

/* The words of a list stand in one list and one place only, in order. */
static void test_lists(void **state)
{
    (void)state;
    const char *const *const lists[] = {redact_words_path, redact_words_server, redact_words_text};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        struct span last = {"", 0};
        for (const char *const *line = lists[i]; *line != NULL; line++) {
            struct span rest = span_of(*line), word;
            while (span_split(&rest, ' ', &word)) {
                assert_true(word.len > 1 && word.len <= REDACT_WORD_MAX);
                assert_true(span_cmp(last, word) < 0);
                assert_true(redact_words_has(r->words, word, 1u << i));
                last = word;
            }
        }
    }
    assert_false(redact_words_has(r->words, SPAN_LIT("acme"), ~0u));
    assert_true(redact_words_has(r->words, SPAN_LIT("MySQL"), LIST_PATH));
    assert_true(redact_words_begin(r->words, SPAN_LIT("sock"), LIST_PATH));
    assert_false(redact_words_begin(r->words, SPAN_LIT("s"), LIST_PATH));
}

/* Replay forms a job's name from the subject's. */
static void test_jobs(void **state)
{
    (void)state;
    static const char *const labels[] = {"device:nvme0n1", "device:dm-3", "device:mydisk"};
    for (size_t i = 0; i < ARRAY_LEN(labels); i++) {
        assert_string_equal(redactor_label(r, arena_printf(arena, "%s:2", labels[i])),
                            arena_printf(arena, "%s:2", redactor_label(r, labels[i])));
    }
    assert_string_equal(redactor_label(r, "device:nvme0n1:2"), "device:nvme0n1:2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_well_known_paths_stay, begin, end),
        cmocka_unit_test_setup_teardown(test_names_in_paths_go, begin, end),
        cmocka_unit_test_setup_teardown(test_forms, begin, end),
        cmocka_unit_test_setup_teardown(test_keys, begin, end),
        cmocka_unit_test_setup_teardown(test_uuid, begin, end),
        cmocka_unit_test_setup_teardown(test_addresses, begin, end),
        cmocka_unit_test_setup_teardown(test_messages, begin, end),
        cmocka_unit_test_setup_teardown(test_values, begin, end),
        cmocka_unit_test_setup_teardown(test_hidden, begin, end),
        cmocka_unit_test_setup_teardown(test_lists, begin, end),
        cmocka_unit_test_setup_teardown(test_jobs, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
