/* Our reader of option files against the servers' own, my_print_defaults: on the example cases and
 * on made-up files with every kind of odd line. Skipped where that program is not installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "advisor/base/json.h"
#include "probes/login.h"

#include "advisor/base/banned.h"

#define PROGRAM "/usr/bin/my_print_defaults"
#define GENERATED 400

static const char *const default_groups[] = {"mysqld", "client", "x y"};

/* What my_print_defaults would print. */
static struct span expected_output(struct arena *a, const struct optfile *o,
                                   const char *const *groups, size_t n_groups)
{
    struct buf b;
    buf_init(&b, a, 16 << 20);
    for (size_t i = 0; i < o->n_options; i++) {
        const struct optfile_option *option = &o->options[i];
        bool wanted = false;
        for (size_t g = 0; g < n_groups; g++) {
            wanted = wanted || span_eq_nocase(option->group, span_of(groups[g]));
        }
        if (!wanted) {
            continue;
        }
        buf_add_text(&b, "--");
        buf_add_span(&b, option->name);
        if (option->has_value) {
            buf_add_char(&b, '=');
            buf_add_span(&b, option->value);
        }
        buf_add_char(&b, '\n');
    }
    return buf_span(&b);
}

/* Run the program; its standard output and exit status. */
static struct span run_program(struct arena *a, const char *file, const char *const *groups,
                               size_t n_groups, int *ret_status)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        char *argv[16] = {arena_strdup(a, PROGRAM), arena_printf(a, "--defaults-file=%s", file)};
        for (size_t i = 0; i < n_groups && i < 13; i++) {
            argv[2 + i] = arena_strdup(a, groups[i]);
        }
        dup2(fds[1], 1);
        if (freopen("/dev/null", "w", stderr) == NULL) {
            _exit(126);
        }
        close(fds[0]);
        close(fds[1]);
        execv(PROGRAM, argv);
        _exit(127);
    }
    close(fds[1]);
    struct buf b;
    buf_init(&b, a, 16 << 20);
    char chunk[4096];
    ssize_t n = 0;
    while ((n = read(fds[0], chunk, sizeof(chunk))) > 0 || (n < 0 && errno == EINTR)) {
        buf_add(&b, chunk, n > 0 ? (size_t)n : 0);
    }
    close(fds[0]);
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    *ret_status = WEXITSTATUS(status);
    return buf_span(&b);
}

static void compare(const char *file, const char *const *groups, size_t n_groups)
{
    ARENA_AUTO a = arena_new();
    struct optfile_io io = login_io(a, NULL);
    struct optfile o;
    struct err err = ERR_INIT;
    optfile_init(&o, a);
    bool ok = optfile_read(&o, &io, file, false, &err);
    int status = 0;
    struct span theirs = run_program(a, file, groups, n_groups, &status);
    if (ok != (status == 0)) {
        fail_msg("%s: theirs ends %d, ours '%s'", file, status, ok ? "" : err.text);
    }
    struct span ours = expected_output(a, &o, groups, n_groups);
    struct span left = ours, right = theirs, our_line = {"", 0}, their_line = {"", 0};
    while (ok && span_eq(our_line, their_line) && (left.len > 0 || right.len > 0)) {
        our_line = their_line = (struct span){"", 0};
        (void)span_split(&left, '\n', &our_line);
        (void)span_split(&right, '\n', &their_line);
    }
    if (ok && !span_eq(our_line, their_line)) {
        size_t at = 0;
        while (at < our_line.len && at < their_line.len && our_line.ptr[at] == their_line.ptr[at]) {
            at++;
        }
        at = at > 40 ? at - 40 : 0;
        struct buf shown;
        buf_init(&shown, a, 1024);
        buf_add_escaped(&shown, span_sub(our_line, at, 80));
        buf_add_text(&shown, "' theirs '");
        buf_add_escaped(&shown, span_sub(their_line, at, 80));
        fail_msg("%s: ours '%s'", file, shown.ptr);
    }
    assert_true(!ok || span_eq(ours, theirs));
}

/* ---- the example cases ----------------------------------------------------------------------- */

static void compare_case(const char *name)
{
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    const char *base = NV_SOURCE_DIR "/tests/cases/optfile";
    struct span text;
    struct json *doc;
    if (!file_read(a, arena_printf(a, "%s/%s.expect.json", base, name), 1 << 20, &text, &err) ||
        !json_read(a, name, text, &doc, &err)) {
        fail_msg("%s", err.text);
    }
    const struct json *groups = json_get(doc, "groups_read");
    const struct json *options = json_get(doc, "options_in_order");
    assert_non_null(groups);
    assert_non_null(options);
    const char **names = arena_calloc(a, groups->n, sizeof(*names));
    for (size_t i = 0; i < groups->n; i++) {
        names[i] = span_dup(a, groups->items[i]->string);
    }
    const char *file = arena_printf(a, "%s/%s/my.cnf", base, name);
    compare(file, names, groups->n);

    struct optfile_io io = login_io(a, NULL);
    struct optfile o;
    optfile_init(&o, a);
    assert_true(optfile_read(&o, &io, file, false, &err));
    struct buf want;
    buf_init(&want, a, 1 << 20);
    for (size_t i = 0; i < options->n; i++) {
        buf_add_span(&want, options->items[i]->string);
        buf_add_char(&want, '\n');
    }
    assert_true(span_eq(buf_span(&want), expected_output(a, &o, names, groups->n)));
}

static void test_cases(void **state)
{
    (void)state;
    DIR *dir = opendir(NV_SOURCE_DIR "/tests/cases/optfile");
    assert_non_null(dir);
    unsigned n = 0;
    const struct dirent *e;
    while ((e = readdir(dir)) != NULL) {
        if (e->d_name[0] != '.' && strchr(e->d_name, '.') == NULL) {
            compare_case(e->d_name);
            n++;
        }
    }
    closedir(dir);
    assert_true(n >= 7);
}

/* ---- made-up files --------------------------------------------------------------------------- */

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

/* Pieces of lines; a line begins with a letter, '[', '!', '#', ';' or a blank before these, since
 * an empty option name makes the servers' reader run backwards out of the line. */
static const char *const starts[] = {
    "a",        "port",      "in-no_DB", "a",         "b",     " c",    "\td",    "[mysqld]",
    "[client]", "[ mysqld]", "[x y ]",   "[other] z", "#",     ";",     " # a=b", "",
    "\r",       "skip-x",    "!foo x",   "e\xc3\xa0", "n\xa0", "\x80=",
};
static const char *const pieces[] = {
    "=",    "=",    " = ", "#", ";",   "\"",  "'",  "\\",  "\\n",  "\\s",
    "\\\\", "\\\"", "\\x", " ", "\t",  "x",   "yz", "12M", "\xa0", "\xc3\xa9",
    "\v",   "]",    "[",   "!", "=\"", "\" ", "='", "' ",  "\r",   "\\'",
};

static struct span make_text(struct arena *a, uint32_t *seed, const char *dir, bool fatal_ok)
{
    struct buf b;
    buf_init(&b, a, 1 << 20);
    if (!fatal_ok || next_random(seed) % 20 != 0) {
        buf_add_text(&b, "[mysqld]\n");
    }
    unsigned lines = next_random(seed) % 30;
    for (unsigned i = 0; i < lines; i++) {
        uint32_t kind = next_random(seed) % 40;
        if (kind == 0) {
            buf_printf(&b, "!include %s/%c.inc", dir, 'a' + (char)(next_random(seed) % 4));
        } else if (kind == 1) {
            buf_printf(&b, "!includedir %s", dir);
        } else if (kind == 2 && fatal_ok && next_random(seed) % 8 == 0) {
            buf_add_text(&b, next_random(seed) % 2 == 0 ? "[open" : "!include ");
        } else if (kind == 3 && next_random(seed) % 8 == 0) {
            buf_printf(&b, "long=%0*d", 4070 + (int)(next_random(seed) % 60), 7);
        } else {
            const char *start = starts[next_random(seed) % ARRAY_LEN(starts)];
            buf_add_text(&b, start);
            bool blank = span_trim(span_of(start)).len == 0;
            for (uint32_t n = blank ? 0 : next_random(seed) % 7; n > 0; n--) {
                buf_add_text(&b, pieces[next_random(seed) % ARRAY_LEN(pieces)]);
            }
            if (next_random(seed) % 50 == 0) {
                buf_add(&b, "\0q", 2);
            }
        }
        if (i + 1 < lines || next_random(seed) % 4 != 0) {
            buf_add_text(&b, next_random(seed) % 6 == 0 ? "\r\n" : "\n");
        }
    }
    return buf_span(&b);
}

static void put(const char *path, struct span text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text.ptr, 1, text.len, f), text.len);
    assert_int_equal(fclose(f), 0);
}

static void test_generated(void **state)
{
    (void)state;
    static const char *const names[] = {
        "main", "a.inc", "b.inc", "d/10-a.cnf", "d/9-b.cnf", "d/B.cnf", "d/.h.cnf", "d/x.conf",
    };
    char dir[] = "/tmp/nv-optfile-XXXXXX";
    assert_non_null(mkdtemp(dir));
    ARENA_AUTO all = arena_new();
    const char *sub = arena_printf(all, "%s/d", dir);
    assert_int_equal(mkdir(sub, 0755), 0);
    uint32_t seed = 2463534242u;
    for (unsigned round = 0; round < GENERATED; round++) {
        ARENA_AUTO a = arena_new();
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
            /* What is included may include nothing that leads back: our limit on the number of
             * files is not theirs. */
            const char *inner = i == 0 ? sub : "/nonexistent-nv";
            struct span text = make_text(a, &seed, inner, true);
            put(arena_printf(a, "%s/%s", dir, names[i]), text);
        }
        if (round % 3 == 0) {
            assert_int_equal(chmod(arena_printf(a, "%s/d/B.cnf", dir), 0666), 0);
        }
        compare(arena_printf(a, "%s/main", dir), default_groups, ARRAY_LEN(default_groups));
        assert_int_equal(chmod(arena_printf(a, "%s/d/B.cnf", dir), 0644), 0);
    }
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        unlink(arena_printf(all, "%s/%s", dir, names[i]));
    }
    rmdir(sub);
    rmdir(dir);
}

int main(void)
{
    if (access(PROGRAM, X_OK) != 0) {
        printf("skipped: no %s (package mariadb-client-core)\n", PROGRAM);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_generated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
