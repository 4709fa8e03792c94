#ifndef APUS_QUANTIZE_H
#define APUS_QUANTIZE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/// How numbers become integers: round(x / scale) + zero_point, limited to low…high.
typedef struct {
    float scale;
    int32_t zero_point;
    int32_t low;
    int32_t high;
    /// Whether halves are rounded to the even integer, and not away from zero.
    int rounds_to_even;
} quantization;

/// Adding and subtracting 1.5 · 2²³ rounds a number below 2²² to an integer, halves to the even one.
#define APUS_ROUNDING 12582912.0f

/// The numbers whose integers are computed together.
enum { QUANTIZED_BLOCK = 64 };

/// round(x / scale), limited to the range less the zero point, as the definition says.
__attribute__((always_inline)) static inline float rounded_quotient(float x, const quantization *q) {
    const float least = (float)(q->low - q->zero_point), largest = (float)(q->high - q->zero_point);
    float quotient = x / q->scale;
    quotient = quotient == quotient ? quotient : 0;
    quotient = quotient < least ? least : quotient > largest ? largest : quotient;
    if (q->rounds_to_even) return (quotient + APUS_ROUNDING) - APUS_ROUNDING;
    // Truncation of |q| + 1/2 would round the number before 1/2 up.
    const float whole = truncf(quotient), rest = quotient - whole;
    return whole + (float)((rest >= 0.5f) - (rest <= -0.5f));
}

/// Whether `round_by_reciprocal` may be used: 1 / scale is far from the ends of the range of float32.
static inline int has_reciprocal(float scale) { return scale > 0x1p-100f && scale < 0x1p100f; }

/// rounded[i] = round(x[i] / scale), limited, for a block. The quotient is x · (1 / scale), whose relative error is
/// below 2⁻²². Returns 0 where one is so close to a half that the division may round otherwise, or is NaN.
__attribute__((always_inline)) static inline int round_by_reciprocal(
    const float *restrict x, float reciprocal, float least, float largest, float *restrict rounded) {
    int is_unsure = 0;
    for (ptrdiff_t i = 0; i < QUANTIZED_BLOCK; i++) {
        float quotient = x[i] * reciprocal;
        quotient = quotient < least ? least : quotient > largest ? largest : quotient;
        const float whole = (quotient + APUS_ROUNDING) - APUS_ROUNDING;
        rounded[i] = whole;
        is_unsure |= !(fabsf(quotient - whole) + fabsf(quotient) * 0x1p-22f < 0.5f);
    }
    return !is_unsure;
}

/// rounded[i] = round(x[i] / scale), limited, for `count` numbers of a block.
__attribute__((always_inline)) static inline void round_block(
    const float *restrict x, const quantization *q, float reciprocal, ptrdiff_t count, float *restrict rounded) {
    const float least = (float)(q->low - q->zero_point), largest = (float)(q->high - q->zero_point);
    if (count == QUANTIZED_BLOCK && reciprocal != 0 && round_by_reciprocal(x, reciprocal, least, largest, rounded))
        return;
    for (ptrdiff_t i = 0; i < count; i++) rounded[i] = rounded_quotient(x[i], q);
}

#endif
