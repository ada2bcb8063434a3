/* Complaints: which are about our lines, and what the values that a server shows say. */
#include <ctype.h>
#include <string.h>

#include "advisor/scratch/number.h"
#include "advisor/scratch/validate_int.h"

#include "advisor/base/banned.h"

#define COMPLAINTS_MAX 256
#define TEXT_MAX 500

bool validating_is_ours(const struct validating *v, size_t i)
{
    return span_eq_text(v->in->lines[i].file, v->in->ours);
}

bool validating_wins(const struct validating *v, size_t i)
{
    if (v->skip[i] || v->names[i] == NULL) {
        return false;
    }
    for (size_t k = i + 1; k < v->in->n_lines; k++) {
        if (!v->skip[k] && v->names[k] != NULL && strcmp(v->names[k], v->names[i]) == 0) {
            return false;
        }
    }
    return true;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_word_byte(char c)
{
    return isalnum((unsigned char)c) != 0 || c == '_' || c == '-';
}

bool validating_stands_in(struct span text, const char *name)
{
    const struct span want = span_of(name);
    for (size_t i = 0; i < text.len; i++) {
        size_t n = 0;
        while (i + n < text.len && is_word_byte(text.ptr[i + n])) {
            n++;
        }
        if (n > 0 && option_name_same(span_sub(text, i, n), want)) {
            return true;
        }
        i += n;
    }
    return false;
}

/* "Invalid page size" speaks of innodb_page_size. */
static const char *spoken_of(const struct validating *v, struct span text)
{
    for (size_t i = 0; i < v->in->n_lines; i++) {
        const char *const name = validating_is_ours(v, i) ? v->names[i] : NULL;
        if (name == NULL) {
            continue;
        }
        char *const words =
            arena_strdup(v->arena, strncmp(name, "innodb_", 7) == 0 ? name + 7 : name);
        for (char *p = words; *p != '\0'; p++) {
            *p = *p == '_' ? ' ' : *p;
        }
        if (strchr(words, ' ') != NULL && strcasestr(span_dup(v->arena, text), words) != NULL) {
            return name;
        }
    }
    return "";
}

const char *validating_name(const struct validating *v, struct span named, struct span text)
{
    const char *value = NULL;
    for (size_t i = 0; i < v->in->n_lines; i++) {
        if (validating_is_ours(v, i) && v->names[i] != NULL &&
            (named.len > 0 ? option_name_same(named, v->in->lines[i].name) ||
                                 option_name_same(named, span_of(v->names[i]))
                           : validating_stands_in(text, v->names[i]))) {
            return v->names[i];
        }
    }
    if (named.len == 0) {
        return spoken_of(v, text);
    }
    const char *const name = option_canonical(v->in->catalogue, named, v->arena, &value);
    return name != NULL ? name : "";
}

/* ---- the list -------------------------------------------------------------------------------- */

static struct span one_line(struct arena *a, struct span text)
{
    struct span s = span_copy(a, span_sub(text, 0, TEXT_MAX));
    char *const bytes = span_dup(a, s);
    for (size_t i = 0; i < s.len; i++) {
        bytes[i] = bytes[i] == '\n' || bytes[i] == '\r' || bytes[i] == '\0' ? ' ' : bytes[i];
    }
    return (struct span){bytes, s.len};
}

void validating_add(struct validating *v, enum complaint_kind kind, bool ours, const char *name,
                    struct span text)
{
    const char *const line = span_dup(v->arena, one_line(v->arena, text));
    for (size_t i = 0; i < v->n_list; i++) {
        if (strcmp(v->list[i].text, line) == 0 && v->list[i].ours == ours) {
            return;
        }
    }
    if (v->n_list < COMPLAINTS_MAX) {
        v->list = arena_list_room(v->arena, v->list, v->n_list, sizeof(*v->list));
        v->list[v->n_list++] = (struct complaint){kind, ours, arena_strdup(v->arena, name), line};
    }
}

bool validating_has(const struct validating *v, const char *name)
{
    for (size_t i = 0; i < v->n_list; i++) {
        if (v->list[i].kind != COMPLAINT_WARNING && strcmp(v->list[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static size_t count_text(const struct server_message *list, size_t n, struct span text)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        count += span_eq(list[i].text, text) ? 1 : 0;
    }
    return count;
}

/* InnoDB's options are all unknown once one of them was refused. */
static bool is_consequence(const struct server_message *list, size_t i)
{
    if (list[i].follows) {
        return true;
    }
    for (size_t k = 0; k < i; k++) {
        if (span_starts(list[k].text, "Parsing options for plugin") &&
            span_starts(list[i].text, "unknown variable")) {
            return true;
        }
    }
    return false;
}

static bool tells_more(const struct server_message *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i].level == MESSAGE_ERROR && !is_consequence(list, i)) {
            return true;
        }
    }
    return false;
}

void validating_compare(struct validating *v, const struct server_message *with, size_t n_with,
                        const struct server_message *without, size_t n_without)
{
    const bool more = tells_more(with, n_with);
    for (size_t i = 0; i < n_with; i++) {
        const struct server_message *const m = &with[i];
        /* The k-th of the same text is ours when there were fewer than k without us. */
        const bool ours =
            count_text(with, i + 1, m->text) > count_text(without, n_without, m->text);
        const char *const name = validating_name(v, m->name, m->text);
        if ((is_consequence(with, i) && (more || m->level == MESSAGE_WARNING)) ||
            (!ours && (name[0] == '\0' || m->kind == COMPLAINT_WARNING))) {
            continue;
        }
        validating_add(v, m->kind, ours, name, m->text);
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool is_tried(const struct scratch_setting *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (!list[i].scaled && strcmp(list[i].name, name) == 0) {
            return true;
        }
    }
    return list == NULL;
}

/* A server lowers them to what it may open, and MySQL says nothing then. This run may not open what
 * a service may: their values say nothing of the options. What is out of range is told by a
 * message. */
static bool hangs_on_files(const char *name)
{
    static const char *const names[] = {"max_connections",   "open_files_limit",
                                        "table_open_cache",  "table_definition_cache",
                                        "innodb_open_files", "table_open_cache_instances"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_enum(const struct validating *v, const char *name)
{
    const struct variable *const row = catalogue_find(v->in->catalogue, span_of(name));
    return row != NULL && variable_kind(row) == KIND_ENUM;
}

/* Is the value that is shown surely another one? */
static bool differs(const struct validating *v, const char *name, struct span asked,
                    struct span shown)
{
    bool same = true;
    double number = 0;
    if (number_same(asked, shown, &same)) {
        return !same;
    }
    /* A word of a list; a number there is its index. */
    return is_enum(v, name) && shown.len > 0 && !number_read(asked, &number) &&
           !span_eq_nocase(asked, shown);
}

static struct span asked_value(const struct validating *v, size_t i)
{
    const char *value = NULL;
    (void)option_canonical(v->in->catalogue, v->in->lines[i].name, v->arena, &value);
    return value != NULL ? span_of(value) : v->in->lines[i].value;
}

/* What is shown of the variable of our line. */
static void compare_value(struct validating *v, size_t i, const struct shown_value *shown,
                          bool scratch)
{
    const struct span asked = asked_value(v, i);
    if (asked.len == 0 || !option_name_same(shown->name, span_of(v->names[i])) ||
        !differs(v, v->names[i], asked, shown->value)) {
        return;
    }
    const char *const text = arena_printf(
        v->arena, "%s: asked for '%.*s', %s takes '%.*s'", v->names[i], SPAN_ARG(asked),
        scratch ? "a scratch server" : "the server", SPAN_ARG(shown->value));
    validating_add(v, scratch ? COMPLAINT_WARNING : COMPLAINT_CHANGED, true, v->names[i],
                   span_of(text));
}

void validating_values(struct validating *v, const struct shown_value *shown, size_t n,
                       const struct scratch_setting *tried, size_t n_tried)
{
    for (size_t i = 0; i < v->in->n_lines; i++) {
        if (!validating_is_ours(v, i) || !validating_wins(v, i) || validating_has(v, v->names[i]) ||
            !is_tried(tried, n_tried, v->names[i]) || hangs_on_files(v->names[i])) {
            continue;
        }
        for (size_t k = 0; k < n; k++) {
            compare_value(v, i, &shown[k], tried != NULL);
        }
    }
}

void validating_how(struct validating *v, const char *text)
{
    if (strstr(v->how.ptr != NULL ? v->how.ptr : "", text) == NULL) {
        buf_printf(&v->how, "%s%s", v->how.len > 0 ? ", " : "", text);
    }
}
