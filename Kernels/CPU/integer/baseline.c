#include "../variants/baseline.h"

#include <stdint.h>

/// round(x · m / 2³¹), halves up.
APUS_INLINE int_vector high_product(int_vector x, int_vector m) {
    typedef int64_t pairs __attribute__((vector_size(8 * APUS_LANES)));
    const pairs product = __builtin_convertvector(x, pairs) * __builtin_convertvector(m, pairs);
    return __builtin_convertvector((product + (1 << 30)) >> 31, int_vector);
}

/// Halves of lanes as signed integers.
APUS_INLINE int_vector dot(int_vector sums, int_vector a, int_vector b) {
    typedef uint32_t words __attribute__((vector_size(4 * APUS_LANES)));
    const int_vector low = ((a << 16) >> 16) * ((b << 16) >> 16), high = (a >> 16) * (b >> 16);
    return (int_vector)((words)sums + (words)low + (words)high);
}

#define APUS_GROUP 2
#include "interleave_128.h"
#include "requantize.h"

#define APUS_PANEL_VECTORS 2
#define APUS_TILE_ROWS 3
#define APUS_NARROW_TILE_ROWS 3
#define APUS_TILE_CASES APUS_TILE_CASE(1) APUS_TILE_CASE(2) APUS_TILE_CASE(3)
#define APUS_NARROW_TILE_CASES APUS_TILE_CASES
#include "kernels.h"
