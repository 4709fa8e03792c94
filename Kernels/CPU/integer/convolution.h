#ifndef APUS_INTEGER_CONVOLUTION_H
#define APUS_INTEGER_CONVOLUTION_H

// Convolutions as products of patches with packed weights. Needs the functions of variant.h.

#include "paired_words.h"
#include "product_tile.h"
#include "variant.h"
#include "widened_lines.h"

/// Multiplies `count` patches from pixel `x` of the first row on with all panels; `done` pixels of the convolution lie
/// before them. Whether patches are pixels is a constant of the caller.
APUS_INLINE void multiply_panels(
    const apus_integer_convolution *c, const patch_extents *e, const int has_pixels, const uint8_t *patches,
    const int32_t *pair_products, ptrdiff_t x, ptrdiff_t done, ptrdiff_t count) {
    const ptrdiff_t words = e->run_rows * e->run_columns * e->words;
    const int is_paired = paired_words(e->words) > 0;
    product_tile tile = {.convolution = c, .extents = e};
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
            // Where rows of a tile have to lie pixels apart, a tile ends with its row of pixels.
            const ptrdiff_t rest = e->row_length - pixel;
            end = has_rows_apart(is_narrow ? 2 : 4) && rest < count - begin ? begin + rest : count;
            const ptrdiff_t tile_count = (end - begin + tile_rows - 1) / tile_rows;
            const ptrdiff_t minimum_rows = (end - begin) / tile_count, taller_count = (end - begin) % tile_count;
            ptrdiff_t first = begin;
            for (ptrdiff_t index = 0; index < tile_count; index++) {
                const ptrdiff_t next = first + minimum_rows + (index < taller_count);
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
                        if (++pixel == e->row_length) {
                            pixel = 0;
                            offset += e->row_bytes - e->row_length * e->pixel_bytes;
                        }
                    }
                    if (is_paired) multiply_paired_lines(&tile, rows);
                    else multiply_lines(&tile, rows);
                }
                first = next;
            }
        }
    }
}

/// The pair products of `count` patches from pixel `x` of the first row on (paired_words.h).
APUS_INLINE void find_pair_products(
    const patch_extents *e, const uint8_t *patches, ptrdiff_t x, ptrdiff_t count, int32_t *products) {
#if APUS_MINIMUM_PAIRED_WORDS > 0
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

/// Widens the input under as many output rows at a time as scratch memory has room for.
APUS_TARGET static void convolve_lines(const apus_integer_convolution *c) {
    const apus_window *w = &c->window;
    const patch_extents extents = line_extents(w, c->channel_count);
    const ptrdiff_t maximum_rows = fitting_rows(c);
    for (ptrdiff_t done = 0; done < c->count;) {
        const ptrdiff_t pixel = c->first + done, inner = pixel % c->image_pixel_count;
        const ptrdiff_t oy = inner / w->output_width, ox = inner % w->output_width;
        ptrdiff_t count = maximum_rows * w->output_width - ox;
        if (count > c->image_pixel_count - inner) count = c->image_pixel_count - inner;
        if (count > c->count - done) count = c->count - done;
        widen_lines(
            c, c->input + pixel / c->image_pixel_count * c->image_stride, oy,
            (ox + count + w->output_width - 1) / w->output_width);
        int32_t *products = (int32_t *)((uint8_t *)c->scratch + lines_bytes(w, c->channel_count, maximum_rows));
        find_pair_products(&extents, c->scratch, ox, count, products);
        multiply_panels(c, &extents, 0, c->scratch, products, ox, done, count);
        done += count;
    }
}

/// Patches that are pixels are widened, unless `dot` takes the bytes of the input as they are.
APUS_TARGET static void convolve_pixels(const apus_integer_convolution *c) {
    const ptrdiff_t channels = c->channel_count, stride = c->window.input_pixel_stride;
    const uint8_t *input = c->input + c->first * stride;
    if (APUS_GROUP == 4 && !flips_sign(c->is_signed) && channels % APUS_GROUP == 0) {
        const patch_extents extents = pixel_extents(channels, stride);
        multiply_panels(c, &extents, 1, input, NULL, 0, 0, c->count);
        return;
    }
    const ptrdiff_t row_elements = words_of(channels) * APUS_GROUP;
    const patch_extents extents = pixel_extents(channels, row_elements * (ptrdiff_t)sizeof(widened_element));
    const ptrdiff_t maximum_pixels =
        (c->scratch_byte_count - LINE_ALIGNMENT) / (extents.pixel_bytes + PAIR_PRODUCT_BYTES);
    const ptrdiff_t blocks = (c->count + maximum_pixels - 1) / maximum_pixels;
    for (ptrdiff_t block = 0; block < blocks; block++) {
        const ptrdiff_t done = c->count * block / blocks, count = c->count * (block + 1) / blocks - done;
        const uint8_t *from = input + done * stride;
        widened_element *to = c->scratch;
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

#endif
