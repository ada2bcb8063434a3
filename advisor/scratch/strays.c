/* See strays.h. */
#include "advisor/scratch/strays.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "advisor/base/parse.h"
#include "advisor/scratch/run.h"

#include "advisor/base/banned.h"

#define LIST_MAX 65536
#define ROUNDS 200
#define ROUND_MS 5

/* The children of this process, as the kernel lists them; false where it does not. */
static bool children(struct arena *a, struct span *ret)
{
    char path[64];
    struct buf b;
    char chunk[4096];
    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)gettid());
    FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    buf_init(&b, a, LIST_MAX);
    for (;;) {
        const ssize_t n = read(fd, chunk, sizeof(chunk));
        if (n <= 0) {
            break;
        }
        buf_add(&b, chunk, (size_t)n);
    }
    *ret = buf_span(&b);
    return true;
}

static bool next_pid(struct span *rest, pid_t *ret)
{
    struct span word;
    uint64_t n = 0;
    if (!span_word(rest, &word) || !parse_u64(word, &n) || n == 0 || n > 0x7fffffff) {
        return false;
    }
    *ret = (pid_t)n;
    return true;
}

void strays_before(struct strays *s, struct arena *a)
{
    struct span rest;
    pid_t pid = 0;
    *s = (struct strays){.before = NULL};
    /* For good: two programs may run at a time, and either may end first. */
    if (!children(a, &rest) || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
        return;
    }
    while (next_pid(&rest, &pid)) {
        s->before = arena_list_room(a, s->before, s->n_before, sizeof(*s->before));
        s->before[s->n_before++] = pid;
    }
    s->watched = true;
}

static bool is_from_before(const struct strays *s, pid_t pid)
{
    for (size_t i = 0; i < s->n_before; i++) {
        if (s->before[i] == pid) {
            return true;
        }
    }
    return false;
}

static bool has_mark(struct arena *a, pid_t pid, const char *mark)
{
    char path[64];
    struct span rest, word;
    struct err err = ERR_INIT;
    snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
    if (!file_read(a, path, LIST_MAX, &rest, &err)) {
        return false;
    }
    while (span_split(&rest, '\0', &word)) {
        if (span_eq_text(word, mark)) {
            return true;
        }
    }
    return false;
}

/* Only our own children are named here, and a child keeps its number until it is waited for: nobody
 * else can be hit. */
static void end_one(pid_t pid)
{
    (void)kill(pid, SIGKILL);
    for (unsigned i = 0; i < ROUNDS && waitpid(pid, NULL, WNOHANG) == 0; i++) {
        run_sleep_ms(ROUND_MS);
    }
}

/* End what is there now; false when there was nothing. */
static bool end_round(const struct strays *s, const char *mark)
{
    ARENA_AUTO a = arena_new();
    struct span rest;
    pid_t pid = 0;
    bool found = false;
    if (!children(a, &rest)) {
        return false;
    }
    while (next_pid(&rest, &pid)) {
        if (!is_from_before(s, pid) && has_mark(a, pid, mark)) {
            end_one(pid);
            found = true;
        }
    }
    return found;
}

void strays_end(struct strays *s, const char *mark)
{
    for (unsigned i = 0; s->watched && i < ROUNDS && end_round(s, mark); i++) {
    }
    s->watched = false;
}
