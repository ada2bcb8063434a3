/* See login.h. The password stays in the arena of the caller and in struct host_sql_login. */
#include "probes/login.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define WARNINGS_MAX 16u

static const char *const client_groups[] = {"client", "client-server", "client-mariadb"};
static const char *const own_groups[] = {"nvadvise"};
static const char *const system_files[] = {"/etc/my.cnf", "/etc/mysql/my.cnf"};

struct login_env login_env_get(void)
{
    return (struct login_env){.home = getenv("HOME"),
                              .defaults_file = getenv("NVADVISE_DEFAULTS_FILE"),
                              .password = getenv("MYSQL_PWD")};
}

/* ---- what the files say ---------------------------------------------------------------------- */

struct draft {
    struct arena *arena;
    struct host_sql_login sql;
    bool has_password;
    const char **warnings;
    size_t n_warnings;
};

static void warn(struct draft *d, const char *text)
{
    if (d->n_warnings < WARNINGS_MAX) {
        d->warnings[d->n_warnings++] = text;
    }
}

static bool in_groups(struct span group, const char *const *groups, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (span_eq_nocase(group, span_of(groups[i]))) {
            return true;
        }
    }
    return false;
}

static bool is_true(const struct optfile_option *o)
{
    static const char *const words[] = {"1", "on", "true", "yes"};
    return !o->has_value || in_groups(o->value, words, ARRAY_LEN(words));
}

static bool set_port(struct draft *d, const struct optfile_option *o, struct err *reterr)
{
    uint64_t port;
    if (!parse_u64(o->value, &port) || port == 0 || port > 65535) {
        err_set(reterr, E_SYNTAX, "%s:%u: '%.*s' is no port", o->file, o->line,
                SPAN_ARG(span_sub(o->value, 0, 40)));
        return err_hint(reterr, "A port is a number from 1 to 65535.");
    }
    d->sql.port = (unsigned)port;
    return true;
}

static bool set_ssl_mode(struct draft *d, const struct optfile_option *o, struct err *reterr)
{
    static const struct {
        const char *word;
        bool require, verify;
    } modes[] = {
        {"disabled", false, false}, {"preferred", false, false},     {"required", true, false},
        {"verify_ca", true, true},  {"verify_identity", true, true},
    };
    for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
        if (span_eq_nocase(o->value, span_of(modes[i].word))) {
            d->sql.ssl_require = modes[i].require;
            d->sql.ssl_verify = modes[i].verify;
            return true;
        }
    }
    return err_set(reterr, E_SYNTAX, "%s:%u: '%.*s' is no ssl-mode", o->file, o->line,
                   SPAN_ARG(span_sub(o->value, 0, 40)));
}

static bool set_text(struct draft *d, const struct optfile_option *o)
{
    const struct {
        const char *name;
        const char **to;
    } texts[] = {
        {"user", &d->sql.user},     {"socket", &d->sql.socket},     {"host", &d->sql.host},
        {"ssl-ca", &d->sql.ssl_ca}, {"ssl-cert", &d->sql.ssl_cert}, {"ssl-key", &d->sql.ssl_key},
    };
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        if (optfile_name_is(o->name, texts[i].name)) {
            *texts[i].to = o->value.len > 0 ? span_dup(d->arena, o->value) : NULL;
            return true;
        }
    }
    return false;
}

/* Names that are not ours are other programs' business. */
static bool take_option(struct draft *d, const struct optfile_option *o, struct err *reterr)
{
    if (set_text(d, o)) {
        return true;
    }
    if (optfile_name_is(o->name, "password")) {
        if (!o->has_value) {
            warn(d,
                 arena_printf(d->arena, "%s:%u: 'password' without a value asks for nothing here",
                              o->file, o->line));
            return true;
        }
        d->sql.password = span_dup(d->arena, o->value);
        d->has_password = true;
    } else if (optfile_name_is(o->name, "port")) {
        return set_port(d, o, reterr);
    } else if (optfile_name_is(o->name, "ssl-mode")) {
        return set_ssl_mode(d, o, reterr);
    } else if (optfile_name_is(o->name, "ssl") || optfile_name_is(o->name, "enable-ssl")) {
        d->sql.ssl_require = is_true(o);
    } else if (optfile_name_is(o->name, "skip-ssl") || optfile_name_is(o->name, "disable-ssl")) {
        d->sql.ssl_require = false;
    } else if (optfile_name_is(o->name, "ssl-verify-server-cert")) {
        d->sql.ssl_verify = is_true(o);
        d->sql.ssl_require = d->sql.ssl_require || d->sql.ssl_verify;
    }
    return true;
}

/* May others read this file, which holds a password? */
static bool check_mode(const struct optfile *o, const char *path, struct err *reterr)
{
    for (size_t i = 0; i < o->n_files; i++) {
        const struct optfile_file *f = &o->files[i];
        if (strcmp(f->path, path) != 0 || f->state == OPTFILE_UNREADABLE) {
            continue;
        }
        bool ours = strcmp(path, LOGIN_SYSTEM_FILE) == 0;
        uint32_t bad = f->mode & (ours ? S_IWGRP | S_IRWXO : S_IRWXG | S_IRWXO) & 0666u;
        if (bad != 0) {
            err_set(reterr, E_DENIED, "'%s' holds a password and is open to others (mode %04o)",
                    path, f->mode & 07777u);
            return err_hint(reterr, "Run: chmod %s '%s'", ours ? "0640" : "0600", path);
        }
    }
    return true;
}

static bool take_groups(struct draft *d, const struct optfile *o, const char *const *groups,
                        size_t n, struct err *reterr)
{
    for (size_t i = 0; i < o->n_options; i++) {
        const struct optfile_option *option = &o->options[i];
        if (!in_groups(option->group, groups, n)) {
            continue;
        }
        if (optfile_name_is(option->name, "password") && option->value.len > 0 &&
            !check_mode(o, option->file, reterr)) {
            return false;
        }
        if (!take_option(d, option, reterr)) {
            return false;
        }
    }
    return true;
}

static bool take_file(struct draft *d, const struct optfile_io *io, const char *path, bool must,
                      bool *ret_read, struct err *reterr)
{
    struct optfile o;
    optfile_init(&o, d->arena);
    if (!optfile_read(&o, io, path, !must, reterr)) {
        return false;
    }
    if (o.files[0].state == OPTFILE_WORLD_WRITABLE && must) {
        err_set(reterr, E_DENIED, "'%s' is not read: everybody may write it (mode %04o)", path,
                o.files[0].mode & 07777u);
        return err_hint(reterr, "Run: chmod 0600 '%s'", path);
    }
    for (size_t i = 0; i < o.n_warnings; i++) {
        warn(d, o.warnings[i]);
    }
    *ret_read = o.files[0].state == OPTFILE_READ;
    return take_groups(d, &o, client_groups, ARRAY_LEN(client_groups), reterr) &&
           take_groups(d, &o, own_groups, ARRAY_LEN(own_groups), reterr);
}

/* The one file with the credentials. */
static bool take_files(struct draft *d, const struct login_options *opt,
                       const struct login_env *env, const struct optfile_io *io,
                       struct login *login, struct err *reterr)
{
    bool read = false;
    const char *named = opt->defaults_file;
    if (named == NULL && env->defaults_file != NULL && env->defaults_file[0] != '\0') {
        named = env->defaults_file;
    }
    if (named != NULL) {
        login->file = named;
        return take_file(d, io, named, true, &read, reterr);
    }
    const char *const usual[] = {
        LOGIN_SYSTEM_FILE,
        env->home != NULL && env->home[0] == '/' ? arena_printf(d->arena, "%s/.my.cnf", env->home)
                                                 : NULL,
    };
    for (size_t i = 0; i < ARRAY_LEN(usual) && !read; i++) {
        if (usual[i] != NULL && !take_file(d, io, usual[i], false, &read, reterr)) {
            return false;
        }
        login->file = read ? usual[i] : NULL;
    }
    return true;
}

/* ---- putting it together --------------------------------------------------------------------- */

static bool is_local_name(const char *host)
{
    return strcmp(host, "localhost") == 0;
}

static bool take_command_line(struct draft *d, const struct login_options *opt, struct err *reterr)
{
    if (opt->socket != NULL && opt->host != NULL) {
        err_set(reterr, E_USAGE, "both a socket '%s' and a host '%s'", opt->socket, opt->host);
        return err_hint(reterr, "Name the server by --socket or by --host, not by both.");
    }
    if (opt->socket != NULL) {
        d->sql.socket = opt->socket;
        d->sql.host = NULL;
    }
    if (opt->host != NULL || opt->port != 0) {
        d->sql.socket = NULL;
        if (opt->host != NULL || d->sql.host == NULL) {
            d->sql.host = opt->host != NULL ? opt->host : "127.0.0.1";
        }
        if (opt->port != 0) {
            d->sql.port = opt->port;
            d->sql.host = is_local_name(d->sql.host) ? "127.0.0.1" : d->sql.host;
        }
    }
    if (opt->user != NULL) {
        d->sql.user = opt->user;
    }
    return true;
}

/* A socket from the system's own files when nothing else says where to go. */
static void take_hint(struct draft *d, const struct optfile_io *io)
{
    for (size_t i = 0; i < ARRAY_LEN(system_files); i++) {
        struct optfile o;
        struct err err = ERR_INIT;
        optfile_init(&o, d->arena);
        if (!optfile_read(&o, io, system_files[i], true, &err)) {
            warn(d, arena_strdup(d->arena, err.text));
        }
        const struct optfile_option *s =
            optfile_last(&o, client_groups, ARRAY_LEN(client_groups), "socket");
        if (s != NULL && s->value.len > 0 && s->value.ptr[0] == '/') {
            d->sql.socket = span_dup(d->arena, s->value);
        }
    }
}

/* "localhost" is the socket; a socket beats it; a remote host beats a socket. */
static void settle_place(struct host_sql_login *sql)
{
    if (sql->host != NULL && is_local_name(sql->host)) {
        sql->host = NULL;
    }
    if (sql->host != NULL) {
        sql->socket = NULL;
        sql->port = sql->port != 0 ? sql->port : 3306;
    } else {
        sql->port = 0;
    }
}

bool login_resolve(struct arena *a, const struct login_options *opt, const struct login_env *env,
                   const struct optfile_io *io, struct login *ret, struct err *reterr)
{
    struct login login = {.file = NULL};
    struct draft d = {.arena = a, .sql = {.socket_dir_fd = -1, .timeout_s = opt->timeout_s}};
    d.warnings = arena_calloc(a, WARNINGS_MAX, sizeof(*d.warnings));
    if (!take_files(&d, opt, env, io, &login, reterr)) {
        return false;
    }
    settle_place(&d.sql);
    bool file_named = opt->defaults_file != NULL || env->defaults_file != NULL;
    bool wanted = opt->socket != NULL || opt->host != NULL || opt->port != 0 ||
                  (file_named && (d.sql.socket != NULL || d.sql.host != NULL));
    if (!take_command_line(&d, opt, reterr)) {
        return false;
    }
    settle_place(&d.sql);
    if (d.sql.socket == NULL && d.sql.host == NULL) {
        take_hint(&d, io);
    }
    login.named = wanted && (d.sql.socket != NULL || d.sql.host != NULL);
    if (!d.has_password && env->password != NULL) {
        d.sql.password = env->password;
        warn(&d, "the password comes from MYSQL_PWD; an option file of mode 0600 is safer");
    }
    login.sql = d.sql;
    login.warnings = d.warnings;
    login.n_warnings = d.n_warnings;
    *ret = login;
    return true;
}
