#include "apus_copy.h"
#include "../elementwise/loop.h"

#include <stdint.h>
#include <string.h>

/// Rows and columns of a block that is copied at a time, so that the cache lines of both arrays are used whole.
enum { TILE = 16 };

#define MATRIX(type)                                                                                          \
    for (ptrdiff_t i0 = 0; i0 < run.row_count; i0 += TILE) {                                                  \
        const ptrdiff_t i1 = i0 + TILE < run.row_count ? i0 + TILE : run.row_count;                           \
        for (ptrdiff_t j0 = 0; j0 < count; j0 += TILE) {                                                      \
            const ptrdiff_t j1 = j0 + TILE < count ? j0 + TILE : count;                                       \
            for (ptrdiff_t i = i0; i < i1; i++) {                                                             \
                const type *from = (const type *)a + run.start.a + i * run.step.a;                            \
                type *to = (type *)output + run.start.output + i * run.step.output;                           \
                for (ptrdiff_t j = j0; j < j1; j++) to[j * output_stride] = from[j * a_stride];               \
            }                                                                                                 \
        }                                                                                                     \
    }                                                                                                         \
    break

/// Copies a run whose rows are adjacent in one array, and whose elements are adjacent in the other; false for others.
static int copied_transposed(
    loop_run run, ptrdiff_t count, ptrdiff_t a_stride, ptrdiff_t output_stride, const void *a, void *output) {
    const float *from = (const float *)a + run.start.a;
    float *to = (float *)output + run.start.output;
    if (a_stride == 1 && run.step.output == 1)
        apus_copy_transposed(from, run.step.a, run.row_count, count, to, output_stride);
    else if (output_stride == 1 && run.step.a == 1)
        apus_copy_transposed(from, a_stride, count, run.row_count, to, run.step.output);
    else
        return 0;
    return 1;
}

void apus_copy_rows(
    const apus_loop *loop, ptrdiff_t element_byte_count, const void *a, void *output, ptrdiff_t first_row,
    ptrdiff_t last_row) {
    const ptrdiff_t inner = loop->rank - 1;
    const ptrdiff_t count = loop->extents[inner];
    const ptrdiff_t a_stride = loop->a_strides[inner];
    const ptrdiff_t output_stride = loop->output_strides[inner];
    for (ptrdiff_t row = first_row; row < last_row;) {
        const loop_run run = run_of_rows(loop, row, last_row);
        row += run.row_count;
        if (a_stride == 1 && output_stride == 1) {
            for (ptrdiff_t i = 0; i < run.row_count; i++)
                memcpy(
                    (char *)output + (run.start.output + i * run.step.output) * element_byte_count,
                    (const char *)a + (run.start.a + i * run.step.a) * element_byte_count,
                    (size_t)(count * element_byte_count));
            continue;
        }
        if (element_byte_count == sizeof(float) && copied_transposed(run, count, a_stride, output_stride, a, output))
            continue;
        switch (element_byte_count) {
        case 1: MATRIX(uint8_t);
        case 2: MATRIX(uint16_t);
        case 4: MATRIX(uint32_t);
        default: MATRIX(uint64_t);
        }
    }
}
