/* btrfs filesystem show, df and usage: the devices of a filesystem, and how data are laid out over them. */
#include "probes/import/storage.h"

#include <string.h>

#include "advisor/base/banned.h"

bool btrfs_begins(struct span line)
{
    const struct span s = span_trim(line);
    return (span_starts(s, "Label: ") && memmem(s.ptr, s.len, " uuid: ", 7) != NULL) ||
           (span_starts(s, "Data, ") && span_has(s, ':'));
}

/* "devid    1 size 931.51GiB used 12.03GiB path /dev/nvme0n1": the word behind "path". */
static bool device_line(struct span line, struct span *ret)
{
    struct span word, before = {"", 0};
    bool device = false;
    while (span_word(&line, &word)) {
        device = device || span_eq_text(word, "devid");
        if (device && span_eq_text(before, "path")) {
            *ret = word;
            return span_starts(word, "/");
        }
        before = word;
    }
    return false;
}

/* "Data, RAID1: total=…", "Data,single: Size:…": the profile in lower case. */
static struct span profile_of(struct arena *a, struct span line)
{
    struct span rest = span_trim(line), word;
    if (!span_starts(rest, "Data,") || !span_split(&rest, ',', &word) || !span_split(&rest, ':', &word)) {
        return (struct span){"", 0};
    }
    char *text = span_dup(a, span_trim(word));
    for (char *c = text; *c != '\0'; c++) {
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    }
    return span_of(text);
}

/* The first device stands for the filesystem in mount tables; so it stands on the others too. */
bool btrfs_read(struct stack *s, struct span text)
{
    struct stack_node *first = NULL, *fs = NULL;
    struct span line, name, profile = {"", 0};
    bool some = false;
    while (span_line(&text, &line)) {
        const struct span found = profile_of(s->arena, line);
        profile = found.len > 0 ? found : profile;
        if (span_starts(span_trim(line), "Label: ")) {
            first = NULL;
            fs = NULL;
        } else if (device_line(line, &name)) {
            struct stack_node *n = stack_node(s, name);
            some = some || n != NULL;
            if (first == NULL) {
                first = n;
                continue;
            }
            if (fs == NULL && first != NULL) {
                fs = stack_node(s, span_of(arena_printf(s->arena, "btrfs:%.*s", SPAN_ARG(first->name))));
                stack_stands_on(s, fs, first, false);
                if (fs != NULL) {
                    fs->type = SPAN_LIT("btrfs");
                }
            }
            stack_stands_on(s, fs, n, false);
        }
        if (profile.len > 0 && (fs != NULL || first != NULL)) {
            stack_key(s, fs != NULL ? fs : first, "raid", profile);
        }
    }
    return some;
}
