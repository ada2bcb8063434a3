/* mysqld-auto.cnf: what SET PERSIST wrote, as option lines. */
#include "probes/server_options.h"

#include "advisor/base/json.h"

#include "advisor/base/banned.h"

#define PERSISTED_MAX 16384u

/* Version 1 (until 8.0.28) has the first, with what cannot be set at run time in a section within;
 * version 2 the others. What is encrypted cannot be read. */
static const char *const sections[] = {
    "mysql_server",
    "mysql_static_parse_early_variables",
    "mysql_static_variables",
    "mysql_dynamic_parse_early_variables",
    "mysql_dynamic_variables",
};
#define STATIC_SECTION "mysql_server_static_options"

struct reader {
    struct arena *arena;
    struct span path;
    struct optline *lines;
    size_t n;
};

static bool add(struct reader *r, struct span name, const struct json *value, struct err *reterr)
{
    if (r->n >= PERSISTED_MAX) {
        return err_set(reterr, E_TOO_BIG, "'%.*s' holds more than %u variables", SPAN_ARG(r->path),
                       PERSISTED_MAX);
    }
    r->lines = arena_list_room(r->arena, r->lines, r->n, sizeof(*r->lines));
    r->lines[r->n++] =
        (struct optline){.file = r->path,
                         .group = SPAN_LIT(OPTLINE_PERSISTED),
                         .name = name,
                         .value = value == NULL ? (struct span){"", 0} : value->string,
                         .has_value = true};
    return true;
}

static bool read_section(struct reader *r, const struct json *section, bool inner,
                         struct err *reterr)
{
    for (size_t i = 0; section->type == JSON_OBJECT && i < section->n; i++) {
        const struct json *one = section->items[i];
        if (!inner && span_eq_text(section->keys[i], STATIC_SECTION)) {
            if (!read_section(r, one, true, reterr)) {
                return false;
            }
            continue;
        }
        const struct json *value = json_get(one, "Value");
        const bool null = value != NULL && value->type == JSON_NULL;
        if (value == NULL || (value->type != JSON_STRING && !null)) {
            continue; /* the servers pass over an entry that is broken */
        }
        if (!add(r, section->keys[i], null ? NULL : value, reterr)) {
            return false;
        }
    }
    return true;
}

bool server_options_persisted(struct arena *a, const char *path, struct span text,
                              struct optline **lines, size_t *n, struct err *reterr)
{
    struct json *doc = NULL;
    struct err err = ERR_INIT;
    struct reader r = {.arena = a, .path = span_of(arena_strdup(a, path))};
    if (!json_read(a, path, text, &doc, &err) || doc->type != JSON_OBJECT) {
        err_set(reterr, E_SYNTAX, "'%s' is no JSON object", path);
        return err_hint(reterr, "A server that finds it so does not start: move it away.");
    }
    for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
        const struct json *section = json_get(doc, sections[i]);
        if (section != NULL && !read_section(&r, section, false, reterr)) {
            return false;
        }
    }
    struct optline *all = arena_calloc(a, *n + r.n + 1, sizeof(*all));
    for (size_t i = 0; i < *n; i++) {
        all[i] = (*lines)[i];
    }
    for (size_t i = 0; i < r.n; i++) {
        all[*n + i] = r.lines[i];
    }
    *lines = all;
    *n += r.n;
    return true;
}
