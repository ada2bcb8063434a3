/* See proc_socket.h. */
#include "probes/proc_socket.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/optfile.h"

#include "advisor/base/banned.h"

#define ACCEPTCON 0x10000u  /* __SO_ACCEPTCON: the socket listens */
#define LISTENERS_MAX 4096u /* rows kept; ours */
#define X_PROTOCOL "mysqlx"

static void read_port(struct span text, unsigned *ret)
{
    uint64_t port;
    if (parse_u64(text, &port) && port > 0 && port <= 65535) {
        *ret = (unsigned)port;
    }
}

/* One "--name=value", or "--name" or "-X" with the value in the next argument. *ret_value is empty
 * and the result true when the value is still to come. */
static bool is_option(struct span arg, const char *name, const char *letter, struct span *ret_value)
{
    *ret_value = (struct span){"", 0};
    if (span_starts(arg, "--")) {
        struct span rest = span_sub(arg, 2, arg.len), key = {"", 0};
        (void)span_split(&rest, '=', &key);
        *ret_value = rest;
        return optfile_name_is(key, name);
    }
    if (arg.len >= 2 && arg.ptr[0] == '-' && arg.ptr[1] == letter[0]) {
        *ret_value = span_sub(arg, 2, arg.len);
        return true;
    }
    return false;
}

struct proc_command proc_read_command(struct span text)
{
    struct proc_command c = {.socket = {"", 0}};
    struct span arg;
    enum { NOTHING, SOCKET, PORT } expected = NOTHING;
    while (span_split(&text, '\0', &arg)) {
        struct span value = arg;
        c.scratch = c.scratch || span_ends(arg, PROC_SCRATCH_PID_FILE);
        if (expected == NOTHING && is_option(arg, "socket", "S", &value)) {
            expected = SOCKET;
        } else if (expected == NOTHING && is_option(arg, "port", "P", &value)) {
            expected = PORT;
        } else if (expected == NOTHING) {
            continue;
        }
        if (value.len == 0) {
            continue;
        }
        if (expected == SOCKET) {
            c.socket = value;
        } else {
            read_port(value, &c.port);
        }
        expected = NOTHING;
    }
    return c;
}

/* ---- unix ------------------------------------------------------------------------------------ */

/* "Num: RefCount Protocol Flags Type St Inode Path" */
static bool read_unix_row(struct span line, struct proc_listener *ret)
{
    struct span words[7];
    uint64_t flags, type;
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (!span_word(&line, &words[i])) {
            return false;
        }
    }
    if (!parse_hex_u64(words[3], &flags) || !parse_hex_u64(words[4], &type) ||
        !parse_u64(words[6], &ret->inode)) {
        return false;
    }
    ret->path = span_sub(line, line.len > 0 && line.ptr[0] == ' ' ? 1 : 0, line.len);
    return (flags & ACCEPTCON) != 0 && type == 1 && span_starts(ret->path, "/");
}

void proc_read_unix(struct arena *a, struct span text, struct proc_listeners *ret)
{
    struct proc_listener *rows = NULL, row;
    size_t n = 0, cap = 0;
    struct span line;
    while (n < LISTENERS_MAX && span_split(&text, '\n', &line)) {
        if (!read_unix_row(line, &row)) {
            continue;
        }
        if (n == cap) {
            size_t more = cap == 0 ? 32 : cap * 2;
            rows = arena_grow(a, rows, cap * sizeof(*rows), more * sizeof(*rows));
            cap = more;
        }
        rows[n++] = row;
    }
    *ret = (struct proc_listeners){rows, n};
}

static bool holds(const uint64_t *inodes, size_t n, uint64_t inode)
{
    for (size_t i = 0; i < n; i++) {
        if (inodes[i] == inode) {
            return true;
        }
    }
    return false;
}

static bool is_twice(const struct proc_listeners *l, size_t at)
{
    for (size_t i = 0; i < l->n; i++) {
        if (i != at && l->rows[i].inode == l->rows[at].inode) {
            return true;
        }
    }
    return false;
}

static bool is_x_protocol(struct span path)
{
    size_t from = path.len;
    while (from > 0 && path.ptr[from - 1] != '/') {
        from--;
    }
    return span_starts(span_sub(path, from, path.len), X_PROTOCOL);
}

struct span proc_pick_listener(const struct proc_listeners *l, const uint64_t *inodes, size_t n,
                               struct span wanted)
{
    const struct proc_listener *best = NULL;
    for (size_t i = 0; i < l->n; i++) {
        const struct proc_listener *row = &l->rows[i];
        if (!holds(inodes, n, row->inode) || is_twice(l, i)) {
            continue;
        }
        if (wanted.len > 0 && proc_same_path(row->path, wanted)) {
            return row->path;
        }
        bool x = is_x_protocol(row->path), best_x = best != NULL && is_x_protocol(best->path);
        if (best == NULL || (best_x && !x) || (best_x == x && row->inode < best->inode)) {
            best = row;
        }
    }
    return best != NULL ? best->path : (struct span){"", 0};
}

bool proc_has_listener(const struct proc_listeners *l, struct span path)
{
    for (size_t i = 0; i < l->n; i++) {
        if (proc_same_path(l->rows[i].path, path)) {
            return true;
        }
    }
    return false;
}

bool proc_same_path(struct span a, struct span b)
{
    struct span *both[] = {&a, &b};
    for (size_t i = 0; i < ARRAY_LEN(both); i++) {
        if (span_starts(*both[i], "/var/run/")) {
            *both[i] = span_sub(*both[i], strlen("/var"), both[i]->len);
        }
    }
    return span_eq(a, b);
}

/* ---- TCP ------------------------------------------------------------------------------------- */

/* "sl: local:port remote:port 0A tx:rx tr:when retrnsmt uid timeout inode …" */
bool proc_tcp_listens(struct span text, unsigned port, const uint64_t *inodes, size_t n)
{
    struct span line;
    while (span_split(&text, '\n', &line)) {
        struct span words[10];
        size_t k = 0;
        while (k < ARRAY_LEN(words) && span_word(&line, &words[k])) {
            k++;
        }
        uint64_t local, inode;
        if (k < ARRAY_LEN(words) || !span_eq_text(words[3], "0A") || words[1].len < 5 ||
            words[1].ptr[words[1].len - 5] != ':') {
            continue;
        }
        if (parse_hex_u64(span_sub(words[1], words[1].len - 4, 4), &local) && local == port &&
            parse_u64(words[9], &inode) && holds(inodes, n, inode)) {
            return true;
        }
    }
    return false;
}
