#include "apus_gemm.h"

#include <string.h>

extern const apus_gemm_kernel apus_gemm_avx2;
extern const apus_gemm_kernel apus_gemm_avx512;
extern const apus_gemm_kernel apus_gemm_neon;

const apus_gemm_kernel *apus_gemm_kernel_for(apus_instructions instructions) {
    switch (instructions) {
    case APUS_INSTRUCTIONS_BASELINE: return &apus_gemm_baseline;
#if defined(__x86_64__)
    case APUS_INSTRUCTIONS_AVX2: return &apus_gemm_avx2;
    case APUS_INSTRUCTIONS_AVX512: return &apus_gemm_avx512;
#elif defined(__aarch64__)
    case APUS_INSTRUCTIONS_NEON: return &apus_gemm_neon;
#endif
    default: return NULL;
    }
}

void apus_gemm_pack(
    const float *matrix, ptrdiff_t depth, ptrdiff_t columns, ptrdiff_t panel_columns, float *panels) {
    for (ptrdiff_t first = 0; first < columns; first += panel_columns) {
        const ptrdiff_t left = columns - first;
        const ptrdiff_t count = left < panel_columns ? left : panel_columns;
        for (ptrdiff_t k = 0; k < depth; k++, panels += panel_columns) {
            memcpy(panels, matrix + k * columns + first, (size_t)count * sizeof(float));
            memset(panels + count, 0, (size_t)(panel_columns - count) * sizeof(float));
        }
    }
}
