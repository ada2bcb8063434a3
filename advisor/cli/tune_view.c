/* The terminal's view of tune's documents. What came from files and servers is escaped. */
#include "advisor/cli/tune.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "advisor/report/docread.h"
#include "advisor/report/textbuf.h"

#include "advisor/base/banned.h"

#define SENTENCE_MAX 4096

struct view {
    struct buf *b;
    struct text_options text;
};

/* A sentence, wrapped under itself: escaped, so that what came from elsewhere is harmless. */
static void say(const struct view *v, unsigned indent, const char *fmt, ...) ATTR_PRINTF(3, 4);

static void say(const struct view *v, unsigned indent, const char *fmt, ...)
{
    char sentence[SENTENCE_MAX];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(sentence, sizeof(sentence), fmt, args);
    va_end(args);
    unsigned blanks = 0;
    while (sentence[blanks] == ' ') {
        buf_add_char(v->b, ' ');
        blanks++;
    }
    text_wrap(v->b, &v->text, blanks, indent, sentence + blanks);
}

/* Text of ours and of others, harmless for a terminal. */
static void add(struct buf *b, const char *text)
{
    buf_add_escaped(b, span_of(text));
}

static void add_line(struct buf *b, const char *indent, const char *text)
{
    if (text[0] != '\0') {
        buf_add_text(b, indent);
        add(b, text);
        buf_add_char(b, '\n');
    }
}

static bool is(const struct json *j, const char *key, const char *text)
{
    return read_is(j, key, text);
}

static void view_head(struct buf *b, const struct json *doc)
{
    const struct json *next = json_get(doc, "next");
    enum flavour f;
    add(b, read_text(doc, "server"));
    if (flavour_from_name(span_of(read_text(next, "flavour")), &f)) {
        buf_printf(b, ": %s ", flavour_title(f));
        if (read_flag(next, "differs") && read_text(next, "running")[0] != '\0') {
            add(b, read_text(next, "running"));
            buf_add_text(b, " runs, ");
            add(b, read_text(next, "version"));
            buf_add_text(b, " starts next");
        } else {
            add(b, read_text(next, "version"));
        }
    }
    if (read_text(doc, "server")[0] != '\0') {
        buf_add_char(b, '\n');
    }
}

/* ---- a drop-in ------------------------------------------------------------------------------- */

static const char *when_of(const struct json *s)
{
    return is(s, "takes_effect", "statement") ? "at once by the statement below"
           : is(s, "takes_effect", "restart") ? "at the next restart"
                                              : "in force";
}

/* "NAME = 1024 (1 KiB)" */
static void add_value(struct buf *b, const struct json *s)
{
    buf_printf(b, "%s = %s", read_text(s, "variable"), read_text(s, "value"));
    if (strcmp(read_text(s, "new_text"), read_text(s, "value")) != 0) {
        buf_printf(b, " (%s)", read_text(s, "new_text"));
    }
    if (read_text(s, "old")[0] != '\0') {
        buf_printf(b, ", was %s", read_text(s, "old"));
    }
}

static void view_setting(const struct view *v, const struct json *s)
{
    struct buf value;
    buf_init(&value, v->b->arena, SENTENCE_MAX);
    add_value(&value, s);
    const char *mark = read_text(s, "mark");
    say(v, 6, "  %s %s; %s%s%s",
        is(s, "action", "keep")     ? " "
        : is(s, "action", "change") ? "~"
                                    : "+",
        value.ptr, when_of(s), mark[0] != '\0' ? "; " : "", mark);
    if (read_text(s, "why")[0] != '\0' && !read_flag(s, "wins")) {
        say(v, 6, "      does not win: %s", read_text(s, "why"));
        add_line(v->b, "      ", read_text(s, "mend"));
    }
}

static void view_left_out(const struct view *v, const struct json *doc)
{
    const struct json *left = read_list(doc, "left_out");
    const struct json *refused = read_list(doc, "refused");
    for (size_t i = 0; i < left->n; i++) {
        const struct json *l = left->items[i];
        say(v, 6, "  - %s = %s left out: %s", read_text(l, "variable"), read_text(l, "value"),
            read_text(l, "why"));
    }
    for (size_t i = 0; i < refused->n; i++) {
        say(v, 6, "  - refused: %.*s", SPAN_ARG(refused->items[i]->string));
    }
}

static void view_validation(struct buf *b, const struct json *doc, bool verbose)
{
    const struct json *v = json_get(doc, "validation");
    if (v == NULL || v->type != JSON_OBJECT) {
        return;
    }
    buf_add_text(b, read_flag(v, "good") ? "accepted by " : "refused by ");
    add(b, read_text(json_get(doc, "next"), "binary"));
    buf_add_text(b, " (");
    add(b, read_text(v, "how"));
    buf_add_text(b, ")\n");
    const struct json *complaints = read_list(v, "complaints");
    for (size_t i = 0; i < complaints->n; i++) {
        const struct json *c = complaints->items[i];
        if (verbose || (!is(c, "kind", "warning") &&
                        (read_flag(c, "ours") || read_flag(v, "bad_before")))) {
            add_line(b, "    ", read_text(c, "text"));
        }
    }
}

static void view_statements(struct buf *b, const struct json *doc)
{
    const struct json *statements = read_list(doc, "statements");
    if (statements->n == 0) {
        return;
    }
    buf_add_text(b, "\nat once, without a restart, in this order:\n");
    for (size_t i = 0; i < statements->n; i++) {
        buf_add_text(b, "  ");
        buf_add_escaped(b, statements->items[i]->string);
        buf_add_char(b, '\n');
    }
}

static bool waits_for_restart(const struct json *doc)
{
    const struct json *settings = read_list(doc, "settings");
    bool waits = false;
    for (size_t i = 0; i < settings->n; i++) {
        waits = waits || is(settings->items[i], "takes_effect", "restart");
    }
    return waits;
}

static void view_notes(const struct view *v, const struct json *doc)
{
    const struct json *notes = read_list(doc, "notes");
    for (size_t i = 0; i < notes->n; i++) {
        say(v, 6, "note: %.*s", SPAN_ARG(notes->items[i]->string));
    }
}

/* What to do next, in the words of the command line. */
static void view_next(struct buf *b, const struct json *doc)
{
    if (is(doc, "effect", "written")) {
        if (waits_for_restart(doc)) {
            buf_add_text(b, "\nthe rest takes effect when you restart the server; nvadvise never does\n");
        }
        buf_add_text(b, "\n  nvadvise tune --status    whether it is in force, and if not, why\n"
                        "  nvadvise tune --undo      takes it back\n");
    } else if (is(doc, "effect", "would be written")) {
        buf_add_text(b, "\nnothing was changed\n\n"
                        "  nvadvise tune --diff      what would change in the file\n"
                        "  nvadvise tune --dry-run   asks the server's binary whether it takes it\n"
                        "  nvadvise tune --write     does that, and installs it\n");
    } else if (is(doc, "effect", "nothing to set")) {
        buf_add_text(b, "\n  nvadvise check            what it found, and what it could not judge\n");
    }
}

/* A remedy may be a command: it stays in one piece. */
static void view_reason(const struct view *v, const struct json *doc)
{
    if (read_text(doc, "reason")[0] == '\0') {
        return;
    }
    say(v, 8, "reason: %s", read_text(doc, "reason"));
    add_line(v->b, "hint: ", read_text(doc, "remedy"));
}

/* Line by line, so that newlines stay. */
static void view_text(struct buf *b, struct span text)
{
    struct span line;
    while (span_line(&text, &line)) {
        buf_add_escaped(b, line);
        buf_add_char(b, '\n');
    }
}

static void view_dropin(const struct view *v, const struct json *doc)
{
    struct buf *b = v->b;
    const bool verbose = v->text.verbose;
    add(b, read_text(doc, "effect"));
    if (read_text(doc, "path")[0] != '\0') {
        buf_add_text(b, ": ");
        add(b, read_text(doc, "path"));
    }
    buf_add_char(b, '\n');
    view_reason(v, doc);
    const struct json *settings = read_list(doc, "settings");
    if (is(doc, "effect", "not installed") && settings->n > 0) {
        buf_add_text(b, "what it would set:\n");
    }
    for (size_t i = 0; i < settings->n; i++) {
        view_setting(v, settings->items[i]);
    }
    view_left_out(v, doc);
    view_validation(b, doc, verbose);
    view_notes(v, doc);
    /* What has been refused is not to be done by another way. */
    if (!is(doc, "effect", "not installed") || read_flag(doc, "by_hand")) {
        view_statements(b, doc);
    }
    view_next(b, doc);
    const struct json *text = json_get(doc, "text");
    if (text != NULL && text->type == JSON_STRING &&
        (verbose || read_flag(doc, "by_hand"))) {
        buf_add_text(b, "\nthe drop-in:\n\n");
        view_text(b, text->string);
    }
}

/* ---- --status, --undo ------------------------------------------------------------------------ */

static void view_line(const struct view *v, const struct json *l)
{
    const bool other = is(l, "state", "not in force");
    say(v, 6, "    %s = %s: %s%s%s", read_text(l, "variable"), read_text(l, "value"),
        read_text(l, "state"), other ? ", but " : "", other ? read_text(l, "in_force") : "");
    if (read_text(l, "why")[0] != '\0') {
        say(v, 6, "      %s", read_text(l, "why"));
    }
    add_line(v->b, "      ", read_text(l, "mend"));
}

static void view_status(const struct view *v, const struct json *doc)
{
    struct buf *b = v->b;
    const bool verbose = v->text.verbose;
    const struct json *list = read_list(doc, "dropins");
    if (list->n == 0) {
        add(b, read_text(doc, "effect"));
        buf_add_char(b, '\n');
    }
    view_reason(v, doc);
    for (size_t i = 0; i < list->n; i++) {
        const struct json *d = list->items[i];
        add(b, read_text(d, "path"));
        buf_add_text(b, ": ");
        add(b, read_text(d, "state"));
        buf_add_char(b, '\n');
        if (verbose || strncmp(read_text(d, "state"), "written, ", 9) != 0) {
            say(v, 2, "  %s", read_text(d, "text"));
        }
        if (read_text(d, "mend")[0] != '\0') {
            say(v, 2, "  %s", read_text(d, "mend"));
        }
        const struct json *lines = read_list(d, "settings");
        for (size_t k = 0; k < lines->n; k++) {
            if (verbose || !is(lines->items[k], "state", "in force")) {
                view_line(v, lines->items[k]);
            }
        }
    }
}

static void view_undo(const struct view *v, const struct json *doc)
{
    struct buf *b = v->b;
    add(b, read_text(doc, "effect"));
    if (read_text(doc, "path")[0] != '\0') {
        buf_add_text(b, ": ");
        add(b, read_text(doc, "path"));
    }
    buf_add_char(b, '\n');
    view_reason(v, doc);
    if (read_flag(doc, "changed")) {
        buf_add_text(b, "what the server runs with stays until its next start, also what was set with\n"
                        "SET GLOBAL\n");
    }
}

void tune_view(struct buf *b, const struct json *doc, const struct text_options *text)
{
    const struct view v = {b, *text};
    if (is(doc, "mode", "diff")) {
        const struct json *diff = json_get(doc, "diff");
        if (diff != NULL && diff->type == JSON_STRING) {
            view_text(b, diff->string);
        }
        view_reason(&v, doc);
        return;
    }
    view_head(b, doc);
    if (is(doc, "mode", "status")) {
        view_status(&v, doc);
    } else if (is(doc, "mode", "undo")) {
        view_undo(&v, doc);
    } else {
        view_dropin(&v, doc);
    }
}
