/* Option lines of any bytes, to any flavour and version: every line gets one reading, who shadows is a later
 * line of the same name, and what an upgrade says stands on a line that was given. First byte: the server;
 * then lines "name=value", "[group]" and "@file" as in the unit tests. */
#include <stdlib.h>
#include <string.h>

#include "rules/options.h"
#include "rules/ruleset.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct catalogue *catalogue(void)
{
    static struct ruleset rs; /* read once: it is the same for every input */
    if (rs.catalogue == NULL) {
        struct arena *a = arena_new();
        struct rule_texts texts = *rule_texts_builtin(a);
        struct err err = ERR_INIT;
        texts.n_rules = 0;
        texts.settings = texts.derived = (struct rule_text){0};
        if (!ruleset_load(a, decl_set_new(a), &texts, &rs, NULL, &err))
            abort();
    }
    return rs.catalogue;
}

static const struct option_target targets[] = {
    {.flavour = FLAVOUR_MYSQL, .version = {{5, 6, 40, 0}, 3}},
    {.flavour = FLAVOUR_MYSQL, .version = {{8, 0, 36, 0}, 3}},
    {.flavour = FLAVOUR_MYSQL, .version = {{9, 7, 4, 0}, 3}},
    {.flavour = FLAVOUR_PERCONA, .version = {{8, 4, 3, 0}, 3}},
    {.flavour = FLAVOUR_MARIADB, .version = {{10, 4, 9, 0}, 3}},
    {.flavour = FLAVOUR_MARIADB, .version = {{10, 11, 19, 0}, 3}},
    {.flavour = FLAVOUR_MARIADB, .version = {{11, 8, 9, 0}, 3}},
    {.flavour = FLAVOUR_MYSQL, .version = {{26, 7, 0, 0}, 3}},
};

static size_t read_lines(struct arena *a, struct span text, struct optline **ret)
{
    struct span file = SPAN_LIT("a"), group = SPAN_LIT("mysqld"), word;
    struct optline *lines = arena_calloc(a, text.len + 1, sizeof(*lines));
    size_t n = 0;
    unsigned number = 0;
    while (span_split(&text, '\n', &word)) {
        number++;
        if (span_starts(word, "[")) {
            group = span_sub(word, 1, word.len);
            continue;
        }
        if (span_starts(word, "@")) {
            file = span_sub(word, 1, word.len);
            continue;
        }
        struct optline *l = &lines[n++];
        *l = (struct optline){.file = file, .group = group, .line = number};
        l->has_value = span_has(word, '=');
        l->value = word;
        if (!span_split(&l->value, '=', &l->name))
            l->name = word;
    }
    *ret = lines;
    return n;
}

static void check(const struct option_reading *r, size_t n, const struct optline *lines)
{
    for (size_t i = 0; i < n; i++) {
        if (r[i].line != &lines[i] || r[i].name == NULL || r[i].text == NULL ||
            (r[i].effect == OPTION_SHADOWED) != (r[i].by != NULL))
            abort();
        if (r[i].by != NULL && (r[i].by <= &r[i] || strcmp(r[i].by->name, r[i].name) != 0))
            abort();
        if (r[i].effect == OPTION_STOPS && (r[i].has_value || r[i].text[0] == '\0'))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    struct optline *lines;
    struct option_reading *r;
    struct option_upgrade *up;
    if (size == 0 || size > 65536)
        return 0;
    const struct option_target *now = &targets[data[0] % ARRAY_LEN(targets)];
    const struct option_target *then = &targets[data[0] / ARRAY_LEN(targets) % ARRAY_LEN(targets)];
    const size_t n = read_lines(a, (struct span){(const char *)data + 1, size - 1}, &lines);
    const size_t m = options_read(catalogue(), now, lines, n, a, &r);
    if (m != n)
        abort();
    check(r, n, lines);
    const size_t k = options_upgrade(catalogue(), now, then, lines, n, NULL, 0, a, &up);
    for (size_t i = 0; i < k; i++) {
        if (up[i].text[0] == '\0' || up[i].name == NULL || up[i].line < lines ||
            up[i].line >= lines + n || option_change_name(up[i].change)[0] == '?')
            abort();
    }
    return 0;
}
