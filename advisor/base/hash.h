/* SHA-256 over nettle, for identities of rules, profiles and captures, and for pseudonyms; and a quick hash for
 * tables. */
#ifndef NVADVISE_ADVISOR_BASE_HASH_H
#define NVADVISE_ADVISOR_BASE_HASH_H

#include <stdint.h>

#include "advisor/base/str.h"

#define HASH_HEX_LEN 64

struct hash;

struct hash *hash_new(struct arena *a);
void hash_add(struct hash *h, struct span bytes); /* length-prefixed, so ("a","b") differs from ("ab","") */
void hash_end(struct hash *h, char ret_hex[HASH_HEX_LEN + 1]);

/* SHA-256 of the bytes alone. */
void hash_bytes(struct span bytes, char ret_hex[HASH_HEX_LEN + 1]);

/* For tables in memory (FNV-1a of 32 bits); whoever chooses the bytes can make two alike. */
uint32_t hash_quick(struct span s);

/* HMAC-SHA-256 under a key, for pseudonyms: nobody who lacks the key can try names out. */
#define HASH_KEY_BYTES 32
#define HASH_KEYED_BYTES 32

struct hash_keyed;

struct hash_keyed *hash_keyed_new(struct arena *a, const uint8_t key[HASH_KEY_BYTES]);
/* Of the class and the bytes; ("a", "b") differs from ("ab", ""). Usable any number of times. */
void hash_keyed_of(struct hash_keyed *h, const char *class, struct span bytes,
                   uint8_t ret[HASH_KEYED_BYTES]);

/* Base64 with padding, for captures. */
void base64_encode(struct buf *b, struct span bytes);
bool base64_decode(struct arena *a, struct span text, struct span *ret);

#endif
