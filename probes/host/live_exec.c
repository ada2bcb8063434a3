/* External commands: a fixed list with fixed arguments, by path, without a shell. The deadline is
 * the parent's, which kills the whole process group. Knows nothing of what they print. */
#include "probes/host/live.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "probes/host/dm_filter.h"
#include "probes/host/zfs_filter.h"

#include "advisor/base/banned.h"

#define ARGS_MAX 8
#define ARG_BYTES_MAX 255
#define WORDS_MAX 32u /* in place of "*" */

struct command {
    const char *id;
    const char *tool;
    const char *args[ARGS_MAX]; /* behind the tool's name; "" stands for the argument, "*" for one or several */
};

static const struct command commands[] = {
    {"zpool-list", "zpool", {"list", "-v", "-P", "-H", "-p", ""}},
    {"zpool-status", "zpool", {"status", "-P", "-L", ""}},
    {"zpool-status-t", "zpool", {"status", "-P", "-L", "-t", ""}},
    {"zpool-ashift", "zpool", {"get", "-H", "-p", "ashift", "", "all-vdevs"}},
    {"zpool-get", "zpool", {"get", "-H", "-p", "all", ""}},
    {"zfs-get", "zfs", {"get", "-H", "-p", "all", "*"}},
    /* all mappings, named as the kernel has them; a suspended one does not hold it up */
    {"dmsetup-table", "dmsetup", {"table", "--noudevsync", "--manglename", "none"}},
    {"dmsetup-status", "dmsetup", {"status", "--noflush", "--noudevsync", "--manglename", "none"}},
};

static const char *const folders[] = {"/usr/sbin", "/sbin", "/usr/bin"};

static char path_env[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
static char locale_env[] = "LC_ALL=C";
static char zone_env[] = "TZ=UTC0"; /* zpool status prints local times, without their zone */

/* Names of pools, datasets and mappings; never one that reads like an option. */
static bool arg_is_harmless(struct span arg)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "_.:/+#=@-";
    if (arg.len == 0 || arg.len > ARG_BYTES_MAX || arg.ptr[0] == '-') {
        return false;
    }
    for (size_t i = 0; i < arg.len; i++) {
        if (arg.ptr[i] == '\0' || strchr(allowed, arg.ptr[i]) == NULL) {
            return false;
        }
    }
    return true;
}

static bool has_arg(const struct command *cmd, const char *placeholder)
{
    for (size_t i = 0; i < ARGS_MAX && cmd->args[i] != NULL; i++) {
        if (strcmp(cmd->args[i], placeholder) == 0) {
            return true;
        }
    }
    return false;
}

/* One, or with `several` more, a blank between each. */
static bool args_are_harmless(struct span args, bool several)
{
    struct span arg;
    size_t n = 0;
    if (!several) {
        return arg_is_harmless(args);
    }
    while (span_split(&args, ' ', &arg)) {
        if (!arg_is_harmless(arg) || ++n > WORDS_MAX) {
            return false;
        }
    }
    return n > 0;
}

/* `rest` is what stands behind the command's name in `key`. */
static bool is_allowed(const struct command *cmd, const char *key, struct span rest)
{
    const bool several = has_arg(cmd, "*");
    return several || has_arg(cmd, "") ? args_are_harmless(rest, several)
                                       : span_eq_text(span_of(key), cmd->id);
}

/* The program's arguments, ended by NULL. */
static char **make_argv(struct arena *a, const struct command *cmd, const char *path,
                        struct span rest)
{
    char **const argv = arena_calloc(a, ARGS_MAX + WORDS_MAX + 2, sizeof(*argv));
    size_t n = 0;
    argv[n++] = arena_strdup(a, path);
    for (size_t i = 0; i < ARGS_MAX && cmd->args[i] != NULL; i++) {
        struct span words = rest, word;
        if (strcmp(cmd->args[i], "*") == 0) {
            while (span_split(&words, ' ', &word)) {
                argv[n++] = span_dup(a, word);
            }
        } else {
            argv[n++] = cmd->args[i][0] == '\0' ? span_dup(a, rest) : arena_strdup(a, cmd->args[i]);
        }
    }
    return argv;
}

static const char *find_tool(struct arena *a, const char *tool)
{
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        const char *const path = arena_printf(a, "%s/%s", folders[i], tool);
        if (access(path, X_OK) == 0) {
            return path;
        }
    }
    return NULL;
}

static bool start(const char *path, char *const *argv, int out, pid_t *ret, struct err *reterr)
{
    char *const env[] = {path_env, locale_env, zone_env, NULL};
    posix_spawn_file_actions_t actions;
    int e = posix_spawn_file_actions_init(&actions);
    if (e != 0) {
        return live_fail(reterr, e, "run", path);
    }
    e = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    e = e != 0 ? e : posix_spawn_file_actions_adddup2(&actions, out, 1);
    e = e != 0 ? e : posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    e = e != 0 ? e : posix_spawn(ret, path, &actions, NULL, argv, env);
    posix_spawn_file_actions_destroy(&actions);
    return e == 0 || live_fail(reterr, e, "run", path);
}

static bool read_output(struct buf *b, int fd, const char *path, struct err *reterr)
{
    char chunk[4096];
    for (;;) {
        const ssize_t n = read(fd, chunk, sizeof(chunk));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return live_fail(reterr, errno, "read the output of", path);
        }
        if (n == 0) {
            return true;
        }
        buf_add(b, chunk, (size_t)n);
        if (b->full) {
            return err_set(reterr, E_TOO_BIG, "'%s' printed more than %zu bytes", path, b->max);
        }
    }
}

static bool await(pid_t pid, const char *path, struct err *reterr)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return live_fail(reterr, errno, "wait for", path);
        }
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return true;
    }
    if (WIFEXITED(status)) {
        return err_set(reterr, E_IO, "'%s' ended with status %d", path, WEXITSTATUS(status));
    }
    return err_set(reterr, E_CRASHED, "'%s' was ended by signal %d", path,
                   WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static bool run(struct arena *a, const char *path, char *const *argv, size_t max, struct span *ret,
                struct err *reterr)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return live_fail(reterr, errno, "run", path);
    }
    FD_AUTO in = ends[0];
    FD_AUTO out = ends[1];
    pid_t pid = 0;
    if (!start(path, argv, out, &pid, reterr)) {
        return false;
    }
    close(out);
    out = -1;
    struct buf b;
    buf_init(&b, a, max);
    if (!read_output(&b, in, path, reterr)) {
        struct err ignored = ERR_INIT;
        kill(pid, SIGKILL);
        return await(pid, path, &ignored) && false;
    }
    if (!await(pid, path, reterr)) {
        return false;
    }
    *ret = buf_span(&b);
    return true;
}

bool live_exec(struct live *l, const char *key, size_t max, struct span *ret, struct err *reterr)
{
    struct span arg = span_of(key), id;
    if (!span_split(&arg, ' ', &id)) {
        return err_set(reterr, E_USAGE, "no command");
    }
    const struct command *cmd = NULL;
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        if (span_eq_text(id, commands[i].id)) {
            cmd = &commands[i];
        }
    }
    if (cmd == NULL || !is_allowed(cmd, key, arg)) {
        return err_set(reterr, E_USAGE, "no such command is ever run: '%s'", key);
    }
    const char *const path = find_tool(l->arena, cmd->tool);
    if (path == NULL) {
        err_set(reterr, E_ABSENT, "no program '%s' on this host", cmd->tool);
        return err_hint(reterr, "Install the package that holds '%s'.", cmd->tool);
    }
    char *const *const argv = make_argv(l->arena, cmd, path, arg);
    if (!run(l->arena, path, argv, max, ret, reterr)) {
        return false;
    }
    if (span_eq_text(id, "zfs-get") || span_eq_text(id, "zpool-get")) {
        *ret = zfs_filter(l->arena, *ret, arg);
    } else if (span_starts(id, "dmsetup-")) {
        *ret = dm_filter(l->arena, *ret);
    }
    return true;
}
