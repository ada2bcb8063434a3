/* Error objects. Knows errno, nothing of files, servers or the program around it. */
#include "advisor/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "advisor/base/banned.h"

static ATTR_PRINTF(2, 0) void set_text(struct err *err, const char *fmt, va_list args)
{
    /* Through a local text: arguments may point into *err itself. */
    char text[ERR_TEXT_MAX];

    if (vsnprintf(text, sizeof(text), fmt, args) < 0)
        text[0] = '\0';
    *err = ERR_INIT;
    memcpy(err->text, text, strlen(text) + 1);
}

bool err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
    const int saved = errno;
    va_list args;

    va_start(args, fmt);
    set_text(err, fmt, args);
    va_end(args);
    err->code = code;
    errno = saved;
    return false;
}

bool err_set_errno(struct err *err, int e, const char *fmt, ...)
{
    const int saved = errno;
    char room[128];
    va_list args;

    va_start(args, fmt);
    set_text(err, fmt, args);
    va_end(args);
    err->code = err_code_from_errno(e);
    err->sys_errno = e;

    const char *const meaning = strerror_r(e, room, sizeof(room));
    const size_t len = strlen(err->text);

    snprintf(err->text + len, sizeof(err->text) - len, ": %s", meaning);
    errno = saved;
    return false;
}

enum err_code err_code_from_errno(int e)
{
    static const struct {
        int e;
        enum err_code code;
    } map[] = {
        {ENOENT, E_ABSENT},
        {EACCES, E_DENIED},
        {EPERM, E_DENIED},
        {ENOSPC, E_FULL},
        {EDQUOT, E_FULL},
        {ETIMEDOUT, E_TIMEOUT},
        {EOPNOTSUPP, E_NOT_SUPPORTED},
        {ENOTTY, E_NOT_SUPPORTED},
        {ENOSYS, E_NOT_SUPPORTED},
    };

    for (size_t i = 0; i < ARRAY_LEN(map); i++) {
        if (map[i].e == e)
            return map[i].code;
    }
    return E_IO;
}

bool err_hint(struct err *err, const char *fmt, ...)
{
    const int saved = errno;
    va_list args;

    va_start(args, fmt);
    if (vsnprintf(err->hint, sizeof(err->hint), fmt, args) < 0)
        err->hint[0] = '\0';
    va_end(args);
    errno = saved;
    return false;
}

bool err_wrap(struct err *err, const char *fmt, ...)
{
    const int saved = errno;
    va_list args;

    if (err->n_frames >= ERR_FRAMES_MAX)
        return false;

    char *const frame = err->frames[err->n_frames++];

    va_start(args, fmt);
    if (vsnprintf(frame, ERR_FRAME_MAX, fmt, args) < 0)
        frame[0] = '\0';
    va_end(args);
    errno = saved;
    return false;
}

const char *err_code_name(enum err_code code)
{
    static const char *const names[E_CODES] = {
        [E_NONE] = "no error",
        [E_USAGE] = "wrong use",
        [E_ABSENT] = "absent",
        [E_DENIED] = "not permitted",
        [E_NOT_SUPPORTED] = "not supported",
        [E_TIMEOUT] = "timed out",
        [E_TOO_BIG] = "too big",
        [E_SYNTAX] = "malformed",
        [E_IO] = "input or output failed",
        [E_FULL] = "no space left",
        [E_BUSY] = "in use",
        [E_CUT] = "ends too early",
        [E_CORRUPT] = "corrupt",
        [E_CONNECT] = "cannot be reached",
        [E_LOGIN] = "login refused",
        [E_CRASHED] = "crashed",
        [E_LIMIT] = "limit reached",
        [E_INTERNAL] = "internal error",
    };
    const size_t i = (size_t)code;

    return i < E_CODES ? names[i] : "unknown error";
}
