#if defined(__x86_64__)
#include "../variants/emulated_fp16.h"

/// As many floats and integers as a vector of float16 has numbers.
typedef float wide_vector __attribute__((vector_size(8 * APUS_LANES)));
typedef int wide_int_vector __attribute__((vector_size(8 * APUS_LANES)));

// x · y + z is rounded to float32 so that its last bit is 1 where it is not exact (to odd). What that gives is rounded
// to the same float16 as the exact sum, since float32 has more than 2 further bits.
// S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008.
#define APUS_MULTIPLY_ADD(x, y, z)                                                                                \
    ({                                                                                                            \
        /* Exact: 22 bits of mantissa. */                                                                         \
        const wide_vector product =                                                                               \
            __builtin_convertvector(x, wide_vector) * __builtin_convertvector(y, wide_vector);                    \
        const wide_vector addend = __builtin_convertvector(z, wide_vector), sum = product + addend;               \
        /* The exact sum is `sum` + `rest`; `rest` is NaN where `sum` is no number. */                            \
        const wide_vector part = sum - product, rest = (product - (sum - part)) + (addend - part);                \
        const wide_int_vector is_inexact = (rest < 0) | (rest > 0);                                               \
        const wide_int_vector is_beyond = ((wide_int_vector)rest ^ (wide_int_vector)sum) >> 31;                   \
        const wide_int_vector towards_zero = (wide_int_vector)sum + (is_inexact & is_beyond);                     \
        __builtin_convertvector((wide_vector)(towards_zero | (is_inexact & 1)), float16_vector);                  \
    })
#define APUS_TILE_ROWS 2
#define APUS_DEPTH_STEP 1
#define APUS_PRODUCTS_ARE_FLOAT16 1
#include "gemm_tile.h"

const apus_float16_kernel apus_float16_emulated_fp16 = {
    .product = &apus_gemm_emulated_fp16, .round_rows = round_rows};
#endif
