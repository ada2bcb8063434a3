/* nvme self-test-log and sanitize-log, as text and JSON. */
#include "advisor/base/parse.h"
#include "probes/import/fields.h"
#include "probes/import/smartctl.h"

#include "advisor/base/banned.h"

#define RESULT_UNUSED 15u

static struct span first_line(const struct import_piece *p)
{
    struct span rest = span_trim(p->text), line = {"", 0};
    (void)span_line(&rest, &line);
    return span_trim(line);
}

/* The word behind "device:" of a header. */
static struct span header_device(struct span line)
{
    struct span word;
    while (span_word(&line, &word)) {
        if (span_starts(word, "device:")) {
            return span_sub(word, 7, word.len);
        }
    }
    return (struct span){"", 0};
}

/* ---- self-tests ------------------------------------------------------------------------------ */

static bool begins_tests(struct span line)
{
    return span_starts(line, "Device Self Test Log for NVM");
}

static unsigned tests_sure(const struct import_piece *p)
{
    return begins_tests(first_line(p))                                  ? IMPORT_HEADER
           : bag_find(p->bag, "currentoperation") != NULL &&
                   bag_find(p->bag, "currentcompletion") != NULL ? IMPORT_LABELS + 2
                                                                        : IMPORT_NO;
}

/* One result more: an unused one ends the list, whose newest stands first. */
static bool take_result(const struct bag_item *result, const struct bag_item *hours, struct import_test *ret)
{
    uint64_t v = 0, poh = 0;
    if (!bag_u64(result, RESULT_UNUSED, &v) || v == RESULT_UNUSED || !bag_u64(hours, UINT64_MAX, &poh)) {
        return false;
    }
    *ret = (struct import_test){(unsigned)v, poh};
    return true;
}

static bool tests_read(struct import *im, const struct import_piece *p)
{
    const struct import_who who = {.name = header_device(first_line(p))};
    struct import_device *d = import_device(im, p, &who, PAGE_TESTS);
    const struct bag_item *result = NULL;
    struct import_test list[IMPORT_TESTS_MAX];
    uint64_t now = 0;
    size_t n = 0;
    if (bag_u64(bag_find(p->bag, "currentoperation"), 15, &now)) {
        import_bool(im, d, "device.errors.selftest_running", now != 0);
    }
    for (size_t i = 0; i < p->bag->n; i++) {
        struct bag_item *item = &p->bag->items[i];
        item->used = true;
        result = bag_matches(item->key, "operationresult testresult") ? item : result;
        if (result != NULL && bag_matches(item->key, "poweronhours") && n < IMPORT_TESTS_MAX) {
            n += take_result(result, item, &list[n]);
            result = NULL;
        }
    }
    import_selftests(im, d, list, n);
    import_kind(im, d, "nvme");
    return true;
}

const struct import_format import_nvme_tests = {
    .name = "nvme self-test-log",
    .doc = "nvme self-test-log: text",
    .begins = begins_tests,
    .sure = tests_sure,
    .read = tests_read,
};

static const struct json *reports(const struct json *doc)
{
    const struct json *list = json_get(doc, "List of Valid Reports");
    return list != NULL && list->type == JSON_ARRAY ? list : NULL;
}

static unsigned tests_json_sure(const struct import_piece *p)
{
    return bag_find(p->bag, "currentdeviceselftestoperation") != NULL && reports(p->json) != NULL ? IMPORT_HEADER
                                                                                                  : IMPORT_NO;
}

static bool tests_json_read(struct import *im, const struct import_piece *p)
{
    const struct json *list = reports(p->json);
    const struct import_who who = {.name = p->device};
    struct import_device *d = import_device(im, p, &who, PAGE_TESTS);
    struct import_test tests[IMPORT_TESTS_MAX];
    uint64_t now = 0;
    size_t n = 0;
    if (bag_u64(bag_find(p->bag, "currentdeviceselftestoperation"), 15, &now)) {
        import_bool(im, d, "device.errors.selftest_running", now != 0);
    }
    for (size_t i = 0; list != NULL && i < list->n && n < IMPORT_TESTS_MAX; i++) {
        const struct bag *b = bag_of_json(import_arena(im), list->items[i]);
        n += take_result(bag_find(b, "selftestresult"), bag_find(b, "poweronhours poweronhourspoh"), &tests[n]);
    }
    import_selftests(im, d, tests, n);
    import_kind(im, d, "nvme");
    return true;
}

const struct import_format import_nvme_tests_json = {
    .name = "nvme self-test-log (JSON)",
    .doc = "nvme self-test-log -o json",
    .json = true,
    .sure = tests_json_sure,
    .read = tests_json_read,
};

/* ---- sanitize -------------------------------------------------------------------------------- */

/* Bits 2:0 of SSTAT; NULL: none that is known. */
static const char *sanitize_word(uint64_t sstat)
{
    static const char *const words[] = {"never", "done", "running", "failed", "done", "running"};
    return (sstat & 7) < ARRAY_LEN(words) ? words[sstat & 7] : NULL;
}

static bool set_sanitize(struct import *im, const struct import_piece *p, uint64_t sstat)
{
    const struct import_who who = {.name = {"", 0}};
    const char *word = sanitize_word(sstat);
    if (word == NULL) {
        return false;
    }
    struct import_device *d = import_device(im, p, &who, PAGE_SANITIZE);
    import_word(im, d, "device.sanitize.status", word);
    import_kind(im, d, "nvme");
    return true;
}

static bool begins_sanitize(struct span line)
{
    return span_starts(line, "Sanitize Progress") && span_contains(line, "(SPROG)");
}

static unsigned sanitize_sure(const struct import_piece *p)
{
    const struct bag_item *item = bag_find(p->bag, "sanitizestatus");
    return begins_sanitize(first_line(p)) ? IMPORT_HEADER
           : item != NULL && span_eq_text(item->paren, "SSTAT") ? IMPORT_LABELS + 2 : IMPORT_NO;
}

static bool sanitize_read(struct import *im, const struct import_piece *p)
{
    uint64_t sstat = 0;
    for (size_t i = 0; i < p->bag->n; i++) {
        p->bag->items[i].used = true;
    }
    return bag_u64(bag_find(p->bag, "sanitizestatus"), 0xffff, &sstat) && set_sanitize(im, p, sstat);
}

const struct import_format import_nvme_sanitize = {
    .name = "nvme sanitize-log",
    .doc = "nvme sanitize-log: text, also with -H",
    .begins = begins_sanitize,
    .sure = sanitize_sure,
    .read = sanitize_read,
};

static unsigned sanitize_json_sure(const struct import_piece *p)
{
    return json_get(p->json, "sprog") != NULL && json_get(p->json, "sstat") != NULL ? IMPORT_HEADER : IMPORT_NO;
}

/* The whole field, or its parts: {"status": "(0x1) Most Recent …"}. */
static bool sanitize_json_read(struct import *im, const struct import_piece *p)
{
    const struct json *sstat = json_get(p->json, "sstat");
    const struct json *v = sstat != NULL && sstat->type == JSON_OBJECT ? json_get(sstat, "status") : sstat;
    uint64_t n = 0;
    nv_u128 hex = 0;
    for (size_t i = 0; i < p->bag->n; i++) {
        p->bag->items[i].used = true;
    }
    if (v != NULL && v->type == JSON_NUMBER && num_to_u64(v->number, &n)) {
        return set_sanitize(im, p, n);
    }
    if (v == NULL || v->type != JSON_STRING) {
        return false;
    }
    const struct span s = span_starts(v->string, "(") ? span_sub(v->string, 1, v->string.len) : v->string;
    return number_count(s, true, false, &hex) && hex <= 0xffff && set_sanitize(im, p, (uint64_t)hex);
}

const struct import_format import_nvme_sanitize_json = {
    .name = "nvme sanitize-log (JSON)",
    .doc = "nvme sanitize-log -o json",
    .json = true,
    .sure = sanitize_json_sure,
    .read = sanitize_json_read,
};
