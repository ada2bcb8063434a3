/* Option files made of a table, for tests of their readers. */
#ifndef NVADVISE_TESTS_LIB_FAKEFILES_H
#define NVADVISE_TESTS_LIB_FAKEFILES_H

#include "probes/optfile.h"

struct fake_file {
    const char *path; /* NULL ends the table */
    const char *text; /* NULL: may not be opened */
    uint32_t mode;    /* permission bits; 0 = 0644 */
};

/* Reader of the table (borrowed); a directory is what its files' paths say. */
struct optfile_io fakefiles_io(struct arena *a, const struct fake_file *files, const char *home);

#endif
