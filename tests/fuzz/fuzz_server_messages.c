/* What a server prints of its options: every line, every name, every value. All answers are pieces
 * of the input, in its order; every byte of them is touched. */
#include <stdint.h>

#include "advisor/scratch/messages.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned touch(struct span s)
{
    volatile unsigned sum = 0;
    for (size_t i = 0; i < s.len; i++) {
        sum = sum + (unsigned char)s.ptr[i];
    }
    return sum;
}

static unsigned touch_values(const struct shown_value *list, size_t n)
{
    unsigned sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += touch(list[i].name) + touch(list[i].value);
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 65536) {
        return 0;
    }
    ARENA_AUTO a = arena_new();
    const struct span text = {(const char *)data, size};
    struct server_message *messages = NULL;
    struct shown_value *values = NULL;
    unsigned sum = 0;
    const size_t n = server_messages(a, text, 1024, &messages);
    for (size_t i = 0; i < n; i++) {
        const struct span s = messages[i].text, name = messages[i].name;
        if (s.len == 0 || s.ptr < text.ptr || s.ptr + s.len > text.ptr + size ||
            (i > 0 && s.ptr < messages[i - 1].text.ptr) ||
            (name.len > 0 && (name.ptr < s.ptr || name.ptr + name.len > s.ptr + s.len ||
                              !option_name_same(name, name)))) {
            __builtin_trap();
        }
        sum += touch(messages[i].text) + touch(messages[i].name);
        sum += option_name_same(messages[i].name, messages[n - 1].name) ? 1 : 0;
    }
    const size_t shown = shown_values(a, text, &values);
    sum += touch_values(values, shown);
    const size_t dumped = dumped_values(a, text, &values);
    sum += touch_values(values, dumped);
    (void)sum;
    return 0;
}
