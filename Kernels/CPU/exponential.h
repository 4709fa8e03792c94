#ifndef APUS_EXPONENTIAL_H
#define APUS_EXPONENTIAL_H

#include <stdint.h>
#include <string.h>

/// x = n · ln 2 + r with n whole and |r| ≤ ln 2 ÷ 2, for |x| < 2²¹. The low bits of `biased` hold n + 127.
typedef struct {
    uint32_t biased;
    float r;
} exponential_parts;

/// Adding 1.5 · 2²³ rounds to a whole number, which the low bits of the sum hold; subtracting it gives the number. The
/// 127 is the bias of a float's exponent.
__attribute__((always_inline)) static inline exponential_parts exponential_split(float x) {
    const float shift = 12583039.0f;
    const float shifted = x * 1.44269504f + shift;
    exponential_parts parts;
    memcpy(&parts.biased, &shifted, sizeof parts.biased);
    const float n = shifted - shift;
    // ln 2 = 0.693359375 − 2.12194440e-4. The first term has few bits, so that its product with n is exact.
    parts.r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    return parts;
}

/// 2ⁿ for −127 < n < 128, of the low bits n + 127.
__attribute__((always_inline)) static inline float power_of_two(uint32_t biased) {
    const uint32_t bits = biased << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/// (eʳ − 1) ÷ r for |r| ≤ ln 2 ÷ 2, fitted so that eʳ has relative errors below 2e-8.
__attribute__((always_inline)) static inline float exponential_slope(float r) {
    float sum = 0.00138436072f;
    sum = sum * r + 0.00837419555f;
    sum = sum * r + 0.0416680053f;
    sum = sum * r + 0.166664302f;
    sum = sum * r + 0.49999994f;
    return sum * r + 1;
}

/// eˣ for −87 ≤ x ≤ 88 within 2 units in the last place. NaN stays NaN.
__attribute__((always_inline)) static inline float bounded_exponential(float x) {
    const exponential_parts parts = exponential_split(x);
    return (exponential_slope(parts.r) * parts.r + 1) * power_of_two(parts.biased);
}

/// eˣ within 2 units in the last place. Loops over it can be vectorised. NaN stays NaN.
__attribute__((always_inline)) static inline float exponential(float x) {
    // Beyond these bounds the result is 0 or ∞ all the same.
    x = x < -105 ? -105 : x;
    x = x > 90 ? 90 : x;
    const exponential_parts parts = exponential_split(x);
    // The bits of 1.5 · 2²³ are 4B400000. Two factors, since 2ⁿ itself may be infinite or denormal.
    const int32_t n = (int32_t)(parts.biased - 0x4b40007fu), half = n >> 1;
    return (exponential_slope(parts.r) * parts.r + 1) * power_of_two((uint32_t)(half + 127))
           * power_of_two((uint32_t)(n - half + 127));
}

/// eˣ for x ≤ 0, or 0 where eˣ is denormal, since arithmetic with denormal numbers is slow. NaN stays NaN.
__attribute__((always_inline)) static inline float decay(float x) {
    const float power = bounded_exponential(x < -87 ? -87 : x);
    return x < -87 ? 0 : power;
}

/// eˣ − 1 for x < 88 within 4 units in the last place. NaN stays NaN.
__attribute__((always_inline)) static inline float exponential_minus_1(float x) {
    const exponential_parts parts = exponential_split(x < -30 ? -30 : x);
    const float power = power_of_two(parts.biased);
    return exponential_slope(parts.r) * parts.r * power + (power - 1);
}

/// tanh |x| = (e²ˣ − 1) ÷ (e²ˣ + 1), which is 1 beyond 10.
__attribute__((always_inline)) static inline float hyperbolic_tangent(float x) {
    const float magnitude = x < 0 ? -x : x;
    const float e = exponential_minus_1(magnitude > 10 ? 20 : 2 * magnitude);
    return __builtin_copysignf(e / (e + 2), x);
}

/// a ÷ (1 + e⁻ˣ), or 0 where that would be denormal for a = 1. NaN stays NaN.
__attribute__((always_inline)) static inline float logistic_share(float a, float x) {
    const float raised = x < -88 ? -88 : x, bounded = raised > 87 ? 87 : raised;
    return (x < -88 ? 0 : a) / (1 + bounded_exponential(-bounded));
}

/// 1 ÷ (1 + e⁻ˣ). NaN stays NaN.
__attribute__((always_inline)) static inline float logistic(float x) { return logistic_share(1, x); }

/// Φ(−x) for 0 ≤ x ≤ 13, Φ the normal distribution: e^(−x² ÷ 2) times a polynomial of u = 1 ÷ (1 + 0.26 x), which was
/// fitted to ½ · e^(x² ÷ 2) · erfc(x ÷ √2) with relative errors below 3e-8.
__attribute__((always_inline)) static inline float normal_tail(float x) {
    const float u = 1 / (1 + 0.26f * x);
    float sum = 0.0302301645f;
    sum = sum * u - 0.151493805f;
    sum = sum * u + 0.248731968f;
    sum = sum * u - 0.147788005f;
    sum = sum * u + 0.158757887f;
    sum = sum * u + 0.0519651727f;
    sum = sum * u + 0.102788597f;
    sum = sum * u + 0.103050985f;
    sum = sum * u + 0.103757021f;
    return sum * u * bounded_exponential(-0.5f * x * x);
}

/// x · Φ(x), Φ the normal distribution, with errors below 1e-6, and below 5 units in the last place for x > −1. Below
/// −5.6 it is 0. NaN stays NaN.
///
/// Φ(x) = ½ + x · P(x²) ÷ Q(x²), where the polynomials were fitted for |x| ≤ 5.6 with errors of Φ below 1e-8.
__attribute__((always_inline)) static inline float gaussian_error_linear_unit(float x) {
    const float raised = x < -5.6f ? -5.6f : x, bounded = raised > 5.6f ? 5.6f : raised;
    const float square = bounded * bounded;
    float numerator = 2.2145297e-08f;
    numerator = numerator * square + 6.3565394e-06f;
    numerator = numerator * square + 0.00017385132f;
    numerator = numerator * square + 0.004707263f;
    numerator = numerator * square + 0.03437616f;
    numerator = numerator * square + 0.39894223f;
    float denominator = 1.180212e-06f;
    denominator = denominator * square + 7.510213e-05f;
    denominator = denominator * square + 0.0019129815f;
    denominator = denominator * square + 0.028940119f;
    denominator = denominator * square + 0.25283396f;
    denominator = denominator * square + 1;
    return (x < -5.6f ? 0 : x) * (bounded * (numerator / denominator) + 0.5f);
}

/// ½ · (1 + tanh y) = 1 ÷ (1 + e^(−2y)) with y = √(2/π) · (x + 0.044715 · x³), times x. NaN stays NaN.
__attribute__((always_inline)) static inline float gaussian_error_linear_unit_tanh(float x) {
    const float bounded = x < -20 ? -20 : x;
    return bounded * logistic(bounded * (1.59576912f + 0.0713548163f * bounded * bounded));
}

/// erf x: its odd polynomial up to 1, beyond that 1 − 2 Φ(−√2 · x). NaN stays NaN.
__attribute__((always_inline)) static inline float error_function(float x) {
    const float magnitude = x < 0 ? -x : x;
    const float bounded = magnitude > 9 ? 9 : magnitude, square = x * x;
    float sum = 7.85393686e-05f;
    sum = sum * square - 0.000801021861f;
    sum = sum * square + 0.00518833087f;
    sum = sum * square - 0.0268538139f;
    sum = sum * square + 0.112835852f;
    sum = sum * square - 0.376126258f;
    sum = sum * square + 1.12837917f;
    const float outer = 1 - 2 * normal_tail(bounded * 1.41421356f);
    return magnitude < 1 ? x * sum : __builtin_copysignf(outer, x);
}

#endif
