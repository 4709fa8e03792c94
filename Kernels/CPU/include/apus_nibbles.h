#ifndef APUS_NIBBLES_H
#define APUS_NIBBLES_H

#include "apus_activation.h"
#include "apus_processor.h"

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

enum {
    /// The weights of a word, each of 4 bits; those of a group are whole words.
    APUS_NIBBLES_OF_A_WORD = 8,
};

/// A product of rows with weights of 4 bits, which have a scale and a zero point for each group of the depth:
///
/// output[i][j] = activation(bias[j] + Σ input[i][k] · w[k][j] + addend[i][j])
/// w[k][j] = (q[k][j] − zeros[k / group][j]) · scales[k / group][j]
///
/// Each sum runs over k in order from `bias[j]`. So its bits depend neither on the tile in which an element lies nor on
/// the number of rows and columns. Strides are in elements.
typedef struct {
    const float *input;
    ptrdiff_t input_stride, row_count, depth;
    /// A multiple of APUS_NIBBLES_OF_A_WORD.
    ptrdiff_t group;
    /// The panels from the first wanted column on, as `apus_pack_nibbles` makes them.
    const uint32_t *weights;
    /// [panel][⌈depth / group⌉][panel_columns]
    const float *scales;
    /// [panel][⌈depth / group⌉][panel_columns]
    const float *zeros;
    /// One element per column of the panels.
    const float *bias;
    ptrdiff_t column_count;
    float *output;
    ptrdiff_t output_stride;
    /// The addend; may be NULL, and may be `output`.
    const float *_Nullable addend;
    ptrdiff_t addend_stride;
    apus_activation activation;
} apus_nibble_product;

/// The product for one instruction set.
typedef struct {
    /// The maximum rows of a register tile.
    ptrdiff_t tile_rows;
    /// The columns of a panel of weights.
    ptrdiff_t panel_columns;
    void (*multiply)(const apus_nibble_product *);
} apus_nibble_kernel;

/// The kernel that every processor of the architecture runs.
extern const apus_nibble_kernel apus_nibble_baseline;

/// The kernel for an instruction set; NULL when this build has none.
const apus_nibble_kernel *_Nullable apus_nibble_kernel_for(apus_instructions instructions);

/// The words of a column.
static inline ptrdiff_t apus_nibble_words(ptrdiff_t depth) {
    return (depth + APUS_NIBBLES_OF_A_WORD - 1) / APUS_NIBBLES_OF_A_WORD;
}

/// Cuts weights into panels [panel][word][panel_columns], with zeros beyond the last column. Word i of a column has the
/// weights 8 · i to 8 · i + 7, the first in its lowest bits.
///
/// - columns: [column_count][column_stride] bytes of two weights each, the first in the lower bits; column_stride is at
///   least ⌈depth / 2⌉.
void apus_pack_nibbles(
    const uint8_t *columns, ptrdiff_t column_stride, ptrdiff_t column_count, ptrdiff_t depth, ptrdiff_t panel_columns,
    uint32_t *panels);

#pragma clang assume_nonnull end

#endif
