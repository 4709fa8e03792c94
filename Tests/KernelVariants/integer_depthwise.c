#include "integer_convolution.h"

#include <string.h>

void test_integer_depthwise(apus_instructions instructions, uint64_t seed) {
    convolution c = draw_convolution(CHANNELS, seed);
    c.images = 1;
    const apus_integer_kernel *kernel = kernel_for_weights(instructions, &c);
    const ptrdiff_t taps = c.window.kernel_height * c.window.kernel_width, group = kernel->group;
    const ptrdiff_t words = (taps + group - 1) / group;
    const int is_flat = c.pixel_stride == c.channels && one_in(2);
    ptrdiff_t period = rounded_up(c.channels, kernel->block);
    if (is_flat)
        for (period = kernel->block; period % c.channels != 0;) period += kernel->block;
    int32_t *packed = zero_words(period * words), *bias = zero_words(period);
    int32_t *factors[3] = {zero_words(period), zero_words(period), zero_words(period)};
    const apus_requantization *r = &c.requantization;
    for (ptrdiff_t e = 0; e < period; e++) {
        const ptrdiff_t channel = is_flat ? e % c.channels : e, inner = e % kernel->block;
        if (channel >= c.channels) continue;
        const ptrdiff_t word = inner / 4 % group * (kernel->block / group) + inner / (4 * group) * 4;
        const ptrdiff_t place = e - inner + word + inner % 4;
        int32_t sum = 0;
        for (ptrdiff_t tap = 0; tap < taps; tap++) {
            const int32_t value = convolution_weight(&c, channel * taps + tap);
            sum += value;
            int32_t *word = packed + ((e - inner) * words + tap / group * kernel->block + place - (e - inner));
            *word |= (int32_t)(((uint32_t)value & (group == 4 ? 0xFF : 0xFFFF)) << (tap % group * (32 / group)));
        }
        bias[place] = c.bias[channel] - input_zero(&c, kernel) * sum;
        if (r->scales) memcpy(factors[0] + place, r->scales + channel, 4);
        if (r->multipliers) factors[1][place] = r->multipliers[channel], factors[2][place] = r->shifts[channel];
    }
    const ptrdiff_t byte_count = (c.output_height * c.window.output_width - 1) * c.pixel_stride + c.channels;
    const uint8_t *wanted = expected_bytes(&c, 1, byte_count);
    uint8_t *output = untouched_bytes(byte_count);
    apus_integer_depthwise d = {
        .window = c.window, .input = c.input, .channel_count = c.channels, .is_flat = is_flat,
        .is_signed = c.is_signed, .zero_point = c.zero_point, .weights = packed, .bias = bias,
        .requantization = *r, .period = period, .output = output,
        .output_row_stride = c.window.output_width * c.pixel_stride, .output_pixel_stride = c.pixel_stride};
    d.requantization.scales = r->scales ? (float *)factors[0] : NULL;
    d.requantization.multipliers = r->multipliers ? factors[1] : NULL;
    d.requantization.shifts = r->multipliers ? factors[2] : NULL;
    const ptrdiff_t scratch_count = kernel->depthwise_scratch(&c.window, c.channels);
    d.scratch = zero_words((scratch_count + 7) / 8 * 2);
    const ptrdiff_t step = random_between(1, c.output_height);
    for (ptrdiff_t row = 0; row < c.output_height; row += step) {
        d.first_row = row;
        d.last_row = row + step < c.output_height ? row + step : c.output_height;
        kernel->convolve_depthwise(&d);
    }
    compare_bytes(output, wanted, byte_count);
}
