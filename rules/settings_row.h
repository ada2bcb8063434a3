/* Inside the reader of rules/settings.ini only: one row while it is read. */
#ifndef NVADVISE_RULES_SETTINGS_ROW_H
#define NVADVISE_RULES_SETTINGS_ROW_H

#include "rules/loader.h"
#include "rules/settings_int.h"

struct setting_row {
    struct loader *l;
    struct where at; /* of the key that is read */
    const struct ini_section *section;
    struct setting *s;
};

/* A formula of the row's type; NULL after a problem was told. */
const struct expr *setting_read_value(struct setting_row *r, struct span text);

/* A single name of a fact. */
const struct expr *setting_read_name(struct setting_row *r, struct span text,
                                     const struct expr_type *want);

void setting_read_owners(struct setting_row *r, struct span text);

/* A setting without write.* is written under its own name, wherever that is a variable. */
void setting_name_itself(struct setting_row *r);

/* All keys but those that give the row its kind, place, owners and target. */
void setting_read_keys(struct setting_row *r);

#endif
