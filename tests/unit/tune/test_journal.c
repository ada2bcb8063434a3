/* The journal as text: what is written reads back, and what is wrong is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "advisor/base/file.h"
#include "advisor/tune/journal_text.h"
#include "tests/unit/tune/fixture.h"

#include "advisor/base/banned.h"

static const char *text_of(struct arena *a, const struct json *doc)
{
    struct buf b;
    buf_init(&b, a, 1u << 20);
    json_write(&b, doc, true);
    return b.ptr;
}

static struct journal one(struct arena *a)
{
    static struct confdir_xattr label = {"security.selinux", {"mysqld_etc_t\0", 13}};
    struct journal j = {.directory = "/etc/mysql/conf.d", .step = STEP_WRITTEN,
                        .temp = ".nvadvise-0123456789abcdef.tmp", .time = 1700000000, .n = 2};
    j.writes[0] = (struct journal_write){.former_name = "", .time = 1, .server = "server:x",
                                         .version = "10.11.8", .tool = "0.1.0"};
    j.writes[1] = j.writes[0];
    j.writes[1].former = (struct confdir_file){.there = true, .mode = 0640, .uid = 0, .gid = 7,
                                               .mtime_s = -5, .mtime_ns = 999999999,
                                               .xattrs = &label, .n_xattrs = 1};
    j.writes[1].former_name = "tune-0011223344556677-0011223344556677.former";
    confdir_hash(a, span_of("a"), j.writes[0].sha256);
    confdir_hash(a, span_of("b"), j.writes[1].sha256);
    confdir_hash(a, span_of("c"), j.writes[1].former.sha256);
    return j;
}

static void test_round_trip(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct journal j = one(a);
    struct journal back;
    struct json *doc = NULL;
    struct err err = ERR_INIT;
    const char *text = text_of(a, journal_to_json(a, &j));
    assert_true(json_read(a, "j", span_of(text), &doc, &err));
    assert_true(journal_from_json(a, "j", doc, &back, &err));
    assert_string_equal(text_of(a, journal_to_json(a, &back)), text);
    assert_true(confdir_same(&back.writes[1].former, &j.writes[1].former));
    assert_int_equal(back.step, STEP_WRITTEN);
}

static void test_wrong(void **state)
{
    static const struct {
        const char *from, *to, *says;
    } rows[] = {
        {"nvadvise.journal/1", "nvadvise.journal/2", "later nvadvise"},
        {"nvadvise.journal/1", "nvadvise.facts/1", "no journal"},
        {"\"written\"", "\"wrotten\"", "'step'"},
        {".nvadvise-0123", "../../etc-0123", "'temporary'"},
        {".nvadvise-0123", ".nvadvise-/123", "'temporary'"},
        {"tune-00112233", "../../etc/pas", "'kept'"},
        {"\"mode\": 416", "\"mode\": 4096", "'mode'"},
        {"\"mtime_ns\": 999999999", "\"mtime_ns\": 1999999999", "'mtime_ns'"},
        {"\"sha256\": \"", "\"sha256\": \"z", "'sha256'"},
        {"\"uid\": 0", "\"uid\": -1", "'uid'"},
        {"\"writes\": [", "\"others\": [", "'writes'"},
        {"\"directory\":", "\"direktory\":", "'directory'"},
    };
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct journal j = one(a);
    const char *text = text_of(a, journal_to_json(a, &j));
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct json *doc = NULL;
        struct journal back;
        struct err err = ERR_INIT;
        struct buf b;
        buf_init(&b, a, 1u << 20);
        const char *at = strstr(text, rows[i].from);
        assert_non_null(at);
        buf_add(&b, text, (size_t)(at - text));
        buf_printf(&b, "%s%s", rows[i].to, at + strlen(rows[i].from));
        assert_true(json_read(a, "j", buf_span(&b), &doc, &err));
        if (journal_from_json(a, "j", doc, &back, &err) || strstr(err.text, rows[i].says) == NULL) {
            fail_msg("row %zu: %s", i, err.text);
        }
    }
}

/* A journal of this schema as an earlier run wrote it, with a member that this version does not know. */
static void test_old(void **state)
{
    static const char old[] =
        "{\"schema\":\"nvadvise.journal/1\",\"directory\":\"/etc/my.cnf.d\",\"file\":\"zz-nvadvise.cnf\","
        "\"step\":\"none\",\"temporary\":\"\",\"time\":1,\"later\":[1],\"writes\":[{\"former\":null,"
        "\"sha256\":\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\",\"time\":1,"
        "\"server\":\"s\",\"version\":\"8.0.36\",\"tool\":\"0.1.0\"}]}";
    (void)state;
    ARENA_AUTO a = arena_new();
    struct json *doc = NULL;
    struct journal j;
    struct err err = ERR_INIT;
    assert_true(json_read(a, "j", span_of(old), &doc, &err));
    assert_true(journal_from_json(a, "j", doc, &j, &err));
    assert_int_equal(j.n, 1);
    assert_false(j.writes[0].former.there);
}

static void test_spoilt(void **state)
{
    struct place_here *h = *state;
    struct err err = ERR_INIT;
    bool changed = false;
    here_need_root();
    here_put(h, TUNE_FILE, "[mysqld]\n", 0644);
    assert_true(here_write(h, HERE_TEXT, true, &changed, &err));
    struct tune_look look = here_look(h);
    const char *kept = arena_printf(h->arena, "%s/%s", h->state, look.journal.writes[0].former_name);
    assert_true(file_replace(kept, SPAN_LIT("[mysqlD]\n"), 0600, &err));
    assert_false(here_undo(h, false, &changed, &err));
    assert_int_equal(err.code, E_CORRUPT);
    const char *path = journal_path(h->arena, h->state, h->conf);
    err = ERR_INIT;
    assert_true(file_replace(path, SPAN_LIT("{"), 0600, &err));
    struct tune_dir t = here_open(h, false);
    assert_false(tune_look(&t, &look, &err));
    assert_non_null(strstr(err.text, path));
    tune_close(&t);
}

/* One that cannot be read is found all the same: nobody may take it for none. */
static void test_found(void **state)
{
    struct place_here *h = *state;
    struct journal_found *all = NULL;
    struct err err = ERR_INIT;
    bool changed = false;
    here_need_root();
    assert_int_equal(journal_find(h->arena, h->state, &all), 0);
    assert_true(here_write(h, HERE_TEXT, false, &changed, &err));
    const char *path = journal_path(h->arena, h->state, h->conf);
    assert_int_equal(journal_find(h->arena, h->state, &all), 1);
    assert_string_equal(all[0].path, path);
    assert_string_equal(all[0].directory, h->conf);
    static const char *const spoilt[] = {"", "{", "{}", "{\"schema\":\"nvadvise.journal/2\"}"};
    for (size_t i = 0; i < ARRAY_LEN(spoilt); i++) {
        assert_true(file_replace(path, span_of(spoilt[i]), 0600, &err));
        assert_int_equal(journal_find(h->arena, h->state, &all), 1);
        assert_null(all[0].directory);
        assert_non_null(strstr(all[0].why.text, path));
        assert_true(all[0].why.hint[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_old),
        cmocka_unit_test_setup_teardown(test_spoilt, here_make, here_drop),
        cmocka_unit_test_setup_teardown(test_found, here_make, here_drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
