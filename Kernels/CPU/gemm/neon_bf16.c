#if defined(__aarch64__)
#include "../variants/neon_bf16.h"

#include "../bfloat16.h"
#include "apus_bfloat16.h"

APUS_INLINE vector add_words(vector sums, vector words, vector columns) {
    return (vector)vbfdotq_f32((float32x4_t)sums, (bfloat16x8_t)words, (bfloat16x8_t)columns);
}

/// The sums of two rows by two columns with the products of two words of each.
APUS_INLINE vector multiply_block(vector sums, vector rows, vector columns) {
    return (vector)vbfmmlaq_f32((float32x4_t)sums, (bfloat16x8_t)rows, (bfloat16x8_t)columns);
}

/// Two words of one row, then two of another.
APUS_INLINE vector two_pairs(const float *first, const float *second) {
    return (vector)vcombine_f32(vld1_f32(first), vld1_f32(second));
}

/// Exchanges the upper half of one vector with the lower half of the other.
APUS_INLINE void exchange_halves(vector *first, vector *second) {
    const float64x2_t x = (float64x2_t)*first, y = (float64x2_t)*second;
    *first = (vector)vzip1q_f64(x, y);
    *second = (vector)vzip2q_f64(x, y);
}

#define APUS_HAS_BFLOAT16_VALUES 1
#define APUS_MULTIPLIES_BLOCKS 1
// The sums of 10 rows and the columns beside them take 24 of 32 registers.
#define APUS_TILE_ROWS 10
#define APUS_DEPTH_STEP 1
#define APUS_SPREAD(word) ((vector)vdupq_n_f32(word))
#define APUS_ADD_PRODUCT(sums, words, columns) ((sums) = add_words(sums, words, columns))
#include "gemm_tile.h"

APUS_TARGET static void round_rows(
    const float *from, ptrdiff_t row_count, ptrdiff_t row_stride, ptrdiff_t length, float *words) {
    uint16_t *to = (uint16_t *)words;
    for (ptrdiff_t row = 0; row < row_count; row++, from += row_stride, to += (length + 1) / 2 * 2) {
        for (ptrdiff_t i = 0; i < length; i++) to[i] = rounded_bfloat16_number(from[i]);
        if (length % 2) to[length] = 0;
    }
}

/// Packs rows whose elements `read` gives as bfloat16: two words of a column, and the last of an odd number alone.
#define PACK_ROWS(read)                                                                             \
    uint16_t *to = (uint16_t *)panels;                                                              \
    for (ptrdiff_t first = 0; first < column_count; first += PANEL_COLUMNS)                         \
        for (ptrdiff_t row = 0, step = 4; row < depth; row += step) {                               \
            if (depth - row <= 2) step = 2;                                                         \
            for (ptrdiff_t column = first; column < first + PANEL_COLUMNS; column++, to += step)    \
                for (ptrdiff_t i = 0; i < step; i++)                                                \
                    to[i] = column < column_count && row + i < depth                                \
                                ? read(from[(row + i) * row_stride + column]) : 0;                  \
        }

#define AS_IT_IS(number) (number)

APUS_TARGET static void pack_rows(
    const float *from, ptrdiff_t depth, ptrdiff_t row_stride, ptrdiff_t column_count, float *panels) {
    PACK_ROWS(rounded_bfloat16_number)
}

APUS_TARGET static void interleave_rows(
    const uint16_t *from, ptrdiff_t depth, ptrdiff_t row_stride, ptrdiff_t column_count, float *panels) {
    PACK_ROWS(AS_IT_IS)
}

const apus_bfloat16_kernel apus_bfloat16_neon_bf16 = {
    .product = &apus_gemm_neon_bf16, .adjacent_words = 2, .round_rows = round_rows, .pack_rows = pack_rows,
    .interleave_rows = interleave_rows};
#endif
