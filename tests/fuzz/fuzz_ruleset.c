/* Fuzz target: rule files and derived facts. The text up to a line of dashes is a rule file, what follows is
 * a file of derived facts. What loads is judged on an empty store and its texts are filled; what does not
 * must have an error, and each problem a line of its own. */
#include <stdlib.h>
#include <string.h>

#include "rules/engine.h"
#include "tests/unit/rules/toy.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void divide(struct span all, struct span *ret_rules, struct span *ret_derived)
{
    static const char mark[] = "\n----\n";
    const size_t n = sizeof(mark) - 1;
    *ret_rules = all;
    *ret_derived = (struct span){"", 0};
    for (size_t i = 0; i + n <= all.len; i++) {
        if (memcmp(all.ptr + i, mark, n) == 0) {
            *ret_rules = span_sub(all, 0, i + 1);
            *ret_derived = span_sub(all, i + n, all.len);
            return;
        }
    }
}

static void judge(const struct ruleset *rs, struct arena *a)
{
    struct store *s = store_new(a, rs->decls);
    struct findings f;
    (void)store_subject(s, SUBJECT_SERVER, "server:a");
    (void)store_subject(s, SUBJECT_DEVICE, "device:a");
    store_subject(s, SUBJECT_VOLUME, "volume:a:data")->roles = ROLE_ALL;
    engine_derive(rs, s);
    engine_judge(rs, s, a, &f);
    for (size_t i = 0; i < f.n; i++) {
        const struct finding *one = &f.items[i];
        struct eval_env env = engine_env(rs, s, one->subject, one->leaf, a);
        if (engine_fill(&env, rs, one->rule->scope, one->rule->why, a) == NULL)
            abort();
        /* Nothing is known, so nothing fails or passes unless it asks for nothing. */
        if (one->verdict == VERDICT_UNKNOWN && one->n_blockers == 0)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    struct span rules, derived;
    divide((struct span){(const char *)data, size}, &rules, &derived);
    const struct rule_text text = {"r.ini", rules, NULL};
    const struct rule_texts texts = {
        .rules = &text, .n_rules = 1, .derived = {"d.ini", derived},
    };
    struct buf problems;
    struct err err = ERR_INIT;
    struct ruleset rs;
    buf_init(&problems, a, 1024 * 1024);
    if (ruleset_load(a, toy_decls(a), &texts, &rs, &problems, &err)) {
        judge(&rs, a);
        return 0;
    }
    if (err.code == E_NONE || err.text[0] == '\0' || problems.len == 0)
        abort();
    return 0;
}
