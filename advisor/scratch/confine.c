/* See confine.h. */
#include "advisor/scratch/confine.h"

#include <string.h>

#include "advisor/base/err.h"
#include "advisor/base/file.h"
#include "advisor/base/str.h"

#include "advisor/base/banned.h"

#define PROFILES_MAX (1024 * 1024)

static bool text_of(struct arena *a, const char *path, struct span *ret)
{
    struct err err = ERR_INIT;
    struct span text;
    if (!file_read(a, path, PROFILES_MAX, &text, &err)) {
        return false;
    }
    /* The kernel ends labels with a NUL. */
    while (text.len > 0 && text.ptr[text.len - 1] == '\0') {
        text.len--;
    }
    *ret = span_trim(text);
    return true;
}

/* "NAME (MODE)" is in force when its mode is enforce; complain lets all pass. */
static bool is_enforced(struct span profile)
{
    return span_ends(profile, " (enforce)") || span_ends(profile, " (kill)");
}

static const char *profile_text(struct arena *a, struct span profile)
{
    const char *const text = span_dup(a, profile);
    const char *const mode = strrchr(text, '(');
    return arena_printf(a, "AppArmor profile '%.*s' %s", (int)(mode - text) - 1, text, mode);
}

/* A loaded profile of this program: named by its path, or by its base name as newer ones are. */
static const char *apparmor_profile(struct arena *a, const char *root, const char *program)
{
    struct span rest, line;
    const char *const slash = strrchr(program, '/');
    if (!text_of(a, arena_printf(a, "%s/sys/kernel/security/apparmor/profiles", root), &rest)) {
        return NULL;
    }
    while (span_line(&rest, &line)) {
        if (!is_enforced(line)) {
            continue;
        }
        struct span part = line, word;
        if (span_word(&part, &word) &&
            (span_eq_text(word, program) || (slash != NULL && span_eq_text(word, slash + 1)))) {
            return profile_text(a, line);
        }
    }
    return NULL;
}

const char *confine_of(struct arena *a, const char *root, const char *program, const char *label)
{
    struct span text;
    if (text_of(a, arena_printf(a, "%s/sys/fs/selinux/enforce", root), &text) &&
        span_eq_text(text, "1")) {
        return label != NULL ? arena_printf(a, "SELinux, label '%s' (enforcing)", label)
                             : "SELinux (enforcing)";
    }
    if (label != NULL && is_enforced(span_of(label))) {
        return profile_text(a, span_of(label));
    }
    return apparmor_profile(a, root, program);
}

const char *confine_label(struct arena *a, pid_t pid)
{
    struct span text;
    if (!text_of(a, arena_printf(a, "/proc/%d/attr/current", (int)pid), &text) || text.len == 0) {
        return NULL;
    }
    return span_dup(a, text);
}
