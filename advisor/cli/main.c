/* Entry: finds the command in the table, prints help and errors. Knows what commands there are and
 * nothing of what they do. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/log.h"
#include "advisor/cli/cmd.h"
#include "advisor/cli/help.h"
#include "advisor/report/report.h"

#include "advisor/base/banned.h"

static const struct cmd *const commands[] = {
    &cmd_check, &cmd_tune, &cmd_explain, &cmd_facts, &cmd_chain, &cmd_capture, &cmd_import,
    &cmd_options, &cmd_rules,
};

const struct option_row common_options[] = {
    {"help", 'h', NULL, false, "show this help"},
    {"verbose", 'v', NULL, true, "show everything: all findings, evidence, arithmetic"},
    {"debug", 0, NULL, false, "say on stderr what is being done"},
    {"version", 0, NULL, false, "print the version and end"},
};
const size_t common_n_options = ARRAY_LEN(common_options);

static const struct cmd *find_command(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static int trouble(struct err *err)
{
    log_err(err);
    return EXIT_TROUBLE;
}

static int print_version(void)
{
    printf("nvadvise %s\n", NVADVISE_VERSION);
    return EXIT_OK;
}

/* Text that could not be written whole (a full disk, a closed pipe) is trouble, not success. */
static int check_stdout(int code)
{
    if (fflush(stdout) == 0 && ferror(stdout) == 0) {
        return code;
    }
    struct err err = ERR_INIT;
    err_set(&err, E_IO, "standard output could not be written whole");
    return trouble(&err);
}

static int run_command(const struct cmd *cmd, int argc, char **argv, struct arena *a)
{
    struct err err = ERR_INIT;
    struct options *opt = NULL;
    if (!options_parse(a, argc, argv, cmd->options, cmd->n_options, common_options,
                       common_n_options, &opt, &err)) {
        err_wrap(&err, "%s", cmd->name);
        return trouble(&err);
    }
    if (option_flag(opt, "help")) {
        help_command(cmd);
        return check_stdout(EXIT_OK);
    }
    if (option_flag(opt, "version")) {
        return check_stdout(print_version());
    }
    const char *const *args = NULL;
    if (option_args(opt, &args) > cmd->max_args) {
        err_set(&err, E_USAGE, "%s: what is '%s'?", cmd->name, args[cmd->max_args]);
        err_hint(&err, "usage: nvadvise %s", cmd->synopsis);
        return trouble(&err);
    }
    if (option_flag(opt, "debug")) {
        log_set_level(LOG_DEBUG);
    }
    const int code = cmd->run(opt, a, &err);
    return code < 0 ? trouble(&err) : check_stdout(code);
}

/* A descriptor 0, 1 or 2 that the caller has closed would become that of the next file we open, and text
 * meant for people would go into it. What takes its place can neither be read nor written. */
static bool hold_standard_files(void)
{
    for (;;) {
        const int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0) {
            return false;
        }
        if (fd > STDERR_FILENO) {
            (void)close(fd);
            return true;
        }
    }
}

int main(int argc, char **argv)
{
    if (!hold_standard_files()) {
        return EXIT_TROUBLE;
    }
    /* A file size limit then is an error as any other, and the temporary file goes. */
    (void)signal(SIGXFSZ, SIG_IGN);
    ARENA_AUTO a = arena_new();
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        const struct cmd *cmd = argc > 2 ? find_command(argv[2]) : NULL;
        if (cmd != NULL) {
            help_command(cmd);
        } else {
            help_overview(commands, ARRAY_LEN(commands));
        }
        return check_stdout(argc < 2 ? EXIT_TROUBLE : EXIT_OK);
    }
    if (strcmp(argv[1], "--version") == 0) {
        return check_stdout(print_version());
    }
    const struct cmd *cmd = find_command(argv[1]);
    if (cmd == NULL) {
        struct err err = ERR_INIT;
        err_set(&err, E_USAGE, "there is no command '%s'", argv[1]);
        err_hint(&err, "'nvadvise --help' lists the commands; the main one is 'nvadvise check'.");
        return trouble(&err);
    }
    return run_command(cmd, argc - 2, argv + 2, a);
}
