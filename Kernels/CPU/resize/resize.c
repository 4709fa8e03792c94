#include "apus_resize.h"
#include "../bfloat16.h"
#include "../target.h"

#include <string.h>

/// A pixel of the input for an output pixel, without its weights.
__attribute__((always_inline)) static inline const void *pixel_at(
    const apus_resized_row *it, int32_t line, int32_t place, const int is_bfloat16) {
    return element_address(it->input, line * it->row_stride + place * it->pixel_stride, is_bfloat16);
}

__attribute__((always_inline)) static inline void resize_row(
    const apus_resized_row *it, const int32_t *lines, const float *line_weights, ptrdiff_t line_count,
    const apus_resize_table *columns, const int input_is_bfloat16, const int output_is_bfloat16) {
    enum { BLOCK = 256 };
    const ptrdiff_t channels = it->channels;
    for (ptrdiff_t x = 0; x < it->width; x++) {
        void *restrict to = element_address(it->output, x * it->output_pixel_stride, output_is_bfloat16);
        const int32_t *places = columns->indices + x * columns->width;
        const float *weights = columns->weights + x * columns->width;
        if (line_count == 1 && columns->width == 1) {
            const void *from = pixel_at(it, lines[0], places[0], input_is_bfloat16);
            if (input_is_bfloat16 == output_is_bfloat16)
                memcpy(to, from, (size_t)channels * (input_is_bfloat16 ? sizeof(uint16_t) : sizeof(float)));
            else
                for (ptrdiff_t c = 0; c < channels; c++)
                    write_element(to, c, read_element(from, c, input_is_bfloat16), output_is_bfloat16);
            continue;
        }
        if (line_count == 2 && columns->width == 2) {
            const void *a = pixel_at(it, lines[0], places[0], input_is_bfloat16);
            const void *b = pixel_at(it, lines[0], places[1], input_is_bfloat16);
            const void *c = pixel_at(it, lines[1], places[0], input_is_bfloat16);
            const void *d = pixel_at(it, lines[1], places[1], input_is_bfloat16);
            const float w0 = line_weights[0] * weights[0], w1 = line_weights[0] * weights[1];
            const float w2 = line_weights[1] * weights[0], w3 = line_weights[1] * weights[1];
            for (ptrdiff_t i = 0; i < channels; i++) {
                const float sum = w0 * read_element(a, i, input_is_bfloat16)
                                  + w1 * read_element(b, i, input_is_bfloat16)
                                  + w2 * read_element(c, i, input_is_bfloat16)
                                  + w3 * read_element(d, i, input_is_bfloat16);
                write_element(to, i, sum, output_is_bfloat16);
            }
            continue;
        }
        for (ptrdiff_t first = 0; first < channels; first += BLOCK) {
            const ptrdiff_t count = channels - first < BLOCK ? channels - first : BLOCK;
            float sums[BLOCK];
            memset(sums, 0, (size_t)count * sizeof(float));
            for (ptrdiff_t i = 0; i < line_count; i++)
                for (ptrdiff_t j = 0; j < columns->width; j++) {
                    const float weight = line_weights[i] * weights[j];
                    const void *from = element_address(
                        pixel_at(it, lines[i], places[j], input_is_bfloat16), first, input_is_bfloat16);
                    for (ptrdiff_t c = 0; c < count; c++)
                        sums[c] += weight * read_element(from, c, input_is_bfloat16);
                }
            for (ptrdiff_t c = 0; c < count; c++) write_element(to, first + c, sums[c], output_is_bfloat16);
        }
    }
}

APUS_KERNEL void apus_resize_row(
    const apus_resized_row *it, const apus_resize_table *rows, ptrdiff_t row, const apus_resize_table *columns) {
    const int32_t *lines = rows->indices + row * rows->width;
    const float *line_weights = rows->weights + row * rows->width;
    APUS_WITH_ELEMENT_TYPES(
        resize_row, it->input_is_bfloat16, it->output_is_bfloat16, it, lines, line_weights, rows->width, columns);
}

/// The elements of an input row along the columns of the output.
__attribute__((always_inline)) static inline void resize_line(
    const float *from, const apus_resize_table *columns, ptrdiff_t width, float *restrict to) {
    const int32_t *places = columns->indices;
    const float *weights = columns->weights;
    if (columns->width == 1) {
        for (ptrdiff_t x = 0; x < width; x++) to[x] = weights[x] * from[places[x]];
    } else if (columns->width == 2) {
        for (ptrdiff_t x = 0; x < width; x++)
            to[x] = weights[x] * from[places[x]] + weights[width + x] * from[places[width + x]];
    } else {
        memset(to, 0, (size_t)width * sizeof(float));
        for (ptrdiff_t j = 0; j < columns->width; j++)
            for (ptrdiff_t x = 0; x < width; x++) to[x] += weights[j * width + x] * from[places[j * width + x]];
    }
}

/// The resized line of an input row, which is computed unless the last row in its place was the same.
__attribute__((always_inline)) static inline const float *resized_line(
    const apus_resized_plane *it, int32_t number, ptrdiff_t line_count, const apus_resize_table *columns) {
    const ptrdiff_t place = number % line_count;
    float *line = it->lines + place * it->width;
    if (it->line_numbers[place] != number)
        resize_line(it->input + number * it->row_stride, columns, it->width, line);
    it->line_numbers[place] = number;
    return line;
}

APUS_KERNEL void apus_resize_plane_rows(
    const apus_resized_plane *it, const apus_resize_table *rows, ptrdiff_t first_row, ptrdiff_t last_row,
    const apus_resize_table *columns) {
    const ptrdiff_t width = it->width, count = rows->width;
    for (ptrdiff_t i = 0; i < count; i++) it->line_numbers[i] = -1;
    for (ptrdiff_t row = first_row; row < last_row; row++) {
        const int32_t *numbers = rows->indices + row * count;
        const float *weights = rows->weights + row * count;
        float *restrict to = it->output + row * width;
        // Lines of different places stay as they are while both are read.
        if (count == 2 && (numbers[0] == numbers[1] || (numbers[0] - numbers[1]) % 2 != 0)) {
            const float *first = resized_line(it, numbers[0], count, columns);
            const float *second = resized_line(it, numbers[1], count, columns);
            for (ptrdiff_t x = 0; x < width; x++) to[x] = weights[0] * first[x] + weights[1] * second[x];
            continue;
        }
        for (ptrdiff_t i = 0; i < count; i++) {
            const float *line = resized_line(it, numbers[i], count, columns);
            if (i == 0)
                for (ptrdiff_t x = 0; x < width; x++) to[x] = weights[0] * line[x];
            else
                for (ptrdiff_t x = 0; x < width; x++) to[x] += weights[i] * line[x];
        }
    }
}
