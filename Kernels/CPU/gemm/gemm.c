#include "../instruction_sets.h"
#include "apus_gemm.h"

extern const apus_gemm_kernel apus_gemm_avx2;
extern const apus_gemm_kernel apus_gemm_avx512;
extern const apus_gemm_kernel apus_gemm_neon;

const apus_gemm_kernel *apus_gemm_kernel_for(apus_instructions instructions) {
    return APUS_FOR_INSTRUCTIONS(
        instructions, &apus_gemm_baseline, &apus_gemm_avx2, &apus_gemm_avx512, &apus_gemm_neon);
}
