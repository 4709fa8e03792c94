#ifndef APUS_KERNELS_BFLOAT16_H
#define APUS_KERNELS_BFLOAT16_H

// bfloat16 in loops that the compiler turns into vectors.

#include <stddef.h>
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

/// An element of an array of float32, or of bfloat16.
__attribute__((always_inline)) static inline float read_element(
    const void *array, ptrdiff_t index, const int is_bfloat16) {
    return is_bfloat16 ? widened_bfloat16_number(((const uint16_t *)array)[index]) : ((const float *)array)[index];
}

__attribute__((always_inline)) static inline void write_element(
    void *array, ptrdiff_t index, float x, const int is_bfloat16) {
    if (is_bfloat16)
        ((uint16_t *)array)[index] = rounded_bfloat16_number(x);
    else
        ((float *)array)[index] = x;
}

__attribute__((always_inline)) static inline void *element_address(
    const void *array, ptrdiff_t index, const int is_bfloat16) {
    return (char *)array + index * (is_bfloat16 ? (ptrdiff_t)sizeof(uint16_t) : (ptrdiff_t)sizeof(float));
}

/// Floats of `count` elements of an array from `first` on, `stride` apart: widened at `numbers`, side by side, where
/// they are bfloat16. One is enough where the stride is 0.
__attribute__((always_inline)) static inline const float *floats_of(
    const void *array, int is_bfloat16, ptrdiff_t first, ptrdiff_t stride, ptrdiff_t count, float *numbers) {
    if (!is_bfloat16) return (const float *)array + first;
    const uint16_t *from = (const uint16_t *)array + first;
    if (stride == 0) count = 1;
    if (stride == 1)
        for (ptrdiff_t i = 0; i < count; i++) numbers[i] = widened_bfloat16_number(from[i]);
    else
        for (ptrdiff_t i = 0; i < count; i++) numbers[i] = widened_bfloat16_number(from[i * stride]);
    return numbers;
}

/// Rounds `count` floats that lie side by side to elements `stride` apart.
__attribute__((always_inline)) static inline void write_rounded(
    const float *numbers, ptrdiff_t count, uint16_t *to, ptrdiff_t stride) {
    if (stride == 1)
        for (ptrdiff_t i = 0; i < count; i++) to[i] = rounded_bfloat16_number(numbers[i]);
    else
        for (ptrdiff_t i = 0; i < count; i++) to[i * stride] = rounded_bfloat16_number(numbers[i]);
}

/// Calls a function whose parameters end with whether input and output are bfloat16, with constants for both.
#define APUS_WITH_ELEMENT_TYPES(function, input_is_bfloat16, output_is_bfloat16, ...) \
    do {                                                                             \
        if (input_is_bfloat16 && output_is_bfloat16)                                 \
            function(__VA_ARGS__, 1, 1);                                             \
        else if (input_is_bfloat16)                                                  \
            function(__VA_ARGS__, 1, 0);                                             \
        else if (output_is_bfloat16)                                                 \
            function(__VA_ARGS__, 0, 1);                                             \
        else                                                                         \
            function(__VA_ARGS__, 0, 0);                                             \
    } while (0)

#endif
