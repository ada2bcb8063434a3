/* Strict INI over inih, whose silent cuts and merges are turned into errors: our reader looks at
 * every line before inih does, says what it must be, and the handler checks that inih agrees.
 * The only file that includes ini.h. Must not know what the sections mean. */
#include "advisor/base/ini.h"

#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/banned.h"

#define LINE_MAX_BYTES 190 /* libinih as built by Debian splits lines above 199 bytes */
#define SECTION_MAX_BYTES 48

enum line_kind { LINE_NOTHING, LINE_SECTION, LINE_KEY, LINE_MORE };

struct reading {
    struct arena *arena;
    const char *name;
    struct span rest;
    unsigned line;
    enum line_kind expect; /* what inih must make of the current line */
    struct ini_file file;
    size_t cap_sections;
    size_t cap_entries; /* of the last section */
    struct buf value;   /* of the last entry, while it goes on */
    bool open;          /* there is such an entry */
    struct err *reterr;
    bool failed;
};

static bool fail(struct reading *r, unsigned line, const char *what)
{
    if (!r->failed) {
        err_set(r->reterr, E_SYNTAX, "%s:%u: %s", r->name, line, what);
        r->failed = true;
    }
    return false;
}

static struct ini_section *last_section(struct reading *r)
{
    return r->file.n_sections == 0 ? NULL : &r->file.sections[r->file.n_sections - 1];
}

/* The value is complete when the next key or section begins, or the file ends. */
static void close_entry(struct reading *r)
{
    struct ini_section *s = last_section(r);
    if (r->open && s != NULL) {
        s->entries[s->n_entries - 1].value = span_copy(r->arena, buf_span(&r->value));
        r->open = false;
    }
}

static bool check_bytes(struct reading *r, struct span line)
{
    if (line.len > LINE_MAX_BYTES) {
        return fail(r, r->line, "line is longer than 190 bytes; go on in an indented line");
    }
    for (size_t i = 0; i < line.len; i++) {
        const unsigned char c = (unsigned char)line.ptr[i];
        if (c == '\0') {
            return fail(r, r->line, "NUL byte");
        }
        if ((c < 0x20 && c != '\t') || c == 0x7f) {
            return fail(r, r->line, "control character");
        }
    }
    return span_is_utf8(line) || fail(r, r->line, "not UTF-8");
}

/* inih takes a ';' after any blank as the start of a comment, also inside a value. */
static bool check_inline_comment(struct reading *r, struct span line)
{
    for (size_t i = 1; i < line.len; i++) {
        if (line.ptr[i] == ';' && (line.ptr[i - 1] == ' ' || line.ptr[i - 1] == '\t')) {
            return fail(r, r->line, "' ;' would cut the value here; comments go on their own line");
        }
    }
    return true;
}

static bool take_section(struct reading *r, struct span text)
{
    if (text.len < 3 || text.ptr[text.len - 1] != ']') {
        return fail(r, r->line, "a section is '[name]' and nothing else on its line");
    }
    const struct span name = span_sub(text, 1, text.len - 2);
    if (name.len > SECTION_MAX_BYTES) {
        return fail(r, r->line, "section name is longer than 48 bytes");
    }
    if (span_has(name, '[') || span_has(name, ']') || span_trim(name).len != name.len) {
        return fail(r, r->line, "section name has brackets or blanks at its ends");
    }
    close_entry(r);
    if (r->file.n_sections == r->cap_sections) {
        const size_t more = r->cap_sections == 0 ? 16 : r->cap_sections * 2;
        r->file.sections =
            arena_grow(r->arena, r->file.sections, r->cap_sections * sizeof(struct ini_section),
                       more * sizeof(struct ini_section));
        r->cap_sections = more;
    }
    r->file.sections[r->file.n_sections++] =
        (struct ini_section){.name = span_copy(r->arena, name), .line = r->line};
    r->cap_entries = 0;
    r->expect = LINE_SECTION;
    return true;
}

static bool take_key(struct reading *r, struct span text)
{
    if (last_section(r) == NULL) {
        return fail(r, r->line, "key before the first section");
    }
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '=') {
            if (i == 0) {
                return fail(r, r->line, "no key before '='");
            }
            r->expect = LINE_KEY;
            return true;
        }
        if (text.ptr[i] == ':') {
            break;
        }
    }
    return fail(r, r->line, "neither '[section]' nor 'key = value'");
}

static bool classify(struct reading *r, struct span line)
{
    r->expect = LINE_NOTHING;
    if (!check_bytes(r, line)) {
        return false;
    }
    const struct span text = span_trim(line);
    if (text.len == 0 || text.ptr[0] == ';' || text.ptr[0] == '#') {
        return true;
    }
    if (!check_inline_comment(r, line)) {
        return false;
    }
    if (text.ptr == line.ptr) {
        return text.ptr[0] == '[' ? take_section(r, text) : take_key(r, text);
    }
    if (!r->open) {
        return fail(r, r->line, "indented line, but there is no key that it goes on");
    }
    r->expect = LINE_MORE;
    return true;
}

/* inih's fgets: hands out one checked line at a time; NULL ends the reading, as does any error. */
static char *next_line(char *str, int num, void *stream)
{
    struct reading *r = stream;
    if (!r->failed && (r->expect == LINE_KEY || r->expect == LINE_MORE)) {
        fail(r, r->line, "the INI library did not take this line");
    }
    struct span line;
    if (r->failed || !span_line(&r->rest, &line)) {
        return NULL;
    }
    r->line++;
    if (!classify(r, line)) {
        return NULL;
    }
    if (num < 2 || line.len > (size_t)num - 2) {
        fail(r, r->line, "line is longer than the INI library takes");
        return NULL;
    }
    if (line.len > 0) {
        memcpy(str, line.ptr, line.len);
    }
    str[line.len] = '\n';
    str[line.len + 1] = '\0';
    return str;
}

static void add_entry(struct reading *r, struct ini_section *s, const char *name, const char *value)
{
    close_entry(r);
    if (s->n_entries == r->cap_entries) {
        const size_t more = r->cap_entries == 0 ? 16 : r->cap_entries * 2;
        s->entries = arena_grow(r->arena, s->entries, r->cap_entries * sizeof(struct ini_entry),
                                more * sizeof(struct ini_entry));
        r->cap_entries = more;
    }
    s->entries[s->n_entries++] =
        (struct ini_entry){.key = span_copy(r->arena, span_of(name)), .line = r->line};
    buf_init(&r->value, r->arena, INI_MAX_BYTES);
    buf_add_text(&r->value, value);
    r->open = true;
}

static int handle(void *user, const char *section, const char *name, const char *value)
{
    struct reading *r = user;
    struct ini_section *s = last_section(r);
    const enum line_kind expected = r->expect;
    r->expect = LINE_NOTHING;
    if (r->failed) {
        return 1;
    }
    if (s == NULL || name == NULL || value == NULL || !span_eq_text(s->name, section)) {
        fail(r, r->line, "the INI library read another section than the line says");
    } else if (expected == LINE_KEY) {
        add_entry(r, s, name, value);
    } else if (expected == LINE_MORE) {
        if (r->value.len > 0 && value[0] != '\0') {
            buf_add_char(&r->value, ' ');
        }
        buf_add_text(&r->value, value);
    } else {
        fail(r, r->line, "the INI library read a key where there is none");
    }
    return 1;
}

/* ---- duplicates ------------------------------------------------------------------------- */

struct named {
    struct span name;
    unsigned line;
};

static int cmp_named(const void *a, const void *b)
{
    const struct named *x = a;
    const struct named *y = b;
    const int c = span_cmp(x->name, y->name);
    return c != 0 ? c : (x->line > y->line) - (x->line < y->line);
}

/* Sorted, since a hostile file may hold a hundred thousand names. */
static bool check_unique(struct reading *r, struct named *names, size_t n, const char *what)
{
    const struct named *first = NULL;
    const struct named *again = NULL;
    if (n > 1) {
        qsort(names, n, sizeof(*names), cmp_named);
    }
    for (size_t i = 1; i < n; i++) {
        if (span_eq(names[i].name, names[i - 1].name) &&
            (again == NULL || names[i].line < again->line)) {
            again = &names[i];
            first = &names[i - 1];
        }
    }
    if (again == NULL) {
        return true;
    }
    r->failed = true;
    return err_set(r->reterr, E_SYNTAX, "%s:%u: %s '%.*s' is there already, in line %u", r->name,
                   again->line, what, SPAN_ARG(again->name), first->line);
}

static bool check_duplicates(struct reading *r)
{
    ARENA_AUTO scratch = arena_new();
    struct named *names = arena_calloc(scratch, r->file.n_sections, sizeof(*names));
    for (size_t i = 0; i < r->file.n_sections; i++) {
        names[i] = (struct named){r->file.sections[i].name, r->file.sections[i].line};
    }
    if (!check_unique(r, names, r->file.n_sections, "section")) {
        return false;
    }
    for (size_t i = 0; i < r->file.n_sections; i++) {
        const struct ini_section *s = &r->file.sections[i];
        if (s->n_entries < 2) {
            continue;
        }
        names = arena_calloc(scratch, s->n_entries, sizeof(*names));
        for (size_t k = 0; k < s->n_entries; k++) {
            names[k] = (struct named){s->entries[k].key, s->entries[k].line};
        }
        if (!check_unique(r, names, s->n_entries, "key")) {
            return false;
        }
    }
    return true;
}

bool ini_read(struct arena *a, const char *name, struct span text, struct ini_file *ret,
              struct err *reterr)
{
    if (text.len > INI_MAX_BYTES) {
        return err_set(reterr, E_TOO_BIG, "%s:1: larger than %d bytes", name, INI_MAX_BYTES);
    }
    struct reading r = {.arena = a, .name = name, .rest = text, .reterr = reterr};
    r.file.name = arena_strdup(a, name);
    if (span_starts(text, "\xef\xbb\xbf")) {
        r.rest = span_sub(text, 3, text.len);
    }
    const int rc = ini_parse_stream(next_line, &r, handle, &r);
    if (!r.failed && rc != 0) {
        fail(&r, rc > 0 ? (unsigned)rc : r.line, "the INI library cannot read this line");
    }
    close_entry(&r);
    if (r.failed || !check_duplicates(&r)) {
        return false;
    }
    *ret = r.file;
    return true;
}

const struct ini_section *ini_section(const struct ini_file *f, const char *name)
{
    for (size_t i = 0; i < f->n_sections; i++) {
        if (span_eq_text(f->sections[i].name, name)) {
            return &f->sections[i];
        }
    }
    return NULL;
}

const struct ini_entry *ini_entry(const struct ini_section *s, const char *key)
{
    for (size_t i = 0; i < s->n_entries; i++) {
        if (span_eq_text(s->entries[i].key, key)) {
            return &s->entries[i];
        }
    }
    return NULL;
}
