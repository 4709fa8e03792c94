#ifndef APUS_INTERLEAVE_128_H
#define APUS_INTERLEAVE_128_H

// `interleave` and `interleave_one` of variant.h for 16-bit elements in vectors of 128 bits, whose elements stay in
// order.

#include "variant.h"

#include <string.h>

#if APUS_GROUP != 2 || APUS_LANES != 4
#error "interleave_128.h is for APUS_GROUP 2 and APUS_LANES 4"
#endif

APUS_INLINE void interleave(const int16_t *const *taps, ptrdiff_t from, int_vector *words) {
    int16_vector a, b;
    memcpy(&a, taps[0] + from, sizeof a);
    memcpy(&b, taps[1] + from, sizeof b);
    words[0] = (int_vector)__builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    words[1] = (int_vector)__builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

APUS_INLINE void interleave_one(const int16_t *tap, ptrdiff_t from, int_vector *words) {
    int16_vector a;
    const int16_vector zero = {0};
    memcpy(&a, tap + from, sizeof a);
    words[0] = (int_vector)__builtin_shufflevector(a, zero, 0, 8, 1, 9, 2, 10, 3, 11);
    words[1] = (int_vector)__builtin_shufflevector(a, zero, 4, 12, 5, 13, 6, 14, 7, 15);
}

#endif
