#include "integer_convolution.h"

#include <math.h>

/// Converts the sums of a product, which `whole` has just computed, to numbers.
static void test_numbers(const convolution *c, const apus_integer_kernel *kernel, apus_integer_convolution whole) {
    const ptrdiff_t columns = rounded_up(c->columns, kernel->panel_columns), pixels = whole.count;
    const ptrdiff_t count = (pixels - 1) * c->pixel_stride + c->columns;
    const int is_shared = one_in(3);
    float *scales = filled(columns, 0), *bias = filled(columns, 0);
    for (ptrdiff_t i = 0; i < c->columns; i++) scales[i] = random_value(0), bias[i] = random_value(0) * 100;
    float *row_scales = random_values(is_shared ? 1 : pixels, 0);
    if (one_in(4)) row_scales[0] = NAN;
    float *output = filled(count, UNTOUCHED);
    const float *addend = one_in(2) ? random_values(count, 0) : NULL;
    const int32_t *sums = whole.sums;
    whole.sums = NULL;
    whole.numbers = (apus_dequantization){
        .output = output, .row_scales = row_scales, .row_scale_step = is_shared ? 0 : 1, .scales = scales,
        .bias = bias, .addend = addend, .activation = random_activation(100)};
    expectation *wanted = expectations(count);
    for (ptrdiff_t p = 0; p < pixels; p++) {
        for (ptrdiff_t column = 0; column < c->columns; column++) {
            const ptrdiff_t place = p * c->pixel_stride + column;
            const double product = (double)sums[place] * row_scales[is_shared ? 0 : p] * scales[column];
            const double term = addend ? addend[place] : 0;
            const double tolerance = 0x1p-22 * (fabs(product) + fabs(bias[column]) + fabs(term));
            wanted[place] = activated_sum(product + bias[column] + term, tolerance, whole.numbers.activation);
        }
    }
    kernel->convolve(&whole);
    compare(output, wanted, count);
    float *pieces = filled(count, UNTOUCHED);
    whole.numbers.output = pieces;
    const ptrdiff_t step = random_between(1, pixels);
    for (whole.first = 0; whole.first < pixels; whole.first += step) {
        whole.count = whole.first + step < pixels ? step : pixels - whole.first;
        kernel->convolve(&whole);
    }
    compare_bits(pieces, output, count, "rows");
}

void test_integer_product(apus_instructions instructions, uint64_t seed) {
    convolution c = draw_convolution(PRODUCT, seed);
    const apus_integer_kernel *kernel = kernel_for_weights(instructions, &c);
    const ptrdiff_t taps = c.window.kernel_height * c.window.kernel_width;
    const ptrdiff_t runs = c.window.dilation_width == 1 ? c.window.kernel_height : taps;
    const ptrdiff_t words = runs * (rounded_up(taps * c.channels / runs, kernel->group) / kernel->group);
    const ptrdiff_t columns = rounded_up(c.columns, kernel->panel_columns);
    int32_t *panels = zero_words(columns * words), *bias = zero_words(columns);
    int32_t *sums = zero_words(c.columns), *pair_products = zero_words(c.columns);
    const apus_integer_weights weights = {
        .elements = c.weights, .column_count = c.columns, .channel_count = c.channels, .tap_count = taps,
        .run_count = runs, .is_signed = 1, .zero_point = c.weight_zero};
    apus_pack_integers(&weights, kernel, panels, sums, pair_products);
    for (ptrdiff_t i = 0; i < c.columns; i++) bias[i] = c.bias[i] - input_zero(&c, kernel) * sums[i] - pair_products[i];
    const ptrdiff_t pixels = c.output_height * c.window.output_width, count = c.images * pixels;
    const ptrdiff_t byte_count = (count - 1) * c.pixel_stride + c.columns;
    const uint8_t *wanted = expected_bytes(&c, 0, byte_count);
    uint8_t *output = untouched_bytes(byte_count);
    apus_integer_convolution whole = {
        .window = c.window, .input = c.input, .image_stride = c.image_stride, .image_pixel_count = pixels,
        .channel_count = c.channels, .is_signed = c.is_signed, .zero_point = c.zero_point,
        .weights = (const uint8_t *)panels, .bias = bias, .column_count = c.columns,
        .requantization = padded_requantization(&c, columns), .output = output, .output_stride = c.pixel_stride,
        .scratch_byte_count = kernel->convolution_scratch(&c.window, c.channels) + 64 * random_between(0, 100)};
    whole.scratch = aligned_scratch(whole.scratch_byte_count);
    const ptrdiff_t step = one_in(2) ? count : random_between(1, count);
    for (whole.first = 0; whole.first < count; whole.first += step) {
        whole.count = whole.first + step < count ? step : count - whole.first;
        kernel->convolve(&whole);
    }
    compare_bytes(output, wanted, byte_count);
    // The plain sums, which must give the same bytes.
    whole.first = 0;
    whole.count = count;
    whole.sums = zero_words(byte_count);
    kernel->convolve(&whole);
    for (ptrdiff_t i = 0; i < byte_count; i++)
        if (i % c.pixel_stride < c.columns)
            output[i] = requantized(whole.sums[i], &c.requantization, i % c.pixel_stride);
        else if (whole.sums[i] != 0) fail("sum %td between pixels is %d", i, whole.sums[i]);
    compare_bytes(output, wanted, byte_count);
    test_numbers(&c, kernel, whole);
}
