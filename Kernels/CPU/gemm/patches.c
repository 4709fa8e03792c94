#include "apus_gemm.h"
#include "apus_patches.h"

enum { MAXIMUM_TILE_ROWS = 16 };

/// The patches of one tile's pixels.
typedef struct {
    const float *image[MAXIMUM_TILE_ROWS];
    /// The input position of tap (0, 0).
    ptrdiff_t y[MAXIMUM_TILE_ROWS], x[MAXIMUM_TILE_ROWS];
    ptrdiff_t count;
} tile_patches;

static tile_patches locate(
    const apus_patches *patches, const float *input, ptrdiff_t first_pixel, ptrdiff_t count) {
    const apus_window *window = &patches->window;
    tile_patches tile = {.count = count};
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

/// The addresses of a run of `kernel_width` taps, `run` elements each; runs over an edge are copied.
static float *find_run(
    const apus_patches *patches, const tile_patches *tile, const float *zeros, ptrdiff_t dy, ptrdiff_t offset,
    ptrdiff_t run, const float **addresses, float *copies) {
    const apus_window *window = &patches->window;
    for (ptrdiff_t row = 0; row < tile->count; row++) {
        const ptrdiff_t y = tile->y[row] + dy, x = tile->x[row];
        if ((size_t)y >= (size_t)window->input_height) {
            addresses[row] = zeros;
            continue;
        }
        const float *line = tile->image[row] + offset + y * window->input_row_stride;
        if (x >= 0 && x + window->kernel_width <= window->input_width) {
            addresses[row] = line + x * window->input_pixel_stride;
            continue;
        }
        addresses[row] = copies;
        for (ptrdiff_t kx = 0; kx < window->kernel_width; kx++) {
            const int is_inside = x + kx >= 0 && x + kx < window->input_width;
            for (ptrdiff_t i = 0; i < run; i++)
                *copies++ = is_inside ? line[(x + kx) * window->input_pixel_stride + i] : 0;
        }
    }
    return copies;
}

void apus_find_patches(
    const apus_patches *patches, const float *input, const float *zeros, ptrdiff_t first_pixel,
    ptrdiff_t pixel_count, ptrdiff_t tile_rows, const float **addresses, float *copies) {
    const apus_window *window = &patches->window;
    const ptrdiff_t tile_count = apus_gemm_tile_count(pixel_count, tile_rows);
    for (ptrdiff_t index = 0; index < tile_count; index++) {
        const ptrdiff_t first = apus_gemm_tile_start(pixel_count, tile_count, index);
        const ptrdiff_t count = apus_gemm_tile_start(pixel_count, tile_count, index + 1) - first;
        const tile_patches tile = locate(patches, input, first_pixel + first, count);
        const ptrdiff_t planes = patches->order == APUS_PATCH_PLANES ? patches->channels : 1;
        for (ptrdiff_t plane = 0; plane < planes; plane++) {
            for (ptrdiff_t ky = 0; ky < window->kernel_height; ky++) {
                const ptrdiff_t dy = ky * window->dilation_height;
                if (patches->order == APUS_PATCH_TAPS) {
                    for (ptrdiff_t kx = 0; kx < window->kernel_width; kx++, addresses += count)
                        find_tap(patches, &tile, zeros, dy, kx * window->dilation_width, addresses);
                } else {
                    const ptrdiff_t run = patches->order == APUS_PATCH_PLANES ? 1 : patches->channels;
                    copies = find_run(
                        patches, &tile, zeros, dy, plane * patches->plane_stride, run, addresses, copies);
                    addresses += count;
                }
            }
        }
    }
}
