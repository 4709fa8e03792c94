#ifndef APUS_FLOAT16_TILE_H
#define APUS_FLOAT16_TILE_H

// The tiles of a product of float16, whose arithmetic apus_float16.h states. The float16 of a panel's row are one
// vector, and the tile keeps one vector of sums of float16 for each row beside its sums of float32. Needs the macros of
// gemm_tile.h before it, and optionally
//
// - APUS_MULTIPLY_ADD(x, y, z): x · y + z of vectors of float16, rounded once, where the processor has no such
//   instruction.

#include "apus_float16.h"
#include "chains.h"
#include "store_tile.h"

typedef _Float16 float16_vector __attribute__((vector_size(2 * PANEL_COLUMNS)));
/// As many float16 as a vector has floats.
typedef _Float16 float16_part __attribute__((vector_size(2 * APUS_LANES)));

#ifndef APUS_MULTIPLY_ADD
#define APUS_MULTIPLY_ADD(x, y, z) __builtin_elementwise_fma(x, y, z)
#endif

APUS_INLINE float16_vector load_float16(const float *words) {
    float16_vector numbers;
    memcpy(&numbers, words, sizeof(numbers));
    return numbers;
}

/// One of the two numbers of a word in every lane.
APUS_INLINE float16_vector spread_number(const float *word, const int second) {
    _Float16 numbers[2];
    memcpy(numbers, word, sizeof(numbers));
    return numbers[second] - (float16_vector){0};
}

/// Adds the sums of float16 to those of float32, and starts them again.
APUS_INLINE void end_float16_chain(
    vector sums[APUS_TILE_ROWS][TILE_VECTORS], float16_vector chains[APUS_TILE_ROWS], const int rows,
    const int vectors) {
    APUS_EACH_ROW {
        float16_part parts[PANEL_VECTORS];
        memcpy(parts, &chains[r], sizeof(parts));
        APUS_UNROLL for (int v = 0; v < vectors; v++) sums[r][v] += __builtin_convertvector(parts[v], vector);
        chains[r] = (float16_vector){0};
    }
}

/// As for floats, in gemm_tile.h.
APUS_INLINE void multiply_tile(
    const apus_gemm_block *block, const chain *part, const int rows, const int halves, const int leaves_out_zeros,
    const float *const *addresses, ptrdiff_t row_step, const float *weights, const float *upcoming, ptrdiff_t first_row,
    ptrdiff_t first_column, ptrdiff_t last_count) {
    const int vectors = halves / 2;
    vector sums[APUS_TILE_ROWS][TILE_VECTORS];
    float16_vector chains[APUS_TILE_ROWS];
    APUS_EACH_SUM sums[r][v] = load(block->bias + v * APUS_LANES);
    APUS_EACH_ROW chains[r] = (float16_vector){0};
    const ptrdiff_t words = part->end - part->start;
    ptrdiff_t left = APUS_FLOAT16_CHAIN;
    for (ptrdiff_t segment = 0; segment < part->segment_count; segment++, addresses += row_step) {
        const int is_left_out = leaves_out_zeros && is_zero(addresses, rows, block->zeros);
        const float *row[APUS_TILE_ROWS];
        APUS_UNROLL for (int r = 0; r < rows; r++) row[r] = addresses[r] + part->start;
        // Chains end at the same words whether zeros are left out or added.
        for (ptrdiff_t k = 0; k < words;) {
            const ptrdiff_t end = words - k < left ? words : k + left;
            left -= end - k;
            if (is_left_out) {
                weights += (end - k) * PANEL_COLUMNS;
                upcoming += (end - k) * (rows == 1 ? PANEL_COLUMNS : CACHE_LINE);
                k = end;
            }
            APUS_UNROLL_BY(APUS_DEPTH_STEP)
            for (; k < end; k++, weights += PANEL_COLUMNS) {
                const float16_vector first = load_float16(weights), second = load_float16(weights + APUS_LANES);
                __builtin_prefetch(upcoming, 0, 2);
                upcoming += rows == 1 ? PANEL_COLUMNS : CACHE_LINE;
                APUS_EACH_ROW chains[r] = APUS_MULTIPLY_ADD(spread_number(row[r] + k, 0), first, chains[r]);
                APUS_EACH_ROW chains[r] = APUS_MULTIPLY_ADD(spread_number(row[r] + k, 1), second, chains[r]);
            }
            if (left > 0) continue;
            end_float16_chain(sums, chains, rows, vectors);
            left = APUS_FLOAT16_CHAIN;
        }
    }
    if (left < APUS_FLOAT16_CHAIN) end_float16_chain(sums, chains, rows, vectors);
    // −0 becomes 0, whether products with zeros were added or left out.
    if (leaves_out_zeros && block->zeros) APUS_EACH_SUM sums[r][v] += 0;
    store_tile(block, sums, rows, vectors, first_row, first_column, last_count);
}

/// Rounds rows of floats to words, as `apus_float16_kernel` states.
APUS_TARGET static void round_rows(
    const float *from, ptrdiff_t row_count, ptrdiff_t row_stride, ptrdiff_t length, float *words) {
    for (ptrdiff_t row = 0; row < row_count; row++, from += row_stride, words += (length + 1) / 2) {
        ptrdiff_t at = 0;
        for (; at + APUS_LANES <= length; at += APUS_LANES) {
            const float16_part numbers = __builtin_convertvector(load(from + at), float16_part);
            memcpy((char *)words + 2 * at, &numbers, sizeof(numbers));
        }
        if (at == length) continue;
        const float16_part numbers = __builtin_convertvector(load_first(from + at, length - at), float16_part);
        memcpy((char *)words + 2 * at, &numbers, (size_t)(length - at + (length - at) % 2) * sizeof(_Float16));
    }
}

#endif
