/* Layers as words: what is written reads back byte for byte, and what is no word is refused. */
#include "tests/unit/facts/fixture.h"

#include "advisor/facts/layer.h"

#include "advisor/base/banned.h"

static const char *word(struct arena *a, const struct layer *l)
{
    struct buf b;
    buf_init(&b, a, 4096);
    layer_print(&b, l);
    return b.ptr;
}

static void test_words(void **state)
{
    ARENA_AUTO a = arena_new();
    struct layer l = {.level = 2, .name = SPAN_LIT("vg-data"), .kind = SPAN_LIT("lvm-striped")};
    layer_add(&l, "dm", SPAN_LIT("dm-3"));
    layer_add_u64(&l, a, "chunk", 131072);
    assert_string_equal(word(a, &l), "2 vg-data lvm-striped dm=dm-3 chunk=131072");
    l = (struct layer){.name = SPAN_LIT("/srv/my data=\n%"), .kind = SPAN_LIT("fs")};
    assert_string_equal(word(a, &l), "0 /srv/my%20data%3D%0A%25 fs");
    (void)state;
}

static void test_back(void **state)
{
    static const char *const odd[] = {"plain", "a b", "x=y", "\xff\x01", "%41", "\xc3\xa4"};
    ARENA_AUTO a = arena_new();
    for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
        const struct span text = span_of(odd[i]);
        struct layer l = {.level = LAYER_LEVEL_MAX, .name = text, .kind = text}, back;
        layer_add(&l, "key", text);
        layer_add(&l, "empty", (struct span){"", 0});
        assert_true(span_is_utf8(span_of(word(a, &l))));
        assert_true(layer_read(a, span_of(word(a, &l)), &back));
        assert_int_equal(back.level, LAYER_LEVEL_MAX);
        assert_true(span_eq(back.name, text));
        assert_true(span_eq(back.kind, text));
        assert_true(span_eq(layer_value(&back, "key"), text));
        assert_int_equal(layer_value(&back, "empty").len, 0);
        assert_int_equal(layer_value(&back, "none").len, 0);
        assert_int_equal(back.n_keys, 2);
    }
    (void)state;
}

static void test_refused(void **state)
{
    static const char *const bad[] = {"",      "1",        "1 a",      "x a b",      "65 a b",   "-1 a b",
                                      "1  b",  "1 a%4 b",  "1 a b c",  "1 a b =c",   "1 a b c=%", "1 a b c=d=e"};
    ARENA_AUTO a = arena_new();
    struct layer l;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        assert_false(layer_read(a, span_of(bad[i]), &l));
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_back),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
