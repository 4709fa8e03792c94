#include "apus_bfloat16.h"
#include "apus_depthwise.h"
#include "testing.h"

#include <math.h>

typedef struct {
    apus_window window;
    ptrdiff_t channels, output_height, tap_stride, output_row_stride, output_pixel_stride, output_count;
    const float *input, *weights, *bias;
    apus_activation activation;
} convolution;

/// The convolution, computed in blocks of limited rows and channels.
static float *convolved(
    const convolution *c, const apus_depthwise_kernel *kernel, ptrdiff_t rows_per_block, ptrdiff_t channels_per_block) {
    float *output = filled(c->output_count, UNTOUCHED);
    for (ptrdiff_t row = 0; row < c->output_height; row += rows_per_block) {
        const ptrdiff_t end = row + rows_per_block;
        for (ptrdiff_t channel = 0; channel < c->channels; channel += channels_per_block) {
            const ptrdiff_t left = c->channels - channel;
            const apus_depthwise_block block = {
                .window = c->window, .input = c->input + channel,
                .channel_count = left < channels_per_block ? left : channels_per_block,
                .weights = c->weights + channel, .tap_stride = c->tap_stride,
                .bias = c->bias ? c->bias + channel : NULL, .activation = c->activation, .first_row = row,
                .last_row = end < c->output_height ? end : c->output_height, .output = output + channel,
                .output_row_stride = c->output_row_stride, .output_pixel_stride = c->output_pixel_stride};
            kernel->convolve(&block);
        }
    }
    return output;
}

static expectation expected_element(
    const convolution *c, ptrdiff_t oy, ptrdiff_t ox, ptrdiff_t channel, int is_whole) {
    const apus_window *w = &c->window;
    double sum = c->bias ? c->bias[channel] : 0, magnitude = fabs(sum);
    for (ptrdiff_t ky = 0; ky < w->kernel_height; ky++) {
        for (ptrdiff_t kx = 0; kx < w->kernel_width; kx++) {
            const ptrdiff_t y = oy * w->stride_height - w->padding_top + ky * w->dilation_height;
            const ptrdiff_t x = ox * w->stride_width - w->padding_left + kx * w->dilation_width;
            if (y < 0 || y >= w->input_height || x < 0 || x >= w->input_width) continue;
            const double element = c->input[y * w->input_row_stride + x * w->input_pixel_stride + channel];
            const double term = element * c->weights[(ky * w->kernel_width + kx) * c->tap_stride + channel];
            sum += term;
            magnitude += fabs(term);
        }
    }
    const double roundings = (double)(w->kernel_height * w->kernel_width + 3);
    return activated_sum(sum, is_whole ? 0 : roundings * 0x1p-24 * magnitude, c->activation);
}

/// Both axes of a window: kernel, stride, dilation, padding before, and the input's and output's extents.
static void draw_axis(
    int is_usual, ptrdiff_t *kernel, ptrdiff_t *stride, ptrdiff_t *dilation, ptrdiff_t *padding, ptrdiff_t *input,
    ptrdiff_t *output) {
    *kernel = is_usual ? 3 + 2 * random_between(0, 2) : random_between(1, 8);
    *stride = random_between(1, is_usual ? 2 : 3);
    *dilation = is_usual ? 1 : random_between(1, 2);
    const ptrdiff_t extent = (*kernel - 1) * *dilation + 1;
    const ptrdiff_t behind = random_between(0, is_usual ? *kernel / 2 : extent);
    *padding = random_between(0, is_usual ? *kernel / 2 : extent);
    const ptrdiff_t least = extent - *padding - behind;
    *input = random_between(least < 1 ? 1 : least, 24);
    *output = (*input + *padding + behind - extent) / *stride + 1;
}

/// The convolution of numbers in bfloat16 against that of the same floats, whose results are then rounded.
static void test_values(
    convolution c, const apus_depthwise_kernel *kernel, const apus_depthwise_kernel *of_bfloat16,
    ptrdiff_t input_count) {
    uint16_t *input = random_bfloat16(input_count, 0);
    c.input = widened_numbers(input, input_count);
    const float *expected = convolved(&c, kernel, c.output_height, c.channels);
    uint16_t *output = untouched_bfloat16(c.output_count);
    const apus_depthwise_block block = {
        .window = c.window, .input = (const float *)input, .channel_count = c.channels, .weights = c.weights,
        .tap_stride = c.tap_stride, .bias = c.bias, .activation = c.activation, .last_row = c.output_height,
        .output = (float *)output, .output_row_stride = c.output_row_stride,
        .output_pixel_stride = c.output_pixel_stride};
    of_bfloat16->convolve(&block);
    compare_rounded(output, expected, c.output_count, "values in bfloat16");
}

void test_depthwise(apus_instructions instructions, uint64_t seed) {
    const apus_depthwise_kernel *kernel = apus_depthwise_kernel_for(instructions);
    const int is_whole = one_in(2), is_usual = one_in(2);
    convolution c = {.channels = 1 + (ptrdiff_t)(seed % 40), .activation = random_activation(is_whole ? 20 : 0.5f)};
    apus_window *w = &c.window;
    draw_axis(
        is_usual, &w->kernel_height, &w->stride_height, &w->dilation_height, &w->padding_top, &w->input_height,
        &c.output_height);
    draw_axis(
        is_usual, &w->kernel_width, &w->stride_width, &w->dilation_width, &w->padding_left, &w->input_width,
        &w->output_width);
    w->input_pixel_stride = c.channels + random_between(0, 3);
    w->input_row_stride = w->input_width * w->input_pixel_stride + random_between(0, 3);
    c.output_pixel_stride = c.channels + random_between(0, 3);
    c.output_row_stride = w->output_width * c.output_pixel_stride + random_between(0, 3);
    c.tap_stride = c.channels + random_between(0, 3);
    c.output_count = (c.output_height - 1) * c.output_row_stride + (w->output_width - 1) * c.output_pixel_stride +
                     c.channels;
    const ptrdiff_t input_count = (w->input_height - 1) * w->input_row_stride +
                                  (w->input_width - 1) * w->input_pixel_stride + c.channels;
    float *input = random_values(input_count, is_whole);
    if (one_in(4)) input[random_between(0, input_count - 1)] = NAN;
    c.input = input;
    c.weights = random_values((w->kernel_height * w->kernel_width - 1) * c.tap_stride + c.channels, is_whole);
    if (one_in(2)) c.bias = random_values(c.channels, is_whole);

    expectation *expected = expectations(c.output_count);
    for (ptrdiff_t oy = 0; oy < c.output_height; oy++)
        for (ptrdiff_t ox = 0; ox < w->output_width; ox++)
            for (ptrdiff_t channel = 0; channel < c.channels; channel++)
                expected[oy * c.output_row_stride + ox * c.output_pixel_stride + channel] =
                    expected_element(&c, oy, ox, channel, is_whole);
    const float *whole = convolved(&c, kernel, c.output_height, c.channels);
    compare(whole, expected, c.output_count);
    compare_bits(convolved(&c, kernel, 1, c.channels), whole, c.output_count, "rows");
    compare_bits(
        convolved(&c, kernel, random_between(1, 7), random_between(1, c.channels)), whole, c.output_count,
        "rows and channels");
    const apus_depthwise_kernel *of_bfloat16 = apus_depthwise_of_bfloat16_for(instructions);
    if (of_bfloat16) test_values(c, kernel, of_bfloat16, input_count);
}
