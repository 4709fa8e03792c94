#include "apus_bfloat16.h"
#include "apus_winograd.h"
#include "testing.h"

#include "../../Kernels/CPU/activation.h"

#include <math.h>

/// The maximum relative error, in the norm, of the transforms of a kind.
static const struct {
    apus_winograd_kind kind;
    double bound;
} kinds[] = {
    {APUS_WINOGRAD_2X2_3X3, 1e-6}, {APUS_WINOGRAD_4X4_3X3, 3e-6},   {APUS_WINOGRAD_2X2_5X5, 3e-6},
    {APUS_WINOGRAD_3X3_4X4, 3e-6},   {APUS_WINOGRAD_1X4_1X3, 1.5e-6}, {APUS_WINOGRAD_1X2_1X7, 3e-6},
    {APUS_WINOGRAD_5X5_3X3_STRIDE_2, 3e-6},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

typedef struct {
    apus_winograd_kind kind;
    apus_winograd_shape shape;
    apus_winograd_layer layer;
    ptrdiff_t images, tile_count, panel_count, output_count;
    /// weights: [output_channels][input_channels][kernel_height][kernel_width]
    const float *input, *zeros, *weights, *packed, *bias, *addend;
} convolution;

/// The division of the work: runs, in them pieces of tiles and of channels, and panels.
typedef struct {
    ptrdiff_t run_tiles, piece_tiles, piece_channels, piece_panels;
} pieces;

static ptrdiff_t least(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }

static float *convolved(const convolution *c, const apus_winograd_kernel *kernel, pieces cut) {
    const apus_winograd_layer *layer = &c->layer;
    const ptrdiff_t channels = layer->input_channels;
    float *output = filled(c->output_count, UNTOUCHED);
    float *transformed = filled(apus_winograd_transformed_count(c->kind, channels, cut.run_tiles), NAN);
    float *scratch =
        filled(apus_winograd_scratch_count(c->kind, kernel, cut.piece_tiles, layer->transforms_weights), NAN);
    for (ptrdiff_t first = 0; first < c->tile_count; first += cut.run_tiles) {
        const apus_winograd_run run = {
            .input = c->input, .zeros = c->zeros, .weights = c->packed, .bias = c->bias, .addend = c->addend,
            .output = output, .transformed = transformed, .first_tile = first,
            .tile_count = least(cut.run_tiles, c->tile_count - first)};
        for (ptrdiff_t channel = 0; channel < channels; channel += cut.piece_channels)
            for (ptrdiff_t tile = 0; tile < run.tile_count; tile += cut.piece_tiles)
                kernel->transform(
                    layer, &run, tile, least(cut.piece_tiles, run.tile_count - tile), channel,
                    least(channels, channel + cut.piece_channels));
        for (ptrdiff_t panel = 0; panel < c->panel_count; panel += cut.piece_panels)
            for (ptrdiff_t tile = 0; tile < run.tile_count; tile += cut.piece_tiles)
                kernel->multiply(
                    layer, &run, tile, least(cut.piece_tiles, run.tile_count - tile), panel,
                    least(c->panel_count, panel + cut.piece_panels), scratch);
    }
    return output;
}

/// An output by a plain loop; the tolerance is the sum of the magnitudes of its terms.
static expectation expected_element(
    const convolution *c, ptrdiff_t image, ptrdiff_t oy, ptrdiff_t ox, ptrdiff_t feature) {
    const apus_winograd_layer *layer = &c->layer;
    double sum = c->bias[feature], magnitude = fabs(sum);
    if (c->addend) {
        const double term = c->addend
            [image * layer->addend_image_stride + oy * layer->addend_row_stride + ox * layer->addend_pixel_stride +
             feature];
        sum += term;
        magnitude += fabs(term);
    }
    for (ptrdiff_t ky = 0; ky < c->shape.kernel_height; ky++) {
        for (ptrdiff_t kx = 0; kx < c->shape.kernel_width; kx++) {
            const ptrdiff_t y = oy * c->shape.stride_height - layer->padding_top + ky;
            const ptrdiff_t x = ox * c->shape.stride_width - layer->padding_left + kx;
            if (y < 0 || y >= layer->input_height || x < 0 || x >= layer->input_width) continue;
            const float *pixel = c->input + image * layer->input_image_stride + y * layer->input_row_stride +
                                 x * layer->input_pixel_stride;
            for (ptrdiff_t channel = 0; channel < layer->input_channels; channel++) {
                const ptrdiff_t filter = (feature * layer->input_channels + channel) * c->shape.kernel_height + ky;
                const double term = (double)pixel[channel] * c->weights[filter * c->shape.kernel_width + kx];
                sum += term;
                magnitude += fabs(term);
            }
        }
    }
    return activated_sum(sum, magnitude, layer->activation);
}

/// Checks every output against the plain loop, and that nothing is written between outputs.
///
/// The norm of the error must be within `bound` times the norm of the magnitudes. NaN may spread to other outputs of
/// the image `nan_image`.
static void check(const convolution *c, const float *output, double bound, ptrdiff_t nan_image) {
    const apus_winograd_layer *layer = &c->layer;
    double error = 0, magnitude = 0;
    ptrdiff_t written = 0;
    for (ptrdiff_t image = 0; image < c->images; image++)
        for (ptrdiff_t y = 0; y < layer->output_height; y++)
            for (ptrdiff_t x = 0; x < layer->output_width; x++)
                for (ptrdiff_t feature = 0; feature < layer->output_channels; feature++, written++) {
                    const expectation expected = expected_element(c, image, y, x, feature);
                    const double got = output
                        [image * layer->output_image_stride + y * layer->output_row_stride +
                         x * layer->output_pixel_stride + feature];
                    if (isnan(expected.value) ? !isnan(got) : isnan(got) && image != nan_image)
                        return fail("output [%td][%td][%td][%td] is %g, not %g", image, y, x, feature, got,
                                    expected.value);
                    if (isnan(got)) continue;
                    error += (got - expected.value) * (got - expected.value);
                    magnitude += expected.tolerance * expected.tolerance;
                }
    if (!(sqrt(error) <= bound * sqrt(magnitude)))
        fail("the error is %.2g of the magnitude, more than %.2g", sqrt(error / magnitude), bound);
    for (ptrdiff_t i = 0; i < c->output_count; i++) written -= output[i] != UNTOUCHED;
    if (written != 0) fail("%td elements are written that should not be", -written);
}

/// Draws strides of images with gaps and returns the count of their elements.
static ptrdiff_t draw_strides(
    ptrdiff_t images, ptrdiff_t height, ptrdiff_t width, ptrdiff_t channels, ptrdiff_t *image, ptrdiff_t *row,
    ptrdiff_t *pixel) {
    *pixel = channels + (one_in(3) ? 3 : 0);
    *row = width * *pixel + (one_in(3) ? 5 : 0);
    *image = height * *row + (one_in(2) ? 7 : 0);
    return (images - 1) * *image + (height - 1) * *row + (width - 1) * *pixel + channels;
}

/// The convolution of numbers in bfloat16 against that of the same floats, whose results are then rounded.
static void test_values(
    convolution c, const apus_winograd_kernel *kernel, const apus_winograd_kernel *of_bfloat16, ptrdiff_t input_count,
    ptrdiff_t addend_count) {
    const pieces all = {c.tile_count, c.tile_count, c.layer.input_channels, c.panel_count};
    uint16_t *input = random_bfloat16(input_count, 0), *addend = random_bfloat16(addend_count, 0);
    c.input = widened_numbers(input, input_count);
    if (c.addend) c.addend = widened_numbers(addend, addend_count);
    const float *expected = convolved(&c, kernel, all);
    uint16_t *output = untouched_bfloat16(c.output_count);
    const apus_winograd_run run = {
        .input = (const float *)input, .zeros = c.zeros, .weights = c.packed, .bias = c.bias,
        .addend = c.addend ? (const float *)addend : NULL, .output = (float *)output,
        .transformed =
            filled(apus_winograd_transformed_count(c.kind, c.layer.input_channels, c.tile_count), NAN),
        .tile_count = c.tile_count};
    of_bfloat16->transform(&c.layer, &run, 0, c.tile_count, 0, c.layer.input_channels);
    float *scratch =
        filled(apus_winograd_scratch_count(c.kind, kernel, c.tile_count, c.layer.transforms_weights), NAN);
    of_bfloat16->multiply(&c.layer, &run, 0, c.tile_count, 0, c.panel_count, scratch);
    compare_rounded(output, expected, c.output_count, "values in bfloat16");
}

void test_winograd(apus_instructions instructions, uint64_t seed) {
    const apus_winograd_kind kind = kinds[seed % KIND_COUNT].kind;
    const apus_winograd_kernel *kernel = apus_winograd_kernel_for(instructions, kind);
    // The points 0, ±1 and ∞ have exact transforms.
    const int is_whole = kind == APUS_WINOGRAD_2X2_3X3 && one_in(2);
    convolution c = {.kind = kind, .shape = apus_winograd_shape_of(kind), .images = random_between(1, 3)};
    apus_winograd_layer *layer = &c.layer;
    const ptrdiff_t kernel_height = c.shape.kernel_height, kernel_width = c.shape.kernel_width;
    layer->transforms_weights = seed / 200 % 2;
    // Some cases have more channels than are multiplied at a time.
    layer->input_channels = 1 + (ptrdiff_t)(seed / KIND_COUNT % 40) + (one_in(8) ? 240 : 0);
    layer->output_channels = one_in(8) ? random_between(60, 70) : random_between(1, 40);
    layer->activation = random_activation(is_whole ? 20 : 0.5f);
    layer->padding_top = random_between(0, kernel_height);
    layer->padding_left = random_between(0, kernel_width);
    const ptrdiff_t rows = layer->padding_top + random_between(0, kernel_height) - kernel_height;
    const ptrdiff_t columns = layer->padding_left + random_between(0, kernel_width) - kernel_width;
    layer->input_height = random_between(rows < 0 ? -rows : 1, 13 * c.shape.stride_height);
    layer->input_width = random_between(columns < 0 ? -columns : 1, 13 * c.shape.stride_width);
    layer->output_height = (layer->input_height + rows) / c.shape.stride_height + 1;
    layer->output_width = (layer->input_width + columns) / c.shape.stride_width + 1;
    const ptrdiff_t input_count = draw_strides(
        c.images, layer->input_height, layer->input_width, layer->input_channels, &layer->input_image_stride,
        &layer->input_row_stride, &layer->input_pixel_stride);
    c.output_count = draw_strides(
        c.images, layer->output_height, layer->output_width, layer->output_channels, &layer->output_image_stride,
        &layer->output_row_stride, &layer->output_pixel_stride);
    const ptrdiff_t addend_count = draw_strides(
        c.images, layer->output_height, layer->output_width, layer->output_channels, &layer->addend_image_stride,
        &layer->addend_row_stride, &layer->addend_pixel_stride);
    c.tile_count = c.images * ((layer->output_height + c.shape.tile_height - 1) / c.shape.tile_height) *
                   ((layer->output_width + c.shape.tile_width - 1) / c.shape.tile_width);
    c.panel_count = (layer->output_channels + kernel->panel_columns - 1) / kernel->panel_columns;
    float *input = random_values(input_count, is_whole);
    ptrdiff_t nan_image = -1;
    if (one_in(4)) {
        const ptrdiff_t position = random_between(0, input_count - 1);
        input[position] = NAN;
        nan_image = position / layer->input_image_stride;
    }
    c.input = input;
    c.zeros = filled(layer->input_channels, 0);
    c.weights =
        random_values(layer->output_channels * layer->input_channels * kernel_height * kernel_width, is_whole);
    float *bias = filled(c.panel_count * kernel->panel_columns, 0);
    for (ptrdiff_t feature = 0; feature < layer->output_channels; feature++) bias[feature] = random_value(is_whole);
    c.bias = bias;
    if (one_in(2)) c.addend = random_values(addend_count, is_whole);
    float *packed = filled(
        apus_winograd_packed_count(
            kind, kernel, layer->input_channels, layer->output_channels, layer->transforms_weights),
        NAN);
    apus_winograd_pack(
        kind, kernel, c.weights, layer->input_channels, layer->output_channels, layer->transforms_weights, packed);
    c.packed = packed;

    const pieces all = {c.tile_count, c.tile_count, layer->input_channels, c.panel_count};
    const float *whole = convolved(&c, kernel, all);
    const int is_rounded = form_of(layer->activation) == ON_STORED || form_of(layer->activation) == BY_GATE;
    const double exact = is_rounded ? 0x1p-22 : 0;
    check(&c, whole, is_whole ? exact : kinds[seed % KIND_COUNT].bound, nan_image);
    const ptrdiff_t tiles = random_between(1, 16);
    compare_bits(
        convolved(&c, kernel, (pieces){random_between(1, 3) * tiles, tiles, 16, 1}), whole, c.output_count,
        "tiles, channels and panels");
    compare_bits(convolved(&c, kernel, (pieces){1, 1, 32, 1}), whole, c.output_count, "single tiles");
    const apus_winograd_kernel *of_bfloat16 = apus_winograd_of_bfloat16_for(instructions, kind);
    if (of_bfloat16) test_values(c, kernel, of_bfloat16, input_count, addend_count);
}
