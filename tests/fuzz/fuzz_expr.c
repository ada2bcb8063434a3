/* Fuzz target: the rule language. First byte: the rule's scope and what is hidden; the rest is the text.
 * What parses must print and read back as the same tree, and evaluate without a flip when facts are
 * hidden; what does not parse must have a message and a column inside the text. */
#include <stdlib.h>

#include "advisor/base/hash.h"
#include "tests/unit/rules/toy.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct world {
    uint32_t seed;
    bool hiding;
    struct fact fact;
    struct span words[2];
};

static uint32_t hash_of(const char *name, uint32_t seed)
{
    const uint32_t h = hash_quick(span_of(name)) ^ seed;
    return h ^ (h >> 15);
}

static struct value value_of(struct world *w, const struct expr_ref *ref, uint32_t h)
{
    static const uint64_t numbers[] = {0, 1, 7, 16, 1u << 30, UINT64_MAX};
    enum kind k = KIND_BYTES; /* plan.memory.pool_target */
    if (ref->kind == REF_FACT) {
        k = ref->decl->kind;
    } else if (ref->kind == REF_PARAM) {
        k = KIND_RATIO;
    }
    if (kind_is_numeric(k)) {
        return h % 7 == 6 ? value_num(k, num_unlimited()) : value_u64(k, numbers[h % 7]);
    }
    if (k == KIND_BOOL) {
        return value_bool(h % 2 == 0);
    }
    if (k == KIND_VERSION) {
        return value_version((struct version){.part = {h % 12, h % 5}, .n = 2});
    }
    if (k == KIND_ENUM || k == KIND_STRING) {
        return value_text(k, span_of(h % 2 == 0 ? "xfs" : "mysql"));
    }
    w->words[0] = span_of("data");
    w->words[1] = span_of("redo");
    return (struct value){.kind = k, .items = w->words, .n_items = h % 3};
}

static const struct fact *resolve(void *ctx, const struct expr_ref *ref,
                                  const struct subject **ret_subject)
{
    struct world *const w = ctx;
    const uint32_t h = hash_of(ref->name, w->seed);
    *ret_subject = NULL;
    if (w->hiding && (h >> 8) % 3 == 0) {
        return NULL;
    }
    w->fact = (struct fact){.state = FACT_KNOWN, .value = value_of(w, ref, h), .source = "fuzz"};
    return &w->fact;
}

static void check_tree(struct arena *a, const struct expr_names *names, const struct expr *e,
                       uint32_t seed)
{
    struct buf b;
    buf_init(&b, a, 16 * EXPR_MAX_BYTES);
    expr_print(&b, e);
    struct err err = ERR_INIT;
    struct expr *again = NULL;
    if (b.len <= EXPR_MAX_BYTES &&
        (!expr_parse(a, buf_span(&b), names, NULL, &again, NULL, &err) ||
         !toy_same_tree(e, again))) {
        abort();
    }
    struct world full = {.seed = seed}, part = {.seed = seed, .hiding = true};
    const struct eval_env all = {.ctx = &full, .resolve = resolve, .arena = a};
    const struct eval_env some = {.ctx = &part, .resolve = resolve, .arena = a};
    const struct eval_result x = eval(e, &all), y = eval(e, &some);
    if (y.state == EVAL_KNOWN && (x.state != EVAL_KNOWN || !value_eq(&x.value, &y.value))) {
        abort();
    }
    const struct eval_input *inputs = NULL;
    if (y.state == EVAL_UNKNOWN && eval_blockers(e, &some, &inputs) == 0) {
        abort();
    }
    if (y.state != EVAL_KNOWN && eval_evidence(e, &some, &inputs) != 0) {
        abort();
    }
    eval_arithmetic(&b, e, &some);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct decl_set *decls;
    if (decls == NULL) {
        decls = toy_decls(arena_new()); /* kept for the whole run */
    }
    if (size == 0) {
        return 0;
    }
    ARENA_AUTO a = arena_new();
    const struct expr_names names = toy_names(decls, (enum subject_kind)(data[0] % SUBJECT_KINDS));
    const struct span text = {(const char *)data + 1, size - 1};
    struct err err = ERR_INIT;
    struct expr *e = NULL;
    unsigned column = 0;
    if (expr_parse(a, text, &names, NULL, &e, &column, &err)) {
        check_tree(a, &names, e, data[0]);
        return 0;
    }
    if (column > text.len || err.text[0] == '\0' || err.code == E_NONE) {
        abort();
    }
    struct buf b;
    buf_init(&b, a, 4 * EXPR_MAX_BYTES);
    expr_caret(&b, text, column);
    return 0;
}
