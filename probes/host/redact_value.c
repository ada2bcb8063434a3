/* Values of server variables and options, by the variable's name: whatever a variable of this
 * version is called, the end of its name says what it holds. */
#include "probes/host/redact_parts.h"

#include <string.h>

#include "advisor/base/num.h"

#include "advisor/base/banned.h"

enum value_kind { VALUE_ACCOUNT, VALUE_IDENTITY, VALUE_PATH, VALUE_VERSION, VALUE_PLAIN };

/* First match wins; `whole` names must be equal, others end so. */
static const struct {
    const char *name;
    bool whole;
    enum value_kind kind;
} kinds[] = {
    {"aria_sync_log_dir", true, VALUE_PLAIN},
    {"use_stat_tables", true, VALUE_PLAIN},
    {"old_alter_table", true, VALUE_PLAIN},
    {"hostname", true, VALUE_IDENTITY},
    {"user", true, VALUE_IDENTITY},
    {"host", true, VALUE_IDENTITY},
    {"account", true, VALUE_ACCOUNT},
    {"proxy_protocol_networks", true, VALUE_IDENTITY},
    {"_host", false, VALUE_IDENTITY},
    {"_user", false, VALUE_IDENTITY},
    {"_address", false, VALUE_IDENTITY},
    {"_addresses", false, VALUE_IDENTITY},
    {"_node_name", false, VALUE_IDENTITY},
    {"_cluster_name", false, VALUE_IDENTITY},
    {"_group_name", false, VALUE_IDENTITY},
    {"_channel_name", false, VALUE_IDENTITY},
    {"_master_connection", false, VALUE_IDENTITY},
    {"_seeds", false, VALUE_IDENTITY},
    {"_donor", false, VALUE_IDENTITY},
    {"_allowlist", false, VALUE_IDENTITY},
    {"_db", false, VALUE_IDENTITY},
    {"_table", false, VALUE_IDENTITY},
    {"_tables", false, VALUE_IDENTITY},
    {"_uid", false, VALUE_IDENTITY},
    {"_tag", false, VALUE_IDENTITY},
    {"version", false, VALUE_VERSION},
    {"version_with_update", true, VALUE_VERSION},
    {"_comment", false, VALUE_VERSION},
    {"path", false, VALUE_PATH},
    {"dir", false, VALUE_PATH},
    {"directory", false, VALUE_PATH},
    {"file", false, VALUE_PATH},
    {"filename", false, VALUE_PATH},
    {"fname", false, VALUE_PATH},
    {"basename", false, VALUE_PATH},
    {"home", false, VALUE_PATH},
    {"socket", false, VALUE_PATH},
    {"_index", false, VALUE_PATH},
    {"_log", false, VALUE_PATH},
    {"log_bin", true, VALUE_PATH},
    {"log_error", true, VALUE_PATH},
    {"secure_file_priv", true, VALUE_PATH},
    {"server_uuid", true, VALUE_PATH},
    {"_ca", false, VALUE_PATH},
    {"_cert", false, VALUE_PATH},
    {"_key", false, VALUE_PATH},
    {"_crl", false, VALUE_PATH},
    {"_provider", false, VALUE_PATH},
    {"_suffix", false, VALUE_PATH},
    {"plugin_load", true, VALUE_PATH},
    {"plugin_load_add", true, VALUE_PATH},
};

static char plain_char(char c)
{
    return (char)(c == '-' ? '_' : c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Without what option files may put in front, in lower case with '_'; cut to `room`. */
static struct span plain_name(struct span name, char *room, size_t size)
{
    static const char *const fronts[] = {"loose_", "skip_", "disable_", "enable_", "maximum_"};
    const size_t n = name.len < size ? name.len : size;
    for (size_t i = 0; i < n; i++) {
        room[i] = plain_char(name.ptr[i]);
    }
    struct span plain = {room, n};
    for (size_t i = 0; i < ARRAY_LEN(fronts); i++) {
        if (span_starts(plain, fronts[i])) {
            plain = span_sub(plain, strlen(fronts[i]), n);
        }
    }
    return plain;
}

static enum value_kind kind_of(struct span plain)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        const char *const name = kinds[i].name;
        if (kinds[i].whole ? span_eq_text(plain, name) : span_ends(plain, name)) {
            return kinds[i].kind;
        }
    }
    return VALUE_PLAIN;
}

/* A variable that this version never heard of may hold anything. */
static bool is_known(const struct redactor *r, struct span plain)
{
    struct span word;
    while (span_split(&plain, '_', &word)) {
        if (word.len > 0 && !redact_stays(r, word, &redact_option)) {
            return false;
        }
    }
    return true;
}

/* USER@HOST; a user may have an '@' in it. */
static void add_account(struct redactor *r, struct buf *out, struct span account)
{
    size_t at = account.len;
    while (at > 0 && account.ptr[at - 1] != '@') {
        at--;
    }
    redact_add_identity(r, out, span_sub(account, 0, at == 0 ? account.len : at - 1));
    if (at > 0) {
        buf_add_char(out, '@');
        redact_add_identity(r, out, span_sub(account, at, account.len));
    }
}

static bool is_number(struct span s)
{
    struct num n;
    return s.len <= 20 && num_parse(s, &n) && n.tag == NUM_INT;
}

void redact_add_value(struct redactor *r, struct buf *out, struct span name, struct span value)
{
    char room[128];
    const struct span plain = plain_name(name, room, sizeof(room));
    if (is_number(value)) {
        buf_add_span(out, value);
        return;
    }
    switch (kind_of(plain)) {
    case VALUE_ACCOUNT:
        add_account(r, out, value);
        return;
    case VALUE_IDENTITY:
        redact_add_identity(r, out, value);
        return;
    case VALUE_PATH:
        redact_add_text(r, out, value, &redact_path);
        return;
    case VALUE_VERSION:
        redact_add_text(r, out, value, &redact_version);
        return;
    case VALUE_PLAIN:
        break;
    }
    if (!is_known(r, plain) || value.len > sizeof(room) * 32 || span_has(value, '/')) {
        redact_add_text(r, out, value, &redact_path);
    } else {
        redact_add_text(r, out, value, &redact_text);
    }
}
