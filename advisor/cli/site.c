/* See site.h. */
#include "advisor/cli/site.h"

#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "advisor/base/file.h"

#include "advisor/base/banned.h"

#define SITE_DIR NVADVISE_SYSCONFDIR "/nvadvise"
#define SITE_CONFIG SITE_DIR "/nvadvise.conf"
#define SITE_WAIVERS SITE_DIR "/waivers.conf"

/* A file that the command line names is the caller's word; any other must be root's alone. */
static bool read_text(struct arena *a, const char *named, const char *usual, struct span *ret,
                      bool *ret_there, struct err *reterr)
{
    struct err err = ERR_INIT;
    *ret_there = false;
    if (named != NULL) {
        *ret_there = file_read(a, named, INI_MAX_BYTES, ret, reterr);
        return *ret_there;
    }
    if (file_read_roots(a, usual, INI_MAX_BYTES, ret, &err)) {
        *ret_there = true;
        return true;
    }
    if (err.code == E_ABSENT) {
        return true;
    }
    *reterr = err;
    return false;
}

static bool read_config(struct arena *a, const struct options *opt, const struct session *s,
                        const struct rule_text *builtin, struct profiles *ret,
                        struct err *reterr)
{
    const char *named = option_text(opt, "config");
    struct ini_file own, site;
    struct span text;
    bool there = false;
    if (!ini_read(a, builtin->name, builtin->bytes, &own, reterr) ||
        (!(named == NULL && option_flag(opt, "no-site")) &&
         !read_text(a, named, SITE_CONFIG, &text, &there, reterr))) {
        return false;
    }
    return (!there ||
            ini_read(a, named != NULL ? named : SITE_CONFIG, text, &site, reterr)) &&
           profiles_load(a, &s->rules, &own, there ? &site : NULL, ret, reterr);
}

static bool read_waivers(struct arena *a, const struct options *opt, const char *configured,
                         struct session *s, struct err *reterr)
{
    const char *named = option_text(opt, "waivers");
    const char *usual = configured != NULL ? configured : SITE_WAIVERS;
    struct span text;
    bool there = false;
    /* With --no-site only a configuration that the command line names can have said where. */
    if (named == NULL && configured == NULL && option_flag(opt, "no-site")) {
        return true;
    }
    if (!read_text(a, named, usual, &text, &there, reterr)) {
        return false;
    }
    if (!there && configured != NULL) {
        return err_set(reterr, E_ABSENT, "cannot open '%s', which the site's configuration names",
                       configured);
    }
    return !there || waivers_read(a, named != NULL ? named : usual, text, &s->rules,
                                  (int64_t)time(NULL), &s->waivers, reterr);
}

bool site_read(struct arena *a, const struct options *opt, const struct rule_text *profiles,
               struct session *s, struct err *reterr)
{
    struct profiles all;
    return read_config(a, opt, s, profiles, &all, reterr) &&
           profiles_apply(&all, option_text(opt, "profile"), &s->rules, &s->profile, reterr) &&
           read_waivers(a, opt, all.waivers, s, reterr);
}
