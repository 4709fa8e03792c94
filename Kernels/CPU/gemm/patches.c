#include "../target.h"
#include "apus_gemm.h"
#include "apus_patches.h"

#include <stdint.h>
#include <string.h>

/// Where the patches of one tile's pixels begin: at the input position (y, x) of tap (0, 0). Where that position lies
/// outside the image, so does its address.
typedef struct {
    uintptr_t first[APUS_GEMM_TILE_ROWS];
    ptrdiff_t y[APUS_GEMM_TILE_ROWS], x[APUS_GEMM_TILE_ROWS];
    ptrdiff_t count;
    /// Whether all taps of all patches lie inside the image.
    int is_inside;
} tile_patches;

/// A pixel of the output.
typedef struct {
    ptrdiff_t image, y, x;
} output_pixel;

/// Finds the patches of `count` output pixels from `next` on, and moves `next` behind them.
static inline void locate(
    const apus_patches *patches, const float *input, ptrdiff_t output_height, output_pixel *next, ptrdiff_t count,
    tile_patches *tile) {
    const apus_window *window = &patches->window;
    const ptrdiff_t last_y = window->input_height - 1 - (window->kernel_height - 1) * window->dilation_height;
    const ptrdiff_t last_x = window->input_width - 1 - (window->kernel_width - 1) * window->dilation_width;
    const uintptr_t step = (uintptr_t)(window->stride_width * window->input_pixel_stride) * sizeof(float);
    tile->count = count;
    tile->is_inside = 1;
    for (ptrdiff_t row = 0; row < count;) {
        // The patches of pixels in one row of the output.
        const ptrdiff_t left = window->output_width - next->x, end = left < count - row ? row + left : count;
        const ptrdiff_t y = next->y * window->stride_height - window->padding_top;
        ptrdiff_t x = next->x * window->stride_width - window->padding_left;
        const ptrdiff_t offset =
            next->image * patches->image_stride + y * window->input_row_stride + x * window->input_pixel_stride;
        uintptr_t first = (uintptr_t)input + (uintptr_t)offset * sizeof(float);
        tile->is_inside &= y >= 0 && y <= last_y && x >= 0;
        next->x += end - row;
        for (; row < end; row++, first += step, x += window->stride_width) {
            tile->first[row] = first;
            tile->y[row] = y;
            tile->x[row] = x;
        }
        tile->is_inside &= x - window->stride_width <= last_x;
        if (next->x < window->output_width) continue;
        next->x = 0;
        if (++next->y < output_height) continue;
        next->y = 0;
        next->image++;
    }
}

/// Finds the address of the channels of one tap, (dy, dx) pixels behind tap (0, 0), in every patch of a tile.
static inline void find_tap(
    const apus_window *window, const tile_patches *tile, const float *zeros, ptrdiff_t dy, ptrdiff_t dx,
    const float **addresses) {
    const ptrdiff_t count = tile->count;
    const uintptr_t distance =
        (uintptr_t)(dy * window->input_row_stride + dx * window->input_pixel_stride) * sizeof(float);
    if (tile->is_inside && count >= 4) {
        // Four at a time. The last four may overlap the previous four.
        for (ptrdiff_t row = 0; row < count; row += 4) {
            const ptrdiff_t from = row + 4 < count ? row : count - 4;
            for (ptrdiff_t index = from; index < from + 4; index++)
                addresses[index] = (const float *)(tile->first[index] + distance);
        }
        return;
    }
    for (ptrdiff_t row = 0; row < count; row++) {
        const int is_inside = (size_t)(tile->y[row] + dy) < (size_t)window->input_height &
                              (size_t)(tile->x[row] + dx) < (size_t)window->input_width;
        addresses[row] = is_inside ? (const float *)(tile->first[row] + distance) : zeros;
    }
}

/// Whether patches are the pixels of the input, one after the other.
static int is_pointwise(const apus_patches *patches) {
    const apus_window *window = &patches->window;
    return window->kernel_height == 1 && window->kernel_width == 1 && window->stride_height == 1 &&
           window->stride_width == 1 && window->padding_top == 0 && window->padding_left == 0 &&
           window->output_width == window->input_width &&
           window->input_row_stride == window->input_width * window->input_pixel_stride &&
           patches->image_pixel_count == window->input_height * window->input_width &&
           patches->image_stride == patches->image_pixel_count * window->input_pixel_stride;
}

APUS_KERNEL void apus_find_patches(
    const apus_patches *patches, const float *input, const float *zeros, ptrdiff_t first_pixel,
    ptrdiff_t pixel_count, ptrdiff_t tile_rows, const float **addresses) {
    const apus_window *window = &patches->window;
    if (is_pointwise(patches)) {
        for (ptrdiff_t pixel = 0; pixel < pixel_count; pixel++)
            addresses[pixel] = input + (first_pixel + pixel) * window->input_pixel_stride;
        return;
    }
    const ptrdiff_t tile_count = apus_gemm_tile_count(pixel_count, tile_rows);
    const ptrdiff_t columns = patches->order == APUS_PATCH_TAPS ? window->kernel_width : 1;
    const ptrdiff_t pixel = first_pixel % patches->image_pixel_count;
    output_pixel next = {
        first_pixel / patches->image_pixel_count, pixel / window->output_width, pixel % window->output_width};
    const ptrdiff_t output_height = patches->image_pixel_count / window->output_width;
    for (ptrdiff_t index = 0, first = 0, end = 0; index < tile_count; index++, first = end) {
        end = apus_gemm_tile_start(pixel_count, tile_count, index + 1);
        const ptrdiff_t count = end - first;
        tile_patches tile;
        locate(patches, input, output_height, &next, count, &tile);
        for (ptrdiff_t ky = 0; ky < window->kernel_height; ky++)
            for (ptrdiff_t kx = 0; kx < columns; kx++, addresses += count)
                find_tap(
                    window, &tile, zeros, ky * window->dilation_height, kx * window->dilation_width, addresses);
    }
}

/// to[x · pixel_length + c] = planes[c][x] for three planes. `pixel_length` is a constant of the caller.
static inline __attribute__((always_inline)) void interleave_three(
    const float *planes, ptrdiff_t plane_stride, ptrdiff_t count, const ptrdiff_t pixel_length, float *restrict to) {
    const float *red = planes, *green = planes + plane_stride, *blue = green + plane_stride;
    for (ptrdiff_t x = 0; x < count; x++) {
        to[pixel_length * x] = red[x];
        to[pixel_length * x + 1] = green[x];
        to[pixel_length * x + 2] = blue[x];
        if (pixel_length == 4) to[pixel_length * x + 3] = 0;
    }
}

APUS_KERNEL void apus_interleave_rows(
    const float *input, const apus_window *window, ptrdiff_t channels, ptrdiff_t channel_stride, ptrdiff_t first_row,
    ptrdiff_t row_count, ptrdiff_t row_width, ptrdiff_t pixel_length, float *rows) {
    const ptrdiff_t width = window->input_width, pixel_stride = window->input_pixel_stride;
    const ptrdiff_t copied = width < row_width - window->padding_left ? width : row_width - window->padding_left;
    for (ptrdiff_t row = 0; row < row_count; row++, rows += row_width * pixel_length) {
        memset(rows, 0, (size_t)(row_width * pixel_length) * sizeof(float));
        const ptrdiff_t y = first_row + row;
        if (y < 0 || y >= window->input_height) continue;
        const float *line = input + y * window->input_row_stride;
        float *to = rows + window->padding_left * pixel_length;
        if (channels == 3 && pixel_stride == 1 && pixel_length == 3)
            interleave_three(line, channel_stride, copied, 3, to);
        else if (channels == 3 && pixel_stride == 1 && pixel_length == 4)
            interleave_three(line, channel_stride, copied, 4, to);
        else
            for (ptrdiff_t x = 0; x < copied; x++)
                for (ptrdiff_t c = 0; c < channels; c++)
                    to[x * pixel_length + c] = line[x * pixel_stride + c * channel_stride];
    }
}

/// to[x · to_stride + i] = from[x][i] for i < length. Callers pass usual lengths as constants.
static inline __attribute__((always_inline)) void spread(
    const float *from, ptrdiff_t count, ptrdiff_t length, ptrdiff_t to_stride, float *to) {
    for (ptrdiff_t x = 0; x < count; x++) memcpy(to + x * to_stride, from + x * length, (size_t)length * sizeof(float));
}

APUS_KERNEL void apus_join_pixels(const float *rows, ptrdiff_t row_width, ptrdiff_t channels, float *joined) {
    const ptrdiff_t pair = 2 * channels;
    for (ptrdiff_t row = 0; row < 2; row++, rows += row_width * channels, joined += pair) {
        switch (channels) {
        case 1: spread(rows, row_width / 2, 2, 4, joined); break;
        case 3: spread(rows, row_width / 2, 6, 12, joined); break;
        default: spread(rows, row_width / 2, pair, 2 * pair, joined); break;
        }
    }
}
