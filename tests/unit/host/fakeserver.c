/* See fakeserver.h. Just enough of the protocol; runs in a child and ends with its connection. */
#include "tests/unit/host/fakeserver.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "advisor/base/banned.h"

static unsigned char seq;

static void send_bytes(int fd, const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n > 0) {
        const ssize_t done = write(fd, at, n);
        if (done <= 0) {
            _exit(0);
        }
        at += done;
        n -= (size_t)done;
    }
}

static void send_packet(int fd, const void *bytes, size_t n)
{
    const unsigned char head[4] = {(unsigned char)n, (unsigned char)(n >> 8),
                                   (unsigned char)(n >> 16), seq++};
    send_bytes(fd, head, sizeof(head));
    send_bytes(fd, bytes, n);
}

#define SEND(fd, text) send_packet(fd, text, sizeof(text) - 1)

/* A packet's payload in `buf`; its length. */
static size_t receive_packet(int fd, char *buf, size_t max)
{
    unsigned char head[4];
    if (recv(fd, head, sizeof(head), MSG_WAITALL) != (ssize_t)sizeof(head)) {
        _exit(0);
    }
    const size_t n = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16;
    seq = (unsigned char)(head[3] + 1);
    if (n > max || recv(fd, buf, n, MSG_WAITALL) != (ssize_t)n) {
        _exit(0);
    }
    return n;
}

static void send_column(int fd, const char *name)
{
    char def[128];
    const size_t n = strlen(name);
    size_t at = 0;
    memcpy(def,
           "\x03"
           "def\0\0\0",
           7);
    at = 7;
    def[at++] = (char)n;
    memcpy(def + at, name, n);
    at += n;
    memcpy(def + at, "\0\x0c\x2d\0\xff\xff\0\0\xfd\0\0\0\0\0", 14);
    send_packet(fd, def, at + 14);
}

static void send_head(int fd)
{
    SEND(fd, "\x02");
    send_column(fd, "name");
    send_column(fd, "value");
    SEND(fd, "\xfe\0\0\x02\0");
}

static void send_answer(int fd, enum fake_answer answer)
{
    static char big[16 * 1000 * 1000];
    switch (answer) {
    case ANSWER_GOOD:
    case ANSWER_GUARD_REFUSED:
        send_head(fd);
        SEND(fd, "\x0c"
                 "init_connect\x06"
                 "s3cret");
        SEND(fd, "\x01x\xfb");
        SEND(fd, "\xfe\0\0\x02\0");
        break;
    case ANSWER_ENDLESS:
        send_head(fd);
        for (;;) {
            SEND(fd, "\x01"
                     "a\x01"
                     "b");
        }
    case ANSWER_BIG_ROW:
        send_head(fd);
        memset(big, 'b', sizeof(big));
        memcpy(big,
               "\x01"
               "a\xfd\xfa\x23\xf4",
               6); /* 15,999,994 bytes follow */
        send_packet(fd, big, sizeof(big));
        SEND(fd, "\xfe\0\0\x02\0");
        break;
    case ANSWER_DENIED:
        SEND(fd, "\xff\xcb\x04#42000you need PROCESS");
        break;
    case ANSWER_NO_TABLE:
        SEND(fd, "\xff\x7a\x04#42S02no such table");
        break;
    case ANSWER_MANY_COLUMNS:
        SEND(fd, "\xfe\0\0\0\0\0\x01\0\0");
        break;
    case ANSWER_CUT:
        send_head(fd);
        send_bytes(fd,
                   "\x20\0\0\x06\x05"
                   "ab",
                   7);
        _exit(0);
    case ANSWER_BROKEN_ROW:
        send_head(fd);
        SEND(fd, "\xfd\xff\xff\xff"
                 "ab");
        SEND(fd, "\xfe\0\0\x02\0");
        break;
    case ANSWER_SILENCE:
        pause();
        break;
    case ANSWER_GARBAGE:
        send_bytes(fd, "\xff\xff\xff\xffgarbage garbage garbage", 27);
        _exit(0);
    }
}

static void serve(int fd, enum fake_answer answer)
{
    static char packet[70000];
    seq = 0;
    SEND(fd, "\x0a"
             "8.0.36\0\x01\0\0\0"
             "12345678\0\x01\x82\x2d\x02\0\x08\0\x15\0\0\0\0\0\0\0\0\0\0"
             "123456789012\0mysql_native_password\0");
    (void)receive_packet(fd, packet, sizeof(packet));
    SEND(fd, "\0\0\0\x02\0\0\0");
    for (;;) {
        const size_t n = receive_packet(fd, packet, sizeof(packet));
        if (n == 0 || packet[0] != 3) {
            _exit(0); /* goodbye, or what no test asks for */
        }
        if (n > 4 && memcmp(packet + 1, "SET", 3) == 0) {
            if (answer == ANSWER_GUARD_REFUSED) {
                SEND(fd, "\xff\xa9\x04#HY000unknown variable");
            } else {
                SEND(fd, "\0\0\0\x02\0\0\0");
            }
            continue;
        }
        send_answer(fd, answer);
    }
}

pid_t fakeserver_start(const char *socket_path, const char *greeting, size_t n_greeting,
                       enum fake_answer answer)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", socket_path);
    const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(s, (struct sockaddr *)(void *)&addr, sizeof(addr)) != 0 || listen(s, 8) != 0) {
        abort();
    }
    const pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int c = accept(s, NULL, NULL);
        if (greeting == NULL) {
            serve(c, answer);
        }
        send_bytes(c, greeting, n_greeting);
        _exit(0);
    }
    close(s);
    return pid;
}

void fakeserver_stop(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}
