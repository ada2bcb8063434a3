/* Whole outputs with every value that must come out of them: tests/cases/nvme, and where the shared cases stand
 * beside the checkout, those of other people. A member of `values` is the last part of a fact's name; null: the fact is
 * unknown or not there. `devices` holds values by device, where an output tells of several. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "advisor/base/file.h"
#include "advisor/facts/factdoc.h"
#include "probes/import/import.h"
#include "probes/probe.h"
#include "rules/engine.h"

#include "advisor/base/banned.h"

static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL ? dot + 1 : name;
}

/* What the facts document says, in the unit that the name asks for. */
static struct num shown(struct arena *a, const char *name, const struct value *v)
{
    struct json *o = json_object(a);
    factdoc_value(o, name, v);
    return json_get(o, "value")->number;
}

static bool near(double a, double b)
{
    return a - b <= 1 && b - a <= 1;
}

static bool same_sensors(const struct value *v, const struct json *want)
{
    if (v->n_items != want->n) {
        return false;
    }
    for (size_t i = 0; i < want->n; i++) {
        struct num n, w = want->items[i]->number;
        if (want->items[i]->type == JSON_STRING && !num_parse(want->items[i]->string, &w)) {
            return false;
        }
        if (!num_parse(v->items[i], &n) || !near(num_to_double(n), num_to_double(w))) {
            return false;
        }
    }
    return true;
}

static uint64_t whole(const struct json *o, const char *key)
{
    uint64_t v = 0;
    assert_true(num_to_u64(json_get(o, key)->number, &v));
    return v;
}

static bool same_formats(struct arena *a, const struct value *v, const struct json *want)
{
    if (v->n_items != want->n) {
        return false;
    }
    for (size_t i = 0; i < want->n; i++) {
        const struct json *f = want->items[i], *used = json_get(f, "in_use");
        const char *text = arena_printf(a, "%llu+%llu:rp%llu%s", (unsigned long long)whole(f, "lba_bytes"),
                                        (unsigned long long)whole(f, "metadata"),
                                        (unsigned long long)whole(f, "rel_perf"),
                                        used->type == JSON_BOOL && used->boolean ? ":in-use" : "");
        if (!span_eq_text(v->items[i], text)) {
            return false;
        }
    }
    return true;
}

static bool same_words(const struct value *v, const struct json *want)
{
    if (v->n_items != want->n) {
        return false;
    }
    for (size_t i = 0; i < want->n; i++) {
        if (!span_eq(v->items[i], want->items[i]->string)) {
            return false;
        }
    }
    return true;
}

static bool same_list(struct arena *a, const char *key, const struct value *v, const struct json *want)
{
    if (v->kind != KIND_LIST) {
        return false;
    }
    return strcmp(key, "sensors_c") == 0            ? same_sensors(v, want)
           : strcmp(key, "formats") == 0 && want->n > 0 &&
                   want->items[0]->type == JSON_OBJECT ? same_formats(a, v, want)
                                                       : same_words(v, want);
}

static bool same(struct arena *a, const char *name, const struct fact *f, const struct json *want)
{
    const bool known = f != NULL && f->state == FACT_KNOWN;
    const struct value *v = known ? &f->value : NULL;
    struct buf b;
    switch (want->type) {
    case JSON_NULL:
        return !known;
    case JSON_BOOL:
        return known && v->kind == KIND_BOOL && v->boolean == want->boolean;
    case JSON_NUMBER:
        return known && kind_is_numeric(v->kind) &&
               (v->kind == KIND_CELSIUS
                    ? near(num_to_double(v->num), num_to_double(want->number))
                    : num_cmp(shown(a, name, v), want->number) == 0);
    case JSON_STRING:
        buf_init(&b, a, 400);
        if (known && v->kind == KIND_VERSION) {
            version_print(&b, &v->version);
        } else if (known) {
            buf_add_span(&b, v->text);
        }
        return known && span_eq(buf_span(&b), span_trim(want->string));
    case JSON_ARRAY:
        return known ? same_list(a, last_part(name), v, want) : false;
    case JSON_OBJECT:
        break;
    }
    return false;
}

/* The facts of one device under their last parts. A name of several parts counts whole as well. */
static void check_values(struct arena *a, const char *name, const struct store *s,
                         const struct subject *sub, const struct json *values)
{
    const struct fact_row *facts = NULL;
    const size_t n = sub != NULL ? store_facts(s, sub, &facts) : 0;
    for (size_t i = 0; i < values->n; i++) {
        const char *key = span_dup(a, values->keys[i]);
        bool met = false;
        for (size_t k = 0; k < n; k++) {
            if (strcmp(last_part(facts[k].name), key) != 0 && strcmp(facts[k].name, key) != 0) {
                continue;
            }
            met = true;
            if (!same(a, facts[k].name, facts[k].fact, values->items[i])) {
                struct buf b;
                buf_init(&b, a, 400);
                if (facts[k].fact->state == FACT_KNOWN) {
                    value_print(&b, &facts[k].fact->value);
                }
                fail_msg("%s: %s is '%s'", name, facts[k].name, b.ptr);
            }
        }
        if (!met && values->items[i]->type != JSON_NULL) {
            fail_msg("%s: %s is not there", name, key);
        }
    }
}

static void check_bits(const char *name, const struct store *s, const struct subject *sub,
                       const struct json *bits)
{
    ARENA_AUTO a = arena_new();
    for (size_t i = 0; bits != NULL && i < bits->n; i++) {
        const char *fact = arena_printf(a, "device.smart.critical_warning_bits.%.*s", SPAN_ARG(bits->keys[i]));
        if (!same(a, fact, store_get(s, sub, span_of(fact)), bits->items[i])) {
            fail_msg("%s: %s", name, fact);
        }
    }
}

static void check_declared(const struct store *s, const struct subject *sub)
{
    const struct fact_row *facts = NULL;
    const size_t n = store_facts(s, sub, &facts);
    for (size_t i = 0; i < n; i++) {
        const struct fact_decl *decl = decl_find(store_decls(s), span_of(facts[i].name), false);
        if (decl == NULL || (facts[i].fact->state == FACT_KNOWN && facts[i].fact->value.kind != decl->kind)) {
            fail_msg("%s is not declared so", facts[i].name);
        }
    }
}

static const struct subject *only_device(const struct store *s, const char *name)
{
    const struct subject *const *subs = NULL;
    if (store_subjects_of(s, SUBJECT_DEVICE, &subs) != 1) {
        fail_msg("%s: not one device", name);
    }
    return subs[0];
}

static void check_case(const char *folder, const char *file)
{
    ARENA_AUTO a = arena_new();
    struct err e = ERR_INIT;
    struct span text, expect;
    struct json *doc = NULL;
    struct ruleset rules;
    struct decl_set *decls = decl_set_new(a);
    if (!file_read(a, arena_printf(a, "%s/%s", folder, file), 1u << 20, &expect, &e) ||
        !json_read(a, file, expect, &doc, &e) ||
        !file_read(a, arena_printf(a, "%s/%s", folder, json_get_str(doc, "input")), 1u << 20, &text, &e) ||
        !probes_declare(decls, &e) || !ruleset_load(a, decls, rule_texts_builtin(a), &rules, NULL, &e)) {
        fail_msg("%s", e.text);
    }
    struct store *s = store_new(a, decls);
    struct import *im = import_new(a, s, NULL);
    if (!import_text(im, json_get_str(doc, "input"), text, &e)) {
        fail_msg("%s", e.text);
    }
    import_end(im);
    for (size_t i = 0; i < store_subjects(s); i++) {
        check_declared(s, store_subject_at(s, i));
    }
    engine_derive(&rules, s);
    const struct json *devices = json_get(doc, "devices"), *values = json_get(doc, "values");
    if (values != NULL) {
        const struct subject *sub = only_device(s, file);
        check_values(a, file, s, sub, values);
        check_bits(file, s, sub, json_get(doc, "critical_warning_bits"));
    }
    for (size_t i = 0; devices != NULL && i < devices->n; i++) {
        const char *label = arena_printf(a, "device:%.*s", SPAN_ARG(devices->keys[i]));
        check_values(a, arena_printf(a, "%s: %s", file, label), s, store_find_subject(s, label),
                     devices->items[i]);
    }
    assert_true(values != NULL || devices != NULL);
}

static size_t check_folder(const char *folder)
{
    size_t n = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *d = readdir(dir); d != NULL; d = readdir(dir)) {
        if (span_ends(span_of(d->d_name), ".expect.json")) {
            check_case(folder, d->d_name);
            n++;
        }
    }
    (void)closedir(dir);
    return n;
}

static void test_own(void **state)
{
    (void)state;
    assert_true(check_folder(NV_SOURCE_DIR "/tests/cases/nvme") >= 9);
}

static void test_others(void **state)
{
    (void)state;
    static const char folder[] = NV_SOURCE_DIR "/../shared/cases/nvme";
    if (access(folder, R_OK) != 0) {
        skip(); /* other people's outputs are not part of this project */
    }
    assert_true(check_folder(folder) >= 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
