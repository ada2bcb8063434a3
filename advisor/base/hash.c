/* SHA-256 and base64 over nettle. The only file that includes nettle's headers for these.
 * Must not know what is hashed. */
#include "advisor/base/hash.h"

#include <string.h>

#include <nettle/base64.h>
#include <nettle/hmac.h>
#include <nettle/sha2.h>

#include "advisor/base/banned.h"

#define ENCODE_STEP 3072u /* whole groups of three bytes */

struct hash {
    struct sha256_ctx ctx;
};

struct hash *hash_new(struct arena *a)
{
    struct hash *h = arena_alloc(a, sizeof(*h));
    sha256_init(&h->ctx);
    return h;
}

void hash_add(struct hash *h, struct span bytes)
{
    uint8_t length[8];
    for (unsigned i = 0; i < sizeof(length); i++) {
        length[i] = (uint8_t)((uint64_t)bytes.len >> (8 * i));
    }
    sha256_update(&h->ctx, sizeof(length), length);
    if (bytes.len > 0) {
        sha256_update(&h->ctx, bytes.len, (const uint8_t *)bytes.ptr);
    }
}

static void end(struct sha256_ctx *ctx, char ret_hex[HASH_HEX_LEN + 1])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(ctx, sizeof(digest), digest);
    for (size_t i = 0; i < sizeof(digest); i++) {
        ret_hex[2 * i] = digits[digest[i] >> 4];
        ret_hex[2 * i + 1] = digits[digest[i] & 15];
    }
    ret_hex[HASH_HEX_LEN] = '\0';
}

void hash_end(struct hash *h, char ret_hex[HASH_HEX_LEN + 1])
{
    end(&h->ctx, ret_hex);
}

void hash_bytes(struct span bytes, char ret_hex[HASH_HEX_LEN + 1])
{
    struct sha256_ctx ctx;
    sha256_init(&ctx);
    if (bytes.len > 0) {
        sha256_update(&ctx, bytes.len, (const uint8_t *)bytes.ptr);
    }
    end(&ctx, ret_hex);
}

uint32_t hash_quick(struct span s)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < s.len; i++) {
        h = (h ^ (uint8_t)s.ptr[i]) * 16777619u;
    }
    return h;
}

struct hash_keyed {
    struct hmac_sha256_ctx ctx;
};

struct hash_keyed *hash_keyed_new(struct arena *a, const uint8_t key[HASH_KEY_BYTES])
{
    struct hash_keyed *h = arena_alloc(a, sizeof(*h));
    hmac_sha256_set_key(&h->ctx, HASH_KEY_BYTES, key);
    return h;
}

void hash_keyed_of(struct hash_keyed *h, const char *class, struct span bytes,
                   uint8_t ret[HASH_KEYED_BYTES])
{
    hmac_sha256_update(&h->ctx, strlen(class) + 1, (const uint8_t *)class);
    if (bytes.len > 0) {
        hmac_sha256_update(&h->ctx, bytes.len, (const uint8_t *)bytes.ptr);
    }
    hmac_sha256_digest(&h->ctx, HASH_KEYED_BYTES, ret); /* and begins anew */
}

void base64_encode(struct buf *b, struct span bytes)
{
    char text[BASE64_ENCODE_RAW_LENGTH(ENCODE_STEP)];
    for (size_t at = 0; at < bytes.len; at += ENCODE_STEP) {
        const struct span piece = span_sub(bytes, at, ENCODE_STEP);
        base64_encode_raw(text, piece.len, (const uint8_t *)piece.ptr);
        buf_add(b, text, BASE64_ENCODE_RAW_LENGTH(piece.len));
    }
}

/* nettle skips white space; one text for one content is wanted here, so it is refused. */
bool base64_decode(struct arena *a, struct span text, struct span *ret)
{
    if (text.len % 4 != 0) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] <= ' ') {
            return false;
        }
    }
    struct base64_decode_ctx ctx;
    base64_decode_init(&ctx);
    size_t len = BASE64_DECODE_LENGTH(text.len);
    uint8_t *bytes = arena_alloc(a, len + 1);
    if (text.len > 0 && !base64_decode_update(&ctx, &len, bytes, text.len, text.ptr)) {
        return false;
    }
    if (text.len == 0) {
        len = 0;
    }
    if (!base64_decode_final(&ctx)) {
        return false;
    }
    *ret = (struct span){(const char *)bytes, len};
    return true;
}
