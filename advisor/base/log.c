/* Messages to people on stderr, one write each, made harmless for terminals.
 * Must not know what the messages are about. */
#include "advisor/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/str.h"

#include "advisor/base/banned.h"

#define MESSAGE_MAX 4096
#define OUTPUT_MAX (4 * MESSAGE_MAX)

static enum log_level current_level = LOG_WARN;

void log_set_level(enum log_level level)
{
    current_level = level;
}

bool log_enabled(enum log_level level)
{
    return level <= current_level;
}

static const char *level_prefix(enum log_level level)
{
    switch (level) {
    case LOG_WARN:
        return "warning: ";
    case LOG_DEBUG:
        return "debug: ";
    case LOG_ERROR:
    case LOG_INFO:
        break;
    }
    return "";
}

/* Nothing can be done about a stderr that takes nothing. */
static void write_stderr(const struct buf *b)
{
    size_t done = 0;
    while (done < b->len) {
        const ssize_t n = write(STDERR_FILENO, b->ptr + done, b->len - done);
        if (n <= 0) {
            if (n < 0 && errno == EINTR) {
                continue;
            }
            return;
        }
        done += (size_t)n;
    }
}

void log_msg(enum log_level level, const char *fmt, ...)
{
    if (!log_enabled(level)) {
        return;
    }
    const int saved = errno;
    char text[MESSAGE_MAX];
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    ARENA_AUTO a = arena_new();
    struct buf b;
    buf_init(&b, a, OUTPUT_MAX);
    buf_add_text(&b, "nvadvise: ");
    buf_add_text(&b, level_prefix(level));
    buf_add_escaped(&b, span_of(n < 0 ? fmt : text));
    buf_add_char(&b, '\n');
    write_stderr(&b);
    errno = saved;
}

void log_err(const struct err *err)
{
    ARENA_AUTO a = arena_new();
    struct buf b;
    buf_init(&b, a, OUTPUT_MAX);
    buf_add_text(&b, "nvadvise: ");
    for (unsigned i = err->n_frames; i > 0; i--) {
        buf_add_escaped(&b, span_of(err->frames[i - 1]));
        buf_add_text(&b, ": ");
    }
    buf_add_escaped(&b, span_of(err->text));
    buf_add_char(&b, '\n');
    if (err->hint[0] != '\0') {
        buf_add_text(&b, "hint: ");
        buf_add_escaped(&b, span_of(err->hint));
        buf_add_char(&b, '\n');
    }
    write_stderr(&b);
}
