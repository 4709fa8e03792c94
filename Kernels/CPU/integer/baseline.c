#include "../variants/baseline.h"

#define APUS_GROUP 2
#define APUS_PANEL_VECTORS 2
#define APUS_TILE_ROWS 3
#define APUS_NARROW_TILE_ROWS 3
#include "interleave_128.h"
#include "variant.h"

APUS_INLINE int_vector high_product(int_vector x, int_vector multiplier) {
    typedef int64_t int64_vector __attribute__((vector_size(8 * APUS_LANES)));
    const int64_vector product =
        __builtin_convertvector(x, int64_vector) * __builtin_convertvector(multiplier, int64_vector);
    return __builtin_convertvector((product + (1 << 30)) >> 31, int_vector);
}

// The halves of a lane are signed integers of 16 bits.
APUS_INLINE int_vector dot(int_vector sums, int_vector a, int_vector b) {
    const int_vector low = ((a << 16) >> 16) * ((b << 16) >> 16), high = (a >> 16) * (b >> 16);
    return (int_vector)((uint_vector)sums + (uint_vector)low + (uint_vector)high);
}

#include "kernels.h"
