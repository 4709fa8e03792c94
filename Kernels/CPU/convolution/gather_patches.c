#include "apus_convolution.h"

#include <string.h>

void apus_gather_patches(
    const float *input, const apus_window *window, ptrdiff_t channels, ptrdiff_t first_pixel,
    ptrdiff_t pixel_count, float *tile) {
    const ptrdiff_t kernel_width = window->kernel_width;
    const ptrdiff_t row_length = kernel_width * channels;
    // A kernel row inside the image is one run of memory when pixels and taps are adjacent.
    const int is_dense = window->dilation_width == 1 && window->input_pixel_stride == channels;
    ptrdiff_t oy = first_pixel / window->output_width;
    ptrdiff_t ox = first_pixel % window->output_width;
    for (ptrdiff_t pixel = 0; pixel < pixel_count; pixel++) {
        const ptrdiff_t x0 = ox * window->stride_width - window->padding_left;
        const int is_inside = x0 >= 0 && x0 + (kernel_width - 1) * window->dilation_width < window->input_width;
        for (ptrdiff_t ky = 0; ky < window->kernel_height; ky++) {
            const ptrdiff_t y = oy * window->stride_height - window->padding_top + ky * window->dilation_height;
            if (y < 0 || y >= window->input_height) {
                memset(tile, 0, (size_t)row_length * sizeof(float));
            } else if (is_dense && is_inside) {
                const float *source = input + y * window->input_row_stride + x0 * window->input_pixel_stride;
                memcpy(tile, source, (size_t)row_length * sizeof(float));
            } else {
                for (ptrdiff_t kx = 0; kx < kernel_width; kx++) {
                    const ptrdiff_t x = x0 + kx * window->dilation_width;
                    float *destination = tile + kx * channels;
                    if (x < 0 || x >= window->input_width)
                        memset(destination, 0, (size_t)channels * sizeof(float));
                    else
                        memcpy(
                            destination,
                            input + y * window->input_row_stride + x * window->input_pixel_stride,
                            (size_t)channels * sizeof(float));
                }
            }
            tile += row_length;
        }
        if (++ox == window->output_width) {
            ox = 0;
            oy++;
        }
    }
}

void apus_gather_planar_patches(
    const float *input, ptrdiff_t plane_stride, const apus_window *window, ptrdiff_t channels, ptrdiff_t first_pixel,
    ptrdiff_t pixel_count, float *tile) {
    const ptrdiff_t kernel_height = window->kernel_height, kernel_width = window->kernel_width;
    const ptrdiff_t depth = channels * kernel_height * kernel_width;
    ptrdiff_t oy = first_pixel / window->output_width;
    ptrdiff_t ox = first_pixel % window->output_width;
    for (ptrdiff_t done = 0; done < pixel_count;) {
        const ptrdiff_t in_row = window->output_width - ox;
        const ptrdiff_t run = in_row < pixel_count - done ? in_row : pixel_count - done;
        for (ptrdiff_t k = 0; k < depth; k++) {
            const ptrdiff_t kx = k % kernel_width, ky = k / kernel_width % kernel_height;
            const ptrdiff_t c = k / (kernel_width * kernel_height);
            const ptrdiff_t y = oy * window->stride_height - window->padding_top + ky * window->dilation_height;
            float *column = tile + done * depth + k;
            if (y < 0 || y >= window->input_height) {
                for (ptrdiff_t i = 0; i < run; i++) column[i * depth] = 0;
                continue;
            }
            const float *row = input + c * plane_stride + y * window->input_row_stride;
            ptrdiff_t x = ox * window->stride_width - window->padding_left + kx * window->dilation_width;
            for (ptrdiff_t i = 0; i < run; i++, x += window->stride_width)
                column[i * depth] = x >= 0 && x < window->input_width ? row[x] : 0;
        }
        done += run;
        ox = 0;
        oy++;
    }
}
