/* The next binary, from the running process. */
#include "advisor/tune/next.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "advisor/scratch/validate.h"

#include "advisor/base/banned.h"

static bool known(const struct fact *f)
{
    return f != NULL && f->state == FACT_KNOWN;
}

static bool number_of(const struct store *s, const struct subject *server, const char *name,
                      uint64_t *ret, struct err *reterr)
{
    const struct fact *f = store_get(s, server, span_of(name));
    if (known(f) && num_to_u64(f->value.num, ret)) {
        return true;
    }
    const char *why = f != NULL && f->state != FACT_KNOWN ? f->reason : "";
    err_set(reterr, E_DENIED, "the process of '%s' is not known%s%s", server->label,
            why[0] != '\0' ? ": " : "", why);
    return err_hint(reterr, "Run as root on the server's own machine.");
}

static void read_running(const struct store *s, const struct subject *server, struct next *n)
{
    const struct fact *flavour = store_get(s, server, SPAN_LIT("server.flavour"));
    const struct fact *version = store_get(s, server, SPAN_LIT("server.version"));
    n->has_running = known(flavour) && known(version) &&
                     flavour_from_name(flavour->value.text, &n->running_flavour);
    if (n->has_running) {
        n->running_version = version->value.version;
    }
}

static bool elsewhere(const struct subject *server, const char *what, struct err *reterr)
{
    err_set(reterr, E_NOT_SUPPORTED,
            "'%s' runs in a container or a root of its own: %s there is not the one here",
            server->label, what);
    return err_hint(reterr, "Put the drop-in where that root or image keeps its option files.");
}

static bool same_file(uint64_t pid, const char *path, bool *ret, struct err *reterr)
{
    struct stat here, there;
    ARENA_AUTO a = arena_new();
    const char *seen = arena_printf(a, "/proc/%llu/root%s", (unsigned long long)pid, path);
    if (stat(path, &here) != 0) {
        return err_set_errno(reterr, errno, "cannot look at '%s'", path);
    }
    if (stat(seen, &there) != 0) {
        return err_set_errno(reterr, errno, "cannot look at '%s'", seen);
    }
    *ret = here.st_dev == there.st_dev && here.st_ino == there.st_ino;
    return true;
}

bool next_sees(const struct next *n, const char *path, struct err *reterr)
{
    bool same = false;
    if (!same_file(n->pid, path, &same, reterr)) {
        return false;
    }
    if (same) {
        return true;
    }
    err_set(reterr, E_NOT_SUPPORTED, "the server sees another '%s' than this one", path);
    return err_hint(reterr, "Its service has mounts of its own; put the drop-in there by hand.");
}

/* A server that was started by a loader has that for its binary, and which program it was given cannot be
 * told for the next start. */
static bool is_loader(const char *path)
{
    const char *base = strrchr(path, '/');
    return base != NULL && (strncmp(base, "/ld-", 4) == 0 || strncmp(base, "/ld.", 4) == 0);
}

/* Another file stands where the running one was started from. */
static bool is_replaced(uint64_t pid, const struct stat *now)
{
    struct stat running;
    ARENA_AUTO a = arena_new();
    return stat(arena_printf(a, "/proc/%llu/exe", (unsigned long long)pid), &running) == 0 &&
           (running.st_dev != now->st_dev || running.st_ino != now->st_ino);
}

static bool find_binary(const struct store *s, const struct subject *server, struct arena *a,
                        struct next *n, struct err *reterr)
{
    const struct fact *exe = store_get(s, server, SPAN_LIT("server.process.exe"));
    const struct fact *replaced = store_get(s, server, SPAN_LIT("server.process.binary_replaced"));
    if (!known(exe) || !known(replaced)) {
        err_set(reterr, E_DENIED, "the binary of '%s' is not known", server->label);
        return err_hint(reterr, "Run as root on the server's own machine.");
    }
    n->binary = span_dup(a, exe->value.text);
    n->replaced = replaced->value.boolean;
    if (n->binary[0] != '/' || is_loader(n->binary)) {
        return err_set(reterr, E_NOT_SUPPORTED, "'%s' was started by '%s': which binary starts "
                                                "next cannot be told", server->label, n->binary);
    }
    bool same = false;
    if (!same_file(n->pid, "/", &same, reterr)) {
        return false;
    }
    if (!same) {
        return elsewhere(server, "the root directory", reterr);
    }
    struct stat st;
    if (stat(n->binary, &st) != 0 && errno == ENOENT) {
        err_set(reterr, E_ABSENT, "the binary '%s' is gone, so what starts next cannot be asked",
                n->binary);
        return err_hint(reterr, "Finish the upgrade, restart the server, then try again.");
    }
    if (!same_file(n->pid, n->binary, &same, reterr)) {
        return false;
    }
    n->replaced = n->replaced || is_replaced(n->pid, &st);
    return same || elsewhere(server, "its binary", reterr);
}

bool next_find(const struct store *s, const struct subject *server, struct arena *a,
               struct next *ret, struct err *reterr)
{
    struct next *n = ret;
    uint64_t uid = 0, gid = 0;
    *n = (struct next){.binary = "", .text = ""};
    read_running(s, server, n);
    if (!number_of(s, server, "server.pid", &n->pid, reterr) ||
        !number_of(s, server, "server.process.uid", &uid, reterr) ||
        !number_of(s, server, "server.process.gid", &gid, reterr)) {
        return false;
    }
    n->uid = (uint32_t)uid;
    n->gid = (uint32_t)gid;
    if (!find_binary(s, server, a, n, reterr) ||
        !binary_version(n->binary, n->uid, n->gid, a, &n->flavour, &n->version, &n->text,
                        reterr)) {
        return false;
    }
    n->has_next = true;
    n->differs = n->has_running && (n->flavour != n->running_flavour ||
                                    version_cmp(&n->version, &n->running_version) != 0);
    return true;
}
