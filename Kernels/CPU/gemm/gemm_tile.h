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
// - optionally APUS_WEIGHTS_ARE_PAIRS as 1, where rows are floats and weights are words of two bfloat16;
// - optionally APUS_WEIGHTS_ARE_HALVES as 1, where rows are floats and weights are float16;
// - optionally APUS_HAS_BFLOAT16_VALUES as 1, where the variant loads and stores vectors as bfloat16.

#include "../variants/row_cases.h"
#include "../variants/vector.h"
#include "apus_gemm.h"

#if !defined(APUS_TILE_ROWS) || !defined(APUS_DEPTH_STEP)
#error "define APUS_TILE_ROWS and APUS_DEPTH_STEP before gemm_tile.h is included"
#endif
#ifndef APUS_HALVES_ARE_FASTER
#define APUS_HALVES_ARE_FASTER 0
#endif
#ifndef APUS_WEIGHTS_ARE_PAIRS
#define APUS_WEIGHTS_ARE_PAIRS 0
#endif
#ifndef APUS_WEIGHTS_ARE_HALVES
#define APUS_WEIGHTS_ARE_HALVES 0
#endif
#ifndef APUS_HAS_BFLOAT16_VALUES
#define APUS_HAS_BFLOAT16_VALUES 0
#endif
/// Whether two weights that follow one another in the depth take a word.
#define APUS_WEIGHTS_ARE_NARROW (APUS_WEIGHTS_ARE_PAIRS || APUS_WEIGHTS_ARE_HALVES)
#ifndef APUS_ADD_PRODUCT
#define APUS_SPREAD(element) (element)
#define APUS_ADD_PRODUCT(sums, element, columns) ((sums) += (element) * (columns))
#define APUS_ADD_HALF_PRODUCT(sums, element, columns) APUS_ADD_PRODUCT(sums, element, columns)
#endif

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

#define APUS_EACH_ROW APUS_UNROLL for (int r = 0; r < rows; r++)
#define APUS_EACH_SUM APUS_EACH_ROW APUS_UNROLL for (int v = 0; v < vectors; v++)

/// The words of weights that belong to `length` elements of a row.
static inline ptrdiff_t words_of(ptrdiff_t length) { return APUS_WEIGHTS_ARE_NARROW ? (length + 1) / 2 : length; }

/// Whether all rows of a tile lie at `zeros` in a segment.
APUS_INLINE int is_zero(const float *const *addresses, const int rows, const float *zeros) {
    if (addresses[0] != zeros) return 0;
    int differs = 0;
    APUS_UNROLL for (int r = 1; r < rows; r++) differs |= addresses[r] != zeros;
    return !differs;
}

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
    if (has_half) APUS_EACH_ROW half_sums[r] = load_half(block->bias + vectors * APUS_LANES);
#if !APUS_WEIGHTS_ARE_NARROW
    // From the weights of a panel to those of the next.
    const ptrdiff_t next_panel = block->segment_count * block->segment_length * PANEL_COLUMNS;
#endif
    const ptrdiff_t length = part->end - part->start, words = words_of(length);
    const ptrdiff_t steps = APUS_WEIGHTS_ARE_NARROW ? length / 2 : length;
    for (ptrdiff_t segment = 0; segment < part->segment_count; segment++, addresses += row_step) {
        if (leaves_out_zeros && is_zero(addresses, rows, block->zeros)) {
            weights += words * PANEL_COLUMNS;
            upcoming += words * (rows == 1 ? PANEL_COLUMNS : CACHE_LINE);
            continue;
        }
        const float *row[APUS_TILE_ROWS];
        APUS_UNROLL for (int r = 0; r < rows; r++) row[r] = addresses[r] + part->start;
        APUS_UNROLL_BY(APUS_DEPTH_STEP)
        for (ptrdiff_t k = 0; k < steps; k++, weights += PANEL_COLUMNS) {
#if !APUS_WEIGHTS_ARE_NARROW
            vector columns[TILE_VECTORS];
            APUS_UNROLL for (int v = 0; v < vectors; v++)
                columns[v] = load(weights + v % PANEL_VECTORS * APUS_LANES + v / PANEL_VECTORS * next_panel);
#endif
            __builtin_prefetch(upcoming, 0, 2);
            // A single row passes only once, and the processor fetches the second line of a step with the first.
            upcoming += rows == 1 ? PANEL_COLUMNS : CACHE_LINE;
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
            upcoming += rows == 1 ? PANEL_COLUMNS : CACHE_LINE;
        }
#endif
    }
    if (has_half) APUS_EACH_ROW sums[r][vectors] = widened(half_sums[r]);
    // −0 becomes 0, whether products with zeros were added or left out.
    if (leaves_out_zeros && block->zeros) APUS_EACH_SUM sums[r][v] += 0;
    store_tile(block, sums, rows, vectors + has_half, first_row, first_column, last_count);
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

/// Multiplies all tiles with one chain of a panel, whose weights stay in the second-level cache.
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

/// The columns that are multiplied together when `left` are left: a panel, or all in the widest tile.
static inline ptrdiff_t columns_at_once(ptrdiff_t left) {
    return left <= TILE_COLUMNS ? left : PANEL_COLUMNS;
}

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

#if APUS_WEIGHTS_ARE_PAIRS
const apus_gemm_kernel APUS_NAME(apus_gemm_of_pairs) = {
#elif APUS_WEIGHTS_ARE_HALVES
const apus_gemm_kernel APUS_NAME(apus_gemm_of_halves) = {
#else
const apus_gemm_kernel APUS_NAME(apus_gemm) = {
#endif
    .tile_rows = APUS_TILE_ROWS, .panel_columns = PANEL_COLUMNS, .multiply = APUS_NAME(multiply)};

#endif
