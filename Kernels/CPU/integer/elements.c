#include "../target.h"
#include "apus_integer.h"

#include <math.h>

void apus_look_up(const uint8_t *x, const uint8_t *table, int is_signed, ptrdiff_t count, uint8_t *y) {
    const uint8_t flip = is_signed ? 0x80 : 0;
    for (ptrdiff_t i = 0; i < count; i++) y[i] = table[x[i] ^ flip];
}

APUS_KERNEL void apus_quantize(
    const float *x, float scale, int32_t zero_point, int32_t low, int32_t high, int rounds_to_even, ptrdiff_t count,
    uint8_t *y) {
    // Beyond these bounds every result is at an end of the range.
    const float bound = 1 << 20;
    for (ptrdiff_t i = 0; i < count; i++) {
        float quotient = x[i] / scale;
        quotient = quotient == quotient ? quotient : 0;
        quotient = quotient < -bound ? -bound : quotient > bound ? bound : quotient;
        // Truncation of |q| + 1/2 would round the number before 1/2 up.
        const float whole = truncf(quotient), rest = quotient - whole;
        const int32_t away = (int32_t)whole + (rest >= 0.5f) - (rest <= -0.5f);
        // Adding 1.5 · 2²³ leaves no room for fractions.
        const int32_t even = (int32_t)((quotient + 12582912.0f) - 12582912.0f);
        const int32_t rounded = (rounds_to_even ? even : away) + zero_point;
        y[i] = (uint8_t)(rounded < low ? low : rounded > high ? high : rounded);
    }
}

enum { PIXELS = 256 };

/// Interleaves `count` elements of each of `channel_count` planes, which lie PIXELS apart. Callers pass usual
/// numbers of channels as constants.
static inline __attribute__((always_inline)) void interleave(
    const uint8_t *planes, const ptrdiff_t channel_count, ptrdiff_t count, uint8_t *y) {
    for (ptrdiff_t i = 0; i < count; i++)
        for (ptrdiff_t c = 0; c < channel_count; c++) y[i * channel_count + c] = planes[c * PIXELS + i];
}

APUS_KERNEL void apus_quantize_planes(
    const float *x, ptrdiff_t plane_stride, ptrdiff_t channel_count, float scale, int32_t zero_point, int32_t low,
    int32_t high, int rounds_to_even, ptrdiff_t pixel_count, uint8_t *y) {
    uint8_t planes[APUS_MAXIMUM_PLANES * PIXELS];
    for (; pixel_count > 0; pixel_count -= PIXELS, x += PIXELS, y += PIXELS * channel_count) {
        const ptrdiff_t count = pixel_count < PIXELS ? pixel_count : PIXELS;
        for (ptrdiff_t c = 0; c < channel_count; c++)
            apus_quantize(
                x + c * plane_stride, scale, zero_point, low, high, rounds_to_even, count, planes + c * PIXELS);
        if (channel_count == 3) interleave(planes, 3, count, y);
        else interleave(planes, channel_count, count, y);
    }
}

APUS_KERNEL void apus_dequantize(
    const uint8_t *x, int is_signed, float scale, int32_t zero_point, ptrdiff_t count, float *y) {
    if (is_signed)
        for (ptrdiff_t i = 0; i < count; i++) y[i] = (float)((int8_t)x[i] - zero_point) * scale;
    else
        for (ptrdiff_t i = 0; i < count; i++) y[i] = (float)(x[i] - zero_point) * scale;
}

APUS_KERNEL void apus_find_range(const float *x, ptrdiff_t count, float *minimum, float *maximum) {
    enum { LANES = 32 };
    float low[LANES] = {0}, high[LANES] = {0};
    ptrdiff_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            const float value = x[i + lane];
            low[lane] = value < low[lane] ? value : low[lane];
            high[lane] = value > high[lane] ? value : high[lane];
        }
    }
    for (; i < count; i++) {
        low[0] = x[i] < low[0] ? x[i] : low[0];
        high[0] = x[i] > high[0] ? x[i] : high[0];
    }
    for (int lane = 1; lane < LANES; lane++) {
        low[0] = low[lane] < low[0] ? low[lane] : low[0];
        high[0] = high[lane] > high[0] ? high[lane] : high[0];
    }
    *minimum = low[0];
    *maximum = high[0];
}
