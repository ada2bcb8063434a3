/* Reading frames: every length, number and kind is checked, since a child that read hostile bytes
 * may be hostile itself. Knows nothing of processes. */
#include "probes/frames.h"

#include <math.h>
#include <string.h>

#include "probes/wire.h"

#include "advisor/base/banned.h"

#define TEXT_MAX ((size_t)64 * 1024)
#define KEY_MAX ((size_t)16 * 1024)

bool frame_read_subject(struct arena *a, struct span payload, struct frame_subject *ret)
{
    struct wire w = {.rest = payload};
    ret->begun = wire_get_u32(&w);
    ret->label = wire_get_text(&w, a, FRAME_LABEL_MAX);
    ret->identity = wire_get_text(&w, a, TEXT_MAX);
    return wire_is_done(&w);
}

static double get_real(struct wire *w)
{
    const uint64_t bits = wire_get_u64(w);
    double v = 0;
    memcpy(&v, &bits, sizeof(v));
    if (!isfinite(v)) {
        w->bad = true;
        return 0;
    }
    return v;
}

/* Made anew, so that the invariants of num.h hold whatever came. */
static struct num get_num(struct wire *w)
{
    const enum num_tag tag = (enum num_tag)wire_get_u8(w, NUM_UNLIMITED);
    const bool neg = wire_get_u8(w, 1) == 1;
    const uint64_t low = wire_get_u64(w);
    const nv_u128 mag = (nv_u128)wire_get_u64(w) << 64 | low;
    const double real = get_real(w);
    if (tag == NUM_UNLIMITED) {
        return num_unlimited();
    }
    if (tag == NUM_REAL) {
        return num_real(real < 0 || real > 0 ? real : 0);
    }
    struct num n = num_u128(mag);
    n.neg = neg && mag != 0;
    return n;
}

static void get_value(struct wire *w, struct arena *a, struct value *ret)
{
    ret->kind = (enum kind)wire_get_u8(w, KINDS - 1);
    ret->boolean = wire_get_u8(w, 1) == 1;
    ret->num = get_num(w);
    ret->version.n = wire_get_u8(w, VERSION_PARTS);
    for (unsigned i = 0; i < VERSION_PARTS; i++) {
        ret->version.part[i] = wire_get_u32(w);
    }
    ret->text = wire_get_span(w);
    const uint32_t n = wire_get_u32(w);
    if (w->bad || n > w->rest.len / 4) {
        w->bad = true;
        return;
    }
    struct span *const items = arena_calloc(a, n, sizeof(*items));
    for (uint32_t i = 0; i < n; i++) {
        items[i] = wire_get_span(w);
    }
    ret->items = items;
    ret->n_items = n;
}

/* Sorted, each once: what value_has and the rules rely on. */
static bool is_set(const struct value *v)
{
    for (size_t i = 1; i < v->n_items; i++) {
        if (span_cmp(v->items[i - 1], v->items[i]) >= 0) {
            return false;
        }
    }
    return true;
}

bool frame_read_fact(struct arena *a, struct span payload, struct frame_fact *ret)
{
    struct wire w = {.rest = payload};
    struct frame_fact f = {.begun = wire_get_u32(&w)};
    f.label = wire_get_text(&w, a, FRAME_LABEL_MAX);
    f.name = wire_get_text(&w, a, FRAME_NAME_MAX);
    f.fact.state = (enum fact_state)wire_get_u8(&w, FACT_STATES - 1);
    if (f.fact.state == FACT_KNOWN) {
        get_value(&w, a, &f.fact.value);
    } else {
        f.fact.value.kind = (enum kind)wire_get_u8(&w, KINDS - 1);
    }
    f.fact.reason = wire_get_text(&w, a, TEXT_MAX);
    f.fact.remedy = wire_get_text(&w, a, TEXT_MAX);
    f.fact.source = wire_get_text(&w, a, TEXT_MAX);
    if (!wire_is_done(&w) || f.name[0] == '\0') {
        return false;
    }
    const bool known = f.fact.state == FACT_KNOWN;
    if (known && f.fact.value.kind == KIND_SET && !is_set(&f.fact.value)) {
        return false;
    }
    *ret = f;
    return true;
}

static void get_err(struct wire *w, struct arena *a, struct err *ret)
{
    const enum err_code code = (enum err_code)wire_get_u8(w, E_CODES - 1);
    const uint32_t sys_errno = wire_get_u32(w);
    err_set(ret, code == E_NONE ? E_INTERNAL : code, "%s", wire_get_text(w, a, ERR_TEXT_MAX));
    err_hint(ret, "%s", wire_get_text(w, a, ERR_HINT_MAX));
    const unsigned n = wire_get_u8(w, ERR_FRAMES_MAX);
    for (unsigned i = 0; i < n; i++) {
        err_wrap(ret, "%s", wire_get_text(w, a, ERR_FRAME_MAX));
    }
    ret->sys_errno = sys_errno <= 4096 ? (int)sys_errno : 0;
}

bool frame_read_err(struct arena *a, struct span payload, struct err *ret)
{
    struct wire w = {.rest = payload};
    struct err err = ERR_INIT;
    get_err(&w, a, &err);
    if (!wire_is_done(&w)) {
        return false;
    }
    *ret = err;
    return true;
}

bool frame_read_begun(struct arena *a, struct span payload, struct host_record *ret)
{
    struct wire w = {.rest = payload};
    struct host_record rec = {.n = wire_get_u32(&w), .outcome = OUTCOME_BEGUN};
    rec.op = (enum host_op)wire_get_u8(&w, HOST_OPS - 1);
    rec.key = wire_get_text(&w, a, KEY_MAX);
    if (!wire_is_done(&w)) {
        return false;
    }
    *ret = rec;
    return true;
}

bool frame_read_result(struct arena *a, struct span payload, struct host_record *ret)
{
    struct wire w = {.rest = payload};
    struct host_record rec = {.n = wire_get_u32(&w), .key = ""};
    rec.outcome = (enum host_outcome)wire_get_u8(&w, OUTCOME_ERR);
    if (rec.outcome == OUTCOME_OK) {
        rec.bytes = wire_get_span(&w);
    } else if (rec.outcome == OUTCOME_ERR) {
        struct err *const err = arena_alloc(a, sizeof(*err));
        get_err(&w, a, err);
        rec.err = err;
    } else {
        return false;
    }
    if (!wire_is_done(&w)) {
        return false;
    }
    *ret = rec;
    return true;
}

bool frame_read_job(struct span payload, unsigned *ret)
{
    struct wire w = {.rest = payload};
    *ret = wire_get_u32(&w);
    return wire_is_done(&w);
}
