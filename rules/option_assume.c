/* The values in force of a server that nobody can ask: what its lines say, else the defaults of its version,
 * and what it makes of them at start. Pure but for the store. */
#include <string.h>

#include "rules/option_facts.h"
#include "rules/ruleset.h"

#include "advisor/base/banned.h"

#define GIB (UINT64_C(1) << 30)

struct assuming {
    const struct ruleset *rs;
    struct store *s;
    struct option_judged j;
    const char *server; /* "MySQL 5.7.15" */
    struct arena *a;
};

static const char *fact_name(const struct assuming *k, const char *family, const char *name)
{
    return arena_printf(k->a, "server.%s.%s", family, name);
}

static bool stated(const struct assuming *k, const char *fact)
{
    const struct fact *f = store_get(k->s, k->j.server, span_of(fact));
    return f != NULL && !store_is_filled(f);
}

static void put(const struct assuming *k, const char *name, struct value v, const char *origin,
                const char *source)
{
    const char *var = fact_name(k, "var", name), *from = fact_name(k, "source", name);
    if (stated(k, var))
        return;
    store_known(k->s, k->j.server, var, v, source);
    if (!stated(k, from))
        store_known(k->s, k->j.server, from, value_text(KIND_ENUM, span_of(origin)), source);
}

static void put_unknown(const struct assuming *k, const char *name, enum fact_state state,
                        const char *source, const char *reason)
{
    const char *var = fact_name(k, "var", name);
    if (!stated(k, var))
        store_unknown(k->s, k->j.server, var, state, source, "", "%s", reason);
}

static const char *origin_of(const struct option_reading *r)
{
    if ((r->marks & OPTION_PERSISTED) != 0)
        return "persisted";
    return span_eq_text(r->line->file, OPTLINE_COMMAND_LINE) ? "command_line" : "file";
}

static const char *source_of(const struct assuming *k, const struct option_reading *r)
{
    struct buf b;
    buf_init(&b, k->a, 8192);
    if (strcmp(origin_of(r), "file") == 0)
        buf_add_text(&b, "option file ");
    optline_place(&b, r->line);
    return b.ptr;
}

static const char *default_text(const struct assuming *k)
{
    return arena_printf(k->a, "default of %s", k->server);
}

/* The line that decides, under either name of the value: the winner, or one with which the server would not
 * start. */
static const struct option_reading *decider(const struct assuming *k, const char *name)
{
    const char *of = option_storage(&k->j.target, name);
    const struct option_reading *w = NULL, *stops = NULL;
    for (size_t i = 0; i < k->j.n; i++) {
        const struct option_reading *r = &k->j.readings[i];
        if (strcmp(option_storage(&k->j.target, r->name), of) != 0)
            continue;
        if (r->effect == OPTION_IN_FORCE && (r->marks & OPTION_MAXIMUM) == 0)
            w = r;
        else if (r->effect == OPTION_STOPS && stops == NULL)
            stops = r;
    }
    return w != NULL ? w : stops;
}

/* innodb_dedicated_server works them out from the memory of its machine, those that no line sets: pool and redo
 * log, before 8.4 the flush method. */
static bool is_dedicated(const struct assuming *k, const char *name)
{
    static const char *const names[] = {"innodb_buffer_pool_size", "innodb_redo_log_capacity",
                                        "innodb_log_file_size", "innodb_log_files_in_group",
                                        "innodb_flush_method"};
    const struct option_reading *d = decider(k, "innodb_dedicated_server");
    const size_t n = ARRAY_LEN(names) - (option_from(&k->j.target, 8, 4, 0) ? 1 : 0);
    if (d == NULL || d->effect != OPTION_IN_FORCE || !d->has_value || !d->value.boolean ||
        decider(k, name) != NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

static void assume_one(const struct assuming *k, const struct variable *v)
{
    const struct option_target *t = &k->j.target;
    const char *name = variable_name(v);
    const enum presence p = variable_presence(v, t->flavour, &t->version);
    struct value def;
    if (p == PRESENCE_REFUSED || p == PRESENCE_IGNORED) {
        put_unknown(k, name, FACT_NOT_SUPPORTED, "the catalogue",
                    arena_printf(k->a, "%s has no such variable", k->server));
        return;
    }
    const struct option_reading *r = decider(k, name);
    if (r != NULL && r->effect == OPTION_IN_FORCE && r->has_value) {
        put(k, name, r->value, origin_of(r), source_of(k, r));
    } else if (r != NULL) {
        put_unknown(k, name, FACT_UNREADABLE, source_of(k, r),
                    r->text[0] != '\0' ? r->text : "the value cannot be told");
    } else if (!is_dedicated(k, name) && variable_default(v, t->flavour, &t->version, &def)) {
        put(k, name, def, "compiled", default_text(k));
    } else {
        put_unknown(k, name, FACT_ABSENT, default_text(k), "the server works it out when it starts");
    }
}

/* ---- what the server works out ---- */

static const struct fact *known(const struct assuming *k, const char *name)
{
    const struct fact *f = store_get(k->s, k->j.server, span_of(fact_name(k, "var", name)));
    return f != NULL && f->state == FACT_KNOWN ? f : NULL;
}

static bool number_of(const struct assuming *k, const char *name, uint64_t *ret)
{
    const struct fact *f = known(k, name);
    return f != NULL && kind_is_numeric(f->value.kind) && num_to_u64(f->value.num, ret);
}

/* Only where the server works it out: nothing set it, and no document stated it. */
static bool is_open(const struct assuming *k, const char *name)
{
    const struct variable *v = catalogue_find(k->rs->catalogue, span_of(name));
    const struct fact *f = store_get(k->s, k->j.server, span_of(fact_name(k, "var", name)));
    return v != NULL && f != NULL && f->state == FACT_ABSENT && decider(k, name) == NULL;
}

static void work_out(const struct assuming *k, const char *name, uint64_t n)
{
    const struct variable *v = catalogue_find(k->rs->catalogue, span_of(name));
    const char *var = fact_name(k, "var", name);
    const char *source = arena_printf(k->a, "%s, worked out from the others", default_text(k));
    store_known(k->s, k->j.server, var, value_u64(variable_kind(v), n), source);
    if (!stated(k, fact_name(k, "source", name)))
        store_known(k->s, k->j.server, fact_name(k, "source", name),
                    value_text(KIND_ENUM, SPAN_LIT("auto")), source);
}

/* Twice the rate; before MySQL 8.4, and in MariaDB, at least 2000. */
static void io_capacity_max(const struct assuming *k)
{
    uint64_t io;
    if (!is_open(k, "innodb_io_capacity_max") || !number_of(k, "innodb_io_capacity", &io) ||
        io > UINT32_MAX)
        return;
    const bool floor = option_is_mariadb(&k->j.target) || !option_from(&k->j.target, 8, 4, 0);
    work_out(k, "innodb_io_capacity_max", floor && 2 * io < 2000 ? 2000 : 2 * io);
}

/* 8 from a pool of 1 GiB on, else 1; from MySQL 8.4 the processors count as well. */
static void instances(const struct assuming *k)
{
    uint64_t pool;
    if (!is_open(k, "innodb_buffer_pool_instances") || option_is_mariadb(&k->j.target) ||
        !number_of(k, "innodb_buffer_pool_size", &pool))
        return;
    if (pool < GIB)
        work_out(k, "innodb_buffer_pool_instances", 1);
    else if (!option_from(&k->j.target, 8, 4, 0) && option_from(&k->j.target, 5, 6, 6))
        work_out(k, "innodb_buffer_pool_instances", 8);
}

/* MySQL from 5.6.8: 8 and one more for each 100 connections, at most 100. MariaDB from 10.2: as many as there are
 * connections, at most 256. */
static void thread_cache(const struct assuming *k)
{
    uint64_t n;
    if (!is_open(k, "thread_cache_size") || !number_of(k, "max_connections", &n))
        return;
    if (option_is_mariadb(&k->j.target))
        work_out(k, "thread_cache_size", n < 256 ? n : 256);
    else if (option_from(&k->j.target, 5, 6, 8))
        work_out(k, "thread_cache_size", n / 100 + 8 < 100 ? n / 100 + 8 : 100);
}

/* MySQL turns it off with the binary log where no line sets it. */
static void replica_updates(const struct assuming *k)
{
    static const char *const names[] = {"log_replica_updates", "log_slave_updates"};
    const struct fact *log = known(k, "log_bin");
    if (option_is_mariadb(&k->j.target) || log == NULL || log->value.kind != KIND_BOOL ||
        log->value.boolean)
        return;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct fact *f = known(k, names[i]);
        if (f != NULL && strcmp(f->source, default_text(k)) == 0)
            store_known(k->s, k->j.server, fact_name(k, "var", names[i]), value_bool(false),
                        arena_printf(k->a, "%s, off with the binary log", default_text(k)));
    }
}

/* A pool smaller than 1 GiB has one instance, whatever the file says (MySQL). */
static void small_pool(const struct assuming *k)
{
    uint64_t pool, n;
    const char *var = fact_name(k, "var", "innodb_buffer_pool_instances");
    const struct option_reading *r =
        option_winner(k->j.readings, k->j.n, "innodb_buffer_pool_instances");
    if (option_is_mariadb(&k->j.target) || r == NULL ||
        !number_of(k, "innodb_buffer_pool_size", &pool) ||
        !number_of(k, "innodb_buffer_pool_instances", &n) || pool >= GIB || n <= 1)
        return;
    const struct fact *f = known(k, "innodb_buffer_pool_instances");
    if (strcmp(f->source, source_of(k, r)) == 0)
        store_known(k->s, k->j.server, var, value_u64(KIND_COUNT, 1),
                    arena_printf(k->a, "%s, made 1: the pool is below 1 GiB", f->source));
}

/* MySQL 8.0.30 to 9.2: the old pair decides where the capacity is not set. */
static void redo_capacity(const struct assuming *k)
{
    static const char capacity[] = "innodb_redo_log_capacity";
    const struct option_reading *size =
        option_winner(k->j.readings, k->j.n, "innodb_log_file_size");
    const struct option_reading *files =
        option_winner(k->j.readings, k->j.n, "innodb_log_files_in_group");
    uint64_t bytes, n;
    const struct fact *f = known(k, capacity);
    if ((size == NULL && files == NULL) || f == NULL || decider(k, capacity) != NULL ||
        strcmp(f->source, default_text(k)) != 0 || !number_of(k, "innodb_log_file_size", &bytes) ||
        !number_of(k, "innodb_log_files_in_group", &n) || n > 100)
        return;
    work_out(k, capacity, bytes * n);
}

/* ---- facts that a running server would tell ---- */

static void tell(const struct assuming *k, const char *fact, struct value v, const char *source)
{
    if (!stated(k, fact))
        store_known(k->s, k->j.server, fact, v, source);
}

static void doublewrite_mode(const struct assuming *k)
{
    static const struct {
        const char *word, *mode;
    } modes[] = {{"OFF", "off"},
                 {"ON", "on"},
                 {"DETECT_AND_RECOVER", "on"},
                 {"DETECT_ONLY", "detect_only"},
                 {"fast", "fast"}};
    const struct fact *f = known(k, "innodb_doublewrite");
    for (size_t i = 0; f != NULL && i < ARRAY_LEN(modes); i++) {
        const bool same = f->value.kind == KIND_BOOL
                              ? i == (f->value.boolean ? 1u : 0u)
                              : span_eq_nocase(f->value.text, span_of(modes[i].word));
        if (same) {
            tell(k, "server.doublewrite.mode",
                 value_text(KIND_ENUM, span_of(modes[i].mode)), f->source);
            return;
        }
    }
}

/* From MySQL 8.0.30 on the capacity in force is a status counter; at start it is the variable. */
static void capacity_in_force(const struct assuming *k)
{
    uint64_t n;
    const struct fact *f = known(k, "innodb_redo_log_capacity");
    if (!option_is_mariadb(&k->j.target) && number_of(k, "innodb_redo_log_capacity", &n))
        tell(k, "server.redo.capacity", value_u64(KIND_BYTES, n), f->source);
}

static void binlog(const struct assuming *k)
{
    const struct fact *f = known(k, "log_bin");
    if (f != NULL && f->value.kind == KIND_BOOL)
        tell(k, "server.binlog.enabled", f->value, f->source);
}

void options_assume(const struct ruleset *rs, struct store *s, const struct subject *server)
{
    ARENA_AUTO a = arena_new();
    struct assuming k = {.rs = rs, .s = s, .a = a};
    const struct fact *why;
    if (!option_judged_read(rs, s, server, a, &k.j, &why))
        return;
    /* The server's own list is what we are about to write: it is no witness here. */
    k.j.target.store = NULL;
    k.server = option_server_text(&k.j.target, a);
    for (size_t i = 0; i < catalogue_count(rs->catalogue); i++)
        assume_one(&k, catalogue_at(rs->catalogue, i));
    io_capacity_max(&k);
    instances(&k);
    thread_cache(&k);
    replica_updates(&k);
    small_pool(&k);
    redo_capacity(&k);
    capacity_in_force(&k);
    doublewrite_mode(&k);
    binlog(&k);
}
