/* Option files with what they include. Knows files and directories by struct optfile_io only.
 *
 * A fatal line ends the file it stands in. In the first file that is the end of all (the server
 * does not start); in an included file the servers print the error and read on behind the
 * directive, so it is a warning here. */
#include "probes/optfile.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "advisor/base/banned.h"

#define WARNING_MAX 1024u

void optfile_init(struct optfile *o, struct arena *a)
{
    *o = (struct optfile){.arena = a};
}

/* Room for one more element of `size` bytes in the array; returns the array. */
static void *room(struct arena *a, void *array, size_t n, size_t *cap, size_t size)
{
    if (n < *cap) {
        return array;
    }
    size_t more = *cap == 0 ? 16 : *cap * 2;
    array = arena_grow(a, array, *cap * size, more * size);
    *cap = more;
    return array;
}

static void warn(struct optfile *o, const char *fmt, ...) ATTR_PRINTF(2, 3);

static void warn(struct optfile *o, const char *fmt, ...)
{
    char text[WARNING_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    o->warnings =
        room(o->arena, o->warnings, o->n_warnings, &o->cap_warnings, sizeof(*o->warnings));
    o->warnings[o->n_warnings++] = arena_strdup(o->arena, text);
}

static bool add_option(struct optfile *o, const struct optfile_option *option, struct err *reterr)
{
    if (o->n_options >= OPTFILE_OPTIONS_MAX) {
        return err_set(reterr, E_TOO_BIG, "'%s': more than %u options with what it includes",
                       option->file, OPTFILE_OPTIONS_MAX);
    }
    o->options = room(o->arena, o->options, o->n_options, &o->cap_options, sizeof(*o->options));
    o->options[o->n_options++] = *option;
    return true;
}

static bool add_file(struct optfile *o, const struct optfile_file *file, struct err *reterr)
{
    if (o->n_files >= OPTFILE_FILES_MAX) {
        return err_set(reterr, E_TOO_BIG, "'%s': more than %u option files in one tree", file->path,
                       OPTFILE_FILES_MAX);
    }
    o->files = room(o->arena, o->files, o->n_files, &o->cap_files, sizeof(*o->files));
    o->files[o->n_files++] = *file;
    return true;
}

static bool read_file(struct optfile *o, const struct optfile_io *io, const char *path,
                      unsigned depth, bool optional, struct err *reterr);

static void sort_names(struct span *names, size_t n)
{
    for (size_t gap = n / 2; gap > 0; gap /= 2) {
        for (size_t i = gap; i < n; i++) {
            struct span x = names[i];
            size_t k = i;
            for (; k >= gap && span_cmp(names[k - gap], x) > 0; k -= gap) {
                names[k] = names[k - gap];
            }
            names[k] = x;
        }
    }
}

/* Where we are in one file. */
struct place {
    const char *path;
    unsigned line, depth;
    struct span group;
    bool in_group;
};

/* ".conf", ".CNF": somebody meant it to be read. A ".cnf.bak" is out of the way on purpose. */
static bool looks_meant(struct span name)
{
    static const char *const endings[] = {".cnf", ".conf", ".ini"};
    for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
        const size_t n = strlen(endings[i]);
        if (name.len > n && span_eq_nocase(span_sub(name, name.len - n, n), span_of(endings[i]))) {
            return true;
        }
    }
    return false;
}

static bool take_name(struct optfile *o, const struct optfile_io *io, const char *dir,
                      struct span name, unsigned depth, struct err *reterr)
{
    const char *path = arena_printf(o->arena, "%s/%.*s", dir, SPAN_ARG(name));
    if (span_ends(name, ".cnf")) {
        return read_file(o, io, path, depth, true, reterr);
    }
    if (!looks_meant(name)) {
        return true;
    }
    const struct optfile_file file = {.path = path, .depth = depth, .state = OPTFILE_MISNAMED};
    warn(o, "'%s' is not read: only names that end in .cnf are", path);
    return add_file(o, &file, reterr);
}

/* The servers open the directory as it is written, and its files below what the text comes to. */
static bool read_dir(struct optfile *o, const struct optfile_io *io, const struct place *at,
                     const char *opened, const char *cleaned, struct err *reterr)
{
    struct host_names all;
    if (!io->list(io->ctx, opened, &all, reterr)) {
        return false;
    }
    const size_t len = strlen(cleaned);
    const char *dir = arena_strndup(o->arena, cleaned, cleaned[len - 1] == '/' ? len - 1 : len);
    o->dirs = room(o->arena, o->dirs, o->n_dirs, &o->cap_dirs, sizeof(*o->dirs));
    o->dirs[o->n_dirs++] = (struct optfile_dir){dir[0] != '\0' ? dir : "/", at->path, at->line};
    struct span *names = arena_calloc(o->arena, all.n, sizeof(*names));
    for (size_t i = 0; i < all.n; i++) {
        names[i] = all.names[i];
    }
    if (!io->in_order) {
        sort_names(names, all.n);
    }
    for (size_t i = 0; i < all.n; i++) {
        if (!take_name(o, io, dir, names[i], at->depth + 1, reterr)) {
            return false;
        }
    }
    return true;
}

static bool fatal(const struct place *at, struct err *reterr, const char *what)
{
    err_set(reterr, E_SYNTAX, "%s:%u: %s", at->path, at->line, what);
    return err_hint(reterr, "Correct or remove that line: no server that reads it would start.");
}

static bool follow(struct optfile *o, const struct optfile_io *io, const struct place *at,
                   const struct optfile_line *l, struct err *reterr)
{
    const char *path = optfile_path(o->arena, l->value, io->home);
    if (path[0] != '/') {
        warn(o, "%s:%u: '%s' is relative to where the program was started, which is not known",
             at->path, at->line, path);
    }
    if (l->kind == OPTFILE_INCLUDE) {
        return read_file(o, io, path, at->depth + 1, true, reterr);
    }
    const char *opened =
        path[0] == '/' && l->value.ptr[0] == '/' ? span_dup(o->arena, l->value) : path;
    if (read_dir(o, io, at, opened, path, reterr)) {
        return true;
    }
    if (reterr->code != E_TOO_BIG) {
        err_wrap(reterr, "%s:%u: !includedir", at->path, at->line);
    }
    return false;
}

/* A directive without its comment, but with a newline: the reader takes one off. */
static struct span without_comment(struct arena *a, struct span line)
{
    struct span s = line;
    while (s.len > 0 && optfile_is_blank(s.ptr[0])) {
        s = span_sub(s, 1, s.len);
    }
    const struct span cut = optfile_drop_comment(s);
    if (!span_starts(s, "!") || cut.len == s.len) {
        return line;
    }
    return span_of(arena_printf(a, "%.*s\n", SPAN_ARG(cut)));
}

static bool take_line(struct optfile *o, const struct optfile_io *io, struct place *at,
                      struct span line, struct err *reterr)
{
    if (io->directive_comments) {
        line = without_comment(o->arena, line);
    }
    struct optfile_line l = optfile_lex(o->arena, line);
    switch (l.kind) {
    case OPTFILE_EMPTY:
        return true;
    case OPTFILE_GROUP:
        at->group = l.name;
        at->in_group = true;
        return true;
    case OPTFILE_BAD_GROUP:
        return fatal(at, reterr, "a group without ']'");
    case OPTFILE_OPTION: {
        if (!at->in_group) {
            return fatal(at, reterr,
                         span_starts(l.name, "\xef\xbb\xbf")
                             ? "a byte order mark at the start of the file"
                             : "an option before the first group");
        }
        struct optfile_option option = {at->group,   l.name,   l.value,
                                        l.has_value, at->path, at->line};
        return add_option(o, &option, reterr);
    }
    case OPTFILE_INCLUDE:
    case OPTFILE_INCLUDEDIR:
    case OPTFILE_DIRECTIVE:
    case OPTFILE_BAD_INCLUDE:
        break;
    }
    if (at->depth >= OPTFILE_DEPTH_MAX) {
        warn(o, "%s:%u: not followed, %u levels of includes are the limit", at->path, at->line,
             OPTFILE_DEPTH_MAX);
        return true;
    }
    if (l.kind == OPTFILE_BAD_INCLUDE) {
        return fatal(at, reterr, "a directive without the path to include");
    }
    if (l.kind == OPTFILE_DIRECTIVE) {
        warn(o, "%s:%u: no such directive, the servers pass over it", at->path, at->line);
        return true;
    }
    if (!span_ends(line, "\n")) {
        warn(o, "%s:%u: without a newline behind it a directive loses its last byte", at->path,
             at->line);
    }
    return follow(o, io, at, &l, reterr);
}

/* Lines are counted by their newlines, where they begin. */
static bool take_whole_lines(struct optfile *o, const struct optfile_io *io, struct place *at,
                             struct span text, struct err *reterr)
{
    struct span before = text, line;
    size_t from = 0, next = 1;
    while (optfile_whole_line(o->arena, &text, &line, &from)) {
        at->line = (unsigned)next;
        for (size_t i = 0; i < from; i++) {
            next += before.ptr[i] == '\n';
        }
        before = text;
        if (!take_line(o, io, at, line, reterr)) {
            return false;
        }
    }
    return true;
}

static bool take_text(struct optfile *o, const struct optfile_io *io, const char *path,
                      unsigned depth, struct span text, struct err *reterr)
{
    struct place at = {.path = path, .depth = depth};
    struct span line;
    bool split, was_split = false;
    if (io->whole_lines) {
        return take_whole_lines(o, io, &at, text, reterr);
    }
    while (optfile_next_line(&text, &line, &split)) {
        at.line++;
        if (split && !was_split) {
            warn(o, "%s:%u: longer than %u bytes: the rest is read as a line of its own", path,
                 at.line, OPTFILE_LINE_MAX);
        }
        was_split = split;
        if (!take_line(o, io, &at, line, reterr)) {
            return false;
        }
    }
    return true;
}

static bool read_text(struct optfile *o, const struct optfile_io *io, struct optfile_file *file,
                      const struct optfile_text *text, struct err *reterr)
{
    struct err err = ERR_INIT;
    file->mode = text->mode;
    file->uid = text->uid;
    file->gid = text->gid;
    if (S_ISREG(text->mode) && (text->mode & S_IWOTH) != 0) {
        file->state = OPTFILE_WORLD_WRITABLE;
        warn(o, "'%s' is ignored, as the servers do: everybody may write it", file->path);
        return add_file(o, file, reterr);
    }
    const size_t index = o->n_files;
    if (!add_file(o, file, reterr)) {
        return false;
    }
    if (take_text(o, io, file->path, file->depth, text->bytes, &err)) {
        return true;
    }
    if (file->depth == 0 || err.code == E_TOO_BIG) {
        *reterr = err;
        return false;
    }
    o->files[index].state = OPTFILE_BROKEN;
    o->files[index].code = err.code;
    warn(o, "%s; the rest of that file is not read", err.text);
    return true;
}

static bool read_file(struct optfile *o, const struct optfile_io *io, const char *path,
                      unsigned depth, bool optional, struct err *reterr)
{
    struct optfile_file file = {.path = path, .depth = depth, .state = OPTFILE_READ};
    struct optfile_text text = {.mode = 0};
    struct err err = ERR_INIT;
    if (strlen(path) > OPTFILE_PATH_MAX) {
        warn(o, "'%.40s…' is passed over, as the servers do: the path is longer than %u bytes",
             path, OPTFILE_PATH_MAX);
        return true;
    }
    if (io->read(io->ctx, path, &text, &err)) {
        return read_text(o, io, &file, &text, reterr);
    }
    if (!optional || err.code == E_TOO_BIG) {
        *reterr = err;
        return false;
    }
    file.state = OPTFILE_UNREADABLE;
    file.code = err.code;
    if (err.code != E_ABSENT) {
        warn(o, "%s", err.text);
    }
    return add_file(o, &file, reterr);
}

bool optfile_read(struct optfile *o, const struct optfile_io *io, const char *path, bool optional,
                  struct err *reterr)
{
    return read_file(o, io, arena_strdup(o->arena, path), 0, optional, reterr);
}

bool optfile_read_text(struct optfile *o, const struct optfile_io *io, const char *path,
                       const struct optfile_text *text, struct err *reterr)
{
    struct optfile_file file = {.path = arena_strdup(o->arena, path), .state = OPTFILE_READ};
    return read_text(o, io, &file, text, reterr);
}

/* ---- lookup ---------------------------------------------------------------------------------- */

static char fold(char c)
{
    if (c == '-') {
        return '_';
    }
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool optfile_name_is(struct span name, const char *canonical)
{
    if (name.len != strlen(canonical)) {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        if (fold(name.ptr[i]) != fold(canonical[i])) {
            return false;
        }
    }
    return true;
}

const struct optfile_option *optfile_last(const struct optfile *o, const char *const *groups,
                                          size_t n_groups, const char *name)
{
    for (size_t i = o->n_options; i > 0; i--) {
        const struct optfile_option *option = &o->options[i - 1];
        if (!optfile_name_is(option->name, name)) {
            continue;
        }
        for (size_t g = 0; g < n_groups; g++) {
            if (span_eq_nocase(option->group, span_of(groups[g]))) {
                return option;
            }
        }
    }
    return NULL;
}
