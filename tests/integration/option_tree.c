/* For options.sh:
 *   option_tree make DIR SEED                       a made-up tree of option files in DIR, which is
 * there option_tree read mysql|mariadb VERSION WORD...  what such a server, started with these
 * words, would print for --print-defaults; exit code 1: it would not start Environment as the
 * server's would be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/parse.h"
#include "probes/login.h"
#include "probes/server_options.h"
#include "tests/unit/probes/tree_maker.h"

#include "advisor/base/banned.h"

static int make(const char *dir, const char *seed)
{
    uint64_t number = 0;
    struct tree w = {.arena = arena_new()};
    if (!parse_u64(span_of(seed), &number) || strlen(dir) >= sizeof(w.dir)) {
        return 2;
    }
    snprintf(w.dir, sizeof(w.dir), "%s", dir);
    /* Far from each other, and never 0. */
    w.seed = (uint32_t)(number * 2654435761u) | 1u;
    tree_make(&w);
    arena_free(w.arena);
    return 0;
}

static int read_tree(const char *flavour, const char *version, char *const *words, size_t n)
{
    ARENA_AUTO a = arena_new();
    struct span *args = arena_calloc(a, n + 1, sizeof(*args));
    struct server_options_input in = {.mariadb = strcmp(flavour, "mariadb") == 0,
                                      .args = args,
                                      .n_args = n + 1,
                                      .home = getenv("HOME"),
                                      .datadir = "/nonexistent",
                                      .mysql_home = getenv("MYSQL_HOME"),
                                      .mariadb_home = getenv("MARIADB_HOME"),
                                      .group_suffix = getenv("MYSQL_GROUP_SUFFIX"),
                                      .mariadb_group_suffix = getenv("MARIADB_GROUP_SUFFIX")};
    struct server_options o;
    args[0] = SPAN_LIT("server");
    for (size_t i = 0; i < n; i++) {
        args[i + 1] = span_of(words[i]);
    }
    if (!version_parse(span_of(version), &in.version)) {
        return 2;
    }
    const struct optfile_io io = login_io(a, in.home);
    server_options_read(&io, &in, a, &o);
    if (o.end != SERVER_OPTIONS_WHOLE) {
        fprintf(stderr, "%s\n", o.why.text);
        return o.end == SERVER_OPTIONS_FATAL ? 1 : 3;
    }
    for (size_t i = 0; i < o.n_lines; i++) {
        const struct optline *l = &o.lines[i];
        fputs("--", stdout);
        printf("%.*s%s", (int)l->name.len, l->name.ptr, l->has_value ? "=" : "");
        if (l->value.len > 0) {
            fwrite(l->value.ptr, 1, l->value.len, stdout);
        }
        fputc(' ', stdout);
    }
    fputc('\n', stdout);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "make") == 0) {
        return make(argv[2], argv[3]);
    }
    if (argc >= 4 && strcmp(argv[1], "read") == 0) {
        return read_tree(argv[2], argv[3], argv + 4, (size_t)argc - 4);
    }
    fprintf(stderr, "usage: option_tree make DIR SEED | read FLAVOUR VERSION WORD...\n");
    return 2;
}
