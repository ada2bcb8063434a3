/* Rule cases: small files of facts, each with the verdict that its rule must give on them.
 *   ID.VERDICT.facts or ID.VERDICT.WORD.facts     VERDICT as verdict_name prints it
 * The text is a facts document of plain lines; lines that begin with "#!" say what else must hold:
 *   #! severity = high              of a fail or unknown
 *   #! evidence = server.bp.size_in_force       a fact that decided it; repeats
 *   #! blocker = device.smart.available_spare_pct   a fact that is missing; repeats
 *   #! need = bench                 of not_measured
 *   #! skipped = medium             a part of the text on skipped severity steps
 *   #! estimated = would fail       a part of the text on estimates
 *   #! why = 96 MiB                 a part of the filled-in why
 *   #! param.trx_commit_loss = 1  the parameter has this value, as a profile would set it
 *   #! subject = volume:a:data      when the facts have several subjects of the rule's kind */
#ifndef NVADVISE_RULES_CASES_H
#define NVADVISE_RULES_CASES_H

#include "rules/engine.h"

struct rule_case {
    const char *path;
    const struct rule *rule;
    enum verdict verdict;
    struct span text;
};

/* Read one case; its name decides rule and verdict. E_USAGE: the name fits no rule or verdict. */
ATTR_NODISCARD bool rule_case_read(struct arena *a, const struct ruleset *rs, const char *path,
                                   struct rule_case *ret, struct err *reterr);

/* All *.facts of a directory, in byte order of their names. */
ATTR_NODISCARD bool rule_cases_read_dir(struct arena *a, const struct ruleset *rs, const char *dir,
                                        struct rule_case **ret, size_t *ret_n, struct err *reterr);

/* The facts of a case as a store (nothing derived yet), and the subject that it is about. */
ATTR_NODISCARD bool rule_case_store(struct arena *a, const struct ruleset *rs,
                                    const struct rule_case *c, struct store **ret,
                                    const struct subject **ret_subject, struct err *reterr);

/* The rule set with the parameters that the case sets (the same where it sets none). */
ATTR_NODISCARD bool rule_case_rules(struct arena *a, const struct ruleset *rs,
                                    const struct rule_case *c, struct ruleset *ret,
                                    struct err *reterr);

/* Is `f` what the case asks for? Failure: E_SYNTAX, "PATH: expected …, got …". */
ATTR_NODISCARD bool rule_case_check(struct arena *a, const struct ruleset *rs, struct store *s,
                                    const struct rule_case *c, const struct finding *f,
                                    struct err *reterr);

/* Store, derive, judge, check. */
ATTR_NODISCARD bool rule_case_run(struct arena *a, const struct ruleset *rs,
                                  const struct rule_case *c, struct err *reterr);

/* Must this rule have a case with the verdict? pass, fail, unknown: always; not_applicable: with an
 * `applies`; not_measured: with needs. */
bool rule_case_wanted(const struct rule *r, enum verdict v);

#endif
