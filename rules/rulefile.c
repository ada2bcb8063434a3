/* One rule file: sections to rules. Checks what one section can tell; what needs the whole set is in
 * ruleset_checks.c. */
#include <inttypes.h>
#include <string.h>

#include "advisor/base/parse.h"
#include "rules/loader.h"

#include "advisor/base/banned.h"

#define RULE_ID_MAX 40

static bool id_ok(struct span id)
{
    if (id.len == 0 || id.len > RULE_ID_MAX || id.ptr[id.len - 1] == '-')
        return false;
    for (size_t i = 0; i < id.len; i++) {
        char c = id.ptr[i];
        bool lower = c >= 'a' && c <= 'z';
        bool other = (c >= '0' && c <= '9') || c == '-';
        if (!lower && !(other && i > 0))
            return false;
    }
    return true;
}

/* ---- single keys ---- */

typedef void key_reader(struct loader *l, const struct where *w, struct rule *r, struct span text);

static const char *checked_text(struct loader *l, const struct where *w, const struct rule *r,
                                struct span text)
{
    load_check_text(l, w, text, r->scope, false);
    return span_dup(l->arena, text);
}

static void read_title(struct loader *l, const struct where *w, struct rule *r, struct span text)
{
    if (text.len > 100)
        problem_add(l, w, "title is longer than 100 bytes");
    r->title = span_dup(l->arena, text);
}

static void read_applies(struct loader *l, const struct where *w, struct rule *r, struct span text)
{
    r->applies_text = span_copy(l->arena, text);
    r->applies = load_condition(l, w, r->applies_text, r->scope);
}

static void read_fails(struct loader *l, const struct where *w, struct rule *r, struct span text)
{
    r->fails_text = span_copy(l->arena, text);
    r->fails = load_condition(l, w, r->fails_text, r->scope);
}

static void read_needs(struct loader *l, const struct where *w, struct rule *r, struct span text)
{
    r->needs = load_needs(l, w, text);
}

static void read_step(struct loader *l, const struct where *w, struct rule *r, struct span piece)
{
    struct severity_step step = {.when = NULL};
    struct span rest = piece, word;
    if (!span_word(&rest, &word) || !severity_from_name(word, &step.level)) {
        problem_add(l, w, "'%.*s' does not begin with a severity: info, low, medium, high, critical",
                    SPAN_ARG(piece));
        return;
    }
    if (r->n_steps > 0 && r->steps[r->n_steps - 1].when_text.len == 0)
        problem_add(l, w, "the step '%.*s' comes after a plain level and is never reached",
                    SPAN_ARG(piece));
    if (span_trim(rest).len > 0) {
        if (!span_word(&rest, &word) || !span_eq_text(word, "when")) {
            problem_add(l, w, "after '%s' comes 'when CONDITION' or nothing",
                        severity_name(step.level));
            return;
        }
        step.when_text = span_copy(l->arena, span_trim(rest));
        step.when = load_condition(l, w, step.when_text, r->scope);
    }
    r->steps = arena_grow(l->arena, r->steps, r->n_steps * sizeof(step),
                          (r->n_steps + 1) * sizeof(step));
    r->steps[r->n_steps++] = step;
}

static void read_severity(struct loader *l, const struct where *w, struct rule *r,
                          struct span text)
{
    struct span piece;
    while (load_split(&text, &piece))
        read_step(l, w, r, piece);
    if (r->n_steps > 0 && r->steps[r->n_steps - 1].when_text.len > 0)
        problem_add(l, w, "severity does not end with a plain level");
}

static void read_why(struct loader *l, const struct where *w, struct rule *r, struct span text)
{
    load_check_text(l, w, text, r->scope, true);
    r->why = span_dup(l->arena, text);
}

static void read_risk(struct loader *l, const struct where *w, struct rule *r, struct span text)
{
    r->risk = checked_text(l, w, r, text);
}

static void read_undo(struct loader *l, const struct where *w, struct rule *r, struct span text)
{
    r->undo = checked_text(l, w, r, text);
}

static void read_source(struct loader *l, const struct where *w, struct rule *r, struct span text)
{
    (void)w;
    r->source = span_dup(l->arena, text);
}

static void read_advice(struct loader *l, const struct where *w, struct rule *r, struct span text)
{
    static const char *const words[] = {"raise", "lower", "set",    "remove", "rename",
                                        "keep",  "enable", "check", "change"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (span_eq_text(text, words[i]))
            r->advice = words[i];
    }
    if (r->advice == NULL)
        problem_add(l, w, "advice '%.*s' is none of raise, lower, set, remove, rename, keep, "
                    "enable, check, change", SPAN_ARG(text));
}

static void read_words(struct loader *l, struct span text, const char ***ret, size_t *ret_n)
{
    struct span piece;
    while (load_split(&text, &piece)) {
        *ret = arena_grow(l->arena, *ret, *ret_n * sizeof(**ret), (*ret_n + 1) * sizeof(**ret));
        (*ret)[(*ret_n)++] = span_dup(l->arena, piece);
    }
}

static void read_sets(struct loader *l, const struct where *w, struct rule *r, struct span text)
{
    (void)w;
    read_words(l, text, &r->sets, &r->n_sets);
}

static void read_see(struct loader *l, const struct where *w, struct rule *r, struct span text)
{
    (void)w;
    read_words(l, text, &r->see, &r->n_see);
}

/* "COMMAND | EFFECT" or "COMMAND | EFFECT, destroys: WHAT"; the last " | " divides. */
static void read_do(struct loader *l, const struct where *w, struct rule *r, uint64_t number,
                    struct span text)
{
    static const char *const effects[] = {"online", "remount", "restart", "reboot", "none"};
    size_t bar = text.len;
    for (size_t i = 0; i + 3 <= text.len; i++) {
        if (memcmp(text.ptr + i, " | ", 3) == 0)
            bar = i;
    }
    if (bar == text.len) {
        problem_add(l, w, "an action is 'COMMAND | EFFECT'");
        return;
    }
    struct rule_action act = {.number = number};
    act.command = checked_text(l, w, r, span_trim(span_sub(text, 0, bar)));
    struct span rest = span_sub(text, bar + 3, text.len), word;
    if (!load_split(&rest, &word))
        word = (struct span){"", 0};
    for (size_t i = 0; i < ARRAY_LEN(effects); i++) {
        if (span_eq_text(word, effects[i]))
            act.effect = effects[i];
    }
    if (act.effect == NULL)
        problem_add(l, w, "effect '%.*s' is none of online, remount, restart, reboot, none",
                    SPAN_ARG(word));
    rest = span_trim(rest);
    if (span_starts(rest, "destroys:"))
        act.destroys = span_dup(l->arena, span_trim(span_sub(rest, 9, rest.len)));
    else if (rest.len > 0)
        problem_add(l, w, "after the effect comes 'destroys: WHAT' or nothing");
    r->actions = arena_grow(l->arena, r->actions, r->n_actions * sizeof(act),
                            (r->n_actions + 1) * sizeof(act));
    r->actions[r->n_actions++] = act;
}

/* "when.N": of the action do.N. */
static void read_when(struct loader *l, const struct where *w, struct rule *r, uint64_t number,
                      struct span text)
{
    for (size_t i = 0; i < r->n_actions; i++) {
        struct rule_action *act = &r->actions[i];
        if (act->number == number) {
            act->when_text = span_copy(l->arena, text);
            act->when = load_condition(l, w, act->when_text, r->scope);
            return;
        }
    }
    problem_add(l, w, "no do.%" PRIu64 " stands before it", number);
}

static void read_nothing(struct loader *l, const struct where *w, struct rule *r, struct span text)
{
    (void)l, (void)w, (void)r, (void)text;
}

static const struct key {
    const char *name;
    bool required;
    key_reader *read;
} keys[] = {
    {"title", true, read_title},
    {"scope", true, read_nothing}, /* read before the others: they need it */
    {"applies", false, read_applies},
    {"fails", true, read_fails},
    {"needs", false, read_needs},
    {"severity", true, read_severity},
    {"why", true, read_why},
    {"sets", false, read_sets},
    {"advice", true, read_advice},
    {"risk", false, read_risk},
    {"undo", false, read_undo},
    {"source", true, read_source},
    {"see", false, read_see},
};

/* ---- sections ---- */

/* "do.3", "when.3" */
static bool is_numbered(struct span key, const char *word, uint64_t *ret_number)
{
    const size_t n = strlen(word);
    return span_starts(key, word) && parse_u64(span_sub(key, n, key.len), ret_number);
}

static void read_entry(struct loader *l, const struct where *w, struct rule *r,
                       const struct ini_entry *e)
{
    if (span_starts(e->key, "param."))
        return; /* read for all files before */
    if (e->value.len == 0) {
        problem_add(l, w, "'%.*s' is empty", SPAN_ARG(e->key));
        return;
    }
    uint64_t number;
    if (is_numbered(e->key, "do.", &number)) {
        read_do(l, w, r, number, e->value);
        return;
    }
    if (is_numbered(e->key, "when.", &number)) {
        read_when(l, w, r, number, e->value);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        if (span_eq_text(e->key, keys[i].name)) {
            keys[i].read(l, w, r, e->value);
            return;
        }
    }
    problem_add(l, w, "unknown key '%.*s'", SPAN_ARG(e->key));
}

static bool names_device(struct loader *l, const struct expr *e)
{
    if (e == NULL)
        return false;
    const struct expr_ref *const *refs;
    size_t n = expr_refs(l->arena, e, &refs);
    for (size_t i = 0; i < n; i++) {
        if (refs[i]->kind == REF_FACT && refs[i]->decl->subject == SUBJECT_DEVICE)
            return true;
    }
    return false;
}

static void read_rule(struct loader *l, const struct where *at, const struct ini_section *s,
                      struct rule *r)
{
    const struct ini_entry *scope = ini_entry(s, "scope");
    struct where w = *at;
    if (scope != NULL) {
        w.line = scope->line;
        if (!load_scope(l, &w, scope->value, &r->scope))
            return;
    }
    for (size_t i = 0; i < s->n_entries && scope != NULL; i++) {
        w.line = s->entries[i].line;
        read_entry(l, &w, r, &s->entries[i]);
    }
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        if (keys[i].required && ini_entry(s, keys[i].name) == NULL)
            problem_add(l, at, "no '%s'", keys[i].name);
    }
    if (r->n_sets == 0 && r->n_actions == 0)
        problem_add(l, at, "neither 'sets' nor 'do.1': the rule helps nobody");
    r->pairs = r->scope == SUBJECT_VOLUME &&
               (names_device(l, r->applies) || names_device(l, r->fails));
}

/* A section with `alias` or `retired` holds nothing else. */
static bool read_short_form(struct loader *l, const struct where *w, const struct ini_section *s,
                            struct rule *r)
{
    const struct ini_entry *alias = ini_entry(s, "alias");
    const struct ini_entry *retired = ini_entry(s, "retired");
    if (alias == NULL && retired == NULL)
        return false;
    if (s->n_entries != 1)
        problem_add(l, w, "'%s' stands alone in its section", alias != NULL ? "alias" : "retired");
    if (alias != NULL)
        r->alias_of = span_dup(l->arena, alias->value);
    else
        r->retired = span_dup(l->arena, retired->value);
    return true;
}

void load_rules(struct loader *l, const struct ini_file *f)
{
    struct ruleset *rs = l->set;
    for (size_t i = 0; i < f->n_sections; i++) {
        const struct ini_section *s = &f->sections[i];
        struct where w = {f->name, s->line, s->name};
        if (!id_ok(s->name)) {
            problem_add(l, &w, "not an id: a-z, 0-9 and dashes, at most %d bytes", RULE_ID_MAX);
            continue;
        }
        struct rule r = {.id = span_dup(l->arena, s->name), .file = f->name, .line = s->line};
        if (!read_short_form(l, &w, s, &r))
            read_rule(l, &w, s, &r);
        l->rules = arena_list_room(l->arena, l->rules, rs->n_rules, sizeof(r));
        l->rules[rs->n_rules++] = r;
        rs->rules = l->rules;
    }
}
