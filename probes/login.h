/* How to log in to the server: command line, environment and client option files, in one place.
 *
 * Reads the caller's own files, never through a recorded seam: what comes out of here may hold a
 * password and goes to the live SQL backend only. Knows nothing of facts. */
#ifndef NVADVISE_PROBES_LOGIN_H
#define NVADVISE_PROBES_LOGIN_H

#include "probes/host/host.h"
#include "probes/optfile.h"

#define LOGIN_SYSTEM_FILE "/etc/nvadvise/client.cnf"

/* From the command line; NULL and 0 = not given. */
struct login_options {
    const char *socket, *host, *defaults_file, *user;
    unsigned port;
    unsigned timeout_s;
};

/* From the environment; NULL = not set. */
struct login_env {
    const char *home;          /* HOME */
    const char *defaults_file; /* NVADVISE_DEFAULTS_FILE */
    const char *password;      /* MYSQL_PWD */
};

struct login {
    struct host_sql_login sql;
    /* The command line, or the file that it or the environment names, says which server is meant.
     */
    bool named;
    const char *file;      /* the file that was used, or NULL */
    const char **warnings; /* sentences without full stop */
    size_t n_warnings;
};

/* HOME, NVADVISE_DEFAULTS_FILE and MYSQL_PWD of this process. */
struct login_env login_env_get(void);

/* Reader of this machine's files for optfile: regular files of at most OPTFILE_BYTES_MAX bytes. The
 * arena is its ctx and owns what is read. */
struct optfile_io login_io(struct arena *a, const char *home);

/* Put it all together. File: --defaults-file, else $NVADVISE_DEFAULTS_FILE, else the first that is
 * there of LOGIN_SYSTEM_FILE and ~/.my.cnf; a file that was named must be readable. Groups
 * [client], [client-server], [client-mariadb], and [nvadvise], which beats them. Names: user,
 * password, socket, host, port, ssl, ssl-ca, ssl-cert, ssl-key, ssl-mode, ssl-verify-server-cert.
 * The command line beats the file, the file beats MYSQL_PWD (which is taken, with a warning). A
 * socket named in the client groups of /etc/my.cnf or /etc/mysql/my.cnf serves as a last hint; no
 * other word of these is used.
 *
 * A host of "localhost" without a port on the command line means the local socket, as in the
 * servers' own clients. A host given where a socket is given too (by the same source): the command
 * line's is E_USAGE, a file's local host gives way to the socket.
 *
 * Refuses a file that holds a password and that others may read (E_DENIED, with the chmod as hint);
 * the group may read LOGIN_SYSTEM_FILE. */
ATTR_NODISCARD bool login_resolve(struct arena *a, const struct login_options *opt,
                                  const struct login_env *env, const struct optfile_io *io,
                                  struct login *ret, struct err *reterr);

#endif
