/* The state directory: chosen and made, 0700. */
#include "advisor/cli/statedir.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/base/err.h"
#include "advisor/base/file.h"

#include "advisor/base/banned.h"

#define SYSTEM_STATE "/var/lib/nvadvise"

static bool usable(const char *dir)
{
    struct err ignored = ERR_INIT;
    struct stat st;
    return file_make_dir(dir, 0700, &ignored) && stat(dir, &st) == 0 && S_ISDIR(st.st_mode) &&
           st.st_uid == geteuid() && access(dir, W_OK | X_OK) == 0;
}

const char *state_dir(struct arena *a)
{
    const char *given = secure_getenv("STATE_DIRECTORY");
    if (given != NULL && given[0] == '/') {
        return usable(given) ? arena_strdup(a, given) : NULL;
    }
    if (geteuid() == 0) {
        return usable(SYSTEM_STATE) ? SYSTEM_STATE : NULL;
    }
    const char *xdg = secure_getenv("XDG_STATE_HOME"), *home = secure_getenv("HOME");
    const char *dir = xdg != NULL && xdg[0] == '/' ? arena_printf(a, "%s/nvadvise", xdg)
                      : home != NULL && home[0] == '/'
                          ? arena_printf(a, "%s/.local/state/nvadvise", home)
                          : NULL;
    return dir != NULL && usable(dir) ? dir : NULL;
}
