/* See option_world.h. */
#include "option_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/banned.h"

static void give_up(const char *text, const char *why)
{
    (void)!fprintf(stderr, "'%s': %s\n", text, why);
    abort();
}

const struct catalogue *world_catalogue(struct arena *a)
{
    struct decl_set *decls = decl_set_new(a);
    struct ruleset *rs = arena_calloc(a, 1, sizeof(*rs));
    struct rule_texts texts = *rule_texts_builtin(a);
    struct err err = ERR_INIT;
    /* Rules and what they compute with need the probes' declarations; the catalogue does not. */
    texts.n_rules = 0;
    texts.settings = texts.derived = (struct rule_text){0};
    if (!ruleset_load(a, decls, &texts, rs, NULL, &err))
        give_up("catalogue", err.text);
    return rs->catalogue;
}

struct option_target world_target(const char *text)
{
    struct option_target t = {0};
    struct span rest = span_of(text), flavour;
    if (!span_split(&rest, ':', &flavour) || !flavour_from_name(flavour, &t.flavour) ||
        !version_parse_exact(rest, &t.version))
        give_up(text, "no FLAVOUR:VERSION");
    return t;
}

size_t world_lines(struct arena *a, const char *text, struct optline **ret)
{
    struct optline *lines = arena_calloc(a, strlen(text) + 1, sizeof(*lines));
    struct span rest = span_of(text), word, file = SPAN_LIT("/etc/my.cnf"),
                group = SPAN_LIT("mysqld");
    unsigned number = 0;
    size_t n = 0;
    while (span_split(&rest, '|', &word)) {
        number++;
        if (span_starts(word, "[")) {
            group = span_sub(word, 1, word.len - 2);
            continue;
        }
        if (span_starts(word, "@")) {
            file = span_sub(word, 1, word.len);
            number = 0;
            continue;
        }
        struct optline *l = &lines[n++];
        *l = (struct optline){.file = file, .group = group, .line = number};
        if (span_starts(word, "P:")) {
            l->group = span_of(OPTLINE_PERSISTED);
            l->line = 0;
            word = span_sub(word, 2, word.len);
        } else if (span_starts(word, "C:")) {
            l->file = span_of(OPTLINE_COMMAND_LINE);
            l->group = span_of("");
            word = span_sub(word, 2, word.len);
        }
        l->has_value = span_has(word, '=');
        l->value = word;
        span_split(&l->value, '=', &l->name);
    }
    *ret = lines;
    return n;
}

size_t world_read(struct arena *a, const char *target, const char *text,
                  struct option_reading **ret)
{
    struct optline *lines;
    const struct option_target t = world_target(target);
    const size_t n = world_lines(a, text, &lines);
    return options_read(world_catalogue(a), &t, lines, n, a, ret);
}
