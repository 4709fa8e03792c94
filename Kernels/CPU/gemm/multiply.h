#ifndef APUS_GEMM_MULTIPLY_H
#define APUS_GEMM_MULTIPLY_H

// A product chain by chain and panel by panel. Needs `multiply_chain` before it:
//
//     multiply_chain(block, part, weights, upcoming, column, column_count)
//
// multiplies all tiles of rows with one chain of a panel, whose weights stay in the second-level cache. `upcoming` has
// the weights of the next panel.

#include "chains.h"

/// Multiplies one chain of a panel. The first chain starts from the bias and adds the addend. The following chains add
/// the output, and the last activates.
APUS_TARGET static void multiply_panel(const apus_gemm_block *block, const chain *part, ptrdiff_t column) {
    static const float zeros[TILE_COLUMNS];
    const ptrdiff_t depth = block->segment_count * words_of(block->segment_length);
    const ptrdiff_t left = block->column_count - column;
    const float *weights = block->weights + column * depth + part->first_word * PANEL_COLUMNS;
    apus_gemm_block now = *block;
    now.bias = block->bias + column;
    if (part->first_word > 0) {
        now.bias = zeros;
        now.rounded_addend = NULL;
        now.addend = block->output;
        now.addend_stride = block->output_stride;
    }
    if (!part->is_last) {
        now.activation.kind = APUS_ACTIVATION_NONE;
        now.rounded = NULL;
    }
    multiply_chain(&now, part, weights, weights + PANEL_COLUMNS * depth, column, columns_at_once(left));
}

APUS_TARGET static void APUS_NAME(multiply)(const apus_gemm_block *block) {
    const ptrdiff_t count = block->column_count;
    // The segments of a convolution's row are taps, which share most elements with those of other rows.
    if (block->row_count * block->segment_length <= CACHED_ELEMENTS) {
        // All chains of a panel follow one another, while the rows stay in the second-level cache.
        for (ptrdiff_t column = 0; column < count; column += columns_at_once(count - column))
            for (chain part = first_chain(block);; part = next_chain(block, &part)) {
                multiply_panel(block, &part, column);
                if (part.is_last) break;
            }
        return;
    }
    // Of the rows, only one chain stays there while all panels pass over it.
    for (chain part = first_chain(block);; part = next_chain(block, &part)) {
        for (ptrdiff_t column = 0; column < count; column += columns_at_once(count - column))
            multiply_panel(block, &part, column);
        if (part.is_last) break;
    }
}

#endif
