/* Shared by the files of the InnoDB status reader only: where each section of the text stands. */
#ifndef NVADVISE_PROBES_INNODB_SECTIONS_H
#define NVADVISE_PROBES_INNODB_SECTIONS_H

#include "advisor/base/str.h"

enum innodb_section {
    SECTION_HEAD, /* before the first heading */
    SECTION_BACKGROUND,
    SECTION_SEMAPHORES,
    SECTION_FOREIGN_KEY,
    SECTION_DEADLOCK,
    SECTION_TRANSACTIONS,
    SECTION_FILE_IO,
    SECTION_INSERT_BUFFER,
    SECTION_LOG,
    SECTION_BUFFER_POOL,
    SECTION_INSTANCES,
    SECTION_ROWS,
    SECTION_END,
    SECTION_OTHER,
    SECTIONS
};

struct innodb_text {
    struct span all; /* the text that the spans below lie in; blanks made plain, lines restored */
    struct span section[SECTIONS]; /* from behind the heading to the next one */
    bool has[SECTIONS];            /* the heading is there and can be trusted */
};

/* Split; `raw` may be any bytes. */
void innodb_sections_find(struct arena *a, struct span raw, struct innodb_text *ret);

/* The line without what pastes put around it: blanks, '#', '>', '|', '*', '-', '='. */
struct span innodb_bare_line(struct span line);

#endif
