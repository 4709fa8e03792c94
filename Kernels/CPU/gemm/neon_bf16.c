#if defined(__aarch64__)
#include "../variants/neon_bf16.h"

#include "../bfloat16.h"
#include "apus_bfloat16.h"

APUS_INLINE vector add_words(vector sums, vector words, vector columns) {
    return (vector)vbfdotq_f32((float32x4_t)sums, (bfloat16x8_t)words, (bfloat16x8_t)columns);
}

#define APUS_HAS_BFLOAT16_VALUES 1
#define APUS_TILE_ROWS 12
#define APUS_DEPTH_STEP 4
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

/// Packs rows whose elements `read` gives as bfloat16.
#define PACK_ROWS(read)                                                                             \
    uint16_t *to = (uint16_t *)panels;                                                              \
    for (ptrdiff_t first = 0; first < column_count; first += PANEL_COLUMNS)                         \
        for (ptrdiff_t row = 0; row < depth; row += 2)                                              \
            for (ptrdiff_t column = first; column < first + PANEL_COLUMNS; column++, to += 2) {     \
                to[0] = column < column_count ? read(from[row * row_stride + column]) : 0;          \
                to[1] = column < column_count && row + 1 < depth                                    \
                            ? read(from[(row + 1) * row_stride + column]) : 0;                      \
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
    .product = &apus_gemm_neon_bf16, .round_rows = round_rows, .pack_rows = pack_rows,
    .interleave_rows = interleave_rows};
#endif
