/* Finding the subject of a name in a facts document. Must not know the forms of the document, nor
 * values. */
#include "advisor/facts/place.h"

#include <string.h>

#include "advisor/base/banned.h"

#define SHOWN_MAX 100

static bool is_name(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        const char c = s.ptr[i];
        const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
        if (!good) {
            return false;
        }
    }
    return s.len > 0 && s.len <= 256;
}

/* ---- subjects by label ------------------------------------------------------------------ */

static bool kind_of_label(struct span label, enum subject_kind *ret)
{
    if (span_eq_text(label, "host")) {
        *ret = SUBJECT_HOST;
        return true;
    }
    for (unsigned k = SUBJECT_SERVER; k < SUBJECT_KINDS; k++) {
        const struct span word = span_of(subject_kind_name((enum subject_kind)k));
        if (span_starts(label, word.ptr) && label.len > word.len + 1 &&
            label.ptr[word.len] == ':') {
            *ret = (enum subject_kind)k;
            return true;
        }
    }
    return false;
}

static bool is_label_text(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        if ((unsigned char)s.ptr[i] < 0x20 || s.ptr[i] == 0x7f) {
            return false;
        }
    }
    return s.len <= 512 && span_is_utf8(s);
}

/* "volume:LABEL:ROLE": the label, which may hold colons, and the role behind the last. */
static struct span volume_label(struct span label, struct span *ret_role)
{
    const struct span rest = span_sub(label, strlen("volume:"), label.len);
    size_t at = rest.len;
    while (at > 0 && rest.ptr[at - 1] != ':') {
        at--;
    }
    *ret_role = span_sub(rest, at, rest.len);
    return at == 0 ? rest : span_sub(rest, 0, at - 1);
}

/* A volume named for a role has that role alone; the data volume has all that no other took. */
static void give_roles(struct store *s, struct subject *volume)
{
    struct span role_text;
    const struct span label = volume_label(span_of(volume->label), &role_text);
    enum role role = ROLE_DATA;
    unsigned taken = 0;
    if (!role_from_name(role_text, &role)) {
        role = ROLE_DATA;
    }
    for (size_t i = 0; i < store_subjects(s); i++) {
        struct subject *other = store_subject_at(s, i);
        struct span ignored;
        if (other == volume || other->kind != SUBJECT_VOLUME ||
            !span_eq(volume_label(span_of(other->label), &ignored), label)) {
            continue;
        }
        taken |= other->roles;
        if (role != ROLE_DATA) {
            other->roles &= ~(unsigned)role;
        }
    }
    volume->roles = role == ROLE_DATA ? (ROLE_ALL & ~taken) | ROLE_DATA : (unsigned)role;
}

static struct subject *only_of(const struct store *s, enum subject_kind kind)
{
    const struct subject *const *all;
    return store_subjects_of(s, kind, &all) == 1 ? store_find_subject(s, all[0]->label) : NULL;
}

static void link_volume(struct store *s, struct subject *volume)
{
    ARENA_AUTO scratch = arena_new();
    struct span role;
    const struct span label = volume_label(span_of(volume->label), &role);
    const char *server = arena_printf(scratch, "server:%.*s", SPAN_ARG(label));
    volume->server = store_find_subject(s, server);
    if (volume->server == NULL) {
        volume->server = only_of(s, SUBJECT_SERVER);
    }
}

void place_link_volumes(struct store *s)
{
    for (size_t i = 0; i < store_subjects(s); i++) {
        struct subject *sub = store_subject_at(s, i);
        if (sub->kind == SUBJECT_VOLUME && sub->server == NULL) {
            link_volume(s, sub);
        }
    }
}

bool place_subject(struct store *s, struct span label, struct subject **ret, struct err *reterr)
{
    ARENA_AUTO scratch = arena_new();
    enum subject_kind kind;
    const struct span shown = span_sub(label, 0, SHOWN_MAX);
    if (!is_label_text(label) || !kind_of_label(label, &kind)) {
        return err_set(reterr, E_SYNTAX,
                       "'%.*s' is no subject: host, server:LABEL, "
                       "volume:LABEL:ROLE or device:NAME is wanted",
                       SPAN_ARG(shown));
    }
    const char *text = span_dup(scratch, label);
    const bool is_new = store_find_subject(s, text) == NULL;
    if (is_new && store_subjects(s) >= PLACE_SUBJECTS_MAX) {
        return err_set(reterr, E_TOO_BIG, "more than %d subjects", PLACE_SUBJECTS_MAX);
    }
    struct subject *sub = store_subject(s, kind, text);
    if (is_new && kind == SUBJECT_VOLUME) {
        give_roles(s, sub);
        link_volume(s, sub);
    }
    *ret = sub;
    return true;
}

/* ---- names ------------------------------------------------------------------------------ */

struct meaning {
    const char *fact;
    const struct fact_decl *decl;
    unsigned role; /* 0: the name holds none */
};

/* "data.fs.type" -> "volume.fs.type" of the role's volume; "data.bench.x" -> "bench.x" of it. */
static void read_name(struct store *s, struct span name, struct meaning *ret)
{
    struct arena *a = store_arena(s);
    struct span rest = name;
    struct span word;
    enum role role;
    *ret = (struct meaning){.fact = NULL};
    if (span_split(&rest, '.', &word) && role_from_name(word, &role)) {
        ret->role = (unsigned)role;
        ret->fact = span_starts(rest, "bench.") ? span_dup(a, rest)
                                                : arena_printf(a, "volume.%.*s", SPAN_ARG(rest));
    } else {
        char *fact = span_dup(a, name);
        const size_t family = strlen("server.var.");
        /* The server takes both spellings of its variables. */
        for (size_t i = family; span_starts(name, "server.var.") && i < name.len; i++) {
            fact[i] = fact[i] == '-' ? '_' : fact[i];
        }
        ret->fact = fact;
    }
    ret->decl = decl_find(store_decls(s), span_of(ret->fact), true);
}

static bool wrong_subject(const struct meaning *m, struct span name, const char *where,
                          struct err *reterr)
{
    return err_set(reterr, E_SYNTAX, "'%.*s' belongs to a %s, not to '%.*s'",
                   SPAN_ARG(span_sub(name, 0, SHOWN_MAX)), subject_kind_name(m->decl->subject),
                   SHOWN_MAX, where);
}

static bool one(struct store *s, const struct subject *sub, struct place *ret)
{
    const struct subject **list = arena_calloc(store_arena(s), 1, sizeof(*list));
    list[0] = sub;
    ret->subjects = list;
    ret->n = 1;
    return true;
}

static bool ambiguous(struct span name, const struct subject *a, const struct subject *b,
                      struct err *reterr)
{
    err_set(reterr, E_SYNTAX, "'%.*s' may belong to '%.100s' or to '%.100s'",
            SPAN_ARG(span_sub(name, 0, SHOWN_MAX)), a->label, b->label);
    return err_hint(reterr, "Name the subject: SUBJECT/NAME = VALUE.");
}

/* ---- roles ------------------------------------------------------------------------------ */

static bool make_data_volume(struct store *s, const struct subject *server, struct place *ret,
                             struct err *reterr)
{
    ARENA_AUTO scratch = arena_new();
    struct subject *sub = NULL;
    const char *label = arena_printf(
        scratch, "volume:%s:data", server == NULL ? "default" : server->label + strlen("server:"));
    if (!place_subject(s, span_of(label), &sub, reterr)) {
        return false;
    }
    if (server != NULL) {
        sub->server = server;
    }
    return one(s, sub, ret);
}

static bool place_role_of(struct store *s, const struct subject *server, const struct meaning *m,
                          struct span name, enum place_mode mode, struct place *ret,
                          struct err *reterr)
{
    place_link_volumes(s);
    ret->n = store_volumes(s, server, (enum role)m->role, &ret->subjects);
    if (ret->n == 0 && (mode == PLACE_MAKE || store_is_offline(s))) {
        return make_data_volume(s, server, ret, reterr);
    }
    if (ret->n == 0) {
        return err_set(reterr, E_SYNTAX, "'%.*s': no volume is known of '%.100s'",
                       SPAN_ARG(span_sub(name, 0, SHOWN_MAX)), server->label);
    }
    if (ret->n > 1 && mode == PLACE_MAKE) {
        return ambiguous(name, ret->subjects[0], ret->subjects[1], reterr);
    }
    return true;
}

/* Over all servers: what --set without a subject means. */
static bool place_role_all(struct store *s, const struct subject *const *servers, size_t n_servers,
                           const struct meaning *m, struct span name, struct place *ret,
                           struct err *reterr)
{
    const struct subject *const *all;
    const size_t n = store_subjects_of(s, SUBJECT_VOLUME, &all);
    const struct subject **list = arena_calloc(store_arena(s), n, sizeof(*list));
    size_t found = 0;
    for (size_t i = 0; i < n_servers; i++) {
        struct place one_server = *ret;
        if (!place_role_of(s, servers[i], m, name, PLACE_ALL, &one_server, reterr)) {
            return false;
        }
        for (size_t k = 0; k < one_server.n && found < n; k++) {
            list[found++] = one_server.subjects[k];
        }
    }
    ret->subjects = list;
    ret->n = found;
    return true;
}

/* A role is always one of some server's, so a document that names one speaks of a server. */
static bool place_role(struct store *s, const struct meaning *m, struct span name,
                       enum place_mode mode, struct place *ret, struct err *reterr)
{
    const struct subject *const *servers;
    size_t n = store_subjects_of(s, SUBJECT_SERVER, &servers);
    if (n == 0) {
        if (mode == PLACE_ALL && !store_is_offline(s)) {
            return err_set(reterr, E_SYNTAX, "'%.*s': there is no server to set it on",
                           SPAN_ARG(span_sub(name, 0, SHOWN_MAX)));
        }
        store_subject(s, SUBJECT_SERVER, "server:default");
        n = store_subjects_of(s, SUBJECT_SERVER, &servers);
    }
    if (n == 1) {
        const struct subject *const *volumes;
        place_link_volumes(s);
        /* Volumes made before any server carry the plain label. */
        if (store_volumes(s, servers[0], (enum role)m->role, &volumes) == 0 &&
            (mode == PLACE_MAKE || store_is_offline(s))) {
            return make_data_volume(s, NULL, ret, reterr);
        }
        return place_role_of(s, servers[0], m, name, mode, ret, reterr);
    }
    if (mode == PLACE_ALL) {
        return place_role_all(s, servers, n, m, name, ret, reterr);
    }
    return ambiguous(name, servers[0], servers[1], reterr);
}

/* ---- the whole -------------------------------------------------------------------------- */

static bool place_named(struct store *s, struct span label, const struct meaning *m,
                        struct span name, enum place_mode mode, struct place *ret,
                        struct err *reterr)
{
    struct subject *sub = NULL;
    ARENA_AUTO scratch = arena_new();
    const char *text = span_dup(scratch, label);
    if (mode == PLACE_ALL && store_find_subject(s, text) == NULL) {
        return err_set(reterr, E_SYNTAX, "there is no subject '%.*s'",
                       SPAN_ARG(span_sub(label, 0, SHOWN_MAX)));
    }
    if (!place_subject(s, label, &sub, reterr)) {
        return false;
    }
    if (m->role != 0 && sub->kind == SUBJECT_SERVER) {
        return place_role_of(s, sub, m, name, mode, ret, reterr);
    }
    if (m->role != 0 || sub->kind != m->decl->subject) {
        return wrong_subject(m, name, sub->label, reterr);
    }
    return one(s, sub, ret);
}

static bool place_only(struct store *s, const struct meaning *m, struct span name,
                       enum place_mode mode, struct place *ret, struct err *reterr)
{
    static const char *const made[SUBJECT_KINDS] = {"host", "server:default", "volume:default:data",
                                                    "device:default"};
    const enum subject_kind kind = m->decl->subject;
    const struct subject *const *all;
    const size_t n = store_subjects_of(s, kind, &all);
    if (n == 0) {
        struct subject *sub = NULL;
        if (mode == PLACE_ALL && !store_is_offline(s) && kind != SUBJECT_HOST) {
            return err_set(reterr, E_SYNTAX, "'%.*s': there is no %s to set it on",
                           SPAN_ARG(span_sub(name, 0, SHOWN_MAX)), subject_kind_name(kind));
        }
        return place_subject(s, span_of(made[kind]), &sub, reterr) && one(s, sub, ret);
    }
    if (n > 1 && mode == PLACE_MAKE) {
        return ambiguous(name, all[0], all[1], reterr);
    }
    ret->subjects = all;
    ret->n = n;
    return true;
}

bool place_find(struct store *s, struct span subject, struct span name, enum place_mode mode,
                struct place *ret, struct err *reterr)
{
    struct meaning m;
    struct place found = {.n = 0};
    if (!is_name(name)) {
        return err_set(reterr, E_SYNTAX, "'%.*s' is no name of a fact",
                       SPAN_ARG(span_sub(name, 0, SHOWN_MAX)));
    }
    read_name(s, name, &m);
    found.fact = m.fact;
    found.decl = m.decl;
    if (m.decl == NULL) {
        *ret = found;
        return true;
    }
    if (m.role != 0 && m.decl->subject != SUBJECT_VOLUME) {
        return wrong_subject(&m, name, "a volume", reterr);
    }
    bool ok = false;
    if (subject.len > 0) {
        ok = place_named(s, subject, &m, name, mode, &found, reterr);
    } else if (m.role != 0) {
        ok = place_role(s, &m, name, mode, &found, reterr);
    } else {
        ok = place_only(s, &m, name, mode, &found, reterr);
    }
    if (ok) {
        *ret = found;
    }
    return ok;
}
