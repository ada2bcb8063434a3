/* The frame: a file into pieces, each piece to the format that is surest of it. Must not know formats. */
#include "probes/import/import.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "probes/import/run.h"
#include "probes/import/paste.h"

#include "advisor/base/banned.h"

#define PIECES_MAX 20000u
#define JSON_DEPTH_MAX 8
#define JSON_TRIES_MAX 64
#define NOTES_MAX 500u
#define MESSAGE_MAX 500u

struct cut {
    struct import *im;
    const char *file;
    struct span command, device;
    unsigned line;       /* of the line at hand */
    const char *begin;   /* of the piece at hand; NULL: none */
    unsigned begin_line;
    unsigned tries;      /* JSON documents that were none */
    const char *end;     /* of the whole text */
    size_t found;        /* pieces of a known kind */
};

struct import *import_new(struct arena *a, struct store *store, const struct import_hide *hide)
{
    struct import *im = arena_alloc(a, sizeof(*im));
    *im = (struct import){
        .arena = a, .store = store, .warnings = json_array(a), .notes = json_array(a), .source = "import"};
    if (hide != NULL) {
        im->hide = *hide;
    }
    return im;
}

void import_ask(struct import *im, const char *what)
{
    im->ask = what;
}

struct arena *import_arena(struct import *im)
{
    return im->arena;
}

size_t import_pieces(const struct import *im)
{
    return im->n_pieces;
}

const struct json *import_warnings(const struct import *im)
{
    return im->warnings;
}

const struct json *import_notes(const struct import *im)
{
    return im->notes;
}

static void ATTR_PRINTF(4, 0) say(struct import *im, struct json *list, const struct import_piece *p,
                                  const char *fmt, va_list args)
{
    char text[MESSAGE_MAX];
    if (list->n >= NOTES_MAX) {
        return;
    }
    (void)vsnprintf(text, sizeof(text), fmt, args);
    json_push(list, json_span(im->arena, span_of(arena_printf(im->arena, "%s:%u: %s", p->file,
                                                              p->line, text))));
}

void import_warn(struct import *im, const struct import_piece *p, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say(im, im->warnings, p, fmt, args);
    va_end(args);
}

void import_note(struct import *im, const struct import_piece *p, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say(im, im->notes, p, fmt, args);
    va_end(args);
}

void **import_state(struct import *im, const struct import_format *f)
{
    size_t i = 0;
    while (i + 1 < import_n_formats && import_formats[i] != f) {
        i++;
    }
    return &im->states[i];
}

static struct span first_line(struct span text)
{
    struct span line = {"", 0};
    (void)span_line(&text, &line);
    return span_trim(line);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static const struct import_format *surest(const struct import_piece *p)
{
    const struct import_format *best = NULL;
    unsigned most = IMPORT_NO;
    for (size_t i = 0; i < import_n_formats; i++) {
        const struct import_format *f = import_formats[i];
        const unsigned sure = f->json == (p->json != NULL) ? f->sure(p) : IMPORT_NO;
        if (sure > most) {
            most = sure;
            best = f;
        }
    }
    return best;
}

/* Labels of lines that no format took; what an output says beyond what is kept is no trouble. */
static void note_unused(struct import *im, const struct import_piece *p, const char *format)
{
    struct buf b;
    size_t n = 0;
    buf_init(&b, im->arena, 400);
    for (size_t i = 0; i < p->bag->n; i++) {
        if (!p->bag->items[i].used && n < 40) {
            buf_add_text(&b, n++ > 0 ? ", " : "");
            buf_add_span(&b, span_sub(p->bag->items[i].key, 0, 40));
        }
    }
    if (n > 0) {
        import_note(im, p, "%s: not kept: %s", format, b.ptr);
    }
}

static bool take(struct cut *c, struct import_piece *p)
{
    struct import *im = c->im;
    const struct import_format *f;
    if (im->n_pieces >= PIECES_MAX || (f = surest(p)) == NULL) {
        return false;
    }
    im->n_pieces++;
    c->found++;
    import_source(im, p, f->name, (struct span){"", 0});
    if (f->begins != NULL && p->bag->n > 0 && p->bag->items[0].line == p->line) {
        p->bag->items[0].used = p->bag->items[0].used || f->begins(first_line(p->text));
    }
    if (!f->read(im, p)) {
        import_warn(im, p, "%s: nothing in it could be used", f->name);
    }
    note_unused(im, p, f->name);
    return true;
}

static struct import_piece piece_at(const struct cut *c, unsigned line)
{
    return (struct import_piece){
        .file = c->file, .line = line, .command = c->command, .device = c->device};
}

/* The document, else what lies in it: arrays of documents, documents by device. */
static void take_json(struct cut *c, const struct json *doc, unsigned line, int depth)
{
    struct import_piece p = piece_at(c, line);
    const struct span device = c->device;
    if (depth > JSON_DEPTH_MAX || (doc->type != JSON_OBJECT && doc->type != JSON_ARRAY)) {
        return;
    }
    p.json = doc;
    p.bag = bag_of_json(c->im->arena, doc);
    if (doc->type == JSON_OBJECT && take(c, &p)) {
        return;
    }
    for (size_t i = 0; i < doc->n; i++) {
        if (doc->type == JSON_OBJECT) {
            const struct span name = import_kernel_name(c->im->arena, doc->keys[i]);
            c->device = name.len > 0 ? name : device;
        }
        take_json(c, doc->items[i], line, depth + 1);
        c->device = device;
    }
}

static unsigned count_lines(struct span s)
{
    unsigned n = 0;
    for (size_t i = 0; i < s.len; i++) {
        n += s.ptr[i] == '\n';
    }
    return n;
}

/* Tools end their last line. One that lacks its newline was cut, unless what stands there ends a value or the whole
 * output: a cut number is another number. */
static void drop_cut_line(struct cut *c, struct import_piece *p, struct bag *b)
{
    const char last = p->text.ptr[p->text.len - 1];
    const struct import_format *f = surest(p);
    if (f != NULL && f->last != NULL && (b->n == 0 || bag_matches(b->items[b->n - 1].key, f->last))) {
        return;
    }
    if (b->n == 0 || last == '%' || last == ')' || last == ']' ||
        b->items[b->n - 1].line != p->line + count_lines(p->text)) {
        return;
    }
    b->n--;
    import_warn(c->im, p, "the last line lacks its end: '%.*s' may be cut off and is not read",
                SPAN_ARG(span_sub(b->items[b->n].label, 0, 60)));
    while (p->text.len > 0 && p->text.ptr[p->text.len - 1] != '\n') {
        p->text.len--;
    }
}

/* The text up to `end`. */
static void end_piece(struct cut *c, const char *end)
{
    struct import_piece p = piece_at(c, c->begin_line);
    if (c->begin == NULL) {
        return;
    }
    p.text = (struct span){c->begin, (size_t)(end - c->begin)};
    c->begin = NULL;
    if (span_trim(p.text).len == 0) {
        return;
    }
    struct bag *b = bag_of_text(c->im->arena, p.text, p.line);
    p.bag = b;
    if (end == c->end && p.text.ptr[p.text.len - 1] != '\n') {
        drop_cut_line(c, &p, b);
    }
    if (!take(c, &p)) {
        import_note(c->im, &p, "nothing that is known: passed over");
    }
}

/* An object, or an array of such: "[0:0] : 1" and "[exit=0]" are lines of a text. */
static bool looks_like_json(struct span s)
{
    size_t i = 1;
    while (i < s.len && (s.ptr[i] == ' ' || s.ptr[i] == '\t' || s.ptr[i] == '\n')) {
        i++;
    }
    const char next = i < s.len ? s.ptr[i] : ' ';
    return s.len > 0 && (s.ptr[0] == '{' ? next == '"' || next == '}'
                                         : s.ptr[0] == '[' && (next == '{' || next == '['));
}

/* A JSON document at the front of `s` is read; *ret_len is what it took. */
static bool try_json(struct cut *c, struct span s, size_t *ret_len)
{
    struct span text;
    struct json *doc = NULL;
    struct err e = ERR_INIT;
    bool was_cut = false;
    if (c->tries >= JSON_TRIES_MAX || !looks_like_json(s)) {
        return false;
    }
    if (!paste_json(c->im->arena, s, ret_len, &text, &was_cut) ||
        !json_read(c->im->arena, c->file, text, &doc, &e) ||
        (doc->n == 0 && doc->type == JSON_ARRAY)) {
        c->tries++;
        return false;
    }
    end_piece(c, s.ptr);
    if (was_cut) {
        const struct import_piece p = piece_at(c, c->line);
        import_warn(c->im, &p, "the JSON document is cut off: read up to its last whole value");
    }
    const size_t before = c->found;
    take_json(c, doc, c->line, 0);
    if (c->found == before) {
        const struct import_piece p = piece_at(c, c->line);
        import_note(c->im, &p, "a JSON document of no known kind: passed over");
    }
    return true;
}

static bool begins(struct span line)
{
    for (size_t i = 0; i < import_n_formats; i++) {
        if (import_formats[i]->begins != NULL && import_formats[i]->begins(line)) {
            return true;
        }
    }
    return false;
}

/* One line of text; `start` is where it begins. */
static void take_line(struct cut *c, const char *start, struct span line)
{
    struct span command, device;
    if (paste_command(line, &command)) {
        end_piece(c, start);
        c->command = command;
        c->device = paste_command_device(c->im->arena, command);
    } else if (paste_heading(c->im->arena, line, &device)) {
        end_piece(c, start);
        c->device = device;
    } else if (begins(span_trim(line))) {
        end_piece(c, start);
    }
    if (c->begin == NULL && !paste_command(line, &command)) {
        c->begin = start;
        c->begin_line = c->line;
    }
}

static void cut_text(struct cut *c, struct span text)
{
    c->end = text.ptr + text.len;
    struct span rest = text, line;
    while (rest.len > 0) {
        const char *start = rest.ptr;
        struct span ahead = rest;
        size_t blanks = 0, n = 0;
        while (blanks < rest.len && (rest.ptr[blanks] == ' ' || rest.ptr[blanks] == '\t')) {
            blanks++;
        }
        if (try_json(c, span_sub(rest, blanks, rest.len), &n)) {
            c->line += count_lines(span_sub(rest, 0, blanks + n));
            rest = span_sub(rest, blanks + n, rest.len);
            continue;
        }
        if (!span_line(&ahead, &line)) {
            break;
        }
        take_line(c, start, line);
        c->line++;
        rest = ahead;
    }
    end_piece(c, text.ptr + text.len);
}

static const char *last_part(struct arena *a, const char *name)
{
    const char *slash = strrchr(name, '/');
    struct buf b;
    buf_init(&b, a, 200);
    buf_add_escaped(&b, span_of(strcmp(name, "-") == 0 ? "standard input"
                                : slash != NULL        ? slash + 1
                                                       : name));
    return b.ptr;
}

bool import_text(struct import *im, const char *name, struct span text, struct err *reterr)
{
    struct cut c = {.im = im, .file = last_part(im->arena, name), .line = 1};
    if (span_trim(text).len == 0) {
        return err_set(reterr, E_SYNTAX, "'%s' is empty", name);
    }
    cut_text(&c, paste_prepare(im->arena, text));
    if (c.found > 0) {
        return true;
    }
    err_set(reterr, E_SYNTAX, "'%s': nothing in it is of a kind that can be read", name);
    return err_hint(reterr, "Give the output of nvme, smartctl or a maker's tool as it was printed; "
                            "'nvadvise import --formats' lists what can be read.");
}

void import_end(struct import *im)
{
    for (size_t i = 0; i < import_n_formats; i++) {
        if (import_formats[i]->end != NULL) {
            import_formats[i]->end(im);
        }
    }
    import_devices_end(im);
}
