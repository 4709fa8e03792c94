#include "../target.h"
#include "apus_integer.h"
#include "quantize.h"

void apus_look_up(const uint8_t *x, const uint8_t *table, int is_signed, ptrdiff_t count, uint8_t *y) {
    const uint8_t flip = is_signed ? 0x80 : 0;
    for (ptrdiff_t i = 0; i < count; i++) y[i] = table[x[i] ^ flip];
}

APUS_KERNEL void apus_quantize(
    const float *x, float scale, int32_t zero_point, int32_t low, int32_t high, int rounds_to_even, ptrdiff_t count,
    uint8_t *y) {
    const quantization q = {scale, zero_point, low, high, rounds_to_even};
    const float reciprocal = has_reciprocal(scale) ? 1 / scale : 0;
    for (; count > 0; count -= QUANTIZED_BLOCK, x += QUANTIZED_BLOCK, y += QUANTIZED_BLOCK) {
        const ptrdiff_t length = count < QUANTIZED_BLOCK ? count : QUANTIZED_BLOCK;
        float rounded[QUANTIZED_BLOCK];
        round_block(x, &q, reciprocal, length, rounded);
        for (ptrdiff_t i = 0; i < length; i++) y[i] = (uint8_t)((int32_t)rounded[i] + zero_point);
    }
}

APUS_KERNEL void apus_quantize_and_dequantize(
    const float *x, float scale, int32_t zero_point, int32_t low, int32_t high, int rounds_to_even,
    float result_scale, int32_t result_zero_point, ptrdiff_t count, float *y) {
    const quantization q = {scale, zero_point, low, high, rounds_to_even};
    const float reciprocal = has_reciprocal(scale) ? 1 / scale : 0;
    const float difference = (float)(zero_point - result_zero_point);
    for (; count > 0; count -= QUANTIZED_BLOCK, x += QUANTIZED_BLOCK, y += QUANTIZED_BLOCK) {
        const ptrdiff_t length = count < QUANTIZED_BLOCK ? count : QUANTIZED_BLOCK;
        float rounded[QUANTIZED_BLOCK];
        round_block(x, &q, reciprocal, length, rounded);
        for (ptrdiff_t i = 0; i < length; i++) y[i] = (rounded[i] + difference) * result_scale;
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
