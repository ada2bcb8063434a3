/* The table of statements. Each row says what it needs and what it costs; a statement whose cost
 * grows with the number of tables has no place here. */
#include "probes/host/queries.h"

#include <string.h>

#include "advisor/base/banned.h"

#define KIB(n) ((n)*1024u)

const struct query query_rows[] = {
    {.id = "guard-limits",
     .use = QUERY_GUARD,
     .flavours = QUERY_MARIADB,
     .text = "SET SESSION max_statement_time = 2, lock_wait_timeout = 1",
     .privilege = "",
     .cost = "none: this session only",
     .max_rows = 0,
     .max_bytes = KIB(1)},
    {.id = "guard-limits",
     .use = QUERY_GUARD,
     .flavours = QUERY_MYSQL,
     .since = 50708,
     .text = "SET SESSION max_execution_time = 2000, lock_wait_timeout = 1",
     .privilege = "",
     .cost = "none: this session only",
     .max_rows = 0,
     .max_bytes = KIB(1)},
    {.id = "guard-limits",
     .use = QUERY_GUARD,
     .flavours = QUERY_MYSQL,
     .until = 50708,
     .text = "SET SESSION lock_wait_timeout = 1",
     .privilege = "",
     .cost = "none: this session only",
     .max_rows = 0,
     .max_bytes = KIB(1)},
    {.id = "guard-read-only",
     .use = QUERY_GUARD,
     .flavours = QUERY_ANY,
     .text = "SET SESSION TRANSACTION READ ONLY",
     .privilege = "",
     .cost = "none: this session only",
     .max_rows = 0,
     .max_bytes = KIB(1)},
    {.id = "version",
     .flavours = QUERY_ANY,
     .text = "SELECT VERSION() AS version, @@global.version_comment AS version_comment, "
             "CURRENT_USER() AS account",
     .privilege = "",
     .cost = "none",
     .max_rows = 1,
     .max_bytes = KIB(8)},
    /* Sets of transactions may be very large, and say nothing of interest. */
    {.id = "variables",
     .flavours = QUERY_ANY,
     .text = "SHOW GLOBAL VARIABLES WHERE Variable_name NOT IN ('gtid_executed', 'gtid_purged', "
             "'gtid_binlog_pos', 'gtid_binlog_state', 'gtid_current_pos', 'gtid_slave_pos')",
     .privilege = "",
     .cost = "1 to 5 ms, whatever the number of tables",
     .max_rows = 4000,
     .max_bytes = KIB(1024),
     .filter = FILTER_VARIABLES,
     .values = 1u << 1},
    {.id = "status",
     .flavours = QUERY_ANY,
     .text = "SHOW GLOBAL STATUS",
     .privilege = "",
     .cost = "1 to 8 ms, whatever the number of tables; adds up the sessions' counters",
     .max_rows = 4000,
     .max_bytes = KIB(1024)},
    {.id = "innodb-metrics",
     .flavours = QUERY_MARIADB,
     .since = 100500,
     .text = "SELECT m.NAME AS name, m.COUNT AS value "
             "FROM information_schema.INNODB_METRICS m WHERE m.ENABLED = 1",
     .privilege = "PROCESS",
     .cost = "1 to 2 ms, whatever the number of tables",
     .max_rows = 2000,
     .max_bytes = KIB(256)},
    {.id = "innodb-metrics",
     .flavours = QUERY_MYSQL,
     .text = "SELECT m.NAME AS name, m.COUNT AS value "
             "FROM information_schema.INNODB_METRICS m WHERE m.STATUS = 'enabled'",
     .privilege = "PROCESS",
     .cost = "1 to 3 ms, whatever the number of tables",
     .max_rows = 2000,
     .max_bytes = KIB(256)},
    {.id = "innodb-status",
     .flavours = QUERY_ANY,
     .text = "SHOW ENGINE INNODB STATUS",
     .privilege = "PROCESS",
     .cost = "below 1 ms; grows with the number of transactions that are open, up to 1 MiB of text",
     .max_rows = 4,
     .max_bytes = KIB(1536),
     .filter = FILTER_STATUS_TEXT,
     .values = 1u << 2},
    {.id = "variable-origins",
     .flavours = QUERY_MARIADB,
     .since = 100500,
     .text = "SELECT VARIABLE_NAME AS name, GLOBAL_VALUE_ORIGIN AS origin, "
             "GLOBAL_VALUE_PATH AS path, NUMERIC_MIN_VALUE AS low, NUMERIC_MAX_VALUE AS high, "
             "NUMERIC_BLOCK_SIZE AS step, READ_ONLY AS read_only "
             "FROM information_schema.SYSTEM_VARIABLES WHERE VARIABLE_SCOPE <> 'SESSION ONLY'",
     .privilege = "",
     .cost = "1 to 5 ms, whatever the number of tables",
     .max_rows = 4000,
     .max_bytes = KIB(1024),
     .filter = FILTER_VARIABLES,
     .values = 1u << 2},
    {.id = "variable-origins",
     .flavours = QUERY_MYSQL,
     .since = 90000,
     .text = "SELECT i.VARIABLE_NAME AS name, i.VARIABLE_SOURCE AS origin, "
             "i.VARIABLE_PATH AS path, m.MIN_VALUE AS low, m.MAX_VALUE AS high "
             "FROM performance_schema.variables_info i "
             "LEFT JOIN performance_schema.variables_metadata m USING (VARIABLE_NAME)",
     .privilege = "",
     .cost = "2 to 10 ms, whatever the number of tables",
     .max_rows = 4000,
     .max_bytes = KIB(1024)},
    {.id = "variable-origins",
     .flavours = QUERY_MYSQL,
     .since = 80000,
     .text = "SELECT VARIABLE_NAME AS name, VARIABLE_SOURCE AS origin, VARIABLE_PATH AS path, "
             "MIN_VALUE AS low, MAX_VALUE AS high FROM performance_schema.variables_info",
     .privilege = "",
     .cost = "1 to 3 ms, whatever the number of tables",
     .max_rows = 4000,
     .max_bytes = KIB(1024)},
    {.id = "pfs-memory",
     .flavours = QUERY_MARIADB,
     .since = 100502,
     .text = "SELECT SUM(CURRENT_NUMBER_OF_BYTES_USED) AS bytes "
             "FROM performance_schema.memory_summary_global_by_event_name "
             "WHERE EVENT_NAME LIKE 'memory/performance_schema/%'",
     .privilege = "SELECT on performance_schema.*",
     .cost = "below 1 ms; not asked where the performance schema is off",
     .max_rows = 1,
     .max_bytes = KIB(4)},
    {.id = "pfs-memory",
     .flavours = QUERY_MYSQL,
     .text = "SELECT SUM(CURRENT_NUMBER_OF_BYTES_USED) AS bytes "
             "FROM performance_schema.memory_summary_global_by_event_name "
             "WHERE EVENT_NAME LIKE 'memory/performance_schema/%'",
     .privilege = "SELECT on performance_schema.*",
     .cost = "below 1 ms; not asked where the performance schema is off",
     .max_rows = 1,
     .max_bytes = KIB(4)},
    /* A row a channel. With hosts, accounts, and statements that failed; so the rows are counted, and no more. */
    {.id = "replication-channels",
     .flavours = QUERY_MARIADB,
     .since = 100000,
     .text = "SHOW ALL SLAVES STATUS",
     .privilege = "SLAVE MONITOR (before 10.5 REPLICATION CLIENT)",
     .cost = "below 1 ms; waits for a START or STOP of replication that is at work",
     .max_rows = 256,
     .max_bytes = KIB(64),
     .filter = FILTER_ROWS,
     .values = 1u},
    {.id = "replication-channels",
     .flavours = QUERY_MYSQL,
     .since = 80022,
     .text = "SHOW REPLICA STATUS",
     .privilege = "REPLICATION CLIENT",
     .cost = "below 1 ms; waits for a START or STOP of replication that is at work",
     .max_rows = 256,
     .max_bytes = KIB(64),
     .filter = FILTER_ROWS,
     .values = 1u},
    {.id = "replication-channels",
     .flavours = QUERY_MYSQL,
     .text = "SHOW SLAVE STATUS",
     .privilege = "REPLICATION CLIENT",
     .cost = "below 1 ms; waits for a START or STOP of replication that is at work",
     .max_rows = 256,
     .max_bytes = KIB(64),
     .filter = FILTER_ROWS,
     .values = 1u},
    /* The log may hold an earlier start. Counted from a little before this one. */
    {.id = "open-files-log",
     .flavours = QUERY_MYSQL,
     .since = 80022,
     .text = "SELECT COUNT(*) AS hits FROM performance_schema.error_log WHERE ERROR_CODE IN "
             "('MY-010139', 'MY-010140', 'MY-010141', 'MY-010142') AND LOGGED >= NOW(6) - INTERVAL "
             "(SELECT VARIABLE_VALUE + 10 FROM performance_schema.global_status "
             "WHERE VARIABLE_NAME = 'Uptime') SECOND",
     .privilege = "SELECT on performance_schema.*",
     .cost = "below 5 ms: reads at most 5 MiB of memory; asked only where the variables do not tell",
     .max_rows = 1,
     .max_bytes = KIB(4)},
};

const size_t query_n_rows = ARRAY_LEN(query_rows);

const struct query *query_find(const char *id, enum query_flavour flavour, uint32_t version)
{
    for (size_t i = 0; i < query_n_rows; i++) {
        const struct query *q = &query_rows[i];
        if (strcmp(q->id, id) == 0 && (q->flavours & flavour) != 0 && version >= q->since &&
            (q->until == 0 || version < q->until)) {
            return q;
        }
    }
    return NULL;
}
