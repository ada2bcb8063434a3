/* See redactkey.h. Two runs that make the key at once agree: a link fails where the name is taken.
 */
#include "advisor/cli/redactkey.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/base/file.h"

#include "advisor/base/banned.h"

static bool make_random(struct redact_key *ret, struct err *reterr)
{
    size_t done = 0;
    while (done < sizeof(ret->bytes)) {
        const ssize_t n = getrandom(ret->bytes + done, sizeof(ret->bytes) - done, 0);
        if (n < 0 && errno != EINTR) {
            return err_set_errno(reterr, errno, "cannot make a random key");
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool refuse(struct err *reterr, enum err_code code, const char *path, const char *why)
{
    err_set(reterr, code, "key of pseudonyms '%s': %s", path, why);
    return err_hint(reterr, "Remove it to begin with a new key, or run with --no-state.");
}

static bool read_key(const char *path, struct redact_key *ret, struct err *reterr)
{
    FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        return err_set_errno(reterr, errno, "cannot read the key of pseudonyms '%s'", path);
    }
    if (!S_ISREG(st.st_mode) || st.st_uid != geteuid()) {
        return refuse(reterr, E_DENIED, path, "not a file of your own");
    }
    if ((st.st_mode & 077) != 0) {
        return refuse(reterr, E_DENIED, path, "others may read or change it");
    }
    uint8_t bytes[sizeof(ret->bytes) + 1];
    const ssize_t n = read(fd, bytes, sizeof(bytes));
    if (n != (ssize_t)sizeof(ret->bytes)) {
        return refuse(reterr, E_CORRUPT, path, "not 32 bytes");
    }
    memcpy(ret->bytes, bytes, sizeof(ret->bytes));
    return true;
}

/* A whole file of another name, then linked to the right one. */
static bool make_key(struct arena *a, const char *path, struct err *reterr)
{
    struct redact_key key;
    const char *const temp = arena_printf(a, "%s.%ld", path, (long)getpid());
    if (!make_random(&key, reterr) ||
        !file_replace(temp, (struct span){(const char *)key.bytes, sizeof(key.bytes)}, 0600,
                      reterr)) {
        return false;
    }
    const bool ok = link(temp, path) == 0 || errno == EEXIST;
    const int e = errno;
    (void)unlink(temp);
    return ok || err_set_errno(reterr, e, "cannot keep the key of pseudonyms '%s'", path);
}

bool redact_key_load(struct arena *a, const char *state_dir, struct redact_key *ret,
                     struct err *reterr)
{
    struct redact_key key;
    if (state_dir == NULL) {
        return make_random(ret, reterr);
    }
    const char *const path = arena_printf(a, "%s/" REDACT_KEY_FILE, state_dir);
    if (!read_key(path, &key, reterr)) {
        if (reterr->code != E_ABSENT || !make_key(a, path, reterr) ||
            !read_key(path, &key, reterr)) {
            return false;
        }
    }
    *ret = key;
    return true;
}
