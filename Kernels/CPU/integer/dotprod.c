#if defined(__aarch64__)
// NEON with dot products of four signed 8-bit integers.
#define APUS_VARIANT dotprod
#define APUS_LANES 4
#define APUS_TARGET __attribute__((target("dotprod")))
#include "../variants/vector.h"

#include <arm_neon.h>

#define APUS_GROUP 4
#define APUS_HAS_SIGNED_BYTES 1
#include "tile_of_32_registers.h"
#include "variant.h"

APUS_INLINE int_vector high_product(int_vector x, int_vector multiplier) {
    return (int_vector)vqrdmulhq_s32((int32x4_t)x, (int32x4_t)multiplier);
}

APUS_INLINE int_vector dot(int_vector sums, int_vector a, int_vector b) {
    return (int_vector)vdotq_s32((int32x4_t)sums, (int8x16_t)a, (int8x16_t)b);
}

APUS_INLINE void flip_bits(const uint8_t *from, uint8_t bits, ptrdiff_t count, uint8_t *to) {
    for (ptrdiff_t i = 0; i < count; i++) to[i] = from[i] ^ bits;
}

APUS_INLINE void interleave(const uint8_t *const *taps, ptrdiff_t from, int_vector *words) {
    const uint8x16_t a = vld1q_u8(taps[0] + from), b = vld1q_u8(taps[1] + from);
    const uint8x16_t c = vld1q_u8(taps[2] + from), d = vld1q_u8(taps[3] + from);
    const uint16x8_t low_ab = (uint16x8_t)vzip1q_u8(a, b), low_cd = (uint16x8_t)vzip1q_u8(c, d);
    const uint16x8_t high_ab = (uint16x8_t)vzip2q_u8(a, b), high_cd = (uint16x8_t)vzip2q_u8(c, d);
    words[0] = (int_vector)vzip1q_u16(low_ab, low_cd);
    words[1] = (int_vector)vzip2q_u16(low_ab, low_cd);
    words[2] = (int_vector)vzip1q_u16(high_ab, high_cd);
    words[3] = (int_vector)vzip2q_u16(high_ab, high_cd);
}

APUS_INLINE void interleave_one(const uint8_t *tap, ptrdiff_t from, int_vector *words) {
    const uint8x16_t a = vld1q_u8(tap + from), zero = vdupq_n_u8(0);
    const uint8x16_t low = vzip1q_u8(a, zero), high = vzip2q_u8(a, zero);
    words[0] = (int_vector)vzip1q_u16((uint16x8_t)low, (uint16x8_t)zero);
    words[1] = (int_vector)vzip2q_u16((uint16x8_t)low, (uint16x8_t)zero);
    words[2] = (int_vector)vzip1q_u16((uint16x8_t)high, (uint16x8_t)zero);
    words[3] = (int_vector)vzip2q_u16((uint16x8_t)high, (uint16x8_t)zero);
}

#include "kernels.h"
#endif
