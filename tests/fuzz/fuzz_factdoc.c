/* Facts documents, both forms: no crash; what is taken is written as JSON that reads back the same.
 */
#include <stdlib.h>

#include "advisor/facts/factdoc.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct fact_decl rows[] = {
    {"host.memory.total", KIND_BYTES, NULL, SUBJECT_HOST, FOLD_SAME, 0, "m", "r", ""},
    {"server.flavour", KIND_ENUM, "mysql,mariadb", SUBJECT_SERVER, FOLD_SAME, 0, "m", "r", ""},
    {"server.version", KIND_VERSION, NULL, SUBJECT_SERVER, FOLD_SAME, 0, "m", "r", ""},
    {"server.dedicated", KIND_BOOL, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_SAMPLE, "m", "r", ""},
    {"server.redo.write_rate", KIND_BYTES_PER_S, NULL, SUBJECT_SERVER, FOLD_SAME, 0, "m", "r", ""},
    {"server.x_per_mille", KIND_RATIO, NULL, SUBJECT_SERVER, FOLD_SAME, 0, "m", "r", ""},
    {"bench.flush.rate", KIND_RATE, NULL, SUBJECT_VOLUME, FOLD_MIN, NEED_BENCH, "m", "r", ""},
    {"volume.role", KIND_SET, "data,redo,undo,doublewrite,binlog,relaylog,tmp", SUBJECT_VOLUME,
     FOLD_SAME, 0, "m", "r", ""},
    {"volume.chain", KIND_LIST, NULL, SUBJECT_VOLUME, FOLD_SAME, 0, "m", "r", ""},
    {"volume.fs.type", KIND_ENUM, "xfs,ext4,unknown", SUBJECT_VOLUME, FOLD_SAME, 0, "m", "r", ""},
    {"device.model", KIND_STRING, NULL, SUBJECT_DEVICE, FOLD_SAME, 0, "m", "r", ""},
    {"device.x_pct", KIND_RATIO, NULL, SUBJECT_DEVICE, FOLD_MAX, NEED_ROOT, "m", "r", ""},
    {"device.x_hours", KIND_SECONDS, NULL, SUBJECT_DEVICE, FOLD_MAX, 0, "m", "r", ""},
    {"device.x_c", KIND_CELSIUS, NULL, SUBJECT_DEVICE, FOLD_MAX, 0, "m", "r", ""},
    {"device.n", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_MAX, 0, "m", "r", ""},
};
static const struct fact_decl family = {
    "server.var.*", KIND_STRING, NULL, SUBJECT_SERVER, FOLD_SAME, 0, "m", "r", ""};

static struct store *make_store(struct arena *a)
{
    struct err err = ERR_INIT;
    struct decl_set *set = decl_set_new(a);
    if (!decl_set_add(set, rows, ARRAY_LEN(rows), &err) ||
        !decl_set_add_family(set, "server.var.", &family, &err)) {
        abort();
    }
    return store_new(a, set);
}

static struct span write_doc(struct arena *a, const struct store *s)
{
    struct buf b;
    buf_init(&b, a, (size_t)1 << 28);
    json_write(&b, factdoc_write(a, s), false);
    if (b.full) {
        abort();
    }
    return buf_span(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    const struct span text = {(const char *)data, size};
    struct store *s = make_store(a);
    struct store *again = make_store(a);
    struct err err = ERR_INIT;
    if (!factdoc_set(s, span_dup(a, text), &err) && err.text[0] == '\0') {
        abort();
    }
    s = make_store(a);
    if (!factdoc_read(s, "f", text, false, json_array(a), &err)) {
        return 0;
    }
    const struct span first = write_doc(a, s);
    if (!factdoc_read(again, "g", first, true, NULL, &err)) {
        abort();
    }
    if (!span_eq(write_doc(a, again), first)) {
        abort();
    }
    store_fill_missing(s);
    return 0;
}
