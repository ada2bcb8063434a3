/* Files as people make them: encodings, line ends, quotations, prompts, headings, JSON that is cut off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/import/format.h"
#include "probes/import/paste.h"

#include "advisor/base/banned.h"

#define BYTES(text) {text, sizeof(text) - 1}

static const struct {
    struct span raw;
    const char *want;
} texts[] = {
    {BYTES("a\nb"), "a\nb"},
    {BYTES("a\r\nb\r"), "a\nb\n"},
    {BYTES("\xef\xbb\xbf" "a"), "a"},
    {BYTES("\xff\xfe" "a\0\xb0\0\x3d\xd8\x00\xde"), "a\xc2\xb0\xf0\x9f\x98\x80"},
    {BYTES("\xfe\xff\0a"), "a"},
    {BYTES("38\xb0" "C"), "38\xef\xbf\xbd" "C"},
    {BYTES("\xe2\x80"), "\xef\xbf\xbd\xef\xbf\xbd"},
    {BYTES("\x1b[1;31mred\x1b[0m\x07"), "red "},
    {BYTES("a\0b"), "ab"},
    {BYTES("> a: 1\n>\n> b: 2\n"), "a: 1\n\nb: 2\n"},
    {BYTES("> a: 1\nb: 2\n"), "> a: 1\nb: 2\n"},
    {BYTES("see:\n>> a: 1\n>> b: 2\n>>   c: 3\nso"), "see:\na: 1\nb: 2\n  c: 3\nso"},
    {BYTES("> ls\nx\n> df\ny\n"), "> ls\nx\n> df\ny\n"}, /* prompts */
    {BYTES("     1\ta\n     2\t b\n     3\tc\n"), "a\n b\nc\n"},
    {BYTES("    a\n\n      b\n    c"), "a\n\n  b\nc"},
    {BYTES("\ta\n\t  b\n"), "a\n  b\n"},
    {BYTES("  a\nb\n"), "  a\nb\n"},
    {BYTES("1:a\n3:b\n4:c\n"), "1:a\n3:b\n4:c\n"},
    {BYTES("Nov  2 10:00:01 h t[7]: a\nNov  2 10:00:01 h t[7]:  b\nNov  2 10:00:02 h t[7]: c\n"), "a\n b\nc\n"},
    {BYTES("2026-11-02T10:00:01+01:00 h t: a\n2026-11-02 10:00:01 h t: b\n2026-11-02T10:00:02 h t: c\n"), "a\nb\nc\n"},
};

static void test_prepare(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        ARENA_AUTO a = arena_new();
        const struct span got = paste_prepare(a, texts[i].raw);
        if (!span_eq_text(got, texts[i].want)) {
            fail_msg("%zu gives '%.*s'", i, SPAN_ARG(got));
        }
    }
}

static const struct {
    const char *line, *command, *device; /* NULL: no command */
} commands[] = {
    {"# nvme smart-log /dev/nvme0", "nvme smart-log /dev/nvme0", "nvme0"},
    {"$ sudo smartctl -a /dev/nvme0n1p2", "smartctl -a /dev/nvme0n1p2", "nvme0n1"},
    {"root@db1:~# nvme id-ctrl nvme1 -H", "nvme id-ctrl nvme1 -H", "nvme1"},
    {"[root@db1 ~]# /usr/sbin/nvme list", "/usr/sbin/nvme list", ""},
    {"user@host:/data$ time sudo nvme list | grep nvme3", "nvme list | grep nvme3", ""},
    {"PS C:\\tools> isdct show -a -intelssd 0", "isdct show -a -intelssd 0", ""},
    {"/ # smartctl -x /dev/nvme2", "smartctl -x /dev/nvme2", "nvme2"},
    {"bash-5.1$ df -h /srv", "df -h /srv", ""},
    {"db1# lsblk", "lsblk", ""},
    {"Slot# 3 is where the drive sits", NULL, NULL},
    {"smartctl -x /dev/nvme5n1", "smartctl -x /dev/nvme5n1", "nvme5n1"},
    {"nvme smart-log /dev/ng2n1 -o json", "nvme smart-log /dev/ng2n1 -o json", "nvme2n1"},
    {"smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0]", NULL, NULL},
    {"# a remark", NULL, NULL},
    {"power_cycles : 9", NULL, NULL},
    {"nvme0n1     259:0    0 931.5G  0 disk", NULL, NULL},
    {"=== START OF INFORMATION SECTION ===", NULL, NULL},
    {"", NULL, NULL},
};

static void test_commands(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        ARENA_AUTO a = arena_new();
        struct span got = {"", 0};
        const bool is = paste_command(span_of(commands[i].line), &got);
        if (is != (commands[i].command != NULL) ||
            (is && (!span_eq_text(got, commands[i].command) ||
                    !span_eq_text(paste_command_device(a, got), commands[i].device)))) {
            fail_msg("'%s' gives %d '%.*s'", commands[i].line, is, SPAN_ARG(got));
        }
    }
}

static const struct {
    const char *line, *device; /* NULL: no heading */
} headings[] = {
    {"/dev/nvme0n1:", "nvme0n1"},
    {"=== /dev/nvme1 ===", "nvme1"},
    {"## NVMe SMART: nvme0", "nvme0"},
    {"---- nvme2n1 ----", "nvme2n1"},
    {"nvme0n1", NULL}, /* a line of lsblk */
    {"/dev/nvme0n1 S4EVNX0R 512", NULL},
    {"/dev/sda", "sda"},
    {"---------------- --------------------", NULL},
    {"text", NULL},
};

static void test_headings(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(headings); i++) {
        ARENA_AUTO a = arena_new();
        struct span got = {"", 0};
        const bool is = paste_heading(a, span_of(headings[i].line), &got);
        if (is != (headings[i].device != NULL) || (is && !span_eq_text(got, headings[i].device))) {
            fail_msg("'%s' gives %d '%.*s'", headings[i].line, is, SPAN_ARG(got));
        }
    }
}

static const struct {
    const char *text, *want; /* NULL: none */
    size_t len;
    bool cut;
} documents[] = {
    {"{\"a\": [1, 2]} rest", "{\"a\": [1, 2]}", 13, false},
    {"{\"a\": \"}\\\"\"}", "{\"a\": \"}\\\"\"}", 12, false},
    {"{\"a\": 1, \"b\": 23", "{\"a\": 1}", 16, true},
    {"{\"a\": [1, {\"b\": 2, \"c", "{\"a\": [1, {\"b\": 2}]}", 21, true},
    {"[0:0] : 0x1", "[0:0]", 5, false}, /* for the parser to refuse */
    {"{\"a\"", NULL, 0, false},
    {"{]", NULL, 0, false},
    {"{\"a\": \"line\nbreak\"}", NULL, 0, false},
};

static void test_json(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(documents); i++) {
        ARENA_AUTO a = arena_new();
        struct span got = {"", 0};
        size_t len = 0;
        bool cut = false;
        const bool is = paste_json(a, span_of(documents[i].text), &len, &got, &cut);
        if (is != (documents[i].want != NULL) ||
            (is && (!span_eq_text(got, documents[i].want) || len != documents[i].len ||
                    cut != documents[i].cut))) {
            fail_msg("'%s' gives %d '%.*s' %zu", documents[i].text, is, SPAN_ARG(got), len);
        }
    }
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } names[] = {
        {"/dev/nvme0", "nvme0"},       {"nvme0n1", "nvme0n1"},     {"/dev/nvme0n1p12", "nvme0n1"},
        {"nvme2c1n1", "nvme2c1n1"},    {"/dev/ng0n1", "nvme0n1"},  {"/dev/sda", "sda"},
        {"sdaa", "sdaa"},              {"nvme", ""},               {"nvme0x", ""},
        {"/dev/disk/by-id/nvme-X", ""}, {"nvme_smart_log", ""},    {"vdb,", "vdb"},
        {"", ""},                      {"sd", ""},                 {"nvme0n1p", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        ARENA_AUTO a = arena_new();
        const struct span got = import_kernel_name(a, span_of(names[i].text));
        if (!span_eq_text(got, names[i].want)) {
            fail_msg("'%s' gives '%.*s'", names[i].text, SPAN_ARG(got));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prepare), cmocka_unit_test(test_commands), cmocka_unit_test(test_headings),
        cmocka_unit_test(test_json),    cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
