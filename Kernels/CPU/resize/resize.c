#include "apus_resize.h"
#include "../target.h"

#include <string.h>

APUS_KERNEL void apus_resize_row(
    const float *input, ptrdiff_t row_stride, ptrdiff_t pixel_stride, ptrdiff_t channels,
    const apus_resize_table *rows, ptrdiff_t row, const apus_resize_table *columns, ptrdiff_t width, float *output,
    ptrdiff_t output_pixel_stride) {
    const int32_t *lines = rows->indices + row * rows->width;
    const float *line_weights = rows->weights + row * rows->width;
    for (ptrdiff_t x = 0; x < width; x++) {
        float *restrict to = output + x * output_pixel_stride;
        const int32_t *places = columns->indices + x * columns->width;
        const float *weights = columns->weights + x * columns->width;
        if (rows->width == 1 && columns->width == 1) {
            memcpy(to, input + lines[0] * row_stride + places[0] * pixel_stride, (size_t)channels * sizeof(float));
            continue;
        }
        if (rows->width == 2 && columns->width == 2) {
            const float *upper = input + lines[0] * row_stride, *lower = input + lines[1] * row_stride;
            const ptrdiff_t left = places[0] * pixel_stride, right = places[1] * pixel_stride;
            const float w0 = line_weights[0] * weights[0], w1 = line_weights[0] * weights[1];
            const float w2 = line_weights[1] * weights[0], w3 = line_weights[1] * weights[1];
            for (ptrdiff_t c = 0; c < channels; c++)
                to[c] = w0 * upper[left + c] + w1 * upper[right + c] + w2 * lower[left + c] + w3 * lower[right + c];
            continue;
        }
        memset(to, 0, (size_t)channels * sizeof(float));
        for (ptrdiff_t i = 0; i < rows->width; i++)
            for (ptrdiff_t j = 0; j < columns->width; j++) {
                const float weight = line_weights[i] * weights[j];
                const float *restrict from = input + lines[i] * row_stride + places[j] * pixel_stride;
                for (ptrdiff_t c = 0; c < channels; c++) to[c] += weight * from[c];
            }
    }
}
