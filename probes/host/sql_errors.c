/* Error numbers of servers and client libraries, as our codes. Numbers below 2000 and from 3000 on
 * are the server's, 2000 to 2999 the library's; both flavours and both libraries share these. */
#include "probes/host/live_sql.h"

#include "advisor/base/banned.h"

struct number {
    unsigned number;
    enum err_code code;
};

/* Not supported is what a server may lack. That it does not understand a statement which its version
 * should (1054, 1064, 1193, 1231) tells nothing of it but that it is another server than it says. */
static const struct number statement_numbers[] = {
    {1044, E_DENIED},        /* access to a schema */
    {1045, E_DENIED},        /* access at all */
    {1142, E_DENIED},        /* a table */
    {1143, E_DENIED},        /* a column */
    {1227, E_DENIED},        /* a privilege such as PROCESS */
    {1370, E_DENIED},        /* a routine */
    {1445, E_DENIED},        /* a view's tables */
    {1049, E_NOT_SUPPORTED}, /* no such schema */
    {1109, E_NOT_SUPPORTED}, /* no such table of information_schema */
    {1146, E_NOT_SUPPORTED}, /* no such table */
    {1235, E_NOT_SUPPORTED}, /* not in this version */
    {1286, E_NOT_SUPPORTED}, /* no such engine */
    {1289, E_NOT_SUPPORTED}, /* feature not built in */
    {1205, E_TIMEOUT},       /* lock_wait_timeout */
    {1317, E_TIMEOUT},       /* interrupted */
    {1969, E_TIMEOUT},       /* max_statement_time */
    {3024, E_TIMEOUT},       /* max_execution_time */
    {1053, E_CONNECT},       /* the server shuts down */
    {1927, E_CONNECT},       /* the connection was killed */
    {4031, E_CONNECT},       /* disconnected for being idle */
};

static const struct number connect_numbers[] = {
    {1040, E_CONNECT}, /* too many connections */
    {1053, E_CONNECT}, /* the server shuts down */
    {1203, E_CONNECT}, /* the account has too many */
    {1226, E_CONNECT}, /* the account has used up its share */
    {2059, E_LOGIN},   /* its way of authentication is not here */
    {2061, E_LOGIN},   /* authentication needs a secure connection */
};

static enum err_code look_up(const struct number *list, size_t n, unsigned number,
                             enum err_code other)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i].number == number) {
            return list[i].code;
        }
    }
    return other;
}

static bool is_library_number(unsigned number)
{
    return number >= 2000 && number < 3000;
}

/* Of the library's own numbers: gone away, lost, malformed packet, out of step: the connection
 * cannot be used any more. */
enum err_code sql_code_of_statement(unsigned number)
{
    return look_up(statement_numbers, ARRAY_LEN(statement_numbers), number,
                   is_library_number(number) ? E_CONNECT : E_IO);
}

enum err_code sql_code_of_connect(unsigned number)
{
    return look_up(connect_numbers, ARRAY_LEN(connect_numbers), number,
                   is_library_number(number) ? E_CONNECT : E_LOGIN);
}
