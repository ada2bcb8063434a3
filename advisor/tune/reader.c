/* Reading as the server's user: the kernel checks files against the filesystem ids, which can be changed and
 * changed back, so no child is needed. */
#include "advisor/tune/reader.h"

#include <grp.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/types.h>
#include <unistd.h>

#include "advisor/base/parse.h"
#include "probes/host/host.h"

#include "advisor/base/banned.h"

#define GROUPS_MAX 256u
#define WORDS_MAX 4096u

struct reader {
    struct host *host;
    struct arena *arena;
    uint64_t pid;
    uid_t uid;
    gid_t gid;
    gid_t groups[GROUPS_MAX];
    size_t n_groups;
    bool switches; /* we may take other ids */
    struct optfile_io io;
    struct server_options_input input;
};

struct own_ids {
    gid_t groups[GROUPS_MAX];
    int n;
};

static void enter(struct reader *r, struct own_ids *own)
{
    if (!r->switches) {
        return;
    }
    own->n = getgroups(GROUPS_MAX, own->groups);
    (void)setgroups(r->n_groups, r->groups);
    (void)setfsgid(r->gid);
    (void)setfsuid(r->uid);
}

static void leave(struct reader *r, const struct own_ids *own)
{
    if (!r->switches) {
        return;
    }
    (void)setfsuid(geteuid());
    (void)setfsgid(getegid());
    if (own->n >= 0) {
        (void)setgroups((size_t)own->n, own->groups);
    }
}

static bool read_file(void *ctx, const char *path, struct optfile_text *ret, struct err *reterr)
{
    struct reader *r = ctx;
    struct own_ids own;
    struct host_optfile f;
    enter(r, &own);
    const bool ok = server_takes_whole_lines(&r->input)
                        ? host_optfile_whole(r->host, path, &f, reterr)
                        : host_optfile(r->host, path, &f, reterr);
    leave(r, &own);
    if (ok) {
        *ret = (struct optfile_text){.bytes = f.text, .mode = f.mode, .uid = f.uid, .gid = f.gid};
    }
    return ok;
}

static bool list_dir(void *ctx, const char *path, struct host_names *ret, struct err *reterr)
{
    struct reader *r = ctx;
    struct own_ids own;
    enter(r, &own);
    const bool ok = host_list(r->host, path, ret, reterr);
    leave(r, &own);
    return ok;
}

bool reader_can_read(struct reader *r, const char *path, struct err *reterr)
{
    struct optfile_text ignored;
    return read_file(r, path, &ignored, reterr);
}

/* ---- the process ----------------------------------------------------------------------------- */

static const char *of_process(struct reader *r, const char *what)
{
    return arena_printf(r->arena, "/proc/%llu/%s", (unsigned long long)r->pid, what);
}

static bool read_words(struct reader *r, struct err *reterr)
{
    struct span text, word;
    if (!host_read(r->host, of_process(r, "cmdline"), HOST_PROC_MAX, &text, reterr)) {
        return false;
    }
    struct span *words = NULL;
    size_t n = 0;
    while (n < WORDS_MAX && span_split(&text, '\0', &word)) {
        words = arena_list_room(r->arena, words, n, sizeof(*words));
        words[n++] = word;
    }
    r->input.args = words;
    r->input.n_args = n;
    return true;
}

/* Without them nobody can say which files the server reads. */
static bool read_environment(struct reader *r, struct err *reterr)
{
    struct span text;
    if (!host_read(r->host, of_process(r, "environ"), HOST_PROC_MAX, &text, reterr)) {
        return err_wrap(reterr, "reading which option files the server looks for");
    }
    server_options_environment(r->arena, text, &r->input);
    return true;
}

static bool read_groups(struct reader *r, struct err *reterr)
{
    struct span text;
    if (!host_read(r->host, of_process(r, "status"), 0, &text, reterr)) {
        return false;
    }
    r->n_groups = server_options_groups(text, r->groups, GROUPS_MAX);
    return true;
}

static bool read_persisted(void *ctx, const char *path, struct span *ret, struct err *reterr)
{
    struct reader *r = ctx;
    struct host_optfile f;
    if (!host_persisted(r->host, path, &f, reterr)) {
        return false;
    }
    *ret = f.text;
    return true;
}

/* A server that root started reads its files before it becomes another user; its files in /proc stay root's. */
static bool started_as_root(struct reader *r)
{
    struct host_stat st;
    struct err ignored = ERR_INIT;
    const char *proc = arena_printf(r->arena, "/proc/%llu/status", (unsigned long long)r->pid);
    return r->uid != 0 && host_stat(r->host, proc, &st, &ignored) && st.uid == 0;
}

bool reader_open(struct arena *a, const struct next *n, const char *datadir,
                 struct reader **ret_reader, struct place_input *ret, struct err *reterr)
{
    struct reader *r = arena_alloc(a, sizeof(*r));
    *r = (struct reader){
        .host = host_live_new(a, NULL),
        .arena = a,
        .pid = n->pid,
        .uid = n->uid,
        .gid = n->gid,
        .input = {.mariadb = n->flavour == FLAVOUR_MARIADB, .version = n->version,
                  .exe = n->binary, .datadir = datadir},
    };
    struct place_input in = {
        .target = {.flavour = n->flavour, .version = n->version},
        .persisted = read_persisted,
        .persisted_ctx = r,
    };
    struct span said;
    const char *root = arena_printf(a, "root %llu", (unsigned long long)n->pid);
    if (!host_open(r->host, root, &said, reterr) || !read_words(r, reterr) ||
        !read_environment(r, reterr) || !read_groups(r, reterr)) {
        host_live_close(r->host);
        return false;
    }
    r->input.started_as_root = started_as_root(r);
    r->switches = geteuid() == 0 && !r->input.started_as_root;
    r->io = (struct optfile_io){
        .ctx = r, .home = r->input.home, .read = read_file, .list = list_dir};
    in.io = &r->io;
    in.server = &r->input;
    *ret = in;
    *ret_reader = r;
    return true;
}

void reader_close(struct reader *r)
{
    host_live_close(r->host);
}

/* ---- security modules ------------------------------------------------------------------------ */

#define PROFILES_DIR "/proc/self/root/etc/apparmor.d"

/* A profile names the directory by itself or by one above it, with two stars behind. A plain search: it is
 * a note for people, not a verdict. */
static bool names_dir(struct arena *a, struct span profile, const char *dir)
{
    static const char *const ends[] = {"/** ", "/* ", "/*.cnf ", "/{,**} "};
    const char *text = span_dup(a, profile);
    char *part = arena_strdup(a, dir);
    for (char *slash = part + strlen(part); slash != NULL && slash != part;
         slash = strrchr(part, '/')) {
        *slash = '\0';
        for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
            if (strstr(text, arena_printf(a, "%s%s", part, ends[i])) != NULL) {
                return true;
            }
        }
    }
    return false;
}

static bool some_profile_names(struct reader *r, const char *dir)
{
    static const char *const folders[] = {PROFILES_DIR, PROFILES_DIR "/local",
                                          PROFILES_DIR "/abstractions"};
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        struct host_names names;
        struct err ignored = ERR_INIT;
        if (!host_list(r->host, folders[i], &names, &ignored)) {
            continue;
        }
        for (size_t k = 0; k < names.n; k++) {
            struct span text;
            const char *path =
                arena_printf(r->arena, "%s/%.*s", folders[i], SPAN_ARG(names.names[k]));
            const bool about_it = memmem(names.names[k].ptr, names.names[k].len, "mysql", 5) ||
                                  memmem(names.names[k].ptr, names.names[k].len, "maria", 5);
            if (about_it && host_read(r->host, path, 0, &text, &ignored) &&
                names_dir(r->arena, text, dir)) {
                return true;
            }
        }
    }
    return false;
}

const char *reader_confinement(struct reader *r, const char *dir)
{
    struct span text;
    struct err ignored = ERR_INIT;
    if (!host_read(r->host, of_process(r, "attr/apparmor/current"), 0, &text, &ignored) &&
        !host_read(r->host, of_process(r, "attr/current"), 0, &text, &ignored)) {
        return "";
    }
    const struct span profile = span_trim(text);
    if (!span_ends(profile, " (enforce)") || some_profile_names(r, dir)) {
        return "";
    }
    return arena_printf(r->arena,
                        "the server runs under the AppArmor profile '%.*s', and no profile here "
                        "names %s: allow '%s/*.cnf r,' in /etc/apparmor.d/local",
                        (int)(profile.len - strlen(" (enforce)")), profile.ptr, dir, dir);
}
