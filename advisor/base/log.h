/* Messages to people on stderr. Library layers use log_debug only. */
#ifndef NVADVISE_ADVISOR_BASE_LOG_H
#define NVADVISE_ADVISOR_BASE_LOG_H

#include "advisor/base/attr.h"
#include "advisor/base/err.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

void log_set_level(enum log_level level); /* default LOG_WARN */
bool log_enabled(enum log_level level);
void log_msg(enum log_level level, const char *fmt, ...) ATTR_PRINTF(2, 3);

/* "nvadvise: OUTER FRAME: … : text", then "hint: …" on a line of its own. */
void log_err(const struct err *err);

#define log_debug(...) log_msg(LOG_DEBUG, __VA_ARGS__)
#define log_warn(...) log_msg(LOG_WARN, __VA_ARGS__)

#endif
