#include "../target.h"
#include "apus_integer.h"

enum { CHANNELS = 64 };

/// `count` channels of one output pixel, from those at `input` on. (y0, x0) is the window's first pixel. For most calls
/// `count` is a constant of the caller.
static inline __attribute__((always_inline)) void pool(
    const uint8_t *input, const apus_window *window, ptrdiff_t y0, ptrdiff_t x0, const ptrdiff_t count, int is_signed,
    int is_mean, int32_t low, int32_t high, uint8_t *output) {
    const uint8_t flip = is_signed ? 0x80 : 0;
    const int32_t shift = is_signed ? 128 : 0;
    // Signed integers are raised to 0…255 until they are stored.
    int32_t sums[CHANNELS] = {0};
    uint8_t largest[CHANNELS] = {0};
    int32_t taps = 0;
    for (ptrdiff_t ky = 0; ky < window->kernel_height; ky++) {
        const ptrdiff_t y = y0 + ky * window->dilation_height;
        if (y < 0 || y >= window->input_height) continue;
        for (ptrdiff_t kx = 0; kx < window->kernel_width; kx++) {
            const ptrdiff_t x = x0 + kx * window->dilation_width;
            if (x < 0 || x >= window->input_width) continue;
            const uint8_t *pixel = input + y * window->input_row_stride + x * window->input_pixel_stride;
            taps++;
            if (is_mean) {
                for (ptrdiff_t c = 0; c < count; c++) sums[c] += pixel[c] ^ flip;
            } else {
                for (ptrdiff_t c = 0; c < count; c++) {
                    const uint8_t value = pixel[c] ^ flip;
                    largest[c] = value > largest[c] ? value : largest[c];
                }
            }
        }
    }
    for (ptrdiff_t c = 0; c < count; c++) {
        int32_t value = (int32_t)largest[c] - shift;
        if (is_mean) {
            const int32_t sum = sums[c] - taps * shift;
            value = taps == 0 ? 0 : (sum > 0 ? sum + taps / 2 : sum - taps / 2) / taps;
        }
        output[c] = (uint8_t)(value < low ? low : value > high ? high : value);
    }
}

APUS_KERNEL void apus_integer_pool_row(
    const uint8_t *input, const apus_window *window, ptrdiff_t channel_count, int is_signed, int is_mean, int32_t low,
    int32_t high, ptrdiff_t row, uint8_t *output, ptrdiff_t pixel_stride) {
    const ptrdiff_t y0 = row * window->stride_height - window->padding_top;
    for (ptrdiff_t ox = 0; ox < window->output_width; ox++) {
        const ptrdiff_t x0 = ox * window->stride_width - window->padding_left;
        uint8_t *to = output + ox * pixel_stride;
        ptrdiff_t first = 0;
        if (is_mean) {
            for (; first + CHANNELS <= channel_count; first += CHANNELS)
                pool(input + first, window, y0, x0, CHANNELS, is_signed, 1, low, high, to + first);
        } else {
            for (; first + CHANNELS <= channel_count; first += CHANNELS)
                pool(input + first, window, y0, x0, CHANNELS, is_signed, 0, low, high, to + first);
        }
        if (first < channel_count)
            pool(
                input + first, window, y0, x0, channel_count - first, is_signed, is_mean, low, high, to + first);
    }
}

/// round(round(x · 2^max(shift, 0) · multiplier / 2³¹) / 2^max(−shift, 0)), halves up, then away from zero.
static int64_t scaled(int32_t x, int32_t multiplier, int32_t shift) {
    const int32_t shifted = shift > 0 ? (int32_t)((uint32_t)x << shift) : x;
    const int64_t high = ((int64_t)shifted * multiplier + (1 << 30)) >> 31;
    const int64_t half = shift < 0 ? (int64_t)1 << (-shift - 1) : 0;
    return shift >= 0 ? high : high >= 0 ? (high + half) >> -shift : -((half - high) >> -shift);
}

/// round(x · scale) in float32, halves to the even integer, and within bounds that no range of 8 bits reaches.
static int64_t rounded_product(int32_t x, float scale) {
    const float product = (float)x * scale, bound = 0x1p24f;
    return (int64_t)__builtin_rintf(product < -bound ? -bound : product > bound ? bound : product);
}

/// The means of `count` channels, from those at `x` on. For most calls `count` is a constant of the caller.
static inline __attribute__((always_inline)) void average(
    const uint8_t *x, ptrdiff_t height, ptrdiff_t width, ptrdiff_t row_stride, ptrdiff_t pixel_stride,
    const ptrdiff_t count, uint8_t flip, int32_t offset, apus_requantization r, uint8_t *y) {
    int32_t sums[CHANNELS] = {0};
    for (ptrdiff_t row = 0; row < height; row++) {
        for (ptrdiff_t column = 0; column < width; column++) {
            const uint8_t *pixel = x + row * row_stride + column * pixel_stride;
            for (ptrdiff_t c = 0; c < count; c++) sums[c] += pixel[c] ^ flip;
        }
    }
    for (ptrdiff_t c = 0; c < count; c++) {
        const int32_t sum = sums[c] - offset;
        const int64_t rounded =
            r.scales != NULL ? rounded_product(sum, r.scales[0]) : scaled(sum, r.multipliers[0], r.shifts[0]);
        const int64_t value = rounded + r.zero_point;
        y[c] = (uint8_t)(value < r.low ? r.low : value > r.high ? r.high : value);
    }
}

APUS_KERNEL void apus_integer_mean(
    const uint8_t *x, ptrdiff_t height, ptrdiff_t width, ptrdiff_t row_stride, ptrdiff_t pixel_stride,
    ptrdiff_t channel_count, int is_signed, int32_t zero_point, const apus_requantization *r, uint8_t *y) {
    const uint8_t flip = is_signed ? 0x80 : 0;
    const int32_t offset = (int32_t)(height * width) * (zero_point + flip);
    for (; channel_count >= CHANNELS; channel_count -= CHANNELS, x += CHANNELS, y += CHANNELS)
        average(x, height, width, row_stride, pixel_stride, CHANNELS, flip, offset, *r, y);
    if (channel_count > 0) average(x, height, width, row_stride, pixel_stride, channel_count, flip, offset, *r, y);
}
