/* The JSON document model and its writer: keys in the order written, whole numbers exact.
 * Must not know jansson (the reader does), nor what the documents mean. */
#include "advisor/base/json.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/base/banned.h"

/* ---- making ----------------------------------------------------------------------------- */

static struct json *make(struct arena *a, enum json_type type)
{
    struct json *j = arena_alloc(a, sizeof(*j));
    j->type = type;
    j->arena = a;
    return j;
}

struct json *json_null(struct arena *a)
{
    return make(a, JSON_NULL);
}

struct json *json_bool(struct arena *a, bool v)
{
    struct json *j = make(a, JSON_BOOL);
    j->boolean = v;
    return j;
}

struct json *json_num(struct arena *a, struct num v)
{
    struct json *j = make(a, JSON_NUMBER);
    j->number = v;
    return j;
}

struct json *json_int(struct arena *a, int64_t v)
{
    return json_num(a, num_i64(v));
}

/* How many bytes at the front are one valid UTF-8 character; 0 when they are none. */
static size_t char_length(struct span s)
{
    for (size_t n = 1; n <= 4 && n <= s.len; n++) {
        if (span_is_utf8(span_sub(s, 0, n))) {
            return n;
        }
    }
    return 0;
}

static struct span mend_utf8(struct arena *a, struct span text)
{
    struct buf b;
    buf_init(&b, a, 3 * text.len); /* U+FFFD has three bytes */
    while (text.len > 0) {
        const size_t n = char_length(text);
        if (n == 0) {
            buf_add_text(&b, "\xef\xbf\xbd");
        } else {
            buf_add(&b, text.ptr, n);
        }
        text = span_sub(text, n == 0 ? 1 : n, text.len);
    }
    return buf_span(&b);
}

struct json *json_span(struct arena *a, struct span text)
{
    struct json *j = make(a, JSON_STRING);
    const struct span good = span_is_utf8(text) ? text : mend_utf8(a, text);
    j->string = (struct span){arena_strndup(a, good.ptr, good.len), good.len};
    return j;
}

struct json *json_str(struct arena *a, const char *text)
{
    return text == NULL ? json_null(a) : json_span(a, span_of(text));
}

struct json *json_array(struct arena *a)
{
    return make(a, JSON_ARRAY);
}

struct json *json_object(struct arena *a)
{
    return make(a, JSON_OBJECT);
}

static void grow(struct json *j)
{
    if (j->n < j->cap) {
        return;
    }
    const size_t cap = j->cap == 0 ? 8 : j->cap * 2;
    j->items =
        arena_grow(j->arena, j->items, j->cap * sizeof(struct json *), cap * sizeof(struct json *));
    if (j->type == JSON_OBJECT) {
        j->keys =
            arena_grow(j->arena, j->keys, j->cap * sizeof(struct span), cap * sizeof(struct span));
    }
    j->cap = cap;
}

void json_push(struct json *array, struct json *item)
{
    grow(array);
    array->items[array->n++] = item;
}

void json_append(struct json *object, struct span key, struct json *value)
{
    grow(object);
    object->keys[object->n] =
        (struct span){arena_strndup(object->arena, key.ptr, key.len), key.len};
    object->items[object->n++] = value;
}

void json_set(struct json *object, const char *key, struct json *value)
{
    for (size_t i = 0; i < object->n; i++) {
        if (span_eq_text(object->keys[i], key)) {
            object->items[i] = value;
            return;
        }
    }
    json_append(object, span_of(key), value);
}

/* ---- looking ---------------------------------------------------------------------------- */

const struct json *json_get(const struct json *object, const char *key)
{
    if (object == NULL || object->type != JSON_OBJECT) {
        return NULL;
    }
    for (size_t i = 0; i < object->n; i++) {
        if (span_eq_text(object->keys[i], key)) {
            return object->items[i];
        }
    }
    return NULL;
}

/* A string that holds NUL is no C string: half of it would be another text. */
const char *json_get_str(const struct json *object, const char *key)
{
    const struct json *v = json_get(object, key);
    if (v == NULL || v->type != JSON_STRING || span_has(v->string, '\0')) {
        return NULL;
    }
    return v->string.ptr;
}

/* ---- sorting ---------------------------------------------------------------------------- */

struct member {
    struct span key;
    struct json *value;
};

static int cmp_member(const void *a, const void *b)
{
    const struct member *x = a;
    const struct member *y = b;
    return span_cmp(x->key, y->key);
}

/* Depth is bounded: documents are read to 64 levels and built to fewer. */
void json_sort(struct json *doc)
{
    for (size_t i = 0; i < doc->n; i++) {
        json_sort(doc->items[i]);
    }
    if (doc->type != JSON_OBJECT || doc->n < 2) {
        return;
    }
    ARENA_AUTO scratch = arena_new();
    struct member *members = arena_calloc(scratch, doc->n, sizeof(*members));
    for (size_t i = 0; i < doc->n; i++) {
        members[i] = (struct member){doc->keys[i], doc->items[i]};
    }
    qsort(members, doc->n, sizeof(*members), cmp_member);
    for (size_t i = 0; i < doc->n; i++) {
        doc->keys[i] = members[i].key;
        doc->items[i] = members[i].value;
    }
}

/* ---- writing ---------------------------------------------------------------------------- */

/* The C1 controls (U+0080 to U+009F) are escaped too: a terminal obeys them. */
static size_t write_char(struct buf *b, const char *at, size_t left)
{
    const unsigned char c = (unsigned char)at[0];
    static const char named[] = "\"\"\\\\\nn\tt\rr\bb\ff";
    for (size_t i = 0; i + 1 < sizeof(named); i += 2) {
        if (at[0] == named[i]) {
            buf_add_char(b, '\\');
            buf_add_char(b, named[i + 1]);
            return 1;
        }
    }
    if (c < 0x20 || c == 0x7f) {
        buf_printf(b, "\\u%04x", (unsigned)c);
        return 1;
    }
    if (c == 0xc2 && left > 1 && (unsigned char)at[1] < 0xa0) {
        buf_printf(b, "\\u%04x", (unsigned)(unsigned char)at[1]);
        return 2;
    }
    buf_add_char(b, at[0]);
    return 1;
}

static void write_string(struct buf *b, struct span s)
{
    buf_add_char(b, '"');
    for (size_t i = 0; i < s.len;) {
        i += write_char(b, s.ptr + i, s.len - i);
    }
    buf_add_char(b, '"');
}

static void write_break(struct buf *b, bool pretty, unsigned level)
{
    if (pretty) {
        buf_add_char(b, '\n');
        for (unsigned i = 0; i < level; i++) {
            buf_add_text(b, "  ");
        }
    }
}

static void write_value(struct buf *b, const struct json *j, bool pretty, unsigned level);

static void write_items(struct buf *b, const struct json *j, bool pretty, unsigned level)
{
    const bool object = j->type == JSON_OBJECT;
    buf_add_char(b, object ? '{' : '[');
    for (size_t i = 0; i < j->n; i++) {
        if (i > 0) {
            buf_add_text(b, pretty ? "," : ", ");
        }
        write_break(b, pretty, level + 1);
        if (object) {
            write_string(b, j->keys[i]);
            buf_add_text(b, ": ");
        }
        write_value(b, j->items[i], pretty, level + 1);
    }
    if (j->n > 0) {
        write_break(b, pretty, level);
    }
    buf_add_char(b, object ? '}' : ']');
}

static void write_value(struct buf *b, const struct json *j, bool pretty, unsigned level)
{
    switch (j->type) {
    case JSON_NULL:
        buf_add_text(b, "null");
        break;
    case JSON_BOOL:
        buf_add_text(b, j->boolean ? "true" : "false");
        break;
    case JSON_NUMBER:
        if (j->number.tag == NUM_UNLIMITED) {
            buf_add_text(b, "\"unlimited\""); /* JSON has no such number */
        } else {
            num_print(b, j->number);
        }
        break;
    case JSON_STRING:
        write_string(b, j->string);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        write_items(b, j, pretty, level);
        break;
    }
}

void json_write(struct buf *b, const struct json *doc, bool pretty)
{
    write_value(b, doc, pretty, 0);
}
