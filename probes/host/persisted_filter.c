/* mysqld-auto.cnf without secrets: see optfile_filter.h. What goes out is made anew from what is
 * known to be harmless, so that what a later version adds stays inside. */
#include "probes/host/optfile_filter.h"

#include "advisor/base/json.h"
#include "probes/host/secret_names.h"

#include "advisor/base/banned.h"

#define AUTO_BYTES_MAX ((size_t)4 * 1024 * 1024)

/* As SET PERSIST writes them: version 1, then version 2 (8.0.29). */
static const char *const sections[] = {
    "mysql_server",
    "mysql_dynamic_parse_early_variables",
    "mysql_dynamic_variables",
    "mysql_static_parse_early_variables",
    "mysql_static_variables",
};
#define STATIC_SECTION "mysql_server_static_options" /* within "mysql_server" */

static struct json *variables(struct arena *a, const struct json *section)
{
    struct json *out = json_object(a);
    for (size_t i = 0; section->type == JSON_OBJECT && i < section->n; i++) {
        const struct json *one = section->items[i];
        if (span_eq_text(section->keys[i], STATIC_SECTION)) {
            json_append(out, section->keys[i], variables(a, one));
            continue;
        }
        const struct json *value = json_get(one, "Value");
        struct json *entry = json_object(a);
        if (value != NULL && value->type == JSON_STRING) {
            const bool secret = value->string.len > 0 && secret_option(section->keys[i]);
            json_set(entry, "Value",
                     secret ? json_str(a, SECRET_BLANKED) : json_span(a, value->string));
        } else if (value != NULL && value->type == JSON_NULL) {
            json_set(entry, "Value", json_null(a));
        }
        json_append(out, section->keys[i], entry);
    }
    return out;
}

bool optfile_blank_persisted(struct arena *a, struct span text, struct span *ret,
                             struct err *reterr)
{
    struct json *doc = NULL;
    struct err err = ERR_INIT;
    if (!json_read(a, "mysqld-auto.cnf", text, &doc, &err) || doc->type != JSON_OBJECT) {
        return err_set(reterr, E_SYNTAX, "mysqld-auto.cnf holds no JSON object");
    }
    struct json *out = json_object(a);
    const struct json *version = json_get(doc, "Version");
    if (version != NULL && version->type == JSON_NUMBER) {
        json_set(out, "Version", json_num(a, version->number));
    }
    for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
        const struct json *section = json_get(doc, sections[i]);
        if (section != NULL) {
            json_set(out, sections[i], variables(a, section));
        }
    }
    struct buf b;
    buf_init(&b, a, AUTO_BYTES_MAX);
    json_write(&b, out, false);
    if (b.full) {
        return err_set(reterr, E_TOO_BIG, "mysqld-auto.cnf holds more than %zu bytes",
                       AUTO_BYTES_MAX);
    }
    *ret = buf_span(&b);
    return true;
}
