/* See waiver.h. Knows nothing of reports and exit codes. */
#include "rules/waiver.h"

#include <string.h>
#include <time.h>

#include "advisor/base/hash.h"
#include "advisor/base/ini.h"
#include "advisor/base/near.h"
#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define DAY_S ((int64_t)86400)
#define NEAR_ENOUGH 4u

const char *waiver_state_name(enum waiver_state s)
{
    static const char *const names[] = {
        [WAIVER_USED] = "used",     [WAIVER_UNUSED] = "unused",       [WAIVER_EXPIRED] = "expired",
        [WAIVER_LAPSED] = "lapsed", [WAIVER_ELSEWHERE] = "elsewhere",
    };
    return names[s];
}

struct reading {
    struct arena *arena;
    const char *name;
    const struct ruleset *rs;
    int64_t today;
    const struct ini_section *section;
    struct err *err;
};

static bool wrong(const struct reading *r, unsigned line, const char *what)
{
    return err_set(r->err, E_SYNTAX, "%s:%u: [%.*s] %s", r->name, line,
                   SPAN_ARG(r->section->name), what);
}

/* ---- dates ---- */

/* YYYY-MM-DD: the first second after that day. */
static bool read_date(struct span s, int64_t *ret_end)
{
    uint64_t year = 0, month = 0, day = 0;
    if (s.len != 10 || s.ptr[4] != '-' || s.ptr[7] != '-' ||
        !parse_u64(span_sub(s, 0, 4), &year) || !parse_u64(span_sub(s, 5, 2), &month) ||
        !parse_u64(span_sub(s, 8, 2), &day) || year < 1970) {
        return false;
    }
    struct tm tm = {
        .tm_year = (int)year - 1900, .tm_mon = (int)month - 1, .tm_mday = (int)day};
    const time_t first = timegm(&tm);
    /* A day that is none comes back as another one. */
    if (tm.tm_mon != (int)month - 1 || tm.tm_mday != (int)day) {
        return false;
    }
    *ret_end = (int64_t)first + DAY_S;
    return true;
}

static bool read_end(const struct reading *r, const struct ini_entry *expires, bool permanent,
                     struct waiver *w)
{
    if (expires == NULL && !permanent) {
        return wrong(r, r->section->line, "no end: give 'expires = YYYY-MM-DD', or 'permanent = "
                                          "yes' with an owner");
    }
    if (expires != NULL && permanent) {
        return wrong(r, expires->line, "both 'expires' and 'permanent'");
    }
    if (permanent) {
        return w->owner != NULL || wrong(r, r->section->line, "a permanent waiver needs an owner");
    }
    if (!read_date(expires->value, &w->end)) {
        return wrong(r, expires->line, "expires: not a day, YYYY-MM-DD");
    }
    w->expires = span_dup(r->arena, expires->value);
    return w->end - r->today <= WAIVER_YEAR_S + DAY_S ||
           wrong(r, expires->line, "expires: more than a year ahead");
}

/* ---- one waiver ---- */

static bool read_rule(const struct reading *r, struct waiver *w)
{
    struct span id = r->section->name, word;
    (void)span_split(&id, ':', &word);
    w->rule = ruleset_find(r->rs, span_dup(r->arena, span_trim(word)));
    if (w->rule != NULL) {
        return true;
    }
    (void)wrong(r, r->section->line,
                arena_printf(r->arena, "there is no rule '%.*s'", SPAN_ARG(word)));
    unsigned least = NEAR_ENOUGH + 1;
    for (size_t i = 0; i < r->rs->n_rules; i++) {
        const unsigned d = near_distance(word, span_of(r->rs->rules[i].id));
        if (d < least) {
            least = d;
            err_hint(r->err, "Did you mean '%s'?", r->rs->rules[i].id);
        }
    }
    return false;
}

static bool read_yes(const struct reading *r, const struct ini_entry *e, bool *ret)
{
    if (span_eq_text(e->value, "yes") || span_eq_text(e->value, "no")) {
        *ret = span_eq_text(e->value, "yes");
        return true;
    }
    return wrong(r, e->line, "permanent: 'yes' or 'no'");
}

static bool read_waiver(const struct reading *r, struct waiver *w)
{
    enum { NARROWING = 3 }; /* from host on: empty, they would let more pass than they look like */
    const struct {
        const char *key;
        const char **at;
    } texts[] = {{"reason", &w->reason}, {"owner", &w->owner},     {"ticket", &w->ticket},
                 {"host", &w->host},     {"subject", &w->subject}, {"when_actual", &w->when_actual}};
    const struct ini_entry *expires = NULL;
    bool permanent = false;
    for (size_t i = 0; i < r->section->n_entries; i++) {
        const struct ini_entry *e = &r->section->entries[i];
        size_t k = 0;
        while (k < ARRAY_LEN(texts) && !span_eq_text(e->key, texts[k].key)) {
            k++;
        }
        if (k < ARRAY_LEN(texts)) {
            if (e->value.len == 0 && k >= NARROWING) {
                return wrong(r, e->line, arena_printf(r->arena, "%s: empty; leave the line out "
                                                                "where any will do",
                                                      texts[k].key));
            }
            *texts[k].at = e->value.len > 0 ? span_dup(r->arena, e->value) : NULL;
        } else if (span_eq_text(e->key, "expires")) {
            expires = e;
        } else if (!span_eq_text(e->key, "permanent")) {
            return wrong(r, e->line,
                         arena_printf(r->arena, "unknown key '%.*s'", SPAN_ARG(e->key)));
        } else if (!read_yes(r, e, &permanent)) {
            return false;
        }
    }
    w->line = r->section->line;
    w->state = WAIVER_UNUSED;
    return read_rule(r, w) && (w->reason != NULL || wrong(r, w->line, "no reason")) &&
           read_end(r, expires, permanent, w);
}

bool waivers_read(struct arena *a, const char *name, struct span text, const struct ruleset *rs,
                  int64_t today, struct waivers *ret, struct err *reterr)
{
    struct ini_file file;
    if (!ini_read(a, name, text, &file, reterr)) {
        return false;
    }
    struct waivers all = {.name = name};
    all.items = arena_calloc(a, file.n_sections, sizeof(*all.items));
    for (size_t i = 0; i < file.n_sections; i++) {
        const struct reading r = {a, name, rs, today, &file.sections[i], reterr};
        if (!read_waiver(&r, &all.items[all.n++])) {
            return false;
        }
    }
    struct hash *h = hash_new(a);
    hash_add(h, text);
    hash_end(h, all.hash);
    *ret = all;
    return true;
}

/* ---- findings ---- */

/* One star is remembered: linear in the text for each star, and never more. */
bool waiver_glob(const char *glob, struct span text)
{
    size_t g = 0, t = 0, star = SIZE_MAX, from = 0;
    while (t < text.len) {
        if (glob[g] == '*') {
            star = g++;
            from = t;
        } else if (glob[g] != '\0' && (glob[g] == '?' || glob[g] == text.ptr[t])) {
            g++;
            t++;
        } else if (star != SIZE_MAX) {
            g = star + 1;
            t = ++from;
        } else {
            return false;
        }
    }
    while (glob[g] == '*') {
        g++;
    }
    return glob[g] == '\0';
}

static bool fits_host(const struct waiver *w, const struct store *s)
{
    if (w->resolved) {
        return !w->elsewhere;
    }
    const struct subject *host = store_find_subject(s, "host");
    const struct fact *f = host == NULL ? NULL : store_get(s, host, SPAN_LIT("host.name"));
    return w->host == NULL || (f != NULL && f->state == FACT_KNOWN && f->value.kind == KIND_STRING &&
                               waiver_glob(w->host, f->value.text));
}

static bool fits_subject(const struct waiver *w, const struct subject *sub)
{
    bool listed = false;
    for (size_t i = 0; i < w->n_labels; i++) {
        listed = listed || strcmp(w->labels[i], sub->label) == 0;
    }
    return w->resolved ? listed
                       : w->subject == NULL || waiver_glob(w->subject, span_of(sub->label)) ||
                             waiver_glob(w->subject, span_of(sub->identity));
}

static bool fits(const struct waiver *w, const struct finding *f)
{
    const bool bad = f->verdict == VERDICT_FAIL || f->verdict == VERDICT_UNKNOWN ||
                     f->verdict == VERDICT_ERROR;
    return bad && f->rule == w->rule && fits_subject(w, f->subject);
}

/* As a fact's value prints, for people or as a literal. */
static bool still_actual(const struct waiver *w, const struct finding *f, struct arena *a)
{
    for (size_t i = 0; w->when_actual != NULL && i < f->n_evidence; i++) {
        struct buf text, literal;
        buf_init(&text, a, 4096);
        buf_init(&literal, a, 4096);
        value_print(&text, &f->evidence[i].fact->value);
        value_print_literal(&literal, &f->evidence[i].fact->value);
        if (span_eq_text(buf_span(&text), w->when_actual) ||
            span_eq_text(buf_span(&literal), w->when_actual)) {
            return true;
        }
    }
    return w->when_actual == NULL;
}

static void apply_one(struct waiver *w, struct findings *fs, const struct store *s, int64_t clock)
{
    for (size_t i = 0; i < fs->n; i++) {
        struct finding *f = &fs->items[i];
        if (!fits(w, f)) {
            continue;
        }
        if (w->expires != NULL && clock >= w->end) {
            w->state = WAIVER_EXPIRED;
        } else if (still_actual(w, f, store_arena(s))) {
            w->state = WAIVER_USED;
            w->soon = w->expires != NULL && w->end - clock <= WAIVER_SOON_S;
            f->waiver = w;
        } else if (w->state != WAIVER_USED) {
            w->state = WAIVER_LAPSED;
        }
    }
}

void waivers_apply(struct waivers *w, struct findings *f, const struct store *s, int64_t clock)
{
    for (size_t i = 0; i < w->n; i++) {
        if (fits_host(&w->items[i], s)) {
            apply_one(&w->items[i], f, s, clock);
        } else {
            w->items[i].state = WAIVER_ELSEWHERE;
        }
    }
}

static void rename_text(const struct waiver_renaming *r, const char **text)
{
    *text = *text == NULL ? NULL : r->text_of(r->ctx, *text);
}

void waivers_resolve(struct waivers *w, const struct store *s,
                     const struct waiver_renaming *renaming)
{
    rename_text(renaming, &w->name);
    for (size_t i = 0; i < w->n; i++) {
        struct waiver *const one = &w->items[i];
        const char **labels = arena_calloc(store_arena(s), store_subjects(s), sizeof(*labels));
        size_t n = 0;
        one->elsewhere = !fits_host(one, s);
        for (size_t k = 0; k < store_subjects(s); k++) {
            const struct subject *const sub = store_subject_at(s, k);
            if (fits_subject(one, sub)) {
                labels[n++] = renaming->label_of(renaming->ctx, sub->label);
            }
        }
        one->labels = labels;
        one->n_labels = n;
        one->resolved = true;
        const char **const texts[] = {&one->reason, &one->owner,   &one->ticket,
                                      &one->host,   &one->subject, &one->when_actual};
        for (size_t k = 0; k < ARRAY_LEN(texts); k++) {
            rename_text(renaming, texts[k]);
        }
    }
}
