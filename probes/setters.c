/* Short setters for the storage probes. Knows the store, nothing of where values come from. */
#include "probes/setters.h"

#include <string.h>

#include "probes/sysfs.h"

#include "advisor/base/banned.h"

void set_bool(struct probe_ctx *ctx, const char *name, bool b, const char *source)
{
    store_known(ctx->store, ctx->subject, name, value_bool(b), source);
}

void set_u64(struct probe_ctx *ctx, const char *name, enum kind kind, uint64_t v,
             const char *source)
{
    store_known(ctx->store, ctx->subject, name, value_u64(kind, v), source);
}

void set_num(struct probe_ctx *ctx, const char *name, enum kind kind, struct num n,
             const char *source)
{
    store_known(ctx->store, ctx->subject, name, value_num(kind, n), source);
}

void set_ratio(struct probe_ctx *ctx, const char *name, enum kind kind, uint64_t a, uint64_t b,
               const char *source)
{
    struct num r;
    if (num_div(num_u64(a), num_u64(b), &r) != NUM_OK) {
        set_unknown(ctx, name, FACT_ABSENT, source, "", "the whole is reported as 0");
        return;
    }
    set_num(ctx, name, kind, r, source);
}

void set_enum(struct probe_ctx *ctx, const char *name, const char *word, const char *source)
{
    store_known(ctx->store, ctx->subject, name, value_text(KIND_ENUM, span_of(word)), source);
}

void set_enum_text(struct probe_ctx *ctx, const char *name, const char *allowed, struct span word,
                   const char *source)
{
    struct span rest = span_of(allowed), one;
    while (span_split(&rest, ',', &one)) {
        if (span_eq(one, word)) {
            store_known(ctx->store, ctx->subject, name, value_text(KIND_ENUM, word), source);
            return;
        }
    }
    struct span shown = text_clean(ctx->arena, span_sub(word, 0, 60));
    store_unknown(ctx->store, ctx->subject, name, FACT_ABSENT, source, "",
                  "'%.*s' is not a value that this version knows", SPAN_ARG(shown));
}

void set_text(struct probe_ctx *ctx, const char *name, struct span text, const char *source)
{
    struct span clean = text_clean(ctx->arena, text);
    if (clean.len == 0) {
        set_unknown(ctx, name, FACT_ABSENT, source, "", "the source leaves it empty");
        return;
    }
    store_known(ctx->store, ctx->subject, name, value_text(KIND_STRING, clean), source);
}

void set_words(struct probe_ctx *ctx, const char *name, enum kind kind, const struct span *words,
               size_t n, const char *source)
{
    struct span *clean = arena_calloc(ctx->arena, n + 1, sizeof(*clean));
    for (size_t i = 0; i < n; i++) {
        clean[i] = text_clean(ctx->arena, words[i]);
    }
    store_known(ctx->store, ctx->subject, name, value_words(ctx->arena, kind, clean, n), source);
}

void set_unknown(struct probe_ctx *ctx, const char *name, enum fact_state state, const char *source,
                 const char *remedy, const char *reason)
{
    store_unknown(ctx->store, ctx->subject, name, state, source, remedy, "%s", reason);
}

void set_err(struct probe_ctx *ctx, const char *name, const struct err *e, const char *source)
{
    set_unknown(ctx, name, fact_state_from_err(e->code), source, e->hint, e->text);
}

void set_rest(struct probe_ctx *ctx, const struct decl_rows *tables, size_t n_tables,
              enum fact_state state, const char *source, const char *remedy, const char *reason)
{
    for (size_t t = 0; t < n_tables; t++) {
        for (size_t i = 0; i < tables[t].n; i++) {
            const struct fact_decl *d = &tables[t].rows[i];
            const struct subject *sub = ctx->subject;
            if (d->subject == SUBJECT_SERVER) {
                sub = ctx->args->server == NULL
                          ? NULL
                          : store_subject(ctx->store, SUBJECT_SERVER, ctx->args->server);
            }
            if (sub != NULL && store_get(ctx->store, sub, span_of(d->name)) == NULL) {
                store_unknown(ctx->store, sub, d->name, state, source, remedy, "%s", reason);
            }
        }
    }
}

const char *lasting(struct probe_ctx *ctx, const char *text)
{
    return arena_strdup(store_arena(ctx->store), text);
}
