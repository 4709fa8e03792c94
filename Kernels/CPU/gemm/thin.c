#include "../target.h"
#include "apus_gemm.h"

#include <string.h>

enum {
    /// Rows that are multiplied together, and columns whose sums stay in the first-level cache.
    ROWS = 4,
    BLOCK = 512,
    /// Elements of the depth that are multiplied together.
    STEP = 4,
    /// The maximum number of products that are added one after another, since the error of a chain grows with its
    /// length.
    LONGEST_CHAIN = 256,
    /// Sums of a column that run side by side, where its elements are adjacent.
    LANES = 16,
    /// The maximum depth of which sums are made at a time there.
    LONGEST_PART = LONGEST_CHAIN * LANES,
    /// Columns that are multiplied together there.
    COLUMNS = 4,
};

/// May lie anywhere in memory.
typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float))));

static void start(const apus_thin_product *product) {
    for (ptrdiff_t row = 0; row < product->row_count; row++)
        for (ptrdiff_t column = 0; column < product->column_count; column++) {
            float *at = product->result + row * product->result_row_stride + column * product->result_column_stride;
            *at = product->beta == 0 ? 0 : *at * product->beta;
        }
}

/// sums[i][j] += Σₖ left[i][k] · right[k][j] for some depth and columns. `rows` and `steps` are the caller's constants.
__attribute__((always_inline)) static inline void add_steps(
    float sums[ROWS][BLOCK], const float *left, ptrdiff_t row_stride, ptrdiff_t column_stride, const float *right,
    ptrdiff_t right_stride, ptrdiff_t count, const int rows, const int steps) {
    float factors[ROWS][STEP];
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < steps; k++) factors[i][k] = left[i * row_stride + k * column_stride];
    for (ptrdiff_t j = 0; j < count; j++)
        for (int i = 0; i < rows; i++) {
            float sum = sums[i][j];
            for (int k = 0; k < steps; k++) sum += factors[i][k] * right[k * right_stride + j];
            sums[i][j] = sum;
        }
}

/// Adds the products of one chain with some columns to the result; `rows` is a constant of the caller.
__attribute__((always_inline)) static inline void add_chain(
    const apus_thin_product *product, const float *left, const float *right, ptrdiff_t depth, ptrdiff_t count,
    float *result, const int rows) {
    const apus_thin_product p = *product;
    float sums[ROWS][BLOCK];
    for (int i = 0; i < rows; i++) memset(sums[i], 0, (size_t)count * sizeof(float));
    ptrdiff_t k = 0;
    for (; k + STEP <= depth; k += STEP)
        add_steps(
            sums, left + k * p.left_column_stride, p.left_row_stride, p.left_column_stride, right + k * p.right_stride,
            p.right_stride, count, rows, STEP);
    for (; k < depth; k++)
        add_steps(
            sums, left + k * p.left_column_stride, p.left_row_stride, p.left_column_stride, right + k * p.right_stride,
            p.right_stride, count, rows, 1);
    for (int i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < count; j++)
            result[i * p.result_row_stride + j * p.result_column_stride] += p.alpha * sums[i][j];
}

APUS_KERNEL static void add_rows(const apus_thin_product *product, ptrdiff_t first, int rows) {
    const apus_thin_product p = *product;
    for (ptrdiff_t column = 0; column < p.column_count; column += BLOCK) {
        const ptrdiff_t left = p.column_count - column, count = left < BLOCK ? left : BLOCK;
        float *result = p.result + first * p.result_row_stride + column * p.result_column_stride;
        for (ptrdiff_t k = 0; k < p.depth; k += LONGEST_CHAIN) {
            const ptrdiff_t rest = p.depth - k, depth = rest < LONGEST_CHAIN ? rest : LONGEST_CHAIN;
            const float *row = p.left + first * p.left_row_stride + k * p.left_column_stride;
            const float *right = p.right + k * p.right_stride + column;
            if (rows == ROWS)
                add_chain(product, row, right, depth, count, result, ROWS);
            else
                add_chain(product, row, right, depth, count, result, 1);
        }
    }
}

void apus_multiply_thin(const apus_thin_product *product) {
    start(product);
    ptrdiff_t row = 0;
    for (; row + ROWS <= product->row_count; row += ROWS) add_rows(product, row, ROWS);
    for (; row < product->row_count; row++) add_rows(product, row, 1);
}

/// Adds the products of a row with some columns to the result; `columns` is a constant of the caller.
__attribute__((always_inline)) static inline void add_columns(
    const float *left, const float *right, ptrdiff_t stride, ptrdiff_t depth, float alpha, float *result,
    ptrdiff_t result_stride, const int columns) {
    lanes sums[COLUMNS] = {{0}};
    ptrdiff_t k = 0;
    for (; k + LANES <= depth; k += LANES)
        for (int j = 0; j < columns; j++)
            sums[j] += *(const lanes *)(left + k) * *(const lanes *)(right + j * stride + k);
    if (k < depth) {
        const size_t size = (size_t)(depth - k) * sizeof(float);
        lanes last = {0};
        memcpy(&last, left + k, size);
        for (int j = 0; j < columns; j++) {
            lanes column = {0};
            memcpy(&column, right + j * stride + k, size);
            sums[j] += last * column;
        }
    }
    for (int j = 0; j < columns; j++) {
        for (int width = LANES / 2; width > 0; width /= 2)
            for (int lane = 0; lane < width; lane++) sums[j][lane] += sums[j][lane + width];
        result[j * result_stride] += alpha * sums[j][0];
    }
}

APUS_KERNEL static void add_row(
    const apus_thin_product *product, const float *left, ptrdiff_t first, ptrdiff_t depth, float *result) {
    const ptrdiff_t stride = product->right_stride, result_stride = product->result_column_stride;
    const float *right = product->right + first;
    ptrdiff_t column = 0;
    for (; column + COLUMNS <= product->column_count; column += COLUMNS)
        add_columns(
            left, right + column * stride, stride, depth, product->alpha, result + column * result_stride,
            result_stride, COLUMNS);
    for (; column < product->column_count; column++)
        add_columns(
            left, right + column * stride, stride, depth, product->alpha, result + column * result_stride,
            result_stride, 1);
}

void apus_multiply_thin_transposed(const apus_thin_product *product) {
    const apus_thin_product p = *product;
    start(product);
    for (ptrdiff_t row = 0; row < p.row_count; row++)
        for (ptrdiff_t k = 0; k < p.depth; k += LONGEST_PART) {
            const ptrdiff_t rest = p.depth - k, depth = rest < LONGEST_PART ? rest : LONGEST_PART;
            const float *left = p.left + row * p.left_row_stride + k * p.left_column_stride;
            float copy[LONGEST_PART];
            if (p.left_column_stride != 1) {
                for (ptrdiff_t i = 0; i < depth; i++) copy[i] = left[i * p.left_column_stride];
                left = copy;
            }
            add_row(product, left, k, depth, p.result + row * p.result_row_stride);
        }
}
