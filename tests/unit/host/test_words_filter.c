/* What the seam takes out of command lines, and that all else stays. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "probes/host/host.h"
#include "probes/host/words_filter.h"

#include "advisor/base/banned.h"

/* '|' stands for the byte between words. */
static struct span words(struct arena *a, const char *text, char separator)
{
    char *s = arena_strdup(a, text);
    const size_t n = strlen(s);
    for (size_t i = 0; i < n; i++) {
        s[i] = s[i] == '|' ? separator : s[i];
    }
    return (struct span){s, n};
}

static void test_words(void **state)
{
    static const struct {
        const char *in, *want;
    } rows[] = {
        {"", ""},
        {"|", "|"},
        {"/usr/sbin/mysqld|--socket=/run/a.sock|", "/usr/sbin/mysqld|--socket=/run/a.sock|"},
        {"mysqld|--wsrep-sst-auth=me:hush|--port=1", "mysqld|--wsrep-sst-auth=***|--port=1"},
        {"mysqld|--wsrep_sst_auth|me:hush|x", "mysqld|--wsrep_sst_auth|***|x"},
        {"mysqld|--admin-ssl-key|--port=1", "mysqld|--admin-ssl-key|--port=1"},
        {"--master-PassWord=a=b", "--master-PassWord=***"},
        {"--loose-keyring-token=|", "--loose-keyring-token=***|"},
        {"rd.iscsi.password=hush|ro", "rd.iscsi.password=***|ro"},
        {"rd.luks.key=/k|quiet", "rd.luks.key=***|quiet"},
        {"password|hush", "password|hush"}, /* no option: the name of a program */
        {"=hush|-p", "=hush|-p"},
        {"mysqld|-phush|-P3306", "mysqld|-p***|-P3306"},
        {"mysqld|--init-connect=DO|--old-passwords=0",
         "mysqld|--init-connect=***|--old-passwords=0"},
        {"--pass|", "--pass|"},
        {"--socket=/srv/password/a.sock", "--socket=/srv/password/a.sock"},
    };
    static const char separators[] = {'\0', ' '};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows) * 2; i++) {
        ARENA_AUTO a = arena_new();
        const char separator = separators[i % 2];
        const struct span want = words(a, rows[i / 2].want, separator);
        struct buf b;
        buf_init(&b, a, 4096);
        words_blank_secrets(&b, words(a, rows[i / 2].in, separator), separator);
        if (!span_eq(buf_span(&b), want)) {
            fail_msg("%s: not %s", rows[i / 2].in, rows[i / 2].want);
        }
    }
}

static void test_paths(void **state)
{
    static const struct {
        const char *path;
        int separator; /* -1: no command line */
    } rows[] = {
        {"/proc/cmdline", ' '},    {"/proc/1/cmdline", '\0'}, {"/proc/self/task/1/cmdline", '\0'},
        {"/proc/1/cmdlines", -1},  {"/sys/cmdline", -1},      {"/proc/1/comm", -1},
        {"/srv/proc/cmdline", -1}, {"/proc/xcmdline", -1},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char separator = 'x';
        assert_int_equal(words_are_cmdline(rows[i].path, &separator), rows[i].separator >= 0);
        if (rows[i].separator >= 0) {
            assert_int_equal(separator, rows[i].separator);
        }
    }
}

/* A process of our own with a secret in its arguments, through the live seam. */
static void test_live(void **state)
{
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    struct span text = {"", 0};
    char path[64];
    (void)state;
    const pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", "kill -STOP $$", "--port=1", "--wsrep-sst-auth=me:hush",
              (char *)NULL);
        _exit(127);
    }
    assert_true(pid > 0);
    snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
    struct host *h = host_live_new(a, NULL);
    bool there = false;
    for (int i = 0; i < 500 && !there; i++) { /* until the child runs its program */
        assert_true(host_read(h, path, 0, &text, &err));
        there = memmem(text.ptr, text.len, "--port=1", 8) != NULL;
        usleep(10000);
    }
    host_live_close(h);
    (void)kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_true(there);
    assert_non_null(memmem(text.ptr, text.len, "--wsrep-sst-auth=***", 20));
    assert_null(memmem(text.ptr, text.len, "hush", 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_live),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
