#ifndef APUS_GEMM_STORE_TILE_H
#define APUS_GEMM_STORE_TILE_H

// What happens to the sums of a tile of rows × vectors when they are complete. Needs a variant header and
// APUS_TILE_ROWS before it; optionally APUS_HAS_BFLOAT16_VALUES as 1, where the variant loads and stores vectors as
// bfloat16.

#include "../variants/vector.h"
#include "apus_gemm.h"
#include "chains.h"

#ifndef APUS_TILE_ROWS
#error "define APUS_TILE_ROWS before store_tile.h is included"
#endif
_Static_assert(APUS_TILE_ROWS <= APUS_GEMM_TILE_ROWS, "addresses of a tile are found at once");
#ifndef APUS_HAS_BFLOAT16_VALUES
#define APUS_HAS_BFLOAT16_VALUES 0
#endif

#define APUS_EACH_ROW APUS_UNROLL for (int r = 0; r < rows; r++)
#define APUS_EACH_SUM APUS_EACH_ROW APUS_UNROLL for (int v = 0; v < vectors; v++)

#if APUS_HAS_BFLOAT16_VALUES
/// Stores rows × vectors of results as bfloat16.
APUS_INLINE void store_rounded_tile(
    const apus_gemm_block *block, vector results[APUS_TILE_ROWS][TILE_VECTORS], const int rows, const int vectors,
    ptrdiff_t first_row, ptrdiff_t first_column, ptrdiff_t last_count) {
    const ptrdiff_t stride = block->rounded_stride;
    const int last = vectors - 1;
    uint16_t *to = block->rounded + first_row * stride + first_column;
    APUS_UNROLL for (int r = 0; r < rows; r++, to += stride) {
        APUS_UNROLL for (int v = 0; v < last; v++) store_bfloat16(to + v * APUS_LANES, results[r][v]);
        store_first_bfloat16(to + last * APUS_LANES, results[r][last], last_count);
    }
}

/// Applies a curved activation to rows × vectors of sums.
APUS_INLINE void activate_tile(
    vector sums[APUS_TILE_ROWS][TILE_VECTORS], const int rows, const int vectors, apus_activation activation) {
    float stored[APUS_TILE_ROWS][TILE_VECTORS][APUS_LANES];
    APUS_EACH_SUM store(stored[r][v], sums[r][v]);
    activate_stored(stored[0][0], rows, TILE_COLUMNS, vectors * APUS_LANES, activation);
    APUS_EACH_SUM sums[r][v] = load(stored[r][v]);
}
#endif

/// Adds the addend to rows × vectors of sums, activates them and stores them. `last_count` lanes of the last vector are
/// stored.
APUS_INLINE void store_tile(
    const apus_gemm_block *block, vector sums[APUS_TILE_ROWS][TILE_VECTORS], const int rows, const int vectors,
    ptrdiff_t first_row, ptrdiff_t first_column, ptrdiff_t last_count) {
    const ptrdiff_t stride = block->output_stride, addend_stride = block->addend_stride;
    const int last = vectors - 1;
#if APUS_HAS_BFLOAT16_VALUES
    if (block->rounded_addend) {
        const uint16_t *addend = block->rounded_addend + first_row * addend_stride + first_column;
        APUS_UNROLL for (int r = 0; r < rows; r++, addend += addend_stride) {
            APUS_UNROLL for (int v = 0; v < last; v++) sums[r][v] += load_bfloat16(addend + v * APUS_LANES);
            sums[r][last] += load_first_bfloat16(addend + last * APUS_LANES, last_count);
        }
    }
#endif
    if (block->addend) {
        const float *addend = block->addend + first_row * addend_stride + first_column;
        APUS_UNROLL for (int r = 0; r < rows; r++) {
            APUS_UNROLL for (int v = 0; v < last; v++) sums[r][v] += load(addend + r * addend_stride + v * APUS_LANES);
            sums[r][last] += load_first(addend + r * addend_stride + last * APUS_LANES, last_count);
        }
    }
    switch (block->activation.kind) {
    case APUS_ACTIVATION_NONE: break;
    case APUS_ACTIVATION_RELU:
        APUS_EACH_SUM sums[r][v] = raise(sums[r][v], (vector){0});
        break;
    case APUS_ACTIVATION_CLIP: {
        const vector low = (vector){0} + block->activation.low, high = (vector){0} + block->activation.high;
        APUS_EACH_SUM sums[r][v] = raise(sums[r][v], low);
        APUS_EACH_SUM sums[r][v] = lower(sums[r][v], high);
        break;
    }
    case APUS_ACTIVATION_LEAKY_RELU: {
        const vector_activation activation = prepare(block->activation);
        APUS_EACH_SUM sums[r][v] = leak(sums[r][v], activation);
        break;
    }
    case APUS_ACTIVATION_HARD_SWISH:
        APUS_EACH_SUM sums[r][v] = gate(sums[r][v]);
        break;
    default: break;
    }
    const int is_curved_at_last = is_curved(block->activation);
#if APUS_HAS_BFLOAT16_VALUES
    if (block->rounded) {
        if (is_curved_at_last) activate_tile(sums, rows, vectors, block->activation);
        store_rounded_tile(block, sums, rows, vectors, first_row, first_column, last_count);
        return;
    }
#endif
    float *output = block->output + first_row * stride + first_column;
    if (last_count == APUS_LANES) {
        APUS_UNROLL for (int r = 0; r < rows; r++)
            APUS_UNROLL for (int v = 0; v < vectors; v++) store(output + r * stride + v * APUS_LANES, sums[r][v]);
    } else {
        APUS_UNROLL for (int r = 0; r < rows; r++) {
            APUS_UNROLL for (int v = 0; v < last; v++) store(output + r * stride + v * APUS_LANES, sums[r][v]);
            store_first(output + r * stride + last * APUS_LANES, sums[r][last], last_count);
        }
    }
    if (is_curved_at_last)
        activate_stored(output, rows, stride, last * APUS_LANES + last_count, block->activation);
}

#endif
