#if defined(__x86_64__)
#include "../variants/avx512.h"
#include "wide.h"

APUS_INLINE mask dot_pairs(mask sums, mask a, mask b) {
    return sums + (mask)_mm512_madd_epi16((__m512i)a, (__m512i)b);
}

#define APUS_GROUP 2
#define dot dot_pairs
#include "kernels.h"
#endif
