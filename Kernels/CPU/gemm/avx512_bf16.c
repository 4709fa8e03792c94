#if defined(__x86_64__)
#include "../variants/avx512_bf16.h"

#include "apus_bfloat16.h"

APUS_INLINE vector add_words(vector sums, vector words, vector columns) {
    return (vector)_mm512_dpbf16_ps((__m512)sums, (__m512bh)words, (__m512bh)columns);
}

APUS_INLINE half_vector add_half_words(half_vector sums, half_vector words, half_vector columns) {
    return (half_vector)_mm256_dpbf16_ps((__m256)sums, (__m256bh)words, (__m256bh)columns);
}

#define APUS_HAS_BFLOAT16_VALUES 1
#define APUS_TILE_ROWS 10
#define APUS_DEPTH_STEP 1
#define APUS_HALVES_ARE_FASTER 1
#define APUS_SPREAD(word) ((vector)_mm512_set1_ps(word))
#define APUS_ADD_PRODUCT(sums, words, columns) ((sums) = add_words(sums, words, columns))
#define APUS_ADD_HALF_PRODUCT(sums, words, columns) ((sums) = add_half_words(sums, words, columns))
#include "avx512_words.h"
#include "gemm_tile.h"

const apus_bfloat16_kernel apus_bfloat16_avx512_bf16 = {
    .product = &apus_gemm_avx512_bf16, .adjacent_words = 1, .round_rows = round_rows, .pack_rows = pack_rows,
    .interleave_rows = interleave_rows};
#endif
