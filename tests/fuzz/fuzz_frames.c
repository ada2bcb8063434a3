/* What a child may send: bytes through the receiver and the merge, in two pieces. No crash; the store
 * afterwards holds only facts of the job's own subject. */
#include <stdlib.h>
#include <string.h>

#include "probes/receive.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct fact_decl rows[] = {
    {"device.a", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE, "a", "a", ""},
    {"device.set", KIND_SET, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE, "a", "a", ""},
};

static const struct probe toy = {.name = "device", .decls = rows, .n_decls = ARRAY_LEN(rows)};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    struct decl_set *const decls = decl_set_new(a);
    if (!decl_set_add(decls, rows, ARRAY_LEN(rows), &err)) {
        abort();
    }
    struct store *const s = store_new(a, decls);
    struct job job = {.id = "device:x", .probe = &toy, .kind = SUBJECT_DEVICE};
    job.args.label = "device:x";
    struct receiver r;
    receiver_init(&r, a, 1, true);
    const struct span bytes = {(const char *)data, size};
    struct job_end end = {.lost = false, .begun = 3};
    if (!receiver_take(&r, span_sub(bytes, 0, size / 2)) ||
        !receiver_take(&r, span_sub(bytes, size / 2, size)) || !receiver_ended(&r)) {
        end.lost = true;
        err_set(&end.why, E_CRASHED, "garbage");
    }
    job_merge(&job, buf_span(&r.jobs[0].facts), &end, s, true);
    receiver_to_capture(&r.jobs[0], job.id, &end, capture_new(a, NULL));
    for (size_t i = 0; i < store_subjects(s); i++) {
        if (strcmp(store_subject_at(s, i)->label, "device:x") != 0) {
            abort();
        }
        const struct fact *const f = store_get(s, store_subject_at(s, i), SPAN_LIT("device.a"));
        if (f != NULL && f->state == FACT_KNOWN && f->value.kind != KIND_COUNT) {
            abort();
        }
    }
    return 0;
}
