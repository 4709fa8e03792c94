#include "../target.h"
#include "apus_gemm.h"
#include "apus_patches.h"

#include <string.h>

enum { MAXIMUM_TILE_ROWS = 16 };

/// Where the patches of one tile's pixels begin.
typedef struct {
    const float *image[MAXIMUM_TILE_ROWS];
    /// The input position of tap (0, 0).
    ptrdiff_t y[MAXIMUM_TILE_ROWS], x[MAXIMUM_TILE_ROWS];
    ptrdiff_t count;
} tile_patches;

static tile_patches locate(
    const apus_patches *patches, const float *input, ptrdiff_t first_pixel, ptrdiff_t count) {
    const apus_window *window = &patches->window;
    tile_patches tile;
    tile.count = count;
    ptrdiff_t image = first_pixel / patches->image_pixel_count;
    const ptrdiff_t pixel = first_pixel % patches->image_pixel_count;
    const ptrdiff_t output_height = patches->image_pixel_count / window->output_width;
    ptrdiff_t oy = pixel / window->output_width, ox = pixel % window->output_width;
    for (ptrdiff_t row = 0; row < count; row++) {
        tile.image[row] = input + image * patches->image_stride;
        tile.y[row] = oy * window->stride_height - window->padding_top;
        tile.x[row] = ox * window->stride_width - window->padding_left;
        if (++ox < window->output_width) continue;
        ox = 0;
        if (++oy < output_height) continue;
        oy = 0;
        image++;
    }
    return tile;
}

/// The addresses of one tap's channels.
static void find_tap(
    const apus_patches *patches, const tile_patches *tile, const float *zeros, ptrdiff_t dy, ptrdiff_t dx,
    const float **addresses) {
    const apus_window *window = &patches->window;
    for (ptrdiff_t row = 0; row < tile->count; row++) {
        const ptrdiff_t y = tile->y[row] + dy, x = tile->x[row] + dx;
        const int is_inside = (size_t)y < (size_t)window->input_height && (size_t)x < (size_t)window->input_width;
        const float *address =
            tile->image[row] + y * window->input_row_stride + x * window->input_pixel_stride;
        addresses[row] = is_inside ? address : zeros;
    }
}

/// Whether a patch is one pixel and patches follow one another as pixels do.
static int is_pointwise(const apus_patches *patches) {
    const apus_window *window = &patches->window;
    return window->kernel_height == 1 && window->kernel_width == 1 && window->stride_height == 1 &&
           window->stride_width == 1 && window->padding_top == 0 && window->padding_left == 0 &&
           window->output_width == window->input_width &&
           window->input_row_stride == window->input_width * window->input_pixel_stride &&
           patches->image_pixel_count == window->input_height * window->input_width &&
           patches->image_stride == patches->image_pixel_count * window->input_pixel_stride;
}

void apus_find_patches(
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
    for (ptrdiff_t index = 0; index < tile_count; index++) {
        const ptrdiff_t first = apus_gemm_tile_start(pixel_count, tile_count, index);
        const ptrdiff_t count = apus_gemm_tile_start(pixel_count, tile_count, index + 1) - first;
        const tile_patches tile = locate(patches, input, first_pixel + first, count);
        for (ptrdiff_t ky = 0; ky < window->kernel_height; ky++)
            for (ptrdiff_t kx = 0; kx < columns; kx++, addresses += count)
                find_tap(
                    patches, &tile, zeros, ky * window->dilation_height, kx * window->dilation_width, addresses);
    }
}

APUS_KERNEL void apus_interleave_rows(
    const float *input, const apus_window *window, ptrdiff_t channels, ptrdiff_t channel_stride, ptrdiff_t first_row,
    ptrdiff_t row_count, ptrdiff_t row_width, float *rows) {
    const ptrdiff_t width = window->input_width, pixel_stride = window->input_pixel_stride;
    const ptrdiff_t copied = width < row_width - window->padding_left ? width : row_width - window->padding_left;
    for (ptrdiff_t row = 0; row < row_count; row++, rows += row_width * channels) {
        memset(rows, 0, (size_t)(row_width * channels) * sizeof(float));
        const ptrdiff_t y = first_row + row;
        if (y < 0 || y >= window->input_height) continue;
        const float *line = input + y * window->input_row_stride;
        float *to = rows + window->padding_left * channels;
        if (channels == 3 && pixel_stride == 1) {
            const float *red = line, *green = line + channel_stride, *blue = green + channel_stride;
            for (ptrdiff_t x = 0; x < copied; x++) {
                to[3 * x] = red[x];
                to[3 * x + 1] = green[x];
                to[3 * x + 2] = blue[x];
            }
        } else {
            for (ptrdiff_t x = 0; x < copied; x++)
                for (ptrdiff_t c = 0; c < channels; c++)
                    to[x * channels + c] = line[x * pixel_stride + c * channel_stride];
        }
    }
}
