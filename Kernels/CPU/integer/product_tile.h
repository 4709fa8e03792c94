#ifndef APUS_PRODUCT_TILE_H
#define APUS_PRODUCT_TILE_H

// The register tile of a convolution: the sums of some patches with the columns of a panel of weights. Needs the
// functions of variant.h.

#include "../variants/row_cases.h"
#include "paired_words.h"
#include "requantize.h"
#include "variant.h"
#include "widened_lines.h"

#include <string.h>

/// The patches of a tile and the columns of a panel from `column` on.
typedef struct {
    const apus_integer_convolution *convolution;
    const patch_extents *extents;
    const uint8_t *patches;
    /// The bytes from `patches` to every row. The rows of a taller tile lie `extents->pixel_bytes` apart.
    ptrdiff_t offsets[APUS_TILE_ROWS];
    /// The pair products of every row (paired_words.h).
    const int32_t *pair_products;
    const int32_t *weights;
    /// The weights that are read after this panel. The tile prefetches one cache line of them for every word.
    const int32_t *upcoming;
    ptrdiff_t column, column_count;
    uint8_t *output;
} product_tile;

/// Stores the sums of a tile as float32 numbers.
APUS_INLINE void store_numbers(const product_tile *t, int_vector (*sums)[APUS_PANEL_VECTORS], ptrdiff_t rows) {
    const apus_integer_convolution *c = t->convolution;
    const apus_dequantization d = c->numbers;
    const vector_activation activation = prepare(d.activation);
    const ptrdiff_t offset = t->output - c->output, pixel = offset / c->output_stride;
    for (ptrdiff_t r = 0; r < rows; r++) {
        const float row_scale = d.row_scales[(pixel + r) * d.row_scale_step];
        const ptrdiff_t place = offset + r * c->output_stride;
        for (ptrdiff_t v = 0; v * APUS_LANES < t->column_count; v++) {
            const ptrdiff_t first = v * APUS_LANES, left = t->column_count - first;
            const ptrdiff_t count = left < APUS_LANES ? left : APUS_LANES;
            const vector factor = row_scale * load(d.scales + t->column + first);
            vector y = __builtin_convertvector(sums[r][v], vector) * factor + load(d.bias + t->column + first);
            if (d.addend) y += load_first(d.addend + place + first, count);
            y = activate_vector(y, activation);
            if (count == APUS_LANES) store(d.output + place + first, y);
            else store_first(d.output + place + first, y, count);
        }
    }
    if (is_curved(d.activation))
        activate_stored(d.output + offset, rows, c->output_stride, t->column_count, d.activation);
}

/// Stores the sums of a tile as they are, as numbers, or requantized by any factors.
APUS_TARGET static __attribute__((noinline)) void store_rows(
    const product_tile *t, int_vector (*sums)[APUS_PANEL_VECTORS], ptrdiff_t rows) {
    const apus_integer_convolution *c = t->convolution;
    const apus_requantization requantization = c->requantization;
    const ptrdiff_t offset = t->output - c->output;
    if (c->numbers.output) {
        store_numbers(t, sums, rows);
        return;
    }
    for (ptrdiff_t r = 0; r < rows; r++) {
        if (c->sums)
            memcpy(c->sums + offset + r * c->output_stride, sums[r], (size_t)t->column_count * sizeof(int32_t));
        else
            store_columns(
                t->output + r * c->output_stride, sums[r], APUS_PANEL_VECTORS, 0, &requantization, t->column,
                t->column_count);
    }
}

/// Whether the rows of a tile of `vectors` vectors lie pixels apart, at steps of a constant stride. If each row had an
/// address of its own, the addresses would not fit in registers.
APUS_INLINE int has_rows_apart(const int vectors) {
    return APUS_NARROW_TILE_ROWS > APUS_TILE_ROWS && vectors <= 2;
}

/// One tile of rows × (vectors · APUS_LANES) sums. `rows`, `vectors`, whether patches are pixels, and whether words are
/// multiplied in pairs, are constants of the caller.
APUS_INLINE void multiply_tile(
    const product_tile *t, const int rows, const int vectors, const int has_pixels, const int is_paired) {
    const apus_integer_convolution *c = t->convolution;
    int_vector sums[APUS_NARROW_TILE_ROWS][APUS_PANEL_VECTORS];
    APUS_UNROLL for (int v = 0; v < vectors; v++) {
        const int_vector bias = load_integers(c->bias + t->column + v * APUS_LANES);
        APUS_UNROLL for (int r = 0; r < rows; r++)
            sums[r][v] = is_paired ? bias - t->pair_products[r] : bias;
    }
    // Copies, since the compiler cannot exclude that bytes are stored into the structures.
    const apus_requantization requantization = c->requantization;
    const ptrdiff_t output_stride = c->output_stride, column = t->column, column_count = t->column_count;
    uint8_t *output = t->output;
    const int32_t *weights = t->weights, *upcoming = t->upcoming;
    const patch_extents e = *t->extents;
    ptrdiff_t offsets[APUS_NARROW_TILE_ROWS];
    APUS_UNROLL for (int r = 0; r < rows; r++)
        offsets[r] = has_pixels || has_rows_apart(vectors) ? r * e.pixel_bytes : t->offsets[r];
    for (ptrdiff_t y = 0; y < (has_pixels ? 1 : e.run_rows); y++) {
        for (ptrdiff_t x = 0; x < (has_pixels ? 1 : e.run_columns); x++) {
            const uint8_t *patches = t->patches + y * e.run_row_bytes + x * e.run_column_bytes;
            ptrdiff_t k = 0;
#if APUS_MINIMUM_PAIRED_WORDS > 0
            if (is_paired) {
                const ptrdiff_t paired = paired_words(e.words);
                multiply_paired_words(patches, offsets, weights, paired, upcoming, rows, vectors, sums);
                k = 2 * paired;
                patches += k * (ptrdiff_t)sizeof(int32_t);
                weights += k * PANEL_COLUMNS;
                upcoming += k * CACHE_LINE;
            }
#endif
            for (; k < e.words; k++, patches += sizeof(int32_t), weights += PANEL_COLUMNS) {
                // A single row reads its weights in one stream, which needs no prefetching.
                if (rows > 1) __builtin_prefetch(upcoming, 0, 2);
                upcoming += CACHE_LINE;
                int_vector columns[APUS_PANEL_VECTORS];
                APUS_UNROLL for (int v = 0; v < vectors; v++) columns[v] = load_integers(weights + v * APUS_LANES);
                APUS_UNROLL for (int r = 0; r < rows; r++) {
                    int32_t word;
                    memcpy(&word, patches + offsets[r], sizeof word);
                    const int_vector words = (int_vector){0} + word;
                    APUS_UNROLL for (int v = 0; v < vectors; v++) sums[r][v] = dot(sums[r][v], words, columns[v]);
                }
            }
        }
    }
    if (!c->sums && !c->numbers.output && is_quick(&requantization)) {
        if (column_count >= vectors * APUS_LANES) {
            APUS_UNROLL for (int r = 0; r < rows; r++)
                store_columns(
                    output + r * output_stride, sums[r], vectors, 1, &requantization, column, vectors * APUS_LANES);
        } else {
            APUS_UNROLL for (int r = 0; r < rows; r++)
                store_columns(output + r * output_stride, sums[r], vectors, 1, &requantization, column, column_count);
        }
        return;
    }
    int_vector kept[APUS_NARROW_TILE_ROWS][APUS_PANEL_VECTORS] = {0};
    APUS_UNROLL for (int r = 0; r < rows; r++)
        APUS_UNROLL for (int v = 0; v < vectors; v++) kept[r][v] = sums[r][v];
    store_rows(t, kept, rows);
}

#define APUS_TILE_CASE(rows) case rows: multiply_tile(tile, rows, vectors, has_pixels, is_paired); break;

/// A function for tiles of one width and any height up to `maximum_rows`.
#define APUS_TILE_FUNCTION(name, constant_vectors, constant_pixels, constant_paired, maximum_rows)        \
    APUS_TARGET static void name(const product_tile *tile, ptrdiff_t row_count) {                         \
        enum { vectors = constant_vectors, has_pixels = constant_pixels, is_paired = constant_paired };   \
        switch (row_count) { APUS_ROW_CASES(maximum_rows, APUS_TILE_CASE) }                               \
    }

APUS_TILE_FUNCTION(multiply_one_vector_of_pixels, 1, 1, 0, APUS_NARROW_TILE_ROWS)
APUS_TILE_FUNCTION(multiply_two_vectors_of_pixels, 2, 1, 0, APUS_NARROW_TILE_ROWS)
APUS_TILE_FUNCTION(multiply_one_vector_of_lines, 1, 0, 0, APUS_NARROW_TILE_ROWS)
APUS_TILE_FUNCTION(multiply_two_vectors_of_lines, 2, 0, 0, APUS_NARROW_TILE_ROWS)
#if APUS_PANEL_VECTORS == 4
APUS_TILE_FUNCTION(multiply_three_vectors_of_pixels, 3, 1, 0, APUS_TILE_ROWS)
APUS_TILE_FUNCTION(multiply_four_vectors_of_pixels, 4, 1, 0, APUS_TILE_ROWS)
APUS_TILE_FUNCTION(multiply_three_vectors_of_lines, 3, 0, 0, APUS_TILE_ROWS)
APUS_TILE_FUNCTION(multiply_four_vectors_of_lines, 4, 0, 0, APUS_TILE_ROWS)
#endif
#if APUS_MINIMUM_PAIRED_WORDS > 0
APUS_TILE_FUNCTION(multiply_one_paired_vector_of_pixels, 1, 1, 1, APUS_PAIRED_TILE_ROWS)
APUS_TILE_FUNCTION(multiply_two_paired_vectors_of_pixels, 2, 1, 1, APUS_PAIRED_TILE_ROWS)
APUS_TILE_FUNCTION(multiply_one_paired_vector_of_lines, 1, 0, 1, APUS_PAIRED_TILE_ROWS)
APUS_TILE_FUNCTION(multiply_two_paired_vectors_of_lines, 2, 0, 1, APUS_PAIRED_TILE_ROWS)
#endif

/// A tile of patches that are pixels.
APUS_TARGET static void multiply_pixels(const product_tile *tile, ptrdiff_t rows) {
    switch ((tile->column_count + APUS_LANES - 1) / APUS_LANES) {
    case 1: multiply_one_vector_of_pixels(tile, rows); break;
    case 2: multiply_two_vectors_of_pixels(tile, rows); break;
#if APUS_PANEL_VECTORS == 4
    case 3: multiply_three_vectors_of_pixels(tile, rows); break;
    default: multiply_four_vectors_of_pixels(tile, rows); break;
#endif
    }
}

/// A tile of patches that are runs of lines.
APUS_TARGET static void multiply_lines(const product_tile *tile, ptrdiff_t rows) {
    switch ((tile->column_count + APUS_LANES - 1) / APUS_LANES) {
    case 1: multiply_one_vector_of_lines(tile, rows); break;
    case 2: multiply_two_vectors_of_lines(tile, rows); break;
#if APUS_PANEL_VECTORS == 4
    case 3: multiply_three_vectors_of_lines(tile, rows); break;
    default: multiply_four_vectors_of_lines(tile, rows); break;
#endif
    }
}

#if APUS_MINIMUM_PAIRED_WORDS > 0
/// A tile of patches that are pixels, whose words are multiplied in pairs.
APUS_TARGET static void multiply_paired_pixels(const product_tile *tile, ptrdiff_t rows) {
    if (tile->column_count <= APUS_LANES) multiply_one_paired_vector_of_pixels(tile, rows);
    else multiply_two_paired_vectors_of_pixels(tile, rows);
}

/// A tile of patches that are runs of lines, whose words are multiplied in pairs.
APUS_TARGET static void multiply_paired_lines(const product_tile *tile, ptrdiff_t rows) {
    if (tile->column_count <= APUS_LANES) multiply_one_paired_vector_of_lines(tile, rows);
    else multiply_two_paired_vectors_of_lines(tile, rows);
}
#else
// No words are multiplied in pairs.
APUS_INLINE void multiply_paired_pixels(const product_tile *tile, ptrdiff_t rows) { multiply_pixels(tile, rows); }
APUS_INLINE void multiply_paired_lines(const product_tile *tile, ptrdiff_t rows) { multiply_lines(tile, rows); }
#endif

#endif
