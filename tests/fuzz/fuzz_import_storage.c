/* Storage outputs: no reader crashes on any text, every chain has an end, and each of its layers reads back as it
 * was written. The first byte chooses the reader; with its highest bit the rest goes to all of them. */
#include <stdlib.h>

#include "probes/import/storage.h"
#include "probes/import/storage_chain.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_chain(struct arena *a, const struct stack *s, struct span ask)
{
    struct chain *c = arena_alloc(a, sizeof(*c));
    if (!chain_of(s, ask, c)) {
        return;
    }
    (void)chain_class(a, c);
    for (size_t i = 0; i < c->n; i++) {
        struct buf b;
        struct layer back;
        buf_init(&b, a, (size_t)1 << 20);
        layer_print(&b, &c->layers[i]);
        if (!b.full && (!layer_read(a, buf_span(&b), &back) || !span_eq(back.name, c->layers[i].name))) {
            abort();
        }
    }
}

static void feed(struct arena *a, struct stack *s, const struct storage_reader *r, struct span text)
{
    struct span rest = text, line;
    struct json *doc;
    struct err err = ERR_INIT;
    while (span_line(&rest, &line)) {
        (void)r->begins(line);
    }
    (void)r->read(s, text);
    if (r->read_json != NULL && json_read(a, "fuzz", text, &doc, &err)) {
        (void)r->read_json(s, doc);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > (size_t)16 * 1024) {
        return 0;
    }
    ARENA_AUTO a = arena_new();
    struct stack *s = stack_new(a);
    const struct span text = {(const char *)data + 1, size - 1};
    struct span rest = text;
    (void)span_line(&rest, &s->command); /* as though its first line were the command before it */
    for (size_t i = 0; i < storage_n_readers; i++) {
        if ((data[0] & 0x80) != 0 || i == data[0] % storage_n_readers) {
            feed(a, s, &storage_readers[i], text);
        }
    }
    lvm_end(s);
    check_chain(a, s, SPAN_LIT("/"));
    check_chain(a, s, SPAN_LIT("pool tank"));
    for (size_t i = 0; i < s->n_mounts && i < 8; i++) {
        check_chain(a, s, s->mounts[i].target);
    }
    for (size_t i = 0; i < s->n_nodes && i < 8; i++) {
        check_chain(a, s, s->nodes[i].name);
    }
    return 0;
}
