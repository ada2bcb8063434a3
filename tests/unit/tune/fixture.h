/* A directory of option files and a state directory of a test's own. Root only: other users' directories
 * are refused by what is tested. */
#ifndef NVADVISE_TESTS_UNIT_TUNE_FIXTURE_H
#define NVADVISE_TESTS_UNIT_TUNE_FIXTURE_H

#include "advisor/tune/install.h"

struct place_here {
    struct arena *arena;
    char top[64];
    const char *conf, *state;
};

/* Setup and teardown for cmocka; the test is skipped where the caller is not root. */
int here_make(void **state);
int here_drop(void **state);
void here_need_root(void);

/* Everything in a directory: names, types, modes, owners, times, bytes. */
const char *here_snapshot(struct arena *a, const char *dir);

void here_put(const struct place_here *h, const char *name, const char *text, mode_t mode);
struct tune_dir here_open(struct place_here *h, bool for_change);
bool here_write(struct place_here *h, const char *text, bool force, bool *ret_changed,
                struct err *err);
bool here_undo(struct place_here *h, bool force, bool *ret_changed, struct err *err);
struct tune_look here_look(struct place_here *h);

void here_assert_state(struct place_here *h, enum tune_state want);

/* The directory is as `before`, whatever was there; `at`: the act at which something happened. */
void here_assert_mended(struct place_here *h, const char *before, unsigned at);

#define HERE_TEXT "# zz-nvadvise.cnf: made by nvadvise 1\n[mysqld]\nmax_connections = 200\n"
#define HERE_TEXT_2 "# zz-nvadvise.cnf: made by nvadvise 1\n[mysqld]\nmax_connections = 300\n"

#endif
