#ifndef APUS_GEMM_CHAINS_H
#define APUS_GEMM_CHAINS_H

// The order of the sums of a product: chains, and panels of columns. Needs a variant header before it. The file that
// includes it may define:
//
// - APUS_WIDE_TILE_ROWS, where there are tiles of three vectors;
// - APUS_WEIGHTS_ARE_PAIRS or APUS_WEIGHTS_ARE_HALVES as 1, where rows are floats and two weights take a word.

#include "../variants/vector.h"
#include "apus_gemm.h"

#ifndef APUS_WEIGHTS_ARE_PAIRS
#define APUS_WEIGHTS_ARE_PAIRS 0
#endif
#ifndef APUS_WEIGHTS_ARE_HALVES
#define APUS_WEIGHTS_ARE_HALVES 0
#endif
/// Whether two weights that follow one another in the depth take a word.
#define APUS_WEIGHTS_ARE_NARROW (APUS_WEIGHTS_ARE_PAIRS || APUS_WEIGHTS_ARE_HALVES)

enum {
    /// Columns of a panel, in vectors.
    PANEL_VECTORS = 2,
    PANEL_COLUMNS = PANEL_VECTORS * APUS_LANES,
    /// Columns of the widest tile, in vectors.
#ifdef APUS_WIDE_TILE_ROWS
    TILE_VECTORS = PANEL_VECTORS + 1,
#else
    TILE_VECTORS = PANEL_VECTORS,
#endif
    TILE_COLUMNS = TILE_VECTORS * APUS_LANES,
    /// Floats of a cache line.
    CACHE_LINE = 16,
    /// Cache lines of a panel's row.
    PANEL_LINES = PANEL_COLUMNS < CACHE_LINE ? 1 : PANEL_COLUMNS / CACHE_LINE,
    /// The maximum elements of rows that stay in the second-level cache beside weights and sums.
    CACHED_ELEMENTS = 32 * 1024,
};

/// A part of the depth: the elements [start, end) of `segment_count` segments.
typedef struct {
    ptrdiff_t first_segment, segment_count;
    ptrdiff_t start, end;
    /// The words of weights of a column before the part.
    ptrdiff_t first_word;
    int is_last;
} chain;

/// The words of weights that belong to `length` elements of a row.
static inline ptrdiff_t words_of(ptrdiff_t length) { return APUS_WEIGHTS_ARE_NARROW ? (length + 1) / 2 : length; }

/// Whether all rows of a tile lie at `zeros` in a segment.
APUS_INLINE int is_zero(const float *const *addresses, const int rows, const float *zeros) {
    if (addresses[0] != zeros) return 0;
    int differs = 0;
    APUS_UNROLL for (int r = 1; r < rows; r++) differs |= addresses[r] != zeros;
    return !differs;
}

/// The chain that starts at element `start` of a segment, behind `first_word` words of weights: whole segments, or a
/// part of a long one.
static inline chain chain_at(
    const apus_gemm_block *block, ptrdiff_t segment, ptrdiff_t start, ptrdiff_t first_word) {
    const ptrdiff_t length = block->segment_length, left = block->segment_count - segment;
    chain part = {.first_segment = segment, .segment_count = 1, .start = start, .end = length};
    part.first_word = first_word;
    if (length > APUS_GEMM_CHAIN) {
        if (length - start > APUS_GEMM_CHAIN) part.end = start + APUS_GEMM_CHAIN;
    } else {
        const ptrdiff_t fitting = APUS_GEMM_CHAIN / length;
        part.segment_count = left < fitting ? left : fitting;
    }
    part.is_last = part.end == length && part.segment_count == left;
    return part;
}

static inline chain first_chain(const apus_gemm_block *block) { return chain_at(block, 0, 0, 0); }

/// The chain behind one that is not the last.
static inline chain next_chain(const apus_gemm_block *block, const chain *part) {
    const int ends_segment = part->end == block->segment_length;
    return chain_at(
        block, part->first_segment + (ends_segment ? part->segment_count : 0), ends_segment ? 0 : part->end,
        part->first_word + part->segment_count * words_of(part->end - part->start));
}

/// The columns that are multiplied together when `left` are left: a panel, or all in the widest tile.
static inline ptrdiff_t columns_at_once(ptrdiff_t left) {
    return left <= TILE_COLUMNS ? left : PANEL_COLUMNS;
}

#endif
