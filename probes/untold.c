/* Subjects that no probe can be sent to: all that would have been read there is unknown. See
 * waves.h. */
#include "probes/waves.h"

#include "advisor/base/banned.h"

static void rows_unknown(struct waves *w, const struct subject *sub, const struct decl_rows *rows,
                         const struct fact *why)
{
    for (size_t i = 0; i < rows->n; i++) {
        const struct fact_decl *const row = &rows->rows[i];
        const struct span name = span_of(row->name);
        if (row->subject == sub->kind && !span_ends(name, ".") &&
            store_get(w->store, sub, name) == NULL) {
            store_unknown(w->store, sub, row->name, why->state, row->read_from, why->remedy, "%s",
                          why->reason);
        }
    }
}

void waves_rest_unknown(struct waves *w, const struct subject *sub, const struct probe *p,
                        const struct fact *why)
{
    if (p == NULL) {
        return;
    }
    rows_unknown(w, sub, &(struct decl_rows){p->decls, p->n_decls}, why);
    for (size_t i = 0; i < p->n_themes; i++) {
        rows_unknown(w, sub, &p->themes[i], why);
    }
}

/* Why the variable is unknown; where nobody asked for it, that the server has not told. */
static struct fact why_untold(struct waves *w, const struct subject *server, const char *variable)
{
    const struct fact *const f = store_get(w->store, server, span_of(variable));
    if (f == NULL || f->state == FACT_KNOWN || f->state == FACT_NOT_SUPPORTED) {
        return (struct fact){
            .state = FACT_ABSENT, .reason = "the server did not tell the path", .remedy = ""};
    }
    return (struct fact){.state = f->state,
                         .reason = arena_printf(w->arena, "needs %s: %s", variable, f->reason),
                         .remedy = f->remedy};
}

void waves_untold(struct waves *w, const struct subject *server, const char *label,
                  const struct volume_path *path)
{
    const struct fact why = why_untold(w, server, path->wants);
    struct subject *const sub = store_subject(w->store, SUBJECT_VOLUME, label);
    sub->server = server;
    sub->roles = path->roles;
    store_known(w->store, sub, "volume.role", value_roles(w->arena, path->roles),
                "variables of the server");
    waves_rest_unknown(w, sub, w->probes->volume, &why);
    waves_rest_unknown(w, sub, w->probes->pool, &why);
}
