/* See paste.h. Must not know facts or formats. */
#include "probes/import/paste.h"

#include <string.h>

#include "probes/import/format.h"

#include "advisor/base/banned.h"

#define REPLACEMENT "\xef\xbf\xbd"
#define PROMPT_MAX 160u

/* ---- bytes ----------------------------------------------------------------------------------- */

static void add_utf8(struct buf *b, uint32_t c)
{
    if (c < 0x80) {
        buf_add_char(b, (char)c);
    } else if (c < 0x800) {
        buf_add_char(b, (char)(0xc0 | c >> 6));
        buf_add_char(b, (char)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        buf_add_char(b, (char)(0xe0 | c >> 12));
        buf_add_char(b, (char)(0x80 | (c >> 6 & 0x3f)));
        buf_add_char(b, (char)(0x80 | (c & 0x3f)));
    } else {
        buf_add_char(b, (char)(0xf0 | c >> 18));
        buf_add_char(b, (char)(0x80 | (c >> 12 & 0x3f)));
        buf_add_char(b, (char)(0x80 | (c >> 6 & 0x3f)));
        buf_add_char(b, (char)(0x80 | (c & 0x3f)));
    }
}

/* What PowerShell writes with '>'. */
static struct span from_utf16(struct arena *a, struct span raw)
{
    const bool little = (unsigned char)raw.ptr[0] == 0xff;
    struct buf b;
    uint32_t high = 0;
    buf_init(&b, a, raw.len * 2 + 16);
    for (size_t i = 2; i + 1 < raw.len; i += 2) {
        const uint32_t x = (unsigned char)raw.ptr[i], y = (unsigned char)raw.ptr[i + 1];
        const uint32_t c = little ? y << 8 | x : x << 8 | y;
        if (c >= 0xd800 && c < 0xdc00) {
            high = c;
        } else if (c >= 0xdc00 && c < 0xe000) {
            add_utf8(&b, high != 0 ? 0x10000 + ((high & 0x3ff) << 10) + (c & 0x3ff) : 0xfffd);
            high = 0;
        } else {
            add_utf8(&b, c);
            high = 0;
        }
    }
    return buf_span(&b);
}

/* "ESC [ … letter", "ESC ] … BEL", else ESC and one byte. */
static size_t escape_length(struct span s, size_t at)
{
    size_t i = at + 1;
    if (i < s.len && s.ptr[i] == '[') {
        for (i++; i < s.len && i < at + 32 && (s.ptr[i] < 0x40 || s.ptr[i] > 0x7e); i++) {
        }
    } else if (i < s.len && s.ptr[i] == ']') {
        for (i++; i < s.len && i < at + 256 && s.ptr[i] != '\a' && s.ptr[i] != '\n'; i++) {
        }
    }
    return (i < s.len ? i + 1 : s.len) - at;
}

/* Length of the valid UTF-8 character at `at`, or 0. */
static size_t char_length(struct span s, size_t at)
{
    const unsigned char c = (unsigned char)s.ptr[at];
    const size_t n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    return n > 0 && at + n <= s.len && span_is_utf8(span_sub(s, at, n)) ? n : 0;
}

static struct span clean(struct arena *a, struct span s)
{
    struct buf b;
    buf_init(&b, a, s.len * 3 + 16);
    for (size_t i = 0; i < s.len;) {
        const char c = s.ptr[i];
        const size_t n = char_length(s, i);
        if (c == 0x1b) {
            i += escape_length(s, i);
        } else if (c == '\r') {
            i += i + 1 < s.len && s.ptr[i + 1] == '\n' ? 2 : 1;
            buf_add_char(&b, '\n');
        } else if (c == '\0') {
            i++;
        } else if (n == 0) {
            buf_add_text(&b, REPLACEMENT);
            i++;
        } else if (n == 1 && ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)) {
            buf_add_char(&b, ' ');
            i++;
        } else {
            buf_add(&b, s.ptr + i, n);
            i += n;
        }
    }
    return buf_span(&b);
}

struct span paste_prepare(struct arena *a, struct span raw)
{
    if (span_starts(raw, "\xff\xfe") || span_starts(raw, "\xfe\xff")) {
        raw = from_utf16(a, raw);
    } else if (span_starts(raw, "\xef\xbb\xbf")) {
        raw = span_sub(raw, 3, raw.len);
    }
    return paste_lines(a, clean(a, raw));
}

/* ---- command lines --------------------------------------------------------------------------- */

static const char tools[] =
    "nvme smartctl isdct intelmas sst msecli lsblk mount findmnt cat df lvs vgs pvs lvdisplay vgdisplay "
    "pvdisplay dmsetup mdadm zpool zfs btrfs xfs_info tune2fs dumpe2fs cryptsetup blkid multipath fdisk "
    "parted sfdisk lspci ls sysctl hdparm docker kubectl rbd iscsiadm swapon uname grep readlink stat";

/* Tools whose command lines are known without a prompt. */
static const char bare_tools[] = "nvme smartctl isdct intelmas sst";

static struct span last_part(struct span word)
{
    for (size_t i = word.len; i > 0; i--) {
        if (word.ptr[i - 1] == '/') {
            return span_sub(word, i, word.len);
        }
    }
    return word;
}

/* Off with sudo and its options, time, and a path before the tool. */
static struct span without_sudo(struct span s)
{
    struct span rest = span_trim(s), word;
    while (span_starts(rest, "sudo ") || span_starts(rest, "time ") || span_starts(rest, "doas ")) {
        (void)span_word(&rest, &word);
        rest = span_trim(rest);
    }
    return rest;
}

static bool names_tool(struct span command, const char *list)
{
    struct span rest = command, word, all = span_of(list), tool;
    if (!span_word(&rest, &word)) {
        return false;
    }
    word = last_part(word);
    while (span_word(&all, &tool)) {
        if (span_eq(word, tool)) {
            return true;
        }
    }
    return false;
}

/* "root@host:~# ", "[root@host ~]$ ", "host% ", "PS C:\> ": where the command begins, or 0. */
static size_t prompt_length(struct span s)
{
    bool at_sign = s.len > 0 && s.ptr[0] == '[', one_word = true;
    if (span_starts(s, "/ # ") || span_starts(s, "~ # ") || span_starts(s, "/ $ ") || span_starts(s, "~ $ ")) {
        return 4; /* of busybox */
    }
    for (size_t i = 0; i + 1 < s.len && i < PROMPT_MAX; i++) {
        const char c = s.ptr[i];
        at_sign = at_sign || c == '@' || c == '~' || c == '\\';
        if ((c == '#' || c == '$' || c == '%' || c == '>') && at_sign && i > 0) {
            return i + 1;
        }
        if ((c == '#' || c == '$') && one_word && i > 0 && s.ptr[i + 1] == ' ') {
            return i + 1; /* "bash-5.1$ " */
        }
        one_word = one_word && c != ' ';
    }
    return 0;
}

bool paste_command(struct span line, struct span *ret)
{
    struct span s = span_trim(line), rest, word;
    if (span_starts(s, "$ ") || span_starts(s, "% ")) {
        *ret = without_sudo(span_sub(s, 2, s.len));
        return ret->len > 0;
    }
    const size_t prompt = span_starts(s, "#") ? 1 : prompt_length(s);
    if (prompt > 0) {
        *ret = without_sudo(span_sub(s, prompt, s.len));
        return names_tool(*ret, tools);
    }
    rest = s = without_sudo(s);
    if (!names_tool(s, bare_tools) || !span_word(&rest, &word) || !span_word(&rest, &word) ||
        span_has(s, ':')) {
        return false;
    }
    *ret = s;
    return word.ptr[0] == '-' || (word.ptr[0] >= 'a' && word.ptr[0] <= 'z');
}

struct span paste_command_device(struct arena *a, struct span command)
{
    struct span rest = command, word, found = {"", 0};
    while (span_word(&rest, &word)) {
        if (span_starts(word, "|") || span_starts(word, ";") || span_starts(word, ">")) {
            break;
        }
        const struct span name = span_starts(word, "/dev/") || span_starts(word, "nvme")
                                     ? import_kernel_name(a, word)
                                     : found;
        found = name.len > 0 ? name : found;
    }
    return found;
}

bool paste_heading(struct arena *a, struct span line, struct span *ret_device)
{
    static const char frame[] = "#=-*>[]()`:| \t";
    struct span s = span_trim(line), rest, word;
    const bool framed = span_starts(s, "##") || span_starts(s, "==") || span_starts(s, "--") ||
                        span_starts(s, "**") || span_starts(s, "# ");
    while (s.len > 0 && strchr(frame, s.ptr[0]) != NULL) {
        s = span_sub(s, 1, s.len);
    }
    while (s.len > 0 && strchr(frame, s.ptr[s.len - 1]) != NULL) {
        s = span_sub(s, 0, s.len - 1);
    }
    rest = s;
    size_t n = 0;
    struct span found = {"", 0};
    while (n < 16 && span_word(&rest, &word)) {
        n++;
        if (span_starts(word, "/dev/") || (framed && span_starts(word, "nvme"))) {
            const struct span name = import_kernel_name(a, word);
            found = name.len > 0 ? name : found;
        }
    }
    *ret_device = found;
    return found.len > 0 && (n == 1 || framed);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

struct scan {
    char stack[64];
    size_t depth;
    bool in_string, escaped;
};

/* One more byte; false: brackets do not match, or are too deep. */
static bool scan_byte(struct scan *sc, char c)
{
    if (sc->in_string) {
        sc->in_string = sc->escaped || c != '"';
        sc->escaped = !sc->escaped && c == '\\';
        return c != '\n';
    }
    if (c == '"') {
        sc->in_string = true;
    } else if (c == '{' || c == '[') {
        if (sc->depth == sizeof(sc->stack)) {
            return false;
        }
        sc->stack[sc->depth++] = c == '{' ? '}' : ']';
    } else if (c == '}' || c == ']') {
        return sc->depth > 0 && sc->stack[--sc->depth] == c;
    }
    return true;
}

bool paste_json(struct arena *a, struct span s, size_t *ret_len, struct span *ret_text,
               bool *ret_cut)
{
    struct scan sc = {.depth = 0}, safe = sc;
    size_t safe_len = 0;
    for (size_t i = 0; i < s.len; i++) {
        const char c = s.ptr[i];
        if (!sc.in_string && (c == ',' || c == ']' || c == '}')) {
            safe = sc; /* a value ended before this byte */
            safe_len = i;
        }
        if (!scan_byte(&sc, c)) {
            return false;
        }
        if (sc.depth == 0) {
            *ret_len = i + 1;
            *ret_text = span_sub(s, 0, i + 1);
            *ret_cut = false;
            return true;
        }
    }
    if (safe_len == 0) {
        return false;
    }
    struct buf b;
    buf_init(&b, a, safe_len + sizeof(sc.stack));
    buf_add_span(&b, span_sub(s, 0, safe_len));
    while (safe.depth > 0) {
        buf_add_char(&b, safe.stack[--safe.depth]);
    }
    *ret_len = s.len;
    *ret_text = buf_span(&b);
    *ret_cut = true;
    return true;
}
