#include "../target.h"
#include "loop.h"

/// The whole part of x, within the bounds of a type; 0 of NaN. `above` is 1 more than the type's largest number.
#define WHOLE_PART(type, below, least, above, largest)                                                          \
    (x != x ? 0 : x <= (below) ? (type)(least) : x >= (above) ? (type)(largest) : (type)x)

#define ROW(from_type, to_type, expression)                                                     \
    do {                                                                                        \
        const from_type *a = (const from_type *)a_base + run.start.a + index * run.step.a;      \
        to_type *output = (to_type *)output_base + run.start.output + index * run.step.output;  \
        if (output_stride == 1 && a_stride == 1)                                                \
            for (ptrdiff_t i = 0; i < count; i++) {                                             \
                const from_type x = a[i];                                                       \
                output[i] = expression;                                                         \
            }                                                                                   \
        else                                                                                    \
            for (ptrdiff_t i = 0; i < count; i++) {                                             \
                const from_type x = a[i * a_stride];                                            \
                output[i * output_stride] = expression;                                         \
            }                                                                                   \
    } while (0)

#define FROM_INTEGER(type)                                                   \
    switch (to) {                                                            \
    case APUS_ELEMENT_FLOAT32: ROW(type, float, (float)x); break;            \
    case APUS_ELEMENT_INT32: ROW(type, int32_t, (int32_t)x); break;          \
    case APUS_ELEMENT_INT64: ROW(type, int64_t, (int64_t)x); break;          \
    case APUS_ELEMENT_UINT8: ROW(type, uint8_t, (uint8_t)x); break;          \
    }                                                                        \
    break

/// Walks over the rows from `first_row` to `last_row`, with `run` and `index` for each.
#define EACH_ROW(body)                                                       \
    const ptrdiff_t inner = loop->rank - 1;                                  \
    const ptrdiff_t count = loop->extents[inner];                            \
    const ptrdiff_t a_stride = loop->a_strides[inner];                       \
    const ptrdiff_t output_stride = loop->output_strides[inner];             \
    for (ptrdiff_t row = first_row; row < last_row;) {                       \
        const loop_run run = run_of_rows(loop, row, last_row);               \
        for (ptrdiff_t index = 0; index < run.row_count; index++) {          \
            body                                                             \
        }                                                                    \
        row += run.row_count;                                                \
    }

APUS_KERNEL void apus_convert_rows(
    apus_element_kind from, apus_element_kind to, const apus_loop *loop, const void *a_base, void *output_base,
    ptrdiff_t first_row, ptrdiff_t last_row) {
    EACH_ROW(switch (from) {
        case APUS_ELEMENT_FLOAT32:
            switch (to) {
            case APUS_ELEMENT_FLOAT32: ROW(float, float, x); break;
            case APUS_ELEMENT_INT32:
                ROW(float, int32_t, WHOLE_PART(int32_t, -0x1p31f, INT32_MIN, 0x1p31f, INT32_MAX));
                break;
            case APUS_ELEMENT_INT64:
                ROW(float, int64_t, WHOLE_PART(int64_t, -0x1p63f, INT64_MIN, 0x1p63f, INT64_MAX));
                break;
            case APUS_ELEMENT_UINT8: ROW(float, uint8_t, WHOLE_PART(uint8_t, 0, 0, 256, UINT8_MAX)); break;
            }
            break;
        case APUS_ELEMENT_INT32: FROM_INTEGER(int32_t);
        case APUS_ELEMENT_INT64: FROM_INTEGER(int64_t);
        case APUS_ELEMENT_UINT8: FROM_INTEGER(uint8_t);
    })
}

APUS_KERNEL void apus_truth_rows(
    apus_element_kind from, const apus_loop *loop, const void *a_base, uint8_t *output_base, ptrdiff_t first_row,
    ptrdiff_t last_row) {
    EACH_ROW(switch (from) {
        case APUS_ELEMENT_FLOAT32: ROW(float, uint8_t, x != 0); break;
        case APUS_ELEMENT_INT32: ROW(int32_t, uint8_t, x != 0); break;
        case APUS_ELEMENT_INT64: ROW(int64_t, uint8_t, x != 0); break;
        case APUS_ELEMENT_UINT8: ROW(uint8_t, uint8_t, x != 0); break;
    })
}
