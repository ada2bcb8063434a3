/* Says what happens to files below folders: watch READY FOLDER …  A line "EVENT PATH" for each file
 * that was made, changed, renamed, removed, or closed after it had been open for writing. READY is
 * made when all folders are watched. Ends with SIGTERM. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "advisor/base/attr.h"

#define FOLDERS_MAX 64
#define EVENTS                                                                                     \
    (IN_CREATE | IN_DELETE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO |            \
     IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)

static const struct {
    uint32_t bit;
    const char *name;
} names[] = {
    {IN_CREATE, "made"},         {IN_DELETE, "removed"},      {IN_MODIFY, "changed"},
    {IN_CLOSE_WRITE, "written"}, {IN_MOVED_FROM, "renamed"},  {IN_MOVED_TO, "renamed"},
    {IN_ATTRIB, "attributes"},   {IN_DELETE_SELF, "removed"}, {IN_MOVE_SELF, "renamed"},
};

static void tell(const struct inotify_event *e, char *const *folders, const int *ids, int n)
{
    const char *folder = "?";
    for (int i = 0; i < n; i++) {
        if (ids[i] == e->wd)
            folder = folders[i];
    }
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if ((e->mask & names[i].bit) != 0)
            (void)printf("%s %s/%s\n", names[i].name, folder, e->len > 0 ? e->name : "");
    }
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    int ids[FOLDERS_MAX];
    _Alignas(struct inotify_event) char text[65536];
    const int fd = inotify_init1(IN_CLOEXEC);
    if (argc < 3 || argc - 2 > FOLDERS_MAX || fd < 0)
        return 2;
    for (int i = 2; i < argc; i++) {
        ids[i - 2] = inotify_add_watch(fd, argv[i], EVENTS);
        if (ids[i - 2] < 0) {
            (void)fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
            return 2;
        }
    }
    if (open(argv[1], O_WRONLY | O_CREAT | O_CLOEXEC, 0644) < 0)
        return 2;
    for (;;) {
        const ssize_t got = read(fd, text, sizeof(text));
        if (got <= 0)
            return 2;
        for (ssize_t at = 0; at < got;) {
            const struct inotify_event *e = (const struct inotify_event *)(const void *)(text + at);
            tell(e, argv + 2, ids, argc - 2);
            at += (ssize_t)(sizeof(*e) + e->len);
        }
    }
}
