/* See engine_world.h. */
#include "tests/unit/rules/engine_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advisor/base/banned.h"

#define ROW(name_, kind_, subject_, fold_, needs_) \
    {name_, kind_, NULL, subject_, fold_, needs_, "m", "the source of " name_, ""}

static const struct fact_decl rows[] = {
    ROW("host.root", KIND_BOOL, SUBJECT_HOST, FOLD_SAME, NEED_NONE),
    ROW("host.total", KIND_BYTES, SUBJECT_HOST, FOLD_SAME, NEED_NONE),
    ROW("server.a", KIND_BOOL, SUBJECT_SERVER, FOLD_ANY, NEED_NONE),
    ROW("server.b", KIND_BOOL, SUBJECT_SERVER, FOLD_ANY, NEED_NONE),
    ROW("server.size", KIND_BYTES, SUBJECT_SERVER, FOLD_MAX, NEED_NONE),
    ROW("server.count", KIND_COUNT, SUBJECT_SERVER, FOLD_MAX, NEED_NONE),
    ROW("server.sampled", KIND_RATE, SUBJECT_SERVER, FOLD_MAX, NEED_SAMPLE),
    ROW("server.mean", KIND_RATE, SUBJECT_SERVER, FOLD_MAX, NEED_NONE),
    ROW("server.name", KIND_STRING, SUBJECT_SERVER, FOLD_SAME, NEED_NONE),
    ROW("bench.rate", KIND_RATE, SUBJECT_VOLUME, FOLD_MIN, NEED_BENCH),
    ROW("volume.kind", KIND_STRING, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE),
    ROW("volume.good", KIND_BOOL, SUBJECT_VOLUME, FOLD_ALL, NEED_NONE),
    ROW("volume.bad", KIND_BOOL, SUBJECT_VOLUME, FOLD_ANY, NEED_NONE),
    ROW("volume.free", KIND_BYTES, SUBJECT_VOLUME, FOLD_MIN, NEED_NONE),
    ROW("volume.used", KIND_BYTES, SUBJECT_VOLUME, FOLD_MAX, NEED_NONE),
    ROW("volume.sum", KIND_BYTES, SUBJECT_VOLUME, FOLD_SUM, NEED_NONE),
    ROW("volume.role", KIND_SET, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE),
    ROW("volume.leaf_devices", KIND_SET, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE),
    ROW("volume.log_devices", KIND_SET, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE),
    ROW("device.ill", KIND_BOOL, SUBJECT_DEVICE, FOLD_ANY, NEED_ROOT),
    ROW("device.spins", KIND_BOOL, SUBJECT_DEVICE, FOLD_ANY, NEED_NONE),
    ROW("device.queues", KIND_COUNT, SUBJECT_DEVICE, FOLD_MIN, NEED_NONE),
};

void world_open(struct world *w, const char *rules, const char *derived)
{
    struct err err = ERR_INIT;
    struct buf problems;
    *w = (struct world){.a = arena_new()};
    buf_init(&problems, w->a, 65536);
    struct decl_set *decls = decl_set_new(w->a);
    struct rule_text text = {"r.ini", span_of(rules), NULL};
    struct rule_texts texts = {.rules = &text, .n_rules = 1};
    if (derived != NULL)
        texts.derived = (struct rule_text){"d.ini", span_of(derived), NULL};
    if (!decl_set_add(decls, rows, ARRAY_LEN(rows), &err) ||
        !ruleset_load(w->a, decls, &texts, &w->rs, &problems, &err))
        fail_msg("%s\n%s", err.text, problems.ptr != NULL ? problems.ptr : "");
    w->s = store_new(w->a, decls);
    w->host = store_subject(w->s, SUBJECT_HOST, "host");
    w->server = store_subject(w->s, SUBJECT_SERVER, "server:a");
    w->volume = store_subject(w->s, SUBJECT_VOLUME, "volume:a:data");
    w->volume->server = w->server;
    w->volume->roles = ROLE_DATA | ROLE_REDO;
    w->d1 = store_subject(w->s, SUBJECT_DEVICE, "device:d1");
    w->d2 = store_subject(w->s, SUBJECT_DEVICE, "device:d2");
    world_set(w, w->volume, "volume.leaf_devices", "{d1, d2}");
}

void world_close(struct world *w)
{
    arena_free(w->a);
}

void world_set(struct world *w, const struct subject *sub, const char *name, const char *text)
{
    const struct fact_decl *decl = decl_find(w->rs.decls, span_of(name), false);
    struct err err = ERR_INIT;
    struct value v;
    enum fact_state state;
    assert_non_null(decl);
    if (text[0] == '?') {
        if (!fact_state_from_name(span_of(text + 1), &state))
            fail_msg("'%s' is no state", text + 1);
        store_unknown(w->s, sub, name, state, "test", "mend it", "%s is in the way", name);
        return;
    }
    if (!value_read(w->a, decl->kind, decl->allowed, false, span_of(text), &v, &err))
        fail_msg("%s = %s: %s", name, text, err.text);
    store_known(w->s, sub, name, v, "test");
}

struct finding world_judge(struct world *w, const char *rule, const struct subject *sub)
{
    struct finding f;
    const struct rule *r = ruleset_find(&w->rs, rule);
    assert_non_null(r);
    engine_derive(&w->rs, w->s);
    engine_judge_one(&w->rs, w->s, r, sub, w->a, &f);
    return f;
}
