/* See scratch.h: the folder, its room, its marker, and questions to the program. */
#include "advisor/scratch/scratch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "advisor/scratch/confine.h"
#include "advisor/scratch/marker.h"
#include "advisor/scratch/room.h"
#include "advisor/scratch/scratch_int.h"

#include "advisor/base/banned.h"

#define TIMEOUT_S                                                                                  \
    120u /* MySQL initialises in 41 s at a load of 30, and this one is last in every queue */
#define OUTPUT_MAX ((size_t)2 * 1024 * 1024) /* MySQL's --verbose --help prints some 200 KiB */
#define LOG_MAX ((size_t)256 * 1024)
#define CLOSE_MS 2000u

unsigned scratch_step_ms(const struct scratch_server *s)
{
    return (s->plan.timeout_s != 0 ? s->plan.timeout_s : TIMEOUT_S) * 1000;
}

void scratch_note(struct scratch_server *s, const char *text)
{
    if (text[0] != '\0' && (s->notes.ptr == NULL || strstr(s->notes.ptr, text) == NULL)) {
        buf_printf(&s->notes, "%s%s", s->notes.len > 0 ? "\n" : "", text);
    }
}

const char *scratch_notes(const struct scratch_server *s)
{
    return s->notes.ptr != NULL ? s->notes.ptr : "";
}

const char *scratch_folder(const struct scratch_server *s)
{
    return s->tree.own;
}

const char *scratch_socket(const struct scratch_server *s)
{
    return s->socket;
}

/* ---- opening and closing --------------------------------------------------------------------- */

static bool check_plan(const struct scratch_plan *p, struct err *reterr)
{
    struct stat st;
    if (geteuid() != 0 && geteuid() != p->uid) {
        err_set(reterr, E_DENIED, "cannot run '%s' as user %u", p->binary, p->uid);
        return err_hint(reterr, "Run nvadvise as root, or as the server's own user.");
    }
    if (p->binary[0] != '/' || stat(p->binary, &st) != 0) {
        return err_set(reterr, E_ABSENT, "there is no program '%s'", p->binary);
    }
    return (S_ISREG(st.st_mode) && (st.st_mode & 0111) != 0) ||
           err_set(reterr, E_DENIED, "'%s' is no program that can be run", p->binary);
}

static bool check_room(const struct scratch_plan *p, struct arena *a, struct err *reterr)
{
    struct room memory, disk;
    const char *const parent = p->parent != NULL ? p->parent : TREE_DEFAULT_PARENT;
    return room_memory(a, "", &memory, reterr) &&
           room_check(&memory, p->memory, ROOM_MEMORY_LEFT, "memory", reterr) &&
           room_disk(parent, &disk, reterr) &&
           room_check(&disk, p->disk, ROOM_DISK_LEFT,
                      arena_printf(a, "the filesystem of '%s'", parent), reterr);
}

static bool make_folders(struct scratch_server *s, struct err *reterr)
{
    static const char *const names[] = {"data", "tmp", "out"};
    const struct scratch_plan *const p = &s->plan;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (!tree_folder(&s->tree, names[i], p->uid, p->gid, reterr)) {
            return false;
        }
    }
    s->socket = arena_printf(s->arena, "%s/s.sock", s->tree.own);
    if (strlen(s->socket) >= sizeof(((struct sockaddr_un *)NULL)->sun_path)) {
        err_set(reterr, E_USAGE, "'%s' is too long a path for a socket", s->socket);
        return err_hint(reterr, "Name a folder with a shorter path.");
    }
    return true;
}

/* The marker names what may be made before it is: a SIGKILL in between leaves nothing unnamed. */
static bool make_cage(struct scratch_server *s, struct err *reterr)
{
    struct stat st;
    struct marker m;
    struct cage_limits l = {.name = strrchr(s->tree.path, '/') + 1,
                            .memory = s->plan.memory,
                            .disk_rate = s->plan.disk_rate,
                            .full_speed = s->plan.full_speed};
    if (fstat(s->tree.fd, &st) == 0) {
        l.disk = st.st_dev;
    }
    if (!marker_of(s->arena, 0, cage_places(s->arena, "", l.name), &m, reterr) ||
        !marker_write(s->arena, &s->tree, &m, reterr)) {
        return false;
    }
    cage_make(s->arena, "", &l, &s->cage);
    scratch_note(s, s->cage.note);
    return true;
}

/* The marker names the process before it becomes the program, so there is no moment at which a
 * SIGKILL of ours leaves one that is named nowhere. */
static bool mark(void *ctx, pid_t pid, struct err *reterr)
{
    struct scratch_server *const s = ctx;
    struct marker m;
    struct err err = ERR_INIT;
    if (!cage_enter(&s->cage, pid, &err)) {
        scratch_note(s, err.text);
    }
    if (!marker_of(s->arena, pid, s->cage.paths, &m, reterr)) {
        return false;
    }
    m.exe = s->exe;
    return marker_write(s->arena, &s->tree, &m, reterr);
}

/* A wrapper script becomes another program than the one that was named. */
void scratch_mark_again(struct scratch_server *s)
{
    struct marker m;
    struct err err = ERR_INIT;
    if (marker_of(s->arena, run_pid(s->run), s->cage.paths, &m, &err) &&
        strcmp(m.exe, s->exe) != 0 && m.exe[0] != '\0') {
        s->exe = m.exe;
        (void)!marker_write(s->arena, &s->tree, &m, &err);
    }
}

/* MySQL's manifest beside the binary loads a keyring: no scratch server has one. It sees an empty
 * manifest. */
static bool hide_keyring(struct scratch_server *s, struct err *reterr)
{
    struct stat st;
    const int folder = (int)(strrchr(s->exe, '/') - s->exe);
    const char *const manifest = arena_printf(s->arena, "%.*s/mysqld.my", folder, s->exe);
    const char *const empty = arena_printf(s->arena, "%s/empty.my", s->tree.path);
    if (s->plan.flavour == FLAVOUR_MARIADB || stat(manifest, &st) != 0) {
        return true;
    }
    s->spec.cover = manifest;
    s->spec.cover_with = empty;
    return file_replace(empty, SPAN_LIT("{}\n"), 0644, reterr);
}

static const char *resolved(struct arena *a, const char *path)
{
    char *const real = realpath(path, NULL);
    const char *const copy = arena_strdup(a, real != NULL ? real : path);
    free(real);
    return copy;
}

bool scratch_open(const struct scratch_plan *p, struct arena *a, struct scratch_server **ret,
                  struct err *reterr)
{
    const char *swept = "";
    struct err ignored = ERR_INIT;
    if (!check_plan(p, reterr)) {
        return false;
    }
    struct scratch_server *const s = arena_alloc(a, sizeof(*s));
    *s = (struct scratch_server){
        .plan = *p, .arena = a, .exe = resolved(a, p->binary), .tree.fd = -1};
    s->cage = (struct cage){"", ""};
    buf_init(&s->notes, a, LOG_MAX);
    run_hold_signals(&s->hold);
    /* First what a killed run left: it takes the room that is asked for next. */
    if (p->parent != NULL && scratch_sweep(p->parent, a, &swept, &ignored)) {
        scratch_note(s, swept);
    }
    if (scratch_sweep(NULL, a, &swept, &ignored)) {
        scratch_note(s, swept);
    }
    const bool ok = check_room(p, a, reterr) &&
                    tree_make(a, p->parent, p->uid, p->gid, &s->tree, reterr) &&
                    make_folders(s, reterr);
    if (!ok) {
        (void)!scratch_close(s, &ignored);
        return false;
    }
    s->spec = (struct run_spec){.program = s->plan.binary,
                                .uid = p->uid,
                                .gid = p->gid,
                                .dir = s->tree.own,
                                .file_max = p->disk,
                                .full_speed = p->full_speed,
                                .before = mark,
                                .ctx = s};
    if (!hide_keyring(s, reterr) || !make_cage(s, reterr)) {
        (void)!scratch_close(s, &ignored);
        return false;
    }
    *ret = s;
    return true;
}

bool scratch_close(struct scratch_server *s, struct err *reterr)
{
    if (s == NULL) {
        return true;
    }
    bool ok = s->run == NULL || run_end(s->run, CLOSE_MS, reterr);
    s->run = NULL;
    cage_remove(s->arena, s->cage.paths);
    if (s->tree.fd >= 0) {
        struct err err = ERR_INIT;
        if (!tree_remove(&s->tree, &err)) {
            *reterr = ok ? err : *reterr;
            ok = false;
        }
    }
    run_release_signals(&s->hold);
    return ok;
}

/* ---- asking ---------------------------------------------------------------------------------- */

bool scratch_file(struct scratch_server *s, const char *name, struct span text, struct err *reterr)
{
    return tree_file(&s->tree, name, s->plan.uid, s->plan.gid, text, reterr);
}

bool scratch_output(struct scratch_server *s, const char *name, size_t max, struct span *ret,
                    struct err *reterr)
{
    return tree_tail(s->arena, &s->tree, "out", name, max, ret, reterr);
}

struct span scratch_log(struct scratch_server *s)
{
    static const char *const names[] = {"console", "error.log"};
    struct buf b;
    struct span part;
    struct err ignored = ERR_INIT;
    buf_init(&b, s->arena, 2 * LOG_MAX + 2);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (tree_tail(s->arena, &s->tree, NULL, names[i], LOG_MAX, &part, &ignored)) {
            buf_add_span(&b, part);
            buf_add_char(&b, '\n');
        }
    }
    return buf_span(&b);
}

/* A refusal that a security module may be behind. */
bool scratch_explain_denied(struct scratch_server *s, const char *label, struct err *reterr)
{
    const char *const by = confine_of(s->arena, "", s->exe, label);
    if (by == NULL) {
        return false;
    }
    err_set(reterr, E_DENIED, "%s does not let '%s' run in '%s'", by, s->plan.binary, s->tree.own);
    return err_hint(reterr,
                    "Nothing is changed about that: allow it there, or name a folder for scratch "
                    "servers that it may use.");
}

bool scratch_ask(struct scratch_server *s, const char *const *args, struct run_result *ret,
                 struct err *reterr)
{
    s->spec.args = args;
    if (run_program(&s->spec, scratch_step_ms(s), OUTPUT_MAX, s->arena, ret, reterr)) {
        return true;
    }
    if (reterr->sys_errno == EACCES) {
        (void)scratch_explain_denied(s, NULL, reterr);
    }
    return false;
}
