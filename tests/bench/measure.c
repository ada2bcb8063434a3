/* Runs a command and prints what it and all its children cost: CPU milliseconds, and KiB of the
 * largest process. Knows nothing of what it runs.
 *
 *   measure FILE COMMAND...   "cpu_ms N rss_kib N" goes to FILE; the exit code is the command's */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long milliseconds(struct timeval t)
{
    return (long)t.tv_sec * 1000 + (long)t.tv_usec / 1000;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: measure FILE COMMAND...\n");
        return 2;
    }
    /* Children that outlive the command come back to us and are counted too. */
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
        perror("prctl");
        return 2;
    }
    const pid_t pid = fork();
    if (pid < 0) {
        perror("fork");
        return 2;
    }
    if (pid == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    int result = 2, status = 0;
    for (;;) {
        const pid_t one = wait(&status);
        if (one == pid) {
            result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        } else if (one < 0 && errno != EINTR) {
            break;
        }
    }
    struct rusage u;
    FILE *f = fopen(argv[1], "w");
    if (f == NULL || getrusage(RUSAGE_CHILDREN, &u) != 0) {
        perror(argv[1]);
        return 2;
    }
    fprintf(f, "cpu_ms %ld rss_kib %ld\n", milliseconds(u.ru_utime) + milliseconds(u.ru_stime),
            u.ru_maxrss);
    return fclose(f) == 0 ? result : 2;
}
