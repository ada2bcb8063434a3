/* Reading the facts document as JSON (schema nvadvise.facts/1). Nothing in it is trusted: kinds,
 * units and subjects must be what the declarations say. Must not know rules or probes. */
#include "advisor/facts/factdoc_parts.h"

#include <string.h>

#include "advisor/base/banned.h"

#define SHOWN_MAX 100
#define WORDS_MAX 65536

static bool read_number(const struct docread *r, const char *name, enum kind k,
                        const struct json *entry, const struct json *v, struct value *ret)
{
    const char *unit = json_get_str(entry, "unit");
    struct num n = num_unlimited();
    if (json_get(entry, "unit") != NULL && json_get(entry, "unit")->type != JSON_NULL) {
        if (unit == NULL || !factdoc_has_unit(k, unit)) {
            return err_set(r->reterr, E_SYNTAX, "unit '%.40s' does not go with kind %s",
                           unit == NULL ? "?" : unit, kind_name(k));
        }
    } else {
        unit = factdoc_unit(name, k);
    }
    if (v->type == JSON_NUMBER) {
        n = v->number;
    } else if (v->type != JSON_STRING || !span_eq_text(v->string, "unlimited")) {
        return err_set(r->reterr, E_SYNTAX, "a number or \"unlimited\" is wanted");
    }
    if (unit != NULL && !factdoc_from_unit(n, unit, &n)) {
        return err_set(r->reterr, E_SYNTAX, "the number does not fit");
    }
    if (k == KIND_COUNT && n.tag == NUM_REAL) {
        return err_set(r->reterr, E_SYNTAX, "a whole number is wanted");
    }
    *ret = value_num(k, n);
    return true;
}

static bool check_word(const struct docread *r, const struct fact_decl *decl, struct span word)
{
    struct span rest = span_of(decl->allowed);
    struct span piece;
    if (decl->allowed == NULL) {
        return true;
    }
    while (span_split(&rest, ',', &piece)) {
        if (span_eq(span_trim(piece), word)) {
            return true;
        }
    }
    return err_set(r->reterr, E_SYNTAX, "'%.*s' is none of %.300s",
                   SPAN_ARG(span_sub(word, 0, SHOWN_MAX)), decl->allowed);
}

static bool read_words(const struct docread *r, const struct fact_decl *decl, enum kind k,
                       const struct json *v, struct value *ret)
{
    ARENA_AUTO scratch = arena_new();
    if (v->type != JSON_ARRAY || v->n > WORDS_MAX) {
        return err_set(r->reterr, E_SYNTAX, "an array of texts is wanted");
    }
    struct span *items = arena_calloc(scratch, v->n, sizeof(*items));
    for (size_t i = 0; i < v->n; i++) {
        if (v->items[i]->type != JSON_STRING) {
            return err_set(r->reterr, E_SYNTAX, "an array of texts is wanted");
        }
        items[i] = v->items[i]->string;
        if (!check_word(r, decl, items[i])) {
            return false;
        }
    }
    *ret = value_words(store_arena(r->store), k, items, v->n);
    return true;
}

static bool read_text(const struct docread *r, const struct fact_decl *decl, enum kind k,
                      const struct json *v, struct value *ret)
{
    if (v->type != JSON_STRING) {
        return err_set(r->reterr, E_SYNTAX, "a text is wanted");
    }
    if (k == KIND_VERSION) {
        struct version version;
        if (!version_parse_exact(v->string, &version)) {
            return err_set(r->reterr, E_SYNTAX, "a version such as \"8.0.36\" is wanted");
        }
        *ret = value_version(version);
        return true;
    }
    *ret = value_text(k, v->string);
    return k != KIND_ENUM || check_word(r, decl, v->string);
}

static bool read_value(const struct docread *r, const struct place *p, enum kind k,
                       const struct json *entry, const struct json *v, struct value *ret)
{
    if (kind_is_numeric(k)) {
        return read_number(r, p->fact, k, entry, v, ret);
    }
    if (k == KIND_SET || k == KIND_LIST) {
        return read_words(r, p->decl, k, v, ret);
    }
    if (k != KIND_BOOL) {
        return read_text(r, p->decl, k, v, ret);
    }
    *ret = value_bool(v->boolean);
    return v->type == JSON_BOOL || err_set(r->reterr, E_SYNTAX, "true or false is wanted");
}

/* Of a family ("as the server says"), the document says the kind, or the value's type shows it. */
static enum kind kind_by_type(const struct json *v)
{
    switch (v->type) {
    case JSON_BOOL:
        return KIND_BOOL;
    case JSON_NUMBER:
        return v->number.tag == NUM_REAL ? KIND_RATIO : KIND_COUNT;
    case JSON_ARRAY:
        return KIND_LIST;
    case JSON_NULL:
    case JSON_STRING:
    case JSON_OBJECT:
        break;
    }
    return KIND_STRING;
}

static bool read_kind(const struct docread *r, const struct place *p, const struct json *entry,
                      const struct json *v, enum kind *ret)
{
    const struct json *said = json_get(entry, "kind");
    const bool family = decl_find(store_decls(r->store), span_of(p->fact), false) == NULL;
    enum kind k = p->decl->kind;
    if (said != NULL && said->type != JSON_NULL &&
        (said->type != JSON_STRING || !kind_from_name(said->string, &k))) {
        return err_set(r->reterr, E_SYNTAX, "its kind is none that there is");
    }
    if (family && p->decl->kind == KIND_STRING) {
        *ret = said == NULL && v != NULL ? kind_by_type(v) : k;
        return true;
    }
    if (k != p->decl->kind) {
        return err_set(r->reterr, E_SYNTAX, "it says kind %s, but this fact is declared as %s",
                       kind_name(k), kind_name(p->decl->kind));
    }
    *ret = k;
    return true;
}

static bool read_state(const struct docread *r, const struct json *entry, bool has_value,
                       enum fact_state *ret)
{
    const struct json *said = json_get(entry, "state");
    enum fact_state state = FACT_KNOWN;
    if (said != NULL &&
        (said->type != JSON_STRING || !fact_state_from_name(said->string, &state))) {
        return err_set(r->reterr, E_SYNTAX, "its state is none that there is");
    }
    if (said == NULL && !has_value) {
        state = FACT_ABSENT;
    }
    if ((state == FACT_KNOWN) != has_value) {
        return err_set(r->reterr, E_SYNTAX,
                       has_value ? "an unknown fact has no value" : "a known fact has no value");
    }
    *ret = state;
    return true;
}

static const char *text_or(const struct json *entry, const char *key, const char *other)
{
    const char *text = json_get_str(entry, key);
    return text == NULL || text[0] == '\0' ? other : text;
}

static bool is_marked(const struct json *entry, const char *key)
{
    const struct json *v = json_get(entry, key);
    return v != NULL && v->type == JSON_BOOL && v->boolean;
}

static bool read_fact(const struct docread *r, const struct json *entry, const char *where)
{
    const struct json *name = json_get(entry, "name");
    const struct json *subject = json_get(entry, "subject");
    const struct json *v = json_get(entry, "value");
    struct span label = {"", 0};
    struct place p;
    struct fact f = {.state = FACT_KNOWN};
    enum kind k = KIND_STRING;
    if (name == NULL || name->type != JSON_STRING) {
        return err_set(r->reterr, E_SYNTAX, "no name");
    }
    if (subject != NULL && subject->type == JSON_STRING) {
        label = subject->string;
    } else if (subject != NULL && subject->type != JSON_NULL) {
        return err_set(r->reterr, E_SYNTAX, "its subject is no text");
    }
    v = v != NULL && v->type == JSON_NULL ? NULL : v;
    if (!place_find(r->store, label, name->string, PLACE_MAKE, &p, r->reterr)) {
        return false;
    }
    if (p.decl == NULL) {
        return factdoc_undeclared(r, where, name->string, p.fact);
    }
    if (label.len == 0) {
        store_set_offline(r->store, true);
    }
    if (!read_state(r, entry, v != NULL, &f.state) || !read_kind(r, &p, entry, v, &k)) {
        return false;
    }
    f.value.kind = k;
    if (v != NULL && !read_value(r, &p, k, entry, v, &f.value)) {
        return false;
    }
    f.reason = v != NULL ? NULL : text_or(entry, "reason", "stated unknown");
    f.remedy = text_or(entry, "remedy", "");
    f.source = text_or(entry, "source", r->name);
    f.overridden = is_marked(entry, "overridden");
    f.derived = is_marked(entry, "derived");
    f.estimated = is_marked(entry, "estimated");
    factdoc_put(r->store, &p, &f);
    return true;
}

static bool read_roles(const struct docread *r, const struct json *list, struct subject *sub)
{
    unsigned roles = 0;
    if (list->type != JSON_ARRAY) {
        return err_set(r->reterr, E_SYNTAX, "its roles are no array");
    }
    for (size_t i = 0; i < list->n; i++) {
        enum role role;
        if (list->items[i]->type != JSON_STRING || !role_from_name(list->items[i]->string, &role)) {
            return err_set(r->reterr, E_SYNTAX, "one of its roles is none that there is");
        }
        roles |= (unsigned)role;
    }
    sub->roles = roles;
    return true;
}

static bool read_subject(const struct docread *r, const struct json *entry)
{
    const char *label = json_get_str(entry, "subject");
    const char *server = json_get_str(entry, "server");
    const struct json *roles = json_get(entry, "roles");
    struct subject *sub = NULL;
    struct subject *of = NULL;
    if (label == NULL) {
        return err_set(r->reterr, E_SYNTAX, "no subject");
    }
    if (!place_subject(r->store, span_of(label), &sub, r->reterr)) {
        return false;
    }
    if (json_get_str(entry, "identity") != NULL) {
        sub->identity = arena_strdup(store_arena(r->store), json_get_str(entry, "identity"));
    }
    if (sub->kind != SUBJECT_VOLUME) {
        return true;
    }
    if (server != NULL) {
        if (!place_subject(r->store, span_of(server), &of, r->reterr)) {
            return false;
        }
        if (of->kind != SUBJECT_SERVER) {
            return err_set(r->reterr, E_SYNTAX, "its server is no server");
        }
        sub->server = of;
    }
    return roles == NULL || read_roles(r, roles, sub);
}

/* Facts first: an entry that makes a volume guesses roles, which the list of subjects then states.
 */
static bool read_members(const struct docread *r, const struct json *doc, const char *key,
                         const char *what)
{
    const struct json *list = json_get(doc, key);
    for (size_t i = 0; list != NULL && i < list->n; i++) {
        ARENA_AUTO scratch = arena_new();
        struct err err = ERR_INIT;
        struct docread here = *r;
        here.reterr = &err;
        const struct json *entry = list->items[i];
        const char *name = json_get_str(entry, "name");
        const char *where = arena_printf(scratch, "%s: %s %zu%s%.100s%s", r->name, what, i + 1,
                                         name == NULL ? "" : " ('", name == NULL ? "" : name,
                                         name == NULL ? "" : "')");
        const bool ok = entry->type != JSON_OBJECT
                            ? err_set(&err, E_SYNTAX, "no object")
                            : (strcmp(key, "facts") == 0 ? read_fact(&here, entry, where)
                                                         : read_subject(&here, entry));
        if (!ok) {
            return factdoc_fail(r->reterr, &err, where);
        }
    }
    return true;
}

static bool check_schema(const struct docread *r, const struct json *doc)
{
    const char *schema = json_get_str(doc, "schema");
    const struct json *facts = json_get(doc, "facts");
    const struct json *subjects = json_get(doc, "subjects");
    if (schema == NULL || strcmp(schema, FACTDOC_SCHEMA) != 0) {
        err_set(r->reterr, E_SYNTAX, "%s: no facts document: its schema is '%.60s', not '%s'",
                r->name, schema == NULL ? "" : schema, FACTDOC_SCHEMA);
        return err_hint(r->reterr, "nvadvise facts --format json writes one.");
    }
    if (facts == NULL || facts->type != JSON_ARRAY ||
        (subjects != NULL && subjects->type != JSON_ARRAY)) {
        return err_set(r->reterr, E_SYNTAX, "%s: no array 'facts', or 'subjects' is none", r->name);
    }
    return true;
}

bool factdoc_read_json(const struct docread *r, struct span text)
{
    ARENA_AUTO scratch = arena_new();
    struct json *doc = NULL;
    return json_read(scratch, r->name, text, &doc, r->reterr) && check_schema(r, doc) &&
           read_members(r, doc, "facts", "fact") && read_members(r, doc, "subjects", "subject");
}
