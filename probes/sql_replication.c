/* SQL probe, theme replication: does another server hold these data too, and this one follow it? */
#include "probes/setters.h"
#include "probes/sql.h"

#include "advisor/base/banned.h"

#define FACT "server.is_replica"

const struct fact_decl sql_replication_decls[SQL_REPLICATION_DECLS] = {
    {FACT, KIND_BOOL, NULL, SUBJECT_SERVER, FOLD_ALL, NEED_NONE, "has a replication channel",
     "SHOW REPLICA STATUS, SHOW ALL SLAVES STATUS", "REPLICATION CLIENT, SLAVE MONITOR"},
};

/* A channel that is stopped is one too: its row stays until RESET REPLICA ALL. */
void sql_read_replication(struct sql *s)
{
    struct host_rows rows;
    struct err e = ERR_INIT;
    const char *const source =
        s->flavour == SQL_MARIADB ? "SHOW ALL SLAVES STATUS" : "SHOW REPLICA STATUS";
    if (sql_ask(s, "replication-channels", &rows, &e)) {
        set_bool(s->ctx, FACT, rows.n_rows > 0, source);
    } else {
        sql_failed(s, FACT, &e, SQL_GRANT_REPLICATION, source);
    }
}
