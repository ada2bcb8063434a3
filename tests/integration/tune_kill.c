/* tune_kill STATE_DIR OPTION_DIR FILE ACT: put FILE in place as `tune --write` does, or take it back when FILE
 * is "-", and be killed after act ACT. Exit code 3: it came to its end before. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "advisor/base/parse.h"
#include "advisor/tune/install.h"

#include "advisor/base/banned.h"

#define CAME_TO_ITS_END 3

static void end_at(void *ctx, unsigned act)
{
    const uint64_t *at = ctx;
    if (act == *at) {
        (void)kill(getpid(), SIGKILL);
    }
}

static bool go(struct arena *a, char **argv, uint64_t *at, struct err *err)
{
    struct tune_dir t;
    struct tune_text text = {.server = "test", .version = "1", .tool = "test"};
    const bool undo = strcmp(argv[3], "-") == 0;
    bool changed = false;
    if ((!undo && !file_read(a, argv[3], CONFDIR_FILE_MAX, &text.bytes, err)) ||
        !tune_open(a, argv[1], argv[2], 1700000000, true, &t, err)) {
        return false;
    }
    t.acted = end_at;
    t.ctx = at;
    return undo ? tune_undo(&t, false, &changed, err) : tune_write(&t, &text, true, &changed, err);
}

int main(int argc, char **argv)
{
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    uint64_t at = 0;
    if (argc != 5 || !parse_u64(span_of(argv[4]), &at)) {
        (void)fprintf(stderr, "usage: tune_kill STATE_DIR OPTION_DIR FILE ACT\n");
        return 2;
    }
    if (!go(a, argv, &at, &err)) {
        (void)fprintf(stderr, "tune_kill: %s\n", err.text);
        return 1;
    }
    return CAME_TO_ITS_END;
}
