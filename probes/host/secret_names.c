/* See secret_names.h. */
#include "probes/host/secret_names.h"

#include <string.h>

#include "advisor/base/banned.h"

#define NAME_MAX_BYTES 128u

static const char *const parts[] = {
    "pass", "pwd",   "secret", "token", "credential", "psk",
    "chap", "_auth", "_key",   ".key",  "filekey",
};

/* Switches, numbers and names of the servers' own that hold no secret: upgrades are judged by them.
 */
static const char *const harmless[] = {
    "authentication_policy",
    "binlog_rotate_encryption_master_key_at_startup",
    "caching_sha2_password_auto_generate_rsa_keys",
    "caching_sha2_password_digest_rounds",
    "default_authentication_plugin",
    "default_password_lifetime",
    "delay_key_write",
    "derived_with_keys", /* of optimizer_switch, as extended_keys */
    "disconnect_on_expired_password",
    "extended_keys",
    "foreign_key_checks",
    "generated_random_password_length",
    "innodb_default_encryption_key_id",
    "innodb_encryption_rotate_key_age",
    "innodb_force_primary_key",
    "innodb_ft_max_token_size",
    "innodb_ft_min_token_size",
    "innodb_native_foreign_keys",
    "max_password_errors",
    "max_seeks_for_key",
    "mysql_native_password",
    "mysql_native_password_proxy_users",
    "ngram_token_size",
    "old_passwords",
    "optimizer_adjust_secondary_key_costs",
    "optimizer_key_compare_cost",
    "optimizer_key_copy_cost",
    "optimizer_key_lookup_cost",
    "optimizer_key_next_find_cost",
    "password_history",
    "password_require_current",
    "password_reuse_interval",
    "restrict_fk_on_non_standard_key",
    "secure_auth",
    "sha256_password_auto_generate_rsa_keys",
    "sha256_password_proxy_users",
    "show_replica_auth_info",
    "show_slave_auth_info",
    "sql_generate_invisible_primary_key",
    "sql_require_primary_key",
    "strict_password_validation",
};

/* Servers take a name that is cut short: from so many bytes on it can be no other one. */
static const struct {
    const char *name;
    size_t at_least;
} known[] = {
    {"init_connect", 6},   {"init_slave", 6},      {"init_replica", 6},  {"master_password", 8},
    {"password", 2},       {"report_password", 8}, {"s3_access_key", 4}, {"s3_secret_key", 4},
    {"ssl_passphrase", 5}, {"wsrep_sst_auth", 10},
};

static const char *const prefixes[] = {"loose_", "skip_", "disable_", "enable_", "maximum_"};

/* Lower case with '_'; a name that is too long is none of ours. */
static struct span canonical(struct span name, char room[NAME_MAX_BYTES])
{
    const size_t n = name.len < NAME_MAX_BYTES ? name.len : NAME_MAX_BYTES;
    for (size_t i = 0; i < n; i++) {
        const char c = name.ptr[i];
        room[i] = c == '-' ? '_' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return (struct span){room, n};
}

static bool has_part(struct span s, const char *part)
{
    const size_t n = strlen(part);
    for (size_t i = 0; i + n <= s.len; i++) {
        if (memcmp(s.ptr + i, part, n) == 0) {
            return true;
        }
    }
    return false;
}

bool secret_name_sounds(struct span name)
{
    char room[NAME_MAX_BYTES];
    /* A window at a time, overlapping, so that length hides nothing. */
    for (size_t from = 0; from == 0 || from < name.len; from += NAME_MAX_BYTES / 2) {
        const struct span s = canonical(span_sub(name, from, NAME_MAX_BYTES), room);
        for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
            if (has_part(s, parts[i])) {
                return true;
            }
        }
    }
    return false;
}

static struct span drop_prefixes(struct span s)
{
    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
        if (span_starts(s, prefixes[i])) {
            s = span_sub(s, strlen(prefixes[i]), s.len);
            i = (size_t)-1;
        }
    }
    return s;
}

static bool is_known(struct span s)
{
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        if (s.len >= known[i].at_least && s.len <= strlen(known[i].name) &&
            memcmp(s.ptr, known[i].name, s.len) == 0) {
            return true;
        }
    }
    return false;
}

bool secret_option(struct span name)
{
    char room[NAME_MAX_BYTES];
    const struct span s = drop_prefixes(canonical(name, room));
    for (size_t i = 0; i < ARRAY_LEN(harmless); i++) {
        if (name.len < NAME_MAX_BYTES && span_eq_text(s, harmless[i])) {
            return false;
        }
    }
    /* "validate_password.length", "validate_password_policy": rules for passwords. */
    if (span_starts(s, "validate_password") && name.len < NAME_MAX_BYTES) {
        return false;
    }
    return secret_name_sounds(name) || is_known(s);
}
