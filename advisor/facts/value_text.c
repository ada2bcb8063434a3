/* Typed values as text: for people, as literals, and back. Must not know names of facts. */
#include "advisor/facts/value.h"

#include <string.h>

#include "advisor/base/banned.h"

#define WORDS_MAX 65536
#define SHOWN_MAX 60 /* bytes of a wrong value that a message repeats */

/* ---- printing --------------------------------------------------------------------------- */

static void print_words(struct buf *b, const struct value *v)
{
    for (size_t i = 0; i < v->n_items; i++) {
        buf_add_text(b, i == 0 ? "" : ", ");
        buf_add_span(b, v->items[i]);
    }
    if (v->n_items == 0) {
        buf_add_text(b, "none");
    }
}

void value_print(struct buf *b, const struct value *v)
{
    if (kind_is_numeric(v->kind)) {
        units_print(b, v->num, kind_dim(v->kind), v->kind == KIND_RATIO);
    } else if (v->kind == KIND_BOOL) {
        buf_add_text(b, v->boolean ? "true" : "false");
    } else if (v->kind == KIND_VERSION) {
        version_print(b, &v->version);
    } else if (v->kind == KIND_SET || v->kind == KIND_LIST) {
        print_words(b, v);
    } else {
        buf_add_span(b, v->text);
    }
}

static bool is_plain_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("_-./:+", c) != NULL);
}

/* The word `unknown` states that a fact is not known; as a value it needs its quotes. */
static bool is_plain_word(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (!is_plain_char(s.ptr[i])) {
            return false;
        }
    }
    return s.len > 0 && !span_eq_text(s, "unknown");
}

static void print_word(struct buf *b, struct span s)
{
    if (is_plain_word(s)) {
        buf_add_span(b, s);
        return;
    }
    buf_add_char(b, '"');
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.ptr[i];
        if (c == '"' || c == '\\') {
            buf_add_char(b, '\\');
            buf_add_char(b, s.ptr[i]);
        } else if (c < 0x20 || c >= 0x7f) {
            buf_printf(b, "\\x%02x", (unsigned)c);
        } else {
            buf_add_char(b, s.ptr[i]);
        }
    }
    buf_add_char(b, '"');
}

void value_print_literal(struct buf *b, const struct value *v)
{
    if (kind_is_numeric(v->kind)) {
        units_print_literal(b, v->num, kind_dim(v->kind), v->kind == KIND_RATIO);
    } else if (v->kind == KIND_ENUM || v->kind == KIND_STRING) {
        print_word(b, v->text);
    } else if (v->kind == KIND_SET || v->kind == KIND_LIST) {
        buf_add_char(b, '{');
        for (size_t i = 0; i < v->n_items; i++) {
            buf_add_text(b, i == 0 ? "" : ", ");
            print_word(b, v->items[i]);
        }
        buf_add_char(b, '}');
    } else {
        value_print(b, v);
    }
}

/* ---- reading ---------------------------------------------------------------------------- */

static bool refuse(enum kind k, struct span text, const char *why, struct err *reterr)
{
    const struct span shown = span_sub(text, 0, SHOWN_MAX);
    return err_set(reterr, E_SYNTAX, "'%.*s%s' is no %s: %s", SPAN_ARG(shown),
                   text.len > SHOWN_MAX ? "…" : "", kind_name(k), why);
}

static bool read_bool(struct span text, struct value *ret, struct err *reterr)
{
    static const struct {
        const char *word;
        bool value;
    } words[] = {{"true", true},   {"on", true},   {"yes", true}, {"1", true},
                 {"false", false}, {"off", false}, {"no", false}, {"0", false}};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (span_eq_nocase(text, span_of(words[i].word))) {
            *ret = value_bool(words[i].value);
            return true;
        }
    }
    return refuse(KIND_BOOL, text, "write true or false", reterr);
}

static const char *unit_wanted(enum kind k)
{
    const struct dim d = kind_dim(k);
    if (dim_eq(d, DIM_BYTES)) {
        return "a size with its unit is wanted, such as 16KiB or 512B";
    }
    if (dim_eq(d, DIM_SECONDS)) {
        return "a time with its unit is wanted, such as 250us or 1h";
    }
    if (dim_eq(d, DIM_RATE)) {
        return "a rate is wanted, such as 2000/s";
    }
    if (dim_eq(d, DIM_BYTES_PER_S)) {
        return "a rate of bytes is wanted, such as 6MiB/s";
    }
    if (dim_eq(d, DIM_CELSIUS)) {
        return "a temperature is wanted, such as 70degC";
    }
    return k == KIND_COUNT ? "a whole number is wanted" : "a number or percentage is wanted";
}

static bool read_number(enum kind k, bool plain_ok, struct span text, struct value *ret,
                        struct err *reterr)
{
    if (span_eq_text(text, "unlimited")) {
        *ret = value_num(k, num_unlimited());
        return true;
    }
    struct num n;
    struct dim d;
    const char *hint = NULL;
    if (!units_parse(text, &n, &d, &hint)) {
        return refuse(k, text, hint != NULL ? hint : unit_wanted(k), reterr);
    }
    const bool plain = dim_eq(d, DIM_NONE) && !span_ends(text, "%");
    if (!dim_eq(d, kind_dim(k)) && !(plain && plain_ok)) {
        return refuse(k, text, unit_wanted(k), reterr);
    }
    if (k == KIND_COUNT && (!plain || n.tag != NUM_INT)) {
        return refuse(k, text, unit_wanted(k), reterr);
    }
    *ret = value_num(k, n);
    return true;
}

static bool read_version(struct span text, struct value *ret, struct err *reterr)
{
    struct version v;
    if (!version_parse_exact(text, &v)) {
        return refuse(KIND_VERSION, text, "numbers with dots are wanted, such as 8.0.36", reterr);
    }
    *ret = value_version(v);
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* One quoted text off the front of *rest, which begins with its quote. */
static bool read_quoted(struct arena *a, struct span *rest, struct span *ret)
{
    const struct span s = *rest;
    struct buf b;
    buf_init(&b, a, s.len);
    size_t i = 1;
    while (i < s.len && s.ptr[i] != '"') {
        if (s.ptr[i] != '\\') {
            buf_add_char(&b, s.ptr[i++]);
        } else if (i + 1 < s.len && (s.ptr[i + 1] == '"' || s.ptr[i + 1] == '\\')) {
            buf_add_char(&b, s.ptr[i + 1]);
            i += 2;
        } else if (i + 3 < s.len && s.ptr[i + 1] == 'x' && hex_digit(s.ptr[i + 2]) >= 0 &&
                   hex_digit(s.ptr[i + 3]) >= 0) {
            buf_add_char(&b, (char)(hex_digit(s.ptr[i + 2]) * 16 + hex_digit(s.ptr[i + 3])));
            i += 4;
        } else {
            return false;
        }
    }
    if (i >= s.len) {
        return false;
    }
    *rest = span_sub(s, i + 1, s.len);
    *ret = buf_span(&b);
    return true;
}

static bool is_allowed(const char *allowed, struct span word)
{
    struct span rest = span_of(allowed);
    struct span piece;
    while (span_split(&rest, ',', &piece)) {
        if (span_eq(span_trim(piece), word)) {
            return true;
        }
    }
    return false;
}

static bool check_allowed(enum kind k, const char *allowed, struct span word, struct err *reterr)
{
    if (allowed == NULL || is_allowed(allowed, word)) {
        return true;
    }
    const struct span shown = span_sub(word, 0, SHOWN_MAX);
    return err_set(reterr, E_SYNTAX, "'%.*s' is none of the words of this %s: %.300s",
                   SPAN_ARG(shown), kind_name(k), allowed);
}

static bool read_text(struct arena *a, enum kind k, const char *allowed, struct span text,
                      struct value *ret, struct err *reterr)
{
    struct span word = text;
    if (span_starts(text, "\"")) {
        struct span rest = text;
        if (!read_quoted(a, &rest, &word) || rest.len > 0) {
            return refuse(k, text, "quotes or an escape in it are broken", reterr);
        }
    }
    if (k == KIND_ENUM && word.len == 0) {
        return refuse(k, text, "a word is wanted", reterr);
    }
    if (k == KIND_ENUM && !check_allowed(k, allowed, word, reterr)) {
        return false;
    }
    *ret = value_text(k, span_copy(a, word));
    return true;
}

/* The next word of a list, and the comma behind it. */
static bool read_word(struct arena *a, struct span *rest, struct span *ret)
{
    struct span word;
    *rest = span_trim(*rest);
    if (span_starts(*rest, "\"")) {
        if (!read_quoted(a, rest, &word)) {
            return false;
        }
        *rest = span_trim(*rest);
        if (rest->len > 0) {
            struct span nothing;
            span_split(rest, ',', &nothing);
            if (nothing.len > 0 || rest->len == 0) {
                return false;
            }
        }
        *ret = word;
        return true;
    }
    const size_t before = rest->len;
    if (!span_split(rest, ',', &word)) {
        return false;
    }
    /* A comma at the end promises one more word. */
    if (rest->len == 0 && word.len < before) {
        return false;
    }
    *ret = span_trim(word);
    return ret->len > 0 && !span_has(*ret, '"') && !span_has(*ret, '{') && !span_has(*ret, '}');
}

static bool read_words(struct arena *a, enum kind k, const char *allowed, struct span text,
                       struct value *ret, struct err *reterr)
{
    struct span rest = text;
    if (span_starts(rest, "{") && span_ends(rest, "}") && rest.len >= 2) {
        rest = span_trim(span_sub(rest, 1, rest.len - 2));
        if (rest.len == 0) {
            *ret = value_words(a, k, NULL, 0);
            return true;
        }
    }
    struct span *items = NULL;
    size_t n = 0;
    size_t cap = 0;
    do {
        if (n == cap) {
            const size_t more = cap == 0 ? 8 : cap * 2;
            items = arena_grow(a, items, cap * sizeof(*items), more * sizeof(*items));
            cap = more;
        }
        if (n == WORDS_MAX || !read_word(a, &rest, &items[n])) {
            return refuse(k, text, "words with commas between are wanted, such as {a, b}", reterr);
        }
        if (!check_allowed(k, allowed, items[n], reterr)) {
            return false;
        }
        n++;
    } while (rest.len > 0);
    *ret = value_words(a, k, items, n);
    return true;
}

bool value_read(struct arena *a, enum kind k, const char *allowed, bool plain_ok, struct span text,
                struct value *ret, struct err *reterr)
{
    text = span_trim(text);
    switch (k) {
    case KIND_BOOL:
        return read_bool(text, ret, reterr);
    case KIND_VERSION:
        return read_version(text, ret, reterr);
    case KIND_ENUM:
    case KIND_STRING:
        return read_text(a, k, allowed, text, ret, reterr);
    case KIND_SET:
    case KIND_LIST:
        return read_words(a, k, allowed, text, ret, reterr);
    case KIND_COUNT:
    case KIND_BYTES:
    case KIND_SECONDS:
    case KIND_RATIO:
    case KIND_RATE:
    case KIND_BYTES_PER_S:
    case KIND_CELSIUS:
    case KINDS:
        break;
    }
    return read_number(k, plain_ok, text, ret, reterr);
}
