#ifndef APUS_LOGARITHM_H
#define APUS_LOGARITHM_H

#include "exponential.h"

/// 2 · artanh s = ln((1 + s) ÷ (1 − s)) by its series, |s| ≤ 1 ÷ 3: the first term left out is below 2e-9 of the sum.
__attribute__((always_inline)) static inline float logarithm_series(float s) {
    const float square = s * s;
    float sum = 2.0f / 15;
    sum = sum * square + 2.0f / 13;
    sum = sum * square + 2.0f / 11;
    sum = sum * square + 2.0f / 9;
    sum = sum * square + 2.0f / 7;
    sum = sum * square + 2.0f / 5;
    sum = sum * square + 2.0f / 3;
    return sum * square * s + 2 * s;
}

/// ln x within 3 units in the last place. Negative numbers give NaN, NaN stays NaN.
__attribute__((always_inline)) static inline float natural_logarithm(float x) {
    // Denormal numbers are scaled by 2²⁴, so that their exponent can be read.
    const int is_small = x < 0x1p-126f;
    const float scaled = is_small ? x * 0x1p24f : x;
    uint32_t bits;
    memcpy(&bits, &scaled, sizeof bits);
    // x = 2ⁿ · m with m from √½ to √2.
    const int32_t n = (int32_t)(bits - 0x3F3504F3u) >> 23;
    const uint32_t mantissa_bits = bits - ((uint32_t)n << 23);
    float m;
    memcpy(&m, &mantissa_bits, sizeof m);
    const float power = (float)(n - (is_small ? 24 : 0));
    // ln 2 = 0.693359375 − 2.12194440e-4, as in `exponential_split`.
    const float sum = power * -2.12194440e-4f + logarithm_series((m - 1) / (m + 1)) + power * 0.693359375f;
    const float finite = x < __builtin_inff() ? sum : x;
    return x > 0 ? finite : x == 0 ? -__builtin_inff() : __builtin_nanf("");
}

/// ln(1 + eˣ) = max(x, 0) + ln(1 + e^(−|x|)), where ln(1 + e) = 2 · artanh(e ÷ (2 + e)). NaN stays NaN.
__attribute__((always_inline)) static inline float softplus(float x) {
    const float e = decay(x < 0 ? x : -x);
    return (x < 0 ? 0 : x) + logarithm_series(e / (2 + e));
}

/// x · tanh(ln(1 + eˣ)) = x · n ÷ (n + 2) with n = eˣ · (eˣ + 2), which is x beyond 20, and 0 below −105. NaN stays
/// NaN.
__attribute__((always_inline)) static inline float mish(float x) {
    const float e = exponential(x > 20 ? 20 : x);
    const float n = e * (e + 2);
    return (x < -105 ? -105 : x) * (n / (n + 2));
}

#endif
