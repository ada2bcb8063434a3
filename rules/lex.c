/* Tokens of the rule language: a hand-written scanner, one token at a time, no state.
 * Must not know types or fact names. */
#include "rules/lex.h"

#include "advisor/base/banned.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_alnum(char c)
{
    return is_digit(c) || is_letter(c);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The byte at i, or NUL past the end; a NUL inside the text is no part of any token either. */
static char at(struct span s, size_t i)
{
    return i < s.len ? s.ptr[i] : '\0';
}

static size_t skip_digits(struct span s, size_t i)
{
    while (is_digit(at(s, i))) {
        i++;
    }
    return i;
}

/* End of digits.digits.digits[.digits] at i, or i when there is no such thing. */
static size_t scan_version(struct span s, size_t i)
{
    size_t p = i;
    unsigned dots = 0;
    for (;;) {
        const size_t q = skip_digits(s, p);
        if (q == p) {
            return i;
        }
        p = q;
        if (at(s, p) != '.') {
            break;
        }
        dots++;
        p++;
    }
    return dots >= 2 && dots <= 3 && !is_alnum(at(s, p)) ? p : i;
}

/* End of a number with whatever is glued to it: the unit need not be one, so that the message can
 * name the whole thing. */
static size_t scan_number(struct span s, size_t i)
{
    size_t p = skip_digits(s, i);
    if (at(s, p) == '.' && is_digit(at(s, p + 1))) {
        p = skip_digits(s, p + 1);
    }
    if ((at(s, p) == 'e' || at(s, p) == 'E') &&
        (is_digit(at(s, p + 1)) ||
         ((at(s, p + 1) == '+' || at(s, p + 1) == '-') && is_digit(at(s, p + 2))))) {
        p = skip_digits(s, p + 2);
    }
    while (is_alnum(at(s, p)) || at(s, p) == '.' || at(s, p) == '%') {
        p++;
    }
    if (at(s, p) == '/' && (at(s, p + 1) == 's' || at(s, p + 1) == 'h') &&
        !is_alnum(at(s, p + 2)) && at(s, p + 2) != '.') {
        p += 2;
    }
    return p;
}

/* A word or a dotted name. In a word '-' and '+' between two letters or digits belong to it
 * ("mq-deadline"); a dotted name ends there, so that a.b-c.d is a subtraction. */
static size_t scan_word(struct span s, size_t i, bool *ret_dotted)
{
    bool dotted = false;
    size_t p = i;
    for (;;) {
        while (is_alnum(at(s, p))) {
            p++;
        }
        const char c = at(s, p);
        if (!is_alnum(at(s, p + 1))) {
            break;
        }
        if (c == '.') {
            dotted = true;
        } else if (dotted || (c != '-' && c != '+')) {
            break;
        }
        p++;
    }
    *ret_dotted = dotted;
    return p;
}

static size_t scan_string(struct span s, size_t i, bool *ret_closed)
{
    size_t p = i + 1;
    while (p < s.len && s.ptr[p] != '"') {
        p += s.ptr[p] == '\\' && p + 1 < s.len ? 2 : 1;
    }
    *ret_closed = p < s.len;
    return p < s.len ? p + 1 : s.len;
}

/* Fixed spellings, longest first. Those with a message are what people write by habit. */
struct spelling {
    const char *text;
    enum token_kind kind;
    const char *message;
    const char *hint;
};

static const struct spelling spellings[] = {
    {"\xe2\x89\xa5", TOK_BAD, "there is no such sign in the language", "Write >=."},
    {"\xe2\x89\xa4", TOK_BAD, "there is no such sign in the language", "Write <=."},
    {"\xe2\x89\xa0", TOK_BAD, "there is no such sign in the language", "Write !=."},
    {"\xe2\x88\x92", TOK_BAD, "there is no such sign in the language", "Write - (plain ASCII)."},
    {"\xe2\x80\x93", TOK_BAD, "there is no such sign in the language", "Write - (plain ASCII)."},
    {"\xe2\x80\x9c", TOK_BAD, "typographic quotes are not read", "Write \"text\" in plain quotes."},
    {"\xe2\x80\x9d", TOK_BAD, "typographic quotes are not read", "Write \"text\" in plain quotes."},
    {"\xc3\x97", TOK_BAD, "there is no such sign in the language", "Write *."},
    {"\xc2\xb7", TOK_BAD, "there is no such sign in the language", "Write *."},
    {"\xc2\xb5", TOK_BAD, "there is no such sign in the language", "Write us for microseconds."},
    {"===", TOK_BAD, "'===' is no operator", "Write ==."},
    {"||", TOK_OR, NULL, NULL},
    {"&&", TOK_AND, NULL, NULL},
    {"==", TOK_EQ, NULL, NULL},
    {"!=", TOK_NE, NULL, NULL},
    {"<=", TOK_LE, NULL, NULL},
    {">=", TOK_GE, NULL, NULL},
    {"<>", TOK_BAD, "'<>' is no operator", "Write !=."},
    {"=<", TOK_BAD, "'=<' is no operator", "Write <=."},
    {"=>", TOK_BAD, "'=>' is no operator", "Write >=."},
    {"=~", TOK_BAD, "the language has no patterns", "Write == or in {a, b}."},
    {"**", TOK_BAD, "the language has no powers", "Multiply, or use pow2(x)."},
    {"<", TOK_LT, NULL, NULL},
    {">", TOK_GT, NULL, NULL},
    {"!", TOK_NOT, NULL, NULL},
    {"(", TOK_LPAREN, NULL, NULL},
    {")", TOK_RPAREN, NULL, NULL},
    {"{", TOK_LBRACE, NULL, NULL},
    {"}", TOK_RBRACE, NULL, NULL},
    {",", TOK_COMMA, NULL, NULL},
    {":", TOK_COLON, NULL, NULL},
    {"+", TOK_PLUS, NULL, NULL},
    {"-", TOK_MINUS, NULL, NULL},
    {"*", TOK_STAR, NULL, NULL},
    {"/", TOK_SLASH, NULL, NULL},
    {"=", TOK_BAD, "'=' compares nothing here", "Write == to compare."},
    {"&", TOK_BAD, "'&' is no operator", "Write && for and."},
    {"|", TOK_BAD, "'|' is no operator", "Write || for or."},
    {"'", TOK_BAD, "single quotes are not read", "Write a word bare, or \"text\"."},
    {"%", TOK_BAD, "'%' belongs to a number", "Write 80% without a blank; there is no remainder."},
    {"?", TOK_BAD, "'?' is no operator", "Write case(condition: value, else: value)."},
    {"[", TOK_BAD, "'[' is not read", "Write in {a, b} with braces."},
    {"]", TOK_BAD, "']' is not read", "Write in {a, b} with braces."},
    {";", TOK_BAD, "';' is not read", "One condition is one expression; join with &&."},
    {".", TOK_BAD, "a '.' stands alone here", "Write 0.5, or a whole name such as server.redo.capacity."},
    {"$", TOK_BAD, "'$' is not read", "Write the name of the fact without signs."},
};

static struct token scan_spelling(struct span text, size_t i)
{
    const struct span rest = span_sub(text, i, text.len - i);
    for (size_t k = 0; k < ARRAY_LEN(spellings); k++) {
        const struct spelling *const s = &spellings[k];
        if (span_starts(rest, s->text)) {
            return (struct token){.kind = s->kind,
                                  .end = (unsigned)(i + span_of(s->text).len),
                                  .message = s->message,
                                  .hint = s->hint};
        }
    }
    return (struct token){.kind = TOK_BAD,
                          .end = (unsigned)(i + 1),
                          .message = "a byte that the language does not know",
                          .hint = "Rules are plain ASCII."};
}

struct token lex_next(struct span text, size_t offset)
{
    size_t i = offset;
    while (i < text.len && is_blank(text.ptr[i])) {
        i++;
    }
    struct token t = {.kind = TOK_END, .end = (unsigned)text.len};
    const char c = at(text, i);
    if (i >= text.len) {
        i = text.len;
    } else if (is_digit(c) || (c == '.' && is_digit(at(text, i + 1)))) {
        const size_t version_end = scan_version(text, i);
        t.kind = version_end > i ? TOK_VERSION : TOK_NUMBER;
        t.end = (unsigned)(version_end > i ? version_end : scan_number(text, i));
    } else if (is_letter(c)) {
        bool dotted = false;
        t.end = (unsigned)scan_word(text, i, &dotted);
        t.kind = dotted ? TOK_NAME : TOK_WORD;
    } else if (c == '"') {
        bool closed = false;
        t.end = (unsigned)scan_string(text, i, &closed);
        t.kind = TOK_STRING;
        if (!closed) {
            t = (struct token){.kind = TOK_BAD, .end = t.end, .message = "the text is not closed",
                               .hint = "Write a \" at its end."};
        }
    } else {
        t = scan_spelling(text, i);
    }
    t.begin = (unsigned)i;
    t.text = span_sub(text, t.begin, t.end - t.begin);
    return t;
}

bool lex_is_word(struct span word)
{
    if (word.len == 0) {
        return false;
    }
    const struct token t = lex_next(word, 0);
    if (t.begin != 0 || t.end != word.len) {
        return false;
    }
    if (t.kind == TOK_WORD) {
        return true;
    }
    /* "9p": a number to the scanner, a word to an enum that has it. */
    for (size_t i = 0; i < word.len; i++) {
        if (!is_alnum(word.ptr[i])) {
            return false;
        }
    }
    return t.kind == TOK_NUMBER;
}

static int hex_digit(char c)
{
    if (is_digit(c)) {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool lex_string(struct arena *a, struct span quoted, struct span *ret)
{
    char *const out = arena_alloc(a, quoted.len + 1);
    size_t n = 0;
    for (size_t i = 1; i + 1 < quoted.len; i++) {
        char c = quoted.ptr[i];
        if (c == '\\') {
            i++;
            c = quoted.ptr[i];
            if (c == 'n') {
                c = '\n';
            } else if (c == 't') {
                c = '\t';
            } else if (c == 'x') {
                const int hi = i + 3 < quoted.len ? hex_digit(quoted.ptr[i + 1]) : -1;
                const int lo = i + 3 < quoted.len ? hex_digit(quoted.ptr[i + 2]) : -1;
                if (hi < 0 || lo < 0) {
                    return false;
                }
                c = (char)(unsigned char)(hi * 16 + lo);
                i += 2;
            } else if (c != '"' && c != '\\') {
                return false;
            }
        }
        out[n++] = c;
    }
    *ret = (struct span){out, n};
    return true;
}

void lex_quote(struct buf *b, struct span bytes)
{
    buf_add_char(b, '"');
    for (size_t i = 0; i < bytes.len; i++) {
        const unsigned char c = (unsigned char)bytes.ptr[i];
        if (c == '"' || c == '\\') {
            buf_add_char(b, '\\');
            buf_add_char(b, (char)c);
        } else if (c < 0x20 || c >= 0x7f) {
            buf_printf(b, "\\x%02x", c);
        } else {
            buf_add_char(b, (char)c);
        }
    }
    buf_add_char(b, '"');
}
