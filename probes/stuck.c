/* See stuck.h. A process is known by its number, its start time and the boot: numbers are used
 * again. */
#include "probes/stuck.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "advisor/base/file.h"
#include "advisor/base/json.h"
#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define STUCK_SCHEMA "nvadvise.stuck/1"
#define STUCK_FILE_MAX ((size_t)64 * 1024)
#define STUCK_MAX 64u
#define STAT_START 22 /* field of /proc/PID/stat; proc(5) */

struct entry {
    const char *probe;
    uint64_t pid, start, since;
};

struct stuck {
    struct arena *arena;
    const char *path; /* NULL = no directory */
    struct span boot;
    struct entry entries[STUCK_MAX];
    size_t n;
    bool changed;
    struct barred barred[2 * STUCK_MAX];
    size_t n_barred;
};

/* The start time of a process in clock ticks since boot; false when there is no such process, or it
 * has ended and only waits to be taken note of. */
static bool start_of(struct arena *a, uint64_t pid, uint64_t *ret)
{
    char path[64];
    struct span text, word;
    struct err ignored = ERR_INIT;
    snprintf(path, sizeof(path), "/proc/%llu/stat", (unsigned long long)pid);
    if (!file_read(a, path, 4096, &text, &ignored)) {
        return false;
    }
    /* The name, field 2, may hold anything; the last ')' ends it. */
    const char *const close = memrchr(text.ptr, ')', text.len);
    if (close == NULL) {
        return false;
    }
    struct span rest = {close + 1, text.len - (size_t)(close + 1 - text.ptr)};
    for (int field = 3; span_word(&rest, &word); field++) {
        if (field == 3 && (span_eq_text(word, "Z") || span_eq_text(word, "X"))) {
            return false;
        }
        if (field == STAT_START) {
            return parse_u64(word, ret);
        }
    }
    return false;
}

static bool get_u64(const struct json *doc, const char *key, uint64_t *ret)
{
    const struct json *const item = json_get(doc, key);
    return item != NULL && item->type == JSON_NUMBER && num_to_u64(item->number, ret);
}

static void take_entry(struct stuck *s, const struct json *doc)
{
    struct entry e = {.probe = json_get_str(doc, "probe")};
    const char *const boot = json_get_str(doc, "boot");
    uint64_t start = 0;
    if (e.probe == NULL || boot == NULL || !get_u64(doc, "pid", &e.pid) ||
        !get_u64(doc, "start", &e.start) || !get_u64(doc, "since", &e.since) || s->n == STUCK_MAX) {
        return;
    }
    if (span_eq_text(s->boot, boot) && start_of(s->arena, e.pid, &start) && start == e.start) {
        s->entries[s->n++] = e;
    } else {
        s->changed = true;
    }
}

/* Controllers, not probe instances. */
static void bar_entries(struct stuck *s)
{
    for (size_t i = 0; i < s->n; i++) {
        struct err why = ERR_INIT;
        if (span_starts(span_of(s->entries[i].probe), "nvme ") &&
            stuck_find(s, s->entries[i].probe, &why)) {
            stuck_bar(s, s->entries[i].probe, &why);
        }
    }
}

struct stuck *stuck_load(struct arena *a, const char *state_dir)
{
    struct stuck *const s = arena_alloc(a, sizeof(*s));
    struct err ignored = ERR_INIT;
    struct span text;
    struct json *doc = NULL;
    s->arena = a;
    if (state_dir == NULL) {
        return s;
    }
    s->path = arena_printf(a, "%s/stuck.json", state_dir);
    if (!file_read(a, "/proc/sys/kernel/random/boot_id", 128, &text, &ignored)) {
        s->path = NULL;
        return s;
    }
    s->boot = span_trim(text);
    if (!file_read(a, s->path, STUCK_FILE_MAX, &text, &ignored) ||
        !json_read(a, s->path, text, &doc, &ignored) || doc->type != JSON_OBJECT) {
        return s;
    }
    const struct json *const list = json_get(doc, "children");
    for (size_t i = 0; list != NULL && list->type == JSON_ARRAY && i < list->n; i++) {
        if (list->items[i]->type == JSON_OBJECT) {
            take_entry(s, list->items[i]);
        }
    }
    bar_entries(s);
    return s;
}

bool stuck_find(const struct stuck *s, const char *probe, struct err *ret_why)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct entry *const e = &s->entries[i];
        if (strcmp(e->probe, probe) != 0) {
            continue;
        }
        const time_t since = (time_t)e->since;
        struct tm tm;
        char when[64] = "an earlier run";
        if (gmtime_r(&since, &tm) != NULL) {
            (void)strftime(when, sizeof(when), "%Y-%m-%d %H:%M UTC", &tm);
        }
        err_set(ret_why, E_TIMEOUT, "not asked again: process %llu is stuck on it since %s",
                (unsigned long long)e->pid, when);
        err_hint(ret_why,
                 "Look at the device or mount that it hangs on; `cat /proc/%llu/stack` "
                 "says where in the kernel it is.",
                 (unsigned long long)e->pid);
        return true;
    }
    return false;
}

void stuck_add(struct stuck *s, const char *probe, pid_t pid, int64_t now)
{
    struct entry e = {.probe = arena_strdup(s->arena, probe),
                      .pid = (uint64_t)pid,
                      .since = now < 0 ? 0 : (uint64_t)now};
    if (s->n < STUCK_MAX && start_of(s->arena, e.pid, &e.start)) {
        s->entries[s->n++] = e;
        s->changed = true;
    }
}

void stuck_bar(struct stuck *s, const char *key, const struct err *why)
{
    if (s->n_barred < ARRAY_LEN(s->barred)) {
        struct err *const copy = arena_alloc(s->arena, sizeof(*copy));
        *copy = *why;
        s->barred[s->n_barred++] = (struct barred){arena_strdup(s->arena, key), copy};
    }
}

size_t stuck_barred(const struct stuck *s, const struct barred **ret)
{
    *ret = s->barred;
    return s->n_barred;
}

void stuck_save(struct stuck *s)
{
    if (s->path == NULL || !s->changed) {
        return;
    }
    struct json *const doc = json_object(s->arena);
    struct json *const list = json_array(s->arena);
    for (size_t i = 0; i < s->n; i++) {
        struct json *const item = json_object(s->arena);
        json_set(item, "boot", json_span(s->arena, s->boot));
        json_set(item, "pid", json_int(s->arena, (int64_t)s->entries[i].pid));
        json_set(item, "probe", json_str(s->arena, s->entries[i].probe));
        json_set(item, "since", json_int(s->arena, (int64_t)s->entries[i].since));
        json_set(item, "start", json_int(s->arena, (int64_t)s->entries[i].start));
        json_push(list, item);
    }
    json_set(doc, "children", list);
    json_set(doc, "schema", json_str(s->arena, STUCK_SCHEMA));
    struct buf b;
    struct err ignored = ERR_INIT;
    buf_init(&b, s->arena, STUCK_FILE_MAX);
    json_write(&b, doc, true);
    if (!b.full) {
        (void)!file_replace(s->path, buf_span(&b), 0600, &ignored);
    }
    s->changed = false;
}
