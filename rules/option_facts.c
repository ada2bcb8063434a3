/* Facts server.option.*: what is counted over the lines that a server reads, each with the list of names and
 * places behind the number. Pure but for the store that they are put into. */
#include <string.h>

#include "rules/option_facts.h"
#include "rules/ruleset.h"

#include "advisor/base/banned.h"

#define SOURCE "computed: server.option.lines and the catalogue"
#define DROPIN "/zz-nvadvise.cnf"

#define ROW(name, kind, meaning)                                                                   \
    {"server.option." name, kind, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE, meaning,             \
     "option files, SET PERSIST, command line", ""}
#define COUNTED(name, meaning)                                                                     \
    ROW(name "_count", KIND_COUNT, "how many " meaning), ROW(name "_names", KIND_LIST, meaning)

const struct fact_decl options_decls[] = {
    COUNTED("unknown", "options that this version does not have, loose_ ones aside"),
    COUNTED("foreign", "of the unknown options, those of the other flavour"),
    COUNTED("ignored", "options that are read and do nothing any more"),
    COUNTED("deprecated", "deprecated options"),
    COUNTED("clamped", "values that the server changes: range, step, or no boolean"),
    COUNTED("float", "exponents or decimals in whole numbers"),
    COUNTED("duplicate", "options set again later with another value or in another spelling"),
    COUNTED("conflict", "of these, with other values in one group of one file"),
    COUNTED("bad_enum", "values that the server does not read, and so does not start"),
    COUNTED("wrong_group", "server options in groups that no server reads"),
    COUNTED("persisted", "options of files, or of the plan, over which SET PERSIST wins"),
    ROW("dropin_wins", KIND_BOOL, "every line of zz-nvadvise.cnf is the one in force"),
    ROW("dropin_lost", KIND_LIST, "lines of zz-nvadvise.cnf that something overrides"),
    {"server.target_version", KIND_VERSION, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "version to check for an upgrade; its own where none was asked for", "--target", ""},
    ROW("old_redo_pair", KIND_BOOL, "innodb_log_file_size or innodb_log_files_in_group in a file"),
    ROW("flush_method_set", KIND_BOOL, "innodb_flush_method in a file"),
    ROW("change_buffer_max_size_set", KIND_BOOL, "innodb_change_buffer_max_size in a file"),
    ROW("replica_workers_zero", KIND_BOOL, "replica_parallel_workers = 0 in a file"),
};
const size_t options_n_decls = ARRAY_LEN(options_decls);

/* ---- what is counted ---- */

static bool is_unknown(const struct option_reading *r)
{
    return r->effect == OPTION_STOPS && (r->marks & OPTION_UNKNOWN) != 0;
}

static bool is_foreign(const struct option_reading *r)
{
    return is_unknown(r) && (r->marks & OPTION_FOREIGN) != 0;
}

static bool is_ignored(const struct option_reading *r)
{
    return r->effect == OPTION_IGNORED && (r->marks & OPTION_REMOVED) != 0 &&
           (r->marks & (OPTION_LOOSE | OPTION_UNKNOWN)) == 0;
}

static bool is_deprecated(const struct option_reading *r)
{
    return (r->marks & OPTION_DEPRECATED) != 0 && r->effect != OPTION_STOPS;
}

static bool is_clamped(const struct option_reading *r)
{
    return (r->effect == OPTION_IN_FORCE || r->effect == OPTION_IGNORED) &&
           (r->marks & (OPTION_CLAMPED | OPTION_BAD_VALUE)) != 0;
}

static bool is_float(const struct option_reading *r)
{
    return (r->marks & OPTION_FLOAT) != 0;
}

static bool is_duplicate(const struct option_reading *r)
{
    return (r->marks & OPTION_DUPLICATE) != 0;
}

static bool is_conflict(const struct option_reading *r)
{
    return is_duplicate(r) && span_eq(r->line->file, r->by->line->file) &&
           span_eq(r->line->group, r->by->line->group) &&
           !(r->has_value && r->by->has_value && value_eq(&r->value, &r->by->value));
}

static bool is_bad_value(const struct option_reading *r)
{
    return r->effect == OPTION_STOPS && (r->marks & OPTION_BAD_VALUE) != 0;
}

static bool under_persisted(const struct option_reading *r)
{
    return r->by != NULL && (r->by->marks & OPTION_PERSISTED) != 0 &&
           (r->marks & OPTION_PERSISTED) == 0;
}

static const struct option_count counts[] = {
    {"server.option.unknown_count", "server.option.unknown_names", is_unknown},
    {"server.option.foreign_count", "server.option.foreign_names", is_foreign},
    {"server.option.ignored_count", "server.option.ignored_names", is_ignored},
    {"server.option.deprecated_count", "server.option.deprecated_names", is_deprecated},
    {"server.option.clamped_count", "server.option.clamped_names", is_clamped},
    {"server.option.float_count", "server.option.float_names", is_float},
    {"server.option.duplicate_count", "server.option.duplicate_names", is_duplicate},
    {"server.option.conflict_count", "server.option.conflict_names", is_conflict},
    {"server.option.bad_enum_count", "server.option.bad_enum_names", is_bad_value},
    {"server.option.persisted_count", "server.option.persisted_names", under_persisted},
};

const struct option_count *option_count_find(const char *fact)
{
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        if (strcmp(counts[i].count, fact) == 0)
            return &counts[i];
    }
    return NULL;
}

/* ---- one server ---- */

bool option_target_of(const struct store *s, const struct subject *server,
                      struct option_target *ret, const struct fact **ret_why)
{
    const struct fact *flavour = store_get(s, server, SPAN_LIT("server.flavour"));
    const struct fact *version = store_get(s, server, SPAN_LIT("server.version"));
    *ret = (struct option_target){.store = s, .server = server};
    *ret_why = flavour == NULL || flavour->state != FACT_KNOWN ? flavour : version;
    if (flavour == NULL || flavour->state != FACT_KNOWN || version == NULL ||
        version->state != FACT_KNOWN || !flavour_from_name(flavour->value.text, &ret->flavour))
        return false;
    ret->version = version->value.version;
    return true;
}

bool option_judged_read(const struct ruleset *rs, const struct store *s,
                        const struct subject *server, struct arena *a, struct option_judged *ret,
                        const struct fact **ret_why)
{
    *ret = (struct option_judged){.server = server};
    if (!options_lines(s, server, a, &ret->lines, &ret->n)) {
        *ret_why = store_get(s, server, SPAN_LIT("server.option.lines"));
        return false;
    }
    if (!option_target_of(s, server, &ret->target, ret_why))
        return false;
    options_read(rs->catalogue, &ret->target, ret->lines, ret->n, a, &ret->readings);
    return true;
}

/* Set by a probe, a document or --set. */
static bool is_held(const struct store *s, const struct subject *server, const char *name)
{
    const struct fact *f = store_get(s, server, span_of(name));
    return f != NULL && !f->derived && !store_is_filled(f);
}

static void put(struct store *s, const struct subject *server, const char *name, struct value v)
{
    const struct fact f = {.state = FACT_KNOWN, .value = v, .source = SOURCE, .derived = true};
    if (!is_held(s, server, name))
        store_set(s, server, name, &f);
}

static void put_unknown(struct store *s, const struct subject *server, const char *name,
                        enum fact_state state, const char *reason, const char *remedy)
{
    const struct fact f = {.state = state, .reason = reason, .remedy = remedy, .source = SOURCE,
                           .derived = true};
    if (!is_held(s, server, name))
        store_set(s, server, name, &f);
}

static void put_list(struct store *s, const struct subject *server, const char *count,
                     const char *names, const struct span *items, size_t n, struct arena *a)
{
    put(s, server, count, value_u64(KIND_COUNT, n));
    put(s, server, names, value_words(a, KIND_LIST, items, n));
}

struct span option_place_text(const char *name, const struct optline *l, struct arena *a)
{
    struct buf b;
    buf_init(&b, a, 8192);
    buf_printf(&b, "%s at ", name);
    optline_place(&b, l);
    return buf_span(&b);
}

/* With a name that may or may not be there, none counted does not mean that none is. */
static const struct option_reading *unsure(const struct option_judged *j)
{
    for (size_t i = 0; i < j->n; i++) {
        if (j->readings[i].effect == OPTION_UNSURE &&
            (j->readings[i].marks & (OPTION_LOOSE | OPTION_PERSISTED)) == 0)
            return &j->readings[i];
    }
    return NULL;
}

static void count(struct store *s, const struct option_judged *j, const struct option_count *c,
                  struct arena *a)
{
    struct span *items = arena_calloc(a, j->n + 1, sizeof(*items));
    size_t n = 0;
    for (size_t i = 0; i < j->n; i++) {
        if (c->has(&j->readings[i]))
            items[n++] = option_place_text(j->readings[i].name, j->readings[i].line, a);
    }
    const struct option_reading *open = c->has == is_unknown && n == 0 ? unsure(j) : NULL;
    if (open == NULL) {
        put_list(s, j->server, c->count, c->names, items, n, a);
        return;
    }
    const char *why = arena_printf(a, "%.*s: %s",
                                   SPAN_ARG(option_place_text(open->name, open->line, a)),
                                   open->text);
    put_unknown(s, j->server, c->count, FACT_ABSENT, why, "");
    put_unknown(s, j->server, c->names, FACT_ABSENT, why, "");
}

/* SET PERSIST came with MySQL 8.0. */
static bool can_persist(const struct option_target *t)
{
    static const struct version first = {.part = {8, 0, 0}, .n = 2};
    return t->flavour != FLAVOUR_MARIADB && version_cmp(&t->version, &first) >= 0;
}

static void count_all(struct store *s, const struct option_judged *j, struct arena *a)
{
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        if (counts[i].has == under_persisted && !can_persist(&j->target)) {
            put_unknown(s, j->server, counts[i].count, FACT_NOT_SUPPORTED,
                        "this server has no SET PERSIST", "");
            put_unknown(s, j->server, counts[i].names, FACT_NOT_SUPPORTED,
                        "this server has no SET PERSIST", "");
        } else {
            count(s, j, &counts[i], a);
        }
    }
}

/* ---- the drop-in ---- */

static void judge_dropin(struct store *s, const struct option_judged *j, struct arena *a)
{
    struct span *lost = arena_calloc(a, j->n + 1, sizeof(*lost));
    size_t n = 0, ours = 0;
    for (size_t i = 0; i < j->n; i++) {
        const struct option_reading *r = &j->readings[i];
        if (!span_ends(r->line->file, DROPIN))
            continue;
        ours++;
        if (r->effect == OPTION_SHADOWED && !span_ends(r->by->line->file, DROPIN))
            lost[n++] = option_place_text(r->name, r->by->line, a);
    }
    if (ours == 0) {
        const char *why = "no line of a zz-nvadvise.cnf is read";
        put_unknown(s, j->server, "server.option.dropin_wins", FACT_NOT_SUPPORTED, why, "");
        put_unknown(s, j->server, "server.option.dropin_lost", FACT_NOT_SUPPORTED, why, "");
        return;
    }
    put(s, j->server, "server.option.dropin_wins", value_bool(n == 0));
    put(s, j->server, "server.option.dropin_lost", value_words(a, KIND_LIST, lost, n));
}

/* ---- single options ---- */

static bool in_file(const struct option_reading *r)
{
    return (r->marks & OPTION_PERSISTED) == 0 && r->line->group.len > 0;
}

static bool names_one(const struct option_judged *j, const char *name)
{
    for (size_t i = 0; i < j->n; i++) {
        if (in_file(&j->readings[i]) && strcmp(j->readings[i].name, name) == 0)
            return true;
    }
    return false;
}

static void judge_single(struct store *s, const struct option_judged *j)
{
    bool zero = false;
    for (size_t i = 0; i < j->n; i++) {
        const struct option_reading *r = &j->readings[i];
        const bool workers = strcmp(r->name, "replica_parallel_workers") == 0 ||
                             strcmp(r->name, "slave_parallel_workers") == 0;
        zero = zero || (workers && in_file(r) && span_eq_text(span_trim(r->line->value), "0"));
    }
    put(s, j->server, "server.option.old_redo_pair",
        value_bool(names_one(j, "innodb_log_file_size") ||
                   names_one(j, "innodb_log_files_in_group")));
    put(s, j->server, "server.option.flush_method_set",
        value_bool(names_one(j, "innodb_flush_method")));
    put(s, j->server, "server.option.change_buffer_max_size_set",
        value_bool(names_one(j, "innodb_change_buffer_max_size")));
    put(s, j->server, "server.option.replica_workers_zero", value_bool(zero));
}

/* ---- groups that no server reads ---- */

static void judge_target(struct store *s, const struct subject *server)
{
    const struct fact *f = store_get(s, server, SPAN_LIT("server.version"));
    if (f != NULL && f->state == FACT_KNOWN)
        put(s, server, "server.target_version", f->value);
}

static void judge_groups(const struct ruleset *rs, struct store *s, const struct option_judged *j,
                         struct arena *a)
{
    struct optline *others;
    size_t n_others, n = 0;
    const struct fact *f = store_get(s, j->server, SPAN_LIT(OPTION_OTHER_LINES));
    if (!option_other_lines(s, j->server, a, &others, &n_others)) {
        const char *why = f != NULL && f->reason != NULL ? f->reason : "the other groups are not known";
        put_unknown(s, j->server, "server.option.wrong_group_count", FACT_ABSENT, why, "");
        put_unknown(s, j->server, "server.option.wrong_group_names", FACT_ABSENT, why, "");
        return;
    }
    struct span *items = arena_calloc(a, n_others + 1, sizeof(*items));
    for (size_t i = 0; i < n_others; i++) {
        const char *name;
        if (option_is_misplaced(j, rs->catalogue, &others[i], a, &name))
            items[n++] = option_place_text(name, &others[i], a);
    }
    put_list(s, j->server, "server.option.wrong_group_count", "server.option.wrong_group_names",
             items, n, a);
}

/* ---- all ---- */

/* A document by hand that says how many names are unknown and nothing else of the option files: whoever counted
 * was not asked for the rest, and it is no gap of ours. What is foreign is unknown as well. */
static bool only_counted(struct store *s, const struct subject *server)
{
    static const char *const others[] = {"server.option.fatal", "server.option.unread_files",
                                         "server.option.dropin_present"};
    static const char why[] = "the document counts unknown options and says no more of the files";
    const struct fact *f = store_get(s, server, SPAN_LIT("server.option.unknown_count"));
    if (!store_is_offline(s) || !is_held(s, server, "server.option.unknown_count") ||
        f->state != FACT_KNOWN)
        return false;
    if (num_is_zero(f->value.num))
        put(s, server, "server.option.foreign_count", value_u64(KIND_COUNT, 0));
    for (size_t i = 0; i < options_n_decls; i++) {
        const char *name = options_decls[i].name;
        const bool foreign = strcmp(name, "server.option.foreign_count") == 0;
        const bool persisted = strstr(name, ".persisted_") != NULL;
        if (persisted || (foreign && num_is_zero(f->value.num)))
            continue;
        put_unknown(s, server, name, FACT_NOT_SUPPORTED, why, "");
    }
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        put_unknown(s, server, others[i], FACT_NOT_SUPPORTED, why, "");
    return true;
}

static void all_unknown(struct store *s, const struct subject *server, const struct fact *why)
{
    if (why == NULL && only_counted(s, server))
        return;
    for (size_t i = 0; i < options_n_decls; i++) {
        if (why == NULL || store_is_filled(why)) {
            put_unknown(s, server, options_decls[i].name, FACT_ABSENT,
                        "nothing is known of the option files", "");
        } else {
            put_unknown(s, server, options_decls[i].name, why->state,
                        why->reason != NULL ? why->reason : "",
                        why->remedy != NULL ? why->remedy : "");
        }
    }
}

void options_derive(const struct ruleset *rs, struct store *s)
{
    const struct subject *const *servers;
    const size_t n = store_subjects_of(s, SUBJECT_SERVER, &servers);
    for (size_t i = 0; i < n; i++) {
        ARENA_AUTO a = arena_new();
        struct option_judged j;
        const struct fact *why;
        if (!option_judged_read(rs, s, servers[i], a, &j, &why)) {
            all_unknown(s, servers[i], why);
            judge_target(s, servers[i]);
            continue;
        }
        count_all(s, &j, a);
        judge_dropin(s, &j, a);
        judge_single(s, &j);
        judge_groups(rs, s, &j, a);
        judge_target(s, servers[i]);
    }
}
