/* The text of SHOW ENGINE INNODB STATUS as numbers: every layout from MySQL 5.0 to 9.7, Percona
 * Server and MariaDB, whole, cut, pasted, indented, with Windows line ends or with its lines lost.
 *
 * What is not in the text is not known; nothing is taken for 0. Knows no facts and no host. */
#ifndef NVADVISE_PROBES_INNODB_STATUS_H
#define NVADVISE_PROBES_INNODB_STATUS_H

#include "advisor/base/num.h"
#include "advisor/base/str.h"

/* Positions are byte offsets in the redo log; "per second" values are over avg_seconds, and with
 * avg_seconds 0 they say nothing. */
enum innodb_key {
    INNODB_LSN,
    INNODB_LSN_FLUSHED,
    INNODB_LSN_PAGES_FLUSHED,
    INNODB_LSN_CHECKPOINT,
    INNODB_CHECKPOINT_AGE,     /* lsn - lsn_checkpoint */
    INNODB_MAX_CHECKPOINT_AGE, /* Percona Server */
    INNODB_LOG_PENDING_FLUSHES,
    INNODB_LOG_IOS_PER_SEC,
    INNODB_HISTORY_LIST_LENGTH,
    INNODB_BP_PAGES_TOTAL, /* this and the next: of all instances together, never of one */
    INNODB_BP_PAGES_FREE,
    INNODB_BP_PAGES_DATA,
    INNODB_BP_PAGES_DIRTY,
    INNODB_BP_INSTANCES_LISTED,
    INNODB_BP_PENDING_READS,
    INNODB_BP_PENDING_WRITES_LRU,
    INNODB_BP_PENDING_WRITES_FLUSH_LIST,
    INNODB_BP_PAGES_READ,
    INNODB_BP_PAGES_CREATED,
    INNODB_BP_PAGES_WRITTEN,
    INNODB_BP_READS_PER_SEC,
    INNODB_BP_CREATES_PER_SEC,
    INNODB_BP_WRITES_PER_SEC,
    INNODB_HIT_RATE_PER_MILLE,    /* 0 to 1000 as printed */
    INNODB_IO_PENDING_AIO_READS,  /* sum over the threads */
    INNODB_IO_PENDING_AIO_WRITES, /* sum over the threads */
    INNODB_IO_PENDING_FLUSH_LOG,
    INNODB_IO_PENDING_FLUSH_BP, /* or the single number of newer MariaDB */
    INNODB_OS_FILE_READS,
    INNODB_OS_FILE_WRITES,
    INNODB_OS_FSYNCS,
    INNODB_OS_AVG_BYTES_PER_READ,
    INNODB_OS_READS_PER_SEC,
    INNODB_OS_WRITES_PER_SEC,
    INNODB_OS_FSYNCS_PER_SEC,
    INNODB_ROWS_INSERTED, /* user rows, not those of system tables */
    INNODB_ROWS_UPDATED,
    INNODB_ROWS_DELETED,
    INNODB_ROWS_READ,
    INNODB_ROW_INSERTS_PER_SEC,
    INNODB_ROW_UPDATES_PER_SEC,
    INNODB_ROW_DELETES_PER_SEC,
    INNODB_ROW_READS_PER_SEC,
    INNODB_SEMAPHORE_WAITS, /* 0 when the section is there and lists none */
    INNODB_SEMAPHORE_LONGEST_WAIT_SEC,
    INNODB_AVG_SECONDS,
    INNODB_KEYS
};

struct innodb_status {
    bool known[INNODB_KEYS];
    struct num value[INNODB_KEYS]; /* where known; never negative */
    unsigned n_known;
    struct span captured_at;  /* as printed, blanks squeezed; empty: no header */
    bool has_header, has_end; /* both: the text is complete */
    bool has_deadlock_section, has_foreign_key_section;
};

/* The last part of the fact's name: "lsn", "bp_pages_total". */
const char *innodb_key_name(enum innodb_key k);

/* Read any text; what it does not hold stays unknown. Looks at the first 4 MiB, and at the first
 * output when several stand one behind the other. Statements of users that imitate headings do not
 * bring their numbers in. */
void innodb_status_read(struct arena *a, struct span text, struct innodb_status *ret);

#endif
