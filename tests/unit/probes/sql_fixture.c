/* See sql_fixture.h. */
#include "tests/unit/probes/sql_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/base/file.h"
#include "tests/lib/twins.h"

#include "advisor/base/banned.h"

const char *const sql_ids[SQL_IDS] = {"version",         "variables",     "status",
                                      "innodb-metrics",  "innodb-status", "pfs-memory",
                                      "variable-origins"};

#define VARIABLE(name, kind, words)                                                                \
    {                                                                                              \
        "server.var." name, kind, words, SUBJECT_SERVER, FOLD_SAME, 0, "a variable", "it", ""      \
    }

/* As the catalogue declares them. */
static const struct fact_decl variables[] = {
    VARIABLE("innodb_buffer_pool_size", KIND_BYTES, NULL),
    VARIABLE("innodb_io_capacity", KIND_RATE, NULL),
    VARIABLE("innodb_max_dirty_pages_pct", KIND_RATIO, NULL),
    VARIABLE("innodb_flush_sync", KIND_BOOL, NULL),
    VARIABLE("innodb_flush_method", KIND_ENUM, "fsync, O_DSYNC, O_DIRECT, O_DIRECT_NO_FSYNC"),
    VARIABLE("innodb_flush_log_at_trx_commit", KIND_COUNT, NULL),
    VARIABLE("innodb_log_file_size", KIND_BYTES, NULL),
    VARIABLE("innodb_redo_log_capacity", KIND_BYTES, NULL),
    VARIABLE("optimizer_disk_read_ratio", KIND_RATIO, NULL),
    VARIABLE("long_query_time", KIND_SECONDS, NULL),
    VARIABLE("tmpdir", KIND_STRING, NULL),
};

static bool declare(struct decl_set *set, const struct fact_decl *rows, size_t n)
{
    struct err e = ERR_INIT;
    for (size_t i = 0; i < n; i++) {
        const bool ok = span_ends(span_of(rows[i].name), ".")
                            ? decl_set_add_family(set, rows[i].name, &rows[i], &e)
                            : decl_set_add(set, &rows[i], 1, &e);
        if (!ok) {
            print_error("%s\n", e.text);
            return false;
        }
    }
    return true;
}

struct sql_fixture sql_fixture_new(struct arena *a)
{
    struct decl_set *const set = decl_set_new(a);
    bool ok = declare(set, variables, ARRAY_LEN(variables));
    for (size_t t = 0; t < probe_sql.n_themes; t++) {
        ok = ok && declare(set, probe_sql.themes[t].rows, probe_sql.themes[t].n);
    }
    assert_true(ok);
    struct sql_fixture f = {.arena = a, .host = fakehost_new(a), .store = store_new(a, set)};
    f.server = store_subject(f.store, SUBJECT_SERVER, SQL_LABEL);
    return f;
}

void sql_reply(struct sql_fixture *f, const char *id, const char *text)
{
    fakehost_reply(f->host, HOST_SQL, id, span_of(text));
}

void sql_recorded(struct sql_fixture *f, const char *name)
{
    fakehost_reply(f->host, HOST_OPEN, "sql", SPAN_LIT("hello"));
    for (size_t i = 0; i < SQL_IDS; i++) {
        struct err e = ERR_INIT;
        struct span text;
        const char *const path =
            arena_printf(f->arena, "%s/tests/cases/sql/%s/%s.tsv", NV_SOURCE_DIR, name, sql_ids[i]);
        if (file_read(f->arena, path, 1u << 20, &text, &e)) {
            fakehost_reply(f->host, HOST_SQL, sql_ids[i], text);
        } else if (e.code != E_ABSENT) {
            fail_msg("%s", e.text);
        }
    }
}

void sql_small(struct sql_fixture *f, const char *version, const char *comment,
               const char *variables_rows, const char *status_rows)
{
    struct arena *const a = f->arena;
    fakehost_reply(f->host, HOST_OPEN, "sql", SPAN_LIT("hello"));
    sql_reply(f, "version",
              arena_printf(a, "version\tversion_comment\taccount\n%s\t%s\tmonitor@10.0.0.%%\n",
                           version, comment));
    sql_reply(f, "variables", arena_printf(a, "Variable_name\tValue\nprotocol_version\t10\n%s", variables_rows));
    sql_reply(f, "status", arena_printf(a, "Variable_name\tValue\nAborted_clients\t0\n%s", status_rows));
    sql_reply(f, "innodb-metrics", "name\tvalue\n");
    sql_reply(f, "innodb-status",
              "Type\tName\tStatus\nInnoDB\t\t---\\nLOG\\n---\\nLog sequence number 900\\n"
              "Log flushed up to 800\\nLast checkpoint at 700\\n0 pending log flushes, 0 x\\n\n");
    fakehost_fail(f->host, HOST_SQL, "pfs-memory", E_DENIED, 0);
    fakehost_fail(f->host, HOST_SQL, "variable-origins", E_NOT_SUPPORTED, 0);
}

void sql_run_probe(struct sql_fixture *f)
{
    static const struct probe_args args = {.label = SQL_LABEL};
    struct twin *const twin = twin_new(f->arena, f->host);
    struct probe_ctx ctx = {
        .host = twin_host(twin), .store = f->store, .args = &args, .subject = f->server, .arena = f->arena};
    if (probe_sql.open(&ctx)) {
        probe_sql.run(&ctx);
    }
    const char *const differences =
        twin_differences(twin, &probe_sql, SUBJECT_SERVER, &args, f->store);
    if (differences[0] != '\0') {
        fail_msg("redacted: %s", differences);
    }
}

/* What a facts document takes back: a count is whole, a member of a family is of its kind. */
static void check_kinds(const struct sql_fixture *f)
{
    const struct fact_row *facts = NULL;
    const size_t n = store_facts(f->store, f->server, &facts);
    for (size_t i = 0; i < n; i++) {
        const struct fact *const fact = facts[i].fact;
        const struct fact_decl *const d =
            decl_find(store_decls(f->store), span_of(facts[i].name), true);
        const bool free = d == NULL || d->kind == KIND_STRING;
        if (fact->state == FACT_KNOWN &&
            ((fact->value.kind == KIND_COUNT && fact->value.num.tag != NUM_INT) ||
             (!free && fact->value.kind != d->kind))) {
            fail_msg("%s is no %s", facts[i].name, kind_name(fact->value.kind));
        }
    }
}

void sql_check_whole(const struct sql_fixture *f)
{
    check_kinds(f);
    const struct decl_set *const set = store_decls(f->store);
    for (size_t i = 0; i < decl_count(set); i++) {
        const struct fact_decl *const d = decl_at(set, i);
        const struct fact *const fact = store_get(f->store, f->server, span_of(d->name));
        if (fact == NULL) {
            fail_msg("%s was not set", d->name);
        } else if (fact->source[0] == '\0' ||
                   (fact->state != FACT_KNOWN && fact->reason[0] == '\0')) {
            fail_msg("%s has no source or reason", d->name);
        } else if (fact->state == FACT_KNOWN && fact->value.kind != d->kind) {
            fail_msg("%s is a %s", d->name, kind_name(fact->value.kind));
        }
    }
}
