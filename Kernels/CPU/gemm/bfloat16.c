#include "../instruction_sets.h"
#include "apus_bfloat16.h"
#include "../bfloat16.h"

#if defined(__aarch64__)
#include <sys/auxv.h>

static int multiplies_bfloat16(void) { return (getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0; }
#endif

#if defined(__x86_64__)
/// Asks for the tile registers once.
static int may_use_tiles(void) {
    enum { UNKNOWN, YES, NO };
    static _Atomic int answer = UNKNOWN;
    if (answer == UNKNOWN)
        answer = apus_processor_supports(APUS_INSTRUCTIONS_AMX) && apus_processor_request_tiles() ? YES : NO;
    return answer == YES;
}
#endif

extern const apus_bfloat16_kernel apus_bfloat16_amx_bf16;
extern const apus_bfloat16_kernel apus_bfloat16_avx512_bf16;
extern const apus_bfloat16_kernel apus_bfloat16_neon_bf16;

const apus_bfloat16_kernel *apus_bfloat16_kernel_for(apus_instructions instructions) {
#if defined(__x86_64__)
    if (instructions == APUS_INSTRUCTIONS_AVX512 && apus_processor_supports(instructions) &&
        __builtin_cpu_supports("avx512bf16"))
        return &apus_bfloat16_avx512_bf16;
    if (instructions == APUS_INSTRUCTIONS_AMX && may_use_tiles()) return &apus_bfloat16_amx_bf16;
#elif defined(__aarch64__)
    if (instructions == APUS_INSTRUCTIONS_NEON && multiplies_bfloat16()) return &apus_bfloat16_neon_bf16;
#else
    (void)instructions;
#endif
    return NULL;
}

extern const apus_gemm_kernel apus_gemm_of_pairs_baseline;
extern const apus_gemm_kernel apus_gemm_of_pairs_avx2;
extern const apus_gemm_kernel apus_gemm_of_pairs_avx512;
extern const apus_gemm_kernel apus_gemm_of_pairs_neon;

const apus_gemm_kernel *apus_gemm_of_pairs_for(apus_instructions instructions) {
    return APUS_FOR_INSTRUCTIONS(
        instructions, &apus_gemm_of_pairs_baseline, &apus_gemm_of_pairs_avx2, &apus_gemm_of_pairs_avx512,
        &apus_gemm_of_pairs_neon);
}

uint16_t apus_bfloat16_rounded(float x) { return rounded_bfloat16_number(x); }

static uint32_t word(float lower, float upper) {
    return apus_bfloat16_rounded(lower) | (uint32_t)apus_bfloat16_rounded(upper) << 16;
}

void apus_bfloat16_pack(
    const apus_gemm_factor *factor, ptrdiff_t panel_columns, ptrdiff_t adjacent_words, float *panels) {
    const apus_gemm_factor f = *factor;
    const ptrdiff_t word_count = (f.channel_count + 1) / 2;
    for (ptrdiff_t column = 0; column < f.column_count; column += panel_columns) {
        const ptrdiff_t left = f.column_count - column, columns = left < panel_columns ? left : panel_columns;
        for (ptrdiff_t tap = 0; tap < f.tap_count; tap++) {
            const float *from = f.elements + column * f.column_stride + tap * f.tap_stride;
            for (ptrdiff_t first = 0, count; first < word_count; first += count, panels += count * panel_columns) {
                count = word_count - first < adjacent_words ? word_count - first : adjacent_words;
                memset(panels, 0, (size_t)(count * panel_columns) * sizeof(float));
                for (ptrdiff_t i = 0; i < count; i++) {
                    const ptrdiff_t channel = 2 * (first + i);
                    const int is_pair = channel + 1 < f.channel_count;
                    const float *lower = from + channel * f.channel_stride;
                    for (ptrdiff_t place = i; place < columns * count; place += count, lower += f.column_stride) {
                        const uint32_t pair = word(*lower, is_pair ? lower[f.channel_stride] : 0);
                        memcpy(panels + place, &pair, sizeof(pair));
                    }
                }
            }
        }
    }
}
