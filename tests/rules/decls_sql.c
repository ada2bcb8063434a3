/* Declarations of what the SQL probe fills, for as long as it is not among the probes: the rules name
 * them. A name that a probe declares is left to it. */
#include "tests/rules/rulelib.h"

#include "advisor/base/banned.h"

#define ROW(name_, kind_, allowed_, fold_) \
    {name_, kind_, allowed_, SUBJECT_SERVER, fold_, NEED_NONE, "of a server", "a statement", ""}

static const struct fact_decl rows[] = {
    ROW("server.flavour", KIND_ENUM, "mysql,percona,mariadb", FOLD_SAME),
    ROW("server.version", KIND_VERSION, NULL, FOLD_SAME),
    ROW("server.status.Innodb_redo_log_capacity_resized", KIND_COUNT, NULL, FOLD_SAME),
    ROW("server.status.Innodb_checkpoint_max_age", KIND_COUNT, NULL, FOLD_SAME),
    ROW("server.redo.checkpoint_age", KIND_BYTES, NULL, FOLD_MAX),
    ROW("server.redo.write_rate_avg", KIND_BYTES_PER_S, NULL, FOLD_MAX),
    ROW("server.bp.bp_pages_dirty", KIND_COUNT, NULL, FOLD_MAX),
    ROW("server.bp.bp_pages_data", KIND_COUNT, NULL, FOLD_MAX),
    ROW("server.bp.bp_pages_free", KIND_COUNT, NULL, FOLD_MAX),
    ROW("server.doublewrite.mode", KIND_ENUM, "on,off,detect_only,fast", FOLD_SAME),
    ROW("server.binlog.enabled", KIND_BOOL, NULL, FOLD_ANY),
    ROW("server.session.max_used", KIND_COUNT, NULL, FOLD_MAX),
    ROW("server.session.running", KIND_COUNT, NULL, FOLD_MAX),
    ROW("server.memory.pfs", KIND_BYTES, NULL, FOLD_MAX),
    ROW("server.is_replica", KIND_BOOL, NULL, FOLD_ANY),
};

bool rulelib_declare_sql(struct decl_set *set, struct err *reterr)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (decl_find(set, span_of(rows[i].name), false) == NULL &&
            !decl_set_add(set, &rows[i], 1, reterr))
            return false;
    }
    return true;
}
