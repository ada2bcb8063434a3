/* Include last in every .c: calls that have no place here become compile errors.
 * Bounded text is struct buf (str.h); numbers are read by parse.h. */
#ifndef NVADVISE_ADVISOR_BASE_BANNED_H
#define NVADVISE_ADVISOR_BASE_BANNED_H

#undef sprintf /* a macro of the C library's checks, with clang */
#pragma GCC poison strcpy strcat sprintf vsprintf strncpy strncat strtok atoi atol atof gets
#pragma GCC poison system popen localtime gmtime

#endif
