/* Help on standard output, from the tables. */
#include "advisor/cli/help.h"

#include <stdio.h>
#include <string.h>

#include "advisor/base/str.h"

#include "advisor/base/banned.h"

#define COLUMNS 80 /* of a terminal that nobody has made wider */
#define HELP_AT 29 /* the column at which the help of an option begins */

void help_overview(const struct cmd *const *commands, size_t n)
{
    printf("nvadvise: the tuning advisor for MySQL, Percona Server and MariaDB on NVMe\n\n"
           "Reads the server, its filesystems and its devices, from the InnoDB log down to\n"
           "the PCIe link, and says what is wrong, why, and exactly what mends it. Changes\n"
           "nothing, but for 'tune --write' and 'tune --undo', which put a drop-in in place\n"
           "and take it back.\n\n"
           "usage: nvadvise COMMAND [options]\n\ncommands:\n");
    for (size_t i = 0; i < n; i++) {
        printf("  %-9s %s\n", commands[i]->name, commands[i]->summary);
    }
    printf("\n'nvadvise COMMAND --help' explains a command. Begin with:\n\n"
           "  nvadvise check            judge the servers that run here, best as root\n"
           "  nvadvise check --out DIR  and write drop-in and storage commands to DIR\n"
           "  nvadvise tune             what the drop-in would set, and where it would go\n\n"
           "exit status: 0 nothing failed at or above --fail-on (high), 1 something did,\n"
           "  2 nvadvise could not do its work, 3 nothing failed, but not all could be seen\n");
}

/* The words of `text` from column HELP_AT on, what is too long for COLUMNS below it. */
static void print_help(const char *text)
{
    struct span rest = span_of(text), word;
    size_t column = HELP_AT;
    while (span_word(&rest, &word)) {
        if (column > HELP_AT && column + 1 + word.len > COLUMNS) {
            printf("\n%*s", HELP_AT, "");
            column = HELP_AT;
        }
        printf("%s%.*s", column > HELP_AT ? " " : "", SPAN_ARG(word));
        column += word.len + (column > HELP_AT);
    }
    printf("\n");
}

static void print_options(const struct option_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char text[64];
        char letter[8] = "    ";
        if (rows[i].short_name != 0) {
            (void)snprintf(letter, sizeof(letter), "-%c, ", rows[i].short_name);
        }
        (void)snprintf(text, sizeof(text), "%s--%s%s%s", letter, rows[i].name,
                       rows[i].value != NULL ? " " : "",
                       rows[i].value != NULL ? rows[i].value : "");
        if (strlen(text) > HELP_AT - 3) {
            printf("  %s\n%*s", text, HELP_AT, "");
        } else {
            printf("  %-*s ", HELP_AT - 3, text);
        }
        print_help(rows[i].help);
    }
}

void help_command(const struct cmd *cmd)
{
    printf("usage: nvadvise %s\n\n%s\n\noptions:\n", cmd->synopsis, cmd->help);
    print_options(cmd->options, cmd->n_options);
    print_options(common_options, common_n_options);
}
