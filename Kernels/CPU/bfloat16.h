#ifndef APUS_KERNELS_BFLOAT16_H
#define APUS_KERNELS_BFLOAT16_H

// bfloat16 in loops that the compiler turns into vectors.

#include <stdint.h>
#include <string.h>

static inline float widened_bfloat16_number(uint16_t number) {
    const uint32_t bits = (uint32_t)number << 16;
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/// The number in bfloat16 of a float that is one.
static inline uint16_t upper_half(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return (uint16_t)(bits >> 16);
}

/// To nearest, ties to even. Denormals become zeros of their sign, NaN stays NaN.
static inline uint16_t rounded_bfloat16_number(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    const uint32_t magnitude = bits & 0x7fffffff, upper = bits >> 16;
    uint32_t rounded = (bits + 0x7fff + (upper & 1)) >> 16;
    rounded = magnitude > 0x7f800000 ? upper | 0x40 : rounded;
    rounded = magnitude < 0x00800000 ? upper & 0x8000 : rounded;
    return (uint16_t)rounded;
}

#endif
