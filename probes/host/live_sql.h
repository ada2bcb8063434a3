/* The parts of the live SQL backend that need no server, so that they can be tested without one. */
#ifndef NVADVISE_PROBES_HOST_LIVE_SQL_H
#define NVADVISE_PROBES_HOST_LIVE_SQL_H

#include "advisor/base/err.h"

/* What a server's or client library's error number means for a statement, and for a connection. */
enum err_code sql_code_of_statement(unsigned number);
enum err_code sql_code_of_connect(unsigned number);

#endif
