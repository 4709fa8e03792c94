#include "integer_convolution.h"

#include <string.h>

/// Winograd's minimal filtering gives the same bytes as a product.
void test_integer_tiles(apus_instructions instructions, uint64_t seed) {
    convolution c = draw_convolution(TILES, seed);
    // Sums stay below 2²⁵.
    if (c.channels > 57) c.weight_zero = 0;
    // Weights without a zero point are multiplied as bytes where possible.
    const apus_integer_kernel *kernel = apus_integer_kernel_for(instructions, c.weight_zero == 0);
    if (!kernel->convolve_tiles) kernel = apus_integer_kernel_for(instructions, 0);
    const ptrdiff_t columns = rounded_up(c.columns, kernel->panel_columns), words = (c.channels + 1) / 2;
    int16_t *panels = (int16_t *)zero_words(columns * 36 * words);
    const apus_integer_weights weights = {
        .elements = c.weights, .column_count = c.columns, .channel_count = c.channels, .tap_count = 9,
        .run_count = 1, .is_signed = 1, .zero_point = c.weight_zero};
    apus_pack_transformed_integers(&weights, kernel->panel_columns, panels);
    int32_t *bias = zero_words(columns);
    memcpy(bias, c.bias, (size_t)c.columns * 4);
    const ptrdiff_t pixels = c.output_height * c.window.output_width;
    const ptrdiff_t byte_count = (c.images * pixels - 1) * c.pixel_stride + c.columns;
    const uint8_t *wanted = expected_bytes(&c, 0, byte_count);
    uint8_t *output = untouched_bytes(byte_count);
    apus_integer_convolution whole = {
        .window = c.window, .input = c.input, .image_stride = c.image_stride, .image_pixel_count = pixels,
        .channel_count = c.channels, .is_signed = c.is_signed, .zero_point = c.zero_point,
        .weights = (const uint8_t *)panels, .bias = bias, .column_count = c.columns,
        .requantization = padded_requantization(&c, columns), .output = output, .output_stride = c.pixel_stride,
        .scratch_byte_count = kernel->tile_scratch(c.channels, random_between(1, 20))};
    whole.scratch = aligned_scratch(whole.scratch_byte_count);
    const ptrdiff_t count = c.images * ((c.output_height + 3) / 4) * ((c.window.output_width + 3) / 4);
    const ptrdiff_t step = one_in(2) ? count : random_between(1, count);
    for (whole.first = 0; whole.first < count; whole.first += step) {
        whole.count = whole.first + step < count ? step : count - whole.first;
        kernel->convolve_tiles(&whole);
    }
    compare_bytes(output, wanted, byte_count);
}
