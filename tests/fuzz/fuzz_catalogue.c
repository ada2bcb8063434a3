/* The texts of the variable catalogue: whatever the bytes, they are read or refused; what was read answers
 * every question, and its own names are found. */
#include <stdlib.h>

#include "rules/catalogue.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct catalogue *c, const struct variable *v, enum flavour f,
                const struct version *at)
{
    struct num min, max, step;
    struct value def;
    struct version then;
    ARENA_AUTO a = arena_new();
    struct buf b;
    buf_init(&b, a, 4096);
    enum presence p = variable_presence(v, f, at);
    if (presence_name(p)[0] == '?')
        abort();
    (void)variable_dynamic(v, f, at);
    (void)variable_sources(c, v, f, at);
    catalogue_confidence_text(c, f, at, &b);
    if (variable_values_at(v, f, at) != NULL && variable_values(v) == NULL)
        abort();
    if (variable_replaced_by(v, f) != NULL &&
        catalogue_find(c, span_of(variable_replaced_by(v, f))) == NULL)
        abort();
    if (variable_range(v, f, at, &min, &max, &step) && num_cmp(min, max) > 0)
        abort();
    if (variable_default(v, f, at, &def))
        (void)variable_write(v, &def, &b);
    if (variable_refused_after(v, f, at, &then) &&
        (version_cmp(&then, at) <= 0 || variable_presence(v, f, &then) != PRESENCE_REFUSED))
        abort();
}

static void ask_all(const struct catalogue *c)
{
    static const struct version at[] = {
        {{0, 0, 0, 0}, 1}, {{8, 0, 30, 0}, 3}, {{10, 11, 12, 0}, 3}, {{99, 0, 0, 0}, 2},
    };
    for (size_t i = 0; i < catalogue_count(c); i++) {
        const struct variable *v = catalogue_at(c, i);
        if (catalogue_find(c, span_of(variable_name(v))) != v)
            abort();
        for (size_t k = 0; k < ARRAY_LEN(at); k++) {
            for (unsigned f = 0; f < FLAVOURS; f++)
                ask(c, v, (enum flavour)f, &at[k]);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    struct span text = span_copy(a, (struct span){(const char *)data, size});
    struct ini_file f;
    struct err err = ERR_INIT;
    struct buf problems;
    struct catalogue *c = NULL;
    buf_init(&problems, a, 1024 * 1024);
    if (!ini_read(a, "fuzz.ini", text, &f, &err))
        return 0;
    bool ok = catalogue_load(a, &f, 1, &c, &problems, &err);
    if (ok != (c != NULL) || ok != (err.code == E_NONE) || ok != (problems.len == 0))
        abort();
    if (ok)
        ask_all(c);
    return 0;
}
