/* See keep.h. */
#include "advisor/cli/keep.h"

#include "advisor/base/log.h"
#include "advisor/cli/redactkey.h"
#include "advisor/cli/statedir.h"
#include "probes/redact_run.h"

#include "advisor/base/banned.h"

static bool clock_of_header(const struct json *header, int64_t *ret)
{
    const struct json *clock = json_get(header, "clock");
    uint64_t v = 0;
    if (clock == NULL || clock->type != JSON_NUMBER || !num_to_u64(clock->number, &v)) {
        return false;
    }
    *ret = (int64_t)v;
    return true;
}

bool keep_read(struct arena *a, const char *name, struct span bytes, struct kept *ret,
               struct err *reterr)
{
    struct kept k = {.clock = 0};
    if (!capture_read(a, name, bytes, &k.capture, reterr)) {
        return false;
    }
    const struct json *const header = capture_header(k.capture);
    const struct json *const options = json_get(header, "options");
    if (!clock_of_header(header, &k.clock) ||
        (options != NULL && !collect_options_read(a, options, &k.options, reterr))) {
        return err_set(reterr, E_CORRUPT, "capture '%s' has no clock or options in its header",
                       name);
    }
    *ret = k;
    return true;
}

bool keep_pack(struct arena *a, const struct options *opt, const char *state_dir,
               struct capture_writer *w, struct redact_key *ret_key, struct span *ret,
               struct err *reterr)
{
    *ret_key = (struct redact_key){{0}};
    if (option_flag(opt, "no-redact")) {
        log_warn("the capture holds names, addresses and serial numbers of this host");
        return redact_run(w, NULL, a, ret, reterr);
    }
    return redact_key_load(a, state_dir, ret_key, reterr) &&
           redact_run(w, ret_key, a, ret, reterr);
}

bool keep_redact(struct arena *a, const struct options *opt, const char *name,
                 struct redact_key *ret_key, struct span *bytes, struct err *reterr)
{
    struct capture *c = NULL;
    const char *const dir = option_flag(opt, "no-state") ? NULL : state_dir(a);
    return capture_read(a, name, *bytes, &c, reterr) && redact_key_load(a, dir, ret_key, reterr) &&
           redact_run(capture_copy(a, c), ret_key, a, bytes, reterr);
}

bool keep_is_redacted(struct arena *a, const char *name, struct span bytes)
{
    struct capture *c = NULL;
    struct err ignored = ERR_INIT;
    if (!capture_read(a, name, bytes, &c, &ignored)) {
        return false;
    }
    const struct json *const said = json_get(capture_header(c), "redacted");
    return said != NULL && said->type == JSON_BOOL && said->boolean;
}
