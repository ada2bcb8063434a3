/* 1,000 made-up trees of option files, read by us and by the servers' own reader (my_print_defaults
 * --mysqld): groups of all kinds and suffixes, includes and directories, environment, odd lines,
 * odd files; the text as it is, and as it comes through the seam's filter. Skipped where MariaDB's
 * programs are not installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/host/optfile_filter.h"
#include "probes/login.h"
#include "probes/server_options.h"
#include "tests/unit/probes/tree_maker.h"

#include "advisor/base/banned.h"

#define READER "/usr/bin/my_print_defaults"
#define SERVER "/usr/sbin/mariadbd"
#define TREES 1000u

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* How the server is started: the words behind its name, and its environment. */
struct start {
    const char *args[4];
    size_t n_args;
    const char *home, *mysql_home, *mariadb_home, *suffix, *mariadb_suffix;
};

static struct start make_start(struct tree *w)
{
    struct start s = {.home = tree_path(w, "home")};
    const bool file = tree_pick(w, 3) != 0;
    if (file) {
        s.args[s.n_args++] = arena_printf(w->arena, "--defaults-file=%s", tree_path(w, "main"));
    }
    if (!file || tree_pick(w, 4) == 0) {
        s.args[s.n_args++] =
            arena_printf(w->arena, "--defaults-extra-file=%s", tree_path(w, "extra"));
    }
    if (tree_pick(w, 4) == 0) {
        s.args[s.n_args++] = "--defaults-group-suffix=_x";
    }
    s.suffix = tree_pick(w, 5) == 0 ? "_y" : NULL;
    s.mariadb_suffix = tree_pick(w, 8) == 0 ? "_x" : NULL;
    s.mysql_home = tree_pick(w, 3) == 0 ? tree_path(w, "mysql") : NULL;
    s.mariadb_home = tree_pick(w, 8) == 0 ? tree_path(w, "mysql/") : NULL;
    return s;
}

static void set_variable(const char *name, const char *value)
{
    if (value == NULL) {
        (void)unsetenv(name);
    } else {
        (void)setenv(name, value, 1);
    }
}

static void become_reader(struct tree *w, const struct start *s)
{
    char *argv[8] = {arena_strdup(w->arena, READER)};
    size_t n = 1;
    for (size_t i = 0; i < s->n_args; i++) {
        argv[n++] = arena_strdup(w->arena, s->args[i]);
    }
    argv[n++] = arena_strdup(w->arena, "--mysqld");
    set_variable("HOME", s->home);
    set_variable("MYSQL_HOME", s->mysql_home);
    set_variable("MARIADB_HOME", s->mariadb_home);
    set_variable("MYSQL_GROUP_SUFFIX", s->suffix);
    set_variable("MARIADB_GROUP_SUFFIX", s->mariadb_suffix);
    execv(READER, argv);
}

/* Standard output and exit status of what `fn` turns a child into. */
static struct span run(struct tree *w, const struct start *s, int *ret_status)
{
    int fds[2];
    char chunk[4096];
    struct buf b;
    ssize_t n = 0;
    int status = 0;
    buf_init(&b, w->arena, 16 << 20);
    assert_int_equal(pipe(fds), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(fds[1], 1);
        close(fds[0]);
        close(fds[1]);
        if (freopen("/dev/null", "w", stderr) != NULL) {
            if (s != NULL) {
                become_reader(w, s);
            } else {
                execl(SERVER, SERVER, "--no-defaults", "--version", (char *)NULL);
            }
        }
        _exit(127);
    }
    close(fds[1]);
    while ((n = read(fds[0], chunk, sizeof(chunk))) > 0 || (n < 0 && errno == EINTR)) {
        buf_add(&b, chunk, n > 0 ? (size_t)n : 0);
    }
    close(fds[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    *ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return buf_span(&b);
}

static bool read_blanked(void *ctx, const char *path, struct optfile_text *ret, struct err *reterr)
{
    const struct optfile_io *io = ctx;
    struct buf b;
    if (!io->read(io->ctx, path, ret, reterr)) {
        return false;
    }
    buf_init(&b, io->ctx, ret->bytes.len * 2 + 8);
    optfile_blank_secrets(&b, ret->bytes, false);
    ret->bytes = buf_span(&b);
    return true;
}

static bool list_inner(void *ctx, const char *path, struct host_names *ret, struct err *reterr)
{
    const struct optfile_io *io = ctx;
    return io->list(io->ctx, path, ret, reterr);
}

static void read_ours(struct tree *w, const struct start *s, const struct optfile_io *io,
                      const struct version *version, struct server_options *ret)
{
    struct span *args = arena_calloc(w->arena, s->n_args + 1, sizeof(*args));
    args[0] = SPAN_LIT("mariadbd");
    for (size_t i = 0; i < s->n_args; i++) {
        args[i + 1] = span_of(s->args[i]);
    }
    const struct server_options_input in = {.mariadb = true,
                                            .version = *version,
                                            .args = args,
                                            .n_args = s->n_args + 1,
                                            .home = s->home,
                                            .mysql_home = s->mysql_home,
                                            .mariadb_home = s->mariadb_home,
                                            .group_suffix = s->suffix,
                                            .mariadb_group_suffix = s->mariadb_suffix};
    server_options_read(io, &in, w->arena, ret);
}

static void check_ours(const struct tree *w, const struct server_options *o, struct span theirs,
                       int status)
{
    struct buf ours;
    buf_init(&ours, w->arena, 16 << 20);
    for (size_t i = 0; i < o->n_lines; i++) {
        buf_add_text(&ours, "--");
        buf_add_span(&ours, o->lines[i].name);
        buf_add_text(&ours, o->lines[i].has_value ? "=" : "");
        buf_add_span(&ours, o->lines[i].value);
        buf_add_char(&ours, '\n');
    }
    if (o->end == SERVER_OPTIONS_PART || (o->end == SERVER_OPTIONS_FATAL) != (status != 0)) {
        fail_msg("%s: theirs ends %d, ours %d '%s'", w->dir, status, (int)o->end, o->why.text);
    }
    if (status == 0 && !span_eq(buf_span(&ours), theirs)) {
        fail_msg("%s:\n%.*s\ninstead of\n%.*s", w->dir, SPAN_ARG(buf_span(&ours)),
                 SPAN_ARG(theirs));
    }
}

/* The tail of a comment that is too long is an option to the servers; the filter keeps it to
 * itself. */
static bool is_hidden(const struct optline *l)
{
    for (size_t i = 0; i < l->name.len; i++) {
        if (l->name.ptr[i] != 'x') {
            return false;
        }
    }
    return !l->has_value && l->name.len > 0;
}

/* What comes through the filter is what is there: these trees hold no secret. */
static void check_blanked(const struct tree *w, const struct server_options *plain,
                          const struct server_options *blanked)
{
    assert_int_equal(plain->end, blanked->end);
    assert_int_equal(plain->n_lines, blanked->n_lines);
    for (size_t i = 0; i < plain->n_lines; i++) {
        const struct optline *p = &plain->lines[i], *b = &blanked->lines[i];
        const bool same = span_eq(p->name, b->name) && span_eq(p->value, b->value) &&
                          p->has_value == b->has_value;
        if ((!same && !is_hidden(b)) || p->line != b->line || !span_eq(p->file, b->file)) {
            fail_msg("%s: %.*s:%u '%.*s' became '%.*s'", w->dir, SPAN_ARG(p->file), p->line,
                     SPAN_ARG(p->name), SPAN_ARG(b->name));
        }
    }
}

static void test_trees(void **state)
{
    (void)state;
    struct tree w = {.seed = 88172645u};
    struct version server;
    unsigned fatal = 0;
    size_t bytes = 0;
    int status = 0;
    const bool in_memory = access("/dev/shm", W_OK) == 0; /* 30,000 small files */
    w.arena = arena_new();
    struct span version = run(&w, NULL, &status), piece = {"", 0};
    while (version.len > 0 && !span_eq_text(piece, "Ver")) {
        assert_true(span_word(&version, &piece));
    }
    assert_true(span_word(&version, &piece) && version_parse(piece, &server));
    for (unsigned i = 0; i < TREES; i++) {
        arena_free(w.arena);
        w.arena = arena_new();
        snprintf(w.dir, sizeof(w.dir), "%s/nv-trees-XXXXXX", in_memory ? "/dev/shm" : "/tmp");
        assert_non_null(mkdtemp(w.dir));
        tree_make(&w);
        const struct start s = make_start(&w);
        const struct span theirs = run(&w, &s, &status);
        struct optfile_io io = login_io(w.arena, s.home);
        const struct optfile_io filtered = {&io, s.home, read_blanked, list_inner,
                                            false, false, false};
        struct server_options plain, blanked;
        read_ours(&w, &s, &io, &server, &plain);
        read_ours(&w, &s, &filtered, &server, &blanked);
        check_ours(&w, &plain, theirs, status);
        check_blanked(&w, &plain, &blanked);
        fatal += status != 0;
        bytes += status == 0 ? theirs.len : 0;
        assert_int_equal(nftw(w.dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
    }
    arena_free(w.arena);
    /* Trees that are all empty, or all broken, would test nothing. */
    assert_true(fatal > TREES / 50 && fatal < TREES / 2);
    assert_true(bytes / TREES > 100);
}

int main(void)
{
    if (access(READER, X_OK) != 0 || access(SERVER, X_OK) != 0) {
        printf("skipped: no %s or %s\n", READER, SERVER);
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
