/* Forgiving readers for views of the report document. */
#include "advisor/report/docread.h"

#include <string.h>

#include "advisor/base/banned.h"

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
