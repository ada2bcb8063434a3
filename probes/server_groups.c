/* Which groups and which files a server reads, by flavour, version, environment and the front of
 * its command line. Text only: opens nothing. */
#include "probes/server_options.h"

#include <string.h>

#include "advisor/base/banned.h"

#define GROUPS_MAX 32u
#define DIRS_MAX 8u

static bool at_least(const struct version *v, uint32_t major, uint32_t minor, uint32_t patch)
{
    const struct version other = {{major, minor, patch, 0}, 3};
    return version_cmp(v, &other) >= 0;
}

/* Lines are split in the source of 8.0.22 and not in that of 8.0.27; tried on 9.7. */
bool server_takes_whole_lines(const struct server_options_input *in)
{
    return !in->mariadb && (in->version.n == 0 || at_least(&in->version, 8, 0, 24));
}

/* Tried on 9.7; the source of 8.0.27 takes the rest of the line. Which release began is not known. */
bool server_ends_directives(const struct server_options_input *in)
{
    return !in->mariadb && in->version.n > 0 && at_least(&in->version, 9, 0, 0);
}

/* ---- the front of the command line ----------------------------------------------------------- */

static bool take(struct span word, const char *prefix, bool *has, struct span *ret)
{
    if (*has || !span_starts(word, prefix)) {
        return false;
    }
    *has = true;
    *ret = span_sub(word, strlen(prefix), word.len);
    return true;
}

/* Each at most once, in any order, and before all other words. Behind --no-defaults MariaDB takes
 * none of them, MySQL the suffix. */
void server_defaults_read(const struct server_options_input *in, struct server_defaults *ret)
{
    struct server_defaults d = {.first = in->n_args < 1 ? 0 : 1};
    d.none = in->n_args > 1 && span_eq_text(in->args[1], "--no-defaults");
    d.first += d.none;
    for (; d.first < in->n_args && !(d.none && in->mariadb); d.first++) {
        const struct span word = in->args[d.first];
        const bool file = !d.none && (take(word, "--defaults-file=", &d.has_file, &d.file) ||
                                      take(word, "--defaults-extra-file=", &d.has_extra, &d.extra));
        if (!file && !take(word, "--defaults-group-suffix=", &d.has_suffix, &d.suffix)) {
            break;
        }
    }
    d.first += d.first < in->n_args && span_eq_text(in->args[d.first], "--print-defaults");
    *ret = d;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* MDEV-21375, in the releases of May 2025. */
static bool knows_mariadb_suffix(const struct version *v)
{
    return v->n == 0 || at_least(v, 11, 8, 2) ||
           (v->part[0] == 11 && v->part[1] == 4 && at_least(v, 11, 4, 6)) ||
           (v->part[0] == 10 && v->part[1] == 11 && at_least(v, 10, 11, 12));
}

static const char *suffix_of(struct arena *a, const struct server_options_input *in)
{
    struct server_defaults d;
    server_defaults_read(in, &d);
    if (d.has_suffix) {
        return span_dup(a, d.suffix);
    }
    if (in->mariadb && in->mariadb_group_suffix != NULL && knows_mariadb_suffix(&in->version)) {
        return in->mariadb_group_suffix;
    }
    return in->group_suffix;
}

static void add_version(struct arena *a, const char **list, size_t *n, const char *base,
                        const struct version *v, bool major)
{
    if (v->n >= 2) {
        list[(*n)++] = arena_printf(a, "%s-%u.%u", base, v->part[0], v->part[1]);
        if (major) {
            list[(*n)++] = arena_printf(a, "%s-%u", base, v->part[0]);
        }
    }
}

size_t server_groups(struct arena *a, const struct server_options_input *in,
                     const char *const **ret)
{
    const char **list = arena_calloc(a, GROUPS_MAX, sizeof(*list));
    /* [mariadb-11]: seen in 11.8, not in 10.11. */
    const bool major = at_least(&in->version, 11, 8, 0);
    size_t n = 0;
    list[n++] = "mysqld";
    list[n++] = "server";
    add_version(a, list, &n, "mysqld", &in->version, false);
    if (in->mariadb) {
        list[n++] = "mariadb";
        add_version(a, list, &n, "mariadb", &in->version, major);
        list[n++] = "mariadbd";
        add_version(a, list, &n, "mariadbd", &in->version, major);
        list[n++] = "client-server";
        list[n++] = "galera";
    }
    const char *suffix = suffix_of(a, in);
    const size_t plain = suffix == NULL ? 0 : n;
    for (size_t i = 0; i < plain; i++) {
        list[n++] = arena_printf(a, "%s%s", list[i], suffix);
    }
    *ret = list;
    return n;
}

bool server_group_of_some(struct span group)
{
    static const char *const bases[] = {"mysqld",        "mariadb", "mariadbd",     "server",
                                        "client-server", "galera",  "mysql_cluster"};
    for (size_t i = 0; i < ARRAY_LEN(bases); i++) {
        const size_t n = strlen(bases[i]);
        const struct span head = span_sub(group, 0, n);
        if (!span_eq_nocase(head, span_of(bases[i]))) {
            continue;
        }
        /* "mysqld-8.0"; "mysqld_safe" and "mariadb-dump" are programs. */
        const bool version = group.len > n + 1 && group.ptr[n] == '-' && group.ptr[n + 1] >= '0' &&
                             group.ptr[n + 1] <= '9';
        if (group.len == n || (i < 3 && version)) {
            return true;
        }
    }
    return false;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* A directory that is there already moves to the end, so that its file is read once, and late. */
static void add_dir(struct arena *a, const char **dirs, size_t *n, const char *dir)
{
    const size_t len = strlen(dir);
    const char *text = dir[0] == '/' ? optfile_path(a, span_of(arena_printf(a, "%s/", dir)), NULL)
                       : len > 0 && dir[len - 1] != '/' ? arena_printf(a, "%s/", dir)
                                                        : dir;
    for (size_t i = 0; i < *n; i++) {
        if (strcmp(dirs[i], text) == 0) {
            memmove(&dirs[i], &dirs[i + 1], (*n - i - 1) * sizeof(*dirs));
            (*n)--;
            break;
        }
    }
    dirs[(*n)++] = text;
}

/* Generic binaries and distributors' packages of MySQL are built with a folder of their own;
 * MariaDB's packages with /etc alone or without one. */
static const char *build_dir(const struct server_options_input *in)
{
    if (in->mariadb || in->exe == NULL) {
        return NULL;
    }
    return strncmp(in->exe, "/usr/sbin/", 10) == 0 || strncmp(in->exe, "/usr/bin/", 9) == 0 ||
                   strncmp(in->exe, "/usr/libexec/", 13) == 0
               ? "/usr/etc/"
               : "/usr/local/mysql/etc/";
}

static size_t default_dirs(struct arena *a, const struct server_options_input *in,
                           const char *dirs[DIRS_MAX])
{
    const char *home = in->mariadb && in->mariadb_home != NULL ? in->mariadb_home : in->mysql_home;
    size_t n = 0;
    add_dir(a, dirs, &n, "/etc/");
    add_dir(a, dirs, &n, "/etc/mysql/");
    if (build_dir(in) != NULL) {
        add_dir(a, dirs, &n, build_dir(in));
    }
    if (home != NULL) {
        add_dir(a, dirs, &n, home);
    }
    add_dir(a, dirs, &n, ""); /* the place of --defaults-extra-file */
    add_dir(a, dirs, &n, "~/");
    return n;
}

/* In a home the name begins with a dot. */
static const char *file_in(struct arena *a, const struct server_options_input *in, const char *dir)
{
    const char *path = arena_printf(a, "%s%smy.cnf", dir, dir[0] == '~' ? "." : "");
    return optfile_path(a, span_of(path), in->home);
}

size_t server_default_files(struct arena *a, const struct server_options_input *in,
                            const struct server_defaults *d, struct server_file **ret)
{
    struct server_file *list = arena_calloc(a, DIRS_MAX, sizeof(*list));
    const char *dirs[DIRS_MAX];
    size_t n = 0;
    *ret = list;
    if (in->n_files > 0) {
        list = arena_calloc(a, in->n_files, sizeof(*list));
        for (size_t i = 0; i < in->n_files; i++) {
            list[n++] = (struct server_file){in->files[i], true, false};
        }
        *ret = list;
        return n;
    }
    if (d->none) {
        return 0;
    }
    if (d->has_file) {
        list[n++] = (struct server_file){optfile_path(a, d->file, in->home), true, false};
        return n;
    }
    const size_t n_dirs = default_dirs(a, in, dirs);
    const char *build = build_dir(in);
    for (size_t i = 0; i < n_dirs; i++) {
        if (dirs[i][0] != '\0') {
            const bool by_build = build != NULL && strcmp(dirs[i], build) == 0;
            list[n++] = (struct server_file){file_in(a, in, dirs[i]), false, by_build};
        } else if (d->has_extra) {
            list[n++] = (struct server_file){optfile_path(a, d->extra, in->home), true, false};
        }
    }
    return n;
}
