/* Short setters for the storage probes: one fact of ctx->subject from one source. Texts are made fit to
 * be facts (text_clean); what cannot be a value becomes an unknown, never a wrong figure. */
#ifndef NVADVISE_PROBES_SETTERS_H
#define NVADVISE_PROBES_SETTERS_H

#include "probes/probe.h"

void set_bool(struct probe_ctx *ctx, const char *name, bool b, const char *source);
void set_u64(struct probe_ctx *ctx, const char *name, enum kind kind, uint64_t v,
             const char *source);
void set_num(struct probe_ctx *ctx, const char *name, enum kind kind, struct num n,
             const char *source);
/* a / b; unknown when b is 0. */
void set_ratio(struct probe_ctx *ctx, const char *name, enum kind kind, uint64_t a, uint64_t b,
               const char *source);
/* `word` is one of the declared words. */
void set_enum(struct probe_ctx *ctx, const char *name, const char *word, const char *source);
/* A word from outside: unknown (absent), naming it, when it is not one of `allowed` (commas). */
void set_enum_text(struct probe_ctx *ctx, const char *name, const char *allowed, struct span word,
                   const char *source);
/* Empty text is unknown (absent). */
void set_text(struct probe_ctx *ctx, const char *name, struct span text, const char *source);
void set_words(struct probe_ctx *ctx, const char *name, enum kind kind, const struct span *words,
               size_t n, const char *source);

/* Unknown with a reason of our own. */
void set_unknown(struct probe_ctx *ctx, const char *name, enum fact_state state, const char *source,
                 const char *remedy, const char *reason);
/* Unknown with the reason, and where it has one the remedy, of an error. */
void set_err(struct probe_ctx *ctx, const char *name, const struct err *e, const char *source);

/* Every declared fact of `tables` that its subject still lacks becomes unknown so: rows of volumes and
 * devices on ctx->subject, rows of servers on args->server (left out where there is none). */
void set_rest(struct probe_ctx *ctx, const struct decl_rows *tables, size_t n_tables,
              enum fact_state state, const char *source, const char *remedy, const char *reason);

/* Lasts as long as the store, not only as long as the job. */
const char *lasting(struct probe_ctx *ctx, const char *text);

#endif
