/* A server made of replies, for the tests of the SQL probe. */
#ifndef NVADVISE_TESTS_UNIT_PROBES_SQL_FIXTURE_H
#define NVADVISE_TESTS_UNIT_PROBES_SQL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/probe.h"
#include "tests/lib/factcheck.h"
#include "tests/lib/fakehost.h"

#define SQL_LABEL "server:/run/db.sock"

struct sql_fixture {
    struct arena *arena;
    struct host *host;
    struct store *store;
    struct subject *server;
};

/* The statements of the probe, in the order they are asked. */
extern const char *const sql_ids[];
#define SQL_IDS 7

/* Nobody logged in yet, no reply known; the catalogue's variables are a handful. */
struct sql_fixture sql_fixture_new(struct arena *a);

/* A login, and the recorded replies of tests/cases/sql/NAME. */
void sql_recorded(struct sql_fixture *f, const char *name);

/* A login, and a small server: VERSION(), version_comment; rows "name\tvalue\n" after the heading.
 */
void sql_small(struct sql_fixture *f, const char *version, const char *comment,
               const char *variables, const char *status);

/* One reply: columns line and rows, as the seam has them. */
void sql_reply(struct sql_fixture *f, const char *id, const char *text);

void sql_run_probe(struct sql_fixture *f);

/* Every row of the probe, and every declared variable, has a fact with its texts in order. */
void sql_check_whole(const struct sql_fixture *f);

#endif
