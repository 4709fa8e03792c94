#ifndef APUS_WIDENED_LINES_H
#define APUS_WIDENED_LINES_H

// Input rows as lines of widened elements, with what lies around the image. Needs the functions of variant.h.

#include "variant.h"

enum { LINE_ALIGNMENT = 64 };

/// Whether widened elements are signed and the input is not, or the other way round.
APUS_INLINE int flips_sign(int is_signed) {
#if APUS_GROUP == 4
    return !is_signed != !APUS_HAS_SIGNED_BYTES;
#else
    (void)is_signed;
    return 0;
#endif
}

/// The widened element of the zero point.
APUS_INLINE widened_element widened_zero(int is_signed, int32_t zero_point) {
#if APUS_GROUP == 4
    return (widened_element)(zero_point + (flips_sign(is_signed) ? 128 : 0));
#else
    (void)is_signed, (void)zero_point;
    return 0;
#endif
}

/// Widens `count` adjacent elements.
APUS_INLINE void widen(const uint8_t *from, int is_signed, int32_t zero_point, ptrdiff_t count, widened_element *to) {
#if APUS_GROUP == 4
    (void)zero_point;
    flip_bits(from, flips_sign(is_signed) ? 0x80 : 0, count, to);
#else
    const int16_t zero = (int16_t)zero_point;
    if (is_signed)
        for (ptrdiff_t i = 0; i < count; i++) to[i] = (int16_t)((int8_t)from[i] - zero);
    else
        for (ptrdiff_t i = 0; i < count; i++) to[i] = (int16_t)(from[i] - zero);
#endif
}

APUS_INLINE void fill(widened_element *to, widened_element value, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) to[i] = value;
}

/// Widens `width` pixels of an input row to `pitch` elements each. Pixel i is the row's pixel `first` + i · `step`,
/// which may lie outside the image.
APUS_INLINE void widen_pixels(
    const uint8_t *row, const apus_window *w, ptrdiff_t channels, int is_signed, int32_t zero_point, ptrdiff_t first,
    ptrdiff_t step, ptrdiff_t width, ptrdiff_t pitch, widened_element *line) {
    const widened_element zero = widened_zero(is_signed, zero_point);
    // Pixels i that lie inside: 0 ≤ first + i · step < input_width.
    ptrdiff_t begin = first >= 0 ? 0 : (-first + step - 1) / step;
    ptrdiff_t end = first >= w->input_width ? 0 : (w->input_width - first + step - 1) / step;
    begin = begin < width ? begin : width;
    end = end < begin ? begin : end < width ? end : width;
    fill(line, zero, begin * pitch);
    fill(line + end * pitch, zero, (width - end) * pitch);
    const uint8_t *pixel = row + (first + begin * step) * w->input_pixel_stride;
    line += begin * pitch;
    if (step * w->input_pixel_stride == pitch && channels == pitch) {
        if (end > begin) widen(pixel, is_signed, zero_point, (end - begin) * channels, line);
        return;
    }
    for (ptrdiff_t i = begin; i < end; i++, pixel += step * w->input_pixel_stride, line += pitch)
        widen(pixel, is_signed, zero_point, channels, line);
}

/// Where the patches of a convolution lie. The patch of pixel x of output row y begins y · row_bytes + x · pixel_bytes
/// behind the first patch. It consists of run_rows · run_columns runs of `words` adjacent words.
typedef struct {
    ptrdiff_t row_length, row_bytes, pixel_bytes;
    ptrdiff_t run_rows, run_columns, run_row_bytes, run_column_bytes, words;
} patch_extents;

/// Words that hold `elements` elements.
APUS_INLINE ptrdiff_t words_of(ptrdiff_t elements) { return (elements + APUS_GROUP - 1) / APUS_GROUP; }

/// Patches that are pixels, `pixel_bytes` apart.
APUS_INLINE patch_extents pixel_extents(ptrdiff_t channel_count, ptrdiff_t pixel_bytes) {
    return (patch_extents){
        .row_length = PTRDIFF_MAX, .pixel_bytes = pixel_bytes, .run_rows = 1, .run_columns = 1,
        .words = words_of(channel_count)};
}

/// Elements from one line to the next.
APUS_INLINE ptrdiff_t line_stride(const apus_window *w, ptrdiff_t channel_count) {
    const ptrdiff_t extent = (w->kernel_width - 1) * w->dilation_width + 1;
    // The last word of the last patch may end behind it.
    const ptrdiff_t elements = ((w->output_width - 1) * w->stride_width + extent) * channel_count + APUS_GROUP;
    return (elements + LINE_ALIGNMENT - 1) / LINE_ALIGNMENT * LINE_ALIGNMENT;
}

/// Patches that are runs of lines. The taps of a kernel row are one run where they are adjacent.
APUS_INLINE patch_extents line_extents(const apus_window *w, ptrdiff_t channel_count) {
    const ptrdiff_t line_bytes = line_stride(w, channel_count) * (ptrdiff_t)sizeof(widened_element);
    const ptrdiff_t pixel_bytes = channel_count * (ptrdiff_t)sizeof(widened_element);
    const int is_adjacent = w->dilation_width == 1;
    return (patch_extents){
        .row_length = w->output_width, .row_bytes = w->stride_height * line_bytes,
        .pixel_bytes = w->stride_width * pixel_bytes, .run_rows = w->kernel_height,
        .run_columns = is_adjacent ? 1 : w->kernel_width, .run_row_bytes = w->dilation_height * line_bytes,
        .run_column_bytes = w->dilation_width * pixel_bytes,
        .words = words_of(is_adjacent ? w->kernel_width * channel_count : channel_count)};
}

/// Bytes that hold a patch's pair products (paired_words.h).
enum { PAIR_PRODUCT_BYTES = APUS_MINIMUM_PAIRED_WORDS > 0 ? sizeof(int32_t) : 0 };

/// The input rows under `rows` output rows.
APUS_INLINE ptrdiff_t line_count(const apus_window *w, ptrdiff_t rows) {
    return (rows - 1) * w->stride_height + (w->kernel_height - 1) * w->dilation_height + 1;
}

/// Bytes of the lines under `rows` output rows.
APUS_INLINE ptrdiff_t lines_bytes(const apus_window *w, ptrdiff_t channel_count, ptrdiff_t rows) {
    return line_count(w, rows) * line_stride(w, channel_count) * (ptrdiff_t)sizeof(widened_element);
}

/// Bytes of scratch memory for `rows` output rows: lines, and then the pair products of their patches.
APUS_INLINE ptrdiff_t rows_bytes(const apus_window *w, ptrdiff_t channel_count, ptrdiff_t rows) {
    return lines_bytes(w, channel_count, rows) + rows * w->output_width * PAIR_PRODUCT_BYTES;
}

/// The output rows for which scratch memory has room.
APUS_INLINE ptrdiff_t fitting_rows(const apus_integer_convolution *c) {
    const ptrdiff_t one = rows_bytes(&c->window, c->channel_count, 1);
    const ptrdiff_t further = rows_bytes(&c->window, c->channel_count, 2) - one;
    return (c->scratch_byte_count - one) / further + 1;
}

/// The minimum bytes of scratch memory: for one output row, and for a tile of pixels.
APUS_TARGET static ptrdiff_t APUS_NAME(convolution_scratch)(const apus_window *w, ptrdiff_t channel_count) {
    const ptrdiff_t pixel = words_of(channel_count) * (ptrdiff_t)sizeof(int32_t) + PAIR_PRODUCT_BYTES;
    const ptrdiff_t pixels = APUS_NARROW_TILE_ROWS * pixel + LINE_ALIGNMENT;
    const ptrdiff_t lines = rows_bytes(w, channel_count, 1);
    return pixels > lines ? pixels : lines;
}

/// Widens the input rows under `count` output rows from row `first` on into scratch memory.
APUS_INLINE void widen_lines(
    const apus_integer_convolution *c, const uint8_t *image, ptrdiff_t first, ptrdiff_t count) {
    const apus_window *w = &c->window;
    const ptrdiff_t stride = line_stride(w, c->channel_count), y0 = first * w->stride_height - w->padding_top;
    widened_element *line = c->scratch;
    for (ptrdiff_t i = 0; i < line_count(w, count); i++, line += stride) {
        const ptrdiff_t y = y0 + i;
        if (y < 0 || y >= w->input_height) {
            fill(line, widened_zero(c->is_signed, c->zero_point), stride);
            continue;
        }
        widen_pixels(
            image + y * w->input_row_stride, w, c->channel_count, c->is_signed, c->zero_point, -w->padding_left, 1,
            stride / c->channel_count, c->channel_count, line);
        fill(line + stride / c->channel_count * c->channel_count, 0, stride % c->channel_count);
    }
}

#endif
