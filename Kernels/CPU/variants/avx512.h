#ifndef APUS_VARIANT_AVX512_H
#define APUS_VARIANT_AVX512_H

// AVX-512: 32 registers of 16 floats. Without the width, clang cuts 64-byte vectors in two.
// A variant with further instructions defines its name and target itself.
#ifndef APUS_VARIANT
#define APUS_VARIANT avx512
#define APUS_TARGET __attribute__((target("arch=x86-64-v4"), min_vector_width(512)))
#endif
#define APUS_LANES 16
#define APUS_HAS_MASKS 1
#include "vector.h"

#include <immintrin.h>

/// x in every lane. Clang would broadcast it a second time for half of the lanes, unless their content is opaque to it.
APUS_INLINE vector spread_once(float x) {
    __m512 lanes = _mm512_set1_ps(x);
    __asm__("" : "+v"(lanes));
    return (vector)lanes;
}

APUS_INLINE vector load_first(const float *from, ptrdiff_t count) {
    return (vector)_mm512_maskz_loadu_ps((__mmask16)((1u << count) - 1), from);
}

APUS_INLINE void store_first(float *to, vector x, ptrdiff_t count) {
    _mm512_mask_storeu_ps(to, (__mmask16)((1u << count) - 1), (__m512)x);
}

#endif
