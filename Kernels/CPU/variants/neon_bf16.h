#ifndef APUS_VARIANT_NEON_BF16_H
#define APUS_VARIANT_NEON_BF16_H

// NEON with products of bfloat16, whose numbers it reads and writes as 16-bit integers. Rounding is to nearest,
// ties to even; denormals become zeros.
#define APUS_VARIANT neon_bf16
#define APUS_LANES 4
#define APUS_TARGET __attribute__((target("bf16")))
#include "vector.h"

#include <arm_neon.h>
#include <stdint.h>

APUS_INLINE vector load_bfloat16(const uint16_t *from) { return (vector)vshll_n_u16(vld1_u16(from), 16); }

/// The first `count` lanes, 0 in the others.
APUS_INLINE vector load_first_bfloat16(const uint16_t *from, ptrdiff_t count) {
    uint16_t lanes[APUS_LANES] = {0};
    memcpy(lanes, from, (size_t)count * sizeof(uint16_t));
    return load_bfloat16(lanes);
}

APUS_INLINE uint16x4_t rounded_bfloat16(vector x) {
    const uint32x4_t bits = (uint32x4_t)x, upper = vshrq_n_u32(bits, 16);
    const uint32x4_t magnitude = vandq_u32(bits, vdupq_n_u32(0x7fffffff));
    const uint32x4_t half = vaddq_u32(vdupq_n_u32(0x7fff), vandq_u32(upper, vdupq_n_u32(1)));
    const uint32x4_t nearest = vshrq_n_u32(vaddq_u32(bits, half), 16);
    const uint32x4_t is_nan = vcgtq_u32(magnitude, vdupq_n_u32(0x7f800000));
    const uint32x4_t is_denormal = vcltq_u32(magnitude, vdupq_n_u32(0x00800000));
    const uint32x4_t number = vbslq_u32(is_nan, vorrq_u32(upper, vdupq_n_u32(0x40)), nearest);
    return vmovn_u32(vbslq_u32(is_denormal, vandq_u32(upper, vdupq_n_u32(0x8000)), number));
}

APUS_INLINE void store_bfloat16(uint16_t *to, vector x) { vst1_u16(to, rounded_bfloat16(x)); }

/// The first `count` lanes.
APUS_INLINE void store_first_bfloat16(uint16_t *to, vector x, ptrdiff_t count) {
    uint16_t lanes[APUS_LANES];
    store_bfloat16(lanes, x);
    memcpy(to, lanes, (size_t)count * sizeof(uint16_t));
}

#endif
