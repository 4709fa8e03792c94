#include "../instruction_sets.h"
#include "apus_bfloat16.h"
#include "apus_depthwise.h"

extern const apus_depthwise_kernel apus_depthwise_avx512_bf16;
extern const apus_depthwise_kernel apus_depthwise_neon_bf16;
extern const apus_depthwise_kernel apus_depthwise_baseline;
extern const apus_depthwise_kernel apus_depthwise_avx2;
extern const apus_depthwise_kernel apus_depthwise_avx512;
extern const apus_depthwise_kernel apus_depthwise_neon;

const apus_depthwise_kernel *apus_depthwise_kernel_for(apus_instructions instructions) {
    return APUS_FOR_INSTRUCTIONS(
        instructions, &apus_depthwise_baseline, &apus_depthwise_avx2, &apus_depthwise_avx512, &apus_depthwise_neon);
}

const apus_depthwise_kernel *apus_depthwise_of_bfloat16_for(apus_instructions instructions) {
#if defined(__x86_64__)
    if (apus_bfloat16_kernel_for(instructions)) return &apus_depthwise_avx512_bf16;
#elif defined(__aarch64__)
    if (apus_bfloat16_kernel_for(instructions)) return &apus_depthwise_neon_bf16;
#else
    (void)instructions;
#endif
    return NULL;
}
