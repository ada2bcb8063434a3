/* The notes of a report: what the host has not; and how far a server's version was tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/facts/factdoc.h"
#include "advisor/report/doc.h"
#include "probes/probe.h"

#include "advisor/base/banned.h"

#define NO_NVME "no NVMe device"
#define NO_SERVER "no running mysqld"
#define UNSEEN "whether a server runs here is not known"

/* The notes on the host of these facts, one a line; or what the first server's confidence is. */
static const char *told_of(struct arena *a, const char *facts, bool server)
{
    struct err err = ERR_INIT;
    struct ruleset rs;
    struct decl_set *decls = decl_set_new(a);
    if (!probes_declare(decls, &err) ||
        !ruleset_load(a, decls, rule_texts_builtin(a), &rs, NULL, &err)) {
        fail_msg("%s", err.text);
    }
    struct store *s = store_new(a, decls);
    if (!factdoc_read(s, "facts", span_of(facts), true, NULL, &err)) {
        fail_msg("%s", err.text);
    }
    struct report_input in = {.rules = &rs, .store = s};
    in.n_servers = store_subjects_of(s, SUBJECT_SERVER, &in.servers);
    const struct doc d = {a, &in};
    const struct json *notes = doc_notes(&d);
    struct buf b;
    buf_init(&b, a, 4096);
    if (server) {
        const struct json *first = json_get(doc_subjects(&d), "servers")->items[0];
        const char *level = json_get_str(first, "confidence");
        const char *text = json_get_str(first, "confidence_text");
        buf_printf(&b, "%s: %s", level != NULL ? level : "null", text != NULL ? text : "null");
        return b.ptr;
    }
    for (size_t i = 0; i < notes->n; i++) {
        buf_printf(&b, "%.*s\n", SPAN_ARG(notes->items[i]->string));
    }
    return b.ptr != NULL ? b.ptr : "";
}

static void test_notes(void **state)
{
    static const struct {
        const char *facts;
        const char *want, *more; /* parts that are there; NULL: no note at all, no second */
    } rows[] = {
        {"device.kind = nvme\n", NO_SERVER, NULL},
        {"host.server_processes = 0\n", NO_SERVER, NULL},
        {"host.server_processes = unknown(not_permitted)\n", UNSEEN, NULL},
        {"host.server_processes = unknown(timed_out)\ndevice.kind = nvme\n", UNSEEN, NULL},
        {"host.server_processes = unknown(crashed)\nserver.flavour = mysql\n", NULL, NULL},
        {"server.flavour = mysql\ndevice.kind = nvme\n", NULL, NULL},
        {"server.flavour = mysql\ndevice.kind = virtio\n", NO_NVME, NULL},
        {"server.flavour = mysql\ndevice.kind = unknown\n", NULL, NULL},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        const char *got = told_of(a, rows[i].facts, false);
        const bool right = rows[i].want == NULL
                               ? got[0] == '\0'
                               : strstr(got, rows[i].want) != NULL &&
                                     (rows[i].more == NULL || strstr(got, rows[i].more) != NULL);
        if (!right) {
            fail_msg("%s: %s", rows[i].facts, got);
        }
    }
}

static void test_confidence(void **state)
{
    static const struct {
        const char *flavour, *version, *want;
    } rows[] = {
        {"mysql", "9.7.4", "tried: null"},
        {"mysql", "9.7.9", "tried: null"},
        {"mysql", "26.7.0", "newer: MySQL 26.7.0 is newer than what nvadvise knows (9.7): judged as 9.7"},
        {"mysql", "8.0.36", "untried: not tried on MySQL 8.0: what is said of its settings comes from "
                            "documents and published lists"},
        {"percona", "8.4.6", "untried: not tried on Percona Server 8.4: "},
        {"percona", "9.1.0", "newer: Percona Server 9.1.0 is newer than what nvadvise knows (8.4): "},
        {"mariadb", "10.11.3", "tried: null"},
        {"mariadb", "11.8.99", "tried: null"},
        {"mariadb", "11.4.2", "untried: not tried on MariaDB 11.4: "},
        {"mariadb", "12.3.9", "untried: not tried on MariaDB 12.3: "},
        {"mariadb", "13.0.1", "newer: MariaDB 13.0.1 is newer than what nvadvise knows (12.3): "},
        {"mariadb", "unknown", "null: null"},
        {"unknown", "26.7.0", "null: null"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        const char *facts = arena_printf(a, "server.flavour = %s\nserver.version = %s\n",
                                         rows[i].flavour, rows[i].version);
        const char *got = told_of(a, facts, true);
        if (strncmp(got, rows[i].want, strlen(rows[i].want)) != 0) {
            fail_msg("%s %s: %s", rows[i].flavour, rows[i].version, got);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_confidence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
