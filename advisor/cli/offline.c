/* See offline.h. Wires the option-file reader, the judge of lines and the store; decides nothing of what a
 * line means. */
#include "advisor/cli/offline.h"

#include <string.h>

#include "advisor/base/file.h"
#include "advisor/facts/factdoc.h"
#include "probes/host/optfile_filter.h"
#include "probes/host/words_filter.h"
#include "probes/login.h"
#include "probes/optfile.h"
#include "probes/server_options.h"
#include "rules/options.h"

#include "advisor/base/banned.h"

#define NEWEST_PATCH 999 /* "8.0": all of the series has come */
#define WORD_MAX 65536

/* ---- FLAVOUR:VERSION --------------------------------------------------------------------- */

/* MySQL 5 to 9 and the calendar versions behind them; MariaDB 5.5 and 10 on. */
static bool is_plausible(enum flavour f, const struct version *v)
{
    const uint32_t major = v->part[0];
    if (f == FLAVOUR_MARIADB) {
        return major == 5 || (major >= 10 && major < 100);
    }
    return (major >= 5 && major < 10) || (major >= 26 && major < 100);
}

bool server_spec_read(const char *option, const char *text, struct server_spec *ret,
                      struct err *reterr)
{
    struct server_spec s = {.flavour = FLAVOUR_MYSQL};
    struct span rest = span_of(text), flavour = {0};
    if (!span_has(rest, ':') || !span_split(&rest, ':', &flavour) ||
        !flavour_from_name(flavour, &s.flavour) || !version_parse_exact(rest, &s.version) ||
        s.version.n < 2 || !is_plausible(s.flavour, &s.version)) {
        err_set(reterr, E_USAGE, "option '--%s': '%.60s' is no FLAVOUR:VERSION", option, text);
        err_hint(reterr, "FLAVOUR is mysql, percona or mariadb, VERSION such as 5.7.15, 8.0 or "
                         "10.11: --%s mysql:8.4.3", option);
        return false;
    }
    if (s.version.n == 2) {
        s.version.part[2] = NEWEST_PATCH;
    }
    *ret = s;
    return true;
}

bool offline_asked(const struct options *opt)
{
    return option_text(opt, "options") != NULL || option_text(opt, "server") != NULL;
}

/* ---- files ------------------------------------------------------------------------------- */

struct reader {
    struct arena *arena;
    const char *top;   /* the file that is named on the command line */
    struct optfile_io live; /* what it includes */
    bool whole_lines;
    bool bare;         /* it begins with options outside of any group */
};

/* The first line that is neither blank nor a comment is an option. */
static bool begins_bare(struct arena *a, struct span text)
{
    struct span line;
    bool split;
    while (optfile_next_line(&text, &line, &split)) {
        const struct optfile_line l = optfile_lex(a, line);
        if (l.kind != OPTFILE_EMPTY) {
            return l.kind == OPTFILE_OPTION;
        }
    }
    return false;
}

/* A relative path means what it meant where the server was started, and nobody knows where. */
static bool is_absolute(const char *path, struct err *reterr)
{
    return path[0] == '/' || err_set(reterr, E_ABSENT, "'%s' is relative to where the server was "
                                                       "started, which is not known", path);
}

/* The same filter as on what a live server reads. */
static struct span blanked(const struct reader *r, struct span text)
{
    struct buf b;
    buf_init(&b, r->arena, text.len * 2 + 8);
    optfile_blank_secrets(&b, text, r->whole_lines);
    return buf_span(&b);
}

/* A file that another includes. Whose they are says nothing here: they may be copies. */
static bool read_included(const struct reader *r, const char *path, struct optfile_text *ret,
                          struct err *reterr)
{
    struct optfile_text text;
    if (!is_absolute(path, reterr) || !r->live.read(r->live.ctx, path, &text, reterr)) {
        return false;
    }
    *ret = (struct optfile_text){.bytes = blanked(r, text.bytes)};
    return true;
}

/* The file that is named may be a pipe. */
static bool read_text(void *ctx, const char *path, struct optfile_text *ret, struct err *reterr)
{
    static const char group[] = "[mysqld]\n";
    struct reader *r = ctx;
    struct span text;
    if (strcmp(path, r->top) != 0) {
        return read_included(r, path, ret, reterr);
    }
    if (!file_read(r->arena, path, OPTFILE_BYTES_MAX, &text, reterr)) {
        return false;
    }
    if (begins_bare(r->arena, text)) {
        r->bare = true;
        struct buf b;
        buf_init(&b, r->arena, sizeof(group) + OPTFILE_BYTES_MAX);
        buf_add_text(&b, group);
        buf_add_span(&b, text);
        text = buf_span(&b);
    }
    *ret = (struct optfile_text){.bytes = blanked(r, text)};
    return true;
}

static bool list_names(void *ctx, const char *path, struct host_names *ret, struct err *reterr)
{
    struct reader *r = ctx;
    return is_absolute(path, reterr) && r->live.list(r->live.ctx, path, ret, reterr);
}

/* ---- lines ------------------------------------------------------------------------------- */

struct lines {
    struct session *s;
    const struct server_spec *server;
    struct span *read, *other; /* words of optline_print */
    size_t n_read, n_other;
    uint64_t unread; /* included files that could not be read */
    bool dropin;
    const char *fatal; /* what no server reads on from, or NULL */
};

/* The value, or "***" where the name speaks of a secret. */
static struct span shown_value(struct arena *a, const struct optfile_option *o)
{
    struct buf b;
    buf_init(&b, a, WORD_MAX);
    const char *word = arena_printf(a, "%.*s=%.*s", SPAN_ARG(o->name), SPAN_ARG(o->value));
    words_blank_secrets(&b, span_of(word), '\0');
    struct span rest = buf_span(&b), name;
    span_split(&rest, '=', &name);
    return rest;
}

static void add_option(struct lines *l, const struct optfile_option *o, const struct reader *r)
{
    struct arena *a = l->s->arena;
    const bool bare = r->bare && strcmp(o->file, r->top) == 0;
    struct optline line = {
        .file = span_of(o->file),
        .group = o->group,
        .name = o->name,
        .has_value = o->has_value,
        .line = bare ? o->line - 1 : o->line,
    };
    const bool ours = option_group_read(l->server->flavour, &l->server->version, o->group);
    if (ours && o->has_value) {
        line.value = shown_value(a, o);
    }
    struct buf b;
    buf_init(&b, a, WORD_MAX);
    optline_print(&b, &line);
    struct span **list = ours ? &l->read : &l->other;
    size_t *n = ours ? &l->n_read : &l->n_other;
    *list = arena_list_room(a, *list, *n, sizeof(**list));
    (*list)[(*n)++] = buf_span(&b);
}

static void warn(struct session *s, const char *text)
{
    json_push(s->warnings, json_str(s->arena, text));
}

static void count_files(struct lines *l, const struct optfile *f)
{
    for (size_t i = 0; i < f->n_files; i++) {
        const struct optfile_file *one = &f->files[i];
        l->unread += one->state == OPTFILE_UNREADABLE && one->depth > 0 ? 1 : 0;
        l->dropin = l->dropin || (one->state == OPTFILE_READ &&
                                  span_ends(span_of(one->path), "/zz-nvadvise.cnf"));
    }
}

static bool read_file(struct lines *l, const char *path, struct err *reterr)
{
    struct arena *a = l->s->arena;
    const struct server_options_input in = {.mariadb = l->server->flavour == FLAVOUR_MARIADB,
                                            .version = l->server->version};
    struct reader r = {.arena = a,
                       .top = path,
                       .live = login_io(a, NULL),
                       .whole_lines = server_takes_whole_lines(&in)};
    const struct optfile_io io = {.ctx = &r,
                                  .read = read_text,
                                  .list = list_names,
                                  .whole_lines = r.whole_lines,
                                  .directive_comments = server_ends_directives(&in)};
    struct optfile_text text;
    struct optfile f;
    struct err err = ERR_INIT;
    if (!read_text(&r, path, &text, reterr)) {
        return false; /* the one that was named */
    }
    optfile_init(&f, a);
    if (!optfile_read(&f, &io, path, false, &err)) {
        l->fatal = arena_strdup(a, err.text);
    }
    if (r.bare) {
        warn(l->s, arena_printf(a, "%s: options outside of any group: read as [mysqld]; a server "
                                   "would not start with such a file", path));
    }
    for (size_t i = 0; i < f.n_warnings; i++) {
        warn(l->s, f.warnings[i]);
    }
    for (size_t i = 0; i < f.n_options; i++) {
        add_option(l, &f.options[i], &r);
    }
    count_files(l, &f);
    return true;
}

/* ---- the server -------------------------------------------------------------------------- */

static bool known_text(const struct store *s, const struct subject *sub, const char *name,
                       const struct fact **ret)
{
    *ret = store_get(s, sub, span_of(name));
    return *ret != NULL && (*ret)->state == FACT_KNOWN;
}

static bool spec_of_facts(const struct store *s, const struct subject *sub,
                          struct server_spec *ret)
{
    const struct fact *flavour, *version;
    if (!known_text(s, sub, "server.flavour", &flavour) ||
        !known_text(s, sub, "server.version", &version) ||
        !flavour_from_name(flavour->value.text, &ret->flavour)) {
        return false;
    }
    ret->version = version->value.version;
    return true;
}

static const struct subject *only_server(struct session *s, struct err *reterr)
{
    const struct subject *const *all;
    const size_t n = store_subjects_of(s->store, SUBJECT_SERVER, &all);
    if (n > 1) {
        err_set(reterr, E_USAGE, "'--options' and '--server' speak of one server, the facts of %zu",
                n);
        return NULL;
    }
    if (n == 1) {
        return all[0];
    }
    /* Made by the reader of documents, so that volumes find it. */
    return factdoc_read(s->store, "--server", SPAN_LIT("server.version_string = unknown\n"), true, NULL,
                        reterr)
               ? only_server(s, reterr)
               : NULL;
}

static bool settle_version(struct session *s, const struct options *opt, const struct subject *sub,
                           struct server_spec *ret, struct err *reterr)
{
    const char *text = option_text(opt, "server");
    struct server_spec stated;
    const bool has_stated = spec_of_facts(s->store, sub, &stated);
    if (text == NULL) {
        *ret = stated;
        return has_stated ||
               err_set(reterr, E_USAGE, "'--options' needs '--server FLAVOUR:VERSION', or facts "
                                        "that say server.flavour and server.version");
    }
    if (!server_spec_read("server", text, ret, reterr)) {
        return false;
    }
    if (has_stated && (stated.flavour != ret->flavour ||
                       (stated.version.n > 2 && version_cmp(&stated.version, &ret->version) != 0))) {
        *ret = stated; /* what a document states stands */
    }
    return true;
}

static void put(struct session *s, const struct subject *sub, const char *name, struct value v)
{
    const struct fact *f = store_get(s->store, sub, span_of(name));
    if (f == NULL || f->state != FACT_KNOWN) {
        store_known(s->store, sub, name, v, "--options");
    }
}

static void put_words(struct session *s, const struct subject *sub, const char *name,
                      const struct span *items, size_t n)
{
    put(s, sub, name, value_words(s->arena, KIND_LIST, items, n));
}

static void put_lines(const struct lines *l, const struct subject *sub)
{
    struct session *s = l->s;
    put_words(s, sub, "server.option.lines", l->read, l->n_read);
    put_words(s, sub, "server.option.other_lines", l->other, l->n_other);
    put(s, sub, "server.option.unread_files", value_u64(KIND_COUNT, l->unread));
    put(s, sub, "server.option.dropin_present", value_bool(l->dropin));
    put(s, sub, "server.option.fatal", value_bool(l->fatal != NULL));
    put(s, sub, "server.option.fatal_reason",
        value_text(KIND_STRING, span_of(l->fatal != NULL ? l->fatal : "")));
}

bool offline_read(struct session *s, const struct options *opt, struct err *reterr)
{
    const char *const *files = NULL;
    const size_t n = option_texts(opt, s->arena, "options", &files);
    struct server_spec spec;
    store_set_offline(s->store, true);
    const struct subject *sub = only_server(s, reterr);
    if (sub == NULL || !settle_version(s, opt, sub, &spec, reterr)) {
        return false;
    }
    store_known(s->store, sub, "server.flavour",
                value_text(KIND_ENUM, span_of(flavour_name(spec.flavour))), "--server");
    store_known(s->store, sub, "server.version", value_version(spec.version), "--server");
    struct lines l = {.s = s, .server = &spec};
    for (size_t i = 0; i < n; i++) {
        if (!read_file(&l, files[i], reterr)) {
            return false;
        }
    }
    put_lines(&l, sub);
    options_assume(&s->rules, s->store, sub);
    return true;
}
