#ifndef APUS_DEPTHWISE_ROWS_H
#define APUS_DEPTHWISE_ROWS_H

// Cuts the output rows of a block into tiles. Needs a variant header before it, and what depthwise_tile.h needs.

#include "../variants/vector.h"
#include "apus_depthwise.h"
#include "depthwise_tile.h"

typedef void (*tile_function)(const tile_group *);

#define TILE(pixels, kernel_width, stride)                                                            \
    APUS_TARGET static void tile_##pixels##_##kernel_width##_##stride(const tile_group *group) {      \
        convolve_tiles(group, pixels, kernel_width, stride, 1);                                       \
    }                                                                                                 \
    APUS_TARGET static void edge_tile_##pixels##_##kernel_width##_##stride(const tile_group *group) { \
        convolve_tiles(group, pixels, kernel_width, stride, 0);                                       \
    }
TILE(7, 3, 1)
TILE(7, 3, 2)
TILE(7, 5, 1)
TILE(7, 5, 2)
TILE(7, 7, 1)
TILE(7, 7, 2)
TILE(4, 3, 1)
TILE(4, 3, 2)
TILE(4, 5, 1)
TILE(4, 5, 2)
TILE(4, 7, 1)
TILE(4, 7, 2)
#undef TILE

#define TILES(pixels, kernel_width, stride) \
    {tile_##pixels##_##kernel_width##_##stride, edge_tile_##pixels##_##kernel_width##_##stride}
/// Functions by size of the tile, kernel, stride, and whether all columns are inside the image.
static const tile_function tile_functions[2][3][2][2] = {
    {{TILES(7, 3, 1), TILES(7, 3, 2)}, {TILES(7, 5, 1), TILES(7, 5, 2)}, {TILES(7, 7, 1), TILES(7, 7, 2)}},
    {{TILES(4, 3, 1), TILES(4, 3, 2)}, {TILES(4, 5, 1), TILES(4, 5, 2)}, {TILES(4, 7, 1), TILES(4, 7, 2)}},
};
#undef TILES

/// The number of i in [0, steps) for which start + i · step < end.
static inline ptrdiff_t steps_below(ptrdiff_t end, ptrdiff_t start, ptrdiff_t step, ptrdiff_t steps) {
    if (end <= start) return 0;
    return end - start > step * (steps - 1) ? steps : (end - start + step - 1) / step;
}

/// Computes every output row of the block at the columns of one tile. Input rows that output rows share stay cached.
static void convolve_rows(const apus_depthwise_block *block, tile_function function, tile_group *group, ptrdiff_t ox) {
    const apus_window *window = &block->window;
    for (ptrdiff_t oy = block->first_row; oy < block->last_row; oy++) {
        const ptrdiff_t y0 = oy * window->stride_height - window->padding_top;
        const ptrdiff_t first = steps_below(0, y0, window->dilation_height, window->kernel_height);
        const ptrdiff_t last = steps_below(window->input_height, y0, window->dilation_height, window->kernel_height);
        group->row_count = last - first;
        group->input = (const element *)block->input +
                       (y0 + first * window->dilation_height) * window->input_row_stride;
        group->weights = block->weights + first * window->kernel_width * block->tap_stride;
        group->output = (element *)block->output + oy * block->output_row_stride + ox * block->output_pixel_stride;
        if (block->addend)
            group->addend = block->addend + oy * block->addend_row_stride + ox * block->addend_pixel_stride;
        function(group);
    }
}

APUS_TARGET static void convolve(const apus_depthwise_block *block) {
    const apus_window *window = &block->window;
    const ptrdiff_t kernel_width = window->kernel_width, stride = window->stride_width, width = window->output_width;
    const int is_tiled = (kernel_width == 3 || kernel_width == 5 || kernel_width == 7) && stride <= 2 &&
                         window->dilation_width == 1 && width >= SHORT_TILE && block->channel_count >= APUS_LANES;
    tile_group group = {
        .row_stride = window->dilation_height * window->input_row_stride,
        .column_stride = window->dilation_width * window->input_pixel_stride,
        .tap_stride = block->tap_stride,
        .kernel_width = kernel_width,
        .bias = block->bias,
        .channel_count = block->channel_count,
        .output_stride = block->output_pixel_stride,
        .addend_stride = block->addend_pixel_stride,
        .limits = limits_of(block->activation),
        .activation = block->activation};
    for (ptrdiff_t ox = 0; ox < width;) {
        const ptrdiff_t left = width - ox;
        // 8 pixels take two short tiles. The last tile may overlap the one before.
        const int is_short = left < LONG_TILE || left == 2 * SHORT_TILE;
        ptrdiff_t pixels = is_short ? SHORT_TILE : LONG_TILE;
        ptrdiff_t start = left < pixels ? width - pixels : ox;
        const ptrdiff_t columns = (pixels - 1) * stride + kernel_width;
        ptrdiff_t x0 = start * stride - window->padding_left;
        const ptrdiff_t before = -x0, behind = x0 + columns - window->input_width;
        tile_function function = convolve_pixel;
        if (is_tiled && before <= kernel_width / 2 && behind <= kernel_width / 2) {
            const int is_edge = before > 0 || behind > 0;
            function = tile_functions[is_short][kernel_width / 2 - 1][stride - 1][is_edge];
            group.first_column = before > 0 ? before : 0;
            group.last_column = behind > 0 ? columns - behind : columns;
        } else {
            pixels = 1;
            start = ox;
            x0 = start * stride - window->padding_left;
            group.first_column = steps_below(0, x0, window->dilation_width, kernel_width);
            group.last_column = steps_below(window->input_width, x0, window->dilation_width, kernel_width);
        }
        group.origin = x0 * window->input_pixel_stride;
        convolve_rows(block, function, &group, start);
        ox = start + pixels;
    }
}

const apus_depthwise_kernel APUS_NAME(apus_depthwise) = {convolve};

#endif
