#include "apus_gemm.h"

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

void apus_gemm_pack(const apus_gemm_factor *factor, ptrdiff_t panel_columns, float *panels) {
    const apus_gemm_factor f = *factor;
    for (ptrdiff_t first = 0; first < f.column_count; first += panel_columns) {
        const ptrdiff_t left = f.column_count - first;
        const ptrdiff_t count = left < panel_columns ? left : panel_columns;
        for (ptrdiff_t tap = 0; tap < f.tap_count; tap++) {
            const float *row = f.elements + first * f.column_stride + tap * f.tap_stride;
            for (ptrdiff_t channel = 0; channel < f.channel_count; channel++) {
                for (ptrdiff_t column = 0; column < count; column++) panels[column] = row[column * f.column_stride];
                for (ptrdiff_t column = count; column < panel_columns; column++) panels[column] = 0;
                row += f.channel_stride;
                panels += panel_columns;
            }
        }
    }
}
