/* The terminal view: the verdict first, then at most five findings with the exact fix, then counts and one
 * line a remedy. A view of the report document and of nothing else. */
#include "advisor/report/report.h"

#include <string.h>

#include "advisor/report/docread.h"
#include "advisor/report/textbuf.h"
#include "advisor/report/textfinding.h"
#include "advisor/report/textmissing.h"
#include "advisor/report/texttarget.h"
#include "rules/catalogue.h"

#include "advisor/base/banned.h"

#define TOP_FINDINGS 5
#define TOP_SERVERS 5
#define LINE_MAX_BYTES 4096

struct view {
    struct buf *b;
    const struct json *doc;
    const struct text_options *opt;
};

static unsigned long long count_at(const struct view *v, const char *group, const char *key)
{
    const struct json *counts = json_get(v->doc, "counts");
    return read_count(group == NULL || counts == NULL ? counts : json_get(counts, group), key);
}

/* "1 critical, 2 high" of a group of counts; empty when all are 0. */
static const char *levels_text(const struct view *v, const char *group)
{
    static const char *const levels[] = {"critical", "high", "medium", "low", "info"};
    struct buf b;
    buf_init(&b, v->b->arena, LINE_MAX_BYTES);
    for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
        const unsigned long long n = count_at(v, group, levels[i]);
        if (n > 0) {
            buf_printf(&b, "%s%llu %s", b.len > 0 ? ", " : "", n, levels[i]);
        }
    }
    return b.ptr;
}

static void print_verdict(const struct view *v)
{
    const char *verdict = json_get_str(v->doc, "verdict");
    const char *failed = levels_text(v, "failed_by_severity");
    const char *fail_on = json_get_str(v->doc, "fail_on");
    struct buf b;
    buf_init(&b, v->b->arena, LINE_MAX_BYTES);
    if (strcmp(verdict, "fail") == 0) {
        text_paint(v->b, v->opt, PAINT_RED, "FAIL");
        const size_t stops = texttarget_stops(v->doc);
        buf_printf(&b, " %s", failed);
        if (stops > 0) {
            buf_printf(&b, "%s%s would not start, for %zu line%s", failed[0] != '\0' ? "; " : "",
                       texttarget_name(v->b->arena, v->doc), stops, stops == 1 ? "" : "s");
        }
    } else if (strcmp(verdict, "unknown") == 0) {
        text_paint(v->b, v->opt, PAINT_YELLOW, "UNKNOWN");
        buf_printf(&b, " nothing failed at or above %s, but not all of it could be seen", fail_on);
    } else if (strcmp(verdict, "pass") == 0) {
        text_paint(v->b, v->opt, PAINT_GREEN, "PASS");
        buf_printf(&b, " nothing fails at or above %s%s%s", fail_on,
                   failed[0] != '\0' ? "; below it: " : "", failed);
    } else {
        text_paint(v->b, v->opt, PAINT_RED, "ERROR");
        buf_add_text(&b, " a server was asked for and none was found");
    }
    buf_add_char(v->b, ' ');
    text_wrap(v->b, v->opt, 8, 6, b.ptr);
}

static const char *or_unknown(const char *text)
{
    return text != NULL ? text : "unknown";
}

static const char *title_of(const struct json *server)
{
    enum flavour f;
    return flavour_from_name(span_of(read_text(server, "flavour")), &f) ? flavour_title(f)
                                                                        : "server not logged in to";
}

static void print_servers(const struct view *v)
{
    const struct json *subjects = json_get(v->doc, "subjects");
    const struct json *servers = read_list(subjects, "servers");
    const size_t shown =
        v->opt->verbose || servers->n <= TOP_SERVERS ? servers->n : TOP_SERVERS;
    for (size_t i = 0; i < shown; i++) {
        const struct json *s = servers->items[i], *data = json_get(s, "data");
        const char *label = or_unknown(json_get_str(s, "subject"));
        const char *version = json_get_str(s, "version"), *pool = json_get_str(s, "pool");
        struct buf b;
        buf_init(&b, v->b->arena, LINE_MAX_BYTES);
        buf_printf(&b, "%s: %s%s%s", span_starts(span_of(label), "server:") ? label + 7 : label,
                   title_of(s), version != NULL ? " " : "",
                   version != NULL ? version : "");
        if (pool != NULL) {
            buf_printf(&b, ", buffer pool %s", pool);
        }
        if (data != NULL && data->type == JSON_OBJECT) {
            const char *devices = read_text(data, "devices");
            const bool some = devices[0] != '\0' && strcmp(devices, "none") != 0;
            buf_printf(&b, ", data on %s%s%s", or_unknown(json_get_str(data, "fs")),
                       some ? ", " : "", some ? devices : "");
        }
        text_field(v->b, v->opt, 0, "server ", 7, b.ptr);
        if (json_get_str(s, "confidence_text") != NULL) {
            text_field(v->b, v->opt, 0, "       ", 7, json_get_str(s, "confidence_text"));
        }
    }
    if (shown < servers->n) {
        buf_printf(v->b, "and %zu more servers (-v shows them)\n", servers->n - shown);
    }
}

/* Failed findings in order of severity; those that another settles come after the rest of their level. */
static const struct json **sorted_failures(const struct view *v, size_t *ret_n)
{
    const struct json *all = read_list(v->doc, "findings");
    const struct json **out = arena_calloc(v->b->arena, all->n + 1, sizeof(struct json *));
    size_t n = 0;
    for (size_t i = 0; i < all->n; i++) {
        if (strcmp(or_unknown(json_get_str(all->items[i], "verdict")), "fail") == 0 &&
            !read_has(all->items[i], "waived")) {
            out[n++] = all->items[i];
        }
    }
    for (size_t i = 1; i < n; i++) { /* insertion: few, and stable */
        const struct json *f = out[i];
        size_t k = i;
        for (; k > 0 && textfinding_rank(out[k - 1]) < textfinding_rank(f); k--) {
            out[k] = out[k - 1];
        }
        out[k] = f;
    }
    *ret_n = n;
    return out;
}

/* Each rule once, with the number of its findings where that is more than one. */
static void add_rest(struct buf *b, const struct json **list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *rule = or_unknown(json_get_str(list[i], "rule"));
        size_t before = 0, all = 0;
        for (size_t k = 0; k < n; k++) {
            const bool same = read_is(list[k], "rule", rule);
            before += same && k < i;
            all += same;
        }
        if (before == 0) {
            buf_printf(b, "%s %s", i > 0 ? "," : "", rule);
        }
        if (before == 0 && all > 1) {
            buf_printf(b, " (%zu)", all);
        }
    }
}

static bool rule_stands_before(const struct json **list, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (read_is(list[k], "rule", or_unknown(json_get_str(list[i], "rule")))) {
            return true;
        }
    }
    return false;
}

/* The first finding of each rule to the front: what a rule says of a second volume is the same again. Returns how
 * many rules there are. */
static size_t each_rule_first(const struct view *v, const struct json **list, size_t n)
{
    const struct json **out = arena_calloc(v->b->arena, n + 1, sizeof(struct json *));
    size_t rules = 0, at = 0;
    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < n; i++) {
            if (rule_stands_before(list, i) == (again == 1)) {
                out[at++] = list[i];
            }
        }
        rules = again == 0 ? at : rules;
    }
    for (size_t i = 0; i < n; i++) {
        list[i] = out[i];
    }
    return rules;
}

static void print_failures(const struct view *v)
{
    size_t n = 0;
    const struct json **list = sorted_failures(v, &n);
    const size_t rules = v->opt->verbose ? n : each_rule_first(v, list, n);
    const size_t shown = v->opt->verbose || rules < TOP_FINDINGS ? rules : TOP_FINDINGS;
    for (size_t i = 0; i < shown; i++) {
        if (i == 0 || v->opt->verbose) {
            buf_add_char(v->b, '\n');
        }
        textfinding_print(v->b, v->opt, (unsigned)i + 1, list[i]);
    }
    if (shown < n) {
        struct buf b;
        buf_init(&b, v->b->arena, LINE_MAX_BYTES);
        buf_printf(&b, "%zu more (-v shows them):", n - shown);
        add_rest(&b, list + shown, n - shown);
        buf_add_char(v->b, '\n');
        text_wrap(v->b, v->opt, 0, 3, b.ptr);
    }
}

/* How many rules stand in the findings, or wait for a measurement. */
static unsigned long long rules_judged(const struct view *v)
{
    static const char *const keys[] = {"findings", "not_measured"};
    struct json *seen = json_object(v->b->arena);
    unsigned long long n = 0;
    for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
        const struct json *list = read_list(v->doc, keys[k]);
        for (size_t i = 0; i < list->n; i++) {
            const char *rule = read_text(list->items[i], "rule");
            n += json_get(seen, rule) == NULL;
            json_set(seen, rule, json_bool(v->b->arena, true));
        }
    }
    return n;
}

/* A rule with several subjects is judged on each; one whose subject is not here is not judged at all. */
static void print_counts(const struct view *v)
{
    static const struct {
        const char *key, *one, *many;
    } parts[] = {{"fail", "fails", "fail"},
                 {"pass", "passes", "pass"},
                 {"unknown", "unknown", "unknown"},
                 {"not_measured", "not measured", "not measured"},
                 {"error", "error", "errors"},
                 {"not_applicable", "does not apply", "do not apply"}};
    const unsigned long long rules = count_at(v, NULL, "rules"), judged = rules_judged(v);
    unsigned long long total = 0;
    struct buf b, counts;
    buf_init(&b, v->b->arena, LINE_MAX_BYTES);
    buf_init(&counts, v->b->arena, LINE_MAX_BYTES);
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        const unsigned long long n = count_at(v, NULL, parts[i].key);
        if (n > 0) {
            buf_printf(&counts, "%s %llu %s", total == 0 ? "" : ",", n,
                       n == 1 ? parts[i].one : parts[i].many);
        }
        total += n;
    }
    buf_printf(&b, "%llu rules", rules);
    if (total > judged) {
        buf_printf(&b, ", judged %llu times", total);
    }
    buf_printf(&b, ":%s", counts.ptr);
    if (judged < rules) {
        buf_printf(&b, "%s %llu had nothing to judge", total == 0 ? "" : ",", rules - judged);
    }
    buf_add_char(v->b, '\n');
    text_wrap(v->b, v->opt, 0, 3, b.ptr);
}

/* "waived: RULE on SUBJECT (fail, high) until 2027-03-31: reason [owner, ticket]" */
static void print_waived(const struct view *v)
{
    const struct json *all = read_list(v->doc, "findings");
    for (size_t i = 0; i < all->n; i++) {
        const struct json *f = all->items[i];
        if (!read_has(f, "waived")) {
            continue;
        }
        const struct json *w = json_get(f, "waived");
        const char *until = read_text(w, "expires"), *owner = read_text(w, "owner");
        struct buf b;
        buf_init(&b, v->b->arena, LINE_MAX_BYTES);
        buf_printf(&b, "%s on %s (%s, %s), %s%s: %s%s%s%s", read_text(f, "rule"),
                   read_text(f, "subject"), read_text(f, "verdict"), read_text(f, "severity"),
                   until[0] != '\0' ? "until " : "for good", until, read_text(w, "reason"),
                   owner[0] != '\0' ? " (" : "", owner, owner[0] != '\0' ? ")" : "");
        text_field(v->b, v->opt, 0, "waived: ", 8, b.ptr);
    }
}

static void print_notes(const struct view *v)
{
    static const char *const keys[] = {"notes", "refused"};
    for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
        const struct json *list = read_list(v->doc, keys[k]);
        for (size_t i = 0; i < list->n; i++) {
            text_field(v->b, v->opt, 0, "note: ", 6, span_dup(v->b->arena, list->items[i]->string));
        }
    }
    const struct json *overrides = read_list(v->doc, "overrides");
    for (size_t i = 0; i < overrides->n; i++) {
        text_field(v->b, v->opt, 0, "what-if: ", 9,
                   span_dup(v->b->arena, overrides->items[i]->string));
    }
}

static void print_unknown_findings(const struct view *v)
{
    const struct json *all = read_list(v->doc, "findings");
    for (size_t i = 0; i < all->n; i++) {
        const char *verdict = or_unknown(json_get_str(all->items[i], "verdict"));
        if ((strcmp(verdict, "unknown") == 0 || strcmp(verdict, "error") == 0) &&
            !read_has(all->items[i], "waived")) {
            buf_add_char(v->b, '\n');
            textfinding_print(v->b, v->opt, 0, all->items[i]);
        }
    }
}

void report_text(struct buf *b, const struct json *doc, const struct text_options *opt)
{
    const struct view v = {b, doc, opt};
    print_verdict(&v);
    print_servers(&v);
    print_failures(&v);
    texttarget_print(b, opt, doc);
    if (opt->verbose) {
        print_unknown_findings(&v);
    }
    print_counts(&v);
    textmissing_print(b, doc, opt);
    print_waived(&v);
    print_notes(&v);
}
