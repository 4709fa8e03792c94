#if defined(__x86_64__)
#include "../variants/amx_bf16.h"

#include "apus_bfloat16.h"

#define APUS_HAS_BFLOAT16_VALUES 1
// Two tile registers of sums by two.
#define APUS_TILE_ROWS 32
#include "avx512_words.h"
#include "chains.h"
#include "store_tile.h"

enum {
    /// The words of a row of a tile register.
    TILE_WORDS = 16,
    /// Tile registers of sums: of the upper and the lower rows, and the first and the second 16 columns.
    UPPER_FIRST = 0,
    UPPER_SECOND = 1,
    LOWER_FIRST = 2,
    LOWER_SECOND = 3,
    /// Tile registers of words, and of those behind the last whole step of a segment.
    ROWS = 4,
    COLUMNS = 5,
    LAST_ROWS = 6,
    LAST_COLUMNS = 7,
};

/// The shapes of the tile registers for a block.
typedef struct {
    /// The rows of a register, and the words that are multiplied at once: whole steps, and the rest of a segment.
    ptrdiff_t rows, step, rest;
} tile_shape;

/// Tiles of rows differ by at most one row. Those of more than 16 rows are cut in halves.
static tile_shape shape_of(const apus_gemm_block *block) {
    const ptrdiff_t count = apus_gemm_tile_count(block->row_count, APUS_TILE_ROWS);
    const ptrdiff_t highest = (block->row_count + count - 1) / count, length = block->segment_length;
    const ptrdiff_t step = length < TILE_WORDS ? length : TILE_WORDS;
    return (tile_shape){
        .rows = highest <= APUS_TILE_ROWS / 2 ? highest : (highest + 1) / 2, .step = step, .rest = length % step};
}

APUS_TARGET static void configure(tile_shape shape) {
    tile_configuration tiles = {.palette = 1};
    for (int sums = UPPER_FIRST; sums <= LOWER_SECOND; sums++) {
        tiles.rows[sums] = (uint8_t)shape.rows;
        tiles.row_bytes[sums] = APUS_LANES * sizeof(float);
    }
    tiles.rows[ROWS] = (uint8_t)shape.rows;
    tiles.row_bytes[ROWS] = (uint16_t)(shape.step * (ptrdiff_t)sizeof(float));
    tiles.rows[COLUMNS] = (uint8_t)shape.step;
    tiles.row_bytes[COLUMNS] = APUS_LANES * sizeof(float);
    if (shape.rest > 0) {
        tiles.rows[LAST_ROWS] = (uint8_t)shape.rows;
        tiles.row_bytes[LAST_ROWS] = (uint16_t)(shape.rest * (ptrdiff_t)sizeof(float));
        tiles.rows[LAST_COLUMNS] = (uint8_t)shape.rest;
        tiles.row_bytes[LAST_COLUMNS] = APUS_LANES * sizeof(float);
    }
    APUS_TILES_CONFIGURE(&tiles);
}

/// Rows for a tile register.
typedef struct {
    const float *const *addresses;
    ptrdiff_t count;
    /// Whether they fill the register and lie `stride` bytes apart.
    int are_even;
    ptrdiff_t stride;
} tile_rows;

APUS_INLINE tile_rows rows_at(const float *const *addresses, ptrdiff_t count, ptrdiff_t register_rows) {
    tile_rows rows = {.addresses = addresses, .count = count, .are_even = count == register_rows};
    const uintptr_t first = (uintptr_t)addresses[0];
    const uintptr_t stride = count > 1 ? (uintptr_t)addresses[1] - first : 0;
    uintptr_t differs = 0;
    for (ptrdiff_t r = 2; r < count; r++) differs |= (uintptr_t)addresses[r] - first - (uintptr_t)r * stride;
    rows.are_even &= differs == 0;
    rows.stride = (ptrdiff_t)stride;
    return rows;
}

/// Words of rows as a register loads them.
typedef struct {
    const float *start;
    ptrdiff_t stride;
} row_words;

/// The words [at, at + count) of rows: where they lie, or gathered in `scratch`.
APUS_INLINE row_words words_at(
    const tile_rows *rows, ptrdiff_t at, ptrdiff_t count, float scratch[APUS_TILE_ROWS / 2][TILE_WORDS]) {
    if (rows->are_even) return (row_words){rows->addresses[0] + at, rows->stride};
    for (ptrdiff_t r = 0; r < rows->count; r++) store(scratch[r], load_first(rows->addresses[r] + at, count));
    return (row_words){scratch[0], sizeof(scratch[0])};
}

/// Adds the products of `count` words; the registers are constants.
#define ADD_STEP(ROW_TILE, COLUMN_TILE, count)                                                                    \
    do {                                                                                                          \
        row_words words = words_at(&upper, at, count, scratch);                                                   \
        APUS_TILE_LOAD(ROW_TILE, words.start, words.stride);                                                      \
        APUS_TILE_LOAD(COLUMN_TILE, weights, PANEL_COLUMNS * sizeof(float));                                      \
        APUS_TILE_ADD_PRODUCTS(UPPER_FIRST, ROW_TILE, COLUMN_TILE);                                               \
        if (has_second) {                                                                                         \
            APUS_TILE_LOAD(COLUMN_TILE, weights + APUS_LANES, PANEL_COLUMNS * sizeof(float));                     \
            APUS_TILE_ADD_PRODUCTS(UPPER_SECOND, ROW_TILE, COLUMN_TILE);                                          \
        }                                                                                                         \
        if (has_lower) {                                                                                          \
            words = words_at(&lower, at, count, scratch);                                                         \
            APUS_TILE_LOAD(ROW_TILE, words.start, words.stride);                                                  \
            if (has_second) {                                                                                     \
                APUS_TILE_ADD_PRODUCTS(LOWER_SECOND, ROW_TILE, COLUMN_TILE);                                      \
                APUS_TILE_LOAD(COLUMN_TILE, weights, PANEL_COLUMNS * sizeof(float));                              \
            }                                                                                                     \
            APUS_TILE_ADD_PRODUCTS(LOWER_FIRST, ROW_TILE, COLUMN_TILE);                                           \
        }                                                                                                         \
        at += (count);                                                                                            \
        weights += (count) * PANEL_COLUMNS;                                                                       \
    } while (0)

/// The sums of a chain for a tile of rows and `column_count` columns, from the bias on.
APUS_TARGET static void add_chain(
    const apus_gemm_block *block, const chain *part, tile_shape shape, ptrdiff_t row_count,
    const float *const *addresses, const float *weights, ptrdiff_t column_count,
    float sums[APUS_TILE_ROWS][PANEL_COLUMNS]) {
    const int has_second = column_count > APUS_LANES, has_lower = row_count > shape.rows;
    float scratch[APUS_TILE_ROWS / 2][TILE_WORDS] = {{0}};
    // Every row of sums begins as the bias.
    APUS_TILE_LOAD(UPPER_FIRST, block->bias, 0);
    if (has_second) APUS_TILE_LOAD(UPPER_SECOND, block->bias + APUS_LANES, 0);
    if (has_lower) APUS_TILE_LOAD(LOWER_FIRST, block->bias, 0);
    if (has_lower && has_second) APUS_TILE_LOAD(LOWER_SECOND, block->bias + APUS_LANES, 0);
    for (ptrdiff_t segment = 0; segment < part->segment_count; segment++, addresses += row_count) {
        const tile_rows upper = rows_at(addresses, has_lower ? shape.rows : row_count, shape.rows);
        tile_rows lower = upper;
        if (has_lower) lower = rows_at(addresses + shape.rows, row_count - shape.rows, shape.rows);
        ptrdiff_t at = part->start;
        while (part->end - at >= shape.step) ADD_STEP(ROWS, COLUMNS, shape.step);
        if (at < part->end) ADD_STEP(LAST_ROWS, LAST_COLUMNS, shape.rest);
    }
    const ptrdiff_t stride = PANEL_COLUMNS * sizeof(float);
    APUS_TILE_STORE(UPPER_FIRST, sums[0], stride);
    if (has_second) APUS_TILE_STORE(UPPER_SECOND, sums[0] + APUS_LANES, stride);
    if (has_lower) APUS_TILE_STORE(LOWER_FIRST, sums[shape.rows], stride);
    if (has_lower && has_second) APUS_TILE_STORE(LOWER_SECOND, sums[shape.rows] + APUS_LANES, stride);
}

APUS_TARGET static void multiply_chain(
    const apus_gemm_block *block, const chain *part, const float *weights, const float *upcoming, ptrdiff_t column,
    ptrdiff_t column_count) {
    (void)upcoming;
    const tile_shape shape = shape_of(block);
    const ptrdiff_t tile_count = apus_gemm_tile_count(block->row_count, APUS_TILE_ROWS);
    const ptrdiff_t last_count = column_count - (column_count - 1) / APUS_LANES * APUS_LANES;
    for (ptrdiff_t tile = 0, first = 0, end = 0; tile < tile_count; tile++, first = end) {
        end = apus_gemm_tile_start(block->row_count, tile_count, tile + 1);
        const ptrdiff_t rows = end - first;
        const float *const *addresses = block->rows + first * block->segment_count + part->first_segment * rows;
        float sums[APUS_TILE_ROWS][PANEL_COLUMNS];
        add_chain(block, part, shape, rows, addresses, weights, column_count, sums);
        for (ptrdiff_t r = 0; r < rows; r++) {
            vector row[1][TILE_VECTORS] = {{load(sums[r]), load(sums[r] + APUS_LANES)}};
            // −0 becomes 0, as where products with zeros are left out.
            if (block->zeros) APUS_UNROLL for (int v = 0; v < TILE_VECTORS; v++) row[0][v] += 0;
            if (column_count > APUS_LANES)
                store_tile(block, row, 1, 2, first + r, column, last_count);
            else
                store_tile(block, row, 1, 1, first + r, column, last_count);
        }
    }
}

#include "multiply.h"

APUS_TARGET static void multiply_in_tiles(const apus_gemm_block *block) {
    if (block->row_count < 1) return;
    configure(shape_of(block));
    APUS_NAME(multiply)(block);
    APUS_TILES_RELEASE();
}

const apus_gemm_kernel APUS_NAME(apus_gemm) = {
    .tile_rows = APUS_TILE_ROWS, .panel_columns = PANEL_COLUMNS, .multiply = multiply_in_tiles};

const apus_bfloat16_kernel APUS_NAME(apus_bfloat16) = {
    .product = &APUS_NAME(apus_gemm), .adjacent_words = 1, .round_rows = round_rows, .pack_rows = pack_rows,
    .interleave_rows = interleave_rows};
#endif
