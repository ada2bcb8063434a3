/* Where the rule texts come from: compiled in, a directory (--rules), the site's rules.d. Knows nothing
 * of what is in them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "cmake/embedded.h"
#include "rules/ruleset.h"

#include "advisor/base/banned.h"

#define TEXT_MAX (1024u * 1024) /* as INI_MAX_BYTES */
#define FILES_MAX 1000

extern const struct embedded_file rule_files[];
extern const size_t rule_files_count;

/* Files below rules/ as nv_embed names them: "rules/io.ini", "catalogue/redo.ini", "settings.ini". */
static bool below(const char *name, const char *folder)
{
    size_t n = strlen(folder);
    return strncmp(name, folder, n) == 0 && name[n] == '/';
}

static struct rule_text text_of(const struct embedded_file *f)
{
    return (struct rule_text){.name = f->name, .bytes = {(const char *)f->bytes, f->len}, .sha256 = f->sha256};
}

const struct rule_texts *rule_texts_builtin(struct arena *a)
{
    struct rule_text *rules = arena_calloc(a, rule_files_count, sizeof(*rules));
    struct rule_text *catalogue = arena_calloc(a, rule_files_count, sizeof(*catalogue));
    struct rule_text *names = arena_calloc(a, rule_files_count, sizeof(*names));
    struct rule_texts *t = arena_calloc(a, 1, sizeof(*t));
    for (size_t i = 0; i < rule_files_count; i++) {
        const struct embedded_file *f = &rule_files[i];
        if (below(f->name, "rules"))
            rules[t->n_rules++] = text_of(f);
        else if (below(f->name, "catalogue/names"))
            names[t->n_names++] = text_of(f);
        else if (below(f->name, "catalogue"))
            catalogue[t->n_catalogue++] = text_of(f);
        else if (strcmp(f->name, "settings.ini") == 0)
            t->settings = text_of(f);
        else if (strcmp(f->name, "derived.ini") == 0)
            t->derived = text_of(f);
        else if (strcmp(f->name, "profiles.ini") == 0)
            t->profiles = text_of(f);
    }
    t->rules = rules;
    t->catalogue = catalogue;
    t->names = names;
    t->proven = true;
    return t;
}

/* ---- directories ---- */

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

/* The names of an open directory that end so, in byte order. Closes it. */
static bool list_folder(struct arena *a, DIR *dir, const char *path, const char *suffix,
                        const char ***ret, size_t *ret_n, struct err *reterr)
{
    const char **names = arena_calloc(a, FILES_MAX, sizeof(*names));
    size_t n = 0;
    const struct dirent *e;
    while ((e = readdir(dir)) != NULL) {
        struct span name = span_of(e->d_name);
        if (!span_ends(name, suffix) || span_starts(name, "."))
            continue;
        if (n == FILES_MAX) {
            (void)closedir(dir);
            return err_set(reterr, E_TOO_BIG, "'%s' holds more than %d files", path, FILES_MAX);
        }
        names[n++] = arena_strdup(a, e->d_name);
    }
    (void)closedir(dir);
    if (n > 0)
        qsort(names, n, sizeof(*names), by_name);
    *ret = names;
    *ret_n = n;
    return true;
}

/* A pipe in the folder would be waited for. */
static bool read_text_file(struct arena *a, const char *path, struct span *ret, struct err *reterr)
{
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return err_set(reterr, E_USAGE, "'%s' is no regular file", path);
    return file_read(a, path, TEXT_MAX, ret, reterr);
}

static bool read_folder(struct arena *a, const char *path, const char *suffix,
                        struct rule_text **ret, size_t *ret_n, struct err *reterr)
{
    DIR *dir = opendir(path);
    if (dir == NULL)
        return err_set_errno(reterr, errno, "cannot open '%s'", path);
    const char **names;
    size_t n;
    if (!list_folder(a, dir, path, suffix, &names, &n, reterr))
        return false;
    struct rule_text *texts = arena_calloc(a, n, sizeof(*texts));
    for (size_t i = 0; i < n; i++) {
        texts[i].name = arena_printf(a, "%s/%s", path, names[i]);
        if (!read_text_file(a, texts[i].name, &texts[i].bytes, reterr))
            return false;
    }
    *ret = texts;
    *ret_n = n;
    return true;
}

bool rule_texts_read_dir(struct arena *a, const char *dir, struct rule_texts *ret,
                         struct err *reterr)
{
    struct rule_texts t = {0};
    struct rule_text *rules, *catalogue, *names;
    if (!read_folder(a, arena_printf(a, "%s/rules", dir), ".ini", &rules, &t.n_rules, reterr) ||
        !read_folder(a, arena_printf(a, "%s/catalogue", dir), ".ini", &catalogue, &t.n_catalogue,
                     reterr) ||
        !read_folder(a, arena_printf(a, "%s/catalogue/names", dir), ".txt", &names, &t.n_names,
                     reterr))
        return err_hint(reterr, "The directory is laid out as rules/ of the sources: rules/*.ini, "
                        "catalogue/*.ini, catalogue/names/*.txt, settings.ini, derived.ini, and "
                        "perhaps profiles.ini.");
    t.rules = rules;
    t.catalogue = catalogue;
    t.names = names;
    t.settings.name = arena_printf(a, "%s/settings.ini", dir);
    t.derived.name = arena_printf(a, "%s/derived.ini", dir);
    t.profiles.name = arena_printf(a, "%s/profiles.ini", dir);
    if (!read_text_file(a, t.settings.name, &t.settings.bytes, reterr) ||
        !read_text_file(a, t.derived.name, &t.derived.bytes, reterr))
        return false;
    struct err none = ERR_INIT;
    if (!read_text_file(a, t.profiles.name, &t.profiles.bytes, &none) && none.code != E_ABSENT) {
        *reterr = none;
        return false;
    }
    *ret = t;
    return true;
}

/* ---- rules.d ---- */

bool rule_texts_add_site(struct arena *a, const char *dir, struct rule_texts *texts,
                         struct err *reterr)
{
    FD_AUTO fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return true;
    if (fd < 0)
        return err_set_errno(reterr, errno, "cannot open '%s'", dir);
    if (!file_is_roots(fd, dir, reterr))
        return false;
    int list_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    DIR *list = list_fd >= 0 ? fdopendir(list_fd) : NULL;
    if (list == NULL) {
        if (list_fd >= 0)
            (void)close(list_fd);
        return err_set_errno(reterr, errno, "cannot list '%s'", dir);
    }
    const char **names;
    size_t n;
    if (!list_folder(a, list, dir, ".ini", &names, &n, reterr))
        return false;
    struct rule_text *all = arena_calloc(a, texts->n_rules + n, sizeof(*all));
    if (texts->n_rules > 0)
        memcpy(all, texts->rules, texts->n_rules * sizeof(*all));
    for (size_t i = 0; i < n; i++) {
        struct rule_text *t = &all[texts->n_rules + i];
        t->name = arena_printf(a, "%s/%s", dir, names[i]);
        if (!file_read_roots(a, t->name, TEXT_MAX, &t->bytes, reterr))
            return false;
    }
    texts->rules = all;
    texts->n_rules += n;
    texts->proven = texts->proven && n == 0;
    return true;
}
