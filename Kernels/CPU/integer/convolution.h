// Products of patches with packed weights; included by kernels.h.

/// Rows of patches for the columns of a panel from `column` on.
typedef struct {
    const apus_integer_convolution *convolution;
    const patch_extents *extents;
    const uint8_t *patches;
    /// Where every row begins; of tiles of more rows than that they lie pixels apart.
    ptrdiff_t offsets[APUS_TILE_ROWS];
    /// What pairs of words add to the sums of every row.
    const int32_t *pair_products;
    const int32_t *weights;
    /// What is read after this panel, fetched meanwhile: a cache line for every word.
    const int32_t *upcoming;
    ptrdiff_t column, column_count;
    uint8_t *output;
} integer_tile;

/// The sums of a tile as they are, or by whatever factors.
APUS_TARGET static __attribute__((noinline)) void store_rows(
    const integer_tile *t, int_vector (*sums)[APUS_PANEL_VECTORS], ptrdiff_t rows) {
    const apus_integer_convolution *c = t->convolution;
    const apus_requantization requantization = c->requantization;
    const ptrdiff_t offset = t->output - c->output;
    for (ptrdiff_t r = 0; r < rows; r++) {
        if (c->sums)
            memcpy(c->sums + offset + r * c->output_stride, sums[r], (size_t)t->column_count * sizeof(int32_t));
        else
            store_columns(
                t->output + r * c->output_stride, sums[r], APUS_PANEL_VECTORS, 0, &requantization, t->column,
                t->column_count);
    }
}

/// Whether the rows of a tile of so many vectors lie pixels apart: more addresses would not fit in registers.
APUS_INLINE int has_rows_apart(const int vectors) {
    return APUS_NARROW_TILE_ROWS > APUS_TILE_ROWS && vectors <= 2;
}

/// One tile of rows × (vectors · APUS_LANES) sums; `rows`, `vectors`, whether patches are pixels, and whether words are
/// paired, are constants of the caller.
APUS_INLINE void multiply_tile(
    const integer_tile *t, const int rows, const int vectors, const int has_pixels, const int is_paired) {
    const apus_integer_convolution *c = t->convolution;
    int_vector sums[APUS_NARROW_TILE_ROWS][APUS_PANEL_VECTORS];
    APUS_UNROLL for (int v = 0; v < vectors; v++) {
        const int_vector bias = load_integers(c->bias + t->column + v * APUS_LANES);
        APUS_UNROLL for (int r = 0; r < rows; r++)
            sums[r][v] = is_paired ? bias - t->pair_products[r] : bias;
    }
    // Copies, since what is stored might lie in the structure for all that the compiler knows.
    const apus_requantization requantization = c->requantization;
    const ptrdiff_t output_stride = c->output_stride, column = t->column, column_count = t->column_count;
    uint8_t *output = t->output;
    const int32_t *weights = t->weights, *upcoming = t->upcoming;
    const patch_extents e = *t->extents;
    ptrdiff_t offsets[APUS_NARROW_TILE_ROWS];
    APUS_UNROLL for (int r = 0; r < rows; r++)
        offsets[r] = has_pixels || has_rows_apart(vectors) ? r * e.pixel_bytes : t->offsets[r];
    for (ptrdiff_t y = 0; y < (has_pixels ? 1 : e.run_rows); y++) {
        for (ptrdiff_t x = 0; x < (has_pixels ? 1 : e.run_columns); x++) {
            const uint8_t *patches = t->patches + y * e.run_row_bytes + x * e.run_column_bytes;
            ptrdiff_t k = 0;
#if APUS_LEAST_PAIRED_WORDS > 0
            if (is_paired) {
                const ptrdiff_t paired = paired_words(e.words);
                multiply_paired_words(patches, offsets, weights, paired, upcoming, rows, vectors, sums);
                k = 2 * paired;
                patches += k * (ptrdiff_t)sizeof(int32_t);
                weights += k * PANEL_COLUMNS;
                upcoming += k * CACHE_LINE;
            }
#endif
            for (; k < e.words; k++, patches += sizeof(int32_t), weights += PANEL_COLUMNS) {
                // A single row reads on without a pause.
                if (rows > 1) __builtin_prefetch(upcoming, 0, 2);
                upcoming += CACHE_LINE;
                int_vector columns[APUS_PANEL_VECTORS];
                APUS_UNROLL for (int v = 0; v < vectors; v++) columns[v] = load_integers(weights + v * APUS_LANES);
                APUS_UNROLL for (int r = 0; r < rows; r++) {
                    int32_t word;
                    memcpy(&word, patches + offsets[r], sizeof word);
                    const int_vector words = (int_vector){0} + word;
                    APUS_UNROLL for (int v = 0; v < vectors; v++) sums[r][v] = dot(sums[r][v], words, columns[v]);
                }
            }
        }
    }
    if (!c->sums && is_quick(&requantization)) {
        if (column_count >= vectors * APUS_LANES) {
            APUS_UNROLL for (int r = 0; r < rows; r++)
                store_columns(
                    output + r * output_stride, sums[r], vectors, 1, &requantization, column, vectors * APUS_LANES);
        } else {
            APUS_UNROLL for (int r = 0; r < rows; r++)
                store_columns(output + r * output_stride, sums[r], vectors, 1, &requantization, column, column_count);
        }
        return;
    }
    int_vector kept[APUS_NARROW_TILE_ROWS][APUS_PANEL_VECTORS] = {0};
    APUS_UNROLL for (int r = 0; r < rows; r++)
        APUS_UNROLL for (int v = 0; v < vectors; v++) kept[r][v] = sums[r][v];
    store_rows(t, kept, rows);
}

#define APUS_TILE_CASE(count) case count: multiply_tile(tile, count, vectors, has_pixels, is_paired); break;

#define APUS_TILE_FUNCTION(name, constant_vectors, constant_pixels, paired, cases)                        \
    APUS_TARGET static void name(const integer_tile *tile, ptrdiff_t rows) {                              \
        enum { vectors = constant_vectors, has_pixels = constant_pixels, is_paired = paired };            \
        switch (rows) { cases }                                                                           \
    }

#define APUS_TILE_FUNCTIONS(kind, pixels)                                                                 \
    APUS_TILE_FUNCTION(multiply_one_vector_of_##kind, 1, pixels, 0, APUS_NARROW_TILE_CASES)               \
    APUS_TILE_FUNCTION(multiply_two_vectors_of_##kind, 2, pixels, 0, APUS_NARROW_TILE_CASES)              \
    APUS_WIDE_TILE_FUNCTIONS(kind, pixels)                                                                \
    APUS_TARGET static void multiply_##kind(const integer_tile *tile, ptrdiff_t rows) {                   \
        switch ((tile->column_count + APUS_LANES - 1) / APUS_LANES) {                                     \
        case 1: multiply_one_vector_of_##kind(tile, rows); break;                                         \
        case 2: multiply_two_vectors_of_##kind(tile, rows); break;                                        \
        APUS_WIDE_CASES(kind)                                                                             \
        }                                                                                                 \
    }

#if APUS_PANEL_VECTORS == 4
#define APUS_WIDE_TILE_FUNCTIONS(kind, pixels)                                                            \
    APUS_TILE_FUNCTION(multiply_three_vectors_of_##kind, 3, pixels, 0, APUS_TILE_CASES)                   \
    APUS_TILE_FUNCTION(multiply_four_vectors_of_##kind, 4, pixels, 0, APUS_TILE_CASES)
#define APUS_WIDE_CASES(kind)                                                                             \
    case 3: multiply_three_vectors_of_##kind(tile, rows); break;                                          \
    default: multiply_four_vectors_of_##kind(tile, rows); break;
#else
#define APUS_WIDE_TILE_FUNCTIONS(kind, pixels)
#define APUS_WIDE_CASES(kind)
#endif

APUS_TILE_FUNCTIONS(pixels, 1)
APUS_TILE_FUNCTIONS(lines, 0)

#if APUS_LEAST_PAIRED_WORDS > 0
#define APUS_PAIRED_FUNCTIONS(kind, pixels)                                                               \
    APUS_TILE_FUNCTION(multiply_one_paired_vector_of_##kind, 1, pixels, 1, APUS_PAIRED_TILE_CASES)        \
    APUS_TILE_FUNCTION(multiply_two_paired_vectors_of_##kind, 2, pixels, 1, APUS_PAIRED_TILE_CASES)       \
    APUS_TARGET static void multiply_paired_##kind(const integer_tile *tile, ptrdiff_t rows) {            \
        if (tile->column_count <= APUS_LANES) multiply_one_paired_vector_of_##kind(tile, rows);           \
        else multiply_two_paired_vectors_of_##kind(tile, rows);                                           \
    }

APUS_PAIRED_FUNCTIONS(pixels, 1)
APUS_PAIRED_FUNCTIONS(lines, 0)
#else
enum { APUS_PAIRED_TILE_ROWS = APUS_TILE_ROWS };
#define multiply_paired_pixels multiply_pixels
#define multiply_paired_lines multiply_lines
#endif

/// The products of `count` patches from pixel `x` of the first row on with all panels; `done` pixels lie before them.
/// Whether patches are pixels is a constant of the caller.
APUS_INLINE void multiply_panels(
    const apus_integer_convolution *c, const patch_extents *e, const int has_pixels, const uint8_t *patches,
    const int32_t *pair_products, ptrdiff_t x, ptrdiff_t done, ptrdiff_t count) {
    const ptrdiff_t words = e->run_rows * e->run_columns * e->words;
    const int is_paired = paired_words(e->words) > 0;
    integer_tile tile = {.convolution = c, .extents = e};
    for (ptrdiff_t column = 0; column < c->column_count; column += PANEL_COLUMNS) {
        const ptrdiff_t columns = c->column_count - column;
        const int is_narrow = columns <= 2 * APUS_LANES;
        const ptrdiff_t tile_rows =
            is_paired ? APUS_PAIRED_TILE_ROWS : is_narrow ? APUS_NARROW_TILE_ROWS : APUS_TILE_ROWS;
        tile.column = column;
        tile.column_count = columns < PANEL_COLUMNS ? columns : PANEL_COLUMNS;
        tile.weights = (const int32_t *)c->weights + column * words;
        ptrdiff_t pixel = x, offset = x * e->pixel_bytes;
        for (ptrdiff_t begin = 0, end; begin < count; begin = end) {
            const ptrdiff_t rest = e->row_length - pixel;
            end = has_rows_apart(is_narrow ? 2 : 4) && rest < count - begin ? begin + rest : count;
            const ptrdiff_t tile_count = (end - begin + tile_rows - 1) / tile_rows;
            const ptrdiff_t least_rows = (end - begin) / tile_count, taller_count = (end - begin) % tile_count;
            ptrdiff_t first = begin;
            for (ptrdiff_t index = 0; index < tile_count; index++) {
                const ptrdiff_t next = first + least_rows + (index < taller_count);
                tile.patches = patches + offset;
                if (is_paired) tile.pair_products = pair_products + first;
                tile.output = c->output + (c->first + done + first) * c->output_stride + column;
                tile.upcoming = tile.weights + (PANEL_COLUMNS + index % PANEL_LINES * CACHE_LINE) * words;
                const ptrdiff_t rows = next - first;
                if (has_pixels) {
                    offset += rows * e->pixel_bytes;
                    if (is_paired) multiply_paired_pixels(&tile, rows);
                    else multiply_pixels(&tile, rows);
                } else {
                    const ptrdiff_t start = offset;
                    for (ptrdiff_t r = 0; r < rows; r++) {
                        if (r < APUS_TILE_ROWS) tile.offsets[r] = offset - start;
                        offset += e->pixel_bytes;
                        if (++pixel == e->row_length) pixel = 0, offset += e->row_bytes - e->row_length * e->pixel_bytes;
                    }
                    if (is_paired) multiply_paired_lines(&tile, rows);
                    else multiply_lines(&tile, rows);
                }
                first = next;
            }
        }
    }
}

/// What pairs of words add to the sums of `count` patches from pixel `x` of the first row on.
APUS_INLINE void find_pair_products(
    const patch_extents *e, const uint8_t *patches, ptrdiff_t x, ptrdiff_t count, int32_t *products) {
#if APUS_LEAST_PAIRED_WORDS > 0
    const ptrdiff_t paired = paired_words(e->words);
    if (paired == 0) return;
    const uint8_t *patch = patches + x * e->pixel_bytes;
    for (ptrdiff_t i = 0; i < count; i++, patch += e->pixel_bytes) {
        if (x++ == e->row_length) x = 1, patch += e->row_bytes - e->row_length * e->pixel_bytes;
        uint32_t sum = 0;
        for (ptrdiff_t row = 0; row < e->run_rows; row++)
            for (ptrdiff_t column = 0; column < e->run_columns; column++)
                sum += pair_products(patch + row * e->run_row_bytes + column * e->run_column_bytes, paired);
        products[i] = (int32_t)sum;
    }
#else
    (void)e, (void)patches, (void)x, (void)count, (void)products;
#endif
}

/// The input rows of some output rows are widened at a time.
APUS_TARGET static void convolve_lines(const apus_integer_convolution *c) {
    const apus_window *w = &c->window;
    const patch_extents extents = line_extents(w, c->channel_count);
    const ptrdiff_t most_rows = fitting_rows(c);
    for (ptrdiff_t done = 0; done < c->count;) {
        const ptrdiff_t pixel = c->first + done, inner = pixel % c->image_pixel_count;
        const ptrdiff_t oy = inner / w->output_width, ox = inner % w->output_width;
        ptrdiff_t count = most_rows * w->output_width - ox;
        if (count > c->image_pixel_count - inner) count = c->image_pixel_count - inner;
        if (count > c->count - done) count = c->count - done;
        widen_lines(
            c, c->input + pixel / c->image_pixel_count * c->image_stride, oy,
            (ox + count + w->output_width - 1) / w->output_width);
        int32_t *products = (int32_t *)((uint8_t *)c->scratch + lines_bytes(w, c->channel_count, most_rows));
        find_pair_products(&extents, c->scratch, ox, count, products);
        multiply_panels(c, &extents, 0, c->scratch, products, ox, done, count);
        done += count;
    }
}

/// Patches that are pixels are widened, unless the input has them as they are wanted.
APUS_TARGET static void convolve_pixels(const apus_integer_convolution *c) {
    const ptrdiff_t channels = c->channel_count, stride = c->window.input_pixel_stride;
    const uint8_t *input = c->input + c->first * stride;
    if (APUS_GROUP == 4 && !flips(c->is_signed) && channels % APUS_GROUP == 0) {
        const patch_extents extents = pixel_extents(channels, stride);
        multiply_panels(c, &extents, 1, input, NULL, 0, 0, c->count);
        return;
    }
    const ptrdiff_t row_elements = words_of(channels) * APUS_GROUP;
    const patch_extents extents = pixel_extents(channels, row_elements * (ptrdiff_t)sizeof(wide));
    const ptrdiff_t most = (c->scratch_byte_count - LINE_ALIGNMENT) / (extents.pixel_bytes + PAIR_PRODUCT_BYTES);
    const ptrdiff_t blocks = (c->count + most - 1) / most;
    for (ptrdiff_t block = 0; block < blocks; block++) {
        const ptrdiff_t done = c->count * block / blocks, count = c->count * (block + 1) / blocks - done;
        const uint8_t *from = input + done * stride;
        wide *to = c->scratch;
        if (stride == channels && row_elements == channels) {
            widen(from, c->is_signed, c->zero_point, count * channels, to);
        } else {
            for (ptrdiff_t i = 0; i < count; i++, from += stride, to += row_elements) {
                widen(from, c->is_signed, c->zero_point, channels, to);
                fill(to + channels, 0, row_elements - channels);
            }
        }
        int32_t *products = (int32_t *)((uint8_t *)c->scratch + count * extents.pixel_bytes);
        find_pair_products(&extents, c->scratch, 0, count, products);
        multiply_panels(c, &extents, 1, c->scratch, products, 0, done, count);
    }
}

/// Whether the patches are the pixels of the input, one after the other through the batch.
static inline int is_pointwise(const apus_integer_convolution *c) {
    const apus_window *w = &c->window;
    return w->kernel_height * w->kernel_width == 1 && w->stride_height == 1 && w->stride_width == 1 &&
           w->padding_top == 0 && w->padding_left == 0 && w->output_width == w->input_width &&
           w->input_row_stride == w->input_width * w->input_pixel_stride &&
           c->image_stride == c->image_pixel_count * w->input_pixel_stride;
}

APUS_TARGET static void APUS_NAME(convolve_integers)(const apus_integer_convolution *c) {
    if (is_pointwise(c)) convolve_pixels(c);
    else convolve_lines(c);
}
