#include "../instruction_sets.h"
#include "apus_float16.h"

#include <math.h>
#include <string.h>

#if defined(__aarch64__)
#include <sys/auxv.h>

static int computes_in_float16(void) { return (getauxval(AT_HWCAP) & HWCAP_ASIMDHP) != 0; }
#endif

extern const apus_float16_kernel apus_float16_avx512_fp16;
extern const apus_float16_kernel apus_float16_neon_fp16;
extern const apus_float16_kernel apus_float16_emulated_fp16;

const apus_float16_kernel *apus_float16_kernel_for(apus_instructions instructions) {
#if defined(__x86_64__)
    const int has_kernel = instructions == APUS_INSTRUCTIONS_AVX512 || instructions == APUS_INSTRUCTIONS_AMX;
    if (has_kernel && apus_processor_supports(instructions) && __builtin_cpu_supports("avx512fp16"))
        return &apus_float16_avx512_fp16;
#elif defined(__aarch64__)
    if (instructions == APUS_INSTRUCTIONS_NEON && computes_in_float16()) return &apus_float16_neon_fp16;
#else
    (void)instructions;
#endif
    return NULL;
}

const apus_float16_kernel *apus_float16_emulation(void) {
#if defined(__x86_64__)
    if (apus_processor_supports(APUS_INSTRUCTIONS_AVX2) && __builtin_cpu_supports("f16c"))
        return &apus_float16_emulated_fp16;
#endif
    return NULL;
}

extern const apus_gemm_kernel apus_gemm_of_halves_avx2;
extern const apus_gemm_kernel apus_gemm_of_halves_avx512;
extern const apus_gemm_kernel apus_gemm_of_halves_neon;

const apus_gemm_kernel *apus_gemm_of_halves_for(apus_instructions instructions) {
    return APUS_FOR_INSTRUCTIONS(
        instructions, NULL, &apus_gemm_of_halves_avx2, &apus_gemm_of_halves_avx512, &apus_gemm_of_halves_neon);
}

// float32 has 23 bits of mantissa and the bias 127, float16 has 10 and 15.
enum { DROPPED_BITS = 13, BIAS_DIFFERENCE = 112 };

uint16_t apus_float16_rounded(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return (uint16_t)(sign | 0x7e00);
    // From here on rounding gives an infinity.
    if (magnitude >= 0x477ff000) return (uint16_t)(sign | 0x7c00);
    if (magnitude < (BIAS_DIFFERENCE + 1) << 23) {
        // A denormal counts in units of 2⁻²⁴; the sum with 2²³ · 2⁻²⁴ rounds to them.
        const float units = fabsf(x) + 0.5f;
        memcpy(&bits, &units, sizeof(bits));
        return (uint16_t)(sign | (bits - 0x3f000000));
    }
    const uint32_t odd = magnitude >> DROPPED_BITS & 1;
    return (uint16_t)(sign | ((magnitude + 0xfff + odd) >> DROPPED_BITS) - (BIAS_DIFFERENCE << 10));
}

float apus_float16_widened(uint16_t half) {
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7fff;
    float x;
    if (magnitude >= 0x7c00) {
        const uint32_t bits = sign | 0x7f800000 | (magnitude & 0x3ff) << DROPPED_BITS;
        memcpy(&x, &bits, sizeof(x));
        return x;
    }
    if (magnitude < 0x400) return copysignf((float)magnitude * 0x1p-24f, sign ? -1.0f : 1.0f);
    const uint32_t bits = sign | ((magnitude + (BIAS_DIFFERENCE << 10)) << DROPPED_BITS);
    memcpy(&x, &bits, sizeof(x));
    return x;
}

int apus_float16_pack(const apus_gemm_factor *factor, ptrdiff_t panel_columns, float *panels) {
    const apus_gemm_factor f = *factor;
    int is_in_range = 1;
    for (ptrdiff_t first = 0; first < f.column_count; first += panel_columns) {
        const ptrdiff_t left = f.column_count - first, count = left < panel_columns ? left : panel_columns;
        for (ptrdiff_t tap = 0; tap < f.tap_count; tap++) {
            const float *from = f.elements + first * f.column_stride + tap * f.tap_stride;
            for (ptrdiff_t channel = 0; channel < f.channel_count + f.channel_count % 2; channel++) {
                for (ptrdiff_t column = 0; column < panel_columns; column++) {
                    uint16_t half = 0;
                    if (channel < f.channel_count && column < count) {
                        const float weight = from[channel * f.channel_stride + column * f.column_stride];
                        half = apus_float16_rounded(weight);
                        is_in_range &= (half & 0x7fff) != 0x7c00 || isinf(weight);
                    }
                    memcpy((char *)panels + 2 * column, &half, sizeof(half));
                }
                panels = (float *)((char *)panels + 2 * panel_columns);
            }
        }
    }
    return is_in_range;
}
