/* Wrapped, escaped, perhaps coloured text for a terminal. */
#ifndef NVADVISE_ADVISOR_REPORT_TEXTBUF_H
#define NVADVISE_ADVISOR_REPORT_TEXTBUF_H

#include "advisor/report/report.h"

enum paint { PAINT_NONE, PAINT_BOLD, PAINT_RED, PAINT_YELLOW, PAINT_GREEN, PAINT_CYAN };

/* `s` in that colour, when colours are on. Escaped. */
void text_paint(struct buf *b, const struct text_options *opt, enum paint paint, const char *s);

/* `text`, escaped, wrapped at opt->columns between words; every line but the first is indented by
 * `indent` blanks; the first begins at column `at`. A word longer than a line stands whole: a command can
 * be copied. Ends with a newline. */
void text_wrap(struct buf *b, const struct text_options *opt, unsigned at, unsigned indent,
               const char *text);

/* "label   text", the text wrapped under itself. */
void text_field(struct buf *b, const struct text_options *opt, unsigned indent, const char *label,
                unsigned label_width, const char *text);

/* The same for a command: never wrapped, so that it can be copied. */
void text_command(struct buf *b, const struct text_options *opt, unsigned indent, const char *label,
                  unsigned label_width, const char *text);

/* Colour of a severity word. */
enum paint text_severity_paint(const char *severity);

#endif
