/* See storage_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/host/reply.h"
#include "tests/lib/twins.h"
#include "tests/unit/probes/storage_fixture.h"

#include "advisor/base/banned.h"

struct store *fixture_store(struct arena *a, const struct probe *probe)
{
    struct decl_set *set = decl_set_new(a);
    struct err e = ERR_INIT;
    for (size_t i = 0; i < probe->n_themes; i++) {
        if (!decl_set_add(set, probe->themes[i].rows, probe->themes[i].n, &e)) {
            fail_msg("%s", e.text);
        }
    }
    return store_new(a, set);
}

void fixture_all_set(const struct store *s, const struct subject *sub, const struct probe *probe)
{
    for (size_t t = 0; t < probe->n_themes; t++) {
        for (size_t i = 0; i < probe->themes[t].n; i++) {
            const struct fact_decl *d = &probe->themes[t].rows[i];
            if (d->subject != sub->kind) {
                continue;
            }
            const struct fact *f = store_get(s, sub, span_of(d->name));
            if (f == NULL) {
                fail_msg("%s was not set", d->name);
            } else if (f->state == FACT_KNOWN && f->value.kind != d->kind) {
                fail_msg("%s is %s, declared %s", d->name, kind_name(f->value.kind),
                         kind_name(d->kind));
            } else if (f->source == NULL || (f->state != FACT_KNOWN && f->reason == NULL)) {
                fail_msg("%s has no source or reason", d->name);
            }
        }
    }
}

struct subject *fixture_run_part(struct arena *a, struct store *s, const struct probe *probe,
                                 struct host *h, enum subject_kind kind,
                                 const struct probe_args *args)
{
    struct subject *sub = store_subject(s, kind, args->label);
    struct twin *const twin = twin_is_due() ? twin_new(a, h) : NULL;
    struct probe_ctx ctx = {.host = twin == NULL ? h : twin_host(twin), .store = s, .args = args, .subject = sub, .arena = a};
    if (probe->open == NULL || probe->open(&ctx)) {
        probe->run(&ctx);
        if (probe->ask != NULL) {
            probe->ask(&ctx);
        }
    }
    const char *const differences =
        twin == NULL ? "" : twin_differences(twin, probe, kind, args, s);
    if (differences[0] != '\0') {
        fail_msg("redacted: %s", differences);
    }
    return sub;
}

struct subject *fixture_run(struct arena *a, struct store *s, const struct probe *probe,
                            struct host *h, enum subject_kind kind, const struct probe_args *args)
{
    struct subject *const sub = fixture_run_part(a, s, probe, h, kind, args);
    fixture_all_set(s, sub, probe);
    return sub;
}

const char *fixture_text(struct arena *a, const struct store *s, const struct subject *sub,
                         const char *name)
{
    const struct fact *f = store_get(s, sub, span_of(name));
    if (f == NULL) {
        return "(none)";
    }
    if (f->state != FACT_KNOWN) {
        return arena_printf(a, "?%s", fact_state_name(f->state));
    }
    struct buf b;
    buf_init(&b, a, 65536);
    value_print_literal(&b, &f->value);
    return span_dup(a, buf_span(&b));
}

void fixture_check(struct arena *a, const struct store *s, const struct subject *sub,
                   const char *row, const struct want *wants)
{
    for (size_t i = 0; wants[i].name != NULL; i++) {
        const char *got = fixture_text(a, s, sub, wants[i].name);
        if (strcmp(got, wants[i].text) != 0) {
            const struct fact *f = store_get(s, sub, span_of(wants[i].name));
            fail_msg("%s: %s is '%s', not '%s' (%s)", row, wants[i].name, got, wants[i].text,
                     f != NULL && f->reason != NULL ? f->reason : "");
        }
    }
}

void fixture_list(struct host *h, const char *path, const char *names)
{
    struct span rest = span_of(names), word, items[64];
    size_t n = 0;
    while (n < ARRAY_LEN(items) && span_word(&rest, &word)) {
        items[n++] = word;
    }
    fakehost_reply(h, HOST_LIST, path, reply_names(h->arena, items, n));
}

void fixture_link(struct host *h, const char *path, const char *target)
{
    fakehost_reply(h, HOST_LINK, path, span_of(target));
}

void fixture_stat(struct host *h, const char *path, const struct host_stat *st)
{
    fakehost_reply(h, HOST_STAT, path, reply_stat(h->arena, st));
}
