/* Reading JSON over jansson, which holds whole numbers as 64-bit and refuses 2^63: integers of more
 * than 18 digits are handed to it as marked strings and turned back, exact, afterwards.
 * The only file that includes jansson.h. Must not know what the documents mean. */
#include "advisor/base/json.h"

#include <string.h>

/* Both sides have these names. Below, they are jansson's with another name, or ours as nv_. */
#undef json_null
#undef json_array
#undef json_object
#define JSON_NULL JANSSON_NULL
#define JSON_STRING JANSSON_STRING
#define JSON_ARRAY JANSSON_ARRAY
#define JSON_OBJECT JANSSON_OBJECT
#include <jansson.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define DEPTH_MAX 64
#define TEXT_MAX (256u * 1024 * 1024)
#define LONG_DIGITS 18 /* up to this many always fit 64 bits with sign */

/* A marked integer is the string U+0001 and its digits; a string of the document that itself begins
 * with U+0001 gets that character twice. Written \u0001, the only way JSON allows. */
#define MARK "\\u0001"
#define MARK_CHAR '\1'

/* Where text was put in, so that positions in errors are those of the original. */
struct insert {
    size_t at;    /* offset in the marked text, behind what was put in */
    size_t bytes; /* put in so far */
};

struct marking {
    struct arena *arena;
    const char *name;
    struct span in;
    size_t at;
    struct buf out;
    struct insert *inserts;
    size_t n_inserts, cap_inserts;
    unsigned depth;
};

static bool fail_at(const char *name, struct span text, size_t offset, enum err_code code,
                    const char *what, struct err *reterr)
{
    unsigned long line = 1;
    size_t begin = 0;
    for (size_t i = 0; i < offset && i < text.len; i++) {
        if (text.ptr[i] == '\n') {
            line++;
            begin = i + 1;
        }
    }
    return err_set(reterr, code, "%s:%lu:%zu: %s", name, line, offset - begin + 1, what);
}

static void put_in(struct marking *m, const char *text)
{
    const size_t before = m->n_inserts == 0 ? 0 : m->inserts[m->n_inserts - 1].bytes;
    buf_add_text(&m->out, text);
    if (m->n_inserts == m->cap_inserts) {
        const size_t more = m->cap_inserts == 0 ? 16 : m->cap_inserts * 2;
        m->inserts = arena_grow(m->arena, m->inserts, m->cap_inserts * sizeof(struct insert),
                                more * sizeof(struct insert));
        m->cap_inserts = more;
    }
    m->inserts[m->n_inserts++] = (struct insert){m->out.len, before + strlen(text)};
}

static size_t original_offset(const struct marking *m, size_t marked)
{
    size_t lo = 0;
    size_t hi = m->n_inserts;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (m->inserts[mid].at <= marked) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo == 0 ? marked : marked - m->inserts[lo - 1].bytes;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char peek(const struct marking *m, size_t ahead)
{
    return m->at + ahead < m->in.len ? m->in.ptr[m->at + ahead] : '\0';
}

/* From the opening quote to behind the closing one; an open end is left for jansson to refuse. */
static void mark_string(struct marking *m)
{
    const size_t begin = m->at++;
    buf_add_char(&m->out, '"');
    if (span_starts(span_sub(m->in, m->at, m->in.len), MARK)) {
        put_in(m, MARK);
    }
    while (m->at < m->in.len && m->in.ptr[m->at] != '"') {
        m->at += m->in.ptr[m->at] == '\\' && m->at + 1 < m->in.len ? 2 : 1;
    }
    if (m->at < m->in.len) {
        m->at++;
    }
    buf_add_span(&m->out, span_sub(m->in, begin + 1, m->at - begin - 1));
}

/* Only what JSON calls an integer is quoted, so that everything else meets jansson as it is. */
static void mark_number(struct marking *m)
{
    const size_t begin = m->at;
    const size_t sign = peek(m, 0) == '-' ? 1 : 0;
    size_t n = 0;
    while (is_digit(peek(m, sign + n))) {
        n++;
    }
    const char next = peek(m, sign + n);
    const bool is_long =
        n > LONG_DIGITS && peek(m, sign) != '0' && next != '.' && next != 'e' && next != 'E';
    m->at += sign + n;
    if (!is_long) {
        /* Fraction and exponent go along, or their digits would be taken for a number. */
        while (is_digit(peek(m, 0)) || peek(m, 0) == '.' || peek(m, 0) == 'e' ||
               peek(m, 0) == 'E' || peek(m, 0) == '+' || peek(m, 0) == '-') {
            m->at++;
        }
        buf_add_span(&m->out, span_sub(m->in, begin, m->at - begin));
        return;
    }
    put_in(m, "\"" MARK);
    buf_add_span(&m->out, span_sub(m->in, begin, m->at - begin));
    put_in(m, "\"");
}

static bool mark_integers(struct marking *m, struct err *reterr)
{
    while (m->at < m->in.len) {
        const char c = m->in.ptr[m->at];
        if (c == '"') {
            mark_string(m);
            continue;
        }
        if (is_digit(c) || c == '-') {
            mark_number(m);
            continue;
        }
        if (c == '\0') {
            return fail_at(m->name, m->in, m->at, E_SYNTAX, "NUL byte", reterr);
        }
        if ((c == '[' || c == '{') && ++m->depth > DEPTH_MAX) {
            return fail_at(m->name, m->in, m->at, E_SYNTAX, "nested deeper than 64 levels", reterr);
        }
        if ((c == ']' || c == '}') && m->depth > 0) {
            m->depth--;
        }
        buf_add_char(&m->out, c);
        m->at++;
    }
    return true;
}

/* ---- from jansson's values to ours ------------------------------------------------------ */

struct converting {
    struct arena *arena;
    const char *name;
    struct err *reterr;
};

static struct json *convert(const struct converting *c, const json_t *v);

static struct json *convert_string(const struct converting *c, const json_t *v)
{
    struct span s = {json_string_value(v), json_string_length(v)};
    if (s.len == 0 || s.ptr[0] != MARK_CHAR) {
        return json_span(c->arena, s);
    }
    s = span_sub(s, 1, s.len);
    if (s.len > 0 && s.ptr[0] == MARK_CHAR) {
        return json_span(c->arena, s);
    }
    const bool neg = s.len > 0 && s.ptr[0] == '-';
    const struct span digits = span_sub(s, neg ? 1 : 0, s.len);
    nv_u128 mag = 0;
    if (!parse_u128(digits, &mag)) {
        err_set(c->reterr, E_SYNTAX, "%s: whole number of %zu digits is past 128 bits", c->name,
                digits.len);
        return NULL;
    }
    struct num n = num_u128(mag);
    n.neg = neg && mag != 0;
    return json_num(c->arena, n);
}

static struct json *convert_object(const struct converting *c, const json_t *v)
{
    struct json *object = nv_json_object(c->arena);
    json_t *walked = json_incref((json_t *)(uintptr_t)v); /* the iterators take no const */
    void *at = json_object_iter(walked);
    for (; at != NULL; at = json_object_iter_next(walked, at)) {
        struct span key = span_of(json_object_iter_key(at));
        if (key.len > 0 && key.ptr[0] == MARK_CHAR) {
            key = span_sub(key, 1, key.len);
            if (key.len == 0 || key.ptr[0] != MARK_CHAR) {
                err_set(c->reterr, E_SYNTAX, "%s: a number stands where a key should be", c->name);
                break;
            }
        }
        struct json *item = convert(c, json_object_iter_value(at));
        if (item == NULL) {
            break;
        }
        json_append(object, key, item);
    }
    json_decref(walked);
    return at == NULL ? object : NULL;
}

static struct json *convert_array(const struct converting *c, const json_t *v)
{
    struct json *array = nv_json_array(c->arena);
    for (size_t i = 0; i < json_array_size(v); i++) {
        struct json *item = convert(c, json_array_get(v, i));
        if (item == NULL) {
            return NULL;
        }
        json_push(array, item);
    }
    return array;
}

/* Depth was checked before jansson saw the text. NULL: the error is set. */
static struct json *convert(const struct converting *c, const json_t *v)
{
    switch (json_typeof(v)) {
    case JANSSON_OBJECT:
        return convert_object(c, v);
    case JANSSON_ARRAY:
        return convert_array(c, v);
    case JANSSON_STRING:
        return convert_string(c, v);
    case JSON_INTEGER:
        return json_num(c->arena, num_i64(json_integer_value(v)));
    case JSON_REAL:
        return json_num(c->arena, num_real(json_real_value(v)));
    case JSON_TRUE:
    case JSON_FALSE:
        return json_bool(c->arena, json_is_true(v));
    case JANSSON_NULL:
        break;
    }
    return nv_json_null(c->arena);
}

static void decref(json_t **v)
{
    json_decref(*v);
}

bool json_read(struct arena *a, const char *name, struct span text, struct json **ret,
               struct err *reterr)
{
    if (text.len > TEXT_MAX) {
        return err_set(reterr, E_TOO_BIG, "%s:1:1: larger than %u bytes", name, TEXT_MAX);
    }
    ARENA_AUTO scratch = arena_new();
    struct marking m = {.arena = scratch, .name = name, .in = text};
    /* A marked integer has at least 19 digits and a marked string 8 bytes: under twice the text. */
    buf_init(&m.out, scratch, 2 * text.len + 64);
    if (!mark_integers(&m, reterr)) {
        return false;
    }
    json_error_t at;
    ATTR_CLEANUP(decref)
    json_t *doc = json_loadb(m.out.ptr, m.out.len,
                             JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &at);
    if (doc == NULL) {
        const size_t marked = at.position > 0 ? (size_t)at.position : 0;
        return fail_at(name, text, original_offset(&m, marked), E_SYNTAX, at.text, reterr);
    }
    const struct converting c = {a, name, reterr};
    struct json *converted = convert(&c, doc);
    if (converted == NULL) {
        return false;
    }
    *ret = converted;
    return true;
}
