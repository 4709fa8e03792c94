#ifndef APUS_COPY_H
#define APUS_COPY_H

#include "apus_elementwise.h"

/// output = a over rows [first_row, last_row) of a loop, for elements of 1, 2, 4 or 8 bytes. The arrays do not overlap.
void apus_copy_rows(
    const apus_loop *loop, ptrdiff_t element_byte_count, const void *a, void *output, ptrdiff_t first_row,
    ptrdiff_t last_row);

/// to[j][i] = from[i][j] for rows × columns elements of `from`, whose rows are `from_stride` elements apart. Elements
/// may be any other numbers of 4 bytes.
void apus_copy_transposed(
    const float *from, ptrdiff_t from_stride, ptrdiff_t rows, ptrdiff_t columns, float *to, ptrdiff_t to_stride);

#endif
