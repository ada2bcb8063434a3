/* Questions to the rows of rules/settings.ini. Knows nothing of their text, of verdicts or of lines. */
#include "rules/settings.h"

#include "rules/settings_int.h"

#include "advisor/base/banned.h"

const char *line_kind_name(enum line_kind k)
{
    switch (k) {
    case LINE_SETTING:
        return "setting";
    case LINE_FIRST_STEP:
        return "first_step";
    case LINE_COMMENT:
        return "comment";
    }
    return "?";
}

const struct setting *settings_find(const struct ruleset *rs, struct span name)
{
    for (size_t i = 0; i < rs->n_settings; i++) {
        if (span_eq_text(name, rs->settings[i].name))
            return &rs->settings[i];
    }
    return NULL;
}

bool settings_type(const struct ruleset *rs, struct span name, struct expr_type *ret)
{
    const struct setting *s = settings_find(rs, name);
    if (s == NULL)
        return false;
    *ret = s->type;
    return true;
}

const struct expr *settings_pure(const struct ruleset *rs, struct span name)
{
    const struct setting *s = settings_find(rs, name);
    return s != NULL && s->pure ? s->formula : NULL;
}

bool settings_has(const struct ruleset *rs, struct span setting)
{
    const struct setting *s = settings_find(rs, setting);
    return s != NULL && !s->intermediate;
}

bool settings_owned_by(const struct ruleset *rs, struct span setting, struct span rule_id)
{
    const struct setting *s = settings_find(rs, setting);
    if (s == NULL)
        return false;
    for (size_t i = 0; i < s->n_owners; i++) {
        if (span_eq_text(rule_id, s->owners[i].id))
            return true;
    }
    return false;
}
