/* Statements to a server; alone includes the client library's header, MariaDB's or Oracle's.
 * Sends nothing but rows of queries.c, the guards first; hands out nothing that sql_filter.h takes
 * away. Passwords are used and forgotten: in no message, reply or log. */
#include "probes/host/live.h"
#include "probes/host/live_sql.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#if NV_HAVE_MYSQL
#include <mysql.h>
#endif

#include "advisor/base/file.h"
#include "probes/host/queries.h"
#include "probes/host/reply.h"
#include "probes/host/sql_filter.h"

#include "advisor/base/banned.h"

#if NV_HAVE_MYSQL

#if defined(MARIADB_PACKAGE_VERSION) || defined(MARIADB_BASE_VERSION)
#define WITH_CONNECTOR_C 1
typedef my_bool sql_bool;
#else
#define WITH_CONNECTOR_C 0
typedef bool sql_bool;
#endif

#define COLUMNS_MAX 32u /* bits of query.values */
#define USER_MAX 128u
#define PACKET_MAX (4ul * 1024 * 1024) /* the largest cell of queries.c is 1.5 MiB of status text */

struct live_sql {
    MYSQL *conn;
    enum query_flavour flavour;
    uint32_t version;
    unsigned statements;
    bool guarded, lost;
};

/* ---- connecting ------------------------------------------------------------------------------ */

static void set_tls(MYSQL *conn, const struct host_sql_login *login)
{
    mysql_options(conn, MYSQL_OPT_SSL_CA, login->ssl_ca);
    mysql_options(conn, MYSQL_OPT_SSL_CERT, login->ssl_cert);
    mysql_options(conn, MYSQL_OPT_SSL_KEY, login->ssl_key);
#if WITH_CONNECTOR_C
    const sql_bool enforce = login->ssl_require ? 1 : 0;
    const sql_bool verify = login->ssl_verify ? 1 : 0;
    mysql_options(conn, MYSQL_OPT_SSL_ENFORCE, &enforce);
    mysql_options(conn, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
#else
    unsigned mode = login->socket != NULL ? SSL_MODE_DISABLED : SSL_MODE_PREFERRED;
    if (login->ssl_require) {
        mode = login->ssl_ca != NULL ? SSL_MODE_VERIFY_CA : SSL_MODE_REQUIRED;
    }
    if (login->ssl_verify) {
        mode = SSL_MODE_VERIFY_IDENTITY;
    }
    mysql_options(conn, MYSQL_OPT_SSL_MODE, &mode);
#endif
}

static void set_options(MYSQL *conn, const struct host_sql_login *login)
{
    const unsigned seconds = login->timeout_s == 0 ? 3 : login->timeout_s;
    const unsigned no = 0;
    const unsigned protocol = login->socket != NULL ? MYSQL_PROTOCOL_SOCKET : MYSQL_PROTOCOL_TCP;
    mysql_options(conn, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
    mysql_options(conn, MYSQL_OPT_READ_TIMEOUT, &seconds);
    mysql_options(conn, MYSQL_OPT_WRITE_TIMEOUT, &seconds);
    mysql_options(conn, MYSQL_OPT_MAX_ALLOWED_PACKET, &(unsigned long){PACKET_MAX});
    mysql_options(conn, MYSQL_OPT_LOCAL_INFILE, &no); /* a server may ask for any file of ours */
    mysql_options(conn, MYSQL_OPT_PROTOCOL, &protocol);
    mysql_options(conn, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    mysql_options4(conn, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name", "nvadvise");
    set_tls(conn, login);
#if WITH_CONNECTOR_C && MARIADB_PACKAGE_VERSION_ID >= 30300
    /* No plugin that sends the password as it is, whatever the server asks for. */
    if (!login->ssl_require && login->socket == NULL) {
        mysql_options(conn, MARIADB_OPT_RESTRICTED_AUTH,
                      "mysql_native_password,caching_sha2_password,sha256_password,"
                      "client_ed25519,parsec");
    }
#endif
}

static bool connect_fail(struct err *reterr, unsigned number, const char *text, const char *where)
{
    /* The library names the descriptor that it was given in place of the socket. */
    const bool names_fd = strstr(text, "/proc/self/fd/") != NULL;
    err_set(reterr, sql_code_of_connect(number), "cannot connect to '%s': %u %s", where, number,
            names_fd ? "no server answers there" : text);
    return err_hint(reterr, "Name the server with --socket or --host, and the account with --user "
                            "or an option file.");
}

static bool try_user(struct live *l, const char *user, const char *socket, const char *where,
                     struct err *reterr)
{
    const struct host_sql_login *const login = l->login;
    MYSQL *const conn = mysql_init(NULL);
    if (conn == NULL) {
        return err_set(reterr, E_INTERNAL, "cannot start the client library");
    }
    set_options(conn, login);
    const char *const host = login->socket != NULL ? "localhost" : login->host;
    if (mysql_real_connect(conn, host, user, login->password, NULL, login->port, socket, 0) ==
        NULL) {
        connect_fail(reterr, mysql_errno(conn), mysql_error(conn), where);
        mysql_close(conn);
        return false;
    }
    l->sql = arena_alloc(l->arena, sizeof(*l->sql));
    l->sql->conn = conn;
    return true;
}

/* Through its own descriptor: no limit of 108 bytes, and the socket of the root it was found in. */
static bool open_socket(struct live *l, int *ret_fd, struct err *reterr)
{
    const struct host_sql_login *const login = l->login;
    const int root = login->socket_dir_fd >= 0 ? login->socket_dir_fd
                     : l->server_root >= 0     ? l->server_root
                                               : l->own_root;
    const int fd = live_open_below(root, login->socket, O_PATH);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        const int e = errno;
        if (fd >= 0) {
            close(fd);
        }
        live_fail(reterr, e, "connect to", login->socket);
        reterr->code = E_CONNECT;
        return false;
    }
    if (!S_ISSOCK(st.st_mode)) {
        close(fd);
        return err_set(reterr, E_CONNECT, "cannot connect to '%s': not a socket", login->socket);
    }
    *ret_fd = fd;
    return true;
}

static void caller_name(char ret[USER_MAX])
{
    struct passwd pw, *found = NULL;
    char text[4096];
    const uid_t uid = geteuid();
    const char *name = "root";
    if (uid != 0) {
        const bool ok = getpwuid_r(uid, &pw, text, sizeof(text), &found) == 0 && found != NULL;
        name = ok ? pw.pw_name : "nobody";
    }
    snprintf(ret, USER_MAX, "%s", name);
}

static bool try_users(struct live *l, const char *socket, const char *where, struct err *reterr)
{
    if (l->login->user != NULL) {
        return try_user(l, l->login->user, socket, where, reterr);
    }
    char caller[USER_MAX];
    caller_name(caller);
    if (try_user(l, caller, socket, where, reterr)) {
        return true;
    }
    struct err second = ERR_INIT;
    return reterr->code == E_LOGIN && strcmp(caller, "root") != 0 &&
           try_user(l, "root", socket, where, &second);
}

static bool connect_any(struct live *l, struct err *reterr)
{
    const struct host_sql_login *const login = l->login;
    if (login->socket == NULL) {
        const char *const where = arena_printf(l->arena, "%s:%u", login->host, login->port);
        return try_users(l, NULL, where, reterr);
    }
    FD_AUTO fd = -1;
    if (!open_socket(l, &fd, reterr)) {
        return err_hint(reterr, "Start it, or run 'nvadvise check' as root to find what runs.");
    }
    return try_users(l, arena_printf(l->arena, "/proc/self/fd/%d", fd), login->socket, reterr);
}

bool live_sql_open(struct live *l, struct span *ret, struct err *reterr)
{
    if (l->login != NULL && l->login->refused != NULL) {
        *reterr = *l->login->refused;
        return false;
    }
    if (l->login == NULL || (l->login->socket == NULL && l->login->host == NULL)) {
        return err_set(reterr, E_CONNECT, "no socket and no address of a server is known");
    }
    if (l->sql != NULL) {
        return err_set(reterr, E_USAGE, "a connection is open already");
    }
    if (!connect_any(l, reterr)) {
        return false;
    }
    const struct span greeting = span_of(mysql_get_server_info(l->sql->conn));
    if (!query_server(greeting, &l->sql->flavour, &l->sql->version)) {
        live_sql_close(l);
        return err_set(reterr, E_IO, "no server that is known: it greets as '%.*s'",
                       SPAN_ARG(greeting));
    }
    *ret = span_copy(l->arena, greeting);
    return true;
}

void live_sql_close(struct live *l)
{
    if (l->sql != NULL) {
        mysql_close(l->sql->conn);
        l->sql = NULL;
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool statement_fail(struct live_sql *s, const struct query *q, struct err *reterr)
{
    const unsigned number = mysql_errno(s->conn);
    err_set(reterr, sql_code_of_statement(number), "statement '%s': %u %s", q->id, number,
            mysql_error(s->conn));
    if (reterr->code == E_CONNECT) {
        s->lost = true;
    }
    if (reterr->code == E_DENIED && q->privilege[0] != '\0') {
        err_hint(reterr, "Grant %s to the account that nvadvise uses.", q->privilege);
    }
    return false;
}

/* Cells that hold statements' text or a secret are changed here, before anyone sees them. */
static struct span filter_cell(struct arena *scratch, const struct query *q, unsigned column,
                               struct span name, struct span cell)
{
    if (q->filter == FILTER_NONE || (q->values & (1u << column)) == 0) {
        return cell;
    }
    if (q->filter == FILTER_STATUS_TEXT) {
        return sql_filter_status(scratch, cell);
    }
    return sql_is_secret(name, cell) ? SPAN_LIT(SQL_BLANKED) : cell;
}

static void add_row(struct buf *b, struct arena *scratch, const struct query *q, MYSQL_ROW row,
                    const unsigned long *lengths, unsigned n_columns)
{
    const struct span name = {row[0] == NULL ? "" : row[0], row[0] == NULL ? 0 : lengths[0]};
    for (unsigned i = 0; i < n_columns; i++) {
        const struct span cell = {row[i] == NULL ? "" : row[i], row[i] == NULL ? 0 : lengths[i]};
        reply_rows_cell(b, i == 0, row[i] == NULL, filter_cell(scratch, q, i, name, cell));
    }
    reply_rows_end_line(b);
}

/* A reply beyond its limit ends the connection: the rest of it would have to be read first. */
static bool too_big(struct live_sql *s, const struct query *q, struct err *reterr)
{
    s->lost = true;
    return err_set(reterr, E_TOO_BIG,
                   "statement '%s': the reply is larger than %u rows or %u bytes", q->id,
                   (unsigned)q->max_rows, (unsigned)q->max_bytes);
}

static bool fetch_rows(struct live_sql *s, struct arena *a, const struct query *q, MYSQL_RES *res,
                       struct span *ret, struct err *reterr)
{
    const bool counted = q->filter == FILTER_ROWS; /* that there is a row is all that comes out */
    const unsigned n_columns = counted ? 1 : mysql_num_fields(res);
    if (n_columns == 0 || n_columns > COLUMNS_MAX) {
        return too_big(s, q, reterr);
    }
    ARENA_AUTO scratch = arena_new();
    struct buf b;
    buf_init(&b, a, q->max_bytes);
    for (unsigned i = 0; i < n_columns; i++) {
        reply_rows_cell(&b, i == 0, false, span_of(counted ? "row" : mysql_fetch_fields(res)[i].name));
    }
    reply_rows_end_line(&b);
    uint32_t rows = 0;
    for (MYSQL_ROW row; (row = mysql_fetch_row(res)) != NULL;) {
        if (rows++ == q->max_rows) {
            return too_big(s, q, reterr);
        }
        row[0] = counted ? NULL : row[0];
        add_row(&b, scratch, q, row, mysql_fetch_lengths(res), n_columns);
        if (b.full) {
            return too_big(s, q, reterr);
        }
    }
    if (mysql_errno(s->conn) != 0) {
        return statement_fail(s, q, reterr);
    }
    *ret = buf_span(&b);
    return true;
}

/* So that mysql_free_result does not read to the end of what may have none. */
static void end_connection(const struct live_sql *s)
{
#if WITH_CONNECTOR_C
    const int fd = mysql_get_socket(s->conn);
#else
    const int fd = (int)s->conn->net.fd;
#endif
    (void)shutdown(fd, SHUT_RDWR);
}

static bool send_query(struct live_sql *s, struct arena *a, const struct query *q, struct span *ret,
                       struct err *reterr)
{
    if (s->lost) {
        return err_set(reterr, E_CONNECT, "statement '%s': the connection was lost before", q->id);
    }
    if (s->statements++ == QUERY_STATEMENTS_MAX) {
        s->statements = QUERY_STATEMENTS_MAX;
        return err_set(reterr, E_LIMIT, "statement '%s': more than %d on one connection", q->id,
                       QUERY_STATEMENTS_MAX);
    }
    if (mysql_real_query(s->conn, q->text, (unsigned long)strlen(q->text)) != 0) {
        return statement_fail(s, q, reterr);
    }
    MYSQL_RES *const res = mysql_use_result(s->conn);
    if (res == NULL) {
        *ret = (struct span){"", 0};
        return mysql_errno(s->conn) == 0 || statement_fail(s, q, reterr);
    }
    const bool ok = fetch_rows(s, a, q, res, ret, reterr);
    if (s->lost) {
        end_connection(s);
    }
    mysql_free_result(res);
    return ok;
}

/* Limits and read-only, before anything is asked; without them nothing is. */
static bool send_guards(struct live *l, struct err *reterr)
{
    struct live_sql *const s = l->sql;
    struct span none;
    for (size_t i = 0; !s->guarded && i < query_n_rows; i++) {
        const struct query *const q = &query_rows[i];
        if (q->use == QUERY_GUARD && query_find(q->id, s->flavour, s->version) == q &&
            !send_query(s, l->arena, q, &none, reterr)) {
            return err_wrap(reterr, "limiting the session");
        }
    }
    s->guarded = true;
    return true;
}

bool live_sql(struct live *l, const char *id, struct span *ret, struct err *reterr)
{
    struct live_sql *const s = l->sql;
    if (s == NULL) {
        return err_set(reterr, E_CONNECT, "statement '%s': no connection", id);
    }
    const struct query *const q = query_find(id, s->flavour, s->version);
    if (q == NULL || q->use != QUERY_ASKED) {
        return err_set(reterr, E_NOT_SUPPORTED, "no statement '%s' for this server's version", id);
    }
    return send_guards(l, reterr) && send_query(s, l->arena, q, ret, reterr);
}

#else

bool live_sql_open(struct live *l, struct span *ret, struct err *reterr)
{
    (void)l;
    (void)ret;
    err_set(reterr, E_ABSENT, "asking servers: not built in");
    return err_hint(reterr, "Build nvadvise with libmysqlclient or MariaDB Connector/C.");
}

bool live_sql(struct live *l, const char *id, struct span *ret, struct err *reterr)
{
    (void)l;
    (void)ret;
    return err_set(reterr, E_ABSENT, "statement '%s': not built in", id);
}

void live_sql_close(struct live *l)
{
    (void)l;
}

#endif
