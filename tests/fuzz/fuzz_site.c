/* Fuzz target: a site's texts. Up to a line of dashes a configuration, what follows waivers. What is refused must
 * have an error with file and line; what is taken is applied to findings of an empty store. */
#include <stdlib.h>
#include <string.h>

#include "rules/profile.h"
#include "rules/waiver.h"
#include "tests/unit/rules/toy.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TODAY ((int64_t)1798761600) /* 2027-01-01 */

static const char rules[] = "[r]\nscope = server\ntitle = t\nwhy = w\nadvice = set\nsource = s\n"
                            "do.1 = x | online\nseverity = low\nparam.most = bytes 3B 0B 9GiB m\n"
                            "fails = server.redo.capacity > param.most\n";

static void must_say(const struct err *err)
{
    if (err->code == E_NONE || strchr(err->text, ':') == NULL)
        abort();
}

static void try_config(struct arena *a, struct ruleset *rs, struct span text)
{
    struct ini_file own, site;
    struct profiles all;
    const struct profile *chosen;
    struct err err = ERR_INIT;
    if (!ini_read(a, "p", SPAN_LIT("[durable]\nmeaning = d\n"), &own, &err))
        abort();
    if (!ini_read(a, "c", text, &site, &err) || !profiles_load(a, rs, &own, &site, &all, &err)) {
        must_say(&err);
        return;
    }
    if (!profiles_apply(&all, NULL, rs, &chosen, &err) && err.code != E_USAGE)
        abort();
    for (size_t i = 0; i < rs->n_params; i++) {
        const struct param *p = &rs->params[i];
        if (num_cmp(p->value.num, p->min.num) < 0 || num_cmp(p->value.num, p->max.num) > 0)
            abort();
    }
}

static void try_waivers(struct arena *a, const struct ruleset *rs, struct span text)
{
    struct waivers all;
    struct err err = ERR_INIT;
    if (!waivers_read(a, "w", text, rs, TODAY, &all, &err)) {
        must_say(&err);
        return;
    }
    struct store *s = store_new(a, rs->decls);
    (void)store_subject(s, SUBJECT_SERVER, "server:a");
    struct findings f;
    engine_judge(rs, s, a, &f);
    waivers_apply(&all, &f, s, TODAY);
    for (size_t i = 0; i < all.n; i++) {
        if (all.items[i].reason == NULL || (all.items[i].expires == NULL && all.items[i].owner == NULL))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    const struct rule_text text = {"r.ini", span_of(rules), NULL};
    const struct rule_texts texts = {.rules = &text, .n_rules = 1};
    struct ruleset rs;
    struct err err = ERR_INIT;
    if (!ruleset_load(a, toy_decls(a), &texts, &rs, NULL, &err))
        abort();
    const struct span all = {(const char *)data, size};
    size_t at = 0;
    while (at + 6 <= size && memcmp(all.ptr + at, "\n----\n", 6) != 0)
        at++;
    try_config(a, &rs, span_sub(all, 0, at));
    try_waivers(a, &rs, at + 6 <= size ? span_sub(all, at + 6, size) : all);
    return 0;
}
