/* What the files of the SQL probe share: the answers of one server on their way to facts. */
#ifndef NVADVISE_PROBES_SQL_H
#define NVADVISE_PROBES_SQL_H

#include "probes/innodb_status.h"
#include "probes/probe.h"

/* What a statement needs beyond a login. */
enum sql_grant { SQL_GRANT_NONE, SQL_GRANT_PROCESS, SQL_GRANT_PERFORMANCE_SCHEMA, SQL_GRANT_REPLICATION };

/* Names and values of one statement, in byte order of the names. */
struct sql_pair {
    struct span name;
    struct span value;
    bool null;
    size_t at; /* row of the reply */
};

struct sql_table {
    const char *source; /* the statement, as facts name it */
    enum sql_grant grant;
    bool ok;
    struct err err; /* why not ok */
    struct sql_pair *pairs;
    size_t n;
};

enum sql_flavour { SQL_MYSQL, SQL_PERCONA, SQL_MARIADB };

struct sql {
    struct probe_ctx *ctx;
    bool lost; /* the connection is; nothing more is asked */
    struct err lost_err;
    const char *account; /* 'user'@'host' for GRANT; NULL: not told */
    bool has_version;
    struct version version;
    enum sql_flavour flavour; /* right when has_version */
    struct span version_text, comment;
    struct sql_table variables, status, metrics;
};

/* Ask; after a lost connection every further question fails at once. */
ATTR_NODISCARD bool sql_ask(struct sql *s, const char *id, struct host_rows *ret,
                            struct err *reterr);

/* Ask for name and value in the first two columns. Names that could not be part of a fact's name
 * are left out, and all but the first of equal ones. */
void sql_ask_table(struct sql *s, const char *id, struct sql_table *ret);

/* Can it be part of a fact's name: letters, digits, '_', dots inside, at most 100 bytes? */
bool sql_is_name(struct span s);

/* FAMILY and name, in lower case where `fold`. `name` is one that sql_is_name takes. Returns ret.
 */
#define SQL_FACT_ROOM 128u
const char *sql_fact_name(char ret[SQL_FACT_ROOM], const char *family, struct span name, bool fold);

/* Column by name, any case; false when the reply has none. */
bool sql_column(const struct host_rows *rows, const char *name, size_t *ret);
const struct host_cell *sql_cell(const struct host_rows *rows, size_t row, size_t column);

/* NULL: not there, or NULL. */
const struct span *sql_value(const struct sql_table *t, const char *name);

bool sql_is_mysql_from(const struct sql *s, uint32_t major, uint32_t minor, uint32_t patch);

/* Unknown with the state, reason and remedy that go with a failed statement. */
void sql_failed(struct sql *s, const char *fact, const struct err *e, enum sql_grant grant,
                const char *source);

/* Unknown because the reply of `t` does not hold `name`; or because `t` failed. */
void sql_missing(struct sql *s, const char *fact, const struct sql_table *t, const char *name);

/* A whole number or another, with blanks or anything else around it refused. */
bool sql_number(const struct sql_table *t, const char *name, struct num *ret);

/* The number `name` of `t` as a fact; false when it is not there, and nothing was set. */
bool sql_set_number(struct sql *s, const char *fact, enum kind kind, const struct sql_table *t,
                    const char *name);

/* "status 'Uptime'" */
const char *sql_source(struct sql *s, const struct sql_table *t, const char *name);

/* ON/OFF, 1/0, YES/NO, TRUE/FALSE whatever case. */
bool sql_switch(struct span text, bool *ret);

#define SQL_TEXT_SOURCE "SHOW ENGINE INNODB STATUS"

struct sql_text {
    bool ok;
    struct err err; /* why not ok */
    struct innodb_status status;
};

/* Version, variables and status; fills `s` and sets version and flavour. */
void sql_ask_server(struct sql *s);
void sql_ask_text(struct sql *s, struct sql_text *ret);

/* Each sets the facts of its own table, known or unknown; in this order. */
void sql_read_variables(struct sql *s);                         /* server.var. */
void sql_read_server(struct sql *s);                            /* identity, sessions, switches */
void sql_read_counters(struct sql *s);                          /* server.status., server.metric. */
void sql_read_text(struct sql *s, const struct sql_text *text); /* server.innodb. */
void sql_read_positions(struct sql *s, const struct sql_text *text); /* redo, pool, purge */
void sql_read_origins(struct sql *s);                                /* server.source., ranges */
void sql_read_files(struct sql *s);                                  /* limits that were not reached */
void sql_read_replication(struct sql *s);                            /* channels */

/* Every declared server.var.NAME that is not set, unknown so. */
void sql_variables_rest(struct probe_ctx *ctx, enum fact_state state, const char *source,
                        const char *remedy, const char *reason);

#define SQL_SERVER_DECLS 13
#define SQL_VARIABLE_DECLS 1
#define SQL_COUNTER_DECLS 4
#define SQL_POSITION_DECLS 11
#define SQL_INNODB_DECLS (INNODB_KEYS + 3)
#define SQL_ORIGIN_DECLS 5
#define SQL_FILE_DECLS 1
#define SQL_REPLICATION_DECLS 1
extern const struct fact_decl sql_server_decls[SQL_SERVER_DECLS];
extern const struct fact_decl sql_variable_decls[SQL_VARIABLE_DECLS];
extern const struct fact_decl sql_counter_decls[SQL_COUNTER_DECLS];
extern const struct fact_decl sql_position_decls[SQL_POSITION_DECLS];
extern const struct fact_decl sql_innodb_decls[SQL_INNODB_DECLS];
extern const struct fact_decl sql_origin_decls[SQL_ORIGIN_DECLS];
extern const struct fact_decl sql_file_decls[SQL_FILE_DECLS];
extern const struct fact_decl sql_replication_decls[SQL_REPLICATION_DECLS];

#endif
