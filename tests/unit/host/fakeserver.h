/* A server of the MySQL protocol that says what a test wants, on a unix socket, in a child. */
#ifndef NVADVISE_TESTS_UNIT_HOST_FAKESERVER_H
#define NVADVISE_TESTS_UNIT_HOST_FAKESERVER_H

#include <stdbool.h>
#include <sys/types.h>

enum fake_answer {
    ANSWER_GOOD,          /* columns "name" and "value": ("init_connect", "s3cret"), ("x", NULL) */
    ANSWER_ENDLESS,       /* rows without end */
    ANSWER_BIG_ROW,       /* one row of 16 MB */
    ANSWER_DENIED,        /* error 1227 */
    ANSWER_NO_TABLE,      /* error 1146 */
    ANSWER_MANY_COLUMNS,  /* announces 2^40 of them */
    ANSWER_CUT,           /* hangs up inside a row */
    ANSWER_BROKEN_ROW,    /* a cell longer than its packet */
    ANSWER_SILENCE,       /* nothing at all */
    ANSWER_GUARD_REFUSED, /* error 1193 to SET */
    ANSWER_GARBAGE,       /* bytes that are no packet */
};

/* Serves one connection; `greeting` NULL: a well-formed one of version 8.0.36, else these bytes and the
 * end. */
pid_t fakeserver_start(const char *socket_path, const char *greeting, size_t n_greeting,
                       enum fake_answer answer);
void fakeserver_stop(pid_t pid);

#endif
