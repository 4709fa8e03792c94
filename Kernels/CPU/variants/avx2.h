#ifndef APUS_VARIANT_AVX2_H
#define APUS_VARIANT_AVX2_H

// AVX2 with FMA: 16 registers of 8 floats. A variant that is compiled for the same processors defines its name itself.
#ifndef APUS_VARIANT
#define APUS_VARIANT avx2
#endif
#define APUS_LANES 8
#define APUS_TARGET __attribute__((target("arch=x86-64-v3")))
#define APUS_HAS_MASKS 1
#include "vector.h"

#include <immintrin.h>

APUS_INLINE __m256i first_lanes(ptrdiff_t count) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), lanes);
}

APUS_INLINE vector load_first(const float *from, ptrdiff_t count) {
    return (vector)_mm256_maskload_ps(from, first_lanes(count));
}

APUS_INLINE void store_first(float *to, vector x, ptrdiff_t count) {
    _mm256_maskstore_ps(to, first_lanes(count), (__m256)x);
}

#endif
