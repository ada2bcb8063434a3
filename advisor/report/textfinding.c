/* One finding on a terminal: title, where, the exact fix; with -v why, evidence, risk and undo. */
#include "advisor/report/textfinding.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "advisor/report/docread.h"
#include "advisor/report/textbuf.h"

#include "advisor/base/banned.h"

#define TITLE_AT 13
#define INDENT 4
#define LABEL 6
#define LINE_MAX_BYTES 4096
#define SHORT_FIXES 2

/* Does one of its settings belong to another rule, that came first? */
static bool is_settled(const struct json *finding)
{
    const struct json *settings = read_list(finding, "settings");
    for (size_t i = 0; i < settings->n; i++) {
        if (strcmp(read_text(settings->items[i], "rule"), read_text(finding, "rule")) == 0) {
            return false;
        }
    }
    return settings->n > 0;
}

int textfinding_rank(const struct json *finding)
{
    static const char *const levels[] = {"info", "low", "medium", "high", "critical"};
    int rank = 0;
    for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
        if (strcmp(read_text(finding, "severity"), levels[i]) == 0) {
            rank = (int)i * 2;
        }
    }
    return rank + (is_settled(finding) ? 0 : 1);
}

static void print_title(struct buf *b, const struct text_options *opt, unsigned number,
                        const struct json *f)
{
    char prefix[16] = "   ";
    if (number > 0) {
        (void)snprintf(prefix, sizeof(prefix), "%2u.", number % 1000);
    }
    struct buf level;
    buf_init(&level, b->arena, 16);
    const char *severity = read_text(f, "severity");
    const bool failed = read_is(f, "verdict", "fail");
    buf_printf(&level, "%-9s", failed ? severity : read_text(f, "verdict"));
    buf_add_text(b, prefix);
    buf_add_char(b, ' ');
    text_paint(b, opt, text_severity_paint(severity), level.ptr);
    struct buf title;
    buf_init(&title, b->arena, LINE_MAX_BYTES);
    buf_printf(&title, "%s%s", read_text(f, "title"),
               read_flag(f, "overridden") ? " (what-if)" : "");
    text_wrap(b, opt, TITLE_AT, TITLE_AT, title.ptr);
}

static void print_where(struct buf *b, const struct text_options *opt, const struct json *f)
{
    struct buf where;
    buf_init(&where, b->arena, LINE_MAX_BYTES);
    buf_printf(&where, "%s on %s", read_text(f, "rule"), read_text(f, "subject"));
    if (read_text(f, "device")[0] != '\0') {
        buf_printf(&where, ", %s", read_text(f, "device"));
    }
    text_field(b, opt, INDENT, "rule", LABEL, where.ptr);
}

/* "innodb_buffer_pool_size = 6442450944 (6 GiB), was 128 MiB; at the next restart; estimated" */
static void print_setting(struct buf *b, const struct text_options *opt, const struct json *s)
{
    const bool sysctl = read_is(s, "where", "sysctl");
    const bool comment = read_is(s, "line", "comment");
    struct buf line;
    buf_init(&line, b->arena, LINE_MAX_BYTES);
    buf_printf(&line, sysctl ? "sysctl -w %s=%s" : "%s = %s", read_text(s, "variable"),
               read_text(s, "new"));
    if (strcasecmp(read_text(s, "new"), read_text(s, "new_text")) != 0) {
        buf_printf(&line, " (%s)", read_text(s, "new_text"));
    }
    buf_printf(&line, ", was %s", read_text(s, "old_text"));
    if (!sysctl) {
        buf_add_text(&line, read_flag(s, "dynamic") ? "; at once" : "; restart");
    }
    if (comment) {
        buf_add_text(&line, "; only a comment, undecided");
    } else if (read_flag(s, "estimated")) {
        buf_add_text(&line, "; estimated first step");
    }
    text_field(b, opt, INDENT, "fix", LABEL, line.ptr);
    if (read_has(s, "first")) {
        buf_init(&line, b->arena, LINE_MAX_BYTES);
        buf_printf(&line, "first %s: SET PERSIST wins over option files", read_text(s, "first"));
        text_field(b, opt, INDENT, "", LABEL, line.ptr);
    }
}

static bool only_looks(const struct json *action)
{
    return read_is(action, "effect", "none");
}

/* What a command takes along, where that is more than the moment it runs. */
static const char *effect_text(const char *effect)
{
    static const char *const texts[][2] = {{"remount", "takes effect with a remount"},
                                           {"restart", "needs the server stopped or restarted"},
                                           {"reboot", "stops the whole host"}};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        if (strcmp(effect, texts[i][0]) == 0) {
            return texts[i][1];
        }
    }
    return NULL;
}

static void print_action(struct buf *b, const struct text_options *opt, const struct json *action)
{
    text_command(b, opt, INDENT, only_looks(action) ? "look" : "fix", LABEL,
                 read_text(action, "command"));
    const char *effect = effect_text(read_text(action, "effect"));
    if (effect != NULL) {
        text_field(b, opt, INDENT, "", LABEL, effect);
    }
    if (read_text(action, "destroys")[0] != '\0') {
        struct buf line;
        buf_init(&line, b->arena, LINE_MAX_BYTES);
        buf_printf(&line, "this destroys %s", read_text(action, "destroys"));
        text_field(b, opt, INDENT, "", LABEL, line.ptr);
    }
}

/* Its settings stand with another finding already: name them, do not repeat them. */
static void print_settled(struct buf *b, const struct text_options *opt, const struct json *f)
{
    const struct json *settings = read_list(f, "settings");
    struct buf line;
    buf_init(&line, b->arena, LINE_MAX_BYTES);
    buf_printf(&line, "settled by %s:", read_text(settings->items[0], "rule"));
    for (size_t i = 0; i < settings->n; i++) {
        buf_printf(&line, "%s %s", i > 0 ? "," : "", read_text(settings->items[i], "variable"));
    }
    text_field(b, opt, INDENT, "fix", LABEL, line.ptr);
}

/* "remove query_cache_size = 16M at /etc/mysql/my.cnf:7", and why. */
static void print_item(struct buf *b, const struct text_options *opt, const struct json *item)
{
    struct buf line;
    buf_init(&line, b->arena, LINE_MAX_BYTES);
    buf_printf(&line, "%s %s", read_text(item, "advice"), read_text(item, "setting"));
    if (read_text(item, "value")[0] != '\0') {
        buf_printf(&line, " = %s", read_text(item, "value"));
    }
    if (read_has(item, "file")) {
        buf_printf(&line, " at %s", read_text(item, "file"));
    }
    if (read_count(item, "line") > 0) {
        buf_printf(&line, ":%llu", (unsigned long long)read_count(item, "line"));
    }
    text_field(b, opt, INDENT, "fix", LABEL, line.ptr);
    if (read_text(item, "text")[0] != '\0') {
        text_field(b, opt, INDENT, "", LABEL, read_text(item, "text"));
    }
}

/* The lines that it is about; false: it is about none. */
static bool print_items(struct buf *b, const struct text_options *opt, const struct json *f)
{
    const struct json *items = read_list(f, "items");
    const size_t most = opt->verbose ? items->n : SHORT_FIXES;
    for (size_t i = 0; i < items->n && i < most; i++) {
        print_item(b, opt, items->items[i]);
    }
    if (most < items->n) {
        struct buf more;
        buf_init(&more, b->arena, 64);
        buf_printf(&more, "and %zu more, see -v", items->n - most);
        text_field(b, opt, INDENT, "", LABEL, more.ptr);
    }
    return items->n > 0;
}

/* Where few lines may be shown, those that change something are the fix. */
static size_t n_changing(const struct json *actions)
{
    size_t n = 0;
    for (size_t i = 0; i < actions->n; i++) {
        n += !only_looks(actions->items[i]);
    }
    return n;
}

static void print_fixes(struct buf *b, const struct text_options *opt, const struct json *f)
{
    const struct json *settings = read_list(f, "settings"), *actions = read_list(f, "actions");
    if (is_settled(f)) {
        print_settled(b, opt, f);
        return;
    }
    if (print_items(b, opt, f) && !opt->verbose) {
        return;
    }
    /* What no option file carries stands among the rule's commands as well. */
    const bool commands_say_it =
        actions->n > 0 && settings->n > 0 && !read_is(settings->items[0], "where", "option_file");
    const size_t n_settings = commands_say_it ? 0 : settings->n;
    const size_t all = n_settings + actions->n;
    const bool minor = read_is(f, "severity", "low") || read_is(f, "severity", "info");
    const size_t most = opt->verbose ? all : minor ? 1 : SHORT_FIXES;
    const bool skip = !opt->verbose && n_changing(actions) > 0;
    size_t shown = 0;
    for (size_t i = 0; i < all && shown < most; i++) {
        if (i < n_settings) {
            print_setting(b, opt, settings->items[i]);
            shown++;
        } else if (!skip || !only_looks(actions->items[i - n_settings])) {
            print_action(b, opt, actions->items[i - n_settings]);
            shown++;
        }
    }
    if (shown < all && !(minor && shown > 0)) {
        struct buf more;
        buf_init(&more, b->arena, 64);
        buf_printf(&more, "and %zu more, see -v", all - shown);
        text_field(b, opt, INDENT, "", LABEL, more.ptr);
    }
    if (all == 0 && read_is(f, "verdict", "fail") && !opt->verbose) {
        text_field(b, opt, INDENT, "why", LABEL, read_text(f, "why"));
    }
}

static void print_evidence(struct buf *b, const struct text_options *opt, const struct json *list,
                           const char *label)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct json *e = list->items[i];
        struct buf line;
        buf_init(&line, b->arena, LINE_MAX_BYTES);
        buf_printf(&line, "%s = %s", read_text(e, "name"), read_text(e, "text"));
        if (read_text(e, "reason")[0] != '\0') {
            buf_printf(&line, ": %s", read_text(e, "reason"));
        }
        buf_printf(&line, " [%s]%s%s", read_text(e, "source"),
                   read_flag(e, "estimated") ? " estimated" : "",
                   read_flag(e, "overridden") ? " overridden" : "");
        text_field(b, opt, INDENT, i == 0 ? label : "", LABEL, line.ptr);
    }
}

/* What a rule says of a state that was not seen is no statement about this machine. */
static const char *label_of(const struct json *f, const char *key, const char *label)
{
    return strcmp(key, "why") == 0 && !read_is(f, "verdict", "fail") ? "if so" : label;
}

static void print_more(struct buf *b, const struct text_options *opt, const struct json *f)
{
    static const struct {
        const char *key, *label;
    } fields[] = {{"why", "why"},   {"actual", "test"}, {"estimated", "est."},
                  {"risk", "risk"}, {"undo", "undo"},   {"skipped_steps", "note"}};
    print_evidence(b, opt, read_list(f, "evidence"), "facts");
    print_evidence(b, opt, read_list(f, "missing"), "miss");
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        if (read_text(f, fields[i].key)[0] != '\0') {
            text_field(b, opt, INDENT, label_of(f, fields[i].key, fields[i].label), LABEL,
                       read_text(f, fields[i].key));
        }
    }
    const struct json *settings = read_list(f, "settings");
    for (size_t i = 0; i < settings->n; i++) {
        text_field(b, opt, INDENT, "value", LABEL, read_text(settings->items[i], "formula"));
    }
}

void textfinding_print(struct buf *b, const struct text_options *opt, unsigned number,
                       const struct json *finding)
{
    print_title(b, opt, number, finding);
    print_where(b, opt, finding);
    if (opt->verbose || !read_is(finding, "severity", "info")) {
        print_fixes(b, opt, finding);
    }
    if (opt->verbose) {
        print_more(b, opt, finding);
    }
}
