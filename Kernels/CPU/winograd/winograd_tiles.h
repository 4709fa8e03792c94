#ifndef APUS_WINOGRAD_TILES_H
#define APUS_WINOGRAD_TILES_H

// Tiles of one kind: transforms along both axes, and the loops over tiles and panels. `rows` and `columns` are
// constants of the caller. Needs a variant header before it, and what multiply.h and elements.h need.

#include "../variants/elements.h"
#include "../variants/vector.h"
#include "apus_winograd.h"
#include "axis_transforms.h"
#include "multiply.h"
#include "points.h"

/// The position of a tile of outputs: (y, x) is its first output.
typedef struct {
    ptrdiff_t image, y, x;
} tile_position;

APUS_INLINE tile_position locate(
    const winograd_axis rows, const winograd_axis columns, const apus_winograd_layer *layer, ptrdiff_t tile) {
    const ptrdiff_t across = (layer->output_width + columns.outputs - 1) / columns.outputs;
    const ptrdiff_t down = (layer->output_height + rows.outputs - 1) / rows.outputs;
    const ptrdiff_t place = tile % (across * down);
    return (tile_position){tile / (across * down), place / across * rows.outputs, place % across * columns.outputs};
}

/// The input of a tile: the addresses of its pixels, or only the first when all are inside the image.
typedef struct {
    const element *pixels[WINOGRAD_MAXIMUM_PRODUCTS];
    const element *first;
    ptrdiff_t row_stride, pixel_stride;
} tile_input;

/// to[i · step] = (Bᵗ d B)[i] for the first `count` channels of a vector.
APUS_INLINE void transform_input_tile(
    const winograd_axis rows, const winograd_axis columns, const tile_input *input, const int is_inside,
    ptrdiff_t channel, ptrdiff_t count, float *to, ptrdiff_t step) {
    const int height = winograd_inputs(rows), width = winograd_inputs(columns);
    vector half[WINOGRAD_MAXIMUM_INPUTS][WINOGRAD_MAXIMUM_INPUTS];
    APUS_UNROLL for (int x = 0; x < width; x++) {
        vector from[WINOGRAD_MAXIMUM_INPUTS], line[WINOGRAD_MAXIMUM_INPUTS];
        APUS_UNROLL for (int y = 0; y < height; y++) {
            const element *pixel = is_inside ? input->first + y * input->row_stride + x * input->pixel_stride
                                           : input->pixels[y * width + x];
            pixel += channel;
            from[y] = count == APUS_LANES ? load_elements(pixel) : load_first_elements(pixel, count);
        }
        transform_inputs(rows, from, line);
        APUS_UNROLL for (int y = 0; y < height; y++) half[y][x] = line[y];
    }
    APUS_UNROLL for (int y = 0; y < height; y++) {
        vector line[WINOGRAD_MAXIMUM_INPUTS];
        transform_inputs(columns, half[y], line);
        APUS_UNROLL for (int x = 0; x < width; x++) store(to + (y * width + x) * step, line[x]);
    }
}

/// Transforms all channels of one tile. `to` is the place of channel 0.
APUS_INLINE void transform_channels(
    const winograd_axis rows, const winograd_axis columns, const tile_input *input, const int is_inside,
    ptrdiff_t first_channel, ptrdiff_t last_channel, float *to, ptrdiff_t block_stride, ptrdiff_t step) {
    for (ptrdiff_t channel = first_channel; channel < last_channel; channel += APUS_LANES) {
        const ptrdiff_t left = last_channel - channel;
        float *vectors = to + channel / WINOGRAD_CHANNEL_BLOCK * block_stride + channel % WINOGRAD_CHANNEL_BLOCK;
        if (left >= APUS_LANES)
            transform_input_tile(rows, columns, input, is_inside, channel, APUS_LANES, vectors, step);
        else
            transform_input_tile(rows, columns, input, is_inside, channel, left, vectors, step);
    }
}

APUS_INLINE void transform_tiles(
    const winograd_axis rows, const winograd_axis columns, const apus_winograd_layer *layer,
    const apus_winograd_run *run, ptrdiff_t first, ptrdiff_t count, ptrdiff_t first_channel, ptrdiff_t last_channel) {
    const int height = winograd_inputs(rows), width = winograd_inputs(columns);
    const ptrdiff_t block_stride = run->tile_count * WINOGRAD_CHANNEL_BLOCK;
    const ptrdiff_t step =
        winograd_spread(winograd_rounded(layer->input_channels, WINOGRAD_CHANNEL_BLOCK) * run->tile_count);
    for (ptrdiff_t tile = first; tile < first + count; tile++) {
        const tile_position at = locate(rows, columns, layer, run->first_tile + tile);
        const element *image = (const element *)run->input + at.image * layer->input_image_stride;
        const ptrdiff_t top = at.y * rows.stride - layer->padding_top;
        const ptrdiff_t left = at.x * columns.stride - layer->padding_left;
        float *to = run->transformed + tile * WINOGRAD_CHANNEL_BLOCK;
        tile_input input;
        input.row_stride = layer->input_row_stride;
        input.pixel_stride = layer->input_pixel_stride;
        if (top >= 0 && left >= 0 && top + height <= layer->input_height && left + width <= layer->input_width) {
            input.first = image + top * input.row_stride + left * input.pixel_stride;
            transform_channels(rows, columns, &input, 1, first_channel, last_channel, to, block_stride, step);
            continue;
        }
        for (int i = 0; i < height * width; i++) {
            const ptrdiff_t y = top + i / width, x = left + i % width;
            const int is_inside = (size_t)y < (size_t)layer->input_height && (size_t)x < (size_t)layer->input_width;
            const element *inside = image + y * input.row_stride + x * input.pixel_stride;
            input.pixels[i] = is_inside ? inside : (const element *)run->zeros;
        }
        transform_channels(rows, columns, &input, 0, first_channel, last_channel, to, block_stride, step);
    }
}

/// to[factor][channel][column] = (G g Gᵗ)[factor] for `depth` channels of a panel of filters [channel][tap][column].
APUS_INLINE void transform_panel(
    const winograd_axis rows, const winograd_axis columns, const float *filters, ptrdiff_t depth, float *to,
    ptrdiff_t step) {
    const int height = winograd_factors(rows), width = winograd_factors(columns), taps = rows.taps * columns.taps;
    for (ptrdiff_t channel = 0; channel < depth; channel++) {
#pragma clang loop unroll(disable)
        for (int v = 0; v < PANEL_VECTORS; v++) {
            const float *from = filters + channel * taps * PANEL_COLUMNS + v * APUS_LANES;
            vector half[WINOGRAD_MAXIMUM_INPUTS][WINOGRAD_MAXIMUM_TAPS];
            APUS_UNROLL for (int x = 0; x < columns.taps; x++) {
                vector filter[WINOGRAD_MAXIMUM_TAPS], line[WINOGRAD_MAXIMUM_INPUTS];
                APUS_UNROLL for (int y = 0; y < rows.taps; y++)
                    filter[y] = load(from + (y * columns.taps + x) * PANEL_COLUMNS);
                transform_taps(rows, filter, line);
                APUS_UNROLL for (int y = 0; y < height; y++) half[y][x] = line[y];
            }
            APUS_UNROLL for (int y = 0; y < height; y++) {
                vector line[WINOGRAD_MAXIMUM_INPUTS];
                transform_taps(columns, half[y], line);
                APUS_UNROLL for (int x = 0; x < width; x++)
                    store(to + (y * width + x) * step + channel * PANEL_COLUMNS + v * APUS_LANES, line[x]);
            }
        }
    }
}

/// The destination of one vector of a tile's outputs.
typedef struct {
    element *to;
    ptrdiff_t row_stride, pixel_stride;
    /// Added to the outputs; NULL adds nothing.
    const element *addend;
    ptrdiff_t addend_row_stride, addend_pixel_stride;
    /// The rows and columns inside the image, and the lanes that are channels.
    ptrdiff_t height, width, lanes;
    /// Applied to lines before they are rounded, where it is curved.
    apus_activation activation;
} tile_outputs;

#if APUS_ELEMENTS_ARE_BFLOAT16
APUS_INLINE void activate_line(vector *line, const int count, apus_activation activation) {
    float stored[WINOGRAD_MAXIMUM_INPUTS][APUS_LANES];
    APUS_UNROLL for (int x = 0; x < count; x++) store(stored[x], line[x]);
    activate_stored(stored[0], count, APUS_LANES, APUS_LANES, activation);
    APUS_UNROLL for (int x = 0; x < count; x++) line[x] = load(stored[x]);
}
#endif

/// Adds the addend to a line of outputs, activates and stores it. `is_whole`: all its pixels and lanes are stored.
APUS_INLINE void store_line(
    const tile_outputs *outputs, ptrdiff_t y, vector *line, const int count, vector_activation activation,
    const int is_whole) {
    element *to = outputs->to + y * outputs->row_stride;
    const element *addend = outputs->addend ? outputs->addend + y * outputs->addend_row_stride : outputs->addend;
    const ptrdiff_t addend_stride = outputs->addend_pixel_stride;
    if (is_whole) {
        if (addend)
            APUS_UNROLL for (int x = 0; x < count; x++) line[x] += load_elements(addend + x * addend_stride);
        if (activation.is_leaky)
            APUS_UNROLL for (int x = 0; x < count; x++) line[x] = leak(line[x], activation);
        else if (activation.is_gated)
            APUS_UNROLL for (int x = 0; x < count; x++) line[x] = gate(line[x]);
        else
            APUS_UNROLL for (int x = 0; x < count; x++) line[x] = limit(line[x], activation);
#if APUS_ELEMENTS_ARE_BFLOAT16
        if (is_curved(outputs->activation)) activate_line(line, count, outputs->activation);
#endif
        APUS_UNROLL for (int x = 0; x < count; x++) store_elements(to + x * outputs->pixel_stride, line[x]);
        return;
    }
    APUS_UNROLL for (int x = 0; x < count; x++) {
        if (x >= outputs->width) break;
        if (addend) line[x] += load_first_elements(addend + x * addend_stride, outputs->lanes);
        line[x] = activate_vector(line[x], activation);
#if APUS_ELEMENTS_ARE_BFLOAT16
        if (is_curved(outputs->activation)) activate_line(line + x, 1, outputs->activation);
#endif
        store_first_elements(to + x * outputs->pixel_stride, line[x], outputs->lanes);
    }
}

/// Stores the part of Aᵀ sums A that lies inside the image, for one vector of output channels.
APUS_INLINE void store_output_tile(
    const winograd_axis rows, const winograd_axis columns, const tile_outputs *outputs, const float *sums,
    ptrdiff_t step, vector bias, vector_activation activation, const int is_whole) {
    const int height = winograd_inputs(rows), width = winograd_inputs(columns);
    vector half[WINOGRAD_MAXIMUM_INPUTS][WINOGRAD_MAXIMUM_INPUTS];
    APUS_UNROLL for (int x = 0; x < width; x++) {
        vector from[WINOGRAD_MAXIMUM_INPUTS], line[WINOGRAD_MAXIMUM_INPUTS];
        APUS_UNROLL for (int y = 0; y < height; y++) from[y] = load(sums + (y * width + x) * step);
        transform_outputs(rows, from, line);
        APUS_UNROLL for (int y = 0; y < rows.outputs; y++) half[y][x] = line[y];
    }
    APUS_UNROLL for (int y = 0; y < rows.outputs; y++) {
        if (!is_whole && y >= outputs->height) break;
        vector line[WINOGRAD_MAXIMUM_INPUTS];
        transform_outputs(columns, half[y], line);
        APUS_UNROLL for (int x = 0; x < columns.outputs; x++) line[x] += bias;
        store_line(outputs, y, line, columns.outputs, activation, is_whole);
    }
}

/// Stores the outputs of one tile for the vector of channels from `channel` on.
APUS_INLINE void store_outputs(
    const winograd_axis rows, const winograd_axis columns, const apus_winograd_layer *layer,
    const apus_winograd_run *run, tile_position at, ptrdiff_t channel, const float *sums, ptrdiff_t step,
    vector_activation activation) {
    tile_outputs outputs = {
        .to = (element *)run->output + at.image * layer->output_image_stride + at.y * layer->output_row_stride +
              at.x * layer->output_pixel_stride + channel,
        .row_stride = layer->output_row_stride, .pixel_stride = layer->output_pixel_stride,
        .height = layer->output_height - at.y, .width = layer->output_width - at.x,
        .lanes = layer->output_channels - channel, .activation = layer->activation};
    if (run->addend) {
        outputs.addend = (const element *)run->addend + at.image * layer->addend_image_stride +
                         at.y * layer->addend_row_stride + at.x * layer->addend_pixel_stride + channel;
        outputs.addend_row_stride = layer->addend_row_stride;
        outputs.addend_pixel_stride = layer->addend_pixel_stride;
    }
    if (outputs.lanes > APUS_LANES) outputs.lanes = APUS_LANES;
    const vector bias = load(run->bias + channel);
    if (outputs.height >= rows.outputs && outputs.width >= columns.outputs && outputs.lanes == APUS_LANES)
        store_output_tile(rows, columns, &outputs, sums, step, bias, activation, 1);
    else
        store_output_tile(rows, columns, &outputs, sums, step, bias, activation, 0);
#if !APUS_ELEMENTS_ARE_BFLOAT16
    if (!is_curved(layer->activation)) return;
    const ptrdiff_t width = columns.outputs < outputs.width ? columns.outputs : outputs.width;
    for (ptrdiff_t y = 0; y < rows.outputs && y < outputs.height; y++)
        activate_stored(
            outputs.to + y * outputs.row_stride, width, outputs.pixel_stride, outputs.lanes, layer->activation);
#endif
}

/// Multiplies all tiles with one panel of weights after another. A panel is transformed first if the layer asks for it.
APUS_INLINE void multiply_tiles(
    const winograd_axis rows, const winograd_axis columns, const apus_winograd_layer *layer,
    const apus_winograd_run *run, ptrdiff_t first, ptrdiff_t count, ptrdiff_t first_panel, ptrdiff_t last_panel,
    float *scratch) {
    const int products = winograd_inputs(rows) * winograd_inputs(columns), taps = rows.taps * columns.taps;
    const int factors = winograd_factors(rows) * winograd_factors(columns);
    const ptrdiff_t channels = layer->input_channels;
    const ptrdiff_t depth = winograd_rounded(channels, WINOGRAD_DEPTH_STEP);
    const ptrdiff_t block_stride = run->tile_count * WINOGRAD_CHANNEL_BLOCK;
    const ptrdiff_t sums_step = winograd_spread(count * PANEL_COLUMNS);
    const ptrdiff_t most = winograd_depth_block(PANEL_COLUMNS), panel_step = WINOGRAD_BLOCK_WEIGHTS | 16;
    float *sums = scratch, *panel = scratch + products * sums_step;
    const vector_activation activation = prepare(layer->activation);
    for (ptrdiff_t index = first_panel; index < last_panel; index++) {
        for (ptrdiff_t start = 0; start < depth; start += most) {
            const ptrdiff_t left = depth - start;
            winograd_block block = {
                .inputs = run->transformed + first * WINOGRAD_CHANNEL_BLOCK +
                          start / WINOGRAD_CHANNEL_BLOCK * block_stride,
                .inputs_stride = block_stride, .sums = sums,
                .depth = left < most ? left : most, .is_first = start == 0,
                .next_inputs = winograd_spread(winograd_rounded(channels, WINOGRAD_CHANNEL_BLOCK) * run->tile_count),
                .next_sums = sums_step};
            const ptrdiff_t offset = (index * depth + start) * PANEL_COLUMNS;
            if (layer->transforms_weights) {
                transform_panel(rows, columns, run->weights + offset * taps, block.depth, panel, panel_step);
                block.weights = panel;
                block.next_weights = panel_step;
                block.next_upcoming = block.depth * taps / factors * PANEL_COLUMNS;
                block.upcoming = run->weights + (offset + block.depth * PANEL_COLUMNS) * taps;
            } else {
                block.weights = run->weights + offset * factors;
                block.next_weights = block.depth * PANEL_COLUMNS;
                block.next_upcoming = block.next_weights;
                block.upcoming = block.weights + block.next_weights;
            }
            multiply_products(rows, columns, block, count);
        }
        for (ptrdiff_t tile = 0; tile < count; tile++) {
            const tile_position at = locate(rows, columns, layer, run->first_tile + first + tile);
            for (int v = 0; v < PANEL_VECTORS; v++) {
                const ptrdiff_t channel = index * PANEL_COLUMNS + v * APUS_LANES;
                if (channel < layer->output_channels)
                    store_outputs(
                        rows, columns, layer, run, at, channel, sums + tile * PANEL_COLUMNS + v * APUS_LANES,
                        sums_step, activation);
            }
        }
    }
}

#define WINOGRAD_KIND(name, constant, row_axis, column_axis)                                                      \
    APUS_TARGET static void transform_##name(                                                                     \
        const apus_winograd_layer *layer, const apus_winograd_run *run, ptrdiff_t first, ptrdiff_t count,         \
        ptrdiff_t first_channel, ptrdiff_t last_channel) {                                                        \
        const winograd_axis rows = WINOGRAD_AXIS(row_axis);                                                       \
        const winograd_axis columns = WINOGRAD_AXIS(column_axis);                                                 \
        transform_tiles(rows, columns, layer, run, first, count, first_channel, last_channel);                    \
    }                                                                                                             \
    APUS_TARGET static void multiply_##name(                                                                      \
        const apus_winograd_layer *layer, const apus_winograd_run *run, ptrdiff_t first, ptrdiff_t count,         \
        ptrdiff_t first_panel, ptrdiff_t last_panel, float *scratch) {                                            \
        const winograd_axis rows = WINOGRAD_AXIS(row_axis);                                                       \
        const winograd_axis columns = WINOGRAD_AXIS(column_axis);                                                 \
        multiply_tiles(rows, columns, layer, run, first, count, first_panel, last_panel, scratch);                \
    }
WINOGRAD_KINDS
#undef WINOGRAD_KIND

#define WINOGRAD_KIND(name, constant, ...)                                                                        \
    [constant] = {APUS_TILE_ROWS, PANEL_COLUMNS, transform_##name, multiply_##name},
const apus_winograd_kernel APUS_NAME(apus_winograd)[] = {WINOGRAD_KINDS};
#undef WINOGRAD_KIND

#endif
