/* What lines of an option file would mean in another version or flavour. Pure: both readings beside each
 * other. */
#include <string.h>

#include "rules/catalogue_names.h"
#include "rules/options_int.h"

#include "advisor/base/banned.h"

const char *option_change_name(enum option_change c)
{
    switch (c) {
    case CHANGE_STOPS:
        return "stops";
    case CHANGE_IGNORED:
        return "ignored";
    case CHANGE_VALUE:
        return "value";
    case CHANGE_DEPRECATED:
        return "deprecated";
    case CHANGE_UNSURE:
        return "unsure";
    }
    return "?";
}

/* ---- names ---- */

/* Names that the lists do not lead on from, by servers' own messages and manuals. */
static const struct {
    const char *old, *now;
} moved[] = {
    {"innodb_log_file_size", "innodb_redo_log_capacity"},
    {"innodb_log_files_in_group", "innodb_redo_log_capacity"},
    {"innodb_redo_log_capacity", "innodb_log_file_size"},
    {"expire_logs_days", "binlog_expire_logs_seconds"},
    {"tx_isolation", "transaction_isolation"},
    {"tx_read_only", "transaction_read_only"},
    {"table_cache", "table_open_cache"},
    {"log_slow_queries", "slow_query_log"},
    {"innodb_flush_method", "innodb_data_file_buffering"},
    {"slave_parallel_workers", "replica_parallel_workers"},
    {"slave_parallel_threads", "replica_parallel_workers"},
    {"replica_parallel_workers", "slave_parallel_threads"},
    {"log_slave_updates", "log_replica_updates"},
    {"log_replica_updates", "log_slave_updates"},
    {"skip_replica_start", "skip_slave_start"},
    {"replica_net_timeout", "slave_net_timeout"},
};

static bool is_usable(enum presence p)
{
    return p == PRESENCE_YES || p == PRESENCE_DEPRECATED;
}

const char *option_instead(const struct catalogue *c, const struct option_target *t,
                           const char *name, struct arena *a)
{
    struct option_name n, other;
    (void)catalogue_name(c, t->flavour, &t->version, span_of(name), &n);
    if (n.instead.len > 0)
        return span_dup(a, n.instead);
    for (size_t i = 0; i < ARRAY_LEN(moved); i++) {
        if (strcmp(moved[i].old, name) == 0 &&
            is_usable(catalogue_name(c, t->flavour, &t->version, span_of(moved[i].now), &other)))
            return moved[i].now;
    }
    return "";
}

/* ---- meanings that change while name and value stay ---- */

static const struct {
    const char *name;
    bool mariadb;
    uint32_t from[3];
    const char *text;
} meanings[] = {
    {"innodb_flush_method", true, {11, 0, 0},
     "deprecated: read as innodb_data_file_buffering, innodb_data_file_write_through and "
     "innodb_log_file_write_through"},
};

static const char *new_meaning(const struct option_target *now, const struct option_target *then,
                               const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(meanings); i++) {
        const uint32_t *v = meanings[i].from;
        const bool had = option_is_mariadb(now) && option_from(now, v[0], v[1], v[2]);
        if (strcmp(meanings[i].name, name) == 0 &&
            option_is_mariadb(then) == meanings[i].mariadb && option_from(then, v[0], v[1], v[2]) &&
            !had)
            return meanings[i].text;
    }
    return NULL;
}

/* ---- lines beside each other ---- */

struct side {
    const struct option_target *t;
    struct option_reading *readings;
    size_t n;
    size_t *of_line; /* index of the line's reading plus one, or 0 */
};

/* Above the groups: the command line, the environment, SET PERSIST, and groups by a suffix, which the same
 * start would name again. */
static bool group_counts(const struct optline *l, enum flavour f, const struct version *v,
                         bool read_now)
{
    if (span_eq_text(l->group, OPTLINE_PERSISTED))
        return f != FLAVOUR_MARIADB;
    if (l->group.len == 0)
        return read_now;
    if (option_group_read(f, v, l->group))
        return true;
    static const struct version any = {.part = {0}, .n = 2};
    const bool known = option_group_has_version(l->group) ||
                       option_group_read(FLAVOUR_MYSQL, &any, l->group) ||
                       option_group_read(FLAVOUR_MARIADB, &any, l->group);
    return read_now && !known;
}

static struct side make_side(const struct catalogue *c, const struct option_target *t,
                             const struct optline *const *lines, size_t n, size_t n_read_now,
                             bool is_now, struct arena *a)
{
    struct side s = {.t = t, .of_line = arena_calloc(a, n + 1, sizeof(size_t))};
    struct optline *read = arena_calloc(a, n + 1, sizeof(*read));
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        const bool counts = is_now ? i < n_read_now
                                   : group_counts(lines[i], t->flavour, &t->version,
                                                  i < n_read_now);
        if (!counts)
            continue;
        read[k++] = *lines[i];
        s.of_line[i] = k;
    }
    s.n = options_read(c, t, read, k, a, &s.readings);
    return s;
}

static const struct option_reading *reading(const struct side *s, size_t line)
{
    return s->of_line[line] != 0 ? &s->readings[s->of_line[line] - 1] : NULL;
}

/* ---- what has changed ---- */

static bool same_outcome(const struct option_reading *now, const struct option_reading *then)
{
    if (now->has_value != then->has_value)
        return !now->has_value || !then->has_value; /* one of them cannot be told */
    return !now->has_value || value_eq(&now->value, &then->value);
}

static const char *there_as(const struct option_reading *then, struct arena *a)
{
    struct buf b;
    buf_init(&b, a, 1024);
    buf_add_text(&b, "there read as ");
    value_print(&b, &then->value);
    return b.ptr;
}

static const char *value_change(const struct option_reading *now, const struct option_reading *then,
                                struct arena *a)
{
    if (then->text[0] != '\0' && (then->marks & (OPTION_CLAMPED | OPTION_BAD_VALUE)) != 0)
        return then->text;
    struct buf b;
    buf_init(&b, a, 2048);
    buf_add_text(&b, "read as ");
    value_print(&b, &then->value);
    buf_add_text(&b, ", here as ");
    value_print(&b, &now->value);
    return b.ptr;
}

static bool counts_for_value(const struct option_reading *r)
{
    return r->effect == OPTION_IN_FORCE || r->effect == OPTION_SHADOWED;
}

/* false: nothing to say of this line. */
static bool compare(const struct option_target *t_now, const struct option_target *t_then,
                    const struct option_reading *now, const struct option_reading *then,
                    struct arena *a, struct option_upgrade *u)
{
    if (then == NULL) {
        u->change = CHANGE_IGNORED;
        u->text = arena_printf(a, "%s does not read the group [%.*s]",
                               option_server_text(t_then, a),
                               SPAN_ARG(span_sub(u->line->group, 0, 64)));
        return now != NULL && now->effect != OPTION_IGNORED;
    }
    u->text = then->text;
    if (then->effect == OPTION_STOPS) {
        u->change = CHANGE_STOPS;
        return true;
    }
    if (now == NULL) {
        u->change = CHANGE_VALUE;
        u->text = arena_printf(a, "%s reads the group [%.*s], the server that runs does not",
                               option_server_text(t_then, a),
                               SPAN_ARG(span_sub(u->line->group, 0, 64)));
        return true;
    }
    if (then->effect == OPTION_UNSURE) {
        u->change = CHANGE_UNSURE;
        return true;
    }
    if (then->effect == OPTION_IGNORED) {
        u->change = CHANGE_IGNORED;
        return now->effect != OPTION_IGNORED;
    }
    if (!counts_for_value(then))
        return false;
    if (counts_for_value(now) && !same_outcome(now, then)) {
        u->change = CHANGE_VALUE;
        u->text = value_change(now, then, a);
        return true;
    }
    if (now->effect == OPTION_IGNORED && (now->marks & OPTION_LOOSE) == 0) {
        u->change = CHANGE_VALUE;
        u->text = arena_printf(a, "without effect here, %s",
                               then->has_value ? there_as(then, a) : "read there");
        return true;
    }
    const char *meaning = new_meaning(t_now, t_then, then->name);
    if (meaning != NULL) {
        u->change = CHANGE_VALUE;
        u->text = meaning;
        return true;
    }
    u->change = CHANGE_DEPRECATED;
    u->text = arena_printf(a, "deprecated in %s", option_server_text(t_then, a));
    return (then->marks & OPTION_DEPRECATED) != 0 && (now->marks & OPTION_DEPRECATED) == 0;
}

size_t options_upgrade(const struct catalogue *c, const struct option_target *now,
                       const struct option_target *target, const struct optline *lines, size_t n,
                       const struct optline *others, size_t n_others, struct arena *a,
                       struct option_upgrade **ret)
{
    const size_t all = n + n_others;
    const struct optline **list = arena_calloc(a, all + 1, sizeof(*list));
    for (size_t i = 0; i < all; i++)
        list[i] = i < n ? &lines[i] : &others[i - n];
    const struct side here = make_side(c, now, list, all, n, true, a);
    const struct side there = make_side(c, target, list, all, n, false, a);
    struct option_upgrade *out = arena_calloc(a, all + 1, sizeof(*out));
    size_t k = 0;
    for (size_t i = 0; i < all; i++) {
        const struct option_reading *h = reading(&here, i), *t = reading(&there, i);
        if (h == NULL && t == NULL)
            continue;
        struct option_upgrade u = {.line = list[i], .now = h, .then = t, .instead = ""};
        u.name = t != NULL ? t->name : h->name;
        if (!compare(now, target, h, t, a, &u))
            continue;
        if (u.change != CHANGE_VALUE)
            u.instead = option_instead(c, target, u.name, a);
        out[k++] = u;
    }
    *ret = out;
    return k;
}
