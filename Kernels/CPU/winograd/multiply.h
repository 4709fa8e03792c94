#ifndef APUS_WINOGRAD_MULTIPLY_H
#define APUS_WINOGRAD_MULTIPLY_H

// The register tile of the products: rows are tiles of the image, columns a panel of output channels. Needs a variant
// header before it, and APUS_TILE_ROWS, the maximum rows of a register tile, at most 12.

#include "../variants/row_cases.h"
#include "../variants/vector.h"
#include "points.h"

#ifndef APUS_TILE_ROWS
#error "define APUS_TILE_ROWS before multiply.h is included"
#endif

enum {
    /// Columns of a panel, in vectors.
    PANEL_VECTORS = 2,
    PANEL_COLUMNS = PANEL_VECTORS * APUS_LANES,
    /// Floats of a cache line.
    CACHE_LINE = 16,
};

/// One product, or two with consecutive numbers: sums += inputs · weights over a block of input channels.
typedef struct {
    /// [channel / 16][tile][16]; blocks of 16 channels lie `inputs_stride` apart.
    const float *inputs;
    ptrdiff_t inputs_stride;
    /// [channel][panel column].
    const float *weights;
    /// [tile][panel column].
    float *sums;
    ptrdiff_t depth;
    /// Whether the sums begin at 0 rather than at their stored values.
    int is_first;
    /// The weights to be read after this product, which are prefetched: a cache line every `upcoming_step` elements.
    const float *upcoming;
    ptrdiff_t upcoming_step;
    /// Distances from one product to the next.
    ptrdiff_t next_inputs, next_weights, next_sums, next_upcoming;
} winograd_block;

APUS_INLINE void multiply_rows(const winograd_block *block, const int products, const int rows) {
    vector sums[2][APUS_TILE_ROWS][PANEL_VECTORS];
    APUS_UNROLL for (int p = 0; p < products; p++)
        APUS_UNROLL for (int r = 0; r < rows; r++)
            APUS_UNROLL for (int v = 0; v < PANEL_VECTORS; v++) sums[p][r][v] = (vector){0};
    if (!block->is_first) {
        APUS_UNROLL for (int p = 0; p < products; p++)
            APUS_UNROLL for (int r = 0; r < rows; r++)
                APUS_UNROLL for (int v = 0; v < PANEL_VECTORS; v++)
                    sums[p][r][v] = load(block->sums + p * block->next_sums + r * PANEL_COLUMNS + v * APUS_LANES);
    }
    const float *weights = block->weights, *inputs = block->inputs, *upcoming = block->upcoming;
    for (ptrdiff_t left = block->depth; left > 0; left -= WINOGRAD_CHANNEL_BLOCK, inputs += block->inputs_stride) {
        const ptrdiff_t depth = left < WINOGRAD_CHANNEL_BLOCK ? left : WINOGRAD_CHANNEL_BLOCK;
#pragma clang loop unroll(disable)
        for (ptrdiff_t k = 0; k < depth; k += WINOGRAD_DEPTH_STEP, weights += WINOGRAD_DEPTH_STEP * PANEL_COLUMNS) {
            APUS_UNROLL for (int u = 0; u < WINOGRAD_DEPTH_STEP; u++, upcoming += block->upcoming_step) {
                APUS_UNROLL for (int p = 0; p < products; p++) {
                    __builtin_prefetch(upcoming + p * block->next_upcoming, 0, 2);
                    vector columns[PANEL_VECTORS];
                    APUS_UNROLL for (int v = 0; v < PANEL_VECTORS; v++)
                        columns[v] = load(weights + p * block->next_weights + u * PANEL_COLUMNS + v * APUS_LANES);
                    const float *row = inputs + p * block->next_inputs + k + u;
                    APUS_UNROLL for (int r = 0; r < rows; r++)
                        APUS_UNROLL for (int v = 0; v < PANEL_VECTORS; v++)
                            sums[p][r][v] += row[r * WINOGRAD_CHANNEL_BLOCK] * columns[v];
                }
            }
        }
    }
    APUS_UNROLL for (int p = 0; p < products; p++)
        APUS_UNROLL for (int r = 0; r < rows; r++)
            APUS_UNROLL for (int v = 0; v < PANEL_VECTORS; v++)
                store(block->sums + p * block->next_sums + r * PANEL_COLUMNS + v * APUS_LANES, sums[p][r][v]);
}

#define APUS_ONE_PRODUCT(rows) case rows: multiply_rows(block, 1, rows); break;

APUS_TARGET static void multiply_one_product(const winograd_block *block, ptrdiff_t row_count) {
    switch (row_count) { APUS_ROW_CASES(APUS_TILE_ROWS, APUS_ONE_PRODUCT) }
}

#define APUS_TWO_PRODUCTS(rows) case rows: multiply_rows(block, 2, 2 * rows <= APUS_TILE_ROWS ? rows : 1); break;

/// Twice as many independent sums, for at most APUS_TILE_ROWS / 2 rows.
APUS_TARGET static void multiply_two_products(const winograd_block *block, ptrdiff_t row_count) {
    switch (row_count) { APUS_ROW_CASES(APUS_TILE_ROWS, APUS_TWO_PRODUCTS) }
}

/// Computes all products of `count` tiles. Products that share a factor follow one another along each axis.
APUS_INLINE void multiply_products(
    const winograd_axis axis_of_rows, const winograd_axis axis_of_columns, winograd_block block, ptrdiff_t count) {
    const int width = winograd_inputs(axis_of_columns), products = winograd_inputs(axis_of_rows) * width;
    const ptrdiff_t groups = (count + APUS_TILE_ROWS - 1) / APUS_TILE_ROWS;
    // A step of the depth reads two cache lines of weights. With one group of tiles, both are prefetched together.
    block.upcoming_step = groups == 1 ? PANEL_COLUMNS : CACHE_LINE;
    const winograd_block first = block;
    const int has_own_factors = axis_of_rows.stride == 1 && axis_of_columns.stride == 1;
    if (has_own_factors && products % 2 == 0 && 2 * count <= APUS_TILE_ROWS) {
        for (int product = 0; product < products; product += 2) {
            multiply_two_products(&block, count);
            block.inputs += 2 * block.next_inputs;
            block.weights += 2 * block.next_weights;
            block.sums += 2 * block.next_sums;
            block.upcoming += 2 * block.next_upcoming;
        }
        return;
    }
    for (int product = 0; product < products; product++) {
        const int factor = winograd_factor(axis_of_rows, product / width) * winograd_factors(axis_of_columns) +
                           winograd_factor(axis_of_columns, product % width);
        for (ptrdiff_t group = 0; group < groups; group++) {
            const ptrdiff_t row = count * group / groups, rows = count * (group + 1) / groups - row;
            block.inputs = first.inputs + product * block.next_inputs + row * WINOGRAD_CHANNEL_BLOCK;
            block.weights = first.weights + factor * block.next_weights;
            block.sums = first.sums + product * block.next_sums + row * PANEL_COLUMNS;
            block.upcoming = first.upcoming + factor * block.next_upcoming + group % 2 * block.depth * CACHE_LINE;
            multiply_one_product(&block, rows);
        }
    }
}

#endif
