#include "tile_model.h"
#include "words.h"

#include <math.h>
#include <string.h>

// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, chapter 18, and the operations of LDTILECFG,
// TILELOADD, TILESTORED and TDPBF16PS in volume 2. What faults there is a failure here.

enum { TILES = 8, MAXIMUM_ROWS = 16, MAXIMUM_ROW_BYTES = 64, ROW_WORDS = MAXIMUM_ROW_BYTES / 4 };

static struct {
    ptrdiff_t rows, row_bytes;
    uint32_t words[MAXIMUM_ROWS][ROW_WORDS];
} tiles[TILES];
static int are_configured;

int has_tiles(void) { return are_configured; }

void configure_tiles(const tile_configuration *configuration) {
    static const uint8_t zeros[sizeof(tile_configuration)];
    if (sizeof(tile_configuration) != 64) fail("a configuration has 64 bytes");
    if (configuration->palette != 1 || configuration->start_row != 0) fail("a palette of tiles that is unknown");
    if (memcmp(configuration->reserved, zeros, sizeof(configuration->reserved)) ||
        memcmp(configuration->row_bytes + TILES, zeros, sizeof(uint16_t) * TILES) ||
        memcmp(configuration->rows + TILES, zeros, TILES))
        fail("reserved bytes of a configuration are not zero");
    memset(tiles, 0, sizeof(tiles));
    for (int tile = 0; tile < TILES; tile++) {
        tiles[tile].rows = configuration->rows[tile];
        tiles[tile].row_bytes = configuration->row_bytes[tile];
        if (tiles[tile].rows > MAXIMUM_ROWS || tiles[tile].row_bytes > MAXIMUM_ROW_BYTES ||
            (tiles[tile].rows == 0) != (tiles[tile].row_bytes == 0) || tiles[tile].row_bytes % 4 != 0)
            fail("tile %d of %td rows of %td bytes", tile, tiles[tile].rows, tiles[tile].row_bytes);
    }
    are_configured = 1;
}

void release_tiles(void) {
    are_configured = 0;
    memset(tiles, 0, sizeof(tiles));
}

static int is_usable(int tile) {
    const int is_usable = are_configured && tile >= 0 && tile < TILES && tiles[tile].rows > 0;
    if (!is_usable) fail("tile %d is not configured", tile);
    return is_usable;
}

void load_tile(int tile, const void *from, ptrdiff_t stride) {
    if (!is_usable(tile)) return;
    memset(tiles[tile].words, 0, sizeof(tiles[tile].words));
    for (ptrdiff_t row = 0; row < tiles[tile].rows; row++)
        memcpy(tiles[tile].words[row], (const char *)from + row * stride, (size_t)tiles[tile].row_bytes);
}

void store_tile_rows(int tile, void *to, ptrdiff_t stride) {
    if (!is_usable(tile)) return;
    for (ptrdiff_t row = 0; row < tiles[tile].rows; row++)
        memcpy((char *)to + row * stride, tiles[tile].words[row], (size_t)tiles[tile].row_bytes);
}

static float number(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof(x));
    return flushed(x);
}

static float fused(uint32_t x, uint32_t y, float sum) { return flushed(fmaf(number(x), number(y), sum)); }

void add_tile_products(int sums, int rows, int columns) {
    if (!is_usable(sums) || !is_usable(rows) || !is_usable(columns)) return;
    const ptrdiff_t depth = tiles[rows].row_bytes / 4, width = tiles[sums].row_bytes / 4;
    if (sums == rows || rows == columns || sums == columns || tiles[sums].rows != tiles[rows].rows ||
        tiles[sums].row_bytes != tiles[columns].row_bytes || tiles[columns].rows != depth)
        return fail("tiles %d, %d and %d do not fit", sums, rows, columns);
    for (ptrdiff_t row = 0; row < tiles[sums].rows; row++) {
        float products[2 * ROW_WORDS] = {0};
        for (ptrdiff_t k = 0; k < depth; k++) {
            const uint32_t x = tiles[rows].words[row][k];
            for (ptrdiff_t column = 0; column < width; column++) {
                const uint32_t y = tiles[columns].words[k][column];
                float *lower = products + 2 * column, *upper = lower + 1;
                *lower = fused(x << 16, y << 16, *lower);
                *upper = fused(x & 0xffff0000, y & 0xffff0000, *upper);
            }
        }
        for (ptrdiff_t column = 0; column < width; column++) {
            uint32_t *sum = &tiles[sums].words[row][column];
            const float added = flushed(number(*sum) + flushed(products[2 * column] + products[2 * column + 1]));
            memcpy(sum, &added, sizeof(added));
        }
    }
}
