#include "apus_gemm.h"

extern const apus_gemm_kernel apus_gemm_avx2;
extern const apus_gemm_kernel apus_gemm_avx512;
extern const apus_gemm_kernel apus_gemm_neon;

const apus_gemm_kernel *apus_gemm_kernel_for(apus_instructions instructions) {
    switch (instructions) {
    case APUS_INSTRUCTIONS_BASELINE: return &apus_gemm_baseline;
#if defined(__x86_64__)
    case APUS_INSTRUCTIONS_AVX2: return &apus_gemm_avx2;
    case APUS_INSTRUCTIONS_AMX:
    case APUS_INSTRUCTIONS_AVX512: return &apus_gemm_avx512;
#elif defined(__aarch64__)
    case APUS_INSTRUCTIONS_NEON: return &apus_gemm_neon;
#endif
    default: return NULL;
    }
}
