/* Every mistake that an author of rules can make: its column, its message, its hint. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/rules/toy.h"

#include "advisor/base/banned.h"

struct error_row {
    enum subject_kind scope;
    const char *text;
    unsigned column;
    const char *message; /* part of the message */
    const char *hint;    /* part of the hint; "" = none asked for */
};

#define SERVER SUBJECT_SERVER

static const struct error_row unit_rows[] = {
    {SERVER, "server.redo.capacity > 16K", 23, "not a number with a known unit", "KiB"},
    {SERVER, "server.redo.capacity > 2G", 23, "not a number with a known unit", "GiB"},
    {SERVER, "server.redo.capacity > 2M + 1B", 23, "not a number", "MiB"},
    {SERVER, "server.redo.capacity > 5foo", 23, "'5foo' is not a number", "Units:"},
    {SERVER, "server.redo.capacity > 5.", 23, "'5.' is not a number", "Units:"},
    {SERVER, "server.redo.capacity > 1.2.3.4.5", 23, "'1.2.3.4.5' is not a number", ""},
    {SERVER, "server.redo.capacity > .5", 23, "'.5' is not a number", "Write 0.5."},
    {SERVER, "server.redo.capacity > 0", 21,
     "cannot compare 'server.redo.capacity' (bytes) and '0' (a plain number)", "Write 0B."},
    {SERVER, "server.redo.capacity > 128", 21, "'128' (a plain number)", "Write 128B, or KiB"},
    {SERVER, "1024 < server.redo.capacity", 5, "'1024' (a plain number)", "Write 1024B"},
    {SERVER, "server.uptime < 60", 14, "(seconds)", "Write 60s, or us, ms"},
    {SERVER, "server.commit.rate > 100", 19, "(1/s)", "Write 100/s"},
    {SERVER, "server.redo.write_rate > 100", 23, "(bytes/s)", "Write 100B/s"},
    {SUBJECT_DEVICE, "device.temperature > 70", 19, "", "Write 70degC."},
    {SERVER, "server.cpu.available > 4GiB", 21, "(a plain number) and '4GiB' (bytes)",
     "has no unit"},
    {SERVER, "server.redo.capacity + 5s > 1GiB", 21,
     "cannot add 'server.redo.capacity' (bytes) and '5s' (seconds)", "one dimension"},
    {SERVER, "server.redo.capacity - server.uptime > 1GiB", 21, "cannot subtract", "dimension"},
    {SERVER, "server.redo.capacity > server.uptime", 21, "cannot compare", "one dimension"},
    {SERVER, "server.redo.capacity * server.uptime > 5", 37, "cannot compare", "without unit"},
    {SERVER, "max(server.redo.capacity, 5) > 1GiB", 26, "cannot use in one max", "Write 5B"},
    {SERVER, "floor_to(server.redo.capacity, 5)", 31, "cannot use in one floor_to", "Write 5B"},
    {SERVER, "case(server.dedicated: 1GiB, else: 0)", 35, "cannot choose between", "Write 0B."},
    {SERVER, "server.redo.capacity in {1GiB, 5}", 31, "cannot compare", "Write 5B"},
    {SERVER, "server.redo.capacity > 6 MiB", 25, "'MiB' stands where an operator",
     "directly behind its number"},
    {SERVER, "server.redo.age_ratio > 80 %", 27, "'%' belongs to a number", "80%"},
};

static const struct error_row word_rows[] = {
    {SERVER, "data.fs.type == xsf", 16, "'xsf' is not one of its words", "Did you mean xfs?"},
    {SERVER, "data.fs.type == reiser", 16, "not one of its words", "xfs,ext4,zfs"},
    {SERVER, "data.fs.type in {xfs, ext5}", 22, "'ext5'", "Did you mean ext4?"},
    {SERVER, "xfss == data.fs.type", 0, "'xfss'", "Did you mean xfs?"},
    {SERVER, "data.fs.type == unknown", 16, "not one of its words", "No operator turns unknown"},
    {SERVER, "data.fs.type == \"xfs\"", 16, "is a word of a list, not text",
     "Write xfs without quotes."},
    {SERVER, "data.fs.type == 5", 13, "cannot compare", ""},
    {SERVER, "data.fs.type < xfs", 13, "which has no order", "in {a, b}"},
    {SERVER, "data.role == tmp", 13, "one word, but the other side is a set", "has tmp"},
    {SERVER, "data.role == redo.role", 10, "cannot be compared", "has WORD"},
    {SERVER, "server.plugins == server.plugins", 15, "a list of words and cannot", "has WORD"},
    {SERVER, "server.dedicated == server.flavour", 17, "cannot compare", "by itself"},
    {SERVER, "server.redo.capacity > null", 23, "bytes is wanted", "No operator turns unknown"},
    {SERVER, "server.memory.limit in {-unlimited}", 24, "'-unlimited' has no meaning", ""},
    {SERVER, "server.version < 8.0.99999999999", 17, "'8.0.99999999999' is no version", ""},
    {SERVER, "data.fs.type == aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 16,
     "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...' is not", "Its words"},
    {SERVER, "data.role in {tmp}", 10, "'in' cannot ask", "has a ||"},
    {SERVER, "data.role has temp", 14, "'temp' is not one of its words", "Did you mean tmp?"},
    {SERVER, "data.role has redo.role", 14, "'has' asks for one word", "has b"},
    {SERVER, "data.fs.type has xfs", 13, "'has' asks sets and lists", "in {a, b}"},
    {SERVER, "server.flavour == data.fs.type", 15, "cannot compare", "different lists"},
    {SERVER, "server.process.comm == mysqld", 23, "text is wanted", "Write \"mysqld\"."},
    {SERVER, "server.process.comm > \"a\"", 20, "text, which has no order", "Use =="},
    {SERVER, "server.redo.capacity == ON", 24, "'ON' is a bare word, but bytes is wanted", ""},
    {SERVER, "server.dedicated == maybe", 20, "true or false is wanted", ""},
    {SERVER, "server.dedicated > true", 17, "which has no order", "by itself"},
    {SERVER, "server.dedicated in {true}", 17, "'in' cannot ask", "by itself"},
    {SERVER, "server.dedicated == 1", 17, "cannot compare", "by itself"},
    {SERVER, "foo == bar", 0, "nothing says what 'foo' means", ""},
    {SERVER, "16K == 4K", 0, "'16K' is not a number", "KiB"},
    {SERVER, "server.version < 9", 17, "'9' is no version", "Write at least two numbers: 9.0."},
    {SERVER, "server.version == mysql", 18, "a version is wanted", ""},
    {SERVER, "server.version > 5GiB", 15, "cannot compare", "8.0.30"},
    {SERVER, "unlimited", 0, "nothing says", ""},
    {SERVER, "server.version == unlimited", 18, "a version is wanted", ""},
    {SERVER, "min(server.version, 8.4)", 4, "min needs numbers", ""},
    {SERVER, "server.dedicated + 1", 17, "cannot add", ""},
    {SERVER, "server.dedicated * 2", 0, "'*' needs numbers", ""},
    {SERVER, "-server.flavour", 1, "'-' needs numbers", ""},
    {SERVER, "pow2(data.fs.type)", 5, "pow2 needs numbers", ""},
};

static const struct error_row form_rows[] = {
    {SERVER, "", 0, "the expression ends where a value", ""},
    {SERVER, "server.dedicated and server.is_replica", 17, "'and' is written as a sign",
     "Write &&."},
    {SERVER, "server.dedicated OR server.is_replica", 17, "'OR' is written", "Write ||."},
    {SERVER, "not server.dedicated", 0, "'not' is written as a sign", "Write !"},
    {SERVER, "server.dedicated && not server.is_replica", 20, "'not'", "Write !"},
    {SERVER, "server.dedicated not server.is_replica", 21, "'in' behind 'not'", ""},
    {SERVER, "server.dedicated = true", 17, "'='", "Write == to compare."},
    {SERVER, "server.cpu.available => 4", 21, "'=>'", "Write >=."},
    {SERVER, "server.cpu.available =< 4", 21, "'=<'", "Write <=."},
    {SERVER, "server.cpu.available <> 4", 21, "'<>'", "Write !=."},
    {SERVER, "server.cpu.available \xe2\x89\xa5 4", 21, "no such sign", "Write >=."},
    {SERVER, "server.dedicated & server.is_replica", 17, "'&'", "Write &&"},
    {SERVER, "server.dedicated | server.is_replica", 17, "'|'", "Write ||"},
    {SERVER, "server.process.comm == 'mysqld'", 23, "single quotes", "\"text\""},
    {SERVER, "server.process.comm == \"mysqld", 23, "not closed", "\" at its end"},
    {SERVER, "server.process.comm == \"\\x4\"", 23, "bad escape", "\\xNN"},
    {SERVER, "server.process.comm == \"\\xzz\"", 23, "bad escape", "\\xNN"},
    {SERVER, "server.process.comm == \"\\x4g\"", 23, "bad escape", "\\xNN"},
    {SERVER, "server.process.comm == \"\\q\"", 23, "bad escape", "\\xNN"},
    {SERVER, "server.dedicated ? 1 : 2", 17, "'?'", "case(condition"},
    {SERVER, "server.cpu.available ** 2", 21, "no powers", "pow2"},
    {SERVER, "server.process.comm =~ \"x\"", 20, "no patterns", "in {a, b}"},
    {SERVER, "data.fs.type in [xfs]", 16, "'['", "Write in {a, b}."},
    {SERVER, "data.fs.type in xfs", 16, "'{' is wanted", "Write in {a, b}."},
    {SERVER, "data.fs.type in {xfs", 20, "'}'", ""},
    {SERVER, "data.fs.type in {}", 17, "stands where a value", ""},
    {SERVER, "data.fs.type in {redo.fs.type}", 17, "only words, numbers and versions", "=="},
    {SERVER, "1 < server.cpu.available < 9", 25, "comparisons do not chain", "a < b && b < c"},
    {SERVER, "server.dedicated == true == true", 25, "do not chain", "&&"},
    {SERVER, "data.fs.type in {xfs} == true", 22, "do not chain", ""},
    {SERVER, "(server.dedicated", 0, "this '(' is not closed", ""},
    {SERVER, "server.dedicated)", 16, "this ')' closes nothing", ""},
    {SERVER, "(server.dedicated server.is_replica)", 18, "an operator or ')' is wanted", ""},
    {SERVER, "server.dedicated server.is_replica", 17, "an operator or the end", ""},
    {SERVER, "server.dedicated &&", 19, "ends where a value", ""},
    {SERVER, "&& server.dedicated", 0, "'&&' stands where a value", ""},
    {SERVER, "1 + !server.dedicated", 4, "'!' denies a whole comparison", "parentheses"},
    {SERVER, "max(1)", 0, "max takes 2 or more values, not 1", "at least two"},
    {SERVER, "clamp(1, 2)", 0, "clamp takes 3 values, not 2", "clamp(value, low, high)"},
    {SERVER, "floor(1, 2)", 0, "floor takes 1 values, not 2", "one value"},
    {SERVER, "ceil_to(1)", 0, "ceil_to takes 2", "step"},
    {SERVER, "celi_to(1, 2)", 0, "no function 'celi_to'", "Did you mean ceil_to?"},
    {SERVER, "max()", 4, "stands where a value", ""},
    {SERVER, "max(1, 2", 8, "ends where ')' or ','", ""},
    {SERVER, "round_to(1, 2)", 0, "no function 'round_to'", "There are min,max,clamp,floor_to"},
    {SERVER, "known(server.dedicated)", 0, "no function 'known'", "No operator turns unknown"},
    {SERVER, "if(server.dedicated, 1, 2)", 0, "no function 'if'", "case(condition: value"},
    {SERVER, "frobnicate(1)", 0, "no function", "There are min,max"},
    {SERVER, "case(server.dedicated: 1)", 24, "this case has no 'else'", "else: value"},
    {SERVER, "case(else: 1)", 0, "decides nothing", ""},
    {SERVER, "case(server.dedicated, 1)", 21, "':' and the value", ""},
    {SERVER, "case(server.dedicated: 1, else: 2, else: 3)", 33, "')' behind the else", ""},
    {SERVER, "case(server.cpu.available: 1, else: 2)", 5, "true or false is wanted", "compare"},
    {SERVER, "server.cpu.available && true", 0, "true or false is wanted", "compare"},
    {SERVER, "!data.role", 1, "true or false is wanted", "has WORD"},
    {SERVER, "server.dedicated \x01", 17, "a byte that the language does not know: '\\x01'",
     "plain ASCII"},
};

static const struct error_row name_rows[] = {
    {SERVER, "server.redo.capcity > 1GiB", 0, "there is no fact 'server.redo.capcity'",
     "Did you mean server.redo.capacity?"},
    {SERVER, "true && redo.capacity > 1GiB", 8, "no fact 'redo.capacity'",
     "Did you mean server.redo.capacity?"},
    {SERVER, "data.fs.typ == xfs", 0, "no fact 'data.fs.typ'", "Did you mean data.fs.type?"},
    {SERVER, "data.bench.flush.rat > 1/s", 0, "no fact 'data.bench.flush.rat'", ""},
    {SERVER, "data.bench.qps.rate > 1/s", 0, "no fact 'data.bench.qps.rate'", ""},
    {SERVER, "zzz.yyy.xxx == 1", 0, "no fact 'zzz.yyy.xxx'", ""},
    {SERVER, "server.var.innodb_io_capacty > 1/s", 0, "is not in the variable catalogue",
     "Did you mean server.var.innodb_io_capacity?"},
    {SERVER, "server.status.Questions > 1", 0, "has no kind of its own", "made of it"},
    {SERVER, "server.source.max_connections == compile", 33, "'compile'", "compiled"},
    {SERVER, "volume.fs.type == xfs", 0, "'volume.fs.type' is a fact of a volume",
     "data.fs.type, redo.fs.type"},
    {SERVER, "bench.flush.rate > 1/s", 0, "fact of a volume", "data.bench.flush.rate"},
    {SERVER, "device.transport_nvme", 0, "fact of a device", "Write data.transport_nvme"},
    {SERVER, "device.temperature > 1degC", 0, "fact of a device", "folded over its devices"},
    {SUBJECT_HOST, "device.temperature > 1degC", 0, "this is a rule over host", "rule over a device"},
    {SUBJECT_HOST, "data.fs.type == xfs", 0, "roles belong to a server", "over servers"},
    {SUBJECT_VOLUME, "data.fs.type == xfs", 0, "roles belong to a server",
     "Write volume.fs.type"},
    {SUBJECT_DEVICE, "volume.fs.type == xfs", 0, "fact of a volume", "rule over a volume"},
    {SUBJECT_DEVICE, "redo.flush_needed", 0, "roles belong to a server", ""},
    {SERVER, "param.shre > 1", 0, "there is no parameter 'param.shre'", "Declare it"},
    {SERVER, "plan.nothing > 1", 0, "there is no planned value 'plan.nothing'", "settings"},
};

static bool has(const char *text, const char *part)
{
    return part[0] == '\0' || strstr(text, part) != NULL;
}

static void run(const struct error_row *rows, size_t n)
{
    ARENA_AUTO a = arena_new();
    const struct decl_set *const decls = toy_decls(a);
    unsigned wrong = 0;
    for (size_t i = 0; i < n; i++) {
        const struct expr_names names = toy_names(decls, rows[i].scope);
        struct err err = ERR_INIT;
        struct expr *e = NULL;
        unsigned column = 9999;
        const bool ok = expr_parse(a, span_of(rows[i].text), &names, NULL, &e, &column, &err);
        if (ok || e != NULL || err.code != E_SYNTAX || column != rows[i].column ||
            !has(err.text, rows[i].message) || !has(err.hint, rows[i].hint)) {
            print_error("%s\n  got %u '%s' / '%s'\n want %u '%s' / '%s'\n", rows[i].text,
                        ok ? 0 : column, err.text, err.hint, rows[i].column, rows[i].message,
                        rows[i].hint);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void test_units(void **state)
{
    (void)state;
    run(unit_rows, ARRAY_LEN(unit_rows));
}

static void test_words(void **state)
{
    (void)state;
    run(word_rows, ARRAY_LEN(word_rows));
}

static void test_form(void **state)
{
    (void)state;
    run(form_rows, ARRAY_LEN(form_rows));
}

static void test_names(void **state)
{
    (void)state;
    run(name_rows, ARRAY_LEN(name_rows));
}

/* What the caller asks for: a condition, a number of bytes. */
static void test_wanted(void **state)
{
    static const struct {
        const char *text;
        enum kind want;
        const char *message, *hint;
    } rows[] = {
        {"server.redo.capacity", KIND_BOOL, "is bytes, but true or false is wanted", "compare"},
        {"server.dedicated", KIND_BYTES, "is true or false, but bytes is wanted", ""},
        {"5", KIND_BYTES, "but bytes is wanted", "Write 5B"},
        {"server_dedicated", KIND_BOOL, "bare word, but true or false", "server.dedicated"},
        {"5s", KIND_BYTES, "is seconds, but bytes is wanted", ""},
    };
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct decl_set *const decls = toy_decls(a);
    const struct expr_names names = toy_names(decls, SERVER);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct expr_type want = {.kind = rows[i].want,
                                       .dim = kind_dim(rows[i].want),
                                       .numeric = kind_is_numeric(rows[i].want)};
        struct err err = ERR_INIT;
        struct expr *e = NULL;
        assert_false(expr_parse(a, span_of(rows[i].text), &names, &want, &e, NULL, &err));
        if (!has(err.text, rows[i].message) || !has(err.hint, rows[i].hint)) {
            fail_msg("%s: '%s' / '%s'", rows[i].text, err.text, err.hint);
        }
    }
}

/* Without a lookup there are no parameters and no planned values. */
static void test_no_lookup(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct expr_names names = toy_names(toy_decls(a), SERVER);
    names.lookup = NULL;
    struct err err = ERR_INIT;
    struct expr *e = NULL;
    assert_false(expr_parse(a, span_of("param.share > 1"), &names, NULL, &e, NULL, &err));
    assert_non_null(strstr(err.text, "no parameter can be named here"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units), cmocka_unit_test(test_words),  cmocka_unit_test(test_form),
        cmocka_unit_test(test_names), cmocka_unit_test(test_wanted), cmocka_unit_test(test_no_lookup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
