/* See marker.h. */
#include "advisor/scratch/marker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "advisor/base/json.h"
#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define SCHEMA "nvadvise.scratch/1"
#define TEXT_MAX 65536
#define CMDLINE_MAX (1024 * 1024)
#define STAT_START                                                                                 \
    20 /* words behind the name in /proc/PID/stat: the start time is the 22nd of all */
#define ENDING_MS 10000

/* ---- the process ----------------------------------------------------------------------------- */

static bool proc_text(struct arena *a, pid_t pid, const char *name, size_t max, struct span *ret)
{
    struct err err = ERR_INIT;
    return file_read(a, arena_printf(a, "/proc/%d/%s", (int)pid, name), max, ret, &err);
}

static bool start_time(struct arena *a, pid_t pid, uint64_t *ret)
{
    struct span text, word = {"", 0};
    if (!proc_text(a, pid, "stat", TEXT_MAX, &text)) {
        return false;
    }
    /* The name may hold anything, also ')'. */
    size_t at = text.len;
    while (at > 0 && text.ptr[at - 1] != ')') {
        at--;
    }
    struct span rest = span_sub(text, at, text.len);
    for (unsigned i = 0; i < STAT_START; i++) {
        if (!span_word(&rest, &word)) {
            return false;
        }
        if (i == 0 && (span_eq_text(word, "Z") || span_eq_text(word, "X"))) {
            return false; /* it has ended */
        }
    }
    return at > 0 && parse_u64(word, ret);
}

static const char *exe_of(struct arena *a, pid_t pid)
{
    char text[4096];
    const ssize_t n = readlink(arena_printf(a, "/proc/%d/exe", (int)pid), text, sizeof(text));
    struct span s = {text, n > 0 && n < (ssize_t)sizeof(text) ? (size_t)n : 0};
    if (span_ends(s, " (deleted)")) {
        s.len -= strlen(" (deleted)");
    }
    return span_dup(a, s);
}

static const char *boot_id(struct arena *a)
{
    struct span s = {"", 0};
    struct err err = ERR_INIT;
    if (!file_read(a, "/proc/sys/kernel/random/boot_id", 256, &s, &err)) {
        return "";
    }
    return span_dup(a, span_trim(s));
}

static bool has_argument(struct arena *a, pid_t pid, const char *pid_file)
{
    struct span rest, word;
    if (!proc_text(a, pid, "cmdline", CMDLINE_MAX, &rest)) {
        return false;
    }
    while (span_split(&rest, '\0', &word)) {
        if (span_ends(word, pid_file)) {
            return true;
        }
    }
    return false;
}

bool marker_of(struct arena *a, pid_t pid, const char *cgroup, struct marker *ret,
               struct err *reterr)
{
    struct marker m = {.pid = pid, .cgroup = cgroup, .boot = boot_id(a), .exe = exe_of(a, pid)};
    if (pid == 0) {
        m.exe = "";
    } else if (!start_time(a, pid, &m.start)) {
        return err_set(reterr, E_ABSENT, "there is no process %d", (int)pid);
    }
    *ret = m;
    return true;
}

bool marker_is_of_this_boot(struct arena *a, const struct marker *m)
{
    return m->boot[0] != '\0' && strcmp(m->boot, boot_id(a)) == 0;
}

enum marker_state marker_state(struct arena *a, const struct tree *t, const struct marker *m)
{
    uint64_t start = 0;
    if (m->pid <= 0 || !marker_is_of_this_boot(a, m) || !start_time(a, m->pid, &start) ||
        start != m->start) {
        return MARKER_GONE;
    }
    const char *const pid_file = arena_printf(a, "%s%s", t->own, MARKER_PID_FILE);
    return strcmp(m->exe, exe_of(a, m->pid)) == 0 && has_argument(a, m->pid, pid_file)
               ? MARKER_LIVES
               : MARKER_DOUBT;
}

bool marker_end(struct arena *a, const struct tree *t, const struct marker *m,
                enum marker_state *ret, struct err *reterr)
{
    /* The descriptor first: what is checked then is what the signal goes to, whoever gets the
     * number. */
    FD_AUTO fd = m->pid > 0 ? (int)syscall(SYS_pidfd_open, m->pid, 0) : -1;
    *ret = marker_state(a, t, m);
    if (*ret != MARKER_LIVES) {
        return true;
    }
    if (fd < 0 || syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) != 0) {
        return errno == ESRCH ||
               err_set_errno(reterr, errno, "cannot end process %d of '%s'", (int)m->pid, t->path);
    }
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (poll(&p, 1, ENDING_MS) <= 0) {
        return err_set(reterr, E_TIMEOUT, "process %d of '%s' does not end", (int)m->pid, t->path);
    }
    return true;
}

/* ---- the file -------------------------------------------------------------------------------- */

bool marker_write(struct arena *a, const struct tree *t, const struct marker *m, struct err *reterr)
{
    struct buf b;
    struct json *const doc = json_object(a);
    json_set(doc, "boot", json_str(a, m->boot));
    json_set(doc, "cgroup", json_str(a, m->cgroup));
    json_set(doc, "exe", json_str(a, m->exe));
    json_set(doc, "owner", json_int(a, getpid()));
    json_set(doc, "pid", json_int(a, m->pid));
    json_set(doc, "schema", json_str(a, SCHEMA));
    json_set(doc, "start", json_str(a, arena_printf(a, "%llu", (unsigned long long)m->start)));
    buf_init(&b, a, TEXT_MAX);
    json_write(&b, doc, true);
    return file_replace(arena_printf(a, "%s/marker.json", t->path), buf_span(&b), 0600, reterr);
}

bool marker_read(struct arena *a, const struct tree *t, struct marker *ret, struct err *reterr)
{
    struct span text;
    struct json *doc = NULL;
    struct stat st;
    const char *const path = arena_printf(a, "%s/marker.json", t->path);
    if (lstat(path, &st) != 0) {
        return err_set_errno(reterr, errno, "cannot read '%s'", path);
    }
    if (!S_ISREG(st.st_mode) || st.st_uid != geteuid()) {
        return err_set(reterr, E_DENIED, "'%s' is not of our making", path);
    }
    if (!file_read(a, path, TEXT_MAX, &text, reterr) || !json_read(a, path, text, &doc, reterr)) {
        return false;
    }
    const char *const schema = json_get_str(doc, "schema");
    const char *const start = json_get_str(doc, "start");
    const struct json *const pid = json_get(doc, "pid");
    struct marker m = {.boot = json_get_str(doc, "boot"),
                       .exe = json_get_str(doc, "exe"),
                       .cgroup = json_get_str(doc, "cgroup")};
    uint64_t number = 0;
    if (schema == NULL || strcmp(schema, SCHEMA) != 0 || start == NULL || pid == NULL ||
        m.boot == NULL || m.exe == NULL || m.cgroup == NULL ||
        !parse_u64(span_of(start), &m.start) || !num_to_u64(pid->number, &number) ||
        number > INT32_MAX) {
        return err_set(reterr, E_CORRUPT, "'%s' is no marker", path);
    }
    m.pid = (pid_t)number;
    *ret = m;
    return true;
}
