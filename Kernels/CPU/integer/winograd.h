#ifndef APUS_INTEGER_WINOGRAD_H
#define APUS_INTEGER_WINOGRAD_H

// Convolutions of 3 · 3 taps with stride 1 by Winograd's minimal filtering. Needs the functions of variant.h, with
// `dot_int16`.

#include "../variants/row_cases.h"
#include "requantize.h"
#include "variant.h"
#include "winograd_transforms.h"

#include <string.h>

#if !APUS_HAS_DOT_INT16
#error "winograd.h multiplies 16-bit integers: it needs APUS_HAS_DOT_INT16"
#endif

/// The maximum number of bytes that `spread` adds.
enum { MAXIMUM_SPREAD = 127 };

/// An odd number of cache lines, so that the products of one tile do not fall into the same cache sets.
APUS_INLINE ptrdiff_t spread(ptrdiff_t byte_count) { return (byte_count + 63) / 64 * 64 | 64; }

/// Elements of a transformed pixel.
APUS_INLINE ptrdiff_t transformed_channels(ptrdiff_t channels) {
    return (channels + INT16_LANES - 1) / INT16_LANES * INT16_LANES;
}

/// Bytes of the inputs and sums of one tile for one product.
APUS_INLINE ptrdiff_t product_bytes(ptrdiff_t channels) {
    return transformed_channels(channels) * (ptrdiff_t)sizeof(int16_t) + PANEL_COLUMNS * (ptrdiff_t)sizeof(int32_t);
}

/// Bytes of a pixel outside the image.
APUS_INLINE ptrdiff_t outside_bytes(ptrdiff_t channels) { return (transformed_channels(channels) + 63) / 64 * 64; }

/// Bytes of scratch memory for `tile_count` tiles at a time.
APUS_TARGET static ptrdiff_t APUS_NAME(tile_scratch)(ptrdiff_t channels, ptrdiff_t tile_count) {
    return outside_bytes(channels) + TILE_PRODUCTS * (tile_count * product_bytes(channels) + 2 * MAXIMUM_SPREAD);
}

/// The tiles for which scratch memory has room.
APUS_INLINE ptrdiff_t fitting_tiles(const apus_integer_convolution *c) {
    const ptrdiff_t bytes = (c->scratch_byte_count - outside_bytes(c->channel_count)) / TILE_PRODUCTS;
    return (bytes - 2 * MAXIMUM_SPREAD) / product_bytes(c->channel_count);
}

/// The parts of scratch memory for some tiles.
typedef struct {
    /// A pixel outside the image, every channel the zero point.
    uint8_t *outside;
    /// [product][tile][channel], products `inputs_step` elements apart.
    int16_t *inputs;
    ptrdiff_t channels, inputs_step;
    /// [product][tile][panel column], products `sums_step` elements apart.
    int32_t *sums;
    ptrdiff_t sums_step;
} tile_scratch;

APUS_INLINE tile_scratch scratch_of(const apus_integer_convolution *c, ptrdiff_t tile_count) {
    const ptrdiff_t channels = transformed_channels(c->channel_count);
    const ptrdiff_t inputs_bytes = spread(tile_count * channels * (ptrdiff_t)sizeof(int16_t));
    const ptrdiff_t sums_bytes = spread(tile_count * PANEL_COLUMNS * (ptrdiff_t)sizeof(int32_t));
    uint8_t *inputs = (uint8_t *)c->scratch + outside_bytes(c->channel_count);
    return (tile_scratch){
        .outside = c->scratch, .inputs = (int16_t *)inputs, .channels = channels,
        .inputs_step = inputs_bytes / (ptrdiff_t)sizeof(int16_t),
        .sums = (int32_t *)(inputs + TILE_PRODUCTS * inputs_bytes),
        .sums_step = sums_bytes / (ptrdiff_t)sizeof(int32_t)};
}

/// The output pixel (y, x) at which a tile begins.
typedef struct {
    ptrdiff_t image, y, x;
} tile_position;

APUS_INLINE tile_position locate(const apus_integer_convolution *c, ptrdiff_t tile) {
    const ptrdiff_t height = c->image_pixel_count / c->window.output_width;
    const ptrdiff_t across = (c->window.output_width + TILE_OUTPUTS - 1) / TILE_OUTPUTS;
    const ptrdiff_t down = (height + TILE_OUTPUTS - 1) / TILE_OUTPUTS, place = tile % (across * down);
    return (tile_position){tile / (across * down), place / across * TILE_OUTPUTS, place % across * TILE_OUTPUTS};
}

/// Transforms the inputs of the tile `at`; `to` is where product 0 goes.
APUS_INLINE void transform_tile(
    const apus_integer_convolution *c, tile_position at, const tile_scratch *s, int16_t *to) {
    const apus_window *w = &c->window;
    const ptrdiff_t top = at.y - w->padding_top, left = at.x - w->padding_left;
    const uint8_t *image = c->input + at.image * c->image_stride, *pixels[TILE_PRODUCTS];
    for (int y = 0; y < TILE_INPUTS; y++) {
        const int has_row = (size_t)(top + y) < (size_t)w->input_height;
        for (int x = 0; x < TILE_INPUTS; x++) {
            const int is_inside = has_row && (size_t)(left + x) < (size_t)w->input_width;
            const ptrdiff_t offset = (top + y) * w->input_row_stride + (left + x) * w->input_pixel_stride;
            pixels[y * TILE_INPUTS + x] = is_inside ? image + offset : s->outside;
        }
    }
    const ptrdiff_t channels = c->channel_count;
    if (channels < INT16_LANES) {
        transform_channels(c, pixels, 0, channels, to, s->inputs_step);
        return;
    }
    // The last vector may overlap the previous one.
    for (ptrdiff_t next = INT16_LANES; next < channels + INT16_LANES; next += INT16_LANES) {
        const ptrdiff_t channel = (next < channels ? next : channels) - INT16_LANES;
        transform_channels(c, pixels, channel, INT16_LANES, to + channel, s->inputs_step);
    }
}

/// One of the TILE_PRODUCTS products of some tiles with a panel of weights.
typedef struct {
    const int16_t *inputs;
    ptrdiff_t channels, words;
    const int32_t *weights;
    /// Weights of the next product, of which FETCHED_LINES cache lines are prefetched for every word.
    const int32_t *upcoming;
    int32_t *sums;
} tile_product;

/// Cache lines of a panel's word that one group of tiles prefetches; the next group prefetches the rest.
enum { FETCHED_LINES = (PANEL_LINES + 1) / 2 };

/// A register tile of rows × (vectors · APUS_LANES) sums. `rows` and `vectors` are constants of the caller.
APUS_INLINE void multiply_tile_rows(const tile_product *p, const int rows, const int vectors) {
    int_vector sums[APUS_TILE_ROWS][APUS_PANEL_VECTORS];
    APUS_UNROLL for (int r = 0; r < rows; r++)
        APUS_UNROLL for (int v = 0; v < vectors; v++) sums[r][v] = (int_vector){0};
    const int32_t *weights = p->weights, *upcoming = p->upcoming;
    const int16_t *inputs = p->inputs;
    const ptrdiff_t channels = p->channels;
    for (ptrdiff_t k = 0; k < p->words; k++, inputs += 2, weights += PANEL_COLUMNS, upcoming += PANEL_COLUMNS) {
        APUS_UNROLL for (int line = 0; line < FETCHED_LINES; line++)
            __builtin_prefetch(upcoming + line * CACHE_LINE, 0, 2);
        int_vector columns[APUS_PANEL_VECTORS];
        APUS_UNROLL for (int v = 0; v < vectors; v++) columns[v] = load_integers(weights + v * APUS_LANES);
        APUS_UNROLL for (int r = 0; r < rows; r++) {
            int32_t word;
            memcpy(&word, inputs + r * channels, sizeof word);
            const int_vector words = (int_vector){0} + word;
            APUS_UNROLL for (int v = 0; v < vectors; v++) sums[r][v] = dot_int16(sums[r][v], words, columns[v]);
        }
    }
    APUS_UNROLL for (int r = 0; r < rows; r++)
        APUS_UNROLL for (int v = 0; v < vectors; v++)
            memcpy(p->sums + r * PANEL_COLUMNS + v * APUS_LANES, &sums[r][v], sizeof sums[r][v]);
}

#define APUS_PRODUCT_CASE(rows) case rows: multiply_tile_rows(product, rows, vectors); break;

APUS_INLINE void multiply_tiles(const tile_product *product, ptrdiff_t row_count, const int vectors) {
    switch (row_count) { APUS_ROW_CASES(APUS_TILE_ROWS, APUS_PRODUCT_CASE) }
}

/// Stores the outputs of a tile that lie inside the image, for the columns of a panel. `vectors` and `quick` are
/// constants of the caller.
APUS_INLINE void store_tile(
    const apus_integer_convolution *c, tile_position at, const int32_t *sums, ptrdiff_t step, ptrdiff_t column,
    const int vectors, const int quick) {
    int_vector outputs[TILE_OUTPUTS * TILE_OUTPUTS][APUS_PANEL_VECTORS];
#pragma clang loop unroll(disable)
    for (int v = 0; v < vectors; v++)
        finish_sums(sums + v * APUS_LANES, step, load_integers(c->bias + column + v * APUS_LANES), v, outputs);
    const apus_requantization requantization = c->requantization;
    const ptrdiff_t width = c->window.output_width, height = c->image_pixel_count / width;
    const ptrdiff_t left = c->column_count - column, count = left < vectors * APUS_LANES ? left : vectors * APUS_LANES;
    const ptrdiff_t rows = height - at.y < TILE_OUTPUTS ? height - at.y : TILE_OUTPUTS;
    const ptrdiff_t columns = width - at.x < TILE_OUTPUTS ? width - at.x : TILE_OUTPUTS;
    uint8_t *row = c->output + (at.image * c->image_pixel_count + at.y * width + at.x) * c->output_stride + column;
    for (ptrdiff_t y = 0; y < rows; y++, row += width * c->output_stride)
        for (ptrdiff_t x = 0; x < columns; x++)
            store_columns(
                row + x * c->output_stride, outputs[y * TILE_OUTPUTS + x], vectors, quick, &requantization, column,
                count);
}

/// Multiplies all tiles with one panel of weights, and stores their outputs.
APUS_INLINE void multiply_panel(
    const apus_integer_convolution *c, const tile_scratch *s, ptrdiff_t first, ptrdiff_t count, ptrdiff_t column,
    const int vectors) {
    const ptrdiff_t words = (c->channel_count + 1) / 2, groups = (count + APUS_TILE_ROWS - 1) / APUS_TILE_ROWS;
    const int32_t *weights = (const int32_t *)c->weights + column * TILE_PRODUCTS * words;
    for (int product = 0; product < TILE_PRODUCTS; product++, weights += words * PANEL_COLUMNS) {
        for (ptrdiff_t group = 0; group < groups; group++) {
            const ptrdiff_t row = count * group / groups;
            const tile_product rows = {
                .inputs = s->inputs + product * s->inputs_step + row * s->channels, .channels = s->channels,
                .words = words, .weights = weights,
                .upcoming = weights + words * PANEL_COLUMNS + group % 2 * (PANEL_COLUMNS / 2),
                .sums = s->sums + product * s->sums_step + row * PANEL_COLUMNS};
            multiply_tiles(&rows, count * (group + 1) / groups - row, vectors);
        }
    }
    for (ptrdiff_t tile = 0; tile < count; tile++) {
        const tile_position at = locate(c, first + tile);
        const int32_t *sums = s->sums + tile * PANEL_COLUMNS;
        if (is_quick(&c->requantization)) store_tile(c, at, sums, s->sums_step, column, vectors, 1);
        else store_tile(c, at, sums, s->sums_step, column, vectors, 0);
    }
}

APUS_TARGET static void APUS_NAME(convolve_tiles)(const apus_integer_convolution *c) {
    const ptrdiff_t maximum_tiles = fitting_tiles(c), blocks = (c->count + maximum_tiles - 1) / maximum_tiles;
    memset(c->scratch, (uint8_t)c->zero_point, (size_t)outside_bytes(c->channel_count));
    for (ptrdiff_t block = 0; block < blocks; block++) {
        const ptrdiff_t begin = c->count * block / blocks, count = c->count * (block + 1) / blocks - begin;
        const tile_scratch scratch = scratch_of(c, count);
        for (ptrdiff_t tile = 0; tile < count; tile++)
            transform_tile(
                c, locate(c, c->first + begin + tile), &scratch, scratch.inputs + tile * scratch.channels);
        for (ptrdiff_t column = 0; column < c->column_count; column += PANEL_COLUMNS) {
            if (c->column_count - column > PANEL_COLUMNS / 2)
                multiply_panel(c, &scratch, c->first + begin, count, column, APUS_PANEL_VECTORS);
            else multiply_panel(c, &scratch, c->first + begin, count, column, APUS_PANEL_VECTORS / 2);
        }
    }
}

#endif
