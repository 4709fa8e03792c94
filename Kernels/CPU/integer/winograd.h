// Winograd's minimal filtering F(4 · 4, 3 · 3) in integers; included by kernels.h where `dot_pairs` multiplies integers of
// 16 bits.
//
// A tile of outputs is Y = Aᵀ[Σ over input channels of (G g Gᵗ) ⊙ (Bᵗ d B)]A with the matrices of Toom and Cook for the
// points 0, ±1, ±2, ∞. Rows of G have the denominators 4, −6, 24 and 1; they are left out, and rows of Aᵀ multiplied by 24
// over them, so that all are integers and 576 Y is found. Sums wrap at 2³²: 576 = 9 · 2⁶, and 9 has an inverse modulo 2³²,
// so that 64 Y is exact where |Y| < 2²⁵.

enum {
    TILE_OUTPUTS = 4,
    TILE_INPUTS = 6,
    TILE_PRODUCTS = TILE_INPUTS * TILE_INPUTS,
    /// Bytes that `spread` adds at most.
    MOST_SPREAD = 127,
};

/// The inverse of 9 modulo 2³².
#define INVERSE_OF_9 954437177u

typedef int16_t short_vector __attribute__((vector_size(4 * APUS_LANES)));

enum { SHORT_LANES = 2 * APUS_LANES };

/// An odd number of cache lines, so that the products of one tile do not fall into the same cache sets.
APUS_INLINE ptrdiff_t spread(ptrdiff_t byte_count) { return (byte_count + 63) / 64 * 64 | 64; }

/// Elements of a transformed pixel.
APUS_INLINE ptrdiff_t transformed_channels(ptrdiff_t channels) {
    return (channels + SHORT_LANES - 1) / SHORT_LANES * SHORT_LANES;
}

/// Bytes of a tile's inputs and sums for one product.
APUS_INLINE ptrdiff_t product_bytes(ptrdiff_t channels) {
    return transformed_channels(channels) * (ptrdiff_t)sizeof(int16_t) + PANEL_COLUMNS * (ptrdiff_t)sizeof(int32_t);
}

APUS_INLINE ptrdiff_t outside_bytes(ptrdiff_t channels) { return (transformed_channels(channels) + 63) / 64 * 64; }

APUS_TARGET static ptrdiff_t APUS_NAME(tile_scratch)(ptrdiff_t channels, ptrdiff_t tile_count) {
    return outside_bytes(channels) + TILE_PRODUCTS * (tile_count * product_bytes(channels) + 2 * MOST_SPREAD);
}

/// As many tiles as the scratch memory has room for.
APUS_INLINE ptrdiff_t fitting_tiles(const apus_integer_convolution *c) {
    const ptrdiff_t bytes = (c->scratch_byte_count - outside_bytes(c->channel_count)) / TILE_PRODUCTS;
    return (bytes - 2 * MOST_SPREAD) / product_bytes(c->channel_count);
}

/// Where scratch memory has what belongs to some tiles.
typedef struct {
    /// A pixel outside the image.
    uint8_t *outside;
    /// [product][tile][channel], products `inputs_step` elements apart.
    int16_t *inputs;
    ptrdiff_t channels, inputs_step;
    /// [product][tile][panel column], products `sums_step` elements apart.
    int32_t *sums;
    ptrdiff_t sums_step;
} tile_scratch;

APUS_INLINE tile_scratch scratch_of(const apus_integer_convolution *c, ptrdiff_t tile_count) {
    const ptrdiff_t channels = transformed_channels(c->channel_count);
    const ptrdiff_t inputs_bytes = spread(tile_count * channels * (ptrdiff_t)sizeof(int16_t));
    const ptrdiff_t sums_bytes = spread(tile_count * PANEL_COLUMNS * (ptrdiff_t)sizeof(int32_t));
    uint8_t *inputs = (uint8_t *)c->scratch + outside_bytes(c->channel_count);
    return (tile_scratch){
        .outside = c->scratch, .inputs = (int16_t *)inputs, .channels = channels,
        .inputs_step = inputs_bytes / (ptrdiff_t)sizeof(int16_t),
        .sums = (int32_t *)(inputs + TILE_PRODUCTS * inputs_bytes),
        .sums_step = sums_bytes / (ptrdiff_t)sizeof(int32_t)};
}

/// Where a tile of outputs lies: (y, x) is its first.
typedef struct {
    ptrdiff_t image, y, x;
} tile_position;

APUS_INLINE tile_position locate(const apus_integer_convolution *c, ptrdiff_t tile) {
    const ptrdiff_t height = c->image_pixel_count / c->window.output_width;
    const ptrdiff_t across = (c->window.output_width + TILE_OUTPUTS - 1) / TILE_OUTPUTS;
    const ptrdiff_t down = (height + TILE_OUTPUTS - 1) / TILE_OUTPUTS, place = tile % (across * down);
    return (tile_position){tile / (across * down), place / across * TILE_OUTPUTS, place % across * TILE_OUTPUTS};
}

/// to = Bᵀ from; at most 10 times as large.
APUS_INLINE void transform_inputs(const short_vector *from, short_vector *to) {
    const short_vector even = from[4] - 4 * from[2], odd = from[3] - 4 * from[1];
    const short_vector farther_even = from[4] - from[2], farther_odd = 2 * (from[3] - from[1]);
    to[0] = 4 * from[0] - 5 * from[2] + from[4];
    to[1] = even + odd;
    to[2] = even - odd;
    to[3] = farther_even + farther_odd;
    to[4] = farther_even - farther_odd;
    to[5] = 4 * from[1] - 5 * from[3] + from[5];
}

typedef uint8_t narrow_vector __attribute__((vector_size(SHORT_LANES)));

#if !APUS_HAS_BYTE_MASKS
/// The first `count` bytes, fewer than a vector has, by powers of two: a call for so few takes longer.
APUS_INLINE narrow_vector load_first_bytes(const uint8_t *from, ptrdiff_t count) {
    narrow_vector bytes = {0};
    uint8_t *to = (uint8_t *)&bytes;
    APUS_UNROLL for (ptrdiff_t part = SHORT_LANES / 2; part > 0; part /= 2) {
        if (!(count & part)) continue;
        memcpy(to, from, (size_t)part);
        to += part;
        from += part;
    }
    return bytes;
}
#endif

/// Differences from the zero point of adjacent channels, of which `count` are wanted. Bytes with a sign become such without
/// by `flipped`, and `zero` is higher by as much.
APUS_INLINE short_vector load_differences(const uint8_t *from, uint8_t flipped, int16_t zero, const ptrdiff_t count) {
    narrow_vector bytes;
    if (count == SHORT_LANES) memcpy(&bytes, from, SHORT_LANES);
    else bytes = (narrow_vector)load_first_bytes(from, count);
    return __builtin_convertvector(bytes ^ flipped, short_vector) - zero;
}

/// to[i · step] = (Bᵗ d B)[i] for the channels of one vector.
APUS_INLINE void transform_channels(
    const apus_integer_convolution *c, const uint8_t *const *pixels, ptrdiff_t channel, const ptrdiff_t count,
    int16_t *to, ptrdiff_t step) {
    const uint8_t flipped = c->is_signed ? 0x80 : 0;
    const int16_t zero = (int16_t)(c->zero_point + flipped);
    short_vector half[TILE_INPUTS][TILE_INPUTS];
    APUS_UNROLL for (int x = 0; x < TILE_INPUTS; x++) {
        short_vector from[TILE_INPUTS], line[TILE_INPUTS];
        APUS_UNROLL for (int y = 0; y < TILE_INPUTS; y++)
            from[y] = load_differences(pixels[y * TILE_INPUTS + x] + channel, flipped, zero, count);
        transform_inputs(from, line);
        APUS_UNROLL for (int y = 0; y < TILE_INPUTS; y++) half[y][x] = line[y];
    }
    APUS_UNROLL for (int y = 0; y < TILE_INPUTS; y++) {
        short_vector line[TILE_INPUTS];
        transform_inputs(half[y], line);
        APUS_UNROLL for (int x = 0; x < TILE_INPUTS; x++)
            memcpy(to + (y * TILE_INPUTS + x) * step, &line[x], sizeof line[x]);
    }
}

APUS_INLINE void transform_tile(const apus_integer_convolution *c, tile_position at, const tile_scratch *s, int16_t *to) {
    const apus_window *w = &c->window;
    const ptrdiff_t top = at.y - w->padding_top, left = at.x - w->padding_left;
    const uint8_t *image = c->input + at.image * c->image_stride, *pixels[TILE_PRODUCTS];
    for (int y = 0; y < TILE_INPUTS; y++) {
        const int has_row = (size_t)(top + y) < (size_t)w->input_height;
        for (int x = 0; x < TILE_INPUTS; x++) {
            const int is_inside = has_row && (size_t)(left + x) < (size_t)w->input_width;
            const ptrdiff_t offset = (top + y) * w->input_row_stride + (left + x) * w->input_pixel_stride;
            pixels[y * TILE_INPUTS + x] = is_inside ? image + offset : s->outside;
        }
    }
    const ptrdiff_t channels = c->channel_count;
    if (channels < SHORT_LANES) {
        transform_channels(c, pixels, 0, channels, to, s->inputs_step);
        return;
    }
    // The last vector may overlap the one before.
    for (ptrdiff_t next = SHORT_LANES; next < channels + SHORT_LANES; next += SHORT_LANES) {
        const ptrdiff_t channel = (next < channels ? next : channels) - SHORT_LANES;
        transform_channels(c, pixels, channel, SHORT_LANES, to + channel, s->inputs_step);
    }
}

/// One product of some tiles with a panel of weights.
typedef struct {
    const int16_t *inputs;
    ptrdiff_t channels, words;
    const int32_t *weights;
    /// Weights of the next product, fetched meanwhile: some cache lines of each word.
    const int32_t *upcoming;
    int32_t *sums;
} tile_product;

/// Lines that a row of tiles fetches of each word of a panel; the next row fetches the rest.
enum { FETCHED_LINES = (PANEL_LINES + 1) / 2 };

/// `rows` and `vectors` are constants of the caller.
APUS_INLINE void multiply_pairs(const tile_product *p, const int rows, const int vectors) {
    int_vector sums[APUS_TILE_ROWS][APUS_PANEL_VECTORS];
    APUS_UNROLL for (int r = 0; r < rows; r++)
        APUS_UNROLL for (int v = 0; v < vectors; v++) sums[r][v] = (int_vector){0};
    const int32_t *weights = p->weights, *upcoming = p->upcoming;
    const int16_t *inputs = p->inputs;
    const ptrdiff_t channels = p->channels;
    for (ptrdiff_t k = 0; k < p->words; k++, inputs += 2, weights += PANEL_COLUMNS, upcoming += PANEL_COLUMNS) {
        APUS_UNROLL for (int line = 0; line < FETCHED_LINES; line++)
            __builtin_prefetch(upcoming + line * CACHE_LINE, 0, 2);
        int_vector columns[APUS_PANEL_VECTORS];
        APUS_UNROLL for (int v = 0; v < vectors; v++) columns[v] = load_integers(weights + v * APUS_LANES);
        APUS_UNROLL for (int r = 0; r < rows; r++) {
            int32_t word;
            memcpy(&word, inputs + r * channels, sizeof word);
            const int_vector words = (int_vector){0} + word;
            APUS_UNROLL for (int v = 0; v < vectors; v++) sums[r][v] = dot_pairs(sums[r][v], words, columns[v]);
        }
    }
    APUS_UNROLL for (int r = 0; r < rows; r++)
        APUS_UNROLL for (int v = 0; v < vectors; v++)
            memcpy(p->sums + r * PANEL_COLUMNS + v * APUS_LANES, &sums[r][v], sizeof sums[r][v]);
}

#undef APUS_TILE_CASE
#define APUS_TILE_CASE(count) case count: multiply_pairs(product, count, vectors); break;

APUS_INLINE void multiply_tiles(const tile_product *product, ptrdiff_t rows, const int vectors) {
    switch (rows) { APUS_TILE_CASES }
}

/// to = 24 · Aᵀ from
APUS_INLINE void transform_sums(const wrapping *from, wrapping *to) {
    const wrapping sum = from[1] + from[2], difference = from[1] - from[2];
    const wrapping farther_sum = from[3] + from[4], farther_difference = from[3] - from[4];
    to[0] = 6 * from[0] - 4 * sum + farther_sum;
    to[1] = 2 * farther_difference - 4 * difference;
    to[2] = 4 * (farther_sum - sum);
    to[3] = 24 * from[5] + 8 * farther_difference - 4 * difference;
}

/// outputs[i][v] = Y[i] + bias from 576 Y modulo 2³², for one vector of columns.
APUS_INLINE void finish_sums(
    const int32_t *sums, ptrdiff_t step, int_vector bias, const int v, int_vector (*outputs)[APUS_PANEL_VECTORS]) {
    wrapping half[TILE_OUTPUTS][TILE_INPUTS];
    APUS_UNROLL for (int x = 0; x < TILE_INPUTS; x++) {
        wrapping from[TILE_INPUTS], line[TILE_OUTPUTS];
        APUS_UNROLL for (int y = 0; y < TILE_INPUTS; y++)
            from[y] = (wrapping)load_integers(sums + (y * TILE_INPUTS + x) * step);
        transform_sums(from, line);
        APUS_UNROLL for (int y = 0; y < TILE_OUTPUTS; y++) half[y][x] = line[y];
    }
    APUS_UNROLL for (int y = 0; y < TILE_OUTPUTS; y++) {
        wrapping line[TILE_OUTPUTS];
        transform_sums(half[y], line);
        APUS_UNROLL for (int x = 0; x < TILE_OUTPUTS; x++)
            outputs[y * TILE_OUTPUTS + x][v] = ((int_vector)(line[x] * INVERSE_OF_9) >> 6) + bias;
    }
}

/// The outputs of a tile for the columns of a panel, as many as lie inside the image. `vectors` and `quick` are constants
/// of the caller.
APUS_INLINE void store_tile(
    const apus_integer_convolution *c, tile_position at, const int32_t *sums, ptrdiff_t step, ptrdiff_t column,
    const int vectors, const int quick) {
    int_vector outputs[TILE_OUTPUTS * TILE_OUTPUTS][APUS_PANEL_VECTORS];
#pragma clang loop unroll(disable)
    for (int v = 0; v < vectors; v++)
        finish_sums(sums + v * APUS_LANES, step, load_integers(c->bias + column + v * APUS_LANES), v, outputs);
    const apus_requantization requantization = c->requantization;
    const ptrdiff_t width = c->window.output_width, height = c->image_pixel_count / width;
    const ptrdiff_t left = c->column_count - column, count = left < vectors * APUS_LANES ? left : vectors * APUS_LANES;
    const ptrdiff_t rows = height - at.y < TILE_OUTPUTS ? height - at.y : TILE_OUTPUTS;
    const ptrdiff_t columns = width - at.x < TILE_OUTPUTS ? width - at.x : TILE_OUTPUTS;
    uint8_t *row = c->output + (at.image * c->image_pixel_count + at.y * width + at.x) * c->output_stride + column;
    for (ptrdiff_t y = 0; y < rows; y++, row += width * c->output_stride)
        for (ptrdiff_t x = 0; x < columns; x++)
            store_columns(
                row + x * c->output_stride, outputs[y * TILE_OUTPUTS + x], vectors, quick, &requantization, column,
                count);
}

/// A panel of weights passes for all tiles before the next.
APUS_INLINE void multiply_panel(
    const apus_integer_convolution *c, const tile_scratch *s, ptrdiff_t first, ptrdiff_t count, ptrdiff_t column,
    const int vectors) {
    const ptrdiff_t words = (c->channel_count + 1) / 2, groups = (count + APUS_TILE_ROWS - 1) / APUS_TILE_ROWS;
    const int32_t *weights = (const int32_t *)c->weights + column * TILE_PRODUCTS * words;
    for (int product = 0; product < TILE_PRODUCTS; product++, weights += words * PANEL_COLUMNS) {
        for (ptrdiff_t group = 0; group < groups; group++) {
            const ptrdiff_t row = count * group / groups;
            const tile_product rows = {
                .inputs = s->inputs + product * s->inputs_step + row * s->channels, .channels = s->channels,
                .words = words, .weights = weights,
                .upcoming = weights + words * PANEL_COLUMNS + group % 2 * (PANEL_COLUMNS / 2),
                .sums = s->sums + product * s->sums_step + row * PANEL_COLUMNS};
            multiply_tiles(&rows, count * (group + 1) / groups - row, vectors);
        }
    }
    for (ptrdiff_t tile = 0; tile < count; tile++) {
        const tile_position at = locate(c, first + tile);
        const int32_t *sums = s->sums + tile * PANEL_COLUMNS;
        if (is_quick(&c->requantization)) store_tile(c, at, sums, s->sums_step, column, vectors, 1);
        else store_tile(c, at, sums, s->sums_step, column, vectors, 0);
    }
}

APUS_TARGET static void APUS_NAME(convolve_tiles)(const apus_integer_convolution *c) {
    const ptrdiff_t most = fitting_tiles(c), blocks = (c->count + most - 1) / most;
    memset(c->scratch, (uint8_t)c->zero_point, (size_t)outside_bytes(c->channel_count));
    for (ptrdiff_t block = 0; block < blocks; block++) {
        const ptrdiff_t begin = c->count * block / blocks, count = c->count * (block + 1) / blocks - begin;
        const tile_scratch scratch = scratch_of(c, count);
        for (ptrdiff_t tile = 0; tile < count; tile++)
            transform_tile(
                c, locate(c, c->first + begin + tile), &scratch, scratch.inputs + tile * scratch.channels);
        for (ptrdiff_t column = 0; column < c->column_count; column += PANEL_COLUMNS) {
            if (c->column_count - column > PANEL_COLUMNS / 2)
                multiply_panel(c, &scratch, c->first + begin, count, column, APUS_PANEL_VECTORS);
            else multiply_panel(c, &scratch, c->first + begin, count, column, APUS_PANEL_VECTORS / 2);
        }
    }
}
