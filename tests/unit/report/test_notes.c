/* The notes of a report: what the host has not, and servers that are newer than the catalogue. */
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

#define NEWER "server:default is of version "
#define NO_NVME "no NVMe device"
#define NO_SERVER "no running mysqld"
#define UNSEEN "whether a server runs here is not known"

/* The notes on the host of these facts, one a line. */
static const char *notes_of(struct arena *a, const char *facts)
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
        {"server.flavour = mysql\nserver.version = 9.7.4\n", NULL, NULL},
        {"server.flavour = mysql\nserver.version = 9.7.9\n", NULL, NULL},
        {"server.flavour = mysql\nserver.version = 26.7.0\n", NEWER "26.7.0", "(9.7.4)"},
        {"server.flavour = percona\nserver.version = 8.4.6\n", NULL, NULL},
        {"server.flavour = percona\nserver.version = 9.1.0\n", NEWER "9.1.0", "(8.4)"},
        {"server.flavour = mariadb\nserver.version = 11.4.99\n", NULL, NULL},
        {"server.flavour = mariadb\nserver.version = 12.3.1\n", NEWER "12.3.1", "(11.8.9)"},
        {"server.flavour = mariadb\nserver.version = unknown\n", NULL, NULL},
        {"server.flavour = unknown\nserver.version = 26.7.0\n", NULL, NULL},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        const char *got = notes_of(a, rows[i].facts);
        const bool right = rows[i].want == NULL
                               ? got[0] == '\0'
                               : strstr(got, rows[i].want) != NULL &&
                                     (rows[i].more == NULL || strstr(got, rows[i].more) != NULL);
        if (!right) {
            fail_msg("%s: %s", rows[i].facts, got);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
