/* The order of steps, what is asked for twice, and lines of files that several findings change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/report/docread.h"
#include "advisor/report/report.h"
#include "advisor/report/steps.h"

#include "advisor/base/banned.h"

static struct steps steps_from(struct arena *a, const char *text)
{
    struct err err = ERR_INIT;
    struct json *findings = NULL;
    if (!json_read(a, "findings", span_of(text), &findings, &err)) {
        fail_msg("%s", err.text);
    }
    return steps_of(a, findings);
}

/* "PHASE COMMAND (RULES)" a line. */
static const char *told(struct arena *a, const struct steps *steps)
{
    static const char *const names[PHASES] = {"look",    "files",  "online",  "remount",
                                              "restart", "reboot", "destroys"};
    struct buf b;
    buf_init(&b, a, 8192);
    for (size_t i = 0; i < steps->n; i++) {
        const struct step *s = &steps->items[i];
        buf_printf(&b, "%s %s (", names[s->phase], s->command);
        for (size_t k = 0; k < s->rules->n; k++) {
            buf_printf(&b, "%s%.*s", k > 0 ? " " : "", SPAN_ARG(s->rules->items[k]->string));
        }
        buf_add_text(&b, ")\n");
    }
    return b.ptr != NULL ? b.ptr : "";
}

#define ACTION(command, effect) "{\"command\":\"" command "\",\"effect\":\"" effect "\",\"destroys\":null}"
#define DESTROYS(command) "{\"command\":\"" command "\",\"effect\":\"online\",\"destroys\":\"a disk\"}"
#define FINDING(rule, actions) "{\"rule\":\"" rule "\",\"actions\":[" actions "]}"

static void test_order(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct steps steps = steps_from(
        a, "[" FINDING("worst", ACTION("see", "none") "," DESTROYS("wipe") "," ACTION("copy", "restart")) ","
               FINDING("boot", ACTION("args", "reboot") "," ACTION("verify", "none")) ","
               FINDING("later", ACTION("now", "online") "," ACTION("args", "reboot") ","
                                    ACTION("then", "online")) ","
               FINDING("still", ACTION("copy", "restart")) ","
               FINDING("mount", ACTION("anew", "remount")) ","
               FINDING("live", ACTION("see", "none") "," ACTION("echo", "online")) "]");
    assert_string_equal(told(a, &steps), "look see (worst live)\n"
                                         "online now (later)\n"
                                         "online echo (live)\n"
                                         "remount anew (mount)\n"
                                         "restart copy (still)\n"
                                         "reboot verify (boot)\n"
                                         "reboot args (boot later)\n"
                                         "reboot then (later)\n"
                                         "destroys wipe (worst)\n"
                                         "destroys copy (worst)\n");
    assert_true(step_serves(&steps.items[0], 0));
    assert_true(step_serves(&steps.items[0], 5));
    assert_false(step_serves(&steps.items[0], 1));
}

static void test_same_command(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct steps steps = steps_from(
        a, "[" FINDING("one", ACTION("systemctl stop db", "restart") "," ACTION("umount", "restart") ","
                                  ACTION("systemctl start db", "restart")) ","
               FINDING("two", ACTION("systemctl stop db", "restart") "," ACTION("tune2fs", "restart") ","
                                  ACTION("umount", "restart") "," ACTION("systemctl start db", "restart")) ","
               FINDING("two", ACTION("tune2fs", "restart")) "]");
    assert_string_equal(told(a, &steps), "restart systemctl stop db (one two)\n"
                                         "restart umount (one two)\n"
                                         "restart systemctl start db (one two)\n"
                                         "restart tune2fs (two)\n");
}

#define LINE(file, line)                                                                           \
    "{\"command\":\"x\",\"effect\":\"online\",\"destroys\":null,\"file\":\"" file "\",\"line\":\"" line "\"}"
#define FSTAB(mount, drop, add) FSTAB_OF("xfs", mount, drop, add)
#define FSTAB_OF(fstype, mount, drop, add)                                                         \
    "{\"command\":\"x\",\"effect\":\"restart\",\"destroys\":null,\"file\":\"/etc/fstab\",\"line\":\"x\","      \
    "\"fstab\":{\"source\":\"/dev/a\",\"mount\":\"" mount "\",\"type\":\"" fstype "\",\"options\":\"defaults,relatime\","  \
    "\"drop\":[" drop "],\"add\":[" add "]}}"

static void test_files(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct steps steps = steps_from(
        a, "[" FINDING("one", LINE("/etc/a", "x=1") "," ACTION("load", "online")) ","
               FINDING("two", FSTAB("/m", "\"relatime\"", "\"noatime\"")) ","
               FINDING("three", LINE("/etc/a", "it's") "," LINE("/etc/b", "z")) ","
               FINDING("four", FSTAB("/m", "\"logbsize=*\"", "\"noatime\",\"logbsize=256k\"") ","
                                   FSTAB("/n", "", "\"ro\"")) ","
               FINDING("six", FSTAB("MOUNTPOINT", "", "\"a\"")) ","
               FINDING("seven", FSTAB_OF("ext4", "MOUNTPOINT", "", "\"b\"")) ","
               FINDING("five", LINE("/etc/a", "x=1")) "]");
    assert_string_equal(
        told(a, &steps),
        "files printf '%s\\n' x=1 'it'\\''s' >> /etc/a (one three five)\n"
        "files vi /etc/fstab # /dev/a /m xfs noatime,logbsize=256k 0 0 (two four)\n"
        "files echo z >> /etc/b (three)\n"
        "files vi /etc/fstab # /dev/a /n xfs relatime,ro 0 0 (four)\n"
        "files vi /etc/fstab # /dev/a MOUNTPOINT xfs relatime,a 0 0 (six)\n"
        "files vi /etc/fstab # /dev/a MOUNTPOINT ext4 relatime,b 0 0 (seven)\n"
        "online load (one)\n");
    assert_int_equal(steps.items[0].lines->n, 2);
    assert_int_equal(steps.items[1].lines->n, 1);
}

/* What a rule asks of the kernel without a command of its own is set now and at each boot. */
static void test_settings(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct steps steps =
        steps_from(a, "[{\"rule\":\"r\",\"actions\":[],\"settings\":[{\"variable\":\"vm.x\",\"new\":\"1\"}]},"
                      "{\"rule\":\"none\",\"actions\":[],\"settings\":[]}]");
    assert_string_equal(told(a, &steps), "files echo vm.x=1 >> /etc/sysctl.d/90-nvadvise.conf (r)\n"
                                         "online sysctl -w vm.x=1 (r)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_same_command),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
