/* Parts of the report document, one file each; put together in report.c. Pure. */
#ifndef NVADVISE_ADVISOR_REPORT_DOC_H
#define NVADVISE_ADVISOR_REPORT_DOC_H

#include "advisor/report/report.h"

struct doc {
    struct arena *arena;
    const struct report_input *in;
};

/* A rule's text with its {{names}} filled in for one finding; an unknown prints as "unknown"
 * (words.c). */
const char *doc_fill(const struct doc *d, const struct finding *f, const char *text);

/* $D (disk), $C (controller), $M (mount point), $S (what is mounted there), $crypt and $md (the mapping and the
 * array below it), $U (the server's unit) and $K (the client that checks tables) filled in, as they are; for
 * sentences. */
const char *doc_places(const struct doc *d, const struct finding *f, const char *text);

/* Is the action for this finding? Not where its condition is known not to hold. */
bool doc_offers(const struct doc *d, const struct finding *f, const struct rule_action *act);

/* A command: {{names}} and places filled in, each quoted for a shell where it is not plain, so that no
 * name of a path or a device can become a command. What is not known stays a word in capitals. */
const char *doc_command(const struct doc *d, const struct finding *f, const char *command);

/* The same as members of an action: command; for a line of a file (fileline.h) also file and line, for one of
 * /etc/fstab also fstab: source, mount, type, options, drop, add. */
void doc_action_command(const struct doc *d, const struct finding *f, const char *command,
                        struct json *j);

/* One finding, with evidence, settings and actions (finding_doc.c). */
struct json *doc_finding(const struct doc *d, const struct finding *f);

/* One fact as evidence: name, subject, state, value, unit, text, source, reason, remedy. */
struct json *doc_fact(const struct doc *d, const char *name, const struct subject *sub,
                      const struct fact *fact);

/* One planned line (plan_doc.c). */
struct json *doc_plan_line(const struct doc *d, const struct plan_line *line);

/* {"setting", "advice", "file", "line", "value", "text"}: the lines of option files that a failed finding
 * counts (items_doc.c). */
struct json *doc_items(const struct doc *d, const struct finding *f);

/* {"text":…,"rules":[…],"facts":N}: what would mend the unknown facts, one entry a remedy. */
struct json *doc_remedies(const struct doc *d);

/* What the site decided: its profile; its waivers, one entry each; the waiver of one finding, or null
 * (site_doc.c). */
struct json *doc_profile(const struct doc *d);
struct json *doc_waivers(const struct doc *d);
void doc_note_waivers(const struct doc *d, struct json *notes); /* those that end, or have ended */
struct json *doc_waived(const struct doc *d, const struct finding *f);

/* What the option lines would mean in the version of --target, or null; how many lines of one change; is
 * there something that cannot be told (target_doc.c). */
struct json *doc_target(const struct doc *d);
size_t doc_target_count(const struct json *target, const char *change);
bool doc_target_unsure(const struct json *target);

/* Servers and devices with what a header line says of them (subject_doc.c). */
struct json *doc_subjects(const struct doc *d);

/* No server is known, and it is not known either that there is none: not all processes could be seen.
 * The fact that says why, else NULL. A document that says nothing of processes has none to see. */
const struct fact *doc_unseen_servers(const struct report_input *in);

/* One line each, for people: "no NVMe device …" (subject_doc.c). */
struct json *doc_notes(const struct doc *d);

#endif
