/* The terminal's view of tune's documents. What came from files and servers is escaped. */
#include "advisor/cli/tune.h"

#include <string.h>

#include "advisor/report/docread.h"

#include "advisor/base/banned.h"

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
    add(b, read_text(doc, "server"));
    if (read_text(next, "version")[0] != '\0') {
        buf_add_text(b, ": ");
        add(b, read_text(next, "flavour"));
        buf_add_char(b, ' ');
        add(b, read_text(next, "version"));
    }
    if (read_text(doc, "server")[0] != '\0') {
        buf_add_char(b, '\n');
    }
}

/* ---- a drop-in ------------------------------------------------------------------------------- */

static void view_effect(struct buf *b, const struct json *s)
{
    const char *when = is(s, "takes_effect", "statement") ? "at once by the statement below"
                       : is(s, "takes_effect", "restart") ? "at the next restart"
                                                          : "in force";
    buf_add_text(b, when);
}

static void view_setting(struct buf *b, const struct json *s)
{
    buf_add_text(b, is(s, "action", "keep") ? "    " : is(s, "action", "change") ? "  ~ " : "  + ");
    add(b, read_text(s, "variable"));
    buf_add_text(b, " = ");
    add(b, read_text(s, "value"));
    if (strcmp(read_text(s, "new_text"), read_text(s, "value")) != 0) {
        buf_add_text(b, " (");
        add(b, read_text(s, "new_text"));
        buf_add_char(b, ')');
    }
    if (read_text(s, "old")[0] != '\0') {
        buf_add_text(b, ", was ");
        add(b, read_text(s, "old"));
    }
    buf_add_text(b, "; ");
    view_effect(b, s);
    if (read_text(s, "mark")[0] != '\0') {
        buf_add_text(b, "; ");
        add(b, read_text(s, "mark"));
    }
    buf_add_char(b, '\n');
    if (read_text(s, "why")[0] != '\0' && !read_flag(s, "wins")) {
        buf_add_text(b, "      does not win: ");
        add(b, read_text(s, "why"));
        buf_add_char(b, '\n');
        add_line(b, "      ", read_text(s, "mend"));
    }
}

static void view_left_out(struct buf *b, const struct json *doc)
{
    const struct json *left = read_list(doc, "left_out");
    for (size_t i = 0; i < left->n; i++) {
        buf_add_text(b, "  - ");
        add(b, read_text(left->items[i], "variable"));
        buf_add_text(b, " = ");
        add(b, read_text(left->items[i], "value"));
        buf_add_text(b, " left out: ");
        add(b, read_text(left->items[i], "why"));
        buf_add_char(b, '\n');
    }
}

static void view_refused(struct buf *b, const struct json *doc)
{
    const struct json *refused = read_list(doc, "refused");
    for (size_t i = 0; i < refused->n; i++) {
        buf_add_text(b, "  - refused: ");
        buf_add_escaped(b, refused->items[i]->string);
        buf_add_char(b, '\n');
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

static void view_notes(struct buf *b, const struct json *doc)
{
    const struct json *notes = read_list(doc, "notes");
    for (size_t i = 0; i < notes->n; i++) {
        buf_add_text(b, "note: ");
        buf_add_escaped(b, notes->items[i]->string);
        buf_add_char(b, '\n');
    }
}

/* What to do next, in the words of the command line. */
static void view_next(struct buf *b, const struct json *doc)
{
    if (is(doc, "effect", "written")) {
        if (waits_for_restart(doc)) {
            buf_add_text(b, "\nthe rest takes effect when you restart the server; nvadvise never "
                            "does\n");
        }
        buf_add_text(b, "\n  nvadvise tune --status    whether it is in force, and if not, why\n"
                        "  nvadvise tune --undo      takes it back\n");
    } else if (is(doc, "effect", "would be written")) {
        buf_add_text(b, "\nnothing was changed\n\n"
                        "  nvadvise tune --diff      what would change in the file\n"
                        "  nvadvise tune --dry-run   asks the server's binary whether it takes it\n"
                        "  nvadvise tune --write     does that, and installs it\n");
    }
}

static void view_reason(struct buf *b, const struct json *doc)
{
    if (read_text(doc, "reason")[0] == '\0') {
        return;
    }
    buf_add_text(b, "reason: ");
    add(b, read_text(doc, "reason"));
    buf_add_char(b, '\n');
    if (read_text(doc, "remedy")[0] != '\0') {
        buf_add_text(b, "hint: ");
        add(b, read_text(doc, "remedy"));
        buf_add_char(b, '\n');
    }
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

static void view_dropin(struct buf *b, const struct json *doc, bool verbose)
{
    add(b, read_text(doc, "effect"));
    if (read_text(doc, "path")[0] != '\0') {
        buf_add_text(b, ": ");
        add(b, read_text(doc, "path"));
    }
    buf_add_char(b, '\n');
    view_reason(b, doc);
    const struct json *settings = read_list(doc, "settings");
    for (size_t i = 0; i < settings->n; i++) {
        view_setting(b, settings->items[i]);
    }
    view_left_out(b, doc);
    view_refused(b, doc);
    view_validation(b, doc, verbose);
    view_notes(b, doc);
    view_statements(b, doc);
    view_next(b, doc);
    const struct json *text = json_get(doc, "text");
    if (text != NULL && text->type == JSON_STRING &&
        (verbose || read_flag(doc, "by_hand"))) {
        buf_add_text(b, "\nthe drop-in:\n\n");
        view_text(b, text->string);
    }
}

/* ---- --status, --undo ------------------------------------------------------------------------ */

static void view_line(struct buf *b, const struct json *l)
{
    buf_add_text(b, "    ");
    add(b, read_text(l, "variable"));
    buf_add_text(b, " = ");
    add(b, read_text(l, "value"));
    buf_add_text(b, ": ");
    add(b, read_text(l, "state"));
    if (is(l, "state", "not in force")) {
        buf_printf(b, ", but ");
        add(b, read_text(l, "in_force"));
    }
    buf_add_char(b, '\n');
    add_line(b, "      ", read_text(l, "why"));
    add_line(b, "      ", read_text(l, "mend"));
}

static void view_status(struct buf *b, const struct json *doc, bool verbose)
{
    const struct json *list = read_list(doc, "dropins");
    if (list->n == 0) {
        buf_add_text(b, "nothing installed\n");
    }
    view_reason(b, doc);
    for (size_t i = 0; i < list->n; i++) {
        const struct json *d = list->items[i];
        add(b, read_text(d, "path"));
        buf_add_text(b, ": ");
        add(b, read_text(d, "state"));
        buf_add_char(b, '\n');
        if (verbose || strncmp(read_text(d, "state"), "written, ", 9) != 0) {
            add_line(b, "  ", read_text(d, "text"));
        }
        add_line(b, "  ", read_text(d, "mend"));
        const struct json *lines = read_list(d, "settings");
        for (size_t k = 0; k < lines->n; k++) {
            if (verbose || !is(lines->items[k], "state", "in force")) {
                view_line(b, lines->items[k]);
            }
        }
    }
}

static void view_undo(struct buf *b, const struct json *doc)
{
    add(b, read_text(doc, "effect"));
    if (read_text(doc, "path")[0] != '\0') {
        buf_add_text(b, ": ");
        add(b, read_text(doc, "path"));
    }
    buf_add_char(b, '\n');
    if (read_flag(doc, "changed")) {
        buf_add_text(b, "what the server runs with stays until its next start; values that were set "
                        "with SET GLOBAL too\n");
    }
}

void tune_view(struct buf *b, const struct json *doc, bool verbose)
{
    if (is(doc, "mode", "diff")) {
        const struct json *diff = json_get(doc, "diff");
        if (diff != NULL && diff->type == JSON_STRING) {
            view_text(b, diff->string);
        }
        view_reason(b, doc);
        return;
    }
    view_head(b, doc);
    if (is(doc, "mode", "status")) {
        view_status(b, doc, verbose);
    } else if (is(doc, "mode", "undo")) {
        view_undo(b, doc);
    } else {
        view_dropin(b, doc, verbose);
    }
}
