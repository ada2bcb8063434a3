/* The facts document: which form it is, plain lines, and --set. The JSON form is in factdoc_json.c.
 * Must not know rules or probes. */
#include "advisor/facts/factdoc.h"

#include <string.h>

#include "advisor/facts/factdoc_parts.h"

#include "advisor/base/banned.h"

#define SHOWN_MAX 100

void factdoc_put(struct store *s, const struct place *p, const struct fact *f)
{
    const bool is_role = strcmp(p->fact, "volume.role") == 0 && f->state == FACT_KNOWN;
    unsigned roles = 0;
    for (size_t i = 0; is_role && i < f->value.n_items; i++) {
        enum role role;
        if (role_from_name(f->value.items[i], &role)) {
            roles |= (unsigned)role;
        }
    }
    for (size_t i = 0; i < p->n; i++) {
        store_set(s, p->subjects[i], p->fact, f);
        if (is_role) {
            store_find_subject(s, p->subjects[i]->label)->roles = roles;
        }
    }
}

static bool undeclared(const struct store *s, struct span name, const char *fact,
                       struct err *reterr)
{
    const char *near = decl_nearest(store_decls(s), span_of(fact));
    err_set(reterr, E_SYNTAX, "'%.*s' is no declared fact", SPAN_ARG(span_sub(name, 0, SHOWN_MAX)));
    return near != NULL ? err_hint(reterr, "The nearest name is %s.", near)
                        : err_hint(reterr, "'nvadvise facts -v' lists the facts.");
}

bool factdoc_undeclared(const struct docread *r, const char *where, struct span name,
                        const char *fact)
{
    const struct span shown = span_sub(name, 0, SHOWN_MAX);
    if (!r->strict) {
        if (r->skipped != NULL) {
            struct arena *a = r->skipped->arena;
            json_push(r->skipped, json_str(a, arena_printf(a, "%s: '%.*s' is no declared fact",
                                                           where, SPAN_ARG(shown))));
        }
        return true;
    }
    return undeclared(r->store, name, fact, r->reterr);
}

bool factdoc_fail(struct err *reterr, const struct err *inner, const char *where)
{
    err_set(reterr, inner->code, "%s: %s", where, inner->text);
    if (inner->hint[0] != '\0') {
        err_hint(reterr, "%s", inner->hint);
    }
    return false;
}

/* ---- values of plain lines -------------------------------------------------------------- */

/* A family says only "as the server says": the literal decides. */
static bool guess_value(struct arena *a, struct span text, struct value *ret, struct err *reterr)
{
    static const enum kind numeric[] = {KIND_BYTES,       KIND_SECONDS, KIND_RATE,
                                        KIND_BYTES_PER_S, KIND_CELSIUS, KIND_COUNT};
    struct num n;
    struct dim d;
    if (span_eq_text(text, "true") || span_eq_text(text, "false")) {
        *ret = value_bool(span_eq_text(text, "true"));
        return true;
    }
    if (units_parse(text, &n, &d, NULL)) {
        const bool whole = n.tag == NUM_INT && !span_ends(text, "%");
        for (size_t i = 0; i < ARRAY_LEN(numeric); i++) {
            if (dim_eq(d, kind_dim(numeric[i])) && (whole || numeric[i] != KIND_COUNT)) {
                *ret = value_num(numeric[i], n);
                return true;
            }
        }
        if (dim_eq(d, DIM_NONE)) {
            *ret = value_num(KIND_RATIO, n);
            return true;
        }
    }
    return value_read(a, KIND_STRING, NULL, false, text, ret, reterr);
}

/* "unknown", "unknown(STATE)", "unknown(STATE: why)" or "unknown(why)". */
static bool read_unknown(struct store *s, const struct fact_decl *decl, struct span text,
                         struct fact *ret)
{
    struct arena *a = store_arena(s);
    if (span_eq_text(text, "unknown")) {
        *ret = store_missing_fact(s, decl);
        ret->reason = ret->state == FACT_ABSENT ? "stated unknown" : ret->reason;
        return true;
    }
    if (!span_starts(text, "unknown(") || !span_ends(text, ")")) {
        return false;
    }
    const size_t open = strlen("unknown(");
    struct span why = span_trim(span_sub(text, open, text.len - open - 1));
    struct span rest = why;
    struct span word = why;
    enum fact_state state = FACT_ABSENT;
    span_split(&rest, ':', &word);
    if (fact_state_from_name(span_trim(word), &state) && state != FACT_KNOWN) {
        why = rest.len > 0 ? span_trim(rest) : word;
    } else {
        state = FACT_ABSENT;
    }
    *ret = (struct fact){.state = state, .value = {.kind = decl->kind}, .remedy = ""};
    ret->reason = why.len > 0 ? span_dup(a, why) : "stated unknown";
    return true;
}

/* Documents that people write: a word of an enum in whatever case. */
static struct span spelt(const struct fact_decl *decl, struct span text)
{
    struct span rest = span_of(decl->kind == KIND_ENUM ? decl->allowed : NULL);
    struct span word;
    while (span_split(&rest, ',', &word)) {
        if (span_eq_nocase(span_trim(word), text)) {
            return span_trim(word);
        }
    }
    return text;
}

/* "75" of a fact whose name says percent. */
static void as_percent(const struct place *p, struct span text, struct value *v)
{
    struct num hundredth;
    if (v->kind == KIND_RATIO && !span_ends(text, "%") &&
        strstr(p->fact, "_pct") != NULL && num_cmp(v->num, num_u64(1)) > 0 &&
        num_div(v->num, num_u64(100), &hundredth) == NUM_OK) {
        v->num = hundredth;
    }
}

/* `exact`: a number wants its unit, and a word its spelling; else a plain number is in the base unit. */
static bool read_literal(struct store *s, const struct place *p, struct span text, bool exact,
                         struct fact *ret, struct err *reterr)
{
    struct arena *a = store_arena(s);
    const struct fact_decl *decl = p->decl;
    struct value v;
    if (!exact) {
        text = spelt(decl, text);
    }
    if (read_unknown(s, decl, text, ret)) {
        return true;
    }
    /* A row of its own is exact; a family's row stands for names that it does not know. */
    const bool family = decl_find(store_decls(s), span_of(p->fact), false) == NULL;
    const bool ok = family && decl->kind == KIND_STRING
                        ? guess_value(a, text, &v, reterr)
                        : value_read(a, decl->kind, decl->allowed, !exact, text, &v, reterr);
    if (ok && !exact) {
        as_percent(p, text, &v);
    }
    if (ok) {
        *ret = (struct fact){.state = FACT_KNOWN, .value = v};
    }
    return ok;
}

/* ---- plain lines ------------------------------------------------------------------------ */

/* A '#' at the begin or after a blank starts a comment, but not between quotes. */
static struct span cut_comment(struct span line)
{
    bool quoted = false;
    for (size_t i = 0; i < line.len; i++) {
        const char c = line.ptr[i];
        const bool after_blank = i == 0 || line.ptr[i - 1] == ' ' || line.ptr[i - 1] == '\t';
        if (c == '\\' && quoted) {
            i++;
        } else if (c == '"') {
            quoted = !quoted && (after_blank || line.ptr[i - 1] == '{' || line.ptr[i - 1] == ',' ||
                                 line.ptr[i - 1] == '=');
        } else if (c == '#' && !quoted && after_blank) {
            return span_sub(line, 0, i);
        }
    }
    return line;
}

static bool check_line(struct span line, struct err *reterr)
{
    for (size_t i = 0; i < line.len; i++) {
        const unsigned char c = (unsigned char)line.ptr[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f) {
            return err_set(reterr, E_SYNTAX, "%s", c == 0 ? "NUL byte" : "control character");
        }
    }
    return span_is_utf8(line) || err_set(reterr, E_SYNTAX, "not UTF-8");
}

/* "name = value" or "SUBJECT/name = value"; labels may hold slashes, names do not. */
static bool split_assignment(struct span text, struct span *ret_subject, struct span *ret_name,
                             struct span *ret_value, struct err *reterr)
{
    struct span rest = text;
    struct span left;
    if (!span_has(text, '=') || !span_split(&rest, '=', &left)) {
        return err_set(reterr, E_SYNTAX, "'name = value' is wanted");
    }
    left = span_trim(left);
    *ret_value = span_trim(rest);
    if (ret_value->len == 0) {
        return err_set(reterr, E_SYNTAX, "no value behind '='");
    }
    size_t slash = left.len;
    while (slash > 0 && left.ptr[slash - 1] != '/') {
        slash--;
    }
    *ret_name = span_sub(left, slash, left.len);
    *ret_subject = span_sub(left, 0, slash == 0 ? 0 : slash - 1);
    if (slash == 1) {
        return err_set(reterr, E_SYNTAX, "no subject before '/'");
    }
    return true;
}

static bool read_line(const struct docread *r, struct span line, const char *where)
{
    struct span subject;
    struct span name;
    struct span value;
    struct place p;
    struct fact f;
    if (!check_line(line, r->reterr)) {
        return false;
    }
    line = span_trim(cut_comment(line));
    if (line.len == 0) {
        return true;
    }
    if (!split_assignment(line, &subject, &name, &value, r->reterr) ||
        !place_find(r->store, subject, name, PLACE_MAKE, &p, r->reterr)) {
        return false;
    }
    if (p.decl == NULL) {
        return factdoc_undeclared(r, where, name, p.fact);
    }
    if (!read_literal(r->store, &p, value, r->strict, &f, r->reterr)) {
        return false;
    }
    f.source = r->name;
    factdoc_put(r->store, &p, &f);
    return true;
}

static bool read_plain(const struct docread *r, struct span text)
{
    unsigned long n = 0;
    struct span rest = text;
    struct span line;
    while (span_line(&rest, &line)) {
        ARENA_AUTO scratch = arena_new();
        struct err err = ERR_INIT;
        const char *where = arena_printf(scratch, "%s:%lu", r->name, ++n);
        struct docread here = *r;
        here.reterr = &err;
        if (!read_line(&here, line, where)) {
            return factdoc_fail(r->reterr, &err, where);
        }
    }
    store_set_offline(r->store, true);
    return true;
}

bool factdoc_read(struct store *s, const char *name, struct span text, bool strict,
                  struct json *ret_skipped, struct err *reterr)
{
    const struct docread r = {s, name, strict, ret_skipped, reterr};
    if (text.len > FACTDOC_MAX) {
        return err_set(reterr, E_TOO_BIG, "%s:1: larger than %u bytes", name, FACTDOC_MAX);
    }
    if (span_starts(text, "\xef\xbb\xbf")) {
        text = span_sub(text, 3, text.len);
    }
    const struct span begin = span_trim(text);
    const bool json = span_starts(begin, "{") || span_starts(begin, "[");
    const bool ok = json ? factdoc_read_json(&r, text) : read_plain(&r, text);
    place_link_volumes(s);
    return ok;
}

static bool set_one(struct store *s, struct span text, struct err *reterr)
{
    struct span subject;
    struct span name;
    struct span value;
    struct place p;
    struct fact f;
    if (!check_line(text, reterr) || !split_assignment(text, &subject, &name, &value, reterr) ||
        !place_find(s, subject, name, PLACE_ALL, &p, reterr)) {
        return false;
    }
    if (p.decl == NULL) {
        return undeclared(s, name, p.fact, reterr);
    }
    if (!read_literal(s, &p, value, true, &f, reterr)) {
        return false;
    }
    f.source = "--set";
    f.overridden = true;
    factdoc_put(s, &p, &f);
    return true;
}

bool factdoc_set(struct store *s, const char *assignment, struct err *reterr)
{
    if (set_one(s, span_of(assignment), reterr)) {
        return true;
    }
    reterr->code = E_USAGE;
    return err_wrap(reterr, "--set '%.100s'", assignment);
}
