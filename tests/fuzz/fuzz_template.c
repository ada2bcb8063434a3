/* Any bytes as a template, and, where it parses, rendered over a document that has every type. */
#include <stddef.h>
#include <stdint.h>

#include "templates/template.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct json *document(struct arena *a)
{
    struct json *doc = json_object(a), *list = json_array(a), *item = json_object(a);
    json_set(item, "n", json_int(a, 1));
    json_push(list, item);
    json_push(list, json_str(a, "word"));
    json_set(doc, "l", list);
    json_set(doc, "v", json_str(a, "x\ny"));
    json_set(doc, "t", json_bool(a, true));
    json_set(doc, "e", json_array(a));
    json_set(doc, "z", json_null(a));
    return doc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    struct template *t = NULL;
    if (template_parse(a, "fuzz", (struct span){(const char *)data, size}, &t, &err)) {
        struct buf out;
        buf_init(&out, a, 1 << 16);
        (void)!template_render(t, document(a), &out, &err);
    }
    return 0;
}
