#ifndef APUS_GEMM_TILE_H
#define APUS_GEMM_TILE_H

// The product of one variant: register tiles of up to APUS_TILE_ROWS rows by two vectors of columns, each summed over
// the whole depth. Needs a variant header before it, and
//
// - APUS_TILE_ROWS: the maximum rows of a register tile, at most 12;
// - APUS_DEPTH_STEP: the steps of the depth that are unrolled;
// - optionally APUS_WIDE_TILE_ROWS: the maximum rows of a tile of three vectors. Such tiles take the last columns where
//   these are a panel and at most one vector of the next;
// - optionally APUS_HALVES_ARE_FASTER as 1, where half a vector takes less time than a whole one and the variant has
//   `spread_once`;
// - optionally APUS_SPREAD, APUS_ADD_PRODUCT and APUS_ADD_HALF_PRODUCT, where an element and a column are more than
//   one number: words of two bfloat16;
// - optionally APUS_MULTIPLIES_BLOCKS as 1, where two words of two rows are multiplied with two words of two columns by
//   the variant's `multiply_block`. `two_pairs` loads two words of two rows, `exchange_halves` makes two blocks of two
//   vectors of rows and back, and in panels two words of a column are adjacent;
// - optionally APUS_WEIGHTS_ARE_PAIRS as 1, where rows are floats and weights are words of two bfloat16;
// - optionally APUS_WEIGHTS_ARE_HALVES as 1, where rows are floats and weights are float16;
// - optionally APUS_PRODUCTS_ARE_FLOAT16 as 1, where rows and weights are words of two float16, and what float16_tile.h
//   needs;
// - optionally APUS_HAS_BFLOAT16_VALUES as 1, where the variant loads and stores vectors as bfloat16.

#include "../variants/row_cases.h"
#include "../variants/vector.h"
#include "apus_gemm.h"
#include "chains.h"
#include "store_tile.h"

#if !defined(APUS_TILE_ROWS) || !defined(APUS_DEPTH_STEP)
#error "define APUS_TILE_ROWS and APUS_DEPTH_STEP before gemm_tile.h is included"
#endif
#ifndef APUS_HALVES_ARE_FASTER
#define APUS_HALVES_ARE_FASTER 0
#endif
#ifndef APUS_PRODUCTS_ARE_FLOAT16
#define APUS_PRODUCTS_ARE_FLOAT16 0
#endif
#ifndef APUS_MULTIPLIES_BLOCKS
#define APUS_MULTIPLIES_BLOCKS 0
#endif
#ifndef APUS_ADD_PRODUCT
#define APUS_SPREAD(element) (element)
#define APUS_ADD_PRODUCT(sums, element, columns) ((sums) += (element) * (columns))
#define APUS_ADD_HALF_PRODUCT(sums, element, columns) APUS_ADD_PRODUCT(sums, element, columns)
#endif

#if APUS_PRODUCTS_ARE_FLOAT16
#include "float16_tile.h"
#else

#if APUS_WEIGHTS_ARE_PAIRS
/// The first numbers of a vector of words, which are their lower halves.
APUS_INLINE vector first_numbers(const float *words) { return (vector)((int_vector)load(words) << 16); }

/// The second numbers of a vector of words, which are their upper halves.
APUS_INLINE vector second_numbers(const float *words) { return (vector)((int_vector)load(words) & (int)0xffff0000); }

/// The words of vector `v` of a panel's row.
APUS_INLINE const float *words_at(const float *row, int v) { return row + v * APUS_LANES; }
#elif APUS_WEIGHTS_ARE_HALVES
/// Adjacent float16 as floats.
APUS_INLINE vector widened_halves(const float *from) {
    typedef _Float16 halves __attribute__((vector_size(APUS_LANES * sizeof(_Float16))));
    halves numbers;
    __builtin_memcpy(&numbers, from, sizeof(numbers));
    return __builtin_convertvector(numbers, vector);
}

/// A panel's row has the first numbers of all columns, then the second ones.
APUS_INLINE vector first_numbers(const float *words) { return widened_halves(words); }
APUS_INLINE vector second_numbers(const float *words) { return widened_halves(words + PANEL_COLUMNS / 2); }
APUS_INLINE const float *words_at(const float *row, int v) { return row + v * APUS_LANES / 2; }
#endif

#if APUS_MULTIPLIES_BLOCKS
_Static_assert(APUS_TILE_ROWS % 2 == 0, "two rows of sums make a block");

/// Turns sums of rows into sums of blocks, or back. A vector of two rows becomes two blocks of two rows by two columns.
/// Where the last row has no other, the second row of its blocks is any.
APUS_INLINE void exchange_blocks(vector sums[APUS_TILE_ROWS][TILE_VECTORS], const int rows, const int vectors) {
    APUS_UNROLL for (int r = 0; r < rows; r += 2)
        APUS_UNROLL for (int v = 0; v < vectors; v++) exchange_halves(&sums[r][v], &sums[r + 1][v]);
}

/// Adds the products of pairs of words to the blocks of sums: pair k of each row, with [k][column][2] weights.
APUS_INLINE void add_pairs(
    vector sums[APUS_TILE_ROWS][TILE_VECTORS], const float *const row[APUS_TILE_ROWS], const int rows,
    const int vectors, ptrdiff_t pair_count, const float *weights, const float *upcoming) {
    APUS_UNROLL_BY(APUS_DEPTH_STEP)
    for (ptrdiff_t k = 0; k < pair_count; k++, weights += 2 * PANEL_COLUMNS, upcoming += 2 * PANEL_COLUMNS) {
        vector columns[TILE_VECTORS][2];
        APUS_UNROLL for (int i = 0; i < 2 * vectors; i++) columns[i / 2][i % 2] = load(weights + i * APUS_LANES);
        __builtin_prefetch(upcoming, 0, 2);
        APUS_UNROLL for (int r = 0; r < rows; r += 2) {
            const vector pairs = two_pairs(row[r] + 2 * k, row[r + 1 < rows ? r + 1 : r] + 2 * k);
            APUS_UNROLL for (int v = 0; v < vectors; v++)
                APUS_UNROLL for (int half = 0; half < 2; half++)
                    sums[r + half][v] = multiply_block(sums[r + half][v], pairs, columns[v][half]);
        }
    }
}
#endif

/// One tile of rows × (halves · APUS_LANES / 2); `rows`, `halves` and `leaves_out_zeros` are constants of the caller.
/// The rows of a segment are `row_step` addresses behind those of the previous segment.
APUS_INLINE void multiply_tile(
    const apus_gemm_block *block, const chain *part, const int rows, const int halves, const int leaves_out_zeros,
    const float *const *addresses, ptrdiff_t row_step, const float *weights, const float *upcoming, ptrdiff_t first_row,
    ptrdiff_t first_column, ptrdiff_t last_count) {
    const int vectors = halves / 2, has_half = halves % 2;
    vector sums[APUS_TILE_ROWS][TILE_VECTORS];
    half_vector half_sums[APUS_TILE_ROWS];
    APUS_EACH_SUM sums[r][v] = load(block->bias + v * APUS_LANES);
#if APUS_MULTIPLIES_BLOCKS
    if (rows % 2) APUS_UNROLL for (int v = 0; v < vectors; v++) sums[rows][v] = sums[rows - 1][v];
    exchange_blocks(sums, rows, vectors);
#endif
    if (has_half) APUS_EACH_ROW half_sums[r] = load_half(block->bias + vectors * APUS_LANES);
#if !APUS_WEIGHTS_ARE_NARROW
    // From the weights of a panel to those of the next.
    const ptrdiff_t next_panel = block->segment_count * block->segment_length * PANEL_COLUMNS;
#endif
    const ptrdiff_t length = part->end - part->start, words = words_of(length);
    const ptrdiff_t steps = APUS_WEIGHTS_ARE_NARROW ? length / 2 : length;
    // A single row passes only once, and the processor fetches the second line of a step with the first.
    const ptrdiff_t line_step = rows == 1 || APUS_MULTIPLIES_BLOCKS ? PANEL_COLUMNS : CACHE_LINE;
    for (ptrdiff_t segment = 0; segment < part->segment_count; segment++, addresses += row_step) {
        if (leaves_out_zeros && is_zero(addresses, rows, block->zeros)) {
            weights += words * PANEL_COLUMNS;
            upcoming += words * line_step;
            continue;
        }
        const float *row[APUS_TILE_ROWS];
        APUS_UNROLL for (int r = 0; r < rows; r++) row[r] = addresses[r] + part->start;
        ptrdiff_t first_step = 0;
#if APUS_MULTIPLIES_BLOCKS
        first_step = length / 2 * 2;
        add_pairs(sums, row, rows, vectors, length / 2, weights, upcoming);
        weights += first_step * PANEL_COLUMNS;
        upcoming += first_step * PANEL_COLUMNS;
        if (first_step == length) continue;
        // The last word of a segment has none beside it.
        exchange_blocks(sums, rows, vectors);
#endif
        APUS_UNROLL_BY(APUS_DEPTH_STEP)
        for (ptrdiff_t k = first_step; k < steps; k++, weights += PANEL_COLUMNS) {
#if !APUS_WEIGHTS_ARE_NARROW
            vector columns[TILE_VECTORS];
            APUS_UNROLL for (int v = 0; v < vectors; v++)
                columns[v] = load(weights + v % PANEL_VECTORS * APUS_LANES + v / PANEL_VECTORS * next_panel);
#endif
            __builtin_prefetch(upcoming, 0, 2);
            upcoming += line_step;
#if APUS_HALVES_ARE_FASTER
            if (has_half) {
                const half_vector half_columns = load_half(weights + vectors * APUS_LANES);
                APUS_EACH_ROW {
                    const vector element = spread_once(row[r][k]);
                    APUS_UNROLL for (int v = 0; v < vectors; v++) APUS_ADD_PRODUCT(sums[r][v], element, columns[v]);
                    APUS_ADD_HALF_PRODUCT(half_sums[r], lower_half(element), half_columns);
                }
                continue;
            }
#endif
#if APUS_WEIGHTS_ARE_NARROW
            APUS_EACH_SUM sums[r][v] += row[r][2 * k] * first_numbers(words_at(weights, v));
            APUS_EACH_SUM sums[r][v] += row[r][2 * k + 1] * second_numbers(words_at(weights, v));
#else
            APUS_EACH_SUM APUS_ADD_PRODUCT(sums[r][v], APUS_SPREAD(row[r][k]), columns[v]);
#endif
        }
#if APUS_WEIGHTS_ARE_NARROW
        if (steps < words) {
            APUS_EACH_SUM sums[r][v] += row[r][length - 1] * first_numbers(words_at(weights, v));
            weights += PANEL_COLUMNS;
            upcoming += line_step;
        }
#endif
#if APUS_MULTIPLIES_BLOCKS
        exchange_blocks(sums, rows, vectors);
#endif
    }
#if APUS_MULTIPLIES_BLOCKS
    exchange_blocks(sums, rows, vectors);
#endif
    if (has_half) APUS_EACH_ROW sums[r][vectors] = widened(half_sums[r]);
    // −0 becomes 0, whether products with zeros were added or left out.
    if (leaves_out_zeros && block->zeros) APUS_EACH_SUM sums[r][v] += 0;
    store_tile(block, sums, rows, vectors + has_half, first_row, first_column, last_count);
}

#endif

#define APUS_TILE_CASE(rows)                                                                                      \
    case rows:                                                                                                    \
        multiply_tile(                                                                                            \
            block, part, rows, halves, leaves_out, addresses, rows, weights, upcoming, first_row, first_column,   \
            last_count);                                                                                          \
        break;

/// A function for tiles of one width and any height.
#define APUS_TILE_FUNCTION(name, attributes, constant_halves, leaves_out_zeros)                                   \
    APUS_TARGET static attributes void name(                                                                      \
        const apus_gemm_block *block, const chain *part, ptrdiff_t row_count, const float *const *addresses,      \
        const float *weights, const float *upcoming, ptrdiff_t first_row, ptrdiff_t first_column,                 \
        ptrdiff_t last_count) {                                                                                   \
        enum { halves = constant_halves, leaves_out = leaves_out_zeros };                                         \
        switch (row_count) { APUS_ROW_CASES(APUS_TILE_ROWS, APUS_TILE_CASE) }                                     \
    }

#if APUS_HALVES_ARE_FASTER
// If these were inlined, the usual widths would have fewer registers.
APUS_TILE_FUNCTION(multiply_one_half, __attribute__((noinline)), 1, 0)
APUS_TILE_FUNCTION(multiply_three_halves, __attribute__((noinline)), 3, 0)
#endif
APUS_TILE_FUNCTION(multiply_one_vector, inline, 2, 0)
APUS_TILE_FUNCTION(multiply_two_vectors, inline, 4, 0)
APUS_TILE_FUNCTION(multiply_one_vector_without_zeros, __attribute__((noinline)), 2, 1)
APUS_TILE_FUNCTION(multiply_two_vectors_without_zeros, __attribute__((noinline)), 4, 1)

#ifdef APUS_WIDE_TILE_ROWS
#define APUS_WIDE_TILE_CASE(rows)                                                                                 \
    case rows:                                                                                                    \
        multiply_tile(                                                                                            \
            block, part, rows, 2 * TILE_VECTORS, 1, addresses, row_step, weights, upcoming, first_row,            \
            first_column, last_count);                                                                            \
        break;

/// Tiles of three vectors, of which the third belongs to the next panel, for the rows of one usual tile.
APUS_TARGET static __attribute__((noinline)) void multiply_three_vectors(
    const apus_gemm_block *block, const chain *part, ptrdiff_t row_step, const float *const *addresses,
    const float *weights, const float *upcoming, ptrdiff_t first_row, ptrdiff_t first_column, ptrdiff_t last_count) {
    const ptrdiff_t count = apus_gemm_tile_count(row_step, APUS_WIDE_TILE_ROWS);
    for (ptrdiff_t tile = 0, left = row_step; tile < count; tile++) {
        const ptrdiff_t row_count = (left + count - tile - 1) / (count - tile);
        switch (row_count) { APUS_ROW_CASES(APUS_WIDE_TILE_ROWS, APUS_WIDE_TILE_CASE) }
        addresses += row_count;
        first_row += row_count;
        left -= row_count;
    }
}
#endif

/// The width of the narrowest tile for `column_count` columns, in halves of a vector.
static inline ptrdiff_t width_in_halves(ptrdiff_t column_count) {
    const ptrdiff_t step = APUS_HALVES_ARE_FASTER ? APUS_LANES / 2 : APUS_LANES;
    return (column_count + step - 1) / step * step / (APUS_LANES / 2);
}

APUS_TARGET static void multiply_chain(
    const apus_gemm_block *block, const chain *part, const float *weights, const float *upcoming, ptrdiff_t column,
    ptrdiff_t column_count) {
    const ptrdiff_t depth = part->segment_count * words_of(part->end - part->start);
    const ptrdiff_t tile_count = apus_gemm_tile_count(block->row_count, APUS_TILE_ROWS);
    const ptrdiff_t last_count = column_count - (column_count - 1) / APUS_LANES * APUS_LANES;
    for (ptrdiff_t tile = 0, first = 0, end = 0; tile < tile_count; tile++, first = end) {
        end = apus_gemm_tile_start(block->row_count, tile_count, tile + 1);
        const ptrdiff_t rows = end - first;
        const float *const *addresses = block->rows + first * block->segment_count + part->first_segment * rows;
        // Each step of the depth prefetches a cache line of the same part of the next panel.
        const float *lines = upcoming + tile % PANEL_LINES * CACHE_LINE * depth;
#ifdef APUS_WIDE_TILE_ROWS
        if (column_count > PANEL_COLUMNS) {
            multiply_three_vectors(block, part, rows, addresses, weights, lines, first, column, last_count);
            continue;
        }
#endif
        if (block->zeros) {
            if (column_count <= APUS_LANES)
                multiply_one_vector_without_zeros(
                    block, part, rows, addresses, weights, lines, first, column, last_count);
            else
                multiply_two_vectors_without_zeros(
                    block, part, rows, addresses, weights, lines, first, column, last_count);
            continue;
        }
        switch (width_in_halves(column_count)) {
#if APUS_HALVES_ARE_FASTER
        case 1: multiply_one_half(block, part, rows, addresses, weights, lines, first, column, last_count); break;
        case 3: multiply_three_halves(block, part, rows, addresses, weights, lines, first, column, last_count); break;
#endif
        case 2: multiply_one_vector(block, part, rows, addresses, weights, lines, first, column, last_count); break;
        default: multiply_two_vectors(block, part, rows, addresses, weights, lines, first, column, last_count); break;
        }
    }
}

#include "multiply.h"

#if APUS_WEIGHTS_ARE_PAIRS
const apus_gemm_kernel APUS_NAME(apus_gemm_of_pairs) = {
#elif APUS_WEIGHTS_ARE_HALVES
const apus_gemm_kernel APUS_NAME(apus_gemm_of_halves) = {
#else
const apus_gemm_kernel APUS_NAME(apus_gemm) = {
#endif
    .tile_rows = APUS_TILE_ROWS, .panel_columns = PANEL_COLUMNS, .multiply = APUS_NAME(multiply)};

#endif
