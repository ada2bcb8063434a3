/* Option files and mysqld-auto.cnf: a reader finds the same lines, groups and options, with
 * pseudonyms for what was chosen. Each line is made anew from what the servers' reader takes of it;
 * comments are empty lines. Knows how a line is read, not what an option means. */
#include "probes/host/redact_parts.h"

#include <string.h>

#include "probes/host/optfile_line.h"
#include "probes/host/reply.h"

#include "advisor/base/banned.h"

#define VALUE_MAX ((size_t)OPTFILE_LINE_MAX - 256)

/* ---- values ---------------------------------------------------------------------------------- */

static bool needs_quotes(struct span v)
{
    return v.len > 0 && (optfile_is_blank(v.ptr[0]) || optfile_is_blank(v.ptr[v.len - 1]) ||
                         span_has(v, '#') || span_has(v, '"') || span_has(v, '\''));
}

static void add_escaped(struct buf *b, struct span v)
{
    static const char plain[] = "\\\n\t\r\b\"'", letters[] = "\\ntrb\"'";
    for (size_t i = 0; i < v.len; i++) {
        const char *const hit = memchr(plain, v.ptr[i], sizeof(plain) - 1);
        if (hit != NULL) {
            buf_add_char(b, '\\');
        }
        buf_add_char(b, hit != NULL ? letters[hit - plain] : v.ptr[i]);
    }
}

/* As the reader takes it back; a value that no line can hold becomes one pseudonym. */
static void add_value(struct redactor *r, struct buf *out, struct span name, struct span value)
{
    ARENA_AUTO scratch = arena_new();
    struct buf made, line;
    buf_init(&made, scratch, REDACT_BYTES_MAX);
    buf_init(&line, scratch, REDACT_BYTES_MAX);
    redact_add_value(r, &made, name, value);
    const bool quotes = needs_quotes(buf_span(&made));
    buf_add_text(&line, quotes ? "x=\"" : "x=");
    add_escaped(&line, buf_span(&made));
    buf_add_text(&line, quotes ? "\"" : "");
    const struct optfile_line back = optfile_lex(scratch, buf_span(&line));
    if (line.len < VALUE_MAX && span_eq(back.value, buf_span(&made))) {
        buf_add_span(out, span_sub(buf_span(&line), 2, line.len));
    } else {
        redact_add_name(r, out, value);
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* A suffix may stand right behind a group's name: "mysqldacme". */
static size_t known_group(struct span name)
{
    static const char *const groups[] = {"mysqld", "mariadbd",      "mariadb", "mysql",
                                         "server", "client-server", "galera"};
    for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
        const size_t n = strlen(groups[i]);
        if (name.len > n && span_eq_nocase(span_sub(name, 0, n), span_of(groups[i]))) {
            return n;
        }
    }
    return 0;
}

static void add_group(struct redactor *r, struct buf *out, struct span name)
{
    const size_t n = redact_run_length(name, 0) == name.len && !redact_stays(r, name, &redact_path)
                         ? known_group(name)
                         : 0;
    buf_add_char(out, '[');
    buf_add_span(out, span_sub(name, 0, n));
    redact_add_text(r, out, span_sub(name, n, name.len), &redact_path);
    buf_add_char(out, ']');
}

static void add_line(struct redactor *r, struct buf *out, const struct optfile_line *l)
{
    switch (l->kind) {
    case OPTFILE_EMPTY:
        break;
    case OPTFILE_GROUP:
        add_group(r, out, l->name);
        break;
    case OPTFILE_OPTION:
        redact_add_text(r, out, l->name, &redact_option);
        if (l->has_value) {
            buf_add_char(out, '=');
            add_value(r, out, l->name, l->value);
        }
        break;
    case OPTFILE_INCLUDE:
    case OPTFILE_INCLUDEDIR:
        buf_printf(out, "!%.*s ", SPAN_ARG(l->name));
        redact_add_text(r, out, l->value, &redact_path);
        break;
    case OPTFILE_DIRECTIVE:
        buf_add_text(out, "!ignored");
        break;
    case OPTFILE_BAD_GROUP:
        buf_add_char(out, '[');
        break;
    case OPTFILE_BAD_INCLUDE:
        buf_printf(out, "!%.*s ", SPAN_ARG(l->name));
        break;
    }
    buf_add_char(out, '\n');
}

/* A line that the servers split is several there, and becomes several here; those that count lines
 * by their newlines count the same. */
static void add_file(struct redactor *r, struct buf *out, struct span text)
{
    struct span line;
    bool split = false;
    while (optfile_next_line(&text, &line, &split)) {
        ARENA_AUTO scratch = arena_new();
        const struct optfile_line l = optfile_lex(scratch, line);
        add_line(r, out, &l);
    }
}

/* Newlines behind a NUL, or behind what a line of several was made of, stay in number. */
static void add_whole_file(struct redactor *r, struct buf *out, struct span text)
{
    struct span line, before = text;
    size_t from = 0;
    ARENA_AUTO scratch = arena_new();
    while (optfile_whole_line(scratch, &text, &line, &from)) {
        const struct optfile_line l = optfile_lex(scratch, line);
        size_t newlines = 0;
        for (size_t i = 0; i < from && i < before.len; i++) {
            newlines += before.ptr[i] == '\n';
        }
        before = text;
        add_line(r, out, &l);
        for (; newlines > 1; newlines--) {
            buf_add_char(out, '\n');
        }
    }
}

/* ---- mysqld-auto.cnf ------------------------------------------------------------------------- */

static struct json *persisted(struct redactor *r, struct arena *a, struct span name,
                              const struct json *doc)
{
    struct buf made;
    buf_init(&made, a, REDACT_BYTES_MAX);
    if (doc->type == JSON_STRING) {
        redact_add_value(r, &made, name, doc->string);
        return json_span(a, buf_span(&made));
    }
    if (doc->type != JSON_OBJECT) {
        return doc->type == JSON_NUMBER ? json_num(a, doc->number) : json_null(a);
    }
    struct json *const object = json_object(a);
    for (size_t i = 0; i < doc->n; i++) {
        struct buf key;
        const bool is_value = span_eq_text(doc->keys[i], "Value");
        buf_init(&key, a, REDACT_BYTES_MAX);
        redact_add_text(r, &key, doc->keys[i], &redact_option);
        json_append(object, buf_span(&key),
                    persisted(r, a, is_value ? name : doc->keys[i], doc->items[i]));
    }
    return object;
}

static void add_persisted(struct redactor *r, struct buf *out, struct span text)
{
    ARENA_AUTO scratch = arena_new();
    struct json *doc = NULL;
    struct err ignored = ERR_INIT;
    if (json_read(scratch, "mysqld-auto.cnf", text, &doc, &ignored)) {
        json_write(out, persisted(r, scratch, SPAN_LIT(""), doc), false);
    } else {
        redact_add_text(r, out, text, &redact_path);
    }
}

void redact_optfile(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    ARENA_AUTO scratch = arena_new();
    struct host_optfile file;
    struct err ignored = ERR_INIT;
    struct buf made;
    if (!reply_read_optfile(in, &file, &ignored)) {
        redact_add_text(r, out, in, &redact_path);
        return;
    }
    buf_init(&made, scratch, REDACT_BYTES_MAX);
    if (span_starts(span_of(key), "persisted ")) {
        add_persisted(r, &made, file.text);
    } else if (span_starts(span_of(key), "whole ")) {
        add_whole_file(r, &made, file.text);
    } else {
        add_file(r, &made, file.text);
    }
    file.text = buf_span(&made);
    buf_add_span(out, reply_optfile(scratch, &file));
}
