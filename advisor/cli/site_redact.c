/* What the site decided, in a report without names: see site.h. The texts are the caller's own;
 * what was read of the host is not parsed again. */
#include "advisor/cli/site.h"

#include <string.h>

#include "advisor/base/banned.h"

struct names {
    struct redactor *redactor;
    bool are_pseudonyms; /* labels are so already */
};

static const char *label_of(void *ctx, const char *label)
{
    const struct names *const n = ctx;
    return n->are_pseudonyms ? label : redactor_label(n->redactor, label);
}

static const char *text_of(void *ctx, const char *text)
{
    const struct names *const n = ctx;
    return redactor_message(n->redactor, text);
}

static void hide(struct redactor *r, const struct store *s, const struct subject *sub,
                 const char *fact)
{
    const struct fact *const f = store_get(s, sub, span_of(fact));
    if (f != NULL && f->state == FACT_KNOWN && f->value.kind == KIND_STRING) {
        redactor_hide_host(r, f->value.text);
    }
}

/* As redaction learns them out of the capture. */
static void hide_hosts(struct redactor *r, const struct store *s)
{
    for (size_t i = 0; i < store_subjects(s); i++) {
        const struct subject *const sub = store_subject_at(s, i);
        hide(r, s, sub, "host.name");
        hide(r, s, sub, "server.var.hostname");
        hide(r, s, sub, "server.var.report_host");
    }
}

void site_redact(struct session *s, const struct store *named, const struct redact_key *key,
                 bool are_pseudonyms)
{
    struct names n = {redactor_new(s->arena, key), are_pseudonyms};
    const struct waiver_renaming renaming = {&n, label_of, text_of};
    hide_hosts(n.redactor, named);
    if (s->waivers.name != NULL) {
        waivers_resolve(&s->waivers, named, &renaming);
    }
    if (s->profile != NULL && strcmp(s->profile->origin, "built in") != 0) {
        struct profile *const own = arena_alloc(s->arena, sizeof(*own));
        *own = *s->profile;
        own->name = text_of(&n, own->name);
        own->meaning = text_of(&n, own->meaning);
        own->origin = text_of(&n, own->origin);
        s->profile = own;
    }
}
