/* Shared by the files of the fact store only. */
#ifndef NVADVISE_ADVISOR_FACTS_STORE_FILL_H
#define NVADVISE_ADVISOR_FACTS_STORE_FILL_H

#include "advisor/facts/store.h"

/* Was this fact put there by store_fill_missing, so that nobody ever set it? */
bool store_is_filled(const struct fact *f);

/* State, reason and remedy of a declared fact that nobody set. */
struct fact store_missing_fact(const struct store *s, const struct fact_decl *decl);

#endif
