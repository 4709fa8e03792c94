#include "../target.h"
#include "loop.h"

#define ROW(type)                                                                                         \
    do {                                                                                                  \
        const type *a = (const type *)a_base + run.start.a + index * run.step.a;                          \
        type *output = (type *)output_base + run.start.output + index * run.step.output;                  \
        if (output_stride == 1 && a_stride == 1 && b_stride == 1)                                         \
            for (ptrdiff_t i = 0; i < count; i++) output[i] = condition[i] ? a[i] : output[i];            \
        else if (output_stride == 1 && a_stride == 0 && b_stride == 1) {                                  \
            const type x = a[0];                                                                          \
            for (ptrdiff_t i = 0; i < count; i++) output[i] = condition[i] ? x : output[i];               \
        } else                                                                                            \
            for (ptrdiff_t i = 0; i < count; i++)                                                         \
                if (condition[i * b_stride]) output[i * output_stride] = a[i * a_stride];                 \
    } while (0)

APUS_KERNEL void apus_select_rows(
    const apus_loop *loop, ptrdiff_t element_byte_count, const void *a_base, const uint8_t *b_base, void *output_base,
    ptrdiff_t first_row, ptrdiff_t last_row) {
    const ptrdiff_t inner = loop->rank - 1;
    const ptrdiff_t count = loop->extents[inner];
    const ptrdiff_t a_stride = loop->a_strides[inner], b_stride = loop->b_strides[inner];
    const ptrdiff_t output_stride = loop->output_strides[inner];
    for (ptrdiff_t row = first_row; row < last_row;) {
        const loop_run run = run_of_rows(loop, row, last_row);
        for (ptrdiff_t index = 0; index < run.row_count; index++) {
            const uint8_t *condition = b_base + run.start.b + index * run.step.b;
            switch (element_byte_count) {
            case 1: ROW(uint8_t); break;
            case 2: ROW(uint16_t); break;
            case 4: ROW(uint32_t); break;
            default: ROW(uint64_t); break;
            }
        }
        row += run.row_count;
    }
}
