#include "apus_pooling.h"
#include "../bfloat16.h"
#include "../target.h"

#include <math.h>

/// The taps [first, last) of a window axis for which low ≤ start + tap · dilation < high.
static inline void taps_between(
    ptrdiff_t start, ptrdiff_t low, ptrdiff_t high, ptrdiff_t dilation, ptrdiff_t taps, ptrdiff_t *first,
    ptrdiff_t *last) {
    *first = start >= low ? 0 : (low - start + dilation - 1) / dilation;
    *last = start >= high                           ? 0
            : high - start > (taps - 1) * dilation ? taps
                                                    : (high - start + dilation - 1) / dilation;
    if (*first > *last) *first = *last;
}

/// Channels whose results stay in registers at the same time.
enum { BLOCK = 32 };

/// Writes an element that was read from an array of the same type.
__attribute__((always_inline)) static inline void write_exact(
    void *array, ptrdiff_t index, float x, const int is_bfloat16) {
    if (is_bfloat16)
        ((uint16_t *)array)[index] = upper_half(x);
    else
        ((float *)array)[index] = x;
}

/// The taps of a window that are inside the image: `rows` × `columns`, the first at `start`.
typedef struct {
    const void *start;
    ptrdiff_t rows, columns, row_stride, column_stride;
} inside_taps;

/// The taps in rows [ky_first, ky_last) and columns [kx_first, kx_last) of the window whose first tap is at (y0, x0).
__attribute__((always_inline)) static inline inside_taps taps_of(
    const void *input, const apus_window *window, ptrdiff_t y0, ptrdiff_t x0, ptrdiff_t ky_first, ptrdiff_t ky_last,
    ptrdiff_t kx_first, ptrdiff_t kx_last, const int is_bfloat16) {
    const ptrdiff_t y = y0 + ky_first * window->dilation_height, x = x0 + kx_first * window->dilation_width;
    return (inside_taps){
        .start = element_address(input, y * window->input_row_stride + x * window->input_pixel_stride, is_bfloat16),
        .rows = ky_last - ky_first,
        .columns = kx_last - kx_first,
        .row_stride = window->dilation_height * window->input_row_stride,
        .column_stride = window->dilation_width * window->input_pixel_stride};
}

/// The maximum of each channel. NaN is tracked apart, so that a maximum is one instruction.
static void max_of_taps_with_nan(inside_taps taps, ptrdiff_t width, void *restrict output, int is_bfloat16) {
    float maxima[BLOCK], nans[BLOCK];
    for (ptrdiff_t c = 0; c < width; c++) {
        maxima[c] = -INFINITY;
        nans[c] = 0;
    }
    for (ptrdiff_t ky = 0; ky < taps.rows; ky++) {
        for (ptrdiff_t kx = 0; kx < taps.columns; kx++) {
            const void *tap = element_address(taps.start, ky * taps.row_stride + kx * taps.column_stride, is_bfloat16);
            for (ptrdiff_t c = 0; c < width; c++) {
                const float x = read_element(tap, c, is_bfloat16);
                maxima[c] = x > maxima[c] ? x : maxima[c];
                nans[c] = x != x ? x : nans[c];
            }
        }
    }
    for (ptrdiff_t c = 0; c < width; c++) write_exact(output, c, nans[c] != nans[c] ? nans[c] : maxima[c], is_bfloat16);
}

/// The maximum of each channel. `rows` and `columns` are those of `taps`; callers pass constants where they can.
__attribute__((always_inline)) static inline void max_of_taps(
    inside_taps taps, ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t width, void *restrict output,
    const int is_bfloat16) {
    // A sum is NaN when one of its terms is, and also when ∞ and −∞ meet.
    float maxima[BLOCK], sums[BLOCK];
    for (ptrdiff_t c = 0; c < width; c++) {
        maxima[c] = -INFINITY;
        sums[c] = 0;
    }
    for (ptrdiff_t ky = 0; ky < rows; ky++) {
        for (ptrdiff_t kx = 0; kx < columns; kx++) {
            const void *tap = element_address(taps.start, ky * taps.row_stride + kx * taps.column_stride, is_bfloat16);
            for (ptrdiff_t c = 0; c < width; c++) {
                const float x = read_element(tap, c, is_bfloat16);
                maxima[c] = x > maxima[c] ? x : maxima[c];
                sums[c] += x;
            }
        }
    }
    int may_have_nan = 0;
    for (ptrdiff_t c = 0; c < width; c++) {
        write_exact(output, c, maxima[c], is_bfloat16);
        may_have_nan |= sums[c] != sums[c];
    }
    if (may_have_nan) max_of_taps_with_nan(taps, width, output, is_bfloat16);
}

__attribute__((always_inline)) static inline void scaled_sum_of_taps(
    inside_taps taps, ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t width, float scale, void *restrict output,
    const int is_bfloat16) {
    float sums[BLOCK];
    for (ptrdiff_t c = 0; c < width; c++) sums[c] = 0;
    for (ptrdiff_t ky = 0; ky < rows; ky++) {
        for (ptrdiff_t kx = 0; kx < columns; kx++) {
            const void *tap = element_address(taps.start, ky * taps.row_stride + kx * taps.column_stride, is_bfloat16);
            for (ptrdiff_t c = 0; c < width; c++) sums[c] += read_element(tap, c, is_bfloat16);
        }
    }
    for (ptrdiff_t c = 0; c < width; c++) write_element(output, c, sums[c] * scale, is_bfloat16);
}

/// The maximum of each channel. Whole blocks have a constant width, so that their results stay in registers; windows of
/// 3 × 3, the usual extents, have constant extents.
__attribute__((always_inline)) static inline void max_over_channels(
    inside_taps taps, ptrdiff_t channels, void *output,
    const int is_bfloat16) {
    const int is_usual = taps.rows == 3 && taps.columns == 3;
    for (; channels >= BLOCK; channels -= BLOCK) {
        if (is_usual)
            max_of_taps(taps, 3, 3, BLOCK, output, is_bfloat16);
        else
            max_of_taps(taps, taps.rows, taps.columns, BLOCK, output, is_bfloat16);
        taps.start = element_address(taps.start, BLOCK, is_bfloat16);
        output = element_address(output, BLOCK, is_bfloat16);
    }
    if (channels > 0) max_of_taps(taps, taps.rows, taps.columns, channels, output, is_bfloat16);
}

__attribute__((always_inline)) static inline void scaled_sum_over_channels(
    inside_taps taps, ptrdiff_t channels, float scale, void *output,
    const int is_bfloat16) {
    const int is_usual = taps.rows == 3 && taps.columns == 3;
    for (; channels >= BLOCK; channels -= BLOCK) {
        if (is_usual)
            scaled_sum_of_taps(taps, 3, 3, BLOCK, scale, output, is_bfloat16);
        else
            scaled_sum_of_taps(taps, taps.rows, taps.columns, BLOCK, scale, output, is_bfloat16);
        taps.start = element_address(taps.start, BLOCK, is_bfloat16);
        output = element_address(output, BLOCK, is_bfloat16);
    }
    if (channels > 0) scaled_sum_of_taps(taps, taps.rows, taps.columns, channels, scale, output, is_bfloat16);
}

__attribute__((always_inline)) static inline void max_pool_row(
    const void *input, const apus_window *window, ptrdiff_t channels, ptrdiff_t output_row, void *output,
    ptrdiff_t output_pixel_stride, const int is_bfloat16) {
    const ptrdiff_t y0 = output_row * window->stride_height - window->padding_top;
    ptrdiff_t ky_first, ky_last;
    taps_between(
        y0, 0, window->input_height, window->dilation_height, window->kernel_height, &ky_first, &ky_last);
    for (ptrdiff_t ox = 0; ox < window->output_width; ox++) {
        const ptrdiff_t x0 = ox * window->stride_width - window->padding_left;
        ptrdiff_t kx_first, kx_last;
        taps_between(
            x0, 0, window->input_width, window->dilation_width, window->kernel_width, &kx_first, &kx_last);
        const inside_taps taps = taps_of(input, window, y0, x0, ky_first, ky_last, kx_first, kx_last, is_bfloat16);
        max_over_channels(taps, channels, element_address(output, ox * output_pixel_stride, is_bfloat16), is_bfloat16);
    }
}

__attribute__((always_inline)) static inline void average_pool_row(
    const void *input, const apus_window *window, ptrdiff_t channels, int padding_counts, ptrdiff_t padding_bottom,
    ptrdiff_t padding_right, ptrdiff_t output_row, void *output, ptrdiff_t output_pixel_stride,
    const int is_bfloat16) {
    const ptrdiff_t y0 = output_row * window->stride_height - window->padding_top;
    ptrdiff_t ky_first, ky_last, counted_first, counted_last;
    taps_between(
        y0, 0, window->input_height, window->dilation_height, window->kernel_height, &ky_first, &ky_last);
    taps_between(
        y0, -window->padding_top, window->input_height + padding_bottom, window->dilation_height,
        window->kernel_height, &counted_first, &counted_last);
    const ptrdiff_t counted_rows = counted_last - counted_first;
    for (ptrdiff_t ox = 0; ox < window->output_width; ox++) {
        const ptrdiff_t x0 = ox * window->stride_width - window->padding_left;
        ptrdiff_t kx_first, kx_last;
        taps_between(
            x0, 0, window->input_width, window->dilation_width, window->kernel_width, &kx_first, &kx_last);
        taps_between(
            x0, -window->padding_left, window->input_width + padding_right, window->dilation_width,
            window->kernel_width, &counted_first, &counted_last);
        const ptrdiff_t divisor = padding_counts ? counted_rows * (counted_last - counted_first)
                                                 : (ky_last - ky_first) * (kx_last - kx_first);
        const inside_taps taps = taps_of(input, window, y0, x0, ky_first, ky_last, kx_first, kx_last, is_bfloat16);
        // A window that lies wholly in the padding gives 0.
        const float scale = 1.0f / (float)(divisor > 0 ? divisor : 1);
        scaled_sum_over_channels(
            taps, channels, scale, element_address(output, ox * output_pixel_stride, is_bfloat16), is_bfloat16);
    }
}

APUS_KERNEL void apus_max_pool_row(
    const void *input, const apus_window *window, ptrdiff_t channels, ptrdiff_t output_row, void *output,
    ptrdiff_t output_pixel_stride, int is_bfloat16) {
    if (is_bfloat16)
        max_pool_row(input, window, channels, output_row, output, output_pixel_stride, 1);
    else
        max_pool_row(input, window, channels, output_row, output, output_pixel_stride, 0);
}

APUS_KERNEL void apus_average_pool_row(
    const void *input, const apus_window *window, ptrdiff_t channels, int padding_counts, ptrdiff_t padding_bottom,
    ptrdiff_t padding_right, ptrdiff_t output_row, void *output, ptrdiff_t output_pixel_stride, int is_bfloat16) {
    if (is_bfloat16)
        average_pool_row(
            input, window, channels, padding_counts, padding_bottom, padding_right, output_row, output,
            output_pixel_stride, 1);
    else
        average_pool_row(
            input, window, channels, padding_counts, padding_bottom, padding_right, output_row, output,
            output_pixel_stride, 0);
}

/// The mean of each channel over many pixels. float32 sums run over at most RUN pixels; their sums are float64.
__attribute__((always_inline)) static inline void mean_of_runs(
    inside_taps taps, ptrdiff_t width, float *restrict output, const int is_bfloat16) {
    enum { RUN = 64 };
    double sums[BLOCK];
    for (ptrdiff_t c = 0; c < width; c++) sums[c] = 0;
    for (ptrdiff_t y = 0; y < taps.rows; y++) {
        for (ptrdiff_t first = 0; first < taps.columns; first += RUN) {
            const ptrdiff_t end = first + RUN < taps.columns ? first + RUN : taps.columns;
            float run[BLOCK];
            for (ptrdiff_t c = 0; c < width; c++) run[c] = 0;
            for (ptrdiff_t x = first; x < end; x++) {
                const void *pixel =
                    element_address(taps.start, y * taps.row_stride + x * taps.column_stride, is_bfloat16);
                for (ptrdiff_t c = 0; c < width; c++) run[c] += read_element(pixel, c, is_bfloat16);
            }
            for (ptrdiff_t c = 0; c < width; c++) sums[c] += run[c];
        }
    }
    const double scale = 1.0 / ((double)taps.rows * (double)taps.columns);
    for (ptrdiff_t c = 0; c < width; c++) output[c] = (float)(sums[c] * scale);
}

__attribute__((always_inline)) static inline void global_average_pool(
    inside_taps taps, ptrdiff_t channels, float *output, const int is_bfloat16) {
    ptrdiff_t c = 0;
    for (; c + BLOCK <= channels; c += BLOCK, taps.start = element_address(taps.start, BLOCK, is_bfloat16))
        mean_of_runs(taps, BLOCK, output + c, is_bfloat16);
    mean_of_runs(taps, channels - c, output + c, is_bfloat16);
}

APUS_KERNEL void apus_global_average_pool(
    const void *input, ptrdiff_t height, ptrdiff_t width, ptrdiff_t row_stride, ptrdiff_t pixel_stride,
    ptrdiff_t channels, float *output, int is_bfloat16) {
    const inside_taps taps = {input, height, width, row_stride, pixel_stride};
    if (is_bfloat16)
        global_average_pool(taps, channels, output, 1);
    else
        global_average_pool(taps, channels, output, 0);
}
