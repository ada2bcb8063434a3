/* JSON reader: no crash, and what it takes is written so that it reads back the same. */
#include <stdlib.h>

#include "advisor/base/json.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    struct json *doc = NULL;
    struct json *again = NULL;
    struct err err = ERR_INIT;
    if (!json_read(a, "f", (struct span){(const char *)data, size}, &doc, &err)) {
        return 0;
    }
    struct buf first;
    struct buf second;
    buf_init(&first, a, 16 * size + 4096);
    json_write(&first, doc, false);
    if (first.full) {
        abort();
    }
    if (!json_read(a, "g", buf_span(&first), &again, &err)) {
        abort();
    }
    buf_init(&second, a, 16 * size + 4096);
    json_write(&second, again, false);
    if (!span_eq(buf_span(&first), buf_span(&second))) {
        abort();
    }
    return 0;
}
