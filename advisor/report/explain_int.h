/* Parts of explain, a file a kind of page. */
#ifndef NVADVISE_ADVISOR_REPORT_EXPLAIN_INT_H
#define NVADVISE_ADVISOR_REPORT_EXPLAIN_INT_H

#include "advisor/report/doc.h"
#include "advisor/report/explain.h"
#include "rules/catalogue.h"
#include "rules/derived.h"
#include "rules/settings_text.h"

struct page {
    struct arena *arena;
    const struct report_input *in;
    const struct doc doc;
    struct json *json, *sections;
    struct json *items; /* of the section that was begun last */
};

/* Name, kind and title of the page; then its sections, each begun before its items are added. */
void page_name(struct page *p, const char *kind, const char *name, const char *title);
void page_section(struct page *p, const char *title);
void page_item(struct page *p, const char *label, const char *fmt, ...) ATTR_PRINTF(3, 4);

/* Left out where `text` is NULL or empty. */
void page_optional(struct page *p, const char *label, const char *text);

/* Value, default, range, origin and meaning of a parameter, as one item. */
void page_param(struct page *p, const struct param *param);

/* Items: each rule that names the fact (a whole name, or with a role before it) in a condition. */
void page_rules_naming(struct page *p, const char *fact);

/* "SUBJECT  VALUE  [source]", or why it is not known, for all subjects of the fact's kind. */
void page_values(struct page *p, const char *fact, enum subject_kind kind);

void explain_rule(struct page *p, const struct rule *r);
void explain_variable(struct page *p, const struct variable *v);
void explain_setting(struct page *p, const struct setting_view *s);
void explain_fact(struct page *p, const struct fact_decl *decl);
void explain_param(struct page *p, const struct param *param);

/* The sections of a setting, for the pages of setting and variable. */
void page_setting(struct page *p, const struct setting_view *s);

#endif
