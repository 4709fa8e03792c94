// The register tile: up to APUS_TILE_ROWS rows by two vectors of columns, accumulated over the whole depth.

#include "apus_gemm.h"

enum {
    /// Columns of a panel, in vectors.
    PANEL_VECTORS = 2,
    /// Floats of a cache line.
    CACHE_LINE = 16,
};

#define APUS_EACH_SUM \
    APUS_UNROLL for (int r = 0; r < rows; r++) APUS_UNROLL for (int v = 0; v < vectors; v++)

/// Adds, activates and stores rows × vectors of sums, of whose last vector `last_count` lanes are wanted.
APUS_INLINE void store_tile(
    const apus_gemm_block *block, vector sums[APUS_TILE_ROWS][PANEL_VECTORS], const int rows, const int vectors,
    ptrdiff_t first_row, ptrdiff_t first_column, ptrdiff_t last_count) {
    const ptrdiff_t stride = block->output_stride, addend_stride = block->addend_stride;
    const int last = vectors - 1;
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
    default: {
        const vector_activation activation = prepare(block->activation);
        APUS_EACH_SUM sums[r][v] = activate(sums[r][v], activation);
    }
    }
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
}

/// One tile of rows × (vectors · APUS_LANES); `rows` and `vectors` are constants of the caller.
APUS_INLINE void multiply_tile(
    const apus_gemm_block *block, const int rows, const int vectors, const float *const *addresses,
    const float *weights, const float *upcoming, ptrdiff_t first_row, ptrdiff_t first_column, ptrdiff_t last_count) {
    enum { PANEL_COLUMNS = PANEL_VECTORS * APUS_LANES };
    vector sums[APUS_TILE_ROWS][PANEL_VECTORS];
    APUS_UNROLL for (int r = 0; r < rows; r++)
        APUS_UNROLL for (int v = 0; v < vectors; v++)
            sums[r][v] = load(block->bias + first_column + v * APUS_LANES);
    const ptrdiff_t length = block->segment_length;
    for (ptrdiff_t segment = 0; segment < block->segment_count; segment++, addresses += rows) {
        const float *row[APUS_TILE_ROWS];
        APUS_UNROLL for (int r = 0; r < rows; r++) row[r] = addresses[r];
#pragma clang loop unroll_count(4)
        for (ptrdiff_t k = 0; k < length; k++, weights += PANEL_COLUMNS) {
            vector columns[PANEL_VECTORS];
            APUS_UNROLL for (int v = 0; v < vectors; v++) columns[v] = load(weights + v * APUS_LANES);
            __builtin_prefetch(upcoming, 0, 2);
            upcoming += CACHE_LINE;
            APUS_UNROLL for (int r = 0; r < rows; r++)
                APUS_UNROLL for (int v = 0; v < vectors; v++) sums[r][v] += row[r][k] * columns[v];
        }
    }
    store_tile(block, sums, rows, vectors, first_row, first_column, last_count);
}

#define APUS_TILE_CASE(count)                                                                                     \
    case count:                                                                                                   \
        multiply_tile(block, count, vectors, addresses, weights, upcoming, first_row, first_column, last_count);  \
        break;

/// A tile of any height. One function per width keeps the code of all heights in one place.
#define APUS_TILE_FUNCTION(name, constant_vectors)                                                                \
    APUS_TARGET static void name(                                                                                 \
        const apus_gemm_block *block, ptrdiff_t rows, const float *const *addresses, const float *weights,        \
        const float *upcoming, ptrdiff_t first_row, ptrdiff_t first_column, ptrdiff_t last_count) {               \
        enum { vectors = constant_vectors };                                                                      \
        switch (rows) { APUS_TILE_CASES }                                                                         \
    }

APUS_TILE_FUNCTION(multiply_one_vector, 1)
APUS_TILE_FUNCTION(multiply_two_vectors, 2)

/// The panel is the outer loop: it stays in the second-level cache while the block's tiles pass over it.
APUS_TARGET static void APUS_NAME(multiply)(const apus_gemm_block *block) {
    enum { PANEL_COLUMNS = PANEL_VECTORS * APUS_LANES };
    const ptrdiff_t depth = block->segment_count * block->segment_length;
    const ptrdiff_t panel_size = PANEL_COLUMNS * depth;
    const ptrdiff_t tile_count = apus_gemm_tile_count(block->row_count, APUS_TILE_ROWS);
    for (ptrdiff_t column = 0; column < block->column_count; column += PANEL_COLUMNS) {
        const ptrdiff_t left = block->column_count - column;
        const ptrdiff_t column_count = left < PANEL_COLUMNS ? left : PANEL_COLUMNS;
        const float *weights = block->weights + column * depth;
        for (ptrdiff_t tile = 0; tile < tile_count; tile++) {
            const ptrdiff_t first = apus_gemm_tile_start(block->row_count, tile_count, tile);
            const ptrdiff_t rows = apus_gemm_tile_start(block->row_count, tile_count, tile + 1) - first;
            // The next panel is fetched into the second-level cache meanwhile, a line at each step of the depth.
            const float *upcoming = weights + panel_size + tile * CACHE_LINE * depth % panel_size;
            const float *const *addresses = block->rows + first * block->segment_count;
            if (column_count <= APUS_LANES)
                multiply_one_vector(block, rows, addresses, weights, upcoming, first, column, column_count);
            else
                multiply_two_vectors(
                    block, rows, addresses, weights, upcoming, first, column, column_count - APUS_LANES);
        }
    }
}

const apus_gemm_kernel APUS_NAME(apus_gemm) = {
    .tile_rows = APUS_TILE_ROWS, .panel_columns = PANEL_VECTORS * APUS_LANES, .multiply = APUS_NAME(multiply)};
