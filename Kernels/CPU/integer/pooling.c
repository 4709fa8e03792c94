#include "../target.h"
#include "apus_integer.h"

enum { CHANNELS = 64 };

static inline ptrdiff_t clamped(ptrdiff_t x, ptrdiff_t low, ptrdiff_t high) {
    return x < low ? low : x > high ? high : x;
}

APUS_KERNEL void apus_integer_pool_row(
    const uint8_t *input, const apus_window *window, ptrdiff_t channel_count, int is_signed, int is_mean, int32_t low,
    int32_t high, ptrdiff_t row, uint8_t *output, ptrdiff_t pixel_stride) {
    const uint8_t flip = is_signed ? 0x80 : 0;
    const int32_t shift = is_signed ? 128 : 0;
    const ptrdiff_t y0 = row * window->stride_height - window->padding_top;
    for (ptrdiff_t ox = 0; ox < window->output_width; ox++) {
        const ptrdiff_t x0 = ox * window->stride_width - window->padding_left;
        for (ptrdiff_t first = 0; first < channel_count; first += CHANNELS) {
            const ptrdiff_t count = clamped(channel_count - first, 0, CHANNELS);
            // Signed integers are shifted to 0…255 meanwhile.
            int32_t sums[CHANNELS] = {0};
            uint8_t largest[CHANNELS] = {0};
            int32_t taps = 0;
            for (ptrdiff_t ky = 0; ky < window->kernel_height; ky++) {
                const ptrdiff_t y = y0 + ky * window->dilation_height;
                if (y < 0 || y >= window->input_height) continue;
                for (ptrdiff_t kx = 0; kx < window->kernel_width; kx++) {
                    const ptrdiff_t x = x0 + kx * window->dilation_width;
                    if (x < 0 || x >= window->input_width) continue;
                    const uint8_t *pixel =
                        input + y * window->input_row_stride + x * window->input_pixel_stride + first;
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
            uint8_t *to = output + ox * pixel_stride + first;
            for (ptrdiff_t c = 0; c < count; c++) {
                int32_t value = (int32_t)largest[c] - shift;
                if (is_mean) {
                    const int32_t sum = sums[c] - taps * shift;
                    value = taps == 0 ? 0 : (sum > 0 ? sum + taps / 2 : sum - taps / 2) / taps;
                }
                to[c] = (uint8_t)(value < low ? low : value > high ? high : value);
            }
        }
    }
}
