#if defined(__x86_64__)
// AVX-512 with dot products of four pairs of 8-bit integers, which do not saturate.
#define APUS_VARIANT vnni
#define APUS_LANES 16
#define APUS_TARGET __attribute__((target("arch=x86-64-v4,avx512vnni"), min_vector_width(512)))
#define APUS_HAS_MASKS 1
#include "../variants/vector.h"

#include <immintrin.h>
#include "wide.h"

APUS_INLINE mask dot_pairs(mask sums, mask a, mask b) {
    return (mask)_mm512_dpwssd_epi32((__m512i)sums, (__m512i)a, (__m512i)b);
}

/// Four products of unsigned with signed integers.
APUS_INLINE mask dot(mask sums, mask a, mask b) {
    return (mask)_mm512_dpbusd_epi32((__m512i)sums, (__m512i)a, (__m512i)b);
}

#define APUS_GROUP 4
#include "kernels.h"
#endif
