/* Forgiving readers for views of the report document. */
#include "advisor/report/docread.h"

#include <string.h>

#include "advisor/base/banned.h"

#define HASH_SHOWN 12

const struct json *read_list(const struct json *doc, const char *key)
{
    static const struct json empty = {.type = JSON_ARRAY};
    const struct json *list = doc == NULL ? NULL : json_get(doc, key);
    return list != NULL && list->type == JSON_ARRAY ? list : &empty;
}

const char *read_text(const struct json *doc, const char *key)
{
    const char *text = doc == NULL ? NULL : json_get_str(doc, key);
    return text != NULL ? text : "";
}

bool read_flag(const struct json *doc, const char *key)
{
    const struct json *j = doc == NULL ? NULL : json_get(doc, key);
    return j != NULL && j->type == JSON_BOOL && j->boolean;
}

uint64_t read_count(const struct json *doc, const char *key)
{
    const struct json *j = doc == NULL ? NULL : json_get(doc, key);
    uint64_t v = 0;
    return j != NULL && j->type == JSON_NUMBER && num_to_u64(j->number, &v) ? v : 0;
}

bool read_is(const struct json *doc, const char *key, const char *text)
{
    return strcmp(read_text(doc, key), text) == 0;
}

bool read_has(const struct json *doc, const char *key)
{
    const struct json *j = json_get(doc, key);
    return j != NULL && j->type != JSON_NULL;
}

void read_copy(struct json *to, const struct json *from, const char *key)
{
    json_set(to, key, json_str(to->arena, read_text(from, key)));
}

struct json *read_head(struct arena *a, const struct json *doc)
{
    struct json *j = json_object(a);
    const struct span hash = span_of(read_text(json_get(doc, "rules"), "hash"));
    json_set(j, "tool", json_str(a, read_text(json_get(doc, "tool"), "version")));
    json_set(j, "profile", json_str(a, read_text(json_get(doc, "profile"), "name")));
    json_set(j, "rules", json_span(a, span_sub(hash, 0, HASH_SHOWN)));
    json_set(j, "host", json_str(a, read_text(json_get(doc, "host"), "name")));
    json_set(j, "overridden", json_bool(a, read_list(doc, "overrides")->n > 0));
    return j;
}
