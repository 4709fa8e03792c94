#include "apus_copy.h"
#include "../elementwise/loop.h"

#include <stdint.h>
#include <string.h>

#define ROW(type)                                                                            \
    for (ptrdiff_t i = 0; i < count; i++)                                                    \
        ((type *)output)[position.output + i * output_stride] = ((const type *)a)[position.a + i * a_stride]; \
    break

void apus_copy_rows(
    const apus_loop *loop, ptrdiff_t element_byte_count, const void *a, void *output, ptrdiff_t first_row,
    ptrdiff_t last_row) {
    const ptrdiff_t inner = loop->rank - 1;
    const ptrdiff_t count = loop->extents[inner];
    const ptrdiff_t a_stride = loop->a_strides[inner];
    const ptrdiff_t output_stride = loop->output_strides[inner];
    for (ptrdiff_t row = first_row; row < last_row; row++) {
        const loop_position position = row_position(loop, row);
        if (a_stride == 1 && output_stride == 1) {
            memcpy(
                (char *)output + position.output * element_byte_count,
                (const char *)a + position.a * element_byte_count, (size_t)(count * element_byte_count));
            continue;
        }
        switch (element_byte_count) {
        case 1: ROW(uint8_t);
        case 2: ROW(uint16_t);
        case 4: ROW(uint32_t);
        default: ROW(uint64_t);
        }
    }
}

void apus_copy_matrix(
    const float *a, ptrdiff_t a_row_stride, ptrdiff_t a_column_stride, ptrdiff_t rows, ptrdiff_t columns,
    float *output, ptrdiff_t output_row_stride) {
    enum { TILE = 16 };
    for (ptrdiff_t i0 = 0; i0 < rows; i0 += TILE) {
        const ptrdiff_t i1 = i0 + TILE < rows ? i0 + TILE : rows;
        for (ptrdiff_t j0 = 0; j0 < columns; j0 += TILE) {
            const ptrdiff_t j1 = j0 + TILE < columns ? j0 + TILE : columns;
            for (ptrdiff_t i = i0; i < i1; i++)
                for (ptrdiff_t j = j0; j < j1; j++)
                    output[i * output_row_stride + j] = a[i * a_row_stride + j * a_column_stride];
        }
    }
}
