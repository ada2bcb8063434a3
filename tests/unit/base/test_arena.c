/* Lists in an arena: what is added one by one stays, and costs no more than a list of twice the size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advisor/base/arena.h"
#include "advisor/base/attr.h"

#include "advisor/base/banned.h"

struct item {
    size_t number;
    char rest[56];
};

static void test_list_room(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 7, 8, 9, 1000, 4096, 10000};
    (void)state;
    for (size_t k = 0; k < ARRAY_LEN(sizes); k++) {
        ARENA_AUTO a = arena_new();
        struct item *list = NULL;
        for (size_t n = 0; n < sizes[k]; n++) {
            list = arena_list_room(a, list, n, sizeof(*list));
            list[n] = (struct item){.number = n};
            (void)arena_alloc(a, 1); /* so that nothing grows in place */
        }
        for (size_t n = 0; n < sizes[k]; n++) {
            assert_int_equal(list[n].number, n);
        }
        assert_true(arena_used(a) <= 4 * sizes[k] * sizeof(*list) + sizes[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_list_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
