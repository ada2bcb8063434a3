/* The document that the drop-in's template renders: a view of the report document. */
#include "advisor/report/report.h"

#include <string.h>

#include "advisor/report/docread.h"

#include "advisor/base/banned.h"

#define TEXT_MAX 4096

/* The facts behind a line, from the finding that owns it: "a = 1, b = 2". */
static const char *line_evidence(struct arena *a, const struct json *doc, const struct json *line)
{
    const struct json *findings = read_list(doc, "findings");
    struct buf b;
    buf_init(&b, a, TEXT_MAX);
    for (size_t i = 0; i < findings->n; i++) {
        const struct json *f = findings->items[i];
        if (!read_is(f, "rule", read_text(line, "rule")) ||
            !read_is(f, "subject", read_text(line, "server"))) {
            continue;
        }
        const struct json *evidence = read_list(f, "evidence");
        for (size_t k = 0; k < evidence->n; k++) {
            buf_printf(&b, "%s%s = %s", b.len > 0 ? ", " : "",
                       read_text(evidence->items[k], "name"),
                       read_text(evidence->items[k], "text"));
        }
    }
    return b.len > 0 ? b.ptr : "goes with the line above";
}

/* A line that stays as it is. */
static struct json *copy_line(struct arena *a, const struct json *line)
{
    static const char *const keys[] = {"rule",    "settles",  "old_text", "old_origin", "formula",
                                       "variable", "risk", "value", "mark", "evidence"};
    struct json *j = json_object(a);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        read_copy(j, line, keys[i]);
    }
    return j;
}

static struct json *dropin_line(struct arena *a, const struct json *doc, const struct json *line)
{
    static const char *const keys[] = {"rule",    "settles",  "old_text", "old_origin",
                                       "formula", "variable", "risk"};
    struct json *j = json_object(a);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        read_copy(j, line, keys[i]);
    }
    json_set(j, "value", json_str(a, read_text(line, "new")));
    json_set(j, "mark",
             json_str(a, read_is(line, "line", "first_step") ? "estimated first step" : ""));
    json_set(j, "evidence", json_str(a, line_evidence(a, doc, line)));
    return j;
}

/* What one drop-in is made of. */
struct dropin {
    struct arena *arena;
    const struct json *doc, *kept; /* kept: an array, perhaps empty */
    const char *server;
};

static const struct json *kept_line(const struct dropin *d, const char *group, const char *variable)
{
    for (size_t i = 0; i < d->kept->n; i++) {
        if (read_is(d->kept->items[i], "group", group) &&
            read_is(d->kept->items[i], "variable", variable)) {
            return d->kept->items[i];
        }
    }
    return NULL;
}

static bool is_for(const struct json *line, const char *server)
{
    return read_is(line, "server", server) && read_is(line, "where", "option_file");
}

static bool is_active(const struct dropin *d, const struct json *line, const char *group)
{
    return is_for(line, d->server) && !read_is(line, "line", "comment") &&
           read_is(line, "group", group);
}

static bool is_planned(const struct dropin *d, const struct json *kept)
{
    const struct json *plan = read_list(d->doc, "plan");
    bool is = false;
    for (size_t i = 0; i < plan->n; i++) {
        is = is || (is_active(d, plan->items[i], read_text(kept, "group")) &&
                    read_is(plan->items[i], "variable", read_text(kept, "variable")));
    }
    return is;
}

/* Lines of one kind (restart or dynamic) in one group: those of the plan, then those that stay. */
static struct json *group_lines(const struct dropin *d, const char *group, bool dynamic)
{
    const struct json *plan = read_list(d->doc, "plan");
    struct json *list = json_array(d->arena);
    for (size_t i = 0; i < plan->n; i++) {
        const struct json *line = plan->items[i];
        if (is_active(d, line, group) && read_flag(line, "dynamic") == dynamic) {
            const struct json *kept = kept_line(d, group, read_text(line, "variable"));
            json_push(list, kept != NULL ? copy_line(d->arena, kept)
                                         : dropin_line(d->arena, d->doc, line));
        }
    }
    for (size_t i = 0; i < d->kept->n; i++) {
        const struct json *line = d->kept->items[i];
        if (read_is(line, "group", group) && read_flag(line, "dynamic") == dynamic &&
            !is_planned(d, line)) {
            json_push(list, copy_line(d->arena, line));
        }
    }
    return list;
}

static void add_group(const struct dropin *d, struct json *groups, const char *name)
{
    struct arena *a = d->arena;
    for (size_t k = 0; k < groups->n; k++) {
        if (read_is(groups->items[k], "name", name)) {
            return;
        }
    }
    struct json *g = json_object(a);
    struct json *restart = group_lines(d, name, false);
    struct json *dynamic = group_lines(d, name, true);
    json_set(g, "name", json_str(a, name));
    json_set(g, "restart", restart);
    json_set(g, "has_restart", json_bool(a, restart->n > 0));
    json_set(g, "dynamic", dynamic);
    json_set(g, "has_dynamic", json_bool(a, dynamic->n > 0));
    json_push(groups, g);
}

/* [mysqld] first, then version groups in the order in which the plan, then what stays, names them. */
static struct json *groups_of(const struct dropin *d)
{
    const struct json *plan = read_list(d->doc, "plan");
    struct json *groups = json_array(d->arena);
    for (size_t i = 0; i < plan->n; i++) {
        if (is_for(plan->items[i], d->server) && !read_is(plan->items[i], "line", "comment")) {
            add_group(d, groups, read_text(plan->items[i], "group"));
        }
    }
    for (size_t i = 0; i < d->kept->n; i++) {
        add_group(d, groups, read_text(d->kept->items[i], "group"));
    }
    return groups;
}

/* SET GLOBAL statements in the order in which they are safe. */
static struct json *statements_of(struct arena *a, const struct json *doc, const char *server)
{
    const struct json *plan = read_list(doc, "plan");
    struct json *list = json_array(a);
    for (uint64_t order = 0; order <= plan->n; order++) {
        for (size_t i = 0; i < plan->n; i++) {
            const struct json *line = plan->items[i];
            const uint64_t at = read_count(line, "set_order");
            if (!is_for(line, server) || !read_flag(line, "dynamic") ||
                read_is(line, "line", "comment") || (at < plan->n ? at : plan->n) != order) {
                continue;
            }
            struct buf b;
            buf_init(&b, a, TEXT_MAX);
            buf_printf(&b, "SET GLOBAL %s = %s", read_text(line, "variable"),
                       read_text(line, "new"));
            struct json *j = json_object(a);
            json_set(j, "statement", json_span(a, buf_span(&b)));
            json_push(list, j);
        }
    }
    return list;
}

static struct json *comments_of(struct arena *a, const struct json *doc, const char *server)
{
    const struct json *plan = read_list(doc, "plan");
    struct json *list = json_array(a);
    for (size_t i = 0; i < plan->n; i++) {
        if (is_for(plan->items[i], server) && read_is(plan->items[i], "line", "comment")) {
            json_push(list, dropin_line(a, doc, plan->items[i]));
        }
    }
    return list;
}

static const struct json *server_of(const struct json *doc, const char *label)
{
    const struct json *servers = read_list(json_get(doc, "subjects"), "servers");
    for (size_t i = 0; i < servers->n; i++) {
        if (read_is(servers->items[i], "subject", label)) {
            return servers->items[i];
        }
    }
    return NULL;
}

/* Members that both templates begin with. */
static bool has_first_step(const struct dropin *d)
{
    const struct json *plan = read_list(d->doc, "plan");
    bool has = false;
    for (size_t i = 0; i < plan->n; i++) {
        has = has || (is_for(plan->items[i], d->server) &&
                      read_is(plan->items[i], "line", "first_step"));
    }
    for (size_t i = 0; i < d->kept->n; i++) {
        has = has || read_text(d->kept->items[i], "mark")[0] != '\0';
    }
    return has;
}

struct json *report_dropin_doc(struct arena *a, const struct json *doc, const char *server_label,
                               const struct json *kept)
{
    const struct dropin d = {a, doc, kept != NULL ? kept : json_array(a), server_label};
    const struct json *server = server_of(doc, server_label);
    struct json *groups = groups_of(&d);
    struct json *comments = comments_of(a, doc, server_label);
    if (server == NULL || (groups->n == 0 && kept == NULL)) {
        return NULL;
    }
    struct json *statements = statements_of(a, doc, server_label);
    struct json *j = read_head(a, doc);
    json_set(j, "file", json_str(a, "zz-nvadvise.cnf"));
    json_set(j, "server", json_str(a, server_label));
    read_copy(j, server, "flavour");
    read_copy(j, server, "version");
    read_copy(j, server, "confidence_text");
    json_set(j, "has_first_step", json_bool(a, has_first_step(&d)));
    json_set(j, "groups", groups);
    json_set(j, "comments", comments);
    json_set(j, "has_comments", json_bool(a, comments->n > 0));
    json_set(j, "statements", statements);
    json_set(j, "has_statements", json_bool(a, statements->n > 0));
    return j;
}
