// Products and sums of 8-bit integers. Included after a variant header that also defines
//
// - `high_product(x, m)`: round(x · m / 2³¹), halves up;
// - `dot_pairs(sums, a, b)`: sums + the products of the two 16-bit halves of every lane;
// - APUS_GROUP and `dot(sums, a, b)`: the same for the elements of a word, `a` unsigned where there are four;
// - APUS_TILE_ROWS and APUS_TILE_CASES.

#include "requantize.h"

enum { PANEL_VECTORS = 2, PANEL_COLUMNS = PANEL_VECTORS * APUS_LANES };

/// Elements of widened patches.
#if APUS_GROUP == 4
typedef uint8_t wide;
#else
typedef int16_t wide;
#endif

/// Widens `count` adjacent elements.
APUS_INLINE void widen(const uint8_t *from, int is_signed, int32_t zero_point, ptrdiff_t count, wide *to) {
#if APUS_GROUP == 4
    (void)zero_point;
    if (!is_signed) memcpy(to, from, (size_t)count);
    else
        for (ptrdiff_t i = 0; i < count; i++) to[i] = from[i] ^ 0x80;
#else
    const int16_t zero = (int16_t)zero_point;
    if (is_signed)
        for (ptrdiff_t i = 0; i < count; i++) to[i] = (int16_t)((int8_t)from[i] - zero);
    else
        for (ptrdiff_t i = 0; i < count; i++) to[i] = (int16_t)(from[i] - zero);
#endif
}

/// The patches of `count` output pixels from `first` on, one after the other, each `row_elements` long.
APUS_TARGET static void gather(
    const apus_integer_convolution *c, ptrdiff_t first, ptrdiff_t count, ptrdiff_t row_elements, wide *rows) {
    const apus_window *w = &c->window;
#if APUS_GROUP == 4
    const wide zero = (wide)(c->zero_point + (c->is_signed ? 128 : 0));
#else
    const wide zero = 0;
#endif
    const ptrdiff_t height = c->image_pixel_count / w->output_width, channels = c->channel_count;
    const ptrdiff_t depth = w->kernel_height * w->kernel_width * channels;
    const int is_dense = w->input_pixel_stride == channels && w->dilation_width == 1;
    for (ptrdiff_t pixel = first; pixel < first + count; pixel++, rows += row_elements) {
        const ptrdiff_t image = pixel / c->image_pixel_count, inner = pixel % c->image_pixel_count;
        const ptrdiff_t y0 = inner / w->output_width % height * w->stride_height - w->padding_top;
        const ptrdiff_t x0 = inner % w->output_width * w->stride_width - w->padding_left;
        const uint8_t *from = c->input + image * c->image_stride;
        const int is_inside = x0 >= 0 && x0 + (w->kernel_width - 1) * w->dilation_width < w->input_width;
        wide *to = rows;
        for (ptrdiff_t ky = 0; ky < w->kernel_height; ky++) {
            const ptrdiff_t y = y0 + ky * w->dilation_height;
            const uint8_t *line = from + y * w->input_row_stride;
            if (y < 0 || y >= w->input_height) {
                for (ptrdiff_t i = 0; i < w->kernel_width * channels; i++) to[i] = zero;
                to += w->kernel_width * channels;
            } else if (is_inside && is_dense) {
                widen(line + x0 * channels, c->is_signed, c->zero_point, w->kernel_width * channels, to);
                to += w->kernel_width * channels;
            } else {
                for (ptrdiff_t kx = 0; kx < w->kernel_width; kx++, to += channels) {
                    const ptrdiff_t x = x0 + kx * w->dilation_width;
                    if (x < 0 || x >= w->input_width)
                        for (ptrdiff_t i = 0; i < channels; i++) to[i] = zero;
                    else
                        widen(line + x * w->input_pixel_stride, c->is_signed, c->zero_point, channels, to);
                }
            }
        }
        for (ptrdiff_t i = depth; i < row_elements; i++) rows[i] = 0;
    }
}

/// One tile of rows × (vectors · APUS_LANES) sums; `rows` and `vectors` are constants of the caller.
APUS_INLINE void multiply_tile(
    const apus_integer_convolution *c, const int rows, const int vectors, const int32_t *patches, ptrdiff_t words,
    const int32_t *weights, ptrdiff_t column, uint8_t *output, ptrdiff_t last_count) {
    mask sums[APUS_TILE_ROWS][PANEL_VECTORS];
    APUS_UNROLL for (int r = 0; r < rows; r++)
        APUS_UNROLL for (int v = 0; v < vectors; v++) sums[r][v] = load_integers(c->bias + column + v * APUS_LANES);
    for (ptrdiff_t k = 0; k < words; k++, weights += PANEL_COLUMNS) {
        mask columns[PANEL_VECTORS];
        APUS_UNROLL for (int v = 0; v < vectors; v++) columns[v] = load_integers(weights + v * APUS_LANES);
        APUS_UNROLL for (int r = 0; r < rows; r++) {
            const mask pair = (mask){0} + patches[r * words + k];
            APUS_UNROLL for (int v = 0; v < vectors; v++) sums[r][v] = dot(sums[r][v], pair, columns[v]);
        }
    }
    const int last = vectors - 1;
    APUS_UNROLL for (int v = 0; v < vectors; v++) {
        APUS_UNROLL for (int r = 0; r < rows; r++)
            store_bytes(
                output + r * c->output_stride + v * APUS_LANES,
                requantize(sums[r][v], &c->requantization, column + v * APUS_LANES),
                v == last ? last_count : APUS_LANES);
    }
}

#define APUS_TILE_CASE(count)                                                                      \
    case count: multiply_tile(c, count, vectors, patches, words, weights, column, output, last_count); break;

#define APUS_TILE_FUNCTION(name, constant_vectors)                                                 \
    APUS_TARGET static void name(                                                                  \
        const apus_integer_convolution *c, ptrdiff_t rows, const int32_t *patches, ptrdiff_t words, \
        const int32_t *weights, ptrdiff_t column, uint8_t *output, ptrdiff_t last_count) {         \
        enum { vectors = constant_vectors };                                                       \
        switch (rows) { APUS_TILE_CASES }                                                          \
    }

APUS_TILE_FUNCTION(multiply_one_vector, 1)
APUS_TILE_FUNCTION(multiply_two_vectors, 2)

/// Some patches at a time are widened, then multiplied with all panels.
APUS_TARGET static void APUS_NAME(convolve_integers)(const apus_integer_convolution *c) {
    const ptrdiff_t depth = c->window.kernel_height * c->window.kernel_width * c->channel_count;
    const ptrdiff_t words = (depth + APUS_GROUP - 1) / APUS_GROUP;
    for (ptrdiff_t done = 0; done < c->pixel_count; done += c->scratch_row_count) {
        const ptrdiff_t left = c->pixel_count - done;
        const ptrdiff_t count = left < c->scratch_row_count ? left : c->scratch_row_count;
        gather(c, c->first_pixel + done, count, words * APUS_GROUP, c->scratch);
        const ptrdiff_t tile_count = (count + APUS_TILE_ROWS - 1) / APUS_TILE_ROWS;
        for (ptrdiff_t column = 0; column < c->column_count; column += PANEL_COLUMNS) {
            const int32_t *weights = (const int32_t *)c->weights + column * words;
            const ptrdiff_t columns = c->column_count - column;
            for (ptrdiff_t tile = 0; tile < tile_count; tile++) {
                const ptrdiff_t first = count * tile / tile_count, end = count * (tile + 1) / tile_count;
                const int32_t *patches = (const int32_t *)c->scratch + first * words;
                uint8_t *output = c->output + (done + first) * c->output_stride + column;
                if (columns <= APUS_LANES)
                    multiply_one_vector(c, end - first, patches, words, weights, column, output, columns);
                else
                    multiply_two_vectors(
                        c, end - first, patches, words, weights, column, output,
                        columns < PANEL_COLUMNS ? columns - APUS_LANES : APUS_LANES);
            }
        }
    }
}

APUS_INLINE ptrdiff_t taps_before(ptrdiff_t start, ptrdiff_t end, ptrdiff_t step, ptrdiff_t count) {
    const ptrdiff_t taps = end <= start ? 0 : (end - start + step - 1) / step;
    return taps < count ? taps : count;
}

APUS_TARGET static void APUS_NAME(convolve_channels)(const apus_integer_depthwise *d) {
    const apus_window *w = &d->window;
    const mask zero = (mask){0} + d->zero_point;
    for (ptrdiff_t oy = d->first_row; oy < d->last_row; oy++) {
        const ptrdiff_t y0 = oy * w->stride_height - w->padding_top;
        const ptrdiff_t ky0 = taps_before(y0, 0, w->dilation_height, w->kernel_height);
        const ptrdiff_t ky1 = taps_before(y0, w->input_height, w->dilation_height, w->kernel_height);
        for (ptrdiff_t ox = 0; ox < w->output_width; ox++) {
            const ptrdiff_t x0 = ox * w->stride_width - w->padding_left;
            const ptrdiff_t kx0 = taps_before(x0, 0, w->dilation_width, w->kernel_width);
            const ptrdiff_t kx1 = taps_before(x0, w->input_width, w->dilation_width, w->kernel_width);
            uint8_t *output = d->output + oy * d->output_row_stride + ox * d->output_pixel_stride;
            for (ptrdiff_t channel = 0; channel < d->channel_count; channel += APUS_LANES) {
                const ptrdiff_t left = d->channel_count - channel;
                const ptrdiff_t count = left < APUS_LANES ? left : APUS_LANES;
                mask sums = load_integers(d->bias + channel);
                for (ptrdiff_t ky = ky0; ky < ky1; ky++) {
                    const uint8_t *line =
                        d->input + (y0 + ky * w->dilation_height) * w->input_row_stride + channel;
                    const int32_t *weights = d->weights + ky * w->kernel_width * d->tap_stride + channel;
                    for (ptrdiff_t kx = kx0; kx < kx1; kx++) {
                        const uint8_t *pixel = line + (x0 + kx * w->dilation_width) * w->input_pixel_stride;
                        const mask x = load_bytes(pixel, d->is_signed, count) - zero;
                        sums = dot_pairs(sums, x, load_integers(weights + kx * d->tap_stride));
                    }
                }
                store_bytes(output + channel, requantize(sums, &d->requantization, channel), count);
            }
        }
    }
}

APUS_TARGET static void APUS_NAME(add_integers)(const apus_integer_sum *s) {
    const mask zero = {0};
    for (ptrdiff_t i = 0; i < s->count; i += APUS_LANES) {
        const ptrdiff_t left = s->count - i, count = left < APUS_LANES ? left : APUS_LANES;
        const int32_t number = s->is_signed ? (int8_t)s->b[0] : s->b[0];
        const mask b = s->b_step ? load_bytes(s->b + i, s->is_signed, count) : zero + number;
        const mask x = (load_bytes(s->a + i, s->is_signed, count) - s->a_zero) << s->left_shift;
        const mask y = (b - s->b_zero) << s->left_shift;
        const mask first = scale_fixed(x, zero + s->first, zero + s->first_shift);
        const mask second = scale_fixed(y, zero + s->second, zero + s->second_shift);
        const mask sum = s->is_difference ? first - second : first + second;
        const mask result = scale_fixed(sum, zero + s->output, zero + s->output_shift) + s->y_zero;
        store_bytes(s->y + i, lesser(greater(result, zero + s->low), zero + s->high), count);
    }
}

const apus_integer_kernel APUS_NAME(apus_integer) = {
    .tile_rows = APUS_TILE_ROWS, .panel_columns = PANEL_COLUMNS, .group = APUS_GROUP, .shifts_input = APUS_GROUP == 4,
    .convolve = APUS_NAME(convolve_integers), .convolve_depthwise = APUS_NAME(convolve_channels),
    .add = APUS_NAME(add_integers)};
