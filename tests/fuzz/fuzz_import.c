/* Imports: no crash on any bytes; facts are declared, of their kind, and text that can be shown. */
#include <stdlib.h>

#include "probes/import/import.h"
#include "probes/probe.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(struct span s)
{
    if (!span_is_utf8(s)) {
        abort();
    }
}

static void check_fact(const struct store *s, const struct fact_row *row)
{
    const struct fact_decl *decl = decl_find(store_decls(s), span_of(row->name), false);
    const struct value *v = &row->fact->value;
    if (decl == NULL && span_eq_text(span_of(row->name), "device.smart.synthetic")) {
        return; /* declared with the formulas */
    }
    if (decl == NULL) {
        abort();
    }
    if (row->fact->state != FACT_KNOWN) {
        return;
    }
    if (v->kind != decl->kind) {
        abort();
    }
    if (v->kind == KIND_STRING || v->kind == KIND_ENUM) {
        check_text(v->text);
    }
    for (size_t i = 0; (v->kind == KIND_LIST || v->kind == KIND_SET) && i < v->n_items; i++) {
        check_text(v->items[i]);
    }
}

static void check_list(const struct json *list)
{
    for (size_t i = 0; i < list->n; i++) {
        check_text(list->items[i]->string);
    }
}

/* Made once: it takes longer than most inputs. */
static const struct decl_set *declarations(void)
{
    static struct decl_set *decls;
    struct err e = ERR_INIT;
    if (decls == NULL) {
        decls = decl_set_new(arena_new());
        if (!probes_declare(decls, &e)) {
            abort();
        }
    }
    return decls;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    struct err e = ERR_INIT;
    const struct decl_set *decls = declarations();
    struct store *s = store_new(a, decls);
    struct import *im = import_new(a, s, NULL);
    if (!import_text(im, "fuzz", (struct span){(const char *)data, size}, &e) && e.code == E_NONE) {
        abort();
    }
    import_end(im);
    check_list(import_warnings(im));
    check_list(import_notes(im));
    for (size_t i = 0; i < store_subjects(s); i++) {
        const struct fact_row *facts = NULL;
        const size_t n = store_facts(s, store_subject_at(s, i), &facts);
        for (size_t k = 0; k < n; k++) {
            check_fact(s, &facts[k]);
        }
    }
    return 0;
}
