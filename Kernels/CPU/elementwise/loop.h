#ifndef APUS_LOOP_H
#define APUS_LOOP_H

#include "apus_elementwise.h"

typedef struct {
    ptrdiff_t a, b, output;
} loop_position;

/// Rows that lie a fixed distance apart in every array.
typedef struct {
    loop_position start, step;
    ptrdiff_t row_count;
} loop_run;

/// The rows from `row` on, up to `last_row`, that differ only in the second innermost index.
static inline loop_run run_of_rows(const apus_loop *loop, ptrdiff_t row, ptrdiff_t last_row) {
    loop_run run = {{0, 0, 0}, {0, 0, 0}, 1};
    const ptrdiff_t second = loop->rank - 2;
    for (ptrdiff_t axis = second, rest = row; axis >= 0; axis--) {
        const ptrdiff_t index = rest % loop->extents[axis];
        rest /= loop->extents[axis];
        run.start.a += index * loop->a_strides[axis];
        run.start.b += index * loop->b_strides[axis];
        run.start.output += index * loop->output_strides[axis];
    }
    if (second >= 0) {
        run.step = (loop_position){loop->a_strides[second], loop->b_strides[second], loop->output_strides[second]};
        run.row_count = loop->extents[second] - row % loop->extents[second];
        if (run.row_count > last_row - row) run.row_count = last_row - row;
    }
    return run;
}

#endif
