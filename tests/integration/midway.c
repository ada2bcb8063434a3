/* midway LISTEN TARGET ACTION N: stands between a client and a server, both on unix sockets, and does
 * ACTION in place of passing on the answer to the client's N-th command (0: the server's greeting):
 *   close     both connections end              hang      nothing more is passed on
 *   garbage   bytes that no server sends        cut       half of the answer, then the end
 *   none      everything is passed on           count     as none; prints how many commands there were
 * Serves one connection, then ends. Knows of the protocol only where a packet begins. For tests. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define CHUNK 65536

enum action { ACT_CLOSE, ACT_HANG, ACT_GARBAGE, ACT_CUT, ACT_NONE, ACT_COUNT, ACTIONS };

static const char *const action_names[ACTIONS] = {"close", "hang", "garbage", "cut", "none", "count"};

struct middle {
    int client, server;
    enum action action;
    long at;
    long commands;        /* whole headers of command packets seen */
    unsigned char head[4]; /* of the client's packet that is coming in */
    unsigned n_head;
    unsigned long body;   /* bytes of it still to come */
};

static void die(const char *what)
{
    fprintf(stderr, "midway: %s: %s\n", what, strerror(errno));
    exit(2);
}

static struct sockaddr_un address_of(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(a.sun_path)) {
        errno = ENAMETOOLONG;
        die(path);
    }
    memcpy(a.sun_path, path, strlen(path) + 1);
    return a;
}

static int listen_at(const char *path)
{
    const struct sockaddr_un a = address_of(path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&a, sizeof(a)) != 0 || listen(fd, 1) != 0) {
        die(path);
    }
    return fd;
}

static int connect_to(const char *path)
{
    const struct sockaddr_un a = address_of(path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&a, sizeof(a)) != 0) {
        die(path);
    }
    return fd;
}

static void pass(int fd, const unsigned char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t put = send(fd, bytes, n, MSG_NOSIGNAL);
        if (put <= 0) {
            return;
        }
        bytes += put;
        n -= (size_t)put;
    }
}

/* A command is a packet of the client with sequence number 0. */
static void count_commands(struct middle *m, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (m->body > 0) {
            m->body--;
            continue;
        }
        m->head[m->n_head++] = bytes[i];
        if (m->n_head == 4) {
            m->body = m->head[0] | (unsigned long)m->head[1] << 8 | (unsigned long)m->head[2] << 16;
            m->commands += m->head[3] == 0;
            m->n_head = 0;
        }
    }
}

/* In place of an answer of n bytes. */
static void act(const struct middle *m, const unsigned char *bytes, size_t n)
{
    unsigned char garbage[4096];
    memset(garbage, 0xfe, sizeof(garbage));
    switch (m->action) {
    case ACT_HANG:
        /* Until the client gives up. */
        while (recv(m->client, garbage, sizeof(garbage), 0) > 0) {
        }
        break;
    case ACT_GARBAGE:
        pass(m->client, garbage, sizeof(garbage));
        break;
    case ACT_CUT:
        pass(m->client, bytes, n / 2);
        break;
    case ACT_CLOSE:
    case ACT_NONE:
    case ACT_COUNT:
    case ACTIONS:
        break;
    }
    exit(0);
}

/* false: one side has ended. */
static int pass_on(struct middle *m)
{
    static unsigned char bytes[CHUNK];
    struct pollfd fds[2] = {{.fd = m->client, .events = POLLIN}, {.fd = m->server, .events = POLLIN}};
    if (poll(fds, 2, -1) < 0) {
        die("poll");
    }
    if (fds[0].revents != 0) {
        const ssize_t n = recv(m->client, bytes, sizeof(bytes), 0);
        if (n <= 0) {
            return 0;
        }
        count_commands(m, bytes, (size_t)n);
        pass(m->server, bytes, (size_t)n);
    }
    if (fds[1].revents != 0) {
        const ssize_t n = recv(m->server, bytes, sizeof(bytes), 0);
        if (n <= 0) {
            return 0;
        }
        if (m->action < ACT_NONE && m->commands >= m->at) {
            act(m, bytes, (size_t)n);
        }
        pass(m->client, bytes, (size_t)n);
    }
    return 1;
}

int main(int argc, char **argv)
{
    struct middle m = {.action = ACTIONS};
    for (int i = 0; argc == 5 && i < ACTIONS; i++) {
        if (strcmp(argv[3], action_names[i]) == 0) {
            m.action = (enum action)i;
        }
    }
    if (m.action == ACTIONS) {
        fprintf(stderr, "usage: midway LISTEN TARGET close|hang|garbage|cut|none|count N\n");
        return 2;
    }
    m.at = strtol(argv[4], NULL, 10);
    const int listener = listen_at(argv[1]);
    m.client = accept(listener, NULL, NULL);
    if (m.client < 0) {
        die("accept");
    }
    m.server = connect_to(argv[2]);
    while (pass_on(&m)) {
    }
    if (m.action == ACT_COUNT) {
        printf("%ld\n", m.commands);
    }
    return 0;
}
