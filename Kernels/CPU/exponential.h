#ifndef APUS_EXPONENTIAL_H
#define APUS_EXPONENTIAL_H

#include <stdint.h>
#include <string.h>

/// x = n · ln 2 + r with n whole and |r| ≤ ln 2 ÷ 2, for |x| < 2²¹.
typedef struct {
    int32_t n;
    float r;
} exponential_parts;

/// Adding and subtracting 1.5 · 2²³ rounds to a whole number, which is then in the low bits.
__attribute__((always_inline)) static inline exponential_parts exponential_split(float x) {
    const float shift = 12582912.0f;
    const float shifted = x * 1.44269504f + shift;
    int32_t bits, shift_bits;
    memcpy(&bits, &shifted, sizeof bits);
    memcpy(&shift_bits, &shift, sizeof shift_bits);
    const float n = shifted - shift;
    // ln 2 = 0.693359375 − 2.12194440e-4, of which the first has so few bits that n times it is exact.
    return (exponential_parts){bits - shift_bits, (x - n * 0.693359375f) + n * 2.12194440e-4f};
}

/// 2ⁿ for −127 < n < 128.
__attribute__((always_inline)) static inline float power_of_two(int32_t n) {
    const uint32_t bits = (uint32_t)(n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/// eʳ − 1 by its Taylor series, |r| ≤ ln 2 ÷ 2: the first term left out is below 6e-9.
__attribute__((always_inline)) static inline float exponential_series(float r) {
    float sum = 1.0f / 5040;
    sum = sum * r + 1.0f / 720;
    sum = sum * r + 1.0f / 120;
    sum = sum * r + 1.0f / 24;
    sum = sum * r + 1.0f / 6;
    sum = sum * r + 0.5f;
    return sum * r * r + r;
}

/// eˣ within 2 units in the last place, in a form that loops over it can be vectorised. NaN stays NaN.
__attribute__((always_inline)) static inline float exponential(float x) {
    // Beyond these bounds the result is 0 or ∞ all the same.
    x = x < -105 ? -105 : x;
    x = x > 90 ? 90 : x;
    const exponential_parts parts = exponential_split(x);
    // In two factors, since the power alone may be no finite or normal number.
    const int32_t half = parts.n >> 1;
    return (exponential_series(parts.r) + 1) * power_of_two(half) * power_of_two(parts.n - half);
}

/// eˣ − 1 for x < 88 within 4 units in the last place. NaN stays NaN.
__attribute__((always_inline)) static inline float exponential_minus_1(float x) {
    x = x < -30 ? -30 : x;
    const exponential_parts parts = exponential_split(x);
    const float power = power_of_two(parts.n);
    return exponential_series(parts.r) * power + (power - 1);
}

/// tanh |x| = (e²ˣ − 1) ÷ (e²ˣ + 1), which is 1 beyond 10.
__attribute__((always_inline)) static inline float hyperbolic_tangent(float x) {
    const float magnitude = x < 0 ? -x : x;
    const float e = exponential_minus_1(magnitude > 10 ? 20 : 2 * magnitude);
    return __builtin_copysignf(e / (e + 2), x);
}

#endif
