#ifndef APUS_NIBBLE_TILE_H
#define APUS_NIBBLE_TILE_H

// The register tile of a product with weights of 4 bits: some rows with a panel of two vectors of columns, whose
// weights are widened in registers. A variant defines APUS_TILE_ROWS, the maximum rows of a tile, at most 12, and may
// define APUS_HAS_TABLE as 1, where it has `nibbles_of`.

#include "../variants/row_cases.h"
#include "../variants/vector.h"
#include "apus_nibbles.h"

enum { PANEL_VECTORS = 2, PANEL_COLUMNS = PANEL_VECTORS * APUS_LANES };

typedef uint32_t word_vector __attribute__((vector_size(4 * APUS_LANES)));
typedef uint32_t unaligned_word_vector __attribute__((vector_size(4 * APUS_LANES), aligned(4)));

/// The lowest 4 bits of every word as numbers.
APUS_INLINE vector nibbles_of(word_vector words);

#if !APUS_HAS_TABLE
APUS_INLINE vector nibbles_of(word_vector words) {
    return __builtin_convertvector((int_vector)(words & 15), vector);
}
#endif

/// The columns of a panel from `column` on, and the rows of a tile from `first` on.
typedef struct {
    const apus_nibble_product *product;
    ptrdiff_t first, column, column_count;
} nibble_tile;

/// Adds the products with element `k` of each row. `rows` is a constant of the caller.
APUS_INLINE void add_products(
    const float *input, ptrdiff_t stride, const int rows, const word_vector *words, const vector *scales,
    const vector *offsets, vector (*sums)[PANEL_VECTORS]) {
    vector weights[PANEL_VECTORS];
    APUS_UNROLL for (int v = 0; v < PANEL_VECTORS; v++) weights[v] = nibbles_of(words[v]) * scales[v] + offsets[v];
    APUS_UNROLL for (int r = 0; r < rows; r++) {
        const vector element = (vector){0} + input[r * stride];
        APUS_UNROLL for (int v = 0; v < PANEL_VECTORS; v++) sums[r][v] += element * weights[v];
    }
}

/// One tile. `rows` is a constant of the caller.
APUS_INLINE void multiply_tile(const nibble_tile *t, const int rows) {
    const apus_nibble_product *p = t->product;
    const ptrdiff_t depth = p->depth, group = p->group, stride = p->input_stride;
    const ptrdiff_t group_count = (depth + group - 1) / group;
    const uint32_t *weights = p->weights + t->column * apus_nibble_words(depth);
    const float *scale = p->scales + t->column * group_count, *zero = p->zeros + t->column * group_count;
    const float *input = p->input + t->first * stride;
    vector sums[APUS_TILE_ROWS][PANEL_VECTORS];
    APUS_UNROLL for (int v = 0; v < PANEL_VECTORS; v++)
        APUS_UNROLL for (int r = 0; r < rows; r++) sums[r][v] = load(p->bias + t->column + v * APUS_LANES);
    for (ptrdiff_t start = 0; start < depth; start += group, scale += PANEL_COLUMNS, zero += PANEL_COLUMNS) {
        vector scales[PANEL_VECTORS], offsets[PANEL_VECTORS];
        APUS_UNROLL for (int v = 0; v < PANEL_VECTORS; v++) {
            scales[v] = load(scale + v * APUS_LANES);
            offsets[v] = -(load(zero + v * APUS_LANES) * scales[v]);
        }
        const ptrdiff_t count = depth - start < group ? depth - start : group;
        for (ptrdiff_t k = 0; k < count; k += APUS_NIBBLES_OF_A_WORD, weights += PANEL_COLUMNS) {
            word_vector words[PANEL_VECTORS];
            APUS_UNROLL for (int v = 0; v < PANEL_VECTORS; v++)
                words[v] = *(const unaligned_word_vector *)(weights + v * APUS_LANES);
            const ptrdiff_t left = count - k;
            if (left >= APUS_NIBBLES_OF_A_WORD) {
                APUS_UNROLL for (int j = 0; j < APUS_NIBBLES_OF_A_WORD; j++) {
                    add_products(input + j, stride, rows, words, scales, offsets, sums);
                    APUS_UNROLL for (int v = 0; v < PANEL_VECTORS; v++) words[v] >>= 4;
                }
                input += APUS_NIBBLES_OF_A_WORD;
            } else {
                for (ptrdiff_t j = 0; j < left; j++, input++) {
                    add_products(input, stride, rows, words, scales, offsets, sums);
                    APUS_UNROLL for (int v = 0; v < PANEL_VECTORS; v++) words[v] >>= 4;
                }
            }
        }
    }
    const vector_activation activation = prepare(p->activation);
    APUS_UNROLL for (int r = 0; r < rows; r++) {
        float *output = p->output + (t->first + r) * p->output_stride + t->column;
        const float *addend = p->addend ? p->addend + (t->first + r) * p->addend_stride + t->column : NULL;
        APUS_UNROLL for (int v = 0; v < PANEL_VECTORS; v++) {
            const ptrdiff_t left = t->column_count - v * APUS_LANES, count = left < APUS_LANES ? left : APUS_LANES;
            if (count <= 0) continue;
            vector y = sums[r][v];
            if (addend) y += load_first(addend + v * APUS_LANES, count);
            y = activate_vector(y, activation);
            if (count == APUS_LANES) store(output + v * APUS_LANES, y);
            else store_first(output + v * APUS_LANES, y, count);
        }
    }
    if (is_curved(p->activation))
        activate_stored(
            p->output + t->first * p->output_stride + t->column, rows, p->output_stride, t->column_count,
            p->activation);
}

#define APUS_TILE_CASE(rows) case rows: multiply_tile(tile, rows); break;

APUS_TARGET static void multiply_rows(const nibble_tile *tile, ptrdiff_t row_count) {
    switch (row_count) { APUS_ROW_CASES(APUS_TILE_ROWS, APUS_TILE_CASE) }
}

/// All rows pass over a panel, whose weights stay in a cache, before the next. The heights of tiles differ by at most
/// one row.
APUS_TARGET static void APUS_NAME(multiply)(const apus_nibble_product *p) {
    const ptrdiff_t tile_count = (p->row_count + APUS_TILE_ROWS - 1) / APUS_TILE_ROWS;
    for (ptrdiff_t column = 0; column < p->column_count; column += PANEL_COLUMNS) {
        const ptrdiff_t left = p->column_count - column;
        nibble_tile tile = {
            .product = p, .column = column, .column_count = left < PANEL_COLUMNS ? left : PANEL_COLUMNS};
        for (ptrdiff_t index = 0; index < tile_count; index++) {
            tile.first = p->row_count * index / tile_count;
            multiply_rows(&tile, p->row_count * (index + 1) / tile_count - tile.first);
        }
    }
}

const apus_nibble_kernel APUS_NAME(apus_nibble) = {
    .tile_rows = APUS_TILE_ROWS, .panel_columns = PANEL_COLUMNS, .multiply = APUS_NAME(multiply)};

#endif
