/* Is a line of the drop-in in force? By what the server itself says of the variable; and if not, why not. */
#include "advisor/cli/tune.h"

#include <string.h>
#include <strings.h>

#include "advisor/base/banned.h"

/* A clock that is read in whole seconds, and a start that takes some. */
#define START_SLACK_S 2

static const struct fact *fact_of(const struct tune *t, const char *family, const char *variable)
{
    return store_get(t->judged.session.store, t->server,
                     span_of(arena_printf(t->arena, "%s.%s", family, variable)));
}

static bool known(const struct fact *f)
{
    return f != NULL && f->state == FACT_KNOWN;
}

const char *tune_value_text(const struct tune *t, const char *variable, const struct fact *f)
{
    const struct variable *v = catalogue_find(t->judged.session.rules.catalogue, span_of(variable));
    struct buf b;
    buf_init(&b, t->arena, 4096);
    if (v == NULL || !variable_write(v, &f->value, &b)) {
        buf_init(&b, t->arena, 4096);
        value_print(&b, &f->value);
    }
    return b.ptr != NULL ? b.ptr : "";
}

/* Written after the server was started? true also when that cannot be told. */
static bool is_newer(const struct tune *t)
{
    const struct session *s = &t->judged.session;
    const struct fact *f = store_get(s->store, t->server, SPAN_LIT("server.uptime"));
    if (!known(f)) {
        return true;
    }
    const double start = (double)s->clock - num_to_double(f->value.num);
    return (double)t->present.look.file.mtime_s + START_SLACK_S >= start;
}

static bool origin_is(const struct tune *t, const char *variable, const char *word)
{
    const struct fact *f = fact_of(t, "server.source", variable);
    return known(f) && span_eq_nocase(f->value.text, span_of(word));
}

static const char *readable_command(const struct tune *t)
{
    struct buf b;
    buf_init(&b, t->arena, 4096);
    buf_add_text(&b, "chmod 644 ");
    buf_add_shell(&b, span_of(t->present.path));
    return b.ptr;
}

static void explain(const struct tune *t, const struct dropin_line *l,
                    const struct place_name *name, struct tune_force *f)
{
    struct err err = ERR_INIT;
    f->mend = "";
    if (name == NULL) {
        f->why = arena_printf(t->arena, "this version does not read the group [%s]", l->group);
    } else if (name->by[0] != '\0') {
        f->why = name->why;
        f->mend = name->mend;
    } else if (t->reader != NULL && !reader_can_read(t->reader, t->present.path, &err)) {
        f->why = arena_printf(t->arena, "the server's user cannot read the file: %s", err.text);
        f->mend = readable_command(t);
    } else if (t->present.look.state == TUNE_CHANGED && is_newer(t)) {
        f->why = "somebody has changed the file since the server was started";
    } else if (origin_is(t, l->variable, "dynamic")) {
        f->why = "it was set at run time to another value since the start";
        f->mend = arena_printf(t->arena, "SET GLOBAL %s = %s;", l->variable, l->value);
    } else if (is_newer(t)) {
        f->why = "the server has not been restarted since it was written";
        f->mend = l->dynamic ? arena_printf(t->arena, "SET GLOBAL %s = %s;", l->variable, l->value)
                             : "restart the server when it suits";
    } else {
        f->why = "the server was started since, and takes another value for it";
        f->mend = "look for its warning in the error log";
    }
}

struct tune_force tune_in_force(const struct tune *t, const struct dropin_line *l,
                                const struct place_name *name)
{
    struct tune_force f = {.now = "", .why = "", .mend = ""};
    const struct fact *now = fact_of(t, "server.var", l->variable);
    if (!known(now)) {
        f.why = arena_printf(t->arena, "the value in force is not known%s%s",
                             now != NULL ? ": " : "", now != NULL ? now->reason : "");
        f.mend = now != NULL ? now->remedy : "";
        return f;
    }
    f.known = true;
    f.now = tune_value_text(t, l->variable, now);
    f.in_force = strcasecmp(f.now, l->value) == 0;
    if (!f.in_force) {
        explain(t, l, name, &f);
    } else if (name != NULL && name->by[0] != '\0' && !name->wins) {
        f.in_force = false;
        f.why = arena_printf(t->arena, "in force now, but at the next start %s", name->why);
        f.mend = name->mend;
    }
    return f;
}

const struct place_name *tune_name(const struct tune *t, const struct dropin_line *l)
{
    for (size_t i = 0; t->has_place && i < t->place.n_names; i++) {
        if (strcmp(t->place.names[i].variable, l->variable) == 0) {
            return &t->place.names[i];
        }
    }
    return NULL;
}
