/* SQL probe, theme counters: global status and the InnoDB metrics that are switched on, raw. */
#include "probes/setters.h"
#include "probes/sql.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define STATUS "server.status."
#define METRIC "server.metric."

/* Two counters that formulas use have rows of their own, and so a kind. */
const struct fact_decl sql_counter_decls[SQL_COUNTER_DECLS] = {
    {STATUS "Innodb_checkpoint_max_age", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "checkpoint age, in bytes, at which writers wait (MariaDB, Percona Server)",
     "SHOW GLOBAL STATUS", ""},
    {STATUS "Innodb_redo_log_capacity_resized", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_SAME,
     NEED_NONE, "size of the redo log in force, in bytes (MySQL 8.0.30 and later)",
     "SHOW GLOBAL STATUS", ""},
    {STATUS, KIND_STRING, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "status counter or gauge, by the server's own name", "SHOW GLOBAL STATUS", ""},
    {METRIC, KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "InnoDB metric that is switched on", "information_schema.INNODB_METRICS", "PROCESS"},
};

static void set_counter(struct sql *s, const char *family, const struct sql_table *t,
                        const struct sql_pair *p, bool texts)
{
    char room[SQL_FACT_ROOM];
    const char *const fact = sql_fact_name(room, family, p->name, false);
    struct num number;
    if (p->null) {
        return;
    }
    if (num_parse(p->value, &number) && number.tag == NUM_INT) {
        set_num(s->ctx, fact, KIND_COUNT, number, t->source);
    } else if (texts) {
        struct probe_ctx *const ctx = s->ctx;
        const struct span clean = text_clean(ctx->arena, p->value);
        store_known(ctx->store, ctx->subject, fact, value_text(KIND_STRING, clean), t->source);
    }
}

void sql_read_counters(struct sql *s)
{
    for (size_t i = 0; i < s->status.n; i++) {
        set_counter(s, STATUS, &s->status, &s->status.pairs[i], true);
    }
    for (size_t i = 0; i < s->metrics.n; i++) {
        set_counter(s, METRIC, &s->metrics, &s->metrics.pairs[i], false);
    }
    for (size_t i = 0; i < SQL_COUNTER_DECLS; i++) {
        const char *const name = sql_counter_decls[i].name;
        const struct fact *const f = store_get(s->ctx->store, s->ctx->subject, span_of(name));
        if (span_ends(span_of(name), ".")) {
            continue;
        }
        if (f == NULL || f->value.kind != KIND_COUNT) {
            sql_missing(s, name, &s->status, name + sizeof(STATUS) - 1);
        }
    }
}
