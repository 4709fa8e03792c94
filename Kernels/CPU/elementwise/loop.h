#ifndef APUS_LOOP_H
#define APUS_LOOP_H

#include "apus_elementwise.h"

typedef struct {
    ptrdiff_t a, b, output;
} loop_position;

/// Where a row of the loop begins in each array.
static inline loop_position row_position(const apus_loop *loop, ptrdiff_t row) {
    loop_position position = {0, 0, 0};
    for (ptrdiff_t axis = loop->rank - 2; axis >= 0; axis--) {
        const ptrdiff_t index = row % loop->extents[axis];
        row /= loop->extents[axis];
        position.a += index * loop->a_strides[axis];
        position.b += index * loop->b_strides[axis];
        position.output += index * loop->output_strides[axis];
    }
    return position;
}

#endif
