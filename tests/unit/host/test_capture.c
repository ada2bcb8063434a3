/* Captures: the same operations give the same bytes; a cut or flipped file is refused or reads the
 * same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#define ZLIB_CONST
#include <zlib.h>

#include "advisor/base/file.h"
#include "probes/host/capture.h"

#include "advisor/base/banned.h"

static void add(struct capture_writer *w, const char *probe, unsigned n, const char *key,
                struct span bytes)
{
    struct host_record rec = {.n = n, .op = HOST_READ, .key = key, .outcome = OUTCOME_BEGUN};
    capture_add(w, probe, 0, &rec);
    rec.outcome = OUTCOME_OK;
    rec.bytes = bytes;
    capture_add(w, probe, 0, &rec);
}

static struct span save(struct arena *a, struct capture_writer *w)
{
    char path[] = "/tmp/nv-capture-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct err err = ERR_INIT;
    struct span bytes;
    assert_true(capture_save(w, path, &err));
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_true(file_read(a, path, CAPTURE_MAX, &bytes, &err));
    unlink(path);
    return bytes;
}

static struct span small_capture(struct arena *a, bool other_order)
{
    struct json *const header = json_object(a);
    json_set(header, "clock", json_int(a, 1764500000));
    struct capture_writer *const w = capture_new(a, header);
    if (other_order) {
        add(w, "sql:x", 0, "vars", SPAN_LIT("a\tb\n"));
        add(w, "proc", 0, "/proc/uptime", SPAN_LIT("1 2\n"));
        add(w, "proc", 1, "/odd\xff", SPAN_LIT("\0\1\2"));
    } else {
        add(w, "proc", 0, "/proc/uptime", SPAN_LIT("1 2\n"));
        add(w, "proc", 1, "/odd\xff", SPAN_LIT("\0\1\2"));
        add(w, "sql:x", 0, "vars", SPAN_LIT("a\tb\n"));
    }
    return save(a, w);
}

/* Everything a capture says, as one text. */
static struct span text_of(struct arena *a, const struct capture *c)
{
    struct buf b;
    buf_init(&b, a, 1 << 20);
    json_write(&b, capture_header(c), false);
    const char *const *probes = NULL;
    const size_t n = capture_probes(c, &probes);
    for (size_t i = 0; i < n; i++) {
        buf_printf(&b, "[%s]", probes[i]);
        struct host *const h = host_replay_new(a, c, probes[i]);
        static const char *const keys[] = {"/proc/uptime", "/odd\xff", "vars"};
        for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
            struct span got;
            struct err err = ERR_INIT;
            const bool ok = host_read(h, keys[k], 0, &got, &err);
            buf_printf(&b, "%d:%s", ok, ok ? "" : err.text);
            if (ok) {
                buf_add_span(&b, got);
            }
        }
    }
    return buf_span(&b);
}

static void test_same_bytes(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct span one = small_capture(a, false);
    const struct span two = small_capture(a, true);
    assert_true(span_eq(one, two));
    /* gzip's header: no name, no time. */
    assert_memory_equal(one.ptr, "\x1f\x8b\x08\x00\x00\x00\x00\x00", 8);
    struct capture *c = NULL;
    struct err err = ERR_INIT;
    assert_true(capture_read(a, "c", one, &c, &err));
    assert_string_equal(json_get_str(capture_header(c), "schema"), "nvadvise.capture/1");
    const char *const *probes = NULL;
    assert_int_equal(capture_probes(c, &probes), 2);
    assert_string_equal(probes[0], "proc");
    assert_string_equal(probes[1], "sql:x");
    assert_int_equal(capture_operations(c, "proc"), 2);
    assert_int_equal(capture_operations(c, "other"), 0);
    assert_string_equal(capture_operation_text(a, c, "proc", 0), "read /proc/uptime");
    assert_string_equal(capture_operation_text(a, c, "proc", 2), "none");
}

static void test_cut_anywhere(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct span whole = small_capture(a, false);
    for (size_t n = 0; n < whole.len; n++) {
        struct capture *c = NULL;
        struct err err = ERR_INIT;
        assert_false(capture_read(a, "c", span_sub(whole, 0, n), &c, &err));
        assert_int_equal(err.code, n < 2 ? E_SYNTAX : E_CUT);
        assert_null(c);
    }
    char *const longer = arena_alloc(a, whole.len + 1);
    memcpy(longer, whole.ptr, whole.len);
    struct capture *c = NULL;
    struct err err = ERR_INIT;
    assert_false(capture_read(a, "c", (struct span){longer, whole.len + 1}, &c, &err));
    assert_int_equal(err.code, E_CORRUPT);
}

static void test_flip_any_bit(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct span whole = small_capture(a, false);
    struct capture *c = NULL;
    struct err err = ERR_INIT;
    assert_true(capture_read(a, "c", whole, &c, &err));
    const struct span text = text_of(a, c);
    unsigned refused = 0;
    for (size_t bit = 0; bit < whole.len * 8; bit++) {
        ARENA_AUTO b = arena_new();
        char *const copy = arena_alloc(b, whole.len);
        memcpy(copy, whole.ptr, whole.len);
        copy[bit / 8] = (char)(copy[bit / 8] ^ (1 << (bit % 8)));
        if (capture_read(b, "c", (struct span){copy, whole.len}, &c, &err)) {
            /* gzip's time and system bytes, and the bits that fill up the last byte */
            assert_true(span_eq(text, text_of(b, c)));
        } else {
            refused++;
            assert_true(err.code == E_CORRUPT || err.code == E_CUT || err.code == E_SYNTAX);
        }
    }
    assert_true(refused >= whole.len * 8 - 80 - 7);
}

static struct span gzip(struct arena *a, struct span plain)
{
    z_stream z = {.next_in = (const unsigned char *)plain.ptr, .avail_in = (unsigned)plain.len};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    const size_t cap = deflateBound(&z, plain.len) + 64;
    unsigned char *const out = arena_alloc(a, cap);
    z.next_out = out;
    z.avail_out = (unsigned)cap;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    const struct span packed = {(const char *)out, z.total_out};
    deflateEnd(&z);
    return packed;
}

#define HEAD "{\"schema\":\"nvadvise.capture/1\"}\n"
#define OP(probe, n, rest)                                                                         \
    "{\"probe\":\"" probe "\",\"n\":" n ",\"op\":\"read\",\"key\":\"/k\",\"occurrence\":0," rest   \
    "}\n"
#define OK_X "\"outcome\":\"ok\",\"bytes\":\"eA==\""

static void test_wrong_lines(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const struct {
        const char *text;
        enum err_code code;
    } rows[] = {
        {HEAD "{\"end\":0}\n", E_NONE},
        {HEAD OP("p", "0", OK_X) OP("p", "1", OK_X) OP("q", "0", OK_X) "{\"end\":3}\n", E_NONE},
        {"", E_CUT},
        {HEAD, E_CUT},
        {HEAD "{\"end\":0}", E_CUT},
        {"\n", E_SYNTAX},
        {"[]\n", E_SYNTAX},
        {"{\"schema\":\"other/1\"}\n{\"end\":0}\n", E_SYNTAX},
        {"{\"schema\":\"nvadvise.capture/2\"}\n{\"end\":0}\n", E_NOT_SUPPORTED},
        {HEAD "{\"end\":1}\n", E_CORRUPT},
        {HEAD "{\"end\":-1}\n", E_CORRUPT},
        {HEAD "{\"end\":\"0\"}\n", E_CORRUPT},
        {HEAD "{\"end\":0}\n{\"end\":0}\n", E_CORRUPT},
        {HEAD "null\n{\"end\":0}\n", E_CORRUPT},
        {HEAD "{\n{\"end\":0}\n", E_CORRUPT},
        {HEAD OP("p", "1", OK_X) "{\"end\":1}\n", E_CORRUPT},
        {HEAD OP("p", "0", OK_X) OP("p", "2", OK_X) "{\"end\":2}\n", E_CORRUPT},
        {HEAD OP("p", "0", OK_X) OP("p", "0", OK_X) "{\"end\":2}\n", E_CORRUPT},
        {HEAD OP("q", "0", OK_X) OP("p", "0", OK_X) "{\"end\":2}\n", E_CORRUPT},
        {HEAD OP("p", "0", "\"outcome\":\"begun\"") OP("p", "1", OK_X) "{\"end\":2}\n", E_CORRUPT},
        {HEAD OP("p", "0", "\"outcome\":\"ok\"") "{\"end\":1}\n", E_CORRUPT},
        {HEAD OP("p", "0", "\"outcome\":\"ok\",\"bytes\":\"=\"") "{\"end\":1}\n", E_CORRUPT},
        {HEAD OP("p", "0", "\"outcome\":\"error\"") "{\"end\":1}\n", E_CORRUPT},
        {HEAD OP("p", "0",
                 "\"outcome\":\"error\",\"error\":{\"code\":\"no such\"}") "{\"end\":1}\n",
         E_CORRUPT},
        {HEAD OP("p", "0", "\"outcome\":\"error\",\"error\":7") "{\"end\":1}\n", E_CORRUPT},
        {HEAD OP("p", "99999999999999999999", OK_X) "{\"end\":1}\n", E_CORRUPT},
        {HEAD OP("p\\u0000", "0", OK_X) "{\"end\":1}\n", E_CORRUPT},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct capture *c = NULL;
        struct err err = ERR_INIT;
        const bool ok = capture_read(a, "c", gzip(a, span_of(rows[i].text)), &c, &err);
        if (err.code != rows[i].code) {
            print_error("row %zu: %s\n", i, err.text);
        }
        assert_int_equal(ok, rows[i].code == E_NONE);
        assert_int_equal(err.code, rows[i].code);
    }
}

/* Names of the first line stand before each fact: megabytes of them would be copied thousands of times. */
static void test_long_head(void **state)
{
    static const struct {
        size_t len;
        enum err_code code;
    } rows[] = {{4096, E_NONE}, {65536, E_TOO_BIG}, {4 << 20, E_TOO_BIG}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct buf b;
        buf_init(&b, a, 8 << 20);
        buf_add_text(&b, "{\"options\":{\"host\":\"");
        for (size_t k = 0; k < rows[i].len; k++) {
            buf_add_char(&b, 'h');
        }
        buf_add_text(&b, "\"},\"schema\":\"nvadvise.capture/1\"}\n{\"end\":0}\n");
        struct capture *c = NULL;
        struct err err = ERR_INIT;
        assert_int_equal(capture_read(a, "c", gzip(a, buf_span(&b)), &c, &err),
                         rows[i].code == E_NONE);
        assert_int_equal(err.code, rows[i].code);
    }
}

/* 300 MB of blanks in 300 kB: refused without being held. */
static void test_bomb(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const size_t size = CAPTURE_MAX + 1024;
    z_stream z = {.next_in = NULL};
    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    const size_t cap = 4 << 20;
    unsigned char *const out = arena_alloc(a, cap);
    z.next_out = out;
    z.avail_out = (unsigned)cap;
    unsigned char block[65536];
    memset(block, '\n', sizeof(block));
    memcpy(block, HEAD, sizeof(HEAD) - 1);
    for (size_t done = 0; done < size; done += sizeof(block)) {
        z.next_in = block;
        z.avail_in = sizeof(block);
        assert_int_equal(deflate(&z, Z_NO_FLUSH), Z_OK);
        memset(block, ' ', sizeof(block));
    }
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    struct capture *c = NULL;
    struct err err = ERR_INIT;
    assert_false(capture_read(a, "c", (struct span){(const char *)out, z.total_out}, &c, &err));
    assert_true(err.code == E_TOO_BIG || err.code == E_CORRUPT);
    deflateEnd(&z);
}

static void test_save_failures(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct capture_writer *const w = capture_new(a, NULL);
    struct err err = ERR_INIT;
    assert_false(capture_save(w, "/nonexistent-dir/x.cap", &err));
    assert_int_equal(err.code, E_ABSENT);
    struct capture *c = NULL;
    assert_false(capture_read(a, "c", SPAN_LIT("plain text"), &c, &err));
    assert_int_equal(err.code, E_SYNTAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bytes),   cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_flip_any_bit), cmocka_unit_test(test_wrong_lines),
        cmocka_unit_test(test_long_head),
        cmocka_unit_test(test_bomb),         cmocka_unit_test(test_save_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
