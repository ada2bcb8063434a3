/* What every probe needs to state a fact of its subject. */
#include "probes/probe.h"

#include "advisor/base/banned.h"

void probe_known(struct probe_ctx *ctx, const char *name, struct value v, const char *source)
{
    store_known(ctx->store, ctx->subject, name, v, source);
}

void probe_unknown(struct probe_ctx *ctx, const char *name, const struct err *err,
                   const char *source, const char *remedy)
{
    store_unknown(ctx->store, ctx->subject, name, fact_state_from_err(err->code), source,
                  remedy[0] != '\0' ? remedy : err->hint, "%s", err->text);
}
