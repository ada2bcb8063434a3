/* The texts and commands of a rule, filled in for one finding. Pure; knows nothing of terminals and
 * templates. */
#include <string.h>

#include "advisor/report/doc.h"

#include "advisor/base/banned.h"

#define TEXT_MAX 4096

const char *doc_fill(const struct doc *d, const struct finding *f, const char *text)
{
    if (text == NULL || text[0] == '\0') {
        return text;
    }
    const struct eval_env env =
        engine_env(d->in->rules, d->in->store, f->subject, f->leaf, d->arena);
    return engine_fill(&env, d->in->rules, f->rule->scope, text, d->arena);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* The disk a finding speaks of: its own subject, or the leaf that decided. */
static const struct subject *disk_of(const struct finding *f)
{
    return f->leaf != NULL ? f->leaf : f->subject->kind == SUBJECT_DEVICE ? f->subject : NULL;
}

/* A unit that holds what others started in it: to restart it would end them all. */
static bool holds_others(struct span unit)
{
    static const char *const names[] = {"docker.service",     "containerd.service", "crio.service",
                                        "cri-docker.service", "kubelet.service",    "k3s.service"};
    bool held = span_starts(unit, "user@");
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        held = held || span_eq_text(unit, names[i]);
    }
    return held;
}

/* The unit that started a server, by its control group: "/system.slice/mariadb.service". One of a user's own
 * manager is not one of the system's. */
static struct span unit_of(const struct doc *d, const struct subject *server)
{
    const struct fact *f = store_get(d->in->store, server, SPAN_LIT("server.cgroup.path"));
    struct span rest = {"", 0}, part, unit = SPAN_LIT("UNIT.service");
    if (f != NULL && f->state == FACT_KNOWN) {
        rest = f->value.text;
    }
    while (span_split(&rest, '/', &part)) {
        if (holds_others(part)) {
            return SPAN_LIT("UNIT.service");
        }
        if (span_ends(part, ".service") && part.len > sizeof(".service") - 1) {
            unit = part;
        }
    }
    return unit;
}

/* The client that checks tables. MariaDB has its own name for it since 10.5, and no other from 11.0 on where the
 * old names are not installed. A device's server is the first one. */
static struct span checker_of(const struct doc *d, const struct finding *f)
{
    static const struct version renamed = {{10, 5}, 2};
    const struct subject *server = f->subject->kind == SUBJECT_SERVER   ? f->subject
                                   : f->subject->kind == SUBJECT_VOLUME ? f->subject->server
                                                                        : NULL;
    if (server == NULL && d->in->n_servers > 0) {
        server = d->in->servers[0];
    }
    const struct fact *flavour =
        server == NULL ? NULL : store_get(d->in->store, server, SPAN_LIT("server.flavour"));
    const struct fact *version =
        server == NULL ? NULL : store_get(d->in->store, server, SPAN_LIT("server.version"));
    const bool own = flavour != NULL && flavour->state == FACT_KNOWN &&
                     span_eq_text(flavour->value.text, "mariadb") && version != NULL &&
                     version->state == FACT_KNOWN &&
                     version_cmp(&version->value.version, &renamed) >= 0;
    return own ? SPAN_LIT("mariadb-check") : SPAN_LIT("mysqlcheck");
}

/* The value of the place that `text` begins with, or the word that stands for it; empty: no place. */
static struct span place_at(const struct doc *d, const struct finding *f, const char *text)
{
    const struct subject *disk = disk_of(f);
    if (strncmp(text, "$U", 2) == 0 && f->subject->kind == SUBJECT_SERVER) {
        return unit_of(d, f->subject);
    }
    if (strncmp(text, "$K", 2) == 0) {
        return checker_of(d, f);
    }
    const struct {
        const char *sign;
        const struct subject *sub;
        const char *fact, *missing;
    } places[] = {
        {"$D", disk, "device.name", "DISK"},
        {"$C", disk, "device.controller", "CONTROLLER"},
        {"$M", f->subject->kind == SUBJECT_VOLUME ? f->subject : NULL, "volume.mountpoint",
         "MOUNTPOINT"},
    };
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        if (strncmp(text, places[i].sign, 2) != 0) {
            continue;
        }
        const struct fact *fact = places[i].sub == NULL ? NULL
                                                        : store_get(d->in->store, places[i].sub,
                                                                    span_of(places[i].fact));
        const bool known = fact != NULL && fact->state == FACT_KNOWN && fact->value.text.len > 0;
        return known ? fact->value.text : span_of(places[i].missing);
    }
    return (struct span){"", 0};
}

const char *doc_places(const struct doc *d, const struct finding *f, const char *text)
{
    struct buf b;
    buf_init(&b, d->arena, TEXT_MAX);
    for (const char *c = text; c != NULL && *c != '\0'; c++) {
        const struct span value = place_at(d, f, c);
        if (value.len == 0) {
            buf_add_char(&b, *c);
        } else {
            buf_add_span(&b, value);
            c++;
        }
    }
    return text == NULL ? NULL : b.ptr != NULL ? b.ptr : "";
}

/* A number as a program reads it: digits of the base unit, without its name and without grouping. */
static void add_number(struct buf *b, struct num n)
{
    struct num whole;
    num_print(b, num_floor(n, &whole) == NUM_OK ? whole : n);
}

/* "{{volume.path}}" as a word of a command; unknown: PATH. */
static void add_name(const struct doc *d, const struct finding *f, struct span braced,
                     struct buf *b)
{
    const struct span name = span_trim(span_sub(braced, 2, braced.len - 4));
    const struct eval_env env =
        engine_env(d->in->rules, d->in->store, f->subject, f->leaf, d->arena);
    struct value v;
    if (engine_value(&env, d->in->rules, f->rule->scope, name, &v)) {
        if (kind_is_numeric(v.kind)) {
            add_number(b, v.num);
            return;
        }
        struct buf text;
        buf_init(&text, d->arena, TEXT_MAX);
        value_print(&text, &v);
        buf_add_shell(b, buf_span(&text));
        return;
    }
    size_t from = name.len;
    while (from > 0 && name.ptr[from - 1] != '.') {
        from--;
    }
    for (size_t i = from; i < name.len; i++) {
        const char c = name.ptr[i];
        buf_add_char(b, c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
    }
}

const char *doc_command(const struct doc *d, const struct finding *f, const char *command)
{
    struct buf b;
    buf_init(&b, d->arena, TEXT_MAX);
    for (const char *c = command; *c != '\0'; c++) {
        const char *end = strncmp(c, "{{", 2) == 0 ? strstr(c, "}}") : NULL;
        const struct span place = place_at(d, f, c);
        if (end != NULL) {
            add_name(d, f, (struct span){c, (size_t)(end + 2 - c)}, &b);
            c = end + 1;
        } else if (place.len > 0) {
            buf_add_shell(&b, place);
            c++;
        } else {
            buf_add_char(&b, *c);
        }
    }
    return b.ptr != NULL ? b.ptr : "";
}
