/* JSON: our own writer (whole numbers exact, keys in the order written) and a reader over jansson
 * that keeps whole numbers of any size exact. */
#ifndef NVADVISE_ADVISOR_BASE_JSON_H
#define NVADVISE_ADVISOR_BASE_JSON_H

#include "advisor/base/arena.h"
#include "advisor/base/err.h"
#include "advisor/base/num.h"
#include "advisor/base/str.h"

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* One document model for reading, building and writing; lives in an arena. */
struct json {
    enum json_type type;
    bool boolean;
    struct num number;
    struct span string;        /* UTF-8, may hold NUL */
    struct json **items;       /* array items, or object values */
    struct span *keys;         /* object keys, in order of insertion */
    size_t n, cap;
    struct arena *arena;
};

/* jansson exports functions of these names, and its own calls would end in ours. */
#define json_null nv_json_null
#define json_array nv_json_array
#define json_object nv_json_object

struct json *json_null(struct arena *a);
struct json *json_bool(struct arena *a, bool v);
struct json *json_num(struct arena *a, struct num v);
struct json *json_int(struct arena *a, int64_t v);
struct json *json_str(struct arena *a, const char *text);   /* NULL text gives null */
struct json *json_span(struct arena *a, struct span text);  /* bytes that are not UTF-8 become U+FFFD */
struct json *json_array(struct arena *a);
struct json *json_object(struct arena *a);

void json_push(struct json *array, struct json *item);
void json_set(struct json *object, const char *key, struct json *value); /* replaces */
/* Adds a key that the caller knows not to be there; it may hold any UTF-8. */
void json_append(struct json *object, struct span key, struct json *value);

/* NULL when absent or of another type. */
const struct json *json_get(const struct json *object, const char *key);
/* The string at key, or NULL (also when it holds a NUL). Lives as long as the document. */
const char *json_get_str(const struct json *object, const char *key);

/* Sort the keys of every object below (byte order); arrays keep their order. */
void json_sort(struct json *doc);

/* Indented by two blanks per level, or on one line; ASCII control characters escaped. */
void json_write(struct buf *b, const struct json *doc, bool pretty);

/* Read one document, nothing after it but white space; depth at most 64; duplicate keys refused.
 * Error text "NAME:LINE:COLUMN: …". */
ATTR_NODISCARD bool json_read(struct arena *a, const char *name, struct span text,
                              struct json **ret, struct err *reterr);

#endif
