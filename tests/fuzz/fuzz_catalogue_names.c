/* A list of option names: whatever the bytes, every question gets an answer, and a list without mistakes
 * finds each of its names. */
#include <stdlib.h>

#include "rules/catalogue_names.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct catalogue *c, struct span name, const struct version *at, bool sound)
{
    struct option_name n;
    enum flavour f;
    enum presence p = catalogue_name(c, FLAVOUR_MYSQL, at, name, &n);
    if (p != n.presence || presence_name(p)[0] == '?' || (sound && !n.listed))
        abort();
    (void)catalogue_name(c, FLAVOUR_PERCONA, at, name, NULL);
    (void)catalogue_near(c, FLAVOUR_MYSQL, at, name, &n);
    (void)catalogue_foreign(c, FLAVOUR_MARIADB, name, &f);
}

static void walk(const struct catalogue *c, const struct version *at, struct span prefix, size_t most)
{
    struct names_walk w;
    struct option_name n;
    size_t i = 0;
    names_begin(&w, c, FLAVOUR_PERCONA, at, prefix);
    while (names_next(&w, &n)) {
        if (n.presence == PRESENCE_REFUSED || n.name.len < prefix.len || i++ > most)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct version at[] = {{{8, 0, 30, 0}, 3}, {{99, 0, 0, 0}, 2}};
    ARENA_AUTO a = arena_new();
    struct span text = span_copy(a, (struct span){(const char *)data, size}), rest = text, line;
    struct catalogue *c = NULL;
    struct err err = ERR_INIT;
    struct buf problems;
    buf_init(&problems, a, 100000);
    if (size > 4096 || !catalogue_load(a, NULL, 0, &c, NULL, &err))
        return 0;
    catalogue_names_set(c, FLAVOUR_MYSQL, text);
    bool sound = catalogue_names_check(c, FLAVOUR_MYSQL, "fuzz.txt", text, &problems, &err);
    if (sound != (err.code == E_NONE) || sound != (problems.len == 0))
        abort();
    for (size_t i = 0; i < 40 && span_line(&rest, &line); i++) {
        struct span name;
        if (!span_word(&line, &name))
            continue;
        bool row = name.ptr[0] != '@' && name.ptr[0] != '#';
        ask(c, name, &at[i % 2], sound && row);
        walk(c, &at[i % 2], span_sub(name, 0, i % 4), size);
    }
    return 0;
}
