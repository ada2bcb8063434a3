/* The journal's files: named, written, removed. Its text is made and read in journal_text.c. */
#include "advisor/tune/journal.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "advisor/base/json.h"
#include "advisor/tune/journal_text.h"

#include "advisor/base/banned.h"

#define KEY_LEN 16
#define JOURNAL_MAX (4u * 1024 * 1024)

const char *journal_key(struct arena *a, const char *directory)
{
    char hex[65];
    confdir_hash(a, span_of(directory), hex);
    return arena_strndup(a, hex, KEY_LEN);
}

const char *journal_path(struct arena *a, const char *state_dir, const char *directory)
{
    return arena_printf(a, "%s/tune-%s.json", state_dir, journal_key(a, directory));
}

static bool load(struct arena *a, const char *path, struct journal *ret, struct err *reterr)
{
    struct span text;
    struct json *doc = NULL;
    if (!file_read(a, path, JOURNAL_MAX, &text, reterr)) {
        return false;
    }
    if (json_read(a, path, text, &doc, reterr) && journal_from_json(a, path, doc, ret, reterr)) {
        return true;
    }
    if (reterr->code == E_NOT_SUPPORTED) {
        return err_hint(reterr, "Use the nvadvise that wrote it.");
    }
    return err_hint(reterr, "Put %s right by hand (the former one, if there was one, lies beside the "
                            "journal as tune-*.former), then remove the journal.", TUNE_FILE);
}

bool journal_load(struct arena *a, const char *state_dir, const char *directory,
                  struct journal *ret, bool *ret_there, struct err *reterr)
{
    const char *path = state_dir != NULL ? journal_path(a, state_dir, directory) : "";
    if (state_dir == NULL || (access(path, F_OK) != 0 && errno == ENOENT)) {
        *ret = (struct journal){.directory = arena_strdup(a, directory), .temp = ""};
        *ret_there = false;
        return true;
    }
    struct journal j;
    if (!load(a, path, &j, reterr)) {
        return false;
    }
    if (strcmp(j.directory, directory) != 0) {
        return err_set(reterr, E_CORRUPT, "journal '%s' is of another directory, '%s'", path,
                       j.directory);
    }
    *ret = j;
    *ret_there = true;
    return true;
}

/* ---- former files ---------------------------------------------------------------------------- */

static bool is_named(const struct journal *j, const char *name)
{
    for (size_t i = 0; i < j->n; i++) {
        if (strcmp(j->writes[i].former_name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* What is left over costs room and nothing else, so failures are not told. */
static void drop_unnamed(struct arena *a, const char *state_dir, const struct journal *j)
{
    const char *prefix = arena_printf(a, "tune-%s-", journal_key(a, j->directory));
    DIR *d = opendir(state_dir);
    struct dirent *e = NULL;
    while (d != NULL && (e = readdir(d)) != NULL) {
        if (span_starts(span_of(e->d_name), prefix) && span_ends(span_of(e->d_name), ".former") &&
            !is_named(j, e->d_name)) {
            (void)unlinkat(dirfd(d), e->d_name, 0);
        }
    }
    if (d != NULL) {
        (void)closedir(d);
    }
}

static bool remove_journal(const char *path, struct err *reterr)
{
    return unlink(path) == 0 || errno == ENOENT ||
           err_set_errno(reterr, errno, "cannot remove journal '%s'", path);
}

bool journal_save(struct arena *a, const char *state_dir, const struct journal *j,
                  struct err *reterr)
{
    const char *path = journal_path(a, state_dir, j->directory);
    if (j->n == 0) {
        if (!remove_journal(path, reterr)) {
            return false;
        }
    } else {
        struct buf b;
        buf_init(&b, a, JOURNAL_MAX);
        json_write(&b, journal_to_json(a, j), true);
        buf_add_char(&b, '\n');
        if (b.full) {
            return err_set(reterr, E_TOO_BIG, "journal '%s' would be too large", path);
        }
        if (!file_replace(path, buf_span(&b), 0600, reterr)) {
            return err_wrap(reterr, "keeping the journal");
        }
    }
    if (j->step == STEP_NONE) {
        drop_unnamed(a, state_dir, j);
    }
    return true;
}

bool journal_keep(struct arena *a, const char *state_dir, const struct journal_write *w,
                  struct err *reterr)
{
    const char *path = arena_printf(a, "%s/%s", state_dir, w->former_name);
    return file_replace(path, w->former.bytes, 0600, reterr) ||
           err_wrap(reterr, "keeping the former file");
}

bool journal_former(struct arena *a, const char *state_dir, struct journal_write *w,
                    struct err *reterr)
{
    const char *path = arena_printf(a, "%s/%s", state_dir, w->former_name);
    struct span bytes;
    char sha256[65];
    if (!file_read(a, path, CONFDIR_FILE_MAX, &bytes, reterr)) {
        return err_wrap(reterr, "the former file");
    }
    confdir_hash(a, bytes, sha256);
    if (strcmp(sha256, w->former.sha256) != 0) {
        return err_set(reterr, E_CORRUPT, "'%s' is not the former file as it was kept", path);
    }
    w->former.bytes = bytes;
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int by_path(const void *x, const void *y)
{
    const struct journal_found *p = x, *q = y;
    return strcmp(p->path, q->path);
}

static struct journal_found found(struct arena *a, const char *path)
{
    struct journal_found f = {.path = path};
    struct journal j;
    if (load(a, path, &j, &f.why)) {
        f.directory = j.directory;
    }
    return f;
}

size_t journal_find(struct arena *a, const char *state_dir, struct journal_found **ret)
{
    struct journal_found *list = NULL;
    size_t n = 0;
    DIR *d = opendir(state_dir);
    struct dirent *e = NULL;
    if (d == NULL && errno != ENOENT) {
        list = arena_list_room(a, list, n, sizeof(*list));
        list[n] = (struct journal_found){.path = arena_strdup(a, state_dir)};
        (void)err_set_errno(&list[n++].why, errno, "cannot list '%s'", state_dir);
    }
    while (d != NULL && (e = readdir(d)) != NULL) {
        if (span_starts(span_of(e->d_name), "tune-") && span_ends(span_of(e->d_name), ".json")) {
            list = arena_list_room(a, list, n, sizeof(*list));
            list[n++] = found(a, arena_printf(a, "%s/%s", state_dir, e->d_name));
        }
    }
    if (d != NULL) {
        (void)closedir(d);
    }
    if (n > 1) {
        qsort(list, n, sizeof(*list), by_path);
    }
    *ret = list;
    return n;
}
