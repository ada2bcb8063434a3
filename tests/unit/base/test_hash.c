/* SHA-256 with length prefixes, base64, and the messages on stderr. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/hash.h"
#include "advisor/base/log.h"

#include "advisor/base/banned.h"

static const char *hash_of(struct arena *a, const char *x, const char *y)
{
    char hex[HASH_HEX_LEN + 1];
    struct hash *h = hash_new(a);
    if (x != NULL) {
        hash_add(h, span_of(x));
    }
    if (y != NULL) {
        hash_add(h, span_of(y));
    }
    hash_end(h, hex);
    return arena_strdup(a, hex);
}

static void test_hash(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    /* Of no bytes at all, and of 03 00 00 00 00 00 00 00 'a' 'b' 'c' (as sha256sum has it). */
    assert_string_equal(hash_of(a, NULL, NULL),
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_string_equal(hash_of(a, "abc", NULL),
                        "ce91dc5eec0139adf091900d225971d6ad246a845bad791b5693a9d0d55dd391");
    assert_string_not_equal(hash_of(a, "a", "b"), hash_of(a, "ab", ""));
    assert_string_not_equal(hash_of(a, "", NULL), hash_of(a, NULL, NULL));
}

/* The published values of FNV-1a, 32 bits. */
static void test_quick(void **state)
{
    (void)state;
    assert_int_equal(hash_quick(SPAN_LIT("")), 0x811c9dc5u);
    assert_int_equal(hash_quick(SPAN_LIT("a")), 0xe40c292cu);
    assert_int_equal(hash_quick(SPAN_LIT("foobar")), 0xbf9cf968u);
    assert_true(hash_quick(SPAN_LIT("a\0b")) != hash_quick(SPAN_LIT("a")));
}

static void test_base64(void **state)
{
    (void)state;
    static const struct {
        const char *plain;
        const char *coded;
    } rows[] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"\xff\xfe", "//4="}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct buf b;
        struct span s;
        buf_init(&b, a, 100);
        base64_encode(&b, span_of(rows[i].plain));
        assert_true(span_eq_text(buf_span(&b), rows[i].coded));
        assert_true(base64_decode(a, span_of(rows[i].coded), &s));
        assert_true(span_eq_text(s, rows[i].plain));
    }
}

static void test_base64_long(void **state)
{
    (void)state;
    for (size_t n = 3070; n < 3080; n++) {
        ARENA_AUTO a = arena_new();
        char *bytes = arena_alloc(a, n);
        for (size_t i = 0; i < n; i++) {
            bytes[i] = (char)(i * 7);
        }
        struct buf b;
        struct span s;
        buf_init(&b, a, 10000);
        base64_encode(&b, (struct span){bytes, n});
        assert_int_equal(b.len, (n + 2) / 3 * 4);
        assert_true(base64_decode(a, buf_span(&b), &s));
        assert_true(span_eq(s, (struct span){bytes, n}));
    }
}

static void test_base64_refuses(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "Z",        "Zg",   "Zg=",     "Zg= =",        "Zg\n=", "====",
        "Zg==Zg==", "Zh==", "Z\x80==", "Zm9v\n\n\n\n", "Z-_=",  "=Zg="};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct span s = SPAN_LIT("untouched");
        if (base64_decode(a, span_of(rows[i]), &s)) {
            fail_msg("taken: %s", rows[i]);
        }
        assert_true(span_eq_text(s, "untouched"));
    }
}

/* Run `say` with stderr in a pipe and return what it wrote. */
static const char *stderr_of(struct arena *a, void (*say)(void))
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const int saved = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    say();
    dup2(saved, STDERR_FILENO);
    close(saved);
    char *text = arena_alloc(a, 10000);
    size_t len = 0;
    ssize_t n;
    while ((n = read(ends[0], text + len, 9999 - len)) > 0) {
        len += (size_t)n;
    }
    close(ends[0]);
    return text;
}

static void say_levels(void)
{
    log_msg(LOG_ERROR, "e %d", 1);
    log_warn("w\n\x1b[2J");
    log_msg(LOG_INFO, "hidden");
    log_set_level(LOG_DEBUG);
    log_debug("d");
    log_set_level(LOG_ERROR);
    log_warn("hidden");
    log_set_level(LOG_WARN);
}

static void say_err(void)
{
    struct err err = ERR_INIT;
    err_set(&err, E_ABSENT, "cannot open 'x\ny'");
    err_hint(&err, "Make it.");
    err_wrap(&err, "inner");
    err_wrap(&err, "outer");
    log_err(&err);
}

/* First and last byte of HMAC-SHA-256 over "name", NUL, "acme", as another implementation computes them. */
static void test_keyed(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    uint8_t key[HASH_KEY_BYTES], one[HASH_KEYED_BYTES], two[HASH_KEYED_BYTES];
    for (size_t i = 0; i < sizeof(key); i++) {
        key[i] = (uint8_t)i;
    }
    struct hash_keyed *const h = hash_keyed_new(a, key);
    hash_keyed_of(h, "name", SPAN_LIT("acme"), one);
    assert_int_equal(one[0], 0xe4);
    assert_int_equal(one[31], 0x26);
    hash_keyed_of(h, "nam", SPAN_LIT("eacme"), two);
    assert_memory_not_equal(one, two, sizeof(one));
    hash_keyed_of(h, "name", SPAN_LIT("acme"), two);
    assert_memory_equal(one, two, sizeof(one));
    key[31] = 0;
    hash_keyed_of(hash_keyed_new(a, key), "name", SPAN_LIT("acme"), two);
    assert_memory_not_equal(one, two, sizeof(one));
}

static void test_log(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    assert_string_equal(stderr_of(a, say_levels),
                        "nvadvise: e 1\nnvadvise: warning: w\\x0a\\x1b[2J\n"
                        "nvadvise: debug: d\n");
    assert_true(log_enabled(LOG_WARN));
    assert_false(log_enabled(LOG_INFO));
    assert_string_equal(stderr_of(a, say_err),
                        "nvadvise: outer: inner: cannot open 'x\\x0ay'\nhint: Make it.\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quick),
        cmocka_unit_test(test_hash),        cmocka_unit_test(test_base64),
        cmocka_unit_test(test_base64_long), cmocka_unit_test(test_base64_refuses),
        cmocka_unit_test(test_keyed),       cmocka_unit_test(test_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
