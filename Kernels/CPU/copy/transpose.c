#include "../target.h"
#include "apus_copy.h"

#include <string.h>

typedef float lanes __attribute__((vector_size(32)));

enum {
    /// The side of a square that lies in vector registers.
    SIDE = 8,
    /// The side of a square whose cache lines are used whole.
    SQUARE = 16,
};

/// Transposes a square, of which `count` columns are written.
__attribute__((always_inline)) static inline void transpose_side(
    const float *from, ptrdiff_t from_stride, float *to, ptrdiff_t to_stride, const ptrdiff_t count) {
    lanes block[SIDE], mixed[SIDE];
    for (int i = 0; i < SIDE; i++) memcpy(&block[i], from + i * from_stride, sizeof(lanes));
    // Elements of two rows, then pairs of four rows, then halves of eight.
    for (int i = 0; i < SIDE; i += 2) {
        mixed[i] = __builtin_shufflevector(block[i], block[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        mixed[i + 1] = __builtin_shufflevector(block[i], block[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < SIDE; i += 4) {
        for (int j = 0; j < 2; j++) {
            block[i + 2 * j] = __builtin_shufflevector(mixed[i + j], mixed[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            block[i + 2 * j + 1] = __builtin_shufflevector(mixed[i + j], mixed[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (int i = 0; i < SIDE / 2; i++) {
        mixed[i] = __builtin_shufflevector(block[i], block[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        mixed[i + 4] = __builtin_shufflevector(block[i], block[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (int i = 0; i < SIDE; i++)
        if (i < count) memcpy(to + i * to_stride, &mixed[i], sizeof(lanes));
}

APUS_KERNEL void apus_copy_transposed(
    const float *from, ptrdiff_t from_stride, ptrdiff_t rows, ptrdiff_t columns, float *to, ptrdiff_t to_stride) {
    // A square that begins before this row may read beyond its columns, since later rows follow.
    const ptrdiff_t whole_rows = from_stride > 0 ? rows - SIDE - (SIDE + from_stride - 1) / from_stride : 0;
    for (ptrdiff_t row = 0; row < rows; row += SQUARE) {
        const ptrdiff_t height = rows - row < SQUARE ? rows - row : SQUARE;
        const ptrdiff_t whole_height = height & -SIDE;
        for (ptrdiff_t column = 0; column < columns; column += SQUARE) {
            const ptrdiff_t width = columns - column < SQUARE ? columns - column : SQUARE;
            const ptrdiff_t whole_width = width & -SIDE;
            const float *source = from + row * from_stride + column;
            float *target = to + column * to_stride + row;
            for (ptrdiff_t j = 0; j < whole_width; j += SIDE)
                for (ptrdiff_t i = 0; i < whole_height; i += SIDE)
                    transpose_side(
                        source + i * from_stride + j, from_stride, target + j * to_stride + i, to_stride, SIDE);
            ptrdiff_t narrow_height = 0;
            if (whole_width < width)
                for (; narrow_height < whole_height && row + narrow_height < whole_rows; narrow_height += SIDE)
                    transpose_side(
                        source + narrow_height * from_stride + whole_width, from_stride,
                        target + whole_width * to_stride + narrow_height, to_stride, width - whole_width);
            for (ptrdiff_t j = 0; j < width; j++)
                for (ptrdiff_t i = j < whole_width ? whole_height : narrow_height; i < height; i++)
                    target[j * to_stride + i] = source[i * from_stride + j];
        }
    }
}
