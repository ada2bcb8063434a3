/* The files of one server in their order, its command line, and where mysqld-auto.cnf is. Which
 * files and groups: server_groups.c. Opens nothing but through the caller's reader. */
#include "probes/server_options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "advisor/base/banned.h"

#define DATADIR_FILE "mysqld-auto.cnf"

struct reading {
    struct arena *arena;
    const struct server_options_input *in;
    const struct optfile_io *io;
    struct optfile files;
    const char **warnings;
    size_t n_warnings;
    struct server_options *ret;
};

static void warn(struct reading *r, const char *fmt, ...) ATTR_PRINTF(2, 3);

static void warn(struct reading *r, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    r->warnings = arena_list_room(r->arena, r->warnings, r->n_warnings, sizeof(*r->warnings));
    r->warnings[r->n_warnings++] = arena_strdup(r->arena, text);
}

/* The first reason stands, but what is fatal outweighs what could not be seen. */
static void end(struct reading *r, enum server_options_end how, const struct err *why)
{
    if (r->ret->end == SERVER_OPTIONS_WHOLE ||
        (r->ret->end == SERVER_OPTIONS_PART && how == SERVER_OPTIONS_FATAL)) {
        r->ret->end = how;
        r->ret->why = *why;
    }
}

static void end_part(struct reading *r, const char *fmt, ...) ATTR_PRINTF(2, 3);

static void end_part(struct reading *r, const char *fmt, ...)
{
    struct err why = ERR_INIT;
    char text[ERR_TEXT_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    err_set(&why, E_NOT_SUPPORTED, "%s", text);
    end(r, SERVER_OPTIONS_PART, &why);
}

/* ---- paths that cannot be found -------------------------------------------------------------- */

/* The caller's reader behind a gate: a relative path means what it meant where the server was
 * started. */
static bool gate(const char *path, struct err *reterr)
{
    return path[0] == '/' ||
           err_set(reterr, E_NOT_SUPPORTED,
                   "'%s' is relative to where the server was started, which is not known", path);
}

static bool gate_read(void *ctx, const char *path, struct optfile_text *ret, struct err *reterr)
{
    const struct optfile_io *io = ctx;
    return gate(path, reterr) && io->read(io->ctx, path, ret, reterr);
}

static bool gate_list(void *ctx, const char *path, struct host_names *ret, struct err *reterr)
{
    const struct optfile_io *io = ctx;
    return gate(path, reterr) && io->list(io->ctx, path, ret, reterr);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Would the server itself meet this too? Denied: yes, since it is read as the server's user; but
 * one that was started as root read it as root. */
static bool is_servers_own(const struct reading *r, enum err_code code)
{
    return code == E_ABSENT || code == E_SYNTAX || (code == E_DENIED && !r->in->started_as_root);
}

static void read_file(struct reading *r, const struct server_file *f)
{
    const bool whole = server_takes_whole_lines(r->in);
    struct optfile_io io = {.ctx = (void *)(uintptr_t)r->io,
                            .home = r->in->home,
                            .read = gate_read,
                            .list = gate_list,
                            .in_order = r->io->in_order};
    if (r->in->n_files > 0) {
        io = *r->io;
    }
    io.whole_lines = whole;
    io.directive_comments = server_ends_directives(r->in);
    struct err err = ERR_INIT;
    const size_t before = r->files.n_files;
    if (f->path[0] == '~') {
        return; /* no home: the servers look for a folder of that name */
    }
    if (optfile_read(&r->files, &io, f->path, !f->must, &err)) {
        if (f->by_build && r->files.files[before].state == OPTFILE_READ) {
            warn(r, "'%s' is read by builds that look there; whether this one does was not asked",
                 f->path);
        }
        return;
    }
    if (f->must && r->files.n_files == before) {
        err_wrap(&err, "opening the option file that the command line names");
    }
    end(r, is_servers_own(r, err.code) ? SERVER_OPTIONS_FATAL : SERVER_OPTIONS_PART, &err);
}

static void check_files(struct reading *r)
{
    for (size_t i = 0; i < r->files.n_files; i++) {
        const struct optfile_file *f = &r->files.files[i];
        if (f->code == E_NONE || is_servers_own(r, f->code)) {
            continue;
        }
        if (f->code == E_DENIED) {
            end_part(r, "'%s' is closed to the server's user, but the server was started as root",
                     f->path);
        } else {
            end_part(r, "'%s' could not be looked at", f->path);
        }
    }
}

static void read_files(struct reading *r, const struct server_defaults *d)
{
    struct server_file *files;
    const size_t n = server_default_files(r->arena, r->in, d, &files);
    for (size_t i = 0; i < n && r->ret->end != SERVER_OPTIONS_FATAL; i++) {
        read_file(r, &files[i]);
    }
    check_files(r);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool is_read(const struct server_options *o, struct span group)
{
    for (size_t i = 0; i < o->n_groups; i++) {
        if (span_eq_nocase(group, span_of(o->groups[i]))) {
            return true;
        }
    }
    return false;
}

/* "mysqld-8.0" where nobody knows which version this is. */
static bool may_be_own(const struct reading *r, struct span group)
{
    const bool version = server_group_of_some(group) && span_has(group, '-') &&
                         !span_eq_nocase(group, SPAN_LIT("client-server"));
    return version && r->in->version.n == 0 && !r->in->any_server &&
           (r->in->mariadb || span_eq_nocase(span_sub(group, 0, 6), SPAN_LIT("mysqld")));
}

static void take_options(struct reading *r)
{
    struct server_options *o = r->ret;
    o->lines = arena_calloc(r->arena, r->files.n_options + 1, sizeof(*o->lines));
    o->other_lines = arena_calloc(r->arena, r->files.n_options + 1, sizeof(*o->other_lines));
    for (size_t i = 0; i < r->files.n_options; i++) {
        const struct optfile_option *f = &r->files.options[i];
        struct optline l = {.file = span_of(f->file),
                            .group = f->group,
                            .name = f->name,
                            .value = f->value,
                            .has_value = f->has_value,
                            .line = f->line};
        if (is_read(o, f->group)) {
            o->lines[o->n_lines++] = l;
            continue;
        }
        if (may_be_own(r, f->group)) {
            end_part(r, "the server's version is not known, and '%s' has a group [%.*s]", f->file,
                     SPAN_ARG(span_sub(f->group, 0, 60)));
        }
        if (!server_group_of_some(f->group)) {
            l.value = (struct span){"", 0};
            l.has_value = false;
        }
        o->other_lines[o->n_other_lines++] = l;
    }
}

static void take_args(struct reading *r, size_t first)
{
    struct server_options *o = r->ret;
    struct optline *args;
    const size_t n = server_args_lines(r->arena, r->in, first, &args);
    struct optline *all = arena_calloc(r->arena, o->n_lines + n + 1, sizeof(*all));
    for (size_t i = 0; i < o->n_lines; i++) {
        all[i] = o->lines[i];
    }
    for (size_t i = 0; i < n; i++) {
        all[o->n_lines + i] = args[i];
    }
    o->lines = all;
    o->n_lines += n;
}

/* ---- SET PERSIST ----------------------------------------------------------------------------- */

#define NAME_ROOM 64u

static bool drop_prefix(struct span *name, const char *prefix)
{
    if (!span_starts(*name, prefix)) {
        return false;
    }
    *name = span_sub(*name, strlen(prefix), name->len);
    return true;
}

/* Is the line one of this option, as the servers take names: '-' is '_', case does not count, cut
 * short (to where it can be no other), loose_ in front? *ret_off: turned off by skip_ or disable_.
 */
static bool is_option(const struct optline *l, const char *canonical, bool *ret_off)
{
    char room[NAME_ROOM];
    struct span name = {room, l->name.len < NAME_ROOM ? l->name.len : 0};
    for (size_t i = 0; i < name.len; i++) {
        const char c = l->name.ptr[i];
        room[i] = c == '-' ? '_' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    (void)drop_prefix(&name, "loose_");
    *ret_off = drop_prefix(&name, "skip_") || drop_prefix(&name, "disable_");
    (void)drop_prefix(&name, "enable_");
    return name.len >= 4 && name.len <= strlen(canonical) &&
           memcmp(name.ptr, canonical, name.len) == 0;
}

static bool persist_is_off(const struct server_options *o)
{
    static const char *const words[] = {"0", "off", "false"};
    bool off = false, skip = false;
    for (size_t i = 0; i < o->n_lines; i++) {
        const struct optline *l = &o->lines[i];
        if (!is_option(l, "persisted_globals_load", &skip)) {
            continue;
        }
        off = skip;
        for (size_t k = 0; k < ARRAY_LEN(words); k++) {
            off = off || (l->has_value && span_eq_nocase(l->value, span_of(words[k])));
        }
    }
    return off;
}

/* The data directory at the next start: an option's, else that of the running server. */
static const char *find_datadir(struct reading *r)
{
    const struct server_options *o = r->ret;
    struct span dir = {"", 0};
    bool skip = false;
    for (size_t i = 0; i < o->n_lines; i++) {
        if (is_option(&o->lines[i], "datadir", &skip) && o->lines[i].has_value) {
            dir = o->lines[i].value;
        }
    }
    return dir.len > 0 && dir.ptr[0] == '/' ? span_dup(r->arena, dir) : r->in->datadir;
}

static void find_persisted(struct reading *r, const struct server_defaults *d)
{
    struct server_options *o = r->ret;
    const bool old = r->in->version.n > 0 && r->in->version.part[0] < 8;
    if (r->in->mariadb || old || d->none || r->in->n_files > 0 || persist_is_off(o)) {
        return;
    }
    const char *dir = find_datadir(r);
    if (dir == NULL || dir[0] != '/') {
        end_part(r, "the data directory, where " DATADIR_FILE " may be, is not known");
        return;
    }
    o->persisted =
        optfile_path(r->arena, span_of(arena_printf(r->arena, "%s/" DATADIR_FILE, dir)), NULL);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void take_dirs(struct reading *r)
{
    const struct optfile *f = &r->files;
    const char **dirs = arena_calloc(r->arena, f->n_dirs + 1, sizeof(*dirs));
    size_t n = 0;
    for (size_t i = 0; i < f->n_dirs; i++) {
        bool again = false;
        for (size_t k = i + 1; k < f->n_dirs; k++) {
            again = again || strcmp(f->dirs[i].path, f->dirs[k].path) == 0;
        }
        if (!again) {
            dirs[n++] = f->dirs[i].path;
        }
    }
    r->ret->dirs = dirs;
    r->ret->n_dirs = n;
}

static void take_warnings(struct reading *r)
{
    const size_t n = r->files.n_warnings;
    const char **all = arena_calloc(r->arena, n + r->n_warnings + 1, sizeof(*all));
    for (size_t i = 0; i < n; i++) {
        all[i] = r->files.warnings[i];
    }
    for (size_t i = 0; i < r->n_warnings; i++) {
        all[n + i] = r->warnings[i];
    }
    r->ret->warnings = all;
    r->ret->n_warnings = n + r->n_warnings;
}

void server_options_read(const struct optfile_io *io, const struct server_options_input *in,
                         struct arena *a, struct server_options *ret)
{
    struct reading r = {.arena = a, .in = in, .io = io, .ret = ret};
    struct server_defaults d;
    *ret = (struct server_options){.end = SERVER_OPTIONS_WHOLE};
    optfile_init(&r.files, a);
    ret->n_groups = in->any_server ? 0 : server_groups(a, in, &ret->groups);
    server_defaults_read(in, &d);
    read_files(&r, &d);
    ret->files = r.files.files;
    ret->n_files = r.files.n_files;
    take_options(&r);
    take_args(&r, d.first);
    find_persisted(&r, &d);
    take_dirs(&r);
    take_warnings(&r);
}
