/* SHA-256 over nettle, for identities of rules, profiles and captures. */
#ifndef NVADVISE_ADVISOR_BASE_HASH_H
#define NVADVISE_ADVISOR_BASE_HASH_H

#include "advisor/base/str.h"

#define HASH_HEX_LEN 64

struct hash;

struct hash *hash_new(struct arena *a);
void hash_add(struct hash *h, struct span bytes); /* length-prefixed, so ("a","b") differs from ("ab","") */
void hash_end(struct hash *h, char ret_hex[HASH_HEX_LEN + 1]);

/* Base64 with padding, for captures. */
void base64_encode(struct buf *b, struct span bytes);
bool base64_decode(struct arena *a, struct span text, struct span *ret);

#endif
