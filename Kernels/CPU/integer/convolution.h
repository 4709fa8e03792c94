// Products of patches with packed weights; included by kernels.h.

/// Rows of patches, `row_bytes` apart, for the columns of a panel from `column` on.
typedef struct {
    const apus_integer_convolution *convolution;
    const uint8_t *patches;
    ptrdiff_t row_bytes, words;
    const int32_t *weights;
    ptrdiff_t column, column_count;
    uint8_t *output;
} integer_tile;

/// The sums of a tile by whatever factors.
APUS_TARGET static __attribute__((noinline)) void store_rows(
    const integer_tile *t, mask (*sums)[APUS_PANEL_VECTORS], ptrdiff_t rows) {
    const apus_requantization requantization = t->convolution->requantization;
    for (ptrdiff_t r = 0; r < rows; r++)
        store_columns(
            t->output + r * t->convolution->output_stride, sums[r], APUS_PANEL_VECTORS, 0, &requantization, t->column,
            t->column_count);
}

/// One tile of rows × (vectors · APUS_LANES) sums; `rows` and `vectors` are constants of the caller.
APUS_INLINE void multiply_tile(const integer_tile *t, const int rows, const int vectors) {
    const apus_integer_convolution *c = t->convolution;
    mask sums[APUS_NARROW_TILE_ROWS][APUS_PANEL_VECTORS];
    APUS_UNROLL for (int v = 0; v < vectors; v++) {
        const mask bias = load_integers(c->bias + t->column + v * APUS_LANES);
        APUS_UNROLL for (int r = 0; r < rows; r++) sums[r][v] = bias;
    }
    // Copies, since what is stored might lie in the structure for all that the compiler knows.
    const apus_requantization requantization = c->requantization;
    const ptrdiff_t output_stride = c->output_stride, column = t->column, column_count = t->column_count;
    uint8_t *output = t->output;
    const uint8_t *patches = t->patches;
    const int32_t *weights = t->weights;
    const ptrdiff_t row_bytes = t->row_bytes;
    for (ptrdiff_t k = 0; k < t->words; k++, patches += sizeof(int32_t), weights += PANEL_COLUMNS) {
        mask columns[APUS_PANEL_VECTORS];
        APUS_UNROLL for (int v = 0; v < vectors; v++) columns[v] = load_integers(weights + v * APUS_LANES);
        APUS_UNROLL for (int r = 0; r < rows; r++) {
            int32_t word;
            memcpy(&word, patches + r * row_bytes, sizeof word);
            const mask words = (mask){0} + word;
            APUS_UNROLL for (int v = 0; v < vectors; v++) sums[r][v] = dot(sums[r][v], words, columns[v]);
        }
    }
    if (is_quick(&requantization)) {
        APUS_UNROLL for (int r = 0; r < rows; r++)
            store_columns(output + r * output_stride, sums[r], vectors, 1, &requantization, column, column_count);
        return;
    }
    mask kept[APUS_NARROW_TILE_ROWS][APUS_PANEL_VECTORS] = {0};
    APUS_UNROLL for (int r = 0; r < rows; r++)
        APUS_UNROLL for (int v = 0; v < vectors; v++) kept[r][v] = sums[r][v];
    store_rows(t, kept, rows);
}

#define APUS_TILE_CASE(count) case count: multiply_tile(tile, count, vectors); break;

#define APUS_TILE_FUNCTION(name, constant_vectors, cases)                       \
    APUS_TARGET static void name(const integer_tile *tile, ptrdiff_t rows) {    \
        enum { vectors = constant_vectors };                                    \
        switch (rows) { cases }                                                 \
    }

APUS_TILE_FUNCTION(multiply_one_vector, 1, APUS_NARROW_TILE_CASES)
APUS_TILE_FUNCTION(multiply_two_vectors, 2, APUS_NARROW_TILE_CASES)
#if APUS_PANEL_VECTORS == 4
APUS_TILE_FUNCTION(multiply_three_vectors, 3, APUS_TILE_CASES)
APUS_TILE_FUNCTION(multiply_four_vectors, 4, APUS_TILE_CASES)
#endif

APUS_TARGET static void multiply_rows(const integer_tile *tile, ptrdiff_t rows) {
    switch ((tile->column_count + APUS_LANES - 1) / APUS_LANES) {
    case 1: multiply_one_vector(tile, rows); break;
    case 2: multiply_two_vectors(tile, rows); break;
#if APUS_PANEL_VECTORS == 4
    case 3: multiply_three_vectors(tile, rows); break;
    default: multiply_four_vectors(tile, rows); break;
#endif
    }
}

/// Some patches at a time are widened, unless the input has them as they are wanted, then multiplied with all panels.
APUS_TARGET static void APUS_NAME(convolve_integers)(const apus_integer_convolution *c) {
    const ptrdiff_t depth = c->window.kernel_height * c->window.kernel_width * c->channel_count;
    const ptrdiff_t words = (depth + APUS_GROUP - 1) / APUS_GROUP;
    const int has_pixels = is_pointwise(c);
    const int is_direct = has_pixels && APUS_GROUP == 4 && !c->is_signed && c->channel_count % APUS_GROUP == 0;
    const ptrdiff_t row_bytes = is_direct ? c->window.input_pixel_stride : words * (ptrdiff_t)sizeof(int32_t);
    for (ptrdiff_t done = 0; done < c->pixel_count; done += c->scratch_row_count) {
        const ptrdiff_t left = c->pixel_count - done;
        const ptrdiff_t count = left < c->scratch_row_count ? left : c->scratch_row_count;
        const uint8_t *patches = c->scratch;
        if (is_direct) patches = c->input + (c->first_pixel + done) * row_bytes;
        else if (has_pixels) gather_pixels(c, c->first_pixel + done, count, words * APUS_GROUP, c->scratch);
        else gather(c, c->first_pixel + done, count, words * APUS_GROUP, c->scratch);
        for (ptrdiff_t column = 0; column < c->column_count; column += PANEL_COLUMNS) {
            const ptrdiff_t columns = c->column_count - column;
            const ptrdiff_t tile_rows = columns <= 2 * APUS_LANES ? APUS_NARROW_TILE_ROWS : APUS_TILE_ROWS;
            const ptrdiff_t tile_count = (count + tile_rows - 1) / tile_rows;
            integer_tile tile = {
                .convolution = c, .row_bytes = row_bytes, .words = words,
                .weights = (const int32_t *)c->weights + column * words, .column = column,
                .column_count = columns < PANEL_COLUMNS ? columns : PANEL_COLUMNS};
            for (ptrdiff_t index = 0; index < tile_count; index++) {
                const ptrdiff_t first = count * index / tile_count, end = count * (index + 1) / tile_count;
                tile.patches = patches + first * row_bytes;
                tile.output = c->output + (done + first) * c->output_stride + column;
                multiply_rows(&tile, end - first);
            }
        }
    }
}
