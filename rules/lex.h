/* The rule language's tokens. Knows literals with units, versions, words and names; knows nothing of
 * facts, types or precedence. Works on the text in place and never fails: what is no token comes back
 * as TOK_BAD with a message and a remedy. */
#ifndef NVADVISE_RULES_LEX_H
#define NVADVISE_RULES_LEX_H

#include "advisor/base/str.h"

enum token_kind {
    TOK_END,
    TOK_NUMBER,  /* digits and an optional unit, valid or not: units_parse decides */
    TOK_VERSION, /* two or three dots between digits: 8.0.30 */
    TOK_WORD,    /* no dot: an enum word, a keyword, a function; "mq-deadline" is one word */
    TOK_NAME,    /* with dots: server.redo.capacity */
    TOK_STRING,  /* with its quotes; see lex_string */
    TOK_LPAREN, TOK_RPAREN, TOK_LBRACE, TOK_RBRACE, TOK_COMMA, TOK_COLON,
    TOK_OR, TOK_AND, TOK_NOT,
    TOK_EQ, TOK_NE, TOK_LT, TOK_LE, TOK_GT, TOK_GE,
    TOK_PLUS, TOK_MINUS, TOK_STAR, TOK_SLASH,
    TOK_BAD,
};

struct token {
    enum token_kind kind;
    unsigned begin;      /* byte offset */
    unsigned end;        /* one past its last byte */
    struct span text;    /* its bytes */
    const char *message; /* TOK_BAD: what is wrong; static text */
    const char *hint;    /* TOK_BAD: how to write it; static text, may be "" */
};

/* The token at or after `offset` (blanks, tabs, CR and LF are skipped). At the end TOK_END, with begin
 * and end at the length of the text. */
struct token lex_next(struct span text, size_t offset);

/* Can `word` stand bare in a text and come back as one TOK_WORD? */
bool lex_is_word(struct span word);

/* The bytes that a TOK_STRING means (escapes \" \\ \n \t \xNN), in the arena. false: a bad escape. */
ATTR_NODISCARD bool lex_string(struct arena *a, struct span quoted, struct span *ret);

/* The bytes as a quoted string that lex_string takes back. */
void lex_quote(struct buf *b, struct span bytes);

#endif
