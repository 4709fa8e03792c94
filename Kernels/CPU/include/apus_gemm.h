#ifndef APUS_GEMM_H
#define APUS_GEMM_H

#include "apus_activation.h"
#include "apus_processor.h"

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

enum {
    /// The maximum number of products that are added one after another. Longer sums are made of such chains, since the
    /// error of a chain grows with its length.
    APUS_GEMM_CHAIN = 256,
    /// The maximum rows of a tile of any kernel.
    APUS_GEMM_TILE_ROWS = 32,
};

/// A product of rows found by address with packed weights:
///
/// output[i][j] = activation(bias[j] + Σ rows[i][k] · weights[k][j] + addend[i][j])
///
/// Each sum runs over k in order from `bias[j]`, in chains whose length depends on the segments alone. So its bits
/// depend neither on the tile in which an element lies nor on the number of rows and columns. Strides are in elements.
typedef struct {
    /// The addresses of the rows, tile by tile: [tile][segment][row of the tile]. A row is cut into segments, since the
    /// taps of a convolution lie apart. Tile t of `row_count` rows starts at row `apus_gemm_tile_start(…, t)`.
    const float *_Nonnull const *_Nonnull rows;
    /// The address of zeros. A tile leaves out the segments in which all of its rows lie there; weights must then be
    /// finite, and zeros of the output are positive. NULL where nothing is left out.
    const float *_Nullable zeros;
    ptrdiff_t row_count;
    ptrdiff_t segment_count, segment_length;
    /// The panels from the first wanted column on: [panel][segment_count · segment_length][panel_columns].
    const float *weights;
    /// One element per column of the panels.
    const float *bias;
    ptrdiff_t column_count;
    float *output;
    ptrdiff_t output_stride;
    /// The addend; may be NULL, and may be `output`.
    const float *_Nullable addend;
    ptrdiff_t addend_stride;
    apus_activation activation;
    /// Where the results go as bfloat16, `rounded_stride` elements from one row to the next; `output` then holds the
    /// sums of chains before the last. NULL where results are floats. Products of float32 do not read it.
    uint16_t *_Nullable rounded;
    ptrdiff_t rounded_stride;
    /// The addend in bfloat16 in place of `addend`, with its stride; may be NULL, and may be `rounded`. Products of
    /// float32 do not read it.
    const uint16_t *_Nullable rounded_addend;
} apus_gemm_block;

/// The product for one instruction set.
typedef struct {
    /// The maximum rows of a register tile.
    ptrdiff_t tile_rows;
    /// The columns of a panel of weights.
    ptrdiff_t panel_columns;
    void (*multiply)(const apus_gemm_block *);
} apus_gemm_kernel;

/// The kernel that every processor of the architecture runs.
extern const apus_gemm_kernel apus_gemm_baseline;

/// The kernel for an instruction set; NULL when this build has none.
const apus_gemm_kernel *_Nullable apus_gemm_kernel_for(apus_instructions instructions);

static inline ptrdiff_t apus_gemm_tile_count(ptrdiff_t row_count, ptrdiff_t tile_rows) {
    return (row_count + tile_rows - 1) / tile_rows;
}

/// The first row of a tile. The heights of tiles differ by at most one row.
static inline ptrdiff_t apus_gemm_tile_start(ptrdiff_t row_count, ptrdiff_t tile_count, ptrdiff_t tile) {
    return row_count * tile / tile_count;
}

/// The right-hand side of a product whose depth is taps · channels: a [tap][channel][column] array with any strides.
typedef struct {
    const float *elements;
    ptrdiff_t tap_count, channel_count, column_count;
    /// Elements from one tap, channel or column to the next.
    ptrdiff_t tap_stride, channel_stride, column_stride;
} apus_gemm_factor;

/// Cuts a factor into panels [panel][tap][channel][panel_columns], with zeros beyond the last column.
void apus_gemm_pack(const apus_gemm_factor *factor, ptrdiff_t panel_columns, float *panels);

/// A few rows times a matrix, which is read where it lies:
///
/// result[i][j] = alpha · Σₖ left[i][k] · right[k][j] + beta · result[i][j]
///
/// Strides are in elements. The bits of an element do not depend on the rows and columns beside it. Where beta is 0,
/// `result` is not read.
typedef struct {
    const float *left, *right;
    ptrdiff_t row_count, depth, column_count;
    ptrdiff_t left_row_stride, left_column_stride;
    /// Elements from one row of `right` to the next, as it lies in memory.
    ptrdiff_t right_stride;
    float alpha, beta;
    float *result;
    ptrdiff_t result_row_stride, result_column_stride;
} apus_thin_product;

void apus_multiply_thin(const apus_thin_product *product);

/// The same with right[j][k]: the elements of a column are adjacent.
void apus_multiply_thin_transposed(const apus_thin_product *product);

#pragma clang assume_nonnull end

#endif
